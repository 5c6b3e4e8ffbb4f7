//! `directml/one_hot`, from its requirements.

use super::{Question, Tensor, defined, every_coordinate};
use crate::case::Elements;
use crate::element;

pub(super) fn derive(question: &Question<'_>) -> Option<Vec<(String, Elements)>> {
    let indices = question.input("IndicesTensor")?;
    let values = question.input("ValuesTensor")?;
    let (_, sizes) = question.output("OutputTensor")?;
    let axis = usize::try_from(question.descriptor.integer("Axis")?).ok()?;
    let length = i128::from(*sizes.get(axis)?);
    // off-value-position, on-value-position, extra-values-ignored
    let off = values.element(0);
    let on = values.at(&on_position(&values)?);
    let mut bytes = Vec::new();
    for coordinate in every_coordinate(sizes) {
        // indices-axis-size-one, sizes-match-off-axis: the sequence's index stands at 0 along the axis.
        let mut sequence = coordinate.clone();
        sequence[axis] = 0;
        let index = element::integer(indices.at(&sequence), indices.data_type)?;
        // negative-from-end; unsigned-never-negative, for an unsigned number is never below 0 here.
        let position = if index < 0 { index + length } else { index };
        // on-at-index, off-elsewhere, index-relative-to-sequence; no element stands at a position that is out of range
        // (out-of-range-all-off, index-equal-size, negative-beyond-start).
        let is_on = position == i128::from(coordinate[axis]);
        // values-copied-exactly
        bytes.extend_from_slice(if is_on { on } else { off });
    }
    Some(vec![("OutputTensor".to_owned(), defined(bytes))])
}

/// One step along the last dimension whose size is above 1 (fastest-dimension-under-strides: in logical order).
fn on_position(values: &Tensor<'_>) -> Option<Vec<u64>> {
    let fastest = values.sizes.iter().rposition(|&size| size > 1)?;
    let mut position = vec![0; values.sizes.len()];
    position[fastest] = 1;
    Some(position)
}
