//! Cases as models of DxDispatch, the command-line tool of DirectML's repository that runs one operator.
//!
//! Everything comes from the descriptor and the specification: the operator by its title, tensors and attributes by
//! their names. A model creates one operator. Where there is data, it dispatches twice, onto outputs that are filled
//! with different bytes, and writes each output to a .npy file.

mod model;

use std::collections::BTreeMap;

use opcert_backend::{AttributeValue, DataType, Fault, NamedTensor, Role, TensorDescriptor, memory_bytes};
use serde_json::Number;

use super::asked::Asked;
use super::manifest::Task;
use super::tensors::{as_npy, input};
use super::{ArrayForm, ExportedFile, Exporter, Made, NotExported, OUTPUTS, OUTPUTS_AGAIN};
use crate::json;
use crate::kind::implied_bytes;
use crate::run::POISONS;
use crate::spec::{Family, Operator, Tensor};
use model::{Bindings, Bound, Command, Dispatchable, Field, InitialValues, Model, Resource, TensorDesc};

/// A model for each case.
pub(super) struct DxDispatch;

/// The name of the model's file in the case's folder.
const MODEL_FILE: &str = "model.json";

/// The name of the operator in its model.
const OPERATOR: &str = "operator";

/// The tool's buffers are made of groups of this many bytes.
const GRANULARITY: u64 = 4;

/// An input with this flag is bound when the operator is initialised, and at no other time.
const OWNED: &str = "OWNED_BY_DML";

/// An input that DirectML owns is bound even where nothing is dispatched; larger ones than this are not.
const MOST_BYTES_WITHOUT_DATA: u64 = 1 << 26;

/// What cannot be expressed, and why.
mod inexpressible {
    pub(super) const OPERATOR: &str = "the operator is none of DirectML's";
    pub(super) const LEVEL: &str =
        "it is refused at lower levels only, and DirectML answers at the highest level that it has";
    pub(super) const TENSOR: &str = "a tensor is left out, which DxDispatch refuses itself";
    pub(super) const ATTRIBUTE: &str = "an attribute is left out, which DxDispatch refuses itself";
    pub(super) const FLOAT: &str = "a value is infinite or a NaN, for which JSON has no number";
    pub(super) const TEXT: &str = "a value is a text, which no structure of DirectML has";
    pub(super) const NUMBER: &str = "a number does not fit 32 bits";
    pub(super) const STRIDES: &str =
        "strides and sizes differ in number, and DirectML is told only one number for both";
    pub(super) const LIST: &str =
        "a list is shorter or longer than its count, and DirectML is told nothing but the count";
    pub(super) const NO_BYTES: &str = "a stated size of 0 bytes, which DxDispatch takes for none";
    pub(super) const MANY_BYTES: &str = "a tensor has no size in bytes that fits 64 bits";
    pub(super) const OWNED_IN_PART: &str =
        "a list has tensors owned by DirectML beside others, and DxDispatch binds it as a whole";
    pub(super) const OWNED: &str = "an input owned by DirectML is too large to be bound";
}

fn inexpressible<T>(reason: &str) -> Result<T, NotExported> {
    Err(NotExported::Inexpressible(reason.to_owned()))
}

impl Exporter for DxDispatch {
    fn made(&self, asked: &Asked<'_>) -> Result<Made, NotExported> {
        let mut files = Vec::new();
        let mut model = Model::default();
        model.dispatchables.insert(OPERATOR, dispatchable(asked)?);
        if asked.task() == Task::Run {
            files = run(asked, &mut model)?;
        } else {
            bind_owned(asked, &mut model)?;
        }
        files.push((MODEL_FILE.to_owned(), json::text(&model)?.into_bytes()));
        Ok(Made::of(asked, files, input))
    }

    fn shared(&self, _: &[String]) -> Vec<ExportedFile> {
        let files = [
            ("README.md", include_str!("README.md")),
            ("run.ps1", include_str!("run.ps1")),
            ("rules.json", include_str!("rules.json")),
            ("probe.json", include_str!("probe.json")),
        ];
        files.into_iter().map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).collect()
    }
}

