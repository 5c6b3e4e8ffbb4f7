//! The command is killed while programs run for it: nothing of them is left, no file is half there, and the run can be
//! gone on with and ends like one that was not killed.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use rustix::process::{Pid, Signal, kill_process};

use crate::programs::living;
use crate::{Extent, Numbers, Tally, attack};

/// A dozen cases.
const CASES: &str = "directml/*/documented/*";

/// What is written at the end; each file is there as a whole, or not at all.
const FILES: [&str; 4] = ["events.jsonl", "certificate.json", "junit.xml", "matrix.md"];

const SIGNALS: [(&str, Signal); 4] =
    [("SIGINT", Signal::INT), ("SIGTERM", Signal::TERM), ("SIGHUP", Signal::HUP), ("SIGKILL", Signal::KILL)];

/// Longer than it can take to end what is left, on however busy a machine.
const LONGEST: Duration = Duration::from_secs(60);

pub fn trials() -> Vec<Trial> {
    attack("kills", killed).into()
}

fn killed(extent: Extent, tally: &mut Tally) {
    let uninterrupted = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let status = command(uninterrupted.path(), "uninterrupted", &[]).status().unwrap();
    let whole = begun.elapsed();
    assert!(status.success(), "{status}");
    let mut numbers = Numbers(15);
    let count = if extent == Extent::Quick { 2 } else { 40 };
    for (name, signal) in SIGNALS {
        for number in 0..count {
            // Some come after the end.
            let after = whole.mul_f64(numbers.below(1100) as f64 / 1000.0);
            let wrong = kill_once(signal, after, uninterrupted.path());
            tally.count(name, &format!("kill {number}, after {after:?} of {whole:?}"), wrong);
        }
    }
}

fn kill_once(signal: Signal, after: Duration, uninterrupted: &Path) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().display().to_string();
    let mut child = command(folder.path(), &mark, &[]).spawn().unwrap();
    // The moment is meant to be any; nothing depends on it.
    std::thread::sleep(after);
    let _ = kill_process(Pid::from_child(&child), signal);
    child.wait().unwrap();
    let begun = Instant::now();
    while !living(&mark).is_empty() {
        if begun.elapsed() > LONGEST {
            return Some(format!("still there: {:?}", living(&mark)));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let read = |folder: &Path, name: &str| fs::read(folder.join("out").join(name)).ok();
    let is_half = |name: &&str| read(folder.path(), name).is_some_and(|bytes| is_half(name, &bytes));
    if let Some(name) = FILES.iter().find(|name| is_half(name)) {
        return Some(format!("`{name}` is not whole"));
    }
    let goes_on = folder.path().join("out/events.jsonl.unfinished").exists();
    let options: &[&str] = if goes_on { &["--resume"] } else { &[] };
    let output = command(folder.path(), &mark, options).stderr(Stdio::piped()).output().unwrap();
    if !output.status.success() {
        return Some(format!("gone on with: {}: {}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    let other = ["events.jsonl", "junit.xml", "matrix.md"].into_iter().find(|name| {
        let text = |folder: &Path| read(folder, name).map(|bytes| normal(&bytes));
        text(folder.path()).is_none() || text(folder.path()) != text(uninterrupted)
    });
    if let Some(name) = other {
        return Some(format!("`{name}` is not what a run has that was not killed"));
    }
    let left = fs::read_dir(folder.path().join("out")).unwrap().flatten();
    let left: Vec<String> = left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let unfinished = left.iter().find(|name| name.contains("unfinished"));
    unfinished.map(|name| format!("`{name}` is still there"))
}

/// Text without the folder that the program was told, which the command that repeats a case names.
fn normal(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.lines().filter(|line| !line.contains("\"event\":\"header\"")).collect::<Vec<_>>().join("\n")
}

/// A file that was written as a whole ends as its format does.
fn is_half(name: &str, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    match name {
        "events.jsonl" => !text.lines().last().is_some_and(|line| line.contains("\"event\":\"footer\"")),
        "junit.xml" => !text.trim_end().ends_with("</testsuites>"),
        "certificate.json" => !text.trim_end().ends_with('}'),
        _ => !text.ends_with('\n'),
    }
}

/// Certifies, more or less slowly, with this program as the backend, each process of which leaves a detached child.
fn command(folder: &Path, mark: &str, options: &[&str]) -> Command {
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_opcert"));
    command.args(["run", CASES, "--out", "out", "--jobs", "2", "--timeout", "120", "--exec"]);
    command.arg(format!("{} program slow 0 {mark}", program.display())).args(options);
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}
