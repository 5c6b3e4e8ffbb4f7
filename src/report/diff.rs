//! What has changed from one report to another.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use opcert_backend::ForeignText;
use opcert_backend::foreign::printable_line;
use serde::Serialize;

use super::Log;
use crate::judge::{CaseEvent, Difference, Header, Observation, Outcome};
use crate::render::{counted, wrapped};

/// Two reports, case by case.
#[derive(Clone, Debug, Serialize)]
pub struct Diff {
    /// What it comes to.
    pub counts: DiffCounts,
    /// What was run, where the two do not agree: specifications, cases, versions, backends.
    pub heads: Vec<HeadDifference>,
    /// The cases that differ, kind by kind, in the order of the later report; those that are gone in the order of the
    /// earlier one.
    pub changes: Vec<Change>,
}

/// How many cases differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DiffCounts {
    /// They are worse in the later report.
    pub regressions: usize,
    /// Nothing is wrong with them any more.
    pub fixed: usize,
    /// They differ otherwise, or are new or gone.
    pub changed: usize,
    /// They neither differ nor are new or gone.
    pub unchanged: usize,
}

/// Something that the two headers do not agree on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeadDifference {
    /// What.
    pub what: &'static str,
    /// In the earlier report.
    pub before: String,
    /// In the later one.
    pub after: String,
}

/// A case that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// In which way.
    pub kind: ChangeKind,
    /// The case's id.
    pub case: String,
    /// In the earlier report, if it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Summary>,
    /// In the later one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Summary>,
}

/// What came out of a case, as far as two reports are compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The outcome.
    pub outcome: Outcome,
    /// Why, or how outputs differ, or what was observed; one line for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
}

/// In which way a case differs. The first three are regressions, and the fourth is one to whoever is strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Nothing was wrong with it, and something is.
    Broken,
    /// It is new, and something is wrong with it.
    NewAndBad,
    /// It ran, and does not any more: it is not supported, or not claimed.
    Lost,
    /// It passed, or gave an answer, and fails now as is known: somebody has let it pass since.
    BrokenAndWaived,
    /// It is wrong in another way.
    StillBad,
    /// Its failure is a known one now, and it did not pass before.
    Waived,
    /// Something was wrong with it or was known to be, and nothing is.
    Fixed,
    /// It did not run, and does now.
    Gained,
    /// Another answer to what the documents leave open.
    ObservationChanged,
    /// It is new.
    New,
    /// It is not there any more.
    Gone,
}

impl ChangeKind {
    /// Whether the later report is worse for it. To whoever is `strict`, a waiver is no excuse for what once passed.
    #[must_use]
    pub const fn is_regression(self, strict: bool) -> bool {
        match self {
            Self::Broken | Self::NewAndBad | Self::Lost => true,
            Self::BrokenAndWaived => strict,
            _ => false,
        }
    }

    /// In words.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::NewAndBad => "new, and bad",
            Self::Lost => "no longer run",
            Self::BrokenAndWaived => "broken, and known failures now",
            Self::StillBad => "still bad, in another way",
            Self::Waived => "known failures now",
            Self::Fixed => "fixed",
            Self::Gained => "run now",
            Self::ObservationChanged => "observation changed",
            Self::New => "new",
            Self::Gone => "gone",
        }
    }
}

impl Diff {
    /// Compares two reports. Where `strict` is asked for, what passed and is waived now is a regression.
    #[must_use]
    pub fn of(before: &Log, after: &Log, strict: bool) -> Self {
        let earlier: BTreeMap<&str, &CaseEvent> = by_id(before);
        let later = by_id(after);
        let mut changes = Vec::new();
        let mut unchanged = 0;
        for event in &after.cases {
            let old = earlier.get(event.case.as_str()).copied();
            let kind = match old {
                None if is_wrong(event.outcome) => Some(ChangeKind::NewAndBad),
                None => Some(ChangeKind::New),
                Some(old) => change(old, event),
            };
            match kind {
                None => unchanged += 1,
                Some(kind) => changes.push(Change {
                    kind,
                    case: event.case.clone(),
                    before: old.map(Summary::of),
                    after: Some(Summary::of(event)),
                }),
            }
        }
        for event in before.cases.iter().filter(|event| !later.contains_key(event.case.as_str())) {
            let (kind, case, before) = (ChangeKind::Gone, event.case.clone(), Some(Summary::of(event)));
            changes.push(Change { kind, case, before, after: None });
        }
        changes.sort_by_key(|change| change.kind);
        let count = |wanted: &dyn Fn(ChangeKind) -> bool| changes.iter().filter(|change| wanted(change.kind)).count();
        let regressions = count(&|kind| kind.is_regression(strict));
        let fixed = count(&|kind| kind == ChangeKind::Fixed);
        let changed = changes.len() - regressions - fixed;
        let counts = DiffCounts { regressions, fixed, changed, unchanged };
        Self { counts, heads: heads(before, after), changes }
    }

    /// For a person, in lines of at most `width` columns where they can be: what it comes to and what was run, then kind
    /// by kind the cases with what came out before and after.
    #[must_use]
    pub fn human(&self, width: usize) -> String {
        let DiffCounts { regressions, fixed, changed, unchanged } = self.counts;
        let regressions = counted(regressions, "regression");
        let counts = format!("{regressions}, {fixed} fixed, {changed} otherwise changed, {unchanged} unchanged");
        let mut text = wrapped(&counts, "", "    ", width);
        if !self.heads.is_empty() {
            text.push('\n');
        }
        for HeadDifference { what, before, after } in &self.heads {
            text.push_str(&wrapped(&format!("{what}: {before} -> {after}"), "", "    ", width));
        }
        for changes in self.changes.chunk_by(|one, other| one.kind == other.kind) {
            let Some(Change { kind, .. }) = changes.first() else { continue };
            let _ = writeln!(text, "\n{} ({})", kind.title(), counted(changes.len(), "case"));
            changes.iter().for_each(|change| explain(&mut text, change, width));
        }
        text
    }
}

