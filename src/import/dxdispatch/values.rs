//! What a buffer of a model holds at first.

use std::path::{Component, Path, PathBuf};

use half::f16;
use opcert_backend::DataType;

use super::descriptor::{data_type, number, text};
use super::part::{Kind, Members, Part};
use crate::element::{Float, Number};
use crate::import::MOST_ELEMENTS;
use crate::{file, npy};

/// What a resource has.
pub(super) const OF_RESOURCES: [&str; 4] =
    ["initialValues", "initialValuesDataType", "initialValuesOffsetInBytes", "sizeInBytes"];

/// The most bytes that are made of a constant or a sequence: twice what the largest tensor of a case needs.
const MOST_BYTES: u64 = 2 * 8 * MOST_ELEMENTS;

/// The bytes that a resource begins with, and the type that all of its elements have, where it says so. `folder` is the
/// model's.
///
/// # Errors
///
/// What is wrong with them, as a fragment.
pub(super) fn initial(resource: Part<'_>, folder: &Path) -> Result<(Vec<u8>, Option<DataType>), String> {
    let resource = resource.members()?.unwrap_or_default();
    let stated = resource.get("initialValuesDataType").copied().map(data_type).transpose()?;
    let known = || stated.ok_or_else(|| "has no `initialValuesDataType`".to_owned());
    let values = *resource.get("initialValues").ok_or("has no `initialValues`")?;
    let bytes = match values.kind() {
        Kind::List => {
            let mut bytes = Vec::new();
            values.each(|value| match stated {
                Some(data_type) => element(value, data_type, &mut bytes),
                None => mixed(value, &mut bytes),
            })?;
            bytes
        }
        Kind::Object => {
            let values = values.members()?.unwrap_or_default();
            let only = |known: &[&str]| match values.keys().find(|name| !known.contains(&name.as_str())) {
                Some(other) => Err(format!("has `initialValues` with `{other}`, expected {} alone", known.join(", "))),
                None => Ok(()),
            };
            if let Some(value) = values.get("value") {
                only(&["value", "valueCount"])?;
                constant(*value, &values, known()?)?
            } else if let Some(start) = values.get("valueStart") {
                only(&["valueStart", "valueDelta", "valueCount"])?;
                sequence(*start, &values, known()?)?
            } else if let Some(path) = values.get("sourcePath") {
                only(&["sourcePath"])?;
                file(*path, stated, folder)?
            } else {
                return Err("has `initialValues` of no known form".to_owned());
            }
        }
        Kind::Text if values.text().as_deref() == Some("deferred") => {
            return Err("is made while the model runs".to_owned());
        }
        _ => return Err("has `initialValues` that are neither a list nor an object".to_owned()),
    };
    if bytes.is_empty() {
        return Err("begins empty".to_owned());
    }
    let offset = resource.get("initialValuesOffsetInBytes").map(|offset| number(*offset, u64::MAX)).transpose()?;
    if offset.is_some_and(|offset| offset != 0) {
        return Err("has `initialValuesOffsetInBytes`, expected values from the beginning on".to_owned());
    }
    let size = resource.get("sizeInBytes").map(|size| number(*size, u64::MAX)).transpose()?;
    match size {
        Some(size) if size < bytes.len() as u64 => {
            Err(format!("has `sizeInBytes` {size}, and its values are {} bytes", bytes.len()))
        }
        _ => Ok((bytes, stated)),
    }
}

/// Adds an element that says its type itself.
fn mixed(value: Part<'_>, bytes: &mut Vec<u8>) -> Result<(), String> {
    let members = value.members()?.unwrap_or_default();
    let data_type = members.get("type").copied().map(data_type).transpose()?;
    let data_type = data_type.ok_or("has elements without a type, and no `initialValuesDataType`")?;
    element(*members.get("value").ok_or("has elements without a `value`")?, data_type, bytes)
}

fn count(values: &Members<'_>, data_type: DataType) -> Result<usize, String> {
    let count = number(*values.get("valueCount").ok_or("has values without a `valueCount`")?, u32::MAX.into())?;
    if count * data_type.bytes() as u64 > MOST_BYTES {
        return Err(format!("has a `valueCount` of {count}, which is more than {MOST_BYTES} bytes"));
    }
    Ok(count as usize)
}

fn constant(value: Part<'_>, values: &Members<'_>, data_type: DataType) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    element(value, data_type, &mut bytes)?;
    Ok(bytes.repeat(count(values, data_type)?))
}

/// A first element, and ever the same added to it, rounded or wrapped as the type does.
fn sequence(start: Part<'_>, values: &Members<'_>, data_type: DataType) -> Result<Vec<u8>, String> {
    let (mut value, mut delta) = (Vec::new(), Vec::new());
    element(start, data_type, &mut value)?;
    element(*values.get("valueDelta").ok_or("has a `valueStart` without a `valueDelta`")?, data_type, &mut delta)?;
    let mut bytes = Vec::new();
    for _ in 0..count(values, data_type)? {
        bytes.extend(&value);
        value = sum(&value, &delta, data_type);
    }
    Ok(bytes)
}

