//! From the text of a file to bytes.

use opcert_backend::{DataType, Float32};

use super::float::{Float, Number};
use crate::yaml;

/// Appends the element that a plain scalar denotes, little-endian.
///
/// # Errors
///
/// What is wrong with the text, as a fragment that follows the text itself.
pub fn parse(text: &str, data_type: DataType, bytes: &mut Vec<u8>) -> Result<(), String> {
    macro_rules! integer {
        ($type:ty) => {{
            let value = yaml::unsigned(text, <$type>::from_str_radix)
                .or_else(|| text.parse::<$type>().ok())
                .ok_or_else(|| integer_problem(text, <$type>::MIN.into(), <$type>::MAX.into()))?;
            bytes.extend_from_slice(&value.to_le_bytes());
        }};
    }
    match data_type {
        DataType::I64 => integer!(i64),
        DataType::I32 => integer!(i32),
        DataType::I16 => integer!(i16),
        DataType::I8 => integer!(i8),
        DataType::U64 => integer!(u64),
        DataType::U32 => integer!(u32),
        DataType::U16 => integer!(u16),
        DataType::U8 => integer!(u8),
        DataType::Bool => match text {
            "true" => bytes.push(1),
            "false" => bytes.push(0),
            _ => return Err("is neither `true` nor `false`".to_owned()),
        },
        DataType::F64 | DataType::F32 | DataType::F16 | DataType::BF16 => {
            bytes.extend_from_slice(&float(text, data_type)?.to_le_bytes()[..data_type.bytes()]);
        }
    }
    Ok(())
}

/// The number in floating point that a plain scalar denotes, as an attribute has it.
///
/// # Errors
///
/// What is wrong with the text, as a fragment that follows the text itself.
pub fn parse_float32(text: &str) -> Result<Float32, String> {
    Ok(f32::from_bits(float(text, DataType::F32)? as u32).into())
}

/// Appends the element with an exact pattern of bits, little-endian.
///
/// # Errors
///
/// What is wrong, as a fragment that follows the text itself.
pub fn parse_bits(text: &str, data_type: DataType, bytes: &mut Vec<u8>) -> Result<(), String> {
    let width = data_type.bytes();
    yaml::digits(text).ok_or("is no pattern of bits such as `0x7FC00001`")?;
    let bits = yaml::unsigned(text, u64::from_str_radix)
        .filter(|bits| bits.checked_shr(8 * width as u32).is_none_or(|above| above == 0));
    let bits = bits.ok_or_else(|| format!("has more than the {} bits of {data_type}", 8 * width))?;
    if data_type == DataType::Bool && bits > 1 {
        return Err("is no boolean: 0 or 1".to_owned());
    }
    bytes.extend_from_slice(&bits.to_le_bytes()[..width]);
    Ok(())
}

fn integer_problem(text: &str, least: i128, greatest: i128) -> String {
    let decimal = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_decimal = !decimal.is_empty() && decimal.bytes().all(|byte| byte.is_ascii_digit());
    if is_decimal || yaml::digits(text).is_some() {
        format!("does not fit: {least} to {greatest}")
    } else {
        "is no integer".to_owned()
    }
}

