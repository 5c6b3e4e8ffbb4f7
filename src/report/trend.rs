//! How a backend has fared from report to report, over its versions and those of the suite.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use opcert_backend::ForeignText;
use opcert_backend::foreign::printable_line as shown;
use serde::Serialize;

use super::comparison::Comparison;
use super::{Change, ChangeKind, Diff, DiffCounts, HeadDifference, Log, Summary};
use crate::judge::Outcome;
use crate::render::{counted, wrapped};

/// Reports of one backend, in the order given.
#[derive(Clone, Debug, Serialize)]
pub struct Trend {
    /// The backend's name.
    pub backend: String,
    /// What each report comes to.
    pub reports: Vec<TrendReport>,
    /// The verdicts on each operator, by its id.
    pub operators: Vec<OperatorTrend>,
    /// The cases that were worse or better in a report than in the one before, or new and bad.
    pub turns: Vec<Turn>,
}

/// One report among others.
#[derive(Clone, Debug, Serialize)]
pub struct TrendReport {
    /// What it is called: the backend's version, numbered where one before has the same.
    pub label: String,
    /// How many cases were run.
    pub cases: usize,
    /// How many cases have each outcome.
    pub outcomes: BTreeMap<Outcome, usize>,
    /// What is different from the report before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Since>,
}

/// What is different from the report before.
#[derive(Clone, Debug, Serialize)]
pub struct Since {
    /// How many cases differ.
    #[serde(flatten)]
    pub counts: DiffCounts,
    /// So many are new: a later suite has them.
    pub new: usize,
    /// So many of the new ones are bad.
    pub new_and_bad: usize,
    /// So many are gone.
    pub gone: usize,
    /// What was run, where the two do not agree.
    pub heads: Vec<HeadDifference>,
}

/// An operator from report to report.
#[derive(Clone, Debug, Serialize)]
pub struct OperatorTrend {
    /// Its id.
    pub operator: String,
    /// What each report says of it at the highest level that it has a verdict on; `None` where it has none.
    pub at: Vec<Option<OperatorStanding>>,
}

/// What a report says of an operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OperatorStanding {
    /// The highest level that there is a verdict on.
    pub level: String,
    /// The verdict on all requirements.
    pub verdict: String,
    /// How many cases apply.
    pub applicable: usize,
    /// So many of them passed.
    pub passed: usize,
}

/// Cases that had the same outcomes, report by report.
#[derive(Clone, Debug, Serialize)]
pub struct Turn {
    /// The outcome in each report; `None` where it does not have the case.
    pub outcomes: Vec<Option<Outcome>>,
    /// The cases' ids.
    pub cases: Vec<String>,
}

/// Why reports have no trend.
#[derive(Debug, thiserror::Error)]
pub enum TrendError {
    /// There are too few.
    #[error("a trend takes two reports at least, the earliest first")]
    TooFew,
    /// They are not of one backend.
    #[error("a trend is that of one backend, and these are of `{}` and `{}`: `opcert matrix` compares them", shown(.0), shown(.1))]
    OtherBackend(String, String),
}

impl Trend {
    /// Compares each report with the one before. Where `strict` is asked for, what passed and is waived now is a regression.
    ///
    /// # Errors
    ///
    /// When there are fewer than two, or they are not of one backend.
    pub fn of(logs: &[Log], strict: bool) -> Result<Self, TrendError> {
        let names = || logs.iter().map(|log| log.header.backend.name.to_string());
        let (Some(backend), true) = (names().next(), logs.len() > 1) else { return Err(TrendError::TooFew) };
        if let Some(other) = names().find(|name| *name != backend) {
            return Err(TrendError::OtherBackend(backend, other));
        }
        let mut reports: Vec<TrendReport> = Vec::with_capacity(logs.len());
        let mut turned: BTreeSet<&str> = BTreeSet::new();
        let diffs: Vec<Diff> = logs.windows(2).map(|two| Diff::of(&two[0], &two[1], strict)).collect();
        for (at, log) in logs.iter().enumerate() {
            let diff = at.checked_sub(1).map(|before| &diffs[before]);
            let turns = diff.iter().flat_map(|diff| &diff.changes).filter(|change| is_turn(change));
            turned.extend(turns.map(|change| change.case.as_str()));
            let label = label(log, &reports);
            let (cases, outcomes) = (log.cases.len(), log.footer().outcomes);
            reports.push(TrendReport { label, cases, outcomes, since: diff.map(Since::of) });
        }
        Ok(Self { backend, reports, operators: operators(logs), turns: turns(logs, &turned) })
    }

