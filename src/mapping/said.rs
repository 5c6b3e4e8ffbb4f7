//! A descriptor with data, said otherwise, and its outputs back.

use opcert_backend::{
    AttributeValue, Constant, DataType, Descriptor, NamedAttribute, NamedTensor, Role, TensorDescriptor,
};

use super::{Mapping, Type, WHEN, of_attribute, of_input, of_output, of_sizes};
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
                return Err(Unsaid::Impossible(format!(
                    "`{name}` would be {data_type}, which is no data type of {family}"
                )));
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
        // What is open there is nothing that the way back could look at.
        if found.iter().any(|output| output.open.contains(&Some(Open::Unspecified))) {
            let open = self.outputs.iter().filter(|(_, of)| of.is_none()).filter_map(|(name, _)| {
                let tensor = descriptor.tensor(name)?;
                let count = usize::try_from(tensor.element_count()?).ok()?;
                let (bytes, open) = (vec![0; count * tensor.data_type.bytes()], vec![Some(Open::Unspecified); count]);
                Some(Output { name: of_output(name), bytes, open, decided: vec![0; count] })
            });
            return Ok(open.collect());
        }
        let wanted = descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
        let wanted = wanted.map(|entry| NamedTensor { name: of_output(&entry.name), ..entry.clone() });
        let given = said.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output).cloned();
        let tensors = given.map(|entry| NamedTensor { role: Role::Input, ..entry }).chain(wanted).collect();
        let asked_of = Descriptor { tensors, constants: Vec::new(), ..descriptor.clone() };
        let inputs: Vec<(&str, &[u8])> = found.iter().map(|each| (each.name.as_str(), each.bytes.as_slice())).collect();
        let made = self.back.evaluate(&asked_of, &inputs).map_err(|fault| fault.to_string())?;
        Ok(made.outputs)
    }

    fn impossible(&self, fault: &Fault) -> Unsaid {
        let line = self.there.text.lines().nth((fault.position.line as usize).saturating_sub(1)).unwrap_or_default();
        let line = line.trim().trim_start_matches("return ");
        // By the name that it has for a person.
        let message = fault.message.replace(&format!("`{}", of_input("")), "`");
        Unsaid::Impossible(format!("{message} in `{line}`"))
    }

    /// What stands behind a name at the top of what leads there.
    fn line_of(&self, name: &str) -> String {
        let line = self.there.text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
        line.unwrap_or_default().to_owned()
    }
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
