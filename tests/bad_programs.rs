//! Programs that break the protocol on purpose: each must come out as what it is, the cases around it must keep their
//! results, and nothing must stay behind. This program is each of them, and runs itself; also where each of its streams has a
//! thread, as on Windows.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a bad program that cannot be bad ends")]

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use opcert::backend::protocol::{Payload, Request, Response, line, read_message};
use opcert::backend::{DataType, Descriptor, Fault, TensorDescriptor, serve};
use opcert::case::CaseSource;
use opcert::check::{CheckedCase, Suite};
use opcert::judge::{CaseEvent, Outcome, judge};
use opcert::plan::{Plan, Selection};
use opcert::run::{ProcessBackend, Program, execute};
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_cpu::CpuBackend;
use tempfile::TempDir;

/// Where this program is one of the bad ones, its arguments are this word, the misdeed, and the file of its processes.
const BAD: &str = "bad";

/// What goes wrong, and what comes before and after it.
const VICTIM: &str = "directml/argmax/documented/example_1";
const BEFORE: &str = "directml/one_hot/documented/example_1";
const AFTER: &str = "directml/one_hot/documented/example_2";

/// How long an answer may take where one comes, sooner or later, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long an answer may take where none comes. If it is too short for the cases beside it, the next one is tried.
const LIMITS: [Duration; 4] = [Duration::from_millis(1500), Duration::from_secs(5), Duration::from_secs(20), PATIENCE];

const MEMORY: u64 = 256 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Misdeed {
    Behaves,
    DiesBeforeItAnswers,
    DiesWhileItAnswers,
    ExitsAsIfAllWereWell,
    Hangs,
    HangsInTheMiddle,
    WritesGarbage,
    WritesALineWithoutEnd,
    EndsThePayloadEarly,
    NamesAnotherTensor,
    AddsATensor,
    ChangesTheShape,
    ChangesTheType,
    ShortensTheTensor,
    AnnouncesTooMuch,
    AnswersInAnotherOrder,
    AnswersTwice,
    AnswersAnotherRequest,
    AnswersAnotherQuestion,
    FloodsStandardError,
    ClosesItsInput,
    AllocatesWithoutEnd,
    LeavesAChild,
    LeavesADetachedChild,
    AnswersUnread,
    AnswersAgainAfterTheLast,
    IgnoresStop,
    AnswersTheOpposite,
}

use Misdeed::*;

/// What becomes of the victim, and what its reason says.
const TABLE: [(Misdeed, Outcome, &str); 28] = [
    (Behaves, Outcome::Pass, ""),
    (DiesBeforeItAnswers, Outcome::Crash, "the process ended (signal: 6 (SIGABRT) (core dumped)): last words"),
    (DiesWhileItAnswers, Outcome::ProtocolError, "it ends before its time"),
    (ExitsAsIfAllWereWell, Outcome::Crash, "the process ended (exit status: 0)"),
    (Hangs, Outcome::Hang, "no answer: within {limit} s: thinking"),
    (HangsInTheMiddle, Outcome::Hang, "no answer: within {limit} s"),
    (WritesGarbage, Outcome::ProtocolError, "`Loading model ...` is no message"),
    (WritesALineWithoutEnd, Outcome::ProtocolError, "the line does not end"),
    (EndsThePayloadEarly, Outcome::ProtocolError, "it ends before its time"),
    (NamesAnotherTensor, Outcome::ProtocolError, "`OutputTensor` is missing"),
    (AddsATensor, Outcome::ProtocolError, "`Extra` is not asked for"),
    (ChangesTheShape, Outcome::ProtocolError, "`OutputTensor` is U32[3], expected U32[1, 3]"),
    (ChangesTheType, Outcome::ProtocolError, "`OutputTensor` is I32[1, 3], expected U32[1, 3]"),
    (ShortensTheTensor, Outcome::ProtocolError, "`OutputTensor` is U32[1, 2], expected U32[1, 3]"),
    (AnnouncesTooMuch, Outcome::ProtocolError, "9223372036854775808 bytes are announced"),
    (AnswersInAnotherOrder, Outcome::ProtocolError, "was answered by"),
    (AnswersTwice, Outcome::ProtocolError, "was answered by"),
    (AnswersAnotherRequest, Outcome::ProtocolError, "was answered by 4711"),
    (AnswersAnotherQuestion, Outcome::ProtocolError, "`run` was answered by Compiled"),
    (FloodsStandardError, Outcome::Pass, ""),
    (ClosesItsInput, Outcome::Hang, "no answer: within {limit} s"),
    (AllocatesWithoutEnd, Outcome::Crash, "memory allocation of"),
    (LeavesAChild, Outcome::Crash, "the process ended (exit status: 0)"),
    (LeavesADetachedChild, Outcome::Crash, "the process ended (exit status: 0)"),
    (AnswersUnread, Outcome::ProtocolError, "it answered before it had read all that it was asked"),
    (AnswersAgainAfterTheLast, Outcome::ProtocolError, "or an answer came twice"),
    (IgnoresStop, Outcome::Pass, ""),
    (AnswersTheOpposite, Outcome::Fail, ""),
];

