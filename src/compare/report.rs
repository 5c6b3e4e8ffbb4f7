//! What a comparison came to, as programs read it.

use opcert_backend::Descriptor;
use schemars::JsonSchema;
use serde::Serialize;

use super::class::{Class, Part};
use super::search::{Answered, Compared, Comparison, Counts, Found, Witness};
use crate::case::Data;
use crate::element;
use crate::mapping::Mapping;

/// What `opcert compare --format json` prints.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComparisonReport {
    /// The version of this shape.
    pub format: u32,
    /// Each way in which one of the two can be said as the other.
    pub comparisons: Vec<OneWay>,
}

/// Descriptors of one operator, said as those of the other.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OneWay {
    /// The operator whose descriptors were drawn.
    pub from: Side,
    /// The operator by which they were said.
    pub to: Side,
    /// How well the one stands for the other.
    pub fit: Fit,
    /// What a person has to know who goes from one to the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What all samples follow from.
    pub seed: u64,
    /// How many were drawn.
    pub samples: u64,
    /// So many of them come to the same.
    pub same: u64,
    /// Of so many both leave the same elements open, and answer the others alike.
    pub open: u64,
    /// So many have no answer by the definition of `from`.
    pub unanswered: u64,
    /// Everything that differs, by classes, other numbers first.
    pub differences: Vec<DifferenceReport>,
    /// So many more classes were seen.
    pub left_out: usize,
}

/// How well an operator is said by another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// Whatever the one answers the other does, as far as was searched.
    DropIn,
    /// So it is for what the other takes, and it does not take everything.
    Conditional,
    /// The answers differ, and the mapping says what helps.
    FixUp,
    /// The answers differ, or nothing says that they are the same.
    Differs,
    /// Nothing that was drawn can be said by the other.
    NoWay,
}

impl Fit {
    fn of(compared: &Compared, fix: &[(String, String)]) -> Self {
        let classes = || compared.classes.iter();
        // What is left open may be answered in any way.
        let parts = |class: &&Class| matches!(class, Class::Differs { .. } | Class::Open { part: Part::To, .. });
        let lacks =
            |class: &Class| matches!(class, Class::Refused { .. } | Class::Doubtful { .. } | Class::Unsaid { .. });
        let Counts { same, open, answered, .. } = compared.counts;
        if classes().any(|class| parts(&class)) {
            let is_helped = classes().filter(parts).all(|class| helps(class, fix).is_some());
            return if is_helped { Self::FixUp } else { Self::Differs };
        }
        match classes().any(lacks) {
            false => Self::DropIn,
            true if same + open + answered == 0 => Self::NoWay,
            true => Self::Conditional,
        }
    }

    /// What it means.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::DropIn => "whatever the one answers the other does; what the one leaves open the other may answer",
            Self::Conditional => "so it is for what the other accepts, and it does not accept everything",
            Self::FixUp => "the answers differ or are left open, and the page says what to do before",
            Self::Differs => "the answers differ, or the other one leaves open what this one answers",
            Self::NoWay => "the other accepts nothing of what was drawn",
        }
    }
}

impl std::fmt::Display for Fit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::DropIn => "drop-in",
            Self::Conditional => "drop-in under a condition",
            Self::FixUp => "needs a fix-up",
            Self::Differs => "differs",
            Self::NoWay => "no way",
        })
    }
}

/// An operator at a level.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Side {
    /// `family/operator`.
    pub operator: String,
    /// The level.
    pub level: String,
}

impl std::fmt::Display for Side {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}@{}", self.operator, self.level)
    }
}

/// A class of differences.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DifferenceReport {
    /// What differs.
    pub kind: DifferenceKind,
    /// What to do before, so that the answers are the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Full ids of the requirements of `from` behind it.
    pub from_requirements: Vec<String>,
    /// Full ids of the requirements of `to` behind it.
    pub to_requirements: Vec<String>,
    /// How many samples are in it.
    pub samples: u64,
    /// The smallest sample that was found.
    pub witness: WitnessReport,
}

impl DifferenceReport {
    /// The requirements behind it, of both sides.
    pub(super) fn requirements(&self) -> impl Iterator<Item = &String> {
        self.from_requirements.iter().chain(&self.to_requirements)
    }
}

/// In which way two specifications differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// Both answer, and not the same.
    Differs,
    /// `from` leaves open what `to` answers.
    FromOpen,
    /// `to` leaves open what `from` answers.
    ToOpen,
    /// `to` refuses what `from` accepts.
    Refused,
    /// `to` leaves open whether to accept what `from` accepts.
    Doubtful,
    /// `to` has no way to say it.
    Unsaid,
}

