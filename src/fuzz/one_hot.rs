//! Samples of `directml/one_hot`: indices at and beyond both ends, values that only a copy keeps.

use std::iter::zip;

use opcert_backend::{AttributeValue, Descriptor, NamedAttribute, Role, TensorDescriptor};

use super::draw::{Draw, Sample};
use super::values;

pub(super) fn draw(draw: &mut Draw<'_, '_>) -> Sample {
    let count = draw.dimension_count("OutputTensor");
    let sizes = draw.sizes(count);
    let axis = draw.choices.below(count as u64) as usize;
    let length = sizes[axis];
    let mut index_sizes = sizes.clone();
    index_sizes[axis] = 1;
    let value_sizes = value_sizes(draw, count);
    let index_type = draw.data_type("IndicesTensor");
    let value_type = draw.data_type("OutputTensor");
    let indices = draw.tensor("IndicesTensor", Role::Input, index_type, index_sizes);
    let mut values = draw.tensor("ValuesTensor", Role::Input, value_type, value_sizes);
    if is_ambiguous(&values.tensor) {
        values.tensor = TensorDescriptor::packed(value_type, values.tensor.sizes);
    }
    let output = draw.tensor("OutputTensor", Role::Output, value_type, sizes);
    // The indices come last, so that nothing moves when there are fewer.
    let value_data = draw.data(&values, |choices, index| values::value(choices, value_type, index as i64));
    let index_data = draw.data(&indices, |choices, _| values::index(choices, index_type, length, true));
    let inputs = vec![index_data, value_data];
    let axis = NamedAttribute { name: "Axis".to_owned(), value: AttributeValue::Integer(axis as i64) };
    Sample { descriptor: draw.descriptor(vec![indices, values, output], vec![axis]), inputs }
}

/// Whether the documents leave open what the descriptor means: which dimension of the values changes fastest.
pub(super) fn is_open(descriptor: &Descriptor) -> bool {
    descriptor.tensor("ValuesTensor").is_some_and(is_ambiguous)
}

/// Two values or more: two in one dimension, or any small sizes of which one is made larger.
fn value_sizes(draw: &mut Draw<'_, '_>, count: usize) -> Vec<u64> {
    let dimension = count - 1 - draw.choices.below(count as u64) as usize;
    let (more, sizes) = (draw.choices.once_in(3), draw.sizes(count));
    let mut sizes = if more { sizes } else { vec![1; count] };
    sizes[dimension] = sizes[dimension].max(2);
    sizes
}

/// Whether the dimension that changes fastest in logical order is not the one with the least stride.
fn is_ambiguous(values: &TensorDescriptor) -> bool {
    let Some(strides) = &values.strides else { return false };
    let mut steps = zip(strides, &values.sizes).filter(|(_, size)| **size > 1).map(|(&stride, _)| stride).rev();
    let fastest = steps.next().unwrap_or(0);
    steps.any(|stride| fastest == 0 || stride <= fastest)
}
