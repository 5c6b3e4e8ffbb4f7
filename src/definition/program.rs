//! A definition as it is evaluated: every name has become a number.

use super::syntax::{Arithmetic, Comparison};
use crate::diagnostic::Position;

/// A global name: its value is worked out when it is first asked for, and kept.
#[derive(Debug)]
pub(super) struct Global {
    pub(super) value: Node,
    /// How many places its comprehensions need.
    pub(super) slots: usize,
    /// The line of [`super::Definition`] that gives it its value.
    pub(super) line: usize,
    /// Which of the values it is, where the right side is a list that is taken apart.
    pub(super) part: Option<(usize, usize)>,
}

#[derive(Debug)]
pub(super) struct Function {
    pub(super) slots: usize,
    pub(super) body: Vec<Statement>,
}

#[derive(Debug)]
pub(super) enum Statement {
    Assign { slots: Vec<usize>, value: Node, line: usize },
    If { branches: Vec<(Node, usize, Vec<Self>)>, otherwise: Vec<Self> },
    Return { value: Node, line: usize },
}

/// An expression, and where it stands.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) operation: Operation,
    pub(super) position: Position,
}

#[derive(Debug)]
pub(super) enum Operation {
    Integer(i128),
    Boolean(bool),
    /// An enumerator.
    Symbol(usize),
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
    Index(Box<Node>, Box<Node>),
    Slice(Box<Node>, Option<Box<Node>>, Option<Box<Node>>),
}

#[derive(Debug)]
pub(super) enum Clause {
    For {
        /// Where the number of the item goes: `for number, item in enumerate(…)`.
        number: Option<usize>,
        targets: Vec<usize>,
        source: Node,
    },
    If(Node),
}
