//! Programs that answer one case with bytes that are not quite the right ones, or end in its middle, and leave processes
//! behind: that case goes wrong and says so, those beside it keep their results, and nothing is left.

use std::fs;
use std::io::{BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use libtest_mimic::Trial;
use opcert::backend::protocol::{Request, line, read_message};
use opcert::backend::serve;
use opcert::case::CaseSource;
use opcert::check::{CheckedCase, Suite};
use opcert::judge::{CaseEvent, Outcome, judge};
use opcert::plan::{Plan, Selection};
use opcert::run::{ProcessBackend, Program, execute};
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_cpu::CpuBackend;
use rustix::process::{Signal, getpid, kill_process, setsid};

use crate::{Extent, Numbers, Tally, attack};

/// What goes wrong, and what comes before and after it.
const CASES: [&str; 3] = [
    "directml/one_hot/documented/example_1",
    "directml/argmax/documented/example_1",
    "directml/one_hot/documented/example_2",
];

/// How the answer is spoiled, and whether the case may pass all the same.
type Kind = (&'static str, fn(&mut Numbers, Vec<u8>) -> Vec<u8>);

const KINDS: [Kind; 9] = [
    ("a_bit_flipped", bit_flipped),
    ("a_byte_missing", byte_missing),
    ("a_byte_too_many", byte_too_many),
    ("a_piece_twice", piece_twice),
    ("a_key_changed", key_changed),
    ("something_before_it", something_before),
    ("cut_off", cut_off),
    ("ended_by_a_signal", ended_by_a_signal),
    ("children_left", children_left),
];

/// How long an answer may take. If that is too short for the cases beside it, the next one is tried.
const LIMITS: [Duration; 3] = [Duration::from_secs(2), Duration::from_secs(15), Duration::from_secs(120)];

pub fn trials() -> Vec<Trial> {
    attack("programs", spoiled).into()
}

fn spoiled(extent: Extent, tally: &mut Tally) {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let documented = |stem: &str| stem.ends_with("/documented");
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, documented).unwrap();
    let find = |id: &str| suite.cases.iter().find(|case| case.about().id == id).unwrap().clone();
    let cases: Vec<CheckedCase> = CASES.into_iter().map(find).collect();
    let plan = Plan::new(cases, &specs, &CpuBackend::new(), &Selection::default()).unwrap();
    for (kind, _) in KINDS {
        let count = match (kind, extent) {
            ("ended_by_a_signal" | "children_left", Extent::Quick) => 2,
            ("ended_by_a_signal" | "children_left", Extent::Whole) => 40,
            (_, Extent::Quick) => 6,
            (_, Extent::Whole) => 300,
        };
        for seed in 0..count {
            tally.count(kind, &format!("seed {seed}"), wrong(&plan, kind, seed));
        }
    }
}

/// What is wrong with how opcert takes a program, if anything is.
fn wrong(plan: &Plan, kind: &str, seed: usize) -> Option<String> {
    let mut limits = LIMITS.into_iter();
    let (events, mark) = loop {
        let mark = format!("{}-{kind}-{seed}-{}", std::process::id(), limits.len());
        let Some(limit) = limits.next() else { return Some("the cases beside it took too long".to_owned()) };
        let arguments = vec![PROGRAM.into(), kind.into(), seed.to_string().into(), mark.clone().into()];
        let supervisor = Some(env!("CARGO_BIN_EXE_opcert").into());
        let program = Program { limit, supervisor, ..Program::new(std::env::current_exe().unwrap(), arguments) };
        let backend = match ProcessBackend::start(program) {
            Ok(backend) => backend,
            Err(error) => return Some(format!("it cannot be started: {error}")),
        };
        let events: Vec<CaseEvent> =
            plan.entries.iter().map(|planned| judge(planned, execute(planned, &backend))).collect();
        drop(backend);
        if ![events[0].outcome, events[2].outcome].contains(&Outcome::Hang) {
            break (events, mark);
        }
    };
    let beside = [events[0].outcome, events[2].outcome];
    let left = living(&mark);
    let said = events[1].reason.clone().unwrap_or_default().into_raw();
    if beside != [Outcome::Pass; 2] {
        return Some(format!("beside it: {:?} {:?}; it: {said}", events[0].reason, events[2].reason));
    }
    if !events[1].outcome.is_bad() || events[1].outcome == Outcome::Fail && events[1].differences.is_empty() {
        return Some(format!("it is {}: {said}", events[1].outcome));
    }
    if said.len() > 10_000 {
        return Some(format!("{} bytes are said of it", said.len()));
    }
    (!left.is_empty()).then(|| format!("still there: {left:?}"))
}

/// The processes with a word among their arguments. This one has ended with all of its own when it is asked.
pub fn living(word: &str) -> Vec<i32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let named = |number: &i32| {
        let words = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).any(|each| each == word.as_bytes())
    };
    numbers.filter(named).collect()
}

/// Where this program is one of those that are attacks, its arguments are this word, the kind, the seed, and a word by
/// which its processes are known.
const PROGRAM: &str = "program";

