//! Valid descriptors of OpenVINO's operations that are refused.

use opcert_backend::DataType::{self, BF16, Bool, F64, I8, I32, I64, U16, U64};

use super::{has_type, refuses, sizes};
use crate::Mutant;

/// A requirement on descriptors also says what is valid. Where none does, it is that valid descriptors are accepted.
pub(crate) const MUTANTS: &[Mutant] = &[
    refuses("openvino-everything-refused", "openvino/operator/accepts-valid", "No descriptor is accepted.", |_| true),
    refuses(
        "openvino-axis-behind-the-indices-refused",
        "openvino/one_hot_1/output-shape",
        "The axis N, behind all dimensions of indices, is refused.",
        |descriptor| descriptor.integer("axis") == Some(sizes(descriptor, "indices").len() as i64),
    ),
    refuses(
        "openvino-axis-from-the-far-end-refused",
        "openvino/one_hot_1/axis-from-end",
        "The axis -(N+1), in front of all dimensions of indices, is refused.",
        |descriptor| descriptor.integer("axis") == Some(-1 - sizes(descriptor, "indices").len() as i64),
    ),
    refuses(
        "openvino-negative-axis-refused",
        "openvino/one_hot_1/axis-from-end",
        "Negative axes are refused.",
        |descriptor| descriptor.integer("axis") < Some(0),
    ),
    refuses(
        "openvino-int64-indices-refused",
        "openvino/one_hot_1/index-types",
        "i64 indices are refused.",
        |descriptor| has_type(descriptor, "indices", &[I64]),
    ),
    refuses(
        "openvino-int32-indices-refused",
        "openvino/one_hot_1/index-types",
        "i32 indices are refused.",
        |descriptor| has_type(descriptor, "indices", &[I32]),
    ),
    refuses(
        "openvino-int32-depth-refused",
        "openvino/one_hot_1/index-types",
        "An i32 depth is refused.",
        |descriptor| has_type(descriptor, "depth", &[I32]),
    ),
    refuses(
        "openvino-int64-depth-refused",
        "openvino/one_hot_1/index-types",
        "An i64 depth is refused.",
        |descriptor| has_type(descriptor, "depth", &[I64]),
    ),
    refuses(
        "openvino-depth-one-refused",
        "openvino/one_hot_1/depth-positive",
        "A depth of 1 is refused.",
        |descriptor| descriptor.constant("depth").and_then(|bytes| bytes.first()) == Some(&1),
    ),
    refuses(
        "openvino-boolean-refused",
        "openvino/one_hot_1/same-value-type",
        "boolean values are refused.",
        |descriptor| is_type(descriptor, Bool),
    ),
    refuses("openvino-bf16-refused", "openvino/one_hot_1/same-value-type", "bf16 values are refused.", |descriptor| {
        is_type(descriptor, BF16)
    }),
    refuses("openvino-f64-refused", "openvino/one_hot_1/same-value-type", "f64 values are refused.", |descriptor| {
        is_type(descriptor, F64)
    }),
    refuses("openvino-i8-refused", "openvino/one_hot_1/same-value-type", "i8 values are refused.", |descriptor| {
        is_type(descriptor, I8)
    }),
    refuses("openvino-u16-refused", "openvino/one_hot_1/same-value-type", "u16 values are refused.", |descriptor| {
        is_type(descriptor, U16)
    }),
    refuses("openvino-u64-refused", "openvino/one_hot_1/same-value-type", "u64 values are refused.", |descriptor| {
        is_type(descriptor, U64)
    }),
    refuses(
        "openvino-six-dimensions-refused",
        "openvino/one_hot_1/output-shape",
        "Outputs of more than five dimensions are refused.",
        |descriptor| sizes(descriptor, "output").len() > 5,
    ),
];

fn is_type(descriptor: &opcert_backend::Descriptor, data_type: DataType) -> bool {
    has_type(descriptor, "on_value", &[data_type])
}
