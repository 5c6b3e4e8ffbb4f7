//! Elements at the edges of their types, as patterns of bits.
//!
//! An element is the low bits of a `u64`. Nothing here knows an operator.

use opcert_backend::{DataType, Float32};

use super::choices::Choices;
use crate::element::{self, Float};

/// A NaN that some bits choose.
const fn chosen_nan(float: Float, detail: u64) -> u64 {
    let payload = 1 + (detail >> 2) % ((1 << (float.fraction - 1)) - 1);
    match detail % 4 {
        0 => float.nan(),
        1 => float.nan() | float.sign(),
        2 => float.nan() | payload,
        _ => float.infinity() | payload,
    }
}

/// The number with this power of two.
pub(super) const fn power(float: Float, power: i64) -> u64 {
    let bias = (1 << (float.exponent - 1)) - 1;
    ((bias + power) as u64) << float.fraction
}

/// Appends the element with these bits, little-endian.
pub(crate) fn push(bytes: &mut Vec<u8>, bits: u64, data_type: DataType) {
    bytes.extend_from_slice(&bits.to_le_bytes()[..data_type.bytes()]);
}

/// All bits of a type.
pub(super) const fn ones(data_type: DataType) -> u64 {
    u64::MAX >> (64 - width(data_type))
}

/// The number of bits of a type.
pub(super) const fn width(data_type: DataType) -> u32 {
    8 * data_type.bytes() as u32
}

/// Whether an element is no number.
pub(crate) fn is_nan(bits: u64, data_type: DataType) -> bool {
    Float::of(data_type).is_some_and(|layout| bits & !layout.sign() & ones(data_type) > layout.infinity())
}

/// Whether an element is a float below the least normal one, and not zero.
pub(crate) fn is_subnormal(bits: u64, data_type: DataType) -> bool {
    Float::of(data_type).is_some_and(|layout| (1..1 << layout.fraction).contains(&(bits & !layout.sign())))
}

/// Whether an element is below zero.
pub(crate) fn is_negative(bits: u64, data_type: DataType) -> bool {
    match Float::of(data_type) {
        Some(layout) => bits > layout.sign() && !is_nan(bits, data_type),
        None => data_type.is_signed_integer() && bits >> (width(data_type) - 1) & 1 == 1,
    }
}

/// An element of the other sign where that is a negative one.
pub(crate) fn negative(bits: u64, data_type: DataType) -> u64 {
    match Float::of(data_type) {
        Some(layout) => bits | layout.sign(),
        None if data_type.is_signed_integer() && !is_negative(bits, data_type) => bits.wrapping_neg() & ones(data_type),
        None => bits,
    }
}

/// The float zero with a sign; the zero of any other type.
pub(crate) fn negative_zero(data_type: DataType) -> u64 {
    Float::of(data_type).map_or(0, Float::sign)
}

/// A NaN: quiet or signalling, of either sign, with some payload. 0 in types that have none.
pub(crate) fn nan(choices: &mut Choices<'_>, data_type: DataType) -> u64 {
    let detail = choices.bits();
    Float::of(data_type).map_or(0, |layout| chosen_nan(layout, detail))
}

/// Any value of a type, often one at an edge; `plain` is the plainest. Two numbers are drawn whatever it is, so that
/// what is drawn behind it stays what it is when the value shrinks.
pub(crate) fn value(choices: &mut Choices<'_>, data_type: DataType, plain: i64) -> u64 {
    let (kind, detail) = (choices.below(16), choices.bits());
    match Float::of(data_type) {
        _ if data_type == DataType::Bool => (plain as u64 ^ u64::from(kind > 8)) & 1,
        Some(layout) => float((kind, detail), data_type, layout, plain),
        None => integer((kind, detail), data_type, plain),
    }
}

/// A number in floating point, as an attribute has it.
pub(crate) fn float32(choices: &mut Choices<'_>) -> Float32 {
    f32::from_bits(value(choices, DataType::F32, 0) as u32).into()
}

fn float((kind, detail): (u64, u64), data_type: DataType, layout: Float, plain: i64) -> u64 {
    let (sign, rest) = (if detail & 1 == 1 { layout.sign() } else { 0 }, detail >> 1);
    match kind {
        0..5 => element::from_integer(plain + (detail % 3) as i64, data_type),
        5 => power(layout, -1) | sign,
        6 => element::from_integer(-1 - (detail % 3) as i64, data_type),
        7 => layout.sign(),
        8 | 9 => layout.infinity() | sign,
        10 => (layout.infinity() - 1) | sign,
        11 => (1 << layout.fraction) | sign,
        12 => [1, (1 << layout.fraction) - 1, 1 << (layout.fraction - 1)][(rest % 3) as usize] | sign,
        13 => chosen_nan(layout, detail),
        14 => power(layout, (rest % 15) as i64 - 7) | sign,
        _ => detail & ones(data_type),
    }
}

