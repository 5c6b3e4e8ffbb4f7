//! What is measured, as data: from a workload to its tensors, at any size and of any data type.

use std::sync::Arc;

use opcert_backend::foreign::printable_line;
use opcert_backend::{DataType, Descriptor, Role, TensorDescriptor};

use super::format::{Number, RandomEntry, RandomKind, SizeEntry};
use super::lengths::lengths;
use super::values::Fill;
use crate::case::{Case, Value, described};
use crate::diagnostic::Problem;
use crate::spec::Operator;
use crate::yaml::{Content, Draft, Entries, FromNode, Node, Problems};

/// What stands for the data type that is measured.
pub(super) const TYPE: &str = "type";
/// What stands for the product of all sizes.
pub(super) const ELEMENTS: &str = "elements";

/// An operator on tensors of one form.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The operator.
    pub operator: Arc<Operator>,
    /// The name, unique within the operator.
    pub name: String,
    /// How large it is.
    pub scale: Scale,
    /// The data types that are measured when nothing is said; of a small one, whose type makes no difference, one.
    pub types: Vec<DataType>,
    /// Whether it is the one of its operator that is measured when a range of sizes is asked for.
    pub grows: bool,
    pub(super) title: Option<String>,
    pub(super) sizes: Vec<(String, SizeEntry)>,
    pub(super) tensors: Entries<Node>,
    pub(super) attributes: Entries<Value>,
    pub(super) found_rows: Option<String>,
}

/// How large a workload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// As large as one likes; so many elements when nothing is said.
    Elements(u64),
    /// Always the same, and small.
    Small,
}

/// A workload of one data type and size.
#[derive(Clone, Debug)]
pub struct Work {
    /// The descriptor, packed, at the highest level.
    pub descriptor: Descriptor,
    /// What is in each input, in the descriptor's order.
    pub inputs: Vec<Fill>,
    /// The sizes and what else tells it from others, for people.
    pub caption: String,
    /// The output of which only a row is written for each element that is found.
    pub found_rows: Option<String>,
}

impl Workload {
    /// The elements of the tensor that is measured: about so many as are asked for, as the form takes, and exactly as many
    /// where that is a power of two. A small workload is always the same.
    #[must_use]
    pub fn elements(&self, asked: u64) -> u64 {
        self.lengths(asked).iter().product()
    }

    /// That tensor's sizes and what else tells the workload from others, for people.
    #[must_use]
    pub fn caption(&self, asked: u64) -> String {
        let title = self.title.as_ref().map(|title| format!(" {}", printable_line(title))).unwrap_or_default();
        format!("{:?}{title}", self.lengths(asked))
    }

    /// The workload for a data type and about so many elements.
    ///
    /// # Errors
    ///
    /// Where the operator's family does not have the data type, or the data cannot be of it.
    pub fn work(&self, data_type: DataType, asked: u64) -> Result<Work, String> {
        let mut problems = Problems::default();
        self.decode(data_type, asked, &mut problems).ok_or_else(|| {
            let first = problems.into_inner().into_iter().next();
            first.map_or_else(|| "it cannot be described".to_owned(), |problem| problem.message)
        })
    }

    /// The same with all that is wrong; `None` after at least one problem was reported.
    pub(super) fn decode(&self, data_type: DataType, asked: u64, problems: &mut Problems) -> Option<Work> {
        let family = &self.operator.family;
        let Some((spelling, _)) = family.types.iter().find(|(_, each)| *each == data_type) else {
            problems.push(self.problem(&[], format!("`{}` has no data type `{data_type}`", family.name)));
            return None;
        };
        let elements = (ELEMENTS, self.elements(asked).to_string());
        let sizes = self.sizes.iter().zip(self.lengths(asked));
        let sizes = sizes.map(|((name, _), length)| (name.as_str(), length.to_string()));
        let meanings: Vec<(&str, String)> = sizes.chain([elements, (TYPE, spelling.clone())]).collect();
        let (mut tensors, mut random) = (Entries::default(), Entries::default());
        for (name, node) in &self.tensors.0 {
            let mut tensor = with_meanings(node, &meanings);
            for (name, tensor) in each_of_list(name, &mut tensor) {
                if let Some(data) = take_random(tensor) {
                    random.0.push((name, fill(&data, problems)?));
                }
            }
            tensors.0.push((name.clone(), tensor.node()));
        }
        let attributes = self.attributes.0.iter();
        let attributes =
            attributes.map(|(name, Value(node))| (name.clone(), Value(with_meanings(node, &meanings).node())));
        let case = described(&self.name, &self.operator, tensors, &Entries(attributes.collect()), problems)?;
        let inputs = self.inputs(&case, &random, problems)?;
        Some(Work {
            descriptor: case.descriptor(family.highest()),
            inputs,
            caption: self.caption(asked),
            found_rows: self.found_rows.clone(),
        })
    }

