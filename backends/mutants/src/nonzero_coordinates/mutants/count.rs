//! Elements that are missed, and counts that are wrong.

use opcert_backend::DataType;

use super::mutant;
use crate::Mutant;
use crate::element::Element;
use crate::nonzero_coordinates::rules::{NonzeroCoordinatesRules, RIGHT};

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    mutant(
        "nonzero-count-is-a-sum",
        "directml/nonzero_coordinates/count-value",
        "The count is the sum of the elements.",
        NonzeroCoordinatesRules {
            count: |counted| Some(counted.elements.iter().map(|element| element.number()).sum::<f64>() as i64 as u64),
            ..RIGHT
        },
    )
    .seen_in("chainer/chainer#585"),
    mutant(
        "nonzero-count-one-more",
        "directml/nonzero_coordinates/count-value",
        "The count is one too high unless it is 0.",
        NonzeroCoordinatesRules {
            count: |counted| Some((counted.found + usize::from(counted.found > 0)) as u64),
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-count-one-fewer",
        "directml/nonzero_coordinates/count-value",
        "The count is the number of the last row.",
        NonzeroCoordinatesRules { count: |counted| Some(counted.found.saturating_sub(1) as u64), ..RIGHT },
    ),
    mutant(
        "nonzero-count-at-least-one",
        "directml/nonzero_coordinates/count-value",
        "Where there is nothing but zeros the count is 1.",
        NonzeroCoordinatesRules { count: |counted| Some(counted.found.max(1) as u64), ..RIGHT },
    )
    .seen_in("tracel-ai/burn#2212"),
    mutant(
        "nonzero-count-of-zero-not-written",
        "directml/nonzero_coordinates/count-value",
        "Where there is nothing but zeros the count is not written.",
        NonzeroCoordinatesRules { count: |counted| Some(counted.found as u64).filter(|&count| count > 0), ..RIGHT },
    ),
    mutant(
        "nonzero-count-in-8-bits",
        "directml/nonzero_coordinates/count-value",
        "The count wraps at 256, as one in the type of an 8-bit input would.",
        NonzeroCoordinatesRules { count: |counted| Some((counted.found & 0xFF) as u64), ..RIGHT },
    ),
    mutant(
        "nonzero-count-capped-at-255",
        "directml/nonzero_coordinates/count-value",
        "The count stops at 255.",
        NonzeroCoordinatesRules { count: |counted| Some(counted.found.min(255) as u64), ..RIGHT },
    ),
    mutant(
        "nonzero-count-in-16-bits",
        "directml/nonzero_coordinates/count-value",
        "The count wraps at 65536.",
        NonzeroCoordinatesRules { count: |counted| Some((counted.found & 0xFFFF) as u64), ..RIGHT },
    ),
    mutant(
        "nonzero-count-of-elements",
        "directml/nonzero_coordinates/count-value",
        "The count is that of all elements.",
        NonzeroCoordinatesRules { count: |counted| Some(counted.elements.len() as u64), ..RIGHT },
    ),
    mutant(
        "nonzero-negative-numbers-missed",
        "directml/nonzero_coordinates/count-value",
        "Only elements above zero are found.",
        NonzeroCoordinatesRules {
            nonzero: |element| element.magnitude() != 0 && (element.number() > 0.0 || element.is_nan()),
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-fractions-missed",
        "directml/nonzero_coordinates/count-value",
        "Elements are rounded towards zero first.",
        NonzeroCoordinatesRules {
            nonzero: |element| (RIGHT.nonzero)(element) && (element.is_nan() || element.number().trunc() != 0.0),
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-tiny-floats-missed",
        "directml/nonzero_coordinates/count-value",
        "Elements nearer to zero than 2^-14, the least normal half, are taken for zero in FLOAT32.",
        NonzeroCoordinatesRules {
            nonzero: |element| {
                let tiny = element.is(DataType::F32) && element.number().abs() < f64::powi(2.0, -14);
                (RIGHT.nonzero)(element) && !tiny
            },
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-infinities-missed",
        "directml/nonzero_coordinates/count-value",
        "Infinities are taken for zero.",
        NonzeroCoordinatesRules { nonzero: |element| (RIGHT.nonzero)(element) && !element.is_infinite(), ..RIGHT },
    ),
    mutant(
        "nonzero-lowest-integer-missed",
        "directml/nonzero_coordinates/count-value",
        "The lowest integer of a signed type is taken for zero, since nothing but its sign bit is set.",
        NonzeroCoordinatesRules {
            nonzero: |element| {
                let signed = element.data_type.is_signed_integer();
                let sign = 1 << (8 * element.data_type.bytes() - 1);
                (RIGHT.nonzero)(element) && !(signed && element.bits == sign)
            },
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-all-ones-missed",
        "directml/nonzero_coordinates/count-value",
        "Unsigned integers with all bits set are taken for zero, as those that overflow when 1 is added are.",
        NonzeroCoordinatesRules {
            nonzero: |element| {
                let unsigned = !element.data_type.is_float() && !element.data_type.is_signed_integer();
                (RIGHT.nonzero)(element) && !(unsigned && element.sign_extended() == -1)
            },
            ..RIGHT
        },
    ),
    mutant(
        "nonzero-only-low-byte-of-16-bits",
        "directml/nonzero_coordinates/count-value",
        "Of 16-bit integers only the low byte is looked at.",
        NonzeroCoordinatesRules { nonzero: |element| low_bits(element, 16, 0xFF), ..RIGHT },
    ),
    mutant(
        "nonzero-only-low-half-of-32-bits",
        "directml/nonzero_coordinates/count-value",
        "Of 32-bit integers only the low 16 bits are looked at.",
        NonzeroCoordinatesRules { nonzero: |element| low_bits(element, 32, 0xFFFF), ..RIGHT },
    ),
    mutant(
        "nonzero-only-low-byte-of-32-bits",
        "directml/nonzero_coordinates/count-value",
        "Of 32-bit integers only the low byte is looked at.",
        NonzeroCoordinatesRules { nonzero: |element| low_bits(element, 32, 0xFF), ..RIGHT },
    ),
    mutant(
        "nonzero-only-low-bit-of-8-bits",
        "directml/nonzero_coordinates/count-value",
        "8-bit integers are taken for booleans of one bit.",
        NonzeroCoordinatesRules { nonzero: |element| low_bits(element, 8, 1), ..RIGHT },
    ),
    mutant(
        "nonzero-last-element-skipped",
        "directml/nonzero_coordinates/count-value",
        "The last element is not looked at.",
        NonzeroCoordinatesRules { visited: |count| count - 1, ..RIGHT },
    ),
    mutant(
        "nonzero-single-element-skipped",
        "directml/nonzero_coordinates/count-value",
        "The element of a tensor with sizes of 1 throughout is not looked at.",
        NonzeroCoordinatesRules { visited: |count| if count == 1 { 0 } else { count }, ..RIGHT },
    )
    .seen_in("microsoft/onnxruntime#11232"),
    mutant(
        "nonzero-visited-in-whole-groups-of-64",
        "directml/nonzero_coordinates/count-value",
        "Above 64 elements, those behind the last whole group of 64 are not looked at.",
        NonzeroCoordinatesRules { visited: |count| if count > 64 { count - count % 64 } else { count }, ..RIGHT },
    ),
    mutant(
        "nonzero-visited-in-whole-groups-of-256",
        "directml/nonzero_coordinates/count-value",
        "Above 256 elements, those behind the last whole group of 256 are not looked at.",
        NonzeroCoordinatesRules { visited: |count| if count > 256 { count - count % 256 } else { count }, ..RIGHT },
    ),
    mutant(
        "nonzero-visited-up-to-1024",
        "directml/nonzero_coordinates/count-value",
        "Elements from number 1024 on are not looked at, as if there were one workgroup.",
        NonzeroCoordinatesRules { visited: |count| count.min(1024), ..RIGHT },
    ),
    mutant(
        "nonzero-visited-up-to-65535",
        "directml/nonzero_coordinates/count-value",
        "Elements from number 65535 on are not looked at, which is the limit of a dispatch on many devices.",
        NonzeroCoordinatesRules { visited: |count| count.min(65535), ..RIGHT },
    ),
];

/// Whether any of some low bits is set, in integers of a width; other elements are looked at rightly.
fn low_bits(element: Element, width: usize, mask: u64) -> bool {
    let concerned = !element.data_type.is_float() && 8 * element.data_type.bytes() == width;
    if concerned { element.bits & mask != 0 } else { (RIGHT.nonzero)(element) }
}
