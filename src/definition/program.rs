//! A definition as it is evaluated: every name has become a number.

use super::syntax::{Arithmetic, Comparison};
use crate::diagnostic::Position;

/// A global name: its value is worked out when it is first asked for, and kept.
#[derive(Debug)]
pub(super) struct Global {
    pub(super) value: Node,
    pub(super) name: String,
    /// How many places its comprehensions need.
    pub(super) slots: usize,
    /// The line of [`super::Definition`] that gives it its value.
    pub(super) line: usize,
    /// Which of the values it is, where the right side is a list that is taken apart.
    pub(super) part: Option<(usize, usize)>,
}

#[derive(Debug)]
pub(super) struct Function {
    /// The local names, by their slots.
    pub(super) names: Vec<String>,
    pub(super) body: Vec<Statement>,
}

#[derive(Debug)]
pub(super) enum Statement {
    Assign { slots: Vec<usize>, value: Node, line: usize },
    If { branches: Vec<(Node, usize, Vec<Self>)>, otherwise: Vec<Self> },
    Return { value: Node, line: usize },
}

/// An expression, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) operation: Operation,
    pub(super) position: Position,
}

#[derive(Clone, Debug)]
pub(super) enum Operation {
    Integer(i128),
    Boolean(bool),
    /// An enumerator.
    Symbol(usize),
    /// Whether the level asked for is this one or above: a number among [`super::Names::levels`].
    Since(usize),
    /// `undefined` or `unspecified`.
    Open(super::Open),
    Global(usize),
    Local(usize),
    Attribute(usize),
    /// An element of a tensor.
    Element(usize, Box<Node>),
    List(Vec<Node>),
    Comprehension {
        body: Box<Node>,
        clauses: Vec<Clause>,
        /// The local names from outside that it uses.
        free: Vec<usize>,
    },
    Not(Box<Node>),
    Negative(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Arithmetic(Arithmetic, Box<Node>, Box<Node>),
    Comparison(Box<Node>, Vec<(Comparison, Node)>),
    /// Condition, value if it holds, value otherwise.
    Conditional(Box<[Node; 3]>),
    OfTensor(super::builtins::OfTensor, usize, Vec<Node>),
    Builtin(super::builtins::Builtin, Vec<Node>),
    /// A list in the order of a key, which is worked out with an item in the slot.
    SortedBy {
        list: Box<Node>,
        slot: usize,
        key: Box<Node>,
        free: Vec<usize>,
    },
    Call(usize, Vec<Node>),
    /// In altered definitions alone.
    Cast(super::cast::Cast, Box<Node>),
    Index(Box<Node>, Box<Node>),
    Slice(Box<Node>, Option<Box<Node>>, Option<Box<Node>>),
}

#[derive(Clone, Debug)]
pub(super) enum Clause {
    For {
        /// Where the number of the item goes: `for number, item in enumerate(…)`.
        number: Option<usize>,
        targets: Vec<usize>,
        source: Node,
    },
    If(Node),
}

impl Node {
    /// The nodes right below.
    pub(super) fn parts(&self) -> Vec<&Self> {
        match &self.operation {
            Operation::Integer(_)
            | Operation::Boolean(_)
            | Operation::Symbol(_)
            | Operation::Since(_)
            | Operation::Open(_)
            | Operation::Global(_)
            | Operation::Local(_)
            | Operation::Attribute(_) => Vec::new(),
            Operation::Element(_, of) | Operation::Not(of) | Operation::Negative(of) | Operation::Cast(_, of) => {
                vec![of]
            }
            Operation::List(items)
            | Operation::OfTensor(_, _, items)
            | Operation::Builtin(_, items)
            | Operation::Call(_, items) => items.iter().collect(),
            Operation::Comprehension { body, clauses, .. } => {
                std::iter::once(&**body).chain(clauses.iter().map(Clause::part)).collect()
            }
            Operation::And(one, other)
            | Operation::Or(one, other)
            | Operation::Arithmetic(_, one, other)
            | Operation::Index(one, other) => vec![one, other],
            Operation::Comparison(first, others) => {
                std::iter::once(&**first).chain(others.iter().map(|(_, other)| other)).collect()
            }
            Operation::Conditional(parts) => parts.iter().collect(),
            Operation::SortedBy { list, key, .. } => vec![list, key],
            Operation::Slice(of, first, end) => {
                std::iter::once(&**of).chain([first, end].into_iter().flatten().map(|bound| &**bound)).collect()
            }
        }
    }

