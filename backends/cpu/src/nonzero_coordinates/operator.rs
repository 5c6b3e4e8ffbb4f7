//! What is compiled for DirectML: a count, and a row for each element that is not zero.

use opcert_backend::operators::NonzeroCoordinates;
use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output};

use crate::instructions::Instructions;
use crate::memory::{Binding, store};
use crate::nonzero_coordinates::plain::{Rows, UINT32};
use crate::nonzero_coordinates::search::Search;
use crate::strided::Layout;

/// A compiled `directml/nonzero_coordinates`.
#[derive(Debug)]
pub(crate) struct NonzeroCoordinatesOperator {
    count: Binding,
    coordinates: Binding,
    search: Search,
}

impl NonzeroCoordinatesOperator {
    /// Prepares a valid descriptor: coordinates are `{1,…,1,M,N}`, one row per element of the input.
    ///
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(
        descriptor: &Descriptor,
        view: &NonzeroCoordinates<'_>,
        instructions: Instructions,
    ) -> Result<Self, CompileError> {
        let count = Layout::new("OutputCountTensor", view.count)?;
        let coordinates = Layout::new("OutputCoordinatesTensor", view.coordinates)?;
        let [.., row, column] = coordinates.dimensions[..] else {
            let reason = format!("`OutputCoordinatesTensor` is {}, expected two dimensions at least", view.coordinates);
            return Err(CompileError::Unsupported { reason });
        };
        let rows = Rows {
            row_stride: row.strides[0],
            column_stride: column.strides[0],
            columns: column.size,
            is_packed: coordinates.is_packed(UINT32),
        };
        Ok(Self {
            count: count.binding(descriptor, "OutputCountTensor"),
            coordinates: coordinates.binding(descriptor, "OutputCoordinatesTensor"),
            search: Search::new(descriptor, ("InputTensor", view.input), rows, instructions)?,
        })
    }
}

impl Operator for NonzeroCoordinatesOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let input = self.search.input.of_input(inputs)?;
        let count = self.search.run(input, self.coordinates.of_output(outputs)?);
        store::<UINT32>(self.count.of_output(outputs)?, 0, count as u64);
        Ok(())
    }
}
