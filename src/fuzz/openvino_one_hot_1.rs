//! Samples of `openvino/one_hot_1`: indices at and beyond depth, every place of the new axis, values that only a copy
//! keeps.

use opcert_backend::{AttributeValue, Constant, DataType, Descriptor, NamedAttribute, Role};

use super::draw::{Draw, Sample};
use super::values;

/// The greatest number of dimensions of the output.
const MOST_DIMENSIONS: u64 = 8;

pub(super) fn draw(draw: &mut Draw<'_, '_>) -> Sample {
    let mut sizes = {
        let count = 1 + draw.choices.below(MOST_DIMENSIONS) as usize;
        draw.sizes(count)
    };
    let count = sizes.len() as i64;
    let place = draw.choices.below(sizes.len() as u64) as i64;
    let axis = if draw.choices.below(2) == 1 { place - count } else { place };
    let output_sizes = sizes.clone();
    let depth_value = sizes.remove(place as usize);
    let index_type = *draw.choices.pick(&[DataType::I32, DataType::I64]);
    let value_type = draw.data_type("output");
    let indices = draw.tensor("indices", Role::Input, index_type, sizes);
    let depth = draw.tensor("depth", Role::Input, index_type, Vec::new());
    let on = draw.tensor("on_value", Role::Input, value_type, Vec::new());
    let off = draw.tensor("off_value", Role::Input, value_type, Vec::new());
    let output = draw.tensor("output", Role::Output, value_type, output_sizes);
    let depth_data = draw.data(&depth, |_, _| depth_value);
    let on_data = draw.data(&on, |choices, _| values::value(choices, value_type, 1));
    let off_data = draw.data(&off, |choices, _| values::value(choices, value_type, 0));
    // The indices come last, so that nothing moves when there are fewer. What a negative one does is undefined.
    let index_data = draw.data(&indices, |choices, _| values::index(choices, index_type, depth_value, false));
    let inputs = vec![index_data, depth_data, on_data, off_data];
    let axis = NamedAttribute { name: "axis".to_owned(), value: AttributeValue::Integer(axis) };
    let mut descriptor = draw.descriptor(vec![indices, depth, on, off, output], vec![axis]);
    let bytes = inputs[1].data.elements().into_owned();
    descriptor.constants.push(Constant { name: "depth".to_owned(), bytes });
    Sample { descriptor, inputs }
}

/// No descriptor is open by more than the checks say.
pub(super) const fn is_open(_: &Descriptor) -> bool {
    false
}
