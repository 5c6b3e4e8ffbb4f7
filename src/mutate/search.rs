//! What no case notices, held against random samples.

use std::sync::Arc;

use rayon::prelude::*;

use super::backend::WrongBackend;
use super::screen::Screen;
use super::suite::{Known, Subject};
use super::wrong::Wrong;
use crate::check::CheckedCase;
use crate::fuzz::{FuzzError, Fuzzing, Limit, MOST_FAILURES, Trial};
use crate::judge::{Outcome, judge};
use crate::plan::{Decision, Planned};
use crate::run::execute;
use crate::spec::Specs;

/// So many samples are drawn at a time.
const TOGETHER: u64 = 256;

/// A sample that tells a wrong backend from a right one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its number in the stream of the operator.
    pub sample: u64,
    /// What comes of it.
    pub outcome: Outcome,
    /// The descriptor, in words.
    pub shown: String,
}

/// For each wrong backend of an operator the first of so many samples that tells it from a right one. Is not to be called from
/// within a parallel iterator.
///
/// # Errors
///
/// When no samples of the operator can be drawn.
pub fn search(
    specs: &Specs,
    subject: &Subject,
    wrong: &[Arc<Wrong>],
    samples: u64,
    seed: u64,
) -> Result<Vec<Option<Difference>>, FuzzError> {
    let right = WrongBackend::new(&Arc::new(Wrong::unaltered(&subject.operator)), &subject.answers);
    let fuzzing = Fuzzing {
        specs,
        backend: &right,
        operators: vec![subject.operator.id.clone()],
        level: None,
        seed,
        jobs: 0,
        limit: Limit::Samples(samples),
        most_failures: MOST_FAILURES,
    };
    let targets = fuzzing.targets()?;
    let backends: Vec<WrongBackend> = wrong.iter().map(|wrong| WrongBackend::new(wrong, &subject.answers)).collect();
    let screen = Screen::new(&subject.operator, wrong.iter().map(|each| &**each));
    let mut found: Vec<Option<Difference>> = vec![None; wrong.len()];
    for target in &targets {
        let mut first = 0;
        while first < samples && found.iter().any(Option::is_none) {
            let last = samples.min(first + TOGETHER);
            let tell = |index: u64| {
                let Ok(trial) = fuzzing.sample(target, index) else { return Vec::new() };
                let Some(planned) = planned(trial) else { return Vec::new() };
                // What is right is worked out once for all of them.
                let known = match &planned.case {
                    CheckedCase::Valid(case) if case.is_dispatched() => {
                        Known::of(case, &subject.answers).map(|known| (case, known))
                    }
                    _ => None,
                };
                let is_left = |at: usize| found[at].is_none() && wrong[at].concerns(&planned);
                let left: Vec<usize> = match &known {
                    Some((case, known)) => {
                        let shows = screen.of_data(&case.descriptor, &known.given(), is_left);
                        (0..wrong.len()).filter(|&at| shows[at]).collect()
                    }
                    None => (0..wrong.len()).filter(|&at| is_left(at)).collect(),
                };
                let told = left.into_iter().filter_map(|at| {
                    let (wrong, backend) = (&wrong[at], &backends[at]);
                    let is_like = known.as_ref().is_some_and(|(case, known)| !wrong.answers_otherwise(case, known));
                    if is_like {
                        return None;
                    }
                    let outcome = judge(&planned, execute(&planned, backend)).outcome;
                    let shown = || shown(&planned);
                    outcome.is_bad().then(|| (at, Difference { sample: index, outcome, shown: shown() }))
                });
                told.collect()
            };
            let told: Vec<Vec<(usize, Difference)>> = (first..last).into_par_iter().map(tell).collect();
            for (at, difference) in told.into_iter().flatten() {
                found[at].get_or_insert(difference);
            }
            first = last;
        }
    }
    Ok(found)
}

/// A sample as it is run; nothing where it reaches no backend.
fn planned(trial: Trial) -> Option<Planned> {
    let reaches = trial.kind != crate::fuzz::Kind::Skipped;
    let level = trial.level;
    reaches.then(|| Planned { case: trial.case, decision: Decision::Run(vec![level]) })
}

fn shown(planned: &Planned) -> String {
    let tensors = planned.case.descriptor().tensors.iter().map(|entry| {
        let sizes = entry.tensor.sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        format!("{} {}[{sizes}]", entry.name, entry.tensor.data_type)
    });
    tensors.collect::<Vec<_>>().join(", ")
}
