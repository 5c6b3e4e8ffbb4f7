//! One sample, made ready for a backend: generated, given its expectation, executed, judged.

use std::path::PathBuf;
use std::sync::Arc;

use opcert_backend::{Backend, Descriptor, Support, contain};

use super::invalid;
use crate::case::{Expectation, ExpectedTensor};
use crate::check::{
    About, CheckedCase, InputData, Layout, RefusedCase, ValidCase, breakpoints, broken_ids, violations,
};
use crate::expected::{Expected, NothingExpected, expected};
use crate::judge::{CaseEvent, Outcome, judge};
use crate::kind::implied_bytes;
use crate::plan::{Decision, Planned};
use crate::run::execute;
use crate::sample::Choices;
use crate::sample::Sampler;
use crate::sample::{Draw, Sample};
use crate::spec::{Authority, Level, Operator};

/// An operator as it is fuzzed on a backend: what is drawn from, and how far.
#[derive(Debug)]
pub struct Target {
    /// The operator.
    pub operator: Arc<Operator>,
    pub(super) sampler: Sampler,
    /// The highest level that is drawn.
    pub(super) highest: Level,
    /// The levels at which something changes, the highest first.
    breakpoints: Vec<Level>,
    /// All levels that have the operator, the highest first.
    levels: Vec<Level>,
    strided: bool,
    invalid: bool,
    about: About,
}

/// What a sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A valid descriptor with data, which is dispatched.
    Valid,
    /// A descriptor that was edited, is valid all the same, and is compiled.
    Accepted,
    /// A descriptor that was edited and is invalid.
    Invalid,
    /// A descriptor of which the documents leave open whether it is valid. It reaches no backend.
    Skipped,
}

/// A sample with what is expected of it.
#[derive(Debug)]
pub struct Trial {
    /// What it is.
    pub kind: Kind,
    /// The level that it is asked for at.
    pub level: Level,
    /// The sample as it was drawn: the descriptor without the sizes in memory that nobody stated.
    pub(super) sample: Sample,
    /// The level of the sample as it was drawn.
    pub(super) sample_level: Level,
    /// The descriptor after an edit.
    pub(super) edited: Option<Descriptor>,
    /// What reaches the backend.
    pub case: CheckedCase,
}

/// One sample of so many is edited.
const EDITED_ONCE_IN: u64 = 4;

impl Target {
    /// The target for an operator up to a level.
    pub(super) fn new(operator: &Arc<Operator>, highest: Level, (strided, invalid): (bool, bool)) -> Self {
        let mut breakpoints = breakpoints(operator);
        breakpoints.retain(|level| (operator.introduced..highest).contains(level));
        breakpoints.push(highest);
        breakpoints.reverse();
        let levels = (operator.introduced.0..=highest.0).rev().map(Level).collect();
        let about = About {
            id: operator.id.clone(),
            file: Arc::new(PathBuf::new()),
            operator: Arc::clone(operator),
            title: None,
            source: None,
            covers: Vec::new(),
            authority: Authority::Derived,
            layout: Layout::Packed,
            large: false,
        };
        // What strides leave open is no reason to avoid anything in the data.
        let sampler = Sampler::new(operator);
        Self { operator: Arc::clone(operator), sampler, highest, breakpoints, levels, strided, invalid, about }
    }

    /// The sample of these choices.
    ///
    /// # Errors
    ///
    /// When the operator's definition has no answer to it.
    pub fn trial(&self, choices: &mut Choices<'_>) -> Result<Trial, NothingExpected> {
        let edited = choices.once_in(EDITED_ONCE_IN) && self.invalid;
        let level = self.level(choices);
        let mut draw =
            Draw { choices, operator: &self.operator, level, strided: self.strided, data: !edited, empty: false };
        let mut sample = self.sampler.draw(&mut draw);
        // What an edit leaves valid shows nothing where the answer was open before.
        let is_open = |sample: &Sample| self.sampler.is_open(&self.operator, &sample.descriptor);
        if edited && sample.as_ref().is_some_and(is_open) {
            sample = self.sampler.draw(&mut draw);
        }
        let sample = sample.ok_or_else(|| NothingExpected::Sizes { operator: self.operator.id.clone() })?;
        if edited { Ok(self.edited(choices, sample, level)) } else { self.valid(sample, level) }
    }

