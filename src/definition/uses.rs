//! What a definition does with the elements of its inputs, found by following them through its expressions.
//!
//! Data that tells right from wrong depends on it: elements that are compared with each other want ties and neighbours, an
//! index wants numbers around the ends of what it counts, a value that is copied wants every pattern of bits.

use opcert_backend::{Descriptor, Role};

use super::builtins::{Builtin, OfTensor};
use super::column::Value;
use super::evaluate;
use super::program::{Clause, Node, Operation, Statement};
use super::syntax::Arithmetic;
use super::{Definition, Fault};
use crate::diagnostic::Position;

/// What a definition does with its inputs.
#[derive(Debug, Default)]
pub struct Uses {
    /// Of each tensor, in the order of the definition's names; outputs have none.
    pub tensors: Vec<Use>,
    /// Conditions that follow from the descriptor alone and leave the answer open, or do so for some data, each with the
    /// truth value that does.
    open: Vec<(Node, bool)>,
    /// The tensors whose strides these conditions ask for.
    strides: Set,
}

impl Uses {
    /// Whether it may hang on a tensor's strides that a descriptor leaves the answer open. The tensor is given by its number.
    #[must_use]
    pub const fn opens_by_strides(&self, tensor: usize) -> bool {
        self.strides & only(tensor) != 0
    }
}

/// What a definition does with the elements of an input.
#[derive(Debug, Default)]
pub struct Use {
    /// They are compared with each other, or with elements of another input.
    pub compared: bool,
    /// The greatest of them is looked for.
    pub greatest: bool,
    /// They are added to each other.
    pub added: bool,
    /// They are compared with coordinates, or are some: they choose a place.
    pub chooses: bool,
    /// They are returned.
    pub copied: bool,
    /// They have a say in output elements of other places than their own.
    pub elsewhere: bool,
    /// What they are compared with that follows from the descriptor alone.
    landmarks: Vec<Node>,
    /// Lists that follow from the descriptor alone, with the items of which they are compared.
    lists: Vec<Node>,
}

/// What elements are compared with in a descriptor.
#[derive(Clone, Debug, Default)]
pub struct Landmarks {
    /// Each element with all of these numbers.
    pub numbers: Vec<i128>,
    /// Those that stand side by side each with a number of its own.
    pub items: Vec<i128>,
}

impl Definition {
    /// What is done with the inputs. `constants` are those whose value is part of the descriptor.
    #[must_use]
    pub fn uses(&self, constants: &[&str]) -> Uses {
        let names = &self.names.tensors;
        let mut tensors = Vec::new();
        tensors.resize_with(names.len(), Use::default);
        let constants = names.iter().map(|(name, _)| constants.contains(&name.as_str())).collect();
        let globals = vec![None; self.globals.len()];
        let mut following =
            Following { definition: self, constants, globals, uses: Uses { tensors, ..Uses::default() } };
        for &(_, function, which) in &self.outputs {
            let place = Flow { varies: true, ..Flow::default() };
            let place = Given { flow: place, node: None, item_of: None, is_place: true };
            let number = which.map(|which| {
                let node = Node { operation: Operation::Integer(which as i128), position: Position::default() };
                Given { flow: Flow::default(), node: Some(node), item_of: None, is_place: false }
            });
            let takes = self.functions[function].names.len();
            let arguments = number.into_iter().chain([place]).take(takes).collect();
            let returned = following.function(function, arguments);
            following.each(returned.elements, |each| each.copied = true);
        }
        let Uses { open, strides, .. } = &mut following.uses;
        open.iter().for_each(|(condition, _)| self.strides(condition, strides));
        following.uses
    }

    /// Adds the tensors whose strides an expression asks for, itself or by what it refers to.
    fn strides(&self, node: &Node, found: &mut Set) {
        match &node.operation {
            Operation::OfTensor(OfTensor::Strides, tensor, _) => *found |= only(*tensor),
            Operation::Global(global) => self.strides(&self.globals[*global].value, found),
            Operation::Call(function, _) => self.strides_in(&self.functions[*function].body, found),
            _ => {}
        }
        node.parts().into_iter().for_each(|part| self.strides(part, found));
    }

