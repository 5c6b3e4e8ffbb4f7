//! Reduces along rows of a few elements, where a loop for each row would cost more than what it does.
//!
//! Of each row two halves are laid out, which have a power of two of elements: one begins and the other ends with the
//! row, and they overlap where it is shorter than both. Neighbours are reduced to one until one is left of each row.
//! Such a step knows nothing of rows: it is a single loop over what is left of many, so that vectors are full however
//! short the rows are. Positions are carried in lanes as wide as the keys. That elements are in both halves does no
//! harm: the last step chooses between the halves, and where their keys are equal, the first one has the first position
//! of all and the other one the last.
//!
//! Rows that have a power of two of elements and no gaps between them are read where they are.
//!
//! Deliberately absent: loops for single lengths.

use std::hint::select_unpredictable;
use std::mem;
use std::ops::Range;

use opcert_refusals::Tie;

use crate::argmax::operator::Best;
use crate::element::{Key, KeyOf, Order, Word};
use crate::instructions::Kernel;
use crate::prefetching::{STREAMS, prefetch_stream};

/// Rows of up to as many elements are short.
pub(super) const LONGEST: usize = 64;

/// The bytes of the elements that are reduced at once, so that they and what they are reduced to stay in the cache.
const BATCH_BYTES: usize = 4096;

/// The bytes of the elements between which others are asked for.
const PART_BYTES: usize = BATCH_BYTES / STREAMS;

/// Folds each row into the state of its subset.
pub(super) struct ShortRows<'a, O: Order> {
    pub(super) order: O,
    pub(super) tie: Tie,
    /// From the first element of the first row on.
    pub(super) input: &'a [u8],
    /// The bytes from one row to the next.
    pub(super) stride: usize,
    /// The elements of a row, 1 to [`LONGEST`].
    pub(super) length: usize,
    /// The index of a row's first element in its subset.
    pub(super) index: u64,
    /// The rows, one subset each.
    pub(super) best: &'a mut Best<KeyOf<O>>,
}

/// Room for the rows that are reduced at once. It grows and is never cleared.
#[derive(Clone, Debug, Default)]
pub(super) struct Room<K> {
    /// The elements of both halves of each row.
    halves: Vec<u8>,
    /// The keys that each step leaves, one step's behind the other's, and behind all of them their positions.
    lanes: Vec<K>,
}

impl<O: Order> Kernel for ShortRows<'_, O> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let subsets = self.best.keys.len();
        // The elements of both halves of a row.
        let lanes = self.length.next_power_of_two().max(2);
        let batch = BATCH_BYTES / O::Word::BYTES / lanes;
        let is_laid_out = self.length == lanes && self.stride == lanes * O::Word::BYTES;
        let mut room = mem::take(&mut self.best.room);
        let most = batch.min(subsets) * lanes;
        if !is_laid_out {
            room.halves.resize(room.halves.len().max(most * O::Word::BYTES), 0);
        }
        // Each step leaves half of what it reduces.
        room.lanes.resize(room.lanes.len().max(2 * most), Key::LEAST);
        let halves = O::Word::elements_mut(&mut room.halves);
        let (keys, positions) = room.lanes.split_at_mut(most);
        for first in (0..subsets).step_by(batch) {
            let rows = batch.min(subsets - first);
            let place = first * self.stride;
            let read = place..place + (rows * self.stride).min(BATCH_BYTES);
            let input = &self.input[place..];
            let elements = if is_laid_out {
                O::Word::elements(input)
            } else {
                match lanes / 2 {
                    1 => self.lay_out::<1>(input, rows, halves),
                    2 => self.lay_out::<2>(input, rows, halves),
                    4 => self.lay_out::<4>(input, rows, halves),
                    8 => self.lay_out::<8>(input, rows, halves),
                    16 => self.lay_out::<16>(input, rows, halves),
                    _ => self.lay_out::<{ LONGEST / 2 }>(input, rows, halves),
                }
                &*halves
            };
            let elements = &elements[..rows * lanes];
            let (keys, positions) = match self.tie {
                Tie::First => self.reduce::<false>(elements, read, lanes, keys, positions),
                Tie::Last => self.reduce::<true>(elements, read, lanes, keys, positions),
            };
            self.fold(first, &keys[..rows], &positions[..rows]);
        }
        self.best.room = room;
    }
}

