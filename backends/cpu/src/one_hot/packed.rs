//! The loops over a packed output of sizes `{outer, sequence, inner}` and packed indices of sizes `{outer, inner}`.
//!
//! Every byte of the output is written once, from a stage that stays in the innermost cache. Where `inner` is small, the
//! stage holds Off, and gets On where an index points, until it was written. Where `inner` is large, a row of the
//! output is the comparison of the places of its columns with its own number.

use std::ops::Range;

use crate::element::Word;
use crate::instructions::{Instructions, Kernel};
use crate::one_hot::places::{IndexType, NOWHERE, Places};
use crate::sharing::{Shared, for_each_part};
use crate::streaming::{LINE, Writer};

/// The bytes of a stage.
const STAGE: usize = 16 << 10;

/// The bytes of a piece of a row that is longer.
const PIECE: usize = 4 << 10;

/// So few columns are looked at one by one for every stage.
const FEW_COLUMNS: usize = 64;

/// The columns that are compared at once.
const COLUMNS: usize = 4096;

/// The bytes of output for which the places of some columns are worth being determined anew.
const ROWS_BYTES: usize = 256 << 10;

/// The sizes of a packed output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    pub(super) outer: usize,
    pub(super) sequence: usize,
    pub(super) inner: usize,
}

/// What is selected and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selection<'a, W> {
    pub(super) index_type: IndexType,
    pub(super) indices: &'a [u8],
    pub(super) off: W,
    pub(super) on: W,
    pub(super) instructions: Instructions,
}

impl Packed {
    /// The sizes, unless they are too large for places or there is nothing to write.
    pub(super) fn new(outer: usize, sequence: usize, inner: usize) -> Option<Self> {
        let is_empty = outer == 0 || sequence == 0 || inner == 0;
        (!is_empty && sequence < NOWHERE as usize).then_some(Self { outer, sequence, inner })
    }

    pub(super) fn select<W: Word>(self, selection: &Selection<'_, W>, output: &mut [u8]) {
        let row = self.inner * W::BYTES;
        let slab = self.sequence * row;
        if slab <= STAGE {
            self.in_slabs(selection, output, slab);
        } else if self.inner <= FEW_COLUMNS {
            self.in_windows(selection, output, STAGE / row);
        } else {
            self.in_columns(selection, output);
        }
    }

    /// Several sequences per stage.
    fn in_slabs<W: Word>(self, selection: &Selection<'_, W>, output: &mut [u8], slab: usize) {
        let output_bytes = output.len();
        let output = Shared::new(output);
        let slabs = STAGE / slab;
        for_each_part(self.outer.div_ceil(slabs), output_bytes, |stages| {
            let mut writer = Writer::new(output_bytes);
            let mut stage = selection.stage(slabs * slab);
            let mut places = vec![NOWHERE; slabs * self.inner];
            for first in stages.map(|stage| stage * slabs) {
                let here = slabs.min(self.outer - first);
                let places = &mut places[..here * self.inner];
                selection.places(self.sequence, first * self.inner, places);
                self.put(&mut stage, places, 0..self.sequence, selection.on);
                // SAFETY: each slab is in one stage, and each stage is one thread's.
                #[expect(unsafe_code, reason = "threads write to slabs of their own")]
                let to = unsafe { output.part(first * slab..(first + here) * slab) };
                selection.instructions.run(Copy { writer: &mut writer, to, from: &stage[..here * slab] });
                self.put(&mut stage, places, 0..self.sequence, selection.off);
            }
        });
    }

    /// A part of a sequence, or of few neighbouring ones, per stage.
    fn in_windows<W: Word>(self, selection: &Selection<'_, W>, output: &mut [u8], rows: usize) {
        let output_bytes = output.len();
        let output = Shared::new(output);
        let windows = self.sequence.div_ceil(rows);
        for_each_part(self.outer * windows, output_bytes, |parts| {
            let mut writer = Writer::new(output_bytes);
            let mut stage = selection.stage(rows * self.inner * W::BYTES);
            let mut places = vec![NOWHERE; self.inner];
            let mut placed = None;
            for (outer, window) in parts.map(|part| (part / windows, part % windows)) {
                if placed != Some(outer) {
                    selection.places(self.sequence, outer * self.inner, &mut places);
                    placed = Some(outer);
                }
                let rows = window * rows..self.sequence.min((window + 1) * rows);
                self.put(&mut stage, &places, rows.clone(), selection.on);
                let first = (outer * self.sequence + rows.start) * self.inner * W::BYTES;
                let bytes = rows.len() * self.inner * W::BYTES;
                // SAFETY: windows do not overlap, and each is one thread's.
                #[expect(unsafe_code, reason = "threads write to windows of their own")]
                let to = unsafe { output.part(first..first + bytes) };
                selection.instructions.run(Copy { writer: &mut writer, to, from: &stage[..bytes] });
                self.put(&mut stage, &places, rows, selection.off);
            }
        });
    }

