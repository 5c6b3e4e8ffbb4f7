//! Operators that a backend runs as others which it has: the verdict is that of the other operator's answers.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::sync::Arc;

use opcert::backend::{Backend, CompileError, Descriptor, Fault, Identity, Input, Operator, Output, Support};
use opcert::case::CaseSource;
use opcert::check::Suite;
use opcert::judge::{CaseEvent, Outcome, judge};
use opcert::mapping::{Mappings, Through};
use opcert::plan::{Plan, Selection};
use opcert::run::execute;
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_cpu::CpuBackend;

/// What the CPU backend makes of ONNX's operators, and what becomes of it.
#[derive(Clone, Copy)]
enum Onnx {
    Right,
    /// The first byte of the output is another one.
    Wrong,
    /// One element fewer than there are is found, where the number of elements follows from values.
    Fewer,
    /// More elements are said to be found there than any memory holds.
    Absurd,
}

impl Backend for Onnx {
    fn identity(&self) -> Identity {
        let claims = BTreeMap::from([("onnx".to_owned(), "13".to_owned())]);
        Identity { claims, strided: false, refuses_invalid: false, ..CpuBackend::new().identity() }
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        assert!(descriptor.operator.starts_with("onnx/"), "{}", descriptor.operator);
        CpuBackend::new().supports(descriptor)
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let right = CpuBackend::new().compile(descriptor)?;
        Ok(Box::new(Altered { of: *self, descriptor: descriptor.clone(), right }))
    }
}

struct Altered {
    of: Onnx,
    descriptor: Descriptor,
    right: Box<dyn Operator>,
}

impl Operator for Altered {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        if self.descriptor.operator == "onnx/non_zero" {
            match self.of {
                Onnx::Fewer => return self.fewer(inputs, &mut outputs[0]),
                Onnx::Absurd => {
                    let sizes = vec![outputs[0].tensor.sizes[0], 1 << 40];
                    return Err(Fault::OtherSizes { tensor: outputs[0].name.to_owned(), sizes });
                }
                Onnx::Right | Onnx::Wrong => {}
            }
        }
        self.right.dispatch(inputs, outputs)?;
        if let Onnx::Wrong = self.of
            && let Some(first) = outputs[0].bytes.first_mut()
        {
            *first ^= 1;
        }
        Ok(())
    }
}

impl Altered {
    /// The columns but for the last one, where that is what is asked for.
    fn fewer(&mut self, inputs: &[Input<'_>], output: &mut Output<'_>) -> Result<(), Fault> {
        let (input, rank) = (&inputs[0], output.tensor.sizes[0] as usize);
        let width = input.tensor.data_type.bytes();
        // A zero of either sign is none.
        let sign = if input.tensor.data_type.is_float() { 0x80 } else { 0 };
        let is_nonzero =
            |element: &&[u8]| element[..width - 1].iter().any(|byte| *byte != 0) || element[width - 1] & !sign != 0;
        let nonzero = input.bytes.chunks(width).filter(is_nonzero).count();
        let found = nonzero.saturating_sub(1);
        if output.tensor.sizes[1] as usize != found {
            return Err(Fault::OtherSizes { tensor: output.name.to_owned(), sizes: vec![rank as u64, found as u64] });
        }
        output.bytes.fill(0);
        Ok(())
    }
}

/// What becomes of the documented cases and those by hand of some operators.
fn events(native: Onnx, claims: &[&str]) -> Vec<CaseEvent> {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let mappings = Mappings::embedded(&specs).unwrap();
    let mut mapped = BTreeMap::new();
    for claim in claims {
        mapped.extend(Through::claims(claim, &native.identity(), (&mappings, &specs)).unwrap());
    }
    let backend = Through::new(Arc::new(native), &mapped, (&mappings, &specs)).unwrap();
    let by_hand =
        |stem: &str| !stem.starts_with("onnx/") && (stem.ends_with("/documented") || stem.ends_with("/by_hand"));
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, by_hand).unwrap();
    let plan = Plan::new(suite.cases, &specs, &backend, &Selection::default()).unwrap();
    plan.entries.iter().map(|planned| judge(planned, execute(planned, &backend))).collect()
}

fn count(events: &[CaseEvent], outcome: Outcome) -> usize {
    events.iter().filter(|event| event.outcome == outcome).count()
}

