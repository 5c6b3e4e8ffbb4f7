//! How the descriptors of one operator are said as those of another: which attributes and tensors come of it, and how the
//! outputs come back.
//!
//! A mapping is data, `mappings/<from>/<to>.yaml`, in the language of definitions. It knows no operator, and judges nothing: whether
//! both come to the same is for [`compare`](crate::compare) to find out. A backend may claim an operator by way of another one
//! ([`Through`]).

mod format;
mod load;
mod said;
mod through;

use std::sync::Arc;

use opcert_backend::DataType;

pub use format::MappingFile;
pub use said::{Said, Unsaid};
pub use through::{Through, ThroughError, Way};

use crate::definition::Definition;
use crate::spec::Operator;

/// All mappings of a source.
#[derive(Debug)]
pub struct Mappings {
    ways: Vec<Arc<Mapping>>,
    /// Each operator said as itself, at another level.
    same: Vec<Arc<Mapping>>,
}

impl Mappings {
    /// All that are in files, by `from` and `to`.
    pub fn all(&self) -> impl Iterator<Item = &Mapping> {
        self.ways.iter().map(AsRef::as_ref)
    }

    /// The one from an operator to another, or to itself at another level.
    #[must_use]
    pub fn between(&self, from: &str, to: &str) -> Option<&Arc<Mapping>> {
        self.ways.iter().chain(&self.same).find(|mapping| mapping.from.id == from && mapping.to.id == to)
    }

    /// The one from an operator into a family: to itself if it is of the family, or else, of several, to the last one, which is
    /// the newest where names have numbers.
    #[must_use]
    pub fn into_family(&self, from: &str, family: &str) -> Option<&Arc<Mapping>> {
        let leads = |mapping: &&Arc<Mapping>| mapping.from.id == from && mapping.to.family.name == family;
        self.same.iter().find(leads).or_else(|| self.ways.iter().rfind(leads))
    }
}

/// How the descriptors of one operator are said as those of another.
#[derive(Debug)]
pub struct Mapping {
    /// The operator whose descriptors are said otherwise.
    pub from: Arc<Operator>,
    /// The operator by which they are said.
    pub to: Arc<Operator>,
    /// The BLAKE3 digest of its file; nothing where it has none.
    pub digest: String,
    /// What a person has to know.
    pub note: Option<String>,
    /// By full ids of requirements what to do before, so that the answers are the same where they differ for them.
    pub fix: Vec<(String, String)>,
    /// Attributes, sizes and elements of `to`, in the names of `from`.
    there: Definition,
    /// The outputs of `from` that are more than an output of `to`, in the names of its outputs.
    back: Definition,
    /// Whether `there` has a condition.
    has_condition: bool,
    /// The attributes of `to` that are given.
    attributes: Vec<String>,
    tensors: Vec<MappedTensor>,
    /// For each output of `from` that of `to` whose elements it has, where that is all.
    outputs: Vec<(String, Option<String>)>,
}

impl Mapping {
    /// The output of `to` whose elements an output of `from` has one after the other, where that is all.
    #[must_use]
    pub fn output_of(&self, name: &str) -> Option<&str> {
        self.outputs.iter().find(|(output, _)| output == name)?.1.as_deref()
    }
}

/// A tensor of `to`.
#[derive(Debug)]
struct MappedTensor {
    name: String,
    /// The tensor of `from` that it is of.
    of: Option<String>,
    data_type: Type,
    /// Whether it has the elements of `of` in their order.
    is_copy: bool,
}

/// Where a tensor's type comes from.
#[derive(Debug)]
enum Type {
    /// The tensor of `from` that it is of has it.
    Same,
    Always(DataType),
    /// A name of the family of `to` that follows from the descriptor.
    Follows,
}

/// The condition.
const WHEN: &str = "to_when";

/// What an attribute of `to` is called among the names of `from`.
fn of_attribute(name: &str) -> String {
    format!("to_attribute_{name}")
}

/// What the sizes of a tensor of `to` are called there.
fn of_sizes(name: &str) -> String {
    format!("to_sizes_{name}")
}

/// What the type of a tensor of `to` is called there.
fn of_type(name: &str) -> String {
    format!("to_type_{name}")
}

/// What an input of `to` is called there.
fn of_input(name: &str) -> String {
    format!("to_tensor_{name}")
}

/// A message in which everything has the name that it has in the file.
fn for_a_person(message: &str) -> String {
    let named = ["to_tensor_", "to_attribute_", "to_sizes_", "to_type_", "from_tensor_"];
    let message = named.iter().fold(message.to_owned(), |message, inner| message.replace(&format!("`{inner}"), "`"));
    message.replace(&format!("`{WHEN}`"), "`when`")
}

/// What an output of `from` is called among the names of the outputs of `to`.
fn of_output(name: &str) -> String {
    format!("from_tensor_{name}")
}
