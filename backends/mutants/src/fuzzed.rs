//! What fuzzing finds: every chosen wrong backend that a small tensor can expose is fuzzed. Not found, not shrunk, and a case
//! that does not fail again when it is read from its file are gaps.
//!
//! Whether a small tensor can expose a wrong backend is for the suite to say: one of its small cases goes wrong on it.
//! Samples are counted, so that what is found does not depend on the machine; only the times do.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use opcert::backend::{Backend, NamedTensor, Role};
use opcert::case::{Case, CaseSource, write};
use opcert::check::{CheckedCase, Suite};
use opcert::coverage::cites;
use opcert::fuzz::{Failure, Fuzzing, Limit, Target};
use opcert::judge::judge;
use opcert::mutate::{Ready, Subject};
use opcert::plan::{Plan, Selection};
use opcert::run::execute;
use opcert::source::Source;
use opcert::spec::Specs;
use rayon::prelude::*;

use crate::chosen::Chosen;
use crate::lines;

/// The inputs of a small case have at most so many elements each.
const SMALL_INPUT: u64 = 32;
/// Its outputs have at most so many.
const SMALL_OUTPUT: u64 = 256;
/// So many samples of each operator are tried, which takes about ten seconds on a machine that does nothing else.
const SAMPLES: u64 = 1_000_000;
/// The inputs of a shrunk case have at most so many elements each.
const SHRUNK_INPUT: u64 = 8;
/// So many of the finds that took longest are shown.
const SHOWN: usize = 12;

/// A failure that fuzzing came upon.
struct Find {
    /// How many samples it took.
    samples: u64,
    /// How long it took, shrinking included.
    time: Duration,
    /// The elements of the largest input of the shrunk case; before the edit, if it is one, since data is there.
    elements: u64,
    /// Whether the case goes wrong when it is read from its file.
    repeats: bool,
    /// What goes wrong.
    what: String,
}

/// What became of a wrong backend of an operator.
pub(crate) struct Row {
    mutant: String,
    operator: String,
    /// Nothing if no small tensor can expose it.
    fuzzed: Option<Option<Find>>,
}

impl Row {
    fn found(&self) -> Option<&Find> {
        self.fuzzed.as_ref().and_then(Option::as_ref)
    }

    /// What is not as it should be.
    fn complaint(&self) -> Option<String> {
        let Some(find) = self.fuzzed.as_ref()? else { return Some("not found".to_owned()) };
        let complaints = [(find.elements > SHRUNK_INPUT, "not small"), (!find.repeats, "does not repeat")];
        let complaints: Vec<&str> = complaints.iter().filter(|(is, _)| *is).map(|(_, complaint)| *complaint).collect();
        (!complaints.is_empty()).then(|| complaints.join(", "))
    }
}

/// Fuzzes the chosen wrong backends of an operator. Their cases are kept in a folder, if there is one.
///
/// # Errors
///
/// When a sample cannot be drawn, run or written.
pub(crate) fn rows(
    specs: &Specs,
    subject: &Subject,
    chosen: &[Chosen],
    (seed, kept): (u64, Option<&Path>),
) -> Result<Vec<Row>, String> {
    let operator = subject.operator.id.as_str();
    // All claim the same.
    let Some(first) = chosen.first() else { return Ok(Vec::new()) };
    let first = fuzzing(specs, &*first.backend, operator, seed);
    let mut targets = first.targets().map_err(|error| error.to_string())?;
    let target = targets.pop().ok_or_else(|| format!("{operator}: there is nothing to draw"))?;
    let row = |mutant: &Chosen| {
        let kept = kept.map(|folder| folder.join(&mutant.name));
        let fuzzing = fuzzing(specs, &*mutant.backend, operator, seed);
        let fuzzed = is_exposed(mutant, subject).then(|| fuzz(&fuzzing, &target, kept.as_deref())).transpose()?;
        Ok(Row { mutant: mutant.name.clone(), operator: operator.to_owned(), fuzzed })
    };
    chosen.par_iter().with_max_len(1).map(row).collect()
}

/// Ends at the first failure of one operator.
fn fuzzing<'a>(specs: &'a Specs, backend: &'a dyn Backend, operator: &str, seed: u64) -> Fuzzing<'a> {
    let (operators, limit) = (vec![operator.to_owned()], Limit::Samples(SAMPLES));
    Fuzzing { specs, backend, operators, level: None, seed, jobs: 1, limit, most_failures: 1 }
}

/// Whether all tensors of a case are small, also where it is only compiled or refused.
fn is_small(case: &CheckedCase) -> bool {
    case.descriptor().tensors.iter().all(|entry| {
        let most = if entry.role == Role::Input { SMALL_INPUT } else { SMALL_OUTPUT };
        elements(entry) <= most
    })
}

fn elements(entry: &NamedTensor) -> u64 {
    entry.tensor.element_count().unwrap_or(u64::MAX)
}

/// Whether a small case goes wrong. Those that should are tried first.
fn is_exposed(mutant: &Chosen, subject: &Subject) -> bool {
    let mut cases: Vec<&Ready> = subject.cases.iter().filter(|ready| is_small(&ready.planned.case)).collect();
    cases.sort_by_key(|ready| !cites(&ready.planned.case, &mutant.breaks));
    cases.into_iter().filter(|ready| mutant.may_show(ready, subject)).any(|ready| {
        let planned = &ready.planned;
        judge(planned, execute(planned, &*mutant.backend)).outcome.is_bad()
    })
}

