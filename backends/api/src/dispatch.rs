//! One dispatch under observation, the same in process and behind the protocol.

use crate::checksum::Checksum;
use crate::contain::contain;
use crate::{Fault, GuardedBuffer, Input, NamedTensor, Operator, Output, TensorDescriptor};

/// The memory of an input, with its name and descriptor.
pub type BoundInput<'a> = (&'a NamedTensor, GuardedBuffer);

/// The bytes that a tensor's memory needs: what its descriptor states, or else what its sizes and strides imply.
///
/// # Errors
///
/// When the size is not known or does not fit the address space.
pub fn memory_bytes(tensor: &TensorDescriptor) -> Result<usize, Fault> {
    let span = tensor.span_bytes().ok_or_else(|| Fault::Failed(format!("`{tensor}` has no size in memory")))?;
    let bytes = span.max(tensor.total_bytes.unwrap_or(0));
    usize::try_from(bytes).map_err(|_| Fault::OutOfMemory(format!("{bytes} bytes for `{tensor}`")))
}

/// Memory for a tensor between guard zones, filled with one byte.
///
/// # Errors
///
/// When the memory is not to be had.
pub fn guarded_memory(entry: &NamedTensor, fill: u8) -> Result<GuardedBuffer, Fault> {
    let bytes = memory_bytes(&entry.tensor)?;
    let buffer = GuardedBuffer::new(bytes, fill);
    buffer.ok_or_else(|| Fault::OutOfMemory(format!("{bytes} bytes for `{}`", entry.name)))
}

/// The byte that fills what lies beside an input's elements when outputs are filled with `poison`: another one, and a
/// different one for a different poison, so that an operator which reads there computes something else.
#[must_use]
pub const fn input_fill(poison: u8) -> u8 {
    !poison ^ 0x0F
}

/// Dispatches once, on outputs filled with `poison` between guard zones, and returns their memory.
///
/// # Errors
///
/// What the operator reports; a panic; and, before either of them, a write to an input or outside an output.
pub fn guarded_dispatch(
    operator: &mut dyn Operator,
    inputs: &[BoundInput<'_>],
    outputs: &[&NamedTensor],
    poison: u8,
) -> Result<Vec<GuardedBuffer>, Fault> {
    let before: Vec<u64> = inputs.iter().map(|(_, buffer)| buffer.checksum()).collect();
    let mut buffers = outputs.iter().map(|entry| guarded_memory(entry, poison)).collect::<Result<Vec<_>, _>>()?;
    let bound: Vec<Input<'_>> = inputs
        .iter()
        .map(|(entry, buffer)| Input { name: &entry.name, tensor: &entry.tensor, bytes: buffer.bytes() })
        .collect();
    let mut written: Vec<Output<'_>> = outputs
        .iter()
        .zip(&mut buffers)
        .map(|(entry, buffer)| Output { name: &entry.name, tensor: &entry.tensor, bytes: buffer.bytes_mut(), poison })
        .collect();
    let result = contain(|| operator.dispatch(&bound, &mut written)).and_then(|result| result);
    drop(written);

    // What was written where it must not be matters more than an error that came with it.
    for (entry, buffer) in outputs.iter().zip(&buffers) {
        if let Some(offset) = buffer.violation() {
            let length = buffer.bytes().len();
            return Err(Fault::GuardViolated(format!("byte {offset} of `{}`, which has {length} bytes", entry.name)));
        }
    }
    for ((entry, buffer), before) in inputs.iter().zip(before) {
        if buffer.violation().is_some() || Checksum::of(buffer.bytes()) != before {
            return Err(Fault::GuardViolated(format!("the input `{}`", entry.name)));
        }
    }
    result.map(|()| buffers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fill_of_inputs_differs_from_the_poison() {
        for poison in 0..=u8::MAX {
            assert_ne!(input_fill(poison), poison);
            assert_ne!(input_fill(poison), input_fill(!poison));
        }
    }
}
