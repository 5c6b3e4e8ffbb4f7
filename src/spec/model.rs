//! Specifications as everything after the loader sees them: names resolved, references checked.

use std::sync::Arc;

use opcert_backend::{AttributeValue, DataType, Descriptor, NamedAttribute, Role, Scalar};

use super::check::{Check, Invariant, Literal};
use super::format::{Authority, Kind, Scope};
use super::range::DimensionRange;
use super::tested::Tested;
use crate::definition::Definition;
use crate::element;
use crate::render;

/// A feature level: its place in the family's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(pub usize);

/// What all operators of a family share.
#[derive(Debug)]
pub struct Family {
    /// The first part of every id.
    pub name: String,
    /// The name as people write it.
    pub title: String,
    /// The feature levels, lowest first.
    pub levels: Vec<String>,
    /// The family's spelling of each data type.
    pub types: Vec<(String, DataType)>,
    /// Whether a tensor may have strides, flags, an alignment and a stated size in bytes.
    pub layouts: bool,
    /// The flags that a tensor may have.
    pub flags: Vec<String>,
    /// The memory of a tensor is a multiple of this many bytes.
    pub granularity: u64,
    /// The documents behind the shared requirements.
    pub documents: Vec<Document>,
    /// Requirements on every tensor, then on every operator.
    pub requirements: Vec<Requirement>,
}

impl Family {
    /// The documents that one of the shared requirements cites, each with the section.
    pub fn sources<'a>(&'a self, requirement: &'a Requirement) -> impl Iterator<Item = (&'a Document, &'a str)> {
        sources(&self.documents, requirement)
    }

    /// The level of this name.
    #[must_use]
    pub fn level(&self, name: &str) -> Option<Level> {
        self.levels.iter().position(|level| level == name).map(Level)
    }

    /// The name of a level.
    #[must_use]
    pub fn level_name(&self, level: Level) -> &str {
        self.levels.get(level.0).map_or("?", String::as_str)
    }

    /// The highest level.
    #[must_use]
    pub fn highest(&self) -> Level {
        Level(self.levels.len().saturating_sub(1))
    }

    /// All levels from one to another.
    pub fn levels_between(&self, first: Level, last: Level) -> impl Iterator<Item = Level> + use<> {
        (first.0..=last.0).map(Level)
    }

    /// The data type behind a spelling.
    #[must_use]
    pub fn data_type(&self, spelling: &str) -> Option<DataType> {
        self.types.iter().find(|(name, _)| name == spelling).map(|(_, data_type)| *data_type)
    }

    /// The family's spelling of a data type.
    #[must_use]
    pub fn spelling(&self, data_type: DataType) -> &str {
        self.types.iter().find(|(_, each)| *each == data_type).map_or(data_type.name(), |(name, _)| name)
    }
}

/// A document that requirements are taken from.
#[derive(Clone, Debug)]
pub struct Document {
    /// The short name in the specification.
    pub name: String,
    /// The file's name, where it is a file.
    pub file: Option<String>,
    /// Which revision it is.
    pub revision: String,
    /// The BLAKE3 digest of the file.
    pub digest: Option<String>,
    /// The address of the public page.
    pub url: Option<String>,
    /// The document that gives way to this one where they differ, and why.
    pub supersedes: Option<(String, String)>,
}

/// An operator.
#[derive(Debug)]
pub struct Operator {
    /// `family/operator`.
    pub id: String,
    /// Its family.
    pub family: Arc<Family>,
    /// The name in the documents.
    pub title: String,
    /// What it computes.
    pub summary: String,
    /// The documents.
    pub documents: Vec<Document>,
    /// The first level that has it.
    pub introduced: Level,
    /// The tensor whose data type and dimension count index the second table of a report.
    pub subject: String,
    /// The tensors, in the order in which backends get them.
    pub tensors: Vec<Tensor>,
    /// The attributes.
    pub attributes: Vec<Attribute>,
    /// The support table, oldest row first.
    pub support: Vec<SupportRow>,
    /// The operator's own requirements.
    pub requirements: Vec<Requirement>,
    /// The operators that it comes to the same as.
    pub equals: Vec<Equal>,
    /// What it means.
    pub definition: Definition,
}

