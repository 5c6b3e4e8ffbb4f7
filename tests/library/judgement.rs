//! Where judging is easily too strict or too lenient: what is undefined, what is open, what only shows at one level.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use opcert::backend::{
    Attempt, Attempted, Backend, CompileError, Descriptor, Fault, Identity, Input, Operator, Output, Support,
};
use opcert::case::CaseSource;
use opcert::certification::Certification;
use opcert::check::{CheckedCase, Suite};
use opcert::expectations::Expectations;
use opcert::judge::{CaseEvent, Outcome, claims_in_short, judge};
use opcert::plan::{Decision, Plan, Selection};
use opcert::run::{Live, execute};
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_cpu::CpuBackend;

type Supports = fn(&Descriptor) -> Support;
type Compile = fn(&Descriptor, Result<(), CompileError>) -> Result<(), CompileError>;
type Dispatch = fn(&Descriptor, u8, &[Input<'_>], &mut [Output<'_>]);

/// The CPU backend with one thing changed. `dispatch` gets a number that is another one each time.
#[derive(Clone, Copy)]
struct Changed {
    family: &'static str,
    level: &'static str,
    supports: Supports,
    compile: Compile,
    dispatch: Dispatch,
    panics_when_dropped: bool,
}

const UNCHANGED: Changed = Changed {
    family: "directml",
    level: "6_4",
    supports: |_| Support::Yes,
    compile: |_, result| result,
    dispatch: |_, _, _, _| {},
    panics_when_dropped: false,
};

struct ChangedOperator {
    changed: Changed,
    descriptor: Descriptor,
    right: Option<Box<dyn Operator>>,
    count: Arc<AtomicU8>,
}

impl Backend for Changed {
    fn identity(&self) -> Identity {
        let also = ("openvino".to_owned(), "1".to_owned());
        let also = Some(also).filter(|_| self.family == "directml");
        let claims = also.into_iter().chain([(self.family.to_owned(), self.level.to_owned())]).collect();
        Identity { claims, ..CpuBackend::new().identity() }
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        (self.supports)(descriptor)
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let compiled = CpuBackend::new().compile(descriptor);
        let (result, right) = match compiled {
            Ok(right) => (Ok(()), Some(right)),
            Err(error) => (Err(error), None),
        };
        (self.compile)(descriptor, result)?;
        let (descriptor, count) = (descriptor.clone(), Arc::new(AtomicU8::new(1)));
        Ok(Box::new(ChangedOperator { changed: *self, descriptor, right, count }))
    }
}

impl Operator for ChangedOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        if let Some(right) = &mut self.right {
            right.dispatch(inputs, outputs)?;
        }
        (self.changed.dispatch)(&self.descriptor, self.count.fetch_add(1, Ordering::Relaxed), inputs, outputs);
        Ok(())
    }
}

impl Drop for ChangedOperator {
    fn drop(&mut self) {
        assert!(!self.changed.panics_when_dropped, "dropped on purpose");
    }
}

/// Runs the cases of a file whose ids contain a text.
fn run(backend: &Changed, file: &str, part: &str) -> Vec<CaseEvent> {
    run_on(backend, file, part)
}

fn run_on(backend: &dyn Backend, file: &str, part: &str) -> Vec<CaseEvent> {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |stem| stem == file).unwrap();
    let cases = suite.cases.into_iter().filter(|case| case.about().id.contains(part)).collect();
    let plan = Plan::new(cases, &specs, backend, &Selection::default()).unwrap();
    let events: Vec<CaseEvent> = plan.entries.iter().map(|planned| judge(planned, execute(planned, backend))).collect();
    assert!(!events.is_empty());
    events
}

fn outcomes(events: &[CaseEvent]) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = events.iter().map(|event| event.outcome).collect();
    outcomes.sort();
    outcomes.dedup();
    outcomes
}

