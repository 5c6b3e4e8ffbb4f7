//! A run that is killed in its middle goes on where it was, and ends like one that was not. This program is the
//! command, with a backend of its own, and runs and kills itself.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use opcert::backend::{Backend, CompileError, DataType, Descriptor, Identity, Operator, Support};
use opcert::case::CaseSource;
use opcert::check::{CheckedCase, Suite};
use opcert::cli::{BackendEntry, main_with};
use opcert::diagnostic::Diagnostic;
use opcert::judge::Event;
use opcert::report::{Log, UnfinishedWriter};
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_cpu::CpuBackend;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Set where this program is the command and not the tests: `slow`, `fast`, `broken`, which can do nothing, `refusing`,
/// which is wrong about everything valid, or `choosy`, which is wrong about halves and counts that in a file.
const COMMAND: &str = "OPCERT_TEST_PACE";

/// The file that gets a byte from `choosy` each time that it refuses what is valid.
const REFUSED: &str = "refused";

/// A hundred cases that take half a minute if each is compiled slowly.
const CASES: &str = "directml/argmax/by_hand";

/// Those that run without being asked for.
fn cases() -> Result<Vec<CheckedCase>, Failed> {
    let problem = |found: Vec<Diagnostic>| format!("{found:?}");
    let specs = Specs::load(&Source::embedded_specs()).map_err(problem)?;
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |stem| stem == CASES).map_err(problem)?;
    let cases: Vec<CheckedCase> = suite.cases.into_iter().filter(|case| !case.about().large).collect();
    if cases.len() < 100 { Err("too few cases to kill a run of them".into()) } else { Ok(cases) }
}

/// How a summary of all of them begins.
fn all() -> Result<String, Failed> {
    Ok(format!("{} cases", cases()?.len()))
}

const PAUSE: Duration = Duration::from_millis(20);

/// Longer than it can take to run a few slow cases, on however busy a machine.
const LONGEST: Duration = Duration::from_secs(600);

struct Paced;

impl Backend for Paced {
    fn identity(&self) -> Identity {
        CpuBackend::new().identity()
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        CpuBackend::new().supports(descriptor)
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        match std::env::var(COMMAND).as_deref() {
            Ok("slow") => std::thread::sleep(PAUSE),
            Ok("broken") => return Err(CompileError::Unsupported { reason: "broken now".to_owned() }),
            Ok("refusing") => return Err(CompileError::Rejected { requirement: None, reason: "no".to_owned() }),
            Ok("choosy") if descriptor.tensors.iter().any(|entry| entry.tensor.data_type == DataType::F16) => {
                CpuBackend::new().compile(descriptor)?;
                let count = fs::File::options().create(true).append(true).open(REFUSED);
                let _ = count.and_then(|mut count| count.write_all(b"."));
                return Err(CompileError::Rejected { requirement: None, reason: "no halves".to_owned() });
            }
            _ => {}
        }
        CpuBackend::new().compile(descriptor)
    }
}

