//! Positions to coordinates.
//!
//! The coordinates of a chunk's first element are known; a position counts from there. What has to be divided by a
//! dimension's size is therefore less than the size and a chunk together, and the quotient is a product and a shift.

use crate::instructions::Kernel;

/// Positions are below this.
pub(super) const CHUNK: usize = 1 << 14;

/// The most columns of a row of coordinates: DirectML's tensors have up to 8 dimensions.
pub(super) const MOST_COLUMNS: usize = 8;

/// An innermost dimension from this size on is left so seldom that what follows its end is looked for.
const LONG: u32 = 256;

/// Splits what is counted along a dimension into a coordinate and what is carried into the next outer one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carrying {
    size: u32,
    /// The quotient is the product with this, shifted right …
    factor: u32,
    shift: u32,
    /// … and one more from here on.
    threshold: u32,
}

impl Carrying {
    /// Nothing is carried: the coordinate is what is counted.
    pub(super) const NOTHING: Self = Self { size: u32::MAX, factor: 0, shift: 0, threshold: u32::MAX };

    /// For a size of at least 1; `None` where sums might not fit.
    pub(super) fn new(size: usize) -> Option<Self> {
        let size = u32::try_from(size).ok().filter(|size| size.checked_add(CHUNK as u32).is_some())?;
        if size as usize > CHUNK {
            // The quotient is 0 or 1.
            return Some(Self { size, factor: 0, shift: 0, threshold: size });
        }
        // What is divided is below 2^15. The factor is too large by less than 2^-15 of itself, which is not enough to
        // reach the next quotient, and the product has 32 bits.
        let shift = (2 * CHUNK).ilog2() + size.next_power_of_two().ilog2();
        Some(Self { size, factor: (1u32 << shift).div_ceil(size), shift, threshold: u32::MAX })
    }

    /// The coordinate, and what is carried.
    #[inline(always)]
    fn split(self, counted: u32) -> (u32, u32) {
        let quotient = (counted.wrapping_mul(self.factor) >> self.shift) + u32::from(counted >= self.threshold);
        (counted - quotient * self.size, quotient)
    }
}

/// Writes the coordinates of positions, one row each.
pub(super) struct Coordinates<'a> {
    pub(super) positions: &'a [u32],
    /// The columns' dimensions, outermost first.
    pub(super) dimensions: &'a [Carrying],
    /// The coordinates of position 0.
    pub(super) start: &'a [u32],
    /// Packed rows of UINT32, as many as there are positions.
    pub(super) rows: &'a mut [u8],
}

impl Kernel for Coordinates<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        match self.dimensions.len() {
            1 => self.write::<1>(),
            2 => self.write::<2>(),
            3 => self.write::<3>(),
            4 => self.write::<4>(),
            5 => self.write::<5>(),
            6 => self.write::<6>(),
            7 => self.write::<7>(),
            _ => self.write::<MOST_COLUMNS>(),
        }
    }
}

impl Coordinates<'_> {
    #[inline(always)]
    fn write<const COLUMNS: usize>(self) {
        let mut columns = [(Carrying::NOTHING, 0); COLUMNS];
        for (column, (dimension, start)) in columns.iter_mut().zip(self.dimensions.iter().zip(self.start)) {
            *column = (*dimension, *start);
        }
        let rows = self.rows.as_chunks_mut::<{ size_of::<u32>() }>().0.as_chunks_mut::<COLUMNS>().0;
        if columns[COLUMNS - 1].0.size < LONG {
            return write_each(self.positions, &columns, rows);
        }
        let (mut positions, mut rows) = (self.positions, rows);
        while let Some(&first) = positions.first() {
            // Up to the end of the innermost dimension only the last coordinate changes.
            let mut row = [0; COLUMNS];
            let mut carried = first;
            for column in (0..COLUMNS).rev() {
                let (dimension, start) = columns[column];
                (row[column], carried) = dimension.split(start + carried);
            }
            let end = first + (columns[COLUMNS - 1].0.size - row[COLUMNS - 1]);
            let count = positions.partition_point(|&position| position < end);
            let (here, rest) = rows.split_at_mut(count);
            write_one_row(&positions[..count], row, here);
            (positions, rows) = (&positions[count..], rest);
        }
    }
}

/// Writes the coordinates of positions that differ in the last one only, given those of the first.
#[inline(always)]
fn write_one_row<const COLUMNS: usize>(positions: &[u32], first: [u32; COLUMNS], rows: &mut [[[u8; 4]; COLUMNS]]) {
    let Some(start) = positions.first().map(|position| first[COLUMNS - 1].wrapping_sub(*position)) else { return };
    for (position, row) in positions.iter().zip(rows) {
        for column in 0..COLUMNS - 1 {
            row[column] = first[column].to_le_bytes();
        }
        row[COLUMNS - 1] = start.wrapping_add(*position).to_le_bytes();
    }
}

#[inline(always)]
fn write_each<const COLUMNS: usize>(
    positions: &[u32],
    columns: &[(Carrying, u32); COLUMNS],
    rows: &mut [[[u8; 4]; COLUMNS]],
) {
    for (position, row) in positions.iter().zip(rows) {
        let mut carried = *position;
        for column in (0..COLUMNS).rev() {
            let (dimension, start) = columns[column];
            let (coordinate, quotient) = dimension.split(start + carried);
            row[column] = coordinate.to_le_bytes();
            carried = quotient;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_exact() {
        let large = [CHUNK + 1, CHUNK + 7, 1 << 20, (u32::MAX as usize) - CHUNK];
        for size in (1..=CHUNK).chain(large) {
            let carrying = Carrying::new(size).unwrap();
            let size = size as u32;
            let most = size - 1 + CHUNK as u32 - 1;
            // Every quotient changes at a multiple of the size: the numbers around each of them.
            for multiple in (0..=most / size).map(|quotient| quotient * size) {
                for counted in [multiple.saturating_sub(1), multiple, multiple + 1] {
                    if counted <= most {
                        assert_eq!(carrying.split(counted), (counted % size, counted / size), "{counted} by {size}");
                    }
                }
            }
            assert_eq!(carrying.split(most), (most % size, most / size), "{most} by {size}");
        }
        assert!(Carrying::new(u32::MAX as usize - CHUNK + 1).is_none());
    }
}
