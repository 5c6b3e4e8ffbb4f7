//! Memory: its size, its alignment, flags, and strides of outputs.

use opcert_backend::{NamedTensor, Role, TensorDescriptor};

use super::edit::Edit;
use super::overlap::{Overlap, overlap};
use super::solution::{Known, Solution};
use super::subject::{Finding, Subject};
use super::violations::Violations;
use super::{Bearing, Kind, Misreadings, Names, OfFamily};
use crate::spec::Operator;
use crate::spec::check::FlagOnInputsOnly;

pub(super) struct TotalSize;
pub(super) struct Alignment;
pub(super) struct OutputsDoNotOverlap;
pub(super) struct OutputStridesNest;

impl Kind for TotalSize {
    fn names(&self) -> Names<'_> {
        Names::default()
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        Some(of_tensors(subject, |name, tensor| {
            let key = if tensor.total_bytes.is_some() { "total_bytes" } else { "strides" };
            match (implied_bytes(tensor, subject.operator.family.granularity), tensor.total_bytes) {
                (None, _) => {
                    Some((key, format!("`{name}`: the size that its sizes and strides imply does not fit 64 bits")))
                }
                (Some(implied), Some(stated)) if stated < implied => {
                    Some((key, format!("`{name}` states {stated} bytes, and its sizes and strides imply {implied}")))
                }
                _ => None,
            }
        }))
    }

    fn bearing(&self, subject: &Subject<'_>) -> Option<Bearing> {
        Some(this_if_any(subject, |entry| entry.tensor.total_bytes.is_some()))
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.all_tensors(&[
            ("with_4_bytes_fewer", "states four bytes fewer than it takes", |tensor| {
                tensor.total_bytes = Some(implied(tensor) - 4);
            }),
            ("with_1_byte_fewer", "states one byte fewer than it takes, which is no multiple of 4 either", |tensor| {
                tensor.total_bytes = Some(implied(tensor) - 1);
            }),
            ("with_no_bytes", "states no bytes at all", |tensor| tensor.total_bytes = Some(0)),
            ("with_gaps_forgotten", "has gaps between its elements, and states bytes without them", |tensor| {
                // Of one element no stride matters.
                if tensor.sizes.iter().any(|&size| size != 1) {
                    tensor.total_bytes = Some(implied(tensor));
                    tensor.strides = Some(packed(tensor).iter().map(|stride| stride * 9).collect());
                }
            }),
        ])
    }

    fn solution(&self, _: &Known<'_>) -> Option<Solution> {
        Some(Solution::Drawn)
    }

    fn misreadings<'c>(&'c self, operator: &'c Operator) -> Misreadings<'c> {
        Misreadings::each_of(operator)
    }
}

impl Kind for Alignment {
    fn names(&self) -> Names<'_> {
        Names::default()
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        Some(of_tensors(subject, |name, tensor| {
            let (found, width) = (tensor.alignment, tensor.data_type.bytes() as u64);
            let fits = found == 0 || (found.is_power_of_two() && found >= width);
            let message =
                || format!("`{name}` promises an alignment of {found}, expected 0 or a power of two from {width} on");
            (!fits).then(|| ("alignment", message()))
        }))
    }

    fn bearing(&self, subject: &Subject<'_>) -> Option<Bearing> {
        Some(this_if_any(subject, |entry| entry.tensor.alignment != 0))
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.all_tensors(&[
            ("aligned_to_3", "promises an alignment of 3 bytes", |tensor| tensor.alignment = 3),
            ("aligned_to_24", "promises an alignment of 24 bytes, which is no power of two", |tensor| {
                tensor.alignment = 24;
            }),
            ("aligned_to_half", "promises an alignment below the size of an element", |tensor| {
                tensor.alignment = if tensor.data_type.bytes() == 1 { 5 } else { tensor.data_type.bytes() as u64 / 2 };
            }),
        ])
    }

    fn solution(&self, _: &Known<'_>) -> Option<Solution> {
        Some(Solution::Drawn)
    }

    fn misreadings<'c>(&'c self, operator: &'c Operator) -> Misreadings<'c> {
        Misreadings::each_of(operator)
    }
}

impl Kind for FlagOnInputsOnly {
    fn names(&self) -> Names<'_> {
        Names::default().and_of_family(OfFamily::Flag("flag", &self.flag))
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let flag = &self.flag;
        Some(of_outputs(subject, |name, tensor| {
            let message = || format!("the output `{name}` has the flag {flag}, which is for inputs");
            tensor.flags.contains(flag).then(|| ("flags", message()))
        }))
    }

    fn bearing(&self, subject: &Subject<'_>) -> Option<Bearing> {
        let is_flagged = |entry: &NamedTensor| entry.role == Role::Input && entry.tensor.flags.contains(&self.flag);
        Some(this_if_any(subject, is_flagged))
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.flagged(&self.flag)
    }

    fn solution(&self, _: &Known<'_>) -> Option<Solution> {
        Some(Solution::Drawn)
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}

