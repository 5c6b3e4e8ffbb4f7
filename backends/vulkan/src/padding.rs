//! A tensor with something around it.
//!
//! Where each element of the output comes from is worked out along one dimension after the other, and the elements are picked there.
//! What comes from nowhere is the constant, with which the output is filled before.

use opcert_backend::{Fault, Input, Output};
use opcert_refusals::{Padding, Surrounding};

use crate::binding::{Named, input_of, output_of};
use crate::device::Device;
use crate::elementwise::halves;
use crate::kernel::{Kernel, run, too_large};
use crate::layout::{Dimension, Layout};
use crate::options::Limits;
use crate::picking::Picking;
use crate::program::{Program, RegionId, TooLarge, Transfer, WORD, word};
use crate::relayout::{fill, output_region, packed_region, pattern, unpack};
use crate::shader::Shader;

/// A compiled `directml/padding` or `directml/padding1`.
#[derive(Debug)]
pub(crate) struct PaddingKernel {
    input: Named,
    output: Named,
    surrounding: Surrounding,
    before: Vec<u64>,
}

impl PaddingKernel {
    pub(crate) fn new(padding: &Padding<'_>) -> Self {
        Self {
            input: ("InputTensor", padding.input.clone()),
            output: ("OutputTensor", padding.output.clone()),
            surrounding: padding.surrounding,
            before: padding.before.clone(),
        }
    }

    fn program(&self, limits: Limits) -> Result<(Program, RegionId, RegionId), TooLarge> {
        let input = Layout::new(self.input.0, &self.input.1)?;
        let output = Layout::new(self.output.0, &self.output.1)?;
        let mut program = Program::new(limits);
        let source = program.region(input.span * input.width, Transfer::Upload)?;
        let target = output_region(&mut program, &output)?;
        let packed = packed_region(&mut program, target, &output)?;
        if let Surrounding::Constant(bits) = self.surrounding {
            fill(&mut program, packed, &output, pattern(&output, halves(bits)))?;
        }
        let found = self.found(&mut program, &input, &output)?;
        // The distance is all that there is to an element.
        let kept = output.dimensions.iter().map(|dimension| Dimension { strides: [0], ..*dimension }).collect();
        let picking = Picking { source, from: &input, kept, reduced: Vec::new() };
        picking.pick(&mut program, found, packed, &output)?;
        unpack(&mut program, packed, target, &output)?;
        Ok((program, source, target))
    }

    /// Adds passes that find where each element of the output comes from.
    fn found(&self, program: &mut Program, input: &Layout, output: &Layout) -> Result<RegionId, TooLarge> {
        let surrounding = match self.surrounding {
            Surrounding::Constant(_) => 0,
            Surrounding::Edge => 1,
            Surrounding::Reflection => 2,
            Surrounding::Symmetric => 3,
        };
        let found = program.region(output.elements * WORD, Transfer::Scratch)?;
        let mut inner = 1;
        for (at, (from, to)) in std::iter::zip(&input.dimensions, &output.dimensions).enumerate().rev() {
            let is_first = at + 1 == output.dimensions.len();
            // One element alone comes from the first one, and adds nothing.
            if is_first || to.size > 1 {
                let along = [to.size, inner, from.size, word(self.before[at]), from.strides[0], u32::from(is_first)];
                for window in program.windows(output.elements, WORD) {
                    let distances = program.window_of(found, &window, WORD);
                    let count = window.end - window.start;
                    let mut constants = vec![word(count), word(window.start), 0, surrounding];
                    constants.extend(along);
                    program.pass(Shader::Around, vec![(1, distances)], constants, count)?;
                }
            }
            inner *= to.size;
        }
        Ok(found)
    }
}

impl Kernel for PaddingKernel {
    fn run(&self, device: &mut Device, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (program, source, target) = self.program(device.limits()).map_err(too_large)?;
        let input = input_of(inputs, &self.input)?;
        run(device, &program, &[(source, input)], (target, output_of(outputs, &self.output)?))
    }
}
