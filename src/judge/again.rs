//! What an event says of outputs, judged once more: the elements that it writes out become an answer again, and what
//! comes of that has to be what the event says.

use std::borrow::Cow;

use opcert_backend::{DataType, NamedTensor, Role};

use super::basis::Basis;
use super::dispatched_output::{DispatchedOutput, Other, count};
use super::invariant::{broken_invariant, defined_elements};
use super::{Difference, Observation, Outcome, compare, why};
use crate::case::{Digest, Elements, ExpectedTensor};
use crate::check::ValidCase;
use crate::element;
use crate::render;
use crate::run::POISONS;
use crate::spec::check::{CountAtMostElements, EqualsOperator, IndexBelowReducedCount, RowsAreCoordinates};
use crate::spec::{Authority, Invariant};

/// The dispatches that a difference is said to have come of.
#[derive(Clone, Copy)]
pub(crate) struct Dispatched {
    /// Whether it is the second one that differs.
    pub second: bool,
    /// Whether there was a second one.
    pub twice: bool,
}

/// Why a difference cannot be what came of comparing an output with what the case expects.
pub(crate) fn contradicts_difference(case: &ValidCase, stated: &Difference, dispatched: Dispatched) -> Option<String> {
    let Some(entry) = output(case, &stated.tensor) else { return Some("there is no such output".to_owned()) };
    let basis = Basis::of(case);
    let Some((_, expected)) = basis.expected.iter().find(|(name, _)| *name == stated.tensor) else {
        return Some("nothing is expected of it".to_owned());
    };
    if stated.actual == stated.expected {
        return Some("what was found is what is expected".to_owned());
    }
    if !dispatched.twice && (stated.unwritten > 0 || stated.actual == render::UNWRITTEN) {
        return Some("after one dispatch nobody can tell what was left".to_owned());
    }
    let wrong = match expected {
        ExpectedTensor::Digest(expected) => digest(entry, expected, stated, dispatched),
        ExpectedTensor::Elements(expected) => elements(entry, expected, stated, dispatched),
    };
    let reason = || (stated.why != why(case, stated)).then(|| "that is not why it is expected".to_owned());
    wrong.or_else(reason)
}

fn output<'a>(case: &'a ValidCase, name: &str) -> Option<&'a NamedTensor> {
    case.descriptor.tensors.iter().find(|entry| entry.role == Role::Output && entry.name == name)
}

/// A difference of a digest: it has no place, and nothing is written out.
fn digest(entry: &NamedTensor, expected: &Digest, stated: &Difference, dispatched: Dispatched) -> Option<String> {
    let defined = expected.defined.unwrap_or(usize::MAX).min(count(entry));
    let reason = if stated.expected != expected.to_string() {
        format!("{expected} is expected")
    } else if parse_digest(&stated.actual).is_none_or(|digest| digest.defined != expected.defined) {
        format!("`{}` is no digest of it", stated.actual)
    } else if stated.defined != defined {
        format!("{defined} of its elements are defined")
    } else if stated.differing != 0 || stated.first.is_some() || stated.rendering.is_some() {
        "a digest does not say where it differs".to_owned()
    } else if stated.unwritten > defined {
        "more elements were left than there are".to_owned()
    } else if stated.unwritten == defined
        && count(entry) <= MOST_MADE
        && stated.actual != left(entry, expected, dispatched)
    {
        "if nothing was written, its digest would be that of what was there before".to_owned()
    } else {
        return None;
    };
    Some(reason)
}

/// The digest of an output that was left as it was, as it is written out.
fn left(entry: &NamedTensor, expected: &Digest, dispatched: Dispatched) -> String {
    let bytes = vec![POISONS[usize::from(dispatched.second)]; count(entry) * entry.tensor.data_type.bytes()];
    let answer = DispatchedOutput { entry, elements: vec![Cow::Owned(bytes)] };
    let defined = expected.defined.unwrap_or(usize::MAX).min(count(entry));
    Digest { defined: expected.defined, ..answer.digest(0, defined, |_| true) }.to_string()
}

/// A digest as it is written out.
fn parse_digest(text: &str) -> Option<Digest> {
    let (blake3, rest) = text.strip_prefix("blake3 ")?.split_at_checked(64)?;
    let is_hex = blake3.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let defined = rest.strip_prefix(" of the first ").and_then(|rest| rest.strip_suffix(" elements")?.parse().ok());
    let digest = Digest { blake3: blake3.to_owned(), defined };
    (is_hex && digest.to_string() == text).then_some(digest)
}