impl Operator {
    /// The values of an attribute where it is one of some: by its type, or by a check at a level.
    #[must_use]
    pub fn choices(&self, attribute: &Attribute, level: Level) -> Vec<AttributeValue> {
        let holding = self.requirements.iter().filter(|requirement| requirement.holds_at(level));
        let checks = holding.filter_map(|requirement| requirement.check.as_ref());
        let listed = checks.filter_map(|check| match check {
            Check::OneOf(one_of) if one_of.attribute == attribute.name => Some(&one_of.values),
            _ => None,
        });
        let mut choices = attribute.values.choices();
        for values in listed {
            if matches!(attribute.values, AttributeValues::Integer | AttributeValues::Floats) {
                choices.extend(values.iter().filter_map(|literal| attribute.values.value(literal).ok()));
            } else {
                choices.retain(|choice| values.iter().any(|value| value.is(choice)));
            }
        }
        choices
    }

    /// The names under which tensors stand in files: their own ones, and those of lists.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.tensors.iter().filter_map(Tensor::entry)
    }

    /// Those of inputs, or of outputs.
    pub fn entries_of(&self, role: Role) -> impl Iterator<Item = &str> {
        self.tensors.iter().filter(move |tensor| tensor.role == role).filter_map(Tensor::entry)
    }

    /// The names of the tensors that a name means: itself, or all of a list.
    #[must_use]
    pub fn meant_by(&self, name: &str) -> Vec<String> {
        let is_meant = |tensor: &&Tensor| tensor.name == name || tensor.list_name() == Some(name);
        self.tensors.iter().filter(is_meant).map(|tensor| tensor.name.clone()).collect()
    }

    /// The names of the tensors that are left out where one is: that one, and of a list those behind it.
    #[must_use]
    pub fn left_out_with(&self, name: &str) -> Vec<String> {
        let place = |tensor: &Tensor| tensor.list.as_ref().map(|place| (place.list.clone(), place.at));
        let of = self.tensor(name).and_then(place);
        let is_behind = |tensor: &&Tensor| match (&of, place(tensor)) {
            (Some((list, at)), Some((other, behind))) => *list == other && behind >= *at,
            _ => tensor.name == name,
        };
        self.tensors.iter().filter(is_behind).map(|tensor| tensor.name.clone()).collect()
    }

    /// The tensor of this name.
    #[must_use]
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }

    /// The names of all attributes, in the order of the file.
    pub fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().map(|attribute| attribute.name.as_str())
    }

    /// The attribute of this name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The value of an attribute in a descriptor: the given one, or its default.
    #[must_use]
    pub fn value_of<'a>(&'a self, descriptor: &'a Descriptor, name: &str) -> Option<&'a AttributeValue> {
        descriptor.attribute(name).or_else(|| self.attribute(name)?.default.as_ref())
    }

    /// The operators that come to the same for a descriptor at a level, each with the descriptor that it takes then: of the same
    /// tensors, and at the same level. Whether that is valid is for the validator to say.
    pub fn equals_of(&self, descriptor: &Descriptor, level: Level) -> impl Iterator<Item = (&Equal, Descriptor)> {
        let is_meant = move |equal: &&Equal| {
            let mut conditions = equal.when.iter();
            let holds = self.requirement(&equal.requirement).is_some_and(|each| each.holds_at(level));
            holds && conditions.all(|(name, value)| self.value_of(descriptor, name).is_some_and(|is| value.is(is)))
        };
        self.equals.iter().filter(is_meant).map(move |equal| {
            let is_of_both = |each: &&NamedAttribute| equal.operator.attribute(&each.name).is_some();
            let attributes = descriptor.attributes.iter().filter(is_of_both).chain(&equal.with).cloned().collect();
            let (operator, level) = (equal.operator.id.clone(), self.family.level_name(level).to_owned());
            (equal, Descriptor { operator, level, attributes, ..descriptor.clone() })
        })
    }

    /// Every requirement that holds for the operator: those on all tensors and operators of the family, then its own.
    pub fn all_requirements(&self) -> impl Iterator<Item = &Requirement> {
        self.family.requirements.iter().chain(&self.requirements)
    }

    /// The requirement of a full id.
    #[must_use]
    pub fn requirement(&self, id: &str) -> Option<&Requirement> {
        self.all_requirements().find(|requirement| requirement.id == id)
    }

    /// The requirement that a file means by a reference: the full id, or its last parts where that is unambiguous.
    /// The operator's own requirements come before the family's.
    #[must_use]
    pub fn resolve(&self, reference: &str) -> Option<&Requirement> {
        resolve(self.requirements.iter(), reference).or_else(|| resolve(self.family.requirements.iter(), reference))
    }

    /// The requirements that a line of the definition cites.
    pub fn cited(&self, line: usize) -> impl Iterator<Item = &Requirement> {
        let citations = self.definition.lines.get(line).map_or(&[][..], |line| &line.citations);
        citations.iter().filter_map(|citation| self.requirement(&citation.name))
    }

    /// The lines of the definition that cite a requirement, each with its number and its code.
    pub fn citing<'a>(&'a self, requirement: &'a Requirement) -> impl Iterator<Item = (u32, String)> + 'a {
        let cites = |line: &usize| self.cited(*line).any(|cited| cited.id == requirement.id);
        let lines = (0..self.definition.lines.len()).filter(cites);
        lines.filter_map(|line| Some((self.definition.lines.get(line)?.first, self.definition.text_of(line))))
    }

    /// The requirement itself, or the one that it restates.
    #[must_use]
    pub fn original<'a>(&'a self, requirement: &'a Requirement) -> &'a Requirement {
        requirement.restates.as_deref().and_then(|id| self.requirement(id)).unwrap_or(requirement)
    }

    /// The documents that a requirement cites, each with the section.
    pub fn sources<'a>(&'a self, requirement: &'a Requirement) -> impl Iterator<Item = (&'a Document, &'a str)> {
        let own = self.requirements.iter().any(|each| each.id == requirement.id);
        let documents = if own { &self.documents } else { &self.family.documents };
        sources(documents, requirement)
    }

    /// The documents that have a public page, by their names, each with its address.
    pub fn pages(&self) -> impl Iterator<Item = (&str, &str)> {
        self.documents.iter().filter_map(|document| Some((document.name.as_str(), document.url.as_deref()?)))
    }

    /// The newest row of the support table that is not above a level.
    #[must_use]
    pub fn support_at(&self, level: Level) -> Option<&SupportRow> {
        self.support.iter().rev().find(|row| row.from <= level)
    }
}

