//! Other elements than the greatest, and indices that are not theirs.

use opcert_backend::DataType;

use super::mutant;
use crate::Mutant;
use crate::argmax::rules::{ArgMaxRules, RIGHT, Subset};
use crate::argmax::winners;
use crate::element::order;
use crate::layout::as_if_packed;

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    mutant(
        "argmax-minimum",
        "directml/argmax/maximum-index",
        "The index of the least element is written.",
        ArgMaxRules { winner: winners::minimum, ..RIGHT },
    ),
    mutant(
        "argmax-initial-maximum-zero",
        "directml/argmax/maximum-index",
        "The search begins with the maximum 0 at the index 0, which no negative number exceeds.",
        ArgMaxRules { winner: |subset| winners::above(subset, 0, 0), ..RIGHT },
    )
    .seen_in("chainer/chainer#6742"),
    mutant(
        "argmax-one-based",
        "directml/argmax/maximum-index",
        "Indices count from 1.",
        ArgMaxRules { index: |place, _| place + 1, ..RIGHT },
    ),
    mutant(
        "argmax-first-element-skipped",
        "directml/argmax/maximum-index",
        "The first of several elements is not looked at.",
        ArgMaxRules {
            winner: |subset| match subset.keys {
                [_, rest @ ..] if !rest.is_empty() => 1 + Subset { keys: rest, ..*subset }.maximum(subset.last),
                _ => 0,
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-last-element-skipped",
        "directml/argmax/maximum-index",
        "The last of several elements is not looked at.",
        ArgMaxRules {
            winner: |subset| match subset.keys {
                [rest @ .., _] if !rest.is_empty() => Subset { keys: rest, ..*subset }.maximum(subset.last),
                _ => 0,
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-two-elements-give-two",
        "directml/argmax/maximum-index",
        "With two elements the second one has the index 2.",
        ArgMaxRules {
            winner: |subset| {
                let place = subset.maximum(subset.last);
                if subset.keys.len() == 2 && place == 1 { 2 } else { place }
            },
            ..RIGHT
        },
    )
    .seen_in("tinygrad/tinygrad#8108"),
    mutant(
        "argmax-single-element-gives-minus-one",
        "directml/argmax/maximum-index",
        "Where one element is reduced, its index is -1.",
        ArgMaxRules {
            index: |place, reduction| if reduction.reduced_sizes().iter().all(|&size| size == 1) { -1 } else { place },
            ..RIGHT
        },
    )
    .seen_in("pytorch/pytorch#38922"),
    mutant(
        "argmax-index-in-block-of-1024",
        "directml/argmax/maximum-index",
        "The index counts from the beginning of a block of 1024 elements.",
        ArgMaxRules { winner: winners::index_in_block::<1024>, ..RIGHT },
    )
    .seen_in("huggingface/candle, CUDA reduce"),
    mutant(
        "argmax-index-in-block-of-256",
        "directml/argmax/maximum-index",
        "The index counts from the beginning of a block of 256 elements.",
        ArgMaxRules { winner: winners::index_in_block::<256>, ..RIGHT },
    ),
    mutant(
        "argmax-index-in-block-of-32",
        "directml/argmax/maximum-index",
        "The index counts from the beginning of a block of 32 elements.",
        ArgMaxRules { winner: winners::index_in_block::<32>, ..RIGHT },
    ),
    mutant(
        "argmax-index-in-16-bits",
        "directml/argmax/maximum-index",
        "Indices wrap at 65536.",
        ArgMaxRules { index: |place, _| place & 0xFFFF, ..RIGHT },
    ),
    mutant(
        "argmax-index-as-float16",
        "directml/argmax/maximum-index",
        "Odd indices above 2048 are lost, as in a 16-bit float.",
        ArgMaxRules { index: |place, _| if place > 2048 { place & !1 } else { place }, ..RIGHT },
    ),
    mutant(
        "argmax-reduced-up-to-65535",
        "directml/argmax/maximum-index",
        "Of a subset only the first 65535 elements are looked at.",
        ArgMaxRules {
            winner: |subset| {
                let keys = &subset.keys[..subset.keys.len().min(65535)];
                Subset { keys, ..*subset }.maximum(subset.last)
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-written-up-to-65535",
        "directml/argmax/maximum-index",
        "Outputs from number 65535 on are not written.",
        ArgMaxRules { written: |count| count.min(65535), ..RIGHT },
    ),
    mutant(
        "argmax-written-in-whole-groups-of-64",
        "directml/argmax/maximum-index",
        "Above 64 outputs, those behind the last whole group of 64 are not written.",
        ArgMaxRules { written: |count| if count > 64 { count - count % 64 } else { count }, ..RIGHT },
    ),
    mutant(
        "argmax-last-output-not-written",
        "directml/argmax/maximum-index",
        "The last of several outputs is not written.",
        ArgMaxRules { written: |count| if count > 1 { count - 1 } else { count }, ..RIGHT },
    ),
    mutant(
        "argmax-output-strides-ignored",
        "directml/argmax/maximum-index",
        "The output is written as if it were packed.",
        ArgMaxRules { output: as_if_packed, ..RIGHT },
    ),
    mutant(
        "argmax-int32-as-float32",
        "directml/argmax/maximum-index",
        "Integers of 32 bits are compared as 32-bit floats.",
        ArgMaxRules { key: winners::as_float32, ..RIGHT },
    ),
    mutant(
        "argmax-uint32-as-signed",
        "directml/argmax/maximum-index",
        "UINT32 elements are compared as signed.",
        ArgMaxRules { key: |element| winners::read_as(element, DataType::U32, DataType::I32), ..RIGHT },
    ),
    mutant(
        "argmax-uint16-as-signed",
        "directml/argmax/maximum-index",
        "UINT16 elements are compared as signed.",
        ArgMaxRules { key: |element| winners::read_as(element, DataType::U16, DataType::I16), ..RIGHT },
    ),
    mutant(
        "argmax-uint8-as-signed",
        "directml/argmax/maximum-index",
        "UINT8 elements are compared as signed.",
        ArgMaxRules { key: |element| winners::read_as(element, DataType::U8, DataType::I8), ..RIGHT },
    ),
    mutant(
        "argmax-int32-as-unsigned",
        "directml/argmax/maximum-index",
        "INT32 elements are compared as unsigned.",
        ArgMaxRules { key: |element| winners::read_as(element, DataType::I32, DataType::U32), ..RIGHT },
    ),
    mutant(
        "argmax-int16-as-unsigned",
        "directml/argmax/maximum-index",
        "INT16 elements are compared as unsigned.",
        ArgMaxRules { key: |element| winners::read_as(element, DataType::I16, DataType::U16), ..RIGHT },
    ),
    mutant(
        "argmax-int8-as-unsigned",
        "directml/argmax/maximum-index",
        "INT8 elements are compared as unsigned.",
        ArgMaxRules { key: |element| winners::read_as(element, DataType::I8, DataType::U8), ..RIGHT },
    ),
    mutant(
        "argmax-float16-as-unsigned-bits",
        "directml/argmax/maximum-index",
        "FLOAT16 elements are compared as unsigned integers, in which every negative number exceeds the others.",
        ArgMaxRules { key: |element| winners::read_as(element, DataType::F16, DataType::U16), ..RIGHT },
    ),
    mutant(
        "argmax-float16-as-signed-bits",
        "directml/argmax/maximum-index",
        "FLOAT16 elements are compared as signed integers, in which two negative numbers are the wrong way round.",
        ArgMaxRules { key: |element| winners::read_as(element, DataType::F16, DataType::I16), ..RIGHT },
    ),
    mutant(
        "argmax-float32-as-signed-bits",
        "directml/argmax/maximum-index",
        "FLOAT32 elements are compared as signed integers, in which two negative numbers are the wrong way round.",
        ArgMaxRules { key: |element| winners::read_as(element, DataType::F32, DataType::I32), ..RIGHT },
    ),
    mutant(
        "argmax-float16-infinity-saturated",
        "directml/argmax/maximum-index",
        "In FLOAT16 the infinities equal the greatest finite numbers.",
        ArgMaxRules {
            key: |element| {
                if element.is(DataType::F16) { order(element).clamp(-0x7BFF, 0x7BFF) } else { order(element) }
            },
            ..RIGHT
        },
    )
    .seen_in("onnx/onnx-tensorrt#555"),
    mutant(
        "argmax-float32-infinity-saturated",
        "directml/argmax/maximum-index",
        "In FLOAT32 the infinities equal the greatest finite numbers.",
        ArgMaxRules {
            key: |element| {
                let most = i128::from(f32::MAX.to_bits());
                if element.is(DataType::F32) { order(element).clamp(-most, most) } else { order(element) }
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-floats-without-fractions",
        "directml/argmax/maximum-index",
        "Floats are rounded to integers before they are compared.",
        ArgMaxRules {
            key: |element| {
                let float = element.data_type.is_float() && !element.is_nan();
                if float { element.number() as i128 } else { order(element) }
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-float32-as-float16",
        "directml/argmax/maximum-index",
        "FLOAT32 elements are compared with the ten bits of fraction that FLOAT16 has.",
        ArgMaxRules { key: winners::float32_as_float16, ..RIGHT },
    ),
    mutant(
        "argmax-magnitudes",
        "directml/argmax/maximum-index",
        "Elements are compared without their signs.",
        ArgMaxRules { key: |element| order(element).saturating_abs(), ..RIGHT },
    ),
];