    /// Mostly the highest level, sometimes one at which something changes, seldom any other.
    fn level(&self, choices: &mut Choices<'_>) -> Level {
        let options = match choices.below(8) {
            0..5 => std::slice::from_ref(&self.highest),
            5 | 6 => &self.breakpoints,
            _ => &self.levels,
        };
        *choices.pick(options)
    }

    /// A sample as it was drawn. Where the definition leaves one of its elements open, it is observed.
    pub(super) fn valid(&self, sample: Sample, level: Level) -> Result<Trial, NothingExpected> {
        let descriptor = with_memory(&sample.descriptor, self.operator.family.granularity);
        let about = About { layout: layout(&descriptor), ..self.about.clone() };
        let inputs = sample.inputs.clone();
        let case = match expected(&self.operator, &descriptor, &inputs)? {
            Expected::Values(values) => {
                let values = values.into_iter().map(|(name, each)| (name, ExpectedTensor::Elements(each)));
                let expectation = Expectation::Values(values.collect());
                ValidCase {
                    about,
                    level,
                    last: level,
                    descriptor,
                    dispatched: true,
                    inputs,
                    expectation,
                    invariants: Vec::new(),
                }
            }
            Expected::Open { questions, invariants } => {
                let requirement = |id: &String| self.operator.requirement(id);
                let authority = questions.iter().filter_map(requirement).map(|each| each.authority).max();
                let authority = authority.unwrap_or(Authority::Unspecified);
                let invariants = invariants.iter().filter_map(requirement);
                let invariants = invariants.map(|each| (each.id.clone(), each.invariants.clone())).collect();
                let (about, expectation) = (About { authority, covers: questions, ..about }, Expectation::Observe);
                ValidCase { about, level, last: level, descriptor, dispatched: true, inputs, expectation, invariants }
            }
        };
        let case = CheckedCase::Valid(case);
        Ok(Trial { kind: Kind::Valid, level, sample, sample_level: level, edited: None, case })
    }

    fn edited(&self, choices: &mut Choices<'_>, sample: Sample, sample_level: Level) -> Trial {
        let mut descriptor = sample.descriptor.clone();
        let level = invalid::edit(choices, &self.operator, (sample_level, self.highest), &mut descriptor);
        let violations = violations(&self.operator, &descriptor, level);
        let broken = broken_ids(&violations);
        let about = About { layout: layout(&descriptor), ..self.about.clone() };
        let unsupported = about.layout == Layout::Strided && !self.strided;
        let open = violations.iter().any(|each| !each.gates) || unsupported;
        let edited = Some(descriptor.clone());
        let (kind, case) = if broken.is_empty() {
            // What takes more than 64 bits count can be asked of no backend by a case.
            let granularity = self.operator.family.granularity;
            let immeasurable =
                descriptor.tensors.iter().any(|entry| implied_bytes(&entry.tensor, granularity).is_none());
            let unclear = open || immeasurable || self.is_open_at_some_level(&descriptor);
            let kind = if unclear || self.sampler.is_open(&self.operator, &descriptor) {
                Kind::Skipped
            } else {
                Kind::Accepted
            };
            let (expectation, invariants) = (Expectation::Accepts, Vec::new());
            let descriptor = with_memory(&descriptor, granularity);
            let case = ValidCase {
                about,
                level,
                last: level,
                descriptor,
                dispatched: false,
                inputs: Vec::new(),
                expectation,
                invariants,
            };
            (kind, CheckedCase::Valid(case))
        } else {
            let kind = if open { Kind::Skipped } else { Kind::Invalid };
            let (first, last) = (level, level);
            let case = RefusedCase { about, first, last, descriptor, requirements: broken };
            (kind, CheckedCase::Refused(case))
        };
        Trial { kind, level, sample, sample_level, edited, case }
    }

