//! Single elements: from the text of a file to bytes, and from bytes to text.
//!
//! Text goes straight to the element's type; no number passes through another one on the way.

use opcert_backend::DataType;

mod float;
mod parse;
mod render;

pub(crate) use float::{Float, Number};
pub use parse::{parse, parse_bits};
pub use render::render;

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
}
