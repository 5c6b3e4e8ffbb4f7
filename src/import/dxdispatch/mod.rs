//! Models of DxDispatch: one operator of DirectML each, its tensors, and what the buffers bound to them begin with.
//!
//! Read as the tool reads them: long and short forms of tensors and enumerators, all forms of initial values, comments.
//! Nothing is known of operators but how DirectML spells: `DML_OPERATOR_X` has the title `DML_X_OPERATOR_DESC`, and a tensor whose name
//! begins with `Output` is one. A model has no place for what it expects.

mod text;
mod values;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::rc::Rc;

use opcert_backend::{AttributeValue, DataType, NamedAttribute, TensorDescriptor};
use serde_json::{Map, Value};

use super::{Foreign, ForeignTensor, Found, LeftOut, MOST_ELEMENTS, MOST_NAMED};
use crate::file;
use crate::layout::gather;
use crate::near::did_you_mean;

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

/// The most bytes that are made of a model.
const MOST_BYTES: u64 = 1 << 30;

/// DirectML's tensors are this many bytes, times a whole number.
const GRANULARITY: u64 = 4;

/// What a dispatchable has beside the members of its operator.
const OF_DISPATCHABLES: [&str; 6] = ["type", "desc", "Desc", "bindings", "dmlCompileType", "executionFlags"];

/// What a model has.
const OF_MODELS: [&str; 3] = ["resources", "dispatchables", "commands"];

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

/// Dispatchables of these types are no operators of DirectML.
const OTHERS: [&str; 3] = ["hlsl", "onnx", "dmlserializedgraph"];

/// The operators in a model, each once for every dispatch on other data.
///
/// # Errors
///
/// What is wrong with the file, as a fragment that follows its name.
pub(super) fn read(path: &Path) -> Result<Found, String> {
    of_text(&file::read_text(path, file::LONGEST_TEXT).map_err(|error| format!("cannot be read: {error}"))?, path)
}

/// The same for the text of a file. Other files are looked for beside `path`.
///
/// # Errors
///
/// What is wrong with the text, as a fragment that follows the file's name.
pub fn of_text(text: &str, path: &Path) -> Result<Found, String> {
    let (root, more) =
        text::parse(text.trim_start_matches('\u{FEFF}')).map_err(|error| format!("is no JSON: {error}"))?;
    let commands = root.get("commands").and_then(Value::as_array).ok_or("has no list `commands`")?;
    let model = Model::new(member(&root, "resources")?, commands, path.parent().unwrap_or(Path::new("")));
    let dispatchables = member(&root, "dispatchables")?;
    let stem = |path: Option<&std::ffi::OsStr>| path.map(|stem| stem.to_string_lossy().into_owned());
    // Exports call each of their models so.
    let file = stem(path.file_stem()).filter(|stem| stem != "model");
    let file = file.or_else(|| stem(model.folder.file_name())).unwrap_or_default();
    let mut tests: Vec<Foreign> = Vec::new();
    let mut left_out = unknown(&root, &OF_MODELS, "");
    if more {
        left_out.push(LeftOut::new("…", "it stands behind the end of the model"));
    }
    let mut bound = BTreeSet::new();
    for (name, dispatchable) in dispatchables {
        let at = |reason: String| format!("`dispatchables.{name}` {reason}");
        let kind = dispatchable.get("type").map(self::text).transpose().map_err(at)?;
        let kind = kind.ok_or_else(|| at("has no `type`".to_owned()))?;
        if OTHERS.contains(&kind.to_lowercase().as_str()) {
            let why = format!("it is of the type `{kind}`, which is no operator of DirectML");
            left_out.push(LeftOut::new(format!("dispatchables.{name}"), why));
            continue;
        }
        let title = if dispatchables.len() == 1 { file.clone() } else { format!("{file}_{name}") };
        let operator = model.operator(name, kind, dispatchable, &mut left_out).map_err(at)?;
        let mut taken = HashSet::new();
        for (mut foreign, command) in operator {
            foreign.name.clone_from(&title);
            // All else is the same in each of its dispatches.
            if taken.insert(digest(&foreign.tensors)) {
                tests.push(foreign);
            } else if let Some(command) = command {
                left_out.push(LeftOut::new(format!("commands[{command}]"), "an earlier dispatch has the same data"));
            }
        }
        bound.extend(model.bound_to(name, dispatchable));
    }
    left_out.extend(model.other_commands(dispatchables));
    if tests.is_empty() {
        let named = left_out.iter().take(MOST_NAMED).map(LeftOut::to_string).collect::<Vec<_>>().join("; ");
        let more = left_out.len().saturating_sub(MOST_NAMED);
        let more = if more == 0 { String::new() } else { format!("; and {more} more") };
        return Err(format!("has no operator of DirectML{}{named}{more}", if named.is_empty() { "" } else { ": " }));
    }
    let unbound = model.resources.keys().filter(|name| !bound.contains(name.as_str()));
    let why = "no operator that is taken is bound to it";
    left_out.extend(unbound.map(|name| LeftOut::new(format!("resources.{name}"), why)));
    Ok(Found { tests, left_out })
}

