//! The kinds of checks, each in one place: how it is evaluated and explains itself, which descriptors put it to the test, how
//! it is violated, how a descriptor is drawn of which it holds, and how it may be misread.
//!
//! A new kind is a variant in `spec/check.rs`; nothing compiles before all of this is said of it here.

mod axes;
mod counts;
mod dimensions;
mod edit;
mod lists;
mod memory;
mod overlap;
mod presence;
mod sizes;
mod solution;
mod subject;
mod types;
mod violations;

use opcert_backend::{AttributeValue, TensorDescriptor};

pub(crate) use edit::Edit;
pub(crate) use memory::implied_bytes;
pub(crate) use overlap::{Overlap, overlap};
pub(crate) use solution::{Drawing, Known, MOST_DIMENSIONS, Sizes, Solution, Solved, Turn};
pub(crate) use subject::{Finding, Subject};
pub(crate) use violations::Violations;

use crate::spec::check::{Names, OfFamily};
use crate::spec::{Check, Operator};

/// What there is to know of a kind of check. No part has a default: what nobody evaluates, violates or solves would hold.
pub(crate) trait Kind {
    /// What it names of an operator and of a family.
    fn names(&self) -> Names<'_>;

    /// What is wrong with a descriptor. `None` where a part is missing: that is for other checks to say.
    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>>;

    /// Whether a valid descriptor puts it to the test. `None` where a part is missing.
    fn bearing(&self, subject: &Subject<'_>) -> Option<Bearing>;

    /// The ways to violate it, starting from a valid case; what cannot be violated there is left out.
    fn violations(&self, of: &Violations<'_>) -> Vec<Edit>;

    /// How descriptors are drawn of which it holds. `None` where it names what is not there.
    fn solution(&self, known: &Known<'_>) -> Option<Solution>;

    /// What a backend may check instead.
    fn misreadings<'c>(&'c self, operator: &'c Operator) -> Misreadings<'c>;
}

/// Who puts a requirement to the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bearing {
    /// Every valid case, or every one that is dispatched: nothing about this descriptor is special.
    All,
    /// This descriptor, by something that others do not have.
    This,
    /// Not this one.
    Others,
}

impl Bearing {
    pub(crate) fn this_if(special: bool) -> Self {
        if special { Self::This } else { Self::Others }
    }
}

/// What a backend may check instead of a check.
#[derive(Debug, Default)]
pub(crate) struct Misreadings<'c> {
    /// The tensors each of which may be forgotten.
    pub(crate) forgotten: Vec<&'c String>,
    /// Checks that accept more: the end of a name, what is accepted besides, and the check.
    pub(crate) looser: Vec<(String, String, Check)>,
    /// A check that refuses what is valid, by one: what it asks for, and the check.
    pub(crate) tighter: Option<(String, Check)>,
}

impl<'c> Misreadings<'c> {
    fn each(tensors: impl IntoIterator<Item = &'c String>) -> Self {
        let forgotten: Vec<&String> = tensors.into_iter().collect();
        // Where there is one alone, nothing is left to check.
        Self { forgotten: if forgotten.len() > 1 { forgotten } else { Vec::new() }, ..Self::default() }
    }

    fn each_of(operator: &'c Operator) -> Self {
        Self::each(operator.tensors.iter().map(|tensor| &tensor.name))
    }

    fn looser(mut self, end: &str, said: impl Into<String>, check: Check) -> Self {
        self.looser.push((end.to_owned(), said.into(), check));
        self
    }

    /// The same with another number, which accepts one more.
    fn loosened(self, number: impl std::fmt::Display, check: Check) -> Self {
        self.looser("loosened", format!("{number} will do"), check)
    }

