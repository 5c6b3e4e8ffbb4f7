//! The rules of `directml/argmax` (`003_b0ebd827180f1e7d.txt`) and of `directml/argmin`, whose page has the same ones.
//!
//! The document is silent on axes that are unsorted, listed twice, or absent. They are accepted: the axes are taken as
//! a set, and without any each element is a subset of its own.

use std::iter::zip;

use opcert_backend::operators::{AXIS_DIRECTION_DECREASING, AXIS_DIRECTION_INCREASING, ArgMax};
use opcert_backend::{CompileError, Descriptor};

use crate::level::Level;
use crate::reduction::{Extreme, Reduction, Tie};
use crate::rejection::{broken, malformed};
use crate::support::{INDEX_TYPES, Row, VALUES_TO_32_BITS, VALUES_WITH_64_BIT_INTEGERS, same_dimension_count};
use crate::tensor::{self, Tensor};

/// What a valid descriptor asks for.
pub(crate) fn reduction(descriptor: &Descriptor, extreme: Extreme) -> Result<Reduction, CompileError> {
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