fn sum(value: &[u8], delta: &[u8], data_type: DataType) -> Vec<u8> {
    let wide = |bytes: &[u8]| std::array::from_fn::<u8, 8, _>(|at| bytes.get(at).copied().unwrap_or(0));
    let (value, delta) = (wide(value), wide(delta));
    let bits = |bytes: [u8; 8]| u64::from_le_bytes(bytes);
    let sum = match data_type {
        DataType::F64 => (f64::from_le_bytes(value) + f64::from_le_bytes(delta)).to_bits(),
        DataType::F32 => {
            let each = |bytes| f32::from_bits(bits(bytes) as u32);
            (each(value) + each(delta)).to_bits().into()
        }
        DataType::F16 => {
            // Any sum of two halves is exact here, so that it is rounded once.
            let each = |bytes| f16::from_bits(bits(bytes) as u16).to_f64();
            let sum = Number::Double(each(value) + each(delta));
            Float::of(data_type).and_then(|float| float.nearest(sum)).unwrap_or(0)
        }
        // Two's complement: signed and unsigned sums have the same bits, and the upper ones are cut off.
        _ => bits(value).wrapping_add(bits(delta)),
    };
    sum.to_le_bytes()[..data_type.bytes()].to_vec()
}

/// The elements of a .npy file, or the bytes of any other one.
fn file(path: Part<'_>, stated: Option<DataType>, folder: &Path) -> Result<Vec<u8>, String> {
    let name = text(path)?;
    // Models come from Windows.
    let below = PathBuf::from(name.replace('\\', "/"));
    if !below.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(format!("has the `sourcePath` `{name}`, which leads out of the model's folder"));
    }
    let path = folder.join(below);
    let bytes = file::read(&path, file::LONGEST_DATA)
        .map_err(|error| format!("begins with `{name}`, which cannot be read: {error}"))?;
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("npy") => {
            let (found, _, elements) =
                npy::read_any(&bytes).map_err(|error| format!("begins with `{name}`, which {error}"))?;
            // DxDispatch has no booleans.
            let found = if found == DataType::Bool { DataType::I8 } else { found };
            match stated {
                Some(stated) if stated != found => {
                    Err(format!("is of {}, and `{name}` of {}", stated.name(), found.name()))
                }
                _ => Ok(elements),
            }
        }
        Some("jpg" | "png") => Err(format!("begins with the picture `{name}`, which is not read")),
        _ if stated.is_none() => Err("has no `initialValuesDataType`".to_owned()),
        _ => Ok(bytes),
    }
}

/// Adds an element.
fn element(value: Part<'_>, data_type: DataType, bytes: &mut Vec<u8>) -> Result<(), String> {
    let no = || format!("has {value} where a number of {} is wanted", data_type.name());
    let float = || match value.kind() {
        // What is too large the tool makes infinite. Whole numbers that no double is it refuses as well.
        Kind::Number => {
            let number = value.number().ok_or_else(no)?;
            let float = number.as_f64().ok_or_else(no)?;
            let whole = number.as_u64().map(i128::from).or(number.as_i64().map(i128::from));
            if !is_finite(float, data_type) {
                return Err(format!("has {value}, which is too large for {}", data_type.name()));
            }
            if whole.is_some_and(|whole| float as i128 != whole) {
                return Err(format!("has {value}, which no double is"));
            }
            Ok(float)
        }
        Kind::Text => match value.text().unwrap_or_default().to_lowercase().as_str() {
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            "nan" => Ok(f64::NAN),
            _ => Err(no()),
        },
        _ => Err(no()),
    };
    match data_type {
        DataType::F64 => bytes.extend(float()?.to_le_bytes()),
        DataType::F32 => bytes.extend((float()? as f32).to_le_bytes()),
        // By way of a single, as DxDispatch does.
        DataType::F16 => bytes.extend(f16::from_f32(float()? as f32).to_le_bytes()),
        DataType::I64 => bytes.extend(integer::<i64>(value).ok_or_else(no)?.to_le_bytes()),
        DataType::I32 => bytes.extend(integer::<i32>(value).ok_or_else(no)?.to_le_bytes()),
        DataType::I16 => bytes.extend(integer::<i16>(value).ok_or_else(no)?.to_le_bytes()),
        DataType::I8 => bytes.extend(integer::<i8>(value).ok_or_else(no)?.to_le_bytes()),
        DataType::U64 => bytes.extend(integer::<u64>(value).ok_or_else(no)?.to_le_bytes()),
        DataType::U32 => bytes.extend(integer::<u32>(value).ok_or_else(no)?.to_le_bytes()),
        DataType::U16 => bytes.extend(integer::<u16>(value).ok_or_else(no)?.to_le_bytes()),
        DataType::U8 => bytes.extend(integer::<u8>(value).ok_or_else(no)?.to_le_bytes()),
        DataType::BF16 | DataType::Bool => return Err(no()),
    }
    Ok(())
}

