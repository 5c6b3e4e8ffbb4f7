//! Elements as numbers: what the kernels compare, and what mutants make of it.

use opcert_backend::DataType;

/// One element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    /// Its bits, zero-extended.
    pub(crate) bits: u64,
    /// Its type.
    pub(crate) data_type: DataType,
}

impl Element {
    /// The same bits as another type of the same width.
    pub(crate) const fn read_as(self, data_type: DataType) -> Self {
        Self { bits: self.bits, data_type }
    }

    /// Whether the type is this one.
    pub(crate) fn is(self, data_type: DataType) -> bool {
        self.data_type == data_type
    }

    /// The integer that the bits are, by the type's sign; the raw bits of floats.
    pub(crate) const fn integer(self) -> i128 {
        if self.data_type.is_signed_integer() { self.sign_extended() } else { self.bits as i128 }
    }

    /// The integer that the bits are in two's complement.
    pub(crate) const fn sign_extended(self) -> i128 {
        let unused = 64 - 8 * self.data_type.bytes();
        ((self.bits << unused).cast_signed() >> unused) as i128
    }

    /// The number as nearly as 64-bit floats have it.
    pub(crate) fn number(self) -> f64 {
        let Some(mantissa) = self.mantissa_bits() else { return self.integer() as f64 };
        let bias = (1i32 << (self.width() - mantissa - 2)) - 1;
        let exponent = (self.magnitude() >> mantissa) as i32;
        let fraction = (self.magnitude() & ((1 << mantissa) - 1)) as f64 / (1u64 << mantissa) as f64;
        let magnitude = match self.infinity() {
            Some(infinity) if self.magnitude() == infinity => f64::INFINITY,
            Some(infinity) if self.magnitude() > infinity => f64::NAN,
            _ if exponent == 0 => fraction * f64::powi(2.0, 1 - bias),
            _ => (1.0 + fraction) * f64::powi(2.0, exponent - bias),
        };
        if self.is_negative_float() { -magnitude } else { magnitude }
    }

    /// The bits without the sign of a float.
    pub(crate) fn magnitude(self) -> u64 {
        if self.data_type.is_float() { self.bits & !(1 << (self.width() - 1)) } else { self.bits }
    }

    /// Whether the sign bit of a float is set.
    pub(crate) fn is_negative_float(self) -> bool {
        self.data_type.is_float() && self.bits >> (self.width() - 1) == 1
    }

    /// Whether this is a NaN.
    pub(crate) fn is_nan(self) -> bool {
        self.infinity().is_some_and(|infinity| self.magnitude() > infinity)
    }

    /// Whether this is an infinity.
    pub(crate) fn is_infinite(self) -> bool {
        self.infinity() == Some(self.magnitude())
    }

    /// Whether this is a float so small that its exponent is the least one, and not zero.
    pub(crate) fn is_subnormal(self) -> bool {
        self.mantissa_bits().is_some_and(|mantissa| self.magnitude() != 0 && self.magnitude() >> mantissa == 0)
    }

    /// The bits of the type's positive infinity.
    pub(crate) fn infinity(self) -> Option<u64> {
        let mantissa = self.mantissa_bits()?;
        Some(((1 << (self.width() - 1 - mantissa)) - 1) << mantissa)
    }

    /// The bits of a float below its exponent.
    pub(crate) const fn mantissa_bits(self) -> Option<u32> {
        match self.data_type {
            DataType::F64 => Some(52),
            DataType::F32 => Some(23),
            DataType::F16 => Some(10),
            DataType::BF16 => Some(7),
            _ => None,
        }
    }

    const fn width(self) -> u32 {
        8 * self.data_type.bytes() as u32
    }
}

/// An integer whose order is that of the values. Both zeros are 0, and NaN is above everything.
pub(crate) fn order(element: Element) -> i128 {
    match element.infinity() {
        None => element.integer(),
        Some(_) if element.is_nan() => i128::MAX,
        Some(_) if element.is_negative_float() => -i128::from(element.magnitude()),
        Some(_) => i128::from(element.magnitude()),
    }
}

/// The order of finite 64-bit floats, and of infinities, as integers.
pub(crate) fn order_of_number(number: f64) -> i128 {
    order(Element { bits: number.to_bits(), data_type: DataType::F64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(bits: u64, data_type: DataType) -> f64 {
        Element { bits, data_type }.number()
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "the conversions are exact")]
    fn numbers_are_exact() {
        assert_eq!(number(0x3C00, DataType::F16), 1.0);
        assert_eq!(number(0x0001, DataType::F16), f64::powi(2.0, -24));
        assert_eq!(number(0xFBFF, DataType::F16), -65504.0);
        assert_eq!(number(0x3FC0, DataType::BF16), 1.5);
        assert_eq!(number(u64::from((-0.1f32).to_bits()), DataType::F32), f64::from(-0.1f32));
        assert_eq!(number(1e300f64.to_bits(), DataType::F64), 1e300);
        assert_eq!(number(0x80, DataType::I8), -128.0);
        assert!(number(0x7E00, DataType::F16).is_nan());
    }

    #[test]
    fn order_is_that_of_values() {
        let bits = [0xFC00, 0xBC00, 0x8001, 0x8000, 0x0001, 0x3C00, 0x7C00];
        let keys = bits.map(|bits| order(Element { bits, data_type: DataType::F16 }));
        assert!(keys.is_sorted());
        assert_eq!(keys[3], 0);
    }
}
