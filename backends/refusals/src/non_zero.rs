//! The rules of `onnx/non_zero` (onnx/defs/tensor/defs.cc, and old.cc for version 9) and of `openvino/non_zero_3` (its page).
//!
//! How many elements are not zero is not in the descriptor: the output may have any sizes. Accepted because nothing speaks
//! against them: dimensions of size 0, and no dimensions at all. The documents know no memory layout; a layout that
//! describes no memory is refused without a requirement.

use opcert_backend::DataType::{BF16, I32, I64};
use opcert_backend::{AttributeValue, CompileError, Descriptor, TensorDescriptor};

use crate::layout;
use crate::onnx::version;
use crate::rejection::{broken, malformed, required};
use crate::tensor::Tensor;

/// A search for what is not zero, whatever family asks for it.
#[derive(Clone, Copy, Debug)]
pub struct NonZero<'a> {
    /// The tensor that is searched, by its name.
    pub input: (&'static str, &'a TensorDescriptor),
    /// The matrix of coordinates, by its name, in the sizes that whoever asks expects.
    pub output: (&'static str, &'a TensorDescriptor),
}

/// The parts of a valid `onnx/non_zero` or `openvino/non_zero_3`.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken, and for an operator that is neither.
pub fn non_zero(descriptor: &Descriptor) -> Result<NonZero<'_>, CompileError> {
    let view = match descriptor.operator.as_str() {
        "onnx/non_zero" => of_onnx(descriptor)?,
        "openvino/non_zero_3" => of_openvino(descriptor)?,
        other => return Err(malformed(format!("`{other}` is no search for what is not zero"))),
    };
    layout::check(&[Tensor::input(view.input.0, view.input.1), Tensor::output(view.output.0, view.output.1)])?;
    Ok(view)
}

fn of_onnx(descriptor: &Descriptor) -> Result<NonZero<'_>, CompileError> {
    let version = version(descriptor)?;
    if version < 9 {
        let reason = format!("`{}` is asked for at {version}, expected 9 or later", descriptor.operator);
        return Err(broken("onnx/non_zero/introduced", reason));
    }
    let (input, output) = (required(descriptor, "X")?, required(descriptor, "Y")?);
    if version < 13 && input.data_type == BF16 {
        let reason = format!("`X` is {}, which begins with version 13", input.data_type);
        return Err(broken("onnx/non_zero/data-types-before-13", reason));
    }
    if output.data_type != I64 {
        let reason = format!("`Y` is {}, expected i64", output.data_type);
        return Err(broken("onnx/non_zero/index-type", reason));
    }
    Ok(NonZero { input: ("X", input), output: ("Y", output) })
}

fn of_openvino(descriptor: &Descriptor) -> Result<NonZero<'_>, CompileError> {
    if descriptor.level != "1" {
        return Err(malformed(format!("the level is `{}`, expected `1`", descriptor.level)));
    }
    let Some(input) = descriptor.tensor("data") else {
        let reason = "the input `data` is missing".to_owned();
        return Err(broken("openvino/non_zero_3/input-required", reason));
    };
    let named = match descriptor.attribute("output_type") {
        None => I64,
        Some(AttributeValue::String(name)) if name == "i64" => I64,
        Some(AttributeValue::String(name)) if name == "i32" => I32,
        Some(AttributeValue::String(name)) => {
            let reason = format!("`output_type` is {name:?}, expected i64 or i32");
            return Err(broken("openvino/non_zero_3/output-type-values", reason));
        }
        Some(other) => return Err(malformed(format!("`output_type` is {other:?}, expected a text"))),
    };
    let output = required(descriptor, "output")?;
    if output.data_type != named {
        let reason = format!("`output` is {}, expected {named} as `output_type` says", output.data_type);
        return Err(broken("openvino/non_zero_3/output-type", reason));
    }
    Ok(NonZero { input: ("data", input), output: ("output", output) })
}
