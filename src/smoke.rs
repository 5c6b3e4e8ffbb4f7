//! A few simple cases of each operator, to tell a broken adapter from an implementation that differs.
//!
//! An adapter that names a tensor wrongly or swaps two inputs fails thousands of cases, and looks like an implementation
//! that is wrong. Here the documented examples and the first cases by hand are run, and what comes of them is read for
//! what it says of the adapter. Deliberately absent: a verdict.

use std::sync::Arc;

use opcert_backend::Backend;
use schemars::JsonSchema;
use serde::Serialize;

use crate::check::{CheckedCase, Layout, Suite};
use crate::expectations::Expectations;
use crate::judge::{CaseEvent, Outcome, judge};
use crate::plan::{ClaimError, Plan, Selection};
use crate::run::execute;
use crate::spec::{Operator, Specs};

/// So many cases of an operator are tried.
const CASES: usize = 12;

/// Once so many operators gave no answer in time, nothing more is tried: each case may take as long.
const MOST_UNANSWERED: usize = 2;

/// What the cases of one operator say.
#[derive(Debug)]
pub struct Probe {
    /// The operator.
    pub operator: Arc<Operator>,
    /// Those that ran or should have run, the simplest first; none behind one to which no answer came in time.
    pub events: Vec<CaseEvent>,
    /// Whether it was not tried, because others had given no answer.
    pub left_out: bool,
}

/// What that says of the adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// All that ran is right.
    Right,
    /// Some answers are right, so that the adapter does its work, and others are not.
    Differs,
    /// Nothing of the operator is claimed or supported.
    Nothing,
    /// No answer is right. It would be a strange implementation that gets no example right.
    AllWrong,
    /// Something other than an answer came: an error, a crash, a broken protocol, nothing in time.
    Broken,
    /// Two other operators gave no answer in time, and this one was not tried.
    NotTried,
}

impl Probe {
    /// Tries the simplest cases of each operator. `wanted` picks the files that hold them.
    ///
    /// # Errors
    ///
    /// When the backend claims what does not exist.
    pub fn each(suite: Suite, specs: &Specs, backend: &dyn Backend) -> Result<Vec<Self>, ClaimError> {
        let mut left: Vec<CheckedCase> = suite.cases.into_iter().filter(is_simple).collect();
        // Documented cases come first, then those with fewer elements.
        left.sort_by_key(|case| (!case.about().id.contains("/documented/"), elements(case)));
        let (mut probes, mut unanswered) = (Vec::new(), 0);
        for operator in &specs.operators {
            let is_its = |case: &CheckedCase| case.about().operator.id == operator.id;
            let (mut its, others): (Vec<CheckedCase>, Vec<CheckedCase>) = left.into_iter().partition(is_its);
            left = others;
            its.truncate(CASES);
            let left_out = unanswered >= MOST_UNANSWERED;
            let events = if left_out { Vec::new() } else { answered(its, specs, backend)? };
            unanswered += usize::from(events.last().is_some_and(|event| event.outcome == Outcome::Hang));
            probes.push(Self { operator: Arc::clone(operator), events, left_out });
        }
        Ok(probes)
    }

    /// Takes known failures for what they are. What passes although it is known to fail is right all the same.
    pub fn expect(&mut self, expectations: &Expectations) {
        for event in &mut self.events {
            let expected = expectations.apply(event.clone());
            if expected.outcome == Outcome::ExpectedFailure {
                *event = expected;
            }
        }
    }

    /// How many came out in one of these ways.
    #[must_use]
    pub fn count(&self, outcomes: &[Outcome]) -> usize {
        self.events.iter().filter(|event| outcomes.contains(&event.outcome)).count()
    }

    /// The first event that counts against the adapter or the implementation, the worst kind first.
    #[must_use]
    pub fn first_bad(&self) -> Option<&CaseEvent> {
        let bad = || self.events.iter().filter(|event| event.outcome.is_bad());
        bad().find(|event| !self.is_an_answer(event)).or_else(|| bad().next())
    }

    /// Whether an event says something of the implementation, and nothing of the adapter. A runtime that raises an error
    /// for one case and is right in another is there, and has its reasons; those of a known failure have been looked at.
    fn is_an_answer(&self, event: &CaseEvent) -> bool {
        use Outcome::{Error, ExpectedFailure, Fail, NotRun, Pass, RefusedWrongly, Unsupported};
        match event.outcome {
            Pass | Fail | RefusedWrongly | ExpectedFailure | Unsupported | NotRun => true,
            Error => self.count(&[Pass]) > 0,
            _ => false,
        }
    }

