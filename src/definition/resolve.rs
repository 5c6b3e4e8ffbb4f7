//! From names to numbers, and what can be known to be wrong without data.

use opcert_backend::Role;

use super::builtins::{BUILTINS, Builtin, Entry, OF_TENSORS, OfTensor, SINCE, names};
use super::cast::Cast;
use super::program::{Clause, Function, Global, Node, Operation, Statement};
use super::syntax::{self, Expression, Item, Kind, Name};
use super::{Definition, Line, Names, Open, Problem};
use crate::diagnostic::Position;
use crate::near::did_you_mean;

pub(super) fn resolve(text: &str, items: &[Item], names: Names) -> Result<Definition, Vec<Problem>> {
    let mut resolver = Resolver::new(items, &names);
    for item in items {
        match item {
            Item::Assignment(assignment) => resolver.global(assignment),
            Item::Function(function) => resolver.function(function),
        }
    }
    let Resolver { lines, globals, functions, outputs, mut problems, .. } = resolver;
    for (at, (name, role)) in names.tensors.iter().enumerate() {
        let list = names.lists.get(at).and_then(Option::as_ref);
        if *role == Role::Output && !outputs.iter().any(|(tensor, ..)| *tensor == at) {
            let message = format!("nothing says what `{name}` holds");
            let end = Position { line: 1, column: 1, length: 1 };
            let head = list.map_or_else(|| format!("{name}(at)"), |list| format!("{list}(which, at)"));
            problems.push(Problem::at(end, message).with_help(format!("`def {head}:` gives the element at a place")));
        }
    }
    let sized = sized(&names.sizes, &names, &globals, &mut problems);
    let sized_by_descriptor = sized_by_descriptor(&names, &globals, &functions, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let text = text.to_owned();
    Ok(Definition { text, lines, names, globals, functions, outputs, sized, sized_by_descriptor })
}

/// The tensors and the global names that give their sizes.
fn sized(
    named: &[(String, String)],
    names: &Names,
    globals: &[Global],
    problems: &mut Vec<Problem>,
) -> Vec<(usize, usize)> {
    let mut sized = Vec::new();
    for (tensor, name) in named {
        // Whoever names a tensor that there is not is told so elsewhere.
        let Some(at) = names.tensors.iter().position(|(each, _)| each == tensor) else { continue };
        if let Some(global) = globals.iter().position(|global| global.name == *name) {
            sized.push((at, global));
            continue;
        }
        let known = globals.iter().map(|global| global.name.as_str());
        let message = format!("nothing gives `{name}`, the sizes of `{tensor}`{}", did_you_mean(name, known));
        let begin = Position { line: 1, column: 1, length: 1 };
        problems.push(Problem::at(begin, message).with_help(format!("at the top, `{name} = […]` lists them")));
    }
    sized
}

/// The same of sizes that a descriptor has to have: they may follow from no element.
fn sized_by_descriptor(
    names: &Names,
    globals: &[Global],
    functions: &[Function],
    problems: &mut Vec<Problem>,
) -> Vec<(usize, usize)> {
    let sized = sized(&names.sizes_by_descriptor, names, globals, problems);
    for &(tensor, global) in &sized {
        let Global { value, name, .. } = &globals[global];
        if follows_from(value, globals, functions, &|operation| matches!(operation, Operation::Element(..))) {
            let tensor = &names.tensors[tensor].0;
            let message = format!("`{name}` gives the sizes of `{tensor}`, and follows from elements");
            let help = "sizes that a check asks for follow from sizes and attributes; where they follow from elements, \
                        the tensor itself has the key `sizes`";
            problems.push(Problem::at(value.position, message).with_help(help));
        }
    }
    sized
}

/// Whether an expression has such an operation, or what it calls or names has. No function calls itself.
pub(super) fn follows_from(
    node: &Node,
    globals: &[Global],
    functions: &[Function],
    such: &dyn Fn(&Operation) -> bool,
) -> bool {
    let has = |node: &Node| follows_from(node, globals, functions, such);
    let below = match &node.operation {
        Operation::Global(global) => has(&globals[*global].value),
        Operation::Call(function, _) => functions[*function].body.iter().any(|each| each.any(&has)),
        _ => false,
    };
    such(&node.operation) || below || node.parts().into_iter().any(has)
}

/// So many tensors of lists may be chosen in one another: each one multiplies what is resolved by the length of its list.
const MOST_CHOICES: usize = 2;

struct Resolver<'a> {
    items: &'a [Item],
    names: &'a Names,
    lines: Vec<Line>,
    global_names: Vec<String>,
    globals: Vec<Global>,
    function_names: Vec<(String, usize)>,
    functions: Vec<Function>,
    outputs: Vec<(usize, usize, Option<usize>)>,
    /// How many tensors of lists are being chosen that stand in one another.
    choices: usize,
    /// The names that can be seen where the resolver is, innermost last, with their slots.
    locals: Vec<(String, usize)>,
    /// The names that the function or global at hand has given so far, each of which has a slot of its own.
    slots: Vec<String>,
    /// The slots of local names, as often as they were used.
    used: Vec<usize>,
    problems: Vec<Problem>,
}

