//! What makes a descriptor valid.
//!
//! One file per operator, in the order in which its rules are asked: availability and tensors first, then what relates
//! the tensors to each other, then attributes, then shapes. The first broken rule is reported, because later ones often
//! mean nothing without the earlier ones. Rules that the documents leave open are deliberately absent.

pub(crate) mod argmax;
mod level;
pub(crate) mod nonzero_coordinates;
pub(crate) mod one_hot;
pub(crate) mod openvino_one_hot_1;
mod rejection;
mod support;
mod tensor;
