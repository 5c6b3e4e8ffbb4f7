//! Which valid descriptors put a requirement to the test?
//!
//! A check with a range is put to the test where the descriptor stands at an end of it: there a range that is too narrow
//! by one would refuse it. A check that leaves a valid descriptor no room is met by every one of them in the same way.

use opcert_backend::{Descriptor, TensorDescriptor};

use crate::kind::{Bearing, Subject, implied_bytes};
use crate::spec::{Operator, Requirement, Tested};

/// Whether a valid descriptor puts a requirement to the test; `None` where neither a check nor `tested` says so, which
/// leaves it to the lines of the definition.
pub(super) fn bearing(
    requirement: &Requirement,
    operator: &Operator,
    descriptor: &Descriptor,
    dispatched: bool,
) -> Option<Bearing> {
    let subject = Subject::new(operator, descriptor, operator.family.highest());
    let of_check = requirement.check.as_ref().map(|check| check.kind().bearing(&subject).unwrap_or(Bearing::Others));
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
        Tested::LeftOut(left_out) => Bearing::this_if(subject.descriptor.attribute(&left_out.attribute).is_none()),
        Tested::BytesAtLeast(bytes_at_least) => {
            let granularity = subject.operator.family.granularity;
            Bearing::this_if(tensors().any(|tensor| implied_bytes(tensor, granularity) >= Some(bytes_at_least.bytes)))
        }
    }
}

/// Whether a tensor has another dimension count than the operator's subject, or than the nearest one that the support table
/// lets it have: so far apart the table forces them.
fn dimension_counts_differ(subject: &Subject<'_>) -> bool {
    let Subject { operator, descriptor, level, .. } = subject;
    let Some(count) = subject.tensor(&operator.subject).map(TensorDescriptor::dimension_count) else { return false };
    let row = operator.support_at(*level);
    let nearest = |name: &str| {
        let range = row.and_then(|row| row.tensors.iter().find(|(tensor, ..)| tensor == name));
        range.map_or(count, |(_, range, _)| range.nearest(count))
    };
    descriptor.tensors.iter().any(|entry| entry.tensor.dimension_count() != nearest(&entry.name))
}
