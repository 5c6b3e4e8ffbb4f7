//! A value as something reads it that is not made for its type: cut, rounded, or taken for its bits.
//!
//! No text can say so: a cast is what an alteration puts around an expression.

use half::{bf16, f16};
use opcert_backend::DataType;

use super::column::Value;
use super::number::{Element, Number, fits, float_bits, integer_bits};

/// How a value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cast {
    /// An integer keeps so many low bits.
    Low(u32),
    /// The same, and the highest of them is the sign.
    LowSigned(u32),
    /// A number is rounded to one of this type.
    Through(DataType),
    /// The fraction is dropped.
    Whole,
    /// The bits are taken for an unsigned integer.
    Bits,
    /// The bits are taken for a signed integer.
    SignedBits,
    /// A float is ordered by its sign, then its magnitude: -0.0 is below +0.0.
    TotalOrder,
    /// The sign of a zero is lost.
    PositiveZero,
    /// A subnormal number becomes zero.
    Flushed,
    /// A signalling NaN becomes a quiet one.
    Quieted,
}

/// Every cast with its name, which no text of a definition can hold, and with what it does.
const CASTS: [(Cast, &str, &str); 21] = [
    (Cast::Low(8), "low 8 bits", "is cut to 8 bits without a sign"),
    (Cast::Low(16), "low 16 bits", "is cut to 16 bits without a sign"),
    (Cast::Low(24), "low 24 bits", "is cut to 24 bits without a sign"),
    (Cast::Low(31), "low 31 bits", "is cut to 31 bits without a sign"),
    (Cast::Low(32), "low 32 bits", "is cut to 32 bits without a sign"),
    (Cast::LowSigned(8), "signed 8 bits", "is cut to 8 bits with a sign"),
    (Cast::LowSigned(16), "signed 16 bits", "is cut to 16 bits with a sign"),
    (Cast::LowSigned(24), "signed 24 bits", "is cut to 24 bits with a sign"),
    (Cast::LowSigned(32), "signed 32 bits", "is cut to 32 bits with a sign"),
    (Cast::Through(DataType::F64), "through f64", "is rounded to a float of 64 bits"),
    (Cast::Through(DataType::F32), "through f32", "is rounded to a float of 32 bits"),
    (Cast::Through(DataType::F16), "through f16", "is rounded to a float of 16 bits"),
    (Cast::Through(DataType::BF16), "through bf16", "is rounded to a bfloat of 16 bits"),
    (Cast::Whole, "whole part", "loses its fraction"),
    (Cast::Bits, "unsigned bits", "is taken for its bits, without a sign"),
    (Cast::SignedBits, "signed bits", "is taken for its bits, with a sign"),
    (Cast::TotalOrder, "total order", "is ordered by its bits, so that -0.0 is below +0.0"),
    (Cast::PositiveZero, "positive zero", "becomes +0.0 where it is -0.0"),
    (Cast::Flushed, "subnormal flushed", "becomes zero where it is subnormal"),
    (Cast::Quieted, "nan quieted", "becomes quiet where it is a signalling NaN"),
    (Cast::Low(1), "low 1 bit", "is cut to its lowest bit"),
];

impl Cast {
    /// Every cast.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        CASTS.iter().map(|(cast, ..)| *cast)
    }

    /// The cast of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        CASTS.iter().find(|(_, each, _)| *each == name).map(|(cast, ..)| *cast)
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        self.entry().map_or("", |(_, name, _)| name)
    }

    /// What becomes of a value, as the end of a sentence.
    pub(super) fn does(self) -> &'static str {
        self.entry().map_or("", |(.., does)| does)
    }

    fn entry(self) -> Option<&'static (Self, &'static str, &'static str)> {
        CASTS.iter().find(|(cast, ..)| *cast == self)
    }

    /// The value as it is read. What is no number stays as it is.
    pub(super) fn of(self, value: Value) -> Value {
        match value {
            Value::Integer(integer) => Value::Integer(self.integer(integer)),
            Value::Element(element) => self.element(element),
            other => other,
        }
    }

    fn integer(self, value: i128) -> i128 {
        match self {
            Self::Low(bits) => value & ((1 << bits) - 1),
            Self::LowSigned(bits) => {
                let unused = i128::BITS - bits;
                (value << unused) >> unused
            }
            Self::Through(data_type) => rounded(value as f64, value as f32, data_type) as i128,
            _ => value,
        }
    }

    fn element(self, element: Element) -> Value {
        let Element { bits, data_type } = element;
        let float = match element.number() {
            Number::Float(value) => value,
            Number::Integer(value) => {
                let cast = match self {
                    Self::Bits => i128::from(bits),
                    Self::SignedBits => signed(bits, data_type),
                    _ => self.integer(value),
                };
                return if fits(cast, data_type) {
                    Value::Element(Element { bits: integer_bits(cast, data_type), data_type })
                } else {
                    Value::Integer(cast)
                };
            }
        };
        let with_bits = |bits: u64| Value::Element(Element { bits, data_type });
        match self {
            Self::Low(_) | Self::LowSigned(_) => Value::Element(element),
            Self::Through(_) | Self::Whole if !float.is_finite() => Value::Element(element),
            Self::Through(narrow) => with_bits(float_bits(rounded(float, float as f32, narrow), data_type)),
            Self::Whole => with_bits(float_bits(float.trunc(), data_type)),
            Self::Bits => Value::Integer(bits.into()),
            Self::SignedBits => Value::Integer(signed(bits, data_type)),
            Self::TotalOrder => {
                let sign = 1u64 << (8 * data_type.bytes() - 1);
                let magnitude = i128::from(bits & (sign - 1));
                Value::Integer(if bits & sign == 0 { magnitude } else { -magnitude - 1 })
            }
            Self::PositiveZero => with_bits(if float == 0.0 { 0 } else { bits }),
            Self::Flushed => Value::Element(element.flushed()),
            Self::Quieted => with_bits(if float.is_nan() { bits | quiet(data_type) } else { bits }),
        }
    }
}

