//! Values that stand in the wrong places, or are missing.

use super::mutant;
use crate::Mutant;
use crate::layout::{as_if_packed, innermost_without_gaps, last_dimensions, without_broadcast};
use crate::one_hot::rules::{OneHotRules, RIGHT, within};

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    // ---- On at the index
    mutant(
        "one-hot-indices-count-from-one",
        "directml/one_hot/on-at-index",
        "The first element of a sequence has the index 1.",
        OneHotRules { place: |index| within(index.value() - 1, index), ..RIGHT },
    ),
    mutant(
        "one-hot-index-zero-ignored",
        "directml/one_hot/on-at-index",
        "The index 0 chooses nothing.",
        OneHotRules { place: |index| within(index.value(), index).filter(|&place| place != 0), ..RIGHT },
    ),
    mutant(
        "one-hot-last-element-unreachable",
        "directml/one_hot/on-at-index",
        "The index of the last element is taken for out of range.",
        OneHotRules {
            place: |index| within(index.value(), index).filter(|&place| place + 1 != index.size as i64),
            ..RIGHT
        },
    ),
    mutant(
        "one-hot-axis-always-last",
        "directml/one_hot/on-at-index",
        "Sequences lie along the last dimension, whatever the axis.",
        OneHotRules { axis: |_, dimensions| dimensions - 1, ..RIGHT },
    ),
    mutant(
        "one-hot-axis-always-first",
        "directml/one_hot/on-at-index",
        "Sequences lie along the first dimension, whatever the axis.",
        OneHotRules { axis: |_, _| 0, ..RIGHT },
    ),
    mutant(
        "one-hot-axis-counted-from-the-end",
        "directml/one_hot/on-at-index",
        "Axis 0 is the last dimension.",
        OneHotRules { axis: |axis, dimensions| dimensions - 1 - axis as usize, ..RIGHT },
    ),
    mutant(
        "one-hot-middle-axes-taken-for-the-last",
        "directml/one_hot/on-at-index",
        "An axis that is neither the first nor the last one is taken for the last.",
        OneHotRules { axis: |axis, dimensions| if axis == 0 { 0 } else { dimensions - 1 }, ..RIGHT },
    )
    .seen_in("openvinotoolkit/openvino#31120"),
    mutant(
        "one-hot-axis-above-three-wraps",
        "directml/one_hot/on-at-index",
        "Only the low two bits of the axis are looked at.",
        OneHotRules { axis: |axis, _| axis as usize % 4, ..RIGHT },
    ),
    mutant(
        "one-hot-index-as-float32",
        "directml/one_hot/on-at-index",
        "Indices pass through a 32-bit float, which has no odd numbers above 2^24.",
        OneHotRules { place: |index| within(index.value() as f32 as i128, index), ..RIGHT },
    ),
    mutant(
        "one-hot-place-in-16-bits",
        "directml/one_hot/on-at-index",
        "Places in a sequence are counted in 16 bits, so that those from 65536 on come out wrong.",
        OneHotRules { place: |index| within(index.value(), index).map(|place| place & 0xFFFF), ..RIGHT },
    ),
    mutant(
        "one-hot-place-in-8-bits",
        "directml/one_hot/on-at-index",
        "Places in a sequence are counted in 8 bits.",
        OneHotRules { place: |index| within(index.value(), index).map(|place| place & 0xFF), ..RIGHT },
    ),
    mutant(
        "one-hot-sequences-in-whole-groups-of-64",
        "directml/one_hot/on-at-index",
        "Above 64 sequences, those behind the last whole group of 64 get no On.",
        OneHotRules { sequences: |count| whole_groups(count, 64), ..RIGHT },
    ),
    mutant(
        "one-hot-sequences-up-to-65535",
        "directml/one_hot/on-at-index",
        "Sequences from number 65535 on get no On, which is the limit of a dispatch on many devices.",
        OneHotRules { sequences: |count| count.min(65535), ..RIGHT },
    ),
    mutant(
        "one-hot-last-sequence-skipped",
        "directml/one_hot/on-at-index",
        "The last of several sequences gets no On.",
        OneHotRules { sequences: |count| if count > 1 { count - 1 } else { count }, ..RIGHT },
    ),
    mutant(
        "one-hot-indices-strides-ignored",
        "directml/one_hot/on-at-index",
        "Indices are read as if they were packed.",
        OneHotRules { indices: as_if_packed, ..RIGHT },
    ),
    mutant(
        "one-hot-indices-broadcast-ignored",
        "directml/one_hot/on-at-index",
        "Indices with a stride of 0 are read as if they were packed.",
        OneHotRules { indices: without_broadcast, ..RIGHT },
    ),
    mutant(
        "one-hot-indices-beyond-four-dimensions",
        "directml/one_hot/on-at-index",
        "Of the strides of indices only the last four are looked at.",
        OneHotRules { indices: last_dimensions::<4>, ..RIGHT },
    ),
    mutant(
        "one-hot-output-strides-ignored",
        "directml/one_hot/on-at-index",
        "The output is written as if it were packed.",
        OneHotRules { output: as_if_packed, ..RIGHT },
    ),
    mutant(
        "one-hot-on-is-one",
        "directml/one_hot/on-at-index",
        "1 is written at the index, and not On, where values are integers of 32 bits or fewer.",
        OneHotRules {
            written: |choice| {
                let float = choice.data_type.is_float() || choice.data_type.bytes() == 8;
                if choice.hot && !float { 1 } else { choice.chosen() }
            },
            ..RIGHT
        },
    ),
    // ---- Off elsewhere
    mutant(
        "one-hot-off-is-zero",
        "directml/one_hot/off-elsewhere",
        "0 is written beside the index, and not Off.",
        OneHotRules { written: |choice| if choice.hot { choice.on } else { 0 }, ..RIGHT },
    ),
    mutant(
        "one-hot-last-element-not-filled",
        "directml/one_hot/off-elsewhere",
        "The last element of an output gets no Off.",
        OneHotRules { filled: |count| count - 1, ..RIGHT },
    ),
    mutant(
        "one-hot-filled-in-whole-groups-of-64",
        "directml/one_hot/off-elsewhere",
        "Above 64 elements, those behind the last whole group of 64 get no Off.",
        OneHotRules { filled: |count| whole_groups(count, 64), ..RIGHT },
    ),
    mutant(
        "one-hot-filled-in-whole-groups-of-4",
        "directml/one_hot/off-elsewhere",
        "Above 4 elements, those behind the last whole group of 4 get no Off.",
        OneHotRules { filled: |count| whole_groups(count, 4), ..RIGHT },
    ),
    mutant(
        "one-hot-filled-up-to-65535",
        "directml/one_hot/off-elsewhere",
        "Elements from number 65535 on get no Off.",
        OneHotRules { filled: |count| count.min(65535), ..RIGHT },
    ),
    mutant(
        "one-hot-count-as-float32",
        "directml/one_hot/off-elsewhere",
        "The number of elements passes through a 32-bit float, so that the last of 2^24 + 1 gets no Off.",
        OneHotRules { filled: |count| (count as f32 as usize).min(count), ..RIGHT },
    )
    .seen_in("microsoft/onnxruntime, CUDA one-hot"),
    mutant(
        "one-hot-output-innermost-stride-ignored",
        "directml/one_hot/off-elsewhere",
        "The innermost stride of the output is taken to be 1.",
        OneHotRules { output: innermost_without_gaps, ..RIGHT },
    ),
    mutant(
        "one-hot-output-beyond-four-dimensions",
        "directml/one_hot/off-elsewhere",
        "Of the strides of the output only the last four are looked at.",
        OneHotRules { output: last_dimensions::<4>, ..RIGHT },
    ),
    // ---- Relative to the sequence
    mutant(
        "one-hot-index-relative-to-the-tensor",
        "directml/one_hot/index-relative-to-sequence",
        "An index counts from the beginning of the tensor.",
        OneHotRules { origin: |_| 0, ..RIGHT },
    ),
    mutant(
        "one-hot-index-in-neighbouring-memory",
        "directml/one_hot/index-relative-to-sequence",
        "An index counts neighbours in memory, not elements along the axis.",
        OneHotRules { step: |_| 1, ..RIGHT },
    ),
];

fn whole_groups(count: usize, group: usize) -> usize {
    if count > group { count - count % group } else { count }
}
