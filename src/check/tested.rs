//! Which valid descriptors put a requirement to the test?
//!
//! A check with a range is put to the test where the descriptor stands at an end of it: there a range that is too narrow
//! by one would refuse it. A check that leaves a valid descriptor no room is met by every one of them in the same way.

use opcert_backend::{Descriptor, Role, TensorDescriptor};

use super::memory::implied_bytes;
use super::subject::Subject;
use crate::element;
use crate::spec::{Check, Operator, Requirement, Tested};

/// Who puts a requirement to the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bearing {
    /// Every valid case, or every one that is dispatched: nothing about this descriptor is special.
    All,
    /// This descriptor, by something that others do not have.
    This,
    /// Not this one.
    Others,
}

impl Bearing {
    fn this_if(special: bool) -> Self {
        if special { Self::This } else { Self::Others }
    }
}

/// Whether a valid descriptor puts a requirement to the test; `None` where neither a check nor `tested` says so, which
/// leaves it to the lines of the definition.
pub(super) fn bearing(
    requirement: &Requirement,
    operator: &Operator,
    descriptor: &Descriptor,
    dispatched: bool,
) -> Option<Bearing> {
    let subject = Subject { operator, descriptor, level: operator.family.highest() };
    let of_check = requirement.check.as_ref().map(|check| of_check(check, &subject).unwrap_or(Bearing::Others));
    of_check.or_else(|| requirement.tested.as_ref().map(|tested| of_key(tested, &subject, dispatched)))
}

/// Whether a valid descriptor puts a requirement to the test by something that others do not have.
#[must_use]
pub fn puts_to_the_test(requirement: &Requirement, operator: &Operator, descriptor: &Descriptor) -> bool {
    bearing(requirement, operator, descriptor, true) == Some(Bearing::This)
}

fn of_key(tested: &Tested, subject: &Subject<'_>, dispatched: bool) -> Bearing {
    let tensors = || subject.descriptor.tensors.iter().map(|entry| &entry.tensor);
    match tested {
        Tested::Accepted if dispatched => Bearing::All,
        Tested::Accepted => Bearing::This,
        Tested::Dispatched if dispatched => Bearing::All,
        Tested::Dispatched => Bearing::Others,
        Tested::StridesGiven => Bearing::this_if(tensors().any(|tensor| tensor.strides.is_some())),
        Tested::DimensionCountsDiffer => Bearing::this_if(dimension_counts_differ(subject)),
        Tested::BytesAtLeast { bytes } => {
            let granularity = subject.operator.family.granularity;
            Bearing::this_if(tensors().any(|tensor| implied_bytes(tensor, granularity) >= Some(*bytes)))
        }
    }
}

