//! The rules of `onnx/one_hot` (onnx/defs/tensor/defs.cc, old.cc for version 9, and the shape inference in utils.cc), and what
//! its indices are as integers.
//!
//! Accepted because nothing speaks against them: dimensions of size 0, and a depth of 0. A layout that describes no memory is
//! refused without a requirement.

use half::f16;
use opcert_backend::DataType::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
use opcert_backend::{AttributeValue, CompileError, DataType, Descriptor, TensorDescriptor};

use crate::layout;
use crate::onnx::version;
use crate::rejection::{broken, malformed, required};
use crate::support::same_type;
use crate::tensor::Tensor;

const NUMERIC: [DataType; 11] = [F64, F32, F16, I64, I32, I16, I8, U64, U32, U16, U8];

/// A one-hot operator of ONNX.
#[derive(Clone, Copy, Debug)]
pub struct OnnxOneHot<'a> {
    /// Where the on value stands in each sequence: integers of any width, or floats.
    pub indices: &'a TensorDescriptor,
    /// The off value, and the on value behind it.
    pub values: &'a TensorDescriptor,
    /// The result, one dimension more than `indices`.
    pub output: &'a TensorDescriptor,
    /// Where the new dimension stands in the output.
    pub axis: usize,
    /// Whether an index below 0 counts from the end, as from version 11 on.
    pub from_end: bool,
}

/// The parts of a valid `onnx/one_hot`.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn onnx_one_hot(descriptor: &Descriptor) -> Result<OnnxOneHot<'_>, CompileError> {
    let version = version(descriptor)?;
    if version < 9 {
        let reason = format!("`{}` is asked for at {version}, expected 9 or later", descriptor.operator);
        return refuse("introduced", reason);
    }
    let indices = Tensor::input("indices", required(descriptor, "indices")?);
    let depth = Tensor::input("depth", required(descriptor, "depth")?);
    let values = Tensor::input("values", required(descriptor, "values")?);
    let output = Tensor::output("output", required(descriptor, "output")?);
    for Tensor { name, descriptor, .. } in [&indices, &depth] {
        if !NUMERIC.contains(&descriptor.data_type) {
            return refuse("index-types", format!("`{name}` is {}, expected a numeric type", descriptor.data_type));
        }
    }
    for Tensor { name, descriptor, .. } in [&values, &output] {
        if descriptor.data_type == BF16 {
            return refuse("value-types", format!("`{name}` is bf16, which the schema does not list"));
        }
    }
    same_type("onnx/one_hot/same-value-type", &values, &output)?;
    let rank = indices.descriptor.sizes.len();
    if rank == 0 {
        return refuse("indices-dimensions", "`indices` has no dimension, expected at least 1".to_owned());
    }
    elements("depth", &depth, 0..=1, 1)?;
    let size = size(descriptor, &depth)?;
    elements("values", &values, 1..=1, 2)?;
    let axis = match descriptor.attribute("axis") {
        None => -1,
        Some(AttributeValue::Integer(axis)) => *axis,
        Some(other) => return Err(malformed(format!("`axis` is {other:?}, expected a number"))),
    };
    let from_start = if axis < 0 { i128::from(axis) + rank as i128 + 1 } else { axis.into() };
    let Some(position) = usize::try_from(from_start).ok().filter(|&position| position <= rank) else {
        let reason = format!("`axis` is {axis}, expected -{} to {rank} for `indices` of {rank} dimensions", rank + 1);
        return refuse("axis-in-range", reason);
    };
    let mut expected = indices.descriptor.sizes.clone();
    expected.insert(position, size);
    let found = &output.descriptor.sizes;
    if *found != expected {
        let reason = format!(
            "`output.sizes` are {found:?}, expected {expected:?}: those of `indices` with {size} at {position}"
        );
        return refuse("output-shape", reason);
    }
    layout::check(&[indices, depth, values, output])?;
    let (indices, values, output) = (indices.descriptor, values.descriptor, output.descriptor);
    Ok(OnnxOneHot { indices, values, output, axis: position, from_end: version >= 11 })
}

