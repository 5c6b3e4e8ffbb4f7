//! One-hot, of DirectML and of OpenVINO.
//!
//! On and Off are selected, never computed, so that every bit pattern arrives unchanged. Small tensors are written in
//! one pass, element by element. Large ones are filled with Off in blocks, and On is placed once per sequence.

use opcert_backend::operators::{OneHot, OpenVinoOneHot1};
use opcert_backend::{DataType, Fault, Input, Output};

use crate::binding::{Named, input, input_of, output_of, short};
use crate::device::Device;
use crate::kernel::{Kernel, too_large};
use crate::layout::{Dimension, Layout, coalesced, joined, sizes, strides};
use crate::options::Limits;
use crate::program::{Program, RegionId, TooLarge, Transfer, word};
use crate::relayout::{gather, scatter};
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
            kind: index_kind(view.indices.data_type, true),
            keeps_axis: true,
        }
    }

    /// `openvino/one_hot_1`: the output has a dimension more than the indices. A negative index is undefined behaviour
    /// there; here it is out of range.
    pub(crate) fn openvino(view: &OpenVinoOneHot1<'_>, axis: usize) -> Self {
        Self {
            indices: ("indices", view.indices.clone()),
            off: ("off_value", 0),
            on: ("on_value", 0),
            output: ("output", view.output.clone()),
            axis,
            kind: index_kind(view.indices.data_type, false),
            keeps_axis: false,
        }
    }

    fn program(&self, limits: Limits, values: Values) -> Result<(Program, Regions), TooLarge> {
        let mut indices = Layout::new(self.indices.0, &self.indices.1)?;
        let output = Layout::new(self.output.0, &self.output.1)?;
        if self.keeps_axis {
            indices.dimensions.remove(self.axis);
        }
        let mut program = Program::new(limits);
        let is_packed = output.is_packed();
        // Between the elements of an output stands what is to stay there.
        let transfer = if is_packed { Transfer::Download } else { Transfer::Both };
        let regions = Regions {
            indices: program.region(indices.span * indices.width, Transfer::Upload)?,
            output: program.region(output.span * output.width, transfer)?,
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
        let source = if indices.is_packed() {
            regions.indices
        } else {
            gather(&mut program, regions.indices, &indices, &indices.dimensions)?
        };
        let packed = if is_packed {
            regions.output
        } else {
            program.region(output.elements * output.width, Transfer::Scratch)?
        };
        fill(&mut program, packed, &output, values.off)?;
        self.place(&mut program, source, packed, &output, values)?;
        if !is_packed {
            scatter(&mut program, packed, regions.output, &output)?;
        }
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

    fn place(
        &self,
        program: &mut Program,
        source: RegionId,
        packed: RegionId,
        output: &Layout,
        values: Values,
    ) -> Result<(), TooLarge> {
        let sizes: Vec<u64> = output.dimensions.iter().map(|dimension| u64::from(dimension.size)).collect();
        let depth = sizes[self.axis];
        let inner: u64 = sizes[self.axis + 1..].iter().product();
        let width = if self.kind & WIDE != 0 { 8 } else { 4 };
        let change = (values.on[0] ^ values.off[0]) & (u32::MAX >> (32 - 8 * output.width.min(4)));
        for read in program.windows(output.elements / depth, width) {
            for written in program.windows(output.elements, output.width) {
                let source = program.window_of(source, &read, width);
                let target = program.window_of(packed, &written, output.width);
                let count = read.end - read.start;
                let mut constants = vec![word(count), word(read.start), self.kind];
                constants.extend([word(depth), word(inner), word(output.width)]);
                constants.extend([word(written.start), word(written.end - written.start)]);
                constants.extend(values.on);
                constants.push(change);
                program.pass(Shader::Place, vec![(0, source), (1, target)], constants, count)?;
            }
        }
        Ok(())
    }
}

const WIDE: u32 = 1;
const SIGNED: u32 = 2;
const FROM_END: u32 = 4;

const fn index_kind(data_type: DataType, from_end: bool) -> u32 {
    let wide = if data_type.bytes() == 8 { WIDE } else { 0 };
    let signed = if data_type.is_signed_integer() { SIGNED } else { 0 };
    wide | signed | if from_end { FROM_END } else { 0 }
}

/// Adds passes that fill packed output with Off.
fn fill(program: &mut Program, packed: RegionId, output: &Layout, off: [u32; 2]) -> Result<(), TooLarge> {
    const BLOCK: u64 = 16;
    let pattern = match output.width {
        1 => [(off[0] & 0xFF) * 0x0101_0101; 4],
        2 => [(off[0] & 0xFFFF) * 0x0001_0001; 4],
        4 => [off[0]; 4],
        _ => [off[0], off[1], off[0], off[1]],
    };
    let blocks = (output.elements * output.width).div_ceil(BLOCK);
    for window in program.windows(blocks, BLOCK) {
        let target = program.window_of(packed, &window, BLOCK);
        let count = window.end - window.start;
        let mut constants = pattern.to_vec();
        constants.push(word(count));
        program.pass(Shader::Fill, vec![(1, target)], constants, count)?;
    }
    Ok(())
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
        let indices = input_of(inputs, &self.indices)?;
        let output = output_of(outputs, &self.output)?;
        let mut uploads = vec![(regions.indices, indices)];
        if program.regions[regions.output.0].transfer.uploads() {
            uploads.push((regions.output, &*output));
        }
        device.run(&program, &uploads)?;
        device.read(regions.output, output);
        Ok(())
    }
}
