//! Was it right? Compares what a backend did with what the case expects, and says so as an event.
//!
//! The only place that knows expectations and outcomes. Backends never judge themselves.

mod again;
mod basis;
mod compare;
mod dispatched_output;
mod event;
mod given;
mod invariant;
mod why;

pub(crate) use again::{
    Dispatched, can_be_broken, contradicts_answers, contradicts_difference, left_and_expected, names_an_element,
    operators_beside,
};
pub(crate) use basis::Basis;
pub(crate) use compare::TWO_DISPATCHES;
pub use event::{
    CaseEvent, Difference, Event, FamilyInfo, Footer, Header, LONGEST_PATTERN, MappedClaim, Observation, OperatorInfo,
    Outcome, Rendering, ShardOfRun, UNEXPLAINED, Waiver, claims_in_short,
};
pub use given::{Given, GivenTensor};
pub use why::{DecidingLine, Why};

use opcert_backend::{CompileError, Fault, ForeignText, Role};

use crate::case::Expectation;
use crate::check::{About, CheckedCase, Layout, RefusedCase, ValidCase};
use crate::plan::{Decision, Planned};
use crate::run::{Beside, Execution, OutputMemory};
use crate::spec::{Authority, Level};

/// How what is said begins where a backend broke when it was asked whether it supports a case.
pub(crate) const ASKED_WHETHER_SUPPORTED: &str = "asked whether it supports this: ";

/// How what is said begins where it is of the second dispatch alone.
pub(crate) const IN_THE_SECOND: &str = "in the second dispatch: ";

/// How what is said begins where something was to come back and did not.
pub(crate) const NOTHING_CAME_BACK: &str = "nothing came back ";

/// What a judgement comes to, before it is put into an event.
pub(crate) struct Verdict {
    outcome: Outcome,
    reason: Option<ForeignText>,
    differences: Vec<Difference>,
    observed: Vec<Observation>,
}

impl Verdict {
    fn plain(outcome: Outcome) -> Self {
        Self { outcome, reason: None, differences: Vec::new(), observed: Vec::new() }
    }

    fn because(outcome: Outcome, reason: impl Into<ForeignText>) -> Self {
        Self { reason: Some(reason.into()), ..Self::plain(outcome) }
    }
}

/// Judges one execution.
#[must_use]
pub fn judge(planned: &Planned, execution: Execution) -> CaseEvent {
    let unanswered = unanswered(planned, &execution);
    let verdict = match (&planned.case, execution) {
        (_, Execution::Skipped) => skipped(&planned.decision),
        (_, Execution::Missing(what)) => Verdict::because(Outcome::Missing, what),
        (_, Execution::Unanswered(fault)) => {
            Verdict::because(outcome_of(&fault), format!("{ASKED_WHETHER_SUPPORTED}{fault}"))
        }
        (CheckedCase::Valid(case), Execution::Compiled(results)) => accepted(case, results),
        (CheckedCase::Valid(case), Execution::Dispatched { results, not_compiled, beside }) => {
            dispatched(case, results, not_compiled, &beside)
        }
        (CheckedCase::Refused(case), Execution::Compiled(results)) => refused(case, results),
        (CheckedCase::Refused(_), _) => Verdict::because(Outcome::Error, "an invalid descriptor was dispatched"),
    };
    let verdict = match unanswered {
        Some(reason) if verdict.outcome.ran() && !verdict.outcome.is_bad() => Verdict::because(Outcome::Error, reason),
        _ => verdict,
    };
    let event = CaseEvent::of(&planned.case, verdict.outcome);
    let mut differences = verdict.differences;
    if let CheckedCase::Valid(case) = &planned.case {
        differences.iter_mut().for_each(|difference| difference.why = why(case, difference));
    }
    CaseEvent { reason: verdict.reason, differences, observed: verdict.observed, ..event }
}

/// Why the first element that differs is expected to be another one; nothing where its place is not known. A case of the
/// large tier has too many elements to ask.
pub(crate) fn why(case: &ValidCase, difference: &Difference) -> Option<Why> {
    let first = difference.first.as_ref().filter(|_| !case.about.large)?;
    Some(Why::of(case, &difference.tensor, first))
}

