//! Elements of every data type: from texts to bytes, and the values that implementations get wrong.

use opcert_backend::DataType;

use crate::element;

/// Elements from texts between spaces, as in a case file; `0x…` are bits.
pub(super) fn elements(data_type: DataType, texts: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for text in texts.split_whitespace() {
        let parsed = match text.starts_with("0x") {
            true => element::parse_bits(text, data_type, &mut bytes),
            false => element::parse(text, data_type, &mut bytes),
        };
        parsed.map_err(|problem| format!("`{text}` {problem}"))?;
    }
    Ok(bytes)
}

/// The least and the greatest finite value, as texts.
pub(super) fn extremes(data_type: DataType) -> (String, String) {
    if !data_type.is_float() {
        let bits = 8 * data_type.bytes() as u32;
        let (least, greatest) = match (data_type, data_type.is_signed_integer()) {
            (DataType::Bool, _) => return ("false".to_owned(), "true".to_owned()),
            (_, true) => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            (_, false) => (0, (1i128 << bits) - 1),
        };
        return (least.to_string(), greatest.to_string());
    }
    let greatest = match data_type {
        DataType::F16 => 0x7BFF,
        DataType::BF16 => 0x7F7F,
        DataType::F32 => 0x7F7F_FFFF,
        _ => 0x7FEF_FFFF_FFFF_FFFF_u64,
    };
    let sign = 1u64 << (8 * data_type.bytes() - 1);
    (format!("{:#x}", sign | greatest), format!("{greatest:#x}"))
}

/// The bits of a quiet NaN with a payload, of a signalling one, and of the least subnormal, as texts. Floats only.
pub(super) fn odd_floats(data_type: DataType) -> [String; 3] {
    let (quiet, signalling) = match data_type {
        DataType::F16 => (0x7E2A, 0x7D01),
        DataType::BF16 => (0x7FEA, 0x7F81),
        DataType::F32 => (0x7FC0_1234, 0x7F80_0001),
        _ => (0x7FF8_0000_1234_5678_u64, 0x7FF0_0000_0000_0001),
    };
    [quiet, signalling, 1].map(|bits| format!("{bits:#x}"))
}

/// Numbers from 0 up in a fixed order that is neither ascending nor descending, as texts between spaces.
pub(super) fn shuffled(count: u64) -> String {
    let mut numbers: Vec<u64> = (0..count).collect();
    // Sorting by a mixed key is a shuffle that needs no generator.
    numbers.sort_by_key(|&number| (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29));
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

/// A data type's spelling in the family, as part of a name.
pub(super) fn spelled(operator: &crate::spec::Operator, data_type: DataType) -> String {
    operator.family.spelling(data_type).to_lowercase()
}

/// The row-major element count of sizes.
pub(super) fn count(sizes: &[u64]) -> u64 {
    sizes.iter().product()
}
