//! Wrong ways to choose a winner: initial values, ties, and trees that lose their way.

use opcert_backend::DataType;

use super::rules::Subset;
use crate::element::{Element, order_of_number};

/// The least element wins.
pub(crate) fn minimum(subset: &Subset<'_>) -> i64 {
    let keys: Vec<i128> = subset.keys.iter().map(|&key| -key.max(-i128::MAX)).collect();
    Subset { keys: &keys, ..*subset }.maximum(subset.last)
}

/// Nothing below an initial maximum can win; what wins then is `otherwise`.
pub(crate) fn above(subset: &Subset<'_>, initial: i128, otherwise: i64) -> i64 {
    let place = subset.maximum(subset.last);
    if subset.keys[place as usize] > initial { place } else { otherwise }
}

/// The key of the least value of the type that is not an infinity.
pub(crate) fn lowest_finite(subset: &Subset<'_>) -> i128 {
    let Some(Element { data_type, .. }) = subset.elements.first() else { return 0 };
    let element = Element { bits: 0, data_type: *data_type };
    match element.infinity() {
        Some(infinity) => 1 - i128::from(infinity),
        None if data_type.is_signed_integer() => -(1 << (8 * data_type.bytes() - 1)),
        None => 0,
    }
}

/// The key of the least value of the type.
pub(crate) fn lowest(subset: &Subset<'_>) -> i128 {
    let float = subset.elements.first().is_some_and(|element| element.data_type.is_float());
    lowest_finite(subset) - i128::from(float)
}

/// Blocks of `SIZE` choose rightly among themselves, and between blocks a tie goes the wrong way, if the direction is
/// the one asked for.
pub(crate) fn wrong_tie_between_blocks<const SIZE: usize, const LAST: bool>(subset: &Subset<'_>) -> i64 {
    if subset.last != LAST {
        return subset.maximum(subset.last);
    }
    let Some(maximum) = subset.keys.iter().max() else { return 0 };
    let mut blocks = subset.keys.chunks(SIZE).enumerate().filter(|(_, block)| block.contains(maximum));
    let chosen = if LAST { blocks.next() } else { blocks.next_back() };
    chosen.map_or(0, |(number, keys)| (number * SIZE) as i64 + Subset { keys, ..*subset }.maximum(LAST))
}

/// The index counts from the beginning of the winner's block of `SIZE`.
pub(crate) fn index_in_block<const SIZE: i64>(subset: &Subset<'_>) -> i64 {
    subset.maximum(subset.last) % SIZE
}

/// A tree folds the upper half onto the lower one until one element is left, and a tie keeps the lower lane, which is
/// not the lower index. Only with the direction that is asked for.
pub(crate) fn tree_keeps_the_lane<const LAST: bool>(subset: &Subset<'_>) -> i64 {
    if subset.last != LAST {
        return subset.maximum(subset.last);
    }
    let mut lanes: Vec<(i128, i64)> = subset.keys.iter().zip(0..).map(|(&key, place)| (key, place)).collect();
    while lanes.len() > 1 {
        let upper = lanes.split_off(lanes.len().div_ceil(2));
        for (lower, upper) in lanes.iter_mut().zip(upper) {
            if upper.0 > lower.0 || LAST && upper.0 == lower.0 {
                *lower = upper;
            }
        }
    }
    lanes.first().map_or(0, |&(_, place)| place)
}

/// Integers of a width are compared as floats.
pub(crate) fn as_float64(element: Element) -> i128 {
    match element.data_type {
        DataType::I64 | DataType::U64 => order_of_number(element.number()),
        _ => crate::element::order(element),
    }
}

/// Integers of 32 bits are compared as 32-bit floats.
pub(crate) fn as_float32(element: Element) -> i128 {
    match element.data_type {
        DataType::I32 | DataType::U32 => order_of_number(f64::from(element.number() as f32)),
        _ => crate::element::order(element),
    }
}

/// Elements of one type are compared as if they had another one of the same width.
pub(crate) fn read_as(element: Element, data_type: DataType, other: DataType) -> i128 {
    crate::element::order(if element.is(data_type) { element.read_as(other) } else { element })
}

/// FLOAT32 elements are compared without the low bits of their fraction, as after a conversion to FLOAT16.
pub(crate) fn float32_as_float16(element: Element) -> i128 {
    let rounded = if element.is(DataType::F32) && !element.is_nan() { element.bits & !0x1FFF } else { element.bits };
    crate::element::order(Element { bits: rounded, ..element })
}
