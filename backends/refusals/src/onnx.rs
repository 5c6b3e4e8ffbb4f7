//! The rules of ONNX's ArgMax and ArgMin (onnx/defs/reduction/defs.cc, and old.cc for the versions before 13).
//!
//! What the schemas leave open is taken as their shape inference takes it: a negative axis counts from the end in version 1 as
//! well, and a keepdims other than 1 drops the dimension. A select_last_index other than 0 asks for the last one.

use opcert_backend::DataType::{BF16, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
use opcert_backend::{AttributeValue, CompileError, DataType, Descriptor};

use crate::reduction::{Extreme, Reduction, Tie, sizes_along};
use crate::rejection::{broken, malformed, required};

const NUMERIC: [DataType; 12] = [F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8];

/// What a valid descriptor asks for.
pub(crate) fn reduction(descriptor: &Descriptor, extreme: Extreme) -> Result<Reduction, CompileError> {
    let refuse = |rule: &str, reason: String| Err(broken(&format!("{}/{rule}", descriptor.operator), reason));
    let version = version(descriptor)?;
    let (data, reduced) = (required(descriptor, "data")?, required(descriptor, "reduced")?);
    if !NUMERIC.contains(&data.data_type) {
        return refuse("data-types", format!("`data` is {}, expected a numeric type", data.data_type));
    }
    if version < 13 && data.data_type == BF16 {
        return refuse("data-types-before-13", format!("`data` is {}, which begins with version 13", data.data_type));
    }
    if reduced.data_type != I64 {
        return refuse("index-type", format!("`reduced` is {}, expected i64", reduced.data_type));
    }
    if version < 12 && descriptor.attribute("select_last_index").is_some() {
        return refuse("no-last-index", format!("`select_last_index` is given at {version}, and begins with 12"));
    }
    let (axis, rank) = (attribute(descriptor, "axis", 0)?, data.sizes.len() as i64);
    if !(-rank..rank).contains(&axis) {
        let rule = if version < 11 { "axis-names-a-dimension" } else { "axis-in-range" };
        return refuse(rule, format!("`axis` is {axis}, expected -{rank} to {} for {rank} dimensions", rank - 1));
    }
    let axis = (if axis < 0 { axis + rank } else { axis }) as usize;
    let expected = sizes_along(&data.sizes, axis, attribute(descriptor, "keepdims", 1)? == 1);
    if reduced.sizes != expected {
        return refuse("output-shape", format!("`reduced.sizes` are {:?}, expected {expected:?}", reduced.sizes));
    }
    if version == 11 && data.sizes.contains(&0) {
        return refuse("not-empty", format!("`data.sizes` are {:?}, which is empty", data.sizes));
    }
    let is_last = attribute(descriptor, "select_last_index", 0)? != 0;
    if data.sizes[axis] == 0 && !reduced.sizes.contains(&0) {
        // Nothing is to be found there, and whether that may be asked for is open.
        let reason = format!("`data.sizes` are {:?}: there is no index along an axis of size 0", data.sizes);
        return Err(malformed(reason));
    }
    let tie = if is_last { Tie::Last } else { Tie::First };
    Ok(Reduction::along(axis, ("data", data), ("reduced", reduced), (tie, extreme)))
}

/// The version of the operator set that the descriptor asks for.
pub(crate) fn version(descriptor: &Descriptor) -> Result<u32, CompileError> {
    let level = &descriptor.level;
    level.parse().map_err(|_| malformed(format!("`{level}` is no version of an operator set")))
}

/// The number in an attribute that may be left out.
fn attribute(descriptor: &Descriptor, name: &str, default: i64) -> Result<i64, CompileError> {
    match descriptor.attribute(name) {
        None => Ok(default),
        Some(AttributeValue::Integer(value)) => Ok(*value),
        Some(other) => Err(malformed(format!("`{name}` is {other:?}, expected a number"))),
    }
}