#[test]
fn what_is_run_as_another_operator_is_as_right_as_that_is() {
    let events = events(Onnx::Right, &["directml=onnx", "openvino/one_hot_1=onnx/one_hot", "webnn=onnx"]);
    for event in &events {
        let is_right =
            matches!(event.outcome, Outcome::Pass | Outcome::Observed | Outcome::NotRun | Outcome::Unsupported);
        assert!(is_right, "{}: {:?} {:?}", event.case, event.outcome, event.reason);
    }
    let passed: Vec<&str> =
        events.iter().filter(|event| event.outcome == Outcome::Pass).map(|event| event.operator.as_str()).collect();
    for operator in [
        "directml/argmax",
        "directml/argmin",
        "directml/nonzero_coordinates",
        "directml/one_hot",
        "directml/reduce_argmax",
        "directml/reduce_argmin",
        "openvino/one_hot_1",
        "webnn/arg_max",
        "webnn/arg_min",
    ] {
        assert!(passed.contains(&operator), "{operator}");
    }
    assert!(passed.len() > 150, "{}", passed.len());
    // Nothing without a mapping is claimed.
    let reduced = events.iter().filter(|event| event.operator == "directml/reduce_max");
    assert!(reduced.clone().all(|event| event.outcome == Outcome::NotRun) && reduced.count() > 0);
}

#[test]
fn what_the_other_operator_gets_wrong_is_wrong() {
    let claims = ["directml=onnx", "openvino/one_hot_1=onnx/one_hot"];
    let (right, wrong) = (events(Onnx::Right, &claims), events(Onnx::Wrong, &claims));
    for (right, wrong) in right.iter().zip(&wrong) {
        // What is only compiled comes to nothing that could be wrong.
        let is_dispatched = matches!(right.outcome, Outcome::Pass | Outcome::Observed);
        assert!(is_dispatched || right.outcome == wrong.outcome, "{}: {:?}", right.case, wrong.outcome);
    }
    assert!(count(&wrong, Outcome::Fail) > 100, "{}", count(&wrong, Outcome::Fail));
}

#[test]
fn an_answer_in_other_sizes_is_taken_as_it_comes() {
    let events = events(Onnx::Fewer, &["directml/nonzero_coordinates=onnx/non_zero"]);
    let failed: Vec<&CaseEvent> = events.iter().filter(|event| event.outcome == Outcome::Fail).collect();
    assert!(failed.len() > 5, "{}", failed.len());
    for event in failed {
        let reason = event.reason.as_ref().map(ToString::to_string).unwrap_or_default();
        let is_counted = event.differences.iter().any(|difference| difference.tensor == "OutputCountTensor");
        assert!(is_counted, "{}: {reason}", event.case);
    }
    assert_eq!(count(&events, Outcome::Error), 0);
}

#[test]
fn no_memory_is_handed_out_for_sizes_that_cannot_be() {
    let events = events(Onnx::Absurd, &["directml/nonzero_coordinates=onnx/non_zero"]);
    assert!(count(&events, Outcome::Error) > 5, "{}", count(&events, Outcome::Error));
    let reasons =
        events.iter().filter(|event| event.outcome == Outcome::Error).filter_map(|event| event.reason.as_ref());
    assert!(reasons.map(ToString::to_string).all(|reason| reason.contains("`Y` comes out with the sizes [")));
}

#[test]
fn what_cannot_be_claimed_is_said() {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let mappings = Mappings::embedded(&specs).unwrap();
    let claims = |text: &str| Through::claims(text, &Onnx::Right.identity(), (&mappings, &specs));
    for (text, said) in [
        ("directml", "it is no `FROM=TO`: `directml=onnx` for instance"),
        ("directm=onnx", "`directm` is not specified; did you mean `directml`"),
        ("directml=onx", "`onx` is not specified; did you mean `onnx`"),
        ("tosa=openvino", "no mapping leads from `tosa` to `openvino`"),
        ("onnx=directml", "no mapping leads from `onnx` to `directml` for what the backend does not claim itself"),
    ] {
        let error = claims(text).unwrap_err();
        assert!(error.starts_with(said), "{text}: {error}");
    }
    let through = |operator: &str, other: &str| {
        let claims = BTreeMap::from([(operator.to_owned(), ("6_4".to_owned(), other.to_owned()))]);
        Through::new(Arc::new(Onnx::Right), &claims, (&mappings, &specs)).map(|backend| backend.mapped())
    };
    for (operator, other, said) in [
        ("directml/argmax", "tosa/argmax", "`tosa/argmax` is not claimed"),
        ("directml/reduce_max", "onnx/arg_max", "there is no mapping"),
        ("onnx/arg_max", "onnx/arg_max", "the backend itself claims it"),
    ] {
        let error = through(operator, other).unwrap_err().to_string();
        assert_eq!(error, format!("`{operator}` cannot be run as `{other}`: {said}"));
    }
    let mapped = through("directml/argmax", "onnx/arg_max").unwrap();
    let claim = &mapped["directml/argmax"];
    assert_eq!((claim.operator.as_str(), claim.level.as_str(), claim.mapping.len()), ("onnx/arg_max", "13", 64));
}
