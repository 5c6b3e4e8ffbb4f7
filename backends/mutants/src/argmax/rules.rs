//! The kernel and its rules: gather the subset of an output element, choose a winner, write its index.

use opcert_backend::operators::AXIS_DIRECTION_DECREASING;
use opcert_backend::{DataType, Descriptor, Fault, Input, Output};

use crate::element::{self, Element};
use crate::layout::unbound;
use crate::layout::{Layout, LayoutRule, as_described, coordinates};

/// Everything that the kernel decides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArgMaxRules {
    /// How the input lies in memory.
    pub(crate) input: LayoutRule,
    /// How the output lies in memory.
    pub(crate) output: LayoutRule,
    /// Which dimensions are reduced, given the axes and the number of dimensions.
    pub(crate) reduced: fn(&[i64], usize) -> Vec<bool>,
    /// An integer whose order is that of the elements.
    pub(crate) key: fn(Element) -> i128,
    /// The place of the winner in its subset, in row-major order.
    pub(crate) winner: fn(&Subset<'_>) -> i64,
    /// The index that stands for a place.
    pub(crate) index: fn(i64, &Reduction<'_>) -> i64,
    /// How many elements of the output are written, of this many.
    pub(crate) written: fn(usize) -> usize,
    /// What is written for an index in an output of this type; the bytes beyond the second number stay as they are.
    pub(crate) stored: fn(i64, DataType) -> (u64, usize),
}

/// The rules that break nothing.
pub(crate) const RIGHT: ArgMaxRules = ArgMaxRules {
    input: as_described,
    output: as_described,
    reduced: |axes, dimensions| (0..dimensions).map(|dimension| axes.contains(&(dimension as i64))).collect(),
    key: element::order,
    winner: |subset| subset.maximum(subset.last),
    index: |place, _| place,
    written: |count| count,
    stored: |index, data_type| (index.cast_unsigned(), data_type.bytes()),
};

/// The elements behind one element of the output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subset<'a> {
    /// The elements, in row-major order.
    pub(crate) elements: &'a [Element],
    /// Their keys.
    pub(crate) keys: &'a [i128],
    /// Whether the last of equal maxima wins.
    pub(crate) last: bool,
}

impl Subset<'_> {
    /// The place of the first or last maximum.
    pub(crate) fn maximum(&self, last: bool) -> i64 {
        let maximum = self.keys.iter().max();
        let is_maximum = |key: &i128| Some(key) == maximum;
        let place = if last { self.keys.iter().rposition(is_maximum) } else { self.keys.iter().position(is_maximum) };
        place.unwrap_or(0) as i64
    }
}

/// What is reduced, and for which element of the output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduction<'a> {
    /// The sizes of the input.
    pub(crate) sizes: &'a [usize],
    /// For each dimension, whether it is reduced.
    pub(crate) reduced: &'a [bool],
    /// The axes as the descriptor lists them.
    pub(crate) axes: &'a [i64],
    /// The coordinates of the element of the output.
    pub(crate) at: &'a [usize],
}

impl Reduction<'_> {
    /// The sizes of the reduced dimensions.
    pub(crate) fn reduced_sizes(&self) -> Vec<usize> {
        let dimensions = self.sizes.iter().zip(self.reduced);
        dimensions.filter(|(_, reduced)| **reduced).map(|(&size, _)| size).collect()
    }

    /// The coordinates, in the reduced dimensions, of a place in the subset.
    pub(crate) fn coordinates(&self, place: i64) -> Vec<usize> {
        coordinates(place as usize, &self.reduced_sizes())
    }
}

/// Runs the operator.
///
/// # Errors
///
/// When a tensor is not bound.
pub(crate) fn run(
    rules: &ArgMaxRules,
    descriptor: &Descriptor,
    inputs: &[Input<'_>],
    outputs: &mut [Output<'_>],
) -> Result<(), Fault> {
    let ([input], [output], Some(axes)) = (inputs, outputs, descriptor.integers("Axes")) else {
        return Err(unbound());
    };
    let last = descriptor.enumerator("AxisDirection") == Some(AXIS_DIRECTION_DECREASING);
    let (from, to) = ((rules.input)(input.tensor), (rules.output)(output.tensor));
    let reduced = (rules.reduced)(axes, from.sizes.len());
    let members = held(&from, &reduced, false).offsets();
    let data_type = input.tensor.data_type;
    for (number, place) in to.offsets().into_iter().enumerate().take((rules.written)(to.sizes.iter().product())) {
        let at = coordinates(number, &to.sizes);
        let free = at.iter().zip(&from.strides).zip(&reduced).filter(|(_, reduced)| !**reduced);
        let first: usize = free.map(|((coordinate, stride), _)| coordinate * stride).sum();
        let element = |offset: &usize| Element { bits: from.load(input.bytes, first + offset), data_type };
        let elements: Vec<Element> = members.iter().map(element).collect();
        let keys: Vec<i128> = elements.iter().map(|&element| (rules.key)(element)).collect();
        let winner = (rules.winner)(&Subset { elements: &elements, keys: &keys, last });
        let index = (rules.index)(winner, &Reduction { sizes: &from.sizes, reduced: &reduced, axes, at: &at });
        let (bits, kept) = (rules.stored)(index, output.tensor.data_type);
        let kept_mask = if kept < 8 { (1 << (8 * kept)) - 1 } else { u64::MAX };
        let merged = bits & kept_mask | to.load(output.bytes, place) & !kept_mask;
        to.store(output.bytes, place as i64, merged);
    }
    Ok(())
}

/// The layout with the dimensions that are reduced, or are not, held at 0.
fn held(layout: &Layout, reduced: &[bool], hold: bool) -> Layout {
    let mut rest = layout.clone();
    for (dimension, _) in reduced.iter().enumerate().filter(|(_, reduced)| **reduced == hold) {
        rest.sizes[dimension] = 1;
    }
    rest
}
