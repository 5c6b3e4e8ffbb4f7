//! What can be wrong with `openvino/one_hot_1`, whose kernel is in `one_hot`.

use opcert_backend::DataType;

use crate::Mutant;
use crate::backend::Deviation;
use crate::one_hot::rules::{Choice, Index, OneHotRules, RIGHT, within};
use crate::one_hot::values;

const fn mutant(name: &'static str, breaks: &'static str, about: &'static str, rules: OneHotRules) -> Mutant {
    Mutant::new(name, breaks, about, Deviation::OpenVinoOneHot1(rules))
}

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    // ---- On at the index, Off elsewhere
    mutant(
        "openvino-one-hot-indices-count-from-one",
        "openvino/one_hot_1/on-at-index",
        "The first element of a sequence has the index 1.",
        OneHotRules { place: |index| within(index.value() - 1, index), ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-on-and-off-swapped",
        "openvino/one_hot_1/on-at-index",
        "on_value and off_value are taken for each other, as APIs differ in their order.",
        OneHotRules { written: |choice| if choice.hot { choice.off } else { choice.on }, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-axis-always-last",
        "openvino/one_hot_1/on-at-index",
        "The new dimension is taken to be the last one.",
        OneHotRules { axis: |_, dimensions| dimensions - 1, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-axis-always-first",
        "openvino/one_hot_1/on-at-index",
        "The new dimension is taken to be the first one.",
        OneHotRules { axis: |_, _| 0, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-middle-axes-taken-for-the-last",
        "openvino/one_hot_1/on-at-index",
        "An axis that is neither the first nor the last one is taken for the last.",
        OneHotRules {
            axis: |axis, dimensions| {
                let axis = (RIGHT.axis)(axis, dimensions);
                if axis == 0 { 0 } else { dimensions - 1 }
            },
            ..RIGHT
        },
    )
    .seen_in("openvinotoolkit/openvino#31120"),
    mutant(
        "openvino-one-hot-depth-one-all-off",
        "openvino/one_hot_1/on-at-index",
        "With a depth of 1 every index is taken to be out of range.",
        OneHotRules { place: |index| right(index).filter(|_| index.size > 1), ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-last-index-unreachable",
        "openvino/one_hot_1/on-at-index",
        "The index depth - 1 is taken to be out of range.",
        OneHotRules { place: |index| right(index).filter(|&place| place + 1 != index.size as i64), ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-int64-index-high-word",
        "openvino/one_hot_1/on-at-index",
        "Of an i64 index the high 32 bits are looked at.",
        OneHotRules {
            place: |index| {
                let high = index.value() >> 32;
                if index.is(DataType::I64) { within(high, index) } else { right(index) }
            },
            ..RIGHT
        },
    ),
    mutant(
        "openvino-one-hot-last-sequence-skipped",
        "openvino/one_hot_1/on-at-index",
        "The last of several sequences gets no on_value.",
        OneHotRules { sequences: |count| if count > 1 { count - 1 } else { count }, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-index-relative-to-the-tensor",
        "openvino/one_hot_1/on-at-index",
        "An index counts from the beginning of the tensor.",
        OneHotRules { origin: |_| 0, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-off-is-zero",
        "openvino/one_hot_1/off-elsewhere",
        "0 is written beside the index, and not off_value.",
        OneHotRules { written: |choice| if choice.hot { choice.on } else { 0 }, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-last-element-not-filled",
        "openvino/one_hot_1/off-elsewhere",
        "The last element of an output gets no off_value.",
        OneHotRules { filled: |count| count.saturating_sub(1), ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-filled-in-whole-groups-of-8",
        "openvino/one_hot_1/off-elsewhere",
        "Above 8 elements, those behind the last whole group of 8 get no off_value.",
        OneHotRules { filled: |count| if count > 8 { count - count % 8 } else { count }, ..RIGHT },
    ),
    // ---- An axis from the end
    mutant(
        "openvino-one-hot-negative-axis-from-the-indices",
        "openvino/one_hot_1/axis-from-end",
        "A negative axis counts from the end of the dimensions of indices, which are one fewer.",
        OneHotRules {
            axis: |axis, dimensions| match axis {
                ..0 => (axis + dimensions as i64 - 1).max(0) as usize,
                _ => axis as usize,
            },
            ..RIGHT
        },
    ),
    mutant(
        "openvino-one-hot-negative-axis-is-last",
        "openvino/one_hot_1/axis-from-end",
        "Any negative axis is taken for -1.",
        OneHotRules { axis: |axis, dimensions| if axis < 0 { dimensions - 1 } else { axis as usize }, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-negative-axis-without-sign",
        "openvino/one_hot_1/axis-from-end",
        "A negative axis counts from the beginning, without its sign.",
        OneHotRules {
            axis: |axis, dimensions| if axis < 0 { (-axis) as usize % dimensions } else { axis as usize },
            ..RIGHT
        },
    ),
    // ---- At or above the depth
    mutant(
        "openvino-one-hot-index-clamps",
        "openvino/one_hot_1/index-at-or-above-depth",
        "An index of depth or more chooses the last element.",
        OneHotRules {
            place: |index| if index.value() >= index.size { Some(index.size as i64 - 1) } else { right(index) },
            ..RIGHT
        },
    ),
    mutant(
        "openvino-one-hot-index-wraps-modulo",
        "openvino/one_hot_1/index-at-or-above-depth",
        "An index of depth or more is taken modulo depth.",
        OneHotRules {
            place: |index| {
                let wrapped = Some((index.value() % index.size) as i64);
                if index.value() >= index.size { wrapped } else { right(index) }
            },
            ..RIGHT
        },
    )
    .seen_in("onnx/onnx#8113"),
    mutant(
        "openvino-one-hot-index-equal-depth-wraps",
        "openvino/one_hot_1/index-at-or-above-depth",
        "An index that equals depth chooses the first element.",
        OneHotRules { place: |index| if index.value() == index.size { Some(0) } else { right(index) }, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-index-spills",
        "openvino/one_hot_1/index-at-or-above-depth",
        "An index of depth or more writes on_value into another sequence.",
        OneHotRules {
            place: |index| if index.value() >= 0 { i64::try_from(index.value()).ok() } else { None },
            ..RIGHT
        },
    ),
    mutant(
        "openvino-one-hot-int64-index-truncated",
        "openvino/one_hot_1/index-at-or-above-depth",
        "Of an i64 index only the low 32 bits are looked at.",
        OneHotRules { place: |index| within(i128::from(index.element.bits as i32), index), ..RIGHT },
    )
    .seen_in("sonos/tract, one_hot"),
    mutant(
        "openvino-one-hot-index-in-16-bits",
        "openvino/one_hot_1/index-at-or-above-depth",
        "Only the low 16 bits of an index are looked at.",
        OneHotRules { place: |index| within(i128::from(index.element.bits as u16), index), ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-index-as-float32",
        "openvino/one_hot_1/index-at-or-above-depth",
        "An index of depth is rounded down into range, since it passes through a float that is a little too small.",
        OneHotRules {
            place: |index| {
                let rounded = (index.value() as f32 * (1.0 - f32::EPSILON)) as i128;
                if index.value() == index.size { within(rounded, index) } else { right(index) }
            },
            ..RIGHT
        },
    ),
    // ---- Scalar indices
    mutant(
        "openvino-one-hot-scalar-indices-all-off",
        "openvino/one_hot_1/scalar-indices",
        "Where the output has one dimension, there is no sequence.",
        OneHotRules { sequences: |count| if count == 1 { 0 } else { count }, ..RIGHT },
    ),
    // ---- Copied exactly
    mutant(
        "openvino-one-hot-values-computed-as-float32",
        "openvino/one_hot_1/values-copied-exactly",
        "f32 outputs are computed as hot * (on - off) + off.",
        OneHotRules { written: values::computed_as_float32, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-values-computed-as-float64",
        "openvino/one_hot_1/values-copied-exactly",
        "f64 outputs are computed as hot * (on - off) + off.",
        OneHotRules { written: values::computed_as_float64, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-float64-through-float32",
        "openvino/one_hot_1/values-copied-exactly",
        "f64 values pass through 32-bit floats.",
        OneHotRules { written: values::float64_through_float32, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-integers-through-float32",
        "openvino/one_hot_1/values-copied-exactly",
        "Integers of 32 and 64 bits pass through 32-bit floats.",
        OneHotRules { written: values::integers_through_float32, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-integers-through-float64",
        "openvino/one_hot_1/values-copied-exactly",
        "Integers of 64 bits pass through 64-bit floats.",
        OneHotRules { written: values::integers_through_float64, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-int64-values-clamped",
        "openvino/one_hot_1/values-copied-exactly",
        "Integers of 64 bits are clamped to the range of 32.",
        OneHotRules { written: values::clamped_to_32_bits, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-uint64-values-as-int64",
        "openvino/one_hot_1/values-copied-exactly",
        "Unsigned values are clamped to the signed range.",
        OneHotRules { written: values::clamped_to_signed, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-nan-payload-lost",
        "openvino/one_hot_1/values-copied-exactly",
        "Every NaN turns into the same one.",
        OneHotRules { written: values::canonical_nan, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-nan-quieted",
        "openvino/one_hot_1/values-copied-exactly",
        "A signalling NaN turns into a quiet one.",
        OneHotRules { written: values::quiet_nan, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-negative-zero-lost",
        "openvino/one_hot_1/values-copied-exactly",
        "-0.0 turns into +0.0.",
        OneHotRules { written: values::positive_zero, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-bf16-as-f16",
        "openvino/one_hot_1/values-copied-exactly",
        "bf16 values beyond the range of f16 turn into infinities.",
        OneHotRules { written: |choice| saturated(choice, DataType::BF16, 65504.0), ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-f64-as-f16",
        "openvino/one_hot_1/values-copied-exactly",
        "f64 values beyond the range of f16 turn into infinities.",
        OneHotRules { written: |choice| saturated(choice, DataType::F64, 65504.0), ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-true-is-all-ones",
        "openvino/one_hot_1/values-copied-exactly",
        "A boolean that is true is written with all bits set.",
        OneHotRules {
            written: |choice| {
                let true_value = choice.data_type == DataType::Bool && choice.chosen() != 0;
                if true_value { 0xFF } else { choice.chosen() }
            },
            ..RIGHT
        },
    ),
    mutant(
        "openvino-one-hot-16-bit-values-as-8-bit",
        "openvino/one_hot_1/values-copied-exactly",
        "Of a value of two bytes only the low one is copied.",
        OneHotRules { written: values::low_bytes::<2, 1>, ..RIGHT },
    ),
    mutant(
        "openvino-one-hot-64-bit-values-as-32-bit",
        "openvino/one_hot_1/values-copied-exactly",
        "Of a value of eight bytes only the low four are copied.",
        OneHotRules { written: values::low_bytes::<8, 4>, ..RIGHT },
    ),
];

fn right(index: &Index) -> Option<i64> {
    within(index.value(), index)
}

fn saturated(choice: &Choice, data_type: DataType, most: f64) -> u64 {
    let element = choice.element();
    let beyond = choice.data_type == data_type && element.number().abs() > most;
    match element.infinity() {
        Some(infinity) if beyond => infinity | element.bits & !element.magnitude(),
        _ => element.bits,
    }
}
