//! Whether an outcome can have come of the case that it is the outcome of, and fits what the event says beside it.

use opcert_backend::{Identity, Role};

use crate::case::Expectation;
use crate::check::{CheckedCase, ValidCase};
use crate::judge::{CaseEvent, Difference, Outcome};
use crate::plan::{Decision, Selection, claimed};

/// Why the outcome of an event cannot be.
pub(super) fn contradictions(
    event: &CaseEvent,
    case: &CheckedCase,
    identity: &Identity,
    selection: &Selection,
) -> Vec<String> {
    let judged = event.waiver.as_ref().map_or(event.outcome, |waiver| waiver.outcome);
    let kind = match case {
        CheckedCase::Valid(case) => of_valid(judged, event, case),
        CheckedCase::Refused(_) => of_refused(judged),
    };
    let found = [waived(event), planned(event, case, identity, selection), kind, explained(judged, event)];
    found.into_iter().flatten().chain(differences(event, case)).collect()
}

/// A waiver stands where something was waived, and nowhere else.
fn waived(event: &CaseEvent) -> Option<String> {
    let reason = match (event.outcome, &event.waiver) {
        (Outcome::ExpectedFailure | Outcome::UnexpectedPass, None) => "there is no waiver",
        (Outcome::ExpectedFailure, Some(waiver)) if !waiver.outcome.is_bad() => "what is waived is no failure",
        (Outcome::UnexpectedPass, Some(waiver)) if waiver.outcome != Outcome::Pass => "what is waived is no pass",
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
    let fits = event.outcome == outcome && event.reason.as_deref() == Some(&reason);
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

fn of_refused(judged: Outcome) -> Option<String> {
    let reason = match judged {
        Outcome::Observed => "its descriptor is invalid, and it is not merely observed",
        Outcome::RefusedWrongly => "its descriptor is invalid, and rightly refused",
        Outcome::Fail | Outcome::Nondeterministic => "its descriptor is invalid, and no data runs through it",
        _ => return None,
    };
    Some(reason.to_owned())
}

/// What an outcome says of itself: nothing where all is well, and otherwise why not.
fn explained(judged: Outcome, event: &CaseEvent) -> Option<String> {
    let differs = !event.differences.is_empty();
    let reason = match judged {
        Outcome::Fail if !differs && event.reason.is_none() => "neither a difference nor a reason is given",
        Outcome::Fail | Outcome::Nondeterministic => return None,
        _ if differs => "differences are given",
        Outcome::Pass if event.waiver.is_none() && event.reason.is_some() => {
            "a reason is given for what is as expected"
        }
        Outcome::Pass | Outcome::Observed => return None,
        _ if event.reason.is_none() => "no reason is given",
        _ => return None,
    };
    Some(reason.to_owned())
}

/// What a difference says has to be possible.
fn differences(event: &CaseEvent, case: &CheckedCase) -> Vec<String> {
    let CheckedCase::Valid(case) = case else { return Vec::new() };
    let outputs: Vec<&str> = {
        let outputs = case.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
        outputs.map(|entry| entry.name.as_str()).collect()
    };
    let impossible = |difference: &&Difference| {
        let Difference { tensor, differing, defined, unwritten, first, .. } = difference;
        let counted = if first.is_some() { *differing } else { *defined };
        !outputs.contains(&tensor.as_str())
            || differing > defined
            || *unwritten > counted
            || first.is_some() && *differing == 0
    };
    let found = event.differences.iter().filter(impossible);
    let mut reasons: Vec<String> =
        found.map(|difference| format!("what is said of `{}` cannot be", difference.tensor)).collect();
    if !event.observed.is_empty() && event.outcome != Outcome::Observed {
        reasons.push("an answer is recorded".to_owned());
    }
    reasons
}
