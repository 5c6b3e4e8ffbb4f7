//! What becomes of an execution: made up here, so that each way in which one can end is judged without a backend.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use opcert::backend::{CompileError, Fault, ForeignText};
use opcert::case::{CaseSource, Elements, Expectation, ExpectedTensor};
use opcert::check::{CheckedCase, Suite};
use opcert::judge::{CaseEvent, Outcome, judge};
use opcert::plan::{Decision, Planned};
use opcert::report::{Human, explain_failure};
use opcert::run::{Execution, OutputMemory};
use opcert::source::Source;
use opcert::spec::check::IndexBelowReducedCount;
use opcert::spec::{Invariant, Level, Specs};
use tempfile::TempDir;

/// A case of an operator, written for a test, which chooses what it covers.
fn case(operator: &str, text: &str) -> CheckedCase {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("case.yaml");
    std::fs::write(&path, format!("operator: {operator}\ncovers: complete\ncases:\n  case: {text}\n")).unwrap();
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let suite = Suite::load(&CaseSource(Source::Path(path)), &specs, |_| true).unwrap();
    suite.cases.into_iter().next().unwrap()
}

/// The greatest of three numbers. A test chooses the other keys.
fn argmax(rest: &str) -> CheckedCase {
    let tensors = "InputTensor: {type: FLOAT32, sizes: [3], data: [1, 3, 2]}, OutputTensor: {type: UINT32, sizes: [1]}";
    let attributes = "{Axes: [0], AxisDirection: DML_AXIS_DIRECTION_INCREASING}";
    case("directml/argmax", &format!("{{level: \"3_0\", tensors: {{{tensors}}}, attributes: {attributes}, {rest}}}"))
}

/// Where the numbers stand that are not zero. The documents do not say of NaN whether it is.
fn nonzero() -> CheckedCase {
    let tensors = "InputTensor: {type: FLOAT32, sizes: [1, 2, 3], data: [[[.nan, 0, 1], [0, 0, 0]]]}, \
                   OutputCountTensor: {type: UINT32, sizes: [1, 1, 1]}, OutputCoordinatesTensor: {type: UINT32, \
                   sizes: [1, 6, 2]}";
    let rest = "attributes: {}, covers: [nan], invariants: [count-in-range], expect: {observe: oracle}";
    case("directml/nonzero_coordinates", &format!("{{level: \"4_0\", tensors: {{{tensors}}}, {rest}}}"))
}

fn level(case: &CheckedCase, name: &str) -> Level {
    case.about().operator.family.level(name).unwrap()
}

fn all_compiled(results: Vec<(Level, Vec<Result<OutputMemory, Fault>>)>) -> Execution {
    Execution::Dispatched { results, not_compiled: None, beside: Vec::new() }
}

/// Judged as if it had been asked for at just the levels at which something came out.
fn judged(case: &CheckedCase, execution: Execution) -> CaseEvent {
    let levels = match &execution {
        Execution::Compiled(results) => results.iter().map(|(level, _)| *level).collect(),
        Execution::Dispatched { results, .. } => results.iter().map(|(level, _)| *level).collect(),
        _ => Vec::new(),
    };
    judged_at(case, levels, execution)
}

fn judged_at(case: &CheckedCase, levels: Vec<Level>, execution: Execution) -> CaseEvent {
    judge(&Planned { case: case.clone(), decision: Decision::Run(levels) }, execution)
}

/// The same answer to both dispatches, at the least level.
fn answered(case: &CheckedCase, outputs: &[Vec<u32>]) -> CaseEvent {
    let CheckedCase::Valid(valid) = case else { panic!("{case:?}") };
    judged(case, all_compiled(vec![(valid.level, vec![Ok(memory(outputs)), Ok(memory(outputs))])]))
}

fn dispatched(case: &CheckedCase, results: &[(&str, Vec<Result<OutputMemory, Fault>>)]) -> CaseEvent {
    let results = results.iter().map(|(name, results)| (level(case, name), results.clone()));
    judged(case, all_compiled(results.collect()))
}

fn memory(outputs: &[Vec<u32>]) -> OutputMemory {
    outputs.iter().map(|output| output.iter().copied().flat_map(u32::to_le_bytes).collect()).collect()
}

/// The right answer to [`argmax`], and a wrong one.
fn right() -> Result<OutputMemory, Fault> {
    Ok(memory(&[vec![1]]))
}

fn wrong() -> Result<OutputMemory, Fault> {
    Ok(memory(&[vec![2]]))
}

const VALUES: &str = "covers: [maximum-index], expect: {OutputTensor: [1]}";

