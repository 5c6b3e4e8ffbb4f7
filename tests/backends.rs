//! Choosing backends on the command line: by name and device, isolated or not. This program is the command, with
//! backends of its own, and runs itself.

use std::error::Error;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};
use opcert::backend::{Backend, CompileError, Descriptor, Fault, Identity, Input, Operator, Output, Support};
use opcert::cli::{BackendEntry, main_with};
use opcert_cpu::CpuBackend;
use tempfile::TempDir;

/// Set where this program is the command and not the tests.
const COMMAND: &str = "OPCERT_TEST_IS_THE_COMMAND";

const CASE: &str = "directml/one_hot/documented/example_1";

const BACKENDS: [BackendEntry; 4] = [
    BackendEntry::new("plain", || Box::new(CpuBackend::new())),
    BackendEntry::on_devices("absent", |_| Err("no driver is installed".into()), || Err("no driver".into())),
    BackendEntry::on_devices("pair", open, || Ok(["Red", "Blue"].map(|name| format!("{name} one\nof two")).into()))
        .isolated(),
    BackendEntry::on_devices("silent", open, || Err("the devices do not answer".into())),
];

/// The red device works, the blue one never does, and looking for a black one ends the process.
fn open(device: Option<&str>) -> Result<Box<dyn Backend>, Box<dyn Error>> {
    let part = device.unwrap_or_default();
    if part == "Black" {
        std::process::abort();
    }
    let name = ["Red one", "Blue one"].into_iter().find(|name| name.contains(part));
    Ok(Box::new(OnDevice(name.ok_or_else(|| format!("no device has `{part}` in its name"))?)))
}

