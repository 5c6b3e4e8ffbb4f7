//! The kinds of keys that shaders make of elements: integers whose order is the order of the values. See `key.wgsl`.

use opcert_backend::DataType;

/// Keys of the opposite order.
pub(crate) const REVERSED: u32 = 4;

/// Keys in which NaN that are moved are below all others.
pub(crate) const NAN_LEAST: u32 = 8;

/// From which bit on a kind says how many bits an exponent has.
const EXPONENT: u32 = 4;

/// Keys in which the order of NaN follows from their bits.
pub(crate) const fn kind(data_type: DataType) -> u32 {
    match data_type {
        data_type if data_type.is_float() => 0,
        data_type if data_type.is_signed_integer() => 1,
        _ => 2,
    }
}

/// Keys by which NaN are known: all of them are moved beyond all others.
pub(crate) const fn kind_with_nan(data_type: DataType) -> u32 {
    let exponent_bits: u32 = match data_type {
        DataType::F64 => 11,
        DataType::F32 | DataType::BF16 => 8,
        DataType::F16 => 5,
        _ => 0,
    };
    kind(data_type) | exponent_bits << EXPONENT
}
