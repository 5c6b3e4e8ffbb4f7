//! The search for what is not zero.
//!
//! Small tensors are searched in one pass. Large ones are marked, one bit per element; the marks are counted by a
//! prefix sum over as many levels as it takes; then each marked element's coordinates are listed in the row that its
//! sum names. Rows therefore come out in ascending element order, whatever the device does first. Rows from the count
//! on are undefined and stay as they were.

use opcert_backend::DataType;

use crate::layout::{Dimension, Layout, sizes};
use crate::program::{Program, RegionId, TooLarge, Transfer, WORD, word};
use crate::relayout::{gather, walked, words};
use crate::shader::Shader;

/// The marks in a word.
const MARKS: u64 = 32;

/// The entries that one invocation of a prefix sum takes.
const SUMMED: u64 = 64;

/// An invocation of the one pass counts everything before its share again: more elements than this take too long.
pub(crate) const MOST_COUNTED_AGAIN: u64 = 256;

/// A tensor with elements that is searched, and where what is found is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listing<'a> {
    /// The tensor.
    pub(crate) input: RegionId,
    /// Its elements.
    pub(crate) data_type: DataType,
    /// Where they lie.
    pub(crate) layout: &'a Layout,
    /// The dimensions that coordinates are of: as many elements in the same order, in at least one dimension.
    pub(crate) dimensions: &'a [Dimension<1>],
    /// A word for how many elements are not zero.
    pub(crate) count: RegionId,
    /// Their coordinates.
    pub(crate) rows: Rows,
}

/// The matrix of coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    /// Its memory: room for a row of every element, at least where there are no more than [`MOST_COUNTED_AGAIN`].
    pub(crate) region: RegionId,
    /// The coordinates of a row, those of the last dimensions; at least 1.
    pub(crate) columns: u32,
    /// In words.
    pub(crate) row_stride: u32,
    /// In words.
    pub(crate) column_stride: u32,
    /// In words, from the first coordinate to the last that is wanted: what lies behind it may be left out.
    pub(crate) span: u64,
}

impl Listing<'_> {
    /// Adds passes that search and list.
    ///
    /// # Errors
    ///
    /// When the tensor is more than the device can hold or a shader can walk.
    pub(crate) fn add_to(&self, program: &mut Program) -> Result<(), TooLarge> {
        let input = self.layout;
        let bindable = program.is_bindable(input.span * input.width)
            && program.is_bindable(program.regions[self.rows.region.0].bytes);
        if bindable && input.elements <= program.limits.direct_elements.min(MOST_COUNTED_AGAIN) {
            return self.direct(program);
        }
        let source = if input.is_packed() && input.width >= WORD {
            self.input
        } else {
            gather(program, self.input, input, &input.dimensions)?
        };
        let marks = self.mark(program, source)?;
        let marked = input.elements.div_ceil(MARKS);
        let before = sum(program, marks, marked, self.count)?;
        self.list(program, [marks, before], marked)
    }

    /// The bits of an element's last word that make it non-zero: all of an integer's, all but the sign of a float's.
    const fn significant(&self) -> u32 {
        if self.data_type.is_float() { u32::MAX >> 1 } else { u32::MAX }
    }

    fn direct(&self, program: &mut Program) -> Result<(), TooLarge> {
        const SHARE: u64 = 8;
        let (input, rows) = (self.layout, self.rows);
        let mut constants = vec![word(input.elements), word(input.width), self.significant()];
        constants.extend([rows.columns, rows.row_stride, rows.column_stride]);
        constants.extend(walked(&input.dimensions)?);
        constants.push(self.dimensions.len() as u32);
        constants.extend(sizes(self.dimensions)?);
        let bindings =
            vec![(0, program.whole(self.input)), (1, program.whole(self.count)), (2, program.whole(rows.region))];
        program.pass(Shader::NonzeroDirect, bindings, constants, input.elements.div_ceil(SHARE))
    }

    /// Adds passes that mark what is not zero. Returns the region with the marks.
    fn mark(&self, program: &mut Program, source: RegionId) -> Result<RegionId, TooLarge> {
        let input = self.layout;
        let bytes = words(input.width) * WORD;
        let shader = if bytes == WORD { Shader::Mark } else { Shader::MarkWide };
        let marks = program.region(input.elements.div_ceil(MARKS) * WORD, Transfer::Scratch)?;
        for window in program.windows(input.elements, bytes) {
            let written = window.start / MARKS..window.end.div_ceil(MARKS);
            let count = written.end - written.start;
            let (target, base) = program.part_of(marks, &written, WORD);
            let source = program.window_of(source, &window, bytes);
            let constants = vec![word(count), word(window.end - window.start), base, self.significant()];
            program.pass(shader, vec![(0, source), (1, target)], constants, count)?;
        }
        Ok(marks)
    }

    /// Adds passes that list the coordinates of what is marked.
    fn list(&self, program: &mut Program, [marks, before]: [RegionId; 2], marked: u64) -> Result<(), TooLarge> {
        let rows = self.rows;
        for read in program.windows(marked, WORD) {
            for written in program.windows(rows.span, WORD) {
                let count = read.end - read.start;
                let mut constants = vec![word(count), word(read.start), self.dimensions.len() as u32, rows.columns];
                constants.extend([rows.row_stride, rows.column_stride]);
                constants.extend([word(written.start), word(written.end - written.start)]);
                constants.extend(sizes(self.dimensions)?);
                let bindings = vec![
                    (0, program.window_of(marks, &read, WORD)),
                    (1, program.window_of(before, &read, WORD)),
                    (2, program.window_of(rows.region, &written, WORD)),
                ];
                program.pass(Shader::List, bindings, constants, count)?;
            }
        }
        Ok(())
    }
}

/// Adds passes that sum up what is marked before each word of marks, and in all. Returns the region with the sums.
fn sum(program: &mut Program, marks: RegionId, marked: u64, total: RegionId) -> Result<RegionId, TooLarge> {
    // Up: sums within ever larger groups, each level with one entry per group of the one below.
    let mut levels = Vec::new();
    let (mut entries, mut count) = (marks, marked);
    loop {
        let groups = count.div_ceil(SUMMED);
        let before = program.region(count * WORD, Transfer::Scratch)?;
        let totals = if groups == 1 { total } else { program.region(groups * WORD, Transfer::Scratch)? };
        for window in program.windows(count, WORD) {
            let handed_on = window.start / SUMMED..window.end.div_ceil(SUMMED);
            let (target, base) = program.part_of(totals, &handed_on, WORD);
            let read = program.window_of(entries, &window, WORD);
            let written = program.window_of(before, &window, WORD);
            let constants = vec![word(window.end - window.start), base, u32::from(levels.is_empty())];
            let bindings = vec![(0, read), (1, written), (2, target)];
            program.pass(Shader::ScanUp, bindings, constants, handed_on.end - handed_on.start)?;
        }
        levels.push((before, count));
        if groups == 1 {
            break;
        }
        (entries, count) = (totals, groups);
    }
    // Down: what lies before a group is added to all in it.
    for level in (1..levels.len()).rev() {
        let (above, (before, count)) = (levels[level].0, levels[level - 1]);
        for window in program.windows(count, WORD) {
            let (read, base) = program.part_of(above, &(window.start / SUMMED..window.end.div_ceil(SUMMED)), WORD);
            let written = program.window_of(before, &window, WORD);
            let entries = window.end - window.start;
            program.pass(Shader::ScanDown, vec![(0, read), (1, written)], vec![word(entries), base], entries)?;
        }
    }
    Ok(levels[0].0)
}