impl<'a> Resolver<'a> {
    const fn new(items: &'a [Item], names: &'a Names) -> Self {
        Self {
            items,
            names,
            lines: Vec::new(),
            global_names: Vec::new(),
            globals: Vec::new(),
            function_names: Vec::new(),
            functions: Vec::new(),
            outputs: Vec::new(),
            choices: 0,
            locals: Vec::new(),
            slots: Vec::new(),
            used: Vec::new(),
            problems: Vec::new(),
        }
    }

    fn global(&mut self, assignment: &syntax::Assignment) {
        let line = self.line(&assignment.lines);
        let parts = assignment.targets.len();
        for (part, target) in assignment.targets.iter().enumerate() {
            self.slots.clear();
            // Each name works the right side out for itself, which only costs time, and hardly occurs.
            let value = self.expression(&assignment.value);
            let slots = self.slots.len();
            let part = (parts > 1).then_some((part, parts));
            self.globals.push(Global { name: target.text.clone(), value, slots, line, part });
            self.refuse_taken(target);
        }
        self.global_names.extend(assignment.targets.iter().map(|target| target.text.clone()));
    }

    fn function(&mut self, function: &syntax::Function) {
        let name = &function.name;
        let list = self.list(&name.text);
        let tensor = self.names.tensors.iter().position(|(each, _)| *each == name.text);
        match tensor.or(list.first().copied()).map(|at| (at, self.names.tensors[at].1)) {
            Some((_, Role::Input)) => {
                let message = format!("`{}` is an input: its elements are given", name.text);
                self.problem(name.position, message);
            }
            Some((at, Role::Output)) => {
                if self.outputs.iter().any(|(tensor, ..)| *tensor == at) {
                    self.problem(name.position, format!("`{}` is defined twice", name.text));
                }
                let defined = self.functions.len();
                if list.is_empty() {
                    self.outputs.push((at, defined, None));
                }
                self.outputs.extend(list.iter().enumerate().map(|(place, &at)| (at, defined, Some(place))));
                let (count, takes) = match list.is_empty() {
                    true => (1, "a place: `def {}(at):`"),
                    false => (2, "its number and a place: `def {}(which, at):`"),
                };
                if function.parameters.len() != count {
                    let takes = takes.replace("{}", &name.text);
                    self.problem(name.position, format!("the function of an output takes {takes}"));
                }
            }
            None => self.refuse_taken(name),
        }
        self.slots.clear();
        self.locals.clear();
        for parameter in &function.parameters {
            self.local(parameter);
        }
        let body = self.block(&function.body);
        if !always_returns(&function.body) {
            let message = format!("`{}` may come to its end without a value", name.text);
            self.problem(name.position, message);
        }
        self.locals.clear();
        if tensor.is_none() {
            self.function_names.push((name.text.clone(), self.functions.len()));
        }
        self.functions.push(Function { names: std::mem::take(&mut self.slots), body });
    }