/// The operator of a case.
fn dispatchable<'a>(asked: &'a Asked<'_>) -> Result<Dispatchable<'a>, NotExported> {
    let operator = &asked.about().operator;
    let name = operator.title.strip_prefix("DML_").and_then(|title| title.strip_suffix("_OPERATOR_DESC"));
    let Some(name) = name else { return inexpressible(inexpressible::OPERATOR) };
    if asked.is_below_highest() {
        return inexpressible(inexpressible::LEVEL);
    }
    let descriptor = &asked.descriptor;
    let mut desc = BTreeMap::new();
    for tensor in &operator.tensors {
        let entry = descriptor.tensors.iter().find(|entry| entry.name == tensor.name);
        let entry = entry.map(|entry| described(&entry.tensor, &operator.family)).transpose()?;
        match (&tensor.list, entry) {
            (None, Some(entry)) => drop(desc.insert(tensor.name.as_str(), Field::Tensor(entry))),
            (None, None) if tensor.optional => {}
            (None, None) => return inexpressible(inexpressible::TENSOR),
            // There may be none.
            (Some(place), entry) => {
                let list = desc.entry(place.list.as_str()).or_insert(Field::Tensors(Vec::new()));
                let Field::Tensors(list) = list else { continue };
                list.extend(entry);
                let count = in_32_bits(list.len())?;
                desc.extend(place.count.as_deref().map(|name| (name, Field::Number(count))));
            }
        }
    }
    for attribute in &operator.attributes {
        let Some(value) = descriptor.attribute(&attribute.name) else {
            return inexpressible(inexpressible::ATTRIBUTE);
        };
        if let (AttributeValue::Integer(count), Some(list)) = (value, &attribute.length_of)
            && descriptor.integers(list).is_some_and(|list| i64::try_from(list.len()) != Ok(*count))
        {
            return inexpressible(inexpressible::LIST);
        }
        if let (AttributeValue::Scalar(scalar), Some(member)) = (value, &attribute.data_type) {
            desc.insert(member, Field::Enumerator(operator.family.spelling(scalar.data_type())));
        }
        desc.insert(&attribute.name, field(value, attribute.is_signed)?);
    }
    let lists = operator.tensors.iter().filter_map(Tensor::list_name);
    let is_owned_in_part = |list: &str| {
        let is_of_list = |entry: &&NamedTensor| operator.tensor(&entry.name).and_then(Tensor::list_name) == Some(list);
        let mut owned = descriptor.tensors.iter().filter(is_of_list).map(is_owned);
        owned.next().is_some_and(|first| owned.any(|other| other != first))
    };
    if lists.into_iter().any(is_owned_in_part) {
        return inexpressible(inexpressible::OWNED_IN_PART);
    }
    Ok(Dispatchable { operator: format!("DML_OPERATOR_{name}"), desc, bindings: Bindings::new() })
}

fn field(value: &AttributeValue, is_signed: bool) -> Result<Field<'_>, NotExported> {
    Ok(match value {
        AttributeValue::Integer(number) if is_signed => Field::Signed(in_32_bits(*number)?),
        AttributeValue::Integers(numbers) if is_signed => {
            Field::SignedNumbers(numbers.iter().copied().map(in_32_bits).collect::<Result<_, _>>()?)
        }
        AttributeValue::Integer(number) => Field::Number(passed(*number)?),
        AttributeValue::Integers(numbers) => {
            Field::Numbers(numbers.iter().copied().map(passed).collect::<Result<_, _>>()?)
        }
        AttributeValue::Enumerator(name) => Field::Enumerator(name),
        AttributeValue::Boolean(value) => Field::Truth(*value),
        AttributeValue::Float32(number) if number.get().is_finite() => Field::Float(number.get()),
        AttributeValue::Scalar(scalar) => match number(scalar.data_type(), scalar.bits().to_le_bytes()) {
            Some(number) => Field::Scalar(number),
            None => return inexpressible(inexpressible::FLOAT),
        },
        AttributeValue::Float32(_) => return inexpressible(inexpressible::FLOAT),
        AttributeValue::String(_) => return inexpressible(inexpressible::TEXT),
    })
}

/// What a function with a UINT gets from a caller who writes the number: a negative one is 2^32 more there.
fn passed(number: i64) -> Result<u32, NotExported> {
    i32::try_from(number).map(i32::cast_unsigned).or_else(|_| in_32_bits(number))
}

fn in_32_bits<N, T: TryInto<N>>(number: T) -> Result<N, NotExported> {
    number.try_into().or_else(|_| inexpressible(inexpressible::NUMBER))
}

