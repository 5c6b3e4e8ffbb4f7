//! Elements overwritten along an axis, each at an index of its own, whatever the strides are.
//!
//! The input is copied to the output, and what is written goes over it. Elements are moved as they are.

use std::iter::zip;

use opcert_backend::operators::ScatterElements;
use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output};

use crate::element::Word;
use crate::index_type::IndexType;
use crate::memory::Binding;
use crate::strided::{Dimension, Layout, Walk, joined};

/// A compiled `directml/scatter_elements`.
#[derive(Debug)]
pub(crate) struct ScatterOperator {
    input: Binding,
    indices: Binding,
    updates: Binding,
    output: Binding,
    index_type: IndexType,
    element_bytes: usize,
    /// The size of the output along the axis, and the distance of neighbours there in bytes.
    size: usize,
    stride: usize,
    /// Each element of the input and of the output.
    kept: Walk<2>,
    /// Each update: its index, itself, and the first element of the output that it may go to.
    written: Walk<3>,
}

impl ScatterOperator {
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(descriptor: &Descriptor, view: &ScatterElements<'_>, axis: usize) -> Result<Self, CompileError> {
        let input = Layout::new("InputTensor", view.input)?;
        let indices = Layout::new("IndicesTensor", view.indices)?;
        let updates = Layout::new("UpdatesTensor", view.updates)?;
        let output = Layout::new("OutputTensor", view.output)?;
        let written = zip(joined(&indices.dimensions, &updates.dimensions), &output.dimensions).enumerate();
        let written = written.map(|(at, (Dimension { size, strides: [index, update] }, to))| {
            let to = if at == axis { 0 } else { to.strides[0] };
            Dimension { size, strides: [index, update, to] }
        });
        let along = output.dimensions[axis];
        Ok(Self {
            index_type: IndexType::new(view.indices.data_type, true),
            element_bytes: view.input.data_type.bytes(),
            size: along.size,
            stride: along.strides[0],
            kept: Walk::coalesced(&joined(&input.dimensions, &output.dimensions)),
            written: Walk::coalesced(&written.collect::<Vec<_>>()),
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
        let Self { index_type, size, stride, .. } = *self;
        self.kept.for_each(|[from, to]| W::elements_mut(&mut output[to..])[0] = W::elements(&input[from..])[0]);
        self.written.for_each(|[index, update, to]| {
            // An index that names nothing writes nothing: what comes out is open, and memory is safe.
            if let Some(place) = index_type.place(indices, index, size) {
                W::elements_mut(&mut output[to + place * stride..])[0] = W::elements(&updates[update..])[0];
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
