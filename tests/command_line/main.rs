//! The program, run as a person would: what it says, how it ends, and what stands in files then.

mod bad_input;
mod bench;
mod carried;
#[path = "../command/mod.rs"]
mod command;
mod compare;
mod completion;
mod diff;
#[path = "../doctored/mod.rs"]
mod doctored;
mod expect;
mod exported_dxdispatch;
mod exported_ir;
mod exported_onnx;
mod float_attributes;
mod fuzz_command;
mod imported_dxdispatch;
mod mutate;
mod optional_tensors;
mod own_operator;
#[path = "../page_data/mod.rs"]
mod page_data;
mod printed;
mod questionnaire;
mod rendering;
mod scalar_attributes;
mod shards;
mod tensor_lists;
mod trend;
mod usage;
mod verdict;
mod verify;
mod workloads;

/// Cases that differ in their tensors, attributes and sizes, and not in elements and combinations alone: for tests of forms that
/// write all cases alike.
const VARIED: &[&str] = &[
    "*/by_hand/*",
    "*/documented/*",
    "*/open/*",
    "directml/one_hot/*",
    "directml/padding1/*",
    "directml/cumulative_summation/*",
];