fn described<'a>(tensor: &'a TensorDescriptor, family: &'a Family) -> Result<TensorDesc<'a>, NotExported> {
    if tensor.strides.as_ref().is_some_and(|strides| strides.len() != tensor.sizes.len()) {
        return inexpressible(inexpressible::STRIDES);
    }
    let numbers = |numbers: &[u64]| numbers.iter().copied().map(in_32_bits).collect::<Result<Vec<u32>, _>>();
    let sizes = numbers(&tensor.sizes)?;
    let strides = tensor.strides.as_deref().map(numbers).transpose()?;
    let total = match tensor.total_bytes {
        Some(0) => return inexpressible(inexpressible::NO_BYTES),
        Some(bytes) => bytes,
        // Nothing is wrong with the size in bytes of a tensor without elements: it gets one that is not 0.
        None => match implied_bytes(tensor, family.granularity) {
            Some(bytes) => bytes.max(family.granularity),
            None => return inexpressible(inexpressible::MANY_BYTES),
        },
    };
    Ok(TensorDesc {
        data_type: family.spelling(tensor.data_type),
        sizes,
        strides,
        total_tensor_size_in_bytes: total,
        guaranteed_base_offset_alignment: in_32_bits(tensor.alignment)?,
        flags: &tensor.flags,
    })
}

fn is_owned(entry: &NamedTensor) -> bool {
    entry.role == Role::Input && entry.tensor.flags.iter().any(|flag| flag == OWNED)
}

/// The bytes of the buffer for a tensor.
fn buffer_bytes(tensor: &TensorDescriptor) -> Result<u64, Fault> {
    Ok((memory_bytes(tensor)? as u64).next_multiple_of(GRANULARITY))
}

/// The array in which an output is written: the tensor itself where it is packed and fills its buffer, because the tool
/// writes whole buffers; else the bytes of the buffer.
pub(super) fn array(tensor: &TensorDescriptor) -> Result<ArrayForm, Fault> {
    let buffer = buffer_bytes(tensor)?;
    let fills = tensor.is_packed() && !tensor.sizes.is_empty() && tensor.span_bytes() == Some(buffer);
    Ok(if fills && repeated(tensor.data_type, 0).is_some() {
        (tensor.data_type, tensor.sizes.clone())
    } else {
        (DataType::U8, vec![buffer])
    })
}

/// The number whose bytes are all the same; none for a type that the tool does not have.
fn repeated(data_type: DataType, byte: u8) -> Option<Number> {
    number(data_type, [byte; 8])
}

/// The number that begins with these bytes; none for one that JSON does not have, or a type that the tool does not have.
fn number(data_type: DataType, bytes: [u8; 8]) -> Option<Number> {
    let [byte, second, third, fourth, ..] = bytes;
    let (word, half) = (u32::from_le_bytes([byte, second, third, fourth]), u16::from_le_bytes([byte, second]));
    match data_type {
        DataType::F64 => Number::from_f64(f64::from_le_bytes(bytes)),
        DataType::F32 => Number::from_f64(f32::from_bits(word).into()),
        DataType::F16 => Number::from_f64(half::f16::from_bits(half).into()),
        DataType::I64 => Some(i64::from_le_bytes(bytes).into()),
        DataType::I32 => Some(word.cast_signed().into()),
        DataType::I16 => Some(half.cast_signed().into()),
        DataType::I8 => Some(byte.cast_signed().into()),
        DataType::U64 => Some(u64::from_le_bytes(bytes).into()),
        DataType::U32 => Some(word.into()),
        DataType::U16 => Some(half.into()),
        DataType::U8 => Some(byte.into()),
        DataType::BF16 | DataType::Bool => None,
    }
}