/// Is the program that was asked for, if this is one.
pub fn be_a_program() -> bool {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, word, kind, seed, mark] = arguments.as_slice() else { return false };
    if word != PROGRAM {
        return false;
    }
    if kind == "detached" {
        setsid().unwrap();
        println!("{mark}");
        std::thread::sleep(Duration::from_secs(600));
        return true;
    }
    let spoil = KINDS.iter().find(|(name, _)| name == kind).map(|(_, spoil)| spoil);
    let mut requests = BufReader::new(std::io::stdin());
    let mut responses = std::io::stdout();
    let mut is_spoiled = false;
    while let Ok(request) = read_message::<Request>(&mut requests) {
        let mut asked = line(&request).unwrap();
        if let Request::Run { payload, .. } = &request {
            requests.by_ref().take(*payload).read_to_end(&mut asked).unwrap();
        }
        let mut answer = Vec::new();
        serve(&CpuBackend::new(), asked.as_slice(), &mut answer).unwrap();
        let is_victim = matches!(&request, Request::Run { descriptor, .. } if descriptor.operator == "directml/argmax");
        if let Some(spoil) = spoil.filter(|_| is_victim && !is_spoiled) {
            is_spoiled = true;
            answer = spoil(&mut Numbers(seed.parse().unwrap()), answer);
        }
        if kind == "slow" && matches!(request, Request::Run { .. }) {
            std::thread::sleep(Duration::from_millis(5));
        }
        if kind == "slow" && matches!(request, Request::Start { .. }) {
            detached(mark);
        }
        responses.write_all(&answer).unwrap();
        responses.flush().unwrap();
    }
    true
}

fn bit_flipped(numbers: &mut Numbers, mut answer: Vec<u8>) -> Vec<u8> {
    let at = numbers.below(answer.len());
    answer[at] ^= 1 << numbers.below(8);
    answer
}

fn byte_missing(numbers: &mut Numbers, mut answer: Vec<u8>) -> Vec<u8> {
    answer.remove(numbers.below(answer.len()));
    answer
}

/// None that is white space, which may stand in many a place.
fn byte_too_many(numbers: &mut Numbers, mut answer: Vec<u8>) -> Vec<u8> {
    let byte = loop {
        let byte = numbers.next() as u8;
        if !byte.is_ascii_whitespace() {
            break byte;
        }
    };
    answer.insert(numbers.below(answer.len()), byte);
    answer
}

#[expect(clippy::needless_pass_by_value, reason = "every kind has the same signature")]
fn piece_twice(numbers: &mut Numbers, answer: Vec<u8>) -> Vec<u8> {
    let (one, other) = (numbers.below(answer.len()), numbers.below(answer.len()));
    let (from, to) = (one.min(other), one.max(other) + 1);
    [&answer[..to], &answer[from..]].concat()
}

/// A key of the line that is gone, comes twice, is of another kind or is one that nobody knows.
#[expect(clippy::needless_pass_by_value, reason = "every kind has the same signature")]
fn key_changed(numbers: &mut Numbers, answer: Vec<u8>) -> Vec<u8> {
    let end = answer.iter().position(|&byte| byte == b'\n').unwrap();
    let (text, rest) = answer.split_at(end);
    let text = String::from_utf8(text.to_vec()).unwrap();
    let pairs: Vec<&str> = text.trim_matches(['{', '}']).split(',').collect();
    let picked = numbers.below(pairs.len());
    let (key, value) = pairs[picked].split_once(':').unwrap();
    let other = ["null", "-1", "1e400", "1.5", "18446744073709551616", "\"\"", "[]", "{}", "true", "\"\\ud800\""];
    let nested = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    let changed = match numbers.below(5) {
        0 => String::new(),
        1 => format!("{key}:{value},{key}:{value}"),
        2 => format!("{key}:{value},\"note\":{}", numbers.next()),
        3 => format!("{key}:{nested}"),
        _ => format!("{key}:{}", other[numbers.below(other.len())]),
    };
    let mut words: Vec<&str> = pairs.clone();
    words[picked] = &changed;
    words.retain(|word| !word.is_empty());
    [format!("{{{}}}", words.join(",")).into_bytes(), rest.to_vec()].concat()
}

fn something_before(numbers: &mut Numbers, answer: Vec<u8>) -> Vec<u8> {
    let length = 1 + numbers.below(5000);
    let mut before: Vec<u8> = (0..length).map(|_| numbers.next() as u8).collect();
    // No white space in front of the line, which could stand there.
    before[0] |= 0x80;
    [before, answer].concat()
}

#[expect(clippy::needless_pass_by_value, reason = "every kind has the same signature")]
fn cut_off(numbers: &mut Numbers, answer: Vec<u8>) -> Vec<u8> {
    write_now(&answer[..numbers.below(answer.len())]);
    std::process::exit(numbers.below(256) as i32)
}

fn ended_by_a_signal(numbers: &mut Numbers, answer: Vec<u8>) -> Vec<u8> {
    let signals = [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP, Signal::SEGV, Signal::BUS, Signal::USR1];
    write_now(&answer[..numbers.below(answer.len())]);
    kill_process(getpid(), signals[numbers.below(signals.len())]).unwrap();
    std::thread::sleep(Duration::from_secs(600));
    answer
}

fn children_left(numbers: &mut Numbers, answer: Vec<u8>) -> Vec<u8> {
    let mark = std::env::args().next_back().unwrap();
    (0..=numbers.below(3)).for_each(|_| detached(&mark));
    cut_off(numbers, answer)
}

/// Starts a process that leaves the group and the session, and returns when it has.
#[expect(clippy::zombie_processes, reason = "it is left behind on purpose")]
fn detached(mark: &str) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([PROGRAM, "detached", "0", mark]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut said = [0; 1];
    child.stdout.take().unwrap().read_exact(&mut said).unwrap();
}

fn write_now(bytes: &[u8]) {
    let mut responses = std::io::stdout();
    responses.write_all(bytes).unwrap();
    responses.flush().unwrap();
}
