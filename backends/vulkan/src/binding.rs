//! The buffers of a dispatch.

use opcert_backend::{Fault, Input, Output, TensorDescriptor};

/// A tensor by its name in the specification.
pub(crate) type Named = (&'static str, TensorDescriptor);

/// The memory of an input.
///
/// # Errors
///
/// When it is not bound.
pub(crate) fn input<'a>(inputs: &[Input<'a>], name: &str) -> Result<&'a [u8], Fault> {
    inputs.iter().find(|input| input.name == name).map(|input| input.bytes).ok_or_else(|| missing(name))
}

/// The memory of an input, cut to the tensor.
///
/// # Errors
///
/// When it is not bound or too short.
pub(crate) fn input_of<'a>(inputs: &[Input<'a>], named: &Named) -> Result<&'a [u8], Fault> {
    within(input(inputs, named.0)?, named)
}

/// Memory, cut to the tensor.
///
/// # Errors
///
/// When it is too short.
pub(crate) fn within<'a>(bytes: &'a [u8], (name, tensor): &Named) -> Result<&'a [u8], Fault> {
    bytes.get(..span(tensor)).ok_or_else(|| short(name, bytes.len(), span(tensor)))
}

/// The memory of an output, cut to the tensor.
///
/// # Errors
///
/// When it is not bound or too short.
pub(crate) fn output_of<'a>(outputs: &'a mut [Output<'_>], (name, tensor): &Named) -> Result<&'a mut [u8], Fault> {
    let output = outputs.iter_mut().find(|output| output.name == *name).ok_or_else(|| missing(name))?;
    let length = output.bytes.len();
    output.bytes.get_mut(..span(tensor)).ok_or_else(|| short(name, length, span(tensor)))
}

fn span(tensor: &TensorDescriptor) -> usize {
    tensor.span_bytes().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX)
}

fn missing(name: &str) -> Fault {
    Fault::Failed(format!("`{name}` is not bound"))
}

pub(crate) fn short(name: &str, length: usize, expected: usize) -> Fault {
    Fault::Failed(format!("`{name}` is bound to {length} bytes, expected at least {expected}"))
}
