//! `directml/argmax` as Reduce with ArgMax, which takes several axes and the last of equal elements by itself.

use opcert_backend::operators::{AXIS_DIRECTION_DECREASING, ArgMax};
use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output};
use tract_core::internal::TypedOp;
use tract_core::ops::nn::{Reduce, Reducer};

use crate::model::{Model, datum_type, failed, probe, sizes, write_integers};

/// Compiles a descriptor of this operator.
///
/// # Errors
///
/// [`CompileError::Unsupported`] where tract does not take the type or the axes.
pub fn compile(descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
    let view = ArgMax::try_from(descriptor)?;
    let input_type = datum_type(view.input.data_type)?;
    let takes_last = view.axis_direction == AXIS_DIRECTION_DECREASING;
    let axes: Vec<usize> = view.axes.iter().map(|&axis| axis as usize).collect();
    let node = |_: &_| -> Box<dyn TypedOp> {
        Box::new(Reduce::new(axes.iter().copied().collect(), Reducer::ArgMax(takes_last)))
    };
    probe(input_type, view.input.dimension_count(), node)?;
    let model = Model::new(input_type, &sizes(&view.input.sizes), node);
    Ok(Box::new(Compiled(model.map_err(|error| CompileError::Fault(failed(error)))?)))
}

struct Compiled(Model);

impl Operator for Compiled {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let indices = self.0.run(inputs[0].bytes).map_err(failed)?;
        let indices = indices.to_plain_array_view::<i64>().map_err(failed)?;
        write_integers(&mut outputs[0], indices.iter().copied())
    }
}
