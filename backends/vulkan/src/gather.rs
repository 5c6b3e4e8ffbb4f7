//! Elements picked by indices that a tensor holds.
//!
//! Indices, or tuples of them, become distances in the input, which are brought to each element of the output that they are for. An
//! index that points at nothing is taken for the first: what comes out may be anything, and nothing outside of the tensor is read.

use opcert_backend::{Fault, Input, Output};
use opcert_refusals::{Addressing, Gathering};

use crate::binding::{Named, input_of, output_of};
use crate::device::Device;
use crate::index;
use crate::kernel::{Kernel, run, too_large};
use crate::layout::Layout;
use crate::options::Limits;
use crate::picking::Picking;
use crate::program::{Program, RegionId, TooLarge, Transfer};
use crate::relayout::output_region;

/// A compiled gather.
#[derive(Debug)]
pub(crate) struct GatherKernel {
    input: Named,
    indices: Named,
    output: Named,
    addressing: Addressing,
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
            addressing: gathering.addressing.clone(),
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
        let indexed = (&indices, self.indices.1.data_type);
        let named = (&self.addressing, input.dimensions.as_slice());
        let found = index::distances(&mut program, regions.indices, indexed, named, &output)?;
        let kept = index::walked_in(&self.addressing, &input.dimensions, &output);
        let picking = Picking { source: regions.input, from: &input, kept, reduced: Vec::new() };
        picking.add_to(&mut program, found, regions.output, &output)?;
        Ok((program, regions))
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
