//! `opcert run` and `opcert certify`.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use opcert_backend::foreign::printable_line;
use opcert_backend::{ForeignText, Identity};

use super::backends::BackendEntry;
use super::chosen::{BackendArguments, Chosen, Opened};
use super::environment::Start;
use super::input::{named_failures, quoted, selection};
use super::interrupted::Interrupted;
use super::journal::Journal;
use super::progress::Progress;
use super::{CONFORMS, FAILED, Failure, INCOMPLETE, Sources, numbers, output};
use crate::certification::{Certification, RunError};
use crate::check::{CheckedCase, Suite};
use crate::diagnostic::Diagnostic;
use crate::expectations::{Expectations, KnownFailures};
use crate::judge::{CaseEvent, Event, Outcome, ShardOfRun, Waiver};
use crate::plan::{Plan, Selection, Shard};
use crate::report::{Human, Log, LogWriter, PAGE_FILE, by_requirement, verdict_line};
use crate::run::Live;
use crate::signature::Signer;
use crate::spec::Specs;
use crate::verify::is_of;

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
    #[command(flatten)]
    telling: Telling,
    /// Write the tensors of cases that go wrong to this folder, as safetensors
    #[arg(long, value_name = "DIR")]
    dump: Option<PathBuf>,
    #[command(flatten)]
    part: Part,
}

/// Arguments of `opcert certify`.
#[derive(Debug, Default, Args)]
pub(super) struct CertifyArguments {
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    telling: Telling,
    /// Sign the certificate with this private key, an Ed25519 key of OpenSSH
    #[arg(long, value_name = "KEYFILE", requires = "out")]
    sign: Option<PathBuf>,
    #[command(flatten)]
    part: Part,
}

/// How much of a run is done here.
#[derive(Clone, Copy, Debug, Default, Args)]
struct Part {
    /// Run one part of so many, `3/8`, which `opcert merge` puts together again
    #[arg(long, value_name = "K/N", requires = "out")]
    shard: Option<Shard>,
}

/// How much is said of a run, and how much of it is waited for.
#[derive(Clone, Copy, Debug, Default, Args)]
struct Telling {
    /// Print one line, the verdict with its counts, and nothing of single cases
    #[arg(short, long)]
    quiet: bool,
    /// Begin no more cases after so many failures; the exit code is that of failures, and `--resume` goes on
    #[arg(long, value_name = "N", value_parser = numbers::at_least_one)]
    max_fail: Option<usize>,
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

    fn selection(&self, wanted: &Wanted<'_>, specs: &Specs) -> Result<Selection, Failure> {
        let selection = selection(wanted.terms, self.level.as_deref(), wanted.large, specs)?;
        Ok(Selection { only: wanted.only.clone(), shard: wanted.shard, ..selection })
    }