fn elements(entry: &NamedTensor, expected: &Elements, stated: &Difference, dispatched: Dispatched) -> Option<String> {
    let (data_type, sizes, count) = (entry.tensor.data_type, &entry.tensor.sizes, count(entry));
    let defined = (0..count).filter(|&index| expected.is_defined(index)).count();
    let Some(first) = stated.first.as_deref().and_then(|place| index_of(place, sizes)) else {
        return Some(format!("the first place that differs is none in a tensor of sizes {sizes:?}"));
    };
    let wanted = element::render(&expected.bytes[first * data_type.bytes()..], data_type);
    let rest = (first..count).filter(|&index| expected.is_defined(index)).count();
    let unwritten = stated.actual == render::UNWRITTEN;
    let reason = if !expected.is_defined(first) {
        "what is undefined there cannot differ".to_owned()
    } else if stated.expected != wanted {
        format!("{wanted} is expected there")
    } else if !unwritten && parse_rendered(&stated.actual, data_type).is_none() {
        format!("`{}` is no {data_type}", stated.actual)
    } else if stated.defined != defined {
        format!("{defined} of its elements are defined")
    } else if !(1..=rest).contains(&stated.differing) {
        format!("{} elements cannot differ from there on", stated.differing)
    } else if stated.unwritten > stated.differing - usize::from(!unwritten) || unwritten && stated.unwritten == 0 {
        format!("{} elements cannot have been left", stated.unwritten)
    } else if stated.rendering.is_some() != (count <= render::LARGEST_SHOWN) {
        format!("tensors of up to {} elements are written out, and no others", render::LARGEST_SHOWN)
    } else {
        return written_out(entry, expected, stated, dispatched);
    };
    Some(reason)
}

/// Compares what is written out, if anything is, with what is expected.
fn written_out(
    entry: &NamedTensor,
    expected: &Elements,
    stated: &Difference,
    dispatched: Dispatched,
) -> Option<String> {
    let rendering = stated.rendering.as_ref()?;
    let answer = answer(entry, &rendering.actual, |index| (!expected.is_defined(index)).then_some(render::UNDEFINED));
    let Some(answer) = answer else { return Some("what is written out is no tensor of its type and sizes".to_owned()) };
    // Why it is expected is looked at apart from this.
    let stated = Difference { why: None, ..stated.clone() };
    let again = compare::difference_in(&answer, expected, usize::from(dispatched.second));
    (again != Some(stated)).then(|| "comparing what is written out gives another difference".to_owned())
}

/// Whether the first element that differs, where it was left in each dispatch, is expected to be what was there before one of
/// them; nothing where it was written.
pub(crate) fn left_and_expected(case: &ValidCase, stated: &Difference) -> Option<bool> {
    let entry = output(case, &stated.tensor).filter(|_| stated.actual == render::UNWRITTEN)?;
    let basis = Basis::of(case);
    let (_, ExpectedTensor::Elements(expected)) = basis.expected.iter().find(|(name, _)| *name == stated.tensor)?
    else {
        return None;
    };
    let (first, width) = (index_of(stated.first.as_deref()?, &entry.tensor.sizes)?, entry.tensor.data_type.bytes());
    let wanted = expected.bytes.get(first * width..(first + 1) * width)?;
    Some(POISONS.iter().any(|poison| wanted.iter().all(|byte| byte == poison)))
}

/// The place of an element in logical order.
fn index_of(place: &[u64], sizes: &[u64]) -> Option<usize> {
    let inside = place.len() == sizes.len() && place.iter().zip(sizes).all(|(at, size)| at < size);
    inside.then(|| place.iter().zip(sizes).fold(0, |index, (at, size)| index * size + at) as usize)
}

/// Tensors of more elements than this are not made for the sake of a sentence.
const MOST_MADE: usize = 1 << 24;

