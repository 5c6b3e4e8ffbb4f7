//! Several backends side by side, as the page, the picture and the table on top of the Markdown show them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::appearance::{Appearance, WORST_FIRST, of_standing};
use super::{Cell, LevelRow, Log, Matrix, Reported};
use crate::judge::{FamilyInfo, OperatorInfo};
use crate::render::counted;
use opcert_backend::foreign::printable_line;

/// Logs, counted and named; or other reports, where no more than their matrix is asked for.
#[derive(Debug)]
pub struct Comparison<'a, R = Log> {
    /// One per report, in the order given.
    pub backends: Vec<Compared<'a, R>>,
    /// The families of all reports that have operators with cases.
    pub families: Vec<ComparedFamily<'a>>,
}

/// A backend among others.
#[derive(Debug)]
pub struct Compared<'a, R = Log> {
    /// What it is called in links: its name, numbered where another one before it has the same.
    pub key: String,
    /// What it is called where people read: name, version and device.
    pub label: String,
    /// The same in two parts, for where there is room.
    pub parts: (String, Option<String>),
    /// What happened.
    pub log: &'a R,
    matrix: Matrix,
}

/// A family with the operators that were run.
#[derive(Debug)]
pub struct ComparedFamily<'a> {
    /// The family.
    pub info: &'a FamilyInfo,
    /// Its operators, those with cases in some report.
    pub operators: Vec<OperatorInfo>,
}

impl<'a, R: Reported> Comparison<'a, R> {
    /// Counts each report.
    #[must_use]
    pub fn of(logs: &'a [R]) -> Self {
        let mut backends: Vec<Compared<'a, R>> = Vec::with_capacity(logs.len());
        let mut taken = BTreeSet::new();
        for log in logs {
            let name = log.backend().name.to_string();
            let numbered = (2..).map(|number| format!("{name}-{number}")).find(|numbered| !taken.contains(numbered));
            let key = if taken.contains(&name) { numbered.unwrap_or(name) } else { name };
            taken.insert(key.clone());
            let parts = parts(log, &backends);
            let label = joined(&parts);
            backends.push(Compared { key, label, parts, log, matrix: log.matrix() });
        }
        let families = families(&backends);
        Self { backends, families }
    }

    /// Which of the reports are of which suite, where not all that ran one as a whole ran the same. A certificate and a log
    /// have no digest of the suite in common: suites are told apart by how many cases they have.
    #[must_use]
    pub fn different_suites(&self) -> Option<String> {
        let mut suites: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for backend in self.backends.iter().filter(|backend| backend.log.is_complete()) {
            suites.entry(backend.log.cases()).or_default().push(&backend.label);
        }
        let each = suites
            .iter()
            .rev()
            .map(|(cases, labels)| format!("of {} on {}", counted(*cases, "case"), labels.join(", ")));
        let each = each.collect::<Vec<_>>().join("; ");
        let advice =
            "Neither verdicts nor counts of one compare with those of another: certify again what ran an older one.";
        (suites.len() > 1).then(|| format!("Different suites were run: {each}. {advice}"))
    }

    /// The stretches of levels at which nothing changes, whichever operator of the family and backend is looked at.
    #[must_use]
    pub fn stretches(&self, family: &ComparedFamily<'_>) -> Vec<Range<usize>> {
        let mut stretches: Vec<Range<usize>> = Vec::new();
        let levels = &family.info.levels;
        for (at, level) in levels.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|before| levels.get(before));
            let alike = before.is_some_and(|before| {
                family.operators.iter().all(|operator| {
                    self.backends.iter().all(|backend| {
                        match (backend.row(operator, before), backend.row(operator, level)) {
                            (Some(one), Some(other)) => one.is_like(other),
                            (None, None) => true,
                            _ => false,
                        }
                    })
                })
            });
            match stretches.last_mut() {
                Some(last) if alike => last.end = at + 1,
                _ => stretches.push(at..at + 1),
            }
        }
        stretches
    }
}

impl<R: Reported> Compared<'_, R> {
    /// What the operators come to at the highest level that was run, on all requirements: each verdict, the worst first,
    /// and how many operators have it. A run that is not complete has no verdicts, and says so.
    #[must_use]
    pub(crate) fn in_short(&self) -> Vec<(String, Appearance, usize)> {
        let complete = self.log.is_complete();
        let mut found: Vec<(String, Appearance, usize)> = Vec::new();
        for (_, row) in self.highest() {
            let ([_, standing], [_, total]) = (row.standings, row.totals());
            let (name, look) = (standing.name(complete), of_standing(standing, total, complete));
            match found.iter_mut().find(|(other_name, other, _)| *other == look && *other_name == name) {
                Some((.., count)) => *count += 1,
                None => found.push((name, look, 1)),
            }
        }
        found.sort_by_key(|(_, look, _)| WORST_FIRST.iter().position(|worse| worse == look));
        found
    }
}