#[test]
fn rows_behind_the_count_are_never_compared() {
    let backend = Changed {
        dispatch: |_, number, _, outputs| {
            let [count, rows] = outputs else { return };
            let counted = u32::from_le_bytes(count.bytes[..4].try_into().unwrap()) as usize;
            if rows.tensor.is_packed() {
                let row = *rows.tensor.sizes.last().unwrap() as usize * 4;
                rows.bytes[counted * row..].fill(number);
            }
        },
        ..UNCHANGED
    };
    let events = run(&backend, "directml/nonzero_coordinates/by_hand", "");
    assert_eq!(outcomes(&events), [Outcome::Pass, Outcome::Observed]);
    let nan = events.iter().find(|event| event.case.ends_with("/float32_nan")).unwrap();
    assert!(nan.observed[1].value.contains('~'), "{:?}", nan.observed);
}

#[test]
fn undefined_behaviour_is_recorded_whatever_it_is() {
    let backend = Changed { dispatch: |_, number, _, outputs| outputs[0].bytes.fill(number), ..UNCHANGED };
    let events = run(&backend, "openvino/one_hot_1/by_hand", "negative_indices");
    assert_eq!(outcomes(&events), [Outcome::Observed]);
    assert!(events[0].reason.as_ref().unwrap().raw().contains("differs between two dispatches"));
    // Where the documents are merely silent, the same input must still give the same answer.
    let events = run(&backend, "directml/argmax/by_hand", "nan_first");
    assert_eq!(outcomes(&events), [Outcome::Nondeterministic]);
}

#[test]
fn an_invariant_is_judged_where_the_answer_is_open() {
    let backend = Changed { dispatch: |_, _, _, outputs| outputs[0].bytes.fill(0x11), ..UNCHANGED };
    let events = run(&backend, "directml/argmax/by_hand", "nan_first");
    assert_eq!(outcomes(&events), [Outcome::Fail]);
    assert!(
        events[0].reason.as_ref().unwrap().raw().contains("directml/argmax/index-in-range"),
        "{:?}",
        events[0].reason
    );
}

