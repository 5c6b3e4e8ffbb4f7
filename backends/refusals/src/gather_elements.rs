//! The rules of `directml/gather_elements` (the page of DML_GATHER_ELEMENTS_OPERATOR_DESC).

use opcert_backend::DataType::U32;
use opcert_backend::operators::GatherElements;
use opcert_backend::{CompileError, Descriptor};

use crate::level::Level;
use crate::support::{
    INDEX_TYPES, Row, VALUES_TO_32_BITS, VALUES_TO_64_BITS, axis_in_range, same_dimension_count, same_sizes, same_type,
};
use crate::tensor::{self, Tensor};

/// The parts of a valid `directml/gather_elements`, with the axis as a dimension of the tensors.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn gather_elements(descriptor: &Descriptor) -> Result<(GatherElements<'_>, usize), CompileError> {
    let level = Level::of(descriptor, ("2_1", Level::L2_1), "directml/gather_elements/introduced")?;
    let view = GatherElements::try_from(descriptor)?;
    let input = Tensor::input("InputTensor", view.input);
    let indices = Tensor::input("IndicesTensor", view.indices);
    let output = Tensor::output("OutputTensor", view.output);
    tensor::check(&[input, indices, output], level)?;

    let (index_row, value_row) = support(level);
    value_row.check("directml/gather_elements/tensor-support", &input)?;
    index_row.check("directml/gather_elements/tensor-support", &indices)?;
    value_row.check("directml/gather_elements/tensor-support", &output)?;
    same_dimension_count("directml/gather_elements/same-dimension-count", &input, &indices)?;
    same_dimension_count("directml/gather_elements/same-dimension-count", &input, &output)?;
    same_type("directml/gather_elements/same-type", &input, &output)?;
    let axis = axis_in_range("directml/gather_elements/axis-in-range", view.axis, input.descriptor.sizes.len())?;
    same_sizes("directml/gather_elements/indices-sizes", &input, &indices, Some(axis))?;
    same_sizes("directml/gather_elements/output-sizes", &indices, &output, None)?;
    Ok((view, axis))
}

/// The rows for Indices, and for Input and Output.
fn support(level: Level) -> (Row, Row) {
    let (dimensions, indices, values): (_, &[_], _) = if level >= Level::L4_1 {
        (1..=8, INDEX_TYPES, VALUES_TO_64_BITS)
    } else if level >= Level::L3_0 {
        (1..=8, INDEX_TYPES, VALUES_TO_32_BITS)
    } else {
        (4..=4, &[U32], VALUES_TO_32_BITS)
    };
    (Row { dimensions: dimensions.clone(), types: indices }, Row { dimensions, types: values })
}
