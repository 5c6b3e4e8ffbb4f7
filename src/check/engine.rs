//! Evaluates the checks of an operator in the order of their needs.

use opcert_backend::Descriptor;

use crate::definition::Definition;
use crate::kind::{Finding, Subject};
use crate::spec::{Check, Level, Operator, Requirement};

/// A requirement that a descriptor breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The requirement's full id.
    pub requirement: String,
    /// Whether the documents stand behind the requirement, so that the descriptor is invalid.
    pub gates: bool,
    /// The values that break it.
    pub message: String,
    /// The part of the case: `["tensors", "OutputTensor", "sizes", "2"]`.
    pub part: Vec<String>,
}

/// Every requirement that the descriptor breaks at a level.
///
/// An operator that does not exist at the level breaks nothing else. A requirement whose needs do not hold, or were
/// themselves not looked at, is not looked at.
#[must_use]
pub fn violations(operator: &Operator, descriptor: &Descriptor, level: Level) -> Vec<Violation> {
    violations_of(&Subject::new(operator, descriptor, level))
}

/// The same where another definition says which sizes there are.
pub(crate) fn violations_by(
    definition: &Definition,
    operator: &Operator,
    descriptor: &Descriptor,
    level: Level,
) -> Vec<Violation> {
    violations_of(&Subject { definition, ..Subject::new(operator, descriptor, level) })
}

fn violations_of(subject: &Subject<'_>) -> Vec<Violation> {
    let operator = subject.operator;
    let requirements: Vec<&Requirement> = operator.all_requirements().collect();
    let mut states = vec![State::Open; requirements.len()];
    let mut found = Vec::new();
    let absent = requirements.iter().position(|each| matches!(each.check, Some(Check::Introduced)));
    if let Some(index) = absent
        && evaluate(index, &requirements, subject, &mut states, &mut found) == State::Broken
    {
        return found;
    }
    for index in 0..requirements.len() {
        evaluate(index, &requirements, subject, &mut states, &mut found);
    }
    found
}

/// Whether a check holds for the descriptor at a level.
#[must_use]
pub fn holds(check: &Check, operator: &Operator, descriptor: &Descriptor, level: Level) -> bool {
    findings(check, &Subject::new(operator, descriptor, level)).is_empty()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// Being looked at, or not looked at because of its needs.
    Skipped,
    Holds,
    Broken,
}

fn evaluate(
    index: usize,
    requirements: &[&Requirement],
    subject: &Subject<'_>,
    states: &mut [State],
    found: &mut Vec<Violation>,
) -> State {
    if states[index] != State::Open {
        return states[index];
    }
    let requirement = requirements[index];
    states[index] = State::Skipped;
    let ready = requirement.needs.iter().all(|need| {
        let needed = requirements.iter().position(|each| each.id == *need);
        needed.is_none_or(|needed| evaluate(needed, requirements, subject, states, found) == State::Holds)
    });
    let Some(check) = requirement.check.as_ref().filter(|_| ready && requirement.holds_at(subject.level)) else {
        if ready {
            states[index] = State::Holds;
        }
        return states[index];
    };
    let findings = findings(check, subject);
    states[index] = if findings.is_empty() { State::Holds } else { State::Broken };
    found.extend(findings.into_iter().map(|finding| Violation {
        requirement: requirement.id.clone(),
        gates: requirement.gates(),
        message: finding.message,
        part: finding.part,
    }));
    states[index]
}

fn findings(check: &Check, subject: &Subject<'_>) -> Vec<Finding> {
    check.kind().findings(subject).unwrap_or_default()
}
