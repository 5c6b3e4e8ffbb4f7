//! `opcert fuzz`.

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::backends::BackendEntry;
use super::chosen::{BackendArguments, Chosen, Opened};
use super::input::selection;
use super::output::write_whole;
use super::{CONFORMS, FAILED, Failure, INCOMPLETE, Sources, output};
use crate::case;
use crate::fuzz::{FuzzError, Fuzzing, Limit, MOST_FAILURES, OperatorReport};
use crate::render::counted;
use crate::report::explain_failure;

/// How long it takes when nothing is said, in seconds.
const DEFAULT_SECONDS: f64 = 10.0;

/// What the failures of an operator are written to.
const FILE: &str = "found.yaml";
/// How such a file begins.
const PREAMBLE: &str = "# Found by `opcert fuzz ";

/// Arguments of `opcert fuzz`.
#[derive(Debug, Args)]
pub(super) struct FuzzArguments {
    #[command(flatten)]
    backend: BackendArguments,
    /// How many seconds it takes, all operators together
    #[arg(long, value_name = "S", default_value_t = DEFAULT_SECONDS, conflicts_with = "count")]
    seconds: f64,
    /// How many samples of each operator there are
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    /// The number that all samples follow from; another one each time when none is given
    #[arg(long, value_name = "K")]
    seed: Option<u64>,
    /// An operator, such as `directml/argmax`; all of them when none is given
    #[arg(long, value_name = "ID")]
    operator: Vec<String>,
    /// How many threads there are; 0 is one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// The highest feature level
    #[arg(long)]
    level: Option<String>,
    /// Read specifications from this folder instead of the embedded ones
    #[arg(long, value_name = "DIR")]
    specs: Option<PathBuf>,
    /// Write what fails to this folder, as cases
    #[arg(long, value_name = "DIR", default_value = "fuzz")]
    out: PathBuf,
}

pub(super) fn fuzz(arguments: &FuzzArguments, backends: &[BackendEntry]) -> Result<u8, Failure> {
    let sources = Sources { cases: None, specs: arguments.specs.clone() };
    let specs = sources.load_specs()?;
    selection(&[], arguments.level.as_deref(), false, &specs)?;
    let Opened { backend, .. } = Chosen::find(backends, &arguments.backend)?.open()?;
    let fuzzing = Fuzzing {
        specs: &specs,
        backend: &*backend,
        operators: arguments.operator.clone(),
        level: arguments.level.clone(),
        seed: arguments.seed.unwrap_or_else(seed_of_the_clock),
        jobs: arguments.jobs,
        limit: limit(arguments)?,
        most_failures: MOST_FAILURES,
    };
    let reports = run(&fuzzing).map_err(|error| match error {
        FuzzError::Operator { .. } | FuzzError::Level { .. } => Failure::Usage(error.to_string()),
        FuzzError::Claims(_) | FuzzError::Unclaimed { .. } => Failure::Backend(error.to_string()),
    })?;
    let repeat = Repeat { sources: &sources, arguments };
    // What was found is said before it is written, so that a folder that cannot be written to loses nothing.
    output::print(&text(&reports, fuzzing.seed, &repeat))?;
    write_cases(&arguments.out, &reports, fuzzing.seed)?;
    if reports.iter().any(|report| report.tally.failed > 0 || !report.mistakes.is_empty()) {
        return Ok(FAILED);
    }
    let idle = reports.iter().any(|report| report.tally.samples == 0);
    Ok(if idle { INCOMPLETE } else { CONFORMS })
}

fn limit(arguments: &FuzzArguments) -> Result<Limit, Failure> {
    if let Some(count) = arguments.count {
        return Ok(Limit::Samples(count));
    }
    let time = Duration::try_from_secs_f64(arguments.seconds).ok().filter(|time| !time.is_zero());
    time.map(Limit::Time).ok_or_else(|| {
        Failure::Usage(format!("`--seconds` is {:e}, which is no time to fuzz for: more than 0", arguments.seconds))
    })
}

/// A seed that is short enough to be typed.
fn seed_of_the_clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_nanos() as u64 % 1_000_000_000
}