/// An operator of which a requirement says that it comes to the same as another one of its family.
#[derive(Clone, Debug)]
pub struct Equal {
    /// The full id of the requirement.
    pub requirement: String,
    /// The other operator.
    pub operator: Arc<Operator>,
    /// The values of attributes with which that is so; the other operator has none of these attributes.
    pub(super) when: Vec<(String, Literal)>,
    /// What the other operator is told beside the attributes that both have.
    pub(super) with: Vec<NamedAttribute>,
}

/// The places that a requirement cites among these documents.
fn sources<'a>(
    documents: &'a [Document],
    requirement: &'a Requirement,
) -> impl Iterator<Item = (&'a Document, &'a str)> {
    requirement.sources.iter().filter_map(|(name, section)| {
        let document = documents.iter().find(|document| document.name == *name)?;
        Some((document, section.as_str()))
    })
}

pub(super) fn resolve<'a>(
    requirements: impl Iterator<Item = &'a Requirement> + Clone,
    reference: &str,
) -> Option<&'a Requirement> {
    let mut fitting = requirements.filter(|requirement| {
        requirement.id == reference
            || requirement.id.strip_suffix(reference).is_some_and(|before| before.ends_with('/'))
    });
    fitting.next().filter(|_| fitting.next().is_none())
}

/// A tensor of an operator.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Read or written.
    pub role: Role,
    /// Whether its value is part of the descriptor.
    pub constant: bool,
    /// The name in the definition that gives its sizes, where these follow from values.
    pub sizes: Option<String>,
    /// Whether a valid descriptor may leave it out.
    pub optional: bool,
    /// Its place in a list, if it is of one. Of a list those that are there come first.
    pub list: Option<PlaceInList>,
    /// Whether it is optional or a requirement speaks of its absence, so that a case may leave it out.
    pub may_be_missing: bool,
}

/// Where a tensor stands in a list of tensors.
#[derive(Clone, Debug)]
pub struct PlaceInList {
    /// The list's name.
    pub list: String,
    /// Its number, from 0.
    pub at: usize,
    /// The member of the documents' structure that says how many the list has.
    pub count: Option<String>,
}

impl Tensor {
    /// The list that it is of, if any.
    #[must_use]
    pub fn list_name(&self) -> Option<&str> {
        self.list.as_ref().map(|place| place.list.as_str())
    }

