//! A descriptor with data, said otherwise, and its outputs back.

use opcert_backend::{
    AttributeValue, Constant, DataType, Descriptor, NamedAttribute, NamedTensor, Role, TensorDescriptor,
};

use super::{MappedTensor, Mapping, Type, WHEN, for_a_person, of_attribute, of_input, of_output, of_sizes, of_type};
use crate::definition::{Fault, Open, Output};
use crate::element;
use crate::render;
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
        let described = self.described(descriptor, inputs, level)?;
        let inputs = self.elements(descriptor, inputs, &described, |_| true)?;
        Ok(Said { descriptor: described, inputs })
    }

    /// The descriptor of that.
    fn described(&self, descriptor: &Descriptor, inputs: &[(&str, &[u8])], level: Level) -> Result<Descriptor, Unsaid> {
        let tensors = self.tensors.iter().map(|tensor| self.tensor(tensor, descriptor, inputs));
        self.described_with(descriptor, inputs, level, tensors.collect::<Result<_, Unsaid>>()?)
    }

    /// The descriptor alone, of which nothing may follow from data. Sizes of outputs that do are those of tensors with a single
    /// zero.
    ///
    /// # Errors
    ///
    /// As for [`Mapping::said`], and where anything else follows from data.
    pub fn planned(&self, descriptor: &Descriptor, level: Level) -> Result<Descriptor, Unsaid> {
        let mut single = descriptor.clone();
        single.tensors.iter_mut().for_each(|entry| entry.tensor.sizes.fill(1));
        let zeros = single.tensors.iter().map(|entry| (entry.name.as_str(), &[0; 8][..entry.tensor.data_type.bytes()]));
        let zeros: Vec<(&str, &[u8])> = zeros.collect();
        let constants = descriptor.constants.iter().map(|constant| (constant.name.as_str(), constant.bytes.as_slice()));
        let constants: Vec<(&str, &[u8])> = constants.collect();
        let follows = |tensor: &MappedTensor| self.to.tensor(&tensor.name).is_some_and(|each| each.sizes.is_some());
        let tensors = self.tensors.iter().map(|tensor| match follows(tensor) {
            true => self.tensor(tensor, &single, &zeros),
            false => self.tensor(tensor, descriptor, &constants),
        });
        self.described_with(descriptor, &constants, level, tensors.collect::<Result<_, Unsaid>>()?)
    }

    fn described_with(
        &self,
        descriptor: &Descriptor,
        inputs: &[(&str, &[u8])],
        level: Level,
        tensors: Vec<NamedTensor>,
    ) -> Result<Descriptor, Unsaid> {
        if self.has_condition && self.asked(descriptor, inputs, WHEN)? != AttributeValue::Boolean(true) {
            return Err(Unsaid::Condition { condition: self.line_of(WHEN) });
        }
        let attributes = self.attributes(descriptor, inputs)?;
        let (operator, level) = (self.to.id.clone(), self.to.family.level_name(level).to_owned());
        let described = Descriptor { operator, level, tensors, attributes, constants: Vec::new() };
        let is_constant = |name: &str| self.to.tensor(name).is_some_and(|tensor| tensor.constant);
        let constants = self.elements(descriptor, inputs, &described, is_constant)?;
        let constants = constants.into_iter().map(|(name, bytes)| Constant { name, bytes }).collect();
        Ok(Descriptor { constants, ..described })
    }

    fn asked(&self, descriptor: &Descriptor, inputs: &[(&str, &[u8])], name: &str) -> Result<AttributeValue, Unsaid> {
        self.there.value(descriptor, inputs, name).map_err(|fault| self.impossible(&fault))
    }

    fn attributes(&self, descriptor: &Descriptor, inputs: &[(&str, &[u8])]) -> Result<Vec<NamedAttribute>, Unsaid> {
        let mut attributes: Vec<NamedAttribute> = Vec::with_capacity(self.to.attributes.len());
        for attribute in self.to.attributes.iter().filter(|each| self.attributes.contains(&each.name)) {
            let value = self.asked(descriptor, inputs, &of_attribute(&attribute.name))?;
            if !attribute.values.allow(&value) {
                let value = render::attribute_value(&value);
                let message = format!("`{}` would be {value}, expected {}", attribute.name, attribute.values);
                return Err(Unsaid::Impossible(message));
            }
            // What is the default is left out: at a level that does not have the attribute yet, it may be nothing else.
            if attribute.default.as_ref() != Some(&value) {
                attributes.push(NamedAttribute { name: attribute.name.clone(), value });
            }
        }
        self.add_lengths(&mut attributes);
        Ok(attributes)
    }

    /// A tensor's type and sizes.
    fn tensor(
        &self,
        tensor: &MappedTensor,
        descriptor: &Descriptor,
        inputs: &[(&str, &[u8])],
    ) -> Result<NamedTensor, Unsaid> {
        let name = tensor.name.clone();
        let role = self.to.tensor(&name).map_or(Role::Input, |each| each.role);
        let sizes = match self.asked(descriptor, inputs, &of_sizes(&name))? {
            AttributeValue::Integers(sizes) => sizes.into_iter().map(u64::try_from).collect::<Result<Vec<_>, _>>(),
            other => {
                let other = render::attribute_value(&other);
                return Err(Unsaid::Impossible(format!("the sizes of `{name}` would be {other}")));
            }
        };
        let sizes = sizes.map_err(|_| Unsaid::Impossible(format!("a size of `{name}` would be negative")))?;
        let data_type = match tensor.data_type {
            Type::Always(data_type) => data_type,
            Type::Same => {
                let of = self.of(tensor, descriptor);
                of.ok_or_else(|| Unsaid::Impossible(format!("`{name}` has no type: what it is of is left out")))?
            }
            Type::Follows => {
                let value = self.asked(descriptor, inputs, &of_type(&name))?;
                let spelled = match &value {
                    AttributeValue::Enumerator(spelling) => self.to.family.data_type(spelling),
                    _ => None,
                };
                let shown = || render::attribute_value(&value);
                spelled.ok_or_else(|| Unsaid::Impossible(format!("the type of `{name}` would be {}", shown())))?
            }
        };
        if !self.to.family.types.iter().any(|(_, each)| *each == data_type) {
            let (family, spelling) = (&self.to.family.title, self.from.family.spelling(data_type));
            return Err(Unsaid::Impossible(format!("`{name}` would be {spelling}, which {family} does not have")));
        }
        Ok(NamedTensor { name, role, tensor: TensorDescriptor::packed(data_type, sizes) })
    }

    /// The type of the tensor of `from` that one is of.
    fn of(&self, tensor: &MappedTensor, descriptor: &Descriptor) -> Option<DataType> {
        descriptor.tensor(tensor.of.as_ref()?).map(|each| each.data_type)
    }

    /// The elements of the inputs that are picked, in the order of the specification.
    fn elements(
        &self,
        descriptor: &Descriptor,
        inputs: &[(&str, &[u8])],
        described: &Descriptor,
        picks: impl Fn(&str) -> bool,
    ) -> Result<Vec<(String, Vec<u8>)>, Unsaid> {
        // The inputs under the names that they have in the mapping, behind what is known.
        let mut asked_of = descriptor.clone();
        let (mut elements, mut floats) = (Vec::new(), Vec::new());
        for tensor in self.tensors.iter().filter(|tensor| picks(&tensor.name)) {
            let Some(entry) = described.tensors.iter().find(|entry| entry.name == tensor.name) else { continue };
            if entry.role == Role::Output {
                continue;
            }
            let (name, data_type) = (&tensor.name, entry.tensor.data_type);
            let of = self.of(tensor, descriptor);
            let given = inputs.iter().find(|(given, _)| tensor.of.as_deref() == Some(given));
            if let Some((_, bytes)) = given.filter(|_| tensor.is_copy && of == Some(data_type)) {
                elements.push((name.clone(), bytes.to_vec()));
                continue;
            }
            // No definition makes floats of integers. What is of another type is worked out as integers, and is the floats that
            // equal them.
            let mut made = entry.tensor.clone();
            if data_type.is_float() && of != Some(data_type) {
                made.data_type = DataType::I64;
                floats.push((name.clone(), data_type));
            }
            asked_of.tensors.push(NamedTensor { name: of_input(name), role: Role::Output, tensor: made });
        }
        let found = self.there.evaluate(&asked_of, inputs).map_err(|fault| self.impossible(&fault))?;
        for output in found.outputs {
            let name = output.name.strip_prefix(&of_input("")).unwrap_or(&output.name).to_owned();
            if output.open.iter().any(Option::is_some) {
                return Err(Unsaid::Impossible(format!("nothing says what `{name}` holds")));
            }
            let float = floats.iter().find(|(each, _)| *each == name).map(|(_, data_type)| *data_type);
            let bytes = match float {
                None => output.bytes,
                Some(float) => converted(&output, DataType::I64, float).ok_or_else(|| {
                    let spelling = self.to.family.spelling(float);
                    Unsaid::Impossible(format!("an element of `{name}` is no {spelling}"))
                })?,
            };
            elements.push((name, bytes));
        }
        elements.sort_by_key(|(name, _)| self.to.tensors.iter().position(|each| each.name == *name));
        Ok(elements)
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
            self.back
                .evaluate(&asked_of, &inputs)
                .map(|made| made.outputs)
                .map_err(|fault| for_a_person(&fault.message))
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
        let inner = [WHEN, &of_attribute(""), &of_sizes(""), &of_type("")];
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

/// Integers as elements of another type; nothing where one has no equal there. What has no value stays that.
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
        if element::truncated(&bits[..to.bytes()], to) != Some(number.into()) {
            return None;
        }
        bytes.extend_from_slice(&bits[..to.bytes()]);
    }
    Some(bytes)
}
