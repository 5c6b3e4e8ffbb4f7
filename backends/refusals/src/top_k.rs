//! The rules of `directml/top_k1` (the page of DML_TOP_K1_OPERATOR_DESC).

use opcert_backend::DataType::{U32, U64};
use opcert_backend::operators::TopK1;
use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

use crate::argmax::tie;
use crate::level::Level;
use crate::reduction::{Extreme, Tie};
use crate::rejection::broken;
use crate::support::{
    Row, VALUES_TO_32_BITS, VALUES_WITH_64_BIT_INTEGERS, axis_in_range, has_sizes, same_dimension_count, same_type,
};
use crate::tensor::{self, Tensor};

/// The first elements of sequences in order, with their indices.
#[derive(Clone, Debug)]
pub struct TopK<'a> {
    /// The sequences.
    pub input: &'a TensorDescriptor,
    /// The elements.
    pub values: &'a TensorDescriptor,
    /// Where each stands in its sequence.
    pub indices: &'a TensorDescriptor,
    /// The dimension along which sequences go.
    pub axis: usize,
    /// Which element comes first. Of equal ones that with the least index does.
    pub extreme: Extreme,
}

/// The parts of a valid `directml/top_k1`.
///
/// Whether all elements of a sequence may be asked for is open, and they are.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn top_k1(descriptor: &Descriptor) -> Result<TopK<'_>, CompileError> {
    let level = Level::of(descriptor, ("2_1", Level::L2_1), "directml/top_k1/introduced")?;
    let view = TopK1::try_from(descriptor)?;
    let input = Tensor::input("InputTensor", view.input);
    let values = Tensor::output("OutputValueTensor", view.values);
    let indices = Tensor::output("OutputIndexTensor", view.indices);
    tensor::check(&[input, values, indices], level)?;

    let (index_row, value_row) = support(level);
    value_row.check("directml/top_k1/tensor-support", &input)?;
    value_row.check("directml/top_k1/tensor-support", &values)?;
    index_row.check("directml/top_k1/tensor-support", &indices)?;
    for other in [&values, &indices] {
        same_dimension_count("directml/top_k1/same-dimension-count", &input, other)?;
    }
    same_type("directml/top_k1/same-type", &input, &values)?;
    let axis = axis_in_range("directml/top_k1/axis-in-range", view.axis, view.input.sizes.len())?;
    let size = view.input.sizes[axis];
    let Some(k) = u64::try_from(view.k).ok().filter(|&k| k > 0) else {
        return Err(broken("directml/top_k1/k-positive", format!("`K` is {}, expected 1 at least", view.k)));
    };
    if k > size {
        let reason = format!("`K` is {k}, expected {size} at most, the size of `InputTensor` along the axis {axis}");
        return Err(broken("directml/top_k1/k-in-range", reason));
    }
    let mut expected = view.input.sizes.clone();
    expected[axis] = k;
    has_sizes("directml/top_k1/value-sizes", &expected, ("OutputValueTensor", view.values))?;
    has_sizes("directml/top_k1/index-sizes", &expected, ("OutputIndexTensor", view.indices))?;
    let extreme = match tie(view.axis_direction)? {
        Tie::First => Extreme::Least,
        Tie::Last => Extreme::Greatest,
    };
    Ok(TopK { input: view.input, values: view.values, indices: view.indices, axis, extreme })
}

/// The rows for indices, and for all else.
fn support(level: Level) -> (Row, Row) {
    let (dimensions, indices, values): (_, &[_], _) = if level >= Level::L5_0 {
        (1..=8, &[U64, U32], VALUES_WITH_64_BIT_INTEGERS)
    } else if level >= Level::L3_1 {
        (1..=8, &[U32], VALUES_TO_32_BITS)
    } else {
        (4..=4, &[U32], VALUES_TO_32_BITS)
    };
    (Row { dimensions: dimensions.clone(), types: indices }, Row { dimensions, types: values })
}