/// Whether an invariant of a case can be broken in these words: by outputs of zeros but for what is said there.
pub(crate) fn can_be_broken<'a>(case: &'a ValidCase, id: &str, said: &str) -> bool {
    let basis = Basis::of(case);
    let invariants = case.invariants.iter().filter(|(each, _)| each == id).flat_map(|(_, invariants)| invariants);
    let mut said_of = invariants.map(|invariant| {
        let (mut made, mut by_other) = (Vec::new(), None);
        for entry in case.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output) {
            let elements = count(entry);
            if elements > MOST_MADE {
                return None;
            }
            made.push((entry, vec![0; elements * entry.tensor.data_type.bytes()]));
        }
        let put = |made: &mut Vec<(&NamedTensor, Vec<u8>)>, name: &str, at: usize, element: &[u8]| {
            let (_, bytes) = made.iter_mut().find(|(entry, _)| entry.name == name)?;
            let begin = at.checked_mul(element.len())?;
            bytes.get_mut(begin..begin.checked_add(element.len())?)?.copy_from_slice(element);
            Some(())
        };
        let mut set = |name: &str, at: usize, value: i128| {
            let width = case.descriptor.tensor(name)?.data_type.bytes();
            put(&mut made, name, at, &value.to_le_bytes()[..width])
        };
        match invariant {
            Invariant::IndexBelowReducedCount(IndexBelowReducedCount { output, .. }) => {
                let (place, rest) = said.strip_prefix(&format!("`{output}` at "))?.split_once(" is ")?;
                let sizes = &case.descriptor.tensor(output)?.sizes;
                set(output, index_of(&numbers(place)?, sizes)?, rest.split_once(',')?.0.parse().ok()?)?;
            }
            Invariant::CountAtMostElements(CountAtMostElements { count, .. }) => {
                set(count, 0, said.strip_prefix(&format!("`{count}` is "))?.split_once(',')?.0.parse().ok()?)?;
            }
            Invariant::RowsAreCoordinates(RowsAreCoordinates { rows, count, .. }) => {
                let (row, rest) = said.strip_prefix("row ")?.split_once(" of `")?;
                let row: usize = row.parse().ok()?;
                let coordinates: Vec<i128> = numbers(rest.split_once("` is ")?.1.split_once(", outside ")?.0)?;
                for (at, coordinate) in coordinates.iter().enumerate() {
                    set(rows, row.checked_mul(coordinates.len())?.checked_add(at)?, *coordinate)?;
                }
                set(count, 0, row as i128 + 1)?;
            }
            Invariant::EqualsOperator(EqualsOperator { operator, .. }) => {
                let (name, rest) = said.strip_prefix('`')?.split_once("` at ")?;
                let (place, rest) = rest.split_once(" is ")?;
                let (own, of_other) = rest.strip_suffix(&format!(" by `{operator}`"))?.split_once(", and ")?;
                let tensor = case.descriptor.tensor(name)?;
                let at = index_of(&numbers(place)?, &tensor.sizes)?;
                let mut others = made.clone();
                put(&mut made, name, at, &parse_rendered(own, tensor.data_type)?)?;
                put(&mut others, name, at, &parse_rendered(of_other, tensor.data_type)?)?;
                by_other = Some((operator.as_str(), others));
            }
        }
        let answers = |made: Vec<(&'a NamedTensor, Vec<u8>)>| -> Vec<DispatchedOutput<'a>> {
            made.into_iter()
                .map(|(entry, bytes)| DispatchedOutput { entry, elements: vec![Cow::Owned(bytes)] })
                .collect()
        };
        let beside: Vec<Other<'_>> = by_other.into_iter().map(|(operator, made)| (operator, answers(made))).collect();
        Some(broken_invariant(invariant, case, &answers(made), &beside, &basis).as_deref() == Some(said))
    });
    // What is too large to be made is believed; what says nothing that could be made is not.
    let large = case.descriptor.tensors.iter().any(|entry| entry.role == Role::Output && count(entry) > MOST_MADE);
    said_of.any(|is_so| is_so.unwrap_or(large))
}

/// Whether a reason names an element of an output, as one that differs between two dispatches.
pub(crate) fn names_an_element(case: &ValidCase, said: &str) -> bool {
    let named = said.strip_prefix('`').and_then(|rest| rest.split_once("` at "));
    let Some((name, place)) = named else { return false };
    let place = place.strip_suffix(" differs between two dispatches").and_then(numbers);
    output(case, name).zip(place).is_some_and(|(entry, place)| index_of(&place, &entry.tensor.sizes).is_some())
}

/// Numbers as a list of them is written out.
pub(super) fn numbers<N: std::str::FromStr>(list: &str) -> Option<Vec<N>> {
    let inner = list.strip_prefix('[')?.strip_suffix(']')?;
    if inner.is_empty() { Some(Vec::new()) } else { inner.split(", ").map(|number| number.parse().ok()).collect() }
}

