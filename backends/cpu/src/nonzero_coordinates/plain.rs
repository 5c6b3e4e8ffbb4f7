//! One element after the other in logical order, whatever the strides are: rows come out in ascending element index by
//! construction.

use crate::element::Word;
use crate::memory::store;
use crate::strided::{Run, Walk};

/// The bytes of a count and of a coordinate, both UINT32.
pub(super) const UINT32: usize = 4;

/// The walk over a tensor.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    /// Every element of the input. Not coalesced, because its coordinates are the result.
    pub(super) elements: Walk<1>,
    pub(super) rows: Rows,
}

/// The matrix of coordinates; strides in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub(super) row_stride: usize,
    pub(super) column_stride: usize,
    /// At least 1 and at most the input's dimension count; 1 for an input without dimensions.
    pub(super) columns: usize,
    /// Whether the rows lie one after the other.
    pub(super) is_packed: bool,
}

impl Plain {
    /// Writes the coordinates of what is not zero, and counts it.
    pub(super) fn find<W: Word>(&mut self, value_bits: W, input: &[u8], coordinates: &mut [u8]) -> usize {
        let mut count = 0;
        self.elements.for_each_run(|position, run: Run<1>| {
            for (innermost, [offset]) in run.offsets().enumerate() {
                if W::from_bytes(W::elements(&input[offset..])[0]).is_any_set(value_bits) {
                    self.rows.write(coordinates, count, position, innermost);
                    count += 1;
                }
            }
        });
        count
    }
}

impl Rows {
    /// Rows that lie one after the other.
    pub(super) fn packed(columns: usize) -> Self {
        Self { row_stride: columns * UINT32, column_stride: UINT32, columns, is_packed: true }
    }

    /// Writes the last `columns` coordinates of the position `{outer…, innermost}` into a row.
    fn write(self, coordinates: &mut [u8], row: usize, outer: &[usize], innermost: usize) {
        let dropped = outer.len() + 1 - self.columns;
        let mut offset = row * self.row_stride;
        for &coordinate in &outer[dropped..] {
            store::<UINT32>(coordinates, offset, coordinate as u64);
            offset += self.column_stride;
        }
        store::<UINT32>(coordinates, offset, innermost as u64);
    }
}
