//! `openvino/one_hot_1`, from its requirements.

use super::{Question, defined, every_coordinate};
use crate::case::Elements;
use crate::element;

pub(super) fn derive(question: &Question<'_>) -> Option<Vec<(String, Elements)>> {
    let indices = question.input("indices")?;
    let on = question.input("on_value")?.element(0);
    let off = question.input("off_value")?.element(0);
    let (_, sizes) = question.output("output")?;
    // axis-from-end: counted in the output's dimensions.
    let axis = question.descriptor.integer("axis")?;
    let axis = if axis < 0 { axis + sizes.len() as i64 } else { axis };
    let axis = usize::try_from(axis).ok()?;
    let mut bytes = Vec::new();
    for mut coordinate in every_coordinate(sizes) {
        // output-shape: without the inserted dimension, the coordinates are those of the index (scalar-indices: none).
        let here = i128::from(coordinate.remove(axis));
        let index = element::integer(indices.at(&coordinate), indices.data_type)?;
        // on-at-index, off-elsewhere; no element stands at depth or above (index-at-or-above-depth), nor below 0
        // (negative-index, which is undefined). values-copied-exactly.
        bytes.extend_from_slice(if index == here { on } else { off });
    }
    Some(vec![("output".to_owned(), defined(bytes))])
}
