//! Rows in another order, short rows, zeros that are found.

use opcert_backend::DataType;

use super::mutant;
use crate::Mutant;
use crate::layout::{as_if_packed, coordinates, innermost_without_gaps, last_dimensions, without_broadcast};
use crate::nonzero_coordinates::rules::{NonzeroCoordinatesRules, RIGHT};

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    // ---- The order
    mutant(
        "nonzero-order-descending",
        "directml/nonzero_coordinates/ascending-order",
        "The last element comes first.",
        NonzeroCoordinatesRules { ordered: |found, _| found.into_iter().rev().collect(), ..RIGHT },
    ),
    mutant(
        "nonzero-order-first-dimension-fastest",
        "directml/nonzero_coordinates/ascending-order",
        "Rows are ordered with the first dimension changing fastest.",
        NonzeroCoordinatesRules {
            ordered: |mut found, layout| {
                let key = |&number: &usize| {
                    let mut key = coordinates(number, &layout.sizes);
                    key.reverse();
                    key
                };
                found.sort_by_key(key);
                found
            },
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-order-groups-of-64-swapped",
        "directml/nonzero_coordinates/ascending-order",
        "Groups of 64 elements append their rows in the order in which they finish.",
        NonzeroCoordinatesRules { ordered: |found, _| groups_swapped(found, 64), ..RIGHT },
    ),
    mutant(
        "nonzero-order-groups-of-256-swapped",
        "directml/nonzero_coordinates/ascending-order",
        "Groups of 256 elements append their rows in the order in which they finish.",
        NonzeroCoordinatesRules { ordered: |found, _| groups_swapped(found, 256), ..RIGHT },
    ),
    mutant(
        "nonzero-order-lanes-interleaved",
        "directml/nonzero_coordinates/ascending-order",
        "Four lanes take every fourth element each, and list what they found one after the other.",
        NonzeroCoordinatesRules {
            ordered: |mut found, _| {
                found.sort_by_key(|&number| (number % 4, number));
                found
            },
            ..RIGHT
        },
    ),
    // ---- Short rows
    mutant(
        "nonzero-leading-coordinates",
        "directml/nonzero_coordinates/trailing-coordinates",
        "A row shorter than the dimension count holds the first coordinates.",
        NonzeroCoordinatesRules { row: |position| position.coordinates()[..position.columns].to_vec(), ..RIGHT },
    ),
    mutant(
        "nonzero-short-rows-shifted",
        "directml/nonzero_coordinates/trailing-coordinates",
        "A row shorter than the dimension count holds all coordinates but the last, as far as they fit.",
        NonzeroCoordinatesRules {
            row: |position| {
                let all = position.coordinates();
                let dropped = (all.len() - position.columns).saturating_sub(1);
                all[dropped..dropped + position.columns].to_vec()
            },
            ..RIGHT
        },
    ),
    // ---- Zeros
    mutant(
        "nonzero-float32-negative-zero-found",
        "directml/nonzero_coordinates/signed-zeros-are-zero",
        "-0.0 counts in FLOAT32, because bits are compared.",
        NonzeroCoordinatesRules {
            nonzero: |element| if element.is(DataType::F32) { element.bits != 0 } else { (RIGHT.nonzero)(element) },
            ..RIGHT
        },
    )
    .seen_in("tinygrad/tinygrad#14129"),
    mutant(
        "nonzero-float16-negative-zero-found",
        "directml/nonzero_coordinates/signed-zeros-are-zero",
        "-0.0 counts in FLOAT16, which is read as an integer.",
        NonzeroCoordinatesRules {
            nonzero: |element| if element.is(DataType::F16) { element.bits != 0 } else { (RIGHT.nonzero)(element) },
            ..RIGHT
        },
    ),
    // ---- Logical order
    mutant(
        "nonzero-order-of-memory",
        "directml/nonzero_coordinates/logical-order",
        "Rows are in the order of the memory.",
        NonzeroCoordinatesRules {
            ordered: |mut found, layout| {
                let offsets = layout.offsets();
                found.sort_by_key(|&number| offsets[number]);
                found
            },
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-repeated-elements-found-once",
        "directml/nonzero_coordinates/logical-order",
        "Elements that share their place in memory count as one.",
        NonzeroCoordinatesRules {
            ordered: |found, layout| {
                let offsets = layout.offsets();
                let mut seen = vec![false; offsets.iter().max().map_or(0, |last| last + 1)];
                found.into_iter().filter(|&number| !std::mem::replace(&mut seen[offsets[number]], true)).collect()
            },
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-input-strides-ignored",
        "directml/nonzero_coordinates/logical-order",
        "The input is read as if it were packed.",
        NonzeroCoordinatesRules { input: as_if_packed, ..RIGHT },
    ),
    mutant(
        "nonzero-input-broadcast-ignored",
        "directml/nonzero_coordinates/logical-order",
        "An input with a stride of 0 is read as if it were packed.",
        NonzeroCoordinatesRules { input: without_broadcast, ..RIGHT },
    ),
    mutant(
        "nonzero-input-innermost-stride-ignored",
        "directml/nonzero_coordinates/logical-order",
        "The innermost stride of the input is taken to be 1.",
        NonzeroCoordinatesRules { input: innermost_without_gaps, ..RIGHT },
    ),
    mutant(
        "nonzero-input-beyond-five-dimensions",
        "directml/nonzero_coordinates/logical-order",
        "Of the strides of the input only the last five are looked at.",
        NonzeroCoordinatesRules { input: last_dimensions::<5>, ..RIGHT },
    ),
    mutant(
        "nonzero-input-in-the-order-of-memory",
        "directml/nonzero_coordinates/logical-order",
        "Coordinates are worked out from the place in memory.",
        NonzeroCoordinatesRules {
            ordered: |found, layout| {
                let (offsets, count) = (layout.offsets(), layout.sizes.iter().product::<usize>());
                let mut places: Vec<usize> = found.into_iter().map(|number| offsets[number] % count).collect();
                places.sort_unstable();
                places
            },
            ..RIGHT
        },
    ),
    // ---- In range
    mutant(
        "nonzero-nan-found-twice",
        "directml/nonzero_coordinates/count-in-range",
        "A NaN makes the count higher than the number of elements.",
        NonzeroCoordinatesRules {
            count: |counted| {
                let nan = counted.elements.iter().any(|element| element.is_nan());
                Some(if nan { counted.elements.len() as u64 + 1 } else { counted.found as u64 })
            },
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-nan-count-underflows",
        "directml/nonzero_coordinates/count-in-range",
        "A NaN makes the count the highest number of its type.",
        NonzeroCoordinatesRules {
            count: |counted| {
                let nan = counted.elements.iter().any(|element| element.is_nan());
                Some(if nan { u64::from(u32::MAX) } else { counted.found as u64 })
            },
            ..RIGHT
        },
    ),
];

/// Each pair of neighbouring groups in the wrong order.
fn groups_swapped(mut found: Vec<usize>, group: usize) -> Vec<usize> {
    found.sort_by_key(|&number| ((number / group) ^ 1, number));
    found
}
