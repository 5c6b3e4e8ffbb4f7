//! The loops over a packed output of sizes `{outer, sequence, inner}` and packed indices of sizes `{outer, inner}`.
//!
//! Every byte of the output is written once. Where `inner` is small, from a stage that stays in the innermost cache: it
//! holds Off, and gets On where an index points, until it was written. Where `inner` is large, a row of the output is the
//! comparison of the places of its columns with its own number, and is written line by line as it is made.

use std::ops::Range;

use crate::element::Word;
use crate::index_type::IndexType;
use crate::instructions::{Instructions, Kernel};
use crate::one_hot::places::{NOWHERE, Places};
use crate::sharing::{Shared, for_each_part};
use crate::streaming::{LINE, Line, Stage, Writer, lines};

/// The bytes of a stage.
const STAGE: usize = 16 << 10;

/// So few columns are looked at one by one for every stage.
const FEW_COLUMNS: usize = 64;

/// The bytes of a piece of a row of many columns.
const PIECE: usize = 16 << 10;

/// The bytes of rows that are written together with others.
const SHORT_ROW: usize = 2 << 10;

/// The rows for which the places of their columns are determined once, fewer than lanes of any width can count.
const ROWS: usize = 32;

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
            self.in_windows(selection, output, (STAGE / row).min(self.sequence));
        } else if row <= SHORT_ROW {
            self.in_rows(selection, output, (STAGE / row).min(self.sequence));
        } else {
            self.in_columns(selection, output);
        }
    }

    /// Several sequences per stage.
    fn in_slabs<W: Word>(self, selection: &Selection<'_, W>, output: &mut [u8], slab: usize) {
        let output_bytes = output.len();
        let output = Shared::new(output);
        let slabs = (STAGE / slab).min(self.outer);
        for_each_part(self.outer.div_ceil(slabs), output_bytes, |stages| {
            let mut stage = selection.stage(slabs * slab, output_bytes);
            let mut places = vec![NOWHERE; slabs * self.inner];
            let end = self.outer.min(stages.end * slabs);
            for first in stages.map(|stage| stage * slabs) {
                let here = slabs.min(end - first);
                let places = &mut places[..here * self.inner];
                selection.places(self.sequence, 0..self.sequence, first * self.inner, places);
                selection.instructions.run(Offsets { places, sequence: self.sequence, inner: self.inner });
                put(stage.memory(), places, selection.on);
                let range = first * slab..(first + here) * slab;
                selection.instructions.run(Write {
                    stage: &mut stage,
                    output: &output,
                    range,
                    is_more_to_come: first + here < end,
                });
                put(stage.memory(), places, selection.off);
            }
        });
    }

    /// A part of a sequence, or of few neighbouring ones, per stage.
    fn in_windows<W: Word>(self, selection: &Selection<'_, W>, output: &mut [u8], rows: usize) {
        let output_bytes = output.len();
        let output = Shared::new(output);
        let windows = self.sequence.div_ceil(rows);
        for_each_part(self.outer * windows, output_bytes, |parts| {
            let mut stage = selection.stage(rows * self.inner * W::BYTES, output_bytes);
            let mut places = vec![NOWHERE; self.inner];
            let mut placed = None;
            for part in parts.clone() {
                let (outer, window) = (part / windows, part % windows);
                if placed != Some(outer) {
                    selection.places(self.sequence, 0..self.sequence, outer * self.inner, &mut places);
                    placed = Some(outer);
                }
                let rows = window * rows..self.sequence.min((window + 1) * rows);
                self.put_in_rows(stage.memory(), &places, rows.clone(), selection.on);
                let first = (outer * self.sequence + rows.start) * self.inner * W::BYTES;
                let range = first..first + rows.len() * self.inner * W::BYTES;
                selection.instructions.run(Write {
                    stage: &mut stage,
                    output: &output,
                    range,
                    is_more_to_come: part + 1 < parts.end,
                });
                self.put_in_rows(stage.memory(), &places, rows, selection.off);
            }
        });
    }

    /// Several rows per stage.
    fn in_rows<W: Word>(self, selection: &Selection<'_, W>, output: &mut [u8], rows: usize) {
        let output_bytes = output.len();
        let output = Shared::new(output);
        let rows = rows.min(ROWS);
        let windows = self.sequence.div_ceil(rows);
        for_each_part(self.outer * windows, output_bytes, |parts| {
            let mut stage = Stage::new(rows * self.inner * W::BYTES, output_bytes);
            let mut lanes = vec![W::ALL; self.inner];
            for part in parts.clone() {
                let (outer, window) = (part / windows, part % windows);
                let rows = window * rows..self.sequence.min((window + 1) * rows);
                selection.places(self.sequence, rows.clone(), outer * self.inner, &mut lanes);
                let first = (outer * self.sequence + rows.start) * self.inner * W::BYTES;
                let range = first..first + rows.len() * self.inner * W::BYTES;
                let Selection { off, on, instructions, .. } = *selection;
                instructions.run(Rows { lanes: &lanes, off, on, rows: &mut stage.memory()[..range.len()] });
                instructions.run(Write {
                    stage: &mut stage,
                    output: &output,
                    range,
                    is_more_to_come: part + 1 < parts.end,
                });
            }
        });
    }

    /// Some columns at once.
    fn in_columns<W: Word>(self, selection: &Selection<'_, W>, output: &mut [u8]) {
        let output_bytes = output.len();
        let blocks = Pieces::new::<W>(output, self.inner);
        let output = Shared::new(output);
        let windows = self.sequence.div_ceil(ROWS);
        for_each_part(self.outer * blocks.count() * windows, output_bytes, |parts| {
            let mut writer = Writer::new(output_bytes);
            let mut lanes = Vec::new();
            for part in parts {
                let (outer, window) = (part / windows / blocks.count(), part % windows);
                let columns = blocks.get(part / windows % blocks.count());
                lanes.resize(columns.len(), W::ALL);
                let rows = window * ROWS..self.sequence.min((window + 1) * ROWS);
                selection.places(self.sequence, rows.clone(), outer * self.inner + columns.start, &mut lanes);
                for (number, row) in rows.enumerate() {
                    let first = (outer * self.sequence + row) * self.inner;
                    // SAFETY: rows of blocks do not overlap, and each is one thread's.
                    #[expect(unsafe_code, reason = "threads write to columns of their own")]
                    let to =
                        unsafe { output.part((first + columns.start) * W::BYTES..(first + columns.end) * W::BYTES) };
                    let Selection { off, on, instructions, .. } = *selection;
                    let row = W::truncated(number as u64);
                    instructions.run(Row { row, lanes: &lanes, off, on, to, writer: &mut writer });
                }
            }
        });
    }

    /// Puts a value where places of columns point that lie in `rows`, into a stage of these rows.
    fn put_in_rows<W: Word>(self, stage: &mut [u8], places: &[u32], rows: Range<usize>, value: W) {
        let stage = W::elements_mut(stage);
        for (column, &place) in places.iter().enumerate() {
            if rows.contains(&(place as usize)) {
                stage[(place as usize - rows.start) * self.inner + column] = value.to_bytes();
            }
        }
    }
}

