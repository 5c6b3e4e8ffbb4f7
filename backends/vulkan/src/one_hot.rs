//! One-hot, of DirectML, of ONNX and of OpenVINO.
//!
//! On and Off are selected, never computed, so that every bit pattern arrives unchanged. Small tensors are written in
//! one pass, element by element. Large ones are filled with Off in blocks, and On is placed once per sequence.

use opcert_backend::operators::{OneHot, OpenVinoOneHot};
use opcert_backend::{DataType, Fault, Input, Output};
use opcert_refusals::{OnnxOneHot, cast_to_integers};

use crate::binding::{Named, input, input_of, output_of, short, within};
use crate::device::Device;
use crate::index;
use crate::kernel::{Kernel, run, too_large};
use crate::layout::{Dimension, Layout, coalesced, joined, sizes, strides};
use crate::options::Limits;
use crate::program::{Program, RegionId, TooLarge, Transfer, word};
use crate::relayout::{BLOCK, fill, in_order, output_region, packed_region, pattern, unpack};
use crate::shader::Shader;

/// A compiled one-hot operator.
#[derive(Debug)]
pub(crate) struct OneHotKernel {
    indices: Named,
    /// Where Off and On stand: the tensor and the byte.
    off: (&'static str, u64),
    on: (&'static str, u64),
    output: Named,
    axis: usize,
    /// How an index is read; see `index.wgsl`.
    kind: u32,
    /// Whether the indices have a dimension of size 1 at the axis.
    keeps_axis: bool,
    /// The type of the indices, where it is none that shaders read: they are cast on the way.
    cast_from: Option<DataType>,
}

/// The values, as (low, high) words.
#[derive(Clone, Copy, Debug)]
struct Values {
    off: [u32; 2],
    on: [u32; 2],
}

/// The regions of the tensors in a program.
#[derive(Clone, Copy, Debug)]
struct Regions {
    indices: RegionId,
    output: RegionId,
}

impl OneHotKernel {
    /// `directml/one_hot`: the indices have size 1 along the axis, Off and On lie in one tensor, and a negative index
    /// counts from the end.
    pub(crate) fn directml(view: &OneHot<'_>, axis: usize) -> Self {
        // On is the neighbour of Off in the fastest-changing dimension, in logical order.
        let strides = view.values.effective_strides().unwrap_or_default();
        let fastest = view.values.sizes.iter().rposition(|&size| size > 1);
        let stride = fastest.and_then(|dimension| strides.get(dimension).copied()).unwrap_or(0);
        Self {
            indices: ("IndicesTensor", view.indices.clone()),
            off: ("ValuesTensor", 0),
            on: ("ValuesTensor", stride.saturating_mul(view.values.data_type.bytes() as u64)),
            output: ("OutputTensor", view.output.clone()),
            axis,
            kind: index::kind(view.indices.data_type, true),
            keeps_axis: true,
            cast_from: None,
        }
    }

    /// `openvino/one_hot_1` and `_16`: the output has a dimension more than the indices. A negative index is undefined
    /// behaviour in OneHot-1; here it is out of range, as in the other's mode for that.
    pub(crate) fn openvino(view: &OpenVinoOneHot<'_>, axis: usize) -> Self {
        Self {
            indices: ("indices", view.indices.clone()),
            off: ("off_value", 0),
            on: ("on_value", 0),
            output: ("output", view.output.clone()),
            axis,
            kind: index::kind(view.indices.data_type, view.normalizes),
            keeps_axis: false,
            cast_from: None,
        }
    }

    /// `onnx/one_hot`: the output has a dimension more than the indices, Off and On lie in one tensor. Indices of 8 and 16 bits
    /// and floats are cast to integers of 64 bits before they are brought to the device.
    pub(crate) fn onnx(view: &OnnxOneHot<'_>) -> Self {
        let indices = if view.has_wide_indices() { view.indices.clone() } else { view.cast_indices() };
        let stride = view.values.effective_strides().and_then(|strides| strides.first().copied()).unwrap_or(1);
        Self {
            kind: index::kind(indices.data_type, view.from_end),
            indices: ("indices", indices),
            off: ("values", 0),
            on: ("values", stride.saturating_mul(view.values.data_type.bytes() as u64)),
            output: ("output", view.output.clone()),
            axis: view.axis,
            keeps_axis: false,
            cast_from: (!view.has_wide_indices()).then_some(view.indices.data_type),
        }
    }

    fn program(&self, limits: Limits, values: Values) -> Result<(Program, Regions), TooLarge> {
        let mut indices = Layout::new(self.indices.0, &self.indices.1)?;
        let output = Layout::new(self.output.0, &self.output.1)?;
        if self.keeps_axis {
            indices.dimensions.remove(self.axis);
        }
        let mut program = Program::new(limits);
        let regions = Regions {
            indices: program.region(indices.span * indices.width, Transfer::Upload)?,
            output: output_region(&mut program, &output)?,
        };
        if output.elements == 0 {
            return Ok((program, regions));
        }
        let bindable =
            program.is_bindable(indices.span * indices.width) && program.is_bindable(output.span * output.width);
        if bindable && output.elements <= limits.direct_elements {
            self.direct(&mut program, regions, &indices, &output, values)?;
            return Ok((program, regions));
        }
        let source = in_order(&mut program, regions.indices, &indices)?.region;
        let packed = packed_region(&mut program, regions.output, &output)?;
        let shape = Shape::of(&output, self.axis);
        let blocks = Blocks { off: pattern(&output, values.off), on: pattern(&output, values.on) };
        match shape.way(&program, output.width) {
            Way::Rows => self.rows(&mut program, source, packed, &output, shape, blocks)?,
            Way::Planes => self.planes(&mut program, source, packed, &output, shape, blocks)?,
            Way::Places => {
                fill(&mut program, packed, &output, blocks.off)?;
                self.place(&mut program, source, packed, &output, shape, values)?;
            }
        }
        unpack(&mut program, packed, regions.output, &output)?;
        Ok((program, regions))
    }

    fn direct(
        &self,
        program: &mut Program,
        regions: Regions,
        indices: &Layout,
        output: &Layout,
        values: Values,
    ) -> Result<(), TooLarge> {
        let mut outside = output.dimensions.clone();
        let axis = outside.remove(self.axis);
        let outside = joined(&outside, &indices.dimensions);
        let (before, after) = outside.split_at(self.axis);
        let own = |dimensions: &[Dimension<2>]| {
            let merged = coalesced(dimensions.iter().copied());
            merged.into_iter().filter(|dimension| dimension.size != 1).collect::<Vec<_>>()
        };
        let mut dimensions = own(before);
        let place = dimensions.len() as u32;
        dimensions.push(Dimension { size: axis.size, strides: [axis.strides[0], 0] });
        dimensions.extend(own(after));
        let form = dimensions.len() as u32 | place << 8 | self.kind << 16 | word(output.width) << 24;
        let mut constants = vec![word(output.elements), form];
        constants.extend(values.on);
        constants.extend(values.off);
        constants.extend(sizes(&dimensions)?);
        constants.extend(strides(&dimensions, 0)?);
        constants.extend(strides(&dimensions, 1)?);
        let bindings = vec![(0, program.whole(regions.indices)), (1, program.whole(regions.output))];
        program.pass(Shader::OneHotDirect, bindings, constants, output.elements)
    }

    /// Adds passes that write rows, each of which is a sequence.
    fn rows(
        &self,
        program: &mut Program,
        source: RegionId,
        packed: RegionId,
        output: &Layout,
        shape: Shape,
        blocks: Blocks,
    ) -> Result<(), TooLarge> {
        let row_blocks = shape.depth * output.width / BLOCK;
        let mut lanes = u64::from(program.limits.row_lanes);
        while lanes > row_blocks {
            lanes /= 2;
        }
        let segment_blocks = (SEGMENT * lanes).min(row_blocks);
        let segments = row_blocks.div_ceil(segment_blocks);
        let most = program.bindable_anywhere();
        let fitting = (most / (row_blocks * BLOCK)).min(most / self.index_bytes());
        for first in (0..shape.outer).step_by(fitting as usize) {
            let rows = first..(first + fitting).min(shape.outer);
            let (source, index_base) = program.part_of(source, &rows, self.index_bytes());
            let written = rows.start * row_blocks..rows.end * row_blocks;
            let (target, base) = program.part_of(packed, &written, BLOCK);
            let invocations = (rows.end - rows.start) * segments * lanes;
            let mut constants = blocks.constants();
            constants.extend([word(invocations), word(segments), word(segment_blocks), word(row_blocks)]);
            constants.extend([lanes.trailing_zeros(), base, index_base, self.kind, word(shape.depth)]);
            constants.push(word(output.width));
            program.pass(Shader::OneHotRows, vec![(0, source), (1, target)], constants, invocations)?;
        }
        Ok(())
    }

    /// Adds passes that write rows, between which sequences lie: those of whole outer positions, or some of one.
    fn planes(
        &self,
        program: &mut Program,
        source: RegionId,
        packed: RegionId,
        output: &Layout,
        shape: Shape,
        blocks: Blocks,
    ) -> Result<(), TooLarge> {
        let Shape { outer, depth, inner } = shape;
        let row_blocks = inner * output.width / BLOCK;
        let most = program.bindable_anywhere();
        let fitting_rows = most / (row_blocks * BLOCK);
        let fitting = (fitting_rows / depth).min(most / (inner * self.index_bytes()));
        let rows_at_a_time = if fitting == 0 { fitting_rows.min(depth) } else { depth };
        for first in (0..outer).step_by(fitting.max(1) as usize) {
            let outers = fitting.max(1).min(outer - first);
            let indices = first * inner..(first + outers) * inner;
            let (source, index_base) = program.part_of(source, &indices, self.index_bytes());
            for first_row in (0..depth).step_by(rows_at_a_time as usize) {
                let rows = rows_at_a_time.min(depth - first_row);
                let begin = (first * depth + first_row) * row_blocks;
                let (target, base) = program.part_of(packed, &(begin..begin + outers * rows * row_blocks), BLOCK);
                let segments = rows.div_ceil(SEGMENT_ROWS);
                let invocations = outers * segments * row_blocks / PLANE_BLOCKS;
                let mut constants = blocks.constants();
                constants.extend([word(invocations), word(segments), word(SEGMENT_ROWS), word(rows)]);
                constants.extend([word(first_row), word(row_blocks), base, index_base, self.kind]);
                constants.extend([word(depth), word(output.width)]);
                program.pass(Shader::OneHotPlanes, vec![(0, source), (1, target)], constants, invocations)?;
            }
        }
        Ok(())
    }

    /// Adds passes that place On in output that is filled with Off.
    fn place(
        &self,
        program: &mut Program,
        source: RegionId,
        packed: RegionId,
        output: &Layout,
        shape: Shape,
        values: Values,
    ) -> Result<(), TooLarge> {
        let width = self.index_bytes();
        let change = (values.on[0] ^ values.off[0]) & (u32::MAX >> (32 - 8 * output.width.min(4)));
        for read in program.windows(shape.outer * shape.inner, width) {
            for written in program.windows(output.elements, output.width) {
                let source = program.window_of(source, &read, width);
                let target = program.window_of(packed, &written, output.width);
                let count = read.end - read.start;
                let mut constants = vec![word(count), word(read.start), self.kind];
                constants.extend([word(shape.depth), word(shape.inner), word(output.width)]);
                constants.extend([word(written.start), word(written.end - written.start)]);
                constants.extend(values.on);
                constants.push(change);
                program.pass(Shader::Place, vec![(0, source), (1, target)], constants, count)?;
            }
        }
        Ok(())
    }

    /// The bytes of an index.
    const fn index_bytes(&self) -> u64 {
        if self.kind & index::WIDE != 0 { 8 } else { 4 }
    }
}

/// The blocks of a row that an invocation writes.
const SEGMENT: u64 = 8;

/// The rows of a plane that an invocation writes, and how many blocks of each.
const SEGMENT_ROWS: u64 = 32;
const PLANE_BLOCKS: u64 = 8;

/// Packed output as [outer, depth, inner], with sequences along the depth.
#[derive(Clone, Copy, Debug)]
struct Shape {
    outer: u64,
    depth: u64,
    inner: u64,
}

/// How large packed output is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Row by row, where sequences are rows of whole blocks.
    Rows,
    /// Rows of whole blocks, between which sequences lie.
    Planes,
    /// Filled with Off first, then On is placed: whatever the sizes are.
    Places,
}

impl Shape {
    fn of(output: &Layout, axis: usize) -> Self {
        let product = |dimensions: &[Dimension<1>]| dimensions.iter().map(|each| u64::from(each.size)).product();
        let (outer, rest) = output.dimensions.split_at(axis);
        Self { outer: product(outer), depth: product(&rest[..1]), inner: product(&rest[1..]) }
    }

