//! An operator with its cases, ready to run.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::answers::Answers;
use super::backend::WrongBackend;
use super::wrong::Wrong;
use crate::check::{CheckedCase, Suite, ValidCase};
use crate::coverage::cites;
use crate::definition::Evaluation;
use crate::plan::{ClaimError, Plan, Planned, Selection};
use crate::spec::{Operator, Specs};

/// A case of more memory than this is large: it is held against few wrong backends.
pub(super) const MOST_SMALL: u64 = 1 << 13;

/// An operator with the cases that are run on wrong backends of it.
#[derive(Debug)]
pub struct Subject {
    /// The operator.
    pub operator: Arc<Operator>,
    /// Its cases, those first that need the least memory.
    pub cases: Vec<Ready>,
    /// Its answers.
    pub answers: Arc<Answers>,
}

/// A case that is ready to run.
#[derive(Debug)]
pub struct Ready {
    /// The case, and at which levels it runs.
    pub planned: Planned,
    /// The bytes that it needs.
    pub memory: u64,
    /// The requirements that it puts to the test.
    pub(super) cited: BTreeSet<String>,
    /// Its data and what is right, where it is dispatched and small.
    pub(super) known: Option<Known>,
}

/// The data of a case, packed, by name, and what the definition makes of it.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) inputs: Vec<(String, Vec<u8>)>,
    pub(super) right: Arc<Evaluation>,
}

impl Known {
    /// The data of a case and what is right; nothing where the definition has no answer.
    pub(super) fn of(case: &ValidCase, answers: &Answers) -> Option<Self> {
        with_inputs(case, |given| {
            let right = answers.to(&case.descriptor, given).ok()?;
            let inputs = given.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
            Some(Self { inputs, right })
        })
    }

    /// The data as a definition takes it.
    pub(super) fn given(&self) -> Vec<(&str, &[u8])> {
        self.inputs.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect()
    }
}

/// Each operator of the specifications, or each of those that are named, with its cases of a suite; without those of the large
/// tier. Is not to be called from within a parallel iterator.
///
/// # Errors
///
/// When the cases cannot be planned.
pub fn subjects(specs: &Specs, suite: Suite, named: &[String]) -> Result<Vec<Subject>, ClaimError> {
    let mut subjects = Vec::new();
    let mut cases: HashMap<String, Vec<CheckedCase>> = HashMap::new();
    for case in suite.cases {
        cases.entry(case.about().operator.id.clone()).or_default().push(case);
    }
    for operator in specs.operators.iter().filter(|each| named.is_empty() || named.contains(&each.id)) {
        let answers = Answers::of(operator);
        let right = WrongBackend::new(&Arc::new(Wrong::unaltered(operator)), &answers);
        let cases = cases.remove(&operator.id).unwrap_or_default();
        let planned = Plan::new(cases, specs, &right, &Selection::default())?.entries;
        let mut cases: Vec<Ready> = planned.into_par_iter().map(|planned| ready(planned, &answers)).collect();
        cases.sort_by_cached_key(|ready| (ready.memory, ready.planned.case.about().id.clone()));
        subjects.push(Subject { operator: Arc::clone(operator), cases, answers });
    }
    Ok(subjects)
}

fn ready(planned: Planned, answers: &Answers) -> Ready {
    let memory = memory(&planned.case);
    let known = match &planned.case {
        CheckedCase::Valid(case) if case.is_dispatched() && memory <= MOST_SMALL => Known::of(case, answers),
        _ => None,
    };
    let requirements = planned.case.about().operator.all_requirements();
    let cited = requirements.map(|each| &each.id).filter(|id| cites(&planned.case, id)).cloned().collect();
    Ready { planned, memory, cited, known }
}

/// The bytes that a case needs.
fn memory(case: &CheckedCase) -> u64 {
    match case {
        CheckedCase::Valid(case) if case.is_dispatched() => {
            case.descriptor.tensors.iter().filter_map(|entry| entry.tensor.span_bytes()).sum()
        }
        _ => 0,
    }
}

/// Something with the data of a case, packed, by name.
pub(super) fn with_inputs<T>(case: &ValidCase, with: impl FnOnce(&[(&str, &[u8])]) -> T) -> T {
    let given: Vec<_> = case.inputs.iter().map(|input| (input.name.as_str(), input.data.elements())).collect();
    let given: Vec<(&str, &[u8])> = given.iter().map(|(name, elements)| (*name, elements.as_ref())).collect();
    with(&given)
}
