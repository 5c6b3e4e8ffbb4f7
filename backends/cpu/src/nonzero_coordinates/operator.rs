//! What is compiled, and which of the loops runs.

use opcert_backend::operators::NonzeroCoordinates;
use opcert_backend::{CompileError, DataType, Descriptor, Fault, Input, Operator, Output};

use crate::element::Word;
use crate::instructions::Instructions;
use crate::memory::{Binding, store};
use crate::nonzero_coordinates::packed::Packed;
use crate::nonzero_coordinates::plain::{Plain, Rows};
use crate::strided::{Layout, Walk, positions};

/// The bytes of a count and of a coordinate, both UINT32.
const UINT32: usize = 4;

/// Up to as many elements the loop over chunks costs more than it saves.
const FEW: usize = 64;

/// A compiled `directml/nonzero_coordinates`.
#[derive(Debug)]
pub(crate) struct NonzeroCoordinatesOperator {
    input: Binding,
    input_type: DataType,
    count: Binding,
    coordinates: Binding,
    instructions: Instructions,
    loops: Loops,
}

#[derive(Debug)]
enum Loops {
    Packed(Packed),
    Plain(Plain),
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
        let input = Layout::new("InputTensor", view.input)?;
        let count = Layout::new("OutputCountTensor", view.count)?;
        let coordinates = Layout::new("OutputCoordinatesTensor", view.coordinates)?;
        let [.., row, column] = coordinates.dimensions[..] else {
            let reason = format!("`OutputCoordinatesTensor` is {}, expected two dimensions at least", view.coordinates);
            return Err(CompileError::Unsupported { reason });
        };
        let is_packed = input.is_packed(view.input.data_type.bytes()) && coordinates.is_packed(UINT32);
        let packed = (is_packed && input.span > 0 && positions(&input.dimensions) > FEW).then(|| {
            let sizes: Vec<_> = input.dimensions.iter().map(|dimension| dimension.size).collect();
            Packed::new(&sizes, column.size)
        });
        let plain = || Plain {
            elements: Walk::new(input.dimensions.clone()),
            rows: Rows { row_stride: row.strides[0], column_stride: column.strides[0], columns: column.size },
        };
        Ok(Self {
            input: input.binding(descriptor, "InputTensor"),
            input_type: view.input.data_type,
            count: count.binding(descriptor, "OutputCountTensor"),
            coordinates: coordinates.binding(descriptor, "OutputCoordinatesTensor"),
            instructions,
            loops: packed.flatten().map_or_else(|| Loops::Plain(plain()), Loops::Packed),
        })
    }

    fn run<W: Word>(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let input = self.input.of_input(inputs)?;
        let coordinates = self.coordinates.of_output(outputs)?;
        let value_bits = if self.input_type.is_float() { W::ALL_BUT_SIGN } else { W::ALL };
        let count = match &mut self.loops {
            Loops::Packed(packed) => packed.find(value_bits, input, coordinates, self.instructions),
            Loops::Plain(plain) => plain.find(value_bits, input, coordinates),
        };
        store::<UINT32>(self.count.of_output(outputs)?, 0, count as u64);
        Ok(())
    }
}

impl Operator for NonzeroCoordinatesOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        match self.input_type.bytes() {
            1 => self.run::<u8>(inputs, outputs),
            2 => self.run::<u16>(inputs, outputs),
            4 => self.run::<u32>(inputs, outputs),
            _ => self.run::<u64>(inputs, outputs),
        }
    }
}