#[test]
fn operators_that_come_to_the_same_are_compared_where_the_answer_is_open() {
    const FILE: &str = "directml/argmax/open";
    let is_of_other = |event: &&CaseEvent| event.observed.iter().any(|each| each.tensor.contains(" of "));
    let events = run(&UNCHANGED, FILE, "");
    let (both, own): (Vec<&CaseEvent>, Vec<_>) = events.iter().partition(is_of_other);
    // The last of equal elements is nothing that the other one takes.
    assert!(both.len() >= 20 && own.len() >= 20, "{} {}", both.len(), own.len());
    for event in both {
        let [one, other] = &event.observed[..] else { panic!("{event:?}") };
        assert_eq!((event.outcome, &one.value), (Outcome::Observed, &other.value));
        assert_eq!(other.tensor, "OutputTensor of directml/reduce_argmax");
    }
    let spoils: Dispatch = |descriptor, _, _, outputs| {
        if is_reduce(descriptor) {
            outputs[0].bytes[0] ^= 1;
        }
    };
    let ids: Vec<&str> = events.iter().filter(is_of_other).map(|event| event.case.as_str()).collect();
    let asked = |backend: &Changed| -> Vec<CaseEvent> {
        let (asked, others): (Vec<CaseEvent>, Vec<_>) =
            run(backend, FILE, "").into_iter().partition(|event| ids.contains(&event.case.as_str()));
        assert!(others.iter().all(|event| event.outcome == Outcome::Observed), "{others:?}");
        asked
    };
    for event in asked(&Changed { dispatch: spoils, ..UNCHANGED }) {
        let reason = event.reason.as_ref().unwrap().raw();
        assert_eq!(event.outcome, Outcome::Fail, "{}", event.case);
        assert!(reason.contains(" by `directml/reduce_argmax` [directml/argmax/equals-reduce-argmax]"), "{reason}");
        assert!(reason.starts_with("`OutputTensor` at [0"), "{reason}");
    }
    // Both ends of the levels are asked.
    let spoils_later: Dispatch = |descriptor, _, _, outputs| {
        if is_reduce(descriptor) && descriptor.level == "6_4" {
            outputs[0].bytes[0] ^= 1;
        }
    };
    for event in asked(&Changed { dispatch: spoils_later, ..UNCHANGED }) {
        let reason = event.reason.as_ref().unwrap().raw();
        assert!(event.outcome == Outcome::Fail && reason.starts_with("at 6_4: `OutputTensor` at [0"), "{reason}");
    }
    // What has values is not asked twice.
    let events = run(&Changed { dispatch: spoils, ..UNCHANGED }, "directml/argmax/documented", "");
    assert!(events.iter().all(|event| event.outcome == Outcome::Pass), "{events:?}");
    // Nothing is said of what a backend does not have.
    let without = Changed {
        supports: |of| if is_reduce(of) { Support::No("not here".into()) } else { Support::Yes },
        ..UNCHANGED
    };
    let refusing =
        Changed { compile: |of, result| if is_reduce(of) { Err(unsupported()) } else { result }, ..UNCHANGED };
    for event in asked(&without).into_iter().chain(asked(&refusing)) {
        assert_eq!((event.outcome, event.observed.len()), (Outcome::Observed, 1), "{event:?}");
    }
    let broken = Changed {
        compile: |of, result| if is_reduce(of) { Err(CompileError::Fault(Fault::Failed("no".into()))) } else { result },
        ..UNCHANGED
    };
    // What is wrong with the operator itself comes first.
    let changes_its_mind: Dispatch = |_, number, _, outputs| outputs[0].bytes[0] = number & 1;
    let events = run(&Changed { dispatch: changes_its_mind, ..broken }, FILE, "");
    for event in events.iter().filter(|event| ids.contains(&event.case.as_str())) {
        assert!(matches!(event.outcome, Outcome::Nondeterministic | Outcome::Fail), "{event:?}");
    }
    for event in asked(&broken) {
        assert_eq!(event.outcome, Outcome::Error);
        assert_eq!(event.reason.unwrap().raw(), "asked for `directml/reduce_argmax` as well: no");
    }
    // A claim of the one operator alone asks for no other.
    let events = run_on(&Alone, FILE, "");
    assert!(events.iter().all(|event| event.outcome == Outcome::Observed && event.observed.len() == 1), "{events:?}");
}

fn is_reduce(descriptor: &Descriptor) -> bool {
    descriptor.operator == "directml/reduce_argmax"
}

fn unsupported() -> CompileError {
    CompileError::Unsupported { reason: "not here".to_owned() }
}

/// The CPU backend that claims one operator.
struct Alone;

impl Backend for Alone {
    fn identity(&self) -> Identity {
        let claims = [("directml/argmax".to_owned(), "6_4".to_owned())].into();
        Identity { claims, ..CpuBackend::new().identity() }
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        if is_reduce(descriptor) { Support::Broken(Fault::Failed("nobody was to ask".into())) } else { Support::Yes }
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        CpuBackend::new().compile(descriptor)
    }
}

#[test]
fn a_requirement_may_be_named_by_what_restates_it() {
    let backend = Changed {
        compile: |_, result| {
            result.map_err(|_| CompileError::Rejected {
                requirement: Some("directml/nonzero_coordinates/count-type".to_owned()),
                reason: "the count is no UINT32".to_owned(),
            })
        },
        ..UNCHANGED
    };
    let events = run(&backend, "directml/nonzero_coordinates/by_hand", "signed_count");
    assert_eq!(outcomes(&events), [Outcome::Pass]);
    // It names the wrong one for everything else.
    let events = run(&backend, "directml/nonzero_coordinates/by_hand", "no_columns");
    assert_eq!(outcomes(&events), [Outcome::WrongRequirement]);
}

