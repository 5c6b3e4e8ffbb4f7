//! Reduces across rows: neighbours in memory are in different subsets.
//!
//! A group of rows is read at once, so that several streams are on their way from memory, and the state of the columns
//! is read and written once per group. Positions are carried in lanes as wide as the keys, which hold small numbers
//! only, and become indices after as many rows as such a lane can count.

use std::hint::select_unpredictable;
use std::ops::Range;

use opcert_refusals::Tie;

use crate::argmax::operator::{Best, in_order};
use crate::element::{Key, KeyOf, Order, Word};
use crate::instructions::Kernel;
use crate::prefetching::prefetch_later;

/// The rows that are read at once.
const GROUP: usize = 8;

/// The bytes of a row that are read before those of the next one.
const WIDE: usize = 512;

/// The same, where fewer are left.
const NARROW: usize = 128;

/// The rows of which a block of columns is read before the next one, so that what was found in it need not be fetched and
/// put back all the time.
const VISITED: usize = 16;

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
        let mut block = Block { keys: [Key::LEAST; WIDE], positions: [Key::NONE; WIDE] };
        for first in in_order(0..self.rows.div_ceil(COUNTED), self.tie).map(|part| part * COUNTED) {
            let counted = first..self.rows.min(first + COUNTED);
            self.best.positions.fill(Key::NONE);
            for visit in in_order(0..counted.len().div_ceil(VISITED), self.tie) {
                let visited = first + visit * VISITED;
                self.visit(first, visited..counted.end.min(visited + VISITED), &mut block);
            }
            let index = self.index + first as u64;
            for (at, position) in self.best.at.iter_mut().zip(&self.best.positions) {
                *at = if *position == Key::NONE { *at } else { index + position.number() };
            }
        }
    }
}

/// What was found in a block of columns, which are as many as there are bytes at most. It is kept apart from all other
/// memory, so that the compiler need not ask what overlaps.
struct Block<K> {
    keys: [K; WIDE],
    positions: [K; WIDE],
}

impl<O: Order> Across<'_, O> {
    /// Takes some rows into account, whose positions are counted from `first` on.
    #[inline(always)]
    fn visit(&mut self, first: usize, rows: Range<usize>, block: &mut Block<KeyOf<O>>) {
        let columns = self.best.keys.len();
        let [wide, narrow] = [WIDE, NARROW].map(|bytes| bytes / O::Word::BYTES);
        // Known at compile time, the number of columns leaves no rest that is not a whole vector.
        for start in (0..columns / wide).map(|number| number * wide) {
            self.visit_block(first, rows.clone(), start, wide, block);
        }
        let rest = columns - columns % wide..columns;
        if columns < narrow {
            self.visit_block(first, rows, 0, columns, block);
            return;
        }
        // To take rows into account once more does no harm.
        for start in rest.step_by(narrow).map(|start| start.min(columns - narrow)) {
            self.visit_block(first, rows.clone(), start, narrow, block);
        }
    }

    /// Takes so many columns of some rows into account.
    #[inline(always)]
    fn visit_block(
        &mut self,
        first: usize,
        rows: Range<usize>,
        start: usize,
        size: usize,
        block: &mut Block<KeyOf<O>>,
    ) {
        let columns = start..start + size;
        block.keys[..size].copy_from_slice(&self.best.keys[columns.clone()]);
        block.positions[..size].copy_from_slice(&self.best.positions[columns.clone()]);
        self.fold_all(first, rows, start, size, block);
        self.best.keys[columns.clone()].copy_from_slice(&block.keys[..size]);
        self.best.positions[columns].copy_from_slice(&block.positions[..size]);
    }

    #[inline(always)]
    fn fold_all(&self, first: usize, rows: Range<usize>, start: usize, size: usize, block: &mut Block<KeyOf<O>>) {
        let groups = rows.len() / GROUP;
        let rest = rows.start + groups * GROUP..rows.end;
        // The rows that are left over lie behind the groups.
        if self.tie == Tie::Last {
            self.fold_rest(first, rest.clone(), start, size, block);
        }
        for group in in_order(0..groups, self.tie) {
            self.fold::<GROUP>(first, rows.start + group * GROUP, start, size, block);
        }
        if self.tie == Tie::First {
            self.fold_rest(first, rest, start, size, block);
        }
    }

    #[inline(always)]
    fn fold_rest(&self, first: usize, rows: Range<usize>, start: usize, size: usize, block: &mut Block<KeyOf<O>>) {
        for row in in_order(rows, self.tie) {
            self.fold::<1>(first, row, start, size, block);
        }
    }

    #[inline(always)]
    fn fold<const ROWS: usize>(
        &self,
        first: usize,
        row: usize,
        start: usize,
        size: usize,
        block: &mut Block<KeyOf<O>>,
    ) {
        let place = start * O::Word::BYTES;
        let bytes = size * O::Word::BYTES;
        // What comes next: further right, and at the end of a row in the rows of the next visit.
        let (next, next_place) = match self.tie {
            _ if start + size < self.best.keys.len() => (Some(row), place + bytes),
            Tie::First => (Some(row + VISITED), 0),
            Tie::Last => (row.checked_sub(VISITED), 0),
        };
        let mut elements: [&[_]; ROWS] = [&[]; ROWS];
        let mut positions: [KeyOf<O>; ROWS] = [Key::NONE; ROWS];
        for (step, member) in in_order(0..ROWS, self.tie).enumerate() {
            elements[step] = O::Word::elements(&self.input[(row + member) * self.stride + place..][..bytes]);
            positions[step] = Key::lane((row + member - first) as u8);
            let next = next.map(|next| (next + member) * self.stride + next_place);
            if let Some(next) = next.and_then(|next| self.input.get(next..next + WIDE)) {
                prefetch_later(next);
            }
        }
        compare(self.order, size, elements, &positions, &mut block.keys, &mut block.positions);
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
