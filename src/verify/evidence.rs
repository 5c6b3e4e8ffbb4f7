//! Whether an outcome can have come of the case that it is the outcome of, and fits what the event says beside it.

use opcert_backend::{Fault, ForeignText, Identity};

use crate::case::Expectation;
use crate::check::{CheckedCase, RefusedCase, ValidCase};
use crate::expectations::is_link;
use crate::judge::{
    ASKED_WHETHER_SUPPORTED, Basis, CaseEvent, Dispatched, IN_THE_SECOND, NOTHING_CAME_BACK, Outcome, TWO_DISPATCHES,
    Waiver, accepted_wrongly, can_be_broken, contradicts_answers, contradicts_difference, is_compared,
    left_and_expected, names_an_element, of_another, operators_beside, says_other_sizes,
};
use crate::plan::{Decision, Selection, asked, claimed, dispatched_between};
use crate::spec::{Authority, Level};

/// Why the outcome of an event cannot be.
pub(super) fn contradictions(
    event: &CaseEvent,
    case: &CheckedCase,
    identity: &Identity,
    selection: &Selection,
    guards: bool,
) -> Vec<String> {
    let judged = event.waiver.as_ref().map_or(event.outcome, |waiver| waiver.outcome);
    let asked = asked(case, identity, selection);
    let guardless = (judged == Outcome::GuardViolation && !guards)
        .then(|| "there are no guard zones that could be violated".to_owned());
    let kind = match case {
        CheckedCase::Valid(case) => of_valid(judged, event, case),
        CheckedCase::Refused(case) => of_refused(judged, event, case, &asked),
    };
    let said = explained(judged, event, case, (&asked, selection));
    let others = match case {
        CheckedCase::Valid(case) => of_others(event, case, identity, selection),
        CheckedCase::Refused(_) => None,
    };
    let found = [waived(event), planned(event, case, identity, selection), kind, said, others, guardless];
    let evidence = match case {
        CheckedCase::Valid(case) => of_outputs(judged, event, case, &asked),
        CheckedCase::Refused(_) if event.observed.is_empty() => Vec::new(),
        CheckedCase::Refused(_) => vec!["an answer is recorded".to_owned()],
    };
    found.into_iter().flatten().chain(evidence).collect()
}

/// Another operator was asked for only where the backend claims it, and where something ran that could be asked.
fn of_others(event: &CaseEvent, case: &ValidCase, identity: &Identity, selection: &Selection) -> Option<String> {
    let family = &case.about.operator.family;
    let is_asked = |operator: &str| {
        let claimed = identity.claimed(operator).and_then(|name| family.level(name));
        !selection.once && claimed.is_some_and(|claimed| case.level <= claimed)
    };
    let reason = event.reason.as_ref().map_or("", ForeignText::raw);
    let is_told = |operator: &str| {
        event.observed.iter().any(|each| each.another() == Some(operator))
            || reason.contains(&of_another(operator))
            || reason.contains(&format!(" by `{operator}` ["))
    };
    let operator = operators_beside(case).find(|operator| is_told(operator) && !is_asked(operator))?;
    Some(format!("`{operator}` is said to have been asked for, and was not"))
}

/// A waiver stands where something was waived, and nowhere else.
fn waived(event: &CaseEvent) -> Option<String> {
    let reason = match (event.outcome, &event.waiver) {
        (Outcome::ExpectedFailure | Outcome::UnexpectedPass, None) => "there is no waiver",
        (Outcome::ExpectedFailure, Some(waiver)) if !waiver.outcome.is_bad() => "what is waived is no failure",
        (Outcome::UnexpectedPass, Some(waiver)) if waiver.outcome != Outcome::Pass => "what is waived is no pass",
        (_, Some(Waiver { outcome: Outcome::UnexpectedPass, .. })) => "what is waived cannot be",
        (_, Some(waiver)) if waiver.reason.raw().trim().is_empty() => "the waiver has no reason",
        (_, Some(Waiver { link: Some(link), .. })) if !is_link(link.raw()) => {
            return Some(format!("the waiver's link `{link}` leads to no page"));
        }
        (Outcome::UnexpectedPass, Some(waiver))
            if waiver
                .passed_unexpectedly(event.reason.as_ref().map_or("", ForeignText::raw), &event.case)
                .is_none() =>
        {
            "its reason is not that of the waiver"
        }
        (Outcome::ExpectedFailure | Outcome::UnexpectedPass, Some(_)) | (_, None) => return None,
        (_, Some(_)) => "there is a waiver",
    };
    Some(reason.to_owned())
}

