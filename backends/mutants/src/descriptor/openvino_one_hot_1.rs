//! The descriptor of `openvino/one_hot_1`, checked wrongly.

use opcert_backend::DataType::{I8, I16, I32, I64, U8, U16, U32, U64};
use opcert_backend::Descriptor;

use super::{DescriptorRule, accepts, dropped, has_type, sizes};
use crate::Mutant;
use crate::backend::Deviation;

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    dropped("openvino-missing-axis-accepted", "openvino/one_hot_1/axis-required"),
    dropped("openvino-inputs-required-unchecked", "openvino/one_hot_1/inputs-required"),
    accepts(
        "openvino-missing-off-value-accepted",
        "openvino/one_hot_1/inputs-required",
        "off_value may be left out and is then 0.",
        |descriptor| descriptor.tensor("off_value").is_none(),
    ),
    accepts(
        "openvino-missing-on-value-accepted",
        "openvino/one_hot_1/inputs-required",
        "on_value may be left out and is then 1.",
        |descriptor| descriptor.tensor("on_value").is_none(),
    ),
    accepts(
        "openvino-missing-depth-accepted",
        "openvino/one_hot_1/inputs-required",
        "depth may be left out and is then read off the output.",
        |descriptor| descriptor.tensor("depth").is_none(),
    ),
    accepts(
        "openvino-missing-indices-accepted",
        "openvino/one_hot_1/inputs-required",
        "indices may be left out.",
        |descriptor| descriptor.tensor("indices").is_none(),
    ),
    dropped("openvino-axis-in-range-unchecked", "openvino/one_hot_1/axis-in-range"),
    accepts(
        "openvino-axis-one-too-high",
        "openvino/one_hot_1/axis-in-range",
        "The axis N+1 is accepted for indices of rank N.",
        |descriptor| descriptor.integer("axis") == Some(rank(descriptor) + 1),
    ),
    accepts(
        "openvino-axis-one-too-low",
        "openvino/one_hot_1/axis-in-range",
        "The axis -(N+2) is accepted for indices of rank N.",
        |descriptor| descriptor.integer("axis") == Some(-2 - rank(descriptor)),
    ),
    Mutant::new(
        "openvino-axis-in-range-named-output-shape",
        "openvino/one_hot_1/axis-in-range",
        "An axis out of range is refused for the shape of the output.",
        Deviation::Descriptor(DescriptorRule::Names {
            instead_of: "openvino/one_hot_1/axis-in-range",
            requirement: "openvino/one_hot_1/output-shape",
        }),
    ),
    dropped("openvino-index-types-unchecked", "openvino/one_hot_1/index-types"),
    accepts(
        "openvino-unsigned-indices-accepted",
        "openvino/one_hot_1/index-types",
        "u32 and u64 indices are accepted.",
        |descriptor| has_type(descriptor, "indices", &[U32, U64]),
    ),
    accepts(
        "openvino-narrow-indices-accepted",
        "openvino/one_hot_1/index-types",
        "Indices of 8 and 16 bits are accepted.",
        |descriptor| has_type(descriptor, "indices", &[I8, I16, U8, U16]),
    ),
    accepts(
        "openvino-any-depth-type-accepted",
        "openvino/one_hot_1/index-types",
        "The type of depth is not looked at.",
        |descriptor| has_type(descriptor, "indices", &[I32, I64]),
    ),
    dropped("openvino-scalar-inputs-unchecked", "openvino/one_hot_1/scalar-inputs"),
    accepts(
        "openvino-on-value-of-one-dimension",
        "openvino/one_hot_1/scalar-inputs",
        "on_value may have one dimension of size 1.",
        |descriptor| sizes(descriptor, "on_value") == [1],
    ),
    accepts(
        "openvino-off-value-of-one-dimension",
        "openvino/one_hot_1/scalar-inputs",
        "off_value may have one dimension of size 1.",
        |descriptor| sizes(descriptor, "off_value") == [1],
    ),
    accepts(
        "openvino-depth-of-one-dimension",
        "openvino/one_hot_1/scalar-inputs",
        "depth may have one dimension of size 1.",
        |descriptor| sizes(descriptor, "depth") == [1],
    ),
    dropped("openvino-depth-positive-unchecked", "openvino/one_hot_1/depth-positive"),
    accepts(
        "openvino-depth-zero-accepted",
        "openvino/one_hot_1/depth-positive",
        "A depth of 0 is accepted.",
        |descriptor| depth_bytes(descriptor).iter().all(|&byte| byte == 0),
    ),
    accepts(
        "openvino-negative-depth-accepted",
        "openvino/one_hot_1/depth-positive",
        "A negative depth is accepted.",
        |descriptor| depth_bytes(descriptor).last().is_some_and(|&byte| byte >= 0x80),
    ),
    dropped("openvino-same-value-type-unchecked", "openvino/one_hot_1/same-value-type"),
    accepts(
        "openvino-output-type-unchecked",
        "openvino/one_hot_1/same-value-type",
        "The type of the output is not compared.",
        |descriptor| same_type(descriptor, "on_value", "off_value"),
    ),
    accepts(
        "openvino-off-value-type-unchecked",
        "openvino/one_hot_1/same-value-type",
        "The type of off_value is not compared.",
        |descriptor| same_type(descriptor, "on_value", "output"),
    ),
    dropped("openvino-output-shape-unchecked", "openvino/one_hot_1/output-shape"),
    accepts(
        "openvino-output-dimensions-in-any-order",
        "openvino/one_hot_1/output-shape",
        "depth may stand anywhere among the sizes of the output.",
        |descriptor| {
            let mut expected = [sizes(descriptor, "indices"), &[depth(descriptor)]].concat();
            let mut found = sizes(descriptor, "output").to_vec();
            expected.sort_unstable();
            found.sort_unstable();
            expected == found
        },
    ),
    accepts(
        "openvino-output-depth-unchecked",
        "openvino/one_hot_1/output-shape",
        "The size of the output at the axis need not be depth.",
        |descriptor| {
            let mut found = sizes(descriptor, "output").to_vec();
            let rank = rank(descriptor) + 1;
            let axis = descriptor.integer("axis").map(|axis| if axis < 0 { axis + rank } else { axis });
            let axis = axis.and_then(|axis| usize::try_from(axis).ok()).filter(|&axis| axis < found.len());
            axis.is_some_and(|axis| {
                found.remove(axis);
                found == sizes(descriptor, "indices")
            })
        },
    ),
    accepts(
        "openvino-output-rank-unchecked",
        "openvino/one_hot_1/output-shape",
        "Only the number of the output's elements is compared.",
        |descriptor| {
            let sequences: u64 = sizes(descriptor, "indices").iter().product();
            sizes(descriptor, "output").iter().product::<u64>() == sequences * depth(descriptor)
        },
    ),
];

fn rank(descriptor: &Descriptor) -> i64 {
    sizes(descriptor, "indices").len() as i64
}

fn depth_bytes(descriptor: &Descriptor) -> &[u8] {
    descriptor.constant("depth").unwrap_or_default()
}

/// Depth, if it is not negative.
fn depth(descriptor: &Descriptor) -> u64 {
    depth_bytes(descriptor).iter().rev().fold(0, |depth, &byte| depth << 8 | u64::from(byte))
}

fn same_type(descriptor: &Descriptor, one: &str, other: &str) -> bool {
    let data_type = |name: &str| descriptor.tensor(name).map(|tensor| tensor.data_type);
    data_type(one) == data_type(other)
}