/// Adds the buffers and commands of two dispatches, and gives the files that they begin with.
fn run<'a>(asked: &'a Asked<'_>, model: &mut Model<'a>) -> Result<Vec<ExportedFile>, NotExported> {
    let mut files = Vec::new();
    let mut bound = [Bindings::new(), Bindings::new()];
    let operator = &asked.about().operator;
    let family = &operator.family;
    for (entry, data) in asked.inputs() {
        let mut add = |name: String, path: String, poison| -> Result<String, NotExported> {
            files.push((path.clone(), as_npy(entry, data, poison)?));
            let held = if entry.tensor.is_packed() { entry.tensor.data_type } else { DataType::U8 };
            let resource = Resource {
                initial_values: InitialValues::File { source_path: path },
                initial_values_data_type: family.spelling(held),
                size_in_bytes: buffer_bytes(&entry.tensor)?,
            };
            model.resources.insert(name.clone(), resource);
            Ok(name)
        };
        let first = add(entry.name.clone(), input(&entry.name), POISONS[0])?;
        if is_owned(entry) {
            bind_when_created(model, operator, entry, first);
            continue;
        }
        let second = if entry.tensor.is_packed() {
            first.clone()
        } else {
            add(again(&entry.name), format!("inputs/again/{}.npy", entry.name), POISONS[1])?
        };
        let [first_time, again] = &mut bound;
        bind(first_time, operator, entry, first);
        bind(again, operator, entry, second);
    }
    for ((mut bindings, poison), folder) in bound.into_iter().zip(POISONS).zip([OUTPUTS, OUTPUTS_AGAIN]) {
        let mut written = Vec::new();
        for entry in asked.outputs() {
            let (data_type, dimensions) = array(&entry.tensor)?;
            let name = if folder == OUTPUTS { entry.name.clone() } else { again(&entry.name) };
            let value = repeated(data_type, poison).unwrap_or_else(|| poison.into());
            let resource = Resource {
                initial_values: InitialValues::Constant { value_count: dimensions.iter().product(), value },
                initial_values_data_type: family.spelling(data_type),
                size_in_bytes: buffer_bytes(&entry.tensor)?,
            };
            model.resources.insert(name.clone(), resource);
            bind(&mut bindings, operator, entry, name.clone());
            let target_path = format!("{folder}/{}.npy", entry.name);
            written.push(Command::WriteFile { resource: name, target_path, dimensions });
        }
        model.commands.push(Command::Dispatch { dispatchable: OPERATOR, bindings });
        model.commands.extend(written);
    }
    Ok(files)
}

/// The name of the second dispatch's buffer for a tensor.
fn again(name: &str) -> String {
    format!("{name} again")
}

/// Binds a tensor to a buffer; one of a list behind those before it.
fn bind<'a>(bindings: &mut Bindings<'a>, operator: &'a Operator, entry: &'a NamedTensor, resource: String) {
    let Some(list) = operator.tensor(&entry.name).and_then(Tensor::list_name) else {
        bindings.insert(&entry.name, Bound::One(resource));
        return;
    };
    if let Bound::Each(each) = bindings.entry(list).or_insert(Bound::Each(Vec::new())) {
        each.push(resource);
    }
}

/// Binds a tensor when the operator is initialised.
fn bind_when_created<'a>(model: &mut Model<'a>, operator: &'a Operator, entry: &'a NamedTensor, resource: String) {
    if let Some(dispatchable) = model.dispatchables.get_mut(OPERATOR) {
        bind(&mut dispatchable.bindings, operator, entry, resource);
    }
}

/// Adds buffers for the inputs that are bound when the operator is initialised, where nothing is dispatched.
fn bind_owned<'a>(asked: &'a Asked<'_>, model: &mut Model<'a>) -> Result<(), NotExported> {
    for entry in asked.descriptor.tensors.iter().filter(|entry| is_owned(entry)) {
        let bytes = match buffer_bytes(&entry.tensor) {
            Ok(bytes) if bytes <= MOST_BYTES_WITHOUT_DATA => bytes.max(GRANULARITY),
            _ => return inexpressible(inexpressible::OWNED),
        };
        let resource = Resource {
            initial_values: InitialValues::Constant { value_count: bytes, value: 0.into() },
            initial_values_data_type: asked.about().operator.family.spelling(DataType::U8),
            size_in_bytes: bytes,
        };
        model.resources.insert(entry.name.clone(), resource);
        bind_when_created(model, &asked.about().operator, entry, entry.name.clone());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_groups_of_four_bytes_and_arrays_fill_them() {
        let packed = |data_type, size| TensorDescriptor::packed(data_type, [size]);
        let of = |tensor: &TensorDescriptor| (buffer_bytes(tensor).unwrap(), array(tensor).unwrap());
        assert_eq!(of(&packed(DataType::F32, 3)), (12, (DataType::F32, vec![3])));
        assert_eq!(of(&packed(DataType::F16, 3)), (8, (DataType::U8, vec![8])));
        assert_eq!(of(&packed(DataType::I8, 4)), (4, (DataType::I8, vec![4])));
        let larger = TensorDescriptor { total_bytes: Some(13), ..packed(DataType::U32, 3) };
        assert_eq!(of(&larger), (16, (DataType::U8, vec![16])));
        let strided = TensorDescriptor { strides: Some(vec![2]), ..packed(DataType::U32, 3) };
        assert_eq!(of(&strided), (20, (DataType::U8, vec![20])));
    }
}
