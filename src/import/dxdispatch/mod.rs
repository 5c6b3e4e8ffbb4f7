//! Models of DxDispatch: one operator of DirectML each, its tensors, and what the buffers bound to them begin with.
//!
//! Read as the tool reads them: long and short forms of tensors and enumerators, all forms of initial values, comments.
//! Nothing is known of operators but how DirectML spells: `DML_OPERATOR_X` has the title `DML_X_OPERATOR_DESC`, and a tensor whose name
//! begins with `Output` is one. A model has no place for what it expects.

mod part;
mod text;
mod values;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::rc::Rc;

use opcert_backend::{AttributeValue, DataType, NamedAttribute, TensorDescriptor};

use self::part::{Kind, Members, Part};
use super::{Foreign, ForeignTensor, Found, LeftOut, LeftOuts, MOST_ELEMENTS};
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

/// The most operators of a model, and the most dispatches.
const MOST_TESTS: usize = 1 << 13;

/// The most bytes that the descriptors of all dispatches take, beside so many for each byte of the model: an operator is
/// described once, and may be dispatched often.
const MOST_DESCRIBED: usize = 1 << 20;
const MOST_DESCRIBED_EACH: usize = 16;

/// The most numbers in a list of a descriptor, and the most members of an operator.
const MOST_LISTED: usize = 1 << 10;

/// DirectML's tensors are this many bytes, times a whole number.
const GRANULARITY: u64 = 4;

/// What a dispatchable has beside the members of its operator.
const OF_DISPATCHABLES: [&str; 6] = ["type", "desc", "Desc", "bindings", "dmlCompileType", "executionFlags"];

/// What a model has.
const OF_MODELS: [&str; 3] = ["resources", "dispatchables", "commands"];

/// What a resource has.
const OF_RESOURCES: [&str; 3] = ["initialValues", "initialValuesDataType", "sizeInBytes"];

/// What a command that dispatches has.
const OF_DISPATCHES: [&str; 3] = ["type", "dispatchable", "bindings"];

/// What a binding has that is not only a name.
const OF_BINDINGS: [&str; 3] = ["name", "elementOffset", "elementSizeInBytes"];

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

/// Dispatchables of these types are no operators of DirectML.
const OTHERS: [&str; 3] = ["hlsl", "onnx", "dmlserializedgraph"];

/// The operators in a model, each once for every dispatch on other data.
///
/// # Errors
///
/// What is wrong with the file, in words that stand behind its name and a colon.
pub(super) fn read(path: &Path) -> Result<Found, String> {
    of_text(
        &file::read_text(path, file::LONGEST_TEXT).map_err(|error| format!("the model cannot be read: {error}"))?,
        path,
    )
}