    /// What is in each input.
    fn inputs(&self, case: &Case, random: &Entries<Fill>, problems: &mut Problems) -> Option<Vec<Fill>> {
        let before = problems.count();
        let mut inputs = Vec::new();
        for tensor in &case.tensors {
            let name = tensor.name.as_str();
            let message = match (tensor.role, random.get(name), &tensor.data) {
                _ if !tensor.descriptor.is_packed() => format!("`{name}` has strides; what is measured is packed"),
                (Role::Output, Some(_), _) => format!("`{name}` is an output and has no data"),
                (Role::Output, None, _) => continue,
                (Role::Input, Some(_), _) if tensor.constant => {
                    format!("the value of `{name}` is part of the descriptor, and cannot be random")
                }
                (Role::Input, Some(fill), _) => {
                    inputs.push(fill.clone());
                    continue;
                }
                (Role::Input, None, Some(data)) => {
                    inputs.push(Fill::Given(data.clone()));
                    continue;
                }
                (Role::Input, None, None) => format!("`{name}` has no data"),
            };
            problems.push(self.problem(&["tensors", name], message));
        }
        (problems.count() == before).then_some(inputs)
    }

    fn lengths(&self, asked: u64) -> Vec<u64> {
        lengths(&self.sizes.iter().map(|(_, size)| *size).collect::<Vec<_>>(), asked)
    }

    pub(super) fn problem(&self, path: &[&str], message: impl Into<String>) -> Problem {
        Problem::of_part(&self.name, path, message)
    }
}

/// The same with what names stand for in their place.
fn with_meanings(node: &Node, meanings: &[(&str, String)]) -> Draft {
    let position = node.position();
    match node.content() {
        Content::Scalar { text, quoted } => match meanings.iter().find(|(name, _)| *name == text) {
            Some((_, meaning)) if !quoted => Draft::Plain(position, meaning.clone()),
            _ => Draft::Kept(node.clone()),
        },
        Content::Sequence(items) => {
            Draft::Sequence(position, items.map(|item| with_meanings(&item, meanings)).collect())
        }
        Content::Mapping(pairs) => {
            let each = pairs.map(|(key, value)| (key.name.to_owned(), key.position, with_meanings(&value, meanings)));
            Draft::Mapping(position, each.collect())
        }
    }
}

/// The tensor of an entry, or those of a list, by their names.
fn each_of_list<'d>(name: &str, tensor: &'d mut Draft) -> Vec<(String, &'d mut Draft)> {
    match tensor {
        Draft::Sequence(_, items) => {
            items.iter_mut().enumerate().map(|(at, item)| (format!("{name}[{at}]"), item)).collect()
        }
        one => vec![(name.to_owned(), one)],
    }
}

/// Takes the data out of a tensor where they are random, which no case has.
fn take_random(tensor: &mut Draft) -> Option<Node> {
    let Draft::Mapping(_, entries) = tensor else { return None };
    let data = entries.iter().position(|(name, ..)| name == "data")?;
    let node = entries[data].2.node();
    node.get("random")?;
    entries.remove(data);
    Some(node)
}

fn fill(node: &Node, problems: &mut Problems) -> Option<Fill> {
    let before = problems.count();
    let entry = RandomEntry::from_node(node.clone(), problems)?;
    for (given, name, kind) in
        [(entry.bound, "bound", RandomKind::Below), (entry.percent, "percent", RandomKind::Sparse)]
    {
        match given {
            None if entry.random == kind => problems.add(node.position(), format!("`{name}` is missing")),
            Some(_) if entry.random != kind => {
                problems.add(node.locate(&[name]), format!("`{name}` does not belong to `{}`", entry.random.key()));
            }
            _ => {}
        }
    }
    if entry.bound == Some(Number(0)) {
        problems.add(node.locate(&["bound"]), "a `bound` is at least 1");
    }
    if entry.percent > Some(Number(100)) {
        problems.add(node.locate(&["percent"]), "`percent` is 100 at most");
    }
    let fill = match entry.random {
        RandomKind::Numbers => Fill::Numbers,
        RandomKind::Below => Fill::Below(entry.bound?.0),
        RandomKind::Sparse => Fill::Sparse { percent: entry.percent?.0 },
    };
    (problems.count() == before).then_some(fill)
}

impl Work {
    /// The bytes of all inputs: each of them has to be read once.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.bytes(Role::Input, bytes_of)
    }

    /// The bytes that have to be written where so many elements are found.
    #[must_use]
    pub fn bytes_written(&self, found: u64) -> u64 {
        let rows = self.found_rows.as_ref().and_then(|name| self.descriptor.tensor(name));
        let row = rows.and_then(|rows| Some(rows.sizes.last()? * rows.data_type.bytes() as u64)).unwrap_or(0);
        self.bytes(Role::Output, |tensor| if rows == Some(tensor) { found * row } else { bytes_of(tensor) })
    }

    /// The bytes of memory for all tensors.
    #[must_use]
    pub fn bytes_in_memory(&self) -> u64 {
        self.bytes(Role::Input, bytes_of) + self.bytes(Role::Output, bytes_of)
    }

    fn bytes(&self, role: Role, of: impl Fn(&TensorDescriptor) -> u64) -> u64 {
        let tensors = self.descriptor.tensors.iter().filter(|entry| entry.role == role);
        tensors.map(|entry| of(&entry.tensor)).sum()
    }
}

fn bytes_of(tensor: &TensorDescriptor) -> u64 {
    tensor.span_bytes().unwrap_or(0)
}