#[test]
fn every_fault_has_an_outcome_of_its_own() {
    let (valid, refused) = (argmax(VALUES), refused());
    let said = |fault: fn(String) -> Fault, outcome: Outcome, text: &str| {
        let fault = fault("gone".to_owned());
        let expect = |event: CaseEvent, reason: String| {
            assert_eq!((event.outcome, event.reason), (outcome, Some(reason.into())));
        };
        expect(dispatched(&valid, &[("3_0", vec![Err(fault.clone())])]), text.to_owned());
        let in_the_second = dispatched(&valid, &[("3_0", vec![right(), Err(fault.clone())])]);
        expect(in_the_second, format!("in the second dispatch: {text}"));
        let at_the_highest = [("3_0", vec![right(), right()]), ("6_4", vec![right(), Err(fault.clone())])];
        expect(dispatched(&valid, &at_the_highest), format!("at 6_4: in the second dispatch: {text}"));
        let compile = CompileError::Fault(fault.clone());
        expect(
            judged(
                &valid,
                Execution::Dispatched {
                    results: Vec::new(),
                    not_compiled: Some((level(&valid, "3_0"), compile.clone())),
                    beside: Vec::new(),
                },
            ),
            text.to_owned(),
        );
        let compiled = Execution::Compiled(vec![(level(&refused, "3_1"), Err(compile))]);
        expect(judged(&refused, compiled), format!("at 3_1: {text}"));
        expect(judged(&valid, Execution::Unanswered(fault)), format!("asked whether it supports this: {text}"));
    };
    said(Fault::Failed, Outcome::Error, "gone");
    said(Fault::OutOfMemory, Outcome::OutOfMemory, "out of memory: gone");
    said(Fault::DeviceLost, Outcome::DeviceLost, "device lost: gone");
    said(Fault::Crashed, Outcome::Crash, "crashed: gone");
    said(Fault::Hung, Outcome::Hang, "no answer: gone");
    said(Fault::Protocol, Outcome::ProtocolError, "protocol broken: gone");
    said(Fault::GuardViolated, Outcome::GuardViolation, "wrote where it must not: gone");
}

#[test]
fn an_output_of_other_sizes_is_a_wrong_answer() {
    let other = |tensor: &str, sizes: &[u64]| Fault::OtherSizes { tensor: tensor.to_owned(), sizes: sizes.to_vec() };
    let columns = |count: u64| other("Y", &[1, count]);
    let covers = "covers: [output-shape, coordinates, row-major]";
    let compared = listed("[0, 5, 0, 3]", &format!("{covers}, expect: {{Y: [[1, 3]]}}"));
    let open = listed("[0, .nan, 0, 3]", "covers: [nan], expect: {observe: oracle}");
    let right = || Ok(vec![[1u64, 3].into_iter().flat_map(u64::to_le_bytes).collect()]);
    let said = |case: &CheckedCase, results: Vec<Result<OutputMemory, Fault>>| {
        let event = dispatched(case, &[("9", results)]);
        (event.outcome, event.reason.map(|reason| reason.raw().to_owned()).unwrap_or_default())
    };
    let both = |said: &str| format!("{said}`Y` has the sizes [1, 3], expected [1, 2]");
    assert_eq!(said(&compared, vec![right(), right()]), (Outcome::Pass, String::new()));
    assert_eq!(said(&compared, vec![Err(columns(3))]), (Outcome::Fail, both("")));
    let in_the_second = (Outcome::Fail, both("in the second dispatch: "));
    assert_eq!(said(&compared, vec![right(), Err(columns(3))]), in_the_second);
    // Where it is open which elements count, it is open how many there are; but not that this changes.
    assert_eq!(said(&open, vec![Err(columns(3))]), (Outcome::Observed, both("")));
    let changed = (Outcome::Nondeterministic, both("in the second dispatch: "));
    assert_eq!(said(&open, vec![right(), Err(columns(3))]), changed);
    // How many dimensions there are is not open, and neither is an output whose sizes do not follow from values.
    assert_eq!(said(&open, vec![Err(other("Y", &[7, 7, 7]))]).0, Outcome::Fail);
    let fixed = dispatched(&nonzero(), &[("4_0", vec![Err(other("OutputCountTensor", &[1]))])]);
    assert_eq!(fixed.outcome, Outcome::Fail, "{:?}", fixed.reason);
    // What is compiled has no sizes yet.
    let accepted = listed("[0, 5, 0, 3]", "covers: [], expect: accepts");
    let compiled = Execution::Compiled(vec![(level(&accepted, "9"), Err(CompileError::Fault(columns(3))))]);
    assert_eq!(judged(&accepted, compiled).outcome, Outcome::Error);
    // Nobody else has those sizes, and these are not others.
    for fault in [columns(2), other("X", &[1, 3]), other("Z", &[1, 3])] {
        let (outcome, reason) = said(&compared, vec![Err(fault.clone())]);
        assert_eq!(outcome, Outcome::Error, "{fault}: {reason}");
    }
}

/// Where two of four numbers stand that are not zero: how many there are follows from them.
fn listed(data: &str, rest: &str) -> CheckedCase {
    let tensors = format!("X: {{type: float, sizes: [4], data: {data}}}, Y: {{type: int64, sizes: [1, 2]}}");
    case("onnx/non_zero", &format!("{{level: \"9\", tensors: {{{tensors}}}, attributes: {{}}, {rest}}}"))
}

/// An embedded case that is refused from 3_0 on.
fn refused() -> CheckedCase {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let source = CaseSource(Source::embedded_cases());
    let suite = Suite::load(&source, &specs, |stem| stem == "directml/argmax/by_hand").unwrap();
    let refused = suite.cases.into_iter().find(|case| matches!(case, CheckedCase::Refused(case) if case.first.0 == 3));
    refused.unwrap()
}

