//! The rules of REDUCE with each of the functions that search: `directml/reduce_argmax`, `reduce_argmin`, `reduce_max` and
//! `reduce_min` (the page of DML_REDUCE_OPERATOR_DESC). What they have is the same but for the types.

use opcert_backend::DataType::U32;
use opcert_backend::operators::Reduce;
use opcert_backend::{CompileError, Descriptor};

use crate::axes::Asked;
use crate::level::Level;
use crate::reduction::{Extreme, Reduction, Tie, Yield};
use crate::rejection::malformed;
use crate::support::{
    FLOATS_TO_32_BITS, INDEX_TYPES, NUMBERS_OF_32_BITS, Row, VALUES_TO_32_BITS, VALUES_WITH_64_BIT_INTEGERS,
};

/// What a valid descriptor asks for.
pub(crate) fn reduction(
    descriptor: &Descriptor,
    (extreme, yields): (Extreme, Yield),
) -> Result<Reduction, CompileError> {
    let Reduce { function, input, output, axis_count, axes } = Reduce::try_from(descriptor)?;
    let (expected, rows): (_, fn(Level) -> [Row; 2]) = match (extreme, yields) {
        (Extreme::Greatest, Yield::Index) => ("DML_REDUCE_FUNCTION_ARGMAX", rows_of_indices),
        (Extreme::Least, Yield::Index) => ("DML_REDUCE_FUNCTION_ARGMIN", rows_of_indices),
        (Extreme::Greatest, Yield::Element) => ("DML_REDUCE_FUNCTION_MAX", rows_of_elements),
        (Extreme::Least, Yield::Element) => ("DML_REDUCE_FUNCTION_MIN", rows_of_elements),
    };
    if function != expected {
        return Err(malformed(format!("`Function` is `{function}`, expected `{expected}`")));
    }
    let introduced = ("1_0", Level::L1_0);
    let asked = Asked { input, output, axis_count, axes, tie: Tie::First, extreme, yields, introduced, rows };
    asked.reduction(descriptor)
}

/// What the two tensors may be where an index is asked for.
pub(crate) fn rows_of_indices(level: Level) -> [Row; 2] {
    let row = |dimensions, types| Row { dimensions, types };
    match level {
        _ if level < Level::L2_1 => [row(4..=4, FLOATS_TO_32_BITS), row(4..=4, &[U32])],
        _ if level < Level::L3_0 => [row(4..=4, VALUES_TO_32_BITS), row(4..=4, &[U32])],
        _ if level < Level::L4_1 => [row(1..=8, VALUES_TO_32_BITS), row(1..=8, INDEX_TYPES)],
        _ => [row(1..=8, VALUES_WITH_64_BIT_INTEGERS), row(1..=8, INDEX_TYPES)],
    }
}

/// What they may be where the element is: the same, both of them.
fn rows_of_elements(level: Level) -> [Row; 2] {
    let (dimensions, types) = match level {
        _ if level < Level::L2_1 => (4..=4, FLOATS_TO_32_BITS),
        // No integers of 8 or 16 bits yet.
        _ if level < Level::L3_0 => (4..=4, NUMBERS_OF_32_BITS),
        _ if level < Level::L5_0 => (1..=8, VALUES_TO_32_BITS),
        _ => (1..=8, VALUES_WITH_64_BIT_INTEGERS),
    };
    [(); 2].map(|()| Row { dimensions: dimensions.clone(), types })
}
