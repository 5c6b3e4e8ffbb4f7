//! The search of an input, whatever is done with the rows that it writes, and which of the loops runs.

use opcert_backend::{CompileError, DataType, Descriptor, TensorDescriptor};

use crate::element::Word;
use crate::instructions::Instructions;
use crate::memory::Binding;
use crate::nonzero_coordinates::packed::Packed;
use crate::nonzero_coordinates::plain::{Plain, Rows};
use crate::strided::{Layout, Walk, positions};

/// Up to as many elements the loop over chunks costs more than it saves.
const FEW: usize = 64;

/// A search for what is not zero.
#[derive(Debug)]
pub(super) struct Search {
    /// The memory that is searched.
    pub(super) input: Binding,
    input_type: DataType,
    instructions: Instructions,
    loops: Loops,
}

#[derive(Debug)]
enum Loops {
    Packed(Packed),
    Plain(Plain),
}

impl Search {
    /// Prepares a search of the input `name`, whose coordinates fit UINT32, with a row for each element.
    ///
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when the input cannot be addressed.
    pub(super) fn new(
        descriptor: &Descriptor,
        (name, tensor): (&'static str, &TensorDescriptor),
        rows: Rows,
        instructions: Instructions,
    ) -> Result<Self, CompileError> {
        let input = Layout::new(name, tensor)?;
        let is_packed = rows.is_packed && input.is_packed(tensor.data_type.bytes());
        let packed = (is_packed && input.span > 0 && positions(&input.dimensions) > FEW).then(|| {
            let sizes: Vec<_> = input.dimensions.iter().map(|dimension| dimension.size).collect();
            Packed::new(&sizes, rows.columns)
        });
        let plain = || Plain { elements: Walk::new(input.dimensions.clone()), rows };
        Ok(Self {
            input: input.binding(descriptor, name),
            input_type: tensor.data_type,
            instructions,
            loops: packed.flatten().map_or_else(|| Loops::Plain(plain()), Loops::Packed),
        })
    }

    /// Writes the coordinates of what is not zero, and counts it.
    pub(super) fn run(&mut self, input: &[u8], coordinates: &mut [u8]) -> usize {
        match self.input_type.bytes() {
            1 => self.find::<u8>(input, coordinates),
            2 => self.find::<u16>(input, coordinates),
            4 => self.find::<u32>(input, coordinates),
            _ => self.find::<u64>(input, coordinates),
        }
    }

    fn find<W: Word>(&mut self, input: &[u8], coordinates: &mut [u8]) -> usize {
        let value_bits = if self.input_type.is_float() { W::ALL_BUT_SIGN } else { W::ALL };
        match &mut self.loops {
            Loops::Packed(packed) => packed.find(value_bits, input, coordinates, self.instructions),
            Loops::Plain(plain) => plain.find(value_bits, input, coordinates),
        }
    }
}
