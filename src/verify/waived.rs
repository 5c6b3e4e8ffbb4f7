//! Known failures, as far as a log names them: one is known of every case that its pattern matches, and of each of these
//! the log has to say what follows from that.

use std::collections::{BTreeMap, BTreeSet};

use glob::Pattern;

use super::misfit::Misfit;
use crate::check::CheckedCase;
use crate::expectations::{MOST_TRIED, candidates};
use crate::judge::{CaseEvent, Outcome, Waiver};

/// The events that a known failure which another event names would have made others, each once. Those that are of no case
/// of the suite are told elsewhere.
pub(super) fn misfits(cases: &[CaseEvent], suite: &[CheckedCase]) -> Vec<Misfit> {
    let known_ids: BTreeSet<&str> = suite.iter().map(|case| case.about().id.as_str()).collect();
    let of_suite = cases.iter().filter(|event| known_ids.contains(event.case.as_str()));
    let by_id: BTreeMap<&str, &CaseEvent> = of_suite.map(|event| (event.case.as_str(), event)).collect();
    let ids: BTreeSet<&str> = by_id.keys().copied().collect();
    let (mut misfits, mut told, mut patterns) = (Vec::new(), BTreeSet::new(), BTreeMap::new());
    let mut tried = 0;
    for (pattern, (outcome, waiver, named_by)) in known(by_id.values().copied()) {
        let wrong = |event: &CaseEvent, reason: String| Misfit::Outcome {
            case: event.case.clone(),
            outcome: event.outcome,
            reason,
        };
        tried += candidates(pattern, &ids).count();
        if tried > MOST_TRIED {
            misfits.push(wrong(named_by, format!("no run tries patterns {tried} times on a case")));
            break;
        }
        let Ok(glob) = Pattern::new(pattern) else { continue };
        let matched = candidates(pattern, &ids).filter(|id| glob.matches(id)).filter_map(|id| by_id.get(id));
        for event in matched {
            let why = if !follows(event, pattern, outcome, waiver) {
                format!("`{}` says that `{pattern}` is known to come out as `{outcome}`", named_by.case)
            } else if let Some(other) = patterns.insert(event.case.as_str(), pattern) {
                format!("it is expected to fail once, and `{other}` and `{pattern}` both match it")
            } else {
                continue;
            };
            if told.insert(event.case.as_str()) {
                misfits.push(wrong(event, why));
            }
        }
    }
    misfits
}

/// The known failures that unexpected passes name, by their patterns, and the first event that names each.
fn known<'a>(cases: impl Iterator<Item = &'a CaseEvent>) -> BTreeMap<&'a str, (Outcome, &'a Waiver, &'a CaseEvent)> {
    let mut known = BTreeMap::new();
    for event in cases {
        if let (Some(waiver), Some((pattern, outcome))) = (&event.waiver, named(event)) {
            known.entry(pattern).or_insert((outcome, waiver, event));
        }
    }
    known
}

/// The pattern and the outcome of the known failure that an unexpected pass names.
fn named(event: &CaseEvent) -> Option<(&str, Outcome)> {
    let said = event.reason.as_ref().filter(|_| event.outcome == Outcome::UnexpectedPass)?;
    event.waiver.as_ref()?.passed_unexpectedly(said.raw(), &event.case)
}

/// Whether an event can be what became of a case that is known to come out so. No case is known to fail twice.
fn follows(event: &CaseEvent, pattern: &str, outcome: Outcome, known: &Waiver) -> bool {
    match &event.waiver {
        None => event.outcome != Outcome::Pass && event.outcome != outcome,
        Some(waiver) => {
            let of_it = (&waiver.reason, &waiver.link) == (&known.reason, &known.link);
            of_it && (waiver.outcome == outcome || named(event) == Some((pattern, outcome)))
        }
    }
}
