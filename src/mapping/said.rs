//! A descriptor with data, said otherwise, and its outputs back.

use opcert_backend::{
    AttributeValue, Constant, DataType, Descriptor, NamedAttribute, NamedTensor, Role, TensorDescriptor,
};

use super::{Mapping, Type, WHEN, for_a_person, of_attribute, of_input, of_output, of_sizes};
use crate::definition::{Fault, Open, Output};
use crate::element;
use crate::spec::Level;

/// What a descriptor with data is by another operator.
#[derive(Clone, Debug)]
pub struct Said {
    /// The descriptor.
    pub descriptor: Descriptor,
    /// The inputs, packed, in logical order.
    pub inputs: Vec<(String, Vec<u8>)>,
}

/// Why a descriptor with data is nothing by another operator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsaid {
    /// The mapping is for others.
    #[error("the mapping is not for it: {condition}")]
    Condition {
        /// What does not hold.
        condition: String,
    },
    /// The mapping gives something that there is not.
    #[error("{0}")]
    Impossible(String),
}

impl Mapping {
    /// A valid descriptor of `from` with its data, as one of `to` at a level. Whether that is valid is for the validator to say.
    ///
    /// # Errors
    ///
    /// Where the mapping has no way, or its way leads to what there is not: an element that the other type does not have, a
    /// value that is none of the attribute's.
    pub fn said(&self, descriptor: &Descriptor, inputs: &[(&str, &[u8])], level: Level) -> Result<Said, Unsaid> {
        let there = &self.there;
        let asked = |name: &str| there.value(descriptor, inputs, name);
        if self.has_condition && asked(WHEN).map_err(|fault| self.impossible(&fault))? != AttributeValue::Boolean(true)
        {
            return Err(Unsaid::Condition { condition: self.line_of(WHEN) });
        }
        let mut attributes: Vec<NamedAttribute> = Vec::with_capacity(self.to.attributes.len());
        for attribute in self.to.attributes.iter().filter(|each| self.attributes.contains(&each.name)) {
            let value = asked(&of_attribute(&attribute.name)).map_err(|fault| self.impossible(&fault))?;
            if !attribute.values.allow(&value) {
                let value = crate::render::attribute_value(&value);
                let message = format!("`{}` would be {value}, expected {}", attribute.name, attribute.values);
                return Err(Unsaid::Impossible(message));
            }
            // What is the default is left out: at a level that does not have the attribute yet, it may be nothing else.
            if attribute.default.as_ref() != Some(&value) {
                attributes.push(NamedAttribute { name: attribute.name.clone(), value });
            }
        }
        self.add_lengths(&mut attributes);
        let mut tensors = Vec::with_capacity(self.tensors.len());
        // The inputs under the names that they have in the mapping, behind what is known.
        let mut asked_of = descriptor.clone();
        for tensor in &self.tensors {
            let role = self.to.tensor(&tensor.name).map_or(Role::Input, |each| each.role);
            let sizes = match asked(&of_sizes(&tensor.name)).map_err(|fault| self.impossible(&fault))? {
                AttributeValue::Integers(sizes) => sizes.into_iter().map(u64::try_from).collect::<Result<Vec<_>, _>>(),
                other => {
                    let other = crate::render::attribute_value(&other);
                    return Err(Unsaid::Impossible(format!("the sizes of `{}` would be {other}", tensor.name)));
                }
            };
            let negative = |_| Unsaid::Impossible(format!("a size of `{}` would be negative", tensor.name));
            let data_type = match &tensor.data_type {
                Type::Always(data_type) => Some(*data_type),
                Type::Of(name) => descriptor.tensor(name).map(|each| each.data_type),
            };
            let missing = || Unsaid::Impossible(format!("`{}` has no type: what it is of is left out", tensor.name));
            let data_type = data_type.ok_or_else(missing)?;
            if !self.to.family.types.iter().any(|(_, each)| *each == data_type) {
                let (name, family) = (&tensor.name, &self.to.family.title);
                let spelling = self.from.family.spelling(data_type);
                return Err(Unsaid::Impossible(format!("`{name}` would be {spelling}, which {family} does not have")));
            }
            let described = TensorDescriptor::packed(data_type, sizes.map_err(negative)?);
            if role == Role::Input {
                let (name, tensor) = (of_input(&tensor.name), described.clone());
                asked_of.tensors.push(NamedTensor { name, role: Role::Output, tensor });
            }
            tensors.push(NamedTensor { name: tensor.name.clone(), role, tensor: described });
        }
        let found = there.evaluate(&asked_of, inputs).map_err(|fault| self.impossible(&fault))?;
        let mut inputs = Vec::with_capacity(found.outputs.len());
        for Output { name, bytes, open, .. } in found.outputs {
            let name = name.strip_prefix(&of_input("")).unwrap_or(&name).to_owned();
            if open.iter().any(Option::is_some) {
                return Err(Unsaid::Impossible(format!("nothing says what `{name}` holds")));
            }
            inputs.push((name, bytes));
        }
        let is_constant = |name: &String| self.to.tensor(name).is_some_and(|tensor| tensor.constant);
        let constants = inputs.iter().filter(|(name, _)| is_constant(name));
        let constants = constants.map(|(name, bytes)| Constant { name: name.clone(), bytes: bytes.clone() }).collect();
        let (operator, level) = (self.to.id.clone(), self.to.family.level_name(level).to_owned());
        Ok(Said { descriptor: Descriptor { operator, level, tensors, attributes, constants }, inputs })
    }

