//! What holds of outputs whatever the answer to an open question is.

use super::answer::Answer;
use crate::check::ValidCase;
use crate::element;
use crate::layout::coordinates;
use crate::spec::Invariant;

/// How an invariant is broken, if it is.
pub(super) fn broken_invariant(invariant: &Invariant, case: &ValidCase, answers: &[Answer<'_>]) -> Option<String> {
    let numbers = |name: &str| answers.iter().find(|answer| answer.entry.name == name).map(integers);
    let sizes = |name: &str| case.descriptor.tensor(name).map(|tensor| tensor.sizes.as_slice());
    match invariant {
        Invariant::IndexBelowReducedCount { output, input, axes } => {
            let (sizes, axes) = (sizes(input)?, case.descriptor.integers(axes)?);
            let reduced = sizes.iter().enumerate().filter(|(dimension, _)| axes.contains(&(*dimension as i64)));
            let count: i128 = reduced.map(|(_, &size)| i128::from(size)).product();
            let indices = numbers(output)?;
            let (at, index) = indices.iter().enumerate().find(|(_, index)| !(0..count).contains(*index))?;
            let place = coordinates(at, &case.descriptor.tensor(output)?.sizes);
            Some(format!("`{output}` at {place:?} is {index}, expected an index below {count}"))
        }
        Invariant::CountAtMostElements { count, of } => {
            let elements: i128 = sizes(of)?.iter().map(|&size| i128::from(size)).product();
            let counted = *numbers(count)?.first()?;
            let message = format!("`{count}` is {counted}, and `{of}` has {elements} elements");
            (!(0..=elements).contains(&counted)).then_some(message)
        }
        Invariant::RowsAreCoordinates { rows, count, of } => {
            let (coordinates, sizes) = (numbers(rows)?, sizes(of)?);
            let width = *case.descriptor.tensor(rows)?.sizes.last()? as usize;
            let last_sizes = sizes.get(sizes.len().checked_sub(width)?..)?;
            let count = usize::try_from(*numbers(count)?.first()?).ok()?;
            let wrong = coordinates.chunks(width.max(1)).take(count).enumerate().find(|(_, row)| {
                std::iter::zip(*row, last_sizes).any(|(&at, &size)| !(0..i128::from(size)).contains(&at))
            });
            wrong.map(|(index, row)| format!("row {index} of `{rows}` is {row:?}, outside `{of}` of sizes {sizes:?}"))
        }
    }
}

fn integers(answer: &Answer<'_>) -> Vec<i128> {
    let data_type = answer.entry.tensor.data_type;
    let elements = answer.elements[0].chunks_exact(data_type.bytes());
    elements.filter_map(|bytes| element::integer(bytes, data_type)).collect()
}
