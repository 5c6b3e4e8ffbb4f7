//! Numbers in floating point as attributes have them.

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number in floating point of 32 bits. Two are the same where their bits are, so that the zeros differ; what is no number
/// is one value, whatever its bits.
///
/// In JSON it is a number, written so that a reader with 64 bits finds it exactly, or one of `"nan"`, `"inf"` and `"-inf"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Float32(u32);

/// What JSON has no number for.
const WORDS: [(&str, f32); 3] = [("nan", f32::NAN), ("inf", f32::INFINITY), ("-inf", f32::NEG_INFINITY)];

impl Float32 {
    /// The number.
    #[must_use]
    pub const fn get(self) -> f32 {
        f32::from_bits(self.0)
    }

    /// Its bits; of what is no number those of the quiet one whose sign and payload are 0.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    fn word(self) -> Option<&'static str> {
        WORDS.iter().find(|(_, value)| Self::from(*value) == self).map(|(word, _)| *word)
    }
}

impl From<f32> for Float32 {
    fn from(value: f32) -> Self {
        Self(if value.is_nan() { 0x7FC0_0000 } else { value.to_bits() })
    }
}

impl Serialize for Float32 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.word() {
            Some(word) => serializer.serialize_str(word),
            None => serializer.serialize_f64(self.get().into()),
        }
    }
}

impl<'de> Deserialize<'de> for Float32 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;

        impl Visitor<'_> for Read {
            type Value = Float32;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a number of 32 bits, \"nan\", \"inf\" or \"-inf\"")
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
                let narrow = value as f32;
                let is_same = f64::from(narrow).to_bits() == value.to_bits();
                if is_same { Ok(narrow.into()) } else { Err(E::invalid_value(de::Unexpected::Float(value), &self)) }
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
                let narrow = value as f32;
                let is_same = narrow as i128 == value.into();
                if is_same { Ok(narrow.into()) } else { Err(E::invalid_value(de::Unexpected::Signed(value), &self)) }
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
                let narrow = value as f32;
                let is_same = narrow as i128 == value.into();
                if is_same { Ok(narrow.into()) } else { Err(E::invalid_value(de::Unexpected::Unsigned(value), &self)) }
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                let found = WORDS.iter().find(|(word, _)| *word == text);
                found
                    .map(|(_, value)| Float32::from(*value))
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_any(Read)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Float32 {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Float32".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A number in floating point that 32 bits hold exactly, or what JSON has no number for.",
            "anyOf": [{ "type": "number" }, { "enum": WORDS.map(|(word, _)| word) }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Float32;

    #[test]
    fn what_is_written_is_read_again_bit_for_bit() {
        let step = 0x0001_0001;
        let all = (0..u32::MAX / step).map(|at| f32::from_bits(at * step));
        for value in all.chain([f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MIN_POSITIVE / 3.0]) {
            let value = Float32::from(value);
            let text = serde_json::to_string(&value).unwrap();
            assert_eq!(serde_json::from_str::<Float32>(&text).unwrap(), value, "{text}");
        }
        assert_ne!(Float32::from(0.0), Float32::from(-0.0));
        assert_eq!(Float32::from(f32::NAN), Float32::from(-f32::NAN));
    }

    #[test]
    fn whole_numbers_are_numbers_as_well() {
        assert_eq!(serde_json::from_str::<Float32>("-3").unwrap().get(), -3.0);
        assert_eq!(serde_json::from_str::<Float32>("16777216").unwrap().get(), 16_777_216.0);
        assert_eq!(serde_json::from_str::<Float32>("\"-inf\"").unwrap().get(), f32::NEG_INFINITY);
    }

    #[test]
    fn what_32_bits_do_not_hold_is_refused() {
        for text in [
            "0.1",
            "16777217",
            "-16777217",
            "18446744073709551615",
            "1e300",
            "\"1.5\"",
            "\"NaN\"",
            "true",
            "[1]",
            "null",
        ] {
            let error = serde_json::from_str::<Float32>(text).unwrap_err().to_string();
            assert!(error.contains("a number of 32 bits, \"nan\", \"inf\" or \"-inf\""), "{text}: {error}");
        }
    }
}
