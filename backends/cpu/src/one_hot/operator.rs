//! What is compiled, and which of the loops runs.

use opcert_backend::operators::{OneHot, OpenVinoOneHot};
use opcert_backend::{CompileError, DataType, Descriptor, Fault, Input, Operator, Output, TensorDescriptor};
use opcert_refusals::OnnxOneHot;

use crate::element::Word;
use crate::index_type::IndexType;
use crate::instructions::Instructions;
use crate::memory::Binding;
use crate::one_hot::packed::{Packed, Selection};
use crate::one_hot::plain::Plain;
use crate::strided::{Layout, Walk, joined, positions};

/// Up to as many elements the loops over a packed output cost more than they save.
const FEW: usize = 64;

/// A compiled one-hot operator.
#[derive(Debug)]
pub(crate) struct OneHotOperator {
    indices: Binding,
    index_type: IndexType,
    off: Scalar,
    on: Scalar,
    output: Binding,
    value_bytes: usize,
    instructions: Instructions,
    loops: Loops,
}

#[derive(Debug)]
enum Loops {
    Packed(Packed),
    Plain(Plain),
}

/// One element of an input.
#[derive(Clone, Copy, Debug)]
struct Scalar {
    binding: Binding,
    offset: usize,
}

impl OneHotOperator {
    /// `directml/one_hot`: Indices has size 1 along the axis, Off and On lie in one tensor.
    ///
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn directml(
        descriptor: &Descriptor,
        view: &OneHot<'_>,
        axis: usize,
        instructions: Instructions,
    ) -> Result<Self, CompileError> {
        let mut indices = Layout::new("IndicesTensor", view.indices)?;
        indices.dimensions.remove(axis);
        let values = Layout::new("ValuesTensor", view.values)?;
        // The fastest-changing dimension is taken in logical order; the document does not speak of strides.
        let fastest = values.dimensions.iter().rev().find(|dimension| dimension.size > 1);
        let binding = values.binding(descriptor, "ValuesTensor");
        let off = Scalar { binding, offset: 0 };
        let on = Scalar { binding, offset: fastest.map_or(0, |dimension| dimension.strides[0]) };
        let output = Layout::new("OutputTensor", view.output)?;
        Ok(Self::new(
            (&indices, indices.binding(descriptor, "IndicesTensor"), IndexType::new(view.indices.data_type, true)),
            (off, on),
            (&output, output.binding(descriptor, "OutputTensor"), view.output.data_type),
            axis,
            instructions,
        ))
    }

    /// `openvino/one_hot_1` and `_16`: the output has the dimension `axis` in addition to those of the indices.
    ///
    /// A negative index is undefined behaviour in OneHot-1; here it is out of range, as in the other's mode for that.
    ///
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn openvino(
        descriptor: &Descriptor,
        view: &OpenVinoOneHot<'_>,
        axis: usize,
        instructions: Instructions,
    ) -> Result<Self, CompileError> {
        let indices = Layout::new("indices", view.indices)?;
        let off =
            Scalar { binding: Layout::new("off_value", view.off_value)?.binding(descriptor, "off_value"), offset: 0 };
        let on = Scalar { binding: Layout::new("on_value", view.on_value)?.binding(descriptor, "on_value"), offset: 0 };
        let output = Layout::new("output", view.output)?;
        Ok(Self::new(
            (&indices, indices.binding(descriptor, "indices"), IndexType::new(view.indices.data_type, view.normalizes)),
            (off, on),
            (&output, output.binding(descriptor, "output"), view.output.data_type),
            axis,
            instructions,
        ))
    }

    /// `onnx/one_hot`: the output has the dimension `axis` in addition to those of the indices, Off and On lie in one tensor.
    /// `indices` are those of the view, or what they are cast to.
    ///
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn onnx(
        descriptor: &Descriptor,
        view: &OnnxOneHot<'_>,
        indices: &TensorDescriptor,
        instructions: Instructions,
    ) -> Result<Self, CompileError> {
        let index_type = IndexType::new(indices.data_type, view.from_end);
        let indices = Layout::new("indices", indices)?;
        let values = Layout::new("values", view.values)?;
        let binding = values.binding(descriptor, "values");
        let output = Layout::new("output", view.output)?;
        Ok(Self::new(
            (&indices, indices.binding(descriptor, "indices"), index_type),
            (Scalar { binding, offset: 0 }, Scalar { binding, offset: values.dimensions[0].strides[0] }),
            (&output, output.binding(descriptor, "output"), view.output.data_type),
            view.axis,
            instructions,
        ))
    }

    /// The dimensions of `indices` are those of `output` without `axis`.
    fn new(
        (indices, indices_binding, index_type): (&Layout, Binding, IndexType),
        (off, on): (Scalar, Scalar),
        (output, output_binding, value_type): (&Layout, Binding, DataType),
        axis: usize,
        instructions: Instructions,
    ) -> Self {
        let value_bytes = value_type.bytes();
        let is_packed = indices.is_packed(index_type.bytes()) && output.is_packed(value_bytes);
        let (before, from_axis) = output.dimensions.split_at(axis);
        let sequence = from_axis[0];
        let packed = (is_packed && output.span > FEW * value_bytes)
            .then(|| Packed::new(positions(before), sequence.size, positions(&from_axis[1..])));
        let plain = || {
            let mut off_axis = output.dimensions.clone();
            off_axis.remove(axis);
            Plain {
                elements: Walk::coalesced(&output.dimensions),
                sequences: Walk::coalesced(&joined(&indices.dimensions, &off_axis)),
                sequence_size: sequence.size,
                sequence_stride: sequence.strides[0],
            }
        };
        Self {
            indices: indices_binding,
            index_type,
            off,
            on,
            output: output_binding,
            value_bytes,
            instructions,
            loops: packed.flatten().map_or_else(|| Loops::Plain(plain()), Loops::Packed),
        }
    }

    fn run<W: Word>(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let Self { index_type, instructions, .. } = *self;
        let indices = self.indices.of_input(inputs)?;
        let (off, on) = (self.off, self.on);
        let off_input = off.binding.of_input(inputs)?;
        let are_together = on.binding.position == off.binding.position;
        let on_input = if are_together { off_input } else { on.binding.of_input(inputs)? };
        let [off, on] = [(off_input, off), (on_input, on)].map(|(input, scalar)| scalar.load::<W>(input));
        let output = self.output.of_output(outputs)?;
        match &mut self.loops {
            Loops::Packed(packed) => packed.select(&Selection { index_type, indices, off, on, instructions }, output),
            Loops::Plain(plain) => plain.select(index_type, indices, [off, on], output),
        }
        Ok(())
    }
}

impl Operator for OneHotOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        match self.value_bytes {
            1 => self.run::<u8>(inputs, outputs),
            2 => self.run::<u16>(inputs, outputs),
            4 => self.run::<u32>(inputs, outputs),
            _ => self.run::<u64>(inputs, outputs),
        }
    }
}

impl Scalar {
    fn load<W: Word>(self, input: &[u8]) -> W {
        W::from_bytes(W::elements(&input[self.offset..])[0])
    }
}
