//! The rules of `directml/scatter_elements` (the page of DML_SCATTER_OPERATOR_DESC).

use opcert_backend::DataType::U32;
use opcert_backend::operators::ScatterElements;
use opcert_backend::{CompileError, Descriptor};

use crate::level::Level;
use crate::support::{
    FLOATS_TO_32_BITS, INDEX_TYPES, Row, VALUES_TO_32_BITS, VALUES_TO_64_BITS, axis_in_range, same_dimension_count,
    same_sizes, same_type,
};
use crate::tensor::{self, Tensor};

/// The parts of a valid `directml/scatter_elements`, with the axis as a dimension of the tensors.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn scatter_elements(descriptor: &Descriptor) -> Result<(ScatterElements<'_>, usize), CompileError> {
    let level = Level::of(descriptor, ("1_0", Level::L1_0), "directml/scatter_elements/tensor-support")?;
    let view = ScatterElements::try_from(descriptor)?;
    let input = Tensor::input("InputTensor", view.input);
    let indices = Tensor::input("IndicesTensor", view.indices);
    let updates = Tensor::input("UpdatesTensor", view.updates);
    let output = Tensor::output("OutputTensor", view.output);
    tensor::check(&[input, indices, updates, output], level)?;

    let (index_row, value_row) = support(level);
    value_row.check("directml/scatter_elements/tensor-support", &input)?;
    index_row.check("directml/scatter_elements/tensor-support", &indices)?;
    value_row.check("directml/scatter_elements/tensor-support", &updates)?;
    value_row.check("directml/scatter_elements/tensor-support", &output)?;
    for other in [&indices, &updates, &output] {
        same_dimension_count("directml/scatter_elements/same-dimension-count", &input, other)?;
    }
    for other in [&updates, &output] {
        same_type("directml/scatter_elements/same-type", &input, other)?;
    }
    let axis = axis_in_range("directml/scatter_elements/axis-in-range", view.axis, input.descriptor.sizes.len())?;
    same_sizes("directml/scatter_elements/indices-sizes", &input, &indices, Some(axis))?;
    same_sizes("directml/scatter_elements/updates-sizes", &indices, &updates, None)?;
    same_sizes("directml/scatter_elements/output-sizes", &input, &output, None)?;
    Ok((view, axis))
}

/// The rows for Indices, and for all else.
fn support(level: Level) -> (Row, Row) {
    let (dimensions, indices, values): (_, &[_], _) = if level >= Level::L4_1 {
        (1..=8, INDEX_TYPES, VALUES_TO_64_BITS)
    } else if level >= Level::L3_0 {
        (1..=8, INDEX_TYPES, VALUES_TO_32_BITS)
    } else if level >= Level::L2_1 {
        (4..=4, &[U32], VALUES_TO_32_BITS)
    } else {
        (4..=4, &[U32], FLOATS_TO_32_BITS)
    };
    (Row { dimensions: dimensions.clone(), types: indices }, Row { dimensions, types: values })
}
