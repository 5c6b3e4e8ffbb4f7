//! Indices of every type, and the place that each means.

use opcert_backend::DataType;

use crate::memory::{load, sign_extended};

/// How an index is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexType {
    pub(crate) wide: bool,
    pub(crate) signed: bool,
    /// Whether -1 is the last element of its sequence; otherwise a negative index is out of range.
    pub(crate) negative_from_end: bool,
}

impl IndexType {
    pub(crate) fn new(data_type: DataType, negative_from_end: bool) -> Self {
        Self { wide: data_type.bytes() == 8, signed: data_type.is_signed_integer(), negative_from_end }
    }

    /// The bytes of an index.
    pub(crate) fn bytes(self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    /// Where in a sequence of `size` elements the index at byte `offset` points; `None` out of range.
    pub(crate) fn place(self, indices: &[u8], offset: usize, size: usize) -> Option<usize> {
        // 128 bits hold every index of every type, so that nothing is truncated and no unsigned one turns negative.
        let index = match (self.wide, self.signed) {
            (true, true) => i128::from(sign_extended::<8>(load::<8>(indices, offset))),
            (true, false) => i128::from(load::<8>(indices, offset)),
            (false, true) => i128::from(sign_extended::<4>(load::<4>(indices, offset))),
            (false, false) => i128::from(load::<4>(indices, offset)),
        };
        let from_start = if index < 0 && self.negative_from_end { index + size as i128 } else { index };
        usize::try_from(from_start).ok().filter(|&place| place < size)
    }
}
