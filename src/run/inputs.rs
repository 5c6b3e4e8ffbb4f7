//! The inputs of a case, laid out as its descriptor says.

use opcert_backend::{BoundInput, Fault, GuardedBuffer, NamedTensor, Role, guarded_memory, input_fill};

use crate::case::Data;
use crate::check::ValidCase;
use crate::layout::lay_out;

/// The inputs for a dispatch whose outputs are filled with `poison`. What lies between their elements follows from it.
pub(super) fn inputs(case: &ValidCase, poison: u8) -> Result<Vec<BoundInput<'_>>, Fault> {
    let entries = case.descriptor.tensors.iter().filter(|entry| entry.role == Role::Input);
    entries
        .filter_map(|entry| Some((entry, case.inputs.iter().find(|input| input.name == entry.name)?)))
        .map(|(entry, input)| Ok((entry, laid_out(entry, &input.data, poison)?)))
        .collect()
}

/// The memory of an input for a dispatch whose outputs are filled with `poison`.
///
/// # Errors
///
/// When the memory is not to be had.
pub fn laid_out(entry: &NamedTensor, data: &Data, poison: u8) -> Result<GuardedBuffer, Fault> {
    let mut buffer = guarded_memory(entry, input_fill(poison))?;
    if entry.tensor.is_packed() {
        data.fill(buffer.bytes_mut());
    } else {
        lay_out(&entry.tensor, &data.elements(), buffer.bytes_mut());
    }
    Ok(buffer)
}
