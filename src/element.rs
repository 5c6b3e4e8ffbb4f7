//! Single elements: from the text of a file to bytes, and from bytes to text.
//!
//! Text goes straight to the element's type; no number passes through another one on the way.

use std::cmp::Ordering;

use half::{bf16, f16};
use opcert_backend::DataType;

/// Appends the element that a plain scalar denotes, little-endian.
///
/// # Errors
///
/// What is wrong with the text, as a fragment that follows the text itself.
pub fn parse(text: &str, data_type: DataType, bytes: &mut Vec<u8>) -> Result<(), String> {
    macro_rules! integer {
        ($type:ty) => {{
            let value = crate::yaml::unsigned(text, <$type>::from_str_radix)
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
        DataType::F64 => bytes.extend_from_slice(&float::<f64>(text, f64::INFINITY, f64::is_infinite)?.to_le_bytes()),
        DataType::F32 => bytes.extend_from_slice(&float::<f32>(text, f32::INFINITY, f32::is_infinite)?.to_le_bytes()),
        DataType::F16 => {
            let wide = float::<f64>(text, f64::INFINITY, f64::is_infinite)?;
            let value = narrow(text, wide, f16::from_f64, f16::to_f64, |value| f16::from_bits(value.to_bits() ^ 1));
            finite_unless_said(text, value.is_infinite())?;
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        DataType::BF16 => {
            let wide = float::<f64>(text, f64::INFINITY, f64::is_infinite)?;
            let value = narrow(text, wide, bf16::from_f64, bf16::to_f64, |value| bf16::from_bits(value.to_bits() ^ 1));
            finite_unless_said(text, value.is_infinite())?;
            bytes.extend_from_slice(&value.to_le_bytes());
        }
    }
    Ok(())
}

/// Appends the element with an exact pattern of bits, little-endian.
///
/// # Errors
///
/// What is wrong, as a fragment that follows the text itself.
pub fn parse_bits(text: &str, data_type: DataType, bytes: &mut Vec<u8>) -> Result<(), String> {
    let bits = crate::yaml::unsigned(text, u64::from_str_radix).ok_or("is no pattern of bits such as `0x7FC00001`")?;
    let width = data_type.bytes();
    if width < 8 && bits >> (8 * width) != 0 {
        return Err(format!("has more than the {} bits of {data_type}", 8 * width));
    }
    if data_type == DataType::Bool && bits > 1 {
        return Err("is no boolean: 0 or 1".to_owned());
    }
    bytes.extend_from_slice(&bits.to_le_bytes()[..width]);
    Ok(())
}

fn integer_problem(text: &str, least: i128, greatest: i128) -> String {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("does not fit: {least} to {greatest}")
    } else {
        "is no integer".to_owned()
    }
}

fn float<T: std::str::FromStr + std::ops::Neg<Output = T> + Copy>(
    text: &str,
    infinity: T,
    is_infinite: impl Fn(T) -> bool,
) -> Result<T, String> {
    match text {
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Ok(infinity),
        "-.inf" | "-.Inf" | "-.INF" => return Ok(-infinity),
        ".nan" | ".NaN" | ".NAN" => return "NaN".parse().map_err(|_| "is no number".to_owned()),
        _ => {}
    }
    let shaped = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    let value: T = Some(text).filter(|_| shaped).and_then(|text| text.parse().ok()).ok_or("is no number")?;
    if is_infinite(value) { Err("overflows: write `.inf` for infinity".to_owned()) } else { Ok(value) }
}

fn finite_unless_said(text: &str, infinite: bool) -> Result<(), String> {
    let said = text.trim_start_matches(['-', '+']).eq_ignore_ascii_case(".inf");
    if infinite && !said { Err("overflows: write `.inf` for infinity".to_owned()) } else { Ok(()) }
}

/// Rounds to a narrow float as if straight from the text. The detour by way of `wide` goes wrong only where `wide` is
/// itself halfway between two narrow values and the text is not: then the text decides.
fn narrow<T: Copy>(
    text: &str,
    wide: f64,
    round: impl Fn(f64) -> T,
    widen: impl Fn(T) -> f64,
    flip_last_bit: impl Fn(T) -> T,
) -> T {
    let nearest = round(wide);
    let difference = wide - widen(nearest);
    if difference == 0.0 || !difference.is_finite() {
        return nearest;
    }
    // Ties go to the even neighbour, so that the other one differs in the last bit, or lies one step on.
    let other = round(wide + difference * 0.5);
    let other = if widen(other) == widen(nearest) { flip_last_bit(nearest) } else { other };
    let halfway = (wide - widen(nearest)).abs() == (wide - widen(other)).abs();
    if !halfway {
        return nearest;
    }
    let beyond = compare_magnitudes(text, &format!("{:.160}", wide.abs()));
    let larger = if widen(nearest).abs() > widen(other).abs() { nearest } else { other };
    let smaller = if widen(nearest).abs() > widen(other).abs() { other } else { nearest };
    match beyond {
        Ordering::Less => smaller,
        Ordering::Equal => nearest,
        Ordering::Greater => larger,
    }
}

/// Compares the magnitudes of two decimal numbers exactly.
fn compare_magnitudes(one: &str, other: &str) -> Ordering {
    let ((exponent, digits), (other_exponent, other_digits)) = (decimal(one), decimal(other));
    match (digits.is_empty(), other_digits.is_empty()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => exponent.cmp(&other_exponent).then_with(|| digits.cmp(&other_digits)),
    }
}

/// The power of ten of the first significant digit, and the significant digits.
fn decimal(text: &str) -> (i64, Vec<u8>) {
    let text = text.trim_start_matches(['-', '+']);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    let leading = digits.iter().take_while(|&&digit| digit == b'0').count();
    let mut significant = digits[leading..].to_vec();
    while significant.last() == Some(&b'0') {
        significant.pop();
    }
    let exponent: i64 = exponent.parse().unwrap_or(0);
    (exponent + whole.len() as i64 - leading as i64, significant)
}

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
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (text, data_type, fragment) in [
            ("65520", DataType::F16, "overflows"),
            ("1e39", DataType::F32, "overflows"),
            ("1e400", DataType::F64, "overflows"),
            ("256", DataType::U8, "does not fit: 0 to 255"),
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
        assert!(parse_bits("0x1FFFF", DataType::F16, &mut bytes).is_err());
    }

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

    #[test]
    fn integers_of_every_width_keep_their_sign() {
        assert_eq!(integer(&[0xFF], DataType::I8), Some(-1));
        assert_eq!(integer(&[0xFF], DataType::U8), Some(255));
        assert_eq!(integer(&u64::MAX.to_le_bytes(), DataType::U64), Some(u64::MAX.into()));
        assert_eq!(integer(&i64::MIN.to_le_bytes(), DataType::I64), Some(i64::MIN.into()));
        assert_eq!(integer(&[0; 4], DataType::F32), None);
    }
}