fn integer((kind, detail): (u64, u64), data_type: DataType, plain: i64) -> u64 {
    let width = width(data_type);
    let high = 1u64 << (width - 1);
    let place = detail % u64::from(width);
    let bits = match kind {
        0..6 => element::from_integer(plain + (detail % 3) as i64, data_type),
        6 => u64::MAX - detail % 3,
        7 => high,
        8 => high - 1,
        9 => high + 1 + detail % 2,
        10 => 1 << place,
        11 => (1 << place) - 1,
        // The first integers that a float of 64, of 32 or of 16 bits cannot tell apart.
        12 => (1 << [53, 24, 11][(detail / 2 % 3) as usize]) + detail % 2,
        13 => [256, 1 << 16, 1 << 8 | 1, 1 << 32][(detail % 4) as usize],
        14 => u64::MAX << place,
        _ => detail,
    };
    bits & ones(data_type)
}

/// An integer that a float of fewer bits, or of as many, cannot tell from its neighbours: so small that a few of them add up to one
/// that the type has.
pub(super) fn beyond_floats(data_type: DataType) -> u64 {
    1 + match width(data_type) {
        64 => 1 << 53,
        32 => 1 << 24,
        bits => 1 << (bits - 4),
    }
}

/// The least value of a type, minus infinity where there is one.
pub(crate) fn least(data_type: DataType) -> u64 {
    match Float::of(data_type) {
        Some(layout) => layout.infinity() | layout.sign(),
        None if data_type.is_signed_integer() => 1 << (width(data_type) - 1),
        None => 0,
    }
}

/// The least or the greatest value of an integer type.
pub(crate) fn extreme(choices: &mut Choices<'_>, data_type: DataType) -> u64 {
    let least = least(data_type);
    if choices.once_in(2) { !least & ones(data_type) } else { least }
}

/// A value that is easily confused with another one: it differs in the last bit, in the sign, in one half only, or
/// altogether. Two numbers are drawn.
pub(crate) fn neighbour(choices: &mut Choices<'_>, bits: u64, data_type: DataType) -> u64 {
    let (kind, detail) = (choices.below(6), choices.bits());
    if data_type == DataType::Bool {
        return bits ^ 1;
    }
    let half = u64::from(width(data_type) / 2);
    let other = match kind {
        0 => bits.wrapping_add(1),
        1 => bits ^ 1 << (2 * half - 1),
        2 => bits ^ 1 << (half + detail % half),
        3 => bits ^ 1 << (detail % half),
        4 => bits.wrapping_neg(),
        _ => !bits,
    };
    other & ones(data_type)
}

/// An index into a sequence of some size, often at or beyond one of its ends, as far as such ones are allowed.
pub(super) fn index(
    choices: &mut Choices<'_>,
    data_type: DataType,
    size: u64,
    is_allowed: impl Fn(i128) -> bool,
) -> u64 {
    let class = choices.below(INDEX_CLASSES as u64);
    let near = choices.below(size);
    let value = index_value(class, i128::from(size), i128::from(near));
    let fits = has_index(value, data_type) && is_allowed(value);
    let part = if data_type.is_float() { choices.below(4) as usize } else { 0 };
    index_element(if fits { value } else { near.into() }, data_type, part)
}

/// The least and the greatest integer of a type; of a float those whose neighbours it has as well.
pub(super) const fn least_and_most(data_type: DataType) -> (i128, i128) {
    let unsigned = 1i128 << width(data_type);
    match Float::of(data_type) {
        Some(float) => (-(1 << (float.fraction + 1)), 1 << (float.fraction + 1)),
        None if data_type.is_signed_integer() => (-unsigned / 2, unsigned / 2 - 1),
        None => (0, unsigned - 1),
    }
}

/// Whether a type has an index. A float has others as well, beyond what 64 bits hold, and none of them is meant.
pub(crate) fn has_index(index: i128, data_type: DataType) -> bool {
    let (least, most) = least_and_most(data_type);
    (least..=most).contains(&index)
        || data_type.is_float()
            && i64::try_from(index).is_ok_and(|whole| {
                let bytes = element::from_integer(whole, data_type).to_le_bytes();
                element::truncated(&bytes[..data_type.bytes()], data_type) == Some(index)
            })
}

