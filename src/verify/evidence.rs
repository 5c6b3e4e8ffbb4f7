//! Whether an outcome can have come of the case that it is the outcome of, and fits what the event says beside it.

use opcert_backend::{Fault, ForeignText, Identity};

use crate::case::Expectation;
use crate::check::{CheckedCase, RefusedCase, ValidCase};
use crate::expectations::is_link;
use crate::judge::{
    CaseEvent, Outcome, TWO_DISPATCHES, Waiver, accepted_wrongly, can_be_broken, contradicts_answers,
    contradicts_difference, left_and_expected, names_an_element,
};
use crate::plan::{Decision, Selection, asked, claimed, dispatched_between};
use crate::spec::{Authority, Level};

/// Why the outcome of an event cannot be.
pub(super) fn contradictions(
    event: &CaseEvent,
    case: &CheckedCase,
    identity: &Identity,
    selection: &Selection,
) -> Vec<String> {
    let judged = event.waiver.as_ref().map_or(event.outcome, |waiver| waiver.outcome);
    let asked = asked(case, identity, selection);
    let kind = match case {
        CheckedCase::Valid(case) => of_valid(judged, event, case),
        CheckedCase::Refused(case) => of_refused(judged, event, case, &asked),
    };
    let said = explained(judged, event, case, (&asked, selection));
    let found = [waived(event), planned(event, case, identity, selection), kind, said];
    let evidence = match case {
        CheckedCase::Valid(case) => of_outputs(judged, event, case, &asked),
        CheckedCase::Refused(_) if event.observed.is_empty() => Vec::new(),
        CheckedCase::Refused(_) => vec!["an answer is recorded".to_owned()],
    };
    found.into_iter().flatten().chain(evidence).collect()
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
    let compared = matches!(case.expectation, Expectation::Values(_)) && gates;
    let open = observed || matches!(case.expectation, Expectation::Values(_)) && !gates;
    let reason = match judged {
        Outcome::Pass if open => "the documents leave it open, and nothing can be passed",
        Outcome::Observed if gates && !observed => "a verdict depends on it, and it is not merely observed",
        Outcome::AcceptedWrongly | Outcome::WrongRequirement => "its descriptor is valid",
        Outcome::RefusedWrongly if observed => "the documents leave it open, and a refusal is an answer",
        Outcome::Fail | Outcome::Nondeterministic if !case.is_dispatched() => "no data runs through it",
        _ if !event.differences.is_empty() && !compared => "nothing is compared in it, and differences are given",
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

/// Whether a reason can be that of a fault, where an outcome is one that has words of its own.
fn tells_of(judged: Outcome, reason: &str, case: &CheckedCase, (asked, selection): (&[Level], &Selection)) -> bool {
    let fault: fn(String) -> Fault = match judged {
        Outcome::OutOfMemory => Fault::OutOfMemory,
        Outcome::DeviceLost => Fault::DeviceLost,
        Outcome::Crash => Fault::Crashed,
        Outcome::Hang => Fault::Hung,
        Outcome::ProtocolError => Fault::Protocol,
        Outcome::GuardViolation => Fault::GuardViolated,
        _ => return true,
    };
    let begins = |said: &str| said.starts_with(&fault(String::new()).to_string());
    if reason.strip_prefix("asked whether it supports this: ").is_some_and(begins) {
        return true;
    }
    match case {
        CheckedCase::Valid(case) if !case.is_dispatched() => begins(reason),
        CheckedCase::Valid(case) => {
            let levels = dispatched_at(case, asked);
            let said = without_level(Some(reason), case, &levels).unwrap_or_default();
            let second = said.strip_prefix("in the second dispatch: ").filter(|_| !case.about.large);
            // Of what was carried elsewhere a second answer may be none at all, and tells of nothing else.
            let second = second.filter(|_| !selection.once || judged == Outcome::ProtocolError);
            begins(second.unwrap_or(said))
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
    let ends = [asked.first().copied(), asked.last().copied()];
    ends.into_iter().flatten().chain(dispatched_between(case, asked)).collect()
}

/// What is said of outputs has to follow from what is written out of them, and that from the case.
fn of_outputs(judged: Outcome, event: &CaseEvent, case: &ValidCase, asked: &[Level]) -> Vec<String> {
    let mut reasons = Vec::new();
    let mut before = None;
    for difference in &event.differences {
        let tensor = &difference.tensor;
        if let Some(reason) = contradicts_difference(case, difference) {
            reasons.push(format!("what is said of `{tensor}` cannot be: {reason}"));
        }
        let place = case.descriptor.tensors.iter().position(|entry| entry.name == *tensor);
        if before.is_some() && place <= before {
            reasons.push(format!("what is said of `{tensor}` does not stand where it belongs"));
        }
        before = place;
    }
    reasons.extend(compared(judged, event, case, asked));
    if !event.observed.is_empty() && event.outcome != Outcome::Observed {
        reasons.push("an answer is recorded".to_owned());
    } else if judged == Outcome::Observed {
        reasons.extend(observed(event, case, asked));
    }
    reasons
}

/// What a comparison, or the lack of one, says of itself.
fn compared(judged: Outcome, event: &CaseEvent, case: &ValidCase, asked: &[Level]) -> Option<String> {
    let compares = matches!(case.expectation, Expectation::Values(_)) && case.about.gates();
    let differs = !event.differences.is_empty();
    let dispatched = match judged {
        // Between the ends it is dispatched once.
        Outcome::Nondeterministic => [asked.first(), asked.last()].into_iter().flatten().copied().collect(),
        _ => dispatched_at(case, asked),
    };
    let said = without_level(event.reason.as_ref().map(ForeignText::raw), case, &dispatched);
    let reason = match (judged, compares) {
        (Outcome::Fail | Outcome::Nondeterministic, true) if !differs && event.reason.is_some() => {
            "its outputs are compared, and no difference is given"
        }
        (Outcome::Fail, true) if said.is_some() => "its reason is not that of a comparison",
        (Outcome::Nondeterministic, true) if !TWO_DISPATCHES.contains(&said.unwrap_or_default()) => {
            "its reason is not that of two dispatches that differ"
        }
        (Outcome::Nondeterministic, true)
            if event.differences.iter().any(|difference| left_and_expected(case, difference) == Some(false)) =>
        {
            "what was left in both dispatches is expected in neither"
        }
        (Outcome::Fail, false) if !case.invariants.iter().any(|(id, _)| breaks(case, said, id)) => {
            "its reason names nothing that must hold and does not"
        }
        (Outcome::Nondeterministic, false) if !said.is_some_and(|said| names_an_element(case, said)) => {
            "its reason is not that of two dispatches that differ"
        }
        (Outcome::Nondeterministic, _) if case.about.large => "it is dispatched once",
        (Outcome::RefusedWrongly, _) if !is_refusal(event.reason.as_ref().map(ForeignText::raw), case, asked) => {
            "its reason is not that of a refusal"
        }
        _ => return None,
    };
    Some(reason.to_owned())
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

/// A reason without the level that it begins with, where it is one of these and another one than that of the case.
fn without_level<'a>(reason: Option<&'a str>, case: &ValidCase, levels: &[Level]) -> Option<&'a str> {
    let reason = reason?;
    let Some(rest) = reason.strip_prefix("at ") else { return Some(reason) };
    let (level, rest) = rest.split_once(": ").map_or((rest, None), |(level, rest)| (level, Some(rest)));
    let family = &case.about.operator.family;
    if family.level(level).is_some_and(|level| level > case.level && levels.contains(&level)) {
        rest
    } else {
        Some(reason)
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
