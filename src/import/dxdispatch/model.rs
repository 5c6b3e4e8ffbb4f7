//! A model as a whole: which operators it dispatches, on what, and what was written before.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

use opcert_backend::{AttributeValue, DataType, NamedAttribute, TensorDescriptor};

use super::binding::{Binding, OF_BINDINGS, only};
use super::command::{self, Command, OF_DISPATCHES};
use super::descriptor::MOST_LISTED;
use super::part::{Kind, Members, Part};
use super::{MOST_TESTS, descriptor, inner, is_other, is_output, unknown, values};
use crate::import::{Foreign, ForeignTensor, LeftOut, LeftOuts, MOST_ELEMENTS};
use crate::layout::gather;
use crate::near::did_you_mean;

/// The most bytes that are made of a model.
const MOST_BYTES: u64 = 1 << 30;

/// The most bytes that the descriptors of all dispatches take, beside so many for each byte of the model: an operator is
/// described once, and may be dispatched often.
const MOST_DESCRIBED: usize = 1 << 20;
const MOST_DESCRIBED_EACH: usize = 16;

/// A model, and how much was made of it.
pub(super) struct Model<'a> {
    resources: Members<'a>,
    commands: Part<'a>,
    folder: &'a Path,
    order: Order<'a>,
    /// What resources begin with, as far as it was asked for, and the type of all elements where one is stated.
    initial: RefCell<BTreeMap<String, Initial>>,
    /// How many bytes were made of the model.
    made: Cell<u64>,
    /// How many more bytes descriptors may take.
    describable: Cell<usize>,
}

type Initial = (Rc<Vec<u8>>, Option<DataType>);

/// What is dispatched, and which command is the first to write a resource: what a dispatch writes is not there before the
/// model runs.
#[derive(Default)]
struct Order<'a> {
    /// By the name of what is dispatched.
    dispatched: BTreeMap<String, Dispatched<'a>>,
    /// How many dispatches there are.
    count: usize,
    /// By the resource's name.
    written: BTreeMap<String, usize>,
}

/// What is dispatched, and the commands that do so with their numbers.
struct Dispatched<'a> {
    is_operator: bool,
    by: Vec<(usize, Part<'a>)>,
}

impl<'a> Order<'a> {
    /// Adds a command that dispatches something.
    fn add(&mut self, command: &Command<'a>, part: Part<'a>, dispatchables: &Members<'a>) -> Result<(), String> {
        self.count += 1;
        if self.count > MOST_TESTS {
            return Err(format!(
                "the model has more than {MOST_TESTS} dispatches: several files may have as many each"
            ));
        }
        let (name, number) = (&command.dispatchable, command.number);
        let is_operator = if let Some(known) = self.dispatched.get(name) {
            known.is_operator
        } else {
            let (own, is_operator) = bound_by_itself(name, dispatchables)?;
            // By the first dispatch, and by the others no earlier.
            self.write(number, &own, is_operator, || format!("dispatchables.{name}"))?;
            self.dispatched.insert(name.clone(), Dispatched { is_operator, by: Vec::new() });
            is_operator
        };
        self.write(number, &command.bindings()?, is_operator, || format!("commands[{number}]"))?;
        self.dispatched.entry(name.clone()).and_modify(|known| known.by.push((number, part)));
        Ok(())
    }

    /// Adds what a command may write: the outputs of an operator, and whatever is bound where nothing is known of it.
    fn write(
        &mut self,
        number: usize,
        bindings: &Members<'_>,
        is_operator: bool,
        place: impl Fn() -> String,
    ) -> Result<(), String> {
        for (name, binding) in bindings.iter().filter(|(name, _)| !is_operator || is_output(name)) {
            let written = Binding::each(*binding, |Binding { resource, .. }| {
                self.written.entry(resource).or_insert(number);
            });
            written.map_err(|reason| format!("`{}` binds to `{name}` what {reason}", place()))?;
        }
        Ok(())
    }

    /// The commands that dispatch what has this name, in order.
    fn dispatches_of(&self, name: &str) -> impl Iterator<Item = Result<Command<'a>, String>> {
        let by = self.dispatched.get(name).map(|dispatched| dispatched.by.as_slice());
        by.unwrap_or_default().iter().map(|(number, part)| Command::of(*number, *part))
    }

    /// Whether a dispatch before this one writes a resource.
    fn is_written(&self, resource: &str, before: usize) -> bool {
        self.written.get(resource).is_some_and(|&first| first < before)
    }
}