#[test]
fn a_failure_names_its_level_unless_that_is_the_least() {
    let case = argmax(VALUES);
    let (good, bad) = (vec![right(), right()], vec![wrong(), wrong()]);
    for (least, highest, outcome, reason) in [
        (&good, &good, Outcome::Pass, None),
        (&bad, &good, Outcome::Fail, None),
        (&bad, &bad, Outcome::Fail, None),
        (&good, &bad, Outcome::Fail, Some("at 6_4")),
    ] {
        let event = dispatched(&case, &[("3_0", least.clone()), ("6_4", highest.clone())]);
        assert_eq!((event.outcome, event.reason.as_ref().map(ForeignText::raw)), (outcome, reason));
        assert_eq!(event.level, "3_0");
    }
    let none = dispatched(&case, &[]);
    assert_eq!(
        (none.outcome, none.reason.as_ref().map(ForeignText::raw)),
        (Outcome::Error, Some("was dispatched at no level"))
    );
}

#[test]
fn what_was_asked_for_and_not_answered_is_an_error() {
    let (values, accepts) = (argmax(VALUES), argmax("covers: [tensor-support], expect: accepts"));
    let (refused, open) = (refused(), argmax("covers: [nan], expect: {observe: oracle}"));
    let at = |case: &CheckedCase, names: &[&str]| names.iter().map(|name| level(case, name)).collect::<Vec<Level>>();
    let said = |event: CaseEvent| (event.outcome, event.reason.unwrap_or_default().into_raw());
    let error = |text: &str| (Outcome::Error, text.to_owned());
    let rejected = || CompileError::Rejected { requirement: None, reason: "no".to_owned() };
    for (case, result) in [(&accepts, Ok(())), (&refused, Err(rejected()))] {
        let one = || Execution::Compiled(vec![(level(case, "3_1"), result.clone())]);
        assert_eq!(judged(case, one()).outcome, Outcome::Pass);
        assert_eq!(said(judged_at(case, at(case, &["3_1", "4_0"]), one())), error("nothing came back at 4_0"));
        let none = || Execution::Compiled(Vec::new());
        assert_eq!(said(judged_at(case, at(case, &["3_1"]), none())), error("nothing came back at 3_1"));
        assert_eq!(said(judged(case, none())), error("it was to run at no level"));
        let not_to = Planned { case: case.clone(), decision: Decision::NotRun("x".to_owned()) };
        assert_eq!(said(judge(&not_to, one())), error("it ran, and was not to"));
    }
    // What is wrong all the same is said instead.
    let accepted = Execution::Compiled(vec![(level(&refused, "3_1"), Ok(()))]);
    let event = judged_at(&refused, at(&refused, &["3_1", "6_4"]), accepted);
    assert_eq!(event.outcome, Outcome::AcceptedWrongly);
    // Data runs at both ends, and what is judged at one level between them as well.
    let ran = |case: &CheckedCase, names: &[&str], between: &[&str]| {
        let asked = at(case, &[&["3_0"], between, &["6_4"]].concat());
        let results = at(case, names).into_iter().map(|level| (level, vec![right(), right()])).collect();
        said(judged_at(case, asked, all_compiled(results)))
    };
    let all = &["3_1", "4_0", "4_1", "5_0", "5_1", "5_2", "6_0", "6_1", "6_2", "6_3"][..];
    let planned =
        Planned { case: values.clone(), decision: Decision::Run(at(&values, &[&["3_0"], all, &["6_4"]].concat())) };
    let between = values.about().operator.family.level_name(planned.dispatched_between().unwrap()).to_owned();
    let others: Vec<&str> = all.iter().copied().filter(|level| *level != between).collect();
    for (case, good) in [(&values, Outcome::Pass), (&open, Outcome::Observed)] {
        assert_eq!(ran(case, &["3_0", "6_4"], &others).0, good);
        assert_eq!(ran(case, &["3_0", &between, "6_4"], all).0, good);
        assert_eq!(ran(case, &["3_0"], &others), error("nothing came back at 6_4"));
        assert_eq!(ran(case, &["6_4"], &others), error("nothing came back at 3_0"));
    }
    assert_eq!(ran(&values, &["3_0", "6_4"], all), error(&format!("nothing came back at {between}")));
    let compiled = || Execution::Compiled(vec![(level(&values, "3_0"), Ok(()))]);
    assert_eq!(said(judged(&values, compiled())), error("was compiled, and should have been dispatched"));
    let ran = all_compiled(vec![(level(&accepts, "3_0"), vec![right(), right()])]);
    assert_eq!(said(judged(&accepts, ran)), error("was dispatched, and should only have been compiled"));
}

#[test]
fn what_nothing_is_expected_of_does_not_pass() {
    let spoiled = |expected: Vec<(String, ExpectedTensor)>| {
        let CheckedCase::Valid(mut case) = argmax(VALUES) else { panic!("it is valid") };
        case.expectation = Expectation::Values(expected);
        let case = CheckedCase::Valid(case);
        let event = dispatched(&case, &[("3_0", vec![right(), right()])]);
        (event.outcome, event.reason.unwrap_or_default().into_raw())
    };
    let elements = |numbers: &[u32]| {
        let bytes = numbers.iter().copied().flat_map(u32::to_le_bytes).collect();
        ExpectedTensor::Elements(Elements { bytes, undefined: Vec::new() })
    };
    let named = |name: &str, numbers: &[u32]| (name.to_owned(), elements(numbers));
    assert_eq!(spoiled(vec![named("OutputTensor", &[1])]).0, Outcome::Pass);
    let error = |text: &str| (Outcome::Error, text.to_owned());
    assert_eq!(spoiled(Vec::new()), error("nothing is expected of `OutputTensor`"));
    let stray = vec![named("OutputTensor", &[1]), named("Lost", &[1])];
    assert_eq!(spoiled(stray), error("`Lost` is expected, and is no output"));
    let longer = vec![named("OutputTensor", &[1, 1])];
    assert_eq!(spoiled(longer), error("`OutputTensor` has 1 elements, and 2 are expected"));
}