/// A sample by both.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WitnessReport {
    /// The descriptor of `from`.
    pub from: Shown,
    /// The same by `to`, if it can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Shown>,
    /// What `from` makes of it.
    pub from_answer: String,
    /// The line of its definition that decides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_line: Option<String>,
    /// What `to` makes of it.
    pub to_answer: String,
    /// The line of its definition that decides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_line: Option<String>,
    /// What backends make of it by `from`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from_ran: Vec<Answered>,
    /// What backends make of it by `to`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to_ran: Vec<Answered>,
}

/// A descriptor with its data.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Shown {
    /// The descriptor.
    pub descriptor: Descriptor,
    /// The elements of each input as text, in row-major order.
    pub inputs: Vec<ShownInput>,
}

/// The elements of an input.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownInput {
    /// The tensor's name.
    pub name: String,
    /// Its elements.
    pub elements: Vec<String>,
}

/// The version of the shape.
const FORMAT: u32 = 1;

impl ComparisonReport {
    /// What comparisons came to.
    #[must_use]
    pub fn of(compared: &[(Comparison<'_>, Compared)]) -> Self {
        Self {
            format: FORMAT,
            comparisons: compared.iter().map(|(comparison, found)| one_way(comparison, found)).collect(),
        }
    }

    /// Whether each stands for the other, as far as was searched.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.comparisons.iter().all(|one| one.fit == Fit::DropIn)
    }
}

fn one_way(comparison: &Comparison<'_>, compared: &Compared) -> OneWay {
    let Mapping { from, to, note, fix, .. } = comparison.mapping;
    let side = |operator: &crate::spec::Operator, level| Side {
        operator: operator.id.clone(),
        level: operator.family.level_name(level).to_owned(),
    };
    OneWay {
        from: side(from, comparison.levels.0),
        to: side(to, comparison.levels.1),
        fit: Fit::of(compared, fix),
        note: note.clone(),
        seed: comparison.seed,
        samples: compared.counts.samples,
        same: compared.counts.same,
        open: compared.counts.open,
        unanswered: compared.counts.unanswered,
        differences: compared.found.iter().map(|found| difference(found, fix)).collect(),
        left_out: compared.left_out,
    }
}

/// What helps with a class: it is about a requirement behind it.
fn helps<'a>(class: &Class, fix: &'a [(String, String)]) -> Option<&'a String> {
    fix.iter().find(|(id, _)| class.requirements().any(|each| each == id)).map(|(_, text)| text)
}

fn difference(Found { class, samples, witness }: &Found, fix: &[(String, String)]) -> DifferenceReport {
    let (kind, from_requirements, to_requirements) = match class.clone() {
        Class::Differs { from, to, .. } => (DifferenceKind::Differs, from, to),
        Class::Open { part: Part::From, questions } => (DifferenceKind::FromOpen, questions, Vec::new()),
        Class::Open { part: Part::To, questions } => (DifferenceKind::ToOpen, Vec::new(), questions),
        Class::Refused { requirement } => (DifferenceKind::Refused, Vec::new(), vec![requirement]),
        Class::Doubtful { requirement } => (DifferenceKind::Doubtful, Vec::new(), vec![requirement]),
        Class::Unsaid { .. } => (DifferenceKind::Unsaid, Vec::new(), Vec::new()),
    };
    let Witness { descriptor, inputs, said, from, from_line, to, to_line, from_ran, to_ran } = witness;
    let given = inputs.iter().map(|input| (input.name.as_str(), &input.data));
    let said = said.as_ref().map(|said| {
        let inputs: Vec<(&str, Data)> =
            said.inputs.iter().map(|(name, bytes)| (name.as_str(), Data::Elements(bytes.clone()))).collect();
        shown(&said.descriptor, inputs.iter().map(|(name, data)| (*name, data)))
    });
    DifferenceReport {
        kind,
        fix: helps(class, fix).cloned(),
        from_requirements,
        to_requirements,
        samples: *samples,
        witness: WitnessReport {
            from: shown(descriptor, given),
            to: said,
            from_answer: from.clone(),
            from_line: from_line.clone(),
            to_answer: to.clone(),
            to_line: to_line.clone(),
            from_ran: from_ran.clone(),
            to_ran: to_ran.clone(),
        },
    }
}

fn shown<'a>(descriptor: &Descriptor, inputs: impl Iterator<Item = (&'a str, &'a Data)>) -> Shown {
    let inputs = inputs.filter_map(|(name, data)| {
        let data_type = descriptor.tensor(name)?.data_type;
        let elements = data.elements();
        let elements = elements.chunks_exact(data_type.bytes()).map(|each| element::render(each, data_type)).collect();
        Some(ShownInput { name: name.to_owned(), elements })
    });
    Shown { inputs: inputs.collect(), descriptor: descriptor.clone() }
}