/// What was planned and has no answer. Where the answers that there are come to something bad, that is said instead.
fn unanswered(planned: &Planned, execution: &Execution) -> Option<String> {
    let answered: Vec<Level> = match execution {
        Execution::Compiled(results) => results.iter().map(|(level, _)| *level).collect(),
        Execution::Dispatched { results, not_compiled: None, .. } => results.iter().map(|(level, _)| *level).collect(),
        // Behind a level at which it did not compile nothing is asked for.
        Execution::Dispatched { not_compiled: Some(_), .. } => return None,
        Execution::Skipped | Execution::Missing(_) | Execution::Unanswered(_) => return None,
    };
    let Decision::Run(levels) = &planned.decision else { return Some("it ran, and was not to".to_owned()) };
    let about = planned.case.about();
    let asked: Vec<Level> = match execution {
        Execution::Compiled(_) => levels.clone(),
        _ if about.large => levels.first().copied().into_iter().collect(),
        _ => {
            let asked = [levels.first().copied(), planned.dispatched_between(), levels.last().copied()];
            asked.into_iter().flatten().collect()
        }
    };
    if asked.is_empty() {
        return Some("it was to run at no level".to_owned());
    }
    let level = asked.into_iter().find(|level| !answered.contains(level))?;
    Some(format!("{NOTHING_CAME_BACK}at {}", about.operator.family.level_name(level)))
}

fn skipped(decision: &Decision) -> Verdict {
    match decision {
        Decision::Unsupported(reason) => Verdict::because(Outcome::Unsupported, reason.as_str()),
        Decision::NotRun(reason) => Verdict::because(Outcome::NotRun, reason.as_str()),
        Decision::Run(_) | Decision::Unanswered(_) => Verdict::because(Outcome::Error, "was to run and did not"),
    }
}

fn accepted(case: &ValidCase, results: Vec<(Level, Result<(), CompileError>)>) -> Verdict {
    if let Some((level, error)) = results.into_iter().find_map(|(level, result)| Some((level, result.err()?))) {
        return refused_or_broken(case, level, error);
    }
    match case.expectation {
        _ if case.is_dispatched() => Verdict::because(Outcome::Error, "was compiled, and should have been dispatched"),
        Expectation::Accepts => Verdict::plain(Outcome::Pass),
        Expectation::Observe => Verdict::because(Outcome::Observed, "accepted"),
        Expectation::Values(_) | Expectation::Refuses(_) => {
            Verdict::because(Outcome::Error, "was compiled, and more than that is expected of it")
        }
    }
}

/// A valid descriptor that did not compile. Where the documents leave it open, that is an answer like any other.
fn refused_or_broken(case: &ValidCase, level: Level, error: CompileError) -> Verdict {
    let open = matches!(case.expectation, Expectation::Observe);
    match error {
        CompileError::Rejected { requirement, reason } => {
            let named = requirement.map(|id| format!(" [{id}]")).unwrap_or_default();
            let outcome = if open { Outcome::Observed } else { Outcome::RefusedWrongly };
            let level = case.about.operator.family.level_name(level);
            Verdict::because(outcome, format!("refused at {level}: {reason}{named}"))
        }
        CompileError::Unsupported { reason } => Verdict::because(Outcome::Unsupported, reason),
        CompileError::Fault(fault) => faulted(case, &fault),
    }
}

fn faulted(case: &ValidCase, fault: &Fault) -> Verdict {
    if case.about.authority == Authority::Undefined {
        return Verdict::because(Outcome::Observed, fault.to_string());
    }
    Verdict::because(outcome_of(fault), fault.to_string())
}

/// A dispatch that came to no outputs, or to an output of other sizes.
fn undispatched(case: &ValidCase, fault: &Fault) -> Verdict {
    let Fault::OtherSizes { tensor, sizes } = fault else { return faulted(case, fault) };
    match other_sizes(case, tensor, sizes) {
        Some(said) if are_open(case, tensor, sizes) => Verdict::because(Outcome::Observed, said),
        Some(said) => Verdict::because(Outcome::Fail, said),
        None => faulted(case, fault),
    }
}

/// Whether an output may have other sizes than its case states: where its descriptor is open, or anything, and where it is open
/// which elements there are, as far as values decide how many.
fn are_open(case: &ValidCase, tensor: &str, sizes: &[u64]) -> bool {
    let operator = &case.about.operator;
    let covered = case.about.covers.iter().filter_map(|id| operator.requirement(id));
    let is_descriptor = covered.filter(|each| each.is_open()).any(|each| each.check.is_some());
    let follow = operator.tensor(tensor).is_some_and(|tensor| tensor.sizes.is_some());
    let stated = case.descriptor.tensor(tensor).map(|tensor| tensor.sizes.len());
    !is_compared(case)
        && (case.about.authority == Authority::Undefined || is_descriptor || follow && stated == Some(sizes.len()))
}