#[test]
fn an_invariant_of_what_is_not_there_is_broken() {
    let CheckedCase::Valid(mut right) =
        argmax("covers: [nan], invariants: [index-in-range], expect: {observe: oracle}")
    else {
        panic!("it is valid")
    };
    right.invariants.retain(|(id, _)| id == "directml/argmax/index-in-range");
    let said = |spoil: &dyn Fn(&mut Invariant)| {
        let mut case = right.clone();
        case.invariants.iter_mut().flat_map(|(_, invariants)| invariants).for_each(spoil);
        let event = answered(&CheckedCase::Valid(case), &[vec![1]]);
        (event.outcome, event.reason.map(ForeignText::into_raw))
    };
    let lost = || "Lost".to_owned();
    assert_eq!(said(&|_| {}), (Outcome::Observed, None));
    for (part, text) in [
        ("output", "there is no output `Lost`"),
        ("input", "there is no tensor `Lost`"),
        ("axes", "there is no attribute `Lost`"),
    ] {
        let spoil = |invariant: &mut Invariant| {
            let Invariant::IndexBelowReducedCount(IndexBelowReducedCount { output, input, axes }) = invariant else {
                panic!("another invariant")
            };
            *match part {
                "output" => output,
                "input" => input,
                _ => axes,
            } = lost();
        };
        let reason = format!("{text} [directml/argmax/index-in-range]");
        assert_eq!(said(&spoil), (Outcome::Fail, Some(reason)), "{part}");
    }
    let mut without = right.clone();
    without.invariants.iter_mut().for_each(|(_, invariants)| invariants.clear());
    assert_eq!(answered(&CheckedCase::Valid(without), &[vec![1]]).outcome, Outcome::Error);
}

#[test]
fn a_digest_of_an_answer_leaves_out_what_is_undefined() {
    let count = 600;
    let tensors = format!(
        "InputTensor: {{type: FLOAT32, sizes: [{count}], data: {{pattern: constant, value: 0, except: {{3: .nan, 7: 1}}}}}}, \
         OutputCountTensor: {{type: UINT32, sizes: [1]}}, OutputCoordinatesTensor: {{type: UINT32, sizes: [{count}, 1]}}"
    );
    let rest = "attributes: {}, covers: [nan], expect: {observe: oracle}";
    let case = case("directml/nonzero_coordinates", &format!("{{level: \"4_0\", tensors: {{{tensors}}}, {rest}}}"));
    let observed = |behind: u32| {
        let rows: Vec<u32> = [3, 7].into_iter().chain(std::iter::repeat_n(behind, count - 2)).collect();
        let event = answered(&case, &[vec![2], rows]);
        assert_eq!(event.outcome, Outcome::Observed, "{:?}", event.reason);
        event.observed[1].value.clone()
    };
    let hash = blake3::hash(&memory(&[vec![3, 7]])[0]).to_hex();
    assert_eq!(observed(0), format!("blake3 {hash} of the first 2 elements"));
    assert_eq!(observed(0), observed(9));
}

/// A definition says so of any element, whatever the case asks.
#[test]
fn what_a_definition_calls_undefined_may_differ() {
    let tensors = "indices: {type: i32, sizes: [2], data: [-1, 1]}, depth: {type: i64, sizes: [], data: 2}, on_value: \
                   {type: u32, sizes: [], data: 7}, off_value: {type: u32, sizes: [], data: 3}, output: {type: u32, \
                   sizes: [2, 2]}";
    let rest = "attributes: {axis: -1}, covers: [mixed-index-types], expect: {observe: oracle}";
    let case = case("openvino/one_hot_1", &format!("{{tensors: {{{tensors}}}, {rest}}}"));
    let second = |answer: [u32; 4]| {
        let event = dispatched(&case, &[("1", vec![Ok(memory(&[vec![7, 3, 3, 7]])), Ok(memory(&[answer.to_vec()]))])]);
        (event.outcome, event.observed.first().map(|observed| observed.value.clone()))
    };
    assert_eq!(second([3, 3, 3, 7]), (Outcome::Observed, Some("[[~, ~],\n [3, 7]]".to_owned())));
    assert_eq!(second([7, 3, 7, 7]), (Outcome::Nondeterministic, None));
}

#[test]
fn an_accepted_descriptor_passes_or_is_an_answer() {
    let accepts = "covers: [tensor-support], expect: accepts";
    let duplicate = "{Axes: [0, 0], AxisDirection: DML_AXIS_DIRECTION_INCREASING}";
    let open = case(
        "directml/argmax",
        &format!(
            "{{level: \"3_0\", tensors: {{InputTensor: {{type: FLOAT32, sizes: [3]}}, OutputTensor: {{type: UINT32, \
             sizes: [1]}}}}, attributes: {duplicate}, covers: [axes-duplicate], expect: {{observe: oracle}}}}"
        ),
    );
    let compiled = |case: &CheckedCase, result: Result<(), CompileError>| {
        let event = judged(case, Execution::Compiled(vec![(level(case, "3_0"), Ok(())), (level(case, "6_4"), result)]));
        (event.outcome, event.reason.map(ForeignText::into_raw))
    };
    let rejected = |requirement: Option<&str>| {
        let requirement = requirement.map(str::to_owned);
        Err(CompileError::Rejected { requirement, reason: "no".to_owned() })
    };
    let said = |text: &str| Some(text.to_owned());
    assert_eq!(compiled(&argmax(accepts), Ok(())), (Outcome::Pass, None));
    assert_eq!(compiled(&argmax(accepts), rejected(None)), (Outcome::RefusedWrongly, said("refused at 6_4: no")));
    assert_eq!(compiled(&open, Ok(())), (Outcome::Observed, said("accepted")));
    assert_eq!(compiled(&open, rejected(Some("x"))), (Outcome::Observed, said("refused at 6_4: no [x]")));
    let unsupported = CompileError::Unsupported { reason: "too new".to_owned() };
    assert_eq!(compiled(&open, Err(unsupported)), (Outcome::Unsupported, said("too new")));
}

