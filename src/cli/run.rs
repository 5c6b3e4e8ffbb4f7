//! `opcert run` and `opcert certify`.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::backends::BackendEntry;
use super::chosen::{BackendArguments, Chosen, Opened};
use super::environment::Start;
use super::input::selection;
use super::{CONFORMS, FAILED, Failure, INCOMPLETE, Sources, output};
use crate::certification::Certification;
use crate::judge::{Event, Outcome};
use crate::plan::Plan;
use crate::report::{Human, Log, LogWriter};
use crate::signature::Signer;

/// Arguments of `opcert run`.
#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// Globs over case ids, `level:3_0`, `type:FLOAT16`, `requirement:axis-in-range`
    filter: Vec<String>,
    #[command(flatten)]
    how: How,
    /// Also run the cases of the large tier
    #[arg(long, value_name = "TIER")]
    tier: Option<Tier>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Write the tensors of cases that go wrong to this folder, as safetensors
    #[arg(long, value_name = "DIR")]
    dump: Option<PathBuf>,
}

/// Arguments of `opcert certify`.
#[derive(Debug, Default, Args)]
pub(super) struct CertifyArguments {
    #[command(flatten)]
    how: How,
    /// Sign the certificate with this private key, an Ed25519 key of OpenSSH
    #[arg(long, value_name = "KEYFILE", requires = "out")]
    sign: Option<PathBuf>,
}

#[derive(Debug, Default, Args)]
struct How {
    #[command(flatten)]
    backend: BackendArguments,
    /// The highest feature level to run
    #[arg(long)]
    level: Option<String>,
    #[command(flatten)]
    sources: Sources,
    /// Write the event log, the certificate, JUnit XML, the matrix and the page to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How many cases run at a time; 0 is one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Tier {
    /// Tensors above 2^31 bytes; never part of a verdict
    Large,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a person
    Human,
    /// The event log
    Jsonl,
}

pub(super) fn run(arguments: &RunArguments, backends: &[BackendEntry]) -> Result<u8, Failure> {
    let large = arguments.tier == Some(Tier::Large);
    execute(backends, &arguments.how, &arguments.filter, large, arguments.format, arguments.dump.as_deref(), None)
}

pub(super) fn certify(arguments: &CertifyArguments, backends: &[BackendEntry]) -> Result<u8, Failure> {
    execute(backends, &arguments.how, &[], false, Format::Human, None, arguments.sign.as_deref())
}

fn execute(
    backends: &[BackendEntry],
    how: &How,
    terms: &[String],
    large: bool,
    format: Format,
    dump: Option<&Path>,
    sign: Option<&Path>,
) -> Result<u8, Failure> {
    let start = Start::now();
    let unusable = |path: &Path, error| Failure::Usage(format!("the key `{}` {error}", path.display()));
    let signer = sign.map(|path| Signer::read(path).map_err(|error| unusable(path, error))).transpose()?;
    let chosen = Chosen::find(backends, &how.backend)?;
    let specs = how.sources.load_specs()?;
    let selection = selection(terms, how.level.as_deref(), large, &specs)?;
    let suite = how.sources.load_suite(&specs, &selection.filter)?;
    if let Some(term) = selection.filter.idle(&suite.cases) {
        return Err(nothing_picked(&term, how));
    }
    let left_out = selection.filters_in(&suite.cases);
    let Opened { backend, isolated, guards, .. } = chosen.open()?;
    let plan =
        Plan::new(suite.cases, &specs, &*backend, &selection).map_err(|error| Failure::Backend(error.to_string()))?;
    if plan.entries.is_empty() && left_out {
        let message =
            "what is picked is of the large tier (`--tier large` runs that) or begins above the level asked for";
        return Err(Failure::Usage(message.to_owned()));
    }
    if plan.entries.is_empty() {
        return Err(nothing_picked(&selection.filter.to_string(), how));
    }
    let certification = Certification {
        specs: &specs,
        cases_digest: suite.digest,
        plan: &plan,
        backend: &*backend,
        isolated,
        guards,
        complete: selection.is_complete() && how.sources.are_embedded(),
        level: selection.level.clone(),
        repeat: repeat(how, large),
        dump,
    };
    let log = match format {
        Format::Human => run_for_a_person(&certification, how.jobs)?,
        Format::Jsonl => run_for_a_program(&certification, how.jobs)?,
    };
    // Reports come before the summary, and neither they nor the exit code depend on whether anybody reads that.
    if let Some(folder) = &how.out {
        let digests = how.sources.digests(&specs)?;
        output::write_reports(folder, &log, digests, &start.finish(), signer.as_ref())?;
    }
    if format == Format::Human {
        unless_unread(Human::new(anstream::stdout().lock()).finish(&log))?;
    }
    Ok(exit_code(&log))
}

/// Whoever reads the output may stop before its end; that changes nothing of what was run.
fn unless_unread(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

fn nothing_picked(terms: &str, how: &How) -> Failure {
    let sources = how.sources.as_options().iter().map(|option| format!(" {option}")).collect::<String>();
    Failure::Usage(format!("`{terms}` picks no case; `opcert list{sources}` shows them"))
}

/// The command that repeats a case, without the options that only say where to write.
fn repeat(how: &How, large: bool) -> String {
    let mut words = vec![output::program(), "run {case}".to_owned()];
    words.extend(how.backend.as_options());
    words.extend(how.sources.as_options());
    words.extend(how.level.as_ref().map(|level| format!("--level {level}")));
    if large {
        words.push("--tier large".to_owned());
    }
    words.join(" ")
}

fn run_for_a_person(certification: &Certification<'_>, jobs: usize) -> Result<Log, Failure> {
    let progress = progress(certification.plan.entries.len());
    let mut human = Human::new(anstream::stdout().lock());
    let mut broken: Option<io::Error> = None;
    let log = certification.run(jobs, |event| {
        let Event::Case(case) = event else { return };
        if case.outcome.is_bad() {
            let result = progress.suspend(|| human.case(case, &certification.repeat));
            broken = broken.take().or(result.err());
        }
        progress.inc(1);
    });
    progress.finish_and_clear();
    let log = log.map_err(|error| Failure::Usage(error.to_string()))?;
    unless_unread(broken.map_or(Ok(()), Err))?;
    Ok(log)
}

fn run_for_a_program(certification: &Certification<'_>, jobs: usize) -> Result<Log, Failure> {
    let mut writer = LogWriter::new(io::BufWriter::new(io::stdout().lock()));
    let mut broken: Option<io::Error> = None;
    let log = certification.run(jobs, |event| {
        let result = writer.write(event);
        broken = broken.take().or(result.err());
    });
    let log = log.map_err(|error| Failure::Usage(error.to_string()))?;
    unless_unread(broken.map_or_else(|| writer.finish(), Err))?;
    Ok(log)
}

/// A bar on a terminal, and nothing elsewhere.
fn progress(length: usize) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {elapsed}");
    let bar = ProgressBar::with_draw_target(Some(length as u64), ProgressDrawTarget::stderr());
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

fn exit_code(log: &Log) -> u8 {
    let any = |wanted: fn(&Outcome) -> bool| log.cases.iter().any(|case| wanted(&case.outcome));
    if any(|outcome| outcome.is_bad()) {
        FAILED
    } else if log.cases.iter().any(|case| case.gates && case.outcome == Outcome::Unsupported)
        || !any(|outcome| outcome.ran())
    {
        INCOMPLETE
    } else {
        CONFORMS
    }
}