    /// Whether there is a level at which only what the documents leave open speaks against a descriptor. A case holds from
    /// its least level on, so none can be made of such a descriptor for a higher level alone.
    fn is_open_at_some_level(&self, descriptor: &Descriptor) -> bool {
        self.breakpoints.iter().any(|&level| {
            let violations = violations(&self.operator, descriptor, level);
            !violations.is_empty() && violations.iter().all(|each| !each.gates)
        })
    }
}

impl Trial {
    /// Runs the sample on a backend, as cases are run, and judges it. `None` if it reaches no backend.
    #[must_use]
    pub fn run(self, backend: &dyn Backend) -> Option<(Planned, CaseEvent)> {
        if self.kind == Kind::Skipped {
            return None;
        }
        let descriptor = self.descriptor();
        let decision = match contain(|| backend.supports(descriptor)) {
            Ok(Support::Yes) => Decision::Run(vec![self.level]),
            Ok(Support::No(reason)) => Decision::Unsupported(reason),
            Ok(Support::Broken(fault)) | Err(fault) => Decision::Unanswered(fault),
        };
        let planned = Planned { case: self.case, decision };
        let execution = execute(&planned, backend);
        let event = judge(&planned, execution);
        Some((planned, event))
    }

    /// The descriptor that reaches the backend.
    #[must_use]
    pub const fn descriptor(&self) -> &Descriptor {
        self.case.descriptor()
    }

    /// The data that reaches the backend; none for what is only compiled.
    #[must_use]
    pub fn inputs(&self) -> &[InputData] {
        match &self.case {
            CheckedCase::Valid(case) => &case.inputs,
            CheckedCase::Refused(_) => &[],
        }
    }

    /// Whether the documents leave open what comes out, so that it is observed.
    #[must_use]
    pub const fn is_observed(&self) -> bool {
        matches!(&self.case, CheckedCase::Valid(ValidCase { expectation: Expectation::Observe, .. }))
    }
}

/// What two failures have in common that are taken for one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Class {
    pub(super) kind: Kind,
    pub(super) outcome: Outcome,
    /// The broken requirements of an invalid sample, or the data types and the layout of a valid one.
    pub(super) traits: Vec<String>,
}

impl Class {
    pub(super) fn of(kind: Kind, case: &CheckedCase, outcome: Outcome) -> Self {
        let traits = match case {
            CheckedCase::Refused(case) => case.requirements.clone(),
            CheckedCase::Valid(case) => {
                let types = case.descriptor.tensors.iter().map(|entry| entry.tensor.data_type.to_string());
                types.chain([format!("{:?}", case.about.layout)]).collect()
            }
        };
        Self { kind, outcome, traits }
    }

    /// Whether a simpler failure is one of the same kind: it may break fewer requirements, and be of other types.
    pub(super) fn includes(&self, other: &Self) -> bool {
        let fewer = self.kind != Kind::Invalid || other.traits.iter().all(|each| self.traits.contains(each));
        self.kind == other.kind && self.outcome == other.outcome && fewer
    }
}

/// The descriptor with the size of every tensor's memory filled in.
fn with_memory(descriptor: &Descriptor, granularity: u64) -> Descriptor {
    let mut descriptor = descriptor.clone();
    for entry in descriptor.tensors.iter_mut().filter(|entry| entry.tensor.total_bytes.is_none()) {
        entry.tensor.total_bytes = implied_bytes(&entry.tensor, granularity);
    }
    descriptor
}

fn layout(descriptor: &Descriptor) -> Layout {
    let packed = descriptor.tensors.iter().all(|entry| entry.tensor.is_packed());
    if packed { Layout::Packed } else { Layout::Strided }
}
