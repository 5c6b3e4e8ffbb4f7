//! Values that are taken from the wrong places.

use super::mutant;
use crate::Mutant;
use crate::one_hot::rules::{OneHotRules, RIGHT};

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    // ---- Where the values stand
    mutant(
        "one-hot-off-and-on-swapped",
        "directml/one_hot/off-value-position",
        "Off and On are taken for each other, as APIs differ in their order.",
        OneHotRules { written: |choice| if choice.hot { choice.off } else { choice.on }, ..RIGHT },
    ),
    mutant(
        "one-hot-off-is-the-last-value",
        "directml/one_hot/off-value-position",
        "Off is the last element of Values where there are more than two.",
        OneHotRules { off_at: |values| values.offsets().split_off(1).into_iter().skip(1).last().unwrap_or(0), ..RIGHT },
    ),
    mutant(
        "one-hot-on-is-the-last-value",
        "directml/one_hot/on-value-position",
        "On is the last element of Values.",
        OneHotRules { on_at: |values| values.offsets().last().copied().unwrap_or(0), ..RIGHT },
    ),
    mutant(
        "one-hot-on-along-the-slowest-dimension",
        "directml/one_hot/on-value-position",
        "On is the second element along the first dimension of a size above 1.",
        OneHotRules {
            on_at: |values| values.sizes.iter().position(|&size| size > 1).map_or(0, |slowest| values.strides[slowest]),
            ..RIGHT
        },
    ),
    mutant(
        "one-hot-on-next-in-memory",
        "directml/one_hot/on-value-position",
        "On is the second element of the memory of Values.",
        OneHotRules { on_at: |_| 1, ..RIGHT },
    ),
    mutant(
        "one-hot-on-along-the-last-dimension",
        "directml/one_hot/on-value-position",
        "On is sought along the last dimension even where that has the size 1, and is then Off.",
        OneHotRules {
            on_at: |values| match (values.sizes.last(), values.strides.last()) {
                (Some(&size), Some(&stride)) if size > 1 => stride,
                _ => 0,
            },
            ..RIGHT
        },
    ),
    // ---- Extra values
    mutant(
        "one-hot-third-value-is-on",
        "directml/one_hot/extra-values-ignored",
        "Where Values has a third element, that one is On.",
        OneHotRules { on_at: |values| *values.offsets().iter().take(3).next_back().unwrap_or(&0), ..RIGHT },
    ),
    mutant(
        "one-hot-more-than-two-values-read-backwards",
        "directml/one_hot/extra-values-ignored",
        "Where Values has more than two elements, Off is the one before the last.",
        OneHotRules {
            off_at: |values| {
                let offsets = values.offsets();
                offsets[offsets.len() - 2]
            },
            ..RIGHT
        },
    ),
];
