//! The rules of `directml/tile` (the page of DML_TILE_OPERATOR_DESC).

use std::iter::zip;

use opcert_backend::operators::Tile;
use opcert_backend::{CompileError, Descriptor};

use crate::level::Level;
use crate::rejection::{broken, malformed};
use crate::support::{
    FLOATS_TO_32_BITS, Row, VALUES_TO_32_BITS, VALUES_WITH_64_BIT_INTEGERS, has_sizes, numbers_from, one_per_dimension,
    same_dimension_count, same_type,
};
use crate::tensor::{self, Tensor};

/// The parts of a valid `directml/tile`.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn tile(descriptor: &Descriptor) -> Result<Tile<'_>, CompileError> {
    let level = Level::of(descriptor, ("1_0", Level::L1_0), "directml/tile/introduced")?;
    let view = Tile::try_from(descriptor)?;
    let input = Tensor::input("InputTensor", view.input);
    let output = Tensor::output("OutputTensor", view.output);
    tensor::check(&[input, output], level)?;

    let row = support(level);
    row.check("directml/tile/tensor-support", &input)?;
    row.check("directml/tile/tensor-support", &output)?;
    same_dimension_count("directml/tile/same-dimension-count", &input, &output)?;
    same_type("directml/tile/same-type", &input, &output)?;
    let (count, dimensions) = (view.repeats.len(), view.input.dimension_count());
    if usize::try_from(view.repeats_count) != Ok(count) {
        return Err(malformed(format!("`RepeatsCount` is {}, expected {count}", view.repeats_count)));
    }
    one_per_dimension("directml/tile/repeats-count", ("Repeats", view.repeats), dimensions)?;
    let repeats = numbers_from(1, "directml/tile/repeats-positive", ("Repeats", view.repeats))?;
    let sizes = zip(&view.input.sizes, repeats).map(|(size, repeats)| size.checked_mul(repeats));
    let Some(expected) = sizes.collect::<Option<Vec<u64>>>() else {
        return Err(broken("directml/tile/output-sizes", "no tensor has a size beyond 64 bits".to_owned()));
    };
    has_sizes("directml/tile/output-sizes", &expected, ("OutputTensor", view.output))?;
    Ok(view)
}

/// The row for both tensors.
fn support(level: Level) -> Row {
    let (dimensions, types) = if level >= Level::L4_1 {
        (1..=8, VALUES_WITH_64_BIT_INTEGERS)
    } else if level >= Level::L3_1 {
        (1..=8, VALUES_TO_32_BITS)
    } else if level >= Level::L2_1 {
        (4..=4, VALUES_TO_32_BITS)
    } else {
        (4..=4, FLOATS_TO_32_BITS)
    };
    Row { dimensions, types }
}