impl<O: Order> ShortRows<'_, O> {
    /// Copies both halves of each row.
    #[inline(always)]
    fn lay_out<const HALF: usize>(&self, input: &[u8], rows: usize, halves: &mut [<O::Word as Word>::Bytes]) {
        let stride = self.stride;
        let row_bytes = self.length * O::Word::BYTES;
        let half_bytes = HALF * O::Word::BYTES;
        for (row, halves) in halves.as_chunks_mut::<HALF>().0.as_chunks_mut::<2>().0[..rows].iter_mut().enumerate() {
            let elements = &input[row * stride..][..row_bytes];
            halves[0].copy_from_slice(O::Word::elements(&elements[..half_bytes]));
            halves[1].copy_from_slice(O::Word::elements(&elements[row_bytes - half_bytes..]));
        }
    }

    /// The greatest key of each row, and its position.
    #[inline(always)]
    fn reduce<'a, const LAST: bool>(
        &self,
        elements: &[<O::Word as Word>::Bytes],
        read: Range<usize>,
        lanes: usize,
        mut keys: &'a mut [KeyOf<O>],
        mut positions: &'a mut [KeyOf<O>],
    ) -> (&'a [KeyOf<O>], &'a [KeyOf<O>]) {
        let mut count = elements.len() / 2;
        let mut width = 1;
        // While these are reduced, others are on their way from memory, asked for bit by bit: the processor itself does
        // not look as far ahead, and can only ask for so many at once.
        let pairs = PART_BYTES / O::Word::BYTES / 2;
        for (part, elements) in elements.as_chunks().0.chunks(pairs).enumerate() {
            prefetch_stream(self.input, read.clone(), part);
            halve_elements::<O, LAST>(
                self.order,
                elements,
                self.distance(width, lanes),
                &mut keys[part * pairs..][..elements.len()],
                &mut positions[part * pairs..][..elements.len()],
            );
        }
        while 2 * width < lanes {
            width *= 2;
            let (from, to) = keys.split_at_mut(count);
            let (from_positions, to_positions) = positions.split_at_mut(count);
            count /= 2;
            halve::<_, LAST>(
                &from.as_chunks().0[..count],
                &from_positions.as_chunks().0[..count],
                self.distance(width, lanes),
                &mut to[..count],
                &mut to_positions[..count],
            );
            (keys, positions) = (to, to_positions);
        }
        (keys, positions)
    }

    /// How far the second of two neighbours, of so many lanes each, lies behind the first.
    #[inline(always)]
    fn distance(&self, width: usize, lanes: usize) -> KeyOf<O> {
        Key::lane(if 2 * width == lanes { self.length - width } else { width } as u8)
    }

    /// Takes rows into account.
    #[inline(always)]
    fn fold(&mut self, first: usize, keys: &[KeyOf<O>], positions: &[KeyOf<O>]) {
        let index = self.index;
        let rows = keys.len();
        let best_keys = &mut self.best.keys[first..][..rows];
        let best_at = &mut self.best.at[first..][..rows];
        for row in 0..rows {
            let wins = keys[row] > best_keys[row];
            best_keys[row] = keys[row].max(best_keys[row]);
            best_at[row] = if wins { index + positions[row].number() } else { best_at[row] };
        }
    }
}

/// Reduces neighbouring elements to the greater key of both, and to its position.
#[inline(always)]
fn halve_elements<O: Order, const LAST: bool>(
    order: O,
    elements: &[[<O::Word as Word>::Bytes; 2]],
    distance: KeyOf<O>,
    to_keys: &mut [KeyOf<O>],
    to_positions: &mut [KeyOf<O>],
) {
    for at in 0..elements.len() {
        let [one, other] = elements[at];
        let (one, other) = (order.key(one), order.key(other));
        let wins = if LAST { other >= one } else { other > one };
        to_keys[at] = one.max(other);
        to_positions[at] = select_unpredictable(wins, distance, Key::lane(0));
    }
}

/// Reduces neighbouring keys to the greater of both, and to its position.
#[inline(always)]
fn halve<K: Key, const LAST: bool>(
    keys: &[[K; 2]],
    positions: &[[K; 2]],
    distance: K,
    to_keys: &mut [K],
    to_positions: &mut [K],
) {
    for at in 0..keys.len() {
        let [one, other] = keys[at];
        let [position, other_position] = positions[at];
        let wins = if LAST { other >= one } else { other > one };
        to_keys[at] = one.max(other);
        to_positions[at] = select_unpredictable(wins, distance.plus(other_position), position);
    }
}