    fn known_failures(&self) -> Result<KnownFailures, Failure> {
        match &self.expectations {
            Some(file) => named_failures(file),
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
    /// One line: `--quiet`
    #[value(skip)]
    Quiet,
}

pub(super) fn run(arguments: &RunArguments, backends: &[BackendEntry]) -> Result<u8, Failure> {
    let mut wanted = Wanted {
        large: arguments.tier == Some(Tier::Large),
        shard: arguments.part.shard,
        ..Wanted::of(&arguments.filter)
    };
    if let Some(report) = &arguments.rerun_failed {
        let log = output::read_log(report)?;
        let bad = || log.cases.iter().filter(|event| event.outcome.is_bad());
        if bad().next().is_none() {
            let known = log.cases.iter().filter(|event| event.waiver.is_some()).count();
            let known = if known == 0 {
                String::new()
            } else {
                format!(" but for {} that are known", crate::render::counted(known, "failure"))
            };
            output::print(&format!("nothing went wrong in `{}`{known}: nothing is run\n", report.display()))?;
            return Ok(INCOMPLETE);
        }
        wanted.large |= bad().any(|event| event.large);
        wanted.only = Some(bad().map(|event| event.case.clone()).collect());
        wanted.again = Some((report, log));
    }
    if arguments.telling.quiet && arguments.format == Format::Jsonl {
        return Err(Failure::Usage("`--quiet` prints one line, and `--format jsonl` one per case".to_owned()));
    }
    let beside = Beside {
        format: Some(if arguments.telling.quiet { Format::Quiet } else { arguments.format }),
        max_fail: arguments.telling.max_fail,
        dump: arguments.dump.as_deref(),
        signer: None,
    };
    execute(backends, &arguments.how, &wanted, &beside)
}

pub(super) fn certify(arguments: &CertifyArguments, backends: &[BackendEntry]) -> Result<u8, Failure> {
    let signer = signer(arguments.sign.as_deref())?;
    let beside = Beside {
        format: Some(if arguments.telling.quiet { Format::Quiet } else { Format::Human }),
        max_fail: arguments.telling.max_fail,
        dump: None,
        signer: signer.as_ref(),
    };
    execute(backends, &arguments.how, &Wanted { shard: arguments.part.shard, ..Wanted::of(&[]) }, &beside)
}

/// Which cases are run.
pub(super) struct Wanted<'a> {
    /// What a person picks.
    pub(super) terms: &'a [String],
    /// Whether those of the large tier run too.
    pub(super) large: bool,
    /// The ids to which that is confined.
    pub(super) only: Option<BTreeSet<String>>,
    /// The part of them that is run here.
    pub(super) shard: Option<Shard>,
    /// The report of a run whose failures are run again, and where it was found.
    pub(super) again: Option<(&'a Path, Log)>,
}

impl<'a> Wanted<'a> {
    /// What is picked of the default tier.
    pub(super) const fn of(terms: &'a [String]) -> Self {
        Self { terms, large: false, only: None, shard: None, again: None }
    }
}

/// Runs cases of a suite that was read whole, without a word of them, for commands that make something else of the log.
/// Nothing is expected to fail.
pub(super) fn log_of(
    backends: &[BackendEntry],
    how: &How,
    wanted: &Wanted<'_>,
    (specs, suite): (&Specs, Suite),
) -> Result<Log, Failure> {
    let start = Start::now();
    let chosen = Chosen::find(backends, &how.backend)?;
    let read = Read { start, specs, selection: how.selection(wanted, specs)?, suite };
    Ok(certified(&chosen, how, wanted, KnownFailures::default(), &Beside::default(), read)?.0)
}

fn execute(backends: &[BackendEntry], how: &How, wanted: &Wanted<'_>, beside: &Beside<'_>) -> Result<u8, Failure> {
    let start = Start::now();
    let known = how.known_failures()?;
    let chosen = Chosen::find(backends, &how.backend)?;
    let specs = how.sources.load_specs()?;
    let selection = how.selection(wanted, &specs)?;
    let suite = how.sources.load_suite(&specs, &selection.filter)?;
    let read = Read { start, specs: &specs, selection, suite };
    let (log, expectations) = certified(&chosen, how, wanted, known, beside, read)?;
    let stale = if log.header.complete { expectations.idle(&log.cases) } else { Vec::new() };
    let format = beside.format.unwrap_or_default();
    let code = conclude(&log, format, stale)?;
    if let Some(folder) = how.out.as_ref().filter(|_| format == Format::Human) {
        output::print(&pointers(folder, code, how, wanted))?;
    }
    Ok(code)
}

/// Where to look further: the page, and the command that runs again what went wrong.
fn pointers(folder: &Path, code: u8, how: &How, wanted: &Wanted<'_>) -> String {
    let mut text = format!("\nthe page: {}\n", ForeignText::from(folder.join(PAGE_FILE).as_path()));
    if code == FAILED {
        let again = format!("run --rerun-failed {}", quoted(&folder.display().to_string()));
        let again = repeat(how, wanted.large).replacen("run {case}", &again, 1);
        text += &format!("what went wrong, again: {}\n", printable_line(&again));
    }
    text
}

/// Reads the key that a certificate is signed with, if one is named.
pub(super) fn signer(key: Option<&Path>) -> Result<Option<Signer>, Failure> {
    let unusable = |path: &Path, error| Failure::Usage(format!("the key `{}` {error}", path.display()));
    key.map(|path| Signer::read(path).map_err(|error| unusable(path, error))).transpose()
}

/// Prints the counts and the matrix, and what is wrong beside the cases: with the known failures, or with the files.
/// Gives the exit code.
pub(super) fn conclude(log: &Log, format: Format, problems: Vec<Diagnostic>) -> Result<u8, Failure> {
    match format {
        Format::Human => output::unless_unread(Human::new(anstream::stdout().lock(), output::width()).finish(log))?,
        Format::Quiet => {
            output::print(&verdict_line(log))?;
        }
        Format::Jsonl => {}
    }
    if problems.is_empty() {
        return Ok(exit_code(log));
    }
    let bad_input = output::report_failure(&Failure::Files(problems));
    Ok(if exit_code(log) == FAILED { FAILED } else { bad_input })
}

/// What becomes of a run beside its log.
#[derive(Default)]
struct Beside<'a> {
    /// What is printed of each case as it comes; nothing when none is given.
    format: Option<Format>,
    /// After how many failures nothing more is begun.
    max_fail: Option<usize>,
    /// Where the tensors of cases that go wrong are written.
    dump: Option<&'a Path>,
    /// Who signs the certificate.
    signer: Option<&'a Signer>,
}

/// What was read for a run.
struct Read<'a> {
    /// When the command began.
    start: Start,
    specs: &'a Specs,
    selection: Selection,
    suite: Suite,
}

