//! Elements picked along an axis by indices that a tensor holds.
//!
//! Indices become distances along the axis, one for each element of the output. An index that points at none is taken for the
//! first: what comes out may be anything, and nothing outside of the tensor is read.

use opcert_backend::operators::{Gather, GatherElements};
use opcert_backend::{Fault, Input, Output, TensorDescriptor};

use crate::binding::{Named, input_of, output_of};
use crate::device::Device;
use crate::index;
use crate::kernel::{Kernel, run, too_large};
use crate::layout::{Dimension, Layout};
use crate::options::Limits;
use crate::picking::Picking;
use crate::program::{Program, RegionId, TooLarge, Transfer};
use crate::relayout::output_region;

/// A compiled gather along an axis.
#[derive(Debug)]
pub(crate) struct GatherKernel {
    input: Named,
    indices: Named,
    output: Named,
    axis: usize,
    /// How many dimensions of the indices stand in the output in place of the axis. `None` where indices have the
    /// dimensions of the output.
    index_dimensions: Option<usize>,
}

/// The regions of the tensors in a program.
#[derive(Clone, Copy, Debug)]
struct Regions {
    input: RegionId,
    indices: RegionId,
    output: RegionId,
}

impl GatherKernel {
    /// `directml/gather_elements`: the indices have the sizes of the output.
    pub(crate) fn elements(view: &GatherElements<'_>, axis: usize) -> Self {
        Self::new([view.input, view.indices, view.output], axis, None)
    }

    /// `directml/gather`: the last dimensions of the indices stand in the output where the input has the axis.
    pub(crate) fn slices(view: &Gather<'_>, axis: usize, index_dimensions: usize) -> Self {
        Self::new([view.input, view.indices, view.output], axis, Some(index_dimensions))
    }

    fn new([input, indices, output]: [&TensorDescriptor; 3], axis: usize, index_dimensions: Option<usize>) -> Self {
        Self {
            input: ("InputTensor", input.clone()),
            indices: ("IndicesTensor", indices.clone()),
            output: ("OutputTensor", output.clone()),
            axis,
            index_dimensions,
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
        let (kept, of_indices) = self.distances(&input, &indices, &output);
        let spread = Layout { dimensions: of_indices, elements: output.elements, ..indices };
        let along = input.dimensions[self.axis];
        let found = index::distances(&mut program, regions.indices, (&spread, self.indices.1.data_type), along)?;
        let picking = Picking { source: regions.input, from: &input, kept, reduced: Vec::new() };
        picking.add_to(&mut program, found, regions.output, &output)?;
        Ok((program, regions))
    }

    /// The dimensions of the output with the distances that they mean in the input, and in the indices.
    fn distances(&self, input: &Layout, indices: &Layout, output: &Layout) -> (Vec<Dimension<1>>, Vec<Dimension<1>>) {
        let strides = |layout: &Layout| layout.dimensions.iter().map(|dimension| dimension.strides[0]).collect();
        let mut kept: Vec<u32> = strides(input);
        let mut of_indices: Vec<u32> = strides(indices);
        match self.index_dimensions {
            None => kept[self.axis] = 0,
            Some(number) => {
                let behind = kept.len() - self.axis - 1;
                kept.splice(self.axis..=self.axis, vec![0; number]);
                of_indices.drain(..of_indices.len() - number);
                of_indices.extend(vec![0; behind]);
            }
        }
        // What is cropped separates no elements: the last dimensions belong together.
        let of_output = |strides: Vec<u32>| {
            let missing = output.dimensions.len().saturating_sub(strides.len());
            let surplus = strides.len().saturating_sub(output.dimensions.len());
            let strides = std::iter::repeat_n(0, missing).chain(strides.into_iter().skip(surplus));
            let dimensions = std::iter::zip(&output.dimensions, strides);
            dimensions.map(|(&Dimension { size, .. }, stride)| Dimension { size, strides: [stride] }).collect()
        };
        (of_output(kept), of_output(of_indices))
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
