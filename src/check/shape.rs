//! Checks of dimension counts, data types, sizes and attributes.

use opcert_backend::TensorDescriptor;

use super::subject::{Finding, Subject};
use crate::element;
use crate::render::counted;
use crate::spec::Check;

/// What is wrong by one check. Parts that the descriptor lacks are for other checks to miss.
pub(super) fn findings(check: &Check, subject: &Subject<'_>) -> Vec<Finding> {
    look(check, subject).unwrap_or_default()
}

fn look(check: &Check, subject: &Subject<'_>) -> Option<Vec<Finding>> {
    Some(match check {
        Check::SameDimensionCount { tensors } => {
            let of = |tensor: &TensorDescriptor| tensor.dimension_count();
            same(tensors, subject, "sizes", of, |count| counted(*count, "dimension"))
        }
        Check::SameType { tensors } => {
            let spelling = |tensor: &TensorDescriptor| subject.operator.family.spelling(tensor.data_type).to_owned();
            same(tensors, subject, "type", spelling, |name| format!("type {name}"))
        }
        Check::DataTypes { tensors, types } => each(tensors, subject, |name, tensor| {
            let found = subject.operator.family.spelling(tensor.data_type);
            let fits = types.iter().any(|each| each == found);
            (!fits).then(|| (vec!["type"], format!("`{name}` is {found}, expected {}", types.join(" or "))))
        }),
        Check::DimensionCount { tensors, count } => each(tensors, subject, |name, tensor| {
            let found = tensor.dimension_count();
            let fits = found as u64 == *count;
            (!fits).then(|| (vec!["sizes"], format!("`{name}` has {}, expected {count}", counted(found, "dimension"))))
        }),
        Check::AxisInRange { attribute, tensor, inserted, from_end } => {
            let count = subject.tensor(tensor)?.dimension_count() as i64 + i64::from(inserted.unwrap_or(false));
            axis_in_range(attribute, subject, tensor, count, from_end.unwrap_or(false))?
        }
        Check::Distinct { list } => {
            let numbers = subject.numbers(list)?;
            let again = numbers.iter().enumerate().find(|(index, number)| numbers[..*index].contains(number));
            again.map_or_else(Vec::new, |(index, number)| {
                let message = format!("`{list}` has {number} twice");
                vec![Finding::new(&["attributes", list, &index.to_string()], message)]
            })
        }
        Check::NotEmpty { list } => {
            let message = || format!("`{list}` is empty");
            only_if(subject.numbers(list)?.is_empty(), || Finding::new(&["attributes", list], message()))
        }
        Check::SizeAtAxis { tensor: name, axis, size } => {
            let sizes = &subject.tensor(name)?.sizes;
            let axis = dimension_of(subject.descriptor.integer(axis)?, sizes.len())?;
            let found = *sizes.get(axis)?;
            let message =
                || format!("`{name}.sizes[{axis}]` is {found}, expected {size}: dimension {axis} is the axis");
            only_if(found != *size, || Finding::new(&["tensors", name, "sizes", &axis.to_string()], message()))
        }
        Check::SizesEqualExceptAxis { tensor, other, axis } => {
            let (sizes, others) = (&subject.tensor(tensor)?.sizes, &subject.tensor(other)?.sizes);
            let axis = dimension_of(subject.descriptor.integer(axis)?, sizes.len())?;
            compare_sizes(other, others, sizes, |dimension| {
                (dimension != axis).then(|| format!("`{tensor}.sizes[{dimension}]` is"))
            })
        }
        Check::SizesReduced { input, output, axes } => {
            let axes = subject.numbers(axes)?;
            let sizes = &subject.tensor(input)?.sizes;
            let reduced = |dimension| axes.iter().any(|&axis| dimension_of(axis, sizes.len()) == Some(dimension));
            let expected: Vec<u64> =
                sizes.iter().enumerate().map(|(at, &size)| if reduced(at) { 1 } else { size }).collect();
            compare_sizes(output, &subject.tensor(output)?.sizes, &expected, |dimension| {
                Some(if reduced(dimension) {
                    format!("dimension {dimension} is reduced:")
                } else {
                    format!("`{input}.sizes[{dimension}]` is")
                })
            })
        }
        Check::SizeInserted { input, output, axis, size } => {
            let depth = element::integer(subject.descriptor.constant(size)?, subject.tensor(size)?.data_type)?;
            let axis = subject.descriptor.integer(axis)?;
            size_inserted(
                (input, &subject.tensor(input)?.sizes),
                (output, subject.tensor(output)?),
                axis,
                (size, depth),
            )
        }
        Check::AllSizesOne { tensor: name } => sizes_one(name, &subject.tensor(name)?.sizes, 0),
        Check::LeadingSizesOne { tensor: name, free } => sizes_one(name, &subject.tensor(name)?.sizes, *free as usize),
        Check::ElementCountAtLeast { tensor: name, count } => {
            let found = subject.tensor(name)?.element_count()?;
            let message = || format!("`{name}` has {}, expected at least {count}", counted(found as usize, "element"));
            only_if(found < *count, || Finding::new(&["tensors", name, "sizes"], message()))
        }
        Check::SizeIsElementCount { tensor, dimension, of } => {
            let (at, found) = size_from_end(subject.tensor(tensor)?, *dimension)?;
            let expected = subject.tensor(of)?.element_count();
            let message = || {
                let shown = expected.map_or_else(|| "more than 2^64".to_owned(), |expected| expected.to_string());
                format!("`{tensor}.sizes[{at}]` is {found}, expected {shown}: the elements of `{of}`")
            };
            only_if(Some(found) != expected, || Finding::new(&["tensors", tensor, "sizes", &at.to_string()], message()))
        }
        Check::SizeWithinRank { tensor, dimension, of } => {
            let (at, found) = size_from_end(subject.tensor(tensor)?, *dimension)?;
            let sizes = &subject.tensor(of)?.sizes;
            let rank = sizes.iter().skip_while(|&&size| size == 1).count() as u64;
            let count = sizes.len() as u64;
            let message = || {
                format!(
                    "`{tensor}.sizes[{at}]` is {found}, expected {rank} to {count}: effective rank and dimension count of `{of}`"
                )
            };
            only_if(found < rank || found > count, || {
                Finding::new(&["tensors", tensor, "sizes", &at.to_string()], message())
            })
        }
        Check::SizeAtLeast { tensor, dimension, size } => {
            let (at, found) = size_from_end(subject.tensor(tensor)?, *dimension)?;
            let message = || format!("`{tensor}.sizes[{at}]` is {found}, expected at least {size}");
            only_if(found < *size, || Finding::new(&["tensors", tensor, "sizes", &at.to_string()], message()))
        }
        Check::ConstantAtLeast { tensor: name, value } => {
            let found = element::integer(subject.descriptor.constant(name)?, subject.tensor(name)?.data_type)?;
            let message = || format!("`{name}` is {found}, expected at least {value}");
            only_if(found < i128::from(*value), || Finding::new(&["tensors", name, "data"], message()))
        }
        // Looked at elsewhere. Each is named, so that a new check cannot hold because nobody evaluates it.
        Check::Introduced
        | Check::TensorSupport
        | Check::AttributePresent { .. }
        | Check::TensorsPresent { .. }
        | Check::SizesPositive { .. }
        | Check::DimensionCountByLevel { .. }
        | Check::ElementCountAtMost { .. }
        | Check::TotalSize
        | Check::Alignment
        | Check::FlagOnInputsOnly { .. }
        | Check::OutputsDoNotOverlap
        | Check::OutputStridesNest => return None,
    })
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

fn axis_in_range(
    attribute: &str,
    subject: &Subject<'_>,
    tensor: &str,
    count: i64,
    from_end: bool,
) -> Option<Vec<Finding>> {
    let least = if from_end { -count } else { 0 };
    let listed = subject.descriptor.integers(attribute).is_some();
    let numbers = subject.numbers(attribute)?;
    let outside = numbers.iter().enumerate().filter(|(_, axis)| !(least..count).contains(axis));
    Some(
        outside
            .map(|(index, axis)| {
                let (at, step) =
                    if listed { (format!("[{index}]"), index.to_string()) } else { (String::new(), String::new()) };
                let message = format!(
                    "`{attribute}{at}` is {axis}, expected {least} to {}: the dimensions of `{tensor}`",
                    count - 1
                );
                let part = if listed { vec!["attributes", attribute, &step] } else { vec!["attributes", attribute] };
                Finding::new(&part, message)
            })
            .collect(),
    )
}

/// The dimension that an axis names among so many: counted from the end where it is negative.
fn dimension_of(axis: i64, count: usize) -> Option<usize> {
    usize::try_from(if axis < 0 { axis.checked_add_unsigned(count as u64)? } else { axis }).ok()
}

/// Compares the sizes that two lists both have; `reason` explains the expected size, or leaves a dimension out.
fn compare_sizes(
    name: &str,
    found: &[u64],
    expected: &[u64],
    reason: impl Fn(usize) -> Option<String>,
) -> Vec<Finding> {
    let pairs = std::iter::zip(found, expected).enumerate();
    pairs
        .filter(|(_, (found, expected))| found != expected)
        .filter_map(|(dimension, (found, expected))| {
            let reason = reason(dimension)?;
            let message = format!("`{name}.sizes[{dimension}]` is {found}, expected {expected}: {reason} {expected}");
            Some(Finding::new(&["tensors", name, "sizes", &dimension.to_string()], message))
        })
        .collect()
}

fn size_inserted(
    (input, sizes): (&str, &[u64]),
    (output, tensor): (&str, &TensorDescriptor),
    axis: i64,
    (depth_name, depth): (&str, i128),
) -> Vec<Finding> {
    let count = sizes.len() + 1;
    if tensor.dimension_count() != count {
        let message = format!(
            "`{output}` has {} dimensions, expected {count}: one more than `{input}`",
            tensor.dimension_count()
        );
        return vec![Finding::new(&["tensors", output, "sizes"], message)];
    }
    let mut expected: Vec<i128> = sizes.iter().map(|&size| size.into()).collect();
    let Some(axis) = dimension_of(axis, count).filter(|&axis| axis < count) else { return Vec::new() };
    expected.insert(axis, depth);
    let pairs = std::iter::zip(&tensor.sizes, &expected).enumerate();
    pairs
        .filter(|(_, (found, expected))| i128::from(**found) != **expected)
        .map(|(dimension, (found, expected))| {
            let reason = if dimension == axis { depth_name } else { input };
            let message =
                format!("`{output}.sizes[{dimension}]` is {found}, expected {expected}: that is what `{reason}` gives");
            Finding::new(&["tensors", output, "sizes", &dimension.to_string()], message)
        })
        .collect()
}

fn sizes_one(name: &str, sizes: &[u64], free: usize) -> Vec<Finding> {
    let bound = sizes.len().saturating_sub(free);
    let larger = sizes[..bound].iter().enumerate().filter(|(_, size)| **size != 1);
    larger
        .map(|(dimension, size)| {
            let message = format!("`{name}.sizes[{dimension}]` is {size}, expected 1");
            Finding::new(&["tensors", name, "sizes", &dimension.to_string()], message)
        })
        .collect()
}

/// The place and the size of a dimension that is counted from the end.
fn size_from_end(tensor: &TensorDescriptor, dimension: u64) -> Option<(usize, u64)> {
    let at = tensor.sizes.len().checked_sub(usize::try_from(dimension).ok()?)?;
    Some((at, *tensor.sizes.get(at)?))
}
