//! The rules of `directml/one_hot` (`000_257a17ba323924f1.txt`; its English revision lacks the table for 4_1).

use std::iter::zip;

use opcert_backend::DataType::U32;
use opcert_backend::operators::OneHot;
use opcert_backend::{CompileError, Descriptor};

use crate::level::Level;
use crate::rejection::broken;
use crate::support::{
    FLOATS_TO_32_BITS, INDEX_TYPES, Row, VALUES_TO_32_BITS, VALUES_TO_64_BITS, axis_in_range, same_dimension_count,
    same_type,
};
use crate::tensor::{self, Tensor};

/// The parts of a valid `directml/one_hot`, with the axis as a dimension of the tensors.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn one_hot(descriptor: &Descriptor) -> Result<(OneHot<'_>, usize), CompileError> {
    let level = Level::of(descriptor, ("2_0", Level::L2_0), "directml/one_hot/introduced")?;
    let view = OneHot::try_from(descriptor)?;
    let indices = Tensor::input("IndicesTensor", view.indices);
    let values = Tensor::input("ValuesTensor", view.values);
    let output = Tensor::output("OutputTensor", view.output);
    tensor::check(&[indices, values, output], level)?;

    let (index_row, value_row) = support(level);
    index_row.check("directml/one_hot/tensor-support", &indices)?;
    value_row.check("directml/one_hot/tensor-support", &values)?;
    value_row.check("directml/one_hot/tensor-support", &output)?;
    same_dimension_count("directml/one_hot/same-dimension-count", &indices, &values)?;
    same_dimension_count("directml/one_hot/same-dimension-count", &indices, &output)?;
    same_type("directml/one_hot/same-value-type", &values, &output)?;
    let axis = axis_in_range("directml/one_hot/axis-in-range", view.axis, view.indices.sizes.len())?;
    sizes(&view, axis)?;
    values_at_least_two(&view)?;
    Ok((view, axis))
}

/// The rows for Indices, and for Values and Output.
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

fn sizes(view: &OneHot<'_>, axis: usize) -> Result<(), CompileError> {
    let along_axis = view.indices.sizes[axis];
    if along_axis != 1 {
        let reason = format!("`IndicesTensor.sizes[{axis}]` is {along_axis}, expected 1 along `Axis`");
        return Err(broken("directml/one_hot/indices-axis-size-one", reason));
    }
    let mut pairs = zip(&view.indices.sizes, &view.output.sizes).enumerate();
    match pairs.find(|&(dimension, (indices, output))| dimension != axis && indices != output) {
        None => Ok(()),
        Some((dimension, (indices, output))) => {
            let reason = format!(
                "`OutputTensor.sizes[{dimension}]` is {output}, expected {indices} as in `IndicesTensor`: `Axis` is \
                 {axis}"
            );
            Err(broken("directml/one_hot/sizes-match-off-axis", reason))
        }
    }
}

fn values_at_least_two(view: &OneHot<'_>) -> Result<(), CompileError> {
    let sizes = &view.values.sizes;
    if sizes.iter().any(|&size| size > 1) {
        return Ok(());
    }
    let reason = format!("`ValuesTensor.sizes` {sizes:?} are one element, expected at least 2");
    Err(broken("directml/one_hot/values-at-least-two", reason))
}
