//! `opcert fuzz`.

use std::fmt;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::backends::BackendEntry;
use super::chosen::{BackendArguments, Chosen, Opened};
use super::findings::{self, Earlier, Fate};
use super::input::{quoted, selection};
use super::interrupted::Stopping;
use super::{CONFORMS, FAILED, Failure, INCOMPLETE, Sources, numbers, output};
use crate::fuzz::{FuzzError, Fuzzing, Limit, MOST_FAILURES, OperatorReport, folder_of};
use crate::render::counted;
use crate::report::explain_failure;

/// How long it takes when nothing is said, in seconds.
const DEFAULT_SECONDS: f64 = 10.0;

/// Arguments of `opcert fuzz`.
#[derive(Debug, Args)]
pub(super) struct FuzzArguments {
    #[command(flatten)]
    backend: BackendArguments,
    /// How many seconds it takes, all operators together
    #[arg(long, value_name = "S", default_value_t = DEFAULT_SECONDS, value_parser = numbers::seconds, conflicts_with = "count")]
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
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = numbers::jobs)]
    jobs: usize,
    /// The highest feature level
    #[arg(long)]
    level: Option<String>,
    /// Read specifications from this folder instead of the embedded ones
    #[arg(long, value_name = "DIR")]
    specs: Option<PathBuf>,
    /// Keep what fails in this folder, as cases: a file each, by operator and backend. What is there of this backend
    /// runs first, and goes once it passes
    #[arg(long, value_name = "DIR", default_value = "fuzz")]
    out: PathBuf,
}

pub(super) fn fuzz(arguments: &FuzzArguments, backends: &[BackendEntry]) -> Result<u8, Failure> {
    let sources = Sources { cases: None, specs: arguments.specs.clone() };
    let specs = sources.load_specs()?;
    selection(&[], arguments.level.as_deref(), false, &specs)?;
    let Opened { backend, .. } = Chosen::find(backends, &arguments.backend)?.open(&specs)?;
    let fuzzing = Fuzzing {
        specs: &specs,
        backend: &*backend,
        operators: arguments.operator.clone(),
        level: arguments.level.clone(),
        seed: arguments.seed.unwrap_or_else(seed_of_the_clock),
        jobs: arguments.jobs,
        limit: limit(arguments),
        most_failures: MOST_FAILURES,
    };
    let said = |error| match error {
        FuzzError::Operator { .. } | FuzzError::Level { .. } => Failure::Usage(error.to_string()),
        FuzzError::Claims(_) | FuzzError::Unclaimed { .. } => Failure::Backend(error.to_string()),
    };
    let targets = fuzzing.targets().map_err(said)?;
    let earlier = findings::earlier(&arguments.out, &fuzzing, &targets)?;
    // What ends the program before loses nothing: all that was found by then is in files.
    let stopping = Stopping::listen();
    let reports = run(&fuzzing, stopping.is_asked()).map_err(said)?;
    let left = stopping.is_asked().load(Ordering::Relaxed).then(|| targets.len() - reports.len());
    let repeat = Repeat { sources: &sources, arguments, folder: folder_of(&fuzzing.backend.identity()) };
    // What was found is said before it is written, so that a folder that cannot be written to loses nothing, and is
    // written where nobody is left to be told, as when the terminal is gone.
    let printed = output::print(&text(&reports, &earlier, (fuzzing.seed, left), &repeat));
    findings::drop_passing(&arguments.out, &earlier)?;
    findings::write(&arguments.out, &reports, fuzzing.seed)?;
    stopping.end();
    printed?;
    if earlier.iter().any(|finding| matches!(finding.fate, Fate::Fails(..))) {
        return Ok(FAILED);
    }
    if reports.iter().any(|report| report.tally.failed > 0 || !report.mistakes.is_empty()) {
        return Ok(FAILED);
    }
    let idle = reports.iter().any(|report| report.tally.judged() == 0);
    Ok(if idle { INCOMPLETE } else { CONFORMS })
}

fn limit(arguments: &FuzzArguments) -> Limit {
    arguments.count.map_or_else(|| Limit::Time(Duration::from_secs_f64(arguments.seconds)), Limit::Samples)
}