/// The same for the text of a file. Other files are looked for beside `path`.
///
/// # Errors
///
/// What is wrong with the text, in words that stand behind the file's name and a colon.
pub fn of_text(text: &str, path: &Path) -> Result<Found, String> {
    let plain = text::plain(text.trim_start_matches('\u{FEFF}'));
    let (root, more) = text::parse(&plain).map_err(|error| format!("the model is no JSON: {error}"))?;
    let root = root.members().map_err(|reason| format!("the model {reason}"))?;
    let root = root.ok_or("the model is no object with `resources`, `dispatchables` and `commands`")?;
    let commands = root.get("commands").filter(|commands| commands.kind() == Kind::List);
    let commands = *commands.ok_or("the model has no list `commands`")?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let dispatchables = member(&root, "dispatchables")?;
    let model = Model::new(member(&root, "resources")?, (commands, &dispatchables), folder, text.len())?;
    if dispatchables.len() > MOST_TESTS {
        return Err(format!("the model has {} dispatchables, expected {MOST_TESTS} at most", dispatchables.len()));
    }
    let stem = |path: Option<&std::ffi::OsStr>| path.map(|stem| stem.to_string_lossy().into_owned());
    // Exports call each of their models so.
    let file = stem(path.file_stem()).filter(|stem| stem != "model");
    let file = file.or_else(|| stem(model.folder.file_name())).unwrap_or_default();
    let mut tests: Vec<Foreign> = Vec::new();
    let mut left_out = LeftOuts::default();
    unknown(&root, &OF_MODELS, "", &mut left_out);
    if more {
        left_out.add(|| LeftOut::new("…", "it stands behind the end of the model"));
    }
    let mut bound = BTreeSet::new();
    for (name, dispatchable) in &dispatchables {
        let at = |reason: String| format!("`dispatchables.{name}` {reason}");
        let members = dispatchable.members().map_err(at)?.ok_or_else(|| at("is no object".to_owned()))?;
        let kind = members.get("type").copied().map(self::text).transpose().map_err(at)?;
        let kind = kind.ok_or_else(|| at("has no `type`".to_owned()))?;
        if OTHERS.contains(&kind.to_lowercase().as_str()) {
            let why = || format!("it is of the type `{kind}`, which is no operator of DirectML");
            left_out.add(|| LeftOut::new(format!("dispatchables.{name}"), why()));
            continue;
        }
        let title = if dispatchables.len() == 1 { file.clone() } else { format!("{file}_{name}") };
        let operator = model.operator(name, &kind, &members, &mut left_out).map_err(at)?;
        let mut taken = HashSet::new();
        for (mut foreign, command) in operator {
            foreign.name.clone_from(&title);
            // All else is the same in each of its dispatches.
            if taken.insert(digest(&foreign.tensors)) {
                tests.push(foreign);
            } else if let Some(command) = command {
                let why = "an earlier dispatch has the same data";
                left_out.add(|| LeftOut::new(format!("commands[{command}]"), why));
            }
        }
        model.add_bound(name, &members, &mut bound)?;
    }
    model.add_other_commands(&dispatchables, &mut left_out)?;
    if tests.is_empty() {
        let LeftOuts { named, more } = left_out;
        let named = named.iter().map(LeftOut::to_string).collect::<Vec<_>>().join("; ");
        let more = if more == 0 { String::new() } else { format!("; and {more} more") };
        return Err(format!(
            "the model has no operator of DirectML{}{named}{more}",
            if named.is_empty() { "" } else { ": " }
        ));
    }
    for (name, resource) in model.resources.iter().filter(|(name, _)| bound.contains(name.as_str())) {
        let members = resource.members().map_err(|reason| format!("`resources.{name}` {reason}"))?.unwrap_or_default();
        unknown(&members, &OF_RESOURCES, &format!("resources.{name}."), &mut left_out);
    }
    let why = "no operator that is taken is bound to it";
    for name in model.resources.keys().filter(|name| !bound.contains(name.as_str())) {
        left_out.add(|| LeftOut::new(format!("resources.{name}"), why));
    }
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

/// Leaves out the members of an object that nothing is known of. `path` leads to it and ends with a point.
fn unknown(object: &Members<'_>, known: &[&str], path: &str, left_out: &mut LeftOuts) {
    for name in object.keys().filter(|name| !known.contains(&name.as_str())) {
        let why = || format!("this name is not known here{}", did_you_mean(name, known.iter().copied()));
        left_out.add(|| LeftOut::new(format!("{path}{name}"), why()));
    }
}

fn member<'a>(root: &Members<'a>, name: &str) -> Result<Members<'a>, String> {
    let members = root.get(name).map(|part| part.members().map_err(|reason| format!("`{name}` {reason}")));
    members.transpose()?.flatten().ok_or_else(|| format!("the model has no object `{name}`"))
}

/// The members of a member; none where it is no object, or not there.
fn inner<'a>(object: &Members<'a>, name: &str) -> Result<Members<'a>, String> {
    let members = object.get(name).map(|part| part.members().map_err(|reason| format!("has `{name}` that {reason}")));
    Ok(members.transpose()?.flatten().unwrap_or_default())
}

struct Model<'a> {
    resources: Members<'a>,
    commands: Part<'a>,
    folder: &'a Path,
    /// The commands that dispatch an operator, by its name.
    dispatches: BTreeMap<String, Vec<Dispatch<'a>>>,
    /// The first command that writes a resource, by the resource's name: what a dispatch writes is not there before the
    /// model runs.
    written: BTreeMap<String, usize>,
    /// What resources begin with, as far as it was asked for, and the type of all elements where one is stated.
    initial: RefCell<BTreeMap<String, Initial>>,
    /// How many bytes were made of the model.
    made: Cell<u64>,
    /// How many more bytes descriptors may take.
    describable: Cell<usize>,
}

type Initial = (Rc<Vec<u8>>, Option<DataType>);

/// A command that dispatches an operator.
#[derive(Clone, Copy)]
struct Dispatch<'a> {
    number: usize,
    command: Part<'a>,
}