fn run(fuzzing: &Fuzzing<'_>) -> Result<Vec<OperatorReport>, FuzzError> {
    let progress = progress();
    let mut operator = String::new();
    let reports = fuzzing.run(|fuzzed, tally| {
        if operator != fuzzed.id {
            fuzzed.id.clone_into(&mut operator);
            progress.set_message(operator.clone());
            progress.reset();
        }
        progress.set_position(tally.samples);
    });
    progress.finish_and_clear();
    reports
}

/// A line on a terminal, and nothing elsewhere.
fn progress() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg} {human_pos} samples, {per_sec}");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

/// Writes the cases of each operator that has any. What an earlier run wrote of an operator that was fuzzed goes, so
/// that the folder holds no failure that is none any more.
fn write_cases(folder: &Path, reports: &[OperatorReport], seed: u64) -> Result<(), Failure> {
    for report in reports {
        if report.failures.is_empty() {
            remove_stale(&folder.join(&report.operator.id).join(FILE))?;
            continue;
        }
        let cases: Vec<_> = report.failures.iter().flat_map(|failure| failure.cases.iter().cloned()).collect();
        let preamble = format!("Found by `opcert fuzz --operator {} --seed {seed}`.", report.operator.id);
        let text = case::write(&report.operator, &preamble, &cases);
        write_whole(&folder.join(&report.operator.id), FILE, text.as_bytes())?;
    }
    Ok(())
}

/// Removes a file of failures, if this command wrote it, and says so.
fn remove_stale(file: &Path) -> Result<(), Failure> {
    if !fs::read_to_string(file).is_ok_and(|text| text.starts_with(PREAMBLE)) {
        return Ok(());
    }
    let place = file.display();
    fs::remove_file(file).map_err(|error| Failure::Usage(format!("cannot remove `{place}`: {error}")))?;
    anstream::eprintln!("removed `{place}` of an earlier run: nothing fails there any more");
    Ok(())
}

/// The parts of the command that repeats a failure.
struct Repeat<'a> {
    sources: &'a Sources,
    arguments: &'a FuzzArguments,
}

impl Repeat<'_> {
    fn command(&self, case: Option<&str>, level: Option<&str>) -> String {
        let mut words = vec![output::program(), "run".to_owned()];
        words.extend(case.map(str::to_owned));
        let sources = Sources { cases: Some(self.arguments.out.clone()), specs: self.sources.specs.clone() };
        words.extend(sources.as_options());
        words.extend(self.arguments.backend.as_options());
        words.extend(level.or(self.arguments.level.as_deref()).map(|level| format!("--level {level}")));
        words.join(" ")
    }
}

fn text(reports: &[OperatorReport], seed: u64, repeat: &Repeat<'_>) -> String {
    let mut text = String::new();
    for report in reports {
        for failure in &report.failures {
            let family = &report.operator.family;
            let level = failure.level.map(|level| family.level_name(level));
            text.push_str(&explain_failure(&failure.event, &repeat.command(Some("{case}"), level), true));
            if !failure.repeats {
                text.push_str("  a run of the case alone did not fail again\n");
            }
            text.push('\n');
        }
        for mistake in &report.mistakes {
            text.push_str(&format!("a mistake of the fuzzer in {}: {mistake}\n", report.operator.id));
        }
    }
    text.push_str(&format!("seed {seed}\n"));
    reports.iter().for_each(|report| text.push_str(&line(report)));
    if reports.iter().any(|report| !report.failures.is_empty()) {
        let folder = repeat.arguments.out.display();
        text.push_str(&format!("\nthe failures go to `{folder}`; to repeat them: {}\n", repeat.command(None, None)));
    }
    text
}

fn line(report: &OperatorReport) -> String {
    let tally = &report.tally;
    let rate = tally.samples as f64 / report.time.as_secs_f64().max(1e-9);
    let different = match (tally.failed, report.failures.len()) {
        (0, _) => String::new(),
        (_, shown) => format!(", {} apart", counted(shown, "failure")),
    };
    format!(
        "{}: {} samples ({} valid, {} edited, {} open, {} unsupported), {} per second, {} failed{different}\n",
        report.operator.id,
        HumanCount(tally.samples),
        HumanCount(tally.valid),
        HumanCount(tally.invalid),
        HumanCount(tally.skipped),
        HumanCount(tally.unsupported),
        HumanCount(rate as u64),
        HumanCount(tally.failed),
    )
}