#[test]
fn what_is_wrong_at_the_highest_level_only_is_found() {
    let backend = Changed {
        dispatch: |descriptor, _, _, outputs| {
            if descriptor.level == "6_4" {
                outputs[0].bytes[0] ^= 1;
            }
        },
        ..UNCHANGED
    };
    let events = run(&backend, "directml/argmax/documented", "example_1");
    assert_eq!(outcomes(&events), [Outcome::Fail]);
    assert_eq!(events[0].reason.as_ref().unwrap().raw(), "at 6_4");
}

#[test]
fn a_wrong_answer_is_not_hidden_by_a_level_that_is_unsupported() {
    let backend = Changed {
        compile: |descriptor, result| match descriptor.level.as_str() {
            "6_4" => Err(CompileError::Unsupported { reason: "not at 6_4".to_owned() }),
            _ => result,
        },
        dispatch: |_, _, _, outputs| outputs[0].bytes[0] ^= 1,
        ..UNCHANGED
    };
    let events = run(&backend, "directml/argmax/documented", "example_1");
    assert_eq!(outcomes(&events), [Outcome::Fail]);
    let right = Changed { dispatch: |_, _, _, _| {}, ..backend };
    let events = run(&right, "directml/argmax/documented", "example_1");
    assert_eq!(outcomes(&events), [Outcome::Unsupported]);
}

#[test]
fn a_level_between_the_ends_is_compiled_too() {
    let backend = Changed {
        compile: |descriptor, result| match descriptor.level.as_str() {
            "4_1" => Err(CompileError::Rejected { requirement: None, reason: "on purpose".to_owned() }),
            _ => result,
        },
        ..UNCHANGED
    };
    let events = run(&backend, "directml/argmax/documented", "example_1");
    assert_eq!(outcomes(&events), [Outcome::RefusedWrongly]);
    assert!(events[0].reason.as_ref().unwrap().raw().starts_with("refused at 4_1"), "{:?}", events[0].reason);
}

