//! `directml/nonzero_coordinates`, from its requirements.

use opcert_backend::DataType;

use super::{Question, defined, every_coordinate};
use crate::case::Elements;

pub(super) fn derive(question: &Question<'_>) -> Option<Vec<(String, Elements)>> {
    let input = question.input("InputTensor")?;
    let (_, sizes) = question.output("OutputCoordinatesTensor")?;
    let columns = usize::try_from(*sizes.last()?).ok()?;
    let mut count: u32 = 0;
    let mut rows = Vec::new();
    // ascending-order, logical-order
    for coordinate in every_coordinate(input.sizes) {
        if is_zero(input.at(&coordinate), input.data_type) {
            continue;
        }
        // count-value
        count += 1;
        // coordinates-value, trailing-coordinates
        for &at in coordinate.get(coordinate.len().checked_sub(columns)?..)? {
            rows.extend_from_slice(&u32::try_from(at).ok()?.to_le_bytes());
        }
    }
    // rows-beyond-count
    let elements = input.count() as usize * columns;
    let written = count as usize * columns;
    rows.resize(elements * 4, 0);
    let undefined =
        if written == elements { Vec::new() } else { (0..elements).map(|index| index >= written).collect() };
    Some(vec![
        ("OutputCountTensor".to_owned(), defined(count.to_le_bytes().to_vec())),
        ("OutputCoordinatesTensor".to_owned(), Elements { bytes: rows, undefined }),
    ])
}

/// signed-zeros-are-zero: the sign of a float does not matter. All other patterns of bits are something, NaN and
/// subnormals too (nan, subnormal).
fn is_zero(element: &[u8], data_type: DataType) -> bool {
    let (last, others) = element.split_last().unwrap_or((&0, &[]));
    let sign = if data_type.is_float() { 0x80 } else { 0 };
    last & !sign == 0 && others.iter().all(|&byte| byte == 0)
}
