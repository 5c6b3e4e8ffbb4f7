//! Numbers: elements of tensors with their bits and type, and integers, compared and calculated with exactly.

use std::cmp::Ordering;

use half::{bf16, f16};
use opcert_backend::DataType;

use super::syntax::Arithmetic;

/// An element of a tensor: the bits of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) bits: u64,
    pub(super) data_type: DataType,
}

/// A number that compares exactly with every other: an integer of any width, or a float, which no narrower one needs to be
/// rounded for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    /// The integer that it equals, if there is one.
    pub(super) fn whole(self) -> Option<i128> {
        match self {
            Self::Integer(value) => Some(value),
            // 2^127 itself would be cut to the greatest integer, which is rounded to it.
            Self::Float(value) => Some(value as i128).filter(|&whole| whole as f64 == value && whole < i128::MAX),
        }
    }

    /// `None` where one of them is NaN.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => Some(one.cmp(&other)),
            (Self::Float(one), Self::Float(other)) => one.partial_cmp(&other),
            (Self::Integer(one), Self::Float(other)) => integer_with_float(one, other),
            (Self::Float(one), Self::Integer(other)) => integer_with_float(other, one).map(Ordering::reverse),
        }
    }
}

fn integer_with_float(integer: i128, float: f64) -> Option<Ordering> {
    /// 2^127, beyond the greatest integer.
    const BEYOND: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;
    if float.is_nan() {
        return None;
    }
    if float >= BEYOND {
        return Some(Ordering::Less);
    }
    if float < -BEYOND {
        return Some(Ordering::Greater);
    }
    let whole = float.trunc();
    let fraction = || 0.0.partial_cmp(&(float - whole));
    match integer.cmp(&(whole as i128)) {
        Ordering::Equal => fraction(),
        decided => Some(decided),
    }
}

impl Element {
    pub(super) fn number(self) -> Number {
        let bits = self.bits;
        match self.data_type {
            DataType::F64 => Number::Float(f64::from_bits(bits)),
            DataType::F32 => Number::Float(f32::from_bits(bits as u32).into()),
            DataType::F16 => Number::Float(f16::from_bits(bits as u16).into()),
            DataType::BF16 => Number::Float(bf16::from_bits(bits as u16).into()),
            DataType::I64 => Number::Integer((bits as i64).into()),
            DataType::I32 => Number::Integer((bits as i32).into()),
            DataType::I16 => Number::Integer((bits as i16).into()),
            DataType::I8 => Number::Integer((bits as i8).into()),
            DataType::U64 | DataType::U32 | DataType::U16 | DataType::U8 | DataType::Bool => {
                Number::Integer(bits.into())
            }
        }
    }

    /// The element of a type that has the value of a number, if there is one. A zero of a float keeps its sign.
    pub(super) fn from_value(number: Number, data_type: DataType) -> Option<Self> {
        let element = if data_type.is_float() {
            let float = match number {
                Number::Integer(value) => value as f64,
                Number::Float(value) => value,
            };
            Self { bits: float_bits(float, data_type), data_type }
        } else {
            let whole = number.whole().filter(|&whole| fits(whole, data_type))?;
            Self { bits: integer_bits(whole, data_type), data_type }
        };
        (element.number().compare(number) == Some(Ordering::Equal)).then_some(element)
    }

    /// The element of a float type that is nearest to a number, of two equally near ones that with an even last bit.
    pub(super) fn nearest(value: f64, data_type: DataType) -> Self {
        // What is rounded twice is rounded once if the last bit of the first time says that there was more.
        let single = value as f32;
        let (found, wanted) = (f64::from(single).abs(), value.abs());
        let odd = match found.partial_cmp(&wanted) {
            Some(Ordering::Less) => f32::from_bits(single.to_bits() | 1),
            Some(Ordering::Greater) => f32::from_bits((single.to_bits() - 1) | 1),
            _ => single,
        };
        let bits = match data_type {
            DataType::F16 => f16::from_f32(odd).to_bits().into(),
            DataType::BF16 => bf16::from_f32(odd).to_bits().into(),
            _ => float_bits(value, data_type),
        };
        Self { bits, data_type }
    }

