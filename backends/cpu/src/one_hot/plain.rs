//! One element after the other, whatever the strides are.
//!
//! The output is first filled with Off, then On is placed once per sequence.

use crate::element::Word;
use crate::index_type::IndexType;
use crate::strided::Walk;

/// The walks over a tensor.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    /// Every element of the output.
    pub(super) elements: Walk<1>,
    /// Each sequence: its index, and its first element in the output.
    pub(super) sequences: Walk<2>,
    pub(super) sequence_size: usize,
    pub(super) sequence_stride: usize,
}

impl Plain {
    pub(super) fn select<W: Word>(
        &mut self,
        index_type: IndexType,
        indices: &[u8],
        [off, on]: [W; 2],
        output: &mut [u8],
    ) {
        let mut store = |offset: usize, value: W| W::elements_mut(&mut output[offset..])[0] = value.to_bytes();
        self.elements.for_each(|[offset]| store(offset, off));
        self.sequences.for_each(|[index, start]| {
            if let Some(place) = index_type.place(indices, index, self.sequence_size) {
                store(start + place * self.sequence_stride, on);
            }
        });
    }
}
