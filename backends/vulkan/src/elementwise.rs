//! Elements that are worked out each by itself: comparisons, logic, extremes, bits, tests of floats, selection, and one value for
//! all.

use opcert_backend::{Fault, Input, Output};
use opcert_refusals::{Elementwise, Function};

use crate::binding::{Named, input_of, output_of};
use crate::device::Device;
use crate::kernel::{Kernel, run, too_large};
use crate::key;
use crate::layout::Layout;
use crate::options::Limits;
use crate::program::{Program, RegionId, TooLarge, Transfer, WORD, word};
use crate::relayout::{Elements, fill, in_order, output_region, packed_region, pattern, unpack};
use crate::shader::Shader;

/// The most inputs; where there are fewer, the shader sees the first one in their place.
const INPUTS: usize = 3;

/// The bindings of the inputs.
const BINDINGS: [u32; INPUTS] = [0, 2, 3];

/// A compiled function of the elements in one place.
#[derive(Debug)]
pub(crate) struct ElementwiseKernel {
    function: Function,
    inputs: Vec<Named>,
    output: Named,
}

impl ElementwiseKernel {
    pub(crate) fn new(view: &Elementwise<'_>) -> Self {
        Self {
            function: view.function,
            inputs: view.inputs.iter().map(|&(name, tensor)| (name, tensor.clone())).collect(),
            output: ("OutputTensor", view.output.clone()),
        }
    }

    /// The program with the regions of the inputs and of the output.
    fn program(&self, limits: Limits) -> Result<(Program, Vec<RegionId>, RegionId), TooLarge> {
        let output = Layout::new(self.output.0, &self.output.1)?;
        let mut program = Program::new(limits);
        let target = output_region(&mut program, &output)?;
        let mut regions = Vec::new();
        let mut inputs = Vec::new();
        for (name, tensor) in &self.inputs {
            let layout = Layout::new(name, tensor)?;
            let region = program.region(layout.span * layout.width, Transfer::Upload)?;
            regions.push(region);
            inputs.push(in_order(&mut program, region, &layout)?);
        }
        let packed = packed_region(&mut program, target, &output)?;
        if let Function::Fill(value) = self.function {
            fill(&mut program, packed, &output, pattern(&output, halves(value)))?;
            unpack(&mut program, packed, target, &output)?;
            return Ok((program, regions, target));
        }
        self.work_out(&mut program, &inputs, packed, &output)?;
        unpack(&mut program, packed, target, &output)?;
        Ok((program, regions, target))
    }

    /// The bounds between which elements are brought, as the shader has elements: those of fewer than 64 bits at the upper end.
    fn bounds(&self) -> [[u32; 2]; 2] {
        let Function::Clip { min, max } = self.function else { return [[0; 2]; 2] };
        let above = 64 - 8 * self.output.1.data_type.bytes();
        [min, max].map(|bound| halves(bound << above))
    }

    /// Adds passes that write packed output.
    fn work_out(
        &self,
        program: &mut Program,
        inputs: &[Elements],
        packed: RegionId,
        output: &Layout,
    ) -> Result<(), TooLarge> {
        let seen: [Elements; INPUTS] = std::array::from_fn(|input| inputs.get(input).copied().unwrap_or(inputs[0]));
        let widest = seen.iter().map(|input| input.width).fold(output.width, u64::max);
        let kind = key::kind_with_nan(self.inputs[0].1.data_type);
        // A multiple of four, so that each window of the output begins with a word.
        let most = program.bindable_anywhere() / widest;
        for first in (0..output.elements).step_by(most as usize) {
            let range = first..(first + most).min(output.elements);
            let parts = seen.map(|input| program.part_of(input.region, &range, input.width));
            let (stored, stored_base) = program.part_of(packed, &range, output.width);
            let count = range.end - range.start;
            let mut constants = vec![word(count), kind];
            constants.extend(seen.map(|input| word(input.width)));
            constants.extend(parts.map(|(_, base)| base));
            constants.extend([word(output.width), stored_base]);
            constants.extend(self.bounds().into_iter().flatten());
            let mut bindings: Vec<_> =
                std::iter::zip(BINDINGS, parts).map(|(binding, (part, _))| (binding, part)).collect();
            bindings.push((1, stored));
            program.pass(shader(self.function), bindings, constants, count.div_ceil((WORD / output.width).max(1)))?;
        }
        Ok(())
    }
}

/// The lower and the upper word of 64 bits.
pub(crate) const fn halves(bits: u64) -> [u32; 2] {
    [bits as u32, (bits >> 32) as u32]
}

/// The shader of a function that has one of its own.
const fn shader(function: Function) -> Shader {
    match function {
        Function::Equals => Shader::ElementwiseEquals,
        Function::Greater => Shader::ElementwiseGreater,
        Function::Less => Shader::ElementwiseLess,
        Function::GreaterOrEqual => Shader::ElementwiseGreaterOrEqual,
        Function::LessOrEqual => Shader::ElementwiseLessOrEqual,
        Function::And => Shader::ElementwiseAnd,
        Function::Or => Shader::ElementwiseOr,
        Function::Xor => Shader::ElementwiseXor,
        Function::Not => Shader::ElementwiseNot,
        Function::IsNan => Shader::ElementwiseIsNan,
        Function::IsInfinity { positive: true, negative: true } => Shader::ElementwiseIsInfinity,
        Function::IsInfinity { positive: true, .. } => Shader::ElementwiseIsPositiveInfinity,
        Function::IsInfinity { .. } => Shader::ElementwiseIsNegativeInfinity,
        Function::If => Shader::ElementwiseIf,
        Function::Max => Shader::ElementwiseMax,
        Function::Min => Shader::ElementwiseMin,
        Function::BitAnd => Shader::ElementwiseBitAnd,
        Function::BitOr => Shader::ElementwiseBitOr,
        Function::BitXor => Shader::ElementwiseBitXor,
        Function::BitNot => Shader::ElementwiseBitNot,
        Function::BitCount => Shader::ElementwiseBitCount,
        Function::ShiftLeft => Shader::ElementwiseShiftLeft,
        Function::ShiftRight => Shader::ElementwiseShiftRight,
        Function::Clip { .. } => Shader::ElementwiseClip,
        // No shader of elements: one of blocks.
        Function::Fill(_) => Shader::Fill,
    }
}

impl Kernel for ElementwiseKernel {
    fn run(&self, device: &mut Device, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (program, regions, target) = self.program(device.limits()).map_err(too_large)?;
        let uploads = std::iter::zip(regions, &self.inputs);
        let uploads = uploads.map(|(region, named)| Ok((region, input_of(inputs, named)?)));
        let uploads = uploads.collect::<Result<Vec<_>, Fault>>()?;
        run(device, &program, &uploads, (target, output_of(outputs, &self.output)?))
    }
}