/// What `opcert smoke` says of some, and its exit code.
const SMOKE: [(Misdeed, i32, &[&str]); 5] = [
    (Behaves, 0, &["\ndirectml/argmax 12 of 12 simple cases right\n", "the adapter works"]),
    (IgnoresStop, 1, &["told to stop, it went on and had to be ended", "the adapter has to be mended"]),
    (AnswersTheOpposite, 1, &["0 of 12 simple cases right: the mapping looks wrong", "differ", "mended"]),
    (NamesAnotherTensor, 1, &["something other than an answer came", "`OutputTensor` is missing", "mended"]),
    (DiesBeforeItAnswers, 1, &["something other than an answer came", "last words", "mended"]),
];

/// What is measured, so that it takes no longer than it has to.
const BENCH: [&str; 5] = ["bench", "--operator", "directml/argmax", "--size", "64"];

/// What `opcert bench` says of some instead of a time, and its exit code.
const MEASURED: [(Misdeed, i32, &[&str]); 3] = [
    (Behaves, 0, &["in a process of its own", "last_axis    [8, 8] axis 1", "per second"]),
    (
        AnswersTheOpposite,
        1,
        &[
            "fail directml/argmax/last_axis  [8, 8] axis 1\n  `OutputTensor` at [0, 0] is",
            "repeat opcert bench --operator directml/argmax --workload last_axis --type f32 --size 64 --exec",
            "f32  failed: fail: `OutputTensor` at [0, 0] is",
        ],
    ),
    (DiesBeforeItAnswers, 1, &["crash directml/argmax/short_rows", "last words", "failed: crash: "]),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, word, name, processes] = arguments.as_slice()
        && word == BAD
    {
        misbehave(name, Path::new(processes));
        return ExitCode::SUCCESS;
    }
    let mut trials = Vec::new();
    for (misdeed, outcome, reason) in TABLE {
        let trial = |threads: bool| {
            let test = move || contained(misdeed, outcome, reason, threads);
            let name = if threads { format!("threads::{misdeed:?}") } else { format!("{misdeed:?}") };
            Trial::test(name, test).with_ignored_flag(!shows(misdeed, threads))
        };
        trials.push(trial(cfg!(windows)));
        if cfg!(unix) && shows(misdeed, true) {
            trials.push(trial(true));
        }
    }
    trials.push(Trial::test("dies_at_start", dies_at_start));
    trials.push(Trial::test("dies_at_every_further_start", dies_at_every_further_start));
    for (key, ..) in OTHERWISE {
        trials.push(Trial::test(format!("comes_back_as_another::{key}"), move || comes_back_as_another(key)));
    }
    for (key, ..) in OTHERWISE {
        trials.push(Trial::test(format!("starts_as_another_beside::{key}"), move || starts_as_another_beside(key)));
    }
    for (name, outcome, said) in TALKATIVE {
        trials.push(Trial::test(format!("says_twelve_megabytes::{name}"), move || says_too_much(name, outcome, said)));
    }
    for (name, outcome, said) in VIOLATED {
        trials
            .push(Trial::test(format!("says_that_guards_are_violated::{name}"), move || violates(name, outcome, said)));
    }
    for (from, to, said) in NOBODY {
        trials.push(Trial::test(format!("introduces_nobody::{said}"), move || introduces_nobody(from, to, said)));
    }
    for (misdeed, code, said) in SMOKE {
        trials.push(Trial::test(format!("smoke::{misdeed:?}"), move || command(&["smoke"], misdeed, code, said)));
    }
    for (misdeed, code, said) in MEASURED {
        trials.push(Trial::test(format!("bench::{misdeed:?}"), move || command(&BENCH, misdeed, code, said)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Whether a misdeed can be shown where each stream has a thread, and on this system at all.
fn shows(misdeed: Misdeed, threads: bool) -> bool {
    match misdeed {
        // No thread sees what lies in a pipe and is not read.
        AnswersUnread => !threads,
        // A process closes its input there by ways that are not safe.
        ClosesItsInput => cfg!(unix),
        // Wine knows no limit of a job's memory: it would take all that there is.
        AllocatesWithoutEnd => std::env::var_os("WINEHOMEDIR").is_none(),
        _ => true,
    }
}

fn dies_at_start() -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let program = program("without_licence", &folder.path().join("processes"))?;
    let error = ProcessBackend::start(program).map(|_| ()).map_err(|error| error.to_string());
    let said = "was started and did not introduce itself: crashed: the process ended (exit status: 3): no licence";
    let said = of_this_system(said);
    ensure(error.as_ref().is_err_and(|error| error.ends_with(&said)), || format!("{error:?}"))
}

/// How a process ended, as this system says it.
fn of_this_system(text: &str) -> String {
    let text = text.replace(" (core dumped)", "");
    if cfg!(unix) {
        return text;
    }
    text.replace("exit status: ", "exit code: ").replace("signal: 6 (SIGABRT)", "exit code: {aborted}")
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(otherwise().into()) }
}

fn program(misdeed: &str, processes: &Path) -> Result<Program, Failed> {
    let arguments = vec![BAD.into(), misdeed.into(), processes.into()];
    let supervisor = Some(env!("CARGO_BIN_EXE_opcert").into());
    Ok(Program {
        limit: PATIENCE,
        memory: Some(MEMORY),
        supervisor,
        ..Program::new(std::env::current_exe()?, arguments)
    })
}

fn command(words: &[&str], misdeed: Misdeed, code: i32, said: &[&str]) -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let program = std::env::current_exe()?;
    let bad = format!("{} {BAD} {misdeed:?} {}", program.display(), folder.path().join("processes").display());
    let output = Command::new(env!("CARGO_BIN_EXE_opcert")).args(words).args(["--exec", &bad]).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    ensure(output.status.code() == Some(code), || format!("{}\n{text}", output.status))?;
    // A column is as wide as the longest name in it, which another operator may bring.
    let words = |text: &str| text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    for each in said {
        ensure(words(&text).contains(&words(each)), || format!("`{each}` is not said:\n{text}"))?;
    }
    Ok(())
}

