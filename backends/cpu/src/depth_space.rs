//! Channels laid out as blocks of rows and columns, and back.

use std::iter::zip;

use opcert_backend::{CompileError, Descriptor};
use opcert_refusals::DepthSpaceBlocks;

use crate::rearrange::RearrangeOperator;
use crate::strided::{Dimension, Layout};

/// # Errors
///
/// [`CompileError::Unsupported`] when a tensor cannot be addressed.
pub(crate) fn depth_space(
    descriptor: &Descriptor,
    blocks: &DepthSpaceBlocks<'_>,
) -> Result<RearrangeOperator, CompileError> {
    let (of_depth, of_space) = match blocks.to_space {
        true => ("InputTensor", "OutputTensor"),
        false => ("OutputTensor", "InputTensor"),
    };
    let depth = Layout::new(of_depth, blocks.depth)?;
    let space = Layout::new(of_space, blocks.space)?;
    // Both tensors can be addressed: none of these numbers is greater than one of their sizes.
    let block = blocks.block as usize;
    let [batches, _, rows, columns] = four(&depth);
    let [_, channels, of_rows, of_columns] = four(&space);
    let step = depth.dimensions[1].strides[0];
    let (channel, row_of_block, column_of_block) = match blocks.channels_first {
        true => (block * block * step, block * step, step),
        false => (step, block * channels.size * step, channels.size * step),
    };
    // Batches, channels, rows of blocks and rows in them, columns of blocks and columns in them.
    let sizes = [batches.size, channels.size, rows.size, block, columns.size, block];
    let [in_rows, in_columns] = [of_rows, of_columns].map(|dimension| dimension.strides[0]);
    let in_depth = [batches.strides[0], channel, rows.strides[0], row_of_block, columns.strides[0], column_of_block];
    let first_of_space = space.dimensions[0].strides[0];
    let in_space = [first_of_space, channels.strides[0], block * in_rows, in_rows, block * in_columns, in_columns];
    let moved = zip(sizes, zip(in_depth, in_space)).map(|(size, (depth, space))| {
        let strides = if blocks.to_space { [depth, space] } else { [space, depth] };
        Dimension { size, strides }
    });
    let (from, to) = if blocks.to_space { (&depth, &space) } else { (&space, &depth) };
    Ok(RearrangeOperator::new(descriptor, blocks.depth.data_type, (from, to), &moved.collect::<Vec<_>>()))
}

/// The dimensions of a tensor that has four.
fn four(layout: &Layout) -> [Dimension<1>; 4] {
    std::array::from_fn(|at| layout.dimensions[at])
}
