//! `directml/one_hot` and `openvino/one_hot_1` as OneHot, in which both values are part of the node: the model is made
//! when they are known.

use opcert_backend::operators::{OneHot, OpenVinoOneHot};
use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output, TensorDescriptor};
use tract_core::internal::{Arc, DatumType, Tensor, TractResult, TypedOp};
use tract_core::ops::array::OneHot as Node;

use crate::model::{Model, datum_type, failed, probe, sizes, tensor};

/// Compiles a descriptor of `directml/one_hot`.
///
/// # Errors
///
/// [`CompileError::Unsupported`] where tract does not take the types.
pub fn compile(descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
    let view = OneHot::try_from(descriptor)?;
    let axis = view.axis as usize;
    let mut indices = sizes(&view.indices.sizes);
    indices.remove(axis);
    Ok(Box::new(Compiled::new(view.indices, indices, view.values, view.output, axis, |inputs| {
        // On is the second element along the last dimension that has two, and so the second one in memory.
        let (values, size) = (inputs[1].bytes, inputs[1].tensor.data_type.bytes());
        (&values[..size], &values[size..2 * size])
    })?))
}

/// Compiles a descriptor of `openvino/one_hot_1`.
///
/// # Errors
///
/// [`CompileError::Unsupported`] where tract does not take the types.
pub fn compile_openvino(descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
    let view = OpenVinoOneHot::try_from(descriptor)?;
    // tract counts axes from the front.
    let axis = view.axis.rem_euclid(view.output.dimension_count() as i64) as usize;
    let indices = sizes(&view.indices.sizes);
    Ok(Box::new(Compiled::new(view.indices, indices, view.on_value, view.output, axis, |inputs| {
        let value = |name| inputs.iter().find(|input| input.name == name).map_or(&[][..], |input| input.bytes);
        (value("off_value"), value("on_value"))
    })?))
}

/// Off and On among the inputs.
type OffAndOn = for<'a> fn(&[Input<'a>]) -> (&'a [u8], &'a [u8]);

struct Compiled {
    index_type: DatumType,
    /// The shape of the indices, without the axis along which they are written out.
    indices: Vec<usize>,
    value_type: DatumType,
    axis: usize,
    depth: usize,
    off_and_on: OffAndOn,
}

impl Compiled {
    fn new(
        indices: &TensorDescriptor,
        shape: Vec<usize>,
        values: &TensorDescriptor,
        output: &TensorDescriptor,
        axis: usize,
        off_and_on: OffAndOn,
    ) -> Result<Self, CompileError> {
        let (index_type, value_type) = (datum_type(indices.data_type)?, datum_type(values.data_type)?);
        let depth = output.sizes[axis] as usize;
        let compiled = Self { index_type, indices: shape, value_type, axis, depth, off_and_on };
        let zero = compiled.value(&[0; size_of::<u64>()]).map_err(|error| CompileError::Fault(failed(error)))?;
        probe(index_type, compiled.indices.len(), |_| compiled.node(&zero, &zero))?;
        Ok(compiled)
    }

    fn value(&self, bytes: &[u8]) -> TractResult<Arc<Tensor>> {
        Ok(Arc::new(tensor(self.value_type, &[], bytes)?))
    }

    fn node(&self, off: &Arc<Tensor>, on: &Arc<Tensor>) -> Box<dyn TypedOp> {
        Box::new(Node { axis: self.axis, dim: self.depth, off: Arc::clone(off), on: Arc::clone(on) })
    }

    fn run(&self, indices: &[u8], off: &[u8], on: &[u8], output: &mut Output<'_>) -> TractResult<()> {
        let (off, on) = (self.value(off)?, self.value(on)?);
        let result = Model::new(self.index_type, &self.indices, |_| self.node(&off, &on))?.run(indices)?;
        output.bytes[..result.as_bytes().len()].copy_from_slice(result.as_bytes());
        Ok(())
    }
}

impl Operator for Compiled {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let (off, on) = (self.off_and_on)(inputs);
        self.run(inputs[0].bytes, off, on, &mut outputs[0]).map_err(failed)
    }
}