    fn strides_in(&self, statements: &[Statement], found: &mut Set) {
        for statement in statements {
            match statement {
                Statement::Assign { value, .. } | Statement::Return { value, .. } => self.strides(value, found),
                Statement::If { branches, otherwise } => {
                    for (condition, _, body) in branches {
                        self.strides(condition, found);
                        self.strides_in(body, found);
                    }
                    self.strides_in(otherwise, found);
                }
            }
        }
    }

    /// What elements of a tensor are compared with in a descriptor, which has a value for each constant.
    ///
    /// # Errors
    ///
    /// What cannot be worked out.
    pub fn landmarks(
        &self,
        used: &Use,
        descriptor: &Descriptor,
        constants: &[(&str, &[u8])],
    ) -> Result<Landmarks, Fault> {
        let numbers = |nodes: &[Node]| {
            let mut numbers = Vec::new();
            for value in evaluate::values(self, nodes, descriptor, constants)? {
                match value {
                    Value::List(list) => numbers.extend(list.iter().filter_map(|item| item.integer())),
                    value => numbers.extend(value.integer()),
                }
            }
            Ok(numbers)
        };
        Ok(Landmarks { numbers: numbers(&used.landmarks)?, items: numbers(&used.lists[..used.lists.len().min(1)])? })
    }

    /// Whether a descriptor leaves the answer open, for some data at least.
    ///
    /// # Errors
    ///
    /// What cannot be worked out.
    pub fn leaves_open(
        &self,
        uses: &Uses,
        descriptor: &Descriptor,
        constants: &[(&str, &[u8])],
    ) -> Result<bool, Fault> {
        evaluate::any_comes_to(self, &uses.open, descriptor, constants)
    }
}

/// A set of tensors, or of local names, by their numbers.
type Set = u128;

/// What a value holds and depends on.
#[derive(Clone, Copy, Default)]
struct Flow {
    /// The inputs whose elements it holds.
    elements: Set,
    /// Whether it depends on data in any way.
    data: bool,
    /// Whether it is another one at another place.
    varies: bool,
    /// The names of items of lists that it depends on.
    items: Set,
}

impl Flow {
    const fn and(self, other: Self) -> Self {
        Self {
            elements: self.elements | other.elements,
            data: self.data || other.data,
            varies: self.varies || other.varies,
            items: self.items | other.items,
        }
    }

    /// What follows from it without holding its elements.
    const fn without_elements(self) -> Self {
        Self { elements: 0, ..self }
    }

    /// Whether it follows from the descriptor alone.
    const fn is_fixed(self) -> bool {
        !self.data && !self.varies && self.items == 0
    }
}

/// A local name: what it holds, and the expression that it stands for where that follows from the descriptor alone.
#[derive(Clone)]
struct Given {
    flow: Flow,
    node: Option<Node>,
    /// The list of which it is an item, where that follows from the descriptor alone.
    item_of: Option<Node>,
    /// Whether it is the place of the output element that is worked out.
    is_place: bool,
}

struct Following<'a> {
    definition: &'a Definition,
    /// For each tensor whether its value is part of the descriptor.
    constants: Vec<bool>,
    globals: Vec<Option<Flow>>,
    uses: Uses,
}

type Locals = Vec<Option<Given>>;

/// The set of a single number; all of them, where it is too large.
const fn only(number: usize) -> Set {
    if number < 128 { 1 << number } else { Set::MAX }
}

