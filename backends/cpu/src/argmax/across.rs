//! Reduces across rows: neighbours in memory are in different subsets.
//!
//! A group of rows is read at once, so that several streams are on their way from memory, and what was found in a block
//! of columns stays at hand for several groups. Positions are carried in lanes as wide as the keys, which hold small numbers
//! only, and become indices after as many rows as such a lane can count.

use std::hint::select_unpredictable;
use std::ops::Range;

use opcert_refusals::Tie;

use crate::argmax::operator::{Best, in_order};
use crate::element::{Key, KeyOf, Order, Word};
use crate::instructions::Kernel;
use crate::prefetching::{STREAM, prefetch_later, prefetch_stream};

/// The rows that are read at once.
const GROUP: usize = 8;

/// The bytes of a row that are read before those of the next one.
const WIDE: usize = 512;

/// The same, where fewer are left.
const NARROW: usize = 128;

/// The rows of which a block of columns is read before the next one, so that what was found in it need not be fetched and
/// put back all the time.
const VISITED: usize = 32;

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

/// What was found in a block of columns, which are as many as there are bytes at most. It is kept apart from all other
/// memory, so that the compiler need not ask what overlaps.
struct Block<K> {
    keys: [K; WIDE],
    positions: [K; WIDE],
}

/// A part of the rows and columns.
struct Visit {
    /// The row from which positions are counted.
    first: usize,
    rows: Range<usize>,
    /// The first of the columns.
    column: usize,
}

impl<O: Order> Kernel for Across<'_, O> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let mut block = Block { keys: [Key::LEAST; WIDE], positions: [Key::NONE; WIDE] };
        for first in in_order(0..self.rows.div_ceil(COUNTED), self.tie).map(|part| part * COUNTED) {
            let end = self.rows.min(first + COUNTED);
            self.best.positions.fill(Key::NONE);
            for visit in in_order(0..(end - first).div_ceil(VISITED), self.tie) {
                let start = first + visit * VISITED;
                self.visit(first, start..end.min(start + VISITED), &mut block);
            }
            let index = self.index + first as u64;
            for (at, position) in self.best.at.iter_mut().zip(&self.best.positions) {
                *at = if *position == Key::NONE { *at } else { index + position.number() };
            }
        }
    }
}

impl<O: Order> Across<'_, O> {
    /// Takes some rows into account.
    #[inline(always)]
    fn visit(&mut self, first: usize, rows: Range<usize>, block: &mut Block<KeyOf<O>>) {
        let columns = self.best.keys.len();
        let [wide, narrow] = [WIDE, NARROW].map(|bytes| bytes / O::Word::BYTES);
        let part = |column| Visit { first, rows: rows.clone(), column };
        // Known at compile time, the number of columns leaves no rest that is not a whole vector.
        for number in 0..columns / wide {
            self.visit_block(&part(number * wide), wide, block);
        }
        if columns < narrow {
            return self.visit_block(&part(0), columns, block);
        }
        // To take rows into account once more does no harm.
        for column in (columns - columns % wide..columns).step_by(narrow) {
            self.visit_block(&part(column.min(columns - narrow)), narrow, block);
        }
    }

    #[inline(always)]
    fn visit_block(&mut self, visit: &Visit, columns: usize, block: &mut Block<KeyOf<O>>) {
        let all = visit.column..visit.column + columns;
        block.keys[..columns].copy_from_slice(&self.best.keys[all.clone()]);
        block.positions[..columns].copy_from_slice(&self.best.positions[all.clone()]);
        let groups = visit.rows.len() / GROUP;
        let rest = visit.rows.start + groups * GROUP..visit.rows.end;
        // The rows that are left over lie behind the groups.
        for row in in_order(rest.clone(), self.tie).filter(|_| self.tie == Tie::Last) {
            self.fold::<1>(visit, row, columns, block);
        }
        for group in in_order(0..groups, self.tie) {
            self.fold::<GROUP>(visit, visit.rows.start + group * GROUP, columns, block);
        }
        for row in rest.filter(|_| self.tie == Tie::First) {
            self.fold::<1>(visit, row, columns, block);
        }
        self.best.keys[all.clone()].copy_from_slice(&block.keys[..columns]);
        self.best.positions[all].copy_from_slice(&block.positions[..columns]);
    }

    /// Takes so many columns of neighbouring rows into account.
    #[inline(always)]
    fn fold<const ROWS: usize>(&self, visit: &Visit, row: usize, columns: usize, block: &mut Block<KeyOf<O>>) {
        let place = visit.column * O::Word::BYTES;
        let bytes = columns * O::Word::BYTES;
        let mut rows: [&[_]; ROWS] = [&[]; ROWS];
        let mut positions: [KeyOf<O>; ROWS] = [Key::NONE; ROWS];
        for (step, member) in in_order(row..row + ROWS, self.tie).enumerate() {
            rows[step] = O::Word::elements(&self.input[member * self.stride + place..][..bytes]);
            positions[step] = Key::lane((member - visit.first) as u8);
            if ROWS == GROUP && self.stride <= STREAM && self.tie == Tie::First {
                // What was read so far, as a number of bytes: earlier visits, the blocks further left, the rows above.
                let before = visit.rows.start * self.stride + VISITED * place + (row - visit.rows.start) * bytes;
                prefetch_stream(self.input, before..before + GROUP * bytes, step);
            } else if let Some(next) = self.next(member, visit.column + columns) {
                prefetch_later(next);
            }
        }
        compare(self.order, columns, rows, &positions, &mut block.keys, &mut block.positions);
    }

    /// What comes after a row's part that ends at a column: further right, and at the end in the rows of the next visit.
    #[inline(always)]
    fn next(&self, row: usize, end: usize) -> Option<&[u8]> {
        let (row, column) = match self.tie {
            _ if end < self.best.keys.len() => (row, end),
            Tie::First => (row + VISITED, 0),
            Tie::Last => (row.checked_sub(VISITED)?, 0),
        };
        let place = row * self.stride + column * O::Word::BYTES;
        self.input.get(place..place + WIDE)
    }
}

/// Compares columns of some rows with what was found in rows before.
#[inline(always)]
fn compare<O: Order, const ROWS: usize>(
    order: O,
    columns: usize,
    mut rows: [&[<O::Word as Word>::Bytes]; ROWS],
    positions: &[KeyOf<O>; ROWS],
    keys: &mut [KeyOf<O>; WIDE],
    found: &mut [KeyOf<O>; WIDE],
) {
    for row in &mut rows {
        *row = &row[..columns];
    }
    for column in 0..columns {
        let mut key = keys[column];
        let mut position = found[column];
        for step in 0..ROWS {
            let candidate = order.key(rows[step][column]);
            position = select_unpredictable(candidate > key, positions[step], position);
            key = candidate.max(key);
        }
        keys[column] = key;
        found[column] = position;
    }
}