    /// Adds what is the length of a list, and puts all attributes into the order of the specification.
    fn add_lengths(&self, attributes: &mut Vec<NamedAttribute>) {
        let lengths = self.to.attributes.iter().filter(|each| !self.attributes.contains(&each.name));
        let lengths: Vec<NamedAttribute> = lengths
            .filter_map(|attribute| {
                let list = attributes.iter().find(|each| Some(&each.name) == attribute.length_of.as_ref())?;
                let AttributeValue::Integers(list) = &list.value else { return None };
                let value = AttributeValue::Integer(list.len() as i64);
                Some(NamedAttribute { name: attribute.name.clone(), value })
            })
            .collect();
        attributes.extend(lengths);
        attributes.sort_by_key(|given| self.to.attributes.iter().position(|each| each.name == given.name));
    }

    /// The outputs of `from` by those of `to`: for each element its bytes, or why it has none.
    ///
    /// # Errors
    ///
    /// Where an element is none of the output's type, or there is none for it.
    pub fn back(&self, descriptor: &Descriptor, said: &Said, found: &[Output]) -> Result<Vec<Output>, String> {
        let mut made = self.made_back(descriptor, said, found)?;
        let mut outputs = Vec::with_capacity(self.outputs.len());
        for (name, of) in &self.outputs {
            let none = || format!("nothing comes back for `{name}`");
            let Some(of) = of else {
                let at = made.iter().position(|output| output.name == of_output(name)).ok_or_else(none)?;
                outputs.push(Output { name: name.clone(), ..made.swap_remove(at) });
                continue;
            };
            let output = found.iter().find(|output| output.name == *of).ok_or_else(none)?;
            let wanted = descriptor.tensor(name).ok_or_else(none)?;
            let given = said.descriptor.tensor(of).ok_or_else(none)?;
            if wanted.element_count() != given.element_count() {
                return Err(format!("`{of}` has the sizes {:?}, and `{name}` {:?}", given.sizes, wanted.sizes));
            }
            let bytes = converted(output, given.data_type, wanted.data_type)
                .ok_or_else(|| format!("an element of `{of}` is none of `{name}`"))?;
            outputs.push(Output { name: name.clone(), bytes, ..output.clone() });
        }
        Ok(outputs)
    }

