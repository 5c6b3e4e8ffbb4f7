//! Indices that are read wrongly.

use opcert_backend::DataType;

use super::mutant;
use crate::Mutant;
use crate::one_hot::rules::{Index, OneHotRules, RIGHT, from_start, within};

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    // ---- Beyond the sequence
    mutant(
        "one-hot-index-wraps-modulo",
        "directml/one_hot/out-of-range-all-off",
        "An index out of range is taken modulo the size.",
        OneHotRules { place: |index| Some(index.value().rem_euclid(index.size) as i64), ..RIGHT },
    )
    .seen_in("onnx/onnx#8113"),
    mutant(
        "one-hot-index-above-size-clamps",
        "directml/one_hot/out-of-range-all-off",
        "An index greater than the size chooses the last element.",
        OneHotRules {
            place: |index| if index.value() > index.size { Some(index.size as i64 - 1) } else { right(index) },
            ..RIGHT
        },
    ),
    mutant(
        "one-hot-index-above-size-spills",
        "directml/one_hot/out-of-range-all-off",
        "An index greater than the size writes On into a sequence behind its own.",
        OneHotRules {
            place: |index| if index.value() > index.size { i64::try_from(index.value()).ok() } else { right(index) },
            ..RIGHT
        },
    )
    .seen_in("burn on wgpu"),
    mutant(
        "one-hot-index-above-twice-the-size-wraps",
        "directml/one_hot/out-of-range-all-off",
        "From twice the size on, an index is taken modulo the size.",
        OneHotRules {
            place: |index| {
                let far = index.value() >= 2 * index.size;
                if far { Some((index.value() % index.size) as i64) } else { right(index) }
            },
            ..RIGHT
        },
    ),
    mutant(
        "one-hot-int64-index-truncated",
        "directml/one_hot/out-of-range-all-off",
        "Of an INT64 index only the low 32 bits are looked at.",
        OneHotRules { place: |index| truncated(index, DataType::I64), ..RIGHT },
    )
    .seen_in("sonos/tract, one_hot"),
    mutant(
        "one-hot-index-in-16-bits",
        "directml/one_hot/out-of-range-all-off",
        "Only the low 16 bits of an index that is not negative are looked at.",
        OneHotRules {
            place: |index| within(if index.value() < 0 { index.value() } else { index.value() & 0xFFFF }, index),
            ..RIGHT
        },
    ),
    mutant(
        "one-hot-index-in-8-bits",
        "directml/one_hot/out-of-range-all-off",
        "Only the low 8 bits of an index that is not negative are looked at.",
        OneHotRules {
            place: |index| within(if index.value() < 0 { index.value() } else { index.value() & 0xFF }, index),
            ..RIGHT
        },
    ),
    // ---- Negative
    mutant(
        "one-hot-negative-index-ignored",
        "directml/one_hot/negative-from-end",
        "A negative index chooses nothing.",
        OneHotRules { place: |index| right(index).filter(|_| index.value() >= 0), ..RIGHT },
    ),
    mutant(
        "one-hot-negative-int32-ignored",
        "directml/one_hot/negative-from-end",
        "INT32 indices are read as unsigned.",
        OneHotRules { place: |index| read_as(index, DataType::I32, DataType::U32), ..RIGHT },
    ),
    mutant(
        "one-hot-negative-int64-ignored",
        "directml/one_hot/negative-from-end",
        "INT64 indices are read as unsigned.",
        OneHotRules { place: |index| read_as(index, DataType::I64, DataType::U64), ..RIGHT },
    ),
    mutant(
        "one-hot-int64-low-word-without-sign",
        "directml/one_hot/negative-from-end",
        "Of an INT64 index the low 32 bits are read as unsigned.",
        OneHotRules {
            place: |index| {
                let low = i128::from(index.element.bits as u32);
                if index.is(DataType::I64) && index.value() < 0 { within(low, index) } else { right(index) }
            },
            ..RIGHT
        },
    ),
    mutant(
        "one-hot-negative-index-one-short",
        "directml/one_hot/negative-from-end",
        "-1 is the last element but one.",
        OneHotRules {
            place: |index| {
                if index.value() < 0 { within(index.value() - 1, index) } else { right(index) }
            },
            ..RIGHT
        },
    ),
    mutant(
        "one-hot-negative-index-mirrored",
        "directml/one_hot/negative-from-end",
        "A negative index counts from the beginning, without its sign.",
        OneHotRules { place: |index| within(index.value().abs(), index), ..RIGHT },
    ),
    mutant(
        "one-hot-minus-size-out-of-range",
        "directml/one_hot/negative-from-end",
        "The least index that is in range is taken to be out of it.",
        OneHotRules { place: |index| right(index).filter(|_| index.value() != -index.size), ..RIGHT },
    ),
    mutant(
        "one-hot-only-minus-one-from-the-end",
        "directml/one_hot/negative-from-end",
        "Of the negative indices only -1 chooses something.",
        OneHotRules { place: |index| right(index).filter(|_| index.value() >= -1), ..RIGHT },
    ),
    mutant(
        "one-hot-negative-index-clamps-to-the-first",
        "directml/one_hot/negative-from-end",
        "A negative index in range chooses the first element.",
        OneHotRules { place: |index| right(index).map(|place| if index.value() < 0 { 0 } else { place }), ..RIGHT },
    ),
    // ---- Equal to the size
    mutant(
        "one-hot-index-equal-size-clamps",
        "directml/one_hot/index-equal-size",
        "An index that equals the size chooses the last element.",
        OneHotRules {
            place: |index| if index.value() == index.size { Some(index.size as i64 - 1) } else { right(index) },
            ..RIGHT
        },
    ),
    mutant(
        "one-hot-index-equal-size-wraps",
        "directml/one_hot/index-equal-size",
        "An index that equals the size chooses the first element.",
        OneHotRules { place: |index| if index.value() == index.size { Some(0) } else { right(index) }, ..RIGHT },
    ),
    mutant(
        "one-hot-index-equal-size-spills",
        "directml/one_hot/index-equal-size",
        "An index that equals the size writes On behind its sequence.",
        OneHotRules {
            place: |index| if index.value() == index.size { Some(index.size as i64) } else { right(index) },
            ..RIGHT
        },
    ),
    // ---- Negative beyond the start
    mutant(
        "one-hot-negative-index-wraps-twice",
        "directml/one_hot/negative-beyond-start",
        "A negative index is taken modulo the size.",
        OneHotRules {
            place: |index| {
                let wrapped = Some(index.value().rem_euclid(index.size) as i64);
                if index.value() < 0 { wrapped } else { right(index) }
            },
            ..RIGHT
        },
    )
    .seen_in("onnx/onnx#8113"),
    mutant(
        "one-hot-negative-beyond-start-spills",
        "directml/one_hot/negative-beyond-start",
        "A negative index past the first element writes On into a sequence in front of its own.",
        OneHotRules {
            place: |index| {
                let start = from_start(index.value(), index);
                if index.value() < 0 { i64::try_from(start).ok() } else { right(index) }
            },
            ..RIGHT
        },
    )
    .seen_in("webonnx/wonnx, one-hot shader"),
    mutant(
        "one-hot-negative-beyond-start-clamps",
        "directml/one_hot/negative-beyond-start",
        "A negative index past the first element chooses the first one.",
        OneHotRules { place: |index| if index.value() < -index.size { Some(0) } else { right(index) }, ..RIGHT },
    ),
    mutant(
        "one-hot-lowest-int32-negated",
        "directml/one_hot/negative-beyond-start",
        "The lowest INT32 index chooses the first element, as an absolute value that overflows does.",
        OneHotRules {
            place: |index| {
                if index.value() == i128::from(i32::MIN) { Some(0) } else { right(index) }
            },
            ..RIGHT
        },
    ),
    mutant(
        "one-hot-negative-int64-truncated",
        "directml/one_hot/negative-beyond-start",
        "Of a negative INT64 index only the low 32 bits are looked at.",
        OneHotRules {
            place: |index| if index.value() < 0 { truncated(index, DataType::I64) } else { right(index) },
            ..RIGHT
        },
    ),
    // ---- Unsigned
    mutant(
        "one-hot-uint32-index-as-signed",
        "directml/one_hot/unsigned-never-negative",
        "UINT32 indices are read as signed.",
        OneHotRules { place: |index| read_as(index, DataType::U32, DataType::I32), ..RIGHT },
    ),
    mutant(
        "one-hot-uint64-index-as-signed",
        "directml/one_hot/unsigned-never-negative",
        "UINT64 indices are read as signed.",
        OneHotRules { place: |index| read_as(index, DataType::U64, DataType::I64), ..RIGHT },
    )
    .seen_in("DirectML 1.9.1, release notes"),
    mutant(
        "one-hot-uint64-index-truncated",
        "directml/one_hot/unsigned-never-negative",
        "Of a UINT64 index only the low 32 bits are looked at.",
        OneHotRules { place: |index| truncated(index, DataType::U64), ..RIGHT },
    )
    .seen_in("DirectML 1.9.1, release notes"),
    mutant(
        "one-hot-uint64-index-through-int32",
        "directml/one_hot/unsigned-never-negative",
        "UINT64 indices below 2^32 are read as signed 32-bit ones.",
        OneHotRules {
            place: |index| {
                let narrow = index.is(DataType::U64) && index.value() < 1 << 32;
                if narrow { within(i128::from(index.element.bits as i32), index) } else { right(index) }
            },
            ..RIGHT
        },
    ),
    mutant(
        "one-hot-uint64-index-without-top-bit",
        "directml/one_hot/unsigned-never-negative",
        "The top bit of a UINT64 index is not looked at.",
        OneHotRules {
            place: |index| {
                let low = index.value() & i128::from(i64::MAX);
                if index.is(DataType::U64) { within(low, index) } else { right(index) }
            },
            ..RIGHT
        },
    ),
    mutant(
        "one-hot-uint32-index-without-top-bit",
        "directml/one_hot/unsigned-never-negative",
        "The top bit of a UINT32 index is not looked at.",
        OneHotRules {
            place: |index| {
                let low = index.value() & i128::from(i32::MAX);
                if index.is(DataType::U32) { within(low, index) } else { right(index) }
            },
            ..RIGHT
        },
    ),
];

fn right(index: &Index) -> Option<i64> {
    within(index.value(), index)
}

/// Of indices of this type, the low 32 bits with the type's sign.
fn truncated(index: &Index, data_type: DataType) -> Option<i64> {
    let low = index.element.bits as u32;
    let low = if data_type.is_signed_integer() { i128::from(low.cast_signed()) } else { i128::from(low) };
    within(if index.is(data_type) { low } else { index.value() }, index)
}

/// Indices of one type, read as another one of the same width.
fn read_as(index: &Index, data_type: DataType, other: DataType) -> Option<i64> {
    let element = if index.is(data_type) { index.element.read_as(other) } else { index.element };
    within(element.integer(), index)
}
