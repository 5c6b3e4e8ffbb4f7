//! The rules of TOSA's ARGMAX (TOSA 1.0.1, arm/tosa-specification at 7010bd19cb1e: ARGMAX in chapters/tensor_ops.adoc and
//! tosa.xml, and pseudocode/operators/ARGMAX.tosac).
//!
//! The types are those of both profiles and of the extensions for integers of 16 bits and for bfloat16; floats of 8 bits are left
//! out, because a backend is never asked for them. Accepted because what comes of them is unpredictable by the specification:
//! more dimensions than a level has, and dimensions of size 0, but for one that is searched. The specification knows no memory
//! layout; a layout that describes no memory is refused without a requirement.

use opcert_backend::DataType::{BF16, F16, F32, I8, I16, I32};
use opcert_backend::{AttributeValue, CompileError, DataType, Descriptor};

use crate::layout;
use crate::reduction::{Extreme, Nan, Reduction, Tie, sizes_along};
use crate::rejection::{broken, malformed, required};
use crate::tensor::Tensor;

/// What can be searched.
const SEARCHED: &[DataType] = &[F32, F16, BF16, I16, I8];

/// What a valid descriptor asks for.
pub(crate) fn reduction(descriptor: &Descriptor) -> Result<Reduction, CompileError> {
    if descriptor.level != "1.0" {
        return Err(malformed(format!("the level is `{}`, expected `1.0`", descriptor.level)));
    }
    let input = Tensor::input("input", required(descriptor, "input")?);
    let output = Tensor::output("output", required(descriptor, "output")?);
    has_type("input-types", &input, SEARCHED)?;
    has_type("output-type", &output, &[I32])?;
    let axis = axis(descriptor, input.descriptor.sizes.len())?;
    let (found, expected) = (&output.descriptor.sizes, sizes_along(&input.descriptor.sizes, axis, false));
    if *found != expected {
        let reason = format!("`output.sizes` are {found:?}, expected {expected:?}: those of `input` without {axis}");
        return Err(broken("tosa/argmax/output-shape", reason));
    }
    if input.descriptor.sizes[axis] == 0 && !found.contains(&0) {
        let reason = format!("`input.sizes` are {:?}: there is no index along {axis}", input.descriptor.sizes);
        return Err(malformed(reason));
    }
    let nan = nan(descriptor)?;
    layout::check(&[input, output])?;
    let along = Reduction::along(
        axis,
        (input.name, input.descriptor),
        (output.name, output.descriptor),
        (Tie::First, Extreme::Greatest),
    );
    Ok(Reduction { nan, ..along })
}

fn has_type(rule: &str, tensor: &Tensor<'_>, types: &[DataType]) -> Result<(), CompileError> {
    let data_type = tensor.descriptor.data_type;
    if types.contains(&data_type) {
        return Ok(());
    }
    let names: Vec<&str> = types.iter().map(|each| each.name()).collect();
    let reason = format!("`{}` is {data_type}, expected {}", tensor.name, names.join(" or "));
    Err(broken(&format!("tosa/argmax/{rule}"), reason))
}

/// The axis of an input of so many dimensions.
fn axis(descriptor: &Descriptor, rank: usize) -> Result<usize, CompileError> {
    let axis = match descriptor.attribute("axis") {
        Some(AttributeValue::Integer(axis)) => *axis,
        Some(other) => return Err(malformed(format!("`axis` is {other:?}, expected a number"))),
        None => {
            let reason = "the attribute `axis` is missing and has no default".to_owned();
            return Err(broken("tosa/argmax/axis-required", reason));
        }
    };
    usize::try_from(axis).ok().filter(|&axis| axis < rank).ok_or_else(|| {
        let reason = format!("`axis` is {axis}, expected 0 to {} for {rank} dimensions", rank as i64 - 1);
        broken("tosa/argmax/axis-in-range", reason)
    })
}

/// What becomes of NaN, which integers do not have.
fn nan(descriptor: &Descriptor) -> Result<Nan, CompileError> {
    match descriptor.attribute("nan_mode") {
        None => Ok(Nan::Greatest),
        Some(AttributeValue::Enumerator(mode)) if mode == "PROPAGATE" => Ok(Nan::Greatest),
        Some(AttributeValue::Enumerator(mode)) if mode == "IGNORE" => Ok(Nan::Least),
        Some(other) => Err(malformed(format!("`nan_mode` is {other:?}, expected PROPAGATE or IGNORE"))),
    }
}
