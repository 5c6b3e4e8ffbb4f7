//! The rules of `directml/argmax` (`003_b0ebd827180f1e7d.txt`), of `directml/argmin`, whose page has the same ones, and of
//! REDUCE with these two functions (its page), which begins earlier and has no direction.
//!
//! The document is silent on axes that are unsorted, listed twice, or absent. They are accepted: the axes are taken as
//! a set, and without any each element is a subset of its own.

use std::iter::zip;

use opcert_backend::DataType::U32;
use opcert_backend::operators::{AXIS_DIRECTION_DECREASING, AXIS_DIRECTION_INCREASING, ArgMax, Reduce};
use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

use crate::level::Level;
use crate::reduction::{Extreme, Reduction, Tie};
use crate::rejection::{broken, malformed};
use crate::support::{
    FLOATS_TO_32_BITS, INDEX_TYPES, Row, VALUES_TO_32_BITS, VALUES_WITH_64_BIT_INTEGERS, same_dimension_count,
};
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
    let asked = Asked::of(descriptor, extreme)?;
    let level = Level::of(descriptor, asked.introduced, "introduced")?;
    let input = Tensor::input("InputTensor", asked.input);
    let output = Tensor::output("OutputTensor", asked.output);
    tensor::check(&[input, output], level)?;

    let [input_row, output_row] = rows(level);
    input_row.check("tensor-support", &input)?;
    output_row.check("tensor-support", &output)?;
    same_dimension_count("same-dimension-count", &input, &output)?;
    let reduced = reduced_dimensions(&asked, "axes-in-range")?;
    output_sizes(&asked, &reduced, "output-sizes")?;
    let (input, output) = ((input.name, asked.input.clone()), (output.name, asked.output.clone()));
    Ok(Reduction { input, output, reduced, tie: asked.tie, extreme })
}

/// What the operators have in common, and the first level that has the one that is asked for.
struct Asked<'a> {
    input: &'a TensorDescriptor,
    output: &'a TensorDescriptor,
    axis_count: i64,
    axes: &'a [i64],
    tie: Tie,
    introduced: (&'static str, Level),
}

impl<'a> Asked<'a> {
    fn of(descriptor: &'a Descriptor, extreme: Extreme) -> Result<Self, CompileError> {
        if !descriptor.operator.starts_with("directml/reduce_") {
            let ArgMax { input, output, axis_count, axes, axis_direction } = ArgMax::try_from(descriptor)?;
            let introduced = ("3_0", Level::L3_0);
            return Ok(Self { input, output, axis_count, axes, tie: tie(axis_direction)?, introduced });
        }
        let Reduce { function, input, output, axis_count, axes } = Reduce::try_from(descriptor)?;
        let expected = match extreme {
            Extreme::Greatest => "DML_REDUCE_FUNCTION_ARGMAX",
            Extreme::Least => "DML_REDUCE_FUNCTION_ARGMIN",
        };
        if function != expected {
            return Err(malformed(format!("`Function` is `{function}`, expected `{expected}`")));
        }
        Ok(Self { input, output, axis_count, axes, tie: Tie::First, introduced: ("1_0", Level::L1_0) })
    }
}

/// What the two tensors may be. From 3_0 on, where ARGMAX and ARGMIN begin, REDUCE has their table.
fn rows(level: Level) -> [Row; 2] {
    let row = |dimensions, types| Row { dimensions, types };
    match level {
        _ if level < Level::L2_1 => [row(4..=4, FLOATS_TO_32_BITS), row(4..=4, &[U32])],
        _ if level < Level::L3_0 => [row(4..=4, VALUES_TO_32_BITS), row(4..=4, &[U32])],
        _ if level < Level::L4_1 => [row(1..=8, VALUES_TO_32_BITS), row(1..=8, INDEX_TYPES)],
        _ => [row(1..=8, VALUES_WITH_64_BIT_INTEGERS), row(1..=8, INDEX_TYPES)],
    }
}

fn reduced_dimensions(asked: &Asked<'_>, rule: &str) -> Result<Vec<bool>, CompileError> {
    if usize::try_from(asked.axis_count) != Ok(asked.axes.len()) {
        let reason = format!("`AxisCount` is {}, expected {} for {:?}", asked.axis_count, asked.axes.len(), asked.axes);
        return Err(malformed(reason));
    }
    let count = asked.input.sizes.len();
    let mut reduced = vec![false; count];
    for (position, &axis) in asked.axes.iter().enumerate() {
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

fn output_sizes(asked: &Asked<'_>, reduced: &[bool], rule: &str) -> Result<(), CompileError> {
    let sizes = zip(&asked.input.sizes, &asked.output.sizes);
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