impl<'a> Dispatch<'a> {
    /// What the command binds, by tensor.
    fn bindings(self) -> Result<Members<'a>, String> {
        bindings_of(self.number, &command(self.number, self.command)?)
    }
}

/// The members of a command; none where it is no object.
fn command<'a>(number: usize, command: Part<'a>) -> Result<Members<'a>, String> {
    let members = command.members().map_err(|reason| format!("`commands[{number}]` {reason}"))?;
    Ok(members.unwrap_or_default())
}

fn bindings_of<'a>(number: usize, command: &Members<'a>) -> Result<Members<'a>, String> {
    inner(command, "bindings").map_err(|reason| format!("`commands[{number}]` {reason}"))
}

/// A text in a command; an empty one where there is none.
fn word(number: usize, command: &Members<'_>, name: &str) -> Result<String, String> {
    let part = command.get(name).filter(|part| part.kind() == Kind::Text);
    let word = part.map(|part| text(*part).map_err(|reason| format!("`commands[{number}].{name}` {reason}")));
    Ok(word.transpose()?.unwrap_or_default())
}

fn is_dispatch(kind: &str) -> bool {
    kind.eq_ignore_ascii_case("dispatch")
}

impl<'a> Model<'a> {
    /// Of a text of so many bytes.
    fn new(
        resources: Members<'a>,
        (commands, dispatchables): (Part<'a>, &Members<'a>),
        folder: &'a Path,
        length: usize,
    ) -> Result<Self, String> {
        let (mut dispatches, mut written) = (BTreeMap::<_, Vec<Dispatch<'_>>>::new(), BTreeMap::new());
        let mut writers: BTreeMap<String, bool> = BTreeMap::new();
        let (mut number, mut dispatched) = (0, 0);
        commands.each(|part| {
            let members = command(number, part)?;
            if is_dispatch(&word(number, &members, "type")?) {
                dispatched += 1;
                if dispatched > MOST_TESTS {
                    return Err(format!(
                        "the model has more than {MOST_TESTS} dispatches: several files may have as many each"
                    ));
                }
                dispatches
                    .entry(word(number, &members, "dispatchable")?)
                    .or_default()
                    .push(Dispatch { number, command: part });
                let mut write = |bindings: &Members<'a>, is_foreign: bool, place: &str| {
                    for (name, binding) in bindings.iter().filter(|(name, _)| is_foreign || is_output(name)) {
                        let at = |reason| format!("`{place}` binds to `{name}` what {reason}");
                        for resource in all_bound(*binding).map_err(at)? {
                            written.entry(resource).or_insert(number);
                        }
                    }
                    Ok::<_, String>(())
                };
                let name = word(number, &members, "dispatchable")?;
                // What it binds itself is written by the first dispatch, and by the others no earlier.
                let is_foreign = match writers.get(&name) {
                    Some(is_foreign) => *is_foreign,
                    None => {
                        let (own, is_foreign) = writes(&name, dispatchables)?;
                        write(&own, is_foreign, &format!("dispatchables.{name}"))?;
                        writers.insert(name.clone(), is_foreign);
                        is_foreign
                    }
                };
                write(&bindings_of(number, &members)?, is_foreign, &format!("commands[{number}]"))?;
            }
            number += 1;
            Ok(())
        })?;
        let (initial, made) = (RefCell::default(), Cell::new(0));
        let describable = Cell::new(MOST_DESCRIBED + MOST_DESCRIBED_EACH * length);
        Ok(Self { resources, commands, folder, dispatches, written, initial, made, describable })
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

    /// Counts an operator that is described once more.
    fn describe(&self, foreign: &Foreign) -> Result<(), String> {
        let left = self.describable.get().checked_sub(described(foreign));
        self.describable.set(left.ok_or("is dispatched too often for its size, expected several files")?);
        Ok(())
    }

    /// What a resource begins with: its text is gone through once, however often it is bound.
    fn initial(&self, name: &str) -> Result<Initial, String> {
        if let Some(initial) = self.initial.borrow().get(name) {
            return Ok(initial.clone());
        }
        let resource = self.resources.get(name).ok_or_else(|| format!("is no resource: `{name}`"))?;
        let (bytes, stated) = values::initial(*resource, self.folder)?;
        self.make(bytes.len())?;
        let initial = (Rc::new(bytes), stated);
        self.initial.borrow_mut().insert(name.to_owned(), initial.clone());
        Ok(initial)
    }

    /// An operator, for each of its dispatches and with the number of the command; without data where there is none.
    fn operator(
        &self,
        name: &str,
        kind: &str,
        dispatchable: &Members<'a>,
        left_out: &mut LeftOuts,
    ) -> Result<Vec<(Foreign, Option<usize>)>, String> {
        let kind = kind.strip_prefix("DML_OPERATOR_").unwrap_or(kind);
        if dispatchable.contains_key("desc") && dispatchable.contains_key("Desc") {
            return Err("has both a `desc` and a `Desc`".to_owned());
        }
        let desc = dispatchable.get("Desc").or_else(|| dispatchable.get("desc"));
        let desc =
            desc.map(|desc| desc.members().map_err(|reason| format!("has a `desc` that {reason}"))).transpose()?;
        let desc = desc.map(|desc| desc.ok_or("has a `desc` that is no object")).transpose()?;
        let path = format!("dispatchables.{name}.");
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
        let mut plain = Foreign {
            operator: format!("DML_{}_OPERATOR_DESC", kind.to_uppercase()),
            name: String::new(),
            tensors: Vec::new(),
            attributes: Vec::new(),
        };
        for (name, value) in members.iter().filter(|(name, _)| own(name)) {
            let at = |reason: String| format!("has a `{name}` that {reason}");
            match value.kind() {
                Kind::Null => {}
                Kind::Object => {
                    let outer = value.members().map_err(at)?.unwrap_or_default();
                    let desc = outer.get("Desc").map(|desc| desc.members()).transpose().map_err(at)?;
                    let desc = desc.map(|desc| desc.ok_or("has a `Desc` that is no object".to_owned()));
                    let desc = desc.transpose().map_err(at)?;
                    let descriptor = tensor(&outer, desc.as_ref().unwrap_or(&outer)).map_err(at)?;
                    let known = if desc.is_some() { &OF_LONG_FORMS[..] } else { &OF_TENSORS };
                    unknown(&outer, known, &format!("{path}{name}."), left_out);
                    if let Some(desc) = &desc {
                        unknown(desc, &OF_TENSORS, &format!("{path}{name}.Desc."), left_out);
                    }
                    plain.tensors.push(ForeignTensor { name: name.clone(), descriptor, elements: None });
                }
                _ => {
                    let value = attribute(name, *value).map_err(at)?;
                    plain.attributes.push(NamedAttribute { name: name.clone(), value });
                }
            }
        }
        let owned = inner(dispatchable, "bindings")?;
        let is_tensor = |name: &str| plain.tensors.iter().any(|entry| entry.name == name);
        for other in owned.keys().filter(|name| !is_tensor(name)) {
            let near = || did_you_mean(other, plain.tensors.iter().map(|entry| entry.name.as_str()));
            left_out
                .add(|| LeftOut::new(format!("{path}bindings.{other}"), format!("there is no such tensor{}", near())));
        }
        let mut dispatched = Vec::new();
        for &dispatch in self.dispatches_of(name) {
            self.describe(&plain)?;
            let (bindings, number) = (dispatch.bindings()?, dispatch.number);
            let mut foreign = plain.clone();
            for entry in foreign.tensors.iter_mut().filter(|entry| !is_output(&entry.name)) {
                let Some(binding) = bindings.get(&entry.name).or_else(|| owned.get(&entry.name)) else { continue };
                let at = |reason: String| format!("binds to `{}` what {reason}", entry.name);
                let parts = only(*binding).map_err(at)?.members().map_err(at)?.unwrap_or_default();
                unknown(&parts, &OF_BINDINGS, &format!("commands[{number}].bindings.{}.", entry.name), left_out);
                entry.elements = self.elements(*binding, &entry.descriptor, number).map_err(at)?;
                if entry.elements.is_none()
                    && let Ok((resource, ..)) = bound(*binding)
                    && self.is_written(&resource, number)
                {
                    let why = || format!("an operator writes `{resource}` before, so that nothing is known of it");
                    left_out.add(|| LeftOut::new(format!("the data of {path}{}", entry.name), why()));
                }
            }
            let of_operator = |tensor: &str| foreign.tensors.iter().any(|entry| entry.name == tensor);
            for other in bindings.keys().filter(|name| !of_operator(name)) {
                left_out.add(|| {
                    let near = did_you_mean(other, foreign.tensors.iter().map(|entry| entry.name.as_str()));
                    let why = format!("`{name}` has no such tensor{near}");
                    LeftOut::new(format!("commands[{number}].bindings.{other}"), why)
                });
            }
            dispatched.push((foreign, Some(number)));
        }
        Ok(if dispatched.is_empty() { vec![(plain, None)] } else { dispatched })
    }

    /// The commands that dispatch an operator.
    fn dispatches_of(&self, name: &str) -> &[Dispatch<'a>] {
        self.dispatches.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Adds the resources that a dispatchable is bound to, by itself or by a command.
    fn add_bound(&self, name: &str, members: &Members<'a>, names: &mut BTreeSet<String>) -> Result<(), String> {
        let own = std::iter::once_with(|| inner(members, "bindings"));
        for bindings in own.chain(self.dispatches_of(name).iter().map(|dispatch| dispatch.bindings())) {
            names.extend(bindings?.values().filter_map(|binding| Some(bound(*binding).ok()?.0)));
        }
        Ok(())
    }

    /// Leaves out the commands that dispatch nothing.
    fn add_other_commands(&self, dispatchables: &Members<'_>, left_out: &mut LeftOuts) -> Result<(), String> {
        let mut number = 0;
        self.commands.each(|part| {
            let members = command(number, part)?;
            let [kind, name] = [word(number, &members, "type")?, word(number, &members, "dispatchable")?];
            let at = || format!("commands[{number}]");
            if !is_dispatch(&kind) {
                left_out.add(|| LeftOut::new(at(), format!("it is of the type `{kind}`, and dispatches nothing")));
            } else if !dispatchables.contains_key(&name) {
                let near = || did_you_mean(&name, dispatchables.keys().map(String::as_str));
                left_out.add(|| LeftOut::new(at(), format!("`{name}` is no dispatchable{}", near())));
            } else {
                unknown(&members, &OF_DISPATCHES, &format!("commands[{number}]."), left_out);
            }
            number += 1;
            Ok(())
        })
    }

    /// The elements of a tensor, from the buffer that is bound to it; none where an operator wrote it, or where the
    /// tensor has no memory.
    fn elements(
        &self,
        binding: Part<'_>,
        descriptor: &TensorDescriptor,
        number: usize,
    ) -> Result<Option<Vec<u8>>, String> {
        let (name, offset, width) = bound(binding)?;
        let Some(span) = descriptor.span_bytes().filter(|_| !self.is_written(&name, number)) else { return Ok(None) };
        // Strides of 0 make as many elements of a few bytes as one likes.
        if descriptor.element_count().is_none_or(|count| count > MOST_ELEMENTS) {
            return Err(format!("would have more than {MOST_ELEMENTS} elements, its sizes are {:?}", descriptor.sizes));
        }
        let (bytes, stated) = self.initial(&name)?;
        let width = if width == 0 { stated.map_or(0, |held| held.bytes() as u64) } else { width };
        if offset > 0 && width == 0 {
            return Err("has an `elementOffset`, and nothing says how long an element is".to_owned());
        }
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
fn bound(binding: Part<'_>) -> Result<(String, u64, u64), String> {
    let binding = only(binding)?;
    if let Some(name) = binding.text() {
        return Ok((name, 0, 0));
    }
    let parts = binding.members()?.ok_or("is neither a name nor an object")?;
    let name = parts.get("name").and_then(|name| name.text()).ok_or("has no `name`")?;
    let part = |name: &str| parts.get(name).map_or(Ok(0), |value| number(*value, u64::MAX));
    Ok((name, part("elementOffset")?, part("elementSizeInBytes")?))
}

/// A binding without the list that may be around it.
fn only(binding: Part<'_>) -> Result<Part<'_>, String> {
    if binding.kind() != Kind::List {
        return Ok(binding);
    }
    let mut only = None;
    let several = || Err("is a list of several, expected one".to_owned());
    binding.each(|part| if only.replace(part).is_some() { several() } else { Ok(()) })?;
    only.ok_or_else(|| "is an empty list".to_owned())
}

/// What a dispatchable binds itself, and whether all that is bound to it may be written: nothing is known of what is no
/// operator.
fn writes<'a>(name: &str, dispatchables: &Members<'a>) -> Result<(Members<'a>, bool), String> {
    let Some(dispatchable) = dispatchables.get(name) else { return Ok(Default::default()) };
    let at = |reason: String| format!("`dispatchables.{name}` {reason}");
    let members = dispatchable.members().map_err(at)?.unwrap_or_default();
    let kind = members.get("type").and_then(|kind| kind.text()).unwrap_or_default();
    Ok((inner(&members, "bindings").map_err(at)?, OTHERS.contains(&kind.to_lowercase().as_str())))
}

/// The resources of the binding of an output: a shader may have several in a list.
fn all_bound(binding: Part<'_>) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    if binding.kind() == Kind::List {
        binding.each(|part| {
            names.push(bound(part)?.0);
            Ok(())
        })?;
    } else if binding.kind() != Kind::Null {
        names.push(bound(binding)?.0);
    }
    Ok(names)
}

fn is_output(tensor: &str) -> bool {
    tensor.starts_with("Output")
}

/// A tensor in the long form, or in the short one, where `desc` is the same as `outer`.
fn tensor(outer: &Members<'_>, desc: &Members<'_>) -> Result<TensorDescriptor, String> {
    let kind = outer.get("Type").copied().map(text).transpose()?;
    if let Some(kind) = kind.filter(|kind| kind.trim_start_matches("DML_TENSOR_TYPE_") != "BUFFER") {
        return Err(format!("is of the type `{kind}`, expected a buffer"));
    }
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

fn attribute(name: &str, value: Part<'_>) -> Result<AttributeValue, String> {
    if let Some(word) = value.text() {
        return Ok(AttributeValue::Enumerator(enumerator(name, &word)));
    }
    if value.kind() == Kind::List {
        return Ok(AttributeValue::Integers(numbers(value)?.into_iter().map(i64::from).collect()));
    }
    let integer = value.number().and_then(|number| number.as_i64());
    let integer = integer.filter(|number| i32::try_from(*number).is_ok() || u32::try_from(*number).is_ok());
    Ok(AttributeValue::Integer(integer.ok_or_else(|| format!("is {value}, expected a whole number of 32 bits"))?))
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

fn data_type(value: Part<'_>) -> Result<DataType, String> {
    let name = text(value)?;
    let short = name.strip_prefix("DML_TENSOR_DATA_TYPE_").unwrap_or(&name);
    let found = DATA_TYPES.iter().find(|(known, _)| *known == short);
    found.map(|(_, data_type)| *data_type).ok_or_else(|| format!("has the data type `{name}`, which is not known"))
}

fn text(value: Part<'_>) -> Result<String, String> {
    value.text().ok_or_else(|| format!("has {value} where a text is wanted"))
}

fn number(value: Part<'_>, most: u64) -> Result<u64, String> {
    let number = value.number().and_then(|number| number.as_u64()).filter(|number| *number <= most);
    number.ok_or_else(|| format!("has {value} where a whole number from 0 to {most} is wanted"))
}

fn numbers(value: Part<'_>) -> Result<Vec<u32>, String> {
    if value.kind() != Kind::List {
        return Err(format!("has {value} where a list is wanted"));
    }
    listed(value, |value| Ok(number(value, u32::MAX.into())? as u32))
}

/// How many bytes the copy of an operator without data takes, or somewhat less.
fn described(foreign: &Foreign) -> usize {
    let of_tensor = |ForeignTensor { name, descriptor, .. }: &ForeignTensor| {
        let numbers = descriptor.sizes.len() + descriptor.strides.as_ref().map_or(0, Vec::len);
        size_of::<ForeignTensor>() + name.len() + 8 * numbers + descriptor.flags.iter().map(String::len).sum::<usize>()
    };
    let of_attribute = |NamedAttribute { name, value }: &NamedAttribute| {
        let long = match value {
            AttributeValue::Integers(list) => 8 * list.len(),
            AttributeValue::Enumerator(word) => word.len(),
            _ => 0,
        };
        size_of::<NamedAttribute>() + name.len() + long
    };
    let tensors: usize = foreign.tensors.iter().map(of_tensor).sum();
    let attributes: usize = foreign.attributes.iter().map(of_attribute).sum();
    size_of::<Foreign>() + foreign.operator.len() + tensors + attributes
}

/// The elements of a list that belongs to a descriptor.
fn listed<T>(list: Part<'_>, element: impl Fn(Part<'_>) -> Result<T, String>) -> Result<Vec<T>, String> {
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
