//! Checks that hold for every tensor by itself: counts, sizes, strides, memory.

use opcert_backend::{Role, TensorDescriptor};

use super::overlap::{Overlap, overlap};
use super::subject::{Finding, Subject};
use crate::spec::{Check, Counted};

/// What is wrong by one check, tensor by tensor.
pub(super) fn findings(check: &Check, subject: &Subject<'_>) -> Vec<Finding> {
    let tensors = subject.descriptor.tensors.iter();
    tensors
        .filter_map(|entry| {
            let (part, message) = look(check, subject, &entry.name, entry.role, &entry.tensor)?;
            let mut path = vec!["tensors".to_owned(), entry.name.clone()];
            path.extend(part);
            Some(Finding { message, part: path })
        })
        .collect()
}

fn look(
    check: &Check,
    subject: &Subject<'_>,
    name: &str,
    role: Role,
    tensor: &TensorDescriptor,
) -> Option<(Vec<String>, String)> {
    let part = |key: &str| vec![key.to_owned()];
    match check {
        Check::SizesPositive { tensors } => {
            let asked = tensors.as_ref().is_none_or(|names| names.iter().any(|each| each == name));
            let at = tensor.sizes.iter().position(|&size| size == 0).filter(|_| asked)?;
            let path = vec!["sizes".to_owned(), at.to_string()];
            Some((path, format!("`{name}.sizes[{at}]` is 0, expected at least 1")))
        }
        Check::DimensionCountByLevel { from } => {
            let family = &subject.operator.family;
            // Loading resolves the levels and puts them in their order, beginning with the lowest.
            let below =
                from.0.iter().take_while(|(level, _)| family.level(level).is_some_and(|at| at <= subject.level));
            let (_, range) = below.last()?;
            let count = tensor.dimension_count();
            let level = family.level_name(subject.level);
            let message = || format!("`{name}` has {count} dimensions, and at {level} a tensor has {range}");
            (!range.contains(count)).then(|| (part("sizes"), message()))
        }
        Check::ElementCountAtMost { count, counted } => {
            let message = too_many(tensor, subject.operator.family.granularity, *count, *counted)?;
            Some((part("sizes"), format!("`{name}` {message}, expected at most {count}")))
        }
        Check::TotalSize => {
            let key = if tensor.total_bytes.is_some() { "total_bytes" } else { "strides" };
            match (implied_bytes(tensor, subject.operator.family.granularity), tensor.total_bytes) {
                (None, _) => Some((
                    part(key),
                    format!("`{name}`: the size that its sizes and strides imply does not fit 64 bits"),
                )),
                (Some(implied), Some(stated)) if stated < implied => Some((
                    part(key),
                    format!("`{name}` states {stated} bytes, and its sizes and strides imply {implied}"),
                )),
                _ => None,
            }
        }
        Check::Alignment => {
            let (found, width) = (tensor.alignment, tensor.data_type.bytes() as u64);
            let fits = found == 0 || (found.is_power_of_two() && found >= width);
            let message =
                || format!("`{name}` promises an alignment of {found}, expected 0 or a power of two from {width} on");
            (!fits).then(|| (part("alignment"), message()))
        }
        Check::FlagOnInputsOnly { flag } => {
            let flagged = tensor.flags.contains(flag) && role == Role::Output;
            flagged.then(|| (part("flags"), format!("the output `{name}` has the flag {flag}, which is for inputs")))
        }
        Check::OutputsDoNotOverlap | Check::OutputStridesNest if role == Role::Input => None,
        Check::OutputsDoNotOverlap => {
            let Overlap::Found(message) = overlap(tensor) else { return None };
            Some((part("strides"), format!("the output `{name}` overlaps itself: {message}")))
        }
        Check::OutputStridesNest => {
            let message = unnested(tensor)?;
            Some((part("strides"), format!("the strides of the output `{name}` do not nest: {message}")))
        }
        // Looked at elsewhere. Each is named, so that a new check cannot hold because nobody evaluates it.
        Check::Introduced
        | Check::TensorSupport
        | Check::AttributePresent { .. }
        | Check::TensorsPresent { .. }
        | Check::SameDimensionCount { .. }
        | Check::SameType { .. }
        | Check::DataTypes { .. }
        | Check::DimensionCount { .. }
        | Check::AxisInRange { .. }
        | Check::Distinct { .. }
        | Check::NotEmpty { .. }
        | Check::SizeAtAxis { .. }
        | Check::SizesEqualExceptAxis { .. }
        | Check::SizesReduced { .. }
        | Check::SizeInserted { .. }
        | Check::AllSizesOne { .. }
        | Check::LeadingSizesOne { .. }
        | Check::ElementCountAtLeast { .. }
        | Check::SizeIsElementCount { .. }
        | Check::SizeWithinRank { .. }
        | Check::SizeAtLeast { .. }
        | Check::ConstantAtLeast { .. } => None,
    }
}

/// The least memory of a tensor: what its sizes and strides reach, rounded up to the family's granularity. `None`
/// when that does not fit 64 bits.
pub(crate) fn implied_bytes(tensor: &TensorDescriptor, granularity: u64) -> Option<u64> {
    tensor.span_bytes()?.checked_next_multiple_of(granularity)
}

/// How a tensor has more elements than a number.
fn too_many(tensor: &TensorDescriptor, granularity: u64, most: u64, counted: Counted) -> Option<String> {
    let width = tensor.data_type.bytes() as u64;
    let elements = tensor.element_count();
    let reached = tensor.span_bytes().map(|bytes| bytes / width);
    // Rounding up makes no room for another element.
    let room = tensor.total_bytes.filter(|stated| Some(*stated) > implied_bytes(tensor, granularity));
    let exceeds = |count: Option<u64>| count.is_none_or(|count| count > most);
    let shown = |count: Option<u64>| count.map_or_else(|| "more than 2^64".to_owned(), |count| count.to_string());
    match (counted, exceeds(elements), exceeds(reached)) {
        (Counted::BothWays, true, true) | (Counted::EitherWay, true, _) => {
            Some(format!("has {} elements", shown(elements)))
        }
        (Counted::EitherWay, _, true) => Some(format!("reaches over {} places", shown(reached))),
        (Counted::EitherWay, ..) => {
            let room = room.map(|stated| stated / width).filter(|room| *room > most)?;
            Some(format!("states bytes for {room} elements"))
        }
        (Counted::BothWays, ..) => None,
    }
}

/// Where strides fail to nest: walked from the shortest to the longest, each must step over all that the shorter ones
/// reach.
fn unnested(tensor: &TensorDescriptor) -> Option<String> {
    let strides = tensor.strides.as_ref()?;
    let mut dimensions: Vec<(u64, u64, usize)> = std::iter::zip(strides, &tensor.sizes)
        .enumerate()
        .filter(|(_, (_, size))| **size > 1)
        .map(|(dimension, (&stride, &size))| (stride, size, dimension))
        .collect();
    dimensions.sort_unstable();
    let mut reach = 0u64;
    for (stride, size, dimension) in dimensions {
        if stride <= reach {
            return Some(format!(
                "`strides[{dimension}]` is {stride}, expected more than {reach}, which the shorter strides reach"
            ));
        }
        reach = reach.saturating_add((size - 1).saturating_mul(stride));
    }
    None
}
