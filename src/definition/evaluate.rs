//! The evaluator: a descriptor and data in, the elements of every output out.

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::rc::Rc;

use opcert_backend::{AttributeValue, DataType, Descriptor};

use super::builtins::{Builtin, OfTensor};
use super::program::{Clause, Node, Operation, Statement};
use super::sequence::Sequence;
use super::syntax::Comparison;
use super::value::{Element, Items, Place, Spot, Value, calculate, fits};
use super::{Definition, Evaluation, Fault, Output};
use crate::diagnostic::Position;

/// A list that is written out, and an output, may have so many items.
const MOST_ITEMS: usize = 1 << 28;

type Evaluated<T> = Result<T, Fault>;

pub(super) fn evaluation(
    definition: &Definition,
    descriptor: &Descriptor,
    inputs: &[(&str, &[u8])],
) -> Evaluated<Evaluation> {
    let nowhere = Position { line: 1, column: 1, length: 1 };
    let names = &definition.names;
    let mut tensors = Vec::new();
    for (name, _) in &names.tensors {
        let Some(tensor) = descriptor.tensor(name) else {
            tensors.push(None);
            continue;
        };
        let wrong = |what: &str| fault(nowhere, format!("`{name}` {what}"));
        let sizes: Option<Place> = tensor.sizes.iter().map(|&size| i64::try_from(size).ok()).collect();
        let sizes = sizes.ok_or_else(|| wrong("has a size beyond 2^63"))?;
        let count = tensor.element_count().and_then(|count| usize::try_from(count).ok());
        let count = count.ok_or_else(|| wrong("has more elements than can be counted"))?;
        let strides = tensor.effective_strides().ok_or_else(|| wrong("has strides that nothing can hold"))?;
        let bytes = inputs.iter().find(|(input, _)| input == name).map(|(_, bytes)| *bytes);
        if bytes.is_some_and(|bytes| Some(bytes.len()) != count.checked_mul(tensor.data_type.bytes())) {
            return Err(wrong("has data of another length than its sizes and type"));
        }
        tensors.push(Some(Tensor { data_type: tensor.data_type, sizes, strides, count, bytes }));
    }
    let value_of = |name: &String| {
        let attribute = descriptor.attributes.iter().find(|attribute| attribute.name == *name)?;
        Some(match &attribute.value {
            AttributeValue::Integer(value) => Value::Integer((*value).into()),
            AttributeValue::Integers(values) => Value::place(values.iter().copied().collect()),
            AttributeValue::Enumerator(name) => {
                Value::Symbol(names.enumerators.iter().position(|enumerator| enumerator == name)?)
            }
        })
    };
    let mut evaluator = Evaluator {
        definition,
        tensors,
        attributes: names.attributes.iter().map(value_of).collect(),
        globals: vec![None; definition.globals.len()],
        frame: Vec::new(),
        base: 0,
        decided: 0,
        passed: vec![false; definition.lines.len()],
    };
    let in_order = names.tensors.iter().enumerate();
    let functions = in_order.filter_map(|(at, _)| definition.outputs.iter().find(|(tensor, _)| *tensor == at));
    let outputs = functions.filter_map(|&(tensor, function)| evaluator.output(tensor, function).transpose());
    let outputs = outputs.collect::<Evaluated<_>>()?;
    Ok(Evaluation { outputs, passed: evaluator.passed })
}

/// A tensor in logical order; where it lies in memory is none of a definition's business.
struct Tensor<'a> {
    data_type: DataType,
    sizes: Place,
    strides: Vec<u64>,
    count: usize,
    bytes: Option<&'a [u8]>,
}

struct Evaluator<'a> {
    definition: &'a Definition,
    /// In the order of the definition's names; `None` for those that the descriptor leaves out.
    tensors: Vec<Option<Tensor<'a>>>,
    attributes: Vec<Option<Value>>,
    globals: Vec<Option<Value>>,
    /// The values of local names, those of the function at hand from `base` on.
    frame: Vec<Value>,
    base: usize,
    /// The line whose `return` was last followed.
    decided: usize,
    /// The lines that were come by.
    passed: Vec<bool>,
}