    /// What is named in a block can be seen in it, and not behind it.
    fn block(&mut self, statements: &[syntax::Statement]) -> Vec<Statement> {
        let visible = self.locals.len();
        let mut resolved = Vec::new();
        for (at, statement) in statements.iter().enumerate() {
            resolved.push(self.statement(statement));
            if at + 1 < statements.len() && always_returns(std::slice::from_ref(statement)) {
                let position = begin(&statements[at + 1]);
                self.problem(position, "this line is never reached".to_owned());
                break;
            }
        }
        self.locals.truncate(visible);
        resolved
    }

    fn statement(&mut self, statement: &syntax::Statement) -> Statement {
        match statement {
            syntax::Statement::Assignment(assignment) => {
                let line = self.line(&assignment.lines);
                let value = self.expression(&assignment.value);
                let slots = assignment.targets.iter().map(|target| self.local(target)).collect();
                Statement::Assign { slots, value, line }
            }
            syntax::Statement::If { branches, otherwise } => {
                let branches = branches.iter().map(|(condition, lines, body)| {
                    let line = self.line(lines);
                    (self.expression(condition), line, self.block(body))
                });
                let branches = branches.collect();
                let otherwise = otherwise.as_deref().map(|body| self.block(body)).unwrap_or_default();
                Statement::If { branches, otherwise }
            }
            syntax::Statement::Return { value, lines, .. } => {
                let line = self.line(lines);
                Statement::Return { value: self.expression(value), line }
            }
        }
    }

    fn expression(&mut self, expression: &Expression) -> Node {
        let position = expression.position;
        let mut inner = |each: &Expression| Box::new(self.expression(each));
        let operation = match &expression.kind {
            Kind::Integer(value) => Operation::Integer(*value),
            Kind::Boolean(value) => Operation::Boolean(*value),
            Kind::Name(name) => self.name(name, position),
            Kind::Text(text) => self.text(text, position),
            Kind::List(items) => Operation::List(items.iter().map(|item| self.expression(item)).collect()),
            Kind::Comprehension { body, clauses } => {
                let (visible, outside) = (self.locals.len(), self.outside());
                let clauses = clauses.iter().map(|clause| self.clause(clause)).collect();
                let body = Box::new(self.expression(body));
                self.locals.truncate(visible);
                Operation::Comprehension { body, clauses, free: self.free(outside) }
            }
            Kind::Not(value) => Operation::Not(inner(value)),
            Kind::Negative(value) => Operation::Negative(inner(value)),
            Kind::And(left, right) => Operation::And(inner(left), inner(right)),
            Kind::Or(left, right) => Operation::Or(inner(left), inner(right)),
            Kind::Arithmetic(sign, left, right) => Operation::Arithmetic(*sign, inner(left), inner(right)),
            Kind::Comparison(first, others) => {
                let first = inner(first);
                let others = others.iter().map(|(sign, other)| (*sign, self.expression(other))).collect();
                Operation::Comparison(first, others)
            }
            Kind::Conditional { yes, condition, no } => {
                let parts = [condition, yes, no].map(|part| self.expression(part));
                Operation::Conditional(Box::new(parts))
            }
            Kind::Call { function, arguments, key } => self.call(function, arguments, key.as_ref()),
            Kind::Index(of, index) => match (self.one_of_list(of), self.tensor_of(of)) {
                (Some((tensors, which)), _) => {
                    self.refuse_outputs(&tensors, of.position);
                    self.chosen(&tensors, which, position, &mut |this, tensor| {
                        Operation::Element(tensor, Box::new(this.expression(index)))
                    })
                }
                (None, Some(tensor)) => {
                    self.refuse_outputs(&[tensor], of.position);
                    Operation::Element(tensor, Box::new(self.expression(index)))
                }
                (None, None) => Operation::Index(Box::new(self.expression(of)), Box::new(self.expression(index))),
            },
            Kind::Slice(of, first, end) => {
                let of = inner(of);
                let mut part = |each: &Option<Box<Expression>>| each.as_deref().map(&mut inner);
                let (first, end) = (part(first), part(end));
                Operation::Slice(of, first, end)
            }
        };
        Node { operation, position }
    }

