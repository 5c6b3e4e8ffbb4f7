//! What a backend says it has, on the command line: operators that nobody asks for, and what `smoke` says of those that
//! differ. This program is the command, with backends of its own, and runs itself.

use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};
use opcert::backend::{Backend, CompileError, Descriptor, Fault, Identity, Input, Operator, Output, Support};
use opcert::cli::{BackendEntry, main_with};
use opcert_cpu::CpuBackend;

/// Set where this program is the command and not the tests.
const COMMAND: &str = "OPCERT_TEST_IS_THE_COMMAND";

const BACKENDS: [BackendEntry; 6] = [
    BackendEntry::new("alone", || Box::new(Changed { offers: &["directml/argmax"], ..UNCHANGED })),
    BackendEntry::new("misspelt", || Box::new(Changed { offers: &["directml/arg_max"], ..UNCHANGED })),
    BackendEntry::new("unasked", || {
        Box::new(Changed { offers: &["directml/argmax", "openvino/one_hot_1"], ..UNCHANGED })
    }),
    BackendEntry::new("doubled", || Box::new(Changed { offers: &["directml/argmax", "directml/argmax"], ..UNCHANGED })),
    BackendEntry::new("unkept", || Box::new(Changed { offers: &[], ..UNCHANGED })),
    BackendEntry::new("differs", || Box::new(Changed { differs: true, ..UNCHANGED })),
];

/// The CPU backend, which claims argmax alone, lists these operators, and may get every last maximum wrong.
#[derive(Clone, Copy)]
struct Changed {
    offers: &'static [&'static str],
    differs: bool,
}

const UNCHANGED: Changed = Changed { offers: &["directml/argmax"], differs: false };

impl Backend for Changed {
    fn identity(&self) -> Identity {
        let claims = [("directml/argmax".to_owned(), "6_4".to_owned())].into();
        Identity { name: "changed".into(), claims, ..CpuBackend::new().identity() }
    }

    fn operators(&self) -> Option<Vec<String>> {
        Some(self.offers.iter().map(|id| (*id).to_owned()).collect())
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        CpuBackend::new().supports(descriptor)
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let inner = CpuBackend::new().compile(descriptor)?;
        let takes_last = descriptor.enumerator("AxisDirection") == Some("DML_AXIS_DIRECTION_DECREASING");
        Ok(if self.differs && takes_last { Box::new(Opposite(inner)) } else { inner })
    }
}

struct Opposite(Box<dyn Operator>);

impl Operator for Opposite {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        self.0.dispatch(inputs, outputs)?;
        outputs.iter_mut().flat_map(|output| output.bytes.iter_mut()).for_each(|byte| *byte = !*byte);
        Ok(())
    }
}

/// The arguments, the exit code, and what is said.
const RUNS: [(&str, &[&str], i32, &[&str]); 7] = [
    (
        "what_is_there_and_claimed_is_run",
        &["run", "--backend", "alone", "*/documented/*"],
        0,
        &["all passed", "\nnot claimed: directml/argmin, directml/bit_count, directml/bit_not,"],
    ),
    (
        "an_operator_that_is_not_specified",
        &["certify", "--backend", "misspelt"],
        3,
        &[
            "error: `changed` has the operator `directml/arg_max`, which no specification has; did you mean `directml/argmax`?",
        ],
    ),
    (
        "an_operator_that_is_not_claimed",
        &["smoke", "--backend", "unasked"],
        3,
        &["error: `changed` has the operator `openvino/one_hot_1` and does not claim it, so that nobody asks for it"],
    ),
    (
        "an_operator_that_is_there_twice",
        &["run", "--backend", "doubled"],
        3,
        &["error: `changed` has the operator `directml/argmax` twice"],
    ),
    (
        "a_claim_without_an_operator",
        &["run", "--backend", "unkept"],
        3,
        &["error: `changed` claims `directml/argmax`, and has no operator of it: it has none"],
    ),
    (
        "smoke_shows_the_first_failure_of_what_differs",
        &["smoke", "--backend", "differs"],
        0,
        &[
            "simple cases right: the implementation differs\n",
            "\nfail directml/argmax/",
            "  `OutputTensor` at [",
            "  - expected  + actual",
            "  repeat ",
            "nothing to try, 12 not run: the backend does not claim `directml/one_hot`",
            "the adapter works",
        ],
    ),
    (
        "smoke_says_so_to_a_program",
        &["smoke", "--backend", "differs", "--format", "json"],
        0,
        &[
            "{\n  \"format\": 1,\n  \"backend\": { \"name\": \"changed\"",
            "\"works\": true,\n",
            "{ \"operator\": \"directml/one_hot\", \"finding\": \"nothing\", \"tried\": 12, \"ran\": 0, \"right\": 0 }",
            "\"operator\": \"directml/argmax\",\n      \"finding\": \"differs\",\n      \"tried\": 12,\n      \"ran\": 12,",
            "\"failure\": { \"case\": \"directml/argmax/",
            "\"outcome\": \"fail\" }",
        ],
    ),
];

fn main() -> ExitCode {
    if std::env::var_os(COMMAND).is_some() {
        return main_with(&BACKENDS);
    }
    let trials = RUNS.into_iter().flat_map(|(name, words, code, said)| {
        [&["--in-process"][..], &["--isolate"]].map(|way| {
            let arguments = [words, way].concat();
            let name = format!("{name}::{}", way.concat().trim_start_matches('-'));
            Trial::test(name, move || expect(&arguments, code, said))
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn expect(arguments: &[&str], code: i32, said: &[&str]) -> Result<(), Failed> {
    let output = Command::new(std::env::current_exe()?).env(COMMAND, "").args(arguments).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let missing = said.iter().find(|part| !text.contains(**part));
    if output.status.code() == Some(code) && missing.is_none() {
        return Ok(());
    }
    Err(format!("{arguments:?}: {}, expected {code}; not said: {missing:?}\n{text}", output.status).into())
}
