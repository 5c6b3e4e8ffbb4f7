//! The evaluator: a descriptor and data in, the elements of every output out.
//!
//! Many elements of an output are worked out at once, each in a lane of its own ([`super::column`]). What only some lanes come by,
//! a branch or the items of a comprehension, is worked out in a scope of its own, whose lanes know the lanes outside from which
//! they come.

use std::cmp::Ordering;
use std::rc::Rc;

use opcert_backend::{AttributeValue, DataType, Descriptor, Role};

use super::builtins::{Builtin, OfTensor};
use super::column::{Column, Data, Lanes, List, Value};
use super::number::{Element, fits};
use super::operations::{self, Bounds, Evaluated, Lists, MOST_ITEMS, Truth, fault, one_behind_the_other, slice};
use super::program::{Clause, Node, Operation, Statement};
use super::syntax::Comparison;
use super::tensor::{TensorView, integers, subset};
use super::{Decision, Definition, Evaluation, Fault, Names, Open, Output};
use crate::diagnostic::Position;

/// About so many lanes at once keep what is worked out in the caches.
const LANES: usize = 1 << 12;

/// So few items of a list are worked out one by one: columns of them would only cost memory.
const FEW: usize = 16;

pub(super) fn evaluation(
    definition: &Definition,
    descriptor: &Descriptor,
    inputs: &[(&str, &[u8])],
) -> Evaluated<Evaluation> {
    let mut evaluator = Evaluator::new(definition, descriptor, inputs)?;
    let outputs = evaluator.everything()?;
    Ok(Evaluation { outputs, passed: evaluator.passed })
}

