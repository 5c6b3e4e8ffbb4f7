//! A definition as it is written: statements and expressions with their places.

use super::tokens::Citation;
use crate::diagnostic::Position;

/// A name, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) position: Position,
}

/// The lines of a statement, or of the head of one, with what is cited behind them.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) citations: Vec<Citation>,
}

/// What stands at the top of a definition.
#[derive(Debug)]
pub(super) enum Item {
    Assignment(Assignment),
    Function(Function),
}

#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) targets: Vec<Name>,
    pub(super) value: Expression,
    pub(super) lines: Lines,
}

#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: Name,
    pub(super) parameters: Vec<Name>,
    pub(super) body: Vec<Statement>,
}

#[derive(Debug)]
pub(super) enum Statement {
    Assignment(Assignment),
    /// Conditions with what is done under them, then what is done otherwise.
    If {
        branches: Vec<(Expression, Lines, Vec<Statement>)>,
        otherwise: Option<Vec<Statement>>,
    },
    Return {
        value: Expression,
        lines: Lines,
        position: Position,
    },
}

#[derive(Debug)]
pub(super) struct Expression {
    pub(super) kind: Kind,
    pub(super) position: Position,
}

#[derive(Debug)]
pub(super) enum Kind {
    Integer(i128),
    Boolean(bool),
    Name(String),
    /// Written in brackets, or with commas alone.
    List(Vec<Expression>),
    /// `[body for … if …]`, or the same in parentheses.
    Comprehension {
        body: Box<Expression>,
        clauses: Vec<Clause>,
    },
    Not(Box<Expression>),
    Negative(Box<Expression>),
    /// Both sides are truth values; the right one is only asked if it matters.
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    Arithmetic(Arithmetic, Box<Expression>, Box<Expression>),
    /// `a < b <= c`: each neighbours' comparison holds.
    Comparison(Box<Expression>, Vec<(Comparison, Expression)>),
    /// `yes if condition else no`.
    Conditional {
        yes: Box<Expression>,
        condition: Box<Expression>,
        no: Box<Expression>,
    },
    Call {
        function: Name,
        arguments: Vec<Expression>,
        /// `key=lambda name: …`.
        key: Option<(Name, Box<Expression>)>,
    },
    Index(Box<Expression>, Box<Expression>),
    Slice(Box<Expression>, Option<Box<Expression>>, Option<Box<Expression>>),
}

#[derive(Debug)]
pub(super) enum Clause {
    For { targets: Vec<Name>, source: Expression },
    If(Expression),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    /// Rounded down, as Python does.
    Divide,
    /// What division leaves, of the sign of the divisor.
    Remainder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    NotIn,
}
