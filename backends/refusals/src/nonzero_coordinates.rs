//! The rules of `directml/nonzero_coordinates` (`001_3a78d9feca2f1488.txt`).
//!
//! Whether all three tensors need one dimension count before 4_0 is open; nothing is refused for it.

use opcert_backend::DataType::U32;
use opcert_backend::operators::NonzeroCoordinates;
use opcert_backend::{CompileError, Descriptor};

use crate::level::Level;
use crate::rejection::broken;
use crate::support::{Row, VALUES_TO_32_BITS};
use crate::tensor::{self, Tensor};

/// The parts of a valid `directml/nonzero_coordinates`.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub fn nonzero_coordinates(descriptor: &Descriptor) -> Result<NonzeroCoordinates<'_>, CompileError> {
    let level = Level::of(descriptor, ("3_0", Level::L3_0), "directml/nonzero_coordinates/introduced")?;
    let view = NonzeroCoordinates::try_from(descriptor)?;
    let input = Tensor::input("InputTensor", view.input);
    let count = Tensor::output("OutputCountTensor", view.count);
    let coordinates = Tensor::output("OutputCoordinatesTensor", view.coordinates);
    tensor::check(&[input, count, coordinates], level)?;

    let (input_dimensions, coordinate_dimensions) = if level < Level::L4_0 { (4..=5, 4..=5) } else { (1..=8, 2..=8) };
    let count_dimensions = input_dimensions.clone();
    let table = "directml/nonzero_coordinates/tensor-support";
    Row { dimensions: input_dimensions, types: VALUES_TO_32_BITS }.check(table, &input)?;
    Row { dimensions: count_dimensions, types: &[U32] }.check(table, &count)?;
    Row { dimensions: coordinate_dimensions, types: &[U32] }.check(table, &coordinates)?;
    count_is_scalar(&view)?;
    coordinates_shape(&view)?;
    Ok(view)
}

fn count_is_scalar(view: &NonzeroCoordinates<'_>) -> Result<(), CompileError> {
    let sizes = &view.count.sizes;
    if sizes.iter().all(|&size| size == 1) {
        return Ok(());
    }
    let reason = format!("`OutputCountTensor.sizes` are {sizes:?}, expected 1 in every dimension");
    Err(broken("directml/nonzero_coordinates/count-is-scalar", reason))
}

fn coordinates_shape(view: &NonzeroCoordinates<'_>) -> Result<(), CompileError> {
    let sizes = &view.coordinates.sizes;
    let (rows, columns) = match &sizes[..] {
        [leading @ .., rows, columns] if leading.iter().all(|&size| size == 1) => (*rows, *columns),
        _ => {
            let reason = format!("`OutputCoordinatesTensor.sizes` are {sizes:?}, expected [1, …, 1, M, N]");
            return Err(broken("directml/nonzero_coordinates/coordinates-shape", reason));
        }
    };
    let elements: u64 = view.input.sizes.iter().product();
    if rows != elements {
        let reason = format!(
            "`OutputCoordinatesTensor.sizes` are {sizes:?} with {rows} rows, expected {elements}: one per element of \
             `InputTensor`"
        );
        return Err(broken("directml/nonzero_coordinates/coordinates-rows", reason));
    }
    let count = view.input.sizes.len() as u64;
    let effective_rank = view.input.sizes.iter().skip_while(|&&size| size == 1).count() as u64;
    if !(effective_rank..=count).contains(&columns) {
        let reason = format!(
            "`OutputCoordinatesTensor.sizes` are {sizes:?} with {columns} columns, expected {effective_rank} to \
             {count}: the effective rank and the dimension count of `InputTensor` {:?}",
            view.input.sizes
        );
        return Err(broken("directml/nonzero_coordinates/coordinates-columns", reason));
    }
    Ok(())
}
