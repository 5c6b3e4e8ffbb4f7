//! Backends that misbehave on purpose: each must come out as what it is, in process where that can contain it, and in
//! a process of its own.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use opcert::backend::{Backend, CompileError, Descriptor, Fault, Identity, Input, Operator, Output, Support, serve};
use opcert::case::CaseSource;
use opcert::check::{CheckedCase, Suite};
use opcert::judge::{Outcome, judge};
use opcert::plan::{Plan, Selection};
use opcert::run::{ProcessBackend, Program, execute};
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_cpu::CpuBackend;

/// The cases that are run: one valid, one refused.
const VALID: &str = "directml/one_hot/documented/example_1";
const REFUSED: &str = "directml/one_hot/by_hand/axis_equal_to_dimension_count";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Misdeed {
    None,
    Panics,
    Aborts,
    Hangs,
    WritesNothing,
    WritesTheWrongElement,
    ChangesItsMind,
    WritesBehindTheOutput,
    WritesTheInput,
    RefusesEverything,
    RefusesTheHighestLevel,
    AcceptsEverything,
    NamesAnotherRequirement,
    ReportsAnError,
    LosesTheDevice,
    RunsOutOfMemory,
    TalksNonsense,
}

use Misdeed::*;

/// Of the valid and of the refused case.
type Outcomes = (Outcome, Outcome);

/// What becomes of the valid and of the refused case, in process and isolated; `None` where only a process contains it.
const TABLE: [(Misdeed, Option<Outcomes>, Outcomes); 17] = [
    (None, Some((Outcome::Pass, Outcome::Pass)), (Outcome::Pass, Outcome::Pass)),
    (Panics, Some((Outcome::Crash, Outcome::Pass)), (Outcome::Crash, Outcome::Pass)),
    (Aborts, Option::None, (Outcome::Crash, Outcome::Pass)),
    (Hangs, Option::None, (Outcome::Hang, Outcome::Pass)),
    (WritesNothing, Some((Outcome::Fail, Outcome::Pass)), (Outcome::Fail, Outcome::Pass)),
    (WritesTheWrongElement, Some((Outcome::Fail, Outcome::Pass)), (Outcome::Fail, Outcome::Pass)),
    (ChangesItsMind, Some((Outcome::Nondeterministic, Outcome::Pass)), (Outcome::Nondeterministic, Outcome::Pass)),
    (WritesBehindTheOutput, Some((Outcome::GuardViolation, Outcome::Pass)), (Outcome::GuardViolation, Outcome::Pass)),
    (WritesTheInput, Some((Outcome::GuardViolation, Outcome::Pass)), (Outcome::GuardViolation, Outcome::Pass)),
    (RefusesEverything, Some((Outcome::RefusedWrongly, Outcome::Pass)), (Outcome::RefusedWrongly, Outcome::Pass)),
    (RefusesTheHighestLevel, Some((Outcome::RefusedWrongly, Outcome::Pass)), (Outcome::RefusedWrongly, Outcome::Pass)),
    (AcceptsEverything, Some((Outcome::Pass, Outcome::AcceptedWrongly)), (Outcome::Pass, Outcome::AcceptedWrongly)),
    (
        NamesAnotherRequirement,
        Some((Outcome::Pass, Outcome::WrongRequirement)),
        (Outcome::Pass, Outcome::WrongRequirement),
    ),
    (ReportsAnError, Some((Outcome::Error, Outcome::Pass)), (Outcome::Error, Outcome::Pass)),
    (LosesTheDevice, Some((Outcome::DeviceLost, Outcome::Pass)), (Outcome::DeviceLost, Outcome::Pass)),
    (RunsOutOfMemory, Some((Outcome::OutOfMemory, Outcome::Pass)), (Outcome::OutOfMemory, Outcome::Pass)),
    (TalksNonsense, Option::None, (Outcome::ProtocolError, Outcome::Pass)),
];

