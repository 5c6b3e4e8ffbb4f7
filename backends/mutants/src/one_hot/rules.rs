//! The kernel and its rules: Off everywhere, then On once per sequence.

use std::iter::zip;

use opcert_backend::{DataType, Descriptor, Fault, Input, Output};

use crate::element::Element;
use crate::layout::unbound;
use crate::layout::{Layout, LayoutRule, as_described};

/// Everything that the kernel decides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneHotRules {
    /// How the indices lie in memory.
    pub(crate) indices: LayoutRule,
    /// How Off and On lie in memory.
    pub(crate) values: LayoutRule,
    /// How the output lies in memory.
    pub(crate) output: LayoutRule,
    /// The dimension along which sequences lie, from the attribute and the number of dimensions.
    pub(crate) axis: fn(i64, usize) -> usize,
    /// Where an index points, in elements from the beginning of its sequence; `None` if nowhere.
    pub(crate) place: fn(&Index) -> Option<i64>,
    /// Where the places of a sequence are counted from, given the offset of its first element.
    pub(crate) origin: fn(usize) -> usize,
    /// The distance between neighbours in a sequence, given that of the layout.
    pub(crate) step: fn(usize) -> usize,
    /// The offset of Off in Values.
    pub(crate) off_at: fn(&Layout) -> usize,
    /// The offset of On in Values.
    pub(crate) on_at: fn(&Layout) -> usize,
    /// What is written for a choice.
    pub(crate) written: fn(&Choice) -> u64,
    /// How many elements of the output get Off, of this many.
    pub(crate) filled: fn(usize) -> usize,
    /// How many sequences get On, of this many.
    pub(crate) sequences: fn(usize) -> usize,
}

/// The rules that break nothing.
pub(crate) const RIGHT: OneHotRules = OneHotRules {
    indices: as_described,
    values: as_described,
    output: as_described,
    axis: from_either_end,
    place: |index| within(index.value(), index),
    origin: |start| start,
    step: |stride| stride,
    off_at: |_| 0,
    on_at: second_along_the_fastest,
    written: |choice| choice.chosen(),
    filled: |count| count,
    sequences: |count| count,
};

/// An index and the sequence that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Index {
    /// The index as it stands in memory.
    pub(crate) element: Element,
    /// The number of elements in the sequence.
    pub(crate) size: i128,
    /// Whether negative numbers count from the end.
    pub(crate) from_end: bool,
}

impl Index {
    /// The index as a number.
    pub(crate) const fn value(&self) -> i128 {
        self.element.integer()
    }

    /// Whether it has this type.
    pub(crate) fn is(&self, data_type: DataType) -> bool {
        self.element.is(data_type)
    }
}

/// One of the two values, to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// The bits of Off.
    pub(crate) off: u64,
    /// The bits of On.
    pub(crate) on: u64,
    /// Whether it is On that is written.
    pub(crate) hot: bool,
    /// The type of both.
    pub(crate) data_type: DataType,
}

impl Choice {
    /// The bits of the value that is chosen.
    pub(crate) const fn chosen(&self) -> u64 {
        if self.hot { self.on } else { self.off }
    }

    /// The value that is chosen.
    pub(crate) const fn element(&self) -> Element {
        Element { bits: self.chosen(), data_type: self.data_type }
    }
}

/// Where a number points, provided that there is such an element.
pub(crate) fn within(number: i128, index: &Index) -> Option<i64> {
    let place = from_start(number, index);
    (0..index.size).contains(&place).then_some(place as i64)
}

/// A number counted from the start of the sequence, whether or not there is such an element.
pub(crate) const fn from_start(number: i128, index: &Index) -> i128 {
    if number < 0 && index.from_end { number + index.size } else { number }
}

fn from_either_end(axis: i64, dimensions: usize) -> usize {
    (if axis < 0 { axis + dimensions as i64 } else { axis }) as usize
}

fn second_along_the_fastest(values: &Layout) -> usize {
    let dimensions = zip(&values.sizes, &values.strides).rev();
    dimensions.into_iter().find(|(size, _)| **size > 1).map_or(0, |(_, &stride)| stride)
}

/// Runs `directml/one_hot`.
///
/// # Errors
///
/// When a tensor is not bound.
pub(crate) fn directml(
    rules: &OneHotRules,
    descriptor: &Descriptor,
    inputs: &[Input<'_>],
    outputs: &mut [Output<'_>],
) -> Result<(), Fault> {
    let ([indices, values], [output], Some(axis)) = (inputs, outputs, descriptor.integer("Axis")) else {
        return Err(unbound());
    };
    let layout = (rules.values)(values.tensor);
    let off = layout.load(values.bytes, (rules.off_at)(&layout));
    let on = layout.load(values.bytes, (rules.on_at)(&layout));
    run(rules, indices, (off, on), (axis, true), output);
    Ok(())
}

/// Runs `openvino/one_hot_1`. A negative index is undefined behaviour there; here it is out of range.
///
/// # Errors
///
/// When a tensor is not bound.
pub(crate) fn openvino(
    rules: &OneHotRules,
    descriptor: &Descriptor,
    inputs: &[Input<'_>],
    outputs: &mut [Output<'_>],
) -> Result<(), Fault> {
    let ([indices, _, on, off], [output], Some(axis)) = (inputs, outputs, descriptor.integer("axis")) else {
        return Err(unbound());
    };
    let [off, on] = [off, on].map(|value| as_described(value.tensor).load(value.bytes, 0));
    run(rules, indices, (off, on), (axis, false), output);
    Ok(())
}

/// Sequences and indices are both taken in logical order, so that the one belongs to the other whatever the axis.
fn run(
    rules: &OneHotRules,
    indices: &Input<'_>,
    (off, on): (u64, u64),
    (axis, from_end): (i64, bool),
    output: &mut Output<'_>,
) {
    let data_type = output.tensor.data_type;
    let value = |hot: bool| (rules.written)(&Choice { off, on, hot, data_type });
    let layout = (rules.output)(output.tensor);
    let elements = layout.offsets();
    for &offset in elements.iter().take((rules.filled)(elements.len())) {
        layout.store(output.bytes, offset as i64, value(false));
    }
    let axis = (rules.axis)(axis, layout.sizes.len());
    let (size, step) = (layout.sizes[axis] as i128, (rules.step)(layout.strides[axis]) as i64);
    let starts = layout.without(axis).offsets();
    let sequences = (rules.sequences)(starts.len());
    let index_bits = (rules.indices)(indices.tensor).elements(indices.bytes);
    for (start, bits) in zip(starts, index_bits).take(sequences) {
        let index = Index { element: Element { bits, data_type: indices.tensor.data_type }, size, from_end };
        if let Some(place) = (rules.place)(&index) {
            let offset = ((rules.origin)(start) as i64).saturating_add(place.saturating_mul(step));
            layout.store(output.bytes, offset, value(true));
        }
    }
}
