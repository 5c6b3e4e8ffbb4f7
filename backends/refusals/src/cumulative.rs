//! The rules of `directml/cumulative_summation` (the page of DML_CUMULATIVE_SUMMATION_OPERATOR_DESC).

use opcert_backend::DataType::{F16, F32, I32, I64, U32, U64};
use opcert_backend::operators::{AXIS_DIRECTION_DECREASING, AXIS_DIRECTION_INCREASING, CumulativeSummation};
use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

use crate::level::Level;
use crate::rejection::malformed;
use crate::support::{NUMBERS_OF_32_BITS, Row, axis_in_range, same_dimension_count, same_sizes, same_type};
use crate::tensor::{self, Tensor};

/// The parts of a valid operator that adds up elements on their way.
#[derive(Clone, Copy, Debug)]
pub struct Cumulative<'a> {
    /// What is added up.
    pub input: &'a TensorDescriptor,
    /// The sums, in the places of the elements with which they end.
    pub output: &'a TensorDescriptor,
    /// The dimension along which elements are added up.
    pub axis: usize,
    /// Whether the last element comes first.
    pub backwards: bool,
    /// Whether an element is left out of its own sum.
    pub exclusive: bool,
}

/// The parts of a valid `directml/cumulative_summation`.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn cumulative_summation(descriptor: &Descriptor) -> Result<Cumulative<'_>, CompileError> {
    let level = Level::of(descriptor, ("2_1", Level::L2_1), "directml/cumulative_summation/introduced")?;
    let view = CumulativeSummation::try_from(descriptor)?;
    let input = Tensor::input("InputTensor", view.input);
    let output = Tensor::output("OutputTensor", view.output);
    tensor::check(&[input, output], level)?;

    let dimensions = if level < Level::L4_0 { 4..=4 } else { 1..=8 };
    let types = if level < Level::L5_0 { NUMBERS_OF_32_BITS } else { &[F32, F16, I64, I32, U64, U32] };
    let row = Row { dimensions, types };
    row.check("directml/cumulative_summation/tensor-support", &input)?;
    row.check("directml/cumulative_summation/tensor-support", &output)?;
    same_type("directml/cumulative_summation/same-type", &input, &output)?;
    same_dimension_count("directml/cumulative_summation/same-dimension-count", &input, &output)?;
    let dimensions = view.input.dimension_count();
    let axis = axis_in_range("directml/cumulative_summation/axis-in-range", view.axis, dimensions)?;
    same_sizes("directml/cumulative_summation/same-sizes", &input, &output, None)?;
    let backwards = match view.direction {
        AXIS_DIRECTION_INCREASING => false,
        AXIS_DIRECTION_DECREASING => true,
        other => return Err(malformed(format!("`AxisDirection` is `{other}`, which is no direction"))),
    };
    Ok(Cumulative { input: view.input, output: view.output, axis, backwards, exclusive: view.exclusive })
}
