//! The rules of `directml/slice1` (the page of DML_SLICE1_OPERATOR_DESC), and which element comes first along each dimension.

use std::iter::zip;

use opcert_backend::operators::Slice1;
use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

use crate::level::Level;
use crate::rejection::{broken, malformed};
use crate::support::{
    Row, VALUES_TO_32_BITS, VALUES_TO_64_BITS, numbers_from, one_per_dimension, same_dimension_count, same_type,
};
use crate::tensor::{self, Tensor};

/// The parts of a valid operator that takes elements out of a window.
#[derive(Clone, Debug)]
pub struct Slice<'a> {
    /// What elements are taken out of.
    pub input: &'a TensorDescriptor,
    /// The result.
    pub output: &'a TensorDescriptor,
    /// The place of the first output element in the input along each dimension.
    pub first: Vec<u64>,
    /// By how many places each further one lies behind the one before; negative where it lies before it. Never 0.
    pub steps: &'a [i64],
}

/// The parts of a valid `directml/slice1`.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn slice1(descriptor: &Descriptor) -> Result<Slice<'_>, CompileError> {
    let level = Level::of(descriptor, ("2_1", Level::L2_1), "directml/slice1/introduced")?;
    let view = Slice1::try_from(descriptor)?;
    let input = Tensor::input("InputTensor", view.input);
    let output = Tensor::output("OutputTensor", view.output);
    tensor::check(&[input, output], level)?;

    let row = support(level);
    row.check("directml/slice1/tensor-support", &input)?;
    row.check("directml/slice1/tensor-support", &output)?;
    same_type("directml/slice1/same-type", &input, &output)?;
    same_dimension_count("directml/slice1/same-dimension-count", &input, &output)?;
    if usize::try_from(view.dimension_count) != Ok(view.offsets.len()) {
        let reason = format!("`DimensionCount` is {}, expected {}", view.dimension_count, view.offsets.len());
        return Err(malformed(reason));
    }
    let dimensions = view.input.dimension_count();
    one_per_dimension("directml/slice1/offset-count", ("InputWindowOffsets", view.offsets), dimensions)?;
    one_per_dimension("directml/slice1/size-count", ("InputWindowSizes", view.sizes), dimensions)?;
    one_per_dimension("directml/slice1/stride-count", ("InputWindowStrides", view.strides), dimensions)?;
    let offsets = numbers_from(0, "directml/slice1/offset-not-negative", ("InputWindowOffsets", view.offsets))?;
    let sizes = numbers_from(1, "directml/slice1/window-not-empty", ("InputWindowSizes", view.sizes))?;
    if let Some(at) = view.strides.iter().position(|&stride| stride == 0) {
        return Err(broken("directml/slice1/stride-not-zero", format!("`InputWindowStrides[{at}]` is 0")));
    }
    for (at, (offset, length)) in zip(&offsets, &sizes).enumerate() {
        // Numbers with a sign come to less than 2^64 together.
        let (end, size) = (offset + length, view.input.sizes[at]);
        if end > size {
            let reason =
                format!("the window ends at {end} along dimension {at}, and `InputTensor.sizes[{at}]` is {size}");
            return Err(broken("directml/slice1/window-within", reason));
        }
    }
    for (at, length) in sizes.iter().enumerate() {
        let (most, found) = (1 + (length - 1) / view.strides[at].unsigned_abs(), view.output.sizes[at]);
        if found > most {
            let reason = format!("`OutputTensor.sizes[{at}]` is {found}, expected {most} at most");
            return Err(broken("directml/slice1/output-sizes", reason));
        }
    }
    let first = zip(zip(offsets, sizes), view.strides);
    let first = first.map(|((offset, length), &stride)| if stride > 0 { offset } else { offset + length - 1 });
    Ok(Slice { input: view.input, output: view.output, first: first.collect(), steps: view.strides })
}

/// The row for both tensors.
fn support(level: Level) -> Row {
    let (dimensions, types) = if level >= Level::L4_1 {
        (1..=8, VALUES_TO_64_BITS)
    } else if level >= Level::L3_0 {
        (1..=8, VALUES_TO_32_BITS)
    } else {
        (4..=5, VALUES_TO_32_BITS)
    };
    Row { dimensions, types }
}
