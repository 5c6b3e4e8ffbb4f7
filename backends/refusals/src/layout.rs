//! Memory layouts in families whose documents know none: what describes no memory is refused without a requirement.

use opcert_backend::{CompileError, Role};

use crate::rejection::malformed;
use crate::tensor::{Tensor, used_bytes};

/// Checks that each tensor has memory, and that no output may hold an element twice.
///
/// # Errors
///
/// A refusal that names no requirement.
pub(crate) fn check(tensors: &[Tensor<'_>]) -> Result<(), CompileError> {
    tensors.iter().try_for_each(memory)?;
    tensors.iter().filter(|tensor| tensor.role == Role::Output).try_for_each(nesting)
}

fn memory(tensor: &Tensor<'_>) -> Result<(), CompileError> {
    let Tensor { name, descriptor, .. } = tensor;
    match (used_bytes(descriptor), descriptor.total_bytes) {
        (None, _) => Err(malformed(format!("`{name}` is {descriptor}, which describes no memory"))),
        (Some(used), Some(total)) if total < used => {
            Err(malformed(format!("`{name}` is {descriptor} in {total} bytes, expected at least {used}")))
        }
        _ => Ok(()),
    }
}

fn nesting(tensor: &Tensor<'_>) -> Result<(), CompileError> {
    let Tensor { name, descriptor, .. } = tensor;
    if descriptor.strides_nest() {
        return Ok(());
    }
    Err(malformed(format!("`{name}` is {descriptor}, whose strides do not nest: elements may overlap")))
}
