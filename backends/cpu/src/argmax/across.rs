//! Reduces across rows: neighbours in memory are in different subsets.
//!
//! A group of rows is read at once, so that several streams are on their way from memory, and the state of the columns
//! is read and written once per group. Positions are carried in lanes as wide as the keys, which hold small numbers
//! only, and become indices after as many rows as such a lane can count.

use std::ops::Range;

use opcert_refusals::Tie;

use crate::argmax::operator::{Best, in_order};
use crate::element::{Key, KeyOf, Order, Word};
use crate::instructions::Kernel;
use crate::prefetching::prefetch_later;

/// The rows that are read at once.
const GROUP: usize = 8;

/// The elements of a row that are read before those of the next one.
const BLOCK: usize = 128;

/// The rows that a lane of any width can count.
const COUNTED: usize = 1 << 7;

/// Folds rows into the state of their columns.
pub(super) struct Across<'a, O: Order> {
    pub(super) order: O,
    pub(super) tie: Tie,
    /// From the first element of the first row on.
    pub(super) input: &'a [u8],
    /// The bytes from one row to the next.
    pub(super) stride: usize,
    pub(super) rows: usize,
    /// The index of the first row in its subset.
    pub(super) index: u64,
    /// The columns, one subset each.
    pub(super) best: &'a mut Best<KeyOf<O>>,
}

impl<O: Order> Kernel for Across<'_, O> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let backwards = self.tie == Tie::Last;
        for first in in_order(0..self.rows.div_ceil(COUNTED), self.tie).map(|part| part * COUNTED) {
            let rows = COUNTED.min(self.rows - first);
            let groups = rows / GROUP;
            self.best.positions.fill(Key::NONE);
            // The rows that are left over lie behind the groups.
            if backwards {
                self.fold_rest(first, groups * GROUP..rows);
            }
            for group in in_order(0..groups, self.tie) {
                self.fold::<GROUP>(first, group * GROUP);
            }
            if !backwards {
                self.fold_rest(first, groups * GROUP..rows);
            }
            let index = self.index + first as u64;
            for (at, position) in self.best.at.iter_mut().zip(&self.best.positions) {
                *at = if *position == Key::NONE { *at } else { index + position.number() };
            }
        }
    }
}

impl<O: Order> Across<'_, O> {
    #[inline(always)]
    fn fold_rest(&mut self, first: usize, rows: Range<usize>) {
        for row in in_order(rows, self.tie) {
            self.fold::<1>(first, row);
        }
    }

    /// Takes some rows into account, which are counted from `first` on.
    #[inline(always)]
    fn fold<const ROWS: usize>(&mut self, first: usize, row: usize) {
        let order = self.order;
        let columns = self.best.keys.len();
        let keys = &mut self.best.keys[..];
        let found = &mut self.best.positions[..columns];
        let mut rows: [&[_]; ROWS] = [&[]; ROWS];
        let mut next_rows: [&[_]; ROWS] = [&[]; ROWS];
        let mut positions: [KeyOf<O>; ROWS] = [Key::NONE; ROWS];
        for (step, position) in in_order(row..row + ROWS, self.tie).enumerate() {
            let row = &self.input[(first + position) * self.stride..][..columns * O::Word::BYTES];
            rows[step] = &O::Word::elements(row)[..columns];
            positions[step] = Key::lane(position as u8);
            let next = match self.tie {
                Tie::First => Some(first + position + ROWS),
                Tie::Last => (first + position).checked_sub(ROWS),
            };
            let next = next.and_then(|row| self.input.get(row * self.stride..)).unwrap_or(&[]);
            next_rows[step] = O::Word::elements(next);
        }
        // The state of a block is kept apart from all other memory, so that the compiler need not ask what overlaps.
        let mut block_keys: [KeyOf<O>; BLOCK] = [Key::LEAST; BLOCK];
        let mut block_found: [KeyOf<O>; BLOCK] = [Key::NONE; BLOCK];
        for start in (0..columns).step_by(BLOCK) {
            let end = columns.min(start + BLOCK);
            let size = end - start;
            // What comes next: further right, and at the end of a tile in the next rows.
            for row in rows {
                prefetch_later(&row[end..columns.min(end + BLOCK)]);
            }
            if end == columns {
                for row in next_rows {
                    prefetch_later(&row[..row.len().min(columns).min(BLOCK)]);
                }
            }
            block_keys[..size].copy_from_slice(&keys[start..end]);
            block_found[..size].copy_from_slice(&found[start..end]);
            let mut block: [&[_]; ROWS] = [&[]; ROWS];
            for step in 0..ROWS {
                block[step] = &rows[step][start..];
            }
            // Known at compile time, the number of columns leaves no rest that is not a whole vector.
            match size {
                BLOCK => compare(order, BLOCK, block, &positions, &mut block_keys, &mut block_found),
                _ => compare(order, size, block, &positions, &mut block_keys, &mut block_found),
            }
            keys[start..end].copy_from_slice(&block_keys[..size]);
            found[start..end].copy_from_slice(&block_found[..size]);
        }
    }
}

/// Compares columns of some rows with what was found in rows before.
#[inline(always)]
fn compare<O: Order, const ROWS: usize>(
    order: O,
    columns: usize,
    mut rows: [&[<O::Word as Word>::Bytes]; ROWS],
    positions: &[KeyOf<O>; ROWS],
    keys: &mut [KeyOf<O>; BLOCK],
    found: &mut [KeyOf<O>; BLOCK],
) {
    for row in &mut rows {
        *row = &row[..columns];
    }
    for column in 0..columns {
        let mut key = keys[column];
        let mut position = found[column];
        for step in 0..ROWS {
            let candidate = order.key(rows[step][column]);
            let wins = candidate > key;
            key = if wins { candidate } else { key };
            position = if wins { positions[step] } else { position };
        }
        keys[column] = key;
        found[column] = position;
    }
}
