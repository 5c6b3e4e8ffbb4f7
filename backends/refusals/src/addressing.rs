//! Which element of one tensor an index, or a tuple of indices, names for each element of another one.

use std::ops::Range;

use opcert_backend::DataType::U32;
use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

use crate::level::Level;
use crate::rejection::broken;
use crate::support::{
    FLOATS_TO_32_BITS, INDEX_TYPES, Row, VALUES_TO_32_BITS, VALUES_TO_64_BITS, has_sizes, same_dimension_count,
    same_type,
};
use crate::tensor::{self, Tensor};

/// Which elements of a tensor indices name for the elements of another one: those that are picked there, or that go there.
#[derive(Clone, Debug)]
pub struct Addressing {
    /// For each dimension of the other tensor the one of the named tensor that goes along with it, and the one of the indices.
    pub kept: Vec<[Option<usize>; 2]>,
    /// The dimensions of the named tensor in which indices count.
    pub indexed: Range<usize>,
    /// Whether the indices of one element stand along the last dimension of the indices; otherwise there is one.
    pub has_tuples: bool,
}

impl Addressing {
    /// An index for each element of the other tensor, which counts along an axis of so many dimensions.
    pub(crate) fn along(axis: usize, count: usize) -> Self {
        let kept = (0..count).map(|at| [(at != axis).then_some(at), Some(at)]).collect();
        Self { kept, indexed: axis..axis + 1, has_tuples: false }
    }

    /// Tuples of indices, which count in the dimensions behind the batches; what stands before the dimensions that count is
    /// ignored. Both tensors have as many dimensions.
    ///
    /// # Errors
    ///
    /// A refusal that names `requirement`, where a tuple has more indices than there are such dimensions.
    pub(crate) fn of_tuples(
        requirement: &str,
        [named, indices]: [&TensorDescriptor; 2],
        [of_named, of_indices]: [usize; 2],
        batches: usize,
    ) -> Result<Self, CompileError> {
        let count = indices.sizes.len();
        let coordinates = indices.sizes[count - 1];
        let room = of_named.saturating_sub(batches);
        let fitting = usize::try_from(coordinates).ok().filter(|&number| number <= room && batches < of_indices);
        let coordinates = fitting.ok_or_else(|| {
            let reason = format!(
                "`IndicesTensor` has tuples of {coordinates} coordinates, where {batches} batches leave {room} dimensions of \
                 `InputTensor` and {} of `IndicesTensor`",
                of_indices.saturating_sub(batches)
            );
            broken(requirement, reason)
        })?;
        let (of_named, of_indices) = (named.sizes.len() - of_named, count - of_indices);
        let array = (of_indices..count - 1).enumerate();
        let array = array.map(|(number, at)| [(number < batches).then_some(of_named + number), Some(at)]);
        let indexed = of_named + batches..of_named + batches + coordinates;
        let block = (indexed.end..count).map(|at| [Some(at), None]);
        Ok(Self { kept: array.chain(block).collect(), indexed, has_tuples: true })
    }

    /// With ones in front, as many as the other tensor has dimensions more than are kept, whose sizes it has to have.
    ///
    /// # Errors
    ///
    /// A refusal that names `requirement`, where the other tensor has other sizes, or no room for all of them.
    pub(crate) fn filled_up(
        mut self,
        requirement: &str,
        [named, indices]: [&TensorDescriptor; 2],
        (name, other): (&str, &TensorDescriptor),
    ) -> Result<Self, CompileError> {
        let count = other.sizes.len();
        let Some(missing) = count.checked_sub(self.kept.len()) else {
            let reason = format!("`{name}` has {count} dimensions, and there are {} sizes for it", self.kept.len());
            return Err(broken(requirement, reason));
        };
        self.kept.splice(0..0, vec![[None, None]; missing]);
        let size = |[in_named, in_indices]: &[Option<usize>; 2]| match (in_named, in_indices) {
            (_, Some(at)) => indices.sizes[*at],
            (Some(at), None) => named.sizes[*at],
            (None, None) => 1,
        };
        let expected: Vec<u64> = self.kept.iter().map(size).collect();
        has_sizes(requirement, &expected, (name, other))?;
        Ok(self)
    }
}

/// Checks what gathers and scatters ask of their tensors, of which the second one holds the indices, and tells how many dimensions
/// each has.
///
/// # Errors
///
/// [`CompileError::Rejected`] for the first rule that is broken.
pub(crate) fn checked(descriptor: &Descriptor, tensors: &[Tensor<'_>], level: Level) -> Result<usize, CompileError> {
    let id = |name: &str| format!("{}/{name}", descriptor.operator);
    tensor::check(tensors, level)?;
    let (index_row, value_row) = support(level);
    for (at, tensor) in tensors.iter().enumerate() {
        let row = if at == 1 { &index_row } else { &value_row };
        row.check(&id("tensor-support"), tensor)?;
    }
    let input = &tensors[0];
    for other in &tensors[1..] {
        same_dimension_count(&id("same-dimension-count"), input, other)?;
    }
    for other in &tensors[2..] {
        same_type(&id("same-type"), input, other)?;
    }
    Ok(input.descriptor.sizes.len())
}

/// The rows for indices, and for all else.
fn support(level: Level) -> (Row, Row) {
    let (dimensions, indices, values): (_, &[_], _) = if level >= Level::L4_1 {
        (1..=8, INDEX_TYPES, VALUES_TO_64_BITS)
    } else if level >= Level::L3_0 {
        (1..=8, INDEX_TYPES, VALUES_TO_32_BITS)
    } else if level >= Level::L2_1 {
        (4..=4, &[U32], VALUES_TO_32_BITS)
    } else {
        (4..=4, &[U32], FLOATS_TO_32_BITS)
    };
    (Row { dimensions: dimensions.clone(), types: indices }, Row { dimensions, types: values })
}
