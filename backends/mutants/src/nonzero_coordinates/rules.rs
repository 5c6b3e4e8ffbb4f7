//! The kernel and its rules: find the elements, order them, write the rows and the count.

use opcert_backend::{Fault, Input, Output};

use crate::element::Element;
use crate::layout::unbound;
use crate::layout::{Layout, LayoutRule, as_described, coordinates};

/// Everything that the kernel decides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NonzeroCoordinatesRules {
    /// How the input lies in memory.
    pub(crate) input: LayoutRule,
    /// How the rows lie in memory.
    pub(crate) rows: LayoutRule,
    /// How many elements are looked at, of this many.
    pub(crate) visited: fn(usize) -> usize,
    /// Whether an element is not zero.
    pub(crate) nonzero: fn(Element) -> bool,
    /// The elements in the order of their rows, given their numbers in logical order.
    pub(crate) ordered: fn(Vec<usize>, &Layout) -> Vec<usize>,
    /// What stands in a row.
    pub(crate) row: fn(&Position<'_>) -> Vec<usize>,
    /// The number of the row for the element found at this place.
    pub(crate) row_number: fn(usize) -> usize,
    /// The count; `None` if it is not written.
    pub(crate) count: fn(&Counted<'_>) -> Option<u64>,
}

/// The rules that break nothing.
pub(crate) const RIGHT: NonzeroCoordinatesRules = NonzeroCoordinatesRules {
    input: as_described,
    rows: as_described,
    visited: |count| count,
    nonzero: |element| element.magnitude() != 0,
    ordered: |found, _| found,
    row: |position| position.coordinates()[position.sizes.len() - position.columns..].to_vec(),
    row_number: |number| number,
    count: |counted| Some(counted.found as u64),
};

/// An element that is to be listed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position<'a> {
    /// Its number in logical order.
    pub(crate) number: usize,
    /// The sizes of the input.
    pub(crate) sizes: &'a [usize],
    /// The length of a row.
    pub(crate) columns: usize,
}

impl Position<'_> {
    /// The coordinates in all dimensions.
    pub(crate) fn coordinates(&self) -> Vec<usize> {
        coordinates(self.number, self.sizes)
    }
}

/// What is known when the count is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted<'a> {
    /// All elements of the input.
    pub(crate) elements: &'a [Element],
    /// The number of rows.
    pub(crate) found: usize,
}

/// Runs the operator.
///
/// # Errors
///
/// When a tensor is not bound.
pub(crate) fn run(
    rules: &NonzeroCoordinatesRules,
    inputs: &[Input<'_>],
    outputs: &mut [Output<'_>],
) -> Result<(), Fault> {
    let ([input], [count, rows]) = (inputs, outputs) else { return Err(unbound()) };
    let layout = (rules.input)(input.tensor);
    let data_type = input.tensor.data_type;
    let elements: Vec<Element> =
        layout.elements(input.bytes).into_iter().map(|bits| Element { bits, data_type }).collect();
    let visited = elements.iter().take((rules.visited)(elements.len())).enumerate();
    let found = visited.filter(|(_, element)| (rules.nonzero)(**element)).map(|(number, _)| number).collect();
    let found = (rules.ordered)(found, &layout);
    list(rules, &found, &layout.sizes, rows);
    if let Some(counted) = (rules.count)(&Counted { elements: &elements, found: found.len() }) {
        as_described(count.tensor).store(count.bytes, 0, counted);
    }
    Ok(())
}

/// Writes one row for each element that was found.
fn list(rules: &NonzeroCoordinatesRules, found: &[usize], sizes: &[usize], rows: &mut Output<'_>) {
    let layout = (rules.rows)(rows.tensor);
    let ([.., row_stride, column_stride], [.., columns]) = (&layout.strides[..], &layout.sizes[..]) else { return };
    for (row, &number) in found.iter().enumerate() {
        let row = (rules.row_number)(row);
        for (column, coordinate) in (rules.row)(&Position { number, sizes, columns: *columns }).into_iter().enumerate()
        {
            layout.store(rows.bytes, (row * row_stride + column * column_stride) as i64, coordinate as u64);
        }
    }
}