/// An output as it is written out. What was not written holds what was there before; and so does what is undefined.
fn answer<'a>(
    entry: &'a NamedTensor,
    text: &str,
    undefined: impl Fn(usize) -> Option<&'static str>,
) -> Option<DispatchedOutput<'a>> {
    let (data_type, count) = (entry.tensor.data_type, count(entry));
    let texts: Vec<&str> =
        text.split(['[', ']', ',', ' ', '\n']).filter(|text| !text.is_empty()).take(count.saturating_add(1)).collect();
    if texts.len() != count {
        return None;
    }
    let mut elements = [Vec::new(), Vec::new()];
    for (index, text) in texts.into_iter().enumerate() {
        let left = text == render::UNWRITTEN || text == render::UNDEFINED;
        if undefined(index).is_some_and(|wanted| wanted != text) {
            return None;
        }
        for (elements, poison) in elements.iter_mut().zip(POISONS) {
            match left {
                true => elements.extend(std::iter::repeat_n(poison, data_type.bytes())),
                false => elements.extend(parse_rendered(text, data_type)?),
            }
        }
    }
    Some(DispatchedOutput { entry, elements: elements.into_iter().map(Cow::Owned).collect() })
}

/// The bytes of an element as it is written out.
fn parse_rendered(text: &str, data_type: DataType) -> Option<Vec<u8>> {
    let bits = ["nan(0x", "bool(0x"].iter().find_map(|kind| text.strip_prefix(kind)?.strip_suffix(')'));
    let mut bytes = Vec::new();
    match (bits, text) {
        (Some(bits), _) => {
            let bits = u64::from_str_radix(bits, 16).ok()?;
            bytes.extend(&bits.to_le_bytes()[..data_type.bytes()]);
        }
        (None, "inf") => element::parse(".inf", data_type, &mut bytes).ok()?,
        (None, "-inf") => element::parse("-.inf", data_type, &mut bytes).ok()?,
        (None, _) => element::parse(text, data_type, &mut bytes).ok()?,
    }
    (element::render(&bytes, data_type) == text).then_some(bytes)
}

/// Reads what is written out of outputs, elements or a digest; why that cannot be, where it cannot.
fn read<'a>(
    outputs: &[&'a NamedTensor],
    stated: &[Observation],
    answers: &mut Vec<DispatchedOutput<'a>>,
    digests: &mut Vec<(&'a NamedTensor, Digest)>,
) -> Option<String> {
    for (entry, Observation { tensor, value }) in outputs.iter().zip(stated) {
        if count(entry) > render::LARGEST_SHOWN {
            match parse_digest(value) {
                Some(digest) => digests.push((entry, digest)),
                None => return Some(format!("the answer in `{tensor}` is no digest")),
            }
            continue;
        }
        match answer(entry, value, |_| None) {
            Some(answer) => answers.push(answer),
            None => return Some(format!("the answer in `{tensor}` is no tensor of its type and sizes")),
        }
    }
    None
}

/// The operators whose outputs a case may have been compared with.
pub(crate) fn operators_beside(case: &ValidCase) -> impl Iterator<Item = &str> {
    let equals = case.about.operator.equals.iter();
    let judged = equals.filter(|equal| case.invariants.iter().any(|(id, _)| *id == equal.requirement));
    judged.map(|equal| equal.operator.id.as_str())
}

/// Why the answers to an open question cannot be what came out of the case.
pub(crate) fn contradicts_answers(case: &ValidCase, stated: &[Observation]) -> Option<String> {
    let outputs: Vec<&NamedTensor> =
        case.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output).collect();
    let (own, of_others) = stated.split_at(outputs.len().min(stated.len()));
    if !own.iter().map(|each| &each.tensor).eq(outputs.iter().map(|entry| &entry.name)) {
        let names: Vec<String> = outputs.iter().map(|entry| format!("`{}`", entry.name)).collect();
        return Some(format!("its outputs are {}, each once", names.join(", ")));
    }
    let (mut answers, mut digests) = (Vec::new(), Vec::new());
    if let Some(reason) = read(&outputs, own, &mut answers, &mut digests) {
        return Some(reason);
    }
    let mut beside: Vec<Other<'_>> = Vec::new();
    let mut others = operators_beside(case);
    for stated in of_others.chunks(outputs.len().max(1)) {
        // Those that a backend does not have are left out.
        let names =
            |operator: &str| outputs.iter().map(|entry| Observation::beside(operator, &entry.name)).collect::<Vec<_>>();
        let is_of = |operator: &&str| stated.iter().map(|each| &each.tensor).eq(&names(operator));
        let Some(operator) = others.by_ref().find(is_of) else {
            let named = stated.iter().map(|each| format!("`{}`", each.tensor)).collect::<Vec<_>>().join(", ");
            return Some(format!("there is an answer in {named}, which nobody asked for"));
        };
        let mut answers = Vec::new();
        if let Some(reason) = read(&outputs, stated, &mut answers, &mut digests) {
            return Some(reason);
        }
        beside.push((operator, answers));
    }
    for (entry, digest) in &digests {
        let defined = defined_elements(case, entry, &answers);
        if digest.defined != (defined < count(entry)).then_some(defined) {
            return Some(format!("the answer in `{}` is a digest of another part than is defined", entry.name));
        }
    }
    let undefined = case.about.authority == Authority::Undefined;
    let own = |of: &NamedTensor| digests.iter().find(|(entry, _)| entry.name == of.name).map(|(_, digest)| digest);
    if let Some((entry, _)) = digests.iter().find(|(entry, digest)| !undefined && own(entry) != Some(digest)) {
        return Some(format!("the digest of `{}` is another one by an operator that comes to the same", entry.name));
    }
    // What holds of outputs together can be looked at where all of them are written out.
    if !digests.is_empty() {
        return None;
    }
    let verdict = compare::observe(case, &answers, &beside, &Basis::of(case));
    if let Some(Difference { tensor, first, expected, actual, .. }) = verdict.differences.first() {
        let place = first.as_deref().unwrap_or_default();
        return Some(format!("`{tensor}` at {place:?} is {actual}, and the definition gives {expected} there"));
    }
    if verdict.outcome != Outcome::Observed {
        return Some(verdict.reason.unwrap_or_default().into_raw());
    }
    // What is undefined may differ in ways that are not written out.
    let open = case.about.authority == Authority::Undefined;
    let same = open || verdict.observed.iter().all(|each| stated.contains(each));
    (!same).then(|| "the answers are written in another way".to_owned())
}

