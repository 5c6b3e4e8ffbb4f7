//! Ties that are decided wrongly.

use super::mutant;
use crate::Mutant;
use crate::argmax::rules::{ArgMaxRules, RIGHT};
use crate::argmax::winners;

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    mutant(
        "argmax-increasing-takes-the-last",
        "directml/argmax/tie-increasing",
        "With INCREASING the last of equal maxima is taken.",
        ArgMaxRules { winner: |subset| subset.maximum(true), ..RIGHT },
    )
    .seen_in("huggingface/candle#3179"),
    mutant(
        "argmax-increasing-tie-between-blocks-of-4",
        "directml/argmax/tie-increasing",
        "With INCREASING a tie between blocks of 4 elements takes the last block.",
        ArgMaxRules { winner: winners::wrong_tie_between_blocks::<4, false>, ..RIGHT },
    ),
    mutant(
        "argmax-increasing-tie-between-blocks-of-32",
        "directml/argmax/tie-increasing",
        "With INCREASING a tie between blocks of 32 elements takes the last block.",
        ArgMaxRules { winner: winners::wrong_tie_between_blocks::<32, false>, ..RIGHT },
    ),
    mutant(
        "argmax-increasing-tie-between-blocks-of-64",
        "directml/argmax/tie-increasing",
        "With INCREASING a tie between blocks of 64 elements takes the last block.",
        ArgMaxRules { winner: winners::wrong_tie_between_blocks::<64, false>, ..RIGHT },
    ),
    mutant(
        "argmax-increasing-tie-between-blocks-of-256",
        "directml/argmax/tie-increasing",
        "With INCREASING a tie between blocks of 256 elements takes the last block.",
        ArgMaxRules { winner: winners::wrong_tie_between_blocks::<256, false>, ..RIGHT },
    ),
    mutant(
        "argmax-increasing-tie-between-blocks-of-1024",
        "directml/argmax/tie-increasing",
        "With INCREASING a tie between blocks of 1024 elements takes the last block.",
        ArgMaxRules { winner: winners::wrong_tie_between_blocks::<1024, false>, ..RIGHT },
    )
    .seen_in("huggingface/candle, CUDA reduce"),
    mutant(
        "argmax-increasing-tree-keeps-the-lane",
        "directml/argmax/tie-increasing",
        "With INCREASING a tree of halves takes the lower lane of a tie, not the lower index.",
        ArgMaxRules { winner: winners::tree_keeps_the_lane::<false>, ..RIGHT },
    ),
    mutant(
        "argmax-decreasing-takes-the-first",
        "directml/argmax/tie-decreasing",
        "With DECREASING the first of equal maxima is taken, since the direction is not looked at.",
        ArgMaxRules { winner: |subset| subset.maximum(false), ..RIGHT },
    )
    .seen_in("huggingface/candle#3238"),
    mutant(
        "argmax-decreasing-counts-from-the-end",
        "directml/argmax/tie-decreasing",
        "With DECREASING the index counts from the end.",
        ArgMaxRules {
            winner: |subset| {
                let place = subset.maximum(subset.last);
                if subset.last { subset.keys.len() as i64 - 1 - place } else { place }
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-decreasing-takes-the-second",
        "directml/argmax/tie-decreasing",
        "With DECREASING the second of equal maxima is taken.",
        ArgMaxRules {
            winner: |subset| {
                let first = subset.maximum(false);
                let mut others = (0..).zip(subset.keys).skip(first as usize + 1);
                let second = others.find(|(_, key)| **key == subset.keys[first as usize]);
                if subset.last { second.map_or(first, |(place, _)| place) } else { first }
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-decreasing-tie-between-blocks-of-4",
        "directml/argmax/tie-decreasing",
        "With DECREASING a tie between blocks of 4 elements takes the first block.",
        ArgMaxRules { winner: winners::wrong_tie_between_blocks::<4, true>, ..RIGHT },
    ),
    mutant(
        "argmax-decreasing-tie-between-blocks-of-32",
        "directml/argmax/tie-decreasing",
        "With DECREASING a tie between blocks of 32 elements takes the first block.",
        ArgMaxRules { winner: winners::wrong_tie_between_blocks::<32, true>, ..RIGHT },
    ),
    mutant(
        "argmax-decreasing-tie-between-blocks-of-64",
        "directml/argmax/tie-decreasing",
        "With DECREASING a tie between blocks of 64 elements takes the first block.",
        ArgMaxRules { winner: winners::wrong_tie_between_blocks::<64, true>, ..RIGHT },
    ),
    mutant(
        "argmax-decreasing-tie-between-blocks-of-256",
        "directml/argmax/tie-decreasing",
        "With DECREASING a tie between blocks of 256 elements takes the first block.",
        ArgMaxRules { winner: winners::wrong_tie_between_blocks::<256, true>, ..RIGHT },
    ),
    mutant(
        "argmax-decreasing-tie-between-blocks-of-1024",
        "directml/argmax/tie-decreasing",
        "With DECREASING a tie between blocks of 1024 elements takes the first block.",
        ArgMaxRules { winner: winners::wrong_tie_between_blocks::<1024, true>, ..RIGHT },
    ),
    mutant(
        "argmax-decreasing-tree-keeps-the-lane",
        "directml/argmax/tie-decreasing",
        "With DECREASING a tree of halves takes the upper lane of a tie, not the upper index.",
        ArgMaxRules { winner: winners::tree_keeps_the_lane::<true>, ..RIGHT },
    ),
];
