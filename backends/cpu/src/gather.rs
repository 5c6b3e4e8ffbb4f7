//! Elements picked along an axis by indices, whatever the strides are: one loop for all types and layouts.
//!
//! Each element of the output has an index of its own. Elements are moved as they are.

use opcert_backend::operators::GatherElements;
use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output};

use crate::element::Word;
use crate::index_type::IndexType;
use crate::memory::Binding;
use crate::strided::{Dimension, Layout, Walk};

/// A compiled gather along an axis.
#[derive(Debug)]
pub(crate) struct GatherOperator {
    input: Binding,
    indices: Binding,
    output: Binding,
    index_type: IndexType,
    element_bytes: usize,
    /// The size of the input along the axis, and the distance of neighbours there in bytes.
    size: usize,
    stride: usize,
    /// Each element of the output: its index, the first element of the input that it may be, and itself.
    elements: Walk<3>,
}

impl GatherOperator {
    /// `directml/gather_elements`: Indices has the sizes of the output.
    ///
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn elements(
        descriptor: &Descriptor,
        view: &GatherElements<'_>,
        axis: usize,
    ) -> Result<Self, CompileError> {
        let input = Layout::new("InputTensor", view.input)?;
        let indices = Layout::new("IndicesTensor", view.indices)?;
        let output = Layout::new("OutputTensor", view.output)?;
        let along = input.dimensions[axis];
        let elements = (0..output.dimensions.len()).map(|at| {
            let from = if at == axis { 0 } else { input.dimensions[at].strides[0] };
            let Dimension { size, strides: [to] } = output.dimensions[at];
            Dimension { size, strides: [indices.dimensions[at].strides[0], from, to] }
        });
        Ok(Self {
            index_type: IndexType::new(view.indices.data_type, true),
            element_bytes: view.input.data_type.bytes(),
            size: along.size,
            stride: along.strides[0],
            elements: Walk::coalesced(&elements.collect::<Vec<_>>()),
            input: input.binding(descriptor, "InputTensor"),
            indices: indices.binding(descriptor, "IndicesTensor"),
            output: output.binding(descriptor, "OutputTensor"),
        })
    }

    fn run<W: Word>(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (input, indices) = (self.input.of_input(inputs)?, self.indices.of_input(inputs)?);
        let output = self.output.of_output(outputs)?;
        let Self { index_type, size, stride, .. } = *self;
        self.elements.for_each(|[index, from, to]| {
            // An index that names nothing reads the first element: the page says nothing of it, and memory is safe.
            let place = index_type.place(indices, index, size).unwrap_or(0);
            W::elements_mut(&mut output[to..])[0] = W::elements(&input[from + place * stride..])[0];
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
