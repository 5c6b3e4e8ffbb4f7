//! Indices that count wrongly, or not at all.

use super::mutant;
use crate::Mutant;
use crate::argmax::rules::{ArgMaxRules, RIGHT};

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    // ---- The index
    mutant(
        "argmax-index-in-the-whole-tensor",
        "directml/argmax/index-over-reduced-axes",
        "The index is the position in the whole tensor even where some dimensions are not reduced.",
        ArgMaxRules {
            index: |place, reduction| {
                let mut inner = reduction.coordinates(place).into_iter();
                let dimensions = reduction.sizes.iter().zip(reduction.reduced).zip(reduction.at);
                dimensions.fold(0, |index, ((&size, &reduced), &at)| {
                    let coordinate = if reduced { inner.next().unwrap_or(0) } else { at };
                    index * size as i64 + coordinate as i64
                })
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-all-axes-index-in-the-last",
        "directml/argmax/several-axes-row-major",
        "Where all axes are reduced, the index is the coordinate in the last one.",
        ArgMaxRules {
            index: |place, reduction| {
                let all = reduction.reduced.iter().all(|&reduced| reduced);
                if all { reduction.coordinates(place).pop().unwrap_or(0) as i64 } else { place }
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-index-over-sizes-rounded-up",
        "directml/argmax/several-axes-row-major",
        "Where all axes are reduced, rows are counted as if they were a multiple of 4 long.",
        ArgMaxRules {
            index: |place, reduction| {
                let all = reduction.reduced.iter().all(|&reduced| reduced);
                let width = *reduction.sizes.last().unwrap_or(&1) as i64;
                if all { place / width * ((width + 3) / 4 * 4) + place % width } else { place }
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-several-axes-first-fastest",
        "directml/argmax/several-axes-row-major",
        "Over several axes the index counts with the first one changing fastest.",
        ArgMaxRules {
            index: |place, reduction| {
                let coordinates = reduction.coordinates(place).into_iter();
                let dimensions = coordinates.zip(reduction.reduced_sizes()).rev();
                dimensions.fold(0, |index, (coordinate, size)| index * size as i64 + coordinate as i64)
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-several-axes-index-in-the-last",
        "directml/argmax/several-axes-row-major",
        "Where some of several axes are reduced, the index is the coordinate in the last of them.",
        ArgMaxRules {
            index: |place, reduction| {
                let all = reduction.reduced.iter().all(|&reduced| reduced);
                if all { place } else { reduction.coordinates(place).pop().unwrap_or(place as usize) as i64 }
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-several-axes-index-in-the-first",
        "directml/argmax/several-axes-row-major",
        "Where some of several axes are reduced, the index is the coordinate in the first of them.",
        ArgMaxRules {
            index: |place, reduction| {
                let all = reduction.reduced.iter().all(|&reduced| reduced);
                let first = reduction.coordinates(place).first().map(|&coordinate| coordinate as i64);
                if all { place } else { first.unwrap_or(place) }
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-axes-apart-index-spans-between",
        "directml/argmax/several-axes-row-major",
        "Between two axes that are no neighbours, the index counts the dimensions that lie there as well.",
        ArgMaxRules {
            index: |place, reduction| {
                let first = reduction.reduced.iter().position(|&reduced| reduced).unwrap_or(0);
                let last = reduction.reduced.iter().rposition(|&reduced| reduced).unwrap_or(0);
                let mut inner = reduction.coordinates(place).into_iter();
                (first..=last).fold(0, |index, dimension| {
                    let reduced = reduction.reduced.get(dimension) == Some(&true);
                    let coordinate = if reduced { inner.next().unwrap_or(0) } else { 0 };
                    index * reduction.sizes[dimension] as i64 + coordinate as i64
                })
            },
            ..RIGHT
        },
    ),
    // ---- In range
    mutant(
        "argmax-all-nan-gives-size",
        "directml/argmax/index-in-range",
        "A subset of nothing but NaN gives the number of its elements.",
        ArgMaxRules {
            winner: |subset| {
                let nothing = subset.elements.iter().all(|element| element.is_nan());
                if nothing { subset.keys.len() as i64 } else { subset.maximum(subset.last) }
            },
            ..RIGHT
        },
    )
    .seen_in("vllm-project/vllm#50183"),
    mutant(
        "argmax-all-nan-gives-minus-one",
        "directml/argmax/index-in-range",
        "A subset of nothing but NaN gives -1.",
        ArgMaxRules {
            winner: |subset| {
                let nothing = subset.elements.iter().all(|element| element.is_nan());
                if nothing { -1 } else { subset.maximum(subset.last) }
            },
            ..RIGHT
        },
    )
    .seen_in("openvinotoolkit/openvino#33626"),
    mutant(
        "argmax-any-nan-gives-the-lowest-integer",
        "directml/argmax/index-in-range",
        "A subset with a NaN gives the lowest number of the output type.",
        ArgMaxRules {
            winner: |subset| {
                let any = subset.elements.iter().any(|element| element.is_nan());
                if any { i64::from(i32::MIN) } else { subset.maximum(subset.last) }
            },
            ..RIGHT
        },
    ),
];
