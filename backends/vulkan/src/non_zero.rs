//! NonZero, of ONNX and of OpenVINO.
//!
//! The search lists elements by their positions; then, one dimension after the other, their coordinates are written
//! into a row of the output. How many there are follows from values: where others than the stated sizes come out, these
//! are told, and the output stays as it was.

use opcert_backend::{Fault, Input, Output};
use opcert_refusals::NonZero;

use crate::binding::{Named, input_of, output_of};
use crate::device::Device;
use crate::kernel::{Kernel, too_large};
use crate::layout::{Dimension, Layout};
use crate::listing::{Listing, MOST_COUNTED_AGAIN, Rows};
use crate::options::Limits;
use crate::program::{Program, RegionId, TooLarge, Transfer, WORD, word};
use crate::relayout::{output_region, packed_region, unpack, words};
use crate::shader::Shader;

/// A compiled NonZero.
#[derive(Debug)]
pub(crate) struct NonZeroKernel {
    input: Named,
    output: Named,
}

/// The regions of the tensors in a program.
#[derive(Clone, Copy, Debug)]
struct Regions {
    input: RegionId,
    count: RegionId,
    /// `None` where nothing can come out that has the stated sizes.
    output: Option<RegionId>,
}

/// An output of sizes that can come out.
#[derive(Clone, Debug)]
struct Stated {
    layout: Layout,
    /// For how many elements.
    columns: u64,
}

impl NonZeroKernel {
    pub(crate) fn new(view: &NonZero<'_>) -> Self {
        let (input, output) = (view.input, view.output);
        Self { input: (input.0, input.1.clone()), output: (output.0, output.1.clone()) }
    }

    fn program(&self, limits: Limits) -> Result<(Program, Regions), TooLarge> {
        let input = Layout::new(self.input.0, &self.input.1)?;
        let stated = self.stated(&input)?;
        let mut program = Program::new(limits);
        let mut regions = Regions {
            input: program.region(input.span * input.width, Transfer::Upload)?,
            count: program.region(WORD, Transfer::Download)?,
            output: None,
        };
        if let Some(Stated { layout, .. }) = &stated {
            regions.output = Some(output_region(&mut program, layout)?);
        }
        if input.elements == 0 {
            return Ok((program, regions));
        }
        // No more is listed than there is room for in the output: what lies behind is only counted.
        let span = stated.as_ref().map_or(0, |stated| stated.columns);
        let room = span.max(input.elements.min(MOST_COUNTED_AGAIN));
        let positions = program.region(room * WORD, Transfer::Scratch)?;
        let listing = Listing {
            input: regions.input,
            data_type: self.input.1.data_type,
            layout: &input,
            // In one dimension an element's coordinate is its position.
            dimensions: &[Dimension { size: word(input.elements), strides: [1] }],
            count: regions.count,
            rows: Rows { region: positions, columns: 1, row_stride: 1, column_stride: 0, span },
        };
        listing.add_to(&mut program)?;
        if let (Some(stated), Some(output)) = (&stated, regions.output) {
            let packed = packed_region(&mut program, output, &stated.layout)?;
            write(&mut program, [positions, packed], &input, stated)?;
            unpack(&mut program, packed, output, &stated.layout)?;
        }
        Ok((program, regions))
    }

    /// The output, if its sizes can come out: a row per dimension, and no more columns than elements.
    fn stated(&self, input: &Layout) -> Result<Option<Stated>, TooLarge> {
        match self.output.1.sizes[..] {
            [rows, columns] if rows == input.dimensions.len() as u64 && columns <= input.elements => {
                Ok(Some(Stated { layout: Layout::new(self.output.0, &self.output.1)?, columns }))
            }
            _ => Ok(None),
        }
    }
}

/// Adds passes that write the coordinates of as many elements as are stated, a packed row per dimension. Where fewer
/// are listed, the rest is anything, and nobody reads it.
fn write(
    program: &mut Program,
    [positions, packed]: [RegionId; 2],
    input: &Layout,
    stated: &Stated,
) -> Result<(), TooLarge> {
    let (columns, width) = (stated.columns, stated.layout.width);
    let most = program.bindable_anywhere() / width;
    let mut inner = 1;
    for (number, dimension) in input.dimensions.iter().enumerate().rev() {
        let row = number as u64 * columns;
        for first in (0..columns).step_by(most as usize) {
            let read = first..(first + most).min(columns);
            let count = read.end - read.start;
            let (listed, position_base) = program.part_of(positions, &read, WORD);
            let (target, coordinate_base) = program.part_of(packed, &(row + read.start..row + read.end), width);
            let mut constants = vec![word(count), inner, dimension.size];
            constants.extend([position_base, coordinate_base, word(words(width))]);
            program.pass(Shader::Coordinates, vec![(0, listed), (1, target)], constants, count)?;
        }
        inner *= dimension.size;
    }
    Ok(())
}

impl Kernel for NonZeroKernel {
    fn run(&self, device: &mut Device, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (program, regions) = self.program(device.limits()).map_err(too_large)?;
        let input = input_of(inputs, &self.input)?;
        let output = match regions.output {
            Some(region) => Some((region, output_of(outputs, &self.output)?)),
            None => None,
        };
        let mut uploads = vec![(regions.input, input)];
        if let Some((region, bytes)) = &output
            && program.regions[region.0].transfer.uploads()
        {
            uploads.push((*region, &**bytes));
        }
        device.run(&program, &uploads)?;
        let mut count = [0; WORD as usize];
        // Without elements there are no passes, and nothing was counted.
        if !program.passes.is_empty() {
            device.read(regions.count, &mut count);
        }
        let sizes = vec![self.input.1.sizes.len() as u64, u64::from(u32::from_le_bytes(count))];
        if sizes != self.output.1.sizes {
            return Err(Fault::OtherSizes { tensor: self.output.0.to_owned(), sizes });
        }
        if let Some((region, bytes)) = output {
            device.read(region, bytes);
        }
        Ok(())
    }
}
