//! Elements overwritten in a copy, each at an index of its own or in a block that a tuple of indices names.
//!
//! The input is copied, indices become distances in the output, and each update goes over the element that it is for.

use opcert_backend::{Fault, Input, Output};
use opcert_refusals::{Addressing, Scattering};

use crate::binding::{Named, input_of, output_of};
use crate::device::Device;
use crate::index;
use crate::kernel::{Kernel, run, too_large};
use crate::layout::Layout;
use crate::options::Limits;
use crate::program::{Program, RegionId, TooLarge, Transfer, WORD, word};
use crate::relayout::{move_in_order, output_region, packed_region, unpack, walked};
use crate::shader::Shader;

/// A compiled scatter.
#[derive(Debug)]
pub(crate) struct ScatterKernel {
    input: Named,
    indices: Named,
    updates: Named,
    output: Named,
    addressing: Addressing,
}

/// The regions of the tensors in a program.
#[derive(Clone, Copy, Debug)]
struct Regions {
    input: RegionId,
    indices: RegionId,
    updates: RegionId,
    output: RegionId,
}

impl ScatterKernel {
    pub(crate) fn new(scattering: &Scattering<'_>) -> Self {
        Self {
            input: ("InputTensor", scattering.input.clone()),
            indices: ("IndicesTensor", scattering.indices.clone()),
            updates: ("UpdatesTensor", scattering.updates.clone()),
            output: ("OutputTensor", scattering.output.clone()),
            addressing: scattering.addressing.clone(),
        }
    }

    fn program(&self, limits: Limits) -> Result<(Program, Regions), TooLarge> {
        let input = Layout::new(self.input.0, &self.input.1)?;
        let indices = Layout::new(self.indices.0, &self.indices.1)?;
        let updates = Layout::new(self.updates.0, &self.updates.1)?;
        let output = Layout::new(self.output.0, &self.output.1)?;
        let mut program = Program::new(limits);
        let regions = Regions {
            input: program.region(input.span * input.width, Transfer::Upload)?,
            indices: program.region(indices.span * indices.width, Transfer::Upload)?,
            updates: program.region(updates.span * updates.width, Transfer::Upload)?,
            output: output_region(&mut program, &output)?,
        };
        let packed = packed_region(&mut program, regions.output, &output)?;
        move_in_order(&mut program, regions.input, &input, &input.dimensions, packed)?;
        let of_indices = (&indices, self.indices.1.data_type);
        let named = output.packed(output.width).dimensions;
        let named = (&self.addressing, named.as_slice());
        let found = index::distances(&mut program, regions.indices, of_indices, named, &updates)?;
        self.write(&mut program, (regions.updates, &updates), found, (packed, &output))?;
        unpack(&mut program, packed, regions.output, &output)?;
        Ok((program, regions))
    }

    /// Adds passes that write the updates over packed elements of the output.
    fn write(
        &self,
        program: &mut Program,
        (region, updates): (RegionId, &Layout),
        found: RegionId,
        (packed, output): (RegionId, &Layout),
    ) -> Result<(), TooLarge> {
        let width = output.width;
        let source = if updates.is_packed() {
            region
        } else {
            let source = program.region(updates.elements * width, Transfer::Scratch)?;
            move_in_order(program, region, updates, &updates.dimensions, source)?;
            source
        };
        let walked = walked(&index::walked_in(&self.addressing, &output.packed(width).dimensions, updates))?;
        let most = program.bindable_anywhere() / width.max(WORD);
        for first in (0..updates.elements).step_by(most as usize) {
            let read = first..(first + most).min(updates.elements);
            let (source, source_base) = program.part_of(source, &read, width);
            let (found, found_base) = program.part_of(found, &read, WORD);
            for written in program.windows(output.elements, width) {
                let target = program.window_of(packed, &written, width);
                let count = read.end - read.start;
                let mut constants = vec![word(count), word(first), source_base, found_base, word(width)];
                constants.extend([word(written.start), word(written.end - written.start)]);
                constants.extend(walked);
                program.pass(Shader::Update, vec![(0, source), (1, target), (2, found)], constants, count)?;
            }
        }
        Ok(())
    }
}

impl Kernel for ScatterKernel {
    fn run(&self, device: &mut Device, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (program, regions) = self.program(device.limits()).map_err(too_large)?;
        let (input, indices) = (input_of(inputs, &self.input)?, input_of(inputs, &self.indices)?);
        let updates = input_of(inputs, &self.updates)?;
        let uploads = [(regions.input, input), (regions.indices, indices), (regions.updates, updates)];
        run(device, &program, &uploads, (regions.output, output_of(outputs, &self.output)?))
    }
}
