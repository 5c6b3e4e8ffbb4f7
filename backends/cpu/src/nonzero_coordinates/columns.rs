//! What is compiled for ONNX and OpenVINO: a column for each element that is not zero.
//!
//! How many columns there are follows from the elements, and the descriptor says how many are expected. Rows are found first,
//! in memory of the operator's own; where there are as many as expected, they are written as columns.

use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output, TensorDescriptor};
use opcert_refusals::NonZero;

use crate::element::Word;
use crate::instructions::Instructions;
use crate::memory::Binding;
use crate::nonzero_coordinates::plain::{Rows, UINT32};
use crate::nonzero_coordinates::search::Search;
use crate::strided::{Dimension, Layout};

/// The largest dimension whose coordinates fit UINT32.
const MOST_COORDINATES: u64 = 1 << u32::BITS;

/// A compiled `onnx/non_zero` or `openvino/non_zero_3`.
#[derive(Debug)]
pub(crate) struct NonZeroOperator {
    /// Or why no machine runs it: what is asked for is valid all the same.
    search: Result<Search, Fault>,
    /// The dimension count of the input, which is that of the rows of the output.
    rank: usize,
    /// A row of UINT32 for each element of the input, one after the other; from the first dispatch on. The row of an input
    /// without dimensions has one coordinate, which is not written.
    rows: Vec<u8>,
    rows_bytes: usize,
    output: Binding,
    /// The output's dimensions as the descriptor has them.
    dimensions: Vec<Dimension<1>>,
    width: usize,
    is_packed: bool,
}

impl NonZeroOperator {
    /// Prepares a valid descriptor: the output has a type of 4 or 8 bytes, and any sizes.
    ///
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(
        descriptor: &Descriptor,
        view: &NonZero<'_>,
        instructions: Instructions,
    ) -> Result<Self, CompileError> {
        let NonZero { input: (input_name, input_tensor), output: (output_name, output_tensor) } = *view;
        let output = Layout::new(output_name, output_tensor)?;
        let rank = input_tensor.sizes.len();
        let columns = rank.max(1);
        let too_large = |what: &str| format!("`{input_name}` is {input_tensor}, whose coordinates {what}");
        let is_empty = input_tensor.sizes.contains(&0);
        let (search, rows_bytes) = match bytes_of_rows(input_tensor, columns) {
            _ if !is_empty && input_tensor.sizes.iter().any(|&size| size > MOST_COORDINATES) => {
                (Err(Fault::Failed(too_large("do not fit 32 bits"))), 0)
            }
            None => (Err(Fault::OutOfMemory(too_large("are more than this machine can address"))), 0),
            Some(bytes) => {
                let of_input = (input_name, input_tensor);
                (Ok(Search::new(descriptor, of_input, Rows::packed(columns), instructions)?), bytes)
            }
        };
        let width = output_tensor.data_type.bytes();
        Ok(Self {
            search,
            rank,
            rows: Vec::new(),
            rows_bytes,
            output: output.binding(descriptor, output_name),
            width,
            is_packed: output.is_packed(width),
            dimensions: output.dimensions,
        })
    }

    /// Writes what was found as columns; strides in bytes.
    ///
    /// An INT32 output wraps above 2^31-1; the page does not say what it should do.
    fn write<W: Word>(&self, count: usize, [row_stride, column_stride]: [usize; 2], output: &mut [u8]) {
        for dimension in 0..self.rank {
            let coordinates = self.along::<W>(dimension, count);
            if self.is_packed {
                let row = W::elements_mut(&mut output[dimension * count * W::BYTES..]);
                row.iter_mut().zip(coordinates).for_each(|(element, coordinate)| *element = coordinate);
            } else {
                for (column, coordinate) in coordinates.enumerate() {
                    W::elements_mut(&mut output[dimension * row_stride + column * column_stride..])[0] = coordinate;
                }
            }
        }
    }

    /// The coordinates of what was found along a dimension.
    fn along<W: Word>(&self, dimension: usize, count: usize) -> impl Iterator<Item = W::Bytes> {
        let rows = u32::elements(&self.rows)[..count * self.rank].chunks_exact(self.rank);
        rows.map(move |row| W::truncated(u32::from_bytes(row[dimension]).into()).to_bytes())
    }
}

impl Operator for NonZeroOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let search = self.search.as_mut().map_err(|fault| fault.clone())?;
        let input = search.input.of_input(inputs)?;
        let output = self.output.of_output(outputs)?;
        if self.rows.len() != self.rows_bytes {
            let room = self.rows.try_reserve_exact(self.rows_bytes);
            room.map_err(|_| Fault::OutOfMemory(format!("{} bytes for coordinates", self.rows_bytes)))?;
            self.rows.resize(self.rows_bytes, 0);
        }
        let count = search.run(input, &mut self.rows);
        let strides = match self.dimensions[..] {
            [rows, columns] if [rows.size, columns.size] == [self.rank, count] => [rows.strides[0], columns.strides[0]],
            _ => {
                let sizes = vec![self.rank as u64, count as u64];
                return Err(Fault::OtherSizes { tensor: self.output.name.to_owned(), sizes });
            }
        };
        if self.width == u64::BYTES {
            self.write::<u64>(count, strides, output);
        } else {
            self.write::<u32>(count, strides, output);
        }
        Ok(())
    }
}

/// The bytes of a row of UINT32 for each element; `None` when they do not fit.
fn bytes_of_rows(tensor: &TensorDescriptor, columns: usize) -> Option<usize> {
    usize::try_from(tensor.element_count()?).ok()?.checked_mul(columns)?.checked_mul(UINT32)
}