fn main() -> ExitCode {
    if std::env::var_os(COMMAND).is_some() {
        return main_with(&[BackendEntry::new("paced", || Box::new(Paced))]);
    }
    let trials = vec![
        Trial::test("a_killed_run_goes_on_and_ends_with_the_same_bytes", || goes_on(&[])),
        Trial::test("a_killed_isolated_run_goes_on_and_ends_with_the_same_bytes", || goes_on(&["--isolate"])),
        Trial::test("what_was_done_is_not_done_again", what_was_done_is_not_done_again),
        Trial::test("an_unfinished_log_is_no_report", an_unfinished_log_is_no_report),
        Trial::test("another_run_is_not_gone_on_with", another_run_is_not_gone_on_with),
        Trial::test("what_is_not_damaged_is_gone_on_with", what_is_not_damaged_is_gone_on_with),
        Trial::test("an_interrupted_run_says_how_to_go_on", an_interrupted_run_says_how_to_go_on),
        Trial::test("interrupted_fuzzing_keeps_what_it_found", interrupted_fuzzing_keeps_what_it_found),
        Trial::test("a_run_stops_at_as_many_failures_as_are_asked_for", a_run_stops_at_enough_failures),
        Trial::test("a_quiet_run_prints_one_line", a_quiet_run_prints_one_line),
        Trial::test("a_run_that_hardly_began_begins_anew", a_run_that_hardly_began_begins_anew),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn command(pace: &str, folder: &Path, arguments: &[&str]) -> Result<Command, Failed> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(arguments).env(COMMAND, pace).current_dir(folder).stdin(Stdio::null());
    Ok(command)
}

/// Runs to the end, and says what was said.
fn run(pace: &str, folder: &Path, arguments: &[&str]) -> Result<(Option<i32>, String), Failed> {
    let Output { status, stdout, stderr } = command(pace, folder, arguments)?.output()?;
    Ok((status.code(), String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned()))
}

/// Runs slowly, kills the run once it has written eight lines, and returns how many whole ones there are.
fn killed(folder: &Path, options: &[&str]) -> Result<usize, Failed> {
    killed_after(8, folder, options)
}

fn killed_after(least: usize, folder: &Path, options: &[&str]) -> Result<usize, Failed> {
    let unfinished = folder.join("out/events.jsonl.unfinished");
    let arguments = [&["run", CASES, "--out", "out", "--jobs", "1"], options].concat();
    let mut child = command("slow", folder, &arguments)?.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let lines = || fs::read(&unfinished).unwrap_or_default().iter().filter(|&&byte| byte == b'\n').count();
    let begun = Instant::now();
    while lines() < least && begun.elapsed() < LONGEST {
        std::thread::sleep(PAUSE);
    }
    child.kill()?;
    let status = child.wait()?;
    let lines = lines();
    if status.code().is_some() || lines < least || folder.join("out/events.jsonl").exists() {
        return Err(format!("the run was not killed in its middle: {status}, {lines} lines").into());
    }
    Ok(lines)
}

fn whole(folder: &Path) -> Result<Vec<u8>, Failed> {
    Ok(fs::read(folder.join("out/events.jsonl"))?)
}

fn says(what: &(Option<i32>, String), code: i32, fragment: &str) -> Result<(), Failed> {
    let (found, said) = what;
    if *found == Some(code) && said.contains(fragment) {
        return Ok(());
    }
    Err(format!("exit code {found:?}, expected {code} and `{fragment}`\n{said}").into())
}

fn goes_on(options: &[&str]) -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let kept = killed(folder.path(), options)?;
    let unfinished = folder.path().join("out/events.jsonl.unfinished");
    // What was being written when the power went.
    let mut text = fs::read(&unfinished)?;
    text.extend_from_slice(b"{\"event\":\"case\",\"case\":\"directml/arg");
    fs::write(&unfinished, text)?;
    // The second time it is killed, what it wrote stands behind what was there before.
    let kept = killed_after(kept + 5, folder.path(), &[options, &["--resume"]].concat())?;
    let arguments = [&["run", CASES, "--out", "out", "--resume"], options].concat();
    says(&run("fast", folder.path(), &arguments)?, 0, &all()?)?;
    if unfinished.exists() {
        return Err("the unfinished log is still there".into());
    }
    let uninterrupted = TempDir::new()?;
    let arguments = [&["run", CASES, "--out", "out"], options].concat();
    says(&run("fast", uninterrupted.path(), &arguments)?, 0, &all()?)?;
    for name in ["events.jsonl", "junit.xml", "matrix.md"] {
        let read = |folder: &TempDir| fs::read(folder.path().join("out").join(name));
        if read(&folder)? != read(&uninterrupted)? {
            return Err(format!("{name} is not what a run has that was not killed, at last after {kept} lines").into());
        }
    }
    Ok(())
}