/// Two cases of the large tier, made small here, among others on several threads.
#[test]
fn large_cases_run_once_and_one_at_a_time() {
    static RUNNING: AtomicU8 = AtomicU8::new(0);
    static DISPATCHES: AtomicU8 = AtomicU8::new(0);
    let backend = Changed {
        dispatch: |_, _, _, _| {
            assert_eq!(RUNNING.fetch_add(1, Ordering::SeqCst), 0);
            std::thread::sleep(std::time::Duration::from_millis(2));
            DISPATCHES.fetch_add(1, Ordering::SeqCst);
            RUNNING.fetch_sub(1, Ordering::SeqCst);
        },
        ..UNCHANGED
    };
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let wanted = |stem: &str| stem == "directml/argmax/documented";
    let mut cases = Suite::load(&CaseSource(Source::embedded_cases()), &specs, wanted).unwrap().cases;
    for case in &mut cases {
        let CheckedCase::Valid(case) = case else { continue };
        case.about.large = true;
    }
    let selection = Selection { large: true, ..Selection::default() };
    let plan = Plan::new(cases, &specs, &backend, &selection).unwrap();
    let mut seen = Vec::new();
    opcert::run::run(&plan.entries, &Live(&backend), 4, judge, |_, event| {
        seen.push(event);
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(outcomes(&seen), [Outcome::Pass]);
    assert_eq!(usize::from(DISPATCHES.load(Ordering::SeqCst)), plan.entries.len());
    assert!(seen.iter().all(|event| !event.gates));
}

#[test]
fn a_broken_question_is_no_answer() {
    let panics = Changed { supports: |_| std::panic::panic_any("on purpose"), ..UNCHANGED };
    let broken = Changed { supports: |_| Support::Broken(Fault::Hung("on purpose".to_owned())), ..UNCHANGED };
    for (backend, outcome) in [(panics, Outcome::Crash), (broken, Outcome::Hang)] {
        assert_eq!(outcomes(&run(&backend, "directml/argmax/documented", "")), [outcome]);
    }
}

/// What an operator keeps from its first dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    /// The elements of an input, as if it were a constant.
    Input(&'static str),
    /// All outputs.
    Outputs,
    /// Nothing; but each dispatch has the inputs of the one before.
    Lagging,
    /// Nothing; but in the first dispatch it is not ready, and writes zeros.
    Unready,
}

/// The CPU backend with operators that keep something.
struct Keeping(Kept);

struct KeepingOperator {
    kept: Kept,
    right: Box<dyn Operator>,
    inputs: Option<Vec<Vec<u8>>>,
    outputs: Option<Vec<Vec<u8>>>,
}

impl Backend for Keeping {
    fn identity(&self) -> Identity {
        CpuBackend::new().identity()
    }

    fn supports(&self, _: &Descriptor) -> Support {
        Support::Yes
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let right = CpuBackend::new().compile(descriptor)?;
        Ok(Box::new(KeepingOperator { kept: self.0, right, inputs: None, outputs: None }))
    }
}

impl Operator for KeepingOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let now: Vec<Vec<u8>> = inputs.iter().map(|input| input.bytes.to_vec()).collect();
        let earlier = self.inputs.get_or_insert_with(|| now.clone());
        let substituted = inputs.iter().zip(earlier.iter()).map(|(input, earlier)| match self.kept {
            Kept::Input(name) if name == input.name => Input { bytes: earlier, ..*input },
            Kept::Lagging => Input { bytes: earlier, ..*input },
            _ => *input,
        });
        self.right.dispatch(&substituted.collect::<Vec<_>>(), outputs)?;
        if self.kept == Kept::Lagging {
            self.inputs = Some(now);
        }
        let is_first = self.outputs.is_none();
        let first = self.outputs.get_or_insert_with(|| outputs.iter().map(|output| output.bytes.to_vec()).collect());
        for (output, first) in outputs.iter_mut().zip(first) {
            match self.kept {
                Kept::Outputs => output.bytes.copy_from_slice(first),
                Kept::Unready if is_first => output.bytes.fill(0),
                _ => {}
            }
        }
        Ok(())
    }
}

#[test]
fn what_is_kept_from_dispatch_to_dispatch_is_found() {
    let bad = |kept: Kept, file: &str| {
        let events = run_on(&Keeping(kept), file, "");
        (events.iter().filter(|event| event.outcome.is_bad()).count(), events.len())
    };
    let files = [
        ("directml/argmax/documented", ["InputTensor"].as_slice()),
        ("directml/nonzero_coordinates/documented", &["InputTensor"]),
        ("directml/one_hot/documented", &["IndicesTensor", "ValuesTensor"]),
        // There is one level only: half of the cases begin with other inputs, the others do so between.
        ("openvino/one_hot_1/by_hand", &["indices", "on_value", "off_value"]),
    ];
    for (file, inputs) in files {
        let inputs = inputs.iter().map(|name| Kept::Input(name));
        for kept in inputs.chain([Kept::Outputs, Kept::Lagging, Kept::Unready]) {
            let (bad, all) = bad(kept, file);
            assert!(bad > 0, "{file}: {kept:?} is found by none of {all} cases");
        }
    }
}

/// The CPU backend, which fails at some indices of four bytes.
struct Failing(fn(&[i32]) -> bool);

struct FailingOperator {
    fails: fn(&[i32]) -> bool,
    right: Box<dyn Operator>,
}

impl Backend for Failing {
    fn identity(&self) -> Identity {
        CpuBackend::new().identity()
    }

    fn supports(&self, _: &Descriptor) -> Support {
        Support::Yes
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        Ok(Box::new(FailingOperator { fails: self.0, right: CpuBackend::new().compile(descriptor)? }))
    }
}

