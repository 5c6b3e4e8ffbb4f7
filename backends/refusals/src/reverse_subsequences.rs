//! The rules of `directml/reverse_subsequences` (the page of DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC).

use opcert_backend::DataType::{U32, U64};
use opcert_backend::operators::ReverseSubsequences;
use opcert_backend::{CompileError, Descriptor};

use crate::level::Level;
use crate::rejection::broken;
use crate::support::{
    Row, VALUES_TO_32_BITS, VALUES_TO_64_BITS, axis_in_range, same_dimension_count, same_sizes, same_type,
};
use crate::tensor::{self, Tensor};

/// The parts of a valid `directml/reverse_subsequences`, with the axis as a dimension of the tensors.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn reverse_subsequences(descriptor: &Descriptor) -> Result<(ReverseSubsequences<'_>, usize), CompileError> {
    let level = Level::of(descriptor, ("2_1", Level::L2_1), "directml/reverse_subsequences/introduced")?;
    let view = ReverseSubsequences::try_from(descriptor)?;
    let input = Tensor::input("InputTensor", view.input);
    let lengths = Tensor::input("SequenceLengthsTensor", view.lengths);
    let output = Tensor::output("OutputTensor", view.output);
    tensor::check(&[input, lengths, output], level)?;

    let (length_row, value_row) = support(level);
    value_row.check("directml/reverse_subsequences/tensor-support", &input)?;
    length_row.check("directml/reverse_subsequences/tensor-support", &lengths)?;
    value_row.check("directml/reverse_subsequences/tensor-support", &output)?;
    same_dimension_count("directml/reverse_subsequences/same-dimension-count", &input, &lengths)?;
    same_dimension_count("directml/reverse_subsequences/same-dimension-count", &input, &output)?;
    same_type("directml/reverse_subsequences/same-type", &input, &output)?;
    let axis = axis_in_range("directml/reverse_subsequences/axis-in-range", view.axis, input.descriptor.sizes.len())?;
    same_sizes("directml/reverse_subsequences/lengths-sizes", &input, &lengths, Some(axis))?;
    let along = view.lengths.sizes[axis];
    if along != 1 {
        let reason = format!("`SequenceLengthsTensor.sizes[{axis}]` is {along}, expected 1 along `Axis`");
        return Err(broken("directml/reverse_subsequences/length-per-subsequence", reason));
    }
    same_sizes("directml/reverse_subsequences/same-sizes", &input, &output, None)?;
    Ok((view, axis))
}

/// The rows for SequenceLengths, and for Input and Output.
fn support(level: Level) -> (Row, Row) {
    let (dimensions, lengths, values): (_, &[_], _) = if level >= Level::L5_0 {
        (1..=8, &[U64, U32], VALUES_TO_64_BITS)
    } else if level >= Level::L4_0 {
        (1..=8, &[U32], VALUES_TO_32_BITS)
    } else if level >= Level::L3_0 {
        (4..=5, &[U32], VALUES_TO_32_BITS)
    } else {
        (4..=4, &[U32], VALUES_TO_32_BITS)
    };
    (Row { dimensions: dimensions.clone(), types: lengths }, Row { dimensions, types: values })
}
