//! `opcert run` and `opcert certify`.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::backends::BackendEntry;
use super::chosen::{BackendArguments, Chosen, Opened};
use super::environment::Start;
use super::input::{quoted, selection};
use super::journal::Journal;
use super::{CONFORMS, FAILED, Failure, INCOMPLETE, Sources, numbers, output};
use crate::certification::Certification;
use crate::diagnostic::Diagnostic;
use crate::expectations::{Expectations, KnownFailures};
use crate::judge::{CaseEvent, Event, Outcome, Waiver};
use crate::plan::{Plan, Selection};
use crate::report::{Human, Log, LogWriter};
use crate::run::Live;
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
    /// Run only the cases that went wrong in this report: an event log, or a folder that holds one
    #[arg(long, value_name = "REPORT")]
    rerun_failed: Option<PathBuf>,
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

/// How cases are run on a backend.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct How {
    #[command(flatten)]
    pub(super) backend: BackendArguments,
    /// The highest feature level to run
    #[arg(long)]
    level: Option<String>,
    #[command(flatten)]
    pub(super) sources: Sources,
    /// Write the event log, the certificate, JUnit XML, the matrix and the page to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with the run into the folder of `--out` that was cut off
    #[arg(long, requires = "out")]
    resume: bool,
    /// The known failures of the backend; the `expectations.yaml` in its folder when nothing is said
    #[arg(long, value_name = "FILE")]
    expectations: Option<PathBuf>,
    /// How many cases run at a time; 0 is one per core
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = numbers::jobs)]
    jobs: usize,
}

impl How {
    /// The file of the backend's known failures: the one that was named, or the one in the backend's folder, which
    /// need not be there.
    pub(super) fn expectations(&self) -> Option<PathBuf> {
        self.expectations.clone().or_else(|| self.backend.expectations())
    }

