//! Nonzero coordinates.
//!
//! Small tensors are searched in one pass. Large ones are marked, one bit per element; the marks are counted by a
//! prefix sum over as many levels as it takes; then each marked element's coordinates are listed in the row that its sum
//! names. Rows therefore come out in ascending element order, whatever the device does first. Rows from the count on
//! are undefined and stay as they were.

use opcert_backend::operators::NonzeroCoordinates;
use opcert_backend::{Fault, Input, Output};

use crate::binding::{Named, input_of, output_of};
use crate::device::Device;
use crate::kernel::{Kernel, too_large};
use crate::layout::{Dimension, Layout, sizes};
use crate::options::Limits;
use crate::program::{Program, RegionId, TooLarge, Transfer, WORD, word};
use crate::relayout::{gather, walked};
use crate::shader::Shader;

/// The marks in a word.
const MARKS: u64 = 32;

/// The entries that one invocation of a prefix sum takes.
const SUMMED: u64 = 64;

/// An invocation of the one pass counts everything before its share again: more elements than this take too long.
const MOST_COUNTED_AGAIN: u64 = 256;

/// A compiled `directml/nonzero_coordinates`.
#[derive(Debug)]
pub(crate) struct NonzeroCoordinatesKernel {
    input: Named,
    count: Named,
    coordinates: Named,
}

/// The regions of the tensors in a program.
#[derive(Clone, Copy, Debug)]
struct Regions {
    input: RegionId,
    count: RegionId,
    coordinates: RegionId,
}

/// The matrix of coordinates.
#[derive(Clone, Copy, Debug)]
struct Rows {
    columns: u32,
    row_stride: u32,
    column_stride: u32,
    /// In words, from the first coordinate to the last.
    span: u64,
}

impl NonzeroCoordinatesKernel {
    pub(crate) fn new(view: &NonzeroCoordinates<'_>) -> Self {
        Self {
            input: ("InputTensor", view.input.clone()),
            count: ("OutputCountTensor", view.count.clone()),
            coordinates: ("OutputCoordinatesTensor", view.coordinates.clone()),
        }
    }

    fn program(&self, limits: Limits) -> Result<(Program, Regions), TooLarge> {
        let input = Layout::new(self.input.0, &self.input.1)?;
        let coordinates = Layout::new(self.coordinates.0, &self.coordinates.1)?;
        let [.., row, column] = coordinates.dimensions[..] else {
            return Err(TooLarge(format!("`{}` has fewer than two dimensions", self.coordinates.0)));
        };
        let rows = Rows {
            columns: column.size,
            row_stride: row.strides[0],
            column_stride: column.strides[0],
            span: coordinates.span,
        };
        let mut program = Program::new(limits);
        // Between the elements of an output stands what is to stay there.
        let transfer = if coordinates.is_packed() { Transfer::Download } else { Transfer::Both };
        let regions = Regions {
            input: program.region(input.span * input.width, Transfer::Upload)?,
            count: program.region(WORD, Transfer::Download)?,
            coordinates: program.region(coordinates.span * WORD, transfer)?,
        };
        let bindable = program.is_bindable(input.span * input.width) && program.is_bindable(coordinates.span * WORD);
        if bindable && input.elements <= limits.direct_elements.min(MOST_COUNTED_AGAIN) {
            self.direct(&mut program, regions, &input, rows)?;
            return Ok((program, regions));
        }
        let source = if input.is_packed() && input.width >= WORD {
            regions.input
        } else {
            gather(&mut program, regions.input, &input, &input.dimensions)?
        };
        let marks = self.mark(&mut program, source, &input)?;
        let marked = input.elements.div_ceil(MARKS);
        let before = sum(&mut program, marks, marked, regions.count)?;
        list(&mut program, [marks, before, regions.coordinates], marked, &input.dimensions, rows)?;
        Ok((program, regions))
    }

    /// The bits that make an element non-zero: all of an integer's, all but the sign of a float's.
    fn significant(&self) -> u32 {
        if self.input.1.data_type.is_float() { u32::MAX >> 1 } else { u32::MAX }
    }

    fn direct(&self, program: &mut Program, regions: Regions, input: &Layout, rows: Rows) -> Result<(), TooLarge> {
        const SHARE: u64 = 8;
        let mut constants = vec![word(input.elements), word(input.width), self.significant()];
        constants.extend([rows.columns, rows.row_stride, rows.column_stride]);
        constants.extend(walked(&input.dimensions)?);
        constants.push(input.dimensions.len() as u32);
        constants.extend(sizes(&input.dimensions)?);
        let bindings = vec![
            (0, program.whole(regions.input)),
            (1, program.whole(regions.count)),
            (2, program.whole(regions.coordinates)),
        ];
        program.pass(Shader::NonzeroDirect, bindings, constants, input.elements.div_ceil(SHARE))
    }

    /// Adds passes that mark what is not zero. Returns the region with the marks.
    fn mark(&self, program: &mut Program, source: RegionId, input: &Layout) -> Result<RegionId, TooLarge> {
        let marks = program.region(input.elements.div_ceil(MARKS) * WORD, Transfer::Scratch)?;
        for window in program.windows(input.elements, WORD) {
            let written = window.start / MARKS..window.end.div_ceil(MARKS);
            let count = written.end - written.start;
            let (target, base) = program.part_of(marks, &written, WORD);
            let source = program.window_of(source, &window, WORD);
            let constants = vec![word(count), word(window.end - window.start), base, self.significant()];
            program.pass(Shader::Mark, vec![(0, source), (1, target)], constants, count)?;
        }
        Ok(marks)
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

/// Adds passes that list the coordinates of what is marked.
fn list(
    program: &mut Program,
    [marks, before, coordinates]: [RegionId; 3],
    marked: u64,
    dimensions: &[Dimension<1>],
    rows: Rows,
) -> Result<(), TooLarge> {
    for read in program.windows(marked, WORD) {
        for written in program.windows(rows.span, WORD) {
            let count = read.end - read.start;
            let mut constants = vec![word(count), word(read.start), dimensions.len() as u32, rows.columns];
            constants.extend([rows.row_stride, rows.column_stride]);
            constants.extend([word(written.start), word(written.end - written.start)]);
            constants.extend(sizes(dimensions)?);
            let bindings = vec![
                (0, program.window_of(marks, &read, WORD)),
                (1, program.window_of(before, &read, WORD)),
                (2, program.window_of(coordinates, &written, WORD)),
            ];
            program.pass(Shader::List, bindings, constants, count)?;
        }
    }
    Ok(())
}

impl Kernel for NonzeroCoordinatesKernel {
    fn run(&self, device: &mut Device, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (program, regions) = self.program(device.limits()).map_err(too_large)?;
        let input = input_of(inputs, &self.input)?;
        let coordinates = output_of(outputs, &self.coordinates)?;
        let is_mixed = program.regions[regions.coordinates.0].transfer.uploads();
        let mut uploads = vec![(regions.input, input)];
        if is_mixed {
            uploads.push((regions.coordinates, &*coordinates));
        }
        device.run(&program, &uploads)?;
        let mut count = [0; WORD as usize];
        device.read(regions.count, &mut count);
        let columns = self.coordinates.1.sizes.last().copied().unwrap_or(0);
        let listed = u64::from(u32::from_le_bytes(count)) * columns * WORD;
        let length = if is_mixed { coordinates.len() } else { coordinates.len().min(listed as usize) };
        device.read(regions.coordinates, &mut coordinates[..length]);
        output_of(outputs, &self.count)?.copy_from_slice(&count);
        Ok(())
    }
}