    /// The outputs that are more than one of `to`.
    fn made_back(&self, descriptor: &Descriptor, said: &Said, found: &[Output]) -> Result<Vec<Output>, String> {
        if self.outputs.iter().all(|(_, of)| of.is_some()) {
            return Ok(Vec::new());
        }
        let wanted = descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
        let wanted = wanted.map(|entry| NamedTensor { name: of_output(&entry.name), ..entry.clone() });
        let given = said.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output).cloned();
        let tensors = given.map(|entry| NamedTensor { role: Role::Input, ..entry }).chain(wanted).collect();
        let asked_of = Descriptor { tensors, constants: Vec::new(), ..descriptor.clone() };
        let made = |found: &[Output]| {
            let inputs: Vec<(&str, &[u8])> =
                found.iter().map(|each| (each.name.as_str(), each.bytes.as_slice())).collect();
            self.back.evaluate(&asked_of, &inputs).map(|made| made.outputs).map_err(|fault| fault.to_string())
        };
        let mut outputs = made(found)?;
        if found.iter().all(|output| output.open.iter().all(Option::is_none)) {
            return Ok(outputs);
        }
        // What comes of something open shows when that is something else.
        let others: Vec<Output> = found.iter().map(|output| otherwise(output, said)).collect();
        let others = made(&others).ok();
        for output in &mut outputs {
            let Some(tensor) = asked_of.tensor(&output.name) else { continue };
            let width = tensor.data_type.bytes();
            let count = output.bytes.len() / width;
            let other = others.as_ref().and_then(|others| others.iter().find(|other| other.name == output.name));
            output.open.resize(count, None);
            for at in 0..count {
                let place = at * width..(at + 1) * width;
                let is_same = other.is_some_and(|other| {
                    other.open_at(at) == output.open[at] && other.bytes[place.clone()] == output.bytes[place.clone()]
                });
                if !is_same && output.open[at].is_none() {
                    output.open[at] = Some(Open::Unspecified);
                }
            }
        }
        Ok(outputs)
    }

    fn impossible(&self, fault: &Fault) -> Unsaid {
        let line = self.there.text.lines().nth((fault.position.line as usize).saturating_sub(1)).unwrap_or_default();
        let line = line.trim();
        let inner = [WHEN, &of_attribute(""), &of_sizes("")];
        let is_inner = inner.iter().any(|inner| line.starts_with(inner));
        let line = line.split_once(" = ").filter(|_| is_inner).map_or(line, |(_, expression)| expression);
        let line = line.trim_start_matches("return ");
        Unsaid::Impossible(format!("{} in `{line}`", for_a_person(&fault.message)))
    }

    /// What stands behind a name at the top of what leads there.
    fn line_of(&self, name: &str) -> String {
        let line = self.there.text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
        line.unwrap_or_default().to_owned()
    }
}

/// An output in which each element without a value has another one: that of the bits 0 has that of the number 1.
fn otherwise(output: &Output, said: &Said) -> Output {
    let mut output = output.clone();
    let Some(tensor) = said.descriptor.tensor(&output.name) else { return output };
    let width = tensor.data_type.bytes();
    let one = element::from_integer(1, tensor.data_type).to_le_bytes();
    for (element, open) in output.bytes.chunks_exact_mut(width).zip(&output.open) {
        if open.is_some() {
            element.copy_from_slice(&one[..width]);
        }
    }
    output
}

/// Elements as those of another type; nothing where one has no equal there. What has no value stays that.
fn converted(output: &Output, from: DataType, to: DataType) -> Option<Vec<u8>> {
    if from == to {
        return Some(output.bytes.clone());
    }
    let mut bytes = Vec::with_capacity(output.bytes.len() / from.bytes() * to.bytes());
    for (at, element) in output.bytes.chunks_exact(from.bytes()).enumerate() {
        if output.open_at(at).is_some() {
            bytes.extend(std::iter::repeat_n(0, to.bytes()));
            continue;
        }
        let number = i64::try_from(element::integer(element, from)?).ok()?;
        let bits = element::from_integer(number, to).to_le_bytes();
        if element::integer(&bits[..to.bytes()], to) != Some(number.into()) {
            return None;
        }
        bytes.extend_from_slice(&bits[..to.bytes()]);
    }
    Some(bytes)
}
