//! Indices that are cast before they are used.

use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output, TensorDescriptor};
use opcert_refusals::{OnnxOneHot, cast_to_integers};

use crate::instructions::Instructions;
use crate::one_hot::OneHotOperator;

/// A one-hot operator whose indices are floats, or integers of 8 or 16 bits.
#[derive(Debug)]
pub(crate) struct CastOneHot {
    one_hot: OneHotOperator,
    /// What the indices are cast to.
    integers: TensorDescriptor,
}

impl CastOneHot {
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(
        descriptor: &Descriptor,
        view: &OnnxOneHot<'_>,
        instructions: Instructions,
    ) -> Result<Self, CompileError> {
        let integers = view.cast_indices();
        let one_hot = OneHotOperator::onnx(descriptor, view, &integers, instructions)?;
        Ok(Self { one_hot, integers })
    }
}

impl Operator for CastOneHot {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let cast = |input: &Input<'_>| match input.name {
            "indices" => cast_to_integers(input.bytes, input.tensor.data_type),
            _ => Vec::new(),
        };
        let memory: Vec<Vec<u8>> = inputs.iter().map(cast).collect();
        let with_integers = std::iter::zip(inputs, &memory).map(|(input, memory)| match input.name {
            "indices" => Input { name: input.name, tensor: &self.integers, bytes: memory },
            _ => Input { name: input.name, tensor: input.tensor, bytes: input.bytes },
        });
        self.one_hot.dispatch(&with_integers.collect::<Vec<_>>(), outputs)
    }
}
