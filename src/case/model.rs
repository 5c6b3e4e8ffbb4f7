//! Cases as everything after the loader sees them: typed, resolved, not yet checked against their specification.

use std::path::PathBuf;
use std::sync::Arc;

use opcert_backend::{
    AttributeValue, Constant, DataType, Descriptor, NamedAttribute, NamedTensor, Role, TensorDescriptor,
};

use super::data::Data;
use super::elements::Elements;
use crate::spec::{Level, Operator};

/// One descriptor with its data and what is expected of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// `<family>/<operator>/<file>/<name>`.
    pub id: String,
    /// The last part of the id.
    pub name: String,
    /// The file that holds it.
    pub file: Arc<PathBuf>,
    /// The operator.
    pub operator: Arc<Operator>,
    /// What the case is about.
    pub title: Option<String>,
    /// Document and section.
    pub source: Option<(String, String)>,
    /// The level that the file gives.
    pub level: Option<Level>,
    /// The first and last level that the file gives for a refusal.
    pub refused_at: Option<(Level, Level)>,
    /// Full ids of the requirements that are put to the test.
    pub covers: Vec<String>,
    /// The tensors, in the specification's order.
    pub tensors: Vec<CaseTensor>,
    /// The attributes, in the specification's order.
    pub attributes: Vec<NamedAttribute>,
    /// What is expected.
    pub expectation: Expectation,
    /// Full ids of the requirements whose invariants are judged in an observed case.
    pub invariants: Vec<String>,
    /// Whether the case runs only when asked for.
    pub large: bool,
    /// The name of the valid case that this one differs from.
    pub twin: Option<String>,
}

/// A tensor of a case.
#[derive(Clone, Debug)]
pub struct CaseTensor {
    /// Its name in the specification.
    pub name: String,
    /// Read or written.
    pub role: Role,
    /// Whether its value is part of the descriptor.
    pub constant: bool,
    /// Shape, type and layout, as the file gives them.
    pub descriptor: TensorDescriptor,
    /// The elements, or a formula for them. Inputs only.
    pub data: Option<Data>,
}

/// What a case expects.
#[derive(Clone, Debug)]
pub enum Expectation {
    /// These outputs, in the specification's order.
    Values(Vec<(String, ExpectedTensor)>),
    /// That the descriptor compiles.
    Accepts,
    /// That the descriptor is refused for just these requirements (full ids, sorted).
    Refuses(Vec<String>),
    /// Nothing: the answer is recorded.
    Observe,
}

/// What an output is expected to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedTensor {
    /// These elements.
    Elements(Elements),
    /// A digest of the elements.
    Digest(Digest),
}

/// A digest that stands for the elements of a large output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// The BLAKE3 digest of the defined elements, packed, little-endian, in logical order; 64 digits.
    pub blake3: String,
    /// How many elements are defined, from the first one on; all of them when not said.
    pub defined: Option<usize>,
}

impl Digest {
    /// The digest of elements of which a first part is defined; `None` where others are defined as well.
    #[must_use]
    pub fn of(elements: &Elements, data_type: DataType) -> Option<Self> {
        let defined = elements.undefined.iter().position(|&undefined| undefined);
        let prefix = defined.map_or(elements.bytes.len(), |defined| defined * data_type.bytes());
        let whole = defined.is_none_or(|defined| elements.undefined[defined..].iter().all(|&undefined| undefined));
        let blake3 = blake3::hash(&elements.bytes[..prefix]).to_hex().to_string();
        whole.then_some(Self { blake3, defined })
    }

    /// Whether it is that of the elements at the beginning of `bytes`.
    #[must_use]
    pub fn fits(&self, bytes: &[u8], data_type: DataType) -> bool {
        let prefix = self.defined.map_or(bytes.len(), |defined| defined.saturating_mul(data_type.bytes()));
        bytes.get(..prefix).is_some_and(|bytes| *blake3::hash(bytes).to_hex() == *self.blake3)
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "blake3 {}", self.blake3)?;
        self.defined.map_or(Ok(()), |defined| write!(formatter, " of the first {defined} elements"))
    }
}

impl Case {
    /// The descriptor for a level.
    #[must_use]
    pub fn descriptor(&self, level: Level) -> Descriptor {
        let tensors = self.tensors.iter();
        Descriptor {
            operator: self.operator.id.clone(),
            level: self.operator.family.level_name(level).to_owned(),
            tensors: tensors
                .clone()
                .map(|tensor| NamedTensor {
                    name: tensor.name.clone(),
                    role: tensor.role,
                    tensor: tensor.descriptor.clone(),
                })
                .collect(),
            attributes: self.attributes.clone(),
            constants: tensors
                .filter(|tensor| tensor.constant)
                .filter_map(|tensor| {
                    let single = tensor.descriptor.element_count() == Some(1);
                    let bytes = tensor.data.as_ref().filter(|_| single)?.elements().into_owned();
                    Some(Constant { name: tensor.name.clone(), bytes })
                })
                .collect(),
        }
    }

    /// The tensor of this name.
    #[must_use]
    pub fn tensor(&self, name: &str) -> Option<&CaseTensor> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }

    /// Gives an attribute of the operator a value, whether it was there or not.
    pub(crate) fn set_attribute(&mut self, name: &str, value: AttributeValue) {
        let place = |name: &str| self.operator.attributes.iter().position(|attribute| attribute.name == name);
        let (at, attributes) = (place(name), &self.attributes);
        let before = attributes.iter().take_while(|each| place(&each.name) < at).count();
        match self.attributes.get_mut(before).filter(|each| each.name == name) {
            Some(attribute) => attribute.value = value,
            None => self.attributes.insert(before, NamedAttribute { name: name.to_owned(), value }),
        }
    }

    /// The attribute of this name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| &attribute.value)
    }
}
