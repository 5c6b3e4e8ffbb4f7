//! Elements picked by indices that a tensor holds.
//!
//! Indices, or tuples of them, become distances in the input, which are brought to each element of the output that they are for. An
//! index that points at nothing is taken for the first: what comes out may be anything, and nothing outside of the tensor is read.

use std::ops::Range;

use opcert_backend::{Fault, Input, Output};
use opcert_refusals::Gathering;

use crate::binding::{Named, input_of, output_of};
use crate::device::Device;
use crate::index;
use crate::kernel::{Kernel, run, too_large};
use crate::layout::{Dimension, Layout};
use crate::options::Limits;
use crate::picking::Picking;
use crate::program::{Program, RegionId, TooLarge, Transfer, WORD};
use crate::relayout::{in_order, output_region};

/// A compiled gather.
#[derive(Debug)]
pub(crate) struct GatherKernel {
    input: Named,
    indices: Named,
    output: Named,
    /// For each dimension of the output the one of the input that goes along with it, and the one of the indices.
    kept: Vec<[Option<usize>; 2]>,
    /// The dimensions of the input in which indices count.
    indexed: Range<usize>,
}

/// The regions of the tensors in a program.
#[derive(Clone, Copy, Debug)]
struct Regions {
    input: RegionId,
    indices: RegionId,
    output: RegionId,
}

impl GatherKernel {
    pub(crate) fn new(gathering: &Gathering<'_>) -> Self {
        Self {
            input: ("InputTensor", gathering.input.clone()),
            indices: ("IndicesTensor", gathering.indices.clone()),
            output: ("OutputTensor", gathering.output.clone()),
            kept: gathering.kept.clone(),
            indexed: gathering.indexed.clone(),
        }
    }

    fn program(&self, limits: Limits) -> Result<(Program, Regions), TooLarge> {
        let input = Layout::new(self.input.0, &self.input.1)?;
        let indices = Layout::new(self.indices.0, &self.indices.1)?;
        let output = Layout::new(self.output.0, &self.output.1)?;
        let mut program = Program::new(limits);
        let regions = Regions {
            input: program.region(input.span * input.width, Transfer::Upload)?,
            indices: program.region(indices.span * indices.width, Transfer::Upload)?,
            output: output_region(&mut program, &output)?,
        };
        let indexed = &input.dimensions[self.indexed.clone()];
        let found = index::distances(&mut program, regions.indices, (&indices, self.indices.1.data_type), indexed)?;
        // What is found for one tuple, or one index, stands in the place of the first of its indices.
        let tuples = indices.elements / indexed.len() as u64;
        let of_tuples = indices
            .packed(WORD)
            .dimensions
            .into_iter()
            .map(|Dimension { size, strides: [stride] }| Dimension { size, strides: [stride / indexed.len() as u32] });
        let of_tuples: Vec<Dimension<1>> = of_tuples.collect();
        let dimensions = self.of_output(&output, |[_, in_indices]| in_indices.map(|at| of_tuples[at].strides[0]));
        let spread = Layout { dimensions, elements: output.elements, span: tuples, width: WORD };
        let found = in_order(&mut program, found, &spread)?.region;
        let kept = self.of_output(&output, |[in_input, _]| in_input.map(|at| input.dimensions[at].strides[0]));
        let picking = Picking { source: regions.input, from: &input, kept, reduced: Vec::new() };
        picking.add_to(&mut program, found, regions.output, &output)?;
        Ok((program, regions))
    }

    /// The dimensions of the output with the distances that they mean in another tensor; none where it has no such dimension.
    fn of_output(&self, output: &Layout, stride: impl Fn([Option<usize>; 2]) -> Option<u32>) -> Vec<Dimension<1>> {
        let dimensions = std::iter::zip(&output.dimensions, &self.kept);
        dimensions
            .map(|(&Dimension { size, .. }, &kept)| Dimension { size, strides: [stride(kept).unwrap_or(0)] })
            .collect()
    }
}

impl Kernel for GatherKernel {
    fn run(&self, device: &mut Device, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (program, regions) = self.program(device.limits()).map_err(too_large)?;
        let (input, indices) = (input_of(inputs, &self.input)?, input_of(inputs, &self.indices)?);
        let uploads = [(regions.input, input), (regions.indices, indices)];
        run(device, &program, &uploads, (regions.output, output_of(outputs, &self.output)?))
    }
}
