//! Known failures, as far as a log names them: one is known of every case that its pattern matches, and of each of these
//! the log has to say what follows from that.

use std::collections::{BTreeMap, BTreeSet};

use glob::Pattern;
use opcert_backend::ForeignText;

use super::misfit::Misfit;
use crate::expectations::{MOST_TRIED, candidates};
use crate::judge::{CaseEvent, Outcome, Waiver};

/// The events that a known failure which another event names would have made others.
pub(super) fn misfits(cases: &[CaseEvent]) -> Vec<Misfit> {
    let by_id: BTreeMap<&str, &CaseEvent> = cases.iter().map(|event| (event.case.as_str(), event)).collect();
    let ids: BTreeSet<&str> = by_id.keys().copied().collect();
    let mut misfits = Vec::new();
    let mut tried = 0;
    for (pattern, (outcome, waiver, named_by)) in known(cases) {
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
        misfits.extend(matched.filter(|event| !follows(event, outcome, waiver)).map(|event| {
            wrong(event, format!("`{}` says that `{pattern}` is known to come out as `{outcome}`", named_by.case))
        }));
    }
    misfits
}

/// The known failures that unexpected passes name, by their patterns, and the first event that names each.
fn known(cases: &[CaseEvent]) -> BTreeMap<&str, (Outcome, &Waiver, &CaseEvent)> {
    let mut known = BTreeMap::new();
    for event in cases.iter().filter(|event| event.outcome == Outcome::UnexpectedPass) {
        let said = event.reason.as_ref().map_or("", ForeignText::raw);
        let waiver = event.waiver.as_ref();
        if let Some((waiver, (pattern, outcome))) =
            waiver.and_then(|waiver| Some((waiver, waiver.passed_unexpectedly(said, &event.case)?)))
        {
            known.entry(pattern).or_insert((outcome, waiver, event));
        }
    }
    known
}

/// Whether an event can be what became of a case that is known to come out so.
fn follows(event: &CaseEvent, outcome: Outcome, known: &Waiver) -> bool {
    match &event.waiver {
        None => event.outcome != Outcome::Pass && event.outcome != outcome,
        Some(waiver) => {
            let of_it = (&waiver.reason, &waiver.link) == (&known.reason, &known.link);
            of_it && (waiver.outcome == Outcome::Pass || waiver.outcome == outcome)
        }
    }
}
