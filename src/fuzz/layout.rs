//! Ways in which a valid tensor may lie in memory, all of the same logical elements.

use opcert_backend::{Role, TensorDescriptor};

use super::draw::Draw;
use crate::check::implied_bytes;

/// How a tensor lies in memory.
#[derive(Clone, Copy)]
enum Strides {
    /// Packed, and no word about it.
    None,
    /// Packed, and said so.
    Packed,
    /// Gaps behind the rows of some dimensions.
    Padded,
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

/// Strides along dimensions of size 1, where they mean nothing.
const IDLE: [u64; 5] = [0, 1, 7, 1 << 33, u64::MAX];

/// Gives a packed tensor some other valid layout, or leaves it as it is.
pub(super) fn draw(draw: &mut Draw<'_, '_>, role: Role, tensor: &mut TensorDescriptor) {
    if draw.strided {
        tensor.strides = strides(draw, role, &tensor.sizes);
    }
    if draw.choices.once_in(8) {
        promises(draw, role, tensor);
    }
}

fn strides(draw: &mut Draw<'_, '_>, role: Role, sizes: &[u64]) -> Option<Vec<u64>> {
    let kind = draw.choices.weighted(&STRIDES);
    let mut strides = match (kind, role) {
        (Strides::None, _) => return None,
        (Strides::Padded, _) => nested(draw, sizes, false, true),
        (Strides::Permuted, _) => nested(draw, sizes, true, false),
        (Strides::Repeated, Role::Input) => repeated(draw, sizes),
        (Strides::Overlapping, Role::Input) => sizes.iter().map(|_| draw.choices.below(4)).collect(),
        (Strides::Packed | Strides::Repeated | Strides::Overlapping, _) => nested(draw, sizes, false, false),
    };
    for (stride, _) in strides.iter_mut().zip(sizes).filter(|(_, size)| **size == 1) {
        if draw.choices.once_in(4) {
            *stride = *draw.choices.pick(&IDLE);
        }
    }
    Some(strides)
}

/// Strides that nest: the dimensions from the innermost outwards or in any order, with or without gaps.
fn nested(draw: &mut Draw<'_, '_>, sizes: &[u64], permuted: bool, padded: bool) -> Vec<u64> {
    let mut left: Vec<usize> = (0..sizes.len()).collect();
    let mut strides = vec![0; sizes.len()];
    let mut reach = 1;
    while !left.is_empty() {
        let back = if permuted { draw.choices.below(left.len() as u64) as usize } else { 0 };
        let dimension = left.remove(left.len() - 1 - back);
        strides[dimension] = reach + if padded { draw.choices.below(4) } else { 0 };
        reach = strides[dimension] * sizes[dimension];
    }
    strides
}

/// Packed strides, 0 along some dimensions.
fn repeated(draw: &mut Draw<'_, '_>, sizes: &[u64]) -> Vec<u64> {
    let mut reach = 1;
    let mut strides = vec![0; sizes.len()];
    for dimension in (0..sizes.len()).rev() {
        if draw.choices.below(2) == 0 {
            strides[dimension] = reach;
            reach *= sizes[dimension];
        }
    }
    strides
}

/// What else may be said of a tensor's memory.
fn promises(draw: &mut Draw<'_, '_>, role: Role, tensor: &mut TensorDescriptor) {
    let implied = implied_bytes(tensor, draw.operator.family.granularity).unwrap_or(0);
    tensor.total_bytes = match draw.choices.below(4) {
        0 => None,
        1 => Some(implied),
        2 => Some(implied + 1 + draw.choices.below(7)),
        _ => Some(implied + 64),
    };
    let width = tensor.data_type.bytes() as u64;
    tensor.alignment = *draw.choices.pick(&[0, width, 64, 4096, 1 << 63]);
    let flags = &draw.operator.family.flags;
    if role == Role::Input && !flags.is_empty() && draw.choices.below(2) == 1 {
        tensor.flags.push(draw.choices.pick(flags).clone());
    }
}