    /// What it comes to.
    #[must_use]
    pub fn finding(&self) -> Finding {
        let ran = self.events.iter().filter(|event| event.outcome.ran()).count();
        let right = self.count(&[Outcome::Pass]);
        if self.left_out {
            Finding::NotTried
        } else if ran == 0 {
            Finding::Nothing
        } else if self.events.iter().any(|event| !self.is_an_answer(event)) {
            Finding::Broken
        } else if right == ran {
            Finding::Right
        } else if right == 0 {
            Finding::AllWrong
        } else {
            Finding::Differs
        }
    }
}

/// What comes of cases, one after the other, up to the first to which no answer comes in time.
fn answered(cases: Vec<CheckedCase>, specs: &Specs, backend: &dyn Backend) -> Result<Vec<CaseEvent>, ClaimError> {
    let mut events: Vec<CaseEvent> = Vec::new();
    for case in cases {
        let plan = Plan::new(vec![case], specs, backend, &Selection::default())?;
        events.extend(plan.entries.iter().map(|planned| judge(planned, execute(planned, backend))));
        if events.last().is_some_and(|event| event.outcome == Outcome::Hang) {
            break;
        }
    }
    Ok(events)
}

/// A valid descriptor with data, packed, on which a verdict may rest.
fn is_simple(case: &CheckedCase) -> bool {
    let CheckedCase::Valid(valid) = case else { return false };
    let about = case.about();
    valid.is_dispatched() && about.gates() && !about.large && about.layout == Layout::Packed
}

fn elements(case: &CheckedCase) -> u64 {
    let CheckedCase::Valid(case) = case else { return 0 };
    let counts = case.descriptor.tensors.iter().map(|entry| entry.tensor.element_count().unwrap_or(u64::MAX));
    counts.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use opcert_backend::{CompileError, Descriptor, Fault, Identity, Operator as Compiled, Support};
    use opcert_cpu::CpuBackend;

    use super::*;
    use crate::case::CaseSource;
    use crate::expectations::KnownFailures;
    use crate::source::Source;

    /// The CPU backend, if compiling went otherwise.
    struct Otherwise(fn(&Descriptor) -> Result<Box<dyn Compiled>, CompileError>);

    impl Backend for Otherwise {
        fn identity(&self) -> Identity {
            CpuBackend.identity()
        }

        fn supports(&self, _: &Descriptor) -> Support {
            Support::Yes
        }

        fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Compiled>, CompileError> {
            self.0(descriptor)
        }
    }

    #[test]
    fn a_known_crash_says_nothing_of_the_adapter() {
        let specs = Specs::load(&Source::embedded_specs()).unwrap();
        let is_simple = |stem: &str| stem.starts_with("directml/argmax/") && !stem.contains("/generated");
        let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, is_simple).unwrap();
        let panicking = Otherwise(|descriptor| {
            let has_three_rows = descriptor.tensor("InputTensor").is_some_and(|input| input.sizes == [3, 3]);
            assert!(!has_three_rows, "three rows");
            CpuBackend.compile(descriptor)
        });
        let mut probes = Probe::each(suite, &specs, &panicking).unwrap();
        let probe = probes.iter_mut().find(|probe| probe.operator.id == "directml/argmax").unwrap();
        assert_eq!(probe.finding(), Finding::Broken);

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("expectations.yaml");
        // Most of these pass, which is for a run to complain of.
        fs::write(&file, "expectations:\n  - {case: directml/argmax/*, outcome: crash, reason: three rows}\n").unwrap();
        let known = KnownFailures::load(&file).unwrap();
        let cases: Vec<String> = probe.events.iter().map(|event| event.case.clone()).collect();
        let cases = cases.iter().map(String::as_str);
        probe.expect(&Expectations::new(known, &panicking.identity(), cases, false).unwrap());
        assert_eq!(probe.finding(), Finding::Differs);
    }

    #[test]
    fn what_never_answers_is_asked_twice() {
        let specs = Specs::load(&Source::embedded_specs()).unwrap();
        let documented = |stem: &str| stem.ends_with("/documented");
        let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, documented).unwrap();
        let silent = Otherwise(|_| Err(CompileError::Fault(Fault::Hung("within 20 s".to_owned()))));
        let probes = Probe::each(suite, &specs, &silent).unwrap();
        let tried: Vec<&Probe> = probes.iter().filter(|probe| !probe.events.is_empty()).collect();
        assert_eq!(
            tried.iter().map(|probe| (probe.events.len(), probe.finding())).collect::<Vec<_>>(),
            [(1, Finding::Broken); 2]
        );
        let left_out: Vec<&Probe> = probes.iter().filter(|probe| probe.left_out).collect();
        assert!(!left_out.is_empty() && left_out.iter().all(|probe| probe.finding() == Finding::NotTried));
        assert!(probes.iter().all(|probe| probe.left_out || probe.finding() != Finding::NotTried));
    }
}