#[cfg(test)]
mod tests {
    use opcert_backend::TensorDescriptor;

    use super::*;

    #[test]
    fn a_digest_is_written_in_one_way() {
        let hex = "0123456789abcdef".repeat(4);
        for defined in [None, Some(0), Some(12)] {
            let digest = Digest { blake3: hex.clone(), defined };
            assert_eq!(parse_digest(&digest.to_string()), Some(digest));
        }
        for rest in ["0", " ", " everything fits", " of the first 3 elements, all right", " of the first 03 elements"] {
            assert_eq!(parse_digest(&format!("blake3 {hex}{rest}")), None, "{rest}");
        }
        for text in [hex.clone(), format!("blake3 {}", hex.to_uppercase()), format!("blake3 {}é", &hex[1..])] {
            assert_eq!(parse_digest(&text), None, "{text}");
        }
    }
    const ONE: Dispatched = Dispatched { second: false, twice: true };

    fn output(count: u64) -> NamedTensor {
        NamedTensor {
            name: "Output".to_owned(),
            role: Role::Output,
            tensor: TensorDescriptor::packed(DataType::U8, [count]),
        }
    }

    /// Of 600 elements 2 differ, the first of them being 7 in place of 0.
    fn two_differ(unwritten: usize) -> Difference {
        Difference {
            tensor: "Output".to_owned(),
            differing: 2,
            defined: 600,
            unwritten,
            first: Some(vec![3]),
            expected: "0".to_owned(),
            actual: "7".to_owned(),
            why: None,
            rendering: None,
        }
    }

    #[test]
    fn an_element_that_was_written_was_not_left() {
        let zeros = Elements { bytes: vec![0; 600], undefined: Vec::new() };
        let said = |unwritten| elements(&output(600), &zeros, &two_differ(unwritten), ONE);
        assert_eq!((said(0), said(1)), (None, None));
        assert_eq!(said(2).as_deref(), Some("2 elements cannot have been left"));
    }

    #[test]
    fn what_was_left_has_the_digest_of_what_was_there() {
        let (entry, zeros) = (output(600), Elements { bytes: vec![0; 600], undefined: Vec::new() });
        let expected = Digest::of(&zeros, DataType::U8).unwrap();
        let said = |poison: u8, unwritten, second| {
            let found = Elements { bytes: vec![poison; 600], undefined: Vec::new() };
            let actual = Digest::of(&found, DataType::U8).unwrap().to_string();
            let of_digest =
                Difference { differing: 0, first: None, expected: expected.to_string(), ..two_differ(unwritten) };
            digest(&entry, &expected, &Difference { actual, ..of_digest }, Dispatched { second, twice: true })
        };
        assert_eq!(
            (said(POISONS[0], 600, false), said(POISONS[1], 600, true), said(1, 599, false)),
            (None, None, None)
        );
        let another = "if nothing was written, its digest would be that of what was there before";
        assert_eq!(said(POISONS[1], 600, false).as_deref(), Some(another));
        assert_eq!(said(1, 600, false).as_deref(), Some(another));
    }
}