    fn known_failures(&self) -> Result<KnownFailures, Failure> {
        match &self.expectations {
            Some(file) => KnownFailures::load(file).map_err(Failure::Files),
            None => self.backend.known_failures(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Tier {
    /// Tensors above 2^31 bytes; never part of a verdict
    Large,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For a person
    #[default]
    Human,
    /// The event log
    Jsonl,
}

pub(super) fn run(arguments: &RunArguments, backends: &[BackendEntry]) -> Result<u8, Failure> {
    let mut wanted = Wanted { large: arguments.tier == Some(Tier::Large), ..Wanted::of(&arguments.filter) };
    if let Some(report) = &arguments.rerun_failed {
        let log = output::read_log(report)?;
        let bad = || log.cases.iter().filter(|event| event.outcome.is_bad());
        if bad().next().is_none() {
            return output::print(&format!("nothing went wrong in `{}`\n", report.display()));
        }
        wanted.large |= bad().any(|event| event.large);
        wanted.only = Some(bad().map(|event| event.case.clone()).collect());
    }
    execute(backends, &arguments.how, &wanted, arguments.format, arguments.dump.as_deref(), None)
}

pub(super) fn certify(arguments: &CertifyArguments, backends: &[BackendEntry]) -> Result<u8, Failure> {
    let sign = arguments.sign.as_deref();
    execute(backends, &arguments.how, &Wanted::of(&[]), Format::Human, None, sign)
}

/// Which cases are run.
pub(super) struct Wanted<'a> {
    /// What a person picks.
    pub(super) terms: &'a [String],
    /// Whether those of the large tier run too.
    pub(super) large: bool,
    /// The ids to which that is confined.
    pub(super) only: Option<BTreeSet<String>>,
}

impl<'a> Wanted<'a> {
    /// What is picked of the default tier.
    pub(super) const fn of(terms: &'a [String]) -> Self {
        Self { terms, large: false, only: None }
    }
}

/// Runs cases without a word of them, for commands that make something else of the log. Nothing is expected to fail.
pub(super) fn log_of(backends: &[BackendEntry], how: &How, wanted: &Wanted<'_>) -> Result<Log, Failure> {
    Ok(certified(backends, how, wanted, KnownFailures::default(), &Telling::default())?.0)
}

fn execute(
    backends: &[BackendEntry],
    how: &How,
    wanted: &Wanted<'_>,
    format: Format,
    dump: Option<&Path>,
    sign: Option<&Path>,
) -> Result<u8, Failure> {
    let signer = signer(sign)?;
    let telling = Telling { format: Some(format), dump, signer: signer.as_ref() };
    let (log, expectations) = certified(backends, how, wanted, how.known_failures()?, &telling)?;
    let stale = if log.header.complete { expectations.idle(&log.cases) } else { Vec::new() };
    conclude(&log, format, stale)
}

/// Reads the key that a certificate is signed with, if one is named.
pub(super) fn signer(key: Option<&Path>) -> Result<Option<Signer>, Failure> {
    let unusable = |path: &Path, error| Failure::Usage(format!("the key `{}` {error}", path.display()));
    key.map(|path| Signer::read(path).map_err(|error| unusable(path, error))).transpose()
}

/// Prints the counts and the matrix, and what is wrong beside the cases: with the known failures, or with the files.
/// Gives the exit code.
pub(super) fn conclude(log: &Log, format: Format, problems: Vec<Diagnostic>) -> Result<u8, Failure> {
    if format == Format::Human {
        unless_unread(Human::new(anstream::stdout().lock()).finish(log))?;
    }
    if problems.is_empty() {
        return Ok(exit_code(log));
    }
    let bad_input = output::report_failure(&Failure::Files(problems));
    Ok(if exit_code(log) == FAILED { FAILED } else { bad_input })
}

/// What becomes of a run beside its log.
#[derive(Default)]
struct Telling<'a> {
    /// What is printed of each case as it comes; nothing when none is given.
    format: Option<Format>,
    /// Where the tensors of cases that go wrong are written.
    dump: Option<&'a Path>,
    /// Who signs the certificate.
    signer: Option<&'a Signer>,
}

/// Runs cases, and tells of them.
fn certified(
    backends: &[BackendEntry],
    how: &How,
    wanted: &Wanted<'_>,
    known: KnownFailures,
    telling: &Telling<'_>,
) -> Result<(Log, Expectations), Failure> {
    let start = Start::now();
    let chosen = Chosen::find(backends, &how.backend)?;
    let specs = how.sources.load_specs()?;
    let selection =
        Selection { only: wanted.only.clone(), ..selection(wanted.terms, how.level.as_deref(), wanted.large, &specs)? };
    let suite = how.sources.load_suite(&specs, &selection.filter)?;
    if let Some(term) = selection.filter.idle(&suite.cases) {
        return Err(how.sources.nothing_picked(&term, &specs));
    }
    let left_out = selection.filters_in(&suite.cases);
    if let Some(only) = selection.only.as_ref().filter(|_| selection.filter.is_empty()) {
        let ids: BTreeSet<&str> = suite.cases.iter().map(|case| case.about().id.as_str()).collect();
        for id in only.iter().filter(|id| !ids.contains(id.as_str())) {
            output::tell(&format!("`{id}` went wrong in the report, and there is no such case any more"));
        }
    }
    let Opened { backend, isolated, guards, .. } = chosen.open()?;
    let complete = selection.is_complete() && how.sources.are_embedded();
    let ids = suite.cases.iter().map(|case| case.about().id.as_str());
    let expectations = Expectations::new(known, &backend.identity(), ids, complete).map_err(Failure::Files)?;
    let plan =
        Plan::new(suite.cases, &specs, &*backend, &selection).map_err(|error| Failure::Backend(error.to_string()))?;
    if plan.entries.is_empty() && left_out {
        let message =
            "what is picked is of the large tier (`--tier large` runs that) or begins above the level asked for";
        return Err(Failure::Usage(message.to_owned()));
    }
    if plan.entries.is_empty() {
        return Err(how.sources.nothing_picked(&selection.filter.to_string(), &specs));
    }
    let mut certification = Certification {
        specs: &specs,
        cases_digest: suite.digest,
        plan: &plan,
        done: Vec::new(),
        expectations: &expectations,
        executor: &Live(&*backend),
        isolated,
        guards,
        carried: None,
        complete,
        level: selection.level.clone(),
        repeat: repeat(how, wanted.large),
        dump: telling.dump,
    };
    let mut journal = None;
    if let Some(folder) = &how.out {
        journal = Some(if how.resume {
            let (journal, done) = Journal::resume(folder, &certification.header(), &plan)?;
            certification.done = done;
            journal
        } else {
            Journal::begin(folder, &certification.header())?
        });
    }
    let log = told(&certification, telling.format, how.jobs, &mut journal)?;
    journal.map_or(Ok(()), Journal::end)?;
    // Reports come before any summary, and neither they nor the exit code depend on whether anybody reads that.
    if let Some(folder) = &how.out {
        let digests = how.sources.digests(&specs)?;
        output::write_reports(folder, &log, digests, &start.finish(), telling.signer)?;
        Journal::finish(folder)?;
    }
    Ok((log, expectations))
}

/// Runs, and prints each case as it comes where a format is given.
pub(super) fn told(
    certification: &Certification<'_>,
    format: Option<Format>,
    jobs: usize,
    journal: &mut Option<Journal>,
) -> Result<Log, Failure> {
    match format {
        Some(Format::Human) => run_for_a_person(certification, jobs, journal),
        Some(Format::Jsonl) => run_for_a_program(certification, jobs, journal),
        None => run_in_silence(certification, jobs, journal),
    }
}

/// Whoever reads the output may stop before its end; that changes nothing of what was run.
fn unless_unread(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// The command that repeats a case, without the options that only say where to write.
fn repeat(how: &How, large: bool) -> String {
    let mut words = vec![output::program(), "run {case}".to_owned()];
    words.extend(how.backend.as_options());
    words.extend(how.sources.as_options());
    words.extend(
        how.expectations.as_ref().map(|file| format!("--expectations {}", quoted(&file.display().to_string()))),
    );
    words.extend(how.level.as_ref().map(|level| format!("--level {level}")));
    if large {
        words.push("--tier large".to_owned());
    }
    words.join(" ")
}

fn run_for_a_person(
    certification: &Certification<'_>,
    jobs: usize,
    journal: &mut Option<Journal>,
) -> Result<Log, Failure> {
    let progress = progress(certification.plan.entries.len());
    let mut human = Human::new(anstream::stdout().lock());
    let mut broken: Option<io::Error> = None;
    let log = certification.run(jobs, |event| {
        let Event::Case(case) = event else { return };
        journal.iter_mut().for_each(|journal| journal.take(event));
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

fn run_for_a_program(
    certification: &Certification<'_>,
    jobs: usize,
    journal: &mut Option<Journal>,
) -> Result<Log, Failure> {
    let mut writer = LogWriter::new(io::BufWriter::new(io::stdout().lock()));
    let mut broken: Option<io::Error> = None;
    let log = certification.run(jobs, |event| {
        journal.iter_mut().for_each(|journal| journal.take(event));
        let result = writer.write(event);
        broken = broken.take().or(result.err());
    });
    let log = log.map_err(|error| Failure::Usage(error.to_string()))?;
    unless_unread(broken.map_or_else(|| writer.finish(), Err))?;
    Ok(log)
}

fn run_in_silence(
    certification: &Certification<'_>,
    jobs: usize,
    journal: &mut Option<Journal>,
) -> Result<Log, Failure> {
    let log = certification.run(jobs, |event| journal.iter_mut().for_each(|journal| journal.take(event)));
    log.map_err(|error| Failure::Usage(error.to_string()))
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
    let any = |wanted: fn(&CaseEvent) -> bool| log.cases.iter().any(wanted);
    let unexplained = |case: &CaseEvent| {
        case.outcome == Outcome::ExpectedFailure && !case.waiver.as_ref().is_some_and(Waiver::is_explained)
    };
    if any(|case| case.outcome.is_bad()) {
        FAILED
    } else if any(|case| case.gates && matches!(case.outcome, Outcome::Unsupported | Outcome::Missing))
        || any(unexplained)
        || !any(|case| case.outcome.ran())
    {
        INCOMPLETE
    } else {
        CONFORMS
    }
}
