//! Compares the outputs of each dispatch with what is expected, element by element, bit by bit.
//!
//! Every bundled operator selects values or counts; none computes. So there is no tolerance here, and a NaN equals
//! only the NaN with its bits.

use opcert_backend::{NamedTensor, Role};

use super::basis::Basis;
use super::dispatched_output::{DispatchedOutput, Other};
use super::invariant::{broken_invariant, defined_elements};
use super::{Difference, NOTHING_CAME_BACK, Observation, Outcome, Rendering, Verdict, is_compared, of_another};
use crate::case::{Digest, Elements, ExpectedTensor};
use crate::check::ValidCase;
use crate::element;
use crate::layout::gather;
use crate::render;
use crate::run::OutputMemory;
use crate::spec::Authority;

/// What is said where one of two dispatches differs from what is expected.
pub(crate) const TWO_DISPATCHES: [&str; 2] = [
    "the first of two dispatches differs from what is expected, the second does not",
    "the second of two dispatches differs from what is expected, the first does not",
];

/// Judges the memory of a case's outputs after each dispatch, beside that of other operators' outputs.
pub(super) fn outputs(case: &ValidCase, memory: &[&OutputMemory], beside: &[(&str, &OutputMemory)]) -> Verdict {
    let answers = match answers(case, memory) {
        Ok(answers) => answers,
        Err(reason) => return Verdict::because(Outcome::Error, reason),
    };
    let basis = Basis::of(case);
    if is_compared(case) {
        return compare(&answers, &basis.expected);
    }
    let mut others = Vec::new();
    for (operator, memory) in beside {
        match self::answers(case, &[*memory]) {
            Ok(answers) => others.push((*operator, answers)),
            Err(reason) => return Verdict::because(Outcome::Error, format!("{}{reason}", of_another(operator))),
        }
    }
    observe(case, &answers, &others, &basis)
}

