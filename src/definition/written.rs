//! An expression as text: on one line, with the brackets that it needs.

use std::fmt::{Display, Formatter, Result};

use super::syntax::{Arithmetic, Clause, Comparison, Expression, Kind};

/// How tightly an expression holds together: one that is looser than its place needs brackets.
const CHOICE: u8 = 0;
const EITHER: u8 = 1;
const BOTH: u8 = 2;
const NEGATION: u8 = 3;
const RELATION: u8 = 4;
const ANY_BIT: u8 = 5;
const ONE_BIT: u8 = 6;
const BOTH_BITS: u8 = 7;
const SHIFT: u8 = 8;
const SUM: u8 = 9;
const PRODUCT: u8 = 10;
const SIGNED: u8 = 11;
const APPLIED: u8 = 12;

impl Display for Expression {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        self.write(CHOICE, formatter)
    }
}

impl Expression {
    const fn holds(&self) -> u8 {
        match &self.kind {
            Kind::Conditional { .. } => CHOICE,
            Kind::Or(..) => EITHER,
            Kind::And(..) => BOTH,
            Kind::Not(_) => NEGATION,
            Kind::Comparison(..) => RELATION,
            Kind::Arithmetic(sign, ..) => sign.holds(),
            Kind::Negative(_) => SIGNED,
            Kind::Integer(value) if *value < 0 => SIGNED,
            _ => APPLIED,
        }
    }

    fn write(&self, least: u8, formatter: &mut Formatter<'_>) -> Result {
        if self.holds() < least {
            write!(formatter, "(")?;
            self.write(CHOICE, formatter)?;
            return write!(formatter, ")");
        }
        let two = |one: &Self, sign: &str, other: &Self, least: u8, formatter: &mut Formatter<'_>| {
            one.write(least, formatter)?;
            write!(formatter, " {sign} ")?;
            other.write(least + 1, formatter)
        };
        match &self.kind {
            Kind::Integer(value) => write!(formatter, "{value}"),
            Kind::Boolean(value) => write!(formatter, "{}", if *value { "True" } else { "False" }),
            Kind::Name(name) => write!(formatter, "{name}"),
            Kind::Text(text) => {
                let quote = if text.contains('"') { '\'' } else { '"' };
                write!(formatter, "{quote}{text}{quote}")
            }
            Kind::List(items) => {
                write!(formatter, "[")?;
                listed(items, formatter)?;
                write!(formatter, "]")
            }
            Kind::Comprehension { body, clauses } => {
                write!(formatter, "[")?;
                comprehended(body, clauses, formatter)?;
                write!(formatter, "]")
            }
            Kind::Not(of) => {
                write!(formatter, "not ")?;
                of.write(NEGATION, formatter)
            }
            Kind::Negative(of) => {
                write!(formatter, "-")?;
                of.write(SIGNED, formatter)
            }
            Kind::And(one, other) => two(one, "and", other, BOTH, formatter),
            Kind::Or(one, other) => two(one, "or", other, EITHER, formatter),
            Kind::Arithmetic(sign, one, other) => two(one, sign.sign(), other, self.holds(), formatter),
            Kind::Comparison(first, others) => {
                first.write(SUM, formatter)?;
                others.iter().try_for_each(|(sign, other)| {
                    write!(formatter, " {} ", sign.sign())?;
                    other.write(SUM, formatter)
                })
            }
            Kind::Conditional { yes, condition, no } => {
                yes.write(EITHER, formatter)?;
                write!(formatter, " if ")?;
                condition.write(EITHER, formatter)?;
                write!(formatter, " else ")?;
                no.write(CHOICE, formatter)
            }
            Kind::Call { function, arguments, key } => {
                write!(formatter, "{}(", function.text)?;
                match arguments.as_slice() {
                    [Self { kind: Kind::Comprehension { body, clauses }, .. }] if key.is_none() => {
                        comprehended(body, clauses, formatter)?;
                    }
                    arguments => listed(arguments, formatter)?,
                }
                if let Some((name, body)) = key {
                    write!(formatter, ", key=lambda {}: {body}", name.text)?;
                }
                write!(formatter, ")")
            }
            Kind::Index(of, at) => {
                of.write(APPLIED, formatter)?;
                write!(formatter, "[{at}]")
            }
            Kind::Slice(of, first, end) => {
                of.write(APPLIED, formatter)?;
                write!(formatter, "[")?;
                first.iter().try_for_each(|first| write!(formatter, "{first}"))?;
                write!(formatter, ":")?;
                end.iter().try_for_each(|end| write!(formatter, "{end}"))?;
                write!(formatter, "]")
            }
        }
    }
}

fn listed(items: &[Expression], formatter: &mut Formatter<'_>) -> Result {
    items.iter().enumerate().try_for_each(|(at, item)| write!(formatter, "{}{item}", if at == 0 { "" } else { ", " }))
}

fn comprehended(body: &Expression, clauses: &[Clause], formatter: &mut Formatter<'_>) -> Result {
    write!(formatter, "{body}")?;
    clauses.iter().try_for_each(|clause| match clause {
        Clause::For { targets, source } => {
            let names = targets.iter().map(|target| target.text.as_str()).collect::<Vec<_>>().join(", ");
            write!(formatter, " for {names} in ")?;
            source.write(EITHER, formatter)
        }
        Clause::If(condition) => {
            write!(formatter, " if ")?;
            condition.write(EITHER, formatter)
        }
    })
}

impl Arithmetic {
    const fn holds(self) -> u8 {
        match self {
            Self::Or => ANY_BIT,
            Self::Xor => ONE_BIT,
            Self::And => BOTH_BITS,
            Self::ShiftLeft | Self::ShiftRight => SHIFT,
            Self::Add | Self::Subtract => SUM,
            Self::Multiply | Self::Divide | Self::Remainder => PRODUCT,
        }
    }

    const fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "//",
            Self::Remainder => "%",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
        }
    }
}

impl Comparison {
    const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::In => "in",
            Self::NotIn => "not in",
        }
    }
}
