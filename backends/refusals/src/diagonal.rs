//! The rules of `directml/diagonal_matrix1` (the page of DML_DIAGONAL_MATRIX1_OPERATOR_DESC).

use opcert_backend::operators::DiagonalMatrix1;
use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

use crate::level::Level;
use crate::rejection::broken;
use crate::support::{Row, VALUES_TO_64_BITS, same_dimension_count, same_sizes, same_type};
use crate::tensor::{self, Tensor};

/// The parts of a valid operator that fills diagonals of matrices, which are the last two dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Diagonal<'a> {
    /// What stands beside the diagonals; zeros where there is none.
    pub input: Option<&'a TensorDescriptor>,
    /// The result.
    pub output: &'a TensorDescriptor,
    /// The bits of what the diagonals are filled with.
    pub value: u64,
    /// The diagonals.
    pub span: Span,
}

/// The diagonals that are filled: those between two of them, or those outside.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The first of them: its column less its row.
    pub begin: i64,
    /// The first one behind them.
    pub end: i64,
}

impl Span {
    /// Whether those outside are filled.
    #[must_use]
    pub const fn is_reversed(self) -> bool {
        self.end < self.begin
    }

    /// Whether the element of a row and a column is on a diagonal that is filled.
    #[must_use]
    pub const fn fills(self, row: u64, column: u64) -> bool {
        // Sizes beyond 63 bits fit no tensor.
        let diagonal = column.cast_signed() - row.cast_signed();
        match (self.begin <= diagonal, diagonal < self.end) {
            (from_begin, before_end) if self.is_reversed() => from_begin || before_end,
            (from_begin, before_end) => from_begin && before_end,
        }
    }
}

/// The parts of a valid `directml/diagonal_matrix1`.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn diagonal_matrix1(descriptor: &Descriptor) -> Result<Diagonal<'_>, CompileError> {
    let level = Level::of(descriptor, ("5_1", Level::L5_1), "directml/diagonal_matrix1/introduced")?;
    let view = DiagonalMatrix1::try_from(descriptor)?;
    let output = Tensor::output("OutputTensor", view.output);
    let input = view.input.map(|input| Tensor::input("InputTensor", input));
    let tensors: Vec<Tensor<'_>> = input.into_iter().chain([output]).collect();
    tensor::check(&tensors, level)?;

    let row = Row { dimensions: 2..=4, types: VALUES_TO_64_BITS };
    for tensor in &tensors {
        row.check("directml/diagonal_matrix1/tensor-support", tensor)?;
    }
    if let Some(input) = &input {
        same_type("directml/diagonal_matrix1/same-type", &output, input)?;
        same_dimension_count("directml/diagonal_matrix1/same-dimension-count", &output, input)?;
        same_sizes("directml/diagonal_matrix1/same-sizes", &output, input, None)?;
    }
    let (found, expected) = (view.value.data_type(), view.output.data_type);
    if found != expected {
        let reason = format!("`Value` is {found}, expected {expected} as `OutputTensor`");
        return Err(broken("directml/diagonal_matrix1/value-type", reason));
    }
    let span = Span { begin: view.begin, end: view.end };
    Ok(Diagonal { input: view.input, output: view.output, value: view.value.bits(), span })
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn a_diagonal_is_named_by_its_column_in_the_first_row() {
        let filled = |begin: i64, end: i64| {
            let places = (0..3).flat_map(|row| (0..3).map(move |column| (row, column)));
            places.filter(|&(row, column)| Span { begin, end }.fills(row, column)).collect::<Vec<_>>()
        };
        assert_eq!(filled(0, 1), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(filled(1, 3), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(filled(i64::MIN, -1), [(2, 0)]);
        assert_eq!(filled(2, -1), [(0, 2), (2, 0)]);
        assert_eq!(filled(1, 1), []);
        assert_eq!(filled(1, 0).len(), 6);
    }
}
