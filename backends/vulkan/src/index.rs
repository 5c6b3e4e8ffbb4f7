//! How shaders read an index. See `index.wgsl`.

use opcert_backend::DataType;

/// An index of 8 bytes.
pub(crate) const WIDE: u32 = 1;
const SIGNED: u32 = 2;
const FROM_END: u32 = 4;

/// The kind of an index of this type; `from_end` where a negative one counts from the end.
pub(crate) const fn kind(data_type: DataType, from_end: bool) -> u32 {
    let wide = if data_type.bytes() == 8 { WIDE } else { 0 };
    let signed = if data_type.is_signed_integer() { SIGNED } else { 0 };
    wide | signed | if from_end { FROM_END } else { 0 }
}
