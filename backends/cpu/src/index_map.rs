//! Elements that are moved as they are, where each dimension of the output says for itself which element of the input stands at a
//! place: a tensor with something around it, and a window of one.

use std::iter::zip;

use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output, TensorDescriptor};
use opcert_refusals::{Padding, Slice, Surrounding};

use crate::element::Word;
use crate::memory::Binding;
use crate::strided::Layout;

/// A compiled operator whose output holds elements of its input, and a constant where there is none.
#[derive(Debug)]
pub(crate) struct IndexMapOperator {
    input: Binding,
    output: Binding,
    element_bytes: usize,
    /// What stands where no element of the input does.
    constant: u64,
    dimensions: Vec<Dimension>,
}

/// A dimension of the output.
#[derive(Clone, Copy, Debug)]
struct Dimension {
    along: Along,
    /// How many elements the input and the output have.
    sizes: [u64; 2],
    /// The distance between neighbours in each of them, in bytes.
    strides: [usize; 2],
}

/// How places of the output follow from those of the input.
#[derive(Clone, Copy, Debug)]
enum Along {
    /// The elements of the input stand behind so many others.
    Around { surrounding: Surrounding, before: u64 },
    /// One of them stands first, and each further one is so many behind the one before.
    Steps { first: u64, step: i64 },
}

impl Along {
    /// Which of so many elements stands at a place; none where the constant does.
    fn element_at(self, place: u64, size: u64) -> Option<u64> {
        match self {
            Self::Around { surrounding, before } => surrounding.element_at(place, before, size),
            // Every place of a valid output has an element within the input.
            Self::Steps { first, step } => Some(first.wrapping_add_signed(step.wrapping_mul(place as i64))),
        }
    }
}

impl IndexMapOperator {
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn padding(descriptor: &Descriptor, padding: &Padding<'_>) -> Result<Self, CompileError> {
        let surrounding = padding.surrounding;
        let constant = if let Surrounding::Constant(bits) = surrounding { bits } else { 0 };
        let along = padding.before.iter().map(|&before| Along::Around { surrounding, before });
        Self::new(descriptor, [padding.input, padding.output], constant, along)
    }

    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn slice(descriptor: &Descriptor, slice: &Slice<'_>) -> Result<Self, CompileError> {
        let along = zip(&slice.first, slice.steps).map(|(&first, &step)| Along::Steps { first, step });
        Self::new(descriptor, [slice.input, slice.output], 0, along)
    }

    fn new(
        descriptor: &Descriptor,
        [input, output]: [&TensorDescriptor; 2],
        constant: u64,
        along: impl Iterator<Item = Along>,
    ) -> Result<Self, CompileError> {
        let from = Layout::new("InputTensor", input)?;
        let to = Layout::new("OutputTensor", output)?;
        let dimensions = zip(along, zip(&from.dimensions, &to.dimensions)).map(|(along, (from, to))| Dimension {
            along,
            sizes: [from.size as u64, to.size as u64],
            strides: [from.strides[0], to.strides[0]],
        });
        Ok(Self {
            input: from.binding(descriptor, "InputTensor"),
            output: to.binding(descriptor, "OutputTensor"),
            element_bytes: input.data_type.bytes(),
            constant,
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
    fn fill<W: Word>(&self, dimensions: &[Dimension], from: Option<usize>, to: usize, input: &[u8], output: &mut [u8]) {
        let Some((Dimension { along, sizes, strides }, inner)) = dimensions.split_first() else {
            W::elements_mut(&mut output[to..])[0] = match from {
                Some(from) => W::elements(&input[from..])[0],
                None => W::truncated(self.constant).to_bytes(),
            };
            return;
        };
        for place in 0..sizes[1] {
            let element = from.zip(along.element_at(place, sizes[0]));
            let from = element.map(|(from, element)| from + element as usize * strides[0]);
            self.fill::<W>(inner, from, to + place as usize * strides[1], input, output);
        }
    }
}

impl Operator for IndexMapOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        match self.element_bytes {
            1 => self.run::<u8>(inputs, outputs),
            2 => self.run::<u16>(inputs, outputs),
            4 => self.run::<u32>(inputs, outputs),
            _ => self.run::<u64>(inputs, outputs),
        }
    }
}