fn an_interrupted_run_says_how_to_go_on() -> Result<(), Failed> {
    for (options, fragment) in [
        (&["--out", "out"][..], "interrupted; to go on: "),
        (&[], "interrupted; a run with `--out DIR` can be gone on with"),
    ] {
        let folder = TempDir::new()?;
        let arguments = [&["run", CASES, "--jobs", "1", "--format", "jsonl"], options].concat();
        let mut command = command("slow", folder.path(), &arguments)?;
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        // Once the first line is there, the run goes on.
        let mut output = child.stdout.take().ok_or("no output")?;
        output.read_exact(&mut [0])?;
        let number = Pid::from_child(&child);
        kill_process(number, Signal::TERM)?;
        std::io::copy(&mut output, &mut std::io::sink())?;
        let Output { status, stderr, .. } = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&stderr).into_owned();
        if status.signal() != Some(Signal::TERM.as_raw()) || !said.contains(fragment) {
            return Err(format!("{status}, expected {fragment}\n{said}").into());
        }
        let resume = " --out out --resume\n";
        if options.is_empty() == said.ends_with(resume) || folder.path().join("out/events.jsonl").exists() {
            return Err(said.into());
        }
        if !options.is_empty() {
            let arguments = ["run", CASES, "--out", "out", "--resume"];
            says(&run("fast", folder.path(), &arguments)?, 0, &all()?)?;
        }
    }
    Ok(())
}

/// Whether these tests were started so that this signal ends nothing, as `nohup` does.
fn is_ignored(signal: Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    ignored.is_some_and(|ignored| ignored >> (signal.as_raw() - 1) & 1 == 1)
}

/// It would take an hour else.
fn interrupted_fuzzing_keeps_what_it_found() -> Result<(), Failed> {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP].into_iter().filter(|&signal| !is_ignored(signal)) {
        let folder = TempDir::new()?;
        let operators = ["--operator", "directml/argmax", "--operator", "directml/one_hot"];
        let arguments = [&["fuzz", "--seconds", "3600", "--seed", "1", "--jobs", "2"], &operators[..]].concat();
        let mut command = command("choosy", folder.path(), &arguments)?;
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let begun = Instant::now();
        // Of some the documents leave open what is right.
        while fs::metadata(folder.path().join(REFUSED)).map_or(0, |count| count.len()) < 100
            && begun.elapsed() < LONGEST
        {
            std::thread::sleep(PAUSE);
        }
        kill_process(Pid::from_child(&child), signal)?;
        let Output { status, stdout, stderr } = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
        if status.signal() != Some(signal.as_raw()) {
            return Err(format!("{status}, expected {signal:?}\n{said}").into());
        }
        let interrupted =
            "\ninterrupted: this came of it until then, and is shrunk no further; 1 operator had not begun\n";
        for fragment in ["refused-wrongly directml/argmax/cpu/", interrupted, "\nthe failures go to `fuzz`; to repeat"]
        {
            if !said.contains(fragment) {
                return Err(format!("`{fragment}` is not said\n{said}").into());
            }
        }
        says(&run("choosy", folder.path(), &["run", "--cases", "fuzz"])?, 1, " refused-wrongly")?;
    }
    Ok(())
}

fn a_run_stops_at_enough_failures() -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let stopping = ["run", CASES, "--out", "out", "--max-fail", "3"];
    let stopped = run("refusing", folder.path(), &stopping)?;
    says(&stopped, 1, "\n3 failures, by requirement\n")?;
    let cases = cases()?;
    let words = format!("3 of 3 cases went wrong, and no more of the {} were run; to go on: ", cases.len());
    says(&stopped, 1, &words)?;
    says(&stopped, 1, " run directml/argmax/by_hand --out out --max-fail 3 --resume\n")?;
    if folder.path().join("out/events.jsonl").exists() || stopped.1.contains("the page") {
        return Err(format!("the run came to an end\n{}", stopped.1).into());
    }
    // Three more are waited for, and what is said is said of all.
    says(&run("refusing", folder.path(), &[&stopping[..], &["--resume"]].concat())?, 1, "6 of 6 cases went wrong")?;
    let ended = run("fast", folder.path(), &[&stopping[..], &["--resume"]].concat())?;
    let observed = cases.iter().filter(|case| !case.about().gates()).count();
    let passed = cases.len() - 6 - observed;
    says(&ended, 1, &format!("{}: {passed} pass, 6 refused-wrongly, {observed} observed", all()?))?;
    says(&ended, 1, "\n6 failures, by requirement\n")?;
    says(&ended, 1, "\nthe page: out/report.html\nwhat went wrong, again: ")?;
    let without = run("fast", folder.path(), &["run", CASES, "--max-fail", "0"])?;
    says(&without, 2, "expected a number from 1 on")
}

