//! Values that arrive with other bits.

use super::mutant;
use crate::Mutant;
use crate::layout::without_broadcast;
use crate::one_hot::rules::{OneHotRules, RIGHT};
use crate::one_hot::values;

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    mutant(
        "one-hot-values-computed-as-float32",
        "directml/one_hot/values-copied-exactly",
        "FLOAT32 outputs are computed as hot * (on - off) + off.",
        OneHotRules { written: values::computed_as_float32, ..RIGHT },
    )
    .seen_in("onnx/onnx, reference implementation"),
    mutant(
        "one-hot-values-computed-as-float64",
        "directml/one_hot/values-copied-exactly",
        "FLOAT64 outputs are computed as hot * (on - off) + off.",
        OneHotRules { written: values::computed_as_float64, ..RIGHT },
    ),
    mutant(
        "one-hot-float64-through-float32",
        "directml/one_hot/values-copied-exactly",
        "FLOAT64 values pass through 32-bit floats.",
        OneHotRules { written: values::float64_through_float32, ..RIGHT },
    ),
    mutant(
        "one-hot-integers-through-float32",
        "directml/one_hot/values-copied-exactly",
        "Integers of 32 and 64 bits pass through 32-bit floats.",
        OneHotRules { written: values::integers_through_float32, ..RIGHT },
    ),
    mutant(
        "one-hot-integers-through-float64",
        "directml/one_hot/values-copied-exactly",
        "Integers of 64 bits pass through 64-bit floats.",
        OneHotRules { written: values::integers_through_float64, ..RIGHT },
    ),
    mutant(
        "one-hot-nan-payload-lost",
        "directml/one_hot/values-copied-exactly",
        "Every NaN turns into the same one.",
        OneHotRules { written: values::canonical_nan, ..RIGHT },
    ),
    mutant(
        "one-hot-nan-quieted",
        "directml/one_hot/values-copied-exactly",
        "A signalling NaN turns into a quiet one.",
        OneHotRules { written: values::quiet_nan, ..RIGHT },
    ),
    mutant(
        "one-hot-negative-zero-lost",
        "directml/one_hot/values-copied-exactly",
        "-0.0 turns into +0.0.",
        OneHotRules { written: values::positive_zero, ..RIGHT },
    ),
    mutant(
        "one-hot-infinity-saturated",
        "directml/one_hot/values-copied-exactly",
        "Infinities turn into the greatest finite numbers.",
        OneHotRules { written: values::saturated_infinity, ..RIGHT },
    ),
    mutant(
        "one-hot-subnormal-flushed",
        "directml/one_hot/values-copied-exactly",
        "Subnormal values turn into zero.",
        OneHotRules { written: values::flushed_subnormal, ..RIGHT },
    ),
    mutant(
        "one-hot-16-bit-values-as-8-bit",
        "directml/one_hot/values-copied-exactly",
        "Of a value of two bytes only the low one is copied.",
        OneHotRules { written: values::low_bytes::<2, 1>, ..RIGHT },
    ),
    mutant(
        "one-hot-32-bit-values-as-16-bit",
        "directml/one_hot/values-copied-exactly",
        "Of a value of four bytes only the low two are copied.",
        OneHotRules { written: values::low_bytes::<4, 2>, ..RIGHT },
    ),
    mutant(
        "one-hot-64-bit-values-as-32-bit",
        "directml/one_hot/values-copied-exactly",
        "Of a value of eight bytes only the low four are copied.",
        OneHotRules { written: values::low_bytes::<8, 4>, ..RIGHT },
    ),
    mutant(
        "one-hot-lowest-integer-clamped",
        "directml/one_hot/values-copied-exactly",
        "The lowest integer of a signed type turns into the one above it.",
        OneHotRules { written: values::symmetric_integer, ..RIGHT },
    ),
    mutant(
        "one-hot-unsigned-values-clamped",
        "directml/one_hot/values-copied-exactly",
        "Unsigned values are clamped to the signed range.",
        OneHotRules { written: values::clamped_to_signed, ..RIGHT },
    ),
    mutant(
        "one-hot-int64-values-clamped",
        "directml/one_hot/values-copied-exactly",
        "Integers of 64 bits are clamped to the range of 32.",
        OneHotRules { written: values::clamped_to_32_bits, ..RIGHT },
    ),
    mutant(
        "one-hot-equal-values-told-apart",
        "directml/one_hot/values-copied-exactly",
        "Where On equals Off, 0 stands beside the index.",
        OneHotRules {
            written: |choice| if choice.on == choice.off && !choice.hot { 0 } else { choice.chosen() },
            ..RIGHT
        },
    ),
    mutant(
        "one-hot-values-strides-ignored",
        "directml/one_hot/values-copied-exactly",
        "Values with a stride of 0 are read as if they were packed.",
        OneHotRules { values: without_broadcast, ..RIGHT },
    ),
];
