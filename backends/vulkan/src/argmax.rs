//! Argmax, and argmin, whose keys are in the opposite order; and max and min, which pick what these find.
//!
//! Elements become keys whose integer order is the order of the values, and every level of the reduction carries keys
//! together with indices. Small tensors are reduced in one pass. Large ones are seen as [outer, rows, inner] with the
//! rows to be reduced, cut into segments of rows, and reduced level by level.

use opcert_backend::{Fault, Input, Output};
use opcert_refusals::{Extreme, Nan, Reduction, Tie, Yield};

use crate::binding::{Named, input_of, output_of};
use crate::device::Device;
use crate::kernel::{Kernel, run, too_large};
use crate::key;
use crate::layout::{Dimension, Layout, MOST_DIMENSIONS, coalesced, joined, sizes, strides};
use crate::options::Limits;
use crate::picking::Picking;
use crate::program::{Program, RegionId, TooLarge, Transfer, WORD, word};
use crate::relayout::{gather, output_region, packed_region, unpack, words};
use crate::shader::Shader;

/// The rows of a segment where rows lie one behind the other in memory. Software may end a loop of more than 65,535
/// rounds without a word (llvmpipe does), so that no invocation may take many more.
const SEGMENT_ALONG: u64 = 4096;

/// The rows of a segment where columns lie between them.
const SEGMENT_ACROSS: u64 = 256;

/// The candidates that a further level takes together.
const COMBINED: u64 = 64;

/// A compiled search for extremes.
#[derive(Debug)]
pub(crate) struct ArgMaxKernel {
    input: Named,
    output: Named,
    reduced: Vec<bool>,
    is_last: bool,
    extreme: Extreme,
    yields: Yield,
    nan: Nan,
}

/// The regions of the tensors in a program.
#[derive(Clone, Copy, Debug)]
struct Regions {
    input: RegionId,
    output: RegionId,
}

/// Elements as a reduction sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    outer: u64,
    rows: u64,
    inner: u64,
}

/// One level of the reduction.
#[derive(Clone, Copy, Debug)]
struct Level {
    shader: Shader,
    source: RegionId,
    /// The bytes of what is read.
    bytes: u64,
    shape: Shape,
    segment_rows: u64,
    /// How many invocations share a segment; each finds a candidate.
    lanes: u64,
    /// How many columns an invocation takes.
    columns: u64,
    target: Target,
}

/// What a level writes.
#[derive(Clone, Copy, Debug)]
enum Target {
    Candidates(RegionId),
    Results(RegionId),
}

impl Level {
    const fn segments(&self) -> u64 {
        self.shape.rows.div_ceil(self.segment_rows)
    }

    /// The candidates that are left of a column.
    const fn left(&self) -> u64 {
        self.segments() * self.lanes
    }
}

impl ArgMaxKernel {
    pub(crate) fn new(reduction: Reduction) -> Self {
        Self {
            input: reduction.input,
            output: reduction.output,
            reduced: reduction.reduced,
            is_last: reduction.tie == Tie::Last,
            extreme: reduction.extreme,
            yields: reduction.yields,
            nan: reduction.nan,
        }
    }

    fn program(&self, limits: Limits) -> Result<(Program, Regions), TooLarge> {
        let input = Layout::new(self.input.0, &self.input.1)?;
        let output = Layout::new(self.output.0, &self.output.1)?;
        let mut program = Program::new(limits);
        let regions = Regions {
            input: program.region(input.span * input.width, Transfer::Upload)?,
            output: output_region(&mut program, &output)?,
        };
        if input.elements == 0 {
            return Ok((program, regions));
        }
        match self.yields {
            Yield::Index => self.search(&mut program, regions, &input, &output)?,
            Yield::Element => {
                let indices = output.packed(WORD);
                let found = program.region(indices.elements * WORD, Transfer::Scratch)?;
                self.search(&mut program, Regions { output: found, ..regions }, &input, &indices)?;
                let [kept, reduced] = [false, true].map(|reduced| self.select(&input, reduced));
                let picking = Picking { source: regions.input, from: &input, kept, reduced };
                picking.add_to(&mut program, found, regions.output, &output)?;
            }
        }
        Ok((program, regions))
    }