fn a_quiet_run_prints_one_line() -> Result<(), Failed> {
    let folder = TempDir::new()?;
    for (pace, code, verdict) in
        [("fast", 0, ": ○ all passed: 1 operator; "), ("refusing", 1, ": ✕ partial: 1 operator; ")]
    {
        let said = run(pace, folder.path(), &["run", CASES, "--out", "out", "--quiet"])?;
        says(&said, code, verdict)?;
        if said.1.lines().count() != 1 || !said.1.contains(&format!("; {}: ", all()?)) {
            return Err(said.1.into());
        }
    }
    let both = run("fast", folder.path(), &["run", CASES, "-q", "--format", "jsonl"])?;
    says(&both, 2, "`--quiet` prints one line")
}

/// What comes after the kill is done by a backend that can do nothing any more.
fn what_was_done_is_not_done_again() -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let kept = killed(folder.path(), &[])? - 1;
    says(&run("broken", folder.path(), &["run", CASES, "--out", "out", "--resume"])?, 4, "broken now")?;
    let text = String::from_utf8(whole(folder.path())?)?;
    let cases: Vec<&str> = text.lines().filter(|line| line.starts_with("{\"event\":\"case\"")).collect();
    let broken: Vec<bool> = cases.iter().map(|line| line.contains("broken now")).collect();
    if cases.len() != self::cases()?.len()
        || broken.iter().position(|&broken| broken) != Some(kept)
        || broken[kept..].contains(&false)
    {
        return Err(format!("{kept} cases were kept, and then came {broken:?}").into());
    }
    Ok(())
}

fn an_unfinished_log_is_no_report() -> Result<(), Failed> {
    let folder = TempDir::new()?;
    killed(folder.path(), &[])?;
    let said = "`out/events.jsonl.unfinished`: the run was cut off and has no report yet";
    says(&run("fast", folder.path(), &["matrix", "out"])?, 2, said)?;
    says(&run("fast", folder.path(), &["matrix", "out/events.jsonl.unfinished"])?, 2, said)
}

fn another_run_is_not_gone_on_with() -> Result<(), Failed> {
    let folder = TempDir::new()?;
    killed(folder.path(), &[])?;
    let unfinished = folder.path().join("out/events.jsonl.unfinished");
    let before = fs::read(&unfinished)?;
    let resume =
        |options: &[&str]| run("fast", folder.path(), &[&["run", "--out", "out", "--resume"], options].concat());
    let other = "`out/events.jsonl.unfinished` is of another run: its";
    says(&resume(&[CASES, "--level", "4_0"])?, 2, &format!("{other} `level` is null, and now it is \"4_0\""))?;
    says(&resume(&[CASES, "--isolate"])?, 2, &format!("{other} `isolated` is false, and now it is true"))?;
    says(&resume(&["directml/argmax/documented"])?, 2, &format!("{other} `cases` is "))?;
    says(&resume(&[])?, 2, &format!("{other} `cases` is "))?;
    // As many cases of the same file, and not the same ones.
    let one = |id: &str| run("fast", folder.path(), &["run", id, "--out", "one"]);
    says(&one("directml/argmax/documented/example_1")?, 0, "1 case")?;
    let log = Log::read(fs::read(folder.path().join("one/events.jsonl"))?.as_slice())?;
    let mut writer = UnfinishedWriter::new(fs::File::create(folder.path().join("one/events.jsonl.unfinished"))?);
    writer.write(&Event::Header(Box::new(log.header.clone())))?;
    writer.write(&Event::Case(Box::new(log.cases[0].clone())))?;
    let arguments = ["run", "directml/argmax/documented/example_2", "--out", "one", "--resume"];
    let said = "it goes on with `directml/argmax/documented/example_1`, and now `directml/argmax/documented/example_2` \
                stands there";
    says(&run("fast", folder.path(), &arguments)?, 2, said)?;
    // The same case, of which something is said that cannot be.
    let forged = opcert::judge::CaseEvent { outcome: opcert::judge::Outcome::Fail, ..log.cases[0].clone() };
    let mut writer = UnfinishedWriter::new(fs::File::create(folder.path().join("one/events.jsonl.unfinished"))?);
    writer.write(&Event::Header(Box::new(log.header)))?;
    writer.write(&Event::Case(Box::new(forged)))?;
    let arguments = ["run", "directml/argmax/documented/example_1", "--out", "one", "--resume"];
    let said = "what it says of `directml/argmax/documented/example_1` cannot have come of that case";
    says(&run("fast", folder.path(), &arguments)?, 2, said)?;
    if fs::read(&unfinished)? == before { Ok(()) } else { Err("the unfinished log was changed".into()) }
}