    /// The nodes right below.
    pub(super) fn parts_mut(&mut self) -> Vec<&mut Self> {
        match &mut self.operation {
            Operation::Integer(_)
            | Operation::Boolean(_)
            | Operation::Symbol(_)
            | Operation::Since(_)
            | Operation::Open(_)
            | Operation::Global(_)
            | Operation::Local(_)
            | Operation::Attribute(_) => Vec::new(),
            Operation::Element(_, of) | Operation::Not(of) | Operation::Negative(of) | Operation::Cast(_, of) => {
                vec![of]
            }
            Operation::List(items)
            | Operation::OfTensor(_, _, items)
            | Operation::Builtin(_, items)
            | Operation::Call(_, items) => items.iter_mut().collect(),
            Operation::Comprehension { body, clauses, .. } => {
                std::iter::once(&mut **body).chain(clauses.iter_mut().map(Clause::part_mut)).collect()
            }
            Operation::And(one, other)
            | Operation::Or(one, other)
            | Operation::Arithmetic(_, one, other)
            | Operation::Index(one, other) => vec![one, other],
            Operation::Comparison(first, others) => {
                std::iter::once(&mut **first).chain(others.iter_mut().map(|(_, other)| other)).collect()
            }
            Operation::Conditional(parts) => parts.iter_mut().collect(),
            Operation::SortedBy { list, key, .. } => vec![list, key],
            Operation::Slice(of, first, end) => {
                std::iter::once(&mut **of).chain([first, end].into_iter().flatten().map(|bound| &mut **bound)).collect()
            }
        }
    }

    /// Adds the levels that are asked about.
    pub(super) fn levels(&self, found: &mut Vec<usize>) {
        if let Operation::Since(level) = self.operation {
            found.push(level);
        }
        self.parts().into_iter().for_each(|part| part.levels(found));
    }

    /// Adds every use of a name that has its value outside of this, in the order of the text.
    pub(super) fn uses<'a>(&'a self, found: &mut Vec<&'a Operation>) {
        if matches!(self.operation, Operation::Global(_) | Operation::Local(_) | Operation::Attribute(_)) {
            found.push(&self.operation);
        }
        let before = found.len();
        self.parts().into_iter().for_each(|part| part.uses(found));
        let inside: Vec<usize> = match &self.operation {
            Operation::Comprehension { clauses, .. } => clauses.iter().flat_map(Clause::names).collect(),
            Operation::SortedBy { slot, .. } => vec![*slot],
            _ => return,
        };
        let outer: Vec<&Operation> = found.drain(before..).collect();
        found.extend(outer.into_iter().filter(|each| !matches!(each, Operation::Local(slot) if inside.contains(slot))));
    }
}

impl Statement {
    /// The expression of a line.
    pub(super) fn line_of(&self, wanted: usize) -> Option<&Node> {
        match self {
            Self::Assign { value, line, .. } | Self::Return { value, line } => (*line == wanted).then_some(value),
            Self::If { branches, otherwise } => branches
                .iter()
                .find_map(|(condition, line, body)| match *line == wanted {
                    true => Some(condition),
                    false => body.iter().find_map(|statement| statement.line_of(wanted)),
                })
                .or_else(|| otherwise.iter().find_map(|statement| statement.line_of(wanted))),
        }
    }

    /// Whether one of its expressions is such.
    pub(super) fn any(&self, such: &impl Fn(&Node) -> bool) -> bool {
        match self {
            Self::Assign { value, .. } | Self::Return { value, .. } => such(value),
            Self::If { branches, otherwise } => {
                let mut branches = branches.iter();
                branches.any(|(condition, _, body)| such(condition) || body.iter().any(|each| each.any(such)))
                    || otherwise.iter().any(|each| each.any(such))
            }
        }
    }

    /// Adds the levels that are asked about.
    pub(super) fn levels(&self, found: &mut Vec<usize>) {
        match self {
            Self::Assign { value, .. } | Self::Return { value, .. } => value.levels(found),
            Self::If { branches, otherwise } => {
                for (condition, _, body) in branches {
                    condition.levels(found);
                    body.iter().for_each(|statement| statement.levels(found));
                }
                otherwise.iter().for_each(|statement| statement.levels(found));
            }
        }
    }
}

impl Clause {
    const fn part(&self) -> &Node {
        match self {
            Self::For { source, .. } => source,
            Self::If(condition) => condition,
        }
    }

    const fn part_mut(&mut self) -> &mut Node {
        match self {
            Self::For { source, .. } => source,
            Self::If(condition) => condition,
        }
    }

    /// The names that it gives a value.
    fn names(&self) -> Vec<usize> {
        match self {
            Self::For { number, targets, .. } => number.iter().chain(targets).copied().collect(),
            Self::If(_) => Vec::new(),
        }
    }
}
