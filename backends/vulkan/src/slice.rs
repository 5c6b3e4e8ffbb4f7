//! Every so many elements of a window, forwards or backwards: a copy in the order of the output, from the first element of it on.

use std::iter::zip;

use opcert_backend::{Fault, Input, Output};
use opcert_refusals::Slice;

use crate::binding::{Named, input_of, output_of};
use crate::device::Device;
use crate::kernel::{Kernel, run, too_large};
use crate::layout::{Dimension, Layout};
use crate::relayout::moving;

/// A compiled `directml/slice1`.
#[derive(Debug)]
pub(crate) struct SliceKernel {
    input: Named,
    output: Named,
    /// The first place along each dimension, and how far it is from one to the next.
    along: Vec<(u64, i64)>,
}

impl SliceKernel {
    pub(crate) fn new(slice: &Slice<'_>) -> Self {
        Self {
            input: ("InputTensor", slice.input.clone()),
            output: ("OutputTensor", slice.output.clone()),
            along: zip(slice.first.iter().copied(), slice.steps.iter().copied()).collect(),
        }
    }

    /// The first element, and the dimensions of the output with the distances that they mean in the input.
    fn moved(&self, input: &Layout) -> (u32, Vec<Dimension<1>>) {
        let (mut first, mut dimensions) = (0, Vec::with_capacity(self.along.len()));
        for ((place, step), (from, size)) in zip(&self.along, zip(&input.dimensions, &self.output.1.sizes)) {
            // Positions within the input fit 32 bits, and modulo 2^32 all others come to the same.
            first += *place as u32 * from.strides[0];
            let stride = if *size == 1 { 0 } else { (*step as u32).wrapping_mul(from.strides[0]) };
            dimensions.push(Dimension { size: *size as u32, strides: [stride] });
        }
        (first, dimensions)
    }
}

impl Kernel for SliceKernel {
    fn run(&self, device: &mut Device, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let moved = moving(device.limits(), (&self.input, &self.output), |input| self.moved(input));
        let (program, source, target) = moved.map_err(too_large)?;
        let input = input_of(inputs, &self.input)?;
        run(device, &program, &[(source, input)], (target, output_of(outputs, &self.output)?))
    }
}