impl<W: Word> Selection<'_, W> {
    /// A stage of so many bytes that holds Off.
    fn stage(&self, bytes: usize, output_bytes: usize) -> Stage {
        let mut stage = Stage::new(bytes, output_bytes);
        W::elements_mut(stage.memory()).fill(self.off.to_bytes());
        stage
    }

    /// Where the indices from the one numbered `first` on point among some places of sequences of a size.
    fn places<L: Word>(&self, size: usize, among: Range<usize>, first: usize, lanes: &mut [L]) {
        let Self { index_type, indices, instructions, .. } = *self;
        let indices = &indices[first * index_type.bytes()..][..lanes.len() * index_type.bytes()];
        instructions.run(Places { index_type, indices, size, among, lanes });
    }
}

/// Elements cut so that the pieces end where lines of the cache do.
#[derive(Clone, Copy, Debug)]
struct Pieces {
    /// The elements before the first line.
    lead: usize,
    /// The elements of a piece; the first one has `lead` more.
    size: usize,
    elements: usize,
}

impl Pieces {
    /// Of elements at the beginning of `memory`; there are some.
    fn new<W: Word>(memory: &[u8], elements: usize) -> Self {
        let lead = memory.as_ptr().align_offset(LINE) / W::BYTES;
        Self { lead: lead.min(elements), size: PIECE / W::BYTES, elements }
    }

