//! What the protocol costs: `cargo bench --bench protocol`. Folders behind `--` are backends to be measured as well.
//!
//! Small cases are those of the suite with at most 64 KiB in all their tensors, planned and run on two threads: a
//! question, and for each end of their levels two dispatches. Through a program that answers at once, what is measured is
//! the protocol. A tensor of 256 MiB travels one way, against as many bytes through a plain pipe of the same length in the
//! same run. Medians of several rounds that take turns.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]

use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use opcert::backend::{
    Backend, CompileError, DataType, Descriptor, Fault, Identity, Input, NamedTensor, Operator, Output, Role, Support,
    TensorDescriptor, serve,
};
use opcert::case::CaseSource;
use opcert::check::{CheckedCase, Suite};
use opcert::plan::{Plan, Selection};
use opcert::run::{Live, Manifest, ProcessBackend, Program, run};
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_cpu::CpuBackend;

const ROUNDS: usize = 9;
const THREADS: usize = 2;
const SMALL: u64 = 64 << 10;
const LARGE: u64 = 256 << 20;
const PIPE: usize = 1 << 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.first().map(String::as_str) {
        Some("answer-at-once") => serve(&AtOnce, std::io::stdin(), std::io::stdout()).unwrap(),
        Some("swallow") => swallow(),
        _ => measure(&arguments),
    }
}

fn measure(folders: &[String]) {
    let own = |word: &str| Program::new(std::env::current_exe().unwrap(), vec![word.into()]);
    println!("small cases, {THREADS} threads\n{:32}{:>10}{:>12}{:>16}", "", "cases", "ms", "cases per s");
    small_cases("a program that answers at once", own("answer-at-once"));
    for folder in folders.iter().map(Path::new) {
        let manifest = Manifest::load(folder).expect("a folder with a backend.yaml");
        small_cases(&manifest.title, manifest.program(folder));
    }
    let (sent, piped) = large_tensor(own("answer-at-once"));
    let rate = |time: Duration| LARGE as f64 / time.as_secs_f64() / 1e9;
    println!(
        "\n256 MiB one way: {:.2} GB/s, a plain pipe {:.2} GB/s, ratio {:.2}",
        rate(sent),
        rate(piped),
        rate(sent) / rate(piped)
    );
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn small_cases(name: &str, program: Program) {
    let backend = ProcessBackend::start(program).expect("the program starts");
    let specs = Specs::load(&Source::embedded_specs()).expect("the specifications are valid");
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |_| true).expect("the cases are valid");
    let small = |case: &&CheckedCase| {
        let CheckedCase::Valid(case) = case else { return false };
        let bytes = case.descriptor.tensors.iter().map(|entry| entry.tensor.span_bytes().unwrap_or(u64::MAX));
        case.is_dispatched() && bytes.fold(0, u64::saturating_add) <= SMALL
    };
    let cases: Vec<CheckedCase> = suite.cases.iter().filter(small).cloned().collect();
    let mut count = 0;
    let round = |_| {
        let cases = cases.clone();
        let began = Instant::now();
        let plan = Plan::new(cases, &specs, &backend, &Selection::default()).expect("its claims exist");
        run(
            &plan.entries,
            &Live(&backend),
            THREADS,
            |_, execution| execution,
            |_, execution| {
                drop(execution);
                ControlFlow::Continue(())
            },
        )
        .expect("threads start");
        count =
            plan.entries.iter().filter(|planned| matches!(planned.decision, opcert::plan::Decision::Run(_))).count();
        began.elapsed()
    };
    let time = median((0..ROUNDS).map(round).collect());
    println!("{name:32}{count:>10}{:>12.0}{:>16.0}", time.as_secs_f64() * 1e3, count as f64 / time.as_secs_f64());
}

fn large_tensor(program: Program) -> (Duration, Duration) {
    let tensor = |name: &str, role, sizes: Vec<u64>| NamedTensor {
        name: name.to_owned(),
        role,
        tensor: TensorDescriptor::packed(DataType::U8, sizes),
    };
    let descriptor = Descriptor {
        operator: "one/way".to_owned(),
        level: "1".to_owned(),
        tensors: vec![tensor("input", Role::Input, vec![LARGE]), tensor("output", Role::Output, vec![1])],
        attributes: Vec::new(),
        constants: Vec::new(),
    };
    let bytes = vec![7u8; LARGE as usize];
    let backend = ProcessBackend::start(program).expect("the program starts");
    let mut operator = backend.compile(&descriptor).expect("it compiles");
    let mut send = || {
        let began = Instant::now();
        let inputs = [Input { name: "input", tensor: &descriptor.tensors[0].tensor, bytes: &bytes }];
        let mut output = [0];
        let mut outputs =
            [Output { name: "output", tensor: &descriptor.tensors[1].tensor, bytes: &mut output, poison: 0 }];
        operator.dispatch(&inputs, &mut outputs).expect("it arrives");
        began.elapsed()
    };
    let mut swallower = Command::new(std::env::current_exe().unwrap());
    let mut swallower = swallower.arg("swallow").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (swallower.stdin.take().unwrap(), swallower.stdout.take().unwrap());
    #[cfg(target_os = "linux")]
    rustix::pipe::fcntl_setpipe_size(&input, PIPE).unwrap();
    let mut pipe = || {
        let began = Instant::now();
        input.write_all(&bytes).unwrap();
        output.read_exact(&mut [0]).unwrap();
        began.elapsed()
    };
    let (mut sent, mut piped) = (Vec::new(), Vec::new());
    // The first round touches memory for the first time.
    send();
    pipe();
    for _ in 0..ROUNDS {
        sent.push(send());
        piped.push(pipe());
    }
    drop(input);
    swallower.wait().unwrap();
    (median(sent), median(piped))
}

/// Reads as much as the large tensor has, says so with one byte, and so on.
fn swallow() {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout());
    let mut buffer = vec![0; PIPE];
    let mut left = LARGE as usize;
    while let Ok(read @ 1..) = input.read(&mut buffer) {
        left -= read;
        if left == 0 {
            output.write_all(&[1]).unwrap();
            output.flush().unwrap();
            left = LARGE as usize;
        }
    }
}

/// Says yes to everything and computes nothing.
struct AtOnce;

impl Backend for AtOnce {
    fn identity(&self) -> Identity {
        Identity { name: "at-once".into(), ..CpuBackend::new().identity() }
    }

    fn supports(&self, _: &Descriptor) -> Support {
        Support::Yes
    }

    fn compile(&self, _: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        Ok(Box::new(Self))
    }
}

impl Operator for AtOnce {
    fn dispatch(&mut self, _: &[Input<'_>], _: &mut [Output<'_>]) -> Result<(), Fault> {
        Ok(())
    }
}
