//! Where the elements of a tensor lie, and elements as bits.
//!
//! Offsets are lists, because a mutant is easier to read than it is fast. Memory that a mutant's arithmetic misses
//! reads as 0 and is not written: what leaves the bindings does so on purpose, and elsewhere (`dispatching`).

use std::iter::zip;

use opcert_backend::{Fault, TensorDescriptor};

/// Sizes and strides in elements, outermost dimension first.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The logical sizes.
    pub(crate) sizes: Vec<usize>,
    /// The distance between neighbours in each dimension.
    pub(crate) strides: Vec<usize>,
    /// The bytes of one element.
    pub(crate) width: usize,
}

/// How a backend reads a tensor's layout.
pub(crate) type LayoutRule = fn(&TensorDescriptor) -> Layout;

/// The layout that the descriptor gives.
pub(crate) fn as_described(tensor: &TensorDescriptor) -> Layout {
    let strides = tensor.effective_strides().unwrap_or_default();
    with_strides(tensor, strides)
}

/// Row-major without gaps, whatever the strides are.
pub(crate) fn as_if_packed(tensor: &TensorDescriptor) -> Layout {
    with_strides(tensor, tensor.packed_strides().unwrap_or_default())
}

/// Row-major without gaps if any stride is 0, and otherwise as described.
pub(crate) fn without_broadcast(tensor: &TensorDescriptor) -> Layout {
    let described = as_described(tensor);
    let broadcast = zip(&described.sizes, &described.strides).any(|(&size, &stride)| size > 1 && stride == 0);
    if broadcast { as_if_packed(tensor) } else { described }
}

/// As described in the last `COUNT` dimensions; those in front of them are taken to have the stride 0.
pub(crate) fn last_dimensions<const COUNT: usize>(tensor: &TensorDescriptor) -> Layout {
    let mut layout = as_described(tensor);
    let dropped = layout.strides.len().saturating_sub(COUNT);
    layout.strides[..dropped].fill(0);
    layout
}

/// The innermost stride is taken to be 1.
pub(crate) fn innermost_without_gaps(tensor: &TensorDescriptor) -> Layout {
    let mut layout = as_described(tensor);
    if let Some(stride) = layout.strides.last_mut() {
        *stride = 1;
    }
    layout
}

fn with_strides(tensor: &TensorDescriptor, strides: Vec<u64>) -> Layout {
    let strides = strides.into_iter().map(|stride| stride as usize).collect();
    Layout { sizes: tensor.sizes.iter().map(|&size| size as usize).collect(), strides, width: tensor.data_type.bytes() }
}

impl Layout {
    /// The offset of every element in logical order.
    pub(crate) fn offsets(&self) -> Vec<usize> {
        zip(&self.sizes, &self.strides).fold(vec![0], |offsets, (&size, &stride)| {
            offsets.iter().flat_map(|offset| (0..size).map(move |index| offset + index * stride)).collect()
        })
    }

    /// The same layout with one dimension held at 0.
    pub(crate) fn without(&self, dimension: usize) -> Self {
        let mut rest = self.clone();
        rest.sizes.remove(dimension);
        rest.strides.remove(dimension);
        rest
    }

    /// Every element's bits in logical order, zero-extended.
    pub(crate) fn elements(&self, bytes: &[u8]) -> Vec<u64> {
        self.offsets().into_iter().map(|offset| self.load(bytes, offset)).collect()
    }

    /// The bits of the element at an offset.
    pub(crate) fn load(&self, bytes: &[u8], offset: usize) -> u64 {
        let start = offset.saturating_mul(self.width);
        let mut element = [0; 8];
        if let Some(found) = bytes.get(start..start.saturating_add(self.width)) {
            element[..self.width].copy_from_slice(found);
        }
        u64::from_le_bytes(element)
    }

    /// Writes the element at an offset.
    pub(crate) fn store(&self, bytes: &mut [u8], offset: i64, bits: u64) {
        let Ok(start) = usize::try_from(offset).map(|offset| offset.saturating_mul(self.width)) else { return };
        if let Some(place) = bytes.get_mut(start..start.saturating_add(self.width)) {
            place.copy_from_slice(&bits.to_le_bytes()[..self.width]);
        }
    }
}

/// The coordinates of the element with this number in logical order.
pub(crate) fn coordinates(number: usize, sizes: &[usize]) -> Vec<usize> {
    let mut rest = number;
    let mut coordinates: Vec<usize> = sizes.iter().rev().map(|&size| (rest % size, rest /= size).0).collect();
    coordinates.reverse();
    coordinates
}

/// The fault of a dispatch that lacks a tensor.
pub(crate) fn unbound() -> Fault {
    Fault::Failed("tensors of the operator are not bound".to_owned())
}