    fn count(self) -> usize {
        (self.elements - self.lead).div_ceil(self.size).max(1)
    }

    fn get(self, piece: usize) -> Range<usize> {
        let end = |piece: usize| self.elements.min(self.lead + piece * self.size);
        if piece == 0 { 0..end(1) } else { end(piece)..end(piece + 1) }
    }
}

/// Puts a value at some elements. What is behind the end is nowhere.
fn put<W: Word>(stage: &mut [u8], elements: &[u32], value: W) {
    let stage = W::elements_mut(stage);
    for &element in elements {
        if let Some(element) = stage.get_mut(element as usize) {
            *element = value.to_bytes();
        }
    }
}

/// Turns the places of several sequences into the elements of a stage that holds these sequences and no more.
struct Offsets<'a> {
    places: &'a mut [u32],
    sequence: usize,
    inner: usize,
}

impl Kernel for Offsets<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { places, sequence, inner } = self;
        let (sequence, inner) = (sequence as u32, inner as u32);
        if inner == 1 {
            for (slab, place) in (0u32..).zip(places) {
                *place = if *place == NOWHERE { NOWHERE } else { slab * sequence + *place };
            }
            return;
        }
        for (slab, places) in (0u32..).zip(places.chunks_exact_mut(inner as usize)) {
            for (column, place) in (0u32..).zip(places) {
                *place = if *place == NOWHERE { NOWHERE } else { (slab * sequence + *place) * inner + column };
            }
        }
    }
}

/// Writes a stage.
struct Write<'a> {
    stage: &'a mut Stage,
    output: &'a Shared<'a>,
    /// Slabs or rows that no other thread writes.
    range: Range<usize>,
    is_more_to_come: bool,
}

impl Kernel for Write<'_> {
    type Output = ();

    #[expect(unsafe_code, reason = "threads write to slabs or rows of their own")]
    #[inline(always)]
    fn run(self) {
        let Self { stage, output, range, is_more_to_come } = self;
        // SAFETY: slabs and windows do not overlap, each is one thread's, and a thread writes one after the other.
        unsafe { stage.write(output, range, is_more_to_come) }
    }
}

/// Compares the lanes of some columns with the number of a row, and writes the row.
struct Row<'a, W> {
    row: W,
    lanes: &'a [W],
    off: W,
    on: W,
    to: &'a mut [u8],
    writer: &'a mut Writer,
}

impl<W: Word> Kernel for Row<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { row, lanes, off, on, to, writer } = self;
        let (head, lines, tail) = lines(to, W::BYTES);
        let (head, tail) = (W::elements_mut(head), W::elements_mut(tail));
        let (head_lanes, lanes) = lanes.split_at(head.len());
        let (lanes, tail_lanes) = lanes.split_at(lanes.len() - tail.len());
        compare(row, head_lanes, off, on, head);
        for (to, lanes) in lines.iter_mut().zip(lanes.chunks_exact(LINE / W::BYTES)) {
            let mut line = Line([0; LINE]);
            compare(row, lanes, off, on, W::elements_mut(&mut line.0));
            writer.write_line(to, &line);
        }
        compare(row, tail_lanes, off, on, tail);
    }
}

/// Compares the lanes of all columns with the numbers of rows.
struct Rows<'a, W> {
    lanes: &'a [W],
    off: W,
    on: W,
    rows: &'a mut [u8],
}

impl<W: Word> Kernel for Rows<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { lanes, off, on, rows } = self;
        for (row, elements) in W::elements_mut(rows).chunks_exact_mut(lanes.len()).enumerate() {
            compare(W::truncated(row as u64), lanes, off, on, elements);
        }
    }
}

/// A row of some columns.
#[inline(always)]
fn compare<W: Word>(row: W, lanes: &[W], off: W, on: W, elements: &mut [W::Bytes]) {
    for (element, lane) in elements.iter_mut().zip(lanes) {
        let value = if *lane == row { on } else { off };
        *element = value.to_bytes();
    }
}