    pub(super) fn integer(self) -> Option<i128> {
        match self.number() {
            Number::Integer(value) => Some(value),
            Number::Float(_) => None,
        }
    }

    pub(super) fn is_nan(self) -> bool {
        matches!(self.number(), Number::Float(value) if value.is_nan())
    }

    /// Whether it is one of a float's two infinities.
    pub(super) fn is_infinite(self) -> bool {
        fields(self.data_type).is_some_and(|(exponent, mantissa)| self.bits & (exponent | mantissa) == exponent)
    }

    /// Whether it is a float below the least normal one, and not zero.
    pub(super) fn is_subnormal(self) -> bool {
        let Some((exponent, mantissa)) = fields(self.data_type) else { return false };
        self.bits & exponent == 0 && self.bits & mantissa != 0
    }

    /// Itself, or the zero of its sign where it is subnormal.
    pub(super) fn flushed(self) -> Self {
        let mantissa = fields(self.data_type).map_or(0, |(_, mantissa)| mantissa);
        if self.is_subnormal() { Self { bits: self.bits & !mantissa, ..self } } else { self }
    }
}

/// The bits of a float's exponent and of its mantissa.
const fn fields(data_type: DataType) -> Option<(u64, u64)> {
    match data_type {
        DataType::F64 => Some((0x7FF0_0000_0000_0000, 0x000F_FFFF_FFFF_FFFF)),
        DataType::F32 => Some((0x7F80_0000, 0x007F_FFFF)),
        DataType::F16 => Some((0x7C00, 0x03FF)),
        DataType::BF16 => Some((0x7F80, 0x007F)),
        _ => None,
    }
}

/// The bits of a number, rounded to a float type.
pub(super) fn float_bits(value: f64, data_type: DataType) -> u64 {
    match data_type {
        DataType::F32 => (value as f32).to_bits().into(),
        DataType::F16 => f16::from_f64(value).to_bits().into(),
        DataType::BF16 => bf16::from_f64(value).to_bits().into(),
        _ => value.to_bits(),
    }
}

/// The bits of an integer that the type has.
pub(super) fn integer_bits(value: i128, data_type: DataType) -> u64 {
    let unused = 64 - 8 * data_type.bytes() as u32;
    (value as u64) << unused >> unused
}

/// Whether an integer is a value of a type.
pub(super) fn fits(value: i128, data_type: DataType) -> bool {
    if data_type.is_float() {
        return false;
    }
    let bits = if data_type == DataType::Bool { 1 } else { 8 * data_type.bytes() as u32 };
    let (least, greatest) = if data_type.is_signed_integer() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    (least..=greatest).contains(&value)
}

