//! The rules of `openvino/one_hot_1` (`002_be2dbc40a5d5f474.txt`) and of `openvino/one_hot_16` (its page), which has a mode
//! more and no other rules.
//!
//! Accepted because nothing speaks against them: indices and depth of different types, and dimensions of size 0. The
//! documents know no memory layout; a layout that describes no memory is refused without a requirement.

use opcert_backend::DataType::{I32, I64};
use opcert_backend::operators::OpenVinoOneHot;
use opcert_backend::{AttributeValue, CompileError, Descriptor};

use crate::layout;
use crate::rejection::{broken, malformed};
use crate::support::same_type;
use crate::tensor::Tensor;

/// The parts of a valid `openvino/one_hot_1` or `openvino/one_hot_16`, with the axis as a dimension of the output.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn openvino_one_hot(descriptor: &Descriptor) -> Result<(OpenVinoOneHot<'_>, usize), CompileError> {
    if descriptor.level != "1" {
        return Err(malformed(format!("the level is `{}`, expected `1`", descriptor.level)));
    }
    nothing_missing(descriptor)?;
    known_mode(descriptor)?;
    let view = OpenVinoOneHot::try_from(descriptor)?;
    let indices = Tensor::input("indices", view.indices);
    let depth = Tensor::input("depth", view.depth);
    let on_value = Tensor::input("on_value", view.on_value);
    let off_value = Tensor::input("off_value", view.off_value);
    let output = Tensor::output("output", view.output);

    [indices, depth].iter().try_for_each(|tensor| index_type(descriptor, tensor))?;
    [depth, on_value, off_value].iter().try_for_each(|tensor| scalar(descriptor, tensor))?;
    same_type(&rule(descriptor, "same-value-type"), &on_value, &off_value)?;
    same_type(&rule(descriptor, "same-value-type"), &on_value, &output)?;
    let axis = axis_in_range(descriptor, &view)?;
    output_shape(descriptor, &view, axis, positive_depth(descriptor, &view)?)?;
    layout::check(&[indices, depth, on_value, off_value, output])?;
    Ok((view, axis))
}

fn nothing_missing(descriptor: &Descriptor) -> Result<(), CompileError> {
    for name in ["indices", "depth", "on_value", "off_value"] {
        if descriptor.tensor(name).is_none() {
            let reason = format!("the input `{name}` is missing, expected all four");
            return Err(broken(&rule(descriptor, "inputs-required"), reason));
        }
    }
    if descriptor.attribute("axis").is_none() {
        let reason = "the attribute `axis` is missing and has no default".to_owned();
        return Err(broken(&rule(descriptor, "axis-required"), reason));
    }
    Ok(())
}

/// The one attribute that only OneHot-16 has.
fn known_mode(descriptor: &Descriptor) -> Result<(), CompileError> {
    let name = "negative_indices_mode";
    match (descriptor.operator.as_str(), descriptor.attribute(name)) {
        (_, None) => Ok(()),
        ("openvino/one_hot_16", Some(AttributeValue::String(mode))) => {
            if ["ignore-negative", "normalize"].contains(&mode.as_str()) {
                return Ok(());
            }
            let reason = format!("`{name}` is {mode:?}, expected ignore-negative or normalize");
            Err(broken(&rule(descriptor, "mode-values"), reason))
        }
        (operator, Some(other)) => Err(malformed(format!("`{operator}` is given with `{name}` as {other:?}"))),
    }
}

/// The full id of a rule that both operators have by this name.
fn rule(descriptor: &Descriptor, name: &str) -> String {
    format!("{}/{name}", descriptor.operator)
}

fn index_type(descriptor: &Descriptor, tensor: &Tensor<'_>) -> Result<(), CompileError> {
    if [I32, I64].contains(&tensor.descriptor.data_type) {
        return Ok(());
    }
    let reason = format!("`{}` is {}, expected i32 or i64", tensor.name, tensor.descriptor.data_type);
    Err(broken(&rule(descriptor, "index-types"), reason))
}

fn scalar(descriptor: &Descriptor, tensor: &Tensor<'_>) -> Result<(), CompileError> {
    let sizes = &tensor.descriptor.sizes;
    if sizes.is_empty() {
        return Ok(());
    }
    let reason = format!("`{}.sizes` are {sizes:?}, expected a scalar without dimensions", tensor.name);
    Err(broken(&rule(descriptor, "scalar-inputs"), reason))
}

/// The output has one dimension more than the indices, and the axis is one of its dimensions.
fn axis_in_range(descriptor: &Descriptor, view: &OpenVinoOneHot<'_>) -> Result<usize, CompileError> {
    let rank = view.indices.sizes.len() + 1;
    let axis = i128::from(view.axis);
    let from_start = if axis < 0 { axis + rank as i128 } else { axis };
    usize::try_from(from_start).ok().filter(|&axis| axis < rank).ok_or_else(|| {
        let reason = format!(
            "`axis` is {axis}, expected -{rank} to {} for `indices` of {} dimensions",
            rank - 1,
            view.indices.sizes.len()
        );
        broken(&rule(descriptor, "axis-in-range"), reason)
    })
}

fn positive_depth(descriptor: &Descriptor, view: &OpenVinoOneHot<'_>) -> Result<u64, CompileError> {
    let bytes = descriptor.constant("depth").unwrap_or_default();
    let depth = match (view.depth.data_type, bytes) {
        (I32, &[a, b, c, d]) => i64::from(i32::from_le_bytes([a, b, c, d])),
        (I64, &[a, b, c, d, e, f, g, h]) => i64::from_le_bytes([a, b, c, d, e, f, g, h]),
        (data_type, _) => {
            let (found, expected) = (bytes.len(), data_type.bytes());
            let reason = format!("the constant `depth` has {found} bytes, expected {expected} for one {data_type}");
            return Err(malformed(reason));
        }
    };
    u64::try_from(depth)
        .ok()
        .filter(|&depth| depth > 0)
        .ok_or_else(|| broken(&rule(descriptor, "depth-positive"), format!("`depth` is {depth}, expected more than 0")))
}

fn output_shape(
    descriptor: &Descriptor,
    view: &OpenVinoOneHot<'_>,
    axis: usize,
    depth: u64,
) -> Result<(), CompileError> {
    let mut expected = view.indices.sizes.clone();
    expected.insert(axis, depth);
    let found = &view.output.sizes;
    if *found == expected {
        return Ok(());
    }
    let reason =
        format!("`output.sizes` are {found:?}, expected {expected:?}: those of `indices` with {depth} at {axis}");
    Err(broken(&rule(descriptor, "output-shape"), reason))
}