/// `None` where a part that the check looks at is not there.
fn of_check(check: &Check, subject: &Subject<'_>) -> Option<Bearing> {
    let entries = || subject.descriptor.tensors.iter();
    let any = |special: fn(&TensorDescriptor) -> bool| Bearing::this_if(entries().any(|entry| special(&entry.tensor)));
    Some(match check {
        // What they ask for is there, or is equal, in every valid descriptor; and each type and each dimension count is a
        // case of its own.
        Check::Introduced
        | Check::TensorSupport
        | Check::AttributePresent { .. }
        | Check::TensorsPresent { .. }
        | Check::SameDimensionCount { .. }
        | Check::SameType { .. }
        | Check::DataTypes { .. }
        | Check::DimensionCount { .. }
        | Check::DimensionCountByLevel { .. }
        | Check::SizeAtAxis { .. }
        | Check::SizesEqualExceptAxis { .. }
        | Check::SizesReduced { .. }
        | Check::SizeInserted { .. }
        | Check::AllSizesOne { .. }
        | Check::LeadingSizesOne { .. }
        | Check::SizeIsElementCount { .. }
        | Check::SizesPositive { .. }
        // From a rank to a dimension count it is a few steps, each of them an end or next to one; and any number of elements
        // from the least one on is meant, none of them plainer than another.
        | Check::SizeWithinRank { .. }
        | Check::ElementCountAtLeast { .. } => Bearing::All,
        Check::AxisInRange { attribute, tensor, inserted, from_end } => {
            let count = subject.tensor(tensor)?.dimension_count() as i64 + i64::from(inserted.unwrap_or(false));
            let least = if from_end.unwrap_or(false) { -count } else { 0 };
            Bearing::this_if(subject.numbers(attribute)?.iter().any(|&axis| axis == least || axis == count - 1))
        }
        Check::Distinct { list } => Bearing::this_if(subject.numbers(list)?.len() > 1),
        Check::NotEmpty { list } => Bearing::this_if(subject.numbers(list)?.len() == 1),
        // Where a rank is no smaller, it is the rank that the size may not be below.
        Check::SizeAtLeast { tensor, dimension, size } => {
            let at_the_end = size_from_end(subject.tensor(tensor)?, *dimension)? == *size;
            let bound = |other: &Check| match other {
                Check::SizeWithinRank { tensor: of_tensor, dimension: at, of } => {
                    (of_tensor, at) == (tensor, dimension)
                        && subject.tensor(of).is_some_and(|of| effective_rank(of) >= *size)
                }
                _ => false,
            };
            let mut checks = subject.operator.all_requirements().filter_map(|requirement| requirement.check.as_ref());
            Bearing::this_if(at_the_end && !checks.any(bound))
        }
        Check::ConstantAtLeast { tensor: name, value } => {
            let found = element::integer(subject.descriptor.constant(name)?, subject.tensor(name)?.data_type)?;
            Bearing::this_if(found == i128::from(*value))
        }
        Check::ElementCountAtMost { count, .. } => {
            let reached =
                |tensor: &TensorDescriptor| Some(tensor.span_bytes()? / tensor.data_type.bytes() as u64);
            let at_the_end = |tensor: &TensorDescriptor| {
                tensor.element_count() == Some(*count) || reached(tensor) == Some(*count)
            };
            Bearing::this_if(entries().any(|entry| at_the_end(&entry.tensor)))
        }
        Check::TotalSize => any(|tensor| tensor.total_bytes.is_some()),
        Check::Alignment => any(|tensor| tensor.alignment != 0),
        Check::FlagOnInputsOnly { flag } => {
            Bearing::this_if(entries().any(|entry| entry.role == Role::Input && entry.tensor.flags.contains(flag)))
        }
        // Along a dimension of size 1 a stride is of no account: a rule that looks at strides alone takes the one of 0 for
        // an overlap, and a short one for strides that do not nest.
        Check::OutputsDoNotOverlap | Check::OutputStridesNest => {
            let idle = |tensor: &TensorDescriptor| {
                let strides = tensor.strides.iter().flatten();
                std::iter::zip(strides, &tensor.sizes).any(|(&stride, &size)| size == 1 && stride == 0)
            };
            Bearing::this_if(entries().any(|entry| entry.role == Role::Output && idle(&entry.tensor)))
        }
    })
}

/// The size of a dimension that is counted from the end.
fn size_from_end(tensor: &TensorDescriptor, dimension: u64) -> Option<u64> {
    let at = tensor.sizes.len().checked_sub(usize::try_from(dimension).ok()?)?;
    tensor.sizes.get(at).copied()
}

/// The dimension count without leading dimensions of size 1.
fn effective_rank(tensor: &TensorDescriptor) -> u64 {
    tensor.sizes.iter().skip_while(|&&size| size == 1).count() as u64
}

/// Whether a tensor has another dimension count than the operator's subject, although the support table lets it have the
/// same one. What the table forces apart is the table's word.
fn dimension_counts_differ(subject: &Subject<'_>) -> bool {
    let Subject { operator, descriptor, level } = subject;
    let Some(count) = subject.tensor(&operator.subject).map(TensorDescriptor::dimension_count) else { return false };
    let row = operator.support_at(*level);
    let may_be_alike = |name: &str| {
        let range = row.and_then(|row| row.tensors.iter().find(|(tensor, ..)| tensor == name));
        range.is_none_or(|(_, range, _)| range.contains(count))
    };
    descriptor.tensors.iter().any(|entry| entry.tensor.dimension_count() != count && may_be_alike(&entry.name))
}