    fn tightened(self, number: impl std::fmt::Display, check: Check) -> Self {
        Self { tighter: Some((format!("{number} is asked for"), check)), ..self }
    }
}

fn only_if(broken: bool, finding: impl FnOnce() -> Finding) -> Vec<Finding> {
    if broken { vec![finding()] } else { Vec::new() }
}

/// Asks each tensor by itself; an answer is the part of the tensor and the message.
fn each<'a>(
    names: &[String],
    subject: &Subject<'_>,
    ask: impl Fn(&str, &TensorDescriptor) -> Option<(Vec<&'a str>, String)>,
) -> Vec<Finding> {
    let present = names.iter().filter_map(|name| Some((name, subject.tensor(name)?)));
    present
        .filter_map(|(name, tensor)| {
            let (part, message) = ask(name, tensor)?;
            Some(Finding::new(&[&["tensors", name.as_str()], part.as_slice()].concat(), message))
        })
        .collect()
}

/// Compares each tensor with the first one.
fn same<T: PartialEq>(
    names: &[String],
    subject: &Subject<'_>,
    part: &str,
    of: impl Fn(&TensorDescriptor) -> T,
    say: impl Fn(&T) -> String,
) -> Vec<Finding> {
    let mut present = names.iter().filter_map(|name| Some((name, of(subject.tensor(name)?))));
    let Some((first, expected)) = present.next() else { return Vec::new() };
    present
        .filter(|(_, found)| *found != expected)
        .map(|(name, found)| {
            let message = format!("`{name}` has {}, and `{first}` has {}", say(&found), say(&expected));
            Finding::new(&["tensors", name, part], message)
        })
        .collect()
}

/// The dimension that an axis names among so many: counted from the end where it is negative.
pub(crate) fn dimension_of(axis: i64, count: usize) -> Option<usize> {
    usize::try_from(if axis < 0 { axis.checked_add_unsigned(count as u64)? } else { axis }).ok()
}

/// The place and the size of a dimension that is counted from the end.
fn size_from_end(tensor: &TensorDescriptor, dimension: u64) -> Option<(usize, u64)> {
    let at = tensor.sizes.len().checked_sub(usize::try_from(dimension).ok()?)?;
    Some((at, *tensor.sizes.get(at)?))
}

/// The dimension that an attribute names among so many.
fn axis_of(value: &AttributeValue, count: usize) -> Option<usize> {
    let AttributeValue::Integer(axis) = value else { return None };
    dimension_of(*axis, count).filter(|axis| *axis < count)
}

/// The dimensions that an attribute names.
pub(crate) fn axes_of(value: &AttributeValue) -> &[i64] {
    match value {
        AttributeValue::Integers(axes) => axes,
        AttributeValue::Integer(axis) => std::slice::from_ref(axis),
        AttributeValue::Enumerator(_)
        | AttributeValue::Boolean(_)
        | AttributeValue::String(_)
        | AttributeValue::Float32(_)
        | AttributeValue::Scalar(_) => &[],
    }
}

impl Check {
    /// What there is to know of its kind.
    pub(crate) fn kind(&self) -> &dyn Kind {
        match self {
            Self::Introduced => &presence::Introduced,
            Self::TensorSupport => &presence::TensorSupport,
            Self::AttributePresent(check) => check,
            Self::AttributeAbsent(check) => check,
            Self::TensorsPresent(check) => check,
            Self::SameDimensionCount(check) => check,
            Self::SameType(check) => check,
            Self::DataTypes(check) => check,
            Self::DimensionCount(check) => check,
            Self::AxisInRange(check) => check,
            Self::DimensionsCounted(check) => check,
            Self::OneOf(check) => check,
            Self::TypeNamed(check) => check,
            Self::OnePerDimension(check) => check,
            Self::NumbersAtLeast(check) => check,
            Self::NumbersNotZero(check) => check,
            Self::Distinct(check) => check,
            Self::NotEmpty(check) => check,
            Self::SizeAtAxis(check) => check,
            Self::SameSizes(check) => check,
            Self::SizesEqualExceptAxis(check) => check,
            Self::SizesReduced(check) => check,
            Self::SizeInserted(check) => check,
            Self::AllSizesOne(check) => check,
            Self::LeadingSizesOne(check) => check,
            Self::SizesDefined(check) => check,
            Self::ElementCountAtLeast(check) => check,
            Self::ElementCount(check) => check,
            Self::SizeIsElementCount(check) => check,
            Self::SizeWithinRank(check) => check,
            Self::SizeAtLeast(check) => check,
            Self::ConstantAtLeast(check) => check,
            Self::SizesPositive(check) => check,
            Self::SizesAtMost(check) => check,
            Self::DimensionCountByLevel(check) => check,
            Self::ElementCountAtMost(check) => check,
            Self::TotalSize => &memory::TotalSize,
            Self::Alignment => &memory::Alignment,
            Self::FlagOnInputsOnly(check) => check,
            Self::OutputsDoNotOverlap => &memory::OutputsDoNotOverlap,
            Self::OutputStridesNest => &memory::OutputStridesNest,
        }
    }
}