/// A digest of the data of all tensors.
fn digest(tensors: &[ForeignTensor]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for tensor in tensors {
        let length = tensor.elements.as_ref().map_or(u64::MAX, |elements| elements.len() as u64);
        hasher.update(&length.to_le_bytes()).update(tensor.elements.as_deref().unwrap_or_default());
    }
    hasher.finalize()
}

/// The members of an object that nothing is known of. `path` leads to it and ends with a point.
fn unknown(object: &Value, known: &[&str], path: &str) -> Vec<LeftOut> {
    let names = object.as_object().into_iter().flatten().map(|(name, _)| name);
    let others = names.filter(|name| !known.contains(&name.as_str()));
    let why = |name: &str| format!("this name is not known here{}", did_you_mean(name, known.iter().copied()));
    others.map(|name| LeftOut::new(format!("{path}{name}"), why(name))).collect()
}

fn member<'a>(root: &'a Value, name: &str) -> Result<&'a Map<String, Value>, String> {
    root.get(name).and_then(Value::as_object).ok_or_else(|| format!("has no object `{name}`"))
}

struct Model<'a> {
    resources: &'a Map<String, Value>,
    commands: &'a [Value],
    folder: &'a Path,
    /// The numbers of the commands that dispatch an operator, by its name.
    dispatches: BTreeMap<&'a str, Vec<usize>>,
    /// The first command that writes a resource, by the resource's name: what a dispatch writes is not there before the
    /// model runs.
    written: BTreeMap<&'a str, usize>,
    /// What resources begin with, as far as it was asked for.
    initial: RefCell<BTreeMap<&'a str, Rc<Vec<u8>>>>,
    /// How many bytes were made of the model.
    made: Cell<u64>,
}

