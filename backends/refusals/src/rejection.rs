//! Refusals, with and without a requirement to name.

use opcert_backend::CompileError;

/// The refusal of a descriptor that breaks `requirement`, given by its full id. `reason` holds the values in question.
pub(crate) fn broken(requirement: &str, reason: String) -> CompileError {
    CompileError::Rejected { requirement: Some(requirement.to_owned()), reason }
}

/// The refusal of a descriptor that is wrong in a way for which there is no requirement.
pub(crate) fn malformed(reason: String) -> CompileError {
    CompileError::Rejected { requirement: None, reason }
}
