//! Every workload there is.

use super::workload::Workload;
use super::{argmax, nonzero_coordinates, one_hot, openvino_one_hot_1};

/// Every workload, by operator.
pub const WORKLOADS: [&[Workload]; 4] =
    [&argmax::WORKLOADS, &nonzero_coordinates::WORKLOADS, &one_hot::WORKLOADS, &openvino_one_hot_1::WORKLOADS];

impl Workload {
    /// All workloads, in the order in which they are measured.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        WORKLOADS.into_iter().flatten()
    }
}
