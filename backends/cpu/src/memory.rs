//! Elements in byte buffers, and the buffers of a dispatch.
//!
//! Buffers promise no alignment and are little-endian whatever the machine is, so every element goes through its bytes.
//! An element of `W` bytes travels as the low `W` bytes of a `u64`: kernels copy and inspect bit patterns.

use opcert_backend::{Fault, Input, Output};

/// The element of `W` bytes that starts at byte `offset`, zero-extended.
pub(crate) fn load<const W: usize>(bytes: &[u8], offset: usize) -> u64 {
    let mut element = [0; 8];
    element[..W].copy_from_slice(&bytes[offset..offset + W]);
    u64::from_le_bytes(element)
}

/// Writes the low `W` bytes of `element` at byte `offset`.
pub(crate) fn store<const W: usize>(bytes: &mut [u8], offset: usize, element: u64) {
    bytes[offset..offset + W].copy_from_slice(&element.to_le_bytes()[..W]);
}

/// The signed integer that the low `W` bytes of `element` hold in two's complement.
pub(crate) fn sign_extended<const W: usize>(element: u64) -> i64 {
    let unused = 64 - 8 * W;
    (element << unused).cast_signed() >> unused
}

/// The buffer of a dispatch that a compiled tensor expects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding {
    /// The tensor's name in the specification.
    pub(crate) name: &'static str,
    /// The bytes from the first element to the end of the last one.
    pub(crate) span: usize,
}

impl Binding {
    /// The tensor's memory among the inputs, cut to its span.
    ///
    /// # Errors
    ///
    /// [`Fault::Failed`] when the input is missing or too short.
    pub(crate) fn of_input<'a>(self, inputs: &[Input<'a>]) -> Result<&'a [u8], Fault> {
        let input = inputs.iter().find(|input| input.name == self.name).ok_or_else(|| self.missing())?;
        input.bytes.get(..self.span).ok_or_else(|| self.short(input.bytes.len()))
    }

    /// The tensor's memory among the outputs, cut to its span.
    ///
    /// # Errors
    ///
    /// [`Fault::Failed`] when the output is missing or too short.
    pub(crate) fn of_output<'a>(self, outputs: &'a mut [Output<'_>]) -> Result<&'a mut [u8], Fault> {
        let output = outputs.iter_mut().find(|output| output.name == self.name).ok_or_else(|| self.missing())?;
        let length = output.bytes.len();
        output.bytes.get_mut(..self.span).ok_or_else(|| self.short(length))
    }

    fn missing(self) -> Fault {
        Fault::Failed(format!("`{}` is not bound", self.name))
    }

    fn short(self, length: usize) -> Fault {
        Fault::Failed(format!("`{}` is bound to {length} bytes, expected at least {}", self.name, self.span))
    }
}
