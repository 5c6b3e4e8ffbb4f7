//! The NONZERO_COORDINATES kernel.
//!
//! One pass over the input in logical order, so that rows come out in ascending element index by construction. Whether
//! an element is zero is decided by its bits: NaN and subnormals are non-zero, and -0.0 is zero. Rows from the count on
//! are undefined and are not written.

use opcert_backend::operators::NonzeroCoordinates;
use opcert_backend::{CompileError, DataType, Fault, Input, Operator, Output};

use crate::memory::{Binding, load, store};
use crate::strided::{Layout, Run, Walk};

/// The bytes of a count and of a coordinate, both UINT32.
const UINT32: usize = 4;

/// A compiled `directml/nonzero_coordinates`.
#[derive(Debug)]
pub(crate) struct NonzeroCoordinatesOperator {
    input: Binding,
    input_type: DataType,
    /// Every element of the input. Not coalesced, because its coordinates are the result.
    elements: Walk<1>,
    count: Binding,
    coordinates: Binding,
    rows: Rows,
}

/// The matrix of coordinates; strides in bytes.
#[derive(Clone, Copy, Debug)]
struct Rows {
    row_stride: usize,
    column_stride: usize,
    /// At least 1 and at most the input's dimension count.
    columns: usize,
}

impl NonzeroCoordinatesOperator {
    /// Prepares a valid descriptor: coordinates are `{1,…,1,M,N}`, one row per element of the input.
    ///
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(view: &NonzeroCoordinates<'_>) -> Result<Self, CompileError> {
        let input = Layout::new("InputTensor", view.input)?;
        let count = Layout::new("OutputCountTensor", view.count)?;
        let coordinates = Layout::new("OutputCoordinatesTensor", view.coordinates)?;
        let [.., row, column] = coordinates.dimensions[..] else {
            let reason = format!("`OutputCoordinatesTensor` is {}, expected two dimensions at least", view.coordinates);
            return Err(CompileError::Unsupported { reason });
        };
        Ok(Self {
            input: input.binding("InputTensor"),
            input_type: view.input.data_type,
            elements: Walk::new(input.dimensions),
            count: count.binding("OutputCountTensor"),
            coordinates: coordinates.binding("OutputCoordinatesTensor"),
            rows: Rows { row_stride: row.strides[0], column_stride: column.strides[0], columns: column.size },
        })
    }

    fn run<const W: usize>(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let input = self.input.of_input(inputs)?;
        let coordinates = self.coordinates.of_output(outputs)?;
        let value_bits = value_bits::<W>(self.input_type);
        let mut count = 0;
        self.elements.for_each_run(|position, run: Run<1>| {
            for (innermost, [offset]) in run.offsets().enumerate() {
                if load::<W>(input, offset) & value_bits != 0 {
                    self.rows.write(coordinates, count, position, innermost);
                    count += 1;
                }
            }
        });
        store::<UINT32>(self.count.of_output(outputs)?, 0, count as u64);
        Ok(())
    }
}

impl Operator for NonzeroCoordinatesOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        match self.input_type.bytes() {
            1 => self.run::<1>(inputs, outputs),
            2 => self.run::<2>(inputs, outputs),
            4 => self.run::<4>(inputs, outputs),
            _ => self.run::<8>(inputs, outputs),
        }
    }
}

impl Rows {
    /// Writes the last `columns` coordinates of the position `{outer…, innermost}` into a row.
    fn write(self, coordinates: &mut [u8], row: usize, outer: &[usize], innermost: usize) {
        let dropped = outer.len() + 1 - self.columns;
        let mut offset = row * self.row_stride;
        for &coordinate in &outer[dropped..] {
            store::<UINT32>(coordinates, offset, coordinate as u64);
            offset += self.column_stride;
        }
        store::<UINT32>(coordinates, offset, innermost as u64);
    }
}

/// The bits of an element of `W` bytes that make it non-zero: all of an integer's, all but the sign of a float's.
const fn value_bits<const W: usize>(data_type: DataType) -> u64 {
    if data_type.is_float() { (1 << (8 * W - 1)) - 1 } else { u64::MAX }
}