/// Each output after each dispatch.
fn answers<'a>(case: &'a ValidCase, memory: &[&'a OutputMemory]) -> Result<Vec<DispatchedOutput<'a>>, String> {
    let entries = case.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
    let answer = |(index, entry): (usize, &'a NamedTensor)| {
        let after: Vec<&Vec<u8>> = memory.iter().filter_map(|memory| memory.get(index)).collect();
        if after.is_empty() || after.len() < memory.len() {
            return Err(format!("{NOTHING_CAME_BACK}for `{}`", entry.name));
        }
        Ok(DispatchedOutput { entry, elements: after.iter().map(|memory| gather(&entry.tensor, memory)).collect() })
    };
    entries.enumerate().map(answer).collect()
}

/// What keeps outputs from being compared: each has an expectation of its size, and none of these is about something
/// else. Without that, what is not expected would pass.
fn mismatch(answers: &[DispatchedOutput<'_>], expected: &[(String, ExpectedTensor)]) -> Option<String> {
    if answers.is_empty() {
        return Some("there is no output, and nothing to compare".to_owned());
    }
    let stray = expected.iter().find(|(name, _)| answers.iter().all(|answer| answer.entry.name != *name));
    if let Some((name, _)) = stray {
        return Some(format!("`{name}` is expected, and is no output"));
    }
    answers.iter().find_map(|answer| {
        let name = &answer.entry.name;
        let Some((_, expected)) = expected.iter().find(|(expected, _)| expected == name) else {
            return Some(format!("nothing is expected of `{name}`"));
        };
        let ExpectedTensor::Elements(expected) = expected else { return None };
        let wanted = expected.bytes.len() / answer.width();
        let count = (0..answer.elements.len()).map(|at| answer.elements[at].len() / answer.width());
        let other = count.into_iter().find(|&count| count != wanted)?;
        Some(format!("`{name}` has {other} elements, and {wanted} are expected"))
    })
}

fn compare(answers: &[DispatchedOutput<'_>], expected: &[(String, ExpectedTensor)]) -> Verdict {
    if let Some(reason) = mismatch(answers, expected) {
        return Verdict::because(Outcome::Error, reason);
    }
    determined(answers, expected)
}

/// Compares those of the outputs of which something is expected.
fn determined(answers: &[DispatchedOutput<'_>], expected: &[(String, ExpectedTensor)]) -> Verdict {
    let differences_of = |dispatch: usize| -> Vec<Difference> {
        let find = |name: &str| answers.iter().find(|answer| answer.entry.name == name);
        let pairs = expected.iter().filter_map(|(name, expected)| Some((find(name)?, expected)));
        pairs.filter_map(|(answer, expected)| difference(answer, expected, dispatch)).collect()
    };
    let first = differences_of(0);
    if answers.iter().all(|answer| answer.elements.len() == 1) {
        let outcome = if first.is_empty() { Outcome::Pass } else { Outcome::Fail };
        return Verdict { differences: first, ..Verdict::plain(outcome) };
    }
    let second = differences_of(1);
    let verdict = |outcome, reason: Option<String>, differences| Verdict {
        reason: reason.map(Into::into),
        differences,
        ..Verdict::plain(outcome)
    };
    match (first.is_empty(), second.is_empty()) {
        (true, true) => Verdict::plain(Outcome::Pass),
        (false, true) => {
            let [reason, _] = TWO_DISPATCHES;
            verdict(Outcome::Nondeterministic, Some(reason.to_owned()), first)
        }
        (true, false) => {
            let [_, reason] = TWO_DISPATCHES;
            verdict(Outcome::Nondeterministic, Some(reason.to_owned()), second)
        }
        (false, false) => verdict(Outcome::Fail, None, first),
    }
}

fn difference(answer: &DispatchedOutput<'_>, expected: &ExpectedTensor, dispatch: usize) -> Option<Difference> {
    let expected = match expected {
        ExpectedTensor::Elements(expected) => expected,
        ExpectedTensor::Digest(expected) => {
            let elements = &answer.elements[dispatch];
            if expected.fits(elements, answer.entry.tensor.data_type) {
                return None;
            }
            let defined = expected.defined.unwrap_or(answer.count()).min(answer.count());
            let actual = Digest { defined: expected.defined, ..answer.digest(dispatch, defined, |_| true) };
            return Some(Difference {
                tensor: answer.entry.name.clone(),
                differing: 0,
                defined,
                unwritten: (0..defined).filter(|&index| answer.is_unwritten(index)).count(),
                first: None,
                expected: expected.to_string(),
                actual: actual.to_string(),
                why: None,
                rendering: None,
            });
        }
    };
    difference_in(answer, expected, dispatch)
}

/// How the elements of an output differ from those that are expected, if they do.
pub(super) fn difference_in(answer: &DispatchedOutput<'_>, expected: &Elements, dispatch: usize) -> Option<Difference> {
    let width = answer.width();
    let wanted = |index: usize| &expected.bytes[index * width..(index + 1) * width];
    let elements = &answer.elements[dispatch];
    if **elements == *expected.bytes {
        return None;
    }
    let defined = (0..answer.count()).filter(|&index| expected.is_defined(index));
    let mut differing = differing_places(elements, &expected.bytes[..elements.len()], width);
    differing.retain(|&index| expected.is_defined(index));
    let &first = differing.first()?;
    let data_type = answer.entry.tensor.data_type;
    Some(Difference {
        tensor: answer.entry.name.clone(),
        differing: differing.len(),
        defined: defined.count(),
        unwritten: differing.iter().filter(|&&index| answer.is_unwritten(index)).count(),
        first: Some(answer.coordinates(first)),
        expected: element::render(wanted(first), data_type),
        actual: if answer.is_unwritten(first) {
            render::UNWRITTEN.to_owned()
        } else {
            element::render(answer.element(dispatch, first), data_type)
        },
        why: None,
        rendering: rendering(answer, expected, dispatch),
    })
}

/// The elements of so many bytes that differ.
fn differing_places(found: &[u8], wanted: &[u8], width: usize) -> Vec<usize> {
    fn places<const WIDTH: usize>(found: &[u8], wanted: &[u8]) -> Vec<usize> {
        let pairs = std::iter::zip(found.as_chunks::<WIDTH>().0, wanted.as_chunks::<WIDTH>().0).enumerate();
        pairs.filter(|(_, (found, wanted))| found != wanted).map(|(index, _)| index).collect()
    }
    // Each width has a comparison of its own.
    match width {
        1 => places::<1>(found, wanted),
        2 => places::<2>(found, wanted),
        4 => places::<4>(found, wanted),
        _ => places::<8>(found, wanted),
    }
}

fn rendering(answer: &DispatchedOutput<'_>, expected: &Elements, dispatch: usize) -> Option<Rendering> {
    let undefined = |index| (!expected.is_defined(index)).then_some(render::UNDEFINED);
    let unwritten = |index| answer.is_unwritten(index).then_some(render::UNWRITTEN);
    let tensor = &answer.entry.tensor;
    (answer.count() <= render::LARGEST_SHOWN).then(|| Rendering {
        expected: render::tensor(&expected.bytes, tensor.data_type, &tensor.sizes, undefined),
        actual: answer.render(dispatch, |index| undefined(index).or_else(|| unwritten(index))),
    })
}

/// Records what came out. What is determined beside what is open can fail, and what holds whatever the answer; nothing can where
/// the behaviour is undefined.
pub(super) fn observe(
    case: &ValidCase,
    answers: &[DispatchedOutput<'_>],
    beside: &[Other<'_>],
    basis: &Basis<'_>,
) -> Verdict {
    let determined = determined(answers, &basis.expected);
    if determined.outcome.is_bad() {
        return determined;
    }
    let undefined = case.about.authority == Authority::Undefined;
    let mut reason = None;
    let is_defined = |answer: &DispatchedOutput<'_>, index: usize| !basis.is_undefined(&answer.entry.name, index);
    for answer in answers {
        let defined = defined_elements(case, answer.entry, answers);
        let changed = |&index: &usize| {
            answer.differs_between_dispatches(index) && !answer.is_unwritten(index) && is_defined(answer, index)
        };
        if let Some(index) = (0..defined).find(changed) {
            let place = answer.coordinates(index);
            let difference = format!("`{}` at {place:?} differs between two dispatches", answer.entry.name);
            if !undefined {
                return Verdict::because(Outcome::Nondeterministic, difference);
            }
            reason.get_or_insert(difference);
        }
    }
    for (id, invariants) in &case.invariants {
        if invariants.is_empty() {
            return Verdict::because(Outcome::Error, format!("`{id}` has no invariant that could be looked at"));
        }
        if let Some(broken) = invariants.iter().find_map(|each| broken_invariant(each, case, answers, beside, basis)) {
            let broken = format!("{broken} [{id}]");
            if !undefined {
                return Verdict::because(Outcome::Fail, broken);
            }
            reason.get_or_insert(broken);
        }
    }
    let value = |answer: &DispatchedOutput<'_>, answers: &[DispatchedOutput<'_>]| {
        let defined = defined_elements(case, answer.entry, answers);
        let is_behind = |index| index >= defined && !basis.determines(&answer.entry.name, index);
        let is_unknown = |index| is_behind(index) || answer.is_unwritten(index) || !is_defined(answer, index);
        let is_small = answer.count() <= render::LARGEST_SHOWN;
        if is_small {
            answer.render(0, |index| is_unknown(index).then_some(render::UNDEFINED))
        } else {
            answer.digest(0, defined, |index| is_defined(answer, index)).to_string()
        }
    };
    let own = answers.iter().map(|answer| (answer.entry.name.clone(), value(answer, answers)));
    let of_others = beside.iter().flat_map(|(operator, answers)| {
        answers.iter().map(|answer| (Observation::beside(operator, &answer.entry.name), value(answer, answers)))
    });
    let observed = own.chain(of_others).map(|(tensor, value)| Observation { tensor, value }).collect();
    Verdict { observed, reason: reason.map(Into::into), ..Verdict::plain(Outcome::Observed) }
}
