//! A case before it is complete: a valid sample, and what is asked of it.

use std::path::PathBuf;
use std::sync::Arc;

use opcert_backend::NamedTensor;

use crate::case::{Case, CaseTensor, Elements, Expectation};
use crate::check::{least_level, worked_out};
use crate::definition::Evaluation;
use crate::expected::{Expected, as_expected, expected_of, of_evaluation};
use crate::sample::Sample;
use crate::spec::{Level, Operator, Requirement};

/// A valid descriptor with data, whose expectation is not worked out yet.
#[derive(Clone, Debug)]
pub(super) struct Sketch {
    case: Case,
    /// Whether no more is asked for than a descriptor that compiles.
    accepts: bool,
}

impl Sketch {
    /// A sample, which has no name yet.
    pub(super) fn of_sample(operator: &Arc<Operator>, sample: &Sample) -> Self {
        let tensor = |entry: &NamedTensor| CaseTensor {
            name: entry.name.clone(),
            role: entry.role,
            constant: operator.tensor(&entry.name).is_some_and(|tensor| tensor.constant),
            descriptor: entry.tensor.clone(),
            data: sample.inputs.iter().find(|input| input.name == entry.name).map(|input| input.data.clone()),
        };
        let case = Case {
            id: String::new(),
            name: String::new(),
            file: Arc::new(PathBuf::new()),
            operator: Arc::clone(operator),
            title: None,
            source: None,
            level: (!operator.definition.levels().is_empty())
                .then(|| operator.family.level(&sample.descriptor.level))
                .flatten(),
            refused_at: None,
            covers: Vec::new(),
            tensors: sample.descriptor.tensors.iter().map(tensor).collect(),
            attributes: sample.descriptor.attributes.clone(),
            expectation: Expectation::Accepts,
            invariants: Vec::new(),
            large: false,
            twin: None,
        };
        Self { case, accepts: false }
    }

    pub(super) fn name(&self) -> &str {
        &self.case.name
    }

    /// The same under another name and title.
    pub(super) fn named(mut self, name: impl Into<String>, title: impl Into<String>) -> Self {
        self.case.name = name.into();
        self.case.title = Some(title.into());
        self
    }

    /// Asks for no more than a descriptor that compiles.
    pub(super) fn accepts(mut self) -> Self {
        self.accepts = true;
        self
    }

    /// The case with its level and its expectation.
    pub(super) fn complete(self) -> Result<Case, Incomplete> {
        let Self { mut case, accepts } = self;
        if !accepts {
            case.expectation = Expectation::Values(Vec::new());
        }
        let completed = |case: Case, known: Option<Evaluation>| {
            worked_out(case, known).map_err(|problems| {
                let messages: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
                messages.join("; ")
            })
        };
        let mut found;
        (case, found) = completed(case, None)?;
        let level = least_level(&case)?;
        // What the definition says of a lower level may come by other lines.
        if case.level.is_some_and(|drawn| drawn != level) {
            found = None;
        }
        case.level = (case.operator.family.levels.len() > 1).then_some(level);
        // What ends before the highest level is put to the test as well.
        let ends = |each: &Requirement| each.until.is_some_and(|until| level <= until);
        if case.operator.all_requirements().any(ends) || found.is_none() {
            (case, found) = completed(case, found)?;
        }
        if accepts {
            case.tensors.iter_mut().filter(|tensor| !tensor.constant).for_each(|tensor| tensor.data = None);
        } else {
            case.expectation = Expectation::Values(as_expected(values_of(&case, level, found)?, &case)?);
        }
        Ok(case)
    }
}

/// Why a sketch is no case.
#[derive(Debug, thiserror::Error)]
pub(super) enum Incomplete {
    /// The definition leaves open what comes out.
    #[error("the case asks for values, and the definition leaves them open: {}", .0.join(", "))]
    Open(Vec<String>),
    /// Anything else.
    #[error("{0}")]
    Wrong(String),
}

impl From<String> for Incomplete {
    fn from(reason: String) -> Self {
        Self::Wrong(reason)
    }
}

impl From<&str> for Incomplete {
    fn from(reason: &str) -> Self {
        Self::Wrong(reason.to_owned())
    }
}

/// What comes out of a case: that of an evaluation, if there was one.
fn outcome(case: &Case, level: Level, found: Option<Evaluation>) -> Result<Expected, Incomplete> {
    let outcome = match found {
        Some(found) => of_evaluation(&case.operator, &case.descriptor(level), found),
        None => expected_of(case, level),
    };
    outcome.map_err(|error| error.to_string().into())
}

/// The values of a case, none of which the definition may leave open.
fn values_of(case: &Case, level: Level, found: Option<Evaluation>) -> Result<Vec<(String, Elements)>, Incomplete> {
    match outcome(case, level, found)? {
        Expected::Values(values) => Ok(values),
        Expected::Open { questions, .. } => Err(Incomplete::Open(questions)),
    }
}