/// As Python calculates; `None` where the result has more than 128 bits, for a division by zero, and for a shift by less than 0.
pub(super) fn calculate(operation: Arithmetic, one: i128, other: i128) -> Option<i128> {
    match operation {
        Arithmetic::Add => one.checked_add(other),
        Arithmetic::Subtract => one.checked_sub(other),
        Arithmetic::Multiply => one.checked_mul(other),
        Arithmetic::Divide => {
            let (quotient, rest) = (one.checked_div(other)?, one.checked_rem(other)?);
            if rest != 0 && (rest < 0) != (other < 0) { quotient.checked_sub(1) } else { Some(quotient) }
        }
        Arithmetic::Remainder => {
            let rest = one.checked_rem(other)?;
            if rest != 0 && (rest < 0) != (other < 0) { rest.checked_add(other) } else { Some(rest) }
        }
        Arithmetic::And => Some(one & other),
        Arithmetic::Or => Some(one | other),
        Arithmetic::Xor => Some(one ^ other),
        Arithmetic::ShiftLeft => {
            let shifted = one.checked_shl(u32::try_from(other).ok()?);
            let shifted = shifted.filter(|shifted| shifted >> other == one);
            if one == 0 { Some(0) } else { shifted }
        }
        Arithmetic::ShiftRight => Some(one >> u128::try_from(other).ok()?.min(127)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_floats_compare_exactly() {
        let exactly = |integer: i128, float: f64| Number::Integer(integer).compare(Number::Float(float));
        let above = (1i128 << 53) + 1;
        assert_eq!(exactly(above, 9_007_199_254_740_992.0), Some(Ordering::Greater));
        assert_eq!(exactly(u64::MAX.into(), 18_446_744_073_709_551_616.0), Some(Ordering::Less));
        assert_eq!(exactly(0, -0.0), Some(Ordering::Equal));
        assert_eq!(exactly(0, 5e-324), Some(Ordering::Less));
        assert_eq!(exactly(-1, -1.5), Some(Ordering::Greater));
        assert_eq!(exactly(-2, -1.5), Some(Ordering::Less));
        assert_eq!(exactly(i128::MAX, f64::INFINITY), Some(Ordering::Less));
        assert_eq!(exactly(i128::MIN, f64::NEG_INFINITY), Some(Ordering::Greater));
        assert_eq!(exactly(0, f64::NAN), None);
        assert_eq!(Number::Float(1.5).compare(Number::Integer(1)), Some(Ordering::Greater));
    }

    #[test]
    fn a_type_has_the_value_of_a_number_or_it_does_not() {
        use DataType::{BF16, Bool, F16, F32, F64, I8, I64, U8, U64};
        let bits = |number, data_type| Element::from_value(number, data_type).map(|element| element.bits);
        let float = |value: f64, data_type| bits(Number::Float(value), data_type);
        let integer = |value: i128, data_type| bits(Number::Integer(value), data_type);
        assert_eq!(float(-1.5, F16), Some(0xBE00));
        assert_eq!(float(1.5, I8), None);
        assert_eq!(float(-128.0, I8), Some(0x80));
        assert_eq!(float(128.0, I8), None);
        assert_eq!(float(18_446_744_073_709_551_616.0, U64), None);
        assert_eq!(float(-9_223_372_036_854_775_808.0, I64), Some(1 << 63));
        // A zero keeps its sign where there is one, and is 0 elsewhere.
        assert_eq!(float(-0.0, BF16), Some(0x8000));
        assert_eq!(float(-0.0, U8), Some(0));
        // What a narrower float would round, overflow or lose; infinities and subnormal numbers are values.
        assert_eq!((float(65_504.0, F16), float(65_520.0, F16)), (Some(0x7BFF), None));
        assert_eq!((float(257.0, BF16), float(257.0, F16)), (None, Some(0x5C04)));
        assert_eq!((float(5.960_464_477_539_063e-8, F16), float(1e-8, F16)), (Some(1), None));
        assert_eq!((float(f64::NEG_INFINITY, F16), float(f64::INFINITY, I64)), (Some(0xFC00), None));
        assert_eq!((float(f64::NAN, F64), float(f64::NAN, F32)), (None, None));
        // Integers of which a float loses something.
        assert_eq!((integer(1 << 24, F32), integer((1 << 24) + 1, F32)), (Some(0x4B80_0000), None));
        assert_eq!((integer(i128::MAX, F32), integer(1 << 126, F32)), (None, Some(0x7E80_0000)));
        assert_eq!((integer(2, Bool), integer(1, Bool)), (None, Some(1)));
    }

    #[test]
    fn numbers_are_rounded_once_to_the_nearest_element() {
        use DataType::{BF16, F16, F32, F64};
        let nearest = |value: f64, data_type| Element::nearest(value, data_type).bits;
        assert_eq!((nearest(2049.0, F16), nearest(2051.0, F16), nearest(-2049.5, F16)), (0x6800, 0x6802, 0xE801));
        assert_eq!((nearest(65_519.9, F16), nearest(65_520.0, F16), nearest(-1e300, F16)), (0x7BFF, 0x7C00, 0xFC00));
        // Just above and just below the middle of two, by less than a float of 32 bits has.
        let (middle, little) = (1.0 + 2f64.powi(-11), 2f64.powi(-40));
        assert_eq!(
            [middle - little, middle, middle + little].map(|value| nearest(value, F16)),
            [0x3C00, 0x3C00, 0x3C01]
        );
        let (middle, little) = (1.0 + 3.0 * 2f64.powi(-8), 2f64.powi(-40));
        assert_eq!([middle - little, middle].map(|value| nearest(value, BF16)), [0x3F81, 0x3F82]);
        assert_eq!((nearest(-0.0, F16), nearest(f64::INFINITY, BF16)), (0x8000, 0x7F80));
        assert_eq!((nearest(0.1, F32), nearest(0.1, F64)), (0x3DCC_CCCD, 0x3FB9_9999_9999_999A));
    }

    #[test]
    fn a_float_is_whole_or_it_is_not() {
        let whole = |value: f64| Number::Float(value).whole();
        assert_eq!((whole(-3.0), whole(-0.0), whole(0.5)), (Some(-3), Some(0), None));
        assert_eq!((whole(f64::INFINITY), whole(f64::NAN)), (None, None));
        let beyond = 2f64.powi(127);
        assert_eq!((whole(beyond), whole(-beyond), whole(-2.0 * beyond)), (None, Some(i128::MIN), None));
    }

    #[test]
    fn each_float_has_two_infinities() {
        for (data_type, infinity, sign) in [
            (DataType::F64, 0x7FF0_0000_0000_0000, 1 << 63),
            (DataType::F32, 0x7F80_0000, 1 << 31),
            (DataType::F16, 0x7C00, 1 << 15),
            (DataType::BF16, 0x7F80, 1 << 15),
        ] {
            let element = |bits| Element { bits, data_type };
            for bits in [infinity, infinity | sign] {
                assert!(element(bits).is_infinite() && !element(bits).is_nan(), "{data_type} {bits:#x}");
            }
            for bits in [0, sign, infinity - 1, (infinity - 1) | sign, infinity + 1, (infinity + 1) | sign] {
                assert!(!element(bits).is_infinite(), "{data_type} {bits:#x}");
            }
        }
        assert!(!Element { bits: 0x7F80_0000, data_type: DataType::U32 }.is_infinite());
    }

    #[test]
    fn subnormal_numbers_of_every_type_are_flushed_to_a_zero_of_their_sign() {
        for (data_type, least_normal, sign) in [
            (DataType::F64, 0x0010_0000_0000_0000, 1 << 63),
            (DataType::F32, 0x0080_0000, 1 << 31),
            (DataType::F16, 0x0400, 1 << 15),
            (DataType::BF16, 0x0080, 1 << 15),
        ] {
            let element = |bits| Element { bits, data_type };
            for bits in [1, least_normal - 1] {
                assert!(element(bits).is_subnormal() && element(bits | sign).is_subnormal(), "{data_type}");
                assert_eq!(element(bits | sign).flushed(), element(sign));
            }
            for bits in [0, sign, least_normal, least_normal | sign] {
                assert!(!element(bits).is_subnormal(), "{data_type} {bits:#x}");
                assert_eq!(element(bits).flushed(), element(bits));
            }
        }
        assert!(!Element { bits: 1, data_type: DataType::I32 }.is_subnormal());
    }

    #[test]
    fn division_rounds_down_and_leaves_the_sign_of_the_divisor() {
        for (one, other, quotient, rest) in
            [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -4, -1), (-7, -2, 3, -1), (6, -2, -3, 0)]
        {
            assert_eq!(calculate(Arithmetic::Divide, one, other), Some(quotient), "{one} // {other}");
            assert_eq!(calculate(Arithmetic::Remainder, one, other), Some(rest), "{one} % {other}");
        }
        assert_eq!(calculate(Arithmetic::Divide, 1, 0), None);
        assert_eq!(calculate(Arithmetic::Remainder, 1, 0), None);
        assert_eq!(calculate(Arithmetic::Divide, i128::MIN, -1), None);
        assert_eq!(calculate(Arithmetic::Add, i128::MAX, 1), None);
    }

    #[test]
    fn every_type_has_its_range() {
        for (data_type, least, greatest) in [
            (DataType::I64, i64::MIN.into(), i64::MAX.into()),
            (DataType::U64, 0, u64::MAX.into()),
            (DataType::I8, -128, 127),
            (DataType::U8, 0, 255),
            (DataType::Bool, 0, 1),
        ] {
            let all: [i128; 2] = [least, greatest];
            assert!(all.into_iter().all(|value| fits(value, data_type)), "{data_type}");
            assert!(!fits(all[0] - 1, data_type) && !fits(all[1] + 1, data_type), "{data_type}");
        }
        assert!(!fits(0, DataType::F32));
    }
}