impl Following<'_> {
    fn each(&mut self, elements: Set, mut note: impl FnMut(&mut Use)) {
        for (tensor, used) in self.uses.tensors.iter_mut().enumerate() {
            if elements & only(tensor) != 0 {
                note(used);
            }
        }
    }

    /// What a function returns.
    fn function(&mut self, function: usize, arguments: Vec<Given>) -> Flow {
        let function = &self.definition.functions[function];
        let mut locals: Locals = arguments.into_iter().map(Some).collect();
        locals.resize(function.names.len(), None);
        self.block(&function.body, &mut locals)
    }

    fn block(&mut self, statements: &[Statement], locals: &mut Locals) -> Flow {
        let mut returned = Flow::default();
        for statement in statements {
            match statement {
                Statement::Assign { slots, value, .. } => {
                    let flow = self.flow(value, locals);
                    let node = (slots.len() == 1 && flow.is_fixed()).then(|| written_out(value, locals));
                    let is_place = slots.len() == 1 && is_place(value, locals);
                    for &slot in slots {
                        locals[slot] = Some(Given { flow, node: node.clone(), item_of: None, is_place });
                    }
                }
                Statement::Return { value, .. } => returned = returned.and(self.flow(value, locals)),
                Statement::If { branches, otherwise } => {
                    for (condition, _, body) in branches {
                        let flow = self.flow(condition, locals);
                        returned = returned.and(flow.without_elements());
                        if is_open(body) {
                            self.may_open(condition, locals);
                        }
                        returned = returned.and(self.block(body, locals));
                    }
                    returned = returned.and(self.block(otherwise, locals));
                }
            }
        }
        returned
    }

    /// Notes what of a condition follows from the descriptor alone, where the answer is left open as soon as it holds.
    fn may_open(&mut self, condition: &Node, locals: &mut Locals) {
        if self.flow(condition, locals).is_fixed() {
            self.uses.open.push((written_out(condition, locals), true));
        } else if let Operation::And(one, other) = &condition.operation {
            self.may_open(one, locals);
            self.may_open(other, locals);
        }
    }

    fn global(&mut self, global: usize) -> Flow {
        if let Some(known) = self.globals[global] {
            return known;
        }
        let flow = self.flow(&self.definition.globals[global].value, &mut vec![None; 128]);
        self.globals[global] = Some(flow);
        flow
    }

    fn all<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Node>, locals: &mut Locals) -> Flow {
        nodes.into_iter().fold(Flow::default(), |flow, node| flow.and(self.flow(node, locals)))
    }

    fn flow(&mut self, node: &Node, locals: &mut Locals) -> Flow {
        match &node.operation {
            Operation::Integer(_)
            | Operation::Boolean(_)
            | Operation::Symbol(_)
            | Operation::Since(_)
            | Operation::Open(_)
            | Operation::Attribute(_) => Flow::default(),
            Operation::Global(global) => self.global(*global),
            Operation::Local(slot) => {
                let given = locals.get(*slot).and_then(Option::as_ref);
                given.map_or(Flow { varies: true, ..Flow::default() }, |given| given.flow)
            }
            Operation::Element(tensor, place) => {
                let elsewhere = !is_place(place, locals);
                self.each(only(*tensor), |each| each.elsewhere |= elsewhere);
                let place = self.flow(place, locals);
                self.each(place.elements, |each| each.chooses = true);
                let place = place.without_elements();
                match self.constants[*tensor] {
                    true => place,
                    false => Flow { elements: only(*tensor), data: true, ..place },
                }
            }
            Operation::List(items) => self.all(items, locals),
            Operation::Comprehension { body, clauses, .. } => self.comprehension(body, clauses, locals),
            Operation::Not(of) | Operation::Negative(of) | Operation::Cast(_, of) => self.flow(of, locals),
            Operation::And(one, other) | Operation::Or(one, other) => {
                self.flow(one, locals).and(self.flow(other, locals)).without_elements()
            }
            // How far is counted, as an index is.
            Operation::Arithmetic(Arithmetic::ShiftLeft | Arithmetic::ShiftRight, one, by) => {
                let by = self.flow(by, locals);
                self.each(by.elements, |each| each.chooses = true);
                self.flow(one, locals).and(by.without_elements())
            }
            Operation::Arithmetic(_, one, other) => self.flow(one, locals).and(self.flow(other, locals)),
            Operation::Comparison(first, others) => self.comparison(first, others, locals),
            Operation::Conditional(parts) => {
                let condition = self.flow(&parts[0], locals);
                for (part, holds) in [(&parts[1], true), (&parts[2], false)] {
                    if condition.is_fixed() && matches!(part.operation, Operation::Open(_)) {
                        self.uses.open.push((written_out(&parts[0], locals), holds));
                    }
                }
                condition.without_elements().and(self.all(&parts[1..], locals))
            }
            Operation::OfTensor(builtin, _, arguments) => {
                let all = self.all(arguments, locals);
                let of = all.without_elements();
                match builtin {
                    OfTensor::FromBits | OfTensor::FromValue | OfTensor::Nearest => all,
                    OfTensor::Sizes
                    | OfTensor::Strides
                    | OfTensor::Rank
                    | OfTensor::Dimensions
                    | OfTensor::Places
                    | OfTensor::Origin
                    | OfTensor::Subset
                    | OfTensor::Fits
                    | OfTensor::HasValue
                    | OfTensor::BitWidth
                    | OfTensor::IsGiven => of,
                }
            }
            Operation::Builtin(builtin, arguments) => {
                let of = self.all(arguments, locals);
                match builtin {
                    Builtin::Max | Builtin::Min | Builtin::Sorted => {
                        let greatest = matches!(builtin, Builtin::Max);
                        self.each(of.elements, |each| {
                            each.compared = true;
                            each.greatest |= greatest;
                        });
                        of
                    }
                    Builtin::Replaced | Builtin::Inserted | Builtin::Removed => {
                        self.each(of.elements, |each| each.chooses = true);
                        of.without_elements()
                    }
                    Builtin::Accumulate => {
                        self.each(of.elements, |each| each.added = true);
                        of
                    }
                    Builtin::Sum
                    | Builtin::Product
                    | Builtin::Range
                    | Builtin::Enumerate
                    | Builtin::Zip
                    | Builtin::Flushed
                    | Builtin::Bits
                    | Builtin::Truncated => of,
                    Builtin::Len
                    | Builtin::Any
                    | Builtin::All
                    | Builtin::IsNan
                    | Builtin::IsInfinite
                    | Builtin::IsSubnormal
                    | Builtin::IsInteger => of.without_elements(),
                }
            }
            Operation::SortedBy { list, slot, key, .. } => {
                let items = self.flow(list, locals);
                give(locals, *slot, (items, None));
                let keys = self.flow(key, locals);
                self.each(keys.elements, |each| each.compared = true);
                items.and(Flow { items: keys.items & !only(*slot), ..keys.without_elements() })
            }
            Operation::Call(function, arguments) => {
                let given = |this: &mut Self, argument: &Node, locals: &mut Locals| {
                    let flow = this.flow(argument, locals);
                    let is_place = is_place(argument, locals);
                    let node = flow.is_fixed().then(|| written_out(argument, locals));
                    Given { flow, node, item_of: None, is_place }
                };
                let arguments = arguments.iter().map(|argument| given(self, argument, locals)).collect();
                self.function(*function, arguments)
            }
            Operation::Index(list, at) => {
                let at = self.flow(at, locals);
                self.each(at.elements, |each| each.chooses = true);
                self.flow(list, locals).and(at.without_elements())
            }
            Operation::Slice(list, first, end) => {
                let bounds = self.all([first, end].into_iter().flatten().map(|bound| &**bound), locals);
                self.flow(list, locals).and(bounds.without_elements())
            }
        }
    }

    fn comprehension(&mut self, body: &Node, clauses: &[Clause], locals: &mut Locals) -> Flow {
        let mut around = Flow::default();
        let mut own = 0;
        for clause in clauses {
            match clause {
                Clause::For { number, targets, source } => {
                    let flow = self.flow(source, locals);
                    around = around.and(flow.without_elements());
                    number.iter().chain(targets).for_each(|&slot| own |= only(slot));
                    number.iter().for_each(|&slot| give(locals, slot, (flow, None)));
                    // Lists side by side each have a name for their items.
                    let sources: Vec<&Node> = match &source.operation {
                        Operation::Builtin(Builtin::Zip, lists) if lists.len() == targets.len() => {
                            lists.iter().collect()
                        }
                        _ => vec![source; targets.len()],
                    };
                    let given: Vec<(Flow, Option<Node>)> = sources
                        .into_iter()
                        .map(|source| {
                            let flow = self.flow(source, locals);
                            (flow, flow.is_fixed().then(|| written_out(source, locals)))
                        })
                        .collect();
                    std::iter::zip(targets, given).for_each(|(&slot, given)| give(locals, slot, given));
                }
                Clause::If(condition) => around = around.and(self.flow(condition, locals).without_elements()),
            }
        }
        let flow = self.flow(body, locals).and(around);
        Flow { items: flow.items & !own, ..flow }
    }

    fn comparison(&mut self, first: &Node, others: &[(super::syntax::Comparison, Node)], locals: &mut Locals) -> Flow {
        let mut of = self.flow(first, locals);
        let mut all = of;
        let mut left = first;
        for (_, right) in others {
            let other = self.flow(right, locals);
            self.compare(of, (right, other), locals);
            self.compare(other, (left, of), locals);
            all = all.and(other);
            (left, of) = (right, other);
        }
        all.without_elements()
    }

    /// Notes that elements are compared with something.
    fn compare(&mut self, of: Flow, (with, flow): (&Node, Flow), locals: &Locals) {
        if flow.elements != 0 {
            self.each(of.elements, |each| each.compared = true);
        } else if flow.is_fixed() {
            let with = written_out(with, locals);
            if !is_beside_sizes(&with) {
                self.each(of.elements, |each| each.landmarks.push(with.clone()));
            }
        } else if !flow.data {
            let list = item_of(with, locals);
            self.each(of.elements, |each| {
                each.chooses = true;
                each.lists.extend(list.cloned());
            });
        }
    }
}

