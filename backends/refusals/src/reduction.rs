//! A search for extremes, as a kernel needs it whichever family and operator ask for it.

use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

use crate::rejection::malformed;
use crate::{argmax, onnx, reduce, tosa, webnn};

/// What a valid search for extremes asks for.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken, and for an operator that is none.
pub fn reduction(descriptor: &Descriptor) -> Result<Reduction, CompileError> {
    match descriptor.operator.as_str() {
        "directml/argmax" => argmax::reduction(descriptor, Extreme::Greatest),
        "directml/argmin" => argmax::reduction(descriptor, Extreme::Least),
        "directml/reduce_argmax" => reduce::reduction(descriptor, (Extreme::Greatest, Yield::Index)),
        "directml/reduce_argmin" => reduce::reduction(descriptor, (Extreme::Least, Yield::Index)),
        "directml/reduce_max" => reduce::reduction(descriptor, (Extreme::Greatest, Yield::Element)),
        "directml/reduce_min" => reduce::reduction(descriptor, (Extreme::Least, Yield::Element)),
        "onnx/arg_max" => onnx::reduction(descriptor, Extreme::Greatest),
        "onnx/arg_min" => onnx::reduction(descriptor, Extreme::Least),
        "tosa/argmax" => tosa::reduction(descriptor),
        "webnn/arg_max" => webnn::reduction(descriptor, Extreme::Greatest),
        "webnn/arg_min" => webnn::reduction(descriptor, Extreme::Least),
        other => Err(malformed(format!("`{other}` is no search for extremes"))),
    }
}

/// A search for extremes, whatever family asks for it: the tensors, which dimensions are reduced, and how ties are broken.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The tensor that is searched, by its name.
    pub input: (&'static str, TensorDescriptor),
    /// The tensor of the answers, by its name: with the sizes of the input, 1 where that is reduced. A family that drops these
    /// dimensions has as many elements in the same order.
    pub output: (&'static str, TensorDescriptor),
    /// For every dimension of the input, whether it is reduced.
    pub reduced: Vec<bool>,
    /// The winner among equal extremes.
    pub tie: Tie,
    /// Which elements win.
    pub extreme: Extreme,
    /// What is told of the winner.
    pub yields: Yield,
    /// Where NaN stands in the order of floats.
    pub nan: Nan,
}

impl Reduction {
    /// A search for indices along one axis, in which NaN are left open. `output` may lack the axis, or has the size 1 there.
    pub(crate) fn along(
        axis: usize,
        input: (&'static str, &TensorDescriptor),
        output: (&'static str, &TensorDescriptor),
        (tie, extreme): (Tie, Extreme),
    ) -> Self {
        let sizes = kept_sizes(&input.1.sizes, axis);
        let mut strides = output.1.strides.clone();
        if output.1.sizes.len() < sizes.len()
            && let Some(strides) = &mut strides
        {
            // Along a size of 1 any stride will do. Of a malformed tensor there may be too few.
            strides.insert(axis.min(strides.len()), 0);
        }
        Self {
            input: (input.0, input.1.clone()),
            output: (output.0, TensorDescriptor { sizes, strides, ..output.1.clone() }),
            reduced: (0..input.1.sizes.len()).map(|at| at == axis).collect(),
            tie,
            extreme,
            yields: Yield::Index,
            nan: Nan::Open,
        }
    }
}

/// The sizes with 1 along an axis.
fn kept_sizes(sizes: &[u64], axis: usize) -> Vec<u64> {
    sizes.iter().enumerate().map(|(at, &size)| if at == axis { 1 } else { size }).collect()
}

/// The sizes of a result along one axis, with a dimension of size 1 there or without it.
pub(crate) fn sizes_along(sizes: &[u64], axis: usize, is_kept: bool) -> Vec<u64> {
    let mut kept = kept_sizes(sizes, axis);
    if !is_kept {
        kept.remove(axis);
    }
    kept
}

/// What is looked for in a subset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// Its greatest element.
    Greatest,
    /// Its least element.
    Least,
}

/// What is told of the element that wins a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// Its position in the subset.
    Index,
    /// The element itself, bit for bit.
    Element,
}

/// Where NaN stands in the order of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nan {
    /// The documents leave it open, and any order will do: an index is in range all the same.
    Open,
    /// Each is greater than everything else, and equal to every other.
    Greatest,
    /// Each is less than everything else, and equal to every other.
    Least,
}

/// The winner among equal extremes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The one with the lowest index.
    First,
    /// The one with the highest index.
    Last,
}
