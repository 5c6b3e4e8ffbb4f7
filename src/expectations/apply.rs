//! What becomes of an event once it is known which failures are expected.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use opcert_backend::Identity;

use super::known::{KnownFailure, KnownFailures};
use crate::diagnostic::{Diagnostic, Problem};
use crate::judge::{CaseEvent, Outcome, Waiver};
use crate::near::near;
use crate::yaml::MOST_PROBLEMS;

/// So many times in all a pattern is tried on a case: 800 patterns on each of 20,000 cases, for which nobody has a reason.
pub(crate) const MOST_TRIED: usize = 1 << 24;

/// Of so many stale entries it is said what was perhaps meant.
const EXPLAINED: usize = 50;

/// The known failures that concern one backend on its device, case by case.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    known: KnownFailures,
    /// The entry of each case that is expected to fail.
    by_case: BTreeMap<String, usize>,
}

impl Expectations {
    /// Looks up what is expected of which case. `ids` are those of all cases that were loaded; `whole` says whether
    /// these are all that there are, so that an entry that matches none of them is stale.
    ///
    /// # Errors
    ///
    /// Entries that match no case, and every two that match the same one; of very many, the first ones. Patterns that would
    /// have to be tried on cases without end.
    pub fn new<'a>(
        known: KnownFailures,
        backend: &Identity,
        ids: impl IntoIterator<Item = &'a str>,
        whole: bool,
    ) -> Result<Self, Vec<Diagnostic>> {
        let ids: BTreeSet<&str> = ids.into_iter().collect();
        check_tries(&known, backend, &ids)?;
        let mut by_case: BTreeMap<String, usize> = BTreeMap::new();
        let mut problems: Vec<Problem> = Vec::new();
        for (index, entry) in known.entries.iter().enumerate().filter(|(_, entry)| entry.concerns(backend)) {
            if problems.len() >= MOST_PROBLEMS {
                break;
            }
            let mut matched = matching(entry, &ids).peekable();
            if whole && matched.peek().is_none() {
                problems.push(stale(entry, &ids, problems.len() < EXPLAINED));
            }
            let mut others = BTreeSet::new();
            for id in matched {
                match by_case.get(id) {
                    None => {
                        by_case.insert(id.to_owned(), index);
                    }
                    Some(&other) if others.insert(other) => {
                        let other = &known.entries[other].case;
                        let message = format!("`{}` and `{other}` both match `{id}`", entry.case);
                        problems
                            .push(Problem::at(entry.position, message).with_help("a case is expected to fail once"));
                    }
                    Some(_) => {}
                }
            }
        }
        problems.sort_by_key(|problem| problem.position);
        let diagnostics = Diagnostic::of_file(&known.path, &known.text, problems);
        if diagnostics.is_empty() { Ok(Self { known, by_case }) } else { Err(diagnostics) }
    }

    /// The event of a case as it is reported: an expected failure, an unexpected pass, or as it was judged.
    #[must_use]
    pub fn apply(&self, event: CaseEvent) -> CaseEvent {
        let Some(entry) = self.by_case.get(&event.case).map(|&index| &self.known.entries[index]) else { return event };
        let waiver = Waiver {
            reason: entry.reason.as_str().into(),
            link: entry.link.as_deref().map(Into::into),
            outcome: event.outcome,
        };
        if event.outcome == entry.outcome {
            return CaseEvent { outcome: Outcome::ExpectedFailure, waiver: Some(waiver), ..event };
        }
        if event.outcome == Outcome::Pass {
            let reason = waiver.unexpected_pass(&entry.case.to_string(), entry.outcome);
            let (outcome, reason) = (Outcome::UnexpectedPass, Some(reason.into()));
            return CaseEvent { outcome, reason, waiver: Some(waiver), ..event };
        }
        event
    }

    /// Entries that came to nothing in a whole run: all their cases were asked for, and each was unsupported, not
    /// run, or merely observed. Of a case that is not among the events nothing is known.
    #[must_use]
    pub fn idle<'a>(&self, events: impl IntoIterator<Item = &'a CaseEvent>) -> Vec<Diagnostic> {
        let asked: BTreeMap<&str, &CaseEvent> = events.into_iter().map(|event| (event.case.as_str(), event)).collect();
        let mut idle: BTreeSet<usize> = self.by_case.values().copied().collect();
        for (case, index) in &self.by_case {
            let came_to_nothing = asked.get(case.as_str()).is_some_and(|event| {
                matches!(event.outcome, Outcome::Unsupported | Outcome::NotRun | Outcome::Observed)
            });
            if !came_to_nothing {
                idle.remove(index);
            }
        }
        let problems = idle.into_iter().map(|index| {
            let entry = &self.known.entries[index];
            let message = format!("`{}` is stale: none of its cases could fail", entry.case);
            Problem::at(entry.position, message)
                .with_help("each was unsupported, not run, or put a question that the documents leave open")
        });
        Diagnostic::of_file(&self.known.path, &self.known.text, problems.collect())
    }
}

