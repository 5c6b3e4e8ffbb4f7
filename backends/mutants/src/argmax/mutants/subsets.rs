//! Subsets that hold the wrong elements.

use super::mutant;
use crate::Mutant;
use crate::argmax::rules::{ArgMaxRules, RIGHT};
use crate::layout::{as_if_packed, innermost_without_gaps, last_dimensions, without_broadcast};

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    mutant(
        "argmax-only-the-first-axis",
        "directml/argmax/subset-of-axes",
        "Of the axes only the first one in the list is reduced.",
        ArgMaxRules { reduced: |axes, dimensions| (RIGHT.reduced)(&axes[..axes.len().min(1)], dimensions), ..RIGHT },
    ),
    mutant(
        "argmax-only-the-last-axis",
        "directml/argmax/subset-of-axes",
        "Of the axes only the last one in the list is reduced.",
        ArgMaxRules {
            reduced: |axes, dimensions| (RIGHT.reduced)(&axes[axes.len().saturating_sub(1)..], dimensions),
            ..RIGHT
        },
    ),
    mutant(
        "argmax-all-axes",
        "directml/argmax/subset-of-axes",
        "Every dimension is reduced, whatever the axes.",
        ArgMaxRules { reduced: |_, dimensions| vec![true; dimensions], ..RIGHT },
    ),
    mutant(
        "argmax-axes-counted-from-the-end",
        "directml/argmax/subset-of-axes",
        "Axis 0 is the last dimension.",
        ArgMaxRules {
            reduced: |axes, dimensions| (RIGHT.reduced)(axes, dimensions).into_iter().rev().collect(),
            ..RIGHT
        },
    ),
    mutant(
        "argmax-axis-always-last",
        "directml/argmax/subset-of-axes",
        "A single axis is taken for the last one.",
        ArgMaxRules {
            reduced: |axes, dimensions| match axes {
                [_] => (RIGHT.reduced)(&[dimensions as i64 - 1], dimensions),
                _ => (RIGHT.reduced)(axes, dimensions),
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-axes-between-reduced",
        "directml/argmax/subset-of-axes",
        "Dimensions between two axes are reduced as well, since axes are collapsed into one.",
        ArgMaxRules {
            reduced: |axes, dimensions| {
                let (first, last) = (axes.iter().min(), axes.iter().max());
                let between = |dimension: i64| first <= Some(&dimension) && Some(&dimension) <= last;
                (0..dimensions as i64).map(between).collect()
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-axes-above-three-ignored",
        "directml/argmax/subset-of-axes",
        "Of axes from 4 on only the low two bits are looked at.",
        ArgMaxRules {
            reduced: |axes, dimensions| {
                let narrow: Vec<i64> = axes.iter().map(|axis| axis & 3).collect();
                (RIGHT.reduced)(&narrow, dimensions)
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-input-strides-ignored",
        "directml/argmax/subset-of-axes",
        "The input is read as if it were packed.",
        ArgMaxRules { input: as_if_packed, ..RIGHT },
    ),
    mutant(
        "argmax-input-broadcast-ignored",
        "directml/argmax/subset-of-axes",
        "An input with a stride of 0 is read as if it were packed.",
        ArgMaxRules { input: without_broadcast, ..RIGHT },
    ),
    mutant(
        "argmax-input-innermost-stride-ignored",
        "directml/argmax/subset-of-axes",
        "The innermost stride of the input is taken to be 1.",
        ArgMaxRules { input: innermost_without_gaps, ..RIGHT },
    ),
    mutant(
        "argmax-input-beyond-four-dimensions",
        "directml/argmax/subset-of-axes",
        "Of the strides of the input only the last four are looked at.",
        ArgMaxRules { input: last_dimensions::<4>, ..RIGHT },
    ),
    mutant(
        "argmax-input-beyond-five-dimensions",
        "directml/argmax/subset-of-axes",
        "Of the strides of the input only the last five are looked at.",
        ArgMaxRules { input: last_dimensions::<5>, ..RIGHT },
    ),
    mutant(
        "argmax-input-beyond-seven-dimensions",
        "directml/argmax/subset-of-axes",
        "Of eight strides of the input the first one is not looked at.",
        ArgMaxRules { input: last_dimensions::<7>, ..RIGHT },
    ),
];
