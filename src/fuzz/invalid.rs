//! Random edits of a valid descriptor. What they break, if anything, is for the validator to say.
//!
//! General over descriptors: an edit changes a size, a stride, an attribute, and knows no operator.

use opcert_backend::{AttributeValue, DataType, Descriptor, NamedTensor, Role, Scalar, TensorDescriptor};

use crate::element;
use crate::kind::{MOST_DIMENSIONS, implied_bytes};
use crate::sample::Choices;
use crate::sample::values;
use crate::spec::{AttributeValues, Check, Level, Operator};

/// A part of a descriptor that an edit changes.
#[derive(Clone, Copy)]
enum Part {
    Size,
    Dimensions,
    AllDimensions,
    Type,
    Attribute,
    Level,
    Constant,
    Missing,
    Strides,
    TotalBytes,
    Alignment,
    Flags,
}

/// The parts, first those of every descriptor.
const PARTS: [(u64, Part); 12] = [
    (6, Part::Size),
    (4, Part::Dimensions),
    (4, Part::Type),
    (6, Part::Attribute),
    (4, Part::Level),
    (2, Part::Constant),
    (1, Part::Missing),
    (1, Part::AllDimensions),
    (6, Part::Strides),
    (2, Part::TotalBytes),
    (2, Part::Alignment),
    (2, Part::Flags),
];
/// So many of them are there where tensors have no layouts as well.
const WITHOUT_LAYOUTS: usize = 8;

/// Edits a valid descriptor in one place or two. Returns the level that it is then asked for at.
pub(super) fn edit(
    choices: &mut Choices<'_>,
    operator: &Operator,
    (level, highest): (Level, Level),
    descriptor: &mut Descriptor,
) -> Level {
    let mut editing = Editing { choices, operator, level, highest };
    editing.edit(descriptor);
    if editing.choices.once_in(4) {
        editing.edit(descriptor);
    }
    descriptor.constants.retain(|constant| {
        let tensor = descriptor.tensors.iter().find(|entry| entry.name == constant.name);
        tensor.is_some_and(|entry| entry.tensor.element_count() == Some(1))
    });
    operator.family.level_name(editing.level).clone_into(&mut descriptor.level);
    let level = editing.level;
    state_lengths(operator, descriptor);
    level
}

/// An attribute that is the length of a list has no other value.
fn state_lengths(operator: &Operator, descriptor: &mut Descriptor) {
    for attribute in &operator.attributes {
        let list = attribute.length_of.as_deref().and_then(|list| descriptor.integers(list));
        let Some(length) = list.map(|list| list.len() as i64) else { continue };
        for stated in descriptor.attributes.iter_mut().filter(|each| each.name == attribute.name) {
            stated.value = AttributeValue::Integer(length);
        }
    }
}

struct Editing<'a, 'c> {
    choices: &'a mut Choices<'c>,
    operator: &'a Operator,
    level: Level,
    highest: Level,
}

impl Editing<'_, '_> {
    fn edit(&mut self, descriptor: &mut Descriptor) {
        let parts = if self.operator.family.layouts { PARTS.len() } else { WITHOUT_LAYOUTS };
        let part = self.choices.weighted(&PARTS[..parts]);
        match part {
            Part::Level => self.level = Level(self.choices.below(self.highest.0 as u64 + 1) as usize),
            Part::Attribute => self.attribute(descriptor),
            Part::Constant => self.constant(descriptor),
            Part::Missing => self.missing(descriptor),
            Part::AllDimensions => self.all_dimensions(descriptor),
            Part::Type => self.data_type(descriptor),
            _ => self.tensor(part, descriptor),
        }
    }

    fn tensor(&mut self, part: Part, descriptor: &mut Descriptor) {
        let Some((role, tensor)) = self.some_tensor(descriptor) else { return };
        match part {
            Part::Dimensions => self.dimensions(tensor),
            Part::Strides => self.strides(role, tensor),
            Part::TotalBytes => {
                let implied = implied_bytes(tensor, self.operator.family.granularity).unwrap_or(0);
                let sizes = [
                    implied.saturating_sub(1),
                    implied.saturating_sub(4),
                    0,
                    implied,
                    implied.saturating_add(1),
                    u64::MAX,
                ];
                tensor.total_bytes = Some(*self.choices.pick(&sizes));
            }
            Part::Alignment => {
                let width = tensor.data_type.bytes() as u64;
                tensor.alignment = *self.choices.pick(&[3, width / 2, width + 1, width, 24, 48, u64::MAX, 256]);
            }
            Part::Flags => tensor.flags = self.operator.family.flags.clone(),
            _ => self.size(tensor),
        }
    }