/// A seed that is short enough to be typed.
fn seed_of_the_clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_nanos() as u64 % 1_000_000_000
}

fn run(fuzzing: &Fuzzing<'_>, is_asked: &AtomicBool) -> Result<Vec<OperatorReport>, FuzzError> {
    let progress = progress();
    let mut operator = String::new();
    let reports = fuzzing.run_until(is_asked, |fuzzed, tally| {
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
    let style = ProgressStyle::with_template("{msg}  samples: {human_pos}, {rate} per second").map(|style| {
        style.with_key("rate", |state: &ProgressState, text: &mut dyn fmt::Write| {
            let _ = write!(text, "{}", HumanCount(state.per_sec() as u64));
        })
    });
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

/// The parts of the command that repeats a failure.
struct Repeat<'a> {
    sources: &'a Sources,
    arguments: &'a FuzzArguments,
    /// The folder of the backend, below that of each operator.
    folder: String,
}

impl Repeat<'_> {
    fn command(&self, case: Option<&str>, level: Option<&str>) -> String {
        let mut words = vec![output::program(), "run".to_owned()];
        words.extend(case.map(str::to_owned));
        let sources = Sources { cases: Some(self.arguments.out.clone()), specs: self.sources.specs.clone() };
        words.extend(sources.as_options());
        words.extend(self.arguments.backend.as_options());
        words.extend(level.or(self.arguments.level.as_deref()).map(|level| format!("--level {}", quoted(level))));
        words.join(" ")
    }
}

/// Everything that was found. `left` says how many operators were not begun where fuzzing was interrupted.
fn text(
    reports: &[OperatorReport],
    earlier: &[Earlier],
    (seed, left): (u64, Option<usize>),
    repeat: &Repeat<'_>,
) -> String {
    let mut text = String::new();
    for Earlier { case, fate, .. } in earlier {
        text.push_str(&match fate {
            Fate::Fails(outcome, level) => {
                let repeat = repeat.command(Some(case), level.as_deref());
                format!("{outcome} {case}, found before\n  repeat {repeat}\n\n")
            }
            Fate::Passes => format!("{case} was found before and passes: it is removed\n\n"),
            Fate::Kept(reason) => format!("{case} was found before and is kept: {reason}\n\n"),
        });
    }
    for report in reports {
        for failure in &report.failures {
            let family = &report.operator.family;
            let level = failure.level.map(|level| family.level_name(level));
            text.push_str(&explain_failure(
                &failure.event,
                &repeat.command(Some("{case}"), level),
                true,
                output::width(),
            ));
            if !failure.repeats {
                text.push_str("  a run of the case alone did not fail again\n");
            }
            text.push('\n');
        }
        for mistake in &report.mistakes {
            text.push_str(&format!(
                "a mistake of the fuzzer or of the specification in {}: {mistake}\n",
                report.operator.id
            ));
        }
    }
    if let Some(left) = left {
        let others = if left == 0 { String::new() } else { format!("; {} had not begun", counted(left, "operator")) };
        let line = format!("interrupted: this came of it until then, and is shrunk no further{others}\n");
        text.push_str(&output::fitted(&line));
    }
    text.push_str(&format!("seed {seed}\n"));
    reports.iter().for_each(|report| text.push_str(&output::fitted(&line(report))));
    if reports.iter().any(|report| !report.failures.is_empty()) {
        let folder = repeat.arguments.out.display();
        let all = quoted(&format!("*/{}/*", repeat.folder));
        text.push_str(&format!(
            "\nthe failures go to `{folder}`; to repeat them: {}\n",
            repeat.command(Some(&all), None)
        ));
    }
    text
}

fn line(report: &OperatorReport) -> String {
    let tally = &report.tally;
    let rate = tally.samples as f64 / report.time.as_secs_f64().max(1e-9);
    let different = match (tally.failed, report.failures.len()) {
        (0, _) => String::new(),
        (_, shown) => format!(" in {}", counted(shown, "way")),
    };
    let samples = if tally.samples == 1 { "sample" } else { "samples" };
    format!(
        "{}: {} {samples} ({} valid, {} edited, {} open, {} unsupported), {} per second, {} failed{different}\n",
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