    /// The name of the entry in files that begins with it: its own name, or the list's of the first of a list.
    fn entry(&self) -> Option<&str> {
        match &self.list {
            None => Some(&self.name),
            Some(PlaceInList { list, at: 0, .. }) => Some(list),
            Some(_) => None,
        }
    }
}

/// An attribute of an operator.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// What its values are.
    pub values: AttributeValues,
    /// Whether the documents give its numbers a sign. Whether one may be negative is for the checks to say.
    pub is_signed: bool,
    /// The list whose length this is.
    pub length_of: Option<String>,
    /// What the documents call the member that holds its data type, of a scalar.
    pub data_type: Option<String>,
    /// What it is where a descriptor leaves it out.
    pub default: Option<AttributeValue>,
    /// Whether it has a default or a requirement speaks of its absence, so that a case may leave it out.
    pub may_be_missing: bool,
}

/// What the values of an attribute are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeValues {
    /// Numbers. Whether they may be negative is for the checks to say.
    Integer,
    /// Lists of numbers.
    Integers,
    /// One of these names.
    Enumerators(Vec<String>),
    /// Truth values.
    Booleans,
    /// Texts, of which these mean something.
    Texts(Vec<String>),
    /// Numbers in floating point of 32 bits.
    Floats,
    /// Elements of any data type.
    Scalars,
}

/// In words, for messages.
impl std::fmt::Display for AttributeValues {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Integer => "a number",
            Self::Integers => "a list of numbers",
            Self::Enumerators(_) => "one of several names",
            Self::Booleans => "a truth value",
            Self::Texts(_) => "a text",
            Self::Floats => "a number in floating point",
            Self::Scalars => "an element of a data type",
        })
    }
}

impl AttributeValues {
    /// The value that a literal stands for, or what is expected instead.
    pub(crate) fn value(&self, literal: &Literal) -> Result<AttributeValue, String> {
        match (self, literal) {
            (Self::Integer, Literal::Integer(number)) => Ok(AttributeValue::Integer(*number)),
            (Self::Integer, _) => Err("a number".to_owned()),
            (Self::Integers, _) => Err("none: it is a list".to_owned()),
            (Self::Floats, _) => literal.float32().map(AttributeValue::Float32),
            (Self::Scalars, _) => Err("none: it comes with a data type".to_owned()),
            (Self::Enumerators(_) | Self::Booleans | Self::Texts(_), _) => {
                let choices = self.choices();
                let found = choices.iter().find(|value| literal.is(value)).cloned();
                let shown = || choices.iter().map(render::attribute_value).collect::<Vec<_>>().join(", ");
                found.ok_or_else(|| format!("one of {}", shown()))
            }
        }
    }

    /// Some values to try of a kind that has more than can be listed.
    pub(crate) fn examples(&self) -> Vec<AttributeValue> {
        let numbers = [0, 1, -1];
        match self {
            Self::Integer => numbers.map(AttributeValue::Integer).into(),
            Self::Integers => numbers.map(|number| AttributeValue::Integers(vec![number])).into(),
            Self::Floats => numbers.map(|number| AttributeValue::Float32((number as f32).into())).into(),
            Self::Scalars => {
                let scalar = |number| Scalar::new(DataType::F32, element::from_integer(number, DataType::F32));
                numbers.map(|number| AttributeValue::Scalar(scalar(number))).into()
            }
            Self::Enumerators(_) | Self::Booleans | Self::Texts(_) => self.choices(),
        }
    }

    /// Whether a value is of this kind, and a name one of those that are listed.
    #[must_use]
    pub fn allow(&self, value: &AttributeValue) -> bool {
        match (self, value) {
            (Self::Integer, AttributeValue::Integer(_))
            | (Self::Integers, AttributeValue::Integers(_))
            | (Self::Booleans, AttributeValue::Boolean(_))
            | (Self::Texts(_), AttributeValue::String(_))
            | (Self::Floats, AttributeValue::Float32(_))
            | (Self::Scalars, AttributeValue::Scalar(_)) => true,
            (Self::Enumerators(names), AttributeValue::Enumerator(name)) => names.contains(name),
            _ => false,
        }
    }