fn refuse<T>(rule: &str, reason: String) -> Result<T, CompileError> {
    Err(broken(&format!("onnx/one_hot/{rule}"), reason))
}

/// A tensor of so many dimensions, and of so many elements.
fn elements(
    rules: &str,
    Tensor { name, descriptor, .. }: &Tensor<'_>,
    dimensions: std::ops::RangeInclusive<usize>,
    count: u64,
) -> Result<(), CompileError> {
    let sizes = &descriptor.sizes;
    if !dimensions.contains(&sizes.len()) {
        let most = dimensions.end();
        let rule = format!("{rules}-dimensions");
        return refuse(&rule, format!("`{name}` has {} dimensions, expected at most {most}", sizes.len()));
    }
    if descriptor.element_count() != Some(count) {
        let rule = if count == 1 { format!("{rules}-one-element") } else { format!("{rules}-two-elements") };
        return refuse(&rule, format!("`{name}.sizes` are {sizes:?}, expected {count} elements"));
    }
    Ok(())
}

/// The value of the constant `depth`, cast to an integer.
fn size(descriptor: &Descriptor, depth: &Tensor<'_>) -> Result<u64, CompileError> {
    let (bytes, data_type) = (descriptor.constant("depth").unwrap_or_default(), depth.descriptor.data_type);
    if bytes.len() != data_type.bytes() {
        let (found, expected) = (bytes.len(), data_type.bytes());
        return Err(malformed(format!(
            "the constant `depth` has {found} bytes, expected {expected} for one {data_type}"
        )));
    }
    let value = integer(bytes, data_type);
    let is_too_large = data_type.is_float() && value == i64::MAX;
    match u64::try_from(value) {
        Ok(size) if !is_too_large => Ok(size),
        _ => refuse("depth-not-negative", format!("`depth` comes to {value} as an integer, expected 0 or more")),
    }
}

/// An element as a 64-bit integer: the nearest one toward zero. What is too large is the largest one, and NaN the least.
fn integer(bytes: &[u8], data_type: DataType) -> i64 {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    let cast = |value: f64| if value.is_nan() { i64::MIN } else { value as i64 };
    match data_type {
        F64 => cast(f64::from_bits(bits)),
        F32 => cast(f32::from_bits(bits as u32).into()),
        F16 => cast(f16::from_bits(bits as u16).to_f64()),
        BF16 => cast(f32::from_bits((bits as u32) << 16).into()),
        I64 => bits as i64,
        I32 => i64::from(bits as i32),
        I16 => i64::from(bits as i16),
        I8 => i64::from(bits as i8),
        U64 => i64::try_from(bits).unwrap_or(i64::MAX),
        U32 | U16 | U8 | Bool => bits as i64,
    }
}

impl OnnxOneHot<'_> {
    /// Whether the indices are integers of 32 or of 64 bits, which need no cast.
    #[must_use]
    pub const fn has_wide_indices(&self) -> bool {
        matches!(self.indices.data_type, I32 | I64 | U32 | U64)
    }

    /// The tensor of the indices once they are cast: 64-bit integers in the same places.
    #[must_use]
    pub fn cast_indices(&self) -> TensorDescriptor {
        TensorDescriptor { data_type: I64, total_bytes: None, ..self.indices.clone() }
    }
}

/// The memory of a tensor with each element cast to a 64-bit integer: fractions are cut off. What no integer is near to becomes one
/// that lies within no sequence.
#[must_use]
pub fn cast_to_integers(memory: &[u8], data_type: DataType) -> Vec<u8> {
    memory.chunks_exact(data_type.bytes()).flat_map(|bytes| integer(bytes, data_type).to_le_bytes()).collect()
}
