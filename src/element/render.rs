//! From bytes to text.

use half::{bf16, f16};
use opcert_backend::{DataType, Float32};

/// The element at the start of `bytes` as text.
///
/// Floats are written as short as they can be told apart; a NaN shows its bits, since they may matter.
#[must_use]
pub fn render(bytes: &[u8], data_type: DataType) -> String {
    fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
        let mut array = [0; N];
        array.copy_from_slice(&bytes[..N]);
        array
    }
    match data_type {
        DataType::F64 => render_float(f64::from_le_bytes(array(bytes)), bytes, data_type),
        DataType::F32 => {
            let value = f32::from_le_bytes(array(bytes));
            match render_special(value.into(), bytes, data_type) {
                Some(text) => text,
                None if ordinary(value.into()) => value.to_string(),
                None => format!("{value:e}"),
            }
        }
        DataType::F16 => render_float(f16::from_le_bytes(array(bytes)).to_f64(), bytes, data_type),
        DataType::BF16 => render_float(bf16::from_le_bytes(array(bytes)).to_f64(), bytes, data_type),
        DataType::I64 => i64::from_le_bytes(array(bytes)).to_string(),
        DataType::I32 => i32::from_le_bytes(array(bytes)).to_string(),
        DataType::I16 => i16::from_le_bytes(array(bytes)).to_string(),
        DataType::I8 => i8::from_le_bytes(array(bytes)).to_string(),
        DataType::U64 => u64::from_le_bytes(array(bytes)).to_string(),
        DataType::U32 => u32::from_le_bytes(array(bytes)).to_string(),
        DataType::U16 => u16::from_le_bytes(array(bytes)).to_string(),
        DataType::U8 => bytes[0].to_string(),
        DataType::Bool => match bytes[0] {
            0 => "false".to_owned(),
            1 => "true".to_owned(),
            other => format!("bool({other:#04x})"),
        },
    }
}

/// A number in floating point as an attribute has it: what is no number is one value.
#[must_use]
pub fn render_float32(value: Float32) -> String {
    if value.get().is_nan() { "nan".to_owned() } else { render(&value.bits().to_le_bytes(), DataType::F32) }
}

fn render_float(value: f64, bytes: &[u8], data_type: DataType) -> String {
    match render_special(value, bytes, data_type) {
        Some(text) => text,
        None if ordinary(value) => value.to_string(),
        None => format!("{value:e}"),
    }
}

fn render_special(value: f64, bytes: &[u8], data_type: DataType) -> Option<String> {
    if value.is_nan() {
        let bits = bytes[..data_type.bytes()].iter().rev().map(|byte| format!("{byte:02X}")).collect::<String>();
        return Some(format!("nan(0x{bits})"));
    }
    if value == 0.0 && value.is_sign_negative() {
        return Some("-0.0".to_owned());
    }
    value.is_infinite().then(|| if value > 0.0 { "inf".to_owned() } else { "-inf".to_owned() })
}

fn ordinary(value: f64) -> bool {
    value == 0.0 || (1e-4..1e9).contains(&value.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_short_and_tells_values_apart() {
        let text = |value: f32| render(&value.to_le_bytes(), DataType::F32);
        assert_eq!(text(1.0), "1");
        assert_eq!(text(-5.2), "-5.2");
        assert_eq!(text(-0.0), "-0.0");
        assert_eq!(text(f32::from_bits(0x7FC0_0001)), "nan(0x7FC00001)");
        assert_eq!(text(f32::MAX), "3.4028235e38");
        assert_eq!(render(&[0xFF], DataType::I8), "-1");
    }
}
