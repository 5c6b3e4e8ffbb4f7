//! One dispatch: inputs laid out, outputs poisoned between guard zones, both looked at afterwards.

use opcert_backend::{Fault, GuardedBuffer, Input, Operator, Output, Role, TensorDescriptor, contain};

use super::OutputMemory;
use crate::case::Data;
use crate::check::ValidCase;
use crate::layout::lay_out;

pub(super) fn dispatch(operator: &mut dyn Operator, case: &ValidCase, poison: u8) -> Result<OutputMemory, Fault> {
    let inputs = case
        .inputs
        .iter()
        .filter_map(|input| Some((input, case.descriptor.tensor(&input.name)?)))
        .map(|(input, tensor)| Ok((input.name.as_str(), tensor, laid_out(tensor, &input.data, poison)?)))
        .collect::<Result<Vec<_>, Fault>>()?;
    let outputs = case.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
    let mut outputs = outputs
        .map(|entry| {
            let bytes = memory_bytes(&entry.tensor)?;
            let buffer = GuardedBuffer::new(bytes, poison);
            let buffer = buffer.ok_or_else(|| Fault::OutOfMemory(format!("{bytes} bytes for `{}`", entry.name)))?;
            Ok((entry, buffer))
        })
        .collect::<Result<Vec<_>, Fault>>()?;

    let before: Vec<blake3::Hash> = inputs.iter().map(|(_, _, buffer)| blake3::hash(buffer.bytes())).collect();
    let bound: Vec<Input<'_>> =
        inputs.iter().map(|(name, tensor, buffer)| Input { name, tensor, bytes: buffer.bytes() }).collect();
    let mut written: Vec<Output<'_>> = outputs
        .iter_mut()
        .map(|(entry, buffer)| Output { name: &entry.name, tensor: &entry.tensor, bytes: buffer.bytes_mut(), poison })
        .collect();
    let result = contain(|| operator.dispatch(&bound, &mut written)).and_then(|result| result);
    drop(written);

    // What was written where it must not be matters more than an error that came with it.
    for (entry, buffer) in &outputs {
        if let Some(offset) = buffer.violation() {
            let length = buffer.bytes().len();
            return Err(Fault::GuardViolated(format!("byte {offset} of `{}`, which has {length} bytes", entry.name)));
        }
    }
    for ((name, _, buffer), before) in inputs.iter().zip(before) {
        if buffer.violation().is_some() || blake3::hash(buffer.bytes()) != before {
            return Err(Fault::GuardViolated(format!("the input `{name}` was written")));
        }
    }
    result?;
    Ok(outputs.iter().map(|(_, buffer)| buffer.bytes().to_vec()).collect())
}

/// An input's memory. What lies between its elements is the complement of the poison, so that a backend which reads
/// there computes something else in the second dispatch.
fn laid_out(tensor: &TensorDescriptor, data: &Data, poison: u8) -> Result<GuardedBuffer, Fault> {
    let bytes = memory_bytes(tensor)?;
    let buffer = GuardedBuffer::new(bytes, !poison ^ 0x0F);
    let mut buffer = buffer.ok_or_else(|| Fault::OutOfMemory(format!("{bytes} bytes for an input")))?;
    if tensor.is_packed() {
        data.fill(buffer.bytes_mut());
    } else {
        // A conflict was refused when the case was checked.
        let _ = lay_out(tensor, &data.elements(), buffer.bytes_mut());
    }
    Ok(buffer)
}

fn memory_bytes(tensor: &TensorDescriptor) -> Result<usize, Fault> {
    let bytes = tensor.total_bytes.or_else(|| tensor.span_bytes());
    let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
    bytes.ok_or_else(|| Fault::OutOfMemory(format!("`{tensor}` does not fit the address space")))
}
