//! Elements picked by indices, whatever the strides are: one loop for all types and layouts.
//!
//! Each element of the output has an index, its own or that of its slice, or a tuple of them. Elements are moved as they are.

use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output};
use opcert_refusals::Gathering;

use crate::addressing::Addresses;
use crate::element::Word;
use crate::memory::Binding;
use crate::strided::Layout;

/// A compiled gather.
#[derive(Debug)]
pub(crate) struct GatherOperator {
    input: Binding,
    indices: Binding,
    output: Binding,
    element_bytes: usize,
    /// Each element of the output beside that of the input.
    elements: Addresses,
}

impl GatherOperator {
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(descriptor: &Descriptor, gathering: &Gathering<'_>) -> Result<Self, CompileError> {
        let input = Layout::new("InputTensor", gathering.input)?;
        let indices = Layout::new("IndicesTensor", gathering.indices)?;
        let output = Layout::new("OutputTensor", gathering.output)?;
        let of_indices = (&indices, gathering.indices.data_type);
        Ok(Self {
            element_bytes: gathering.input.data_type.bytes(),
            elements: Addresses::new(&gathering.addressing, &input, of_indices, &output),
            input: input.binding(descriptor, "InputTensor"),
            indices: indices.binding(descriptor, "IndicesTensor"),
            output: output.binding(descriptor, "OutputTensor"),
        })
    }

    fn run<W: Word>(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (input, indices) = (self.input.of_input(inputs)?, self.indices.of_input(inputs)?);
        let output = self.output.of_output(outputs)?;
        self.elements.for_each(indices, |from, to| {
            // Where an index names nothing the first element of all is taken: what comes out may be anything, and memory is safe.
            W::elements_mut(&mut output[to..])[0] = W::elements(&input[from.unwrap_or(0)..])[0];
        });
        Ok(())
    }
}
impl Operator for GatherOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        match self.element_bytes {
            1 => self.run::<u8>(inputs, outputs),
            2 => self.run::<u16>(inputs, outputs),
            4 => self.run::<u32>(inputs, outputs),
            _ => self.run::<u64>(inputs, outputs),
        }
    }
}
