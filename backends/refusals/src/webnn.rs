//! The rules of WebNN's argMin and argMax (Web Neural Network API, argMin/argMax operations).
//!
//! The standard leaves ties to the implementation: the first of equal values counts, as its public tests have it.

use opcert_backend::DataType::{I32, I64};
use opcert_backend::{AttributeValue, CompileError, Descriptor};

use crate::reduction::{Extreme, Reduction, Tie, sizes_along};
use crate::rejection::{broken, malformed, required, without};

/// What a valid descriptor asks for.
pub(crate) fn reduction(descriptor: &Descriptor, extreme: Extreme) -> Result<Reduction, CompileError> {
    let refuse = |rule: &str, reason: String| Err(broken(&format!("{}/{rule}", descriptor.operator), reason));
    let (input, output) = (required(descriptor, "input")?, required(descriptor, "output")?);
    for (name, tensor) in [("input", input), ("output", output)] {
        if tensor.sizes.contains(&0) {
            let reason = format!("`{name}.sizes` are {:?}, expected no 0", tensor.sizes);
            return Err(broken("webnn/tensor/sizes-positive", reason));
        }
        if tensor.sizes.iter().any(|&size| size > i32::MAX as u64) {
            let reason = format!("`{name}.sizes` are {:?}, expected no more than {}", tensor.sizes, i32::MAX);
            return Err(broken("webnn/tensor/sizes-within-long", reason));
        }
    }
    let axis = descriptor.integer("axis").ok_or_else(|| without(descriptor, "axis"))?;
    let rank = input.sizes.len();
    let Some(axis) = usize::try_from(axis).ok().filter(|&axis| axis < rank) else {
        return refuse(
            "axis-in-range",
            format!("`axis` is {axis}, expected 0 to {} for {rank} dimensions", rank as i64 - 1),
        );
    };
    let named = match descriptor.attribute("outputDataType") {
        None => I32,
        Some(AttributeValue::Enumerator(name)) if name == "int32" => I32,
        Some(AttributeValue::Enumerator(name)) if name == "int64" => I64,
        Some(other) => return Err(malformed(format!("`outputDataType` is {other:?}, expected int32 or int64"))),
    };
    if output.data_type != named {
        let reason = format!("`output` is {}, expected {named} as `outputDataType` says", output.data_type);
        return refuse("output-type", reason);
    }
    let is_kept = match descriptor.attribute("keepDimensions") {
        None => false,
        Some(AttributeValue::Boolean(is_kept)) => *is_kept,
        Some(other) => return Err(malformed(format!("`keepDimensions` is {other:?}, expected a truth value"))),
    };
    let expected = sizes_along(&input.sizes, axis, is_kept);
    if output.sizes != expected {
        return refuse("output-shape", format!("`output.sizes` are {:?}, expected {expected:?}", output.sizes));
    }
    Ok(Reduction::along(axis, ("input", input), ("output", output), (Tie::First, extreme)))
}
