//! Elements in byte buffers, and the buffers of a dispatch.
//!
//! Buffers promise no alignment and are little-endian whatever the machine is, so every element goes through its bytes.
//! Indices, counts and coordinates of `W` bytes travel as the low `W` bytes of a `u64`; what kernels search, compare or
//! select is an [`element`](crate::element).

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
    /// Where it is among the inputs or the outputs.
    pub(crate) position: usize,
    /// The bytes from the first element to the end of the last one.
    pub(crate) span: usize,
}

impl Binding {
    /// The tensor's memory among the inputs, cut to its span.
    ///
    /// # Errors
    ///
    /// [`Fault::Failed`] when the input is missing or too short.
    #[inline]
    pub(crate) fn of_input<'a>(self, inputs: &[Input<'a>]) -> Result<&'a [u8], Fault> {
        let bytes = inputs.get(self.position).filter(|input| input.name == self.name).map(|input| input.bytes);
        bytes.and_then(|bytes| bytes.get(..self.span)).ok_or_else(|| self.fault(bytes.map(<[u8]>::len)))
    }

    /// The tensor's memory among the outputs, cut to its span.
    ///
    /// # Errors
    ///
    /// [`Fault::Failed`] when the output is missing or too short.
    #[inline]
    pub(crate) fn of_output<'a>(self, outputs: &'a mut [Output<'_>]) -> Result<&'a mut [u8], Fault> {
        let output = outputs.get_mut(self.position).filter(|output| output.name == self.name);
        let length = output.as_ref().map(|output| output.bytes.len());
        let bytes = output.and_then(|output| output.bytes.get_mut(..self.span));
        bytes.ok_or_else(|| self.fault(length))
    }

    #[cold]
    fn fault(self, length: Option<usize>) -> Fault {
        let Self { name, span, .. } = self;
        Fault::Failed(match length {
            None => format!("`{name}` is not bound"),
            Some(length) => format!("`{name}` is bound to {length} bytes, expected at least {span}"),
        })
    }
}
