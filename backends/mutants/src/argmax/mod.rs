//! `directml/argmax`: the kernel, and what can be wrong with it.

pub(crate) mod mutants;
pub(crate) mod rules;
pub(crate) mod winners;