/// Runs cases, and tells of them.
fn certified(
    chosen: &Chosen<'_>,
    how: &How,
    wanted: &Wanted<'_>,
    known: KnownFailures,
    beside: &Beside<'_>,
    Read { start, specs, selection, suite }: Read<'_>,
) -> Result<(Log, Expectations), Failure> {
    if let Some(term) = selection.filter.idle(&suite.cases) {
        return Err(how.sources.nothing_picked(&term, specs));
    }
    let left_out = selection.filters_in(&suite.cases);
    let Opened { backend, through, isolated, guards, .. } = chosen.open(specs)?;
    if let Some(folder) = &how.out {
        output::not_of_another(folder, &backend.identity())?;
    }
    if let Some((report, log)) = &wanted.again {
        same_again(report, log, &backend.identity(), &suite.cases, how, selection.filter.is_empty())?;
    }
    let complete = selection.is_complete() && how.sources.give_a_verdict(specs)?;
    let shard = selection.shard.map(|shard| ShardOfRun { shard, complete });
    let complete = complete && shard.is_none();
    let ids = suite.cases.iter().map(|case| case.about().id.as_str());
    let expectations = Expectations::new(known, &backend.identity(), ids, complete).map_err(Failure::Files)?;
    let plan =
        Plan::new(suite.cases, specs, &*backend, &selection).map_err(|error| Failure::Backend(error.to_string()))?;
    if plan.entries.is_empty() && shard.is_none() && left_out {
        let message =
            "what is picked is of the large tier (`--tier large` runs that) or begins above the level asked for";
        return Err(Failure::Usage(message.to_owned()));
    }
    // A part may have no case; all of them together have some.
    if plan.entries.is_empty() && shard.is_none() {
        return Err(how.sources.nothing_picked(&selection.filter.to_string(), specs));
    }
    let mut certification = Certification {
        specs,
        cases_digest: suite.digest,
        plan: &plan,
        done: Vec::new(),
        expectations: &expectations,
        executor: &Live(&*backend),
        through,
        isolated,
        guards,
        carried: None,
        shard,
        complete,
        own_suite: !how.sources.are_embedded(specs)?,
        level: selection.level.clone(),
        repeat: repeat(how, wanted.large),
        dump: beside.dump,
        max_fail: beside.max_fail,
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
    let interrupted = beside.format.map(|_| Interrupted::listen(format!("interrupted; {}", resume(how))));
    let log = told(&certification, beside.format, how.jobs, &mut journal);
    journal.map_or(Ok(()), Journal::end)?;
    let log = log.map_err(|failure| match failure {
        Failure::Stopped(said) => Failure::Stopped(format!("{said}; {}", resume(how))),
        other => other,
    })?;
    drop(interrupted);
    // Reports come before any summary, and neither they nor the exit code depend on whether anybody reads that.
    if let Some(folder) = &how.out {
        let digests = how.sources.digests(specs)?;
        output::write_reports(folder, &log, digests, &start.finish(), beside.signer)?;
        Journal::finish(folder)?;
    }
    Ok((log, expectations))
}

/// Makes sure that what went wrong in a report is what is run again: by the same backend, and the same cases.
fn same_again(
    report: &Path,
    log: &Log,
    identity: &Identity,
    cases: &[CheckedCase],
    how: &How,
    all: bool,
) -> Result<(), Failure> {
    let header = &log.header;
    let first = log.cases.iter().find(|event| event.outcome.is_bad()).map_or("CASE", |event| event.case.as_str());
    let ran = format!("its own run repeats a case by `{}`", header.repeat.replace("{case}", first));
    if identity.name != header.backend.name {
        return Err(Failure::Usage(format!(
            "`{}` is of {}, and this would run {identity}: `--backend` or `--exec` names the same one; {ran}",
            report.display(),
            header.backend
        )));
    }
    let cases: BTreeMap<&str, &CheckedCase> = cases.iter().map(|case| (case.about().id.as_str(), case)).collect();
    for event in log.cases.iter().filter(|event| event.outcome.is_bad()) {
        let id = &event.case;
        match cases.get(id.as_str()) {
            None if all => {
                output::tell(&format!("`{id}` went wrong in the report, and there is no such case any more"));
            }
            None => {}
            Some(case) if is_of(event, case, header) => {}
            // Whoever names the cases may have mended them.
            Some(_) if how.sources.cases.is_some() => {
                output::tell(&format!("`{id}` went wrong in the report, and is another case now"));
            }
            Some(_) => {
                return Err(Failure::Usage(format!(
                    "`{id}` is another case than the one that went wrong in `{}`: `--cases` names its files; {ran}",
                    report.display()
                )));
            }
        }
    }
    Ok(())
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
        Some(Format::Quiet) | None => run_in_silence(certification, jobs, journal),
    }
}