/// Whether a number stays finite in a type of floats.
fn is_finite(number: f64, data_type: DataType) -> bool {
    match data_type {
        DataType::F16 => f16::from_f32(number as f32).is_finite(),
        DataType::F32 => (number as f32).is_finite(),
        _ => number.is_finite(),
    }
}

fn integer<T: TryFrom<u64> + TryFrom<i64>>(value: Part<'_>) -> Option<T> {
    let number = value.number()?;
    match number.as_u64() {
        Some(number) => T::try_from(number).ok(),
        None => T::try_from(number.as_i64()?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn bytes(resource: &Value) -> Result<Vec<u8>, String> {
        let text = resource.to_string();
        initial(Part::new(serde_json::from_str(&text).unwrap()), Path::new(".")).map(|(bytes, _)| bytes)
    }

    fn of(data_type: &str, values: &Value) -> Result<Vec<u8>, String> {
        bytes(&json!({"initialValuesDataType": data_type, "initialValues": values}))
    }

    #[test]
    fn every_form_of_values_becomes_bytes() {
        assert_eq!(of("INT16", &json!([-1, 2])).unwrap(), [255, 255, 2, 0]);
        assert_eq!(of("DML_TENSOR_DATA_TYPE_UINT64", &json!([u64::MAX])).unwrap(), [255; 8]);
        assert_eq!(of("FLOAT32", &json!([1, "-INF"])).unwrap(), [0, 0, 128, 63, 0, 0, 128, 255]);
        assert_eq!(of("FLOAT16", &json!([0.5, "nan"])).unwrap(), [0, 0x38, 0, 0x7E]);
        assert_eq!(of("UINT8", &json!({"valueCount": 3, "value": 7})).unwrap(), [7, 7, 7]);
        let sequence = json!({"valueCount": 4, "valueStart": 254, "valueDelta": 1});
        assert_eq!(of("UINT8", &sequence).unwrap(), [254, 255, 0, 1]);
        let sequence = json!({"valueCount": 3, "valueStart": 2048, "valueDelta": 1});
        // Halves above 2048 are even: the sum is rounded back each time.
        assert_eq!(of("FLOAT16", &sequence).unwrap(), [0, 0x68, 0, 0x68, 0, 0x68]);
        let mixed = json!({"initialValues": [{"type": "UINT8", "value": 1}, {"type": "INT32", "value": -2}]});
        assert_eq!(bytes(&mixed).unwrap(), [1, 254, 255, 255, 255]);
    }

    #[test]
    fn values_that_dxdispatch_refuses_are_refused() {
        for (data_type, values) in [
            ("UINT8", json!([256])),
            ("INT8", json!([-129])),
            ("INT32", json!([1.0])),
            ("UINT32", json!(["1"])),
            ("FLOAT32", json!(["+inf"])),
            ("FLOAT32", json!([true])),
            ("FLOAT32", json!([])),
            ("UINT8", json!({"valueCount": 0, "value": 1})),
            ("UINT8", json!({"valueCount": 1})),
            ("UINT8", json!({"value": 1})),
            ("UINT8", json!({"valueCount": 2, "valueStart": 1})),
            ("UINT8", json!({"valueCount": 1, "value": 1, "valueStart": 1})),
            ("FLOAT64", json!({"valueCount": 4_000_000_000_u32, "value": 1})),
            ("UINT8", json!({"sourcePath": "is/not/there.npy"})),
            ("UINT8", json!({"sourcePath": "picture.png"})),
            ("BOOL", json!([1])),
            ("UNKNOWN", json!([1])),
            ("UINT8", json!("deferred")),
        ] {
            assert!(of(data_type, &values).is_err(), "{data_type} {values}");
        }
        assert!(bytes(&json!({"initialValues": [1]})).is_err());
        assert!(bytes(&json!({"initialValuesDataType": "UINT8"})).is_err());
        let short = json!({"initialValuesDataType": "UINT8", "initialValues": [1, 2], "sizeInBytes": 1});
        assert!(bytes(&short).is_err());
    }

    #[test]
    fn numbers_that_would_become_others_are_refused() {
        for (data_type, value, bits) in
            [("FLOAT16", 65519.0, 0x7BFF_u64), ("FLOAT32", f64::from(f32::MIN), 0xFF7F_FFFF)]
        {
            let found = of(data_type, &json!([value])).unwrap();
            assert_eq!(found, bits.to_le_bytes()[..found.len()], "{data_type} {value}");
        }
        for (data_type, value, reason) in [
            ("FLOAT16", json!(-65520), "has -65520, which is too large for f16"),
            ("FLOAT32", json!(1e39), "has 1e+39, which is too large for f32"),
            ("FLOAT64", json!(9_007_199_254_740_993_u64), "has 9007199254740993, which no double is"),
            ("FLOAT64", json!(u64::MAX), "has 18446744073709551615, which no double is"),
        ] {
            assert_eq!(of(data_type, &json!([value])).unwrap_err(), reason);
        }
        let behind = json!({"initialValuesDataType": "UINT8", "initialValues": [1], "initialValuesOffsetInBytes": 4});
        assert!(bytes(&behind).unwrap_err().contains("expected values from the beginning on"));
    }
}
