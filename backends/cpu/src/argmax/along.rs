//! Reduces along rows: neighbours in memory are in the same subset.
//!
//! A row is read in blocks. Of each only the greatest key is determined, which is the cheapest that can be done with an
//! element; the block with the greatest of all is remembered, and searched once at the end. Several rows, or several
//! segments of one row, take turns by the block, so that several streams are on their way from memory.

use opcert_refusals::Tie;

use crate::argmax::operator::{Best, in_order};
use crate::element::{Key, KeyOf, Order, Word};
use crate::instructions::Kernel;
use crate::prefetching::prefetch;

/// The bytes of a block.
const BLOCK: usize = 1024;

/// The streams that take turns.
const STREAMS: usize = 8;

/// Folds each row into the state of its subset.
pub(super) struct Along<'a, O: Order> {
    pub(super) order: O,
    pub(super) tie: Tie,
    /// From the first element of the first row on.
    pub(super) input: &'a [u8],
    /// The bytes from one row to the next.
    pub(super) stride: usize,
    /// The elements of a row.
    pub(super) length: usize,
    /// The index of a row's first element in its subset.
    pub(super) index: u64,
    /// The rows, one subset each.
    pub(super) best: &'a mut Best<KeyOf<O>>,
}

type Elements<'a, O> = &'a [<<O as Order>::Word as Word>::Bytes];

/// A row, or a segment of one.
struct Stream<'a, O: Order> {
    elements: Elements<'a, O>,
    subset: usize,
    /// The index of the first element.
    index: u64,
    /// What is read after it.
    next: Elements<'a, O>,
}

impl<O: Order> Kernel for Along<'_, O> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let rows = self.best.keys.len();
        let together = rows - rows % STREAMS;
        for first in (0..together).step_by(STREAMS) {
            let mut streams = [const { Stream::<O>::EMPTY }; STREAMS];
            for (stream, subset) in streams.iter_mut().zip(first..) {
                let next = subset + STREAMS;
                let next = if next < rows { self.row(next) } else { &[] };
                *stream = Stream { elements: self.row(subset), subset, index: self.index, next };
            }
            self.fold(&streams);
        }
        for subset in together..rows {
            let elements = self.row(subset);
            let size = elements.len() / STREAMS;
            let mut streams = [const { Stream::<O>::EMPTY }; STREAMS];
            for (stream, number) in streams.iter_mut().zip(in_order(0..STREAMS, self.tie)) {
                let first = number * size;
                let end = if number + 1 == STREAMS { elements.len() } else { first + size };
                *stream =
                    Stream { elements: &elements[first..end], subset, index: self.index + first as u64, next: &[] };
            }
            self.fold(&streams);
        }
    }
}

impl<O: Order> Stream<'_, O> {
    const EMPTY: Self = Self { elements: &[], subset: 0, index: 0, next: &[] };
}

impl<'a, O: Order> Along<'a, O> {
    #[inline(always)]
    fn row(&self, row: usize) -> Elements<'a, O> {
        O::Word::elements(&self.input[row * self.stride..][..self.length * O::Word::BYTES])
    }

    /// Takes streams into account, those of one subset in the order in which they count.
    #[inline(always)]
    fn fold(&mut self, streams: &[Stream<'_, O>; STREAMS]) {
        let size = BLOCK / O::Word::BYTES;
        let mut keys = [Key::LEAST; STREAMS];
        let mut blocks: [Elements<'_, O>; STREAMS] = [&[]; STREAMS];
        let mut starts = [0; STREAMS];
        let longest = streams.iter().map(|stream| stream.elements.len()).max().unwrap_or(0);
        let blocks_of_longest = longest.div_ceil(size);
        for block in in_order(0..blocks_of_longest, self.tie) {
            // At the last block, the one after it is the first one of what is read next.
            let (soon, after) = match self.tie {
                Tie::First if block + 1 < blocks_of_longest => (block + 1, false),
                Tie::First => (0, true),
                Tie::Last if block > 0 => (block - 1, false),
                Tie::Last => (blocks_of_longest - 1, true),
            };
            for number in 0..STREAMS {
                let Stream { elements, next, .. } = streams[number];
                prefetch(block_of(if after { next } else { elements }, soon, size));
                let elements = block_of(elements, block, size);
                let key = greatest_key(self.order, elements);
                if key > keys[number] {
                    (keys[number], blocks[number], starts[number]) = (key, elements, block * size);
                }
            }
        }
        for (number, Stream { subset, index, .. }) in streams.iter().enumerate() {
            if keys[number] > self.best.keys[*subset] {
                let at = starts[number] + position(self.order, self.tie, blocks[number], keys[number]);
                self.best.keys[*subset] = keys[number];
                self.best.at[*subset] = index + at as u64;
            }
        }
    }
}

/// A block of some elements, empty behind their end.
#[inline(always)]
fn block_of<T>(elements: &[T], block: usize, size: usize) -> &[T] {
    let start = elements.len().min(block * size);
    &elements[start..elements.len().min(start + size)]
}

#[inline(always)]
fn greatest_key<O: Order>(order: O, block: Elements<'_, O>) -> KeyOf<O> {
    let mut greatest = Key::LEAST;
    for element in block {
        greatest = order.key(*element).max(greatest);
    }
    greatest
}

/// Where a key is in a block that holds it.
#[inline(always)]
fn position<O: Order>(order: O, tie: Tie, block: Elements<'_, O>, key: KeyOf<O>) -> usize {
    // Without leaving early, so that it becomes vector instructions.
    let mut found;
    match tie {
        Tie::First => {
            found = u32::MAX;
            for (at, element) in block.iter().enumerate() {
                found = found.min(if order.key(*element) == key { at as u32 } else { u32::MAX });
            }
        }
        Tie::Last => {
            found = 0;
            for (at, element) in block.iter().enumerate() {
                found = found.max(if order.key(*element) == key { at as u32 } else { 0 });
            }
        }
    }
    found as usize
}