    /// Adds passes that write the index of each subset.
    fn search(
        &self,
        program: &mut Program,
        regions: Regions,
        input: &Layout,
        indices: &Layout,
    ) -> Result<(), TooLarge> {
        let bindable =
            program.is_bindable(input.span * input.width) && program.is_bindable(indices.span * indices.width);
        if bindable
            && input.elements <= program.limits.direct_elements
            && self.direct(program, regions, input, indices)?
        {
            return Ok(());
        }
        let results = packed_region(program, regions.output, indices)?;
        let (source, shape) = self.source(program, regions.input, input)?;
        self.reduce(program, source, shape, results)?;
        unpack(program, results, regions.output, indices)
    }

    /// The dimensions that are kept or reduced.
    fn select(&self, layout: &Layout, reduced: bool) -> Vec<Dimension<1>> {
        let dimensions = layout.dimensions.iter().zip(&self.reduced);
        dimensions.filter(|(_, is)| **is == reduced).map(|(dimension, _)| *dimension).collect()
    }

    /// Adds the one pass, unless it has too many dimensions.
    fn direct(
        &self,
        program: &mut Program,
        regions: Regions,
        input: &Layout,
        output: &Layout,
    ) -> Result<bool, TooLarge> {
        let kept = coalesced(joined(&self.select(input, false), &self.select(output, false)));
        let reduced = coalesced(self.select(input, true));
        if kept.len() + reduced.len() > MOST_DIMENSIONS {
            return Ok(false);
        }
        let form = kept.len() as u32 | (reduced.len() as u32) << 8 | self.kind() << 16 | word(input.width) << 24;
        let result = word(output.width) | u32::from(self.is_last) << 8;
        let mut constants = vec![word(output.elements), word(input.elements / output.elements), form, result];
        let widened = |dimension: &Dimension<1>| Dimension { size: dimension.size, strides: [dimension.strides[0], 0] };
        let all: Vec<Dimension<2>> = kept.iter().copied().chain(reduced.iter().map(widened)).collect();
        constants.extend(sizes(&all)?);
        constants.extend(strides(&all, 0)?);
        constants.extend(strides(&all, 1)?);
        let bindings = vec![(0, program.whole(regions.input)), (1, program.whole(regions.output))];
        program.pass(Shader::ArgmaxDirect, bindings, constants, output.elements)?;
        Ok(true)
    }

    /// The input as words in an order in which the reduced dimensions stand together, and its shape.
    fn source(&self, program: &mut Program, region: RegionId, input: &Layout) -> Result<(RegionId, Shape), TooLarge> {
        let mut dimensions = input.dimensions.clone();
        let marked = || dimensions.iter().zip(&self.reduced).filter(|(dimension, _)| dimension.size != 1);
        let is_reduced: Vec<bool> = marked().map(|(_, reduced)| *reduced).collect();
        let shape = match is_reduced.iter().position(|is| *is) {
            None => Shape { outer: input.elements, rows: 1, inner: 1 },
            Some(first) => {
                let end = is_reduced.iter().rposition(|is| *is).map_or(first, |last| last + 1);
                let sizes: Vec<u64> = marked().map(|(dimension, _)| u64::from(dimension.size)).collect();
                if is_reduced[first..end].iter().all(|is| *is) {
                    let product = |range: &[u64]| range.iter().product();
                    Shape {
                        outer: product(&sizes[..first]),
                        rows: product(&sizes[first..end]),
                        inner: product(&sizes[end..]),
                    }
                } else {
                    dimensions = self.select(input, false);
                    dimensions.extend(self.select(input, true));
                    let rows = self.select(input, true).iter().map(|dimension| u64::from(dimension.size)).product();
                    Shape { outer: input.elements / rows, rows, inner: 1 }
                }
            }
        };
        if dimensions == input.dimensions && input.is_packed() && input.width >= WORD {
            return Ok((region, shape));
        }
        Ok((gather(program, region, input, &dimensions)?, shape))
    }