/// How to go on with a run that was cut off: by the command that began it.
fn resume(how: &How) -> String {
    if how.out.is_none() {
        return "a run with `--out DIR` can be gone on with".to_owned();
    }
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let mut words: Vec<String> = words.filter(|word| word != "--resume").map(|word| quoted(&word)).collect();
    let options = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.insert(options, "--resume".to_owned());
    words.insert(0, output::program());
    format!("to go on: {}", printable_line(&words.join(" ")))
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
    let mut progress = Progress::begin(certification.plan, certification.done.len());
    let mut human = Human::new(anstream::stdout().lock(), output::width());
    let mut broken: Option<io::Error> = None;
    let mut bad: Vec<CaseEvent> = Vec::new();
    let log = certification.run(jobs, |event| {
        let Event::Case(case) = event else { return };
        journal.iter_mut().for_each(|journal| journal.take(event));
        if case.outcome.is_bad() {
            let result = progress.beside(|| human.case(case, &certification.repeat));
            broken = broken.take().or(result.err());
            if certification.max_fail.is_some() {
                bad.push((**case).clone());
            }
        }
        progress.take(case);
    });
    drop(progress);
    drop(human);
    if let Err(RunError::Stopped { .. }) = log {
        output::print(&by_requirement(&bad, output::width()))?;
    }
    let log = log.map_err(broken_off)?;
    output::unless_unread(broken.map_or(Ok(()), Err))?;
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
    let log = log.map_err(broken_off)?;
    output::unless_unread(broken.map_or_else(|| writer.finish(), Err))?;
    Ok(log)
}

fn run_in_silence(
    certification: &Certification<'_>,
    jobs: usize,
    journal: &mut Option<Journal>,
) -> Result<Log, Failure> {
    let log = certification.run(jobs, |event| journal.iter_mut().for_each(|journal| journal.take(event)));
    log.map_err(broken_off)
}

/// Why a run came to no end.
fn broken_off(error: RunError) -> Failure {
    match error {
        RunError::Stopped { .. } => Failure::Stopped(error.to_string()),
        error => Failure::Usage(error.to_string()),
    }
}

fn exit_code(log: &Log) -> u8 {
    let any = |wanted: fn(&CaseEvent) -> bool| log.cases.iter().any(wanted);
    let unexplained = |case: &CaseEvent| {
        case.outcome == Outcome::ExpectedFailure && !case.waiver.as_ref().is_some_and(Waiver::is_explained)
    };
    if any(|case| case.outcome.is_bad()) {
        FAILED
    } else if any(CaseEvent::lacks_its_answer) || any(unexplained) || !any(|case| case.outcome.ran()) {
        INCOMPLETE
    } else {
        CONFORMS
    }
}
