//! Expected values on which both derivations agree.

use crate::case::{Case, Digest, Elements, ExpectedTensor};
use crate::check::InputData;
use crate::spec::Level;
use crate::{oracle, second_derivation};

/// Outputs with more elements than this are expected by their digest.
const MOST_WRITTEN_OUT: usize = 256;

/// The outputs of a case at a level, by name, derived twice.
///
/// # Errors
///
/// In words: a derivation has no answer, or the two differ.
pub fn derive(case: &Case, level: Level) -> Result<Vec<(String, Elements)>, String> {
    let descriptor = case.descriptor(level);
    let given = case.tensors.iter().filter_map(|tensor| Some((tensor.name.clone(), tensor.data.clone()?)));
    let inputs: Vec<InputData> = given.map(|(name, data)| InputData { name, data }).collect();
    let first = oracle::expected(&descriptor, &inputs).ok_or("the oracle has no answer")?;
    let second = second_derivation::expected(&descriptor, &inputs).ok_or("the second derivation has no answer")?;
    if agree(&first, &second) {
        Ok(first)
    } else {
        Err(format!("the oracle derives {first:?}, and the second derivation {second:?}"))
    }
}

/// Elements where they are few, and otherwise their digest.
///
/// # Errors
///
/// When an output is none of the case's.
pub fn as_expected(derived: Vec<(String, Elements)>, case: &Case) -> Result<Vec<(String, ExpectedTensor)>, String> {
    let each = |(name, elements): (String, Elements)| {
        let data_type = case.tensor(&name).map(|tensor| tensor.descriptor.data_type).ok_or("an output is missing")?;
        let count = elements.bytes.len() / data_type.bytes();
        let digest = if count > MOST_WRITTEN_OUT { Digest::of(&elements, data_type) } else { None };
        Ok((name, digest.map_or(ExpectedTensor::Elements(elements), ExpectedTensor::Digest)))
    };
    derived.into_iter().map(each).collect()
}

/// Whether two derivations define the same elements, and define them alike.
fn agree(first: &[(String, Elements)], second: &[(String, Elements)]) -> bool {
    let alike = |((name, one), (other_name, other)): (&(String, Elements), &(String, Elements))| {
        name == other_name && same(one, other)
    };
    first.len() == second.len() && std::iter::zip(first, second).all(alike)
}

/// Whether the same elements are defined, with the same bytes; undefined ones hold zeros in both.
#[must_use]
pub fn same(one: &Elements, other: &Elements) -> bool {
    let end = one.undefined.len().max(other.undefined.len());
    one.bytes == other.bytes && (0..end).all(|index| one.is_defined(index) == other.is_defined(index))
}
