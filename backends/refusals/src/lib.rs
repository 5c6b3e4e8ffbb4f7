//! What makes a descriptor valid, for the backends that come with opcert.
//!
//! One function takes a descriptor and yields what a kernel needs, or refuses it with the full id of the
//! requirement that it breaks. The rules are written from the source documents alone, and share nothing with the
//! validator that they are compared with.
//!
//! | operator | function | source document |
//! |---|---|---|
//! | `directml/one_hot` | [`one_hot()`] | `000_257a17ba323924f1.txt`, `004_2f0448eeeaeae8b3.txt` |
//! | `directml/nonzero_coordinates` | [`nonzero_coordinates()`] | `001_3a78d9feca2f1488.txt` |
//! | `directml/argmax` | [`reduction()`] | `003_b0ebd827180f1e7d.txt` |
//! | `directml/argmin` | [`reduction()`] | the page of DML_ARGMIN_OPERATOR_DESC |
//! | `directml/reduce_argmax`, `reduce_argmin`, `reduce_max`, `reduce_min` | [`reduction()`] | the page of DML_REDUCE_OPERATOR_DESC |
//! | `directml/gather` | [`gather()`] | the page of DML_GATHER_OPERATOR_DESC |
//! | `directml/gather_elements` | [`gather_elements()`] | the page of DML_GATHER_ELEMENTS_OPERATOR_DESC |
//! | `directml/gather_nd1` | [`gather_nd1()`] | the page of DML_GATHER_ND1_OPERATOR_DESC |
//! | `directml/scatter_elements` | [`scatter_elements()`] | the page of DML_SCATTER_OPERATOR_DESC |
//! | `directml/scatter_nd` | [`scatter_nd()`] | the page of DML_SCATTER_ND_OPERATOR_DESC |
//! | `directml/top_k1` | [`top_k1()`] | the page of DML_TOP_K1_OPERATOR_DESC |
//! | `directml/reverse_subsequences` | [`reverse_subsequences()`] | the page of DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC |
//! | `directml/tile` | [`tile()`] | the page of DML_TILE_OPERATOR_DESC |
//! | `directml/cumulative_summation` | [`cumulative_summation()`] | the page of DML_CUMULATIVE_SUMMATION_OPERATOR_DESC |
//! | `directml/depth_to_space1`, `space_to_depth1` | [`depth_space()`] | the pages of DML_DEPTH_TO_SPACE1_OPERATOR_DESC and DML_SPACE_TO_DEPTH1_OPERATOR_DESC |
//! | `directml/diagonal_matrix1` | [`diagonal_matrix1()`] | the page of DML_DIAGONAL_MATRIX1_OPERATOR_DESC |
//! | `directml/logical_…`, `bit_…`, `element_wise_…`, `is_nan`, `is_infinity` | [`elementwise()`] | the pages of DML_ELEMENT_WISE_…_OPERATOR_DESC |
//! | `onnx/arg_max`, `onnx/arg_min` | [`reduction()`] | onnx/defs/reduction/defs.cc and old.cc |
//! | `onnx/non_zero` | [`non_zero()`] | onnx/defs/tensor/defs.cc and old.cc |
//! | `onnx/one_hot` | [`onnx_one_hot()`] | onnx/defs/tensor/defs.cc, old.cc and utils.cc |
//! | `openvino/one_hot_1`, `openvino/one_hot_16` | [`openvino_one_hot()`] | `002_be2dbc40a5d5f474.txt`, the page of OneHot-16 |
//! | `openvino/non_zero_3` | [`non_zero()`] | the page of NonZero-3 |
//! | `tosa/argmax` | [`reduction()`] | TOSA 1.0.1: chapters/tensor_ops.adoc, tosa.xml, pseudocode/operators/ARGMAX.tosac |
//! | `webnn/arg_max`, `webnn/arg_min` | [`reduction()`] | Web Neural Network API, argMin/argMax operations |
//!
//! One file per operator, or for those that differ in nothing else, in the order in which its rules are asked:
//! availability and tensors first, then what relates the tensors to each other, then attributes, then shapes. The first
//! broken rule is reported, because later ones often mean nothing without the earlier ones. Rules that the documents
//! leave open are deliberately absent, and so is what a machine cannot do: a backend says that itself.

mod addressing;
mod argmax;
mod axes;
mod cumulative;
mod depth_space;
mod diagonal;
mod elementwise;
mod gather;
mod layout;
mod level;
mod non_zero;
mod nonzero_coordinates;
mod number;
mod one_hot;
mod onnx;
mod onnx_one_hot;
mod openvino_one_hot;
mod padding;
mod reduce;
mod reduction;
mod rejection;
mod reverse_subsequences;
mod scatter;
mod slice;
mod support;
mod tensor;
mod tile;
mod top_k;
mod tosa;
mod webnn;

#[cfg(test)]
mod tests;

pub use addressing::Addressing;
pub use cumulative::{Cumulative, cumulative_summation};
pub use depth_space::{DepthSpaceBlocks, depth_space};
pub use diagonal::{Diagonal, Span, diagonal_matrix1};
pub use elementwise::{Elementwise, Function, elementwise};
pub use gather::{Gathering, gather, gather_elements, gather_nd1};
pub use non_zero::{NonZero, non_zero};
pub use nonzero_coordinates::nonzero_coordinates;
pub use one_hot::one_hot;
pub use onnx_one_hot::{OnnxOneHot, cast_to_integers, onnx_one_hot};
pub use openvino_one_hot::openvino_one_hot;
pub use padding::{Padding, Surrounding, padding, padding1};
pub use reduction::{Extreme, Nan, Reduction, Tie, Yield, reduction};
pub use reverse_subsequences::reverse_subsequences;
pub use scatter::{Scattering, scatter_elements, scatter_nd};
pub use slice::{Slice, slice1};
pub use tile::tile;
pub use top_k::{TopK, top_k1};