/// The event as it was judged, before anything was expected.
#[must_use]
pub fn as_judged(event: CaseEvent) -> CaseEvent {
    match event.waiver {
        None => event,
        Some(Waiver { outcome: Outcome::Pass, .. }) => {
            CaseEvent { outcome: Outcome::Pass, reason: None, waiver: None, ..event }
        }
        Some(Waiver { outcome, .. }) => CaseEvent { outcome, waiver: None, ..event },
    }
}

/// Whether the patterns that concern a backend are tried on few enough cases.
///
/// # Errors
///
/// The first entry that would have to be tried too often, with those before it.
pub(super) fn check_tries(
    known: &KnownFailures,
    backend: &Identity,
    ids: &BTreeSet<&str>,
) -> Result<(), Vec<Diagnostic>> {
    let mut tried = 0_usize;
    let one_too_many = known.entries.iter().filter(|entry| entry.concerns(backend)).find(|entry| {
        tried += candidates(entry.case.as_str(), ids).count();
        tried > MOST_TRIED
    });
    let Some(entry) = one_too_many else { return Ok(()) };
    let message = format!("up to `{}` patterns are tried {tried} times on a case", entry.case);
    let help = "only cases that begin like a pattern are: begin it with the operator and the file";
    let problem = Problem::at(entry.position, message).with_help(help);
    Err(Diagnostic::of_file(&known.path, &known.text, vec![problem]))
}

/// The cases that an entry is about.
pub(super) fn matching<'a>(entry: &KnownFailure, ids: &BTreeSet<&'a str>) -> impl Iterator<Item = &'a str> {
    candidates(entry.case.as_str(), ids).filter(|id| entry.case.matches(id))
}

/// The cases on which a pattern has to be tried: those that begin as it does, and the ids are sorted.
pub(crate) fn candidates<'a>(pattern: &str, ids: &BTreeSet<&'a str>) -> impl Iterator<Item = &'a str> {
    let begin = pattern.split(['*', '?', '[']).next().unwrap_or_default();
    let from = ids.range::<str, _>((Bound::Included(begin), Bound::Unbounded));
    from.take_while(move |id| id.starts_with(begin)).copied()
}

/// What was perhaps meant is looked for only where it is asked for: it takes a look at every case.
fn stale(entry: &KnownFailure, ids: &BTreeSet<&str>, explained: bool) -> Problem {
    let pattern = entry.case.as_str();
    let problem = Problem::at(entry.position, format!("`{pattern}` is stale: there is no such case"));
    if !explained {
        return problem;
    }
    let below = format!("{pattern}/");
    if ids.iter().any(|id| id.starts_with(&below)) {
        return problem.with_help(format!("`{pattern}/*` matches what is below it"));
    }
    // What stands beside the place that the pattern leads to; otherwise the place itself was perhaps meant to be another.
    let (place, _) = pattern.rsplit_once('/').unwrap_or((pattern, ""));
    let beside = format!("{place}/");
    let places: BTreeSet<&str> = ids.iter().flat_map(|id| id.match_indices('/').map(|(end, _)| &id[..end])).collect();
    let meant = if places.contains(place) {
        near(pattern, ids.iter().copied().filter(|id| id.starts_with(&beside)))
    } else {
        near(place, places)
    };
    match meant.first() {
        Some(meant) => problem.with_help(format!("did you mean `{meant}`?")),
        None => problem,
    }
}