fn fault(position: Position, message: impl Into<String>) -> Fault {
    Fault { position, message: message.into() }
}

impl<'a> Evaluator<'a> {
    /// The elements of an output; nothing where the descriptor leaves it out.
    fn output(&mut self, tensor: usize, function: usize) -> Evaluated<Option<Output>> {
        let name = &self.definition.names.tensors[tensor].0;
        let Some(Tensor { data_type, sizes, count, .. }) = &self.tensors[tensor] else { return Ok(None) };
        let (data_type, sizes, count) = (*data_type, sizes.clone(), *count);
        if count > MOST_ITEMS {
            let position = Position { line: 1, column: 1, length: 1 };
            return Err(fault(position, format!("`{name}` has {count} elements, and at most {MOST_ITEMS} are worked out")));
        }
        let width = data_type.bytes();
        let mut output = Output {
            name: name.clone(),
            bytes: Vec::with_capacity(count * width),
            open: Vec::new(),
            decided: Vec::with_capacity(count),
        };
        let Some(places) = Sequence::places(tensor, &sizes) else { return Ok(None) };
        for place in Rc::new(places).iter() {
            let value = self.called(function, &mut std::iter::once(place))?;
            let position = Position { line: self.definition.lines[self.decided].first, column: 1, length: 1 };
            let (bits, open) = match value {
                Value::Open(open) => (0, Some(open)),
                Value::Element(element) if element.data_type == data_type => (element.bits, None),
                Value::Boolean(value) if data_type == DataType::Bool => (value.into(), None),
                value => match value.integer() {
                    Some(integer) if fits(integer, data_type) => (integer as u64, None),
                    Some(integer) => {
                        return Err(fault(position, format!("{integer} is no value of {data_type}, the type of `{name}`")));
                    }
                    None => {
                        return Err(fault(position, format!("{} is no element of `{name}`, {data_type}", value.kind())));
                    }
                },
            };
            output.bytes.extend_from_slice(&bits.to_le_bytes()[..width]);
            if open.is_some() || !output.open.is_empty() {
                output.open.resize(output.decided.len(), None);
                output.open.push(open);
            }
            output.decided.push(self.decided);
        }
        Ok(Some(output))
    }

    /// The value of a function.
    fn called(&mut self, function: usize, arguments: &mut dyn Iterator<Item = Value>) -> Evaluated<Value> {
        let definition = self.definition;
        let function = &definition.functions[function];
        let outer = self.enter(function.slots);
        for (slot, argument) in arguments.enumerate() {
            self.frame[self.base + slot] = argument;
        }
        let value = self.block(&function.body);
        self.leave(outer);
        // Every way through a function ends in a `return`; that was looked at when it was read.
        value.map(|value| value.unwrap_or(Value::Open(super::Open::Undefined)))
    }

    fn enter(&mut self, slots: usize) -> usize {
        let outer = self.base;
        self.base = self.frame.len();
        self.frame.resize(self.base + slots, Value::Boolean(false));
        outer
    }

    fn leave(&mut self, outer: usize) {
        self.frame.truncate(self.base);
        self.base = outer;
    }

    fn block(&mut self, statements: &'a [Statement]) -> Evaluated<Option<Value>> {
        for statement in statements {
            match statement {
                Statement::Assign { slots, value, line } => {
                    self.passed[*line] = true;
                    let given = self.value(value)?;
                    self.bind(slots, given, value.position)?;
                }
                Statement::If { branches, otherwise } => {
                    let mut chosen = otherwise;
                    for (condition, line, body) in branches {
                        self.passed[*line] = true;
                        if self.truth(condition)? {
                            chosen = body;
                            break;
                        }
                    }
                    if let Some(value) = self.block(chosen)? {
                        return Ok(Some(value));
                    }
                }
                Statement::Return { value, line } => {
                    let value = self.value(value)?;
                    self.passed[*line] = true;
                    self.decided = *line;
                    return Ok(Some(value));
                }
            }
        }
        Ok(None)
    }

