//! The loop over the chunks of a packed input.
//!
//! An input is read once. A thread takes the next chunk, turns it into bits and counts them, and waits for the total of
//! what is before the chunk: then it knows its rows, hands the total on, and expands the bits. Chunks are taken in
//! order, so that the one that is waited for is always being worked on.

use std::hint;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::element::Word;
use crate::instructions::{Instructions, Kernel};
use crate::nonzero_coordinates::coordinates::{CHUNK, Carrying, Coordinates, MOST_COLUMNS};
use crate::nonzero_coordinates::masks::{Masks, Positions, WORD};
use crate::sharing::{Shared, threads_for};
use crate::streaming::Stage;

/// The positions that are listed at once.
const LISTED: usize = 1024;

/// How often a thread looks for the total before it lets others run.
const LOOKS: usize = 1000;

/// The dimensions of a packed input with packed rows of coordinates.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    elements: usize,
    /// The sizes of the columns' dimensions, outermost first.
    sizes: Vec<usize>,
    /// What is carried along them.
    dimensions: Vec<Carrying>,
}

/// What is done with one input.
struct Search<'a, W> {
    packed: &'a Packed,
    value_bits: W,
    input: &'a [u8],
    coordinates: Shared<'a>,
    coordinates_bytes: usize,
    instructions: Instructions,
    /// The next chunk that nobody has taken.
    next: AtomicUsize,
    /// The chunk whose turn it is to add to the total.
    turn: AtomicUsize,
    /// What is not zero in all chunks before that one.
    total: AtomicUsize,
}

impl Packed {
    /// For the sizes of an input that is not empty; `None` where a coordinate might not fit.
    pub(super) fn new(sizes: &[usize], columns: usize) -> Option<Self> {
        let (dropped, kept) = sizes.split_at(sizes.len() - columns);
        let mut dimensions = kept.iter().map(|&size| Carrying::new(size)).collect::<Option<Vec<_>>>()?;
        if let Some(outermost) = dimensions.first_mut().filter(|_| dropped.iter().all(|&size| size == 1)) {
            *outermost = Carrying::NOTHING;
        }
        let is_possible = (1..=MOST_COLUMNS).contains(&columns);
        is_possible.then(|| Self { elements: sizes.iter().product(), sizes: kept.to_vec(), dimensions })
    }

    /// Writes the coordinates of what is not zero, and counts it.
    pub(super) fn find<W: Word>(
        &self,
        value_bits: W,
        input: &[u8],
        coordinates: &mut [u8],
        instructions: Instructions,
    ) -> usize {
        let search = Search {
            packed: self,
            value_bits,
            input,
            coordinates_bytes: coordinates.len(),
            coordinates: Shared::new(coordinates),
            instructions,
            next: AtomicUsize::new(0),
            turn: AtomicUsize::new(0),
            total: AtomicUsize::new(0),
        };
        match threads_for(input.len()) {
            1 => search.take_chunks(),
            threads => rayon::scope(|scope| (0..threads).for_each(|_| scope.spawn(|_| search.take_chunks()))),
        }
        search.total.into_inner()
    }

    /// The coordinates of an element.
    fn coordinates_of(&self, mut element: usize) -> [u32; MOST_COLUMNS] {
        let mut coordinates = [0; MOST_COLUMNS];
        for (coordinate, size) in coordinates.iter_mut().zip(&self.sizes).rev() {
            *coordinate = (element % size) as u32;
            element /= size;
        }
        coordinates
    }
}

impl<W: Word> Search<'_, W> {
    fn take_chunks(&self) {
        let columns = self.packed.dimensions.len();
        let row_bytes = columns * size_of::<u32>();
        let mut masks = [0; CHUNK / WORD];
        let mut positions = [0; LISTED + WORD];
        let mut stage = Stage::new((self.packed.elements.min(LISTED) + WORD) * row_bytes, self.coordinates_bytes);
        loop {
            let chunk = self.next.fetch_add(1, Ordering::Relaxed);
            let first = chunk * CHUNK;
            if first >= self.packed.elements {
                return;
            }
            let size = CHUNK.min(self.packed.elements - first);
            let elements = &self.input[first * W::BYTES..(first + size) * W::BYTES];
            let masks = &mut masks[..size.div_ceil(WORD)];
            let count = self.instructions.run(Masks { elements, value_bits: self.value_bits, masks });
            let mut row = self.rows_before(chunk, count);

            let start = &self.packed.coordinates_of(first)[..columns];
            let (mut word, words_of_chunk) = (0, masks.len());
            while word < words_of_chunk {
                let masks = &masks[word..];
                let list = Positions { masks, first: (word * WORD) as u32, positions: &mut positions };
                let (words, count) = self.instructions.run(list);
                word += words;
                self.instructions.run(Rows {
                    positions: &positions[..count],
                    dimensions: &self.packed.dimensions,
                    start,
                    stage: &mut stage,
                    output: &self.coordinates,
                    range: row * row_bytes..(row + count) * row_bytes,
                    is_more_to_come: word < words_of_chunk,
                });
                row += count;
            }
        }
    }

    /// Waits for a chunk's turn, and adds to the total; the total before.
    fn rows_before(&self, chunk: usize, count: usize) -> usize {
        let mut looks = 0;
        while self.turn.load(Ordering::Acquire) != chunk {
            looks += 1;
            if looks % LOOKS == 0 {
                thread::yield_now();
            } else {
                hint::spin_loop();
            }
        }
        let before = self.total.fetch_add(count, Ordering::Relaxed);
        self.turn.store(chunk + 1, Ordering::Release);
        before
    }
}

/// Makes rows and writes them.
struct Rows<'a> {
    positions: &'a [u32],
    dimensions: &'a [Carrying],
    start: &'a [u32],
    stage: &'a mut Stage,
    output: &'a Shared<'a>,
    /// Of a chunk, whose rows no other thread writes.
    range: Range<usize>,
    is_more_to_come: bool,
}

impl Kernel for Rows<'_> {
    type Output = ();

    #[expect(unsafe_code, reason = "threads write to rows of their own")]
    #[inline(always)]
    fn run(self) {
        let Self { positions, dimensions, start, stage, output, range, is_more_to_come } = self;
        Coordinates { positions, dimensions, start, rows: &mut stage.memory()[..range.len()] }.run();
        // SAFETY: the rows of a chunk are those from the total before it on, a chunk is one thread's, and its rows come
        // one after the other.
        unsafe { stage.write(output, range, is_more_to_come) }
    }
}
