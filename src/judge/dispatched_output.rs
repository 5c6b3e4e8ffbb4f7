//! An output, as it came back from each dispatch.

use std::borrow::Cow;

use opcert_backend::NamedTensor;

use crate::case::Digest;
use crate::layout::coordinates;
use crate::render;
use crate::run::POISONS;

/// An output of a case after each dispatch, its elements in logical order.
pub(super) struct DispatchedOutput<'a> {
    pub(super) entry: &'a NamedTensor,
    pub(super) elements: Vec<Cow<'a, [u8]>>,
}

/// Another operator of which a requirement says that it comes to the same, and its outputs.
pub(super) type Other<'a> = (&'a str, Vec<DispatchedOutput<'a>>);

/// How many elements an output has.
pub(super) fn count(entry: &NamedTensor) -> usize {
    entry.tensor.element_count().and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX)
}

impl DispatchedOutput<'_> {
    pub(super) fn width(&self) -> usize {
        self.entry.tensor.data_type.bytes()
    }

    pub(super) fn count(&self) -> usize {
        self.elements[0].len() / self.width()
    }

    /// An element after one of the dispatches.
    pub(super) fn element(&self, dispatch: usize, index: usize) -> &[u8] {
        &self.elements[dispatch][index * self.width()..(index + 1) * self.width()]
    }

    /// Whether an element still holds what was there before, each time. After a single dispatch nobody can tell: what was
    /// there may be what was written.
    pub(super) fn is_unwritten(&self, index: usize) -> bool {
        let mut dispatches = (0..self.elements.len()).zip(POISONS);
        self.elements.len() == POISONS.len()
            && dispatches.all(|(dispatch, poison)| self.element(dispatch, index).iter().all(|&byte| byte == poison))
    }

    pub(super) fn differs_between_dispatches(&self, index: usize) -> bool {
        (1..self.elements.len()).any(|dispatch| self.element(0, index) != self.element(dispatch, index))
    }

    pub(super) fn coordinates(&self, index: usize) -> Vec<u64> {
        coordinates(index, &self.entry.tensor.sizes)
    }

    /// The digest of the first elements after one of the dispatches, with zeros in place of those that are not defined. What
    /// lies behind them is undefined.
    pub(super) fn digest(&self, dispatch: usize, defined: usize, is_defined: impl Fn(usize) -> bool) -> Digest {
        let mut elements = self.elements[dispatch][..defined * self.width()].to_vec();
        for (index, element) in elements.chunks_exact_mut(self.width()).enumerate() {
            if !is_defined(index) {
                element.fill(0);
            }
        }
        let blake3 = blake3::hash(&elements).to_hex().to_string();
        Digest { blake3, defined: (defined < self.count()).then_some(defined) }
    }

    pub(super) fn render(&self, dispatch: usize, instead: impl Fn(usize) -> Option<&'static str>) -> String {
        let tensor = &self.entry.tensor;
        render::tensor(&self.elements[dispatch], tensor.data_type, &tensor.sizes, instead)
    }
}
