//! What becomes of a finding of an earlier run: it fails still, or it passes.

use opcert_backend::{Backend, ForeignText};

use super::found::run;
use crate::check::CheckedCase;
use crate::judge::{CaseEvent, Outcome};
use crate::spec::Specs;

/// What became of a finding.
#[derive(Clone, Debug)]
pub enum Replayed {
    /// It fails still, at a level that a run has to be told if it is not one that a run picks by itself.
    Fails(Box<CaseEvent>, Option<String>),
    /// It ran at every level, and nothing is wrong any more.
    Passes,
    /// It did not run, for a reason.
    Unsettled(String),
}

/// Runs a case as `opcert run` does, then up to each of its levels: what was found may show at one of them alone.
#[must_use]
pub fn replay(case: &CheckedCase, specs: &Specs, backend: &dyn Backend) -> Replayed {
    let family = &case.about().operator.family;
    let (first, last) = match case {
        CheckedCase::Valid(case) => (case.level, case.last),
        CheckedCase::Refused(case) => (case.first, case.last),
    };
    let levels = family.levels_between(first, last).map(|level| Some(family.level_name(level)));
    let mut unsettled = None;
    for level in [None].into_iter().chain(levels) {
        let Some(event) = run(case, level, specs, backend) else {
            return Replayed::Unsettled("the backend claims what does not exist".to_owned());
        };
        match event.outcome {
            outcome if outcome.is_bad() => return Replayed::Fails(Box::new(event), level.map(str::to_owned)),
            Outcome::Pass | Outcome::Observed => {}
            outcome => unsettled = Some(event.reason.map_or_else(|| outcome.to_string(), ForeignText::into_raw)),
        }
    }
    unsettled.map_or(Replayed::Passes, Replayed::Unsettled)
}