impl Operator for FailingOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let indices = inputs.iter().find(|input| input.name == "IndicesTensor").unwrap().bytes.chunks_exact(4);
        let indices: Vec<i32> = indices.map(|index| i32::from_le_bytes(index.try_into().unwrap())).collect();
        if (self.fails)(&indices) {
            return Err(Fault::Failed("on purpose".to_owned()));
        }
        self.right.dispatch(inputs, outputs)
    }
}

/// Elements of indices that are moved on may be tuples that name nothing, of which the documents are silent.
#[test]
fn other_inputs_that_have_no_answer_may_break_and_others_may_not() {
    let outcome = |fails, file: &str, case: &str| outcomes(&run_on(&Failing(fails), file, case));
    // Into two rows of three columns: 1, 2 becomes 2, 1, and 1, 0 and 0, 2 become 0, 0 and 2, 1.
    for case in ["by_hand/one_tuple", "by_hand/transposed_input"] {
        let beyond = |indices: &[i32]| indices.chunks_exact(2).any(|tuple| tuple[0] > 1 || tuple[1] > 2);
        assert_eq!(outcome(beyond, "directml/gather_nd1/by_hand", case), [Outcome::Pass]);
        let at_own = |indices: &[i32]| indices.chunks_exact(2).all(|tuple| tuple[0] < 2);
        assert_eq!(outcome(at_own, "directml/gather_nd1/by_hand", case), [Outcome::Error]);
    }
    // Rows 1 and 0 become rows 0 and 1, which there are.
    let (file, case) = ("directml/gather_nd1/documented", "documented/example_1");
    assert_eq!(outcome(|_| false, file, case), [Outcome::Pass]);
    assert_eq!(outcome(|indices| indices == [0, 1], file, case), [Outcome::Error]);
    // Of what a page calls incorrect it promises that nothing fails.
    let (file, case) = ("directml/gather/by_hand", "by_hand/index_equals_size");
    assert_eq!(outcome(|_| false, file, case), [Outcome::Pass]);
    assert_eq!(outcome(|indices| indices[0] == 3, file, case), [Outcome::Error]);
}

/// The CPU backend, with the answers to several attempts changed on their way.
struct Sparing(fn(&mut Vec<Attempted>));

impl Backend for Sparing {
    fn identity(&self) -> Identity {
        CpuBackend::new().identity()
    }

    fn supports(&self, _: &Descriptor) -> Support {
        Support::Yes
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        CpuBackend::new().compile(descriptor)
    }

