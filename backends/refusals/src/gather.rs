//! The rules of `directml/gather` (the page of DML_GATHER_OPERATOR_DESC).

use opcert_backend::DataType::U32;
use opcert_backend::operators::Gather;
use opcert_backend::{CompileError, Descriptor};

use crate::level::Level;
use crate::rejection::broken;
use crate::support::{
    FLOATS_TO_32_BITS, INDEX_TYPES, Row, VALUES_TO_32_BITS, VALUES_TO_64_BITS, axis_in_range, output_has,
    same_dimension_count, same_type,
};
use crate::tensor::{self, Tensor};

/// The parts of a valid `directml/gather`, with the axis as a dimension of the input and the number of dimensions of indices.
///
/// Whether dimensions of indices that do not count may have another size than 1 is open; they are let pass.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn gather(descriptor: &Descriptor) -> Result<(Gather<'_>, usize, usize), CompileError> {
    let level = Level::of(descriptor, ("1_0", Level::L1_0), "directml/gather/tensor-support")?;
    let view = Gather::try_from(descriptor)?;
    let input = Tensor::input("InputTensor", view.input);
    let indices = Tensor::input("IndicesTensor", view.indices);
    let output = Tensor::output("OutputTensor", view.output);
    tensor::check(&[input, indices, output], level)?;

    let (index_row, value_row) = support(level);
    value_row.check("directml/gather/tensor-support", &input)?;
    index_row.check("directml/gather/tensor-support", &indices)?;
    value_row.check("directml/gather/tensor-support", &output)?;
    same_dimension_count("directml/gather/same-dimension-count", &input, &indices)?;
    same_dimension_count("directml/gather/same-dimension-count", &input, &output)?;
    same_type("directml/gather/same-type", &input, &output)?;
    let count = input.descriptor.sizes.len();
    let axis = axis_in_range("directml/gather/axis-in-range", view.axis, count)?;
    let index_dimensions = usize::try_from(view.index_dimensions).ok().filter(|&number| number <= count);
    let index_dimensions = index_dimensions.ok_or_else(|| {
        let reason = format!("`IndexDimensions` is {}, expected 0 to {count}", view.index_dimensions);
        broken("directml/gather/index-dimensions", reason)
    })?;
    output_sizes(&view, axis, index_dimensions)?;
    Ok((view, axis, index_dimensions))
}

/// The rows for Indices, and for Input and Output.
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

/// Checks that the output has the sizes of the input with those of the indices in place of the axis; one dimension that is
/// missing then is a 1 in front, and those that are too many are ones of the input in front of the axis.
fn output_sizes(view: &Gather<'_>, axis: usize, index_dimensions: usize) -> Result<(), CompileError> {
    const REQUIREMENT: &str = "directml/gather/output-sizes";
    let (input, indices) = (&view.input.sizes, &view.indices.sizes);
    let crowded_out = index_dimensions.saturating_sub(1);
    if crowded_out > axis || input[..crowded_out].iter().any(|&size| size != 1) {
        let reason = format!(
            "`IndexDimensions` is {index_dimensions}, which crowds {crowded_out} sizes of `InputTensor` out, expected ones \
             before the axis {axis}"
        );
        return Err(broken(REQUIREMENT, reason));
    }
    let added = if index_dimensions == 0 { &[1][..] } else { &[] };
    let picked = &indices[indices.len() - index_dimensions..];
    let expected = [added, &input[crowded_out..axis], picked, &input[axis + 1..]].concat();
    output_has(REQUIREMENT, &expected, view.output)
}
