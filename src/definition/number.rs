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
    /// The integer of 64 bits that it equals, if there is one.
    pub(super) fn whole(self) -> Option<i64> {
        let integer = match self {
            Self::Integer(value) => value,
            Self::Float(value) => Some(value as i128).filter(|&whole| whole as f64 == value)?,
        };
        integer.try_into().ok()
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