    /// Whether the last report is worse than the one before.
    #[must_use]
    pub fn regressed(&self) -> bool {
        self.reports.last().and_then(|last| last.since.as_ref()).is_some_and(|since| since.counts.regressions > 0)
    }

    /// For a person, in lines of at most `width` columns where they can be: report by report, the operators whose verdicts or
    /// counts changed, and the cases that turned.
    #[must_use]
    pub fn human(&self, width: usize) -> String {
        let mut text = format!("{}: {}\n\n", shown(&self.backend), counted(self.reports.len(), "report"));
        for report in &self.reports {
            let outcomes: Vec<String> =
                report.outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
            let line = format!("{}: {}: {}", report.label, counted(report.cases, "case"), outcomes.join(", "));
            text.push_str(&wrapped(&line, "", "    ", width));
            if let Some(since) = &report.since {
                text.push_str(&wrapped(&since.line(), "    ", "    ", width));
            }
        }
        self.operators_in_lines(&mut text, width);
        for Turn { outcomes, cases } in &self.turns {
            let each: Vec<String> = outcomes
                .iter()
                .map(|each| each.map_or_else(|| "not there".to_owned(), |each| each.to_string()))
                .collect();
            let _ = writeln!(text, "\n{} ({})", each.join(" -> "), counted(cases.len(), "case"));
            cases.iter().for_each(|case| _ = writeln!(text, "  {}", shown(case)));
        }
        text
    }

    fn operators_in_lines(&self, text: &mut String, width: usize) {
        let (same, changed): (Vec<_>, Vec<_>) =
            self.operators.iter().partition(|each| each.at.windows(2).all(|two| two[0] == two[1]));
        for OperatorTrend { operator, at } in changed {
            let _ = writeln!(text, "\n{operator}");
            let mut from = 0;
            for stretch in at.chunk_by(|one, other| one == other) {
                let last = from + stretch.len() - 1;
                let labels = if stretch.len() == 1 {
                    self.reports[from].label.clone()
                } else {
                    format!("{} – {}", self.reports[from].label, self.reports[last].label)
                };
                let said = stretch[0].as_ref().map_or_else(|| "no verdict".to_owned(), OperatorStanding::line);
                text.push_str(&wrapped(&format!("{labels}: {said}"), "  ", "      ", width));
                from += stretch.len();
            }
        }
        if !same.is_empty() {
            let each = same.iter().map(|each| match &each.at[0] {
                Some(found) => format!("{} {}", each.operator, found.verdict),
                None => format!("{} has no verdict", each.operator),
            });
            let line = format!("the same throughout: {}", each.collect::<Vec<_>>().join("; "));
            text.push('\n');
            text.push_str(&wrapped(&line, "", "    ", width));
        }
    }
}

impl Since {
    fn of(diff: &Diff) -> Self {
        let count = |kinds: &[ChangeKind]| diff.changes.iter().filter(|change| kinds.contains(&change.kind)).count();
        Self {
            counts: diff.counts,
            new: count(&[ChangeKind::New, ChangeKind::NewAndBad]),
            new_and_bad: count(&[ChangeKind::NewAndBad]),
            gone: count(&[ChangeKind::Gone]),
            heads: diff.heads.iter().filter(|head| head.what != "version").cloned().collect(),
        }
    }

