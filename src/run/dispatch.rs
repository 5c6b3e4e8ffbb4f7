//! One dispatch of a case: inputs laid out, outputs poisoned, both between guard zones.

use opcert_backend::{
    BoundInput, Fault, GuardedBuffer, NamedTensor, Operator, Role, guarded_dispatch, guarded_memory, input_fill,
};

use super::OutputMemory;
use crate::case::Data;
use crate::check::ValidCase;
use crate::layout::lay_out;

pub(super) fn dispatch(operator: &mut dyn Operator, case: &ValidCase, poison: u8) -> Result<OutputMemory, Fault> {
    let named = |role: Role| case.descriptor.tensors.iter().filter(move |entry| entry.role == role);
    let inputs = named(Role::Input)
        .filter_map(|entry| Some((entry, case.inputs.iter().find(|input| input.name == entry.name)?)))
        .map(|(entry, input)| laid_out(entry, &input.data, poison))
        .collect::<Result<Vec<_>, Fault>>()?;
    let outputs: Vec<&NamedTensor> = named(Role::Output).collect();
    let buffers = guarded_dispatch(operator, &inputs, &outputs, poison)?;
    Ok(buffers.into_iter().map(GuardedBuffer::into_bytes).collect())
}

fn laid_out<'a>(entry: &'a NamedTensor, data: &Data, poison: u8) -> Result<BoundInput<'a>, Fault> {
    let mut buffer = guarded_memory(entry, input_fill(poison))?;
    if entry.tensor.is_packed() {
        data.fill(buffer.bytes_mut());
    } else {
        lay_out(&entry.tensor, &data.elements(), buffer.bytes_mut());
    }
    Ok((entry, buffer))
}
