//! The float nearest to a number, ties to even, rounded once.
//!
//! The standard library rounds decimal text and integers to singles and doubles correctly, and knows no narrower type
//! yet. Half and bfloat16 come from the nearest double, which is the same but where that double lies in the middle
//! of two narrow values: then the number itself says on which side of the middle it is. The conversions of the crate
//! `half` will not do, since they leave out the lower half of a double's fraction.

use std::cmp::Ordering;

use opcert_backend::DataType;

/// How many bits of a float are its exponent and its fraction.
#[derive(Clone, Copy)]
pub(crate) struct Float {
    /// Those of the exponent.
    pub(crate) exponent: u32,
    /// Those of the fraction.
    pub(crate) fraction: u32,
}

/// A number, before it is rounded.
#[derive(Clone, Copy)]
pub(crate) enum Number<'a> {
    /// Decimal text, as the standard library reads it.
    Text(&'a str),
    /// An integer.
    Integer(i64),
    /// A double.
    Double(f64),
}

impl Float {
    /// The layout of a type; `None` if it is no float.
    pub(crate) const fn of(data_type: DataType) -> Option<Self> {
        let (exponent, fraction) = match data_type {
            DataType::F64 => (11, 52),
            DataType::F32 => (8, 23),
            DataType::F16 => (5, 10),
            DataType::BF16 => (8, 7),
            _ => return None,
        };
        Some(Self { exponent, fraction })
    }

    /// The bits of infinity.
    pub(crate) const fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    /// The bits of the quiet NaN without a payload.
    pub(crate) const fn nan(self) -> u64 {
        self.infinity() | (1 << (self.fraction - 1))
    }

    /// The sign bit.
    pub(crate) const fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    /// The bits nearest to a number; infinity where it is out of range, and `None` where the text is no number.
    pub(crate) fn nearest(self, number: Number<'_>) -> Option<u64> {
        let wide = number.double()?;
        if wide.is_nan() {
            return Some(self.nan());
        }
        match self.fraction {
            52 => Some(wide.to_bits()),
            23 => number.single().map(|single| single.to_bits().into()),
            _ => {
                let sign = if wide.is_sign_negative() { self.sign() } else { 0 };
                Some(sign | self.narrow(wide.abs(), || number.beyond(wide.abs())))
            }
        }
    }

    /// The bits nearest to a magnitude, of which `wide` is the nearest double. `beyond` compares the two; it is asked
    /// where `wide` lies in the middle of two values.
    fn narrow(self, wide: f64, beyond: impl FnOnce() -> Ordering) -> u64 {
        if wide.is_infinite() {
            return self.infinity();
        }
        let bits = wide.to_bits();
        // Zero and the doubles below the normal ones are far below every narrow value, however they are read.
        let exponent = (bits >> 52) as i64 - 1023;
        let significand = (bits & ((1 << 52) - 1)) | (1 << 52);
        let least_exponent = 2 - (1 << (self.exponent - 1));
        let dropped = 52 - i64::from(self.fraction) + (least_exponent - exponent).max(0);
        if dropped > 53 {
            return 0;
        }
        let kept = significand >> dropped;
        let rest = significand & ((1 << dropped) - 1);
        let is_up = match rest.cmp(&(1 << (dropped - 1))).then_with(beyond) {
            Ordering::Equal => kept & 1 == 1,
            side => side.is_gt(),
        };
        // The leading bit of what is kept raises the exponent from zero, and a carry raises it once more, up to infinity.
        let raised = ((exponent - least_exponent).max(0) as u64) << self.fraction;
        (raised + kept + u64::from(is_up)).min(self.infinity())
    }
}

