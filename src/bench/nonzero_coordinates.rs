//! Workloads of `directml/nonzero_coordinates`: how much there is to find, and how many coordinates it has.

use opcert_backend::DataType;

use super::form::{descriptor, input, output, square};
use super::values::Fill;
use super::workload::{Work, Workload, Written};

const OPERATOR: &str = "directml/nonzero_coordinates";
/// The operator has no integers of 64 bits.
const TYPES: &[DataType] = &[DataType::F32, DataType::U8, DataType::F16];
const ELEMENTS: u64 = 1 << 24;
const ROWS: &str = "OutputCoordinatesTensor";

pub(super) const WORKLOADS: [Workload; 8] = [
    named("1_percent", |data_type, n| work(data_type, &square(n), 1)),
    Workload { grows: true, ..named("50_percent", |data_type, n| work(data_type, &square(n), 50)) },
    named("100_percent", |data_type, n| work(data_type, &square(n), 100)),
    named("flat_1_percent", |data_type, n| work(data_type, &[n.max(1)], 1)),
    named("flat_50_percent", |data_type, n| work(data_type, &[n.max(1)], 50)),
    named("flat_100_percent", |data_type, n| work(data_type, &[n.max(1)], 100)),
    Workload::small(OPERATOR, "one_element", |data_type, _| work(data_type, &[1], 100)),
    // The sizes of the document's example, in which half of the elements are zero.
    Workload::small(OPERATOR, "example", |data_type, _| work(data_type, &[1, 1, 2, 4], 50)),
];

const fn named(name: &'static str, describe: fn(DataType, u64) -> Work) -> Workload {
    Workload::sized(OPERATOR, name, ELEMENTS, TYPES, describe)
}

fn work(data_type: DataType, sizes: &[u64], percent: u64) -> Work {
    let elements = sizes.iter().product();
    // Both outputs have as many dimensions as the input, or the two that rows need: then every level takes them.
    let (count, mut rows) = (vec![1; sizes.len()], vec![1; sizes.len().max(2)]);
    let inner = rows.len() - 2;
    rows[inner..].copy_from_slice(&[elements, sizes.len() as u64]);
    let tensors = vec![
        input("InputTensor", data_type, sizes),
        output("OutputCountTensor", DataType::U32, count),
        output(ROWS, DataType::U32, rows),
    ];
    Work {
        descriptor: descriptor(OPERATOR, tensors, Vec::new(), Vec::new()),
        inputs: vec![Fill::Sparse { percent }],
        caption: format!("{sizes:?} {percent} %"),
        elements,
        written: Written::FoundRows(ROWS),
    }
}
