//! Where in its sequence an index points.

use std::ops::Range;

use crate::element::Word;
use crate::index_type::IndexType;
use crate::instructions::Kernel;

/// The place of an index that is out of range: no sequence is that long.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Reads neighbouring indices: where each points among some places, counted from the first of these.
///
/// A lane is as wide as whoever compares it needs. One whose index points elsewhere has all bits set.
pub(super) struct Places<'a, L> {
    pub(super) index_type: IndexType,
    pub(super) indices: &'a [u8],
    /// The size of a sequence, below [`NOWHERE`].
    pub(super) size: usize,
    /// The places that are looked for. A lane can count as many and one more.
    pub(super) among: Range<usize>,
    pub(super) lanes: &'a mut [L],
}

impl<L: Word> Kernel for Places<'_, L> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let IndexType { signed, negative_from_end, .. } = self.index_type;
        let from_end = if negative_from_end { self.size as u64 } else { 0 };
        // A negative index that is not counted from the end is out of range; without a sign it may not look like it.
        let negative_is_out = !negative_from_end;
        let (first, count) = (self.among.start, self.among.len());
        if self.index_type.wide {
            for (lane, index) in self.lanes.iter_mut().zip(u64::elements(self.indices)) {
                let index = u64::from_bytes(*index);
                let is_negative = signed & (index >> 63 == 1);
                let from_start = if is_negative { index.wrapping_add(from_end) } else { index };
                let from_first = from_start.wrapping_sub(first as u64);
                let is_out = (from_first >= count as u64) | (is_negative & negative_is_out);
                *lane = if is_out { L::ALL } else { L::truncated(from_first) };
            }
        } else {
            for (lane, index) in self.lanes.iter_mut().zip(u32::elements(self.indices)) {
                let index = u32::from_bytes(*index);
                let is_negative = signed & (index >> 31 == 1);
                let from_start = if is_negative { index.wrapping_add(from_end as u32) } else { index };
                let from_first = from_start.wrapping_sub(first as u32);
                let is_out = (from_first >= count as u32) | (is_negative & negative_is_out);
                *lane = if is_out { L::ALL } else { L::truncated(from_first.into()) };
            }
        }
    }
}
