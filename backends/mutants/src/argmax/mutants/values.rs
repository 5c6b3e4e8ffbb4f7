//! Outputs of the wrong bits, and values that compare wrongly.

use opcert_backend::DataType;

use super::mutant;
use crate::Mutant;
use crate::argmax::rules::{ArgMaxRules, RIGHT, Subset};
use crate::argmax::winners;
use crate::element::{Element, order};

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    // ---- The output type
    mutant(
        "argmax-upper-word-not-written",
        "directml/argmax/output-type-free",
        "Of an index of 64 bits only the low 32 are written.",
        ArgMaxRules { stored: |index, _| (index.cast_unsigned(), 4), ..RIGHT },
    ),
    mutant(
        "argmax-upper-word-repeats-the-lower",
        "directml/argmax/output-type-free",
        "An index of 64 bits has its low word in the high one as well.",
        ArgMaxRules {
            stored: |index, data_type| (index.cast_unsigned() | index.cast_unsigned() << 32, data_type.bytes()),
            ..RIGHT
        },
    ),
    mutant(
        "argmax-int64-index-as-float64",
        "directml/argmax/output-type-free",
        "INT64 outputs hold the bits of a 64-bit float.",
        ArgMaxRules {
            stored: |index, data_type| match data_type {
                DataType::I64 => ((index as f64).to_bits(), 8),
                _ => (index.cast_unsigned(), data_type.bytes()),
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-32-bit-index-as-float32",
        "directml/argmax/output-type-free",
        "INT32 outputs hold the bits of a 32-bit float.",
        ArgMaxRules {
            stored: |index, data_type| match data_type {
                DataType::I32 => (u64::from((index as f32).to_bits()), 4),
                _ => (index.cast_unsigned(), data_type.bytes()),
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-index-in-8-bits",
        "directml/argmax/output-type-free",
        "Only the low byte of an index is right, and the others are 0.",
        ArgMaxRules { stored: |index, data_type| (index.cast_unsigned() & 0xFF, data_type.bytes()), ..RIGHT },
    ),
    // ---- Zeros
    mutant(
        "argmax-float32-negative-zero-less",
        "directml/argmax/signed-zero-tie",
        "-0.0 is less than +0.0 in FLOAT32, as in the total order of floats.",
        ArgMaxRules { key: |element| total_order(element, DataType::F32), ..RIGHT },
    ),
    mutant(
        "argmax-float16-negative-zero-less",
        "directml/argmax/signed-zero-tie",
        "-0.0 is less than +0.0 in FLOAT16, as in the total order of floats.",
        ArgMaxRules { key: |element| total_order(element, DataType::F16), ..RIGHT },
    ),
    // ---- Extremes
    mutant(
        "argmax-infinity-below-the-initial-maximum",
        "directml/argmax/extreme-maximum",
        "The search begins with the lowest finite number at the index 0, which -infinity does not exceed.",
        ArgMaxRules {
            winner: |subset| {
                let initial = winners::lowest_finite(subset);
                let exceeded = subset.keys.iter().max() >= Some(&initial);
                if exceeded { subset.maximum(subset.last) } else { 0 }
            },
            ..RIGHT
        },
    )
    .seen_in("tracel-ai/cubek#457"),
    mutant(
        "argmax-all-lowest-gives-minus-one",
        "directml/argmax/extreme-maximum",
        "The search begins with the lowest value at the index -1, which nothing exceeds where all elements equal it.",
        ArgMaxRules { winner: |subset| winners::above(subset, winners::lowest(subset), -1), ..RIGHT },
    )
    .seen_in("microsoft/onnxruntime#31161"),
    mutant(
        "argmax-all-lowest-gives-zero",
        "directml/argmax/extreme-maximum",
        "The search begins with the lowest value at the index 0, and stays there with either direction.",
        ArgMaxRules { winner: |subset| winners::above(subset, winners::lowest(subset), 0), ..RIGHT },
    ),
    mutant(
        "argmax-all-lowest-gives-size",
        "directml/argmax/extreme-maximum",
        "The search begins with the lowest value at the index behind the last element.",
        ArgMaxRules {
            winner: |subset| winners::above(subset, winners::lowest(subset), subset.keys.len() as i64),
            ..RIGHT
        },
    ),
    mutant(
        "argmax-lowest-integer-negated",
        "directml/argmax/extreme-maximum",
        "The lowest integer exceeds all others, since the greatest of negated elements is sought and it has no negation.",
        ArgMaxRules {
            key: |element| {
                let lowest =
                    element.data_type.is_signed_integer() && element.integer() == lowest_integer(element.data_type);
                if lowest { -element.integer() } else { order(element) }
            },
            ..RIGHT
        },
    ),
    // ---- Subnormal numbers
    mutant(
        "argmax-subnormals-below-everything",
        "directml/argmax/subnormal-order",
        "A subnormal number is less than every other.",
        ArgMaxRules { key: |element| if element.is_subnormal() { i128::MIN } else { order(element) }, ..RIGHT },
    ),
    mutant(
        "argmax-subnormals-as-if-normal",
        "directml/argmax/subnormal-order",
        "A subnormal number is taken for a normal one with the same digits, so that it has an exponent of 0.",
        ArgMaxRules { key: as_if_normal, ..RIGHT },
    ),
    // ---- 64 bits
    mutant(
        "argmax-64-bits-as-float64",
        "directml/argmax/exact-comparison",
        "Integers of 64 bits are compared as 64-bit floats.",
        ArgMaxRules { key: winners::as_float64, ..RIGHT },
    ),
    mutant(
        "argmax-64-bits-low-words",
        "directml/argmax/exact-comparison",
        "Of integers of 64 bits only the low words are compared.",
        ArgMaxRules {
            key: |element| {
                if element.data_type.bytes() == 8 { i128::from(element.bits as u32) } else { order(element) }
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-64-bits-high-words",
        "directml/argmax/exact-comparison",
        "Of integers of 64 bits only the high words are compared.",
        ArgMaxRules {
            key: |element| if element.data_type.bytes() == 8 { order(element) >> 32 } else { order(element) },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-64-bits-low-words-as-signed",
        "directml/argmax/exact-comparison",
        "Where the high words are equal, the low ones are compared as signed.",
        ArgMaxRules {
            key: |element| {
                let swapped = order(element) ^ 1 << 31;
                if element.data_type.bytes() == 8 { swapped } else { order(element) }
            },
            ..RIGHT
        },
    ),
    mutant(
        "argmax-uint64-as-signed",
        "directml/argmax/exact-comparison",
        "UINT64 elements are compared as signed.",
        ArgMaxRules { key: |element| winners::read_as(element, DataType::U64, DataType::I64), ..RIGHT },
    ),
    mutant(
        "argmax-int64-as-unsigned",
        "directml/argmax/exact-comparison",
        "INT64 elements are compared as unsigned.",
        ArgMaxRules { key: |element| winners::read_as(element, DataType::I64, DataType::U64), ..RIGHT },
    ),
    mutant(
        "argmax-64-bits-by-difference",
        "directml/argmax/exact-comparison",
        "INT64 elements are compared by the sign of a difference, which overflows between far ends of the range.",
        ArgMaxRules { winner: by_difference, ..RIGHT },
    ),
];

fn total_order(element: Element, data_type: DataType) -> i128 {
    let negative = element.is(data_type) && element.is_negative_float();
    2 * order(element).min(i128::MAX / 2) - i128::from(negative && element.magnitude() == 0)
}

/// The order of a subnormal number read with the exponent of 1.
fn as_if_normal(element: Element) -> i128 {
    let one = match element.data_type {
        DataType::F16 => 0x3C00,
        DataType::F32 => 0x3F80_0000,
        _ => return order(element),
    };
    if element.is_subnormal() { order(Element { bits: element.bits | one, ..element }) } else { order(element) }
}

const fn lowest_integer(data_type: DataType) -> i128 {
    -(1 << (8 * data_type.bytes() - 1))
}

fn by_difference(subset: &Subset<'_>) -> i64 {
    let wide = subset.elements.first().is_some_and(|element| element.is(DataType::I64));
    if !wide {
        return subset.maximum(subset.last);
    }
    let mut best = 0;
    for place in 1..subset.keys.len() {
        let difference = (subset.keys[place] as i64).wrapping_sub(subset.keys[best] as i64);
        if difference > 0 || subset.last && difference == 0 {
            best = place;
        }
    }
    best as i64
}
