//! Channels laid out as blocks of rows and columns, and back: a copy in the order of the output.

use opcert_backend::{Fault, Input, Output, TensorDescriptor};
use opcert_refusals::DepthSpaceBlocks;

use crate::binding::{Named, input_of, output_of};
use crate::device::Device;
use crate::kernel::{Kernel, run, too_large};
use crate::layout::{Dimension, Layout};
use crate::relayout::moving;

/// A compiled `directml/depth_to_space1` or `directml/space_to_depth1`.
#[derive(Debug)]
pub(crate) struct DepthSpaceKernel {
    input: Named,
    output: Named,
    to_space: bool,
    channels_first: bool,
    block: u64,
    /// Batches, channels of space, rows and columns of blocks.
    sizes: [u64; 4],
}

impl DepthSpaceKernel {
    pub(crate) fn new(blocks: &DepthSpaceBlocks<'_>) -> Self {
        let DepthSpaceBlocks { depth, space, to_space, block, channels_first } = *blocks;
        let (input, output): (&TensorDescriptor, _) = if to_space { (depth, space) } else { (space, depth) };
        Self {
            input: ("InputTensor", input.clone()),
            output: ("OutputTensor", output.clone()),
            to_space,
            channels_first,
            block,
            sizes: [depth.sizes[0], space.sizes[1], depth.sizes[2], depth.sizes[3]],
        }
    }

    /// The dimensions of the output, taken apart where blocks are, with the distances that they mean in the input.
    fn dimensions(&self, input: &Layout) -> Vec<Dimension<1>> {
        // None of these numbers is greater than a size of one of the tensors, and all of those fit.
        let [batches, channels, rows, columns] = self.sizes.map(|size| size as u32);
        let block = self.block as u32;
        let strides: [u32; 4] = std::array::from_fn(|at| input.dimensions[at].strides[0]);
        let [batch, channel, row, column] = strides;
        let dimension = |size, stride| Dimension { size, strides: [if size == 1 { 0 } else { stride }] };
        if self.to_space {
            let (channel, in_rows, in_columns) = match self.channels_first {
                true => (block * block * channel, block * channel, channel),
                false => (channel, block * channels * channel, channels * channel),
            };
            vec![
                dimension(batches, batch),
                dimension(channels, channel),
                dimension(rows, row),
                dimension(block, in_rows),
                dimension(columns, column),
                dimension(block, in_columns),
            ]
        } else {
            let channel = dimension(channels, channel);
            let in_blocks = [dimension(block, row), dimension(block, column)];
            let mut dimensions = vec![dimension(batches, batch)];
            if self.channels_first {
                dimensions.push(channel);
                dimensions.extend(in_blocks);
            } else {
                dimensions.extend(in_blocks);
                dimensions.push(channel);
            }
            dimensions.extend([dimension(rows, block * row), dimension(columns, block * column)]);
            dimensions
        }
    }
}

impl Kernel for DepthSpaceKernel {
    fn run(&self, device: &mut Device, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let moved = moving(device.limits(), (&self.input, &self.output), |input| (0, self.dimensions(input)));
        let (program, source, target) = moved.map_err(too_large)?;
        let input = input_of(inputs, &self.input)?;
        run(device, &program, &[(source, input)], (target, output_of(outputs, &self.output)?))
    }
}