/// What the three cases are read from, once for all tests.
static LOADED: OnceLock<Result<(Specs, Vec<CheckedCase>), String>> = OnceLock::new();

fn load() -> Result<(Specs, Vec<CheckedCase>), String> {
    let problem = |found: Vec<opcert::diagnostic::Diagnostic>| format!("{found:?}");
    let specs = Specs::load(&Source::embedded_specs()).map_err(problem)?;
    let documented = |stem: &str| stem.ends_with("/documented");
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, documented).map_err(problem)?;
    let find = |id: &str| suite.cases.iter().find(|case| case.about().id == id).cloned();
    Ok((specs, [BEFORE, VICTIM, AFTER].into_iter().filter_map(find).collect()))
}

/// The three cases, one after the other.
fn run(backend: &ProcessBackend) -> Result<Vec<CaseEvent>, Failed> {
    let (specs, cases) = LOADED.get_or_init(load).as_ref()?;
    ensure(cases.len() == 3, || "the cases are not there".to_owned())?;
    let plan = Plan::new(cases.clone(), specs, backend, &Selection::default())?;
    Ok(plan.entries.iter().map(|planned| judge(planned, execute(planned, backend))).collect())
}

fn contained(misdeed: Misdeed, outcome: Outcome, reason: &str, threads: bool) -> Result<(), Failed> {
    let neighbours = |events: &[CaseEvent]| [events[0].outcome, events[2].outcome];
    let mut limits = if outcome == Outcome::Hang { LIMITS.as_slice() } else { &[PATIENCE] }.iter();
    let (limit, events, processes, _folder) = loop {
        let limit = *limits.next().ok_or("the cases beside it took too long whatever the limit")?;
        let folder = TempDir::new()?;
        let processes = folder.path().join("processes");
        let backend =
            ProcessBackend::start(Program { limit, threads, ..program(&format!("{misdeed:?}"), &processes)? })?;
        let events = run(&backend)?;
        drop(backend);
        if !neighbours(&events).contains(&Outcome::Hang) {
            break (limit, events, Processes::of(&processes)?, folder);
        }
    };
    ensure(neighbours(&events) == [Outcome::Pass; 2] && events[1].outcome == outcome, || format!("{events:#?}"))?;
    let said = events[1].reason.clone().unwrap_or_default().into_raw();
    let said = of_this_system(&said);
    let reason = of_this_system(reason).replace("{limit}", &limit.as_secs_f64().to_string());
    let reason =
        reason.replace("{aborted}", said.split(['(', ')']).nth(1).and_then(|end| end.split(' ').nth(2)).unwrap_or("?"));
    ensure(said.contains(&reason), || said.clone())?;
    ensure(said.len() < 10_000, || format!("the reason has {} bytes", said.len()))?;
    let left = processes.living();
    ensure(left.is_empty(), || format!("still there: {left:?}"))
}