impl<R> Compared<'_, R> {
    /// What the backend comes to for an operator at a level; `None` where its log knows neither.
    #[must_use]
    pub fn row(&self, operator: &OperatorInfo, level: &str) -> Option<&LevelRow> {
        let matrix = self.matrix.operators.iter().find(|each| each.operator.id == operator.id)?;
        matrix.has_cases.then(|| matrix.levels.iter().find(|row| row.level == level))?
    }

    /// Everything that counts for the verdict on an operator at the highest level that was run.
    #[must_use]
    pub fn highest(&self) -> Vec<(&OperatorInfo, &LevelRow)> {
        let shown = self.matrix.operators.iter().filter(|operator| operator.has_cases);
        let last =
            |operator: &'_ super::OperatorMatrix| operator.levels.iter().rposition(|row| row.standings[1].is_verdict());
        shown.filter_map(|each| Some((&each.operator, each.levels.get(last(each)?)?))).collect()
    }

    /// The rows that there is a verdict on, operator by operator.
    pub fn verdicts_by_operator(&self) -> impl Iterator<Item = impl Iterator<Item = &LevelRow>> {
        let operators = self.matrix.operators.iter().filter(|operator| operator.has_cases);
        operators.map(|operator| operator.levels.iter().filter(|row| row.standings[1].is_verdict()))
    }

    /// Every row that there is a verdict on.
    pub fn verdicts(&self) -> impl Iterator<Item = &LevelRow> {
        self.verdicts_by_operator().flatten()
    }
}

impl LevelRow {
    /// Whether another level comes to the same.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        Self { level: other.level.clone(), ..self.clone() } == *other
    }

    /// All cells together, on stated requirements alone and on all.
    #[must_use]
    pub fn totals(&self) -> [Cell; 2] {
        self.counts
            .map(|counts| counts.packed.and(counts.strided).and(counts.refusals_packed).and(counts.refusals_strided))
    }
}

/// A name for people has room for so many characters, and the rest is left out.
const LONGEST_NAME: usize = 80;

/// Name and version; and on which device. Numbered where others before it are called the same.
fn parts<R: Reported>(log: &R, before: &[Compared<'_, R>]) -> (String, Option<String>) {
    let short = |text: String| {
        let line = printable_line(&text);
        let rest = if line.chars().count() > LONGEST_NAME { "…" } else { "" };
        line.chars().take(LONGEST_NAME).collect::<String>() + rest
    };
    let backend = log.backend();
    let name = short(format!("{} {}", backend.name, backend.version));
    let device = backend.device.as_ref().map(|device| short(format!("on {device}")));
    let taken = |name: &str| before.iter().any(|other| other.parts.0 == name && other.parts.1 == device);
    let numbered = (2..).map(|number| format!("{name} ({number})")).find(|numbered| !taken(numbered));
    let name = if taken(&name) { numbered.unwrap_or(name) } else { name };
    (name, device)
}

fn joined((name, device): &(String, Option<String>)) -> String {
    device.as_ref().map_or_else(|| name.clone(), |device| format!("{name} {device}"))
}

/// The name of a stretch of levels: `3_0` or `3_0 – 4_0`.
#[must_use]
pub fn stretch_name(levels: &[String]) -> String {
    match levels {
        [only] => only.clone(),
        [first, .., last] => format!("{first} – {last}"),
        [] => String::new(),
    }
}

/// What the reports name, in the order of the first that names it.
fn families<'a, R: Reported>(backends: &[Compared<'a, R>]) -> Vec<ComparedFamily<'a>> {
    let mut families: Vec<ComparedFamily<'a>> = Vec::new();
    for backend in backends {
        for info in backend.log.families() {
            if !families.iter().any(|family| family.info.name == info.name) {
                families.push(ComparedFamily { info, operators: Vec::new() });
            }
        }
        let with_cases = backend.matrix.operators.iter().filter(|operator| operator.has_cases);
        for operator in with_cases.map(|operator| &operator.operator) {
            let family = families.iter_mut().find(|family| family.info.name == operator.family);
            if let Some(family) = family
                && !family.operators.iter().any(|known| known.id == operator.id)
            {
                family.operators.push(operator.clone());
            }
        }
    }
    families.retain(|family| !family.operators.is_empty());
    families
}