/// The element of an index; of a smaller one, if a float does not have it. Of those of a float the second part has a fraction,
/// which is cut off where they are cast.
pub(super) fn index_element(index: i128, data_type: DataType, part: usize) -> u64 {
    let Some(float) = Float::of(data_type) else { return index as u64 & ones(data_type) };
    let index = if has_index(index, data_type) { index } else { index % (1 << (float.fraction + 1)) };
    let whole = element::from_integer(index.clamp(i64::MIN.into(), i64::MAX.into()) as i64, data_type);
    match index.unsigned_abs() {
        0 if part == 1 => power(float, -1) | float.sign(),
        // The bit of a half is one of the fraction.
        1.. if part == 1 && index.unsigned_abs() < 1 << (float.fraction - 1) => {
            whole | 1 << (float.fraction - index.unsigned_abs().ilog2() - 1)
        }
        _ => whole,
    }
}

/// The number of classes of indices.
pub(crate) const INDEX_CLASSES: usize = 34;

/// The index of a class for a sequence of some size; `near` is an index within it.
pub(super) fn index_value(class: u64, size: i128, near: i128) -> i128 {
    match class {
        0..8 => near,
        8 => size - 1,
        9 | 10 => size,
        11 => size + 1 + near,
        12 => 2 * size,
        13 | 14 => -1,
        15 => -1 - near,
        16 => -size,
        17 | 18 => -size - 1,
        19 => -2 * size,
        20 => -size - 2 - near,
        21 => (1 << 31) + near,
        22 => (1 << 31) - 1,
        23 => -(1 << 31),
        24 => (1 << 32) + near,
        25 => -(1 << 32) + near,
        26 => (1 << 32) - 1 - near,
        27 => (1 << 63) - 1,
        28 => (1 << 63) + near,
        29 => (1 << 64) - 1 - near,
        30 => -(1 << 63),
        31 => (1 << 8) + near,
        32 => (1 << 24) + near,
        _ => (1 << 16) + near,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bits: u64, data_type: DataType) -> String {
        element::render(&bits.to_le_bytes(), data_type)
    }

    #[test]
    fn the_plainest_values_are_small_numbers() {
        for data_type in DataType::ALL {
            assert_eq!(value(&mut Choices::replay(&[]), data_type, 1), element::from_integer(1, data_type));
            assert_eq!(index(&mut Choices::replay(&[]), DataType::I32, 5, |_| true), 0);
        }
        assert_eq!(text(element::from_integer(3, DataType::F16), DataType::F16), "3");
        assert_eq!(text(element::from_integer(-1, DataType::I16), DataType::I16), "-1");
    }

    #[test]
    fn floats_reach_their_edges() {
        for data_type in DataType::ALL.into_iter().filter(|data_type| data_type.is_float()) {
            let mut choices = Choices::random(3);
            let values: Vec<u64> = (0..2000).map(|_| value(&mut choices, data_type, 0)).collect();
            let infinity = element::from_integer(i64::MAX, DataType::F16);
            assert_eq!(text(infinity, DataType::F16), "inf");
            assert!(values.iter().any(|&bits| is_nan(bits, data_type)));
            assert!(values.iter().any(|&bits| is_subnormal(bits, data_type)));
            let texts: Vec<String> = values.iter().map(|&bits| text(bits, data_type)).collect();
            for wanted in ["-0.0", "inf", "-inf", "0", "1", "0.5", "-1"] {
                assert!(texts.iter().any(|text| text == wanted), "{data_type} never is {wanted}");
            }
        }
        assert!(!is_nan(0x7C00, DataType::F16) && is_nan(0xFC01, DataType::F16) && is_subnormal(0x8001, DataType::F16));
        assert!(!is_subnormal(0x8000, DataType::F16) && !is_subnormal(0x0400, DataType::F16));
    }

    #[test]
    fn indices_reach_both_ends_and_what_is_cut_to_them() {
        let reach = |data_type, negative| {
            let mut choices = Choices::random(5);
            let values =
                (0..4000).map(|_| index(&mut choices, data_type, 3, |index| negative || index >= 0).to_le_bytes());
            values.filter_map(|bytes| element::integer(&bytes, data_type)).collect::<std::collections::BTreeSet<_>>()
        };
        for wanted in [0, 2, 3, 4, 6, -1, -3, -4, -6, i128::from(i64::MIN), (1 << 32) + 2, (1 << 32) - 1, 1 - (1 << 32)]
        {
            assert!(reach(DataType::I64, true).contains(&wanted), "{wanted}");
        }
        for wanted in [3, 1 << 31, 1 << 32, 1 << 63, (1 << 63) + 1, (1 << 64) - 1] {
            assert!(reach(DataType::U64, true).contains(&wanted), "{wanted}");
        }
        assert!(reach(DataType::I32, false).iter().all(|&index| index >= 0));
        assert!(reach(DataType::U32, true).contains(&u32::MAX.into()));
    }
}