/// What is not claimed does not run, and what is claimed is at least asked for.
fn planned(event: &CaseEvent, case: &CheckedCase, identity: &Identity, selection: &Selection) -> Option<String> {
    let (outcome, reason) = match claimed(case, identity, selection) {
        Err(Decision::NotRun(reason)) => (Outcome::NotRun, reason),
        Err(Decision::Unsupported(reason)) => (Outcome::Unsupported, reason),
        _ if event.outcome == Outcome::NotRun => return Some("the backend claims it".to_owned()),
        _ if event.outcome == Outcome::Missing && !selection.once => {
            return Some("it was carried nowhere, and nothing had to come back".to_owned());
        }
        _ => return None,
    };
    let fits = event.outcome == outcome && event.reason.as_ref().is_some_and(|said| *said == *reason.as_str());
    (!fits).then(|| format!("it did not run: {reason}"))
}

fn of_valid(judged: Outcome, event: &CaseEvent, case: &ValidCase) -> Option<String> {
    let gates = case.about.gates();
    let observed = matches!(case.expectation, Expectation::Observe);
    let compared = is_compared(case);
    let open = observed || matches!(case.expectation, Expectation::Values(_)) && !gates;
    let reason = match judged {
        Outcome::Pass if open => "the documents leave it open, and nothing can be passed",
        Outcome::Observed if gates && !observed => "a verdict depends on it, and it is not merely observed",
        Outcome::AcceptedWrongly | Outcome::WrongRequirement => "its descriptor is valid",
        Outcome::RefusedWrongly if observed => "the documents leave it open, and a refusal is an answer",
        Outcome::Fail | Outcome::Nondeterministic if !case.is_dispatched() => "no data runs through it",
        _ if !event.differences.is_empty() && !compared && Basis::of(case).expected.is_empty() => {
            "nothing is compared in it, and differences are given"
        }
        _ => return None,
    };
    Some(reason.to_owned())
}

fn of_refused(judged: Outcome, event: &CaseEvent, case: &RefusedCase, asked: &[Level]) -> Option<String> {
    let said = event.reason.as_ref().map(ForeignText::raw).unwrap_or_default();
    let reason = match judged {
        Outcome::Observed => "its descriptor is invalid, and it is not merely observed",
        Outcome::RefusedWrongly => "its descriptor is invalid, and rightly refused",
        Outcome::Fail | Outcome::Nondeterministic => "its descriptor is invalid, and no data runs through it",
        Outcome::AcceptedWrongly if !asked.iter().any(|&level| said == accepted_wrongly(case, level)) => {
            "its reason is not what the suite says is wrong with it"
        }
        Outcome::WrongRequirement if !names_another(said, case, asked) => "its reason names no other requirement",
        _ => return None,
    };
    Some(reason.to_owned())
}

/// Whether a reason says that a descriptor was refused for a requirement that it does not break.
fn names_another(said: &str, case: &RefusedCase, asked: &[Level]) -> bool {
    let (level, rest) =
        said.strip_prefix("at ").and_then(|rest| rest.split_once(": refused for `")).unwrap_or_default();
    let named = rest.split_once("` (").map(|(id, _)| id);
    let expected = format!("), expected {}", case.requirements.join(", "));
    case.about.operator.family.level(level).is_some_and(|level| asked.contains(&level))
        // The sign that ends an id is in none.
        && named.is_some_and(|id| !case.is_refused_for(id) && !id.contains('`'))
        && rest.ends_with(&expected)
}

/// What an outcome says of itself: nothing where all is well, and otherwise why not.
fn explained(judged: Outcome, event: &CaseEvent, case: &CheckedCase, asked: (&[Level], &Selection)) -> Option<String> {
    let differs = !event.differences.is_empty();
    let said = event.reason.as_ref().map(ForeignText::raw);
    let reason = match judged {
        Outcome::Fail if !differs && said.is_none() => "neither a difference nor a reason is given",
        Outcome::Fail | Outcome::Nondeterministic => return None,
        _ if differs => "differences are given",
        Outcome::Pass if event.waiver.is_none() && said.is_some() => "a reason is given for what is as expected",
        Outcome::Pass | Outcome::Observed => return None,
        _ if said.is_none() => "no reason is given",
        _ if !said.is_some_and(|said| tells_of(judged, said, case, asked)) => "its reason is that of another outcome",
        _ => return None,
    };
    Some(reason.to_owned())
}

