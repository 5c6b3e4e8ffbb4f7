//! Elements picked by indices, whatever the strides are: one loop for all types and layouts.
//!
//! Each element of the output has an index, its own or that of its slice, or a tuple of them. Elements are moved as they are.

use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output};
use opcert_refusals::Gathering;

use crate::element::Word;
use crate::index_type::IndexType;
use crate::memory::Binding;
use crate::strided::{Dimension, Layout, Walk};

/// A compiled gather.
#[derive(Debug)]
pub(crate) struct GatherOperator {
    input: Binding,
    indices: Binding,
    output: Binding,
    index_type: IndexType,
    element_bytes: usize,
    /// The dimensions in which the indices of an element count, with the distance in bytes of neighbours there, and of the index
    /// from the first one of the element.
    indexed: Vec<Dimension<2>>,
    /// Each element of the output: its first index, the first element of the input that it may be, and itself.
    elements: Walk<3>,
}

impl GatherOperator {
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(descriptor: &Descriptor, gathering: &Gathering<'_>) -> Result<Self, CompileError> {
        let input = Layout::new("InputTensor", gathering.input)?;
        let indices = Layout::new("IndicesTensor", gathering.indices)?;
        let output = Layout::new("OutputTensor", gathering.output)?;
        let stride = |layout: &Layout, at: Option<usize>| at.map_or(0, |at| layout.dimensions[at].strides[0]);
        let elements = std::iter::zip(&gathering.kept, &output.dimensions);
        let elements = elements.map(|(&[in_input, in_indices], &Dimension { size, strides: [to] })| Dimension {
            size,
            strides: [stride(&indices, in_indices), stride(&input, in_input), to],
        });
        let elements = elements.collect::<Vec<_>>();
        let last = indices.dimensions.len().checked_sub(1).filter(|_| gathering.has_tuples);
        let indexed = input.dimensions[gathering.indexed.clone()].iter().enumerate();
        let indexed = indexed.map(|(number, &Dimension { size, strides: [along] })| Dimension {
            size,
            strides: [along, number * stride(&indices, last)],
        });
        Ok(Self {
            index_type: IndexType::new(gathering.indices.data_type, true),
            element_bytes: gathering.input.data_type.bytes(),
            indexed: indexed.collect(),
            elements: Walk::coalesced(&elements),
            input: input.binding(descriptor, "InputTensor"),
            indices: indices.binding(descriptor, "IndicesTensor"),
            output: output.binding(descriptor, "OutputTensor"),
        })
    }

    fn run<W: Word>(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (input, indices) = (self.input.of_input(inputs)?, self.indices.of_input(inputs)?);
        let output = self.output.of_output(outputs)?;
        let Self { index_type, indexed, elements, .. } = self;
        elements.for_each(|[first, from, to]| {
            // An index that names nothing is taken for 0: what comes out may be anything, and memory is safe.
            let distance = |&Dimension { size, strides: [along, index] }: &Dimension<2>| {
                index_type.place(indices, first + index, size).unwrap_or(0) * along
            };
            let from = from + indexed.iter().map(distance).sum::<usize>();
            W::elements_mut(&mut output[to..])[0] = W::elements(&input[from..])[0];
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