    /// Adds passes that reduce the rows to one index per column.
    fn reduce(&self, program: &mut Program, source: RegionId, shape: Shape, results: RegionId) -> Result<(), TooLarge> {
        let bytes = self.element_bytes();
        let most = program.bindable_anywhere();
        if shape.inner * bytes.max(2 * self.candidate_bytes()) > most {
            return self.reduce_row_by_row(program, source, shape, results);
        }
        let is_wide = self.is_wide();
        let (shader, columns) = if is_wide {
            (Shader::ReduceWide, 1)
        } else if shape.inner == 1 && shape.rows.is_multiple_of(4) {
            (Shader::ReduceRows, 1)
        } else if shape.inner.is_multiple_of(4) {
            (Shader::ReduceColumns, 4)
        } else {
            (Shader::Reduce, 1)
        };
        let segment = if shape.inner == 1 { SEGMENT_ALONG } else { SEGMENT_ACROSS };
        // Those that fit are a multiple of four, as `reduce_rows.wgsl` wants them, where columns do not lie between.
        let fitting = most / (shape.inner * bytes);
        let segment_rows = segment.min(fitting).min(shape.rows);
        let mut lanes = if shader == Shader::ReduceRows { u64::from(program.limits.row_lanes) } else { 1 };
        while lanes > 1 && lanes * 4 > segment_rows {
            lanes /= 2;
        }
        let mut level =
            Level { shader, source, bytes, shape, segment_rows, lanes, columns, target: Target::Results(results) };
        loop {
            let left = level.left();
            if left == 1 {
                return self.level(program, &level);
            }
            let candidates = left * shape.outer * shape.inner * self.candidate_bytes();
            let handed_on = program.region(candidates, Transfer::Scratch)?;
            level.target = Target::Candidates(handed_on);
            self.level(program, &level)?;
            level = Level {
                shader: if is_wide { Shader::CombineWide } else { Shader::Combine },
                source: handed_on,
                bytes: self.candidate_bytes(),
                shape: Shape { rows: left, ..shape },
                segment_rows: COMBINED.min(most / (shape.inner * self.candidate_bytes())).min(left),
                lanes: 1,
                columns: 1,
                target: Target::Results(results),
            };
        }
    }

    /// Adds the passes of one level: tiles of whole outer positions, or of segments of one where these are too large.
    fn level(&self, program: &mut Program, level: &Level) -> Result<(), TooLarge> {
        let Shape { outer, rows, inner } = level.shape;
        let most = program.bindable_anywhere();
        let written = self.target_bytes(level.target);
        let whole = (most / (rows * inner * level.bytes)).min(most / (level.left() * inner * written));
        if whole >= 1 {
            for first in (0..outer).step_by(whole as usize) {
                let tile =
                    Tile { outer: first, outers: whole.min(outer - first), segment: 0, segments: level.segments() };
                self.tile(program, level, tile)?;
            }
            return Ok(());
        }
        let fitting = (most / (level.segment_rows * inner * level.bytes)).min(most / (level.lanes * inner * written));
        for first in 0..outer {
            for segment in (0..level.segments()).step_by(fitting.max(1) as usize) {
                let segments = fitting.max(1).min(level.segments() - segment);
                self.tile(program, level, Tile { outer: first, outers: 1, segment, segments })?;
            }
        }
        Ok(())
    }

    fn tile(&self, program: &mut Program, level: &Level, tile: Tile) -> Result<(), TooLarge> {
        let Shape { rows, inner, .. } = level.shape;
        let first_row = tile.segment * level.segment_rows;
        let end_row = (first_row + tile.segments * level.segment_rows).min(rows);
        let read = (tile.outer * rows + first_row) * inner..((tile.outer + tile.outers - 1) * rows + end_row) * inner;
        let (source, base) = program.part_of(level.source, &read, level.bytes);
        let begin = (tile.outer * level.left() + tile.segment * level.lanes) * inner;
        let found = tile.outers * tile.segments * level.lanes * inner;
        let (region, result_words) = match level.target {
            Target::Candidates(region) => (region, 0),
            Target::Results(region) => (region, self.index_bytes() / WORD),
        };
        let (target, target_base) = program.part_of(region, &(begin..begin + found), self.target_bytes(level.target));
        let invocations = found / level.columns;
        let constants = vec![
            word(invocations),
            word(tile.segments),
            word(level.segment_rows),
            word(end_row - first_row),
            word(inner),
            word(rows * inner),
            base,
            word(first_row),
            level.lanes.trailing_zeros(),
            self.kind(),
            u32::from(self.is_last),
            0,
            word(result_words),
            target_base,
            target_base,
        ];
        program.pass(level.shader, vec![(0, source), (1, target), (2, target)], constants, invocations)
    }