/// Whether a reason can be that of what became of a case, where an outcome has words of its own.
fn tells_of(judged: Outcome, reason: &str, case: &CheckedCase, (asked, selection): (&[Level], &Selection)) -> bool {
    let fault: Option<fn(String) -> Fault> = match judged {
        Outcome::OutOfMemory => Some(Fault::OutOfMemory),
        Outcome::DeviceLost => Some(Fault::DeviceLost),
        Outcome::Crash => Some(Fault::Crashed),
        Outcome::Hang => Some(Fault::Hung),
        Outcome::ProtocolError => Some(Fault::Protocol),
        Outcome::GuardViolation => Some(Fault::GuardViolated),
        // What a backend calls an error is for it to say.
        Outcome::Error => None,
        // What is missing is told by where it should have come from.
        _ => return true,
    };
    let begins = |said: &str| fault.is_none_or(|fault| said.starts_with(&fault(String::new()).to_string()));
    // Of what was carried elsewhere nothing was asked.
    if !selection.once && reason.strip_prefix(ASKED_WHETHER_SUPPORTED).is_some_and(begins) {
        return true;
    }
    if judged == Outcome::Error && reason.starts_with(NOTHING_CAME_BACK) {
        return true;
    }
    match case {
        CheckedCase::Valid(case) if !case.is_dispatched() => begins(reason),
        CheckedCase::Valid(case) => {
            let of_level = Said::of(Some(reason), case, &dispatched_at(case, asked));
            // An answer that breaks the protocol is none of a level.
            let said = match of_level {
                Some(said) => said.words.unwrap_or_default(),
                None if judged == Outcome::ProtocolError => reason,
                None => return false,
            };
            let second = said.strip_prefix(IN_THE_SECOND).filter(|_| !case.about.large);
            // Of what was carried elsewhere a second answer may be none at all, and tells of nothing else.
            let second = second.filter(|_| !selection.once || judged == Outcome::ProtocolError);
            let mut others = operators_beside(case);
            let another = others.find_map(|operator| said.strip_prefix(&of_another(operator)));
            begins(another.or(second).unwrap_or(said))
        }
        CheckedCase::Refused(case) => {
            let said = reason.strip_prefix("at ").and_then(|rest| rest.split_once(": "));
            let level = |name| case.about.operator.family.level(name);
            said.is_some_and(|(name, said)| level(name).is_some_and(|level| asked.contains(&level)) && begins(said))
        }
    }
}

/// The levels at which a case is dispatched.
fn dispatched_at(case: &ValidCase, asked: &[Level]) -> Vec<Level> {
    ends(asked).into_iter().chain(dispatched_between(case, asked)).collect()
}

/// What is said of outputs has to follow from what is written out of them, and that from the case.
fn of_outputs(judged: Outcome, event: &CaseEvent, case: &ValidCase, asked: &[Level]) -> Vec<String> {
    let mut reasons = Vec::new();
    let mut before = None;
    let reason = event.reason.as_ref().map(ForeignText::raw);
    let said = Said::of(reason, case, &dispatched_at(case, asked));
    let dispatched = Dispatched {
        // What comes of the first dispatch is told of both, unless it is as expected.
        second: said.as_ref().and_then(|said| said.words) == Some(TWO_DISPATCHES[1]),
        twice: !case.about.large && said.as_ref().is_some_and(|said| ends(asked).contains(&said.level)),
    };
    for difference in &event.differences {
        let tensor = &difference.tensor;
        if let Some(reason) = contradicts_difference(case, difference, dispatched) {
            reasons.push(format!("what is said of `{tensor}` cannot be: {reason}"));
        }
        let place = case.descriptor.tensors.iter().position(|entry| entry.name == *tensor);
        if before.is_some() && place <= before {
            reasons.push(format!("what is said of `{tensor}` does not stand where it belongs"));
        }
        before = place;
    }
    let compared = match judged {
        Outcome::Fail | Outcome::Nondeterministic => compared(judged, event, case, said.as_ref(), dispatched),
        Outcome::RefusedWrongly if !is_refusal(reason, case, asked) => Some("its reason is not that of a refusal"),
        _ => None,
    };
    reasons.extend(compared.map(str::to_owned));
    if !event.observed.is_empty() && event.outcome != Outcome::Observed {
        reasons.push("an answer is recorded".to_owned());
    } else if judged == Outcome::Observed {
        reasons.extend(observed(event, case, asked));
    }
    reasons
}

