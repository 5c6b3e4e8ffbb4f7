//! Copies of a tensor side by side.

use std::iter::zip;

use opcert_backend::operators::Tile;
use opcert_backend::{CompileError, Descriptor};

use crate::rearrange::RearrangeOperator;
use crate::strided::{Dimension, Layout};

/// # Errors
///
/// [`CompileError::Unsupported`] when a tensor cannot be addressed.
pub(crate) fn tile(descriptor: &Descriptor, tile: &Tile<'_>) -> Result<RearrangeOperator, CompileError> {
    let from = Layout::new("InputTensor", tile.input)?;
    let to = Layout::new("OutputTensor", tile.output)?;
    // The output can be addressed: no number of copies is greater than one of its sizes.
    let moved = zip(tile.repeats, zip(&from.dimensions, &to.dimensions)).flat_map(|(&repeats, (from, to))| {
        let copies = Dimension { size: repeats as usize, strides: [0, from.size * to.strides[0]] };
        [copies, Dimension { size: from.size, strides: [from.strides[0], to.strides[0]] }]
    });
    Ok(RearrangeOperator::new(descriptor, tile.input.data_type, (&from, &to), &moved.collect::<Vec<_>>()))
}