fn main() -> ExitCode {
    // As `containment serve Panics` this program is the backend on the other side.
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, command, name] = arguments.as_slice()
        && command == "serve"
    {
        let found = TABLE.iter().find(|(misdeed, ..)| format!("{misdeed:?}") == *name);
        let served =
            found.map(|(misdeed, ..)| serve(&Misbehaving(*misdeed), std::io::stdin().lock(), std::io::stdout().lock()));
        return if matches!(served, Some(Ok(()))) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let mut trials = Vec::new();
    for (misdeed, in_process, isolated) in TABLE {
        if let Some(expected) = in_process {
            let test = move || check(&Misbehaving(misdeed), expected);
            trials.push(Trial::test(format!("in_process::{misdeed:?}"), test));
        }
        trials.push(Trial::test(format!("isolated::{misdeed:?}"), move || contained(misdeed, isolated)));
    }
    trials.push(Trial::test("isolated::a_program_that_is_no_backend", || {
        let program = Program::new(env!("CARGO_BIN_EXE_opcert"), vec!["--version".into()]);
        let error = ProcessBackend::start(program).map(|_| ()).map_err(|error| error.to_string());
        ensure(matches!(&error, Err(text) if text.contains("did not introduce itself")), &format!("{error:?}"))
    }));
    trials.push(Trial::test("isolated::a_program_that_does_not_exist", || {
        let program = Program::new("no-such-program", Vec::new());
        let error = ProcessBackend::start(program).map(|_| ()).map_err(|error| error.to_string());
        ensure(matches!(&error, Err(text) if text.contains("cannot be started")), &format!("{error:?}"))
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn ensure(holds: bool, otherwise: &str) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}

/// What hangs is tried with a limit that is soon over, and with longer ones if the case beside it needs them.
fn contained(misdeed: Misdeed, expected: Outcomes) -> Result<(), Failed> {
    let limits: &[u64] = if misdeed == Hangs { &[1500, 15_000, 120_000] } else { &[120_000] };
    let mut result = Err("no limit was tried".into());
    for &limit in limits {
        result = check(&*isolate(misdeed, Duration::from_millis(limit))?, expected);
        if result.is_ok() {
            break;
        }
    }
    result
}

fn isolate(misdeed: Misdeed, limit: Duration) -> Result<Box<dyn Backend>, Failed> {
    let arguments = vec!["serve".into(), format!("{misdeed:?}").into()];
    let supervisor = Some(env!("CARGO_BIN_EXE_opcert").into());
    let program = Program { limit, supervisor, ..Program::new(std::env::current_exe()?, arguments) };
    Ok(Box::new(ProcessBackend::start(program)?))
}

/// What both cases are read from, once for all tests.
static LOADED: OnceLock<Result<(Specs, Vec<CheckedCase>), String>> = OnceLock::new();

fn load() -> Result<(Specs, Vec<CheckedCase>), String> {
    let diagnostics = |found: Vec<opcert::diagnostic::Diagnostic>| format!("{found:?}");
    let specs = Specs::load(&Source::embedded_specs()).map_err(diagnostics)?;
    let source = CaseSource(Source::embedded_cases());
    let suite = Suite::load(&source, &specs, |stem| stem.starts_with("directml/one_hot/")).map_err(diagnostics)?;
    let wanted = |case: &CheckedCase| [VALID, REFUSED].contains(&case.about().id.as_str());
    Ok((specs, suite.cases.into_iter().filter(wanted).collect()))
}

/// Runs both cases twice over, since whatever happened must not spoil the next one.
fn check(backend: &dyn Backend, expected: Outcomes) -> Result<(), Failed> {
    let (specs, cases) = LOADED.get_or_init(load).as_ref()?;
    ensure(cases.len() == 2, "the two cases are not there")?;
    let plan = Plan::new(cases.clone(), specs, backend, &Selection::default())?;
    for _ in 0..2 {
        for planned in &plan.entries {
            let event = judge(planned, execute(planned, backend));
            let expected = if event.case == VALID { expected.0 } else { expected.1 };
            let found = format!("{}: {} ({:?}), expected {expected}", event.case, event.outcome, event.reason);
            ensure(event.outcome == expected, &found)?;
        }
    }
    Ok(())
}

struct Misbehaving(Misdeed);

impl Backend for Misbehaving {
    fn identity(&self) -> Identity {
        Identity {
            name: "misbehaving".into(),
            version: "0".into(),
            device: Option::None,
            claims: BTreeMap::from([("directml".to_owned(), "6_4".to_owned())]),
            strided: true,
            refuses_invalid: true,
        }
    }

    fn supports(&self, _: &Descriptor) -> Support {
        Support::Yes
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let rejected = |requirement: Option<&str>| CompileError::Rejected {
            requirement: requirement.map(str::to_owned),
            reason: "because".to_owned(),
        };
        match (self.0, CpuBackend::new().compile(descriptor)) {
            (RefusesEverything, _) => Err(rejected(Option::None)),
            (RefusesTheHighestLevel, _) if descriptor.level == "6_4" => Err(rejected(Option::None)),
            (AcceptsEverything, Err(_)) => {
                Ok(Box::new(Wrong { misdeed: AcceptsEverything, right: Option::None, dispatches: 0 }))
            }
            (NamesAnotherRequirement, Err(_)) => Err(rejected(Some("directml/one_hot/values-at-least-two"))),
            (misdeed, Ok(right)) => Ok(Box::new(Wrong { misdeed, right: Some(right), dispatches: 0 })),
            (_, Err(error)) => Err(error),
        }
    }
}

struct Wrong {
    misdeed: Misdeed,
    right: Option<Box<dyn Operator>>,
    dispatches: u32,
}

impl Operator for Wrong {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        match self.misdeed {
            Panics => outputs[99].bytes[0] = 0,
            Aborts => std::process::abort(),
            Hangs => std::thread::sleep(Duration::from_secs(600)),
            WritesNothing => return Ok(()),
            ReportsAnError => return Err(Fault::Failed("on purpose".to_owned())),
            LosesTheDevice => return Err(Fault::DeviceLost("on purpose".to_owned())),
            RunsOutOfMemory => return Err(Fault::OutOfMemory("on purpose".to_owned())),
            TalksNonsense => println!("this is no message"),
            _ => {}
        }
        if let Some(right) = &mut self.right {
            right.dispatch(inputs, outputs)?;
        }
        self.dispatches += 1;
        match self.misdeed {
            WritesTheWrongElement => outputs[0].bytes[17] ^= 0x40,
            // The second time that the outputs are looked at: other inputs come once before.
            ChangesItsMind if self.dispatches.is_multiple_of(3) => outputs[0].bytes[17] ^= 0x40,
            WritesBehindTheOutput => overwrite(outputs[0].bytes.as_ptr_range().end),
            WritesTheInput => overwrite(inputs[0].bytes.as_ptr()),
            _ => {}
        }
        Ok(())
    }
}

#[expect(unsafe_code, reason = "no safe code can write beside its buffers, and that must be seen")]
fn overwrite(place: *const u8) {
    // SAFETY: not sound by the language's rules, which is the point. The byte lies inside an allocation of the
    // harness: an input's memory, or the guard zone behind an output.
    unsafe { place.cast_mut().write_volatile(place.read_volatile() ^ 0xFF) };
}