/// What a dispatchable binds itself, and whether it is an operator. What there is none of is taken for one.
fn bound_by_itself<'a>(name: &str, dispatchables: &Members<'a>) -> Result<(Members<'a>, bool), String> {
    let Some(dispatchable) = dispatchables.get(name) else { return Ok((Members::new(), true)) };
    let at = |reason: String| format!("`dispatchables.{name}` {reason}");
    let members = dispatchable.members().map_err(at)?.unwrap_or_default();
    let kind = members.get("type").and_then(|kind| kind.text()).unwrap_or_default();
    Ok((inner(&members, "bindings").map_err(at)?, !is_other(&kind)))
}

impl<'a> Model<'a> {
    /// Of a text of so many bytes.
    pub(super) fn new(
        resources: Members<'a>,
        (commands, dispatchables): (Part<'a>, &Members<'a>),
        folder: &'a Path,
        length: usize,
    ) -> Result<Self, String> {
        let mut order = Order::default();
        command::each(
            commands,
            |command, part| {
                if command.is_dispatch() { order.add(&command, part, dispatchables) } else { Ok(()) }
            },
        )?;
        let (initial, made) = (RefCell::default(), Cell::new(0));
        let describable = Cell::new(MOST_DESCRIBED + MOST_DESCRIBED_EACH * length);
        Ok(Self { resources, commands, folder, order, initial, made, describable })
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
    pub(super) fn operator(
        &self,
        name: &str,
        kind: &str,
        dispatchable: &Members<'a>,
        left_out: &mut LeftOuts,
    ) -> Result<Vec<(Foreign, Option<usize>)>, String> {
        let plain = descriptor::operator(name, kind, dispatchable, left_out)?;
        let owned = inner(dispatchable, "bindings")?;
        let bound_first = each_bound(&plain, &owned)?;
        no_such_tensor(&plain, &bound_first, &format!("dispatchables.{name}.bindings."), left_out);
        let mut dispatched = Vec::new();
        for command in self.order.dispatches_of(name) {
            let command = command?;
            self.describe(&plain)?;
            let (bound, number) = (each_bound(&plain, &command.bindings()?)?, command.number);
            let mut foreign = plain.clone();
            for entry in foreign.tensors.iter_mut().filter(|entry| !is_output(&entry.name)) {
                let Some(&binding) = bound.get(&entry.name).or_else(|| bound_first.get(&entry.name)) else { continue };
                let at = |reason: String| format!("binds to `{}` what {reason}", entry.name);
                let parts = only(binding).map_err(at)?.members().map_err(at)?.unwrap_or_default();
                unknown(&parts, &OF_BINDINGS, &format!("commands[{number}].bindings.{}.", entry.name), left_out);
                let binding = Binding::of(binding).map_err(at)?;
                if self.order.is_written(&binding.resource, number) {
                    let resource = &binding.resource;
                    let why = || format!("an operator writes `{resource}` before, so that nothing is known of it");
                    let part = || format!("the data of dispatchables.{name}.{}", entry.name);
                    left_out.add(|| LeftOut::new(part(), why()));
                } else {
                    entry.elements = self.elements(&binding, &entry.descriptor).map_err(at)?;
                }
            }
            no_such_tensor(&plain, &bound, &format!("commands[{number}].bindings."), left_out);
            dispatched.push((foreign, Some(number)));
        }
        Ok(if dispatched.is_empty() { vec![(plain, None)] } else { dispatched })
    }

    /// Adds the resources that a dispatchable is bound to, by itself or by a command.
    pub(super) fn add_bound(
        &self,
        name: &str,
        members: &Members<'a>,
        names: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        let own = std::iter::once_with(|| inner(members, "bindings"));
        let by_commands = self.order.dispatches_of(name).map(|command| command?.bindings());
        for bindings in own.chain(by_commands) {
            for binding in bindings?.values() {
                // One that cannot be read is told where it is taken.
                let _ = Binding::each(*binding, |binding| names.extend([binding.resource]));
            }
        }
        Ok(())
    }

    /// Leaves out the commands that dispatch nothing.
    pub(super) fn leave_out_commands(
        &self,
        dispatchables: &Members<'_>,
        left_out: &mut LeftOuts,
    ) -> Result<(), String> {
        command::each(self.commands, |command, _| {
            let (name, kind) = (&command.dispatchable, &command.kind);
            let at = || format!("commands[{}]", command.number);
            if !command.is_dispatch() {
                let of_kind = if kind.is_empty() { "no type".to_owned() } else { format!("the type `{kind}`") };
                left_out.add(|| LeftOut::new(at(), format!("it is of {of_kind}, and dispatches nothing")));
            } else if !dispatchables.contains_key(name) {
                let near = || did_you_mean(name, dispatchables.keys().map(String::as_str));
                left_out.add(|| LeftOut::new(at(), format!("`{name}` is no dispatchable{}", near())));
            } else {
                unknown(&command.members, &OF_DISPATCHES, &format!("{}.", at()), left_out);
            }
            Ok(())
        })
    }

    /// Leaves out the resources to which nothing of these names is bound, and what is not known of the others.
    pub(super) fn leave_out_resources(&self, bound: &BTreeSet<String>, left_out: &mut LeftOuts) -> Result<(), String> {
        for (name, resource) in self.resources.iter().filter(|(name, _)| bound.contains(name.as_str())) {
            let members = resource.members().map_err(|reason| format!("`resources.{name}` {reason}"))?;
            unknown(&members.unwrap_or_default(), &values::OF_RESOURCES, &format!("resources.{name}."), left_out);
        }
        let why = "no operator that is taken is bound to it";
        for name in self.resources.keys().filter(|name| !bound.contains(name.as_str())) {
            left_out.add(|| LeftOut::new(format!("resources.{name}"), why));
        }
        Ok(())
    }

    /// The elements of a tensor, from the buffer that is bound to it; none where the tensor has no memory.
    fn elements(&self, binding: &Binding, descriptor: &TensorDescriptor) -> Result<Option<Vec<u8>>, String> {
        let Some(span) = descriptor.span_bytes() else { return Ok(None) };
        // Strides of 0 make as many elements of a few bytes as one likes.
        if descriptor.element_count().is_none_or(|count| count > MOST_ELEMENTS) {
            return Err(format!("would have more than {MOST_ELEMENTS} elements, its sizes are {:?}", descriptor.sizes));
        }
        let Binding { resource, offset, width } = binding;
        let (bytes, stated) = self.initial(resource)?;
        let width = if *width == 0 { stated.map_or(0, |held| held.bytes() as u64) } else { *width };
        if *offset > 0 && width == 0 {
            return Err("has an `elementOffset`, and nothing says how long an element is".to_owned());
        }
        let begin = offset.checked_mul(width).and_then(|begin| usize::try_from(begin).ok());
        let memory = begin.and_then(|begin| bytes.get(begin..)).unwrap_or_default();
        if (memory.len() as u64) < span {
            let found = memory.len();
            return Err(format!("is too short: `{resource}` has values for {found} bytes, expected {span}"));
        }
        let elements = gather(descriptor, memory).into_owned();
        self.make(elements.len())?;
        Ok(Some(elements))
    }
}

/// What each tensor is bound to; those of a list, `name[0]` and so on, to what stands in their places in a list.
fn each_bound<'a>(foreign: &Foreign, bindings: &Members<'a>) -> Result<Members<'a>, String> {
    let lists: BTreeSet<&str> = foreign.tensors.iter().filter_map(|tensor| list_of(&tensor.name)).collect();
    let mut each = Members::new();
    for (name, bound) in bindings {
        if list_of(name).is_some() {
            return Err(format!("binds `{name}`: what a list is bound to stands in an array"));
        }
        if !lists.contains(name.as_str()) {
            each.insert(name.clone(), *bound);
            continue;
        }
        if bound.kind() != Kind::List {
            each.insert(format!("{name}[0]"), *bound);
        }
        let mut place = 0;
        bound.each(|part| {
            if place == MOST_LISTED {
                return Err(format!("binds more than {MOST_LISTED} resources to `{name}`"));
            }
            each.insert(format!("{name}[{place}]"), part);
            place += 1;
            Ok(())
        })?;
    }
    Ok(each)
}

/// The list of a tensor, where its name says that it is of one.
fn list_of(tensor: &str) -> Option<&str> {
    tensor.strip_suffix(']')?.split_once('[').map(|(list, _)| list)
}

/// Leaves out the bindings of what is no tensor of the operator. `path` leads to them and ends with a point.
fn no_such_tensor(foreign: &Foreign, bindings: &Members<'_>, path: &str, left_out: &mut LeftOuts) {
    let tensors = || foreign.tensors.iter().map(|entry| entry.name.as_str());
    let known: BTreeSet<&str> = tensors().collect();
    for other in bindings.keys().filter(|name| !known.contains(name.as_str())) {
        let why = || format!("the operator has no such tensor{}", did_you_mean(other, tensors()));
        left_out.add(|| LeftOut::new(format!("{path}{other}"), why()));
    }
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
