//! The samplers by operator.

use opcert_backend::Descriptor;

use super::draw::{Draw, Sample};
use super::{argmax, nonzero_coordinates, one_hot, openvino_one_hot_1};

/// How samples of an operator are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampler {
    /// Draws a valid descriptor with data.
    pub(super) draw: fn(&mut Draw<'_, '_>) -> Sample,
    /// Whether the documents leave open what a descriptor means, beyond what checks can say.
    pub(super) is_open: fn(&Descriptor) -> bool,
}

/// The sampler of an operator, if it has one.
pub(super) fn sampler(operator: &str) -> Option<Sampler> {
    Some(match operator {
        "directml/one_hot" => Sampler { draw: one_hot::draw, is_open: one_hot::is_open },
        "directml/nonzero_coordinates" => {
            Sampler { draw: nonzero_coordinates::draw, is_open: nonzero_coordinates::is_open }
        }
        "directml/argmax" => Sampler { draw: argmax::draw, is_open: argmax::is_open },
        "openvino/one_hot_1" => Sampler { draw: openvino_one_hot_1::draw, is_open: openvino_one_hot_1::is_open },
        _ => return None,
    })
}