impl<'a> Model<'a> {
    fn new(resources: &'a Map<String, Value>, commands: &'a [Value], folder: &'a Path) -> Self {
        let (mut dispatches, mut written) = (BTreeMap::<_, Vec<usize>>::new(), BTreeMap::new());
        for (number, command) in commands.iter().enumerate() {
            let kind = command.get("type").and_then(Value::as_str);
            if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("dispatch")) {
                continue;
            }
            if let Some(name) = command.get("dispatchable").and_then(Value::as_str) {
                dispatches.entry(name).or_default().push(number);
            }
            let bindings = command.get("bindings").and_then(Value::as_object).into_iter().flatten();
            for (_, binding) in bindings.filter(|(name, _)| is_output(name)) {
                if let Ok((resource, ..)) = bound(binding) {
                    written.entry(resource).or_insert(number);
                }
            }
        }
        Self { resources, commands, folder, dispatches, written, initial: RefCell::default(), made: Cell::new(0) }
    }

    /// Whether a dispatch before this one writes a resource.
    fn is_written(&self, resource: &str, before: usize) -> bool {
        self.written.get(resource).is_some_and(|&first| first < before)
    }

    /// Counts bytes that are made of the model: one of few bytes may bind a long buffer as often as it likes.
    fn make(&self, bytes: usize) -> Result<(), String> {
        self.made.set(self.made.get().saturating_add(bytes as u64));
        if self.made.get() > MOST_BYTES {
            return Err(format!("makes the data of all dispatches more than {MOST_BYTES} bytes"));
        }
        Ok(())
    }

    /// What a resource begins with.
    fn initial(&self, name: &str) -> Result<Rc<Vec<u8>>, String> {
        if let Some(bytes) = self.initial.borrow().get(name) {
            return Ok(Rc::clone(bytes));
        }
        let (name, resource) = self.resources.get_key_value(name).ok_or_else(|| format!("is no resource: `{name}`"))?;
        let bytes = Rc::new(values::initial(resource, self.folder)?);
        self.make(bytes.len())?;
        self.initial.borrow_mut().insert(name, Rc::clone(&bytes));
        Ok(bytes)
    }

    /// An operator, for each of its dispatches and with the number of the command; without data where there is none.
    fn operator(
        &self,
        name: &str,
        kind: &str,
        dispatchable: &Value,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<Vec<(Foreign, Option<usize>)>, String> {
        let kind = kind.strip_prefix("DML_OPERATOR_").unwrap_or(kind);
        let desc = dispatchable.get("Desc").or_else(|| dispatchable.get("desc"));
        let members = desc.unwrap_or(dispatchable).as_object().ok_or("has a `desc` that is no object")?;
        let mut plain = Foreign {
            operator: format!("DML_{}_OPERATOR_DESC", kind.to_uppercase()),
            name: String::new(),
            tensors: Vec::new(),
            attributes: Vec::new(),
        };
        let own = |name: &str| desc.is_some() || !OF_DISPATCHABLES.contains(&name);
        let path = format!("dispatchables.{name}.");
        if desc.is_some() {
            left_out.extend(unknown(dispatchable, &OF_DISPATCHABLES, &path));
        }
        for how in ["dmlCompileType", "executionFlags"].into_iter().filter(|how| dispatchable.get(how).is_some()) {
            left_out.push(LeftOut::new(format!("{path}{how}"), "it says how to run the operator, and a case does not"));
        }
        for (name, value) in members.iter().filter(|(name, _)| own(name)) {
            let at = |reason: String| format!("has a `{name}` that {reason}");
            match value {
                Value::Null => {}
                Value::Object(_) => {
                    let descriptor = tensor(value).map_err(at)?;
                    left_out.extend(unknown(value, &OF_TENSORS, &format!("{path}{name}.")));
                    if let Some(inner) = value.get("Desc") {
                        left_out.extend(unknown(inner, &OF_TENSORS, &format!("{path}{name}.Desc.")));
                    }
                    plain.tensors.push(ForeignTensor { name: name.clone(), descriptor, elements: None });
                }
                _ => {
                    let value = attribute(name, value).map_err(at)?;
                    plain.attributes.push(NamedAttribute { name: name.clone(), value });
                }
            }
        }
        let mut dispatched = Vec::new();
        for &number in self.dispatches_of(name) {
            let bindings = self.commands[number].get("bindings").and_then(Value::as_object);
            let mut foreign = plain.clone();
            for entry in foreign.tensors.iter_mut().filter(|entry| !is_output(&entry.name)) {
                let binding = bindings.and_then(|bindings| bindings.get(&entry.name));
                let owned = || dispatchable.get("bindings").and_then(|bindings| bindings.get(&entry.name));
                let Some(binding) = binding.or_else(owned) else { continue };
                let at = |reason: String| format!("binds to `{}` what {reason}", entry.name);
                entry.elements = self.elements(binding, &entry.descriptor, number).map_err(at)?;
                if entry.elements.is_none()
                    && let Ok((resource, ..)) = bound(binding)
                    && self.is_written(resource, number)
                {
                    let why = format!("an operator writes `{resource}` before, so that nothing is known of it");
                    let part = format!("the data of {path}{}", entry.name);
                    left_out.push(LeftOut::new(part, why));
                }
            }
            let of_operator = |tensor: &str| foreign.tensors.iter().any(|entry| entry.name == tensor);
            for other in bindings.into_iter().flatten().map(|(tensor, _)| tensor).filter(|name| !of_operator(name)) {
                let near = did_you_mean(other, foreign.tensors.iter().map(|entry| entry.name.as_str()));
                let why = format!("`{name}` has no such tensor{near}");
                left_out.push(LeftOut::new(format!("commands[{number}].bindings.{other}"), why));
            }
            dispatched.push((foreign, Some(number)));
        }
        Ok(if dispatched.is_empty() { vec![(plain, None)] } else { dispatched })
    }

    /// The numbers of the commands that dispatch an operator.
    fn dispatches_of(&self, name: &str) -> &[usize] {
        self.dispatches.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The resources that a dispatchable is bound to, by itself or by a command.
    fn bound_to(&self, name: &str, dispatchable: &'a Value) -> Vec<&'a str> {
        let own = self.dispatches_of(name).iter().map(|&number| &self.commands[number]);
        let all = own.chain([dispatchable]).filter_map(|each| each.get("bindings")?.as_object());
        all.flatten().filter_map(|(_, binding)| Some(bound(binding).ok()?.0)).collect()
    }

    /// The commands that dispatch nothing.
    fn other_commands(&self, dispatchables: &Map<String, Value>) -> Vec<LeftOut> {
        // A name is looked for among all others only as long as somebody reads what was found.
        let mut unknown = 0;
        let mut why = |command: &Value| {
            let word = |key: &str| command.get(key).and_then(Value::as_str).unwrap_or_default();
            let (kind, name) = (word("type"), word("dispatchable"));
            if !kind.eq_ignore_ascii_case("dispatch") {
                return Some(format!("it is of the type `{kind}`, and dispatches nothing"));
            }
            if dispatchables.contains_key(name) {
                return None;
            }
            unknown += 1;
            let known = dispatchables.keys().map(String::as_str);
            let near = if unknown <= MOST_NAMED { did_you_mean(name, known) } else { String::new() };
            Some(format!("`{name}` is no dispatchable{near}"))
        };
        let commands = self.commands.iter().enumerate();
        commands.filter_map(|(at, command)| Some(LeftOut::new(format!("commands[{at}]"), why(command)?))).collect()
    }

    /// The elements of a tensor, from the buffer that is bound to it; none where an operator wrote it, or where the
    /// tensor has no memory.
    fn elements(
        &self,
        binding: &Value,
        descriptor: &TensorDescriptor,
        number: usize,
    ) -> Result<Option<Vec<u8>>, String> {
        let (name, offset, width) = bound(binding)?;
        let Some(span) = descriptor.span_bytes().filter(|_| !self.is_written(name, number)) else { return Ok(None) };
        // Strides of 0 make as many elements of a few bytes as one likes.
        if descriptor.element_count().is_none_or(|count| count > MOST_ELEMENTS) {
            return Err(format!("would have more than {MOST_ELEMENTS} elements, its sizes are {:?}", descriptor.sizes));
        }
        let stated = self.resources.get(name).and_then(|resource| resource.get("initialValuesDataType"));
        let width = match (width, stated.map(data_type)) {
            (0, Some(held)) => held?.bytes() as u64,
            (width, _) => width,
        };
        let bytes = self.initial(name)?;
        let begin = offset.checked_mul(width).and_then(|begin| usize::try_from(begin).ok());
        let memory = begin.and_then(|begin| bytes.get(begin..)).unwrap_or_default();
        if (memory.len() as u64) < span {
            return Err(format!("is too short: `{name}` has values for {} bytes, expected {span}", memory.len()));
        }
        let elements = gather(descriptor, memory).into_owned();
        self.make(elements.len())?;
        Ok(Some(elements))
    }
}

/// The resource of a binding, the offset in it in elements, and the bytes of each; 0 where that is not said.
fn bound(binding: &Value) -> Result<(&str, u64, u64), String> {
    match binding {
        Value::String(name) => Ok((name, 0, 0)),
        Value::Array(all) if all.len() == 1 => bound(&all[0]),
        Value::Object(parts) => {
            let name = parts.get("name").and_then(Value::as_str).ok_or("has no `name`")?;
            let part = |name: &str| parts.get(name).map_or(Ok(0), |value| number(value, u64::MAX));
            Ok((name, part("elementOffset")?, part("elementSizeInBytes")?))
        }
        _ => Err("is neither a name nor an object".to_owned()),
    }
}

fn is_output(tensor: &str) -> bool {
    tensor.starts_with("Output")
}

/// A tensor in the long or the short form.
fn tensor(value: &Value) -> Result<TensorDescriptor, String> {
    let kind = value.get("Type").map(text).transpose()?.unwrap_or("BUFFER");
    if kind.trim_start_matches("DML_TENSOR_TYPE_") != "BUFFER" {
        return Err(format!("is of the type `{kind}`, expected a buffer"));
    }
    let desc = value.get("Desc").unwrap_or(value);
    let list = |name: &str| desc.get(name).map(numbers).transpose();
    let mut sizes = list("Sizes")?.ok_or("has no `Sizes`")?;
    let mut strides = list("Strides")?.filter(|strides| !strides.is_empty());
    if let Some(count) = desc.get("DimensionCount") {
        let count = number(count, u32::MAX.into())?;
        if [Some(&sizes), strides.as_ref()].into_iter().flatten().any(|list| (list.len() as u64) < count) {
            return Err(format!("has {count} dimensions and a list with fewer numbers"));
        }
        // The lists have no length of their own in DirectML.
        sizes.truncate(count as usize);
        strides.iter_mut().for_each(|strides| strides.truncate(count as usize));
    }
    let mut flags = match desc.get("Flags") {
        None => Vec::new(),
        Some(Value::Array(flags)) => flags.iter().map(text).collect::<Result<_, _>>()?,
        Some(flag) => vec![text(flag)?],
    };
    flags.iter_mut().for_each(|flag| *flag = flag.trim_start_matches("DML_TENSOR_FLAG_"));
    flags.retain(|flag| *flag != "NONE");
    let total = desc.get("TotalTensorSizeInBytes").map(|total| number(total, u64::MAX)).transpose()?;
    let alignment =
        desc.get("GuaranteedBaseOffsetAlignment").map(|value| number(value, u32::MAX.into())).transpose()?;
    let mut descriptor = TensorDescriptor {
        data_type: data_type(desc.get("DataType").ok_or("has no `DataType`")?)?,
        sizes: sizes.into_iter().map(u64::from).collect(),
        strides: strides.map(|strides| strides.into_iter().map(u64::from).collect()),
        total_bytes: None,
        alignment: alignment.unwrap_or(0),
        flags: flags.into_iter().map(str::to_owned).collect(),
    };
    // 0 is as good as nothing to DxDispatch, and the size that follows from the rest needs no word.
    let implied = descriptor.span_bytes().and_then(|span| span.checked_next_multiple_of(GRANULARITY));
    descriptor.total_bytes = total.filter(|total| *total != 0 && Some(*total) != implied);
    Ok(descriptor)
}

fn attribute(name: &str, value: &Value) -> Result<AttributeValue, String> {
    Ok(match value {
        Value::String(word) => AttributeValue::Enumerator(enumerator(name, word)),
        Value::Array(_) => AttributeValue::Integers(numbers(value)?.into_iter().map(i64::from).collect()),
        _ => {
            let integer =
                value.as_i64().filter(|number| i32::try_from(*number).is_ok() || u32::try_from(*number).is_ok());
            AttributeValue::Integer(integer.ok_or_else(|| format!("is {value}, expected a whole number of 32 bits"))?)
        }
    })
}

/// An enumerator in full: those of `AxisDirection` begin with `DML_AXIS_DIRECTION_`.
fn enumerator(attribute: &str, word: &str) -> String {
    let mut prefix = "DML".to_owned();
    for letter in attribute.chars() {
        if letter.is_uppercase() {
            prefix.push('_');
        }
        prefix.extend(letter.to_uppercase());
    }
    if word.starts_with("DML_") { word.to_owned() } else { format!("{prefix}_{word}") }
}

fn data_type(value: &Value) -> Result<DataType, String> {
    let name = text(value)?;
    let short = name.strip_prefix("DML_TENSOR_DATA_TYPE_").unwrap_or(name);
    let found = DATA_TYPES.iter().find(|(known, _)| *known == short);
    found.map(|(_, data_type)| *data_type).ok_or_else(|| format!("has the data type `{name}`, which is not known"))
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("has {value} where a text is wanted"))
}

fn number(value: &Value, most: u64) -> Result<u64, String> {
    let number = value.as_u64().filter(|number| *number <= most);
    number.ok_or_else(|| format!("has {value} where a whole number from 0 to {most} is wanted"))
}

fn numbers(value: &Value) -> Result<Vec<u32>, String> {
    let list = value.as_array().ok_or_else(|| format!("has {value} where a list is wanted"))?;
    list.iter().map(|value| Ok(number(value, u32::MAX.into())? as u32)).collect()
}
