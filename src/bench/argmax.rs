//! Workloads of `directml/argmax`: which axes there are to walk along, and how far.

use opcert_backend::operators::AXIS_DIRECTION_INCREASING;
use opcert_backend::{AttributeValue, DataType};

use super::form::{cube, descriptor, input, output, rows_of, square};
use super::values::Fill;
use super::workload::{Work, Workload, Written};

const OPERATOR: &str = "directml/argmax";
const TYPES: &[DataType] = &[DataType::F32, DataType::U8, DataType::F16, DataType::I64];
const ELEMENTS: u64 = 1 << 24;

pub(super) const WORKLOADS: [Workload; 7] = [
    Workload { grows: true, ..named("last_axis", |data_type, n| work(data_type, &square(n), &[1])) },
    named("short_rows", |data_type, n| work(data_type, &rows_of(n, 16), &[1])),
    named("first_axis", |data_type, n| work(data_type, &square(n), &[0])),
    named("middle_axis", |data_type, n| work(data_type, &cube(n), &[1])),
    named("outer_axes", |data_type, n| work(data_type, &cube(n), &[0, 2])),
    Workload::small(OPERATOR, "one_element", |data_type, _| work(data_type, &[1], &[0])),
    // The sizes of the document's first example.
    Workload::small(OPERATOR, "example", |data_type, _| work(data_type, &[3, 3], &[0])),
];

const fn named(name: &'static str, describe: fn(DataType, u64) -> Work) -> Workload {
    Workload::sized(OPERATOR, name, ELEMENTS, TYPES, describe)
}

fn work(data_type: DataType, sizes: &[u64], axes: &[i64]) -> Work {
    let mut reduced = sizes.to_vec();
    axes.iter().for_each(|&axis| reduced[axis as usize] = 1);
    let tensors = vec![input("InputTensor", data_type, sizes), output("OutputTensor", DataType::U32, reduced)];
    let attributes = vec![
        ("AxisCount", AttributeValue::Integer(axes.len() as i64)),
        ("Axes", AttributeValue::Integers(axes.to_vec())),
        ("AxisDirection", AttributeValue::Enumerator(AXIS_DIRECTION_INCREASING.to_owned())),
    ];
    let along = if let [axis] = axes { format!("axis {axis}") } else { format!("axes {axes:?}") };
    Work {
        descriptor: descriptor(OPERATOR, tensors, attributes, Vec::new()),
        inputs: vec![Fill::Numbers],
        caption: format!("{sizes:?} {along}"),
        elements: sizes.iter().product(),
        written: Written::All,
    }
}