    /// Some columns at once, and several rows of them where they lie one behind the other.
    fn in_columns<W: Word>(self, selection: &Selection<'_, W>, output: &mut [u8]) {
        let output_bytes = output.len();
        let output = Shared::new(output);
        let columns = COLUMNS.min(self.inner);
        let staged = if columns == self.inner { (STAGE / (columns * W::BYTES)).max(1) } else { 1 };
        let (blocks, rows) = (self.inner.div_ceil(columns), (ROWS_BYTES / (columns * W::BYTES)).max(1));
        let windows = self.sequence.div_ceil(rows);
        for_each_part(self.outer * blocks * windows, output_bytes, |parts| {
            let mut writer = Writer::new(output_bytes);
            let mut stage = selection.stage(if staged > 1 { staged * columns * W::BYTES } else { PIECE });
            let mut places = vec![NOWHERE; columns];
            for part in parts {
                let (outer, block, window) = (part / windows / blocks, part / windows % blocks, part % windows);
                let first = block * columns;
                let here = columns.min(self.inner - first);
                let places = &mut places[..here];
                selection.places(self.sequence, outer * self.inner + first, places);
                let end = self.sequence.min((window + 1) * rows);
                for row in (window * rows..end).step_by(staged) {
                    let bytes = staged.min(end - row) * here * W::BYTES;
                    let start = ((outer * self.sequence + row) * self.inner + first) * W::BYTES;
                    // SAFETY: rows of blocks do not overlap, and each is one thread's.
                    #[expect(unsafe_code, reason = "threads write to columns of their own")]
                    let to = unsafe { output.part(start..start + bytes) };
                    let Selection { off, on, .. } = *selection;
                    selection.instructions.run(Rows {
                        row: row as u32,
                        places,
                        off,
                        on,
                        stage: &mut stage,
                        to,
                        writer: &mut writer,
                    });
                }
            }
        });
    }

    /// Puts a value where places point that lie in `rows`, into a stage of these rows of consecutive slabs.
    fn put<W: Word>(self, stage: &mut [u8], places: &[u32], rows: Range<usize>, value: W) {
        let stage = W::elements_mut(stage);
        for (slab, places) in places.chunks_exact(self.inner).enumerate() {
            for (column, &place) in places.iter().enumerate() {
                if rows.contains(&(place as usize)) {
                    let row = slab * rows.len() + place as usize - rows.start;
                    stage[row * self.inner + column] = value.to_bytes();
                }
            }
        }
    }
}

impl<W: Word> Selection<'_, W> {
    /// Memory that holds Off.
    fn stage(&self, bytes: usize) -> Vec<u8> {
        let mut stage = vec![0; bytes];
        W::elements_mut(&mut stage).fill(self.off.to_bytes());
        stage
    }

    fn places(&self, size: usize, first: usize, places: &mut [u32]) {
        let Self { index_type, indices, instructions, .. } = *self;
        let indices = &indices[first * index_type.bytes()..][..places.len() * index_type.bytes()];
        instructions.run(Places { index_type, indices, size, places });
    }
}

/// Writes a stage.
struct Copy<'a> {
    writer: &'a mut Writer,
    to: &'a mut [u8],
    from: &'a [u8],
}

impl Kernel for Copy<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.writer.write(self.to, self.from);
    }
}

/// Compares places with the numbers of rows, and writes the rows.
struct Rows<'a, W> {
    /// The number of the first one.
    row: u32,
    places: &'a [u32],
    off: W,
    on: W,
    /// Room for the rows.
    stage: &'a mut [u8],
    to: &'a mut [u8],
    writer: &'a mut Writer,
}

impl<W: Word> Kernel for Rows<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { row, places, off, on, stage, to, writer } = self;
        if to.len() <= stage.len() {
            let stage = &mut stage[..to.len()];
            for (row, elements) in (row..).zip(W::elements_mut(stage).chunks_exact_mut(places.len())) {
                compare(row, places, off, on, elements);
            }
            return writer.write(to, stage);
        }
        // A row that is longer than the stage, in pieces that end where lines of the cache do.
        let lead = to.as_ptr().align_offset(LINE) / W::BYTES;
        let piece = stage.len() / W::BYTES - LINE;
        let (mut places, mut to) = (places, to);
        let mut next = lead + piece;
        while !places.is_empty() {
            let size = next.min(places.len());
            let stage = &mut stage[..size * W::BYTES];
            compare(row, &places[..size], off, on, W::elements_mut(stage));
            let (here, rest) = to.split_at_mut(stage.len());
            writer.write(here, stage);
            (places, to, next) = (&places[size..], rest, piece);
        }
    }
}

/// A row of some columns.
#[inline(always)]
fn compare<W: Word>(row: u32, places: &[u32], off: W, on: W, elements: &mut [W::Bytes]) {
    for (element, place) in elements.iter_mut().zip(places) {
        let value = if *place == row { on } else { off };
        *element = value.to_bytes();
    }
}
