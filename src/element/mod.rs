//! Single elements: from the text of a file to bytes, and from bytes to text.
//!
//! Text goes straight to the element's type; no number passes through another one on the way.

use opcert_backend::DataType;

mod float;
mod parse;
mod render;

pub(crate) use float::{Float, Number};
pub use parse::{parse, parse_bits, parse_float32};
pub use render::{render, render_float32};

/// The value of an integer element at the start of `bytes`; `None` for floats.
#[must_use]
pub fn integer(bytes: &[u8], data_type: DataType) -> Option<i128> {
    if data_type.is_float() {
        return None;
    }
    let width = data_type.bytes();
    let mut wide = [0u8; 16];
    wide[..width].copy_from_slice(&bytes[..width]);
    let value = i128::from_le_bytes(wide);
    let sign = data_type.is_signed_integer() && value >> (8 * width - 1) != 0;
    Some(if sign { value - (1i128 << (8 * width)) } else { value })
}

/// The value of an element at the start of `bytes` without its fraction, as C casts it to an integer: toward zero. `None` for
/// what is no finite number, or too large for any type of integers.
#[must_use]
pub fn truncated(bytes: &[u8], data_type: DataType) -> Option<i128> {
    let Some(float) = Float::of(data_type) else { return integer(bytes, data_type) };
    let width = data_type.bytes();
    let mut wide = [0u8; 8];
    wide[..width].copy_from_slice(&bytes[..width]);
    let bits = u64::from_le_bytes(wide);
    let magnitude = bits & (float.sign() - 1);
    let exponent = (magnitude >> float.fraction) as i64 - ((1 << (float.exponent - 1)) - 1);
    let fraction = magnitude & ((1 << float.fraction) - 1) | 1 << float.fraction;
    let number = match exponent {
        _ if magnitude >= float.infinity() => return None,
        ..0 => 0,
        0..=64 => (i128::from(fraction) << exponent) >> float.fraction,
        _ => return None,
    };
    Some(if bits & float.sign() == 0 { number } else { -number })
}

/// The bits of the element nearest to an integer; an integer type takes its lowest bits.
pub(crate) fn from_integer(value: i64, data_type: DataType) -> u64 {
    let nearest = Float::of(data_type).and_then(|float| float.nearest(Number::Integer(value)));
    nearest.unwrap_or(match data_type {
        DataType::Bool => value as u64 & 1,
        _ => value as u64 & (u64::MAX >> (64 - 8 * data_type.bytes())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_every_width_keep_their_sign() {
        assert_eq!(integer(&[0xFF], DataType::I8), Some(-1));
        assert_eq!(integer(&[0xFF], DataType::U8), Some(255));
        assert_eq!(integer(&u64::MAX.to_le_bytes(), DataType::U64), Some(u64::MAX.into()));
        assert_eq!(integer(&i64::MIN.to_le_bytes(), DataType::I64), Some(i64::MIN.into()));
        assert_eq!(integer(&[0; 4], DataType::F32), None);
    }

    #[test]
    fn fractions_are_cut_off_toward_zero() {
        let of = |value: f32| truncated(&value.to_le_bytes(), DataType::F32);
        for (value, whole) in [(0.0, 0), (-0.0, 0), (0.99, 0), (-0.99, 0), (1.0, 1), (2.5, 2), (-2.5, -2), (1e-40, 0)] {
            assert_eq!(of(value), Some(whole), "{value}");
        }
        assert_eq!(of(16_777_216.0), Some(1 << 24));
        assert_eq!([of(f32::NAN), of(f32::INFINITY), of(f32::NEG_INFINITY), of(1e30)], [None; 4]);
        assert_eq!(truncated(&(-9_223_372_036_854_775_808.0_f64).to_le_bytes(), DataType::F64), Some(-(1 << 63)));
        assert_eq!(truncated(&0x4248_u16.to_le_bytes(), DataType::F16), Some(3));
        assert_eq!(truncated(&[0xFF], DataType::I8), Some(-1));
    }
}
