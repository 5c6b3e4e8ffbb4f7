//! Elements picked along an axis by indices, whatever the strides are: one loop for all types and layouts.
//!
//! Each element of the output has an index, its own or that of its slice. Elements are moved as they are.

use opcert_backend::operators::{Gather, GatherElements};
use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output, TensorDescriptor};

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
        let layouts = layouts([view.input, view.indices, view.output])?;
        let [input, indices, output] = &layouts;
        let elements = (0..output.dimensions.len()).map(|at| {
            let from = if at == axis { 0 } else { input.dimensions[at].strides[0] };
            let Dimension { size, strides: [to] } = output.dimensions[at];
            Dimension { size, strides: [indices.dimensions[at].strides[0], from, to] }
        });
        let elements = elements.collect::<Vec<_>>();
        Ok(Self::new(descriptor, (view.input, view.indices), axis, &layouts, &elements))
    }

    /// `directml/gather`: the last dimensions of Indices stand in the output where Input has the axis. The dimensions of the
    /// output are the last ones of those, or with one more in front where Indices has none.
    ///
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn slices(
        descriptor: &Descriptor,
        view: &Gather<'_>,
        axis: usize,
        index_dimensions: usize,
    ) -> Result<Self, CompileError> {
        let layouts = layouts([view.input, view.indices, view.output])?;
        let [input, indices, output] = &layouts;
        let stride_of = |dimension: &Dimension<1>| dimension.strides[0];
        // The strides of Indices and of Input; those that are cropped separate no elements.
        let before = input.dimensions[..axis].iter().map(|dimension| [0, stride_of(dimension)]);
        let ignored = indices.dimensions.len() - index_dimensions;
        let picked = indices.dimensions[ignored..].iter().map(|dimension| [stride_of(dimension), 0]);
        let behind = input.dimensions[axis + 1..].iter().map(|dimension| [0, stride_of(dimension)]);
        let from: Vec<[usize; 2]> = before.chain(picked).chain(behind).collect();
        let elements = from.iter().rev().zip(output.dimensions.iter().rev());
        let elements = elements
            .map(|(&[index, from], &Dimension { size, strides: [to] })| Dimension { size, strides: [index, from, to] });
        let mut elements = elements.collect::<Vec<_>>();
        elements.reverse();
        Ok(Self::new(descriptor, (view.input, view.indices), axis, &layouts, &elements))
    }

    fn new(
        descriptor: &Descriptor,
        (input, indices): (&TensorDescriptor, &TensorDescriptor),
        axis: usize,
        layouts: &[Layout; 3],
        elements: &[Dimension<3>],
    ) -> Self {
        let along = layouts[0].dimensions[axis];
        Self {
            index_type: IndexType::new(indices.data_type, true),
            element_bytes: input.data_type.bytes(),
            size: along.size,
            stride: along.strides[0],
            elements: Walk::coalesced(elements),
            input: layouts[0].binding(descriptor, "InputTensor"),
            indices: layouts[1].binding(descriptor, "IndicesTensor"),
            output: layouts[2].binding(descriptor, "OutputTensor"),
        }
    }

    fn run<W: Word>(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (input, indices) = (self.input.of_input(inputs)?, self.indices.of_input(inputs)?);
        let output = self.output.of_output(outputs)?;
        let Self { index_type, size, stride, .. } = *self;
        self.elements.for_each(|[index, from, to]| {
            // An index that names nothing reads the first element: what comes out may be anything, and memory is safe.
            let place = index_type.place(indices, index, size).unwrap_or(0);
            W::elements_mut(&mut output[to..])[0] = W::elements(&input[from + place * stride..])[0];
        });
        Ok(())
    }
}

fn layouts([input, indices, output]: [&TensorDescriptor; 3]) -> Result<[Layout; 3], CompileError> {
    Ok([
        Layout::new("InputTensor", input)?,
        Layout::new("IndicesTensor", indices)?,
        Layout::new("OutputTensor", output)?,
    ])
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
