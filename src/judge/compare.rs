//! Compares the outputs of two dispatches with what is expected, element by element, bit by bit.
//!
//! Every bundled operator selects values or counts; none computes. So there is no tolerance here, and a NaN equals
//! only the NaN with its bits.

use opcert_backend::Role;

use super::answer::Answer;
use super::invariant::broken_invariant;
use super::{Difference, Observation, Outcome, Rendering, Verdict};
use crate::case::{Elements, Expectation, ExpectedTensor};
use crate::check::ValidCase;
use crate::element;
use crate::layout::gather;
use crate::render;
use crate::run::OutputMemory;

/// Judges the memory of a case's outputs after the first and the second dispatch.
pub(super) fn outputs(case: &ValidCase, memory: [&OutputMemory; 2]) -> Verdict {
    let entries = case.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
    let mut answers = Vec::new();
    for (index, entry) in entries.enumerate() {
        let (Some(first), Some(second)) = (memory[0].get(index), memory[1].get(index)) else {
            return Verdict::because(Outcome::Error, format!("nothing came back for `{}`", entry.name));
        };
        answers.push(Answer { entry, elements: [first, second].map(|memory| gather(&entry.tensor, memory)) });
    }
    match &case.expectation {
        // Values of a case that rests on an open question are one answer among others.
        Expectation::Values(expected) if case.about.gates() => compare(&answers, expected),
        _ => observe(case, &answers),
    }
}

fn compare(answers: &[Answer<'_>], expected: &[(String, ExpectedTensor)]) -> Verdict {
    let differences_of = |dispatch: usize| -> Vec<Difference> {
        let find = |name: &str| answers.iter().find(|answer| answer.entry.name == name);
        let pairs = expected.iter().filter_map(|(name, expected)| Some((find(name)?, expected)));
        pairs.filter_map(|(answer, expected)| difference(answer, expected, dispatch)).collect()
    };
    let (first, second) = (differences_of(0), differences_of(1));
    let verdict =
        |outcome, reason: Option<String>, differences| Verdict { reason, differences, ..Verdict::plain(outcome) };
    match (first.is_empty(), second.is_empty()) {
        (true, true) => Verdict::plain(Outcome::Pass),
        (false, true) => {
            let reason = "the first of two dispatches differs from what is expected, the second does not";
            verdict(Outcome::Nondeterministic, Some(reason.to_owned()), first)
        }
        (true, false) => {
            let reason = "the second of two dispatches differs from what is expected, the first does not";
            verdict(Outcome::Nondeterministic, Some(reason.to_owned()), second)
        }
        (false, false) => verdict(Outcome::Fail, None, first),
    }
}

fn difference(answer: &Answer<'_>, expected: &ExpectedTensor, dispatch: usize) -> Option<Difference> {
    let name = answer.entry.name.clone();
    let expected = match expected {
        ExpectedTensor::Elements(expected) => expected,
        ExpectedTensor::Digest(expected) => {
            let actual = blake3::hash(&answer.elements[dispatch]).to_hex().to_string();
            let (differing, unwritten) = (0, (0..answer.count()).filter(|&index| answer.is_unwritten(index)).count());
            let (expected, defined) = (expected.clone(), answer.count());
            let difference = Difference {
                tensor: name,
                differing,
                defined,
                unwritten,
                first: None,
                expected,
                actual,
                rendering: None,
            };
            return (difference.expected != difference.actual).then_some(difference);
        }
    };
    let width = answer.width();
    let wanted = |index: usize| &expected.bytes[index * width..(index + 1) * width];
    let defined = (0..answer.count()).filter(|&index| expected.is_defined(index));
    let differing: Vec<usize> =
        defined.clone().filter(|&index| answer.element(dispatch, index) != wanted(index)).collect();
    let &first = differing.first()?;
    let data_type = answer.entry.tensor.data_type;
    Some(Difference {
        tensor: name,
        differing: differing.len(),
        defined: defined.count(),
        unwritten: differing.iter().filter(|&&index| answer.is_unwritten(index)).count(),
        first: Some(answer.coordinates(first)),
        expected: element::render(wanted(first), data_type),
        actual: element::render(answer.element(dispatch, first), data_type),
        rendering: rendering(answer, expected, dispatch),
    })
}

fn rendering(answer: &Answer<'_>, expected: &Elements, dispatch: usize) -> Option<Rendering> {
    let hidden = |index| !expected.is_defined(index);
    let tensor = &answer.entry.tensor;
    (answer.count() <= render::LARGEST_SHOWN).then(|| Rendering {
        expected: render::tensor(&expected.bytes, tensor.data_type, &tensor.sizes, hidden),
        actual: answer.render(dispatch, hidden),
    })
}

/// Records what came out; only what holds whatever the answer can fail.
fn observe(case: &ValidCase, answers: &[Answer<'_>]) -> Verdict {
    for answer in answers {
        let changed = |&index: &usize| answer.differs_between_dispatches(index) && !answer.is_unwritten(index);
        if let Some(index) = (0..answer.count()).find(changed) {
            let place = answer.coordinates(index);
            let reason = format!("`{}` at {place:?} differs between two dispatches", answer.entry.name);
            return Verdict::because(Outcome::Nondeterministic, reason);
        }
    }
    for (id, invariants) in &case.invariants {
        if let Some(reason) = invariants.iter().find_map(|each| broken_invariant(each, case, answers)) {
            return Verdict::because(Outcome::Fail, format!("{reason} [{id}]"));
        }
    }
    let observed = answers
        .iter()
        .map(|answer| Observation {
            tensor: answer.entry.name.clone(),
            value: if answer.count() <= render::LARGEST_SHOWN {
                answer.render(0, |index| answer.is_unwritten(index))
            } else {
                format!("blake3 {}", blake3::hash(&answer.elements[0]).to_hex())
            },
        })
        .collect();
    Verdict { observed, ..Verdict::plain(Outcome::Observed) }
}
