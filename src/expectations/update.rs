//! What a file of known failures has to become for the outcomes of a run to be just what is expected.

use std::collections::{BTreeMap, BTreeSet};

use glob::Pattern;
use opcert_backend::{ForeignText, Identity};

use super::apply::{as_judged, check_tries, matching};
use super::known::{KnownFailure, KnownFailures};
use super::write::{self, Entry};
use crate::diagnostic::Diagnostic;
use crate::judge::{CaseEvent, Outcome, UNEXPLAINED};
use crate::render::counted;

/// A file of known failures after a run, and how it differs from the one before.
#[derive(Clone, Debug)]
pub struct Update {
    /// The text of the file.
    pub text: String,
    /// The entries that are new.
    pub added: Vec<Addition>,
    /// The entries that are gone.
    pub removed: Vec<Removal>,
}

/// An entry that is new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The glob.
    pub case: String,
    /// What comes out.
    pub outcome: Outcome,
    /// Why, as far as the run tells; the reason of an earlier entry where this one takes its place.
    pub reason: String,
}

/// An entry that is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The glob.
    pub case: String,
    /// Why it is gone.
    pub why: String,
}

impl Update {
    /// Compares a file with the events of a run. `ids` are those of all cases that there are. An entry that does not
    /// concern the backend stays, and so does what is expected of a case that was not run now.
    ///
    /// # Errors
    ///
    /// Patterns that would have to be tried on cases without end.
    pub fn new<'a>(
        old: &KnownFailures,
        backend: &Identity,
        events: &[CaseEvent],
        ids: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let ids: BTreeSet<&str> = ids.into_iter().collect();
        check_tries(old, backend, &ids)?;
        let events: BTreeMap<String, CaseEvent> =
            events.iter().map(|event| (event.case.clone(), as_judged(event.clone()))).collect();
        let mut removed = Vec::new();
        let mut entries: Vec<Entry<'_>> = Vec::new();
        let mut split = Vec::new();
        let mut covered: BTreeSet<&str> = BTreeSet::new();
        for known in &old.entries {
            let keep = Entry { known: known.clone(), unchanged: Some(known) };
            if !known.concerns(backend) {
                entries.push(keep);
                continue;
            }
            match Remainder::of(known, &events, &ids, &covered) {
                Remainder::All(cases) => {
                    covered.extend(cases);
                    entries.push(keep);
                }
                Remainder::Nothing(why) => removed.push(Removal { case: known.case.to_string(), why }),
                Remainder::Some(cases, why) => {
                    covered.extend(&cases);
                    removed.push(Removal { case: known.case.to_string(), why });
                    split.extend(grouped(&cases, &ids).into_iter().map(|case| KnownFailure { case, ..known.clone() }));
                }
            }
        }
        let new = split.into_iter().chain(unexpected(&events, &ids, &covered));
        let mut added = Vec::new();
        for known in new {
            let (case, reason) = (known.case.to_string(), known.reason.clone());
            added.push(Addition { case, outcome: known.outcome, reason });
            entries.push(Entry { known, unchanged: None });
        }
        entries.sort_by(|one, other| one.known.key().cmp(&other.known.key()));
        added.sort_by(|one, other| one.case.cmp(&other.case));
        Ok(Self { text: write::file(old, &entries), added, removed })
    }
}

