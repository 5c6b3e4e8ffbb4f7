//! Workloads of `openvino/one_hot_1`: where the new dimension stands.

use opcert_backend::{AttributeValue, Constant, DataType};

use super::form::{descriptor, input, output, rows_of};
use super::one_hot::{DEPTH, columns_of};
use super::values::{Fill, off_and_on};
use super::workload::{Work, Workload, Written};

const OPERATOR: &str = "openvino/one_hot_1";
const TYPES: &[DataType] = &[DataType::F32, DataType::U8, DataType::F16, DataType::I64];
/// A million indices.
const ELEMENTS: u64 = 1 << 27;

pub(super) const WORKLOADS: [Workload; 4] = [
    Workload { grows: true, ..named("last_axis", |data_type, n| work(data_type, &rows_of(n, DEPTH), 1)) },
    named("first_axis", |data_type, n| work(data_type, &columns_of(n), 0)),
    Workload::small(OPERATOR, "one_element", |data_type, _| work(data_type, &[1], 0)),
    // The sizes of the document's example.
    Workload::small(OPERATOR, "example", |data_type, _| work(data_type, &[4, 3], 1)),
];

const fn named(name: &'static str, describe: fn(DataType, u64) -> Work) -> Workload {
    Workload::sized(OPERATOR, name, ELEMENTS, TYPES, describe)
}

fn work(data_type: DataType, sizes: &[u64], axis: usize) -> Work {
    let mut indices = sizes.to_vec();
    let depth = indices.remove(axis);
    let depth_bytes = depth.to_le_bytes().to_vec();
    let [off, on] = off_and_on(data_type);
    let tensors = vec![
        input("indices", DataType::I64, indices),
        input("depth", DataType::I64, []),
        input("on_value", data_type, []),
        input("off_value", data_type, []),
        output("output", data_type, sizes),
    ];
    let attributes = vec![("axis", AttributeValue::Integer(axis as i64))];
    let constants = vec![Constant { name: "depth".to_owned(), bytes: depth_bytes.clone() }];
    Work {
        descriptor: descriptor(OPERATOR, tensors, attributes, constants),
        inputs: vec![Fill::Below(depth), Fill::Elements(depth_bytes), Fill::Elements(on), Fill::Elements(off)],
        caption: format!("{sizes:?} axis {axis}"),
        elements: sizes.iter().product(),
        written: Written::All,
    }
}