    fn some_tensor<'d>(&mut self, descriptor: &'d mut Descriptor) -> Option<(Role, &'d mut TensorDescriptor)> {
        let index = self.choices.below(descriptor.tensors.len() as u64) as usize;
        descriptor.tensors.get_mut(index).map(|entry| (entry.role, &mut entry.tensor))
    }

    fn size(&mut self, tensor: &mut TensorDescriptor) {
        let index = self.choices.below(tensor.sizes.len() as u64) as usize;
        let Some(size) = tensor.sizes.get_mut(index) else { return };
        let sizes = [
            size.saturating_add(1),
            size.saturating_sub(1),
            0,
            0,
            1,
            2,
            size.saturating_mul(2),
            1 << 16,
            1 << 32,
            1 << 63,
            u64::MAX,
        ];
        *size = *self.choices.pick(&sizes);
    }

    /// One dimension more or less, none at all, or all in another order; strides go along, as one count holds for both.
    fn dimensions(&mut self, tensor: &mut TensorDescriptor) {
        let count = tensor.sizes.len() as u64;
        match self.choices.below(4) {
            0 | 1 => {
                let size = *self.choices.pick(&[1, 2]);
                let index = self.choices.below(count + 1) as usize;
                tensor.sizes.insert(index, size);
                if let Some(strides) = &mut tensor.strides {
                    strides.insert(index.min(strides.len()), 0);
                }
            }
            2 if count > 0 => {
                let index = self.choices.below(count + 1) as usize;
                if index == tensor.sizes.len() {
                    tensor.sizes.clear();
                    tensor.strides.iter_mut().for_each(Vec::clear);
                    return;
                }
                tensor.sizes.remove(index);
                if let Some(strides) = tensor.strides.as_mut().filter(|strides| index < strides.len()) {
                    strides.remove(index);
                }
            }
            _ => tensor.sizes.reverse(),
        }
    }

    /// Dimensions of size 1 behind those of all tensors: as far as there may be any, one more, or more than that. What asks for
    /// one dimension count in several tensors goes on to hold.
    fn all_dimensions(&mut self, descriptor: &mut Descriptor) {
        let most = descriptor.tensors.iter().map(|entry| entry.tensor.sizes.len()).max().unwrap_or(0);
        let up_to = *self.choices.pick(&[MOST_DIMENSIONS + 1, MOST_DIMENSIONS, MOST_DIMENSIONS + 2, most + 1]);
        let more = up_to.saturating_sub(most);
        // A list that has one number for each dimension has more of them then, so that nothing else is wrong.
        let checks = || self.operator.requirements.iter().filter_map(|requirement| requirement.check.as_ref());
        let lists =
            checks().filter_map(|check| if let Check::OnePerDimension(each) = check { Some(&each.list) } else { None });
        for name in lists {
            let least = checks().find_map(|check| match check {
                Check::NumbersAtLeast(each) if each.attribute == *name => Some(each.least),
                Check::NumbersNotZero(each) if each.attribute == *name => Some(1),
                _ => None,
            });
            let list = descriptor.attributes.iter_mut().find(|attribute| attribute.name == *name);
            if let Some(AttributeValue::Integers(list)) = list.map(|attribute| &mut attribute.value) {
                list.extend(std::iter::repeat_n(least.unwrap_or(0), more));
            }
        }
        for NamedTensor { tensor, .. } in &mut descriptor.tensors {
            tensor.sizes.extend(std::iter::repeat_n(1, more));
            if let Some(strides) = &mut tensor.strides {
                strides.extend(std::iter::repeat_n(0, more));
            }
        }
    }

    fn strides(&mut self, role: Role, tensor: &mut TensorDescriptor) {
        // Sizes that were edited before may be too large for any: there is one for each of them all the same.
        let mut strides = tensor.effective_strides().unwrap_or_else(|| vec![0; tensor.sizes.len()]);
        let index = self.choices.below(strides.len() as u64) as usize;
        let stride = strides.get(index).copied().unwrap_or(0);
        match self.choices.below(if role == Role::Output { 8 } else { 6 }) {
            0 => strides.reverse(),
            number => {
                let longer = [stride.saturating_add(1), u64::MAX, 1 << 62, stride.saturating_mul(2), 1 << 32, 0, 0];
                if let Some(place) = strides.get_mut(index) {
                    *place = longer[number as usize - 1];
                }
            }
        }
        tensor.strides = Some(strides);
    }

    /// Another type for a tensor; once in a while for all that have its type, so that what asks for one type in several tensors goes
    /// on to hold.
    fn data_type(&mut self, descriptor: &mut Descriptor) {
        let Descriptor { tensors, constants, .. } = descriptor;
        let index = self.choices.below(tensors.len() as u64) as usize;
        let data_type = self.choices.pick(&self.operator.family.types).1;
        let with_others = self.choices.once_in(4);
        let Some(before) = tensors.get(index).map(|entry| entry.tensor.data_type) else { return };
        for (at, entry) in tensors.iter_mut().enumerate() {
            if at != index && !(with_others && entry.tensor.data_type == before) {
                continue;
            }
            if let Some(constant) = constants.iter_mut().find(|constant| constant.name == entry.name) {
                let value = element::truncated(&constant.bytes, before).unwrap_or(0);
                constant.bytes = constant_bytes(value as i64, data_type);
            }
            entry.tensor.data_type = data_type;
        }
    }

    fn attribute(&mut self, descriptor: &mut Descriptor) {
        let index = self.choices.below(descriptor.attributes.len() as u64) as usize;
        let dimensions = descriptor.tensors.first().map_or(0, |entry| entry.tensor.sizes.len() as i64);
        let Some(attribute) = descriptor.attributes.get_mut(index) else { return };
        let known = self.operator.attribute(&attribute.name).map(|attribute| &attribute.values);
        match (&mut attribute.value, known) {
            (AttributeValue::Integer(value), _) => *value = self.number(*value, dimensions),
            (AttributeValue::Integers(list), _) => self.list(list, dimensions),
            (AttributeValue::Enumerator(name), Some(AttributeValues::Enumerators(names))) => {
                self.choices.pick(names).clone_into(name);
            }
            (AttributeValue::Boolean(value), _) => *value = !*value,
            (AttributeValue::Float32(value), _) => {
                *value = match self.choices.below(3) {
                    0 => value.get().next_up().into(),
                    1 => (-value.get()).into(),
                    _ => values::float32(self.choices),
                };
            }
            (AttributeValue::Scalar(_), _) => self.scalars(index, descriptor),
            (AttributeValue::String(text), Some(AttributeValues::Texts(texts))) => {
                let other = self.choices.pick(texts).clone();
                *text = match self.choices.below(4) {
                    0 => String::new(),
                    1 => other.to_uppercase(),
                    2 => format!("{other} "),
                    _ => other,
                };
            }
            _ => {}
        }
    }

    /// Another value of a scalar, or another data type, which is that of all whose type the same member names.
    fn scalars(&mut self, index: usize, descriptor: &mut Descriptor) {
        let member = |name: &str| self.operator.attribute(name).and_then(|attribute| attribute.data_type.as_ref());
        let named = member(&descriptor.attributes[index].name);
        let other = self.choices.once_in(2).then(|| self.choices.pick(&self.operator.family.types).1);
        for (at, attribute) in descriptor.attributes.iter_mut().enumerate() {
            let AttributeValue::Scalar(scalar) = &mut attribute.value else { continue };
            if member(&attribute.name) == named && (at == index || other.is_some()) {
                let data_type = other.unwrap_or(scalar.data_type());
                *scalar = Scalar::new(data_type, values::value(self.choices, data_type, 1));
            }
        }
    }

    /// Another number: close to what it was, to 0, to the dimension counts there are, or far away.
    fn number(&mut self, value: i64, dimensions: i64) -> i64 {
        let (above, below) = (value.saturating_add(1), value.saturating_sub(1));
        let near = [above, below, 0, dimensions, -1, 8, 9, -dimensions, -dimensions - 1, 1 << 32, i64::MAX, i64::MIN];
        match self.choices.below(near.len() as u64 + 2) as usize {
            index if index < near.len() => near[index],
            index if index == near.len() => value.wrapping_neg(),
            _ => value.saturating_add(1 << 32),
        }
    }

    fn list(&mut self, list: &mut Vec<i64>, dimensions: i64) {
        let index = self.choices.below(list.len() as u64) as usize;
        match self.choices.below(4) {
            0 | 1 => {
                if let Some(place) = list.get(index).copied() {
                    list[index] = self.number(place, dimensions);
                }
            }
            2 => {
                let next = list.last().map_or(0, |&last| last.saturating_add(1));
                list.push(next);
            }
            _ => drop(list.pop()),
        }
    }

    fn constant(&mut self, descriptor: &mut Descriptor) {
        let Descriptor { constants, tensors, .. } = descriptor;
        let index = self.choices.below(constants.len() as u64) as usize;
        let Some(constant) = constants.get_mut(index) else { return };
        let Some(entry) = tensors.iter().find(|entry| entry.name == constant.name) else { return };
        let data_type = entry.tensor.data_type;
        let Some(value) = element::truncated(&constant.bytes, data_type) else { return };
        let value = value as i64;
        let values = [0, value + 1, value - 1, 1, 127];
        let number = *self.choices.pick(&values);
        let signed = data_type.is_signed_integer() && self.choices.once_in(3);
        constant.bytes = constant_bytes(if signed { -number } else { number.max(0) }, data_type);
    }

    /// Takes away what a requirement asks to be there.
    fn missing(&mut self, descriptor: &mut Descriptor) {
        let tensors = self.operator.tensors.iter().filter(|tensor| tensor.may_be_missing).map(|tensor| &tensor.name);
        let attributes = self.operator.attributes.iter().filter(|each| each.may_be_missing).map(|each| &each.name);
        let names: Vec<&String> = tensors.chain(attributes).collect();
        let number = self.choices.below(names.len() as u64) as usize;
        let Some(&name) = names.get(number) else { return };
        let gone = self.operator.left_out_with(name);
        descriptor.tensors.retain(|entry| !gone.contains(&entry.name));
        descriptor.attributes.retain(|attribute| attribute.name != *name);
        descriptor.constants.retain(|constant| constant.name != *name);
    }
}

fn constant_bytes(value: i64, data_type: DataType) -> Vec<u8> {
    let mut bytes = Vec::new();
    values::push(&mut bytes, element::from_integer(value, data_type), data_type);
    bytes
}
