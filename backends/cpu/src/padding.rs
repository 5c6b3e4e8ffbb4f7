//! A tensor with something around it.

use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output};
use opcert_refusals::{Padding, Surrounding};

use crate::element::Word;
use crate::memory::Binding;
use crate::strided::Layout;

/// A compiled operator that puts something around a tensor.
#[derive(Debug)]
pub(crate) struct PaddingOperator {
    input: Binding,
    output: Binding,
    element_bytes: usize,
    surrounding: Surrounding,
    /// What stands where no element of the input does.
    constant: u64,
    dimensions: Vec<Padded>,
}

/// A dimension of the output, and where the input lies in it.
#[derive(Clone, Copy, Debug)]
struct Padded {
    /// How many places there are before the input.
    before: u64,
    /// How many elements the input and the output have.
    sizes: [u64; 2],
    /// The distance between neighbours in each of them, in bytes.
    strides: [usize; 2],
}

impl PaddingOperator {
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(descriptor: &Descriptor, padding: &Padding<'_>) -> Result<Self, CompileError> {
        let from = Layout::new("InputTensor", padding.input)?;
        let to = Layout::new("OutputTensor", padding.output)?;
        let dimensions = std::iter::zip(&from.dimensions, &to.dimensions).zip(&padding.before);
        let dimensions = dimensions.map(|((from, to), &before)| Padded {
            before,
            sizes: [from.size as u64, to.size as u64],
            strides: [from.strides[0], to.strides[0]],
        });
        Ok(Self {
            input: from.binding(descriptor, "InputTensor"),
            output: to.binding(descriptor, "OutputTensor"),
            element_bytes: padding.input.data_type.bytes(),
            surrounding: padding.surrounding,
            constant: if let Surrounding::Constant(bits) = padding.surrounding { bits } else { 0 },
            dimensions: dimensions.collect(),
        })
    }

    fn run<W: Word>(&self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (input, output) = (self.input.of_input(inputs)?, self.output.of_output(outputs)?);
        self.fill::<W>(&self.dimensions, Some(0), 0, input, output);
        Ok(())
    }

    /// Writes what is left of the dimensions from an element of the output on. `from` is where the element of the input stands that
    /// belongs there, as far as the dimensions before say; none where the constant does.
    fn fill<W: Word>(&self, dimensions: &[Padded], from: Option<usize>, to: usize, input: &[u8], output: &mut [u8]) {
        let Some((Padded { before, sizes, strides }, inner)) = dimensions.split_first() else {
            W::elements_mut(&mut output[to..])[0] = match from {
                Some(from) => W::elements(&input[from..])[0],
                None => W::truncated(self.constant).to_bytes(),
            };
            return;
        };
        for place in 0..sizes[1] {
            let element = from.zip(self.surrounding.element_at(place, *before, sizes[0]));
            let from = element.map(|(from, element)| from + element as usize * strides[0]);
            self.fill::<W>(inner, from, to + place as usize * strides[1], input, output);
        }
    }
}

impl Operator for PaddingOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        match self.element_bytes {
            1 => self.run::<u8>(inputs, outputs),
            2 => self.run::<u16>(inputs, outputs),
            4 => self.run::<u32>(inputs, outputs),
            _ => self.run::<u64>(inputs, outputs),
        }
    }
}
