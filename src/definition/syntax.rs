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
#[derive(Clone, Debug)]
pub(super) enum Item {
    Assignment(Assignment),
    Function(Function),
}

#[derive(Clone, Debug)]
pub(super) struct Assignment {
    pub(super) targets: Vec<Name>,
    pub(super) value: Expression,
    pub(super) lines: Lines,
}

#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: Name,
    pub(super) parameters: Vec<Name>,
    pub(super) body: Vec<Statement>,
}

#[derive(Clone, Debug)]
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

#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) kind: Kind,
    pub(super) position: Position,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Integer(i128),
    Boolean(bool),
    Name(String),
    /// A text in quotes.
    Text(String),
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

#[derive(Clone, Debug)]
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
    /// Of the bits of two's complement, as far to the left as need be.
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
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

impl Item {
    /// Adds the expression of each line, in the order of [`super::Definition::lines`].
    pub(super) fn expressions<'a>(&'a self, found: &mut Vec<(Place, &'a Expression)>) {
        match self {
            Self::Assignment(assignment) => found.push((Place::Value, &assignment.value)),
            Self::Function(function) => function.body.iter().for_each(|each| each.expressions(found)),
        }
    }

    /// The same, to be altered.
    pub(super) fn expressions_mut<'a>(&'a mut self, found: &mut Vec<&'a mut Expression>) {
        match self {
            Self::Assignment(assignment) => found.push(&mut assignment.value),
            Self::Function(function) => function.body.iter_mut().for_each(|each| each.expressions_mut(found)),
        }
    }
}

/// What the expression of a line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It gives a name its value.
    Value,
    /// It is the condition of a branch.
    Condition,
    /// It is what a function returns.
    Return,
}

impl Statement {
    fn expressions<'a>(&'a self, found: &mut Vec<(Place, &'a Expression)>) {
        match self {
            Self::Assignment(assignment) => found.push((Place::Value, &assignment.value)),
            Self::Return { value, .. } => found.push((Place::Return, value)),
            Self::If { branches, otherwise } => {
                for (condition, _, body) in branches {
                    found.push((Place::Condition, condition));
                    body.iter().for_each(|each| each.expressions(found));
                }
                otherwise.iter().flatten().for_each(|each| each.expressions(found));
            }
        }
    }

    fn expressions_mut<'a>(&'a mut self, found: &mut Vec<&'a mut Expression>) {
        match self {
            Self::Assignment(assignment) => found.push(&mut assignment.value),
            Self::Return { value, .. } => found.push(value),
            Self::If { branches, otherwise } => {
                for (condition, _, body) in branches {
                    found.push(condition);
                    body.iter_mut().for_each(|each| each.expressions_mut(found));
                }
                otherwise.iter_mut().flatten().for_each(|each| each.expressions_mut(found));
            }
        }
    }
}

impl Expression {
    /// The expressions right below, in the order of the text but for a comprehension's body, which comes last.
    pub(super) fn parts(&self) -> Vec<&Self> {
        match &self.kind {
            Kind::Integer(_) | Kind::Boolean(_) | Kind::Name(_) | Kind::Text(_) => Vec::new(),
            Kind::List(items) => items.iter().collect(),
            Kind::Comprehension { body, clauses } => {
                let sources = clauses.iter().map(|clause| match clause {
                    Clause::For { source, .. } => source,
                    Clause::If(condition) => condition,
                });
                sources.chain([&**body]).collect()
            }
            Kind::Not(of) | Kind::Negative(of) => vec![of],
            Kind::And(one, other)
            | Kind::Or(one, other)
            | Kind::Arithmetic(_, one, other)
            | Kind::Index(one, other) => {
                vec![one, other]
            }
            Kind::Comparison(first, others) => {
                std::iter::once(&**first).chain(others.iter().map(|(_, other)| other)).collect()
            }
            Kind::Conditional { yes, condition, no } => vec![yes, condition, no],
            Kind::Call { arguments, key, .. } => arguments.iter().chain(key.iter().map(|(_, body)| &**body)).collect(),
            Kind::Slice(of, first, end) => {
                std::iter::once(&**of).chain([first, end].into_iter().flatten().map(|bound| &**bound)).collect()
            }
        }
    }

    /// The same, to be altered.
    pub(super) fn parts_mut(&mut self) -> Vec<&mut Self> {
        match &mut self.kind {
            Kind::Integer(_) | Kind::Boolean(_) | Kind::Name(_) | Kind::Text(_) => Vec::new(),
            Kind::List(items) => items.iter_mut().collect(),
            Kind::Comprehension { body, clauses } => {
                let sources = clauses.iter_mut().map(|clause| match clause {
                    Clause::For { source, .. } => source,
                    Clause::If(condition) => condition,
                });
                sources.chain([&mut **body]).collect()
            }
            Kind::Not(of) | Kind::Negative(of) => vec![of],
            Kind::And(one, other)
            | Kind::Or(one, other)
            | Kind::Arithmetic(_, one, other)
            | Kind::Index(one, other) => {
                vec![one, other]
            }
            Kind::Comparison(first, others) => {
                std::iter::once(&mut **first).chain(others.iter_mut().map(|(_, other)| other)).collect()
            }
            Kind::Conditional { yes, condition, no } => vec![yes, condition, no],
            Kind::Call { arguments, key, .. } => {
                arguments.iter_mut().chain(key.iter_mut().map(|(_, body)| &mut **body)).collect()
            }
            Kind::Slice(of, first, end) => {
                std::iter::once(&mut **of).chain([first, end].into_iter().flatten().map(|bound| &mut **bound)).collect()
            }
        }
    }
}
