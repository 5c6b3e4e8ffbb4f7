//! Elements that are moved as they are, to places that follow from their own: a copy along dimensions into which both tensors
//! are taken apart.

use opcert_backend::{DataType, Descriptor, Fault, Input, Operator, Output};

use crate::element::Word;
use crate::memory::Binding;
use crate::strided::{Dimension, Layout, Walk};

/// A compiled operator with one input and one output that moves elements.
#[derive(Debug)]
pub(crate) struct RearrangeOperator {
    input: Binding,
    output: Binding,
    element_bytes: usize,
    /// Each element of the output, and where it comes from.
    moved: Walk<2>,
}

impl RearrangeOperator {
    /// Moves elements of a type along dimensions with their distances in the input and in the output.
    pub(crate) fn new(
        descriptor: &Descriptor,
        data_type: DataType,
        (from, to): (&Layout, &Layout),
        moved: &[Dimension<2>],
    ) -> Self {
        Self {
            input: from.binding(descriptor, "InputTensor"),
            output: to.binding(descriptor, "OutputTensor"),
            element_bytes: data_type.bytes(),
            moved: Walk::coalesced(moved),
        }
    }

    fn run<W: Word>(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (input, output) = (self.input.of_input(inputs)?, self.output.of_output(outputs)?);
        self.moved.for_each(|[from, to]| W::elements_mut(&mut output[to..])[0] = W::elements(&input[from..])[0]);
        Ok(())
    }
}

impl Operator for RearrangeOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        match self.element_bytes {
            1 => self.run::<u8>(inputs, outputs),
            2 => self.run::<u16>(inputs, outputs),
            4 => self.run::<u32>(inputs, outputs),
            _ => self.run::<u64>(inputs, outputs),
        }
    }
}