    /// Where an expression begins: how many slots there are, and how many names were used.
    const fn outside(&self) -> (usize, usize) {
        (self.slots.len(), self.used.len())
    }

    /// The slots from outside of an expression that it uses.
    fn free(&self, (slots, used): (usize, usize)) -> Vec<usize> {
        let mut free: Vec<usize> = self.used[used..].iter().copied().filter(|&slot| slot < slots).collect();
        free.sort_unstable();
        free.dedup();
        free
    }

    fn clause(&mut self, clause: &syntax::Clause) -> Clause {
        match clause {
            syntax::Clause::If(condition) => Clause::If(self.expression(condition)),
            syntax::Clause::For { targets, source } => {
                let counted = match (&source.kind, targets.as_slice()) {
                    (Kind::Call { function, arguments, key: None }, [number, item]) if function.text == "enumerate" => {
                        <&[Expression; 1]>::try_from(arguments.as_slice()).ok().map(|[list]| (number, item, list))
                    }
                    _ => None,
                };
                if let Some((number, item, list)) = counted {
                    let source = self.expression(list);
                    let number = Some(self.local(number));
                    return Clause::For { number, targets: vec![self.local(item)], source };
                }
                let source = self.expression(source);
                Clause::For { number: None, targets: targets.iter().map(|target| self.local(target)).collect(), source }
            }
        }
    }

    fn name(&mut self, name: &str, position: Position) -> Operation {
        if let Some(&(_, slot)) = self.locals.iter().rev().find(|(local, _)| local == name) {
            self.used.push(slot);
            return Operation::Local(slot);
        }
        if let Some(global) = self.global_names.iter().position(|global| global == name) {
            return Operation::Global(global);
        }
        if let Some(attribute) = self.names.attributes.iter().position(|(attribute, _)| attribute == name) {
            return Operation::Attribute(attribute);
        }
        if let Some(symbol) = self.names.enumerators.iter().position(|enumerator| enumerator == name) {
            return Operation::Symbol(symbol);
        }
        match name {
            "undefined" => return Operation::Open(Open::Undefined),
            "unspecified" => return Operation::Open(Open::Unspecified),
            _ => {}
        }
        let problem = if self.names.tensors.iter().any(|(tensor, _)| tensor == name) {
            let help = format!("`{name}[place]` is an element, `sizes({name})` and the like ask for more");
            Problem::at(position, format!("the tensor `{name}` is no value")).with_help(help)
        } else if !self.list(name).is_empty() {
            let help = format!("`len({name})` is its length, `{name}[0]` one of its tensors");
            Problem::at(position, format!("the list of tensors `{name}` is no value")).with_help(help)
        } else if self.is_given_below(name) {
            Problem::at(position, format!("`{name}` is given its value further below"))
                .with_help("what is used stands above")
        } else if names().any(|builtin| builtin == name) || self.function_names.iter().any(|(each, _)| each == name) {
            Problem::at(position, format!("the function `{name}` is no value")).with_help("call it: `…(…)`")
        } else {
            Problem::at(position, format!("the name `{name}` is not known{}", self.near(name)))
        };
        self.problems.push(problem);
        Operation::Integer(0)
    }

    /// A text: one of those that an attribute may be.
    fn text(&mut self, text: &str, position: Position) -> Operation {
        if let Some(symbol) = self.names.text(text) {
            return Operation::Symbol(symbol);
        }
        let near = did_you_mean(text, self.names.texts.iter().map(String::as_str));
        let problem = Problem::at(position, format!("`{text}` is no value of an attribute that is a text{near}"));
        self.problems.push(problem.with_help("its `values` list those that mean something"));
        Operation::Integer(0)
    }

