//! An output, as it came back from both dispatches.

use opcert_backend::NamedTensor;

use crate::layout::coordinates;
use crate::render;
use crate::run::POISONS;

/// An output of a case after both dispatches, its elements in logical order.
pub(super) struct Answer<'a> {
    pub(super) entry: &'a NamedTensor,
    pub(super) elements: [Vec<u8>; 2],
}

impl Answer<'_> {
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

    /// Whether an element still holds what was there before, both times.
    pub(super) fn is_unwritten(&self, index: usize) -> bool {
        (0..2).all(|dispatch| self.element(dispatch, index).iter().all(|&byte| byte == POISONS[dispatch]))
    }

    pub(super) fn differs_between_dispatches(&self, index: usize) -> bool {
        self.element(0, index) != self.element(1, index)
    }

    pub(super) fn coordinates(&self, index: usize) -> Vec<u64> {
        coordinates(index, &self.entry.tensor.sizes)
    }

    pub(super) fn render(&self, dispatch: usize, instead: impl Fn(usize) -> Option<&'static str>) -> String {
        let tensor = &self.entry.tensor;
        render::tensor(&self.elements[dispatch], tensor.data_type, &tensor.sizes, instead)
    }
}