    fn way(self, program: &Program, width: u64) -> Way {
        let row = if self.inner == 1 { self.depth } else { self.inner } * width;
        if row > program.bindable_anywhere() {
            Way::Places
        } else if self.inner == 1 && row.is_multiple_of(BLOCK) {
            Way::Rows
        } else if self.inner > 1 && width >= 4 && row.is_multiple_of(BLOCK * PLANE_BLOCKS) {
            Way::Planes
        } else {
            Way::Places
        }
    }
}

/// A block of Off and a block of On.
#[derive(Clone, Copy, Debug)]
struct Blocks {
    off: [u32; 4],
    on: [u32; 4],
}

impl Blocks {
    /// Off, and the bits in which On differs.
    fn constants(self) -> Vec<u32> {
        let change = std::iter::zip(self.off, self.on).map(|(off, on)| off ^ on);
        self.off.into_iter().chain(change).collect()
    }
}

impl Kernel for OneHotKernel {
    fn run(&self, device: &mut Device, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let width = self.output.1.data_type.bytes();
        let value = |(name, at): (&str, u64)| {
            let bytes = input(inputs, name)?;
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            let found = bytes.get(at..).and_then(|bytes| bytes.get(..width));
            let mut element = [0; 8];
            element[..width].copy_from_slice(found.ok_or_else(|| short(name, bytes.len(), at.saturating_add(width)))?);
            let element = u64::from_le_bytes(element);
            Ok::<_, Fault>([element as u32, (element >> 32) as u32])
        };
        let values = Values { off: value(self.off)?, on: value(self.on)? };
        let (program, regions) = self.program(device.limits(), values).map_err(too_large)?;
        let integers = match self.cast_from {
            Some(data_type) => cast_to_integers(input(inputs, self.indices.0)?, data_type),
            None => Vec::new(),
        };
        let indices = match self.cast_from {
            Some(_) => within(&integers, &self.indices)?,
            None => input_of(inputs, &self.indices)?,
        };
        let output = output_of(outputs, &self.output)?;
        run(device, &program, &[(regions.indices, indices)], (regions.output, output))
    }
}