    /// `since("3_0")`: whether the level asked for is that one or above.
    fn since(&mut self, function: &Name, arguments: &[Expression]) -> Operation {
        let levels = &self.names.levels;
        let [Expression { kind: Kind::Text(level), position }] = arguments else {
            self.problem(function.position, "`since` takes a level in quotes".to_owned());
            return Operation::Boolean(false);
        };
        match levels.iter().position(|each| each == level) {
            Some(0) => {
                let message = format!("`{level}` is the lowest level: this always holds");
                self.problem(*position, message);
                Operation::Boolean(true)
            }
            Some(at) => Operation::Since(at),
            None => {
                let near = did_you_mean(level, levels.iter().map(String::as_str));
                self.problem(*position, format!("`{level}` is no feature level: {}{near}", levels.join(" ")));
                Operation::Boolean(false)
            }
        }
    }

    fn call(&mut self, function: &Name, arguments: &[Expression], key: Option<&(Name, Box<Expression>)>) -> Operation {
        let name = function.text.as_str();
        if let Some((key_name, body)) = key {
            if let ("sorted", [list]) = (name, arguments) {
                let (visible, outside) = (self.locals.len(), self.outside());
                let list = Box::new(self.expression(list));
                let slot = self.local(key_name);
                let key = Box::new(self.expression(body));
                self.locals.truncate(visible);
                return Operation::SortedBy { list, slot, key, free: self.free(outside) };
            }
            self.problem(key_name.position, "`key` belongs to `sorted(list, key=…)`".to_owned());
        }
        if name == SINCE {
            return self.since(function, arguments);
        }
        if let (Some(cast), [value]) = (Cast::named(name), arguments) {
            return Operation::Cast(cast, Box::new(self.expression(value)));
        }
        if let Some(entry) = OF_TENSORS.iter().find(|entry| entry.name == name) {
            self.check_count(entry, function, arguments.len());
            let Some((first, rest)) = arguments.split_first() else { return Operation::Integer(0) };
            if let Some((tensors, which)) = self.one_of_list(first) {
                return self.chosen(&tensors, which, first.position, &mut |this, tensor| {
                    let rest = rest.iter().map(|argument| this.expression(argument)).collect();
                    Operation::OfTensor(entry.builtin, tensor, rest)
                });
            }
            let rest = rest.iter().map(|argument| self.expression(argument)).collect();
            if let Some(tensor) = self.tensor_of(first) {
                let (name, sizes) = (&self.names.tensors[tensor].0, &self.names.sizes);
                let of_type = matches!(
                    entry.builtin,
                    OfTensor::Fits
                        | OfTensor::FromBits
                        | OfTensor::HasValue
                        | OfTensor::FromValue
                        | OfTensor::Nearest
                        | OfTensor::BitWidth
                        | OfTensor::IsGiven
                );
                if let Some((_, by)) = sizes.iter().find(|(each, _)| each == name && !of_type) {
                    let message = format!("the sizes of `{name}` follow from values: `{by}` has them");
                    self.problem(first.position, message);
                }
                return Operation::OfTensor(entry.builtin, tensor, rest);
            }
            let known: Vec<String> = self.names.tensors.iter().map(|(name, _)| format!("`{name}`")).collect();
            let message = format!("`{name}` asks for a tensor: {}", known.join(", "));
            self.problem(first.position, message);
            return Operation::Integer(0);
        }
        if let ("len", [Expression { kind: Kind::Name(list), position }]) = (name, arguments)
            && !self.list(list).is_empty()
        {
            return self.length(&self.list(list), *position);
        }
        let arguments_of = |this: &mut Self| arguments.iter().map(|argument| this.expression(argument)).collect();
        if let Some(entry) = BUILTINS.iter().find(|entry| entry.name == name) {
            let lists = matches!(entry.builtin, Builtin::Min | Builtin::Max | Builtin::Zip);
            if !lists || arguments.len() < entry.least {
                self.check_count(entry, function, arguments.len());
            }
            return Operation::Builtin(entry.builtin, arguments_of(self));
        }
        if let Some(&(_, index)) = self.function_names.iter().find(|(each, _)| each == name) {
            let parameters = self.items.iter().find_map(|item| match item {
                Item::Function(each) if each.name.text == name => Some(each.parameters.len()),
                _ => None,
            });
            if parameters != Some(arguments.len()) {
                let message =
                    format!("`{name}` takes {} arguments, and is given {}", parameters.unwrap_or(0), arguments.len());
                self.problem(function.position, message);
            }
            return Operation::Call(index, arguments_of(self));
        }
        let is_defined = |item: &Item| matches!(item, Item::Function(each) if each.name.text == name);
        let problem = if self.names.tensors.iter().any(|(tensor, _)| tensor == name) {
            Problem::at(function.position, format!("`{name}` is a tensor, and cannot be called"))
                .with_help("what several outputs need gets a function or a name of its own")
        } else if self.items.iter().any(is_defined) {
            Problem::at(function.position, format!("`{name}` is called where it stands, or above: that may never end"))
                .with_help("a function calls those that stand above it")
        } else {
            Problem::at(function.position, format!("the function `{name}` is not known{}", self.near(name)))
        };
        self.problems.push(problem);
        // What is wrong with the arguments is found all the same.
        let _: Vec<Node> = arguments_of(self);
        Operation::Integer(0)
    }