    /// Adds passes for rows that are too long for a window: pieces of one row after the other, each carrying on with
    /// the candidates of the rows before.
    fn reduce_row_by_row(
        &self,
        program: &mut Program,
        source: RegionId,
        shape: Shape,
        results: RegionId,
    ) -> Result<(), TooLarge> {
        let (bytes, candidate_bytes, index_bytes) = (self.element_bytes(), self.candidate_bytes(), self.index_bytes());
        let shader = if self.is_wide() { Shader::ReduceWide } else { Shader::Reduce };
        let piece = program.bindable_anywhere() / bytes.max(candidate_bytes).max(index_bytes);
        let candidates = program.region(shape.inner * candidate_bytes, Transfer::Scratch)?;
        for outer in 0..shape.outer {
            for first in (0..shape.inner).step_by(piece as usize) {
                let columns = piece.min(shape.inner - first);
                let (carried, candidate_base) = program.part_of(candidates, &(first..first + columns), candidate_bytes);
                let begin = outer * shape.inner + first;
                let (results, result_base) = program.part_of(results, &(begin..begin + columns), index_bytes);
                for row in 0..shape.rows {
                    let begin = (outer * shape.rows + row) * shape.inner + first;
                    let (source, base) = program.part_of(source, &(begin..begin + columns), bytes);
                    let result_words = if row + 1 == shape.rows { index_bytes / WORD } else { 0 };
                    let constants = vec![
                        word(columns),
                        1,
                        1,
                        1,
                        word(columns),
                        word(columns),
                        base,
                        word(row),
                        0,
                        self.kind(),
                        u32::from(self.is_last),
                        u32::from(row > 0),
                        word(result_words),
                        candidate_base,
                        result_base,
                    ];
                    program.pass(shader, vec![(0, source), (1, carried), (2, results)], constants, columns)?;
                }
            }
        }
        Ok(())
    }

    fn is_wide(&self) -> bool {
        self.input.1.data_type.bytes() == 8
    }

    /// The bytes of an element where it is reduced.
    fn element_bytes(&self) -> u64 {
        words(self.input.1.data_type.bytes() as u64) * WORD
    }

    /// The bytes of a candidate: its key, its index, and for a key of 8 bytes 4 more, so that candidates begin where
    /// something can be bound.
    fn candidate_bytes(&self) -> u64 {
        2 * self.element_bytes()
    }

    /// The bytes of an index where a search writes it.
    fn index_bytes(&self) -> u64 {
        match self.yields {
            Yield::Index => self.output.1.data_type.bytes() as u64,
            Yield::Element => WORD,
        }
    }

    fn target_bytes(&self, target: Target) -> u64 {
        match target {
            Target::Candidates(_) => self.candidate_bytes(),
            Target::Results(_) => self.index_bytes(),
        }
    }

    /// The kind of the keys.
    const fn kind(&self) -> u32 {
        let data_type = self.input.1.data_type;
        let kind = match self.nan {
            Nan::Open => key::kind(data_type),
            Nan::Greatest => key::kind_with_nan(data_type),
            Nan::Least => key::kind_with_nan(data_type) | key::NAN_LEAST,
        };
        match self.extreme {
            Extreme::Greatest => kind,
            Extreme::Least => kind | key::REVERSED,
        }
    }
}

/// The part of a level that one pass does.
#[derive(Clone, Copy, Debug)]
struct Tile {
    outer: u64,
    outers: u64,
    segment: u64,
    segments: u64,
}

impl Kernel for ArgMaxKernel {
    fn run(&self, device: &mut Device, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (program, regions) = self.program(device.limits()).map_err(too_large)?;
        let uploads = [(regions.input, input_of(inputs, &self.input)?)];
        run(device, &program, &uploads, (regions.output, output_of(outputs, &self.output)?))
    }
}
