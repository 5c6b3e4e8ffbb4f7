//! Elements overwritten in a copy, each at an index of its own or in a block that a tuple of indices names, whatever the strides are.
//!
//! The input is copied to the output, and what is written goes over it. Elements are moved as they are.

use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output};
use opcert_refusals::Scattering;

use crate::addressing::Addresses;
use crate::element::Word;
use crate::memory::Binding;
use crate::strided::{Layout, Walk, joined};

/// A compiled scatter.
#[derive(Debug)]
pub(crate) struct ScatterOperator {
    input: Binding,
    indices: Binding,
    updates: Binding,
    output: Binding,
    element_bytes: usize,
    /// Each element of the input and of the output.
    kept: Walk<2>,
    /// Each update beside the element of the output that it is for.
    written: Addresses,
}

impl ScatterOperator {
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(descriptor: &Descriptor, scattering: &Scattering<'_>) -> Result<Self, CompileError> {
        let input = Layout::new("InputTensor", scattering.input)?;
        let indices = Layout::new("IndicesTensor", scattering.indices)?;
        let updates = Layout::new("UpdatesTensor", scattering.updates)?;
        let output = Layout::new("OutputTensor", scattering.output)?;
        let of_indices = (&indices, scattering.indices.data_type);
        Ok(Self {
            element_bytes: scattering.input.data_type.bytes(),
            kept: Walk::coalesced(&joined(&input.dimensions, &output.dimensions)),
            written: Addresses::new(&scattering.addressing, &output, of_indices, &updates),
            input: input.binding(descriptor, "InputTensor"),
            indices: indices.binding(descriptor, "IndicesTensor"),
            updates: updates.binding(descriptor, "UpdatesTensor"),
            output: output.binding(descriptor, "OutputTensor"),
        })
    }

    fn run<W: Word>(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (input, indices) = (self.input.of_input(inputs)?, self.indices.of_input(inputs)?);
        let updates = self.updates.of_input(inputs)?;
        let output = self.output.of_output(outputs)?;
        self.kept.for_each(|[from, to]| W::elements_mut(&mut output[to..])[0] = W::elements(&input[from..])[0]);
        self.written.for_each(indices, |to, update| {
            // An index that names nothing writes nothing: what comes out is open, and memory is safe.
            if let Some(to) = to {
                W::elements_mut(&mut output[to..])[0] = W::elements(&updates[update..])[0];
            }
        });
        Ok(())
    }
}
impl Operator for ScatterOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        match self.element_bytes {
            1 => self.run::<u8>(inputs, outputs),
            2 => self.run::<u16>(inputs, outputs),
            4 => self.run::<u32>(inputs, outputs),
            _ => self.run::<u64>(inputs, outputs),
        }
    }
}