impl Number<'_> {
    fn double(self) -> Option<f64> {
        match self {
            Self::Text(text) => text.parse().ok(),
            Self::Integer(value) => Some(value as f64),
            Self::Double(value) => Some(value),
        }
    }

    fn single(self) -> Option<f32> {
        match self {
            Self::Text(text) => text.parse().ok(),
            Self::Integer(value) => Some(value as f32),
            Self::Double(value) => Some(value as f32),
        }
    }

    /// How its magnitude compares with a double's.
    fn beyond(self, wide: f64) -> Ordering {
        match self {
            // No double has more decimals.
            Self::Text(text) => Decimal::of(text).cmp(&Decimal::of(&format!("{wide:.1074}"))),
            Self::Integer(value) => u128::from(value.unsigned_abs()).cmp(&(wide as u128)),
            Self::Double(_) => Ordering::Equal,
        }
    }
}

/// A magnitude in decimal.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Decimal {
    /// The power of ten just above the first digit that counts; the least there is for zero.
    power: i64,
    /// The digits from the first to the last that count.
    digits: Vec<u8>,
}

impl Decimal {
    fn of(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let whole = whole.trim_start_matches(['-', '+']);
        let mut digits = whole.bytes().chain(fraction.bytes()).collect::<Vec<_>>();
        let leading = digits.iter().take_while(|&&digit| digit == b'0').count();
        digits.drain(..leading);
        digits.truncate(digits.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1));
        if digits.is_empty() {
            return Self { power: i64::MIN, digits };
        }
        let beyond_reach = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
        let exponent: i64 = exponent.parse().unwrap_or(beyond_reach);
        Self { power: exponent.saturating_add(whole.len() as i64 - leading as i64), digits }
    }
}

#[cfg(test)]
mod tests {
    use half::{bf16, f16};

    use super::*;

    #[test]
    fn every_narrow_value_and_every_middle_of_two_rounds_as_it_should() {
        for (data_type, widen) in [
            (DataType::F16, (|bits| f16::from_bits(bits).to_f64()) as fn(u16) -> f64),
            (DataType::BF16, |bits| bf16::from_bits(bits).to_f64()),
        ] {
            let float = Float::of(data_type).unwrap();
            let infinity = float.infinity() as u16;
            for bits in 0..infinity {
                let (value, next) = (widen(bits), widen(bits + 1));
                let next = if next.is_finite() { next } else { 2.0 * value - widen(bits - 1) };
                let middle = value + (next - value) / 2.0;
                let rounded = |wide: f64, side| float.narrow(wide, || side) as u16;
                assert_eq!(rounded(value, Ordering::Greater), bits);
                assert_eq!(rounded(middle.next_down(), Ordering::Equal), bits);
                assert_eq!(rounded(middle, Ordering::Less), bits);
                assert_eq!(rounded(middle, Ordering::Equal), bits + (bits & 1));
                assert_eq!(rounded(middle, Ordering::Greater), bits + 1);
                assert_eq!(rounded(middle.next_up(), Ordering::Equal), bits + 1);
                assert_eq!(float.nearest(Number::Double(-middle.next_up())), Some(u64::from(0x8000 | (bits + 1))));
            }
            for (wide, bits) in [(f64::MIN_POSITIVE / 2.0, 0), (f64::MAX, float.infinity()), (f64::NAN, float.nan())] {
                assert_eq!(float.nearest(Number::Double(wide)), Some(bits));
            }
            assert!(widen(float.nan() as u16).is_nan());
        }
    }

    #[test]
    fn decimals_compare_as_numbers_however_they_are_written() {
        for (less, greater) in [
            ("0.1", "0.10000000001"),
            ("9e-3", "1e-2"),
            ("-0.000", "1e-9"),
            ("99", "1E+2"),
            ("5", "1e99999999999999999999"),
        ] {
            assert!(Decimal::of(less) < Decimal::of(greater), "{less} < {greater}");
        }
        assert!(Decimal::of("1e-99999999999999999999") < Decimal::of("1e-9"));
        for (one, other) in [("+10.0", "1e1"), ("0.00e5", "0"), ("00120", "1.2e2")] {
            assert!(Decimal::of(one) == Decimal::of(other), "{one} = {other}");
        }
    }
}