    fn attempt_each(&self, attempts: &[Attempt<'_>]) -> Vec<Attempted> {
        let mut attempted = CpuBackend::new().attempt_each(attempts);
        (self.0)(&mut attempted);
        attempted
    }
}

#[test]
fn answers_that_are_too_few_or_too_many_are_errors() {
    let said = |change: fn(&mut Vec<Attempted>), file: &str, part: &str| {
        let events = run_on(&Sparing(change), file, part);
        assert_eq!(events.len(), 1);
        (events[0].outcome, events[0].reason.clone().unwrap_or_default().into_raw())
    };
    let error = |text: &str| (Outcome::Error, text.to_owned());
    let (file, case) = ("directml/argmax/documented", "documented/example_1");
    assert_eq!(said(|_| {}, file, case), (Outcome::Pass, String::new()));
    assert_eq!(said(Vec::clear, file, case), error("was dispatched at no level"));
    // The level between the ends at which it is dispatched is 6_3, by its turn.
    assert_eq!(said(|all| all.truncate(1), file, case), error("nothing came back at 6_3"));
    assert_eq!(said(|all| all.truncate(3), file, case), error("nothing came back at 6_4"));
    let too_many = error("5 answers came to 4 questions");
    assert_eq!(said(|all| all.push(Ok(Vec::new())), file, case), too_many);
    let once = |all: &mut Vec<Attempted>| all.iter_mut().flatten().for_each(|runs| runs.truncate(1));
    assert_eq!(said(once, file, case), error("in the second dispatch: dispatched 1 times, and 3 were asked for"));
    let never = |all: &mut Vec<Attempted>| all.iter_mut().flatten().for_each(Vec::clear);
    assert_eq!(said(never, file, case), error("dispatched 0 times, and 3 were asked for"));
    // A descriptor that is only to be refused is owed an answer as well.
    let refused = ("directml/nonzero_coordinates/by_hand", "/signed_count");
    assert_eq!(said(|_| {}, refused.0, refused.1).0, Outcome::Pass);
    assert_eq!(said(Vec::clear, refused.0, refused.1), error("nothing came back at 3_0"));
}

#[test]
fn a_panic_in_a_destructor_is_a_crash_like_any_other() {
    let backend = Changed { panics_when_dropped: true, ..UNCHANGED };
    assert_eq!(outcomes(&run(&backend, "directml/argmax/documented", "")), [Outcome::Crash]);
    let accepts = run(&backend, "directml/nonzero_coordinates/documented", "");
    assert_eq!(outcomes(&accepts), [Outcome::Crash]);
}

/// The CPU backend with other claims.
struct Claiming(&'static [(&'static str, &'static str)]);

impl Backend for Claiming {
    fn identity(&self) -> Identity {
        let claims = self.0.iter().map(|(name, level)| ((*name).to_owned(), (*level).to_owned())).collect();
        Identity { claims, strided: false, refuses_invalid: false, ..CpuBackend::new().identity() }
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        CpuBackend::new().supports(descriptor)
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        CpuBackend::new().compile(descriptor)
    }
}

#[test]
fn a_run_goes_on_only_behind_what_is_planned_first() {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let wanted = |stem: &str| stem == "directml/argmax/documented";
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, wanted).unwrap();
    let backend = CpuBackend::new();
    let plan = Plan::new(suite.cases, &specs, &backend, &Selection::default()).unwrap();
    let goes_on = |done: Vec<CaseEvent>| {
        let certification = Certification {
            specs: &specs,
            cases_digest: String::new(),
            plan: &plan,
            done,
            expectations: &Expectations::default(),
            executor: &Live(&backend),
            through: BTreeMap::new(),
            isolated: false,
            guards: true,
            carried: None,
            shard: None,
            complete: false,
            own_suite: false,
            level: None,
            repeat: String::new(),
            dump: None,
            max_fail: None,
        };
        certification.run(1, |_| {}).map_err(|error| error.to_string())
    };
    let whole = goes_on(Vec::new()).unwrap();
    for count in 0..=whole.cases.len() {
        assert_eq!(goes_on(whole.cases[..count].to_vec()).as_ref(), Ok(&whole), "{count}");
    }
    let [first, second] = [&whole.cases[0], &whole.cases[1]];
    let said = format!(
        "what was run before does not fit the plan: `{}` stands where `{}` is planned",
        second.case, first.case
    );
    assert_eq!(goes_on(vec![second.clone()]), Err(said));
    let too_many: Vec<CaseEvent> = whole.cases.iter().chain([first]).cloned().collect();
    assert!(goes_on(too_many).unwrap_err().ends_with("6 cases, and 5 are planned"));
}

#[test]
fn claims_of_what_does_not_exist_are_refused() {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    for (claims, said) in [
        (&[("directml", "6.4")][..], "`directml` at `6.4`, which is no feature level of it: 1_0 2_0"),
        (&[("directml/argmax", "7")], "`directml/argmax` at `7`, which is no feature level of it: 1_0 2_0"),
        (&[("directml/argmax", "2_1")], "`directml/argmax` at `2_1`, where there is none: it begins at 3_0"),
        (&[("DirectML", "6_4")], "`DirectML`, which no specification has; did you mean `directml`"),
        // One claim that holds good does not cover for another.
        (&[("directml", "6_4"), ("openvin", "1")], "`openvin`, which no specification has; did you mean `openvino`"),
        (
            &[("directml/arg_max", "6_4")],
            "`directml/arg_max`, which no specification has; did you mean `directml/argmax`",
        ),
        (
            &[("coreml", "1")],
            "`coreml`, which no specification has; there is `directml`, `onnx`, `openvino`, `tosa`, `webnn`, `directml/",
        ),
        (&[("directml/argmax/documented", "6_4")], "`directml/argmax/documented`, which no specification has; "),
        (&[("directml/", "6_4")], "`directml/`, which no specification has; "),
        (&[("", "6_4")], "``, which no specification has; "),
        (
            &[],
            "nothing, expected a feature level for any of `directml`, `onnx`, `openvino`, `tosa`, `webnn`, `directml/argmax`",
        ),
        (&[("directml", "6_4"), ("directml/argmax", "6_4")], "both `directml` and `directml/argmax`: a family stands"),
    ] {
        let error = Plan::new(Vec::new(), &specs, &Claiming(claims), &Selection::default()).unwrap_err();
        assert!(error.to_string().starts_with(&format!("`cpu` claims {said}")), "{error}");
    }
}

#[test]
fn what_other_specifications_leave_out_may_be_claimed() {
    let folder = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/openvino");
    fs::create_dir(folder.path().join("openvino")).unwrap();
    for file in ["family.yaml", "one_hot_1.yaml"] {
        fs::copy(from.join(file), folder.path().join("openvino").join(file)).unwrap();
    }
    let specs = Specs::load(&Source::Path(folder.path().to_owned())).unwrap();
    let plan = |claims| Plan::new(Vec::new(), &specs, &Claiming(claims), &Selection::default());
    plan(&[("directml", "6_4")]).unwrap();
    plan(&[("directml/argmax", "6_4"), ("openvino", "1")]).unwrap();
    plan(&[("directml/arg_max", "6_4"), ("openvino", "1")]).unwrap_err();
}

#[test]
fn what_is_not_claimed_does_not_run() {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let backend = Claiming(&[("directml/argmax", "3_0")]);
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |stem| {
        ["directml/argmax/by_hand", "directml/one_hot/documented", "directml/argmax/generated/paths"].contains(&stem)
    });
    let plan = Plan::new(suite.unwrap().cases, &specs, &backend, &Selection::default()).unwrap();
    let mut reasons: Vec<&str> = Vec::new();
    for planned in &plan.entries {
        match &planned.decision {
            Decision::Run(levels) => {
                assert_eq!(planned.case.about().operator.id, "directml/argmax");
                let family = &planned.case.about().operator.family;
                assert!(levels.iter().all(|level| family.level_name(*level) == "3_0"), "{levels:?}");
            }
            Decision::NotRun(reason) => reasons.push(reason),
            other => panic!("{other:?}"),
        }
    }
    assert!(reasons.len() < plan.entries.len());
    reasons.sort_unstable();
    reasons.dedup();
    let claims =
        ["`directml/argmax` above 3_0", "`directml/one_hot`", "strided tensors", "to refuse invalid descriptors"];
    assert_eq!(reasons, claims.map(|what| format!("the backend does not claim {what}")));
}

#[test]
fn many_operators_of_a_family_are_counted_in_what_is_said_of_claims() {
    let claims = |names: &[(&str, &str)]| -> Vec<String> {
        let claimed = names.iter().map(|(name, level)| ((*name).to_owned(), (*level).to_owned())).collect();
        claims_in_short(&claimed, &BTreeMap::new())
    };
    let few = [("directml/argmax", "6_4"), ("directml/argmin", "6_4"), ("directml/tile", "6_4"), ("onnx", "13")];
    assert_eq!(claims(&few), ["directml/argmax 6_4", "directml/argmin 6_4", "directml/tile 6_4", "onnx 13"]);
    let many = [&few[..], &[("directml/gather", "6_4"), ("directml/one_hot", "2_0")]].concat();
    assert_eq!(claims(&many), ["directml 6_4 (4 operators)", "directml/one_hot 2_0", "onnx 13"]);
}
