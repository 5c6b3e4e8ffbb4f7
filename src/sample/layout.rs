//! Ways in which a valid tensor may lie in memory, all of the same logical elements.

use opcert_backend::{Role, TensorDescriptor};

use super::choices::Choices;
use crate::kind::{MOST_DIMENSIONS, implied_bytes};
use crate::spec::Family;

/// How a tensor lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strides {
    /// Packed, and no word about it.
    None,
    /// Packed, and said so.
    Packed,
    /// Gaps behind the rows of some dimensions.
    Padded,
    /// Gaps behind the innermost rows, the elements of which lie beside each other.
    Rows,
    /// The dimensions in another order.
    Permuted,
    /// Some dimensions repeat one element (inputs).
    Repeated,
    /// Dimensions that overlap (inputs).
    Overlapping,
}

const STRIDES: [(u64, Strides); 6] = [
    (18, Strides::None),
    (2, Strides::Packed),
    (4, Strides::Padded),
    (4, Strides::Permuted),
    (3, Strides::Repeated),
    (1, Strides::Overlapping),
];

/// No stride and no alignment is greater: DirectML has them in 32 bits, and what no caller can pass asks nothing of anybody.
const GREATEST: u64 = (1 << 32) - 1;

/// Strides along dimensions of size 1, where they mean nothing.
const IDLE: [u64; 5] = [0, 1, 7, 1 << 31, GREATEST];

/// A number for each dimension, below so much. The highest ones are for dimensions of size 1.
const DETAILS: u64 = 64;
/// A dimension of size 1 whose number is at least this one has one of the idle strides.
const FIRST_IDLE: u64 = 48;

/// Gives a packed tensor some other valid layout, with strides where they are wanted, or leaves it as it is.
///
/// The same numbers are drawn whatever it is.
pub(crate) fn draw(
    choices: &mut Choices<'_>,
    family: &Family,
    strided: bool,
    role: Role,
    tensor: &mut TensorDescriptor,
) {
    if strided {
        tensor.strides = strides(choices, role, &tensor.sizes);
    }
    let promised = choices.once_in(8);
    let (total, alignment) = (choices.below(16), choices.below(ALIGNMENTS));
    let flag = choices.below(2 * family.flags.len() as u64);
    if promised {
        promise(family, role, tensor, (total, alignment, flag));
    }
}

fn strides(choices: &mut Choices<'_>, role: Role, sizes: &[u64]) -> Option<Vec<u64>> {
    let kind = choices.weighted(&STRIDES);
    of_kind(choices, kind, role, sizes)
}

/// Strides of a kind; none where nothing is said of them.
pub(crate) fn of_kind(choices: &mut Choices<'_>, kind: Strides, role: Role, sizes: &[u64]) -> Option<Vec<u64>> {
    // What there is of each dimension is drawn so many times, and used as often as there are dimensions, so that what is
    // drawn behind it stays what it is when a dimension goes.
    let details: [u64; MOST_DIMENSIONS] = std::array::from_fn(|_| choices.below(DETAILS));
    let details = &details[..sizes.len()];
    let mut strides = match (kind, role) {
        (Strides::None, _) => return None,
        (Strides::Padded, _) => nested(sizes, |_| 0, |dimension| details[dimension] % 4),
        (Strides::Rows, _) => {
            let next_to_last = sizes.len().checked_sub(2);
            nested(
                sizes,
                |_| 0,
                |dimension| if next_to_last == Some(dimension) { 1 + details[dimension] % 7 } else { 0 },
            )
        }
        (Strides::Permuted, _) => nested(sizes, |left| details[left - 1] as usize % left, |_| 0),
        (Strides::Repeated, Role::Input) => repeated(sizes, details),
        (Strides::Overlapping, Role::Input) => details.iter().map(|detail| detail % 4).collect(),
        (Strides::Packed | Strides::Repeated | Strides::Overlapping, _) => nested(sizes, |_| 0, |_| 0),
    };
    for ((stride, &size), detail) in strides.iter_mut().zip(sizes).zip(details) {
        if let (1, Some(idle)) = (size, detail.checked_sub(FIRST_IDLE)) {
            *stride = IDLE[idle as usize % IDLE.len()];
        }
    }
    Some(strides)
}

/// Whether a tensor of these sizes can be laid out in a way so that it is not packed.
pub(crate) fn is_other(kind: Strides, sizes: &[u64]) -> bool {
    let wide = |sizes: &[u64]| sizes.iter().filter(|&&size| size > 1).count();
    match kind {
        Strides::None | Strides::Packed => false,
        Strides::Padded | Strides::Repeated | Strides::Overlapping => wide(sizes) > 0,
        Strides::Rows => wide(&sizes[..sizes.len().saturating_sub(1)]) > 0,
        Strides::Permuted => wide(sizes) > 1,
    }
}

/// Strides that nest. `back` says which dimension comes next, counted from the innermost of those that are left, and
/// is told how many these are; `gap` says how many elements lie between the rows of a dimension.
fn nested(sizes: &[u64], back: impl Fn(usize) -> usize, gap: impl Fn(usize) -> u64) -> Vec<u64> {
    let mut left: Vec<usize> = (0..sizes.len()).collect();
    let mut strides = vec![0; sizes.len()];
    let mut reach = 1;
    while !left.is_empty() {
        let dimension = left.remove(left.len() - 1 - back(left.len()));
        strides[dimension] = reach + gap(dimension);
        reach = strides[dimension] * sizes[dimension];
    }
    strides
}

/// Packed strides, 0 along some dimensions.
fn repeated(sizes: &[u64], details: &[u64]) -> Vec<u64> {
    let mut reach = 1;
    let mut strides = vec![0; sizes.len()];
    for dimension in (0..sizes.len()).rev().filter(|&dimension| details[dimension].is_multiple_of(2)) {
        strides[dimension] = reach;
        reach *= sizes[dimension];
    }
    strides
}

/// The number of alignments that may be promised.
const ALIGNMENTS: u64 = 5;

/// Says more of a tensor's memory.
fn promise(family: &Family, role: Role, tensor: &mut TensorDescriptor, (total, alignment, flag): (u64, u64, u64)) {
    let implied = implied_bytes(tensor, family.granularity).unwrap_or(0);
    // Never much more, or only a large tensor is too large for it after an edit.
    tensor.total_bytes = match total {
        0..4 => None,
        4..8 => Some(implied),
        _ => Some(implied + total - 7),
    };
    let width = tensor.data_type.bytes() as u64;
    let alignments: [u64; ALIGNMENTS as usize] = [0, width, 64, 4096, 1 << 31];
    tensor.alignment = alignments[alignment as usize];
    let flags = &family.flags;
    let flag = flag.checked_sub(flags.len() as u64).and_then(|flag| flags.get(flag as usize));
    tensor.flags.extend(flag.filter(|_| role == Role::Input).cloned());
}