/// What a comparison, or the lack of one, says of itself.
fn compared(
    judged: Outcome,
    event: &CaseEvent,
    case: &ValidCase,
    said: Option<&Said<'_>>,
    dispatched: Dispatched,
) -> Option<&'static str> {
    let Some(Said { words, .. }) = said else { return Some("it names no level at which it is dispatched") };
    let differs = !event.differences.is_empty();
    let gates = is_compared(case);
    let second = words.and_then(|words| words.strip_prefix(IN_THE_SECOND)).filter(|_| dispatched.twice);
    let other_sizes = |words: Option<&str>| words.and_then(|words| says_other_sizes(case, words));
    let undefined = case.about.authority == Authority::Undefined;
    match judged {
        // There is nothing that could be compared.
        Outcome::Fail if !differs && [*words, second].into_iter().any(|words| other_sizes(words) == Some(false)) => {
            None
        }
        Outcome::Nondeterministic if !differs && !undefined && other_sizes(second) == Some(true) => None,
        _ if gates && !differs && event.reason.is_some() => {
            Some("its outputs are compared, and no difference is given")
        }
        Outcome::Nondeterministic if !dispatched.twice => Some("it is dispatched once"),
        // Elsewhere outputs may be compared, and fail for more than that.
        Outcome::Fail if gates || differs => words.is_some().then_some("its reason is not that of a comparison"),
        Outcome::Fail => {
            let is_broken = case.invariants.iter().any(|(id, _)| breaks(case, *words, id));
            (!is_broken).then_some("its reason names nothing that must hold and does not")
        }
        _ if gates || differs => {
            let left = |difference| left_and_expected(case, difference) == Some(false);
            if !TWO_DISPATCHES.contains(&words.unwrap_or_default()) {
                Some("its reason is not that of two dispatches that differ")
            } else if event.differences.iter().any(left) {
                Some("what was left in both dispatches is expected in neither")
            } else {
                None
            }
        }
        _ if words.is_some_and(|words| names_an_element(case, words)) => None,
        _ => Some("its reason is not that of two dispatches that differ"),
    }
}

/// Whether a reason says what is odd about an answer: that it is no reason for a failure is only where all is undefined.
fn is_odd(case: &ValidCase, said: &str) -> bool {
    names_an_element(case, said) || case.invariants.iter().any(|(id, _)| breaks(case, Some(said), id))
}

/// Whether a reason says how what must hold is broken.
fn breaks(case: &ValidCase, said: Option<&str>, id: &str) -> bool {
    let words = said.and_then(|said| said.strip_suffix(&format!(" [{id}]")));
    words.is_some_and(|words| can_be_broken(case, id, words))
}

/// The levels at which a case is dispatched twice.
fn ends(asked: &[Level]) -> Vec<Level> {
    [asked.first(), asked.last()].into_iter().flatten().copied().collect()
}

/// A reason, divided.
struct Said<'a> {
    /// The level at which it is so.
    level: Level,
    /// What is said of it.
    words: Option<&'a str>,
}

impl<'a> Said<'a> {
    /// A reason begins with the level where that is another one than the case's; nothing where it is none of these.
    fn of(reason: Option<&'a str>, case: &ValidCase, levels: &[Level]) -> Option<Self> {
        let of_case = || levels.contains(&case.level).then_some(Self { level: case.level, words: reason });
        let Some(rest) = reason.and_then(|reason| reason.strip_prefix("at ")) else { return of_case() };
        let (level, words) = rest.split_once(": ").map_or((rest, None), |(level, rest)| (level, Some(rest)));
        let other = case.about.operator.family.level(level);
        match other.filter(|&level| level > case.level && levels.contains(&level)) {
            Some(level) => Some(Self { level, words }),
            None => of_case(),
        }
    }
}

/// Whether a reason says that a valid descriptor was refused at a level at which it was asked for.
fn is_refusal(reason: Option<&str>, case: &ValidCase, asked: &[Level]) -> bool {
    let level = reason.and_then(|reason| reason.strip_prefix("refused at ")).and_then(|rest| rest.split_once(": "));
    let level = level.and_then(|(level, _)| case.about.operator.family.level(level));
    level.is_some_and(|level| asked.contains(&level))
}

/// An observed case has an answer: its outputs, or what became of it instead.
fn observed(event: &CaseEvent, case: &ValidCase, asked: &[Level]) -> Option<String> {
    let undefined = case.about.authority == Authority::Undefined;
    let said = event.reason.as_ref().map(ForeignText::raw);
    let reason = match (event.observed.as_slice(), case.is_dispatched()) {
        ([], true) if said.and_then(|said| says_other_sizes(case, said)) == Some(true) => return None,
        ([], true) if !undefined && !is_refusal(said, case, asked) => "no answer is recorded",
        ([], false) if !undefined && said != Some("accepted") && !is_refusal(said, case, asked) => {
            "no answer is recorded"
        }
        // What is dispatched is not merely accepted, whatever else may become of it.
        ([], true) if said == Some("accepted") => "no answer is recorded",
        ([], _) if said.is_none() => "no answer is recorded",
        ([], _) => return None,
        (_, false) => "no data runs through it, and an answer is recorded",
        (_, true) if said.is_some_and(|said| !undefined || !is_odd(case, said)) => {
            "there is an answer, and a reason for none"
        }
        (answers, true) => {
            return contradicts_answers(case, answers).map(|reason| format!("what is answered cannot be: {reason}"));
        }
    };
    Some(reason.to_owned())
}