struct OnDevice(&'static str);

impl Backend for OnDevice {
    fn identity(&self) -> Identity {
        Identity { name: "pair".into(), device: Some(self.0.into()), ..CpuBackend::new().identity() }
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        CpuBackend::new().supports(descriptor)
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let operator = CpuBackend::new().compile(descriptor)?;
        Ok(if self.0 == "Red one" { operator } else { Box::new(Failing) })
    }
}

/// Says how its process was started.
struct Failing;

impl Operator for Failing {
    fn dispatch(&mut self, _: &[Input<'_>], _: &mut [Output<'_>]) -> Result<(), Fault> {
        let arguments: Vec<String> = std::env::args().skip(1).take(2).collect();
        Err(Fault::Failed(format!("started as {}", arguments.join(" "))))
    }
}

/// What `run` is given beside a case, the exit code, and what is said.
const RUNS: [(&str, &[&str], i32, &[&str]); 21] = [
    ("the_first_one_when_none_is_named", &[], 0, &["cpu 0.1.0 in process"]),
    ("in_process_by_default", &["--backend", "plain"], 0, &["cpu 0.1.0 in process"]),
    ("isolated_when_asked_for", &["--backend", "plain", "--isolate"], 0, &["cpu 0.1.0 in a process of its own"]),
    ("isolated_by_default", &["--backend", "pair"], 0, &["pair 0.1.0 on Red one in a process of its own"]),
    ("in_process_when_asked_for", &["--backend", "pair", "--in-process"], 0, &["on Red one in process"]),
    ("isolated_both_ways", &["--backend", "pair", "--isolate"], 0, &["on Red one in a process of its own"]),
    (
        "another_device_isolated",
        &["--backend", "pair:Blue"],
        1,
        &["on Blue one in a process of its own", "started as serve pair:Blue\n", "example_1 --backend pair:Blue\n"],
    ),
    (
        "another_device_in_process",
        &["--backend", "pair:Blue", "--in-process"],
        1,
        &[
            "on Blue one in process",
            "started as run directml/one_hot/documented/example_1\n",
            "example_1 --backend pair:Blue --in-process\n",
        ],
    ),
    (
        "a_device_whose_name_has_blanks",
        &["--backend", "pair:Blue one", "--isolate"],
        1,
        &["started as serve pair:Blue one\n", "--backend 'pair:Blue one' --isolate\n"],
    ),
    (
        "a_device_that_is_not_there_in_process",
        &["--backend", "pair:Green", "--in-process"],
        3,
        &["error: `pair:Green` cannot be opened: no device has `Green` in its name"],
    ),
    (
        "a_device_that_is_not_there_isolated",
        &["--backend", "pair:Green"],
        3,
        &["error: `pair:Green` cannot be opened: no device has `Green` in its name"],
    ),
    (
        "no_choice_of_devices",
        &["--backend", "plain:Red"],
        2,
        &["`plain:Red` names a device, and `plain` offers no choice of devices"],
    ),
    (
        "a_colon_and_no_device",
        &["--backend", "pair:"],
        2,
        &["`pair:` names no device: a device's name is expected after the colon"],
    ),
    ("no_device_at_all", &["--backend", "absent"], 3, &["`absent` cannot be opened: no driver is installed"]),
    ("opening_crashes_in_its_own_process", &["--backend", "pair:Black"], 3, &["did not introduce itself"]),
    ("isolated_and_in_process", &["--isolate", "--in-process"], 2, &["cannot be used with"]),
    ("a_limit_by_default", &["--backend", "pair:Blue", "--timeout", "7"], 1, &["--backend pair:Blue --timeout 7\n"]),
    ("a_limit_when_isolation_is_asked_for", &["--isolate", "--timeout", "7"], 0, &["in a process of its own"]),
    (
        "no_limit_in_process",
        &["--timeout", "7"],
        2,
        &["`--timeout` is for an isolated backend, and `plain` runs in process"],
    ),
    (
        "no_limit_when_in_process_is_asked_for",
        &["--backend", "pair", "--in-process", "--timeout", "7"],
        2,
        &["and `pair` runs in process"],
    ),
    (
        "a_limit_that_is_no_time",
        &["--backend", "pair", "--timeout", "0"],
        2,
        &["--timeout <S>", "more than 0, and at most"],
    ),
];

fn main() -> ExitCode {
    if std::env::var_os(COMMAND).is_some() {
        return main_with(&BACKENDS);
    }
    let run = |(name, options, code, said): (&str, &'static [&str], i32, &'static [&str])| {
        Trial::test(format!("run::{name}"), move || expect(&[&["run", CASE], options].concat(), code, said))
    };
    let mut trials: Vec<Trial> = RUNS.into_iter().map(run).collect();
    trials.push(Trial::test("certify_takes_the_same_options", || {
        expect(&["certify", "--backend", "pair:Green"], 3, &["no device has `Green`"])?;
        expect(&["certify", "--backend", "pair:Green", "--isolate", "--in-process"], 2, &["cannot be used with"])
    }));
    trials.push(Trial::test("fuzz_runs_as_a_run_does_and_its_failures_repeat_so", || {
        let options = ["--operator", "directml/argmax", "--count", "20", "--seed", "1"];
        let isolated = ["started as serve pair:Blue\n", "--cases fuzz --backend pair:Blue\n"];
        expect(&[&["fuzz", "--backend", "pair:Blue"], &options[..]].concat(), 1, &isolated)?;
        let here = ["started as fuzz --backend\n", "--cases fuzz --backend pair:Blue --in-process\n"];
        expect(&[&["fuzz", "--backend", "pair:Blue", "--in-process"], &options[..]].concat(), 1, &here)?;
        expect(&["fuzz", "--backend", "pair:Green"], 3, &["no device has `Green`"])
    }));
    trials.push(Trial::test("backends_are_listed_with_their_devices", || {
        let claims = "directml 6_4, onnx 13, openvino 1, tosa 1.0, webnn 1; packed and strided; refuses invalid descriptors";
        let listed = [
            &format!("plain  0.1.0: {claims}"),
            "absent  no driver is installed",
            "pair  0.1.0 on Red one: directml 6_4, onnx 13, openvino 1, tosa 1.0, webnn 1; packed and strided; refuses invalid descriptors",
            "  Red one",
            "    of two",
            "  Blue one",
            "    of two",
            "silent  0.1.0 on Red one: directml 6_4, onnx 13, openvino 1, tosa 1.0, webnn 1; packed and strided; refuses invalid descriptors",
            "  the devices do not answer",
        ];
        expect(&["backends"], 0, &[&listed.join("\n")])
    }));
    trials.push(Trial::test("instructions_that_the_cpu_backend_does_not_know", || {
        for options in [&[][..], &["--isolate"]] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_opcert"));
            command.args([&["run", CASE], options].concat()).env("OPCERT_CPU_INSTRUCTIONS", "sse9");
            let reason = "`OPCERT_CPU_INSTRUCTIONS` is `sse9`, expected `baseline`, `avx2` or `avx512`";
            finish(command, 3, &["error: `cpu` cannot be opened: ", reason])?;
        }
        Ok(())
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Runs the command in a folder of its own, and looks at its exit code and at what it says.
fn expect(arguments: &[&str], code: i32, fragments: &[&str]) -> Result<(), Failed> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(arguments).env(COMMAND, "");
    finish(command, code, fragments)
}

fn finish(mut command: Command, code: i32, fragments: &[&str]) -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let output = command.current_dir(folder.path()).output()?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if output.status.code() != Some(code) {
        return Err(format!("{command:?}: {}, expected {code}\n{said}", output.status).into());
    }
    match fragments.iter().find(|fragment| !said.contains(**fragment)) {
        None => Ok(()),
        Some(fragment) => Err(format!("{command:?}: `{fragment}` is not said\n{said}").into()),
    }
}