    /// Gives a value to a name, or the items of a list to several.
    fn bind(&mut self, slots: &[usize], value: Value, position: Position) -> Evaluated<()> {
        if let [slot] = slots {
            self.frame[self.base + slot] = value;
            return Ok(());
        }
        let items = self.items(&value, position)?;
        if items.len() != slots.len() {
            return Err(fault(position, format!("{} values for {} names", items.len(), slots.len())));
        }
        for (at, slot) in slots.iter().enumerate() {
            self.frame[self.base + slot] = items.get(at);
        }
        Ok(())
    }

    fn value(&mut self, node: &'a Node) -> Evaluated<Value> {
        let position = node.position;
        Ok(match &node.operation {
            Operation::Integer(value) => Value::Integer(*value),
            Operation::Boolean(value) => Value::Boolean(*value),
            Operation::Symbol(symbol) => Value::Symbol(*symbol),
            Operation::Open(open) => Value::Open(*open),
            Operation::Global(global) => self.global(*global)?,
            Operation::Local(slot) => self.frame[self.base + slot].clone(),
            Operation::Attribute(attribute) => self.attributes[*attribute].clone().ok_or_else(|| {
                fault(position, format!("`{}` is not given", self.definition.names.attributes[*attribute]))
            })?,
            Operation::Element(tensor, place) => Value::Element(self.element(*tensor, place)?),
            Operation::List(items) => {
                let items: Evaluated<Vec<Value>> = items.iter().map(|item| self.value(item)).collect();
                Value::List(Rc::new(Sequence::Items(items?)))
            }
            Operation::Comprehension(..) => self.written_out(node)?,
            Operation::Not(value) => Value::Boolean(!self.truth(value)?),
            Operation::Negative(value) => {
                let value = self.integer(value)?;
                Value::Integer(value.checked_neg().ok_or_else(|| fault(position, "more than 128 bits"))?)
            }
            Operation::And(left, right) => Value::Boolean(self.truth(left)? && self.truth(right)?),
            Operation::Or(left, right) => Value::Boolean(self.truth(left)? || self.truth(right)?),
            Operation::Arithmetic(operation, left, right) => {
                let (left, right) = (self.integer(left)?, self.integer(right)?);
                let value = calculate(*operation, left, right);
                Value::Integer(value.ok_or_else(|| fault(position, "a division by zero, or more than 128 bits"))?)
            }
            Operation::Comparison(first, others) => Value::Boolean(self.comparison(first, others)?),
            Operation::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                let chosen = if self.truth(condition)? { yes } else { no };
                self.value(chosen)?
            }
            Operation::OfTensor(builtin, tensor, arguments) => self.of_tensor(*builtin, *tensor, arguments, position)?,
            Operation::Builtin(Builtin::Replaced | Builtin::Inserted | Builtin::Removed, _) => {
                Value::place(self.moved(node)?)
            }
            Operation::Builtin(builtin, arguments) => self.builtin(*builtin, arguments, position)?,
            Operation::SortedBy { list, slot, key } => {
                let mut keyed = Vec::new();
                let _ = self.each(list, &mut |this, item| {
                    this.frame[this.base + slot] = item.clone();
                    keyed.push((this.value(key)?, item));
                    Ok(ControlFlow::Continue(()))
                })?;
                sorted(keyed, position)?
            }
            Operation::Call(function, arguments) => {
                let arguments: Evaluated<Vec<Value>> = arguments.iter().map(|argument| self.value(argument)).collect();
                self.called(*function, &mut arguments?.into_iter())?
            }
            Operation::Index(of, index) => {
                let of = self.value(of)?;
                let index = self.integer(index)?;
                let items = self.items(&of, position)?;
                let at = place_of(index, items.len()).ok_or_else(|| {
                    fault(position, format!("there is no item {index} in a list of {}", items.len()))
                })?;
                items.get(at)
            }
            Operation::Slice(of, first, end) => {
                let of = self.value(of)?;
                let len = self.items(&of, position)?.len();
                let bound = |this: &mut Self, part: &'a Option<Box<Node>>, otherwise: usize| {
                    let Some(part) = part else { return Ok(otherwise) };
                    let at = this.integer(part)?;
                    let at = if at < 0 { at.saturating_add(len as i128) } else { at };
                    Ok(at.clamp(0, len as i128) as usize)
                };
                let (first, end) = (bound(self, first, 0)?, bound(self, end, len)?);
                let range = first..end.max(first);
                match &of {
                    Value::Place(spot) => Value::place(Place::from_slice(&spot.place[range])),
                    other => {
                        let items = self.items(other, position)?;
                        Value::List(Rc::new(Sequence::Items(range.map(|at| items.get(at)).collect())))
                    }
                }
            }
        })
    }

    fn global(&mut self, at: usize) -> Evaluated<Value> {
        if let Some(value) = &self.globals[at] {
            return Ok(value.clone());
        }
        let definition = self.definition;
        let global = &definition.globals[at];
        self.passed[global.line] = true;
        let outer = self.enter(global.slots);
        let value = self.value(&global.value);
        self.leave(outer);
        let mut value = value?;
        if let Some((part, parts)) = global.part {
            let position = global.value.position;
            let items = self.items(&value, position)?;
            if items.len() != parts {
                return Err(fault(position, format!("{} values for {parts} names", items.len())));
            }
            value = items.get(part);
        }
        self.globals[at] = Some(value.clone());
        Ok(value)
    }

    fn truth(&mut self, node: &'a Node) -> Evaluated<bool> {
        if let Operation::Comparison(first, others) = &node.operation {
            return self.comparison(first, others);
        }
        match self.value(node)? {
            Value::Boolean(value) => Ok(value),
            other => Err(fault(node.position, format!("{} where a truth value is needed", other.kind()))),
        }
    }

    fn integer(&mut self, node: &'a Node) -> Evaluated<i128> {
        let value = self.value(node)?;
        value.integer().ok_or_else(|| fault(node.position, format!("{} where an integer is needed", value.kind())))
    }

    fn items<'v>(&self, value: &'v Value, position: Position) -> Evaluated<Items<'v>> {
        Items::of(value).ok_or_else(|| fault(position, format!("{} where a list is needed", value.kind())))
    }

    fn place(&mut self, node: &'a Node) -> Evaluated<Place> {
        if let Operation::Builtin(Builtin::Replaced | Builtin::Inserted | Builtin::Removed, _) = &node.operation {
            return self.moved(node);
        }
        let value = self.value(node)?;
        self.place_in(value, node.position)
    }

    fn place_in(&self, value: Value, position: Position) -> Evaluated<Place> {
        if let Value::Place(spot) = value {
            return Ok(spot.place.clone());
        }
        let items = self.items(&value, position)?;
        let coordinate = |at: usize| {
            let item = items.get(at);
            let coordinate = item.integer().and_then(|value| i64::try_from(value).ok());
            coordinate.ok_or_else(|| fault(position, format!("{} where a coordinate is needed", item.kind())))
        };
        (0..items.len()).map(coordinate).collect()
    }

    fn tensor(&self, at: usize, position: Position) -> Evaluated<&Tensor<'a>> {
        let name = || &self.definition.names.tensors[at].0;
        self.tensors[at].as_ref().ok_or_else(|| fault(position, format!("the tensor `{}` is not given", name())))
    }

    fn element(&mut self, at: usize, node: &'a Node) -> Evaluated<Element> {
        let position = node.position;
        let place = match &node.operation {
            // The usual case, without a copy.
            Operation::Local(slot) => match &self.frame[self.base + slot] {
                Value::Place(spot) => return self.element_of(at, spot, position),
                other => self.place_in(other.clone(), position)?,
            },
            _ => self.place(node)?,
        };
        self.element_at(at, &place, position)
    }

    fn element_of(&self, at: usize, spot: &Spot, position: Position) -> Evaluated<Element> {
        if let Some((tensor, index)) = spot.element
            && tensor == at
            && let Some(Tensor { data_type, bytes: Some(bytes), .. }) = &self.tensors[at]
        {
            return Ok(Element::read(&bytes[index * data_type.bytes()..], *data_type));
        }
        self.element_at(at, &spot.place, position)
    }

    fn element_at(&self, at: usize, place: &Place, position: Position) -> Evaluated<Element> {
        let tensor = self.tensor(at, position)?;
        let name = || &self.definition.names.tensors[at].0;
        let inside = place.len() == tensor.sizes.len()
            && std::iter::zip(place, &tensor.sizes).all(|(at, size)| (0..*size).contains(at));
        if !inside {
            let message = format!("{:?} is no place in `{}`, whose sizes are {:?}", &place[..], name(), &tensor.sizes[..]);
            return Err(fault(position, message));
        }
        let bytes = tensor.bytes.ok_or_else(|| fault(position, format!("`{}` has no data", name())))?;
        let index = std::iter::zip(place, &tensor.sizes).fold(0, |sum, (&at, &size)| sum * size + at);
        let width = tensor.data_type.bytes();
        Ok(Element::read(&bytes[index as usize * width..], tensor.data_type))
    }

    fn comparison(&mut self, first: &'a Node, others: &'a [(Comparison, Node)]) -> Evaluated<bool> {
        let mut left = self.value(first)?;
        for (comparison, other) in others {
            let right = self.value(other)?;
            if !self.compare(*comparison, &left, &right, other.position)? {
                return Ok(false);
            }
            left = right;
        }
        Ok(true)
    }

    fn compare(&self, comparison: Comparison, left: &Value, right: &Value, position: Position) -> Evaluated<bool> {
        let kinds = || fault(position, format!("{} and {} cannot be compared", left.kind(), right.kind()));
        let equal = || left.equals(right).ok_or_else(kinds);
        let order = || left.order(right).ok_or_else(kinds);
        Ok(match comparison {
            Comparison::Equal => equal()?,
            Comparison::Unequal => !equal()?,
            Comparison::Less => order()? == Some(Ordering::Less),
            Comparison::LessOrEqual => matches!(order()?, Some(Ordering::Less | Ordering::Equal)),
            Comparison::Greater => order()? == Some(Ordering::Greater),
            Comparison::GreaterOrEqual => matches!(order()?, Some(Ordering::Greater | Ordering::Equal)),
            Comparison::In | Comparison::NotIn => {
                let items = self.items(right, position)?;
                let mut found = false;
                for at in 0..items.len() {
                    found = found || left.equals(&items.get(at)).ok_or_else(kinds)?;
                }
                found == (comparison == Comparison::In)
            }
        })
    }

    fn of_tensor(
        &mut self,
        builtin: OfTensor,
        at: usize,
        arguments: &'a [Node],
        position: Position,
    ) -> Evaluated<Value> {
        let tensor = self.tensor(at, position)?;
        Ok(match (builtin, arguments) {
            (OfTensor::Sizes, []) => Value::place(tensor.sizes.clone()),
            (OfTensor::Strides, []) => {
                Value::place(tensor.strides.iter().map(|&stride| i64::try_from(stride).unwrap_or(i64::MAX)).collect())
            }
            (OfTensor::Rank, []) => Value::Integer(tensor.sizes.len() as i128),
            (OfTensor::Dimensions, []) => numbers(0, 1, tensor.sizes.len()),
            (OfTensor::Origin, []) => Value::place(tensor.sizes.iter().map(|_| 0).collect()),
            (OfTensor::Places, []) => listed(Sequence::places(at, &tensor.sizes), position)?,
            (OfTensor::Subset, [place, dimensions]) => {
                let mut sizes: Place = tensor.sizes.iter().map(|_| 1).collect();
                let full = tensor.sizes.clone();
                let mut place = self.place(place)?;
                let dimensions = self.place(dimensions)?;
                if place.len() != full.len() {
                    return Err(fault(position, format!("a place of {} coordinates in {} dimensions", place.len(), full.len())));
                }
                for &dimension in &dimensions {
                    let dimension = place_of(dimension.into(), full.len())
                        .ok_or_else(|| fault(position, format!("there is no dimension {dimension}")))?;
                    sizes[dimension] = full[dimension];
                    place[dimension] = 0;
                }
                listed(Sequence::subset(at, &full, place, sizes), position)?
            }
            (OfTensor::Fits, [value]) => {
                let data_type = tensor.data_type;
                Value::Boolean(fits(self.integer(value)?, data_type))
            }
            _ => return Err(fault(position, "called with other arguments than it takes")),
        })
    }

    fn builtin(&mut self, builtin: Builtin, arguments: &'a [Node], position: Position) -> Evaluated<Value> {
        Ok(match (builtin, arguments) {
            (Builtin::Len, [list]) => {
                let value = self.value(list)?;
                Value::Integer(self.items(&value, position)?.len() as i128)
            }
            (Builtin::Sum, [list]) => {
                let mut sum = 0i128;
                let _ = self.each(list, &mut |_, item| {
                    let added = item.integer().and_then(|item| sum.checked_add(item));
                    sum = added.ok_or_else(|| fault(position, "what is no integer, or more than 128 bits"))?;
                    Ok(ControlFlow::Continue(()))
                })?;
                Value::Integer(sum)
            }
            (Builtin::Min, list) => self.extreme(list, Ordering::Less, position)?,
            (Builtin::Max, list) => self.extreme(list, Ordering::Greater, position)?,
            (Builtin::Any, [list]) => Value::Boolean(self.meets(list, true)?),
            (Builtin::All, [list]) => Value::Boolean(!self.meets(list, false)?),
            (Builtin::Range, bounds) => {
                let bounds: Evaluated<Vec<i128>> = bounds.iter().map(|bound| self.integer(bound)).collect();
                range(&bounds?, position)?
            }
            (Builtin::Enumerate, [list]) => {
                let mut pairs = Vec::new();
                let _ = self.each(list, &mut |_, item| {
                    let pair = vec![Value::Integer(pairs.len() as i128), item];
                    push(&mut pairs, Value::List(Rc::new(Sequence::Items(pair))), position)
                })?;
                Value::List(Rc::new(Sequence::Items(pairs)))
            }
            (Builtin::Zip, lists) => {
                let lists: Evaluated<Vec<Value>> = lists.iter().map(|list| self.value(list)).collect();
                let lists = lists?;
                let items: Evaluated<Vec<Items<'_>>> = lists.iter().map(|list| self.items(list, position)).collect();
                let items = items?;
                let len = items.iter().map(Items::len).min().unwrap_or(0);
                let row = |at| Value::List(Rc::new(Sequence::Items(items.iter().map(|list| list.get(at)).collect())));
                Value::List(Rc::new(Sequence::Items((0..len).map(row).collect())))
            }
            (Builtin::Sorted, [list]) => {
                let mut keyed = Vec::new();
                let _ = self.each(list, &mut |_, item| {
                    keyed.push((item.clone(), item));
                    Ok(ControlFlow::Continue(()))
                })?;
                sorted(keyed, position)?
            }
            (Builtin::IsNan | Builtin::IsSubnormal | Builtin::Flushed | Builtin::Bits, [element]) => {
                let value = self.value(element)?;
                let Value::Element(element) = value else {
                    return Err(fault(position, format!("{} where an element is needed", value.kind())));
                };
                match builtin {
                    Builtin::IsNan => Value::Boolean(element.is_nan()),
                    Builtin::IsSubnormal => Value::Boolean(element.is_subnormal()),
                    Builtin::Flushed => Value::Element(element.flushed()),
                    _ => Value::Integer(element.bits.into()),
                }
            }
            _ => return Err(fault(position, "called with other arguments than it takes")),
        })
    }

    /// A place with one coordinate replaced, inserted or removed.
    fn moved(&mut self, node: &'a Node) -> Evaluated<Place> {
        let position = node.position;
        let Operation::Builtin(builtin, arguments) = &node.operation else { return self.place(node) };
        let [place, dimension, rest @ ..] = arguments.as_slice() else {
            return Err(fault(position, "called with other arguments than it takes"));
        };
        let mut place = self.place(place)?;
        let dimension = self.integer(dimension)?;
        // One more dimension has one more place to stand.
        let len = place.len() + usize::from(*builtin == Builtin::Inserted);
        let at = place_of(dimension, len)
            .ok_or_else(|| fault(position, format!("there is no dimension {dimension} of {len}")))?;
        let [coordinate] = rest else {
            place.remove(at);
            return Ok(place);
        };
        let coordinate = self.integer(coordinate)?;
        let coordinate =
            i64::try_from(coordinate).map_err(|_| fault(position, format!("{coordinate} is no coordinate")))?;
        if *builtin == Builtin::Replaced {
            place[at] = coordinate;
        } else {
            place.insert(at, coordinate);
        }
        Ok(place)
    }

    /// The first of the least or of the greatest, of a list or of the arguments.
    fn extreme(&mut self, arguments: &'a [Node], wanted: Ordering, position: Position) -> Evaluated<Value> {
        let mut best: Option<Value> = None;
        let mut take = |item: Value| {
            let better = match &best {
                None => true,
                Some(best) => {
                    let order = item.order(best);
                    let kinds = || fault(position, format!("{} and {} have no order", item.kind(), best.kind()));
                    order.ok_or_else(kinds)? == Some(wanted)
                }
            };
            if better {
                best = Some(item);
            }
            Ok(ControlFlow::Continue(()))
        };
        if let [list] = arguments {
            let _ = self.each(list, &mut |_, item| take(item))?;
        } else {
            for argument in arguments {
                let _: ControlFlow<()> = take(self.value(argument)?)?;
            }
        }
        best.ok_or_else(|| fault(position, "the list is empty, so that nothing in it is greatest or least"))
    }

    /// Whether a truth value is in a list; nothing behind it is looked at.
    fn meets(&mut self, list: &'a Node, wanted: bool) -> Evaluated<bool> {
        let position = list.position;
        let found = self.each(list, &mut |_, item| match item {
            Value::Boolean(value) if value == wanted => Ok(ControlFlow::Break(())),
            Value::Boolean(_) => Ok(ControlFlow::Continue(())),
            other => Err(fault(position, format!("{} where a truth value is needed", other.kind()))),
        })?;
        Ok(found.is_break())
    }

    /// All items of a comprehension.
    fn written_out(&mut self, node: &'a Node) -> Evaluated<Value> {
        let mut items = Vec::new();
        let position = node.position;
        let _ = self.each(node, &mut |_, item| push(&mut items, item, position))?;
        Ok(Value::List(Rc::new(Sequence::Items(items))))
    }

    /// Does something with each item of a list, which need not be written out for it.
    fn each(
        &mut self,
        list: &'a Node,
        with: &mut dyn FnMut(&mut Self, Value) -> Evaluated<ControlFlow<()>>,
    ) -> Evaluated<ControlFlow<()>> {
        if let Operation::Comprehension(body, clauses) = &list.operation {
            return self.clauses(clauses, &mut |this| {
                let item = this.value(body)?;
                with(this, item)
            });
        }
        let value = self.value(list)?;
        match &value {
            Value::List(sequence) => {
                for item in sequence.iter() {
                    if with(self, item)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
            other => {
                let items = self.items(other, list.position)?;
                for at in 0..items.len() {
                    if with(self, items.get(at))?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn clauses(
        &mut self,
        clauses: &'a [Clause],
        with: &mut dyn FnMut(&mut Self) -> Evaluated<ControlFlow<()>>,
    ) -> Evaluated<ControlFlow<()>> {
        let Some((clause, rest)) = clauses.split_first() else { return with(self) };
        match clause {
            Clause::If(condition) if !self.truth(condition)? => Ok(ControlFlow::Continue(())),
            Clause::If(_) => self.clauses(rest, with),
            Clause::For { number, targets, source } => {
                let mut count = 0i128;
                self.each(source, &mut |this, item| {
                    if let Some(number) = number {
                        this.frame[this.base + number] = Value::Integer(count);
                        count += 1;
                    }
                    this.bind(targets, item, source.position)?;
                    let flow = this.clauses(rest, with);
                    if let [target] = targets.as_slice() {
                        // Nobody else has the place now, so that the next one needs no memory of its own.
                        this.frame[this.base + target] = Value::Boolean(false);
                    }
                    flow
                })
            }
        }
    }
}

/// The position that an index means, which counts from the end where it is negative.
fn place_of(index: i128, len: usize) -> Option<usize> {
    let at = if index < 0 { index.checked_add(len as i128)? } else { index };
    usize::try_from(at).ok().filter(|&at| at < len)
}

fn numbers(first: i128, step: i128, len: usize) -> Value {
    Value::List(Rc::new(Sequence::Numbers { first, step, len }))
}

fn listed(places: Option<Sequence>, position: Position) -> Evaluated<Value> {
    Ok(Value::List(Rc::new(places.ok_or_else(|| fault(position, "more places than can be counted"))?)))
}

/// As Python's `range` of one to three numbers.
fn range(bounds: &[i128], position: Position) -> Evaluated<Value> {
    let (first, end, step) = match *bounds {
        [end] => (0, end, 1),
        [first, end] => (first, end, 1),
        [first, end, step] => (first, end, step),
        _ => return Err(fault(position, "called with other arguments than it takes")),
    };
    let beyond = || fault(position, "more numbers than can be counted");
    let (way, stride) = if step > 0 { (end.checked_sub(first), step) } else { (first.checked_sub(end), step.saturating_neg()) };
    if stride == 0 {
        return Err(fault(position, "a range whose step is 0 never ends"));
    }
    let way = way.ok_or_else(beyond)?.max(0);
    let len = usize::try_from((way + (stride - 1)) / stride).map_err(|_| beyond())?;
    Ok(numbers(first, step, len))
}

fn push(items: &mut Vec<Value>, item: Value, position: Position) -> Evaluated<ControlFlow<()>> {
    if items.len() >= MOST_ITEMS {
        return Err(fault(position, format!("a list of more than {MOST_ITEMS} items")));
    }
    items.push(item);
    Ok(ControlFlow::Continue(()))
}

/// Items in the order of their keys; those with equal keys stay as they are.
fn sorted(mut keyed: Vec<(Value, Value)>, position: Position) -> Evaluated<Value> {
    let mut incomparable = None;
    keyed.sort_by(|(one, _), (other, _)| match one.order(other) {
        Some(Some(order)) => order,
        _ => {
            incomparable.get_or_insert((one.kind(), other.kind()));
            Ordering::Equal
        }
    });
    if let Some((one, other)) = incomparable {
        return Err(fault(position, format!("{one} and {other} have no order here")));
    }
    Ok(Value::List(Rc::new(Sequence::Items(keyed.into_iter().map(|(_, item)| item).collect()))))
}
