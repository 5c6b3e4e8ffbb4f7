//! The rules of `directml/depth_to_space1` and `directml/space_to_depth1` (the pages of DML_DEPTH_TO_SPACE1_OPERATOR_DESC,
//! DML_SPACE_TO_DEPTH1_OPERATOR_DESC and DML_DEPTH_SPACE_ORDER).

use opcert_backend::operators::{COLUMN_ROW_DEPTH, DEPTH_COLUMN_ROW, DepthSpace};
use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

use crate::level::Level;
use crate::rejection::{broken, malformed};
use crate::support::{Row, VALUES_TO_32_BITS, VALUES_TO_64_BITS, has_sizes, same_type};
use crate::tensor::{self, Tensor};

/// The parts of either operator, whose tensors are depth and space.
#[derive(Clone, Copy, Debug)]
pub struct DepthSpaceBlocks<'a> {
    /// Many channels: those of all places in a block.
    pub depth: &'a TensorDescriptor,
    /// Many rows and columns: those of all blocks.
    pub space: &'a TensorDescriptor,
    /// Whether depth is read and space is written.
    pub to_space: bool,
    /// The rows and the columns of a block.
    pub block: u64,
    /// Whether the channels of depth are channels of space, rows of blocks and columns of blocks; otherwise they are rows of
    /// blocks, columns of blocks and channels of space.
    pub channels_first: bool,
}

/// The parts of a valid `directml/depth_to_space1` or `directml/space_to_depth1`.
///
/// Whether what is divided has to be a multiple is open; a remainder is let pass.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn depth_space(descriptor: &Descriptor) -> Result<DepthSpaceBlocks<'_>, CompileError> {
    let to_space = descriptor.operator == "directml/depth_to_space1";
    let id = |name: &str| format!("{}/{name}", descriptor.operator);
    let level = Level::of(descriptor, ("2_1", Level::L2_1), &id("introduced"))?;
    let view = DepthSpace::try_from(descriptor)?;
    let input = Tensor::input("InputTensor", view.input);
    let output = Tensor::output("OutputTensor", view.output);
    tensor::check(&[input, output], level)?;

    let types = if level >= Level::L5_0 { VALUES_TO_64_BITS } else { VALUES_TO_32_BITS };
    let row = Row { dimensions: 4..=4, types };
    row.check(&id("tensor-support"), &input)?;
    row.check(&id("tensor-support"), &output)?;
    same_type(&id("same-type"), &input, &output)?;
    let channels_first = match view.order {
        COLUMN_ROW_DEPTH => true,
        DEPTH_COLUMN_ROW => false,
        other => return Err(malformed(format!("`Order` is `{other}`"))),
    };
    let block = u64::try_from(view.block_size).ok().filter(|&block| block > 0);
    let expected = block.and_then(|block| output_sizes(&view.input.sizes, block, to_space));
    let (Some(block), Some(expected)) = (block, expected) else {
        let reason = format!("`BlockSize` is {}, with which there is no output", view.block_size);
        return Err(broken(&id("output-sizes"), reason));
    };
    has_sizes(&id("output-sizes"), &expected, ("OutputTensor", view.output))?;
    let (depth, space) = if to_space { (view.input, view.output) } else { (view.output, view.input) };
    Ok(DepthSpaceBlocks { depth, space, to_space, block, channels_first })
}

/// The sizes of the output for an input of four dimensions; `None` where they are beyond 64 bits.
fn output_sizes(input: &[u64], block: u64, to_space: bool) -> Option<[u64; 4]> {
    let area = block.checked_mul(block)?;
    Some(match to_space {
        true => [input[0], input[1] / area, input[2].checked_mul(block)?, input[3].checked_mul(block)?],
        false => [input[0], input[1].checked_mul(area)?, input[2] / block, input[3] / block],
    })
}
