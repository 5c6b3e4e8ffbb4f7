//! The first elements of sequences turned around, whatever the strides are. Elements are moved as they are.

use std::iter::zip;

use opcert_backend::operators::ReverseSubsequences;
use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output};

use crate::element::Word;
use crate::memory::{Binding, load};
use crate::strided::{Dimension, Layout, Walk, joined};

/// A compiled `directml/reverse_subsequences`.
#[derive(Debug)]
pub(crate) struct ReverseOperator {
    input: Binding,
    lengths: Binding,
    output: Binding,
    wide_lengths: bool,
    element_bytes: usize,
    /// The size along the axis, and the distances of neighbours there in the input and in the output.
    along: Dimension<2>,
    /// Each sequence: its length, and its first elements in the input and in the output.
    sequences: Walk<3>,
}

impl ReverseOperator {
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(
        descriptor: &Descriptor,
        view: &ReverseSubsequences<'_>,
        axis: usize,
    ) -> Result<Self, CompileError> {
        let input = Layout::new("InputTensor", view.input)?;
        let lengths = Layout::new("SequenceLengthsTensor", view.lengths)?;
        let output = Layout::new("OutputTensor", view.output)?;
        let mut moved = joined(&input.dimensions, &output.dimensions);
        let along = moved[axis];
        moved[axis] = Dimension { size: 1, strides: [0, 0] };
        let sequences = zip(&lengths.dimensions, moved).map(|(length, Dimension { size, strides: [from, to] })| {
            Dimension { size, strides: [length.strides[0], from, to] }
        });
        Ok(Self {
            wide_lengths: view.lengths.data_type.bytes() == 8,
            element_bytes: view.input.data_type.bytes(),
            along,
            sequences: Walk::coalesced(&sequences.collect::<Vec<_>>()),
            input: input.binding(descriptor, "InputTensor"),
            lengths: lengths.binding(descriptor, "SequenceLengthsTensor"),
            output: output.binding(descriptor, "OutputTensor"),
        })
    }

    fn run<W: Word>(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (input, lengths) = (self.input.of_input(inputs)?, self.lengths.of_input(inputs)?);
        let output = self.output.of_output(outputs)?;
        let Self { wide_lengths, along: Dimension { size, strides: [step_from, step_to] }, .. } = *self;
        self.sequences.for_each(|[length, from, to]| {
            let length = if wide_lengths { load::<8>(lengths, length) } else { load::<4>(lengths, length) };
            let length = usize::try_from(length).map_or(size, |length| length.min(size));
            for at in 0..size {
                let turned = if at < length { length - 1 - at } else { at };
                W::elements_mut(&mut output[to + at * step_to..])[0] =
                    W::elements(&input[from + turned * step_from..])[0];
            }
        });
        Ok(())
    }
}

impl Operator for ReverseOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        match self.element_bytes {
            1 => self.run::<u8>(inputs, outputs),
            2 => self.run::<u16>(inputs, outputs),
            4 => self.run::<u32>(inputs, outputs),
            _ => self.run::<u64>(inputs, outputs),
        }
    }
}
