//! How an operator is described: its tensors in the long form or the short one, its attributes, and what a list holds.

use opcert_backend::{AttributeValue, DataType, NamedAttribute, Scalar, TensorDescriptor};

use serde_json::Number;

use super::part::{Kind, Members, Part};
use super::unknown;
use crate::import::{Foreign, ForeignTensor, LeftOut, LeftOuts};

/// DirectML's data types; UNKNOWN is none.
const DATA_TYPES: [(&str, DataType); 11] = [
    ("FLOAT64", DataType::F64),
    ("FLOAT32", DataType::F32),
    ("FLOAT16", DataType::F16),
    ("INT64", DataType::I64),
    ("INT32", DataType::I32),
    ("INT16", DataType::I16),
    ("INT8", DataType::I8),
    ("UINT64", DataType::U64),
    ("UINT32", DataType::U32),
    ("UINT16", DataType::U16),
    ("UINT8", DataType::U8),
];

/// The most numbers in a list of a descriptor, and the most members of an operator.
pub(super) const MOST_LISTED: usize = 1 << 10;

/// DirectML's tensors are this many bytes, times a whole number.
const GRANULARITY: u64 = 4;

/// What a tensor in the long form has beside what describes it.
const OF_LONG_FORMS: [&str; 2] = ["Type", "Desc"];

/// What a tensor has, in either form.
const OF_TENSORS: [&str; 9] = [
    "Type",
    "Desc",
    "DataType",
    "Sizes",
    "Strides",
    "DimensionCount",
    "Flags",
    "TotalTensorSizeInBytes",
    "GuaranteedBaseOffsetAlignment",
];

/// What a dispatchable has beside the members of its operator.
const OF_DISPATCHABLES: [&str; 6] = ["type", "desc", "Desc", "bindings", "dmlCompileType", "executionFlags"];

/// An operator without data, from a dispatchable of this name and type.
pub(super) fn operator(
    name: &str,
    kind: &str,
    dispatchable: &Members<'_>,
    left_out: &mut LeftOuts,
) -> Result<Foreign, String> {
    let path = format!("dispatchables.{name}.");
    if dispatchable.contains_key("desc") && dispatchable.contains_key("Desc") {
        return Err("has both a `desc` and a `Desc`".to_owned());
    }
    let desc = dispatchable.get("Desc").or_else(|| dispatchable.get("desc"));
    let desc = desc.map(|desc| desc.members().map_err(|reason| format!("has a `desc` that {reason}"))).transpose()?;
    let desc = desc.map(|desc| desc.ok_or("has a `desc` that is no object")).transpose()?;
    if desc.is_some() {
        unknown(dispatchable, &OF_DISPATCHABLES, &path, left_out);
    }
    for how in ["dmlCompileType", "executionFlags"].into_iter().filter(|how| dispatchable.contains_key(*how)) {
        let why = "it says how to run the operator, and a case does not";
        left_out.add(|| LeftOut::new(format!("{path}{how}"), why));
    }
    let own = |name: &str| desc.is_some() || !OF_DISPATCHABLES.contains(&name);
    let members = desc.as_ref().unwrap_or(dispatchable);
    if members.len() > MOST_LISTED {
        return Err(format!("has {} members, expected {MOST_LISTED} at most", members.len()));
    }
    let kind = kind.strip_prefix("DML_OPERATOR_").unwrap_or(kind);
    let mut foreign = Foreign {
        operator: format!("DML_{}_OPERATOR_DESC", kind.to_uppercase()),
        name: String::new(),
        level: None,
        tensors: Vec::new(),
        attributes: Vec::new(),
    };
    for (name, value) in members.iter().filter(|(name, _)| own(name)) {
        let at = |reason: String| format!("has a `{name}` that {reason}");
        match value.kind() {
            Kind::Null => {}
            Kind::Object if name.contains('[') => {
                return Err(format!("has a member `{name}`: the tensors of a list stand in an array"));
            }
            Kind::Object => {
                let descriptor = tensor(*value, &format!("{path}{name}."), left_out).map_err(at)?;
                foreign.tensors.push(ForeignTensor { name: name.clone(), descriptor, elements: None });
            }
            Kind::List if value.first().is_some_and(|first| first.kind() == Kind::Object) => {
                let mut number = 0;
                let each = listed(*value, |part| {
                    let name = format!("{name}[{number}]");
                    number += 1;
                    let descriptor = tensor(part, &format!("{path}{name}."), left_out)?;
                    Ok(ForeignTensor { name, descriptor, elements: None })
                });
                foreign.tensors.extend(each.map_err(at)?);
            }
            _ => {
                let value = attribute(*value).map_err(at)?;
                foreign.attributes.push(NamedAttribute { name: name.clone(), value });
            }
        }
    }
    Ok(foreign)
}

/// A tensor in the long form, or in the short one. `path` leads to it and ends with a point.
fn tensor(value: Part<'_>, path: &str, left_out: &mut LeftOuts) -> Result<TensorDescriptor, String> {
    let outer = value.members()?.unwrap_or_default();
    let kind = outer.get("Type").copied().map(text).transpose()?;
    if let Some(kind) = kind.filter(|kind| kind.trim_start_matches("DML_TENSOR_TYPE_") != "BUFFER") {
        return Err(format!("is of the type `{kind}`, expected a buffer"));
    }
    let Some(long) = outer.get("Desc") else {
        unknown(&outer, &OF_TENSORS, path, left_out);
        return buffer(&outer);
    };
    let desc = long.members()?.ok_or("has a `Desc` that is no object")?;
    unknown(&outer, &OF_LONG_FORMS, path, left_out);
    unknown(&desc, &OF_TENSORS, &format!("{path}Desc."), left_out);
    buffer(&desc)
}

