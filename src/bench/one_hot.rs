//! Workloads of `directml/one_hot`: where the dimension stands along which sequences lie.

use opcert_backend::{AttributeValue, DataType};

use super::form::{descriptor, input, output, rows_of, square};
use super::values::{Fill, off_and_on};
use super::workload::{Work, Workload, Written};

const OPERATOR: &str = "directml/one_hot";
const TYPES: &[DataType] = &[DataType::F32, DataType::U8, DataType::F16, DataType::I64];
/// A million indices.
const ELEMENTS: u64 = 1 << 27;
/// How long a sequence is.
pub(super) const DEPTH: u64 = 128;

pub(super) const WORKLOADS: [Workload; 5] = [
    Workload { grows: true, ..named("last_axis", |data_type, n| work(data_type, &rows_of(n, DEPTH), 1)) },
    named("first_axis", |data_type, n| work(data_type, &columns_of(n), 0)),
    named("middle_axis", |data_type, n| work(data_type, &planes_of(n), 1)),
    Workload::small(OPERATOR, "one_element", |data_type, _| work(data_type, &[1], 0)),
    // The sizes of the document's fourth example.
    Workload::small(OPERATOR, "example", |data_type, _| work(data_type, &[1, 1, 3, 4], 3)),
];

const fn named(name: &'static str, describe: fn(DataType, u64) -> Work) -> Workload {
    Workload::sized(OPERATOR, name, ELEMENTS, TYPES, describe)
}

/// Sequences that lie beside each other.
pub(super) fn columns_of(elements: u64) -> [u64; 2] {
    let [indices, depth] = rows_of(elements, DEPTH);
    [depth, indices]
}

/// Planes of sequences that lie beside each other.
fn planes_of(elements: u64) -> [u64; 3] {
    let [indices, depth] = rows_of(elements, DEPTH);
    let [planes, columns] = square(indices);
    [planes, depth, columns]
}

fn work(data_type: DataType, sizes: &[u64], axis: usize) -> Work {
    let (mut indices, mut values) = (sizes.to_vec(), vec![1; sizes.len()]);
    indices[axis] = 1;
    values[sizes.len() - 1] = 2;
    let tensors = vec![
        input("IndicesTensor", DataType::U32, indices),
        input("ValuesTensor", data_type, values),
        output("OutputTensor", data_type, sizes),
    ];
    let attributes = vec![("Axis", AttributeValue::Integer(axis as i64))];
    Work {
        descriptor: descriptor(OPERATOR, tensors, attributes, Vec::new()),
        inputs: vec![Fill::Below(sizes[axis]), Fill::Elements(off_and_on(data_type).concat())],
        caption: format!("{sizes:?} axis {axis}"),
        elements: sizes.iter().product(),
        written: Written::All,
    }
}
