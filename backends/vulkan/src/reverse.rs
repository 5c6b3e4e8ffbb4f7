//! The first elements of sequences turned around.
//!
//! Lengths become distances along the axis, one for each element of the output, and the elements are picked there.

use opcert_backend::operators::ReverseSubsequences;
use opcert_backend::{Fault, Input, Output};

use crate::binding::{Named, input_of, output_of};
use crate::device::Device;
use crate::kernel::{Kernel, run, too_large};
use crate::layout::{Dimension, Layout};
use crate::options::Limits;
use crate::picking::Picking;
use crate::program::{Program, RegionId, TooLarge, Transfer, WORD, word};
use crate::relayout::{Elements, in_order, output_region};
use crate::shader::Shader;

/// A compiled `directml/reverse_subsequences`.
#[derive(Debug)]
pub(crate) struct ReverseKernel {
    input: Named,
    lengths: Named,
    output: Named,
    axis: usize,
}

/// The regions of the tensors in a program.
#[derive(Clone, Copy, Debug)]
struct Regions {
    input: RegionId,
    lengths: RegionId,
    output: RegionId,
}

impl ReverseKernel {
    pub(crate) fn new(view: &ReverseSubsequences<'_>, axis: usize) -> Self {
        Self {
            input: ("InputTensor", view.input.clone()),
            lengths: ("SequenceLengthsTensor", view.lengths.clone()),
            output: ("OutputTensor", view.output.clone()),
            axis,
        }
    }

    fn program(&self, limits: Limits) -> Result<(Program, Regions), TooLarge> {
        let input = Layout::new(self.input.0, &self.input.1)?;
        let lengths = Layout::new(self.lengths.0, &self.lengths.1)?;
        let output = Layout::new(self.output.0, &self.output.1)?;
        let mut program = Program::new(limits);
        let regions = Regions {
            input: program.region(input.span * input.width, Transfer::Upload)?,
            lengths: program.region(lengths.span * lengths.width, Transfer::Upload)?,
            output: output_region(&mut program, &output)?,
        };
        // The length of its sequence for each element: along the axis it is the same.
        let mut spread = lengths;
        spread.dimensions[self.axis] = Dimension { size: output.dimensions[self.axis].size, strides: [0] };
        spread.elements = output.elements;
        let mut kept = input.dimensions.clone();
        let along = std::mem::take(&mut kept[self.axis].strides);
        let found = self.found(&mut program, regions.lengths, &spread, along[0])?;
        let picking = Picking { source: regions.input, from: &input, kept, reduced: Vec::new() };
        picking.add_to(&mut program, found, regions.output, &output)?;
        Ok((program, regions))
    }

    /// Adds passes that turn the lengths into distances along the axis.
    fn found(
        &self,
        program: &mut Program,
        region: RegionId,
        lengths: &Layout,
        stride: u32,
    ) -> Result<RegionId, TooLarge> {
        let depth = lengths.dimensions[self.axis].size;
        let inner: u32 = lengths.dimensions[self.axis + 1..].iter().map(|dimension| dimension.size).product();
        let Elements { region: source, width } = in_order(program, region, lengths)?;
        let found = program.region(lengths.elements * WORD, Transfer::Scratch)?;
        let most = program.bindable_anywhere() / width;
        for first in (0..lengths.elements).step_by(most as usize) {
            let range = first..(first + most).min(lengths.elements);
            let source = program.window_of(source, &range, width);
            let (target, distance_base) = program.part_of(found, &range, WORD);
            let count = range.end - range.start;
            let constants = vec![word(count), word(first), word(width), depth, inner, stride, distance_base];
            program.pass(Shader::Turn, vec![(0, source), (1, target)], constants, count)?;
        }
        Ok(found)
    }
}

impl Kernel for ReverseKernel {
    fn run(&self, device: &mut Device, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (program, regions) = self.program(device.limits()).map_err(too_large)?;
        let (input, lengths) = (input_of(inputs, &self.input)?, input_of(inputs, &self.lengths)?);
        let uploads = [(regions.input, input), (regions.lengths, lengths)];
        run(device, &program, &uploads, (regions.output, output_of(outputs, &self.output)?))
    }
}