    fn check_count<T>(&mut self, entry: &Entry<T>, function: &Name, count: usize) {
        if count < entry.least || count > entry.arguments.len() {
            let called = format!("`{}({})`", entry.name, entry.arguments.join(", "));
            self.problem(function.position, format!("it is called {called}, and is given {count} here"));
        }
    }

    fn tensor_of(&self, expression: &Expression) -> Option<usize> {
        let Kind::Name(name) = &expression.kind else { return None };
        self.names.tensors.iter().position(|(tensor, _)| tensor == name)
    }

    /// The tensors of a list, in its order; none where there is no such list.
    fn list(&self, name: &str) -> Vec<usize> {
        let lists = self.names.lists.iter().enumerate();
        lists.filter(|(_, list)| list.as_deref() == Some(name)).map(|(at, _)| at).collect()
    }

    /// The tensors of a list of which an expression names one, and by which number it does.
    fn one_of_list<'e>(&self, expression: &'e Expression) -> Option<(Vec<usize>, &'e Expression)> {
        let Kind::Index(of, which) = &expression.kind else { return None };
        let Kind::Name(name) = &of.kind else { return None };
        Some((self.list(name), &**which)).filter(|(tensors, _)| !tensors.is_empty())
    }

    fn refuse_outputs(&mut self, tensors: &[usize], position: Position) {
        if let Some(&tensor) = tensors.iter().find(|&&tensor| self.names.tensors[tensor].1 == Role::Output) {
            let message = format!("`{}` is an output: its elements are not known yet", self.names.tensors[tensor].0);
            self.problem(position, message);
        }
    }

    /// What is asked of the tensor of a list that has a number: each has it asked where the number is its own.
    fn chosen(
        &mut self,
        tensors: &[usize],
        which: &Expression,
        position: Position,
        ask: &mut dyn FnMut(&mut Self, usize) -> Operation,
    ) -> Operation {
        if let Kind::Integer(number) = &which.kind
            && let Some(&tensor) = usize::try_from(*number).ok().and_then(|number| tensors.get(number))
        {
            return ask(self, tensor);
        }
        // Each tensor that may be meant has the place and the number once more.
        if self.choices == MOST_CHOICES {
            let message = format!("tensors of lists are chosen by one another more than {MOST_CHOICES} deep");
            self.problems.push(Problem::at(position, message).with_help("a name above it may stand for a part"));
            return Operation::Integer(0);
        }
        self.choices += 1;
        let chosen = self.chosen_by_number(tensors, which, position, ask);
        self.choices -= 1;
        chosen
    }

    fn chosen_by_number(
        &mut self,
        tensors: &[usize],
        which: &Expression,
        position: Position,
        ask: &mut dyn FnMut(&mut Self, usize) -> Operation,
    ) -> Operation {
        let node = |operation| Node { operation, position };
        // A number that no tensor has is an item that no list has.
        let nothing = node(Operation::List(Vec::new()));
        let mut chosen = Operation::Index(Box::new(nothing), Box::new(self.expression(which)));
        for (number, &tensor) in tensors.iter().enumerate().rev() {
            let is_own = (syntax::Comparison::Equal, node(Operation::Integer(number as i128)));
            let condition = node(Operation::Comparison(Box::new(self.expression(which)), vec![is_own]));
            let asked = node(ask(self, tensor));
            chosen = Operation::Conditional(Box::new([condition, asked, node(chosen)]));
        }
        chosen
    }

    /// How many tensors of a list are there.
    fn length(&self, tensors: &[usize], position: Position) -> Operation {
        let node = |operation| Node { operation, position };
        let one = |&tensor: &usize| {
            let parts = [
                Operation::OfTensor(OfTensor::IsGiven, tensor, Vec::new()),
                Operation::Integer(1),
                Operation::Integer(0),
            ];
            node(Operation::Conditional(Box::new(parts.map(node))))
        };
        Operation::Builtin(Builtin::Sum, vec![node(Operation::List(tensors.iter().map(one).collect()))])
    }

    /// Takes a name into use, and gives the place of its value.
    fn local(&mut self, name: &Name) -> usize {
        self.refuse_taken(name);
        let slot = self.slots.len();
        self.slots.push(name.text.clone());
        self.locals.push((name.text.clone(), slot));
        slot
    }

    /// A name has one meaning wherever it can be seen.
    fn refuse_taken(&mut self, name: &Name) {
        let text = name.text.as_str();
        let taken = if self.locals.iter().any(|(local, _)| local == text)
            || self.global_names.iter().any(|global| global == text)
            || self.function_names.iter().any(|(function, _)| function == text)
        {
            "has a meaning here already, and keeps it"
        } else if names().any(|builtin| builtin == text) {
            "is a builtin"
        } else if self.names.tensors.iter().any(|(tensor, _)| tensor == text) {
            "is a tensor"
        } else if !self.list(text).is_empty() {
            "is a list of tensors"
        } else if self.given().any(|each| each == text) {
            "is an attribute, or a value of one"
        } else {
            return;
        };
        self.problem(name.position, format!("`{text}` {taken}"));
    }

    fn is_given_below(&self, name: &str) -> bool {
        let gives = |item: &Item| match item {
            Item::Assignment(assignment) => assignment.targets.iter().any(|target| target.text == name),
            Item::Function(_) => false,
        };
        self.items.iter().any(gives)
    }

    /// The names of attributes and of their values.
    fn given(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let attributes = self.names.attributes.iter().map(|(name, _)| name);
        attributes.chain(&self.names.enumerators).map(String::as_str)
    }

    fn near(&self, name: &str) -> String {
        let own = self.locals.iter().map(|(local, _)| local.as_str());
        let functions = self.function_names.iter().map(|(function, _)| function.as_str());
        let tensors = self.names.tensors.iter().map(|(tensor, _)| tensor.as_str());
        let given = self.given();
        let globals = self.global_names.iter().map(String::as_str);
        let mut known: Vec<&str> = own.chain(globals).chain(functions).chain(tensors).chain(given).collect();
        known.extend(names().map(|name| -> &str { name }));
        did_you_mean(name, known)
    }

    fn line(&mut self, lines: &syntax::Lines) -> usize {
        self.lines.push(Line { first: lines.first, last: lines.last, citations: lines.citations.clone() });
        self.lines.len() - 1
    }

    fn problem(&mut self, position: Position, message: String) {
        self.problems.push(Problem::at(position, message));
    }
}

fn begin(statement: &syntax::Statement) -> Position {
    match statement {
        syntax::Statement::Assignment(assignment) => {
            assignment.targets.first().map_or_else(Position::default, |name| name.position)
        }
        syntax::Statement::If { branches, .. } => {
            branches.first().map_or_else(Position::default, |(condition, ..)| condition.position)
        }
        syntax::Statement::Return { position, .. } => *position,
    }
}

/// Whether a block gives a value whatever its conditions say.
fn always_returns(statements: &[syntax::Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        syntax::Statement::Assignment(_) => false,
        syntax::Statement::Return { .. } => true,
        syntax::Statement::If { branches, otherwise } => {
            otherwise.as_deref().is_some_and(always_returns) && branches.iter().all(|(_, _, body)| always_returns(body))
        }
    })
}
