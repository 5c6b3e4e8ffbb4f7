//! Nonzero coordinates.
//!
//! The search writes rows of coordinates where they belong.

use opcert_backend::operators::NonzeroCoordinates;
use opcert_backend::{Fault, Input, Output};

use crate::binding::{Named, input_of, output_of};
use crate::device::Device;
use crate::kernel::{Kernel, too_large};
use crate::layout::Layout;
use crate::listing::{Listing, Rows};
use crate::options::Limits;
use crate::program::{Program, RegionId, TooLarge, Transfer, WORD};
use crate::relayout::output_region;

/// A compiled `directml/nonzero_coordinates`.
#[derive(Debug)]
pub(crate) struct NonzeroCoordinatesKernel {
    input: Named,
    count: Named,
    coordinates: Named,
}

/// The regions of the tensors in a program.
#[derive(Clone, Copy, Debug)]
struct Regions {
    input: RegionId,
    count: RegionId,
    coordinates: RegionId,
}

impl NonzeroCoordinatesKernel {
    pub(crate) fn new(view: &NonzeroCoordinates<'_>) -> Self {
        Self {
            input: ("InputTensor", view.input.clone()),
            count: ("OutputCountTensor", view.count.clone()),
            coordinates: ("OutputCoordinatesTensor", view.coordinates.clone()),
        }
    }

    fn program(&self, limits: Limits) -> Result<(Program, Regions), TooLarge> {
        let input = Layout::new(self.input.0, &self.input.1)?;
        let coordinates = Layout::new(self.coordinates.0, &self.coordinates.1)?;
        let [.., row, column] = coordinates.dimensions[..] else {
            return Err(TooLarge(format!("`{}` has fewer than two dimensions", self.coordinates.0)));
        };
        let mut program = Program::new(limits);
        let regions = Regions {
            input: program.region(input.span * input.width, Transfer::Upload)?,
            count: program.region(WORD, Transfer::Download)?,
            coordinates: output_region(&mut program, &coordinates)?,
        };
        let rows = Rows {
            region: regions.coordinates,
            columns: column.size,
            row_stride: row.strides[0],
            column_stride: column.strides[0],
            span: coordinates.span,
        };
        let listing = Listing {
            input: regions.input,
            data_type: self.input.1.data_type,
            layout: &input,
            dimensions: &input.dimensions,
            count: regions.count,
            rows,
        };
        listing.add_to(&mut program)?;
        Ok((program, regions))
    }
}

impl Kernel for NonzeroCoordinatesKernel {
    fn run(&self, device: &mut Device, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (program, regions) = self.program(device.limits()).map_err(too_large)?;
        let input = input_of(inputs, &self.input)?;
        let coordinates = output_of(outputs, &self.coordinates)?;
        let is_mixed = program.regions[regions.coordinates.0].transfer.uploads();
        let mut uploads = vec![(regions.input, input)];
        if is_mixed {
            uploads.push((regions.coordinates, &*coordinates));
        }
        device.run(&program, &uploads)?;
        let mut count = [0; WORD as usize];
        device.read(regions.count, &mut count);
        let columns = self.coordinates.1.sizes.last().copied().unwrap_or(0);
        let listed = u64::from(u32::from_le_bytes(count)) * columns * WORD;
        let length = if is_mixed { coordinates.len() } else { coordinates.len().min(listed as usize) };
        device.read(regions.coordinates, &mut coordinates[..length]);
        output_of(outputs, &self.count)?.copy_from_slice(&count);
        Ok(())
    }
}