impl Kind for OutputsDoNotOverlap {
    fn names(&self) -> Names<'_> {
        Names::default()
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        Some(of_outputs(subject, |name, tensor| {
            let Overlap::Found(message) = overlap(tensor) else { return None };
            Some(("strides", format!("the output `{name}` overlaps itself: {message}")))
        }))
    }

    fn bearing(&self, subject: &Subject<'_>) -> Option<Bearing> {
        Some(this_if_any(subject, has_idle_stride))
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.overlapping()
    }

    fn solution(&self, _: &Known<'_>) -> Option<Solution> {
        Some(Solution::Drawn)
    }

    fn misreadings<'c>(&'c self, operator: &'c Operator) -> Misreadings<'c> {
        Misreadings::each(outputs(operator))
    }
}

impl Kind for OutputStridesNest {
    fn names(&self) -> Names<'_> {
        Names::default()
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        Some(of_outputs(subject, |name, tensor| {
            let message = unnested(tensor)?;
            Some(("strides", format!("the strides of the output `{name}` do not nest: {message}")))
        }))
    }

    fn bearing(&self, subject: &Subject<'_>) -> Option<Bearing> {
        Some(this_if_any(subject, has_idle_stride))
    }

    /// The documents leave open what holds then.
    fn violations(&self, _: &Violations<'_>) -> Vec<Edit> {
        Vec::new()
    }

    fn solution(&self, _: &Known<'_>) -> Option<Solution> {
        Some(Solution::Drawn)
    }

    fn misreadings<'c>(&'c self, operator: &'c Operator) -> Misreadings<'c> {
        Misreadings::each(outputs(operator))
    }
}

/// Asks each tensor by itself; an answer is the key of the part and the message.
fn of_tensors(
    subject: &Subject<'_>,
    ask: impl Fn(&str, &TensorDescriptor) -> Option<(&'static str, String)>,
) -> Vec<Finding> {
    asked(subject, |_| true, ask)
}

fn of_outputs(
    subject: &Subject<'_>,
    ask: impl Fn(&str, &TensorDescriptor) -> Option<(&'static str, String)>,
) -> Vec<Finding> {
    asked(subject, |entry| entry.role == Role::Output, ask)
}

fn asked(
    subject: &Subject<'_>,
    of: impl Fn(&NamedTensor) -> bool,
    ask: impl Fn(&str, &TensorDescriptor) -> Option<(&'static str, String)>,
) -> Vec<Finding> {
    let entries = subject.descriptor.tensors.iter().filter(|entry| of(entry));
    let found = entries.filter_map(|entry| Some((&entry.name, ask(&entry.name, &entry.tensor)?)));
    found.map(|(name, (key, message))| Finding::new(&["tensors", name, key], message)).collect()
}

fn this_if_any(subject: &Subject<'_>, special: impl Fn(&NamedTensor) -> bool) -> Bearing {
    Bearing::this_if(subject.descriptor.tensors.iter().any(special))
}

/// Along a dimension of size 1 a stride is of no account: a rule that looks at strides alone takes the one of 0 for an overlap,
/// and a short one for strides that do not nest.
fn has_idle_stride(entry: &NamedTensor) -> bool {
    let strides = entry.tensor.strides.iter().flatten();
    let is_idle = |(&stride, &size): (&u64, &u64)| size == 1 && stride == 0;
    entry.role == Role::Output && std::iter::zip(strides, &entry.tensor.sizes).any(is_idle)
}

fn outputs(operator: &Operator) -> impl Iterator<Item = &String> {
    operator.tensors.iter().filter(|each| each.role == Role::Output).map(|each| &each.name)
}

/// The least memory of a tensor: what its sizes and strides reach, rounded up to the family's granularity. `None`
/// when that does not fit 64 bits.
pub(crate) fn implied_bytes(tensor: &TensorDescriptor, granularity: u64) -> Option<u64> {
    tensor.span_bytes()?.checked_next_multiple_of(granularity)
}

/// The bytes that a packed tensor takes, in whole groups of four.
fn implied(tensor: &TensorDescriptor) -> u64 {
    tensor.span_bytes().unwrap_or(0).next_multiple_of(4)
}

fn packed(tensor: &TensorDescriptor) -> Vec<u64> {
    tensor.packed_strides().unwrap_or_default()
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
