//! What holds of outputs whatever the answer to an open question is.

use opcert_backend::NamedTensor;

use super::basis::Basis;
use super::dispatched_output::{DispatchedOutput, Other, count};
use crate::check::ValidCase;
use crate::element;
use crate::kind::{axes_of, dimension_of};
use crate::layout::coordinates;
use crate::spec::Invariant;
use crate::spec::check::{CountAtMostElements, EqualsOperator, IndexBelowReducedCount, RowsAreCoordinates};

/// How an invariant is broken, if it is. One that speaks of something that the case does not have holds of nothing, and
/// is broken.
pub(super) fn broken_invariant(
    invariant: &Invariant,
    case: &ValidCase,
    answers: &[DispatchedOutput<'_>],
    beside: &[Other<'_>],
    basis: &Basis<'_>,
) -> Option<String> {
    look(invariant, case, answers, beside, basis).err()
}

fn look(
    invariant: &Invariant,
    case: &ValidCase,
    answers: &[DispatchedOutput<'_>],
    beside: &[Other<'_>],
    basis: &Basis<'_>,
) -> Result<(), String> {
    let sizes = |name: &str| {
        let tensor = case.descriptor.tensor(name).ok_or_else(|| format!("there is no tensor `{name}`"));
        tensor.map(|tensor| tensor.sizes.as_slice())
    };
    let numbers = |name: &str| {
        let answer = answers.iter().find(|answer| answer.entry.name == name);
        integers(answer.ok_or_else(|| format!("there is no output `{name}`"))?)
    };
    let number = |name: &str| match numbers(name)?.as_slice() {
        [number] => Ok(*number),
        several => Err(format!("`{name}` has {} elements, expected one", several.len())),
    };
    match invariant {
        Invariant::IndexBelowReducedCount(IndexBelowReducedCount { output, input, axes }) => {
            let value = case.about.operator.value_of(&case.descriptor, axes);
            let value = value.ok_or_else(|| format!("there is no attribute `{axes}`"))?;
            let (axes, rank) = (axes_of(value), sizes(input)?.len());
            let is_reduced = |at: usize| axes.iter().any(|&axis| dimension_of(axis, rank) == Some(at));
            let reduced = sizes(input)?.iter().enumerate().filter(|(at, _)| is_reduced(*at));
            let count: i128 = reduced.map(|(_, &size)| i128::from(size)).product();
            let indices = numbers(output)?;
            match indices.iter().enumerate().find(|(_, index)| !(0..count).contains(*index)) {
                None => Ok(()),
                Some((at, index)) => {
                    let place = coordinates(at, sizes(output)?);
                    Err(format!("`{output}` at {place:?} is {index}, expected an index below {count}"))
                }
            }
        }
        Invariant::CountAtMostElements(CountAtMostElements { count, of }) => {
            let elements: i128 = sizes(of)?.iter().map(|&size| i128::from(size)).product();
            let counted = number(count)?;
            let message = format!("`{count}` is {counted}, and `{of}` has {elements} elements");
            if (0..=elements).contains(&counted) { Ok(()) } else { Err(message) }
        }
        Invariant::RowsAreCoordinates(RowsAreCoordinates { rows, count, of }) => {
            let (coordinates, sizes, row_sizes) = (numbers(rows)?, sizes(of)?, sizes(rows)?);
            let width = row_sizes.last().map_or(0, |&width| width as usize);
            let last_sizes = sizes.len().checked_sub(width).and_then(|from| sizes.get(from..));
            let last_sizes = last_sizes.ok_or_else(|| {
                format!("a row of `{rows}` has {width} numbers, and `{of}` {} dimensions", sizes.len())
            })?;
            let counted = number(count)?;
            let counted =
                usize::try_from(counted).map_err(|_| format!("`{count}` is {counted}, which counts nothing"))?;
            let wrong = coordinates.chunks(width.max(1)).take(counted).enumerate().find(|(_, row)| {
                std::iter::zip(*row, last_sizes).any(|(&at, &size)| !(0..i128::from(size)).contains(&at))
            });
            wrong.map_or(Ok(()), |(index, row)| {
                Err(format!("row {index} of `{rows}` is {row:?}, outside `{of}` of sizes {sizes:?}"))
            })
        }
        Invariant::EqualsOperator(EqualsOperator { operator, .. }) => {
            // Where a backend does not have the other operator, it is not among these.
            let others = beside.iter().filter(|(id, _)| *id == operator.as_str()).flat_map(|(_, answers)| answers);
            let wrong = std::iter::zip(answers, others).find_map(|(answer, other)| {
                let is_defined = |&at: &usize| !basis.is_undefined(&answer.entry.name, at);
                let differs = |at: &usize| answer.element(0, *at) != other.element(0, *at) && is_defined(at);
                let defined = defined_elements(case, answer.entry, answers);
                Some((answer, other, (0..defined).find(differs)?))
            });
            wrong.map_or(Ok(()), |(answer, other, at)| {
                let (name, data_type) = (&answer.entry.name, answer.entry.tensor.data_type);
                let [own, other] = [answer, other].map(|each| element::render(each.element(0, at), data_type));
                Err(format!("`{name}` at {:?} is {own}, and {other} by `{operator}`", answer.coordinates(at)))
            })
        }
    }
}

fn integers(answer: &DispatchedOutput<'_>) -> Result<Vec<i128>, String> {
    let data_type = answer.entry.tensor.data_type;
    let elements = answer.elements[0].chunks_exact(data_type.bytes());
    let integers = elements.map(|bytes| element::integer(bytes, data_type)).collect::<Option<_>>();
    integers.ok_or_else(|| format!("`{}` holds no integers", answer.entry.name))
}

/// How many elements of an output come before those that are undefined because they lie behind a count.
pub(super) fn defined_elements(case: &ValidCase, entry: &NamedTensor, answers: &[DispatchedOutput<'_>]) -> usize {
    let all = count(entry);
    let requirements = case.about.operator.all_requirements();
    let behind = requirements.flat_map(|requirement| &requirement.invariants).find_map(|invariant| match invariant {
        Invariant::RowsAreCoordinates(RowsAreCoordinates { rows, count, .. }) if *rows == entry.name => Some(count),
        _ => None,
    });
    let count = behind.and_then(|name| answers.iter().find(|each| each.entry.name == *name));
    let count = count.and_then(|count| element::integer(&count.elements[0], count.entry.tensor.data_type));
    let row = entry.tensor.sizes.last().map_or(1, |&size| size as usize);
    let defined = count.and_then(|count| usize::try_from(count).ok()?.checked_mul(row));
    defined.map_or(all, |defined| defined.min(all))
}