#[test]
fn a_failure_says_what_was_given_and_what_the_requirements_say() {
    let tensors = "InputTensor: {type: FLOAT16, sizes: [2, 2], strides: [4, 1], total_bytes: 20, alignment: 8, flags: \
                   [OWNED_BY_DML], data: [[1, 3], [4, 2]]}, OutputTensor: {type: UINT32, sizes: [2, 1]}";
    let attributes = "{Axes: [1], AxisDirection: DML_AXIS_DIRECTION_INCREASING}";
    let rest = "covers: [maximum-index], expect: {OutputTensor: [[1], [0]]}";
    let of = |tensors: &str, rest: &str| {
        let text = format!("{{level: \"3_0\", tensors: {{{tensors}}}, attributes: {attributes}, {rest}}}");
        case("directml/argmax", &text)
    };
    let event = dispatched(&of(tensors, rest), &[("3_0", vec![Ok(memory(&[vec![1, 1]])), Ok(memory(&[vec![1, 1]]))])]);
    let said = explain_failure(&event, "opcert run {case}", false, 80);
    let shown = "  given
    InputTensor: (Sizes:{2,2}, Strides:{4,1}, DataType:FLOAT16,
        TotalTensorSizeInBytes:20, GuaranteedBaseOffsetAlignment:8,
        Flags:OWNED_BY_DML)
      [[1, 3],
       [4, 2]]
    OutputTensor: (Sizes:{2,1}, DataType:UINT32, TotalTensorSizeInBytes:8)
    AxisCount: 1
    Axes: {1}
    AxisDirection: DML_AXIS_DIRECTION_INCREASING
  covers directml/argmax/maximum-index
    ";
    let (_, behind) = said.split_once(shown).unwrap_or_else(|| panic!("{said}"));
    let text = &event.requirements[0].1;
    assert!(behind.replace("\n    ", " ").starts_with(text.as_str()), "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    // Many elements are a digest, and what follows a formula is one.
    let many = |data: &str| {
        let tensors = format!(
            "InputTensor: {{type: FLOAT32, sizes: [1, 129], data: {data}}}, OutputTensor: {{type: UINT32, sizes: [1, 1]}}"
        );
        let event = dispatched(&of(&tensors, &rest.replace("[[1], [0]]", "[[0]]")), &[("3_0", vec![wrong(), wrong()])]);
        event.given.unwrap().tensors[0].elements.clone().unwrap()
    };
    let list = (0..129).map(|element| element.to_string()).collect::<Vec<_>>().join(", ");
    let digest = many(&format!("[[{list}]]"));
    assert!(digest.starts_with("516 bytes, blake3 ") && digest.len() == 82, "{digest}");
    assert_eq!(many("{pattern: ramp, start: 0, step: 1}"), "129 elements from 0 in steps of 1");
    // A refusal says what is broken, and only a failure says anything of this.
    let event = judged(&refused(), Execution::Compiled(vec![(Level(3), Ok(()))]));
    assert!(event.given.is_some_and(|given| given.tensors.iter().all(|tensor| tensor.elements.is_none())));
    assert!(!event.requirements.is_empty());
    let passed = dispatched(&argmax(VALUES), &[("3_0", vec![right(), right()])]);
    assert_eq!((passed.outcome, passed.given, passed.requirements), (Outcome::Pass, None, Vec::new()));
}

/// In a run, what a requirement says stands in the first failure that it has to do with.
#[test]
fn what_a_requirement_says_is_said_once() {
    let case = argmax("covers: [maximum-index, exact-comparison, tie-increasing], expect: {OutputTensor: [1]}");
    let event = dispatched(&case, &[("3_0", vec![wrong(), wrong()])]);
    let mut written = Vec::new();
    let mut human = Human::new(&mut written, 80);
    human.case(&event, "opcert run {case}").unwrap();
    human.case(&event, "opcert run {case}").unwrap();
    let text = anstream::adapter::strip_str(std::str::from_utf8(&written).unwrap()).to_string();
    let (first, second) = text.split_once("\n\n").unwrap();
    assert_eq!(first, explain_failure(&event, "opcert run {case}", false, 80).trim_end());
    let known = "  covers, as said above, directml/argmax/maximum-index,
    directml/argmax/exact-comparison, directml/argmax/tie-increasing
  repeat ";
    assert!(second.contains(known) && !second.contains("derived: "), "{second}");
    assert!(second.lines().all(|line| line.chars().count() <= 80), "{second}");
}

#[test]
fn a_failure_says_why_the_derived_requirements_hold_that_it_covers() {
    let case = argmax("covers: [maximum-index, exact-comparison, tie-increasing], expect: {OutputTensor: [1]}");
    let event = dispatched(&case, &[("3_0", vec![wrong(), wrong()])]);
    let [(id, reason)] = event.derived.as_slice() else { panic!("{:?}", event.derived) };
    assert_eq!(id, "directml/argmax/exact-comparison");
    assert!(reason.contains("a comparison in a narrower type"), "{reason}");
    // Where nothing is wrong there is nothing to object to.
    assert_eq!(dispatched(&case, &[("3_0", vec![right(), right()])]).derived, []);
}

#[test]
fn a_large_or_open_case_gates_nothing_and_strides_are_said() {
    let said = |case: &CheckedCase| {
        let event = judged(case, Execution::Skipped);
        (event.gates, event.large, event.strided)
    };
    assert_eq!(said(&argmax(VALUES)), (true, false, false));
    assert_eq!(said(&argmax(&format!("tier: large, {VALUES}"))), (false, true, false));
    assert_eq!(said(&nonzero()), (false, false, false));
    let strided = "InputTensor: {type: FLOAT32, sizes: [3], strides: [2], data: [1, 3, 2]}, OutputTensor: {type: \
                   UINT32, sizes: [1]}";
    let attributes = "{Axes: [0], AxisDirection: DML_AXIS_DIRECTION_INCREASING}";
    let strided = format!("{{level: \"3_0\", tensors: {{{strided}}}, attributes: {attributes}, {VALUES}}}");
    assert_eq!(said(&case("directml/argmax", &strided)), (true, false, true));
}

#[test]
fn one_dispatch_is_judged_like_two() {
    let case = argmax(&format!("tier: large, {VALUES}"));
    assert_eq!(dispatched(&case, &[("3_0", vec![right()])]).outcome, Outcome::Pass);
    let event = dispatched(&case, &[("3_0", vec![wrong()])]);
    assert_eq!((event.outcome, event.differences.len()), (Outcome::Fail, 1));
    assert_eq!((event.differences[0].expected.as_str(), event.differences[0].actual.as_str()), ("1", "2"));
}

#[test]
fn which_of_two_dispatches_differs_is_said() {
    let case = argmax(VALUES);
    for (results, reason) in [
        ([wrong(), right()], "the first of two dispatches differs from what is expected, the second does not"),
        ([right(), wrong()], "the second of two dispatches differs from what is expected, the first does not"),
    ] {
        let event = dispatched(&case, &[("3_0", results.to_vec())]);
        assert_eq!(
            (event.outcome, event.reason.as_ref().map(ForeignText::raw)),
            (Outcome::Nondeterministic, Some(reason))
        );
        assert_eq!(event.differences[0].actual, "2");
    }
}

#[test]
fn an_output_that_did_not_come_back_is_an_error() {
    let case = argmax(VALUES);
    for results in [vec![], vec![Ok(Vec::new())], vec![right(), Ok(Vec::new())], vec![Ok(Vec::new()), right()]] {
        let event = dispatched(&case, &[("3_0", results)]);
        let reason = event.reason.as_ref().map(ForeignText::raw);
        assert_eq!((event.outcome, reason), (Outcome::Error, Some("nothing came back for `OutputTensor`")));
    }
}

#[test]
fn values_that_rest_on_an_open_question_are_one_answer_among_others() {
    for covers in ["nan", "maximum-index, nan"] {
        let case = argmax(&format!("covers: [{covers}], expect: {{OutputTensor: [1]}}"));
        let event = dispatched(&case, &[("3_0", vec![wrong(), wrong()])]);
        assert_eq!((event.outcome, event.observed[0].value.as_str()), (Outcome::Observed, "[2]"));
    }
}

/// Beside elements that are open, others are what the definition says.
#[test]
fn what_is_determined_beside_what_is_open_is_compared() {
    let tensors = "InputTensor: {type: FLOAT32, sizes: [2, 2], data: [[.nan, 1], [1, 2]]}, OutputTensor: {type: UINT32, \
                   sizes: [2, 1]}";
    let rest = "attributes: {Axes: [1], AxisDirection: DML_AXIS_DIRECTION_INCREASING}, covers: [nan], invariants: \
                [index-in-range], expect: {observe: oracle}";
    let case = case("directml/argmax", &format!("{{level: \"3_0\", tensors: {{{tensors}}}, {rest}}}"));
    let twice = |first: [u32; 2], second: [u32; 2]| {
        dispatched(&case, &[("3_0", vec![Ok(memory(&[first.to_vec()])), Ok(memory(&[second.to_vec()]))])])
    };
    for open in [0, 1] {
        let event = twice([open, 1], [open, 1]);
        assert_eq!(
            (event.outcome, event.observed[0].value.as_str()),
            (Outcome::Observed, &*format!("[[{open}],\n [1]]"))
        );
    }
    let event = twice([0, 0], [0, 0]);
    let [difference] = event.differences.as_slice() else { panic!("{:?}", event.differences) };
    assert_eq!((event.outcome, event.reason, event.observed.len()), (Outcome::Fail, None, 0));
    assert_eq!((difference.defined, difference.differing, difference.first.as_deref()), (1, 1, Some(&[1, 0][..])));
    assert_eq!((difference.expected.as_str(), difference.actual.as_str()), ("1", "0"));
    assert!(difference.why.is_some());
    // Nor is it left as it was, or right only now and then.
    let event = twice([0, 0xA5A5_A5A5], [0, 0x5A5A_5A5A]);
    assert_eq!((event.outcome, event.differences[0].unwritten), (Outcome::Fail, 1));
    assert_eq!(twice([0, 1], [0, 0]).outcome, Outcome::Nondeterministic);
    // An index that nothing can be at is still that.
    assert_eq!(twice([2, 1], [2, 1]).outcome, Outcome::Fail);
}

#[test]
fn what_differs_where_anything_may_happen_is_recorded_and_no_more() {
    let tensors = "indices: {type: i64, sizes: [], data: -1}, depth: {type: i64, sizes: [], data: 2}, on_value: {type: \
                   u32, sizes: [], data: 7}, off_value: {type: u32, sizes: [], data: 3}, output: {type: u32, sizes: \
                   [2]}";
    let rest = "attributes: {axis: 0}, covers: [negative-index], expect: {observe: oracle}";
    let case = case("openvino/one_hot_1", &format!("{{tensors: {{{tensors}}}, {rest}}}"));
    let twice = |second: [u32; 2]| {
        let event = dispatched(&case, &[("1", vec![Ok(memory(&[vec![3, 7]])), Ok(memory(&[second.to_vec()]))])]);
        (event.outcome, event.reason.map(ForeignText::into_raw))
    };
    assert_eq!(twice([3, 7]), (Outcome::Observed, None));
    let differs = "`output` at [1] differs between two dispatches".to_owned();
    assert_eq!(twice([3, 8]), (Outcome::Observed, Some(differs)));
}

#[test]
fn a_difference_says_where_it_begins_and_what_was_never_written() {
    let tensors = "InputTensor: {type: UINT8, sizes: [2, 3], data: [[1, 0, 0], [0, 1, 1]]}, OutputTensor: {type: \
                   UINT32, sizes: [1, 3]}";
    let attributes = "{Axes: [0], AxisDirection: DML_AXIS_DIRECTION_INCREASING}";
    let of = |expect: &str| {
        let rest = format!("covers: [maximum-index], expect: {{OutputTensor: {expect}}}");
        case(
            "directml/argmax",
            &format!("{{level: \"3_0\", tensors: {{{tensors}}}, attributes: {attributes}, {rest}}}"),
        )
    };
    let twice = |first: [u32; 3], second: [u32; 3]| vec![Ok(memory(&[first.to_vec()])), Ok(memory(&[second.to_vec()]))];
    let event = dispatched(&of("[[0, 1, 1]]"), &[("3_0", twice([0, 0xA5A5_A5A5, 0xA5A5_A5A5], [0, 0x5A5A_5A5A, 7]))]);
    let [difference] = event.differences.as_slice() else { panic!("{:?}", event.differences) };
    assert_eq!((difference.differing, difference.defined, difference.unwritten), (2, 3, 1));
    assert_eq!((difference.first.as_deref(), difference.actual.as_str()), (Some(&[0, 1][..]), "unwritten"));
    let rendering = difference.rendering.as_ref().unwrap();
    assert_eq!(rendering.expected, "[[0, 1, 1]]");
    assert_eq!(rendering.actual, "[[         0,  unwritten, 2779096485]]");
    // What is undefined is neither counted nor compared, and shown as such.
    let event = dispatched(&of("[[~, 1, 1]]"), &[("3_0", twice([5, 1, 9], [6, 1, 9]))]);
    let [difference] = event.differences.as_slice() else { panic!("{:?}", event.differences) };
    assert_eq!((difference.differing, difference.defined, difference.unwritten), (1, 2, 0));
    assert_eq!(difference.first.as_deref(), Some(&[0, 2][..]));
    let rendering = difference.rendering.as_ref().unwrap();
    assert_eq!((rendering.expected.as_str(), rendering.actual.as_str()), ("[[~, 1, 1]]", "[[~, 1, 9]]"));
}

#[test]
fn a_digest_that_differs_is_shown_beside_the_one_that_was_found() {
    let hash = |elements: &[u32]| blake3::hash(&memory(&[elements.to_vec()])[0]).to_hex().to_string();
    let coordinates = format!("{{blake3: {}, defined: 2}}", hash(&[0, 2]));
    let tensors = "InputTensor: {type: FLOAT32, sizes: [1, 1, 1, 4], data: [[[[1, 0, 1, 0]]]]}, OutputCountTensor: \
                   {type: UINT32, sizes: [1, 1, 1, 1]}, OutputCoordinatesTensor: {type: UINT32, sizes: [1, 1, 4, 1]}";
    let expect = format!("{{OutputCountTensor: [[[[2]]]], OutputCoordinatesTensor: {coordinates}}}");
    let case = case(
        "directml/nonzero_coordinates",
        &format!(
            "{{level: \"3_0\", tensors: {{{tensors}}}, attributes: {{}}, covers: [count-value], expect: {expect}}}"
        ),
    );
    let rows = |rows: [u32; 4]| dispatched(&case, &[("3_0", vec![Ok(memory(&[vec![2], rows.to_vec()])); 2])]);
    assert_eq!(rows([0, 2, 8, 9]).outcome, Outcome::Pass);
    let event = rows([0, 0xA5A5_A5A5, 8, 9]);
    let [difference] = event.differences.as_slice() else { panic!("{:?}", event.differences) };
    assert_eq!(difference.expected, format!("blake3 {} of the first 2 elements", hash(&[0, 2])));
    assert_eq!(difference.actual, format!("blake3 {} of the first 2 elements", hash(&[0, 0xA5A5_A5A5])));
    assert_eq!((difference.defined, difference.unwritten, &difference.first), (2, 0, &None));
    let unwritten = |poison: u32| Ok(memory(&[vec![2], vec![0, poison, poison, poison]]));
    let event = dispatched(&case, &[("3_0", vec![unwritten(0xA5A5_A5A5), unwritten(0x5A5A_5A5A)])]);
    assert_eq!(event.differences[0].unwritten, 1);
}

#[test]
fn what_is_recorded_of_an_answer_ends_at_its_count() {
    let rows = vec![0, 0, 0, 2, 7, 7, 7, 7, 7, 7, 7, 7];
    for (count, shown) in [
        (2, "[[[0, 0],\n  [0, 2],\n  [~, ~],\n  [~, ~],\n  [~, ~],\n  [~, ~]]]"),
        (1, "[[[0, 0],\n  [~, ~],\n  [~, ~],\n  [~, ~],\n  [~, ~],\n  [~, ~]]]"),
        (0, "[[[~, ~],\n  [~, ~],\n  [~, ~],\n  [~, ~],\n  [~, ~],\n  [~, ~]]]"),
    ] {
        let event = answered(&nonzero(), &[vec![count], rows.clone()]);
        assert_eq!((event.outcome, &event.reason), (Outcome::Observed, &None));
        let values: Vec<&str> = event.observed.iter().map(|each| each.value.as_str()).collect();
        assert_eq!(values, [format!("[[[{count}]]]").as_str(), shown]);
    }
    // What differs between two dispatches counts before that end only, and the count itself always.
    let twice = |first: [Vec<u32>; 2], second: [Vec<u32>; 2]| {
        let event = dispatched(&nonzero(), &[("4_0", vec![Ok(memory(&first)), Ok(memory(&second))])]);
        (event.outcome, event.reason.map(ForeignText::into_raw))
    };
    let changed = |at: usize| {
        let mut rows = rows.clone();
        rows[at] = 1;
        rows
    };
    let told = |text: &str| (Outcome::Nondeterministic, Some(text.to_owned()));
    assert_eq!(twice([vec![2], rows.clone()], [vec![2], changed(4)]), (Outcome::Observed, None));
    let differs = "`OutputCoordinatesTensor` at [0, 1, 1] differs between two dispatches";
    assert_eq!(twice([vec![2], rows.clone()], [vec![2], changed(3)]), told(differs));
    let differs = "`OutputCountTensor` at [0, 0, 0] differs between two dispatches";
    assert_eq!(twice([vec![0], rows.clone()], [vec![1], rows.clone()]), told(differs));
}

#[test]
fn an_invariant_holds_up_to_its_bound() {
    let failure = |event: CaseEvent| match event.outcome {
        Outcome::Observed => None,
        outcome => Some((outcome, event.reason.unwrap().into_raw())),
    };
    let broken = |text: &str, id: &str| Some((Outcome::Fail, format!("{text} [{id}]")));
    let rest = "covers: [nan], invariants: [index-in-range], expect: {observe: oracle}";
    let index = |index: u32| failure(answered(&argmax(rest), &[vec![index]]));
    let id = "directml/argmax/index-in-range";
    assert_eq!((index(0), index(2)), (None, None));
    assert_eq!(index(3), broken("`OutputTensor` at [0] is 3, expected an index below 3", id));
    let count_and_rows = |count: u32, rows: [u32; 12]| failure(answered(&nonzero(), &[vec![count], rows.to_vec()]));
    let id = "directml/nonzero_coordinates/count-in-range";
    let fits = [1, 2, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9];
    assert_eq!(count_and_rows(2, fits), None);
    let text = "row 2 of `OutputCoordinatesTensor` is [9, 9], outside `InputTensor` of sizes [1, 2, 3]";
    assert_eq!(count_and_rows(3, fits), broken(text, id));
    for [one, two] in [[2, 2], [1, 3]] {
        let row = format!("[{one}, {two}]");
        let text = format!("row 0 of `OutputCoordinatesTensor` is {row}, outside `InputTensor` of sizes [1, 2, 3]");
        assert_eq!(count_and_rows(1, [one, two, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), broken(&text, id));
    }
    assert_eq!(count_and_rows(6, [0; 12]), None);
    let text = "`OutputCountTensor` is 7, and `InputTensor` has 6 elements";
    assert_eq!(count_and_rows(7, [0; 12]), broken(text, id));
}

#[test]
fn only_what_is_left_out_did_not_run() {
    let left_out = [Outcome::Unsupported, Outcome::NotRun];
    assert!(left_out.iter().all(|outcome| !outcome.ran() && !outcome.is_bad()));
    assert!([Outcome::Pass, Outcome::Observed].iter().all(|outcome| outcome.ran() && !outcome.is_bad()));
    assert!([Outcome::Fail, Outcome::Hang, Outcome::GuardViolation].iter().all(|outcome| outcome.ran()));
    assert!(Outcome::Fail.is_bad() && Outcome::UnexpectedPass.is_bad() && !Outcome::ExpectedFailure.is_bad());
    assert_eq!(format!("{:>8}|{}", Outcome::Pass, Outcome::OutOfMemory), "    pass|out-of-memory");
}
