//! What the tests of this crate have in common: a device or a reason, the suite, and running it.

use std::process::ExitCode;
use std::sync::OnceLock;

use libtest_mimic::{Arguments, Failed, Trial};
use opcert::backend::Backend;
use opcert::case::CaseSource;
use opcert::check::{CheckedCase, Suite};
use opcert::judge::{CaseEvent, judge};
use opcert::plan::{Decision, Plan, Planned, Selection};
use opcert::run::execute;
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_vulkan::{Options, VulkanBackend};

/// Runs tests that need a device. Where there is none they are ignored, and the reason stands in their kind.
pub fn run_on_a_device(trials: Vec<Trial>) -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = match VulkanBackend::devices() {
        Ok(_) => trials,
        Err(reason) => trials.into_iter().map(|trial| ignored(trial, &reason.to_string())).collect(),
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test that is not run, for this reason.
pub fn ignored(trial: Trial, reason: &str) -> Trial {
    trial.with_kind(reason).with_ignored_flag(true)
}

/// Opens the device with these options.
pub fn open(options: Options) -> Result<VulkanBackend, Failed> {
    VulkanBackend::with(options).map_err(Failed::from)
}

/// The cases of the default tier of the embedded suite that dispatch and whose operator the backend has, in the order of the
/// reports, each at its least level: no shader and no memory knows of levels. That all levels go right is for `opcert certify`
/// to find.
#[expect(clippy::panic, reason = "a test that cannot go on fails")]
pub fn suite() -> &'static [Planned] {
    static SUITE: OnceLock<Vec<Planned>> = OnceLock::new();
    SUITE.get_or_init(|| {
        let lines = |found: Vec<opcert::diagnostic::Diagnostic>| found.iter().map(|each| each.render(false)).collect();
        let specs = Specs::load(&Source::embedded_specs()).map_err(lines);
        let specs = specs.unwrap_or_else(|text: String| panic!("{text}"));
        let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |_| true).map_err(lines);
        let suite = suite.unwrap_or_else(|text: String| panic!("{text}"));
        let backend = VulkanBackend::new();
        let operators = backend.operators().unwrap_or_default();
        let dispatched = |case: &CheckedCase| matches!(case, CheckedCase::Valid(case) if case.is_dispatched());
        let is_had = |case: &CheckedCase| operators.contains(&case.about().operator.id);
        let cases = suite.cases.into_iter().filter(|case| dispatched(case) && is_had(case)).collect();
        let plan = Plan::new(cases, &specs, &backend, &Selection::default());
        let mut entries = plan.unwrap_or_else(|error| panic!("{error}")).entries;
        for planned in &mut entries {
            if let Decision::Run(levels) = &mut planned.decision {
                levels.truncate(1);
            }
        }
        entries
    })
}

/// The memory of a case's tensors in bytes.
pub fn memory_of(planned: &Planned) -> u64 {
    let tensors = planned.case.descriptor().tensors.iter();
    tensors.map(|entry| entry.tensor.span_bytes().unwrap_or(u64::MAX)).fold(0, u64::saturating_add)
}

/// Runs one case.
pub fn event(planned: &Planned, backend: &dyn Backend) -> CaseEvent {
    judge(planned, execute(planned, backend))
}

/// Runs cases; each has to run, and to go right.
pub fn all_go_right<'a>(cases: impl IntoIterator<Item = &'a Planned>, backend: &dyn Backend) -> Result<(), Failed> {
    let mut ran = 0;
    for planned in cases {
        let event = event(planned, backend);
        if event.outcome.is_bad() || !event.outcome.ran() {
            return Err(format!("{}: {}", event.case, opcert::report::explain_failure(&event, "", false, 80)).into());
        }
        ran += 1;
    }
    if ran == 0 { Err("no case was picked".into()) } else { Ok(()) }
}