/// What is left of an entry after a run.
enum Remainder<'a> {
    /// All of it.
    All(Vec<&'a str>),
    /// It is about these cases only, for the reason given.
    Some(Vec<&'a str>, String),
    /// Nothing, for the reason given.
    Nothing(String),
}

impl<'a> Remainder<'a> {
    fn of(
        known: &KnownFailure,
        events: &BTreeMap<String, CaseEvent>,
        ids: &BTreeSet<&'a str>,
        covered: &BTreeSet<&'a str>,
    ) -> Self {
        let matched: Vec<&str> = matching(known, ids).collect();
        if matched.is_empty() {
            return Self::Nothing("there is no such case".to_owned());
        }
        let outcome = |case: &str| events.get(case).map(|event| event.outcome);
        // A case that was not run now may still fail.
        let fails = |case: &&str| !covered.contains(*case) && outcome(case).is_none_or(|found| found == known.outcome);
        let idle = |case: &&str| {
            let found = outcome(case);
            found.is_some_and(|found| matches!(found, Outcome::Unsupported | Outcome::NotRun | Outcome::Observed))
        };
        let left: Vec<&str> = matched.iter().copied().filter(|case| fails(case)).collect();
        let harmless = matched.iter().all(|case| fails(case) || (idle(case) && !covered.contains(case)));
        if !left.is_empty() && harmless {
            return Self::All(matched);
        }
        let passing = matched.iter().filter(|case| outcome(case) == Some(Outcome::Pass)).count();
        let why = if passing == matched.len() {
            "passes now".to_owned()
        } else if passing > 0 {
            format!("{passing} of {} pass now", counted(matched.len(), "case"))
        } else if matched.iter().all(|case| covered.contains(case)) {
            "another entry is about the same cases".to_owned()
        } else if matched.iter().all(idle) {
            "none of its cases could fail".to_owned()
        } else {
            format!("not every case comes out as `{}`", known.outcome)
        };
        if left.is_empty() { Self::Nothing(why) } else { Self::Some(left, why) }
    }
}

/// Entries for what went wrong and is not covered.
fn unexpected(
    events: &BTreeMap<String, CaseEvent>,
    ids: &BTreeSet<&str>,
    covered: &BTreeSet<&str>,
) -> Vec<KnownFailure> {
    let mut by_outcome: BTreeMap<Outcome, Vec<&str>> = BTreeMap::new();
    let wrong = events.values().filter(|event| event.outcome.is_bad() && !covered.contains(event.case.as_str()));
    for event in wrong.filter(|event| ids.contains(event.case.as_str())) {
        by_outcome.entry(event.outcome).or_default().push(&event.case);
    }
    let mut entries = Vec::new();
    for (outcome, cases) in by_outcome {
        for case in grouped(&cases, ids) {
            let mut alike = cases.iter().filter(|id| case.matches(id));
            let Some(event) = alike.next().and_then(|id| events.get(*id)) else { continue };
            let others = match alike.count() {
                0 => String::new(),
                count => format!(" (and {} of the same outcome)", counted(count, "more case")),
            };
            let reason = format!("{UNEXPLAINED}{}{others}", what_happened(event));
            let (link, device, version) = (None, None, None);
            entries.push(KnownFailure { case, outcome, reason, link, device, version, position: Default::default() });
        }
    }
    entries
}

fn what_happened(event: &CaseEvent) -> String {
    let difference = event.differences.first().map(|difference| {
        let place = difference.first.as_ref().map(|first| format!(" at {first:?}")).unwrap_or_default();
        format!("`{}`{place} is {}, expected {}", difference.tensor, difference.actual, difference.expected)
    });
    let parts: Vec<String> = event.reason.iter().map(ForeignText::to_string).chain(difference).collect();
    let said = if parts.is_empty() { event.outcome.to_string() } else { parts.join(": ") };
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// So many cases with a common beginning are written as a glob, if there are no others that begin so.
const FEWEST_IN_A_GLOB: usize = 3;

/// Globs that match these cases and no other.
fn grouped(cases: &[&str], ids: &BTreeSet<&str>) -> Vec<Pattern> {
    let all: Vec<&str> = ids.iter().copied().collect();
    let wanted: BTreeSet<&str> = cases.iter().copied().collect();
    let mut globs = Vec::new();
    group(0, &all, &wanted, &mut globs);
    globs
}

/// Goes down among sorted ids that have their first `common` bytes in common.
fn group(common: usize, ids: &[&str], wanted: &BTreeSet<&str>, globs: &mut Vec<Pattern>) {
    let count = ids.iter().filter(|id| wanted.contains(*id)).count();
    let Some(first) = ids.first().filter(|_| count > 0) else { return };
    // An empty beginning says nothing, even where everything fails.
    if count == ids.len() && count >= FEWEST_IN_A_GLOB && common > 0 {
        globs.extend(Pattern::new(&format!("{}*", Pattern::escape(&first[..common]))));
        return;
    }
    let next = |id: &str| id[common..].find(['/', '_', '-']).map_or(id.len(), |at| common + at + 1);
    for chunk in ids.chunk_by(|one, other| one[..next(one)] == other[..next(other)]) {
        match chunk {
            [id] if wanted.contains(id) => globs.extend(Pattern::new(&Pattern::escape(id))),
            [id] if next(id) == id.len() => {}
            _ => group(next(chunk[0]), chunk, wanted, globs),
        }
    }
}