/// The first failure of an operator, if one is found.
fn fuzz(fuzzing: &Fuzzing<'_>, target: &Target, kept: Option<&Path>) -> Result<Option<Find>, String> {
    let report = fuzzing.run_on(target);
    if let Some(mistake) = report.mistakes.first() {
        return Err(format!("{}: {mistake}", report.operator.id));
    }
    let Some(failure) = report.failures.first() else { return Ok(None) };
    if let Some(folder) = kept {
        save(folder, failure).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    Ok(Some(Find {
        samples: failure.sample + 1,
        time: report.time,
        elements: failure.cases.iter().filter(|case| case.twin.is_none()).map(largest_input).max().unwrap_or(0),
        repeats: repeats(fuzzing, failure).map_err(|error| format!("{}: {error}", report.operator.id))?,
        what: failure.event.outcome.to_string(),
    }))
}

fn largest_input(case: &Case) -> u64 {
    let inputs = case.tensors.iter().filter(|tensor| tensor.role == Role::Input);
    inputs.map(|tensor| tensor.descriptor.element_count().unwrap_or(u64::MAX)).max().unwrap_or(0)
}

/// Whether the failing case goes wrong when it is written to a file and read again.
fn repeats(fuzzing: &Fuzzing<'_>, failure: &Failure) -> Result<bool, Box<dyn std::error::Error>> {
    let Fuzzing { specs, backend, .. } = *fuzzing;
    let Some(failing) = failure.cases.last() else { return Ok(false) };
    let folder = tempfile::tempdir()?;
    save(folder.path(), failure)?;
    let source = CaseSource(Source::Path(folder.path().to_owned()));
    let suite = Suite::load(&source, specs, |_| true).map_err(|found| lines(&found))?;
    let level = failure.level.map(|level| failing.operator.family.level_name(level).to_owned());
    let plan = Plan::new(suite.cases, specs, backend, &Selection { level, ..Selection::default() })?;
    let bad = plan.entries.iter().filter(|planned| judge(planned, execute(planned, backend)).outcome.is_bad());
    let bad: Vec<&str> = bad.map(|planned| planned.case.about().name()).collect();
    Ok(bad.contains(&failing.name.as_str()))
}

fn save(folder: &Path, failure: &Failure) -> io::Result<()> {
    let Some(operator) = failure.cases.last().map(|case| &case.operator) else { return Ok(()) };
    let place = folder.join(&operator.id);
    fs::create_dir_all(&place)?;
    fs::write(place.join("found.yaml"), write(operator, "Found by fuzzing.", &failure.cases))
}

/// Prints what was found, and returns the gaps.
pub(crate) fn report(rows: &[Row]) -> Vec<String> {
    let mut slowest: Vec<(&Row, &Find)> = rows.iter().filter_map(|row| Some((row, row.found()?))).collect();
    slowest.sort_by_key(|(_, find)| Reverse(find.time));
    println!("\nwhat fuzzing took longest to find:");
    slowest.iter().take(SHOWN).for_each(|(row, find)| println!("  {}", line(row, Some(find))));
    let gaps = rows.iter().filter_map(|row| Some(format!("fuzzing: {}: {}", line(row, row.found()), row.complaint()?)));
    let gaps = gaps.collect();
    let skipped = rows.iter().filter(|row| row.fuzzed.is_none());
    let skipped: Vec<String> = skipped.map(|row| format!("  {} ({})", row.mutant, row.operator)).collect();
    println!("\nexposed by no small tensor, {}:\n{}", skipped.len(), skipped.join("\n"));
    summary(rows);
    gaps
}

fn line(row: &Row, find: Option<&Find>) -> String {
    let name = format!("{} ({})", row.mutant, row.operator);
    let Some(Find { samples, time, elements, what, .. }) = find else { return name };
    format!("{name:<80} {samples:>7} samples {:>5.2} s {elements:>2} elements {what}", time.as_secs_f64())
}

fn summary(rows: &[Row]) {
    let exposable: Vec<&Row> = rows.iter().filter(|row| row.fuzzed.is_some()).collect();
    let found: Vec<&Find> = exposable.iter().filter_map(|row| row.found()).collect();
    let names =
        |rows: &mut dyn Iterator<Item = &&Row>| rows.map(|row| row.mutant.as_str()).collect::<BTreeSet<&str>>().len();
    let mut times: Vec<Duration> = found.iter().map(|find| find.time).collect();
    times.sort();
    let mut samples: Vec<u64> = found.iter().map(|find| find.samples).collect();
    samples.sort_unstable();
    println!(
        "\n{} of {} mutants can be exposed ({} with their operators), {} are found ({}): at most {:.2} s and {} samples \
         (half of them within {:.3} s and {} samples), at most {} elements",
        names(&mut exposable.iter()),
        rows.iter().map(|row| &row.mutant).collect::<BTreeSet<_>>().len(),
        exposable.len(),
        names(&mut exposable.iter().filter(|row| row.found().is_some())),
        found.len(),
        times.last().copied().unwrap_or_default().as_secs_f64(),
        samples.last().copied().unwrap_or_default(),
        times.get(times.len() / 2).copied().unwrap_or_default().as_secs_f64(),
        samples.get(samples.len() / 2).copied().unwrap_or_default(),
        found.iter().map(|find| find.elements).max().unwrap_or_default(),
    );
}