/// The processes that a file lists, each of which has locked a file of its own for as long as it lives.
struct Processes(Vec<PathBuf>);

impl Processes {
    fn of(listed: &Path) -> Result<Self, Failed> {
        let ids = fs::read_to_string(listed)?;
        Ok(Self(ids.lines().map(|id| lock_of(listed, id)).collect()))
    }

    fn living(&self) -> Vec<&PathBuf> {
        self.0.iter().filter(|lock| File::open(lock).unwrap().try_lock().is_err()).collect()
    }
}

fn lock_of(listed: &Path, id: &str) -> PathBuf {
    listed.with_extension(id)
}

fn dies_at_every_further_start() -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let processes = folder.path().join("processes");
    let backend = ProcessBackend::start(program("once", &processes)?)?;
    let reasons: Vec<String> = (0..3)
        .map(|_| run(&backend))
        .collect::<Result<Vec<_>, Failed>>()?
        .into_iter()
        .flatten()
        .filter_map(|event| Some(event.reason?.into_raw()))
        .collect();
    ensure(reasons.len() == 9, || format!("{reasons:?}"))?;
    ensure(reasons[8].contains("given up after 3 tries"), || format!("{reasons:?}"))?;
    let starts = fs::read_to_string(&processes)?.lines().count();
    ensure(starts == 4, || format!("{starts} starts"))
}

