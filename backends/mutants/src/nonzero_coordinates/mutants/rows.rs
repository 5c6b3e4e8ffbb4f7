//! Rows that hold something else.

use opcert_backend::TensorDescriptor;

use super::mutant;
use crate::Mutant;
use crate::layout::{Layout, as_described, as_if_packed};
use crate::nonzero_coordinates::rules::{NonzeroCoordinatesRules, RIGHT};

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    mutant(
        "nonzero-coordinates-reversed",
        "directml/nonzero_coordinates/coordinates-value",
        "The coordinates of a row stand in the order of the innermost dimension first.",
        NonzeroCoordinatesRules { row: |position| (RIGHT.row)(position).into_iter().rev().collect(), ..RIGHT },
    ),
    mutant(
        "nonzero-element-index-in-rows",
        "directml/nonzero_coordinates/coordinates-value",
        "The last coordinate of a row is the element index.",
        NonzeroCoordinatesRules {
            row: |position| {
                let mut row = (RIGHT.row)(position);
                row.splice(position.columns - 1.., [position.number]);
                row
            },
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-coordinates-count-from-one",
        "directml/nonzero_coordinates/coordinates-value",
        "Coordinates count from 1.",
        NonzeroCoordinatesRules {
            row: |position| (RIGHT.row)(position).into_iter().map(|coordinate| coordinate + 1).collect(),
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-coordinates-in-8-bits",
        "directml/nonzero_coordinates/coordinates-value",
        "Coordinates wrap at 256.",
        NonzeroCoordinatesRules {
            row: |position| (RIGHT.row)(position).into_iter().map(|coordinate| coordinate & 0xFF).collect(),
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-coordinates-in-16-bits",
        "directml/nonzero_coordinates/coordinates-value",
        "Coordinates wrap at 65536.",
        NonzeroCoordinatesRules {
            row: |position| (RIGHT.row)(position).into_iter().map(|coordinate| coordinate & 0xFFFF).collect(),
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-first-row-skipped",
        "directml/nonzero_coordinates/coordinates-value",
        "Rows begin at number 1.",
        NonzeroCoordinatesRules { row_number: |number| number + 1, ..RIGHT },
    ),
    mutant(
        "nonzero-rows-transposed",
        "directml/nonzero_coordinates/coordinates-value",
        "The output is written column by column.",
        NonzeroCoordinatesRules { rows: transposed, ..RIGHT },
    ),
    mutant(
        "nonzero-rows-strides-ignored",
        "directml/nonzero_coordinates/coordinates-value",
        "The rows are written as if they were packed.",
        NonzeroCoordinatesRules { rows: as_if_packed, ..RIGHT },
    ),
    mutant(
        "nonzero-rows-as-wide-as-the-input",
        "directml/nonzero_coordinates/coordinates-value",
        "A row takes as many places as the input has dimensions, and the next one begins behind it.",
        NonzeroCoordinatesRules { row: |position| position.coordinates(), ..RIGHT },
    ),
    mutant(
        "nonzero-outermost-coordinate-is-zero",
        "directml/nonzero_coordinates/coordinates-value",
        "The first coordinate of a row of more than one is 0.",
        NonzeroCoordinatesRules {
            row: |position| {
                let mut row = (RIGHT.row)(position);
                if let [first, _, ..] = &mut row[..] {
                    *first = 0;
                }
                row
            },
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-last-row-not-written",
        "directml/nonzero_coordinates/coordinates-value",
        "The row of the last element that is found is not written.",
        NonzeroCoordinatesRules {
            ordered: |mut found, _| {
                found.pop();
                found
            },
            count: |counted| Some(counted.elements.iter().filter(|element| (RIGHT.nonzero)(**element)).count() as u64),
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-one-dimension-stays-at-zero",
        "directml/nonzero_coordinates/coordinates-value",
        "In an input of one dimension every coordinate is 0.",
        NonzeroCoordinatesRules {
            row: |position| if position.sizes.len() == 1 { vec![0] } else { (RIGHT.row)(position) },
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-coordinates-beyond-five-dimensions",
        "directml/nonzero_coordinates/coordinates-value",
        "With more than five dimensions, all coordinates but the last five are 0.",
        NonzeroCoordinatesRules {
            row: |position| {
                let mut row = (RIGHT.row)(position);
                let dropped = row.len().saturating_sub(5);
                row[..dropped].fill(0);
                row
            },
            ..RIGHT
        },
    ),
];

fn transposed(tensor: &TensorDescriptor) -> Layout {
    let mut layout = as_described(tensor);
    if let ([.., row_stride, column_stride], [.., rows, _]) = (&mut layout.strides[..], &layout.sizes[..]) {
        (*row_stride, *column_stride) = (*column_stride, *column_stride * rows);
    }
    layout
}
