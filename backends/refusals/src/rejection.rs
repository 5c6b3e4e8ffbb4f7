//! Refusals, with and without a requirement to name.

use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

/// The refusal of a descriptor that breaks `requirement`, given by its full id. `reason` holds the values in question.
pub(crate) fn broken(requirement: &str, reason: String) -> CompileError {
    CompileError::Rejected { requirement: Some(requirement.to_owned()), reason }
}

/// The refusal of a descriptor that is wrong in a way for which there is no requirement.
pub(crate) fn malformed(reason: String) -> CompileError {
    CompileError::Rejected { requirement: None, reason }
}

/// The refusal of a descriptor that lacks what no requirement says that it has.
pub(crate) fn without(descriptor: &Descriptor, name: &str) -> CompileError {
    malformed(format!("`{}` is given without `{name}`", descriptor.operator))
}

/// A tensor that no descriptor of the operator lacks.
pub(crate) fn required<'d>(descriptor: &'d Descriptor, name: &str) -> Result<&'d TensorDescriptor, CompileError> {
    descriptor.tensor(name).ok_or_else(|| without(descriptor, name))
}