/// What a program says otherwise when it is started again, in the line with which it introduces itself.
const OTHERWISE: [(&str, &str, &str); 9] = [
    ("name", r#""name":"cpu""#, r#""name":"gpu""#),
    ("version", r#""version":""#, r#""version":"1"#),
    ("device", r#""claims""#, r#""device":"another","claims""#),
    ("claims", r#""directml":"6_4""#, r#""directml":"5_0""#),
    ("strided", r#""strided":true"#, r#""strided":false"#),
    ("refuses_invalid", r#""refuses_invalid":true"#, r#""refuses_invalid":false"#),
    ("guards", r#""guards":true"#, r#""guards":false"#),
    ("operators", r#""operators":["directml/one_hot""#, r#""operators":["demo/none""#),
    ("protocol", r#""protocol":1"#, r#""protocol":2"#),
];

/// The case after the one in which it died is not answered by it, and what has changed is named.
fn comes_back_as_another(key: &'static str) -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let processes = folder.path().join("processes");
    let backend = ProcessBackend::start(program(&format!("otherwise:{key}"), &processes)?)?;
    let events = run(&backend)?;
    let seen: Vec<Outcome> = events.iter().map(|event| event.outcome).collect();
    ensure(seen == [Outcome::Pass, Outcome::Crash, Outcome::ProtocolError], || format!("{events:#?}"))?;
    let said = events[2].reason.clone().unwrap_or_default().into_raw();
    let named = if key == "protocol" { "it speaks protocol 2".to_owned() } else { format!("`{key}` was ") };
    ensure(said.contains(&named), || said)
}

/// Two threads ask at once, so that a second process is started beside the first. It says something else of itself, and
/// is asked for nothing.
fn starts_as_another_beside(key: &'static str) -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let processes = folder.path().join("processes");
    let backend = ProcessBackend::start(program(&format!("beside:{key}"), &processes)?)?;
    let events = std::thread::scope(|scope| {
        let both = [(); 2].map(|()| scope.spawn(|| run(&backend)));
        both.map(|thread| thread.join().map_err(|_| Failed::from("a thread panicked")).flatten())
    });
    let [one, other] = events;
    let events = [one?, other?].concat();
    let named = if key == "protocol" { "it speaks protocol 2".to_owned() } else { format!("`{key}` was ") };
    let names = |event: &CaseEvent| event.reason.as_ref().is_some_and(|reason| reason.raw().contains(&named));
    let refused = events.iter().filter(|event| event.outcome == Outcome::ProtocolError && names(event)).count();
    ensure(refused > 0, || format!("{events:#?}"))?;
    let processes = fs::read_to_string(&processes)?;
    ensure(!processes.contains(ASKED), || format!("another program was asked:\n{processes}"))
}

/// What a program notes that lies about itself and is asked all the same.
const ASKED: &str = "asked";

/// The log has the beginning of what is said, and so has whoever reads what is printed.
fn says_too_much(name: &str, outcome: &str, beginning: &str) -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let program = std::env::current_exe()?;
    let bad = format!("{} {BAD} {name} {}", program.display(), folder.path().join("processes").display());
    let opcert = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_opcert")).args(arguments).current_dir(folder.path()).output();
        output.map(|output| (output.status.code(), [output.stdout, output.stderr].concat()))
    };
    let (code, said) = opcert(&["run", VICTIM, "--exec", &bad, "--out", "out"])?;
    ensure(code == Some(1) && said.len() < 100_000, || format!("exit code {code:?}, {} bytes are said", said.len()))?;
    ensure(String::from_utf8_lossy(&said).contains(beginning), || "the reason is not said".to_owned())?;
    let logged = fs::metadata(folder.path().join("out/events.jsonl"))?.len();
    ensure(logged < 100_000, || format!("the log has {logged} bytes"))?;
    let log = fs::read_to_string(folder.path().join("out/events.jsonl"))?;
    let is_logged =
        log.contains(&format!(r#""outcome":"{outcome}""#)) && log.contains("more bytes, which are not kept");
    ensure(is_logged, || log)?;
    for reader in ["verify", "matrix"] {
        let (code, said) = opcert(&[reader, "out"])?;
        let right = code.is_some_and(|code| code < 2) && said.len() < 100_000;
        ensure(right, || format!("{reader}: exit code {code:?}, {} bytes are said", said.len()))?;
    }
    Ok(())
}

/// Programs that say that their guard zones are violated: one that has some, and one that introduced itself without any.
const VIOLATED: [(&str, Outcome, &str); 2] = [
    ("guarded", Outcome::GuardViolation, "wrote where it must not: beside it"),
    (
        "guardless",
        Outcome::ProtocolError,
        "a guard zone is said to be violated, and the program introduced itself with",
    ),
];

fn violates(name: &str, outcome: Outcome, said: &str) -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let backend = ProcessBackend::start(program(name, &folder.path().join("processes"))?)?;
    let events = run(&backend)?;
    let seen: Vec<Outcome> = events.iter().map(|event| event.outcome).collect();
    ensure(seen == [Outcome::Pass, outcome, Outcome::Pass], || format!("{events:#?}"))?;
    let reason = events[1].reason.clone().unwrap_or_default().into_raw();
    ensure(reason.contains(said), || reason)
}

/// Programs that say so many bytes: as the reason of a failure, and where the kind of a message should stand.
const TALKATIVE: [(&str, &str, &str); 2] =
    [("fails", "error", "all of it: no, no, no"), ("names_no_kind", "protocol-error", "unknown variant `no, no, no")];
const LONG: usize = 12 << 20;

/// What a program may not say of itself, and what is said of that.
const NOBODY: [(&str, &str, &str); 4] = [
    (r#""name":"cpu""#, r#""name":"""#, "the `name` in `identity` is empty"),
    (r#""name":"cpu""#, r#""name":" \t""#, "the `name` in `identity` is empty"),
    (r#""directml":"6_4""#, r#""directml":"6_4","directml":"5_0""#, "`directml` is claimed twice"),
    (r#""strided":true"#, r#""strided":true,"strided":false"#, "duplicate field `strided`"),
];

fn introduces_nobody(from: &str, to: &str, said: &str) -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let program = program(&format!("nobody:{from}:{to}"), &folder.path().join("processes"))?;
    let error = ProcessBackend::start(program).map(|_| ()).map_err(|error| error.to_string());
    ensure(error.as_ref().is_err_and(|error| error.contains(said)), || format!("{error:?}"))
}

/// Answers as the CPU backend does, up to the one request that this is about.
fn misbehave(name: &str, processes: &Path) {
    match name {
        "without_licence" => {
            eprintln!("no licence");
            std::process::exit(3)
        }
        "sleeps" => {
            note(processes);
            return sleep();
        }
        "detached" => {
            #[cfg(unix)]
            rustix::process::setsid().unwrap();
            note(processes);
            return sleep();
        }
        _ => note(processes),
    }
    let starts = fs::read_to_string(processes).unwrap().lines().count();
    if name == "once" && starts > 1 {
        return;
    }
    let misdeed = TABLE.iter().map(|(misdeed, ..)| *misdeed).find(|misdeed| format!("{misdeed:?}") == name);
    if misdeed == Some(Hangs) {
        // Said long before, so that it was heard.
        eprintln!("thinking");
    }
    // Byte by byte, so that what is not asked for stays in the pipe.
    let capacity = if misdeed == Some(AnswersUnread) { 1 } else { 1 << 16 };
    #[cfg(unix)]
    let stdin = File::from(std::os::fd::AsFd::as_fd(&std::io::stdin()).try_clone_to_owned().unwrap());
    #[cfg(windows)]
    let stdin = File::from(std::os::windows::io::AsHandle::as_handle(&std::io::stdin()).try_clone_to_owned().unwrap());
    let mut requests = BufReader::with_capacity(capacity, stdin);
    let mut responses = std::io::stdout();
    let mut runs = 0;
    while let Ok(request) = read_message::<Request>(&mut requests) {
        let is_victim = matches!(&request, Request::Run { descriptor, .. } if descriptor.operator == "directml/argmax");
        runs += u64::from(is_victim);
        if let Request::Run { id, descriptor, .. } = &request
            && is_victim
            && runs == RUNS
            && misdeed == Some(AnswersUnread)
        {
            // The payload stays where it is.
            let output = descriptor.tensor("OutputTensor").unwrap();
            responses.write_all(&ran(*id, &[("OutputTensor", output)])).unwrap();
            responses.flush().unwrap();
            return sleep();
        }
        if name.starts_with("beside:") && !matches!(request, Request::Start { .. } | Request::Stop) {
            if starts > 1 {
                writeln!(OpenOptions::new().append(true).open(processes).unwrap(), "{ASKED}").unwrap();
            }
            // Until the other thread has started another one.
            await_starts(processes, 2);
        }
        let answer = right_answer(&request, &mut requests);
        let Request::Run { id, descriptor, .. } = &request else {
            if name == "once" && matches!(request, Request::Supports { .. }) {
                return;
            }
            if misdeed == Some(IgnoresStop) && request == Request::Stop {
                break;
            }
            responses.write_all(&introduced(name, starts, answer)).unwrap();
            responses.flush().unwrap();
            continue;
        };
        let bytes = match misdeed.filter(|_| is_victim) {
            Some(AnswersAgainAfterTheLast) if runs == RUNS => answer.repeat(2),
            Some(misdeed) => misanswer(misdeed, *id, descriptor, answer, &mut requests, processes),
            None if is_victim && name.starts_with("otherwise:") => return,
            None if is_victim && VIOLATED.iter().any(|(of, ..)| *of == name) => {
                line(&Response::Fault { id: *id, fault: Fault::GuardViolated("beside it".to_owned()) }).unwrap()
            }
            None if is_victim && name == "fails" => {
                let reason = format!("all of it: {}", "no, ".repeat(LONG / 4));
                line(&Response::Fault { id: *id, fault: Fault::Failed(reason) }).unwrap()
            }
            None if is_victim && name == "names_no_kind" => {
                format!("{{\"type\":\"{}\"}}\n", "no, ".repeat(LONG / 4)).into_bytes()
            }
            None => answer,
        };
        responses.write_all(&bytes).unwrap();
        responses.flush().unwrap();
    }
    if misdeed == Some(IgnoresStop) {
        sleep();
    }
}

/// How often the victim is run: at its first and at its last level twice and with other inputs, and once between them.
const RUNS: u64 = 7;

/// An answer, and another one where it is the introduction of a program that lies there.
fn introduced(name: &str, starts: usize, answer: Vec<u8>) -> Vec<u8> {
    let lie = |from: &str, to: &str| {
        let text = String::from_utf8(answer.clone()).unwrap();
        if text.contains("started") { text.replacen(from, to, 1).into_bytes() } else { text.into_bytes() }
    };
    match name.split(':').next().unwrap() {
        "otherwise" | "beside" if starts > 1 => {
            let (_, from, to) = OTHERWISE.into_iter().find(|(key, ..)| name.ends_with(&format!(":{key}"))).unwrap();
            lie(from, to)
        }
        "guardless" => lie(r#""guards":true"#, r#""guards":false"#),
        "nobody" => {
            let (from, to, _) = NOBODY.into_iter().find(|(from, to, _)| name == format!("nobody:{from}:{to}")).unwrap();
            lie(from, to)
        }
        _ => answer,
    }
}

/// Lists this process, once its lock is held.
fn note(processes: &Path) {
    let id = std::process::id().to_string();
    let lock = File::create(lock_of(processes, &id)).unwrap();
    lock.lock().unwrap();
    // Held until the process ends.
    std::mem::forget(lock);
    let mut file = OpenOptions::new().create(true).append(true).open(processes).unwrap();
    writeln!(file, "{id}").unwrap();
}

/// Starts this program as another one.
fn another(name: &str, processes: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([BAD, name]).arg(processes);
    command
}

/// Waits until so many processes have been listed.
fn await_starts(processes: &Path, count: usize) {
    while fs::read_to_string(processes).unwrap().lines().count() < count {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn sleep() {
    std::thread::sleep(Duration::from_secs(600));
}

/// How the CPU backend answers a request, whose payload is still to be read.
fn right_answer(request: &Request, requests: &mut impl BufRead) -> Vec<u8> {
    let mut asked = line(request).unwrap();
    if let Request::Run { payload, .. } = request {
        requests.take(*payload).read_to_end(&mut asked).unwrap();
    }
    let mut answer = Vec::new();
    serve(&CpuBackend::new(), asked.as_slice(), &mut answer).unwrap();
    answer
}

fn misanswer(
    misdeed: Misdeed,
    id: u64,
    descriptor: &Descriptor,
    answer: Vec<u8>,
    requests: &mut impl BufRead,
    processes: &Path,
) -> Vec<u8> {
    let output = descriptor.tensor("OutputTensor").unwrap().clone();
    let packed = |data_type: DataType, sizes: &[u64]| TensorDescriptor::packed(data_type, sizes);
    match misdeed {
        Behaves | IgnoresStop | AnswersUnread | AnswersAgainAfterTheLast => answer,
        DiesBeforeItAnswers => {
            eprintln!("last words");
            std::process::abort()
        }
        ExitsAsIfAllWereWell => std::process::exit(0),
        DiesWhileItAnswers | EndsThePayloadEarly => {
            let mut responses = std::io::stdout();
            let length = if misdeed == EndsThePayloadEarly { answer.len() - 1 } else { answer.len() - 20 };
            responses.write_all(&answer[..length]).unwrap();
            responses.flush().unwrap();
            if misdeed == EndsThePayloadEarly { std::process::exit(0) } else { std::process::abort() }
        }
        Hangs => {
            sleep();
            answer
        }
        HangsInTheMiddle => {
            let mut responses = std::io::stdout();
            responses.write_all(&answer[..10]).unwrap();
            responses.flush().unwrap();
            sleep();
            answer
        }
        WritesGarbage => [b"Loading model ...\n", answer.as_slice()].concat(),
        WritesALineWithoutEnd => vec![b'x'; 65 << 20],
        NamesAnotherTensor => ran(id, &[("OutputTonsor", &output)]),
        AddsATensor => ran(id, &[("OutputTensor", &output), ("Extra", &output)]),
        ChangesTheShape => ran(id, &[("OutputTensor", &packed(output.data_type, &[3]))]),
        ChangesTheType => ran(id, &[("OutputTensor", &packed(DataType::I32, &output.sizes))]),
        ShortensTheTensor => ran(id, &[("OutputTensor", &packed(output.data_type, &[1, 2]))]),
        AnnouncesTooMuch => line(&Response::Ran { id, payload: 1 << 63 }).unwrap(),
        AnswersInAnotherOrder => {
            let second = right_answer(&read_message(requests).unwrap(), requests);
            [second, answer].concat()
        }
        AnswersTwice => answer.repeat(2),
        AnswersAnotherRequest => ran(4711, &[("OutputTensor", &output)]),
        AnswersTheOpposite => {
            let bytes = output.span_bytes().unwrap() as usize;
            let (head, data) = answer.split_at(answer.len() - bytes);
            head.iter().copied().chain(data.iter().map(|byte| !byte)).collect()
        }
        AnswersAnotherQuestion => line(&Response::Compiled { id }).unwrap(),
        FloodsStandardError => {
            let mut complaints = std::io::stderr();
            (0..64).for_each(|_| complaints.write_all(&vec![b'!'; 1 << 20]).unwrap());
            answer
        }
        // What this process becomes has its output, and not its input.
        #[cfg(unix)]
        ClosesItsInput => {
            use std::os::unix::process::CommandExt;
            panic!("{}", another("sleeps", processes).stdin(Stdio::null()).exec())
        }
        #[cfg(windows)]
        ClosesItsInput => answer,
        AllocatesWithoutEnd => {
            let mut all = Vec::new();
            loop {
                all.push(vec![1u8; 16 << 20]);
                std::hint::black_box(&all);
            }
        }
        LeavesAChild => {
            another("sleeps", processes).spawn().unwrap();
            await_starts(processes, 2);
            std::process::exit(0)
        }
        LeavesADetachedChild => {
            let mut child = another("detached", processes);
            child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            // It has left the process group before its parent ends, and has no stream that would give it away.
            await_starts(processes, 2);
            std::process::exit(0)
        }
    }
}

/// An answer with such outputs, all zeros.
fn ran(id: u64, tensors: &[(&str, &TensorDescriptor)]) -> Vec<u8> {
    let memory: Vec<Vec<u8>> =
        tensors.iter().map(|(_, tensor)| vec![0; tensor.span_bytes().unwrap() as usize]).collect();
    let named = tensors.iter().zip(&memory).map(|((name, tensor), bytes)| (*name, *tensor, bytes.as_slice()));
    let payload = Payload::new(named).unwrap();
    let mut bytes = line(&Response::Ran { id, payload: payload.bytes() }).unwrap();
    payload.write(&mut bytes).unwrap();
    bytes
}