/// The bits of the float nearest to a number in a file.
fn float(text: &str, data_type: DataType) -> Result<u64, String> {
    let float = Float::of(data_type).ok_or("is no number")?;
    match text {
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Ok(float.infinity()),
        "-.inf" | "-.Inf" | "-.INF" => return Ok(float.sign() | float.infinity()),
        ".nan" | ".NaN" | ".NAN" => return Ok(float.nan()),
        _ => {}
    }
    let is_shaped = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    let bits = Some(text).filter(|_| is_shaped).and_then(|text| float.nearest(Number::Text(text)));
    let bits = bits.ok_or("is no number")?;
    let is_infinite = bits & !float.sign() == float.infinity();
    if is_infinite { Err("overflows: write `.inf` for infinity".to_owned()) } else { Ok(bits) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(text: &str, data_type: DataType) -> Result<u64, String> {
        let mut bytes = Vec::new();
        parse(text, data_type, &mut bytes)?;
        bytes.resize(8, 0);
        Ok(u64::from_le_bytes(bytes.try_into().unwrap()))
    }

    #[test]
    fn narrow_floats_round_from_the_text_itself() {
        // 1 + 2^-11 is halfway between 1 and the next binary16 (0x3C01): even wins. A hair more is more.
        assert_eq!(bits("1.00048828125", DataType::F16), Ok(0x3C00));
        assert_eq!(bits("1.000488281250000000000000000000000001", DataType::F16), Ok(0x3C01));
        assert_eq!(bits("-1.000488281250000000000000000000000001", DataType::F16), Ok(0xBC01));
        // 1 + 3·2^-11 is halfway between 0x3C01 and 0x3C02: even wins. A hair less is less.
        assert_eq!(bits("1.00146484375", DataType::F16), Ok(0x3C02));
        assert_eq!(bits("1.001464843749999999999999999999999999", DataType::F16), Ok(0x3C01));
        // 2^-25 is halfway between 0 and the least subnormal.
        assert_eq!(bits("2.98023223876953125e-8", DataType::F16), Ok(0));
        assert_eq!(bits("2.980232238769531250000000000000000001e-8", DataType::F16), Ok(1));
        // 1 + 2^-8 for bfloat16.
        assert_eq!(bits("1.00390625", DataType::BF16), Ok(0x3F80));
        assert_eq!(bits("1.003906250000000000000000000000000000001", DataType::BF16), Ok(0x3F81));
        assert_eq!(bits("65504", DataType::F16), Ok(0x7BFF));
        assert_eq!(bits("65519.99", DataType::F16), Ok(0x7BFF));
        assert_eq!(bits("65519.99999999999999999999", DataType::F16), Ok(0x7BFF));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (text, data_type, fragment) in [
            ("65520", DataType::F16, "overflows"),
            ("1e39", DataType::F32, "overflows"),
            ("1e400", DataType::F64, "overflows"),
            ("256", DataType::U8, "does not fit: 0 to 255"),
            ("0x1FF", DataType::U8, "does not fit: 0 to 255"),
            ("0o777", DataType::I8, "does not fit: -128 to 127"),
            ("0x10000000000000000", DataType::U64, "does not fit: 0 to 18446744073709551615"),
            ("0x1FG", DataType::U8, "is no integer"),
            ("-0x1", DataType::I8, "is no integer"),
            ("0x", DataType::U8, "is no integer"),
            ("", DataType::U8, "is no integer"),
            ("-1", DataType::U64, "does not fit: 0 to 18446744073709551615"),
            ("-129", DataType::I8, "does not fit: -128 to 127"),
            ("1.0", DataType::I32, "is no integer"),
            ("inf", DataType::F32, "is no number"),
            ("nan", DataType::F32, "is no number"),
            ("1_000", DataType::F32, "is no number"),
            ("1", DataType::Bool, "is neither"),
        ] {
            let problem = bits(text, data_type).unwrap_err();
            assert!(problem.contains(fragment), "{text} {data_type}: {problem}");
        }
    }

    #[test]
    fn exact_patterns_and_specials() {
        assert_eq!(bits("-0.0", DataType::F32), Ok(0x8000_0000));
        assert_eq!(bits("-.inf", DataType::F16), Ok(0xFC00));
        assert_eq!(bits(".nan", DataType::F32).unwrap() & 0x7FC0_0000, 0x7FC0_0000);
        assert_eq!(bits("9007199254740993", DataType::I64), Ok(9_007_199_254_740_993));
        assert_eq!(bits("0xFF", DataType::U8), Ok(255));
        let mut bytes = Vec::new();
        parse_bits("0x7FC00001", DataType::F32, &mut bytes).unwrap();
        assert_eq!(bytes, 0x7FC0_0001u32.to_le_bytes());
        for (text, data_type, fragment) in [
            ("0x1FFFF", DataType::F16, "has more than the 16 bits"),
            ("0x1FFFFFFFFFFFFFFFF", DataType::F64, "has more than the 64 bits"),
            ("2", DataType::Bool, "is no boolean"),
            ("-1", DataType::F16, "is no pattern of bits"),
        ] {
            let problem = parse_bits(text, data_type, &mut bytes).unwrap_err();
            assert!(problem.contains(fragment), "{text} {data_type}: {problem}");
        }
    }
}
