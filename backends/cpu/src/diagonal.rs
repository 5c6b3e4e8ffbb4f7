//! Matrices of which diagonals are filled with a value, whatever the strides are. Other elements are moved as they are, or zeros.

use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output};
use opcert_refusals::{Diagonal, Span};

use crate::element::Word;
use crate::memory::Binding;
use crate::strided::{Dimension, Layout, Walk};

/// A compiled `directml/diagonal_matrix1`.
#[derive(Debug)]
pub(crate) struct DiagonalOperator {
    input: Option<Binding>,
    output: Binding,
    element_bytes: usize,
    value: u64,
    span: Span,
    rows: Dimension<2>,
    columns: Dimension<2>,
    /// The first elements of each matrix in the input and in the output.
    matrices: Walk<2>,
}

impl DiagonalOperator {
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(descriptor: &Descriptor, view: &Diagonal<'_>) -> Result<Self, CompileError> {
        let output = Layout::new("OutputTensor", view.output)?;
        let input = view.input.map(|input| Layout::new("InputTensor", input)).transpose()?;
        let dimensions = output.dimensions.iter().enumerate().map(|(at, &Dimension { size, strides: [to] })| {
            let from = input.as_ref().map_or(0, |input| input.dimensions[at].strides[0]);
            Dimension { size, strides: [from, to] }
        });
        let mut dimensions: Vec<Dimension<2>> = dimensions.collect();
        let [rows, columns] = dimensions.split_off(dimensions.len() - 2)[..] else {
            return Err(CompileError::Unsupported { reason: "a matrix has rows and columns".to_owned() });
        };
        Ok(Self {
            element_bytes: view.output.data_type.bytes(),
            value: view.value,
            span: view.span,
            rows,
            columns,
            matrices: Walk::coalesced(&dimensions),
            input: input.map(|input| input.binding(descriptor, "InputTensor")),
            output: output.binding(descriptor, "OutputTensor"),
        })
    }

    fn run<W: Word>(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let input = self.input.map(|input| input.of_input(inputs)).transpose()?;
        let output = self.output.of_output(outputs)?;
        let Self { value, span, rows, columns, .. } = *self;
        let (value, zero) = (W::truncated(value).to_bytes(), W::truncated(0).to_bytes());
        self.matrices.for_each(|first| {
            for row in 0..rows.size {
                for column in 0..columns.size {
                    let [from, to] = [0, 1].map(|at| first[at] + row * rows.strides[at] + column * columns.strides[at]);
                    W::elements_mut(&mut output[to..])[0] = match input {
                        _ if span.fills(row as u64, column as u64) => value,
                        Some(input) => W::elements(&input[from..])[0],
                        None => zero,
                    };
                }
            }
        });
        Ok(())
    }
}

impl Operator for DiagonalOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        match self.element_bytes {
            1 => self.run::<u8>(inputs, outputs),
            2 => self.run::<u16>(inputs, outputs),
            4 => self.run::<u32>(inputs, outputs),
            _ => self.run::<u64>(inputs, outputs),
        }
    }
}
