//! The numbers of a column, read once from what they are.

use opcert_backend::DataType;

use super::column::{Column, Data, Value};
use super::number::{Element, Number};

/// The numbers of a column, side by side.
pub(super) enum Numbers<'a> {
    Same(Number),
    Integers(&'a [i64]),
    Read(Vec<i64>),
    Wide(Vec<i128>),
    Floats(Vec<f64>),
    Mixed(Vec<Number>),
}

impl<'a> Numbers<'a> {
    /// `None` where a value is no number.
    pub(super) fn of(column: &'a Column) -> Option<Self> {
        match column {
            Column::Same(value) => value.number().map(Self::Same),
            Column::Lanes(data) => Self::of_data(data, 0, data.len()),
        }
    }

    /// Those of a part of some values.
    pub(super) fn of_data(data: &'a Data, first: usize, end: usize) -> Option<Self> {
        Some(match data {
            Data::Integers(values) => Self::Integers(&values[first..end]),
            Data::Elements(data_type, bits) => {
                let data_type = *data_type;
                let bits = &bits[first..end];
                // The type is looked at once, and not for each element.
                macro_rules! read {
                    ($kind:ident, $read:expr) => {
                        Self::$kind(bits.iter().map($read).collect())
                    };
                }
                match data_type {
                    DataType::U64 => read!(Wide, |&bits| bits.into()),
                    DataType::I64 => read!(Read, |&bits| bits as i64),
                    DataType::I32 => read!(Read, |&bits| (bits as i32).into()),
                    DataType::I16 => read!(Read, |&bits| (bits as i16).into()),
                    DataType::I8 => read!(Read, |&bits| (bits as i8).into()),
                    DataType::U32 | DataType::U16 | DataType::U8 | DataType::Bool => read!(Read, |&bits| bits as i64),
                    DataType::F64 => read!(Floats, |&bits| f64::from_bits(bits)),
                    DataType::F32 => read!(Floats, |&bits| f32::from_bits(bits as u32).into()),
                    DataType::F16 | DataType::BF16 => {
                        read!(Floats, |&bits| match (Element { bits, data_type }).number() {
                            Number::Float(value) => value,
                            Number::Integer(value) => value as f64,
                        })
                    }
                }
            }
            Data::Values(values) => Self::Mixed(values[first..end].iter().map(Value::number).collect::<Option<_>>()?),
            _ => return None,
        })
    }

    pub(super) fn at(&self, lane: usize) -> Number {
        match self {
            Self::Same(number) => *number,
            Self::Integers(values) => Number::Integer(values[lane].into()),
            Self::Read(values) => Number::Integer(values[lane].into()),
            Self::Wide(values) => Number::Integer(values[lane]),
            Self::Floats(values) => Number::Float(values[lane]),
            Self::Mixed(numbers) => numbers[lane],
        }
    }

    /// As integers of 64 bits, where all of them are.
    pub(super) fn narrow(&self) -> Option<Narrow<'_>> {
        match self {
            Self::Same(Number::Integer(value)) => i64::try_from(*value).ok().map(Narrow::Same),
            Self::Integers(values) => Some(Narrow::Lanes(values)),
            Self::Read(values) => Some(Narrow::Lanes(values)),
            _ => None,
        }
    }
}

/// Integers of 64 bits.
#[derive(Clone, Copy)]
pub(super) enum Narrow<'a> {
    Same(i64),
    Lanes(&'a [i64]),
}

impl Narrow<'_> {
    pub(super) fn at(self, lane: usize) -> i64 {
        match self {
            Self::Same(value) => value,
            Self::Lanes(values) => values[lane],
        }
    }
}