/// Whether each output of a case is compared with what is expected of it.
pub(crate) fn is_compared(case: &ValidCase) -> bool {
    case.about.gates() && matches!(case.expectation, Expectation::Values(_))
}

/// What is said of an output that has other sizes than the case states; nothing where it is none.
fn other_sizes(case: &ValidCase, tensor: &str, sizes: &[u64]) -> Option<String> {
    let mut outputs = case.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
    let stated = outputs.find(|entry| entry.name == tensor).map(|entry| &entry.tensor.sizes)?;
    (*stated != sizes).then(|| format!("`{tensor}` has the sizes {sizes:?}, expected {stated:?}"))
}

/// Where a reason says of an output of a case that it has other sizes, whether that is open.
pub(crate) fn says_other_sizes(case: &ValidCase, said: &str) -> Option<bool> {
    let (tensor, rest) = said.strip_prefix('`')?.split_once("` has the sizes ")?;
    let sizes: Vec<u64> = again::numbers(rest.split_once(", expected ")?.0)?;
    (other_sizes(case, tensor, &sizes)? == said).then(|| are_open(case, tensor, &sizes))
}

const fn outcome_of(fault: &Fault) -> Outcome {
    match fault {
        Fault::OutOfMemory(_) => Outcome::OutOfMemory,
        Fault::DeviceLost(_) => Outcome::DeviceLost,
        Fault::Crashed(_) => Outcome::Crash,
        Fault::Hung(_) => Outcome::Hang,
        Fault::Protocol(_) => Outcome::ProtocolError,
        Fault::GuardViolated(_) => Outcome::GuardViolation,
        _ => Outcome::Error,
    }
}

/// The first level at which something is wrong says what comes of the case. Where nothing is wrong, a level at which it
/// did not compile does, and otherwise the first one.
fn dispatched(
    case: &ValidCase,
    results: Vec<(Level, Vec<Result<OutputMemory, Fault>>)>,
    not_compiled: Option<(Level, CompileError)>,
    beside: &[Beside],
) -> Verdict {
    if !case.is_dispatched() {
        return Verdict::because(Outcome::Error, "was dispatched, and should only have been compiled");
    }
    let mut first = None;
    for (level, results) in results {
        let verdict = dispatched_at(case, results, beside.iter().filter(|other| other.level == level));
        if verdict.outcome.is_bad() && level != case.level {
            let at = format!("at {}", case.about.operator.family.level_name(level));
            let reason = verdict.reason.map_or_else(|| at.clone(), |reason| format!("{at}: {}", reason.raw()));
            return Verdict { reason: Some(reason.into()), ..verdict };
        }
        if verdict.outcome.is_bad() {
            return verdict;
        }
        first.get_or_insert(verdict);
    }
    let stopped = not_compiled.map(|(level, error)| refused_or_broken(case, level, error));
    stopped.or(first).unwrap_or_else(|| Verdict::because(Outcome::Error, "was dispatched at no level"))
}

fn dispatched_at<'a>(
    case: &ValidCase,
    results: Vec<Result<OutputMemory, Fault>>,
    beside: impl Iterator<Item = &'a Beside>,
) -> Verdict {
    let mut memory = Vec::with_capacity(results.len());
    for result in results {
        match result {
            Ok(outputs) => memory.push(outputs),
            Err(fault) if memory.is_empty() => return undispatched(case, &fault),
            Err(fault) => {
                let verdict = undispatched(case, &fault);
                let reason = verdict.reason.map(|reason| format!("{IN_THE_SECOND}{}", reason.raw()).into());
                // What had its sizes in the first one is not merely open.
                let is_other = matches!(fault, Fault::OtherSizes { .. }) && verdict.outcome == Outcome::Observed;
                let undefined = case.about.authority == Authority::Undefined;
                let outcome = if is_other && !undefined { Outcome::Nondeterministic } else { verdict.outcome };
                return Verdict { outcome, reason, ..verdict };
            }
        }
    }
    let (mut others, mut broken) = (Vec::new(), None);
    for Beside { operator, outputs, .. } in beside {
        match outputs {
            Ok(memory) => others.push((operator.as_str(), memory)),
            Err(fault) => broken = broken.or(Some((operator, fault))),
        }
    }
    let verdict = compare::outputs(case, &memory.iter().collect::<Vec<_>>(), &others);
    match broken {
        Some((operator, fault)) if !verdict.outcome.is_bad() && case.about.authority != Authority::Undefined => {
            Verdict::because(outcome_of(fault), format!("{}{fault}", of_another(operator)))
        }
        _ => verdict,
    }
}