    fn line(&self) -> String {
        let Self { counts: DiffCounts { regressions, fixed, changed, unchanged }, new, new_and_bad, gone, heads } =
            self;
        let otherwise = changed.saturating_sub(new - new_and_bad + gone);
        let bad = if *new_and_bad > 0 { format!(" ({new_and_bad} of them bad)") } else { String::new() };
        let heads: String = heads
            .iter()
            .map(|HeadDifference { what, before, after }| format!("; {what}: {before} -> {after}"))
            .collect();
        let regressions = counted(*regressions, "regression");
        format!(
            "since the one before: {regressions}, {fixed} fixed, {otherwise} otherwise changed, {new} new{bad}, {gone} gone, {unchanged} unchanged{heads}"
        )
    }
}

impl OperatorStanding {
    fn line(&self) -> String {
        format!("{} at {}, {} of {} pass", self.verdict, self.level, self.passed, self.applicable)
    }
}

/// Whether a case is worse or better than before, or new and bad, and not merely new, gone, or known for another reason.
fn is_turn(change: &Change) -> bool {
    let outcome = |summary: &Option<Summary>| summary.as_ref().map(|summary| summary.outcome);
    match change.kind {
        ChangeKind::New | ChangeKind::Gone | ChangeKind::StillBad | ChangeKind::ObservationChanged => false,
        ChangeKind::Broken
        | ChangeKind::NewAndBad
        | ChangeKind::Lost
        | ChangeKind::BrokenAndWaived
        | ChangeKind::Waived
        | ChangeKind::Fixed
        | ChangeKind::Gained => outcome(&change.before) != outcome(&change.after),
    }
}

fn label(log: &Log, before: &[TrendReport]) -> String {
    let version = shown(&ForeignText::to_string(&log.header.backend.version));
    let taken = |label: &str| before.iter().any(|other| other.label == label);
    let numbered = (2..).map(|number| format!("{version} ({number})")).find(|numbered| !taken(numbered));
    if taken(&version) { numbered.unwrap_or(version) } else { version }
}

fn operators(logs: &[Log]) -> Vec<OperatorTrend> {
    let mut found: BTreeMap<String, Vec<Option<OperatorStanding>>> = BTreeMap::new();
    for (at, backend) in Comparison::of(logs).backends.iter().enumerate() {
        for (operator, row) in backend.highest() {
            let [_, total] = row.totals();
            let standing = OperatorStanding {
                level: row.level.clone(),
                verdict: row.standings[1].name(backend.log.header.complete),
                applicable: total.applicable,
                passed: total.passed,
            };
            found.entry(operator.id.clone()).or_insert_with(|| vec![None; logs.len()])[at] = Some(standing);
        }
    }
    found.into_iter().map(|(operator, at)| OperatorTrend { operator, at }).collect()
}

/// Those with the same outcomes together, the largest groups first.
fn turns(logs: &[Log], turned: &BTreeSet<&str>) -> Vec<Turn> {
    let mut outcomes: BTreeMap<&str, Vec<Option<Outcome>>> = BTreeMap::new();
    for (at, log) in logs.iter().enumerate() {
        for event in log.cases.iter().filter(|event| turned.contains(event.case.as_str())) {
            outcomes.entry(&event.case).or_insert_with(|| vec![None; logs.len()])[at] = Some(event.outcome);
        }
    }
    let mut groups: BTreeMap<Vec<Option<Outcome>>, Vec<String>> = BTreeMap::new();
    for (case, outcomes) in outcomes {
        groups.entry(outcomes).or_default().push(case.to_owned());
    }
    let mut turns: Vec<Turn> = groups.into_iter().map(|(outcomes, cases)| Turn { outcomes, cases }).collect();
    turns.sort_by_key(|turn| std::cmp::Reverse(turn.cases.len()));
    turns
}
