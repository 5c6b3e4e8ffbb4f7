//! Expected values, derived from the requirement texts, one output element at a time.
//!
//! The oracle is meant to be read beside the requirements, not to be fast. It stands beside the flow: it proposes what
//! a case expects, and never judges. It shares no code with any backend.

mod argmax;
mod nonzero_coordinates;
mod one_hot;
mod openvino_one_hot_1;

use std::borrow::Cow;

use opcert_backend::{DataType, Descriptor};

use crate::case::Elements;
use crate::check::InputData;
use crate::layout::coordinates;

/// What the outputs of a valid descriptor hold, by name. `None` for an operator that has no oracle, and for inputs
/// that do not belong to the descriptor.
#[must_use]
pub fn expected(descriptor: &Descriptor, inputs: &[InputData]) -> Option<Vec<(String, Elements)>> {
    let inputs = inputs.iter().map(|input| (input.name.as_str(), input.data.elements())).collect();
    let question = Question { descriptor, inputs };
    match descriptor.operator.as_str() {
        "directml/one_hot" => one_hot::derive(&question),
        "directml/nonzero_coordinates" => nonzero_coordinates::derive(&question),
        "directml/argmax" => argmax::derive(&question),
        "openvino/one_hot_1" => openvino_one_hot_1::derive(&question),
        _ => None,
    }
}

/// A descriptor with its inputs.
struct Question<'a> {
    descriptor: &'a Descriptor,
    inputs: Vec<(&'a str, Cow<'a, [u8]>)>,
}

impl Question<'_> {
    fn input(&self, name: &str) -> Option<Tensor<'_>> {
        let (_, elements) = self.inputs.iter().find(|(input, _)| *input == name)?;
        let tensor = self.descriptor.tensor(name)?;
        Some(Tensor { data_type: tensor.data_type, sizes: &tensor.sizes, elements })
    }

    fn output(&self, name: &str) -> Option<(DataType, &[u64])> {
        let tensor = self.descriptor.tensor(name)?;
        Some((tensor.data_type, &tensor.sizes))
    }
}

/// A tensor in logical order; where it lies in memory is none of the oracle's business.
struct Tensor<'a> {
    data_type: DataType,
    sizes: &'a [u64],
    elements: &'a [u8],
}

impl<'a> Tensor<'a> {
    fn count(&self) -> u64 {
        self.sizes.iter().product()
    }

    /// The element at a position in row-major order.
    fn element(&self, position: u64) -> &'a [u8] {
        let width = self.data_type.bytes();
        let start = position as usize * width;
        &self.elements[start..start + width]
    }

    /// The element at some coordinates.
    fn at(&self, coordinates: &[u64]) -> &'a [u8] {
        let row_major = std::iter::zip(coordinates, self.sizes).fold(0, |sum, (&at, &size)| sum * size + at);
        self.element(row_major)
    }
}

/// The coordinates of every element of a tensor with these sizes, in row-major order.
fn every_coordinate(sizes: &[u64]) -> impl Iterator<Item = Vec<u64>> {
    let count: u64 = sizes.iter().product();
    (0..count).map(|position| coordinates(position as usize, sizes))
}

/// Elements that are all defined.
fn defined(bytes: Vec<u8>) -> Elements {
    Elements { bytes, undefined: Vec::new() }
}
