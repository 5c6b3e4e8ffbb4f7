//! The documents' tables "Tensor support".

use std::iter::zip;
use std::ops::RangeInclusive;

use opcert_backend::DataType::{F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
use opcert_backend::{CompileError, DataType, TensorDescriptor};

use crate::rejection::broken;
use crate::tensor::Tensor;

/// Types of indices: ONE_HOT's input from 3_0 on, ARGMAX's output.
pub(crate) const INDEX_TYPES: &[DataType] = &[I64, I32, U64, U32];
/// ONE_HOT's values at 2_0.
pub(crate) const FLOATS_TO_32_BITS: &[DataType] = &[F32, F16];
/// What REDUCE takes at 2_1 to find extremes, and CUMULATIVE_SUMMATION before 5_0.
pub(crate) const NUMBERS_OF_32_BITS: &[DataType] = &[F32, F16, I32, U32];
/// The values that most operators take before 4_1.
pub(crate) const VALUES_TO_32_BITS: &[DataType] = &[F32, F16, I32, I16, I8, U32, U16, U8];
/// ARGMAX's input from 4_1 on: 64-bit integers, no FLOAT64.
pub(crate) const VALUES_WITH_64_BIT_INTEGERS: &[DataType] = &[F32, F16, I64, I32, I16, I8, U64, U32, U16, U8];
/// ONE_HOT's values from 4_1 on.
pub(crate) const VALUES_TO_64_BITS: &[DataType] = &[F64, F32, F16, I64, I32, I16, I8, U64, U32, U16, U8];

/// One row of a table: what one tensor may be at a level.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) dimensions: RangeInclusive<usize>,
    pub(crate) types: &'static [DataType],
}

impl Row {
    /// Checks a tensor against its row.
    ///
    /// # Errors
    ///
    /// A refusal that names `requirement`, the table's full id.
    pub(crate) fn check(&self, requirement: &str, tensor: &Tensor<'_>) -> Result<(), CompileError> {
        let Tensor { name, descriptor, .. } = tensor;
        let (least, most) = (self.dimensions.start(), self.dimensions.end());
        let count = descriptor.sizes.len();
        if !self.dimensions.contains(&count) {
            return Err(broken(requirement, format!("`{name}` has {count} dimensions, expected {least} to {most}")));
        }
        if !self.types.contains(&descriptor.data_type) {
            let types = self.types.iter().map(|data_type| data_type.name()).collect::<Vec<_>>().join(" ");
            let found = descriptor.data_type;
            return Err(broken(requirement, format!("`{name}` is {found}, expected one of {types}")));
        }
        Ok(())
    }
}

/// Checks that two tensors have one dimension count.
///
/// # Errors
///
/// A refusal that names `requirement`.
pub(crate) fn same_dimension_count(
    requirement: &str,
    first: &Tensor<'_>,
    second: &Tensor<'_>,
) -> Result<(), CompileError> {
    let [expected, found] = [first, second].map(|tensor| tensor.descriptor.sizes.len());
    if expected == found {
        return Ok(());
    }
    let reason = format!("`{}` has {found} dimensions, expected {expected} as `{}` has", second.name, first.name);
    Err(broken(requirement, reason))
}

/// The dimension that the unsigned `Axis` names among so many.
///
/// # Errors
///
/// A refusal that names `requirement`.
pub(crate) fn axis_in_range(requirement: &str, axis: i64, count: usize) -> Result<usize, CompileError> {
    usize::try_from(axis).ok().filter(|&axis| axis < count).ok_or_else(|| {
        let reason = format!("`Axis` is {axis}, expected 0 to {} for {count} dimensions", count - 1);
        broken(requirement, reason)
    })
}

/// Checks that a list has one number for each of so many dimensions.
///
/// # Errors
///
/// A refusal that names `requirement`.
pub(crate) fn one_per_dimension(
    requirement: &str,
    (name, list): (&str, &[i64]),
    dimensions: usize,
) -> Result<(), CompileError> {
    if list.len() == dimensions {
        return Ok(());
    }
    Err(broken(requirement, format!("`{name}` has {} numbers for {dimensions} dimensions", list.len())))
}

/// The numbers of a list, none of which is below the least one, 0 or more.
///
/// # Errors
///
/// A refusal that names `requirement`.
pub(crate) fn numbers_from(
    least: u64,
    requirement: &str,
    (name, list): (&str, &[i64]),
) -> Result<Vec<u64>, CompileError> {
    let each = list.iter().enumerate().map(|(at, &number)| {
        u64::try_from(number)
            .ok()
            .filter(|&number| number >= least)
            .ok_or_else(|| broken(requirement, format!("`{name}[{at}]` is {number}, expected {least} at least")))
    });
    each.collect()
}

/// Checks that two tensors have one data type.
///
/// # Errors
///
/// A refusal that names `requirement`.
pub(crate) fn same_type(requirement: &str, first: &Tensor<'_>, second: &Tensor<'_>) -> Result<(), CompileError> {
    let [expected, found] = [first, second].map(|tensor| tensor.descriptor.data_type);
    if expected == found {
        return Ok(());
    }
    Err(broken(requirement, format!("`{}` is {found}, expected {expected} as `{}` is", second.name, first.name)))
}

/// Checks that two tensors of one dimension count have the same sizes, but for one dimension if one is named.
///
/// # Errors
///
/// A refusal that names `requirement`.
pub(crate) fn same_sizes(
    requirement: &str,
    first: &Tensor<'_>,
    second: &Tensor<'_>,
    but: Option<usize>,
) -> Result<(), CompileError> {
    let mut pairs = zip(&first.descriptor.sizes, &second.descriptor.sizes).enumerate();
    match pairs.find(|&(dimension, (expected, found))| Some(dimension) != but && expected != found) {
        None => Ok(()),
        Some((dimension, (expected, found))) => {
            let (name, other) = (second.name, first.name);
            let reason = format!("`{name}.sizes[{dimension}]` is {found}, expected {expected} as in `{other}`");
            Err(broken(requirement, reason))
        }
    }
}

/// Checks that a tensor has these sizes, of which there are as many as it has dimensions.
///
/// # Errors
///
/// A refusal that names `requirement`.
pub(crate) fn has_sizes(
    requirement: &str,
    expected: &[u64],
    (name, tensor): (&str, &TensorDescriptor),
) -> Result<(), CompileError> {
    match zip(expected, &tensor.sizes).enumerate().find(|(_, (expected, found))| expected != found) {
        None => Ok(()),
        Some((dimension, (expected, found))) => {
            let reason = format!("`{name}.sizes[{dimension}]` is {found}, expected {expected}");
            Err(broken(requirement, reason))
        }
    }
}

/// The number of dimensions that an attribute counts.
///
/// # Errors
///
/// A refusal that names `requirement`.
pub(crate) fn dimensions_counted(
    (number, requirement, attribute): (i64, &str, &str),
    expected: RangeInclusive<usize>,
) -> Result<usize, CompileError> {
    usize::try_from(number).ok().filter(|number| expected.contains(number)).ok_or_else(|| {
        let reason = format!("`{attribute}` is {number}, expected {} to {}", expected.start(), expected.end());
        broken(requirement, reason)
    })
}
