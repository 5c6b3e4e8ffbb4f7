//! The inputs of a case, laid out as its descriptor says.

use opcert_backend::{BoundInput, Descriptor, Fault, GuardedBuffer, NamedTensor, Role, guarded_memory, input_fill};

use super::ASIDE;
use crate::case::Data;
use crate::check::{InputData, ValidCase, leaves_open};
use crate::layout::{conflict, lay_out};
use crate::spec::{Check, Operator};

/// Inputs of more elements than this are not dispatched in another order as well: what a backend keeps is seldom a matter
/// of size, and dispatches of large inputs take time.
const MOST_OTHERS: u64 = 1 << 10;

/// Other inputs of a case, by name.
pub(super) type Others = Vec<(String, Data)>;

/// The inputs for a dispatch whose outputs are filled with `poison`. What lies between their elements follows from it.
pub(super) fn inputs<'a>(case: &'a ValidCase, others: &Others, poison: u8) -> Result<Vec<BoundInput<'a>>, Fault> {
    let data = |entry: &NamedTensor, input: &InputData| {
        let other = others.iter().find(|(name, _)| poison == ASIDE && *name == entry.name);
        other.map_or_else(|| laid_out(entry, &input.data, poison), |(_, data)| laid_out(entry, data, poison))
    };
    given(case).map(|(entry, input)| Ok((entry, data(entry, input)?))).collect()
}

/// Each input with its data.
fn given(case: &ValidCase) -> impl Iterator<Item = (&NamedTensor, &InputData)> {
    let entries = case.descriptor.tensors.iter().filter(|entry| entry.role == Role::Input);
    entries.filter_map(|entry| Some((entry, case.inputs.iter().find(|input| input.name == entry.name)?)))
}

/// The sum of all bytes of a case's inputs.
pub(super) fn sum(case: &ValidCase) -> usize {
    let sum = |input: &InputData| input.data.elements().iter().map(|&byte| usize::from(byte)).sum::<usize>();
    given(case).map(|(_, input)| sum(input)).sum()
}

/// The other inputs that a case is dispatched with as well; none where it is not.
pub(super) fn others_of(case: &ValidCase) -> Others {
    let elements = given(case).map(|(entry, _)| entry.tensor.element_count().unwrap_or(u64::MAX));
    if elements.fold(0, u64::saturating_add) <= MOST_OTHERS { others(case) } else { Vec::new() }
}

/// Whether a check asks for one type of two tensors: what stands in the one may stand in the other.
fn are_alike(operator: &Operator, one: &str, other: &str) -> bool {
    operator.all_requirements().any(|requirement| match &requirement.check {
        Some(Check::SameType(check)) => [one, other].iter().all(|name| check.tensors.iter().any(|each| each == name)),
        _ => false,
    })
}

/// Other inputs of a case, by name: its own elements, each a place further on, so that none is there that it has not. A single
/// element takes that of another such input that is alike. What is part of the descriptor stays, and so do elements that
/// share memory.
fn others(case: &ValidCase) -> Others {
    let is_constant = |name: &str| case.descriptor.constants.iter().any(|constant| constant.name == name);
    let variable: Vec<(&NamedTensor, Vec<u8>)> = given(case)
        .filter(|(entry, _)| !is_constant(&entry.name))
        .map(|(entry, input)| (entry, input.data.elements().into_owned()))
        .collect();
    let moved = |(at, (entry, own)): (usize, &(&'_ NamedTensor, Vec<u8>))| {
        let mut elements = own.clone();
        let width = entry.tensor.data_type.bytes();
        if elements.len() == width {
            let operator = &case.about.operator;
            let alike = |(other, _): &&(&NamedTensor, Vec<u8>)| {
                other.tensor.element_count() == Some(1) && are_alike(operator, &entry.name, &other.name)
            };
            let next = variable[at + 1..].iter().chain(&variable[..at]).find(alike);
            elements.clone_from(next.map_or(own, |(_, next)| next));
        } else if !elements.is_empty() {
            elements.rotate_left(width);
        }
        (elements != *own && (entry.tensor.is_packed() || conflict(&entry.tensor, &elements).is_none()))
            .then(|| (entry.name.clone(), Data::Elements(elements)))
    };
    variable.iter().enumerate().filter_map(moved).collect()
}

/// Whether the documents have no answer to the other inputs of a case, such as to an index that names nothing.
pub(super) fn are_open(case: &ValidCase, others: &Others, descriptor: &Descriptor) -> bool {
    let other = |input: &InputData| {
        let other = others.iter().find(|(name, _)| *name == input.name);
        (input.name.clone(), other.map_or(&input.data, |(_, data)| data).elements().into_owned())
    };
    let inputs: Vec<(String, Vec<u8>)> = case.inputs.iter().map(other).collect();
    let inputs: Vec<(&str, &[u8])> = inputs.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let operator = &case.about.operator;
    // What the definition fails at is nothing that a document has an answer to.
    operator.definition.evaluate(descriptor, &inputs).map_or(true, |found| leaves_open(operator, &found))
}

/// The memory of an input for a dispatch whose outputs are filled with `poison`.
///
/// # Errors
///
/// When the memory is not to be had.
pub fn laid_out(entry: &NamedTensor, data: &Data, poison: u8) -> Result<GuardedBuffer, Fault> {
    let mut buffer = guarded_memory(entry, input_fill(poison))?;
    if entry.tensor.is_packed() {
        data.fill(buffer.bytes_mut());
    } else {
        lay_out(&entry.tensor, &data.elements(), buffer.bytes_mut());
    }
    Ok(buffer)
}
