//! An operator with its cases, and the right answers to them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use opcert_backend::Descriptor;
use rayon::prelude::*;

use super::backend::WrongBackend;
use super::wrong::Wrong;
use crate::check::{CheckedCase, Suite, ValidCase};
use crate::definition::{Evaluation, Fault};
use crate::plan::{ClaimError, Plan, Planned, Selection};
use crate::spec::{Operator, Specs};

/// So many bytes of answers are kept.
const MOST_KEPT: usize = 1 << 28;

/// What an operator's definition answers, each question worked out once.
#[derive(Debug)]
pub struct Answers {
    operator: Arc<Operator>,
    kept: Mutex<(usize, HashMap<[u8; 32], Arc<Evaluation>>)>,
}

impl Answers {
    /// Nothing is known yet.
    #[must_use]
    pub fn of(operator: &Arc<Operator>) -> Arc<Self> {
        Arc::new(Self { operator: Arc::clone(operator), kept: Mutex::default() })
    }

    /// What the definition gives.
    ///
    /// # Errors
    ///
    /// As for [`crate::definition::Definition::evaluate`].
    pub fn to(&self, descriptor: &Descriptor, inputs: &[(&str, &[u8])]) -> Result<Arc<Evaluation>, Fault> {
        let key = question(descriptor, inputs);
        if let Some(known) = self.kept.lock().unwrap_or_else(PoisonError::into_inner).1.get(&key) {
            return Ok(Arc::clone(known));
        }
        let found = Arc::new(self.operator.definition.evaluate(descriptor, inputs)?);
        let bytes: usize = found.outputs.iter().map(|output| output.bytes.len() + 8 * output.decided.len()).sum();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.0 + bytes <= MOST_KEPT && kept.1.insert(key, Arc::clone(&found)).is_none() {
            kept.0 += bytes;
        }
        Ok(found)
    }
}

/// A digest of what a definition is asked. It knows no levels.
fn question(descriptor: &Descriptor, inputs: &[(&str, &[u8])]) -> [u8; 32] {
    let mut digest = blake3::Hasher::new();
    let without_level = Descriptor { level: String::new(), ..descriptor.clone() };
    digest.update(format!("{without_level:?}").as_bytes());
    for (name, bytes) in inputs {
        digest.update(name.as_bytes()).update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    }
    *digest.finalize().as_bytes()
}

/// A case of more memory than this is large: it is held against few wrong backends.
pub(super) const MOST_SMALL: u64 = 1 << 16;

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
    /// Its data and what is right, where it is dispatched and small.
    pub(super) known: Option<Known>,
}

/// The data of a case, packed, by name, and what the definition makes of it.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) inputs: Vec<(String, Vec<u8>)>,
    pub(super) right: Arc<Evaluation>,
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
        CheckedCase::Valid(case) if case.is_dispatched() && memory <= MOST_SMALL => with_inputs(case, |given| {
            let right = answers.to(&case.descriptor, given).ok()?;
            let inputs = given.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
            Some(Known { inputs, right })
        }),
        _ => None,
    };
    Ready { planned, memory, known }
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
