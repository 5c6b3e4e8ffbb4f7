//! Elements that are added up along a dimension, each sum in the place of the element with which it ends, whatever the strides are.

use half::f16;
use opcert_backend::{CompileError, DataType, Descriptor, Fault, Input, Operator, Output};
use opcert_refusals::Cumulative;

use crate::element::Word;
use crate::memory::Binding;
use crate::strided::{Dimension, Layout, Walk, joined};

/// A compiled `directml/cumulative_summation`.
#[derive(Debug)]
pub(crate) struct CumulativeOperator {
    input: Binding,
    output: Binding,
    data_type: DataType,
    backwards: bool,
    exclusive: bool,
    /// The size along the axis, and the distances of neighbours there in the input and in the output.
    along: Dimension<2>,
    /// The first elements of each line along the axis in the input and in the output.
    lines: Walk<2>,
}

impl CumulativeOperator {
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(descriptor: &Descriptor, view: &Cumulative<'_>) -> Result<Self, CompileError> {
        let input = Layout::new("InputTensor", view.input)?;
        let output = Layout::new("OutputTensor", view.output)?;
        let mut lines = joined(&input.dimensions, &output.dimensions);
        let along = lines[view.axis];
        lines[view.axis] = Dimension { size: 1, strides: [0, 0] };
        Ok(Self {
            data_type: view.input.data_type,
            backwards: view.backwards,
            exclusive: view.exclusive,
            along,
            lines: Walk::coalesced(&lines),
            input: input.binding(descriptor, "InputTensor"),
            output: output.binding(descriptor, "OutputTensor"),
        })
    }

    /// Adds up numbers that elements are read as. A sum becomes an element where it is written, and nowhere before.
    fn run<W: Word, N: Copy + Default>(
        &mut self,
        (inputs, outputs): (&[Input<'_>], &mut [Output<'_>]),
        number: impl Fn(W) -> N,
        sum: impl Fn(N, N) -> N,
        element: impl Fn(N) -> W,
    ) -> Result<(), Fault> {
        let (input, output) = (self.input.of_input(inputs)?, self.output.of_output(outputs)?);
        let Self { backwards, exclusive, along: Dimension { size, strides: [step_from, step_to] }, .. } = *self;
        self.lines.for_each(|[from, to]| {
            let mut tally = N::default();
            for counted in 0..size {
                let at = if backwards { size - 1 - counted } else { counted };
                let before = tally;
                tally = sum(tally, number(W::from_bytes(W::elements(&input[from + at * step_from..])[0])));
                let written = element(if exclusive { before } else { tally });
                W::elements_mut(&mut output[to + at * step_to..])[0] = written.to_bytes();
            }
        });
        Ok(())
    }
}

impl Operator for CumulativeOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let tensors = (inputs, outputs);
        match self.data_type {
            DataType::F16 => self.run::<u16, f64>(
                tensors,
                |bits| f16::from_bits(bits).to_f64(),
                |one, other| one + other,
                |sum| f16::from_f64(sum).to_bits(),
            ),
            DataType::F32 => self.run::<u32, f64>(
                tensors,
                |bits| f32::from_bits(bits).into(),
                |one, other| one + other,
                |sum| (sum as f32).to_bits(),
            ),
            // Sums with a sign have the bits of those without one.
            DataType::I32 | DataType::U32 => self.run::<u32, u32>(tensors, |bits| bits, u32::wrapping_add, |sum| sum),
            _ => self.run::<u64, u64>(tensors, |bits| bits, u64::wrapping_add, |sum| sum),
        }
    }
}
