//! Elements for numbers of 32 bits in floating point, as attributes have them whatever the type of the tensors is.

use half::f16;
use opcert_backend::DataType;
use opcert_backend::DataType::{F16, F32};

/// The bits of the element for a number: it without its fraction if that is not an integer's, the nearest one of a float. What is
/// beyond a type of integers is its nearest end, and what is no number is 0 there.
pub(crate) fn cast(value: f32, data_type: DataType) -> u64 {
    match data_type {
        F32 => value.to_bits().into(),
        F16 => f16::from_f32(value).to_bits().into(),
        _ if data_type.is_float() => f64::from(value).to_bits(),
        _ => integer(value, data_type),
    }
}

fn integer(value: f32, data_type: DataType) -> u64 {
    let bits = 8 * data_type.bytes() as u32;
    let (least, most) = if data_type.is_signed_integer() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    (value as i128).clamp(least, most) as u64 & (u64::MAX >> (64 - bits))
}

#[cfg(test)]
mod tests {
    use opcert_backend::DataType::{F16, F32, F64, I8, I64, U8, U64};

    use super::cast;

    #[test]
    fn numbers_become_elements() {
        assert_eq!([cast(10.6, U8), cast(-2.5, I8), cast(f32::NAN, I8)], [10, 0xFE, 0]);
        assert_eq!([cast(300.0, U8), cast(-1.0, U64), cast(1e30, I64)], [255, 0, i64::MAX as u64]);
        assert_eq!([cast(-0.0, F32), cast(0.1, F64)], [1 << 31, 0x3FB9_9999_A000_0000]);
        assert_eq!(cast(2049.0, F16), 0x6800);
    }
}
