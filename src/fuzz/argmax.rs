//! Samples of `directml/argmax`: ties of every kind, extremes, values that are easily confused.

use opcert_backend::operators::{AXIS_DIRECTION_DECREASING, AXIS_DIRECTION_INCREASING};
use opcert_backend::{AttributeValue, DataType, Descriptor, NamedAttribute, NamedTensor, Role, TensorDescriptor};

use super::draw::{Draw, Sample, input_data};
use super::values;
use crate::check::InputData;
use crate::element;

pub(super) fn draw(draw: &mut Draw<'_, '_>) -> Sample {
    let count = draw.dimension_count("InputTensor");
    let sizes = draw.sizes(count);
    let axes = axes(draw, count);
    let direction = *draw.choices.pick(&[AXIS_DIRECTION_INCREASING, AXIS_DIRECTION_DECREASING]);
    let mut reduced = sizes.clone();
    axes.iter().for_each(|&axis| reduced[axis as usize] = 1);
    let data_type = draw.data_type("InputTensor");
    let input = draw.tensor("InputTensor", Role::Input, data_type, sizes);
    let data_type = draw.data_type("OutputTensor");
    let output = draw.tensor("OutputTensor", Role::Output, data_type, reduced);
    let data = data(draw, &input);
    let attribute = |name: &str, value| NamedAttribute { name: name.to_owned(), value };
    let attributes = vec![
        attribute("AxisCount", AttributeValue::Integer(axes.len() as i64)),
        attribute("Axes", AttributeValue::Integers(axes)),
        attribute("AxisDirection", AttributeValue::Enumerator(direction.to_owned())),
    ];
    Sample { descriptor: draw.descriptor(vec![input, output], attributes), inputs: vec![data] }
}

/// Whether the documents leave open if the descriptor is valid: axes that are not sorted, indices that may not fit.
pub(super) fn is_open(descriptor: &Descriptor) -> bool {
    let sorted = descriptor.integers("Axes").is_none_or(<[i64]>::is_sorted);
    let narrow = descriptor.tensor("OutputTensor").is_some_and(|tensor| tensor.data_type == DataType::I32);
    let elements = descriptor.tensor("InputTensor").and_then(TensorDescriptor::element_count);
    !sorted || narrow && elements.is_none_or(|elements| elements > 1 << 31)
}

/// One axis, several, or all, in ascending order. Two numbers are drawn whatever it is.
fn axes(draw: &mut Draw<'_, '_>, count: usize) -> Vec<i64> {
    let kind = draw.choices.below(4);
    let bound = [count as u64, count as u64, (1 << count) - 1, 1][kind as usize];
    let number = draw.choices.below(bound);
    match kind {
        0 | 1 => vec![number as i64],
        2 => (0..count as i64).filter(|axis| (number + 1) >> axis & 1 == 1).collect(),
        _ => (0..count as i64).collect(),
    }
}

/// How the elements of an input are chosen.
#[derive(Clone, Copy)]
enum Elements {
    /// From a few values, so that there are ties.
    Few,
    /// All different, upwards or downwards.
    Ramp(i64),
    /// Each by itself.
    Any,
}

fn data(draw: &mut Draw<'_, '_>, input: &NamedTensor) -> InputData {
    let data_type = input.tensor.data_type;
    let with_nan = draw.data && data_type.is_float() && draw.choices.once_in(32);
    let with_subnormals = draw.data && data_type.is_float() && draw.choices.once_in(32);
    let kinds = [(12, Elements::Few), (1, Elements::Ramp(1)), (1, Elements::Ramp(-1)), (2, Elements::Any)];
    let kind = if draw.data { draw.choices.weighted(&kinds) } else { Elements::Any };
    let few = match kind {
        Elements::Few => few_values(draw, data_type),
        Elements::Ramp(step) => {
            let count = input.tensor.element_count().unwrap_or(0) as usize;
            let ramp = (0..count).map(|index| element::from_integer(step * index as i64, data_type));
            return input_data(input, ramp);
        }
        Elements::Any => Vec::new(),
    };
    // What a NaN or a subnormal number leaves open is only observed: most samples have values to be compared.
    let keeps_subnormals = with_subnormals || flushing_keeps_order(&few, data_type);
    draw.data(input, |choices, _| {
        let bits = if few.is_empty() { values::value(choices, data_type, 0) } else { *choices.pick(&few) };
        match (with_nan && choices.once_in(4), values::is_nan(bits, data_type)) {
            (true, _) => values::nan(choices, data_type),
            (false, true) => element::from_integer(0, data_type),
            (false, false) if values::is_subnormal(bits, data_type) && !keeps_subnormals => {
                element::from_integer(0, data_type)
            }
            (false, false) => bits,
        }
    })
}

/// Whether values compare alike as they stand and with every subnormal one flushed to zero: those that are
/// subnormal or zero are the same one. What is no number counts as zero, which takes its place.
fn flushing_keeps_order(values: &[u64], data_type: DataType) -> bool {
    let zero = |bits: u64| {
        values::is_subnormal(bits, data_type)
            || values::is_nan(bits, data_type)
            || bits == element::from_integer(0, data_type)
            || bits == values::negative_zero(data_type)
    };
    let mut zeros = values.iter().filter(|&&bits| zero(bits));
    let first = zeros.next();
    !values.is_empty() && zeros.all(|other| Some(other) == first)
}

/// The most values that the elements of an input are chosen from, where they are few.
const MOST_VALUES: u64 = 4;

/// A few values, of which each is likely to be close to the one before it.
fn few_values(draw: &mut Draw<'_, '_>, data_type: DataType) -> Vec<u64> {
    let count = 1 + draw.choices.below(MOST_VALUES) as usize;
    let mut few: Vec<u64> = Vec::with_capacity(MOST_VALUES as usize);
    for number in 0..MOST_VALUES as i64 {
        let near = draw.choices.once_in(2);
        let value = match few.last() {
            Some(&before) if near => values::neighbour(draw.choices, before, data_type),
            _ => values::value(draw.choices, data_type, number),
        };
        few.push(value);
    }
    few.truncate(count);
    few
}
