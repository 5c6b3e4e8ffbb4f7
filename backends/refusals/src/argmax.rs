//! The rules of `directml/argmax` (`003_b0ebd827180f1e7d.txt`) and of `directml/argmin`, whose page has the same ones.
//!
//! The document is silent on axes that are unsorted, listed twice, or absent. They are accepted: the axes are taken as
//! a set, and without any each element is a subset of its own.

use std::iter::zip;

use opcert_backend::operators::{AXIS_DIRECTION_DECREASING, AXIS_DIRECTION_INCREASING, ArgMax};
use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

use crate::level::Level;
use crate::rejection::{broken, malformed};
use crate::support::{INDEX_TYPES, Row, VALUES_TO_32_BITS, VALUES_WITH_64_BIT_INTEGERS, same_dimension_count};
use crate::tensor::{self, Tensor};

/// A search for extremes, whatever family asks for it: the tensors, which dimensions are reduced, and how ties are broken.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The tensor that is searched, by its name.
    pub input: (&'static str, TensorDescriptor),
    /// The tensor of the indices, by its name: with the sizes of the input, 1 where that is reduced. A family that drops these
    /// dimensions has as many elements in the same order.
    pub output: (&'static str, TensorDescriptor),
    /// For every dimension of the input, whether it is reduced.
    pub reduced: Vec<bool>,
    /// The winner among equal extremes.
    pub tie: Tie,
    /// Which elements win.
    pub extreme: Extreme,
}

impl Reduction {
    /// A search along one axis. `output` may lack the axis, or has the size 1 there.
    pub(crate) fn along(
        axis: usize,
        input: (&'static str, &TensorDescriptor),
        output: (&'static str, &TensorDescriptor),
        (tie, extreme): (Tie, Extreme),
    ) -> Self {
        let sizes = kept_sizes(&input.1.sizes, axis);
        Self {
            input: (input.0, input.1.clone()),
            output: (output.0, TensorDescriptor { sizes, ..output.1.clone() }),
            reduced: (0..input.1.sizes.len()).map(|at| at == axis).collect(),
            tie,
            extreme,
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

/// The winner among equal extremes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The one with the lowest index.
    First,
    /// The one with the highest index.
    Last,
}

/// What a valid `directml/argmax` asks for.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn argmax(descriptor: &Descriptor) -> Result<Reduction, CompileError> {
    reduction(descriptor, Extreme::Greatest)
}

/// The same of `directml/argmin`.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn argmin(descriptor: &Descriptor) -> Result<Reduction, CompileError> {
    reduction(descriptor, Extreme::Least)
}

fn reduction(descriptor: &Descriptor, extreme: Extreme) -> Result<Reduction, CompileError> {
    // Which of the two operators it is stands before a rule of theirs once one is broken.
    parts(descriptor, extreme).map_err(|error| match error {
        CompileError::Rejected { requirement: Some(rule), reason } if !rule.contains('/') => {
            broken(&format!("{}/{rule}", descriptor.operator), reason)
        }
        other => other,
    })
}

fn parts(descriptor: &Descriptor, extreme: Extreme) -> Result<Reduction, CompileError> {
    let level = Level::of(descriptor, ("3_0", Level::L3_0), "introduced")?;
    let view = ArgMax::try_from(descriptor)?;
    let input = Tensor::input("InputTensor", view.input);
    let output = Tensor::output("OutputTensor", view.output);
    tensor::check(&[input, output], level)?;

    let input_types = if level < Level::L4_1 { VALUES_TO_32_BITS } else { VALUES_WITH_64_BIT_INTEGERS };
    Row { dimensions: 1..=8, types: input_types }.check("tensor-support", &input)?;
    Row { dimensions: 1..=8, types: INDEX_TYPES }.check("tensor-support", &output)?;
    same_dimension_count("same-dimension-count", &input, &output)?;
    let reduced = reduced_dimensions(&view, "axes-in-range")?;
    let tie = tie(view.axis_direction)?;
    output_sizes(&view, &reduced, "output-sizes")?;
    let input = (input.name, view.input.clone());
    let output = (output.name, view.output.clone());
    Ok(Reduction { input, output, reduced, tie, extreme })
}

fn reduced_dimensions(view: &ArgMax<'_>, rule: &str) -> Result<Vec<bool>, CompileError> {
    if usize::try_from(view.axis_count) != Ok(view.axes.len()) {
        let reason = format!("`AxisCount` is {}, expected {} for {:?}", view.axis_count, view.axes.len(), view.axes);
        return Err(malformed(reason));
    }
    let count = view.input.sizes.len();
    let mut reduced = vec![false; count];
    for (position, &axis) in view.axes.iter().enumerate() {
        let dimension = usize::try_from(axis).ok().and_then(|axis| reduced.get_mut(axis)).ok_or_else(|| {
            let reason = format!("`Axes[{position}]` is {axis}, expected 0 to {} for {count} dimensions", count - 1);
            broken(rule, reason)
        })?;
        *dimension = true;
    }
    Ok(reduced)
}

fn tie(direction: &str) -> Result<Tie, CompileError> {
    match direction {
        AXIS_DIRECTION_INCREASING => Ok(Tie::First),
        AXIS_DIRECTION_DECREASING => Ok(Tie::Last),
        _ => Err(malformed(format!(
            "`AxisDirection` is `{direction}`, expected `{AXIS_DIRECTION_INCREASING}` or `{AXIS_DIRECTION_DECREASING}`"
        ))),
    }
}

fn output_sizes(view: &ArgMax<'_>, reduced: &[bool], rule: &str) -> Result<(), CompileError> {
    let sizes = zip(&view.input.sizes, &view.output.sizes);
    for (dimension, ((&input, &output), &reduced)) in zip(sizes, reduced).enumerate() {
        let expected = if reduced { 1 } else { input };
        if output != expected {
            let why = if reduced { "is reduced" } else { "is not reduced" };
            let reason = format!(
                "`OutputTensor.sizes[{dimension}]` is {output}, expected {expected}: dimension {dimension} {why}"
            );
            return Err(broken(rule, reason));
        }
    }
    Ok(())
}