    /// The names or the texts that are listed for it.
    #[must_use]
    pub fn listed(&self) -> &[String] {
        match self {
            Self::Enumerators(names) => names,
            Self::Texts(texts) => texts,
            Self::Integer | Self::Integers | Self::Booleans | Self::Floats | Self::Scalars => &[],
        }
    }

    /// Those among which there is a choice, where they can be listed.
    #[must_use]
    pub fn choices(&self) -> Vec<AttributeValue> {
        match self {
            Self::Integer | Self::Integers | Self::Floats | Self::Scalars => Vec::new(),
            Self::Enumerators(names) => names.iter().cloned().map(AttributeValue::Enumerator).collect(),
            Self::Booleans => [false, true].map(AttributeValue::Boolean).into(),
            Self::Texts(texts) => texts.iter().cloned().map(AttributeValue::String).collect(),
        }
    }
}

/// What a level supports.
#[derive(Clone, Debug)]
pub struct SupportRow {
    /// The first level of the row.
    pub from: Level,
    /// Dimension counts and data types per tensor.
    pub tensors: Vec<(String, DimensionRange, Vec<DataType>)>,
}

/// A requirement.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// The full id: `directml/one_hot/axis-in-range`.
    pub id: String,
    /// What is required.
    pub text: String,
    /// How far the documents stand behind it.
    pub authority: Authority,
    /// Why it follows, or why it is open.
    pub reason: Option<String>,
    /// What else there is to know of its sources.
    pub note: Option<String>,
    /// How much is undefined.
    pub scope: Option<Scope>,
    /// What it is about.
    pub kind: Kind,
    /// Document and section.
    pub sources: Vec<(String, String)>,
    /// The first level at which it holds.
    pub since: Option<Level>,
    /// The last level at which it holds.
    pub until: Option<Level>,
    /// How a descriptor is checked.
    pub check: Option<Check>,
    /// What holds of the outputs whatever the answer.
    pub invariants: Vec<Invariant>,
    /// Full ids of what must hold before the check means anything.
    pub needs: Vec<String>,
    /// When a valid case puts it to the test, where neither a check nor a line of the definition says so.
    pub tested: Option<Tested>,
    /// Whether it follows from the examples alone that its sources name.
    pub by_example: bool,
    /// Only a notion that others use.
    pub definition: bool,
    /// The full id of what this is another wording of.
    pub restates: Option<String>,
    /// Why no case can show it.
    pub untestable: Option<String>,
}

impl Requirement {
    /// The last part of the id.
    #[must_use]
    pub fn name(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or(&self.id)
    }

    /// Whether a verdict depends on it.
    #[must_use]
    pub fn gates(&self) -> bool {
        matches!(self.authority, Authority::Stated | Authority::Derived)
    }

    /// Whether it leaves open what a backend does. That some values are undefined leaves nothing open: they are never
    /// looked at.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.gates() && self.scope != Some(Scope::Value)
    }

    /// Whether it holds at a level.
    #[must_use]
    pub fn holds_at(&self, level: Level) -> bool {
        self.since.is_none_or(|since| since <= level) && self.until.is_none_or(|until| level <= until)
    }
}

/// All specifications.
#[derive(Debug)]
pub struct Specs {
    /// The operators, in the order of their ids.
    pub operators: Vec<Arc<Operator>>,
    /// A digest over the texts of all files.
    pub digest: String,
}

impl Specs {
    /// The operator of this id.
    #[must_use]
    pub fn operator(&self, id: &str) -> Option<&Arc<Operator>> {
        self.operators.iter().find(|operator| operator.id == id)
    }

    /// The requirements of all operators. Those of a family come once for each of its operators.
    pub fn requirements(&self) -> impl Iterator<Item = &Requirement> {
        self.operators.iter().flat_map(|operator| operator.all_requirements())
    }

    /// A family that others have as well.
    #[must_use]
    pub fn common_family(&self, others: &Self) -> Option<&str> {
        self.families()
            .map(|family| family.name.as_str())
            .find(|name| others.families().any(|other| other.name == *name))
    }

    /// The families, each once.
    pub fn families(&self) -> impl Iterator<Item = &Arc<Family>> {
        let mut seen: Vec<&str> = Vec::new();
        self.operators.iter().map(|operator| &operator.family).filter(move |family| {
            let fresh = !seen.contains(&family.name.as_str());
            if fresh {
                seen.push(&family.name);
            }
            fresh
        })
    }
}