/// The list that follows from the descriptor alone, if an expression is an item of one, with either sign.
fn item_of<'l>(node: &Node, locals: &'l Locals) -> Option<&'l Node> {
    match &node.operation {
        Operation::Negative(of) => item_of(of, locals),
        Operation::Local(slot) => locals.get(*slot)?.as_ref()?.item_of.as_ref(),
        _ => None,
    }
}

/// Whether an expression is the place of the output element that is worked out.
fn is_place(node: &Node, locals: &Locals) -> bool {
    let given = |slot: usize| locals.get(slot).and_then(Option::as_ref);
    matches!(node.operation, Operation::Local(slot) if given(slot).is_some_and(|given| given.is_place))
}

/// An item of a list, which follows from the descriptor alone where it is given, has a value.
fn give(locals: &mut Locals, slot: usize, (source, item_of): (Flow, Option<Node>)) {
    if slot >= locals.len() {
        locals.resize(slot + 1, None);
    }
    let flow = Flow { items: source.items | only(slot), ..source };
    locals[slot] = Some(Given { flow, node: None, item_of, is_place: false });
}

/// Whether it is a number of which nothing can be learnt about what indices count: one step from 0, or beyond all sizes.
fn is_beside_sizes(node: &Node) -> bool {
    match &node.operation {
        Operation::Integer(number) => number.unsigned_abs() == 1 || number.unsigned_abs() >= 1 << 62,
        Operation::Negative(of) => is_beside_sizes(of),
        _ => false,
    }
}