/// How a reason begins that is about another operator, which comes to the same.
pub(crate) fn of_another(operator: &str) -> String {
    format!("asked for `{operator}` as well: ")
}

fn refused(case: &RefusedCase, results: Vec<(Level, Result<(), CompileError>)>) -> Verdict {
    let family = &case.about.operator.family;
    for (level, result) in results {
        let at = |text: String| format!("at {}: {text}", family.level_name(level));
        match result {
            Ok(()) => {
                return Verdict::because(Outcome::AcceptedWrongly, accepted_wrongly(case, level));
            }
            Err(CompileError::Rejected { requirement: Some(id), reason }) if !case.is_refused_for(&id) => {
                // No id has the sign that ends one here.
                let id = id.replace('`', "'");
                let text = format!("refused for `{id}` ({reason}), expected {}", case.requirements.join(", "));
                return Verdict::because(Outcome::WrongRequirement, at(text));
            }
            Err(CompileError::Rejected { .. }) => {}
            Err(CompileError::Unsupported { reason }) => return Verdict::because(Outcome::Unsupported, at(reason)),
            Err(CompileError::Fault(fault)) => return Verdict::because(outcome_of(&fault), at(fault.to_string())),
        }
    }
    Verdict::plain(Outcome::Pass)
}

/// What is said of an invalid descriptor that is accepted at a level.
pub(crate) fn accepted_wrongly(case: &RefusedCase, level: Level) -> String {
    let broken = case.violations().into_iter().map(|each| format!("{} [{}]", each.message, each.requirement));
    let broken = broken.collect::<Vec<_>>().join("; ");
    format!("at {}: accepted, although {broken}", case.about.operator.family.level_name(level))
}

impl CaseEvent {
    /// The event of a case with an outcome, as far as the suite alone says what stands in it.
    #[must_use]
    pub fn of(case: &CheckedCase, outcome: Outcome) -> Self {
        let (about, subject) = (case.about(), case.subject());
        let family = &about.operator.family;
        let (first, last) = match case {
            CheckedCase::Valid(case) => (case.level, None),
            CheckedCase::Refused(case) => (case.first, Some(case.last)),
        };
        Self {
            case: about.id.clone(),
            operator: about.operator.id.clone(),
            title: about.title.clone(),
            source: about.source.as_deref().cloned(),
            level: family.level_name(first).to_owned(),
            refused_until: last.map(|last| family.level_name(last).to_owned()),
            authority: about.authority.key().to_owned(),
            gates: about.gates() && !about.large,
            large: about.large,
            strided: about.layout == Layout::Strided,
            data_type: subject.map(|(name, _)| name.to_owned()),
            dimensions: subject.map(|(_, count)| count),
            covers: about.covers.clone(),
            outcome,
            reason: None,
            derived: if outcome.is_bad() { reasons(about) } else { Vec::new() },
            requirements: if outcome.is_bad() { texts(case) } else { Vec::new() },
            given: outcome.is_bad().then(|| Given::of(case, FEW)),
            differences: Vec::new(),
            observed: Vec::new(),
            waiver: None,
        }
    }
}

/// In a failure, tensors of more elements than this are not written out: it has to be found among others.
const FEW: usize = 128;

/// What the requirements say that a case covers or has to be refused for.
fn texts(case: &CheckedCase) -> Vec<(String, String)> {
    let about = case.about();
    let refused: &[String] = match case {
        CheckedCase::Valid(_) => &[],
        CheckedCase::Refused(case) => &case.requirements,
    };
    let ids = about.covers.iter().chain(refused.iter().filter(|id| !about.covers.contains(id)));
    let found = ids.filter_map(|id| about.operator.requirement(id));
    found.map(|requirement| (requirement.id.clone(), requirement.text.clone())).collect()
}

/// Why the derived requirements that a case covers hold: a reader of a failure may want to object.
fn reasons(about: &About) -> Vec<(String, String)> {
    let covered = about.covers.iter().filter_map(|id| about.operator.requirement(id));
    let derived = covered.filter(|requirement| requirement.authority == Authority::Derived);
    derived.filter_map(|requirement| Some((requirement.id.clone(), requirement.reason.clone()?))).collect()
}