/// What describes a tensor.
fn buffer(desc: &Members<'_>) -> Result<TensorDescriptor, String> {
    let list = |name: &str| desc.get(name).copied().map(numbers).transpose();
    let mut sizes = list("Sizes")?.ok_or("has no `Sizes`")?;
    let mut strides = list("Strides")?.filter(|strides| !strides.is_empty());
    if let Some(count) = desc.get("DimensionCount") {
        let count = number(*count, u32::MAX.into())?;
        if [Some(&sizes), strides.as_ref()].into_iter().flatten().any(|list| (list.len() as u64) < count) {
            return Err(format!("has {count} dimensions and a list with fewer numbers"));
        }
        // The lists have no length of their own in DirectML.
        sizes.truncate(count as usize);
        strides.iter_mut().for_each(|strides| strides.truncate(count as usize));
    }
    let flags = match desc.get("Flags") {
        None => Vec::new(),
        Some(flags) if flags.kind() == Kind::List => listed(*flags, text)?,
        Some(flag) => vec![text(*flag)?],
    };
    let flags = flags.iter().map(|flag| flag.trim_start_matches("DML_TENSOR_FLAG_"));
    let total = desc.get("TotalTensorSizeInBytes").map(|total| number(*total, u64::MAX)).transpose()?;
    let alignment =
        desc.get("GuaranteedBaseOffsetAlignment").map(|value| number(*value, u32::MAX.into())).transpose()?;
    let mut descriptor = TensorDescriptor {
        data_type: data_type(*desc.get("DataType").ok_or("has no `DataType`")?)?,
        sizes: sizes.into_iter().map(u64::from).collect(),
        strides: strides.map(|strides| strides.into_iter().map(u64::from).collect()),
        total_bytes: None,
        alignment: alignment.unwrap_or(0),
        flags: flags.filter(|flag| *flag != "NONE").map(str::to_owned).collect(),
    };
    // 0 is as good as nothing to DxDispatch, and the size that follows from the rest needs no word.
    let implied = descriptor.span_bytes().and_then(|span| span.checked_next_multiple_of(GRANULARITY));
    descriptor.total_bytes = total.filter(|total| *total != 0 && Some(*total) != implied);
    Ok(descriptor)
}

/// An attribute. A text is an enumerator, in full or without what those of its attribute begin with. A number that may be of any
/// type is the widest one that it can be: which type it has stands elsewhere, or is for the specification to say.
fn attribute(value: Part<'_>) -> Result<AttributeValue, String> {
    if let Some(word) = value.text() {
        return Ok(AttributeValue::Enumerator(word));
    }
    if value.kind() == Kind::List {
        return Ok(AttributeValue::Integers(listed(value, whole)?));
    }
    if let Some(truth) = value.truth() {
        return Ok(AttributeValue::Boolean(truth));
    }
    let number = value.number();
    if let Some(integer) = number.as_ref().and_then(Number::as_i64) {
        let fits = i32::try_from(integer).is_ok() || u32::try_from(integer).is_ok();
        return Ok(if fits {
            AttributeValue::Integer(integer)
        } else {
            AttributeValue::Scalar(Scalar::new(DataType::I64, integer.cast_unsigned()))
        });
    }
    if let Some(integer) = number.as_ref().and_then(Number::as_u64) {
        return Ok(AttributeValue::Scalar(Scalar::new(DataType::U64, integer)));
    }
    let float = number.and_then(|number| number.as_f64()).filter(|number| number.is_finite());
    let float = float.ok_or_else(|| format!("is {value}, expected a number"))?;
    Ok(AttributeValue::Scalar(Scalar::new(DataType::F64, float.to_bits())))
}

/// A data type by its name, in full or not.
pub(super) fn data_type(value: Part<'_>) -> Result<DataType, String> {
    let name = text(value)?;
    let short = name.strip_prefix("DML_TENSOR_DATA_TYPE_").unwrap_or(&name);
    let found = DATA_TYPES.iter().find(|(known, _)| *known == short);
    found.map(|(_, data_type)| *data_type).ok_or_else(|| format!("has the data type `{name}`, which is not known"))
}

pub(super) fn text(value: Part<'_>) -> Result<String, String> {
    value.text().ok_or_else(|| format!("has {value} where a text is wanted"))
}

/// A whole number of 32 bits, with a sign or without.
fn whole(value: Part<'_>) -> Result<i64, String> {
    let (least, most) = (i64::from(i32::MIN), i64::from(u32::MAX));
    let number = value.number().and_then(|number| number.as_i64()).filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("has {value} where a whole number from {least} to {most} is wanted"))
}

/// A whole number that is not negative.
pub(super) fn number(value: Part<'_>, most: u64) -> Result<u64, String> {
    let number = value.number().and_then(|number| number.as_u64()).filter(|number| *number <= most);
    number.ok_or_else(|| format!("has {value} where a whole number from 0 to {most} is wanted"))
}

fn numbers(value: Part<'_>) -> Result<Vec<u32>, String> {
    if value.kind() != Kind::List {
        return Err(format!("has {value} where a list is wanted"));
    }
    listed(value, |value| Ok(number(value, u32::MAX.into())? as u32))
}

/// The elements of a list that belongs to a descriptor.
fn listed<T>(list: Part<'_>, mut element: impl FnMut(Part<'_>) -> Result<T, String>) -> Result<Vec<T>, String> {
    let mut elements = Vec::new();
    list.each(|part| {
        if elements.len() == MOST_LISTED {
            return Err(format!("has a list of more than {MOST_LISTED} elements"));
        }
        elements.push(element(part)?);
        Ok(())
    })?;
    Ok(elements)
}