/// A number after it was one of a float type. `single` is the same number, rounded once to 32 bits.
fn rounded(value: f64, single: f32, data_type: DataType) -> f64 {
    match data_type {
        DataType::F32 => single.into(),
        DataType::F16 => f16::from_f64(value).into(),
        DataType::BF16 => bf16::from_f64(value).into(),
        _ => value,
    }
}

/// Bits with the highest one as the sign.
fn signed(bits: u64, data_type: DataType) -> i128 {
    let unused = 64 - 8 * data_type.bytes() as u32;
    i128::from(((bits << unused) as i64) >> unused)
}

/// The bit that makes a NaN a quiet one.
const fn quiet(data_type: DataType) -> u64 {
    match data_type {
        DataType::F64 => 1 << 51,
        DataType::F32 => 1 << 22,
        DataType::F16 => 1 << 9,
        DataType::BF16 => 1 << 6,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cast(cast: Cast, bits: u64, data_type: DataType) -> Option<i128> {
        match cast.of(Value::Element(Element { bits, data_type })) {
            Value::Integer(value) => Some(value),
            Value::Element(element) => Some(element.bits.into()),
            _ => None,
        }
    }

    #[test]
    fn integers_are_cut_and_read_with_the_other_sign() {
        assert_eq!(cast(Cast::Low(8), 0x1FF, DataType::I32), Some(0xFF));
        assert_eq!(cast(Cast::LowSigned(8), 0x1FF, DataType::I32), Some(0xFFFF_FFFF));
        assert_eq!(cast(Cast::Low(8), 0xFFFF_FFFF, DataType::I32), Some(0xFF));
        assert_eq!(cast(Cast::Bits, 0xFF, DataType::I8), Some(0xFF));
        assert_eq!(cast(Cast::SignedBits, 0xFFFF_FFFF, DataType::U32), Some(-1));
        assert_eq!(cast(Cast::Through(DataType::F32), (1 << 24) + 1, DataType::I32), Some(1 << 24));
        assert!(matches!(Cast::Low(31).of(Value::Integer((1 << 31) + 5)), Value::Integer(5)));
    }

    #[test]
    fn floats_are_rounded_and_taken_for_their_bits() {
        let half = |value: f32| u64::from(value.to_bits());
        assert_eq!(cast(Cast::Through(DataType::F16), half(2049.0), DataType::F32), Some(half(2048.0).into()));
        assert_eq!(cast(Cast::Whole, half(-1.5), DataType::F32), Some(half(-1.0).into()));
        assert_eq!(cast(Cast::TotalOrder, half(-0.0), DataType::F32), Some(-1));
        assert_eq!(cast(Cast::TotalOrder, half(0.0), DataType::F32), Some(0));
        assert_eq!(cast(Cast::SignedBits, 0x8000, DataType::F16), Some(-0x8000));
        assert_eq!(cast(Cast::PositiveZero, 0x8000, DataType::F16), Some(0));
        assert_eq!(cast(Cast::Quieted, 0x7C01, DataType::F16), Some(0x7E01));
        assert_eq!(cast(Cast::Low(8), half(1.5), DataType::F32), Some(half(1.5).into()));
    }

    #[test]
    fn every_cast_has_a_name_that_no_text_can_hold() {
        for each in Cast::all() {
            assert!(each.name().contains(' ') && !each.does().is_empty(), "{each:?}");
            assert_eq!(Cast::named(each.name()), Some(each));
        }
    }
}