/// For each alteration of a line, an altered definition and the number of the line, whether the line comes to another value
/// somewhere.
pub(super) fn infected<'a>(
    definition: &'a Definition,
    altered: &[(&'a Definition, usize)],
    descriptor: &'a Descriptor,
    inputs: &[(&str, &'a [u8])],
) -> Evaluated<Vec<bool>> {
    let mut evaluator = Evaluator::new(definition, descriptor, inputs)?;
    let mut watched =
        Watched { of_line: vec![Vec::new(); definition.lines.len()], infected: vec![false; altered.len()] };
    for (number, (other, line)) in altered.iter().enumerate() {
        match (other.line_of(*line), watched.of_line.get_mut(*line)) {
            (Some((value, slots)), Some(of_line)) => of_line.push(Variant { number, value, slots }),
            // What cannot be watched may be anything.
            _ => watched.infected[number] = true,
        }
    }
    evaluator.watched = Some(watched);
    evaluator.everything()?;
    Ok(evaluator.watched.map_or_else(Vec::new, |watched| watched.infected))
}

/// The place of what is said of no part of the text.
const NOWHERE: Position = Position { line: 1, column: 1, length: 1 };

/// The sizes that follow from values.
pub(super) fn sizes(
    definition: &Definition,
    descriptor: &Descriptor,
    inputs: &[(&str, &[u8])],
) -> Evaluated<Vec<(String, Vec<u64>)>> {
    let mut evaluator = Evaluator::new(definition, descriptor, inputs)?;
    let name = |tensor: usize| definition.names.tensors[tensor].0.clone();
    definition.sized.iter().map(|(tensor, global)| Ok((name(*tensor), evaluator.sizes(*global)?))).collect()
}

/// The sizes that a name lists and that follow from a descriptor alone.
pub(super) fn sizes_by_descriptor(definition: &Definition, by: &str, descriptor: &Descriptor) -> Evaluated<Vec<u64>> {
    let sized = definition.sized_by_descriptor.iter().find(|(_, global)| definition.globals[*global].name == by);
    let (_, global) = sized.ok_or_else(|| fault(NOWHERE, format!("`{by}` lists no sizes")))?;
    Evaluator::new(definition, descriptor, &[])?.sizes(*global)
}

/// The value of a name at the top.
pub(super) fn value(
    definition: &Definition,
    descriptor: &Descriptor,
    inputs: &[(&str, &[u8])],
    name: &str,
) -> Evaluated<AttributeValue> {
    let global = definition.globals.iter().position(|global| global.name == name);
    let position = global.map_or(NOWHERE, |at| definition.globals[at].value.position);
    let global = global.ok_or_else(|| fault(position, format!("nothing gives `{name}`")))?;
    let value = Evaluator::new(definition, descriptor, inputs)?.global(global)?;
    let number = |value: &Value| value.integer().and_then(|integer| i64::try_from(integer).ok());
    let found = match &value {
        Value::Boolean(value) => Some(AttributeValue::Boolean(*value)),
        Value::Symbol(symbol) => definition.names.value(*symbol),
        Value::Element(Element { bits, data_type: DataType::F32 }) => {
            Some(AttributeValue::Float32(f32::from_bits(*bits as u32).into()))
        }
        Value::List(list) => list.iter().map(|item| number(&item)).collect::<Option<_>>().map(AttributeValue::Integers),
        Value::Integer(_) | Value::Element(_) | Value::Open(_) => number(&value).map(AttributeValue::Integer),
    };
    let shown = || written(&value, &definition.names);
    found.ok_or_else(|| fault(position, format!("`{name}` is {}, which no attribute is", shown())))
}

/// Why an element of an output is what it is.
pub(super) fn decision(
    definition: &Definition,
    descriptor: &Descriptor,
    inputs: &[(&str, &[u8])],
    output: &str,
    place: &[u64],
) -> Evaluated<Decision> {
    let mut evaluator = Evaluator::new(definition, descriptor, inputs)?;
    let position = NOWHERE;
    let tensor = definition.names.tensors.iter().position(|(name, _)| name == output);
    let found = definition.outputs.iter().find(|(at, ..)| Some(*at) == tensor);
    let no_output = || fault(position, format!("`{output}` is no output"));
    let &(_, function, which) = found.ok_or_else(no_output)?;
    let sizes = descriptor.tensor(output).map(|tensor| &tensor.sizes).ok_or_else(no_output)?;
    if sizes.len() != place.len() || std::iter::zip(place, sizes).any(|(at, size)| at >= size) {
        return Err(fault(position, format!("{place:?} is no place in `{output}`, whose sizes are {sizes:?}")));
    }
    evaluator.told = Some(Told { function, condition: None, decision: None });
    let returned = evaluator.called(function, arguments(which, Column::Same(integers(place))), 1)?;
    let decision = evaluator.told.and_then(|told| told.decision).zip(returned.first());
    let nothing = || fault(position, format!("nothing decides `{output}`"));
    let ((line, values), returned) = decision.ok_or_else(nothing)?;
    Ok(Decision { gives: written(&returned.value.get(0), &definition.names), line, values })
}

/// What the function of an output takes: its number, where it is one of a list, and places.
fn arguments(which: Option<usize>, places: Column) -> Vec<Column> {
    let which = which.map(|which| Column::Same(Value::Integer(which as i128)));
    which.into_iter().chain([places]).collect()
}

/// The values of expressions that follow from a descriptor and its constants alone.
pub(super) fn values(
    definition: &Definition,
    nodes: &[Node],
    descriptor: &Descriptor,
    constants: &[(&str, &[u8])],
) -> Evaluated<Vec<Value>> {
    if nodes.is_empty() {
        return Ok(Vec::new());
    }
    let mut evaluator = Evaluator::beside(definition, descriptor, constants)?;
    nodes.iter().map(|node| Ok(evaluator.value(node)?.get(0))).collect()
}

/// Whether one of some conditions that follow from a descriptor and its constants alone has the truth value beside it.
pub(super) fn any_comes_to(
    definition: &Definition,
    conditions: &[(Node, bool)],
    descriptor: &Descriptor,
    constants: &[(&str, &[u8])],
) -> Evaluated<bool> {
    if conditions.is_empty() {
        return Ok(false);
    }
    let mut evaluator = Evaluator::beside(definition, descriptor, constants)?;
    for (condition, wanted) in conditions {
        if matches!(evaluator.value(condition)?.get(0), Value::Boolean(holds) if holds == *wanted) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// So many items of a list are written out.
const WRITTEN: usize = 12;

/// A value as a person reads it.
fn written(value: &Value, names: &Names) -> String {
    match value {
        Value::Integer(value) => value.to_string(),
        Value::Boolean(value) => if *value { "True" } else { "False" }.to_owned(),
        Value::Symbol(symbol) => names.spelled(*symbol).unwrap_or_default().to_owned(),
        Value::Element(Element { bits, data_type }) => {
            crate::element::render(&bits.to_le_bytes()[..data_type.bytes()], *data_type)
        }
        Value::List(list) => {
            let mut items: Vec<String> = list.iter().take(WRITTEN).map(|item| written(&item, names)).collect();
            if list.len() > WRITTEN {
                items.push(format!("… {} in all", list.len()));
            }
            format!("[{}]", items.join(", "))
        }
        Value::Open(Open::Undefined) => "undefined".to_owned(),
        Value::Open(Open::Unspecified) => "unspecified".to_owned(),
    }
}

struct Evaluator<'a> {
    definition: &'a Definition,
    /// In the order of the definition's names; `None` for those that the descriptor leaves out.
    tensors: Vec<Option<TensorView<'a>>>,
    attributes: Vec<Option<Value>>,
    /// The level asked for, by its number.
    level: Option<usize>,
    globals: Vec<Option<Value>>,
    /// The values of local names with the number of the scope in which they were given, those of the function at hand from
    /// `base` on.
    slots: Vec<Option<(usize, Column)>>,
    base: usize,
    scopes: Vec<Scope>,
    /// The lines that were come by.
    passed: Vec<bool>,
    /// The most lanes of any scope since this was last set to 0.
    widest: usize,
    /// What is told of one element, where that is asked for.
    told: Option<Told<'a>>,
    /// What stands instead of lines in altered definitions, where that is asked for.
    watched: Option<Watched<'a>>,
}

/// What stands instead of lines in altered definitions.
struct Watched<'a> {
    /// By the number of the line, without those that came to another value.
    of_line: Vec<Vec<Variant<'a>>>,
    /// For each alteration whether it came to another value.
    infected: Vec<bool>,
}

/// What stands instead of a line in an altered definition.
#[derive(Clone, Copy)]
struct Variant<'a> {
    number: usize,
    value: &'a Node,
    /// How many places the names of what it stands in need.
    slots: usize,
}

/// What decides an element, as far as it is known.
struct Told<'a> {
    /// The output's function.
    function: usize,
    /// The condition that was asked last in the output's function.
    condition: Option<&'a Node>,
    /// The line, and names with their values as text.
    decision: Option<(usize, Vec<(String, String)>)>,
}

/// Lanes in which something is worked out.
struct Scope {
    lanes: usize,
    /// For each lane the one outside from which it comes; `None` where nothing outside can be seen.
    outside: Option<Lanes>,
    /// What was brought in from outside, by its slot.
    brought: Vec<(usize, Column)>,
}

/// Which lanes of a scope.
enum Chosen {
    All,
    Nothing,
    These(Lanes),
}

/// A `return`, and the lanes that followed it.
struct Returned {
    lanes: Chosen,
    value: Column,
    line: usize,
}

impl Chosen {
    /// Those that are chosen among chosen ones, in terms of what these were chosen from.
    fn among(self, outer: &Self) -> Self {
        match (self, outer) {
            (Self::Nothing, _) | (_, Self::Nothing) => Self::Nothing,
            (Self::All, Self::All) => Self::All,
            (Self::All, Self::These(outer)) => Self::These(Rc::clone(outer)),
            (Self::These(lanes), Self::All) => Self::These(lanes),
            (Self::These(lanes), Self::These(outer)) => {
                Self::These(lanes.iter().map(|&lane| outer[lane as usize]).collect())
            }
        }
    }
}

/// The lanes in which something has a truth value.
fn lanes_where(holds: &[bool], wanted: bool) -> Lanes {
    // Without a branch, which would be guessed wrong half of the time.
    let (mut lanes, mut len) = (vec![0; holds.len()], 0);
    for (lane, &holds) in (0..).zip(holds) {
        lanes[len] = lane;
        len += usize::from(holds == wanted);
    }
    lanes[..len].into()
}

impl<'a> Evaluator<'a> {
    fn new(definition: &'a Definition, descriptor: &'a Descriptor, inputs: &[(&str, &'a [u8])]) -> Evaluated<Self> {
        let names = &definition.names;
        let tensor = |(at, (name, _)): (usize, &(String, Role))| {
            let Some(tensor) = descriptor.tensor(name) else { return Ok(None) };
            let bytes = inputs.iter().find(|(input, _)| input == name).map(|(_, bytes)| *bytes);
            TensorView::new(tensor, at, bytes).map(Some).map_err(|what| fault(NOWHERE, format!("`{name}` {what}")))
        };
        let attribute = |(name, default): &(String, Option<AttributeValue>)| {
            let value = descriptor.attribute(name).or(default.as_ref())?;
            Some(match value {
                AttributeValue::Integer(value) => Value::Integer((*value).into()),
                AttributeValue::Integers(values) => Value::integers(values.iter().copied()),
                AttributeValue::Boolean(value) => Value::Boolean(*value),
                AttributeValue::Float32(value) => {
                    Value::Element(Element { bits: value.bits().into(), data_type: DataType::F32 })
                }
                AttributeValue::Scalar(value) => {
                    Value::Element(Element { bits: value.bits(), data_type: value.data_type() })
                }
                AttributeValue::Enumerator(_) | AttributeValue::String(_) => Value::Symbol(names.symbol(value)?),
            })
        };
        Ok(Self {
            definition,
            tensors: names.tensors.iter().enumerate().map(tensor).collect::<Evaluated<_>>()?,
            attributes: names.attributes.iter().map(attribute).collect(),
            level: names.levels.iter().position(|level| *level == descriptor.level),
            globals: vec![None; definition.globals.len()],
            slots: Vec::new(),
            base: 0,
            scopes: Vec::new(),
            passed: vec![false; definition.lines.len()],
            widest: 0,
            told: None,
            watched: None,
        })
    }

    /// Every output.
    fn everything(&mut self) -> Evaluated<Vec<Output>> {
        let definition = self.definition;
        for (tensor, global) in definition.sized.iter().chain(&definition.sized_by_descriptor) {
            // Those of an input are for checks, which may leave others open.
            if definition.names.tensors[*tensor].1 == Role::Output {
                self.compare_sizes(*tensor, *global)?;
            }
        }
        let in_order = (0..definition.names.tensors.len())
            .filter_map(|at| definition.outputs.iter().find(|(tensor, ..)| *tensor == at).copied());
        let outputs =
            in_order.filter_map(|(tensor, function, which)| self.output(tensor, (function, which)).transpose());
        outputs.collect()
    }

    /// Works out what stands instead of a line where that is watched, and notes what comes to something else than the line did.
    fn watch(&mut self, line: usize, right: impl FnOnce() -> Column) {
        // While one is worked out none is watched.
        let Some(mut watched) = self.watched.take() else { return };
        let Watched { of_line, infected } = &mut watched;
        if !of_line[line].is_empty() {
            let (right, lanes, base, scopes) = (right(), self.lanes(), self.base, self.scopes.len());
            let (slots, globals) = (self.slots.clone(), self.globals.clone());
            let (widest, passed) = (self.widest, self.passed.clone());
            of_line[line].retain(|variant| {
                self.slots.resize(self.slots.len().max(base + variant.slots), None);
                let is_same = self.value(variant.value).is_ok_and(|found| found.is_same(&right, lanes));
                // What fails leaves all as it was when it failed.
                self.scopes.truncate(scopes);
                self.slots.clone_from(&slots);
                self.globals.clone_from(&globals);
                self.base = base;
                infected[variant.number] = !is_same;
                is_same
            });
            (self.widest, self.passed) = (widest, passed);
        }
        self.watched = Some(watched);
    }

    /// One for expressions that stand in no function.
    fn beside(
        definition: &'a Definition,
        descriptor: &'a Descriptor,
        constants: &[(&str, &'a [u8])],
    ) -> Evaluated<Self> {
        let mut evaluator = Self::new(definition, descriptor, constants)?;
        let slots = definition.functions.iter().map(|function| function.names.len()).max().unwrap_or(0);
        let more = definition.globals.iter().map(|global| global.slots).max().unwrap_or(0);
        evaluator.enter(slots.max(more), 1);
        Ok(evaluator)
    }

    /// The sizes that a global name lists.
    fn sizes(&mut self, global: usize) -> Evaluated<Vec<u64>> {
        let value = self.global(global)?;
        let position = self.definition.globals[global].value.position;
        let no_sizes = || fault(position, format!("{} where a list of sizes is needed", value.kind()));
        let Value::List(list) = &value else { return Err(no_sizes()) };
        let size = |item: Value| item.integer().and_then(|size| u64::try_from(size).ok());
        list.iter()
            .map(size)
            .collect::<Option<_>>()
            .ok_or_else(|| fault(position, "what is no size is among the sizes"))
    }

    /// Whether an output has the sizes that follow from values.
    fn compare_sizes(&mut self, tensor: usize, global: usize) -> Evaluated<()> {
        let Some(of) = &self.tensors[tensor] else { return Ok(()) };
        let shape = Rc::clone(&of.shape);
        let (sizes, stated) = (self.sizes(global)?, &shape.sizes);
        if sizes.as_slice() == stated.as_slice() {
            return Ok(());
        }
        let name = &self.definition.names.tensors[tensor].0;
        let message = format!("`{name}` has the sizes {sizes:?}, and the descriptor says {stated:?}");
        let position = self.definition.globals[global].value.position;
        Err(Fault { other_sizes: Some((name.clone(), sizes)), ..fault(position, message) })
    }

    /// The elements of an output; nothing where the descriptor leaves it out.
    fn output(&mut self, tensor: usize, (function, which): (usize, Option<usize>)) -> Evaluated<Option<Output>> {
        let name = &self.definition.names.tensors[tensor].0;
        let Some(TensorView { data_type, shape, .. }) = &self.tensors[tensor] else { return Ok(None) };
        let (data_type, shape) = (*data_type, Rc::clone(shape));
        let (count, position) = (shape.count, NOWHERE);
        shape.fault().map_err(|what| fault(position, format!("`{name}` {what}")))?;
        if count > MOST_ITEMS {
            return Err(fault(
                position,
                format!("`{name}` has {count} elements, and at most {MOST_ITEMS} are worked out"),
            ));
        }
        let width = data_type.bytes();
        let mut output =
            Output { name: name.clone(), bytes: vec![0; count * width], open: Vec::new(), decided: vec![0; count] };
        // How many lanes come of an element is known after the first ones.
        let largest = self.tensors.iter().flatten().map(|tensor| tensor.shape.count).max().unwrap_or(1);
        let (mut begin, mut step) = (0, (LANES / largest.max(1)).max(1));
        while begin < count {
            let end = count.min(begin + step);
            let places = if count == 1 {
                Column::Same(Value::integers(shape.sizes.iter().map(|_| 0)))
            } else {
                Column::Lanes(Rc::new(Data::Places(Rc::clone(&shape), (begin as u64..end as u64).collect())))
            };
            self.widest = 0;
            for Returned { lanes, value, line } in self.called(function, arguments(which, places), end - begin)? {
                let place = |at: usize| match &lanes {
                    Chosen::These(lanes) => begin + lanes[at] as usize,
                    _ => begin + at,
                };
                let some = match &lanes {
                    Chosen::These(lanes) => lanes.len(),
                    Chosen::All => end - begin,
                    Chosen::Nothing => 0,
                };
                let position = Position { line: self.definition.lines[line].first, column: 1, length: 1 };
                for at in 0..some {
                    let place = place(at);
                    output.decided[place] = line;
                    match element(&value, at, data_type) {
                        Ok(bits) => store(&mut output.bytes, place, width, bits),
                        Err(Value::Open(open)) => {
                            output.open.resize(count, None);
                            output.open[place] = Some(open);
                        }
                        Err(value) => {
                            return Err(match value.integer() {
                                Some(integer) => fault(
                                    position,
                                    format!("{integer} is no value of {data_type}, the type of `{name}`"),
                                ),
                                None => {
                                    fault(position, format!("{} is no element of `{name}`, {data_type}", value.kind()))
                                }
                            });
                        }
                    }
                }
            }
            begin = end;
            step = (step * LANES / self.widest.max(1)).clamp(1, step * 64);
        }
        Ok(Some(output))
    }

    /// What a function gives in so many lanes, part by part.
    fn called(&mut self, function: usize, arguments: Vec<Column>, lanes: usize) -> Evaluated<Vec<Returned>> {
        let definition = self.definition;
        let function = &definition.functions[function];
        let (outer, scope) = (self.base, self.scopes.len());
        self.enter(function.names.len(), lanes);
        for (slot, argument) in arguments.into_iter().enumerate() {
            self.give(slot, argument);
        }
        let mut returned = Vec::new();
        // Every way through a function ends in a `return`; that was looked at when it was read.
        let _: Chosen = self.block(&function.body, scope, &mut returned)?;
        self.leave(outer, scope);
        Ok(returned)
    }

    /// Notes what decides an element, where that is asked for: the names in a line and in the condition before it.
    fn tell(&mut self, value: &'a Node, line: usize, first: usize) {
        let Some(told) = self.told.as_ref().filter(|_| first == 0) else { return };
        let mut uses = Vec::new();
        told.condition.iter().for_each(|condition| condition.uses(&mut uses));
        value.uses(&mut uses);
        let names = &self.definition.functions[told.function].names;
        let mut values: Vec<(String, String)> = Vec::new();
        for operation in uses {
            let (name, value) = match operation {
                Operation::Global(global) => (&self.definition.globals[*global].name, self.globals[*global].clone()),
                Operation::Attribute(attribute) => {
                    (&self.definition.names.attributes[*attribute].0, self.attributes[*attribute].clone())
                }
                Operation::Local(slot) => {
                    let column = self.slots[self.base + slot].as_ref();
                    (&names[*slot], column.map(|(_, column)| column.get(0)))
                }
                _ => continue,
            };
            if let Some(value) = value
                && values.iter().all(|(known, _)| known != name)
            {
                values.push((name.clone(), written(&value, &self.definition.names)));
            }
        }
        if let Some(told) = &mut self.told {
            told.decision = Some((line, values));
        }
    }

    fn enter(&mut self, slots: usize, lanes: usize) {
        self.base = self.slots.len();
        self.slots.resize(self.base + slots, None);
        self.scopes.push(Scope { lanes, outside: None, brought: Vec::new() });
        self.widest = self.widest.max(lanes);
    }

    fn leave(&mut self, base: usize, scope: usize) {
        self.slots.truncate(self.base);
        self.base = base;
        self.scopes.truncate(scope);
    }

    /// From here on only these lanes count.
    fn narrow(&mut self, lanes: Lanes) {
        self.widest = self.widest.max(lanes.len());
        self.scopes.push(Scope { lanes: lanes.len(), outside: Some(lanes), brought: Vec::new() });
    }

    fn lanes(&self) -> usize {
        self.scopes.last().map_or(0, |scope| scope.lanes)
    }

    fn give(&mut self, slot: usize, column: Column) {
        self.slots[self.base + slot] = Some((self.scopes.len() - 1, column));
    }

    /// The value of a local name in the lanes at hand.
    fn local(&mut self, slot: usize, position: Position) -> Evaluated<Column> {
        let Some((given, column)) = &self.slots[self.base + slot] else {
            return Err(fault(position, "this name has no value here"));
        };
        let here = self.scopes.len() - 1;
        if let Column::Same(_) = column {
            return Ok(column.clone());
        }
        let (mut scope, mut column) = (*given, column.clone());
        for inner in (given + 1..=here).rev() {
            if let Some((_, known)) = self.scopes[inner].brought.iter().find(|(known, _)| *known == slot) {
                (scope, column) = (inner, known.clone());
                break;
            }
        }
        if scope == here {
            return Ok(column);
        }
        for inner in &self.scopes[scope + 1..] {
            if let Some(outside) = &inner.outside {
                column = column.of_lanes(outside);
            }
        }
        self.scopes[here].brought.push((slot, column.clone()));
        Ok(column)
    }

    /// Does what stands in a block. What comes back are the lanes that come to its end without a `return`, out of those that
    /// entered it. The function at hand began at the scope `first`.
    fn block(&mut self, statements: &'a [Statement], first: usize, returned: &mut Vec<Returned>) -> Evaluated<Chosen> {
        let outer = self.scopes.len();
        let mut left = Chosen::All;
        for statement in statements {
            match statement {
                Statement::Assign { slots, value, line } => {
                    self.passed[*line] = true;
                    let given = self.value(value)?;
                    self.watch(*line, || given.clone());
                    self.bind(slots, given, value.position)?;
                }
                Statement::Return { value: given_by, line } => {
                    self.passed[*line] = true;
                    let value = self.value(given_by)?;
                    self.watch(*line, || value.clone());
                    let from = |scope: &Scope| scope.outside.clone().map_or(Chosen::All, Chosen::These);
                    let lanes = self.scopes[first + 1..].iter();
                    let lanes = lanes.fold(Chosen::All, |lanes, scope| from(scope).among(&lanes));
                    returned.push(Returned { lanes, value, line: *line });
                    self.tell(given_by, *line, first);
                    left = Chosen::Nothing;
                    break;
                }
                Statement::If { branches, otherwise } => {
                    let through = self.branches(branches, otherwise, first, returned)?;
                    if let Chosen::These(lanes) = &through {
                        self.narrow(Rc::clone(lanes));
                    }
                    left = through.among(&left);
                    if let Chosen::Nothing = left {
                        break;
                    }
                }
            }
        }
        self.scopes.truncate(outer);
        Ok(left)
    }

    /// The lanes that go on behind an `if`.
    fn branches(
        &mut self,
        branches: &'a [(Node, usize, Vec<Statement>)],
        otherwise: &'a [Statement],
        first: usize,
        returned: &mut Vec<Returned>,
    ) -> Evaluated<Chosen> {
        let (outer, lanes) = (self.scopes.len(), self.lanes());
        let mut rest = Chosen::All;
        let mut through: Vec<u32> = Vec::new();
        let mut keep = |chosen: Chosen| match chosen {
            Chosen::All => through.extend(0..lanes as u32),
            Chosen::Nothing => {}
            Chosen::These(lanes) => through.extend(lanes.iter()),
        };
        for (condition, line, body) in branches {
            self.passed[*line] = true;
            if let Some(told) = self.told.as_mut().filter(|_| first == 0) {
                told.condition = Some(condition);
            }
            let holds = self.truth(condition)?;
            self.watch(*line, || holds.clone().column());
            match holds.settled() {
                Truth::Same(false) => {}
                Truth::Same(true) => {
                    keep(self.block(body, first, returned)?.among(&rest));
                    rest = Chosen::Nothing;
                }
                Truth::Lanes(holds) => {
                    let (yes, no) = (lanes_where(&holds, true), lanes_where(&holds, false));
                    self.narrow(Rc::clone(&yes));
                    let left = self.block(body, first, returned)?;
                    self.scopes.pop();
                    keep(left.among(&Chosen::These(yes)).among(&rest));
                    self.narrow(Rc::clone(&no));
                    rest = Chosen::These(no).among(&rest);
                }
            }
            if let Chosen::Nothing = rest {
                break;
            }
        }
        if !matches!(rest, Chosen::Nothing) {
            keep(self.block(otherwise, first, returned)?.among(&rest));
        }
        self.scopes.truncate(outer);
        Ok(if through.len() == lanes {
            Chosen::All
        } else if through.is_empty() {
            Chosen::Nothing
        } else {
            through.sort_unstable();
            Chosen::These(through.into())
        })
    }

    /// Gives a value to a name, or the items of a list to several.
    fn bind(&mut self, slots: &[usize], value: Column, position: Position) -> Evaluated<()> {
        if let [slot] = slots {
            self.give(*slot, value);
            return Ok(());
        }
        let wrong = |len: usize| fault(position, format!("{len} values for {} names", slots.len()));
        if let Some(columns) = value.rows() {
            if columns.len() != slots.len() {
                return Err(wrong(columns.len()));
            }
            std::iter::zip(slots, columns).for_each(|(slot, column)| self.give(*slot, column));
            return Ok(());
        }
        // No list, or lists of several lengths.
        let Lists { bounds: Bounds::Lanes(bounds), .. } = Lists::of(&value, position)? else { return Err(wrong(0)) };
        let odd = bounds.iter().map(|(first, end)| end - first).find(|&len| len != slots.len());
        Err(wrong(odd.unwrap_or_default()))
    }

    fn value(&mut self, node: &'a Node) -> Evaluated<Column> {
        let position = node.position;
        let lanes = self.lanes();
        Ok(match &node.operation {
            Operation::Integer(value) => Column::Same(Value::Integer(*value)),
            Operation::Boolean(value) => Column::Same(Value::Boolean(*value)),
            Operation::Symbol(symbol) => Column::Same(Value::Symbol(*symbol)),
            Operation::Since(level) => {
                let asked = self.level.ok_or_else(|| fault(position, "the level asked for is none of the family"))?;
                Column::Same(Value::Boolean(asked >= *level))
            }
            Operation::Open(open) => Column::Same(Value::Open(*open)),
            Operation::Global(global) => Column::Same(self.global(*global)?),
            Operation::Local(slot) => self.local(*slot, position)?,
            Operation::Attribute(attribute) => {
                let value = self.attributes[*attribute].clone();
                let name = || &self.definition.names.attributes[*attribute].0;
                Column::Same(value.ok_or_else(|| fault(position, format!("`{}` is not given", name())))?)
            }
            Operation::Element(tensor, place) => {
                let place = (self.value(place)?, place.position);
                let name = &self.definition.names.tensors[*tensor].0;
                self.tensor(*tensor, place.1)?.element(name, &place.0, place.1)?
            }
            Operation::List(items) => {
                let columns: Vec<Column> = items.iter().map(|item| self.value(item)).collect::<Evaluated<_>>()?;
                if columns.iter().all(|column| matches!(column, Column::Same(_))) {
                    let items = columns.iter().map(|column| column.get(0)).collect();
                    Column::Same(Value::List(List::of(Data::of(items))))
                } else {
                    Column::Lanes(Rc::new(Data::Rows { len: lanes, columns }))
                }
            }
            Operation::Comprehension { body, clauses, free } => {
                self.once_if_same(free, |this| this.comprehension(body, clauses))?
            }
            Operation::Not(_) | Operation::And(..) | Operation::Or(..) | Operation::Comparison(..) => {
                self.truth(node)?.column()
            }
            Operation::Negative(value) => {
                let column = self.value(value)?;
                operations::negative(&column, lanes, position, value.position)?
            }
            Operation::Arithmetic(operation, left, right) => {
                let (one, other) = (self.value(left)?, self.value(right)?);
                operations::arithmetic(*operation, (&one, left.position), (&other, right.position), lanes, position)?
            }
            Operation::Conditional(parts) => self.conditional(parts)?,
            Operation::OfTensor(builtin, tensor, arguments) => {
                self.of_tensor(*builtin, *tensor, arguments, position)?
            }
            Operation::Builtin(builtin, arguments) => self.builtin(*builtin, arguments, position)?,
            Operation::SortedBy { list, slot, key, free } => self.once_if_same(free, |this| {
                let mut list = this.value(list)?;
                let depth = this.scopes.len();
                let keys = match this.spread_out(&list, false, position)? {
                    Some((items, _)) => {
                        this.give(*slot, items.clone());
                        let keys = this.value(key)?;
                        let lanes = this.lanes();
                        this.scopes.truncate(depth);
                        list = this.gathered(items.spread(lanes), &list, position)?;
                        this.gathered(keys.spread(lanes), &list, position)?
                    }
                    None => list.clone(),
                };
                operations::sorted(&list, &keys, position)
            })?,
            Operation::Call(function, arguments) => {
                let arguments: Vec<Column> =
                    arguments.iter().map(|argument| self.value(argument)).collect::<Evaluated<_>>()?;
                let same = arguments.iter().all(|column| matches!(column, Column::Same(_)));
                let lanes = if same { 1 } else { lanes };
                let mut returned = self.called(*function, arguments, lanes)?;
                let whole = returned.len() == 1;
                match returned.pop() {
                    Some(Returned { lanes: Chosen::All, value, .. }) if whole && !same => value,
                    Some(Returned { value, .. }) if whole => Column::Same(value.get(0)),
                    last => {
                        let parts = returned.into_iter().chain(last).filter_map(|part| match part.lanes {
                            Chosen::These(lanes) => Some((lanes, part.value)),
                            Chosen::All | Chosen::Nothing => None,
                        });
                        Column::merged(&parts.collect::<Vec<_>>(), lanes)
                    }
                }
            }
            Operation::Cast(cast, of) => match self.value(of)? {
                Column::Same(value) => Column::Same(cast.of(value)),
                Column::Lanes(data) => Column::of((0..data.len()).map(|lane| cast.of(data.get(lane))).collect()),
            },
            Operation::Index(of, at) => {
                let list = self.value(of)?;
                let index = self.value(at)?;
                operations::index(&list, (&index, at.position), lanes, position)?
            }
            Operation::Slice(of, first, end) => {
                let list = self.value(of)?;
                let mut bound = |part: &'a Option<Box<Node>>| {
                    let part = part.as_ref().map(|part| Ok((self.value(part)?, part.position)));
                    part.transpose()
                };
                let bounds = (bound(first)?, bound(end)?);
                operations::part(&list, bounds, lanes, position)?
            }
        })
    }

    /// What hangs on no lane is worked out once.
    fn once_if_same(&mut self, free: &[usize], with: impl FnOnce(&mut Self) -> Evaluated<Column>) -> Evaluated<Column> {
        let same = |slot: &usize| matches!(&self.slots[self.base + slot], Some((_, Column::Same(_))));
        if self.lanes() == 1 || !free.iter().all(same) {
            return with(self);
        }
        self.narrow([0].into());
        let found = with(self)?;
        self.scopes.pop();
        Ok(Column::Same(found.get(0)))
    }

    fn global(&mut self, at: usize) -> Evaluated<Value> {
        if let Some(value) = &self.globals[at] {
            return Ok(value.clone());
        }
        let definition = self.definition;
        let global = &definition.globals[at];
        self.passed[global.line] = true;
        let (outer, scope) = (self.base, self.scopes.len());
        self.enter(global.slots, 1);
        let whole = self.value(&global.value)?;
        self.watch(global.line, || whole.clone());
        let mut value = whole.get(0);
        self.leave(outer, scope);
        if let Some((part, parts)) = global.part {
            let position = global.value.position;
            let Value::List(list) = &value else {
                return Err(fault(position, format!("{} where a list is needed", value.kind())));
            };
            if list.len() != parts {
                return Err(fault(position, format!("{} values for {parts} names", list.len())));
            }
            value = list.get(part);
        }
        self.globals[at] = Some(value.clone());
        Ok(value)
    }

    fn truth(&mut self, node: &'a Node) -> Evaluated<Truth> {
        match &node.operation {
            Operation::Not(value) => Ok(self.truth(value)?.not()),
            Operation::And(left, right) => self.both(left, right, false),
            Operation::Or(left, right) => self.both(left, right, true),
            Operation::Comparison(first, others) => {
                let first = self.value(first)?;
                self.chain(&first, others)
            }
            _ => Truth::of(self.value(node)?, node.position),
        }
    }

    /// `and` and `or`: where the left side is the one that decides, the right one is not asked.
    fn both(&mut self, left: &'a Node, right: &'a Node, decides: bool) -> Evaluated<Truth> {
        let mut holds = match self.truth(left)?.settled() {
            Truth::Same(value) if value == decides => return Ok(Truth::Same(value)),
            Truth::Same(_) => return self.truth(right),
            Truth::Lanes(holds) => holds,
        };
        let asked = lanes_where(&holds, !decides);
        self.ask(&mut holds, &asked, |this| this.truth(right))?;
        Ok(Truth::Lanes(holds))
    }

    /// Puts the answer of some lanes into that of all.
    fn ask(
        &mut self,
        holds: &mut [bool],
        asked: &Lanes,
        question: impl FnOnce(&mut Self) -> Evaluated<Truth>,
    ) -> Evaluated<()> {
        self.narrow(Rc::clone(asked));
        let answer = question(self)?;
        self.scopes.pop();
        for (at, &lane) in asked.iter().enumerate() {
            holds[lane as usize] = match &answer {
                Truth::Same(value) => *value,
                Truth::Lanes(values) => values[at],
            };
        }
        Ok(())
    }

    /// A comparison and those behind it, which are asked only where it holds.
    fn chain(&mut self, left: &Column, others: &'a [(Comparison, Node)]) -> Evaluated<Truth> {
        let Some(((comparison, other), rest)) = others.split_first() else { return Ok(Truth::Same(true)) };
        let right = self.value(other)?;
        let found = operations::compare(*comparison, left, &right, self.lanes(), other.position)?;
        if rest.is_empty() {
            return Ok(found);
        }
        match found.settled() {
            Truth::Same(false) => Ok(Truth::Same(false)),
            Truth::Same(true) => self.chain(&right, rest),
            Truth::Lanes(mut holds) => {
                let asked = lanes_where(&holds, true);
                let right = right.of_lanes(&asked);
                self.ask(&mut holds, &asked, |this| this.chain(&right, rest))?;
                Ok(Truth::Lanes(holds))
            }
        }
    }

    fn conditional(&mut self, parts: &'a [Node; 3]) -> Evaluated<Column> {
        let [condition, yes, no] = parts;
        let holds = match self.truth(condition)?.settled() {
            Truth::Same(holds) => return self.value(if holds { yes } else { no }),
            Truth::Lanes(holds) => holds,
        };
        let mut columns = Vec::with_capacity(2);
        for (part, wanted) in [(yes, true), (no, false)] {
            let lanes = lanes_where(&holds, wanted);
            self.narrow(Rc::clone(&lanes));
            columns.push((lanes, self.value(part)?));
            self.scopes.pop();
        }
        Ok(Column::merged(&columns, holds.len()))
    }

    /// Enters a scope with a lane for each item of each list. What comes back are the items, and their numbers in their lists
    /// where these are asked for. Where there is no item at all, nothing is entered.
    fn spread_out(
        &mut self,
        list: &Column,
        numbered: bool,
        position: Position,
    ) -> Evaluated<Option<(Column, Vec<i64>)>> {
        let lanes = self.lanes();
        let Lists { items, bounds } = Lists::of(list, position)?;
        let width = |lane: usize| match &bounds {
            Bounds::Same(first, end) => end - first,
            Bounds::Lanes(bounds) => bounds[lane].1 - bounds[lane].0,
        };
        let total = (0..lanes).try_fold(0usize, |total, lane| total.checked_add(width(lane)));
        let total = total.filter(|&total| total <= MOST_ITEMS);
        let total = total.ok_or_else(|| fault(position, format!("more than {MOST_ITEMS} items at once")))?;
        if total == 0 {
            return Ok(None);
        }
        let mut numbers = Vec::new();
        if numbered {
            numbers.reserve_exact(total);
            (0..lanes).for_each(|lane| numbers.extend(0..width(lane) as i64));
        }
        let outside: Lanes = if lanes == 1 {
            std::iter::repeat_n(0, total).collect()
        } else {
            let mut outside = Vec::with_capacity(total);
            (0..lanes).for_each(|lane| outside.resize(outside.len() + width(lane), lane as u32));
            outside.into()
        };
        let items = match &bounds {
            Bounds::Same(first, end) if lanes == 1 => slice(&items, *first, *end),
            Bounds::Same(first, end) => {
                let at: Vec<usize> = (0..lanes).flat_map(|_| *first..*end).collect();
                Rc::new(items.gather(at.into_iter()))
            }
            Bounds::Lanes(bounds) if one_behind_the_other(bounds, items.len()) => items,
            Bounds::Lanes(bounds) => {
                let at: Vec<usize> = bounds.iter().flat_map(|(first, end)| *first..*end).collect();
                Rc::new(items.gather(at.into_iter()))
            }
        };
        self.narrow(outside);
        Ok(Some((Column::Lanes(items), numbers)))
    }

    /// Items with a list for each lane that has as many of them as the lane's list has.
    fn gathered(&self, items: Rc<Data>, like: &Column, position: Position) -> Evaluated<Column> {
        let lanes = self.lanes();
        Ok(match Lists::of(like, position)?.bounds {
            Bounds::Same(first, end) if lanes == 1 => {
                Column::Same(Value::List(List { items, first: 0, end: end - first }))
            }
            Bounds::Same(first, end) => {
                let width = end - first;
                let bounds = (0..lanes).map(|lane| (lane * width, (lane + 1) * width)).collect();
                Column::Lanes(Rc::new(Data::Lists { items, bounds }))
            }
            Bounds::Lanes(bounds) => {
                let mut begin = 0;
                let bounds = bounds.iter().map(|(first, end)| {
                    let first_of_it = begin;
                    begin += end - first;
                    (first_of_it, begin)
                });
                Column::Lanes(Rc::new(Data::Lists { items, bounds: bounds.collect() }))
            }
        })
    }

    fn comprehension(&mut self, body: &'a Node, clauses: &'a [Clause]) -> Evaluated<Column> {
        let (depth, lanes) = (self.scopes.len(), self.lanes());
        let mut first = match clauses.first() {
            Some(Clause::For { source, .. }) => Some(self.value(source)?),
            _ => None,
        };
        if lanes == 1
            && let Some(Column::Same(Value::List(list))) = &first
            && let Some(items) = self.few(body, clauses, &list.clone())?
        {
            return Ok(Column::Same(Value::List(List::of(Data::of(items)))));
        }
        // For each lane inside the one in which the comprehension stands, where there are several of these.
        let mut origin: Lanes = (0..lanes as u32).collect();
        let mut nothing = false;
        for clause in clauses {
            match clause {
                Clause::For { number, targets, source } => {
                    let list = first.take().map_or_else(|| self.value(source), Ok)?;
                    let Some((items, numbers)) = self.spread_out(&list, number.is_some(), source.position)? else {
                        nothing = true;
                        break;
                    };
                    if lanes > 1 {
                        self.follow(&mut origin);
                    }
                    if let Some(number) = number {
                        self.give(*number, Column::Lanes(Rc::new(Data::Integers(numbers))));
                    }
                    self.bind(targets, items, source.position)?;
                }
                Clause::If(condition) => match self.truth(condition)?.settled() {
                    Truth::Same(true) => {}
                    Truth::Same(false) => {
                        nothing = true;
                        break;
                    }
                    Truth::Lanes(holds) => {
                        self.narrow(lanes_where(&holds, true));
                        if lanes > 1 {
                            self.follow(&mut origin);
                        }
                    }
                },
            }
        }
        let items = if nothing {
            origin = [].into();
            Rc::new(Data::Integers(Vec::new()))
        } else {
            let found = self.value(body)?;
            found.spread(self.lanes())
        };
        self.scopes.truncate(depth);
        if lanes == 1 {
            return Ok(Column::Same(Value::List(List { first: 0, end: items.len(), items })));
        }
        let mut bounds = Vec::with_capacity(lanes);
        let mut begin = 0;
        for lane in 0..lanes as u32 {
            let mut end = begin;
            while origin.get(end) == Some(&lane) {
                end += 1;
            }
            bounds.push((begin, end));
            begin = end;
        }
        Ok(Column::Lanes(Rc::new(Data::Lists { items, bounds })))
    }

    /// The items of a comprehension over one short list of numbers, one after the other.
    fn few(&mut self, body: &'a Node, clauses: &'a [Clause], list: &List) -> Evaluated<Option<Vec<Value>>> {
        let Some((Clause::For { number, targets, source }, conditions)) = clauses.split_first() else {
            return Ok(None);
        };
        let is_nested = conditions.iter().any(|clause| matches!(clause, Clause::For { .. }));
        if is_nested || list.len() > FEW || !matches!(&*list.items, Data::Integers(_) | Data::Elements(..)) {
            return Ok(None);
        }
        let mut items = Vec::with_capacity(list.len());
        'items: for (at, item) in list.iter().enumerate() {
            if let Some(number) = number {
                self.give(*number, Column::Same(Value::Integer(at as i128)));
            }
            self.bind(targets, Column::Same(item), source.position)?;
            for clause in conditions {
                let Clause::If(condition) = clause else { continue };
                match self.truth(condition)? {
                    Truth::Same(true) => {}
                    Truth::Lanes(holds) if holds[0] => {}
                    _ => continue 'items,
                }
            }
            items.push(self.value(body)?.get(0));
        }
        Ok(Some(items))
    }

    /// From lanes of the scope outside to those of the scope at hand.
    fn follow(&self, origin: &mut Lanes) {
        if let Some(Scope { outside: Some(outside), .. }) = self.scopes.last() {
            *origin = outside.iter().map(|&lane| origin[lane as usize]).collect();
        }
    }

    fn tensor(&self, at: usize, position: Position) -> Evaluated<&TensorView<'a>> {
        let name = || &self.definition.names.tensors[at].0;
        self.tensors[at].as_ref().ok_or_else(|| fault(position, format!("the tensor `{}` is not given", name())))
    }

    fn of_tensor(
        &mut self,
        builtin: OfTensor,
        at: usize,
        arguments: &'a [Node],
        position: Position,
    ) -> Evaluated<Column> {
        if builtin == OfTensor::IsGiven {
            return Ok(Truth::Same(self.tensors[at].is_some()).column());
        }
        let tensor = self.tensor(at, position)?;
        Ok(match (builtin, arguments) {
            (OfTensor::Sizes, []) => Column::Same(tensor.sizes()),
            (OfTensor::Strides, []) => {
                let name = || &self.definition.names.tensors[at].0;
                let beyond = || fault(position, format!("`{}` has strides that nothing can hold", name()));
                Column::Same(tensor.strides().ok_or_else(beyond)?)
            }
            (OfTensor::Rank, []) => Column::Same(Value::Integer(tensor.rank() as i128)),
            (OfTensor::Dimensions, []) => Column::Same(Value::integers(0..tensor.rank() as i64)),
            (OfTensor::Origin, []) => Column::Same(Value::integers(tensor.shape.sizes.iter().map(|_| 0))),
            (OfTensor::Places, []) if tensor.shape.count > MOST_ITEMS => {
                return Err(fault(position, format!("more than {MOST_ITEMS} places at once")));
            }
            (OfTensor::Places, []) => {
                let places = (0..tensor.shape.count as u64).collect();
                Column::Same(Value::List(List::of(Data::Places(Rc::clone(&tensor.shape), places))))
            }
            (OfTensor::Subset, [place, dimensions]) => {
                let shape = Rc::clone(&tensor.shape);
                shape.fault().map_err(|what| fault(position, format!("a tensor {what}")))?;
                let place = self.value(place)?;
                let dimensions = (self.value(dimensions)?, dimensions.position);
                subset(&shape, &place, &dimensions, self.lanes(), position)?
            }
            (OfTensor::BitWidth, []) => Column::Same(Value::Integer(8 * tensor.data_type.bytes() as i128)),
            (OfTensor::FromBits, [value]) => {
                let (data_type, of_value) = (tensor.data_type, value.position);
                let column = self.value(value)?;
                operations::from_bits(&column, data_type, self.lanes(), of_value)?
            }
            (OfTensor::HasValue | OfTensor::FromValue | OfTensor::Nearest, [value]) => {
                let (data_type, of_value) = (tensor.data_type, value.position);
                let column = self.value(value)?;
                let with = match builtin {
                    OfTensor::HasValue => operations::has_value,
                    OfTensor::FromValue => operations::from_value,
                    _ => operations::nearest,
                };
                with(&column, data_type, self.lanes(), of_value)?
            }
            (OfTensor::Fits, [value]) => {
                let (data_type, of_value) = (tensor.data_type, value.position);
                let column = self.value(value)?;
                let fits_at = |lane: usize| {
                    let value = column.get(lane);
                    let kind = || fault(of_value, format!("{} where an integer is needed", value.kind()));
                    Ok(fits(value.integer().ok_or_else(kind)?, data_type))
                };
                match &column {
                    Column::Same(_) => Truth::Same(fits_at(0)?).column(),
                    Column::Lanes(data) => match &**data {
                        Data::Integers(values) => {
                            Truth::Lanes(values.iter().map(|&value| fits(value.into(), data_type)).collect()).column()
                        }
                        data => Truth::Lanes((0..data.len()).map(fits_at).collect::<Evaluated<_>>()?).column(),
                    },
                }
            }
            _ => return Err(fault(position, "called with other arguments than it takes")),
        })
    }

    fn builtin(&mut self, builtin: Builtin, arguments: &'a [Node], position: Position) -> Evaluated<Column> {
        let columns = arguments.iter().map(|argument| Ok((self.value(argument)?, argument.position)));
        let columns: Vec<(Column, Position)> = columns.collect::<Evaluated<_>>()?;
        let lanes = self.lanes();
        let plain = || columns.iter().map(|(column, _)| column.clone()).collect::<Vec<_>>();
        match (builtin, columns.as_slice()) {
            (Builtin::Len, [(list, _)]) => operations::len(list, lanes, position),
            (Builtin::Sum, [(list, _)]) => operations::sum(list, position),
            (Builtin::Accumulate, [(list, _)]) => operations::accumulate(list, position),
            (Builtin::Product, [(list, _)]) => operations::product(list, position),
            (Builtin::Min, [(list, _)]) => operations::extreme(list, Ordering::Less, position),
            (Builtin::Max, [(list, _)]) => operations::extreme(list, Ordering::Greater, position),
            (Builtin::Min, [_, _, ..]) => operations::extreme_of(&plain(), Ordering::Less, lanes, position),
            (Builtin::Max, [_, _, ..]) => operations::extreme_of(&plain(), Ordering::Greater, lanes, position),
            (Builtin::Any, [(list, position)]) => Ok(operations::meets(list, true, *position)?.column()),
            (Builtin::All, [(list, position)]) => Ok(operations::meets(list, false, *position)?.not().column()),
            (Builtin::Range, bounds) => operations::range(bounds, lanes, position),
            (Builtin::Enumerate, [(list, _)]) => operations::enumerate(list, position),
            (Builtin::Zip, _) => operations::zip(&plain(), lanes, position),
            (Builtin::Sorted, [(list, _)]) => operations::sorted(list, list, position),
            (Builtin::Replaced | Builtin::Inserted | Builtin::Removed, arguments) => {
                operations::moved(builtin, arguments, lanes, position)
            }
            (
                Builtin::IsNan
                | Builtin::IsInfinite
                | Builtin::IsSubnormal
                | Builtin::Flushed
                | Builtin::Bits
                | Builtin::IsInteger
                | Builtin::Truncated,
                [(element, _)],
            ) => operations::of_element(builtin, element, lanes, position),
            _ => Err(fault(position, "called with other arguments than it takes")),
        }
    }
}

/// Puts an element of so many bytes in its place.
fn store(bytes: &mut [u8], place: usize, width: usize, bits: u64) {
    fn put<const WIDTH: usize>(bytes: &mut [u8], place: usize, all: [u8; 8]) {
        bytes[place * WIDTH..][..WIDTH].copy_from_slice(&all[..WIDTH]);
    }
    // Each width has a copy of its own.
    let all = bits.to_le_bytes();
    match width {
        1 => put::<1>(bytes, place, all),
        2 => put::<2>(bytes, place, all),
        4 => put::<4>(bytes, place, all),
        _ => put::<8>(bytes, place, all),
    }
}

/// The bits of a value as an element, or the value, which is none.
fn element(column: &Column, at: usize, data_type: DataType) -> Result<u64, Value> {
    if let Column::Lanes(data) = column {
        match &**data {
            Data::Elements(found, bits) if *found == data_type => return Ok(bits[at]),
            Data::Integers(values) if fits(values[at].into(), data_type) => return Ok(values[at] as u64),
            _ => {}
        }
    }
    match column.get(at) {
        Value::Element(element) if element.data_type == data_type => Ok(element.bits),
        Value::Boolean(value) if data_type == DataType::Bool => Ok(value.into()),
        value => match value.integer() {
            Some(integer) if fits(integer, data_type) => Ok(integer as u64),
            _ => Err(value),
        },
    }
}
