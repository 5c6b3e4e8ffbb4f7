//! Wrong ways to write a value, for both one-hot operators.

use opcert_backend::DataType;

use super::rules::Choice;

/// The formula `hot * (on - off) + off` in the arithmetic of a 32-bit float.
pub(crate) fn computed_as_float32(choice: &Choice) -> u64 {
    if choice.data_type != DataType::F32 {
        return choice.chosen();
    }
    let [off, on] = [choice.off, choice.on].map(|bits| f32::from_bits(bits as u32));
    let hot = f32::from(u8::from(choice.hot));
    u64::from((hot * (on - off) + off).to_bits())
}

/// The same formula in the arithmetic of a 64-bit float.
pub(crate) fn computed_as_float64(choice: &Choice) -> u64 {
    if choice.data_type != DataType::F64 {
        return choice.chosen();
    }
    let [off, on] = [choice.off, choice.on].map(f64::from_bits);
    (f64::from(u8::from(choice.hot)) * (on - off) + off).to_bits()
}

/// Integers of 32 and 64 bits pass through a 32-bit float.
pub(crate) fn integers_through_float32(choice: &Choice) -> u64 {
    integers_through(choice, |number| f64::from(number as f32))
}

/// Integers of 32 and 64 bits pass through a 64-bit float.
pub(crate) fn integers_through_float64(choice: &Choice) -> u64 {
    integers_through(choice, |number| number)
}

fn integers_through(choice: &Choice, rounded: fn(f64) -> f64) -> u64 {
    let number = rounded(choice.element().number());
    match choice.data_type {
        DataType::I64 => (number as i64).cast_unsigned(),
        DataType::I32 => u64::from((number as i32).cast_unsigned()),
        DataType::U64 => number as u64,
        DataType::U32 => u64::from(number as u32),
        _ => choice.chosen(),
    }
}

/// 64-bit floats pass through 32-bit ones.
pub(crate) fn float64_through_float32(choice: &Choice) -> u64 {
    if choice.data_type != DataType::F64 {
        return choice.chosen();
    }
    f64::from(f64::from_bits(choice.chosen()) as f32).to_bits()
}

/// A NaN keeps nothing but that it is one.
pub(crate) fn canonical_nan(choice: &Choice) -> u64 {
    let element = choice.element();
    match (element.is_nan(), element.infinity(), element.mantissa_bits()) {
        (true, Some(infinity), Some(mantissa)) => infinity | 1 << (mantissa - 1),
        _ => element.bits,
    }
}

/// A signalling NaN turns into a quiet one, as it does in most conversions.
pub(crate) fn quiet_nan(choice: &Choice) -> u64 {
    let element = choice.element();
    match element.mantissa_bits() {
        Some(mantissa) if element.is_nan() => element.bits | 1 << (mantissa - 1),
        _ => element.bits,
    }
}

/// -0.0 loses its sign.
pub(crate) fn positive_zero(choice: &Choice) -> u64 {
    let element = choice.element();
    if element.data_type.is_float() && element.magnitude() == 0 { 0 } else { element.bits }
}

/// An infinity turns into the greatest number of its sign.
pub(crate) fn saturated_infinity(choice: &Choice) -> u64 {
    let element = choice.element();
    if element.is_infinite() { element.bits - 1 } else { element.bits }
}

/// Subnormal numbers turn into zero.
pub(crate) fn flushed_subnormal(choice: &Choice) -> u64 {
    let element = choice.element();
    if element.is_subnormal() { 0 } else { element.bits }
}

/// Only the low `KEPT` bytes of values of `WIDTH` bytes are copied; the others are 0.
pub(crate) fn low_bytes<const WIDTH: usize, const KEPT: usize>(choice: &Choice) -> u64 {
    if choice.data_type.bytes() == WIDTH { choice.chosen() & ((1 << (8 * KEPT)) - 1) } else { choice.chosen() }
}

/// The lowest integer of a signed type turns into the one above it, as clamping to a symmetric range does.
pub(crate) fn symmetric_integer(choice: &Choice) -> u64 {
    let lowest = choice.data_type.is_signed_integer() && choice.chosen() == 1 << (8 * choice.data_type.bytes() - 1);
    choice.chosen() + u64::from(lowest)
}

/// Unsigned integers are clamped to the range of the signed type of their width.
pub(crate) fn clamped_to_signed(choice: &Choice) -> u64 {
    let unsigned = matches!(choice.data_type, DataType::U64 | DataType::U32 | DataType::U16 | DataType::U8);
    let most = (1 << (8 * choice.data_type.bytes() - 1)) - 1;
    if unsigned { choice.chosen().min(most) } else { choice.chosen() }
}

/// 64-bit integers are clamped to the range of 32 bits.
pub(crate) fn clamped_to_32_bits(choice: &Choice) -> u64 {
    match choice.data_type {
        DataType::I64 => choice.chosen().cast_signed().clamp(i64::from(i32::MIN), i64::from(i32::MAX)).cast_unsigned(),
        DataType::U64 => choice.chosen().min(u64::from(u32::MAX)),
        _ => choice.chosen(),
    }
}