impl Summary {
    fn of(event: &CaseEvent) -> Self {
        let reason = event.reason.iter().map(ForeignText::to_string);
        let differences = event.differences.iter().map(difference);
        let observed = event.observed.iter().map(|Observation { tensor, value }| format!("`{tensor}` = `{value}`"));
        let said = reason.chain(differences).chain(observed);
        let waiver = event.waiver.iter().map(|waiver| format!("known: {}: {}", waiver.outcome, waiver.reason));
        let said = said.chain(waiver).map(|line| printable_line(&line));
        Self { outcome: event.outcome, said: said.collect() }
    }

    fn line(&self) -> String {
        let said = self.said.join("; ");
        if said.is_empty() { self.outcome.to_string() } else { format!("{}: {said}", self.outcome) }
    }
}

fn difference(difference: &Difference) -> String {
    let Difference { tensor, differing, defined, first, expected, actual, .. } = difference;
    let place = first.as_ref().map(|first| format!(" at {first:?}")).unwrap_or_default();
    format!("{differing} of {defined} elements of `{tensor}` differ; it is {actual}{place}, expected {expected}")
}

fn by_id(log: &Log) -> BTreeMap<&str, &CaseEvent> {
    log.cases.iter().map(|event| (event.case.as_str(), event)).collect()
}

/// Whether the backend did something wrong. An unexpected pass is red for another reason: what is expected is out of
/// date.
fn is_wrong(outcome: Outcome) -> bool {
    outcome.is_bad() && outcome != Outcome::UnexpectedPass
}

/// In which way an event differs from an earlier one of the same case.
fn change(before: &CaseEvent, after: &CaseEvent) -> Option<ChangeKind> {
    let (old, new) = (before.outcome, after.outcome);
    let differs = || old != new || before.reason != after.reason || before.differences != after.differences;
    Some(match (old, new) {
        _ if is_wrong(new) && is_wrong(old) => return differs().then_some(ChangeKind::StillBad),
        _ if is_wrong(new) => ChangeKind::Broken,
        _ if old.ran() && !new.ran() => ChangeKind::Lost,
        _ if !new.ran() => return None,
        (Outcome::ExpectedFailure, Outcome::ExpectedFailure) => {
            return (differs() || before.waiver != after.waiver).then_some(ChangeKind::Waived);
        }
        (_, Outcome::ExpectedFailure) if old.ran() && !is_wrong(old) => ChangeKind::BrokenAndWaived,
        (_, Outcome::ExpectedFailure) => ChangeKind::Waived,
        _ if is_wrong(old) || old == Outcome::ExpectedFailure => ChangeKind::Fixed,
        _ if !old.ran() => ChangeKind::Gained,
        (Outcome::Observed, _) | (_, Outcome::Observed) => {
            // Whether another operator was asked for as well is a matter of what is claimed.
            let same = old == new && before.answer().eq(after.answer()) && before.reason == after.reason;
            return (!same).then_some(ChangeKind::ObservationChanged);
        }
        _ => return None,
    })
}

fn heads(before: &Log, after: &Log) -> Vec<HeadDifference> {
    let (one, other) = (&before.header, &after.header);
    let digest = |digest: &str| digest.get(..16).unwrap_or(digest).to_owned();
    let or_none = |text: &Option<String>, none: &str| text.clone().unwrap_or_else(|| none.to_owned());
    let device =
        |log: &Log| log.header.backend.device.as_ref().map_or_else(|| "none".to_owned(), ForeignText::to_string);
    let suite = |header: &Header| match (header.complete, header.suite_in_words()) {
        (false, _) => "a part of it, or another".to_owned(),
        (true, own) => own.unwrap_or_else(|| "the embedded suite".to_owned()),
    };
    let mappings = |header: &Header| {
        let digests = header.through.values().map(|claim| digest(&claim.mapping));
        or_none(&Some(digests.collect::<Vec<_>>().join(", ")).filter(|digests| !digests.is_empty()), "none")
    };
    let pairs = [
        ("backend", one.backend.name.to_string(), other.backend.name.to_string()),
        ("version", one.backend.version.to_string(), other.backend.version.to_string()),
        ("device", device(before), device(after)),
        ("claims", one.claims().join(", "), other.claims().join(", ")),
        ("opcert", one.opcert.clone(), other.opcert.clone()),
        ("specifications", digest(&one.specs), digest(&other.specs)),
        ("cases", digest(&one.cases), digest(&other.cases)),
        ("suite", suite(one), suite(other)),
        ("level", or_none(&one.level, "all that is claimed"), or_none(&other.level, "all that is claimed")),
        ("way", one.way(), other.way()),
        ("mappings", mappings(one), mappings(other)),
    ];
    let different = pairs.into_iter().filter(|(_, before, after)| before != after);
    different.map(|(what, before, after)| HeadDifference { what, before, after }).collect()
}

fn explain(text: &mut String, change: &Change, width: usize) {
    let _ = writeln!(text, "  {}", change.case);
    for (when, summary) in [("before", &change.before), ("after", &change.after)] {
        if let Some(summary) = summary {
            text.push_str(&wrapped(&summary.line(), &format!("    {when:<6}  "), &" ".repeat(12), width));
        }
    }
}
