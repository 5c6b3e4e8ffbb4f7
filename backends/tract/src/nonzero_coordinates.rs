//! `directml/nonzero_coordinates` as NonZero, which gives one column per element found.

use opcert_backend::operators::NonzeroCoordinates;
use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output};
use tract_core::internal::{TypedModel, TypedOp};
use tract_onnx_opl::non_zero::NonZero;

use crate::model::{Model, datum_type, failed, probe, sizes, write_integers};

/// Compiles a descriptor of this operator.
///
/// # Errors
///
/// [`CompileError::Unsupported`] where tract does not take the type.
pub fn compile(descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
    let view = NonzeroCoordinates::try_from(descriptor)?;
    let input_type = datum_type(view.input.data_type)?;
    // As many dimensions as there are coordinates; those left out have the size 1.
    let columns = view.coordinates.sizes.last().map_or(0, |&columns| columns as usize);
    let input = sizes(&view.input.sizes);
    let searched = &input[input.len().saturating_sub(columns)..];
    let node = |model: &TypedModel| -> Box<dyn TypedOp> {
        Box::new(NonZero { count: model.symbols.new_with_prefix("count") })
    };
    probe(input_type, searched.len(), node)?;
    let model = Model::new(input_type, searched, node).map_err(|error| CompileError::Fault(failed(error)))?;
    Ok(Box::new(Compiled(model)))
}

struct Compiled(Model);

impl Operator for Compiled {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let [count, coordinates] = outputs else { return Err(Fault::Failed("expected two outputs".to_owned())) };
        let found = self.0.run(inputs[0].bytes).map_err(failed)?;
        let found = found.to_plain_array_view::<i64>().map_err(failed)?;
        write_integers(count, [found.shape()[1] as i64].into_iter())?;
        // Rows of zeros follow those that were found.
        coordinates.bytes.fill(0);
        write_integers(coordinates, found.t().iter().copied())
    }
}