/// Whether a block does nothing but leave the answer open.
fn is_open(body: &[Statement]) -> bool {
    matches!(body, [Statement::Return { value: Node { operation: Operation::Open(_), .. }, .. }])
}

/// An expression with the local names replaced by what they stand for.
fn written_out(node: &Node, locals: &Locals) -> Node {
    if let Operation::Local(slot) = node.operation
        && let Some(Given { node: Some(node), .. }) = locals.get(slot).and_then(Option::as_ref)
    {
        return node.clone();
    }
    let mut node = node.clone();
    for part in node.parts_mut() {
        *part = written_out(part, locals);
    }
    if let Operation::Comprehension { free, .. } | Operation::SortedBy { free, .. } = &mut node.operation {
        free.retain(|slot| locals.get(*slot).and_then(Option::as_ref).is_none_or(|given| given.node.is_none()));
    }
    node
}

impl Uses {
    /// What is done with the elements of an input, by its place in the definition's names.
    #[must_use]
    pub fn of<'a>(&'a self, definition: &Definition, name: &str) -> Option<&'a Use> {
        let at = definition.names.tensors.iter().position(|(tensor, role)| tensor == name && *role == Role::Input)?;
        self.tensors.get(at)
    }
}

impl Use {
    /// Whether the elements are compared with numbers that follow from the descriptor.
    #[must_use]
    pub const fn has_landmarks(&self) -> bool {
        !self.landmarks.is_empty()
    }
}
