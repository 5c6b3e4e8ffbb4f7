//! The one-hot kernel, which DirectML's ONE_HOT and OpenVINO's OneHot-1 share.
//!
//! The output is first filled with Off, then On is placed once per sequence. Both are selected, never computed, so that
//! every bit pattern arrives unchanged and the kernel only needs to know the width of a value.

use opcert_backend::operators::{OneHot, OpenVinoOneHot1};
use opcert_backend::{CompileError, DataType, Fault, Input, Operator, Output};

use crate::memory::{Binding, load, sign_extended, store};
use crate::strided::{Layout, Walk, joined};

/// A compiled one-hot operator.
#[derive(Debug)]
pub(crate) struct OneHotOperator {
    indices: Binding,
    index_type: IndexType,
    off: Scalar,
    on: Scalar,
    output: Binding,
    value_bytes: usize,
    /// Every element of the output.
    elements: Walk<1>,
    /// Each sequence: its index, and its first element in the output.
    sequences: Walk<2>,
    sequence_size: usize,
    sequence_stride: usize,
}

/// One element of an input.
#[derive(Clone, Copy, Debug)]
struct Scalar {
    binding: Binding,
    offset: usize,
}

/// How an index is read.
#[derive(Clone, Copy, Debug)]
struct IndexType {
    wide: bool,
    signed: bool,
    /// Whether -1 is the last element of its sequence; otherwise a negative index is out of range.
    negative_from_end: bool,
}

impl OneHotOperator {
    /// `directml/one_hot`: Indices has size 1 along the axis, Off and On lie in one tensor.
    ///
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn directml(view: &OneHot<'_>, axis: usize) -> Result<Self, CompileError> {
        let mut indices = Layout::new("IndicesTensor", view.indices)?;
        indices.dimensions.remove(axis);
        let values = Layout::new("ValuesTensor", view.values)?;
        // The fastest-changing dimension is taken in logical order; the document does not speak of strides.
        let fastest = values.dimensions.iter().rev().find(|dimension| dimension.size > 1);
        let binding = values.binding("ValuesTensor");
        let off = Scalar { binding, offset: 0 };
        let on = Scalar { binding, offset: fastest.map_or(0, |dimension| dimension.strides[0]) };
        let output = Layout::new("OutputTensor", view.output)?;
        Ok(Self::new(
            (&indices, indices.binding("IndicesTensor"), IndexType::new(view.indices.data_type, true)),
            (off, on),
            (&output, output.binding("OutputTensor"), view.output.data_type),
            axis,
        ))
    }

    /// `openvino/one_hot_1`: the output has the dimension `axis` in addition to those of the indices.
    ///
    /// A negative index is undefined behaviour there; here it is out of range.
    ///
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn openvino(view: &OpenVinoOneHot1<'_>, axis: usize) -> Result<Self, CompileError> {
        let indices = Layout::new("indices", view.indices)?;
        let off = Scalar { binding: Layout::new("off_value", view.off_value)?.binding("off_value"), offset: 0 };
        let on = Scalar { binding: Layout::new("on_value", view.on_value)?.binding("on_value"), offset: 0 };
        let output = Layout::new("output", view.output)?;
        Ok(Self::new(
            (&indices, indices.binding("indices"), IndexType::new(view.indices.data_type, false)),
            (off, on),
            (&output, output.binding("output"), view.output.data_type),
            axis,
        ))
    }

    /// The dimensions of `indices` are those of `output` without `axis`.
    fn new(
        (indices, indices_binding, index_type): (&Layout, Binding, IndexType),
        (off, on): (Scalar, Scalar),
        (output, output_binding, value_type): (&Layout, Binding, DataType),
        axis: usize,
    ) -> Self {
        let mut off_axis = output.dimensions.clone();
        let sequence = off_axis.remove(axis);
        Self {
            indices: indices_binding,
            index_type,
            off,
            on,
            output: output_binding,
            value_bytes: value_type.bytes(),
            elements: Walk::coalesced(&output.dimensions),
            sequences: Walk::coalesced(&joined(&indices.dimensions, &off_axis)),
            sequence_size: sequence.size,
            sequence_stride: sequence.strides[0],
        }
    }

    fn run<const W: usize>(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let indices = self.indices.of_input(inputs)?;
        let off = self.off.load::<W>(inputs)?;
        let on = self.on.load::<W>(inputs)?;
        let output = self.output.of_output(outputs)?;
        self.elements.for_each(|[offset]| store::<W>(output, offset, off));
        self.sequences.for_each(|[index, start]| {
            if let Some(place) = self.index_type.place(indices, index, self.sequence_size) {
                store::<W>(output, start + place * self.sequence_stride, on);
            }
        });
        Ok(())
    }
}

impl Operator for OneHotOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        match self.value_bytes {
            1 => self.run::<1>(inputs, outputs),
            2 => self.run::<2>(inputs, outputs),
            4 => self.run::<4>(inputs, outputs),
            _ => self.run::<8>(inputs, outputs),
        }
    }
}

impl Scalar {
    fn load<const W: usize>(self, inputs: &[Input<'_>]) -> Result<u64, Fault> {
        Ok(load::<W>(self.binding.of_input(inputs)?, self.offset))
    }
}

impl IndexType {
    fn new(data_type: DataType, negative_from_end: bool) -> Self {
        Self { wide: data_type.bytes() == 8, signed: data_type.is_signed_integer(), negative_from_end }
    }

    /// Where in a sequence of `size` elements the index at byte `offset` points; `None` out of range.
    fn place(self, indices: &[u8], offset: usize, size: usize) -> Option<usize> {
        // 128 bits hold every index of every type, so that nothing is truncated and no unsigned one turns negative.
        let index = match (self.wide, self.signed) {
            (true, true) => i128::from(sign_extended::<8>(load::<8>(indices, offset))),
            (true, false) => i128::from(load::<8>(indices, offset)),
            (false, true) => i128::from(sign_extended::<4>(load::<4>(indices, offset))),
            (false, false) => i128::from(load::<4>(indices, offset)),
        };
        let from_start = if index < 0 && self.negative_from_end { index + size as i128 } else { index };
        usize::try_from(from_start).ok().filter(|&place| place < size)
    }
}