/// Lines are cut, lost, doubled and exchanged, and bits flip: what comes out is what an uninterrupted run gives.
fn what_is_not_damaged_is_gone_on_with() -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let kept = killed(folder.path(), &[])?;
    let unfinished = folder.path().join("out/events.jsonl.unfinished");
    let text = fs::read_to_string(&unfinished)?;
    let lines: Vec<&str> = text.lines().collect();
    says(&run("fast", folder.path(), &["run", CASES, "--out", "out", "--resume"])?, 0, &all()?)?;
    let uninterrupted = whole(folder.path())?;
    let goes_on_from = |damaged: &[&str], said: &str| {
        fs::write(&unfinished, damaged.join("\n") + "\n")?;
        says(&run("fast", folder.path(), &["run", CASES, "--out", "out", "--resume"])?, 0, said)?;
        if whole(folder.path())? == uninterrupted { Ok(()) } else { Err(Failed::from("another log came of it")) }
    };
    let count = cases()?.len();
    let from = |line: usize, kept: &str| {
        format!("is damaged from line {line} on: {kept} of {count} kept, and the rest is run")
    };
    goes_on_from(&[lines[0], &lines[1][..40], lines[2]], &from(2, "0 cases"))?;
    goes_on_from(&[lines[0], lines[1], lines[3]], &from(3, "1 case"))?;
    goes_on_from(&[lines[0], lines[1], lines[1]], &from(3, "1 case"))?;
    goes_on_from(&[lines[0], lines[2], lines[1]], &from(2, "0 cases"))?;
    goes_on_from(&[lines[0], lines[0]], &from(2, "0 cases"))?;
    goes_on_from(&lines[1..], "is damaged from its first line on: everything is run again")?;
    let passed = lines[3].replacen("\"outcome\":\"pass\"", "\"outcome\":\"fail\"", 1);
    let changed = [&lines[..3], &[passed.as_str()], &lines[4..]].concat();
    if changed == lines {
        return Err(format!("nothing was changed in {kept} lines").into());
    }
    goes_on_from(&changed, &from(4, "2 cases"))
}

fn a_run_that_hardly_began_begins_anew() -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let arguments = ["run", "directml/argmax/documented", "--out", "out", "--resume"];
    let nothing = "there is no run to go on with: `out/events.jsonl.unfinished` does not exist";
    says(&run("fast", folder.path(), &arguments)?, 2, nothing)?;
    fs::create_dir(folder.path().join("out"))?;
    fs::write(folder.path().join("out/events.jsonl.unfinished"), "{\"event\":\"hea")?;
    says(&run("fast", folder.path(), &arguments)?, 0, "5 cases: 5 pass")?;
    says(&run("fast", folder.path(), &["run", CASES, "--resume"])?, 2, "--out")
}
