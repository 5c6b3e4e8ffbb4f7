//! Scalars of a data type as attributes have them.

use serde::{Deserialize, Serialize};

use crate::DataType;

/// One element of a data type. Two are the same where type and bits are, so that the zeros differ, and so do values that are no
/// numbers.
///
/// In JSON it is its data type and its bytes, little-endian: `{"data_type": "u16", "bytes": [1, 0]}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Written", into = "Written")]
pub struct Scalar {
    data_type: DataType,
    bits: u64,
}

/// A scalar as it stands in JSON.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Scalar"))]
#[serde(deny_unknown_fields)]
struct Written {
    /// The data type.
    data_type: DataType,
    /// As many bytes as an element of the type has, little-endian.
    bytes: Vec<u8>,
}

impl Scalar {
    /// The element whose bits are the low ones of these; those above the width of the type are left out.
    #[must_use]
    pub const fn new(data_type: DataType, bits: u64) -> Self {
        Self { data_type, bits: bits & (u64::MAX >> (64 - 8 * data_type.bytes())) }
    }

    /// The element with these bytes, little-endian; nothing where an element of the type has more of them, or fewer.
    #[must_use]
    pub fn from_bytes(data_type: DataType, bytes: &[u8]) -> Option<Self> {
        let mut bits = [0; 8];
        let element = bits.get_mut(..data_type.bytes()).filter(|element| element.len() == bytes.len())?;
        element.copy_from_slice(bytes);
        Some(Self::new(data_type, u64::from_le_bytes(bits)))
    }

    /// The data type.
    #[must_use]
    pub const fn data_type(self) -> DataType {
        self.data_type
    }

    /// Its bits, in the low ones.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// Its bytes, little-endian: as many as an element of the type has.
    #[must_use]
    pub fn bytes(self) -> Vec<u8> {
        self.bits.to_le_bytes()[..self.data_type.bytes()].to_vec()
    }
}

impl From<Scalar> for Written {
    fn from(scalar: Scalar) -> Self {
        Self { data_type: scalar.data_type, bytes: scalar.bytes() }
    }
}

impl TryFrom<Written> for Scalar {
    type Error = String;

    fn try_from(Written { data_type, bytes }: Written) -> Result<Self, Self::Error> {
        Self::from_bytes(data_type, &bytes).ok_or_else(|| {
            format!("a scalar of {data_type} has {} bytes, and {} are given", data_type.bytes(), bytes.len())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Scalar;
    use crate::DataType;

    #[test]
    fn every_type_is_written_and_read() {
        for data_type in DataType::ALL {
            let scalar = Scalar::new(data_type, 0xFEDC_BA98_7654_3210);
            assert_eq!(scalar.bytes().len(), data_type.bytes());
            let text = serde_json::to_string(&scalar).unwrap();
            assert_eq!(serde_json::from_str::<Scalar>(&text).unwrap(), scalar, "{text}");
        }
        let text = serde_json::to_string(&Scalar::new(DataType::U16, 0x1_0203)).unwrap();
        assert_eq!(text, r#"{"data_type":"u16","bytes":[3,2]}"#);
    }

    #[test]
    fn bytes_of_another_width_are_refused() {
        let error = serde_json::from_str::<Scalar>(r#"{"data_type":"u16","bytes":[3]}"#).unwrap_err().to_string();
        assert!(error.contains("a scalar of u16 has 2 bytes, and 1 are given"), "{error}");
    }
}
