//! One-hot: the kernel that `directml/one_hot` and `openvino/one_hot_1` share, and what can be wrong with the former.

pub(crate) mod mutants;
pub(crate) mod rules;
pub(crate) mod values;
