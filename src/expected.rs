//! What an operator's definition says of a descriptor with data: the elements of each output, or that the documents leave
//! them open.
//!
//! It stands beside the flow: it proposes what a case expects, and judges nothing.

use opcert_backend::{DataType, Descriptor, Role};

use crate::case::{Case, Digest, Elements, ExpectedTensor};
use crate::check::{InputData, leaves_open, questions};
use crate::definition::{Evaluation, Fault, Output};
use crate::spec::{Level, Operator};

/// Outputs with more elements than this are expected by their digest.
const MOST_WRITTEN_OUT: usize = 256;

/// What comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The elements of each output, by name.
    Values(Vec<(String, Elements)>),
    /// The documents leave at least one element open. Others may have values all the same, which the judge takes from the
    /// definition.
    Open {
        /// Full ids of the requirements that leave it open.
        questions: Vec<String>,
        /// Full ids of the requirements that hold whatever the answer.
        invariants: Vec<String>,
    },
}

/// Why nothing can be expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NothingExpected {
    /// The definition can make nothing of the descriptor or of its data.
    #[error("`{operator}`: {fault}")]
    Fault {
        /// The operator.
        operator: String,
        /// What is wrong.
        fault: Fault,
    },
    /// The definition fails at the sizes of every descriptor that was drawn.
    #[error(
        "the definition of `{operator}` gives the sizes that `sizes_defined` asks for to none of the descriptors that were drawn"
    )]
    Sizes {
        /// The operator.
        operator: String,
    },
    /// The descriptor has an output that is none of the operator's.
    #[error("the definition of `{operator}` says nothing of `{tensor}`")]
    Output {
        /// The operator.
        operator: String,
        /// The output.
        tensor: String,
    },
}

/// What comes out of a valid descriptor with its data.
///
/// # Errors
///
/// When the definition has no answer.
pub fn expected(
    operator: &Operator,
    descriptor: &Descriptor,
    inputs: &[InputData],
) -> Result<Expected, NothingExpected> {
    let given: Vec<_> = inputs.iter().map(|input| (input.name.as_str(), input.data.elements())).collect();
    let given: Vec<(&str, &[u8])> = given.iter().map(|(name, elements)| (*name, elements.as_ref())).collect();
    let fault = |fault| NothingExpected::Fault { operator: operator.id.clone(), fault };
    of_evaluation(operator, descriptor, operator.definition.evaluate(descriptor, &given).map_err(fault)?)
}

/// What an evaluation of a descriptor with its data comes to.
///
/// # Errors
///
/// When the definition says nothing of an output.
pub(crate) fn of_evaluation(
    operator: &Operator,
    descriptor: &Descriptor,
    found: Evaluation,
) -> Result<Expected, NothingExpected> {
    let mut outputs = descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
    if let Some(entry) = outputs.find(|entry| found.outputs.iter().all(|output| output.name != entry.name)) {
        return Err(NothingExpected::Output { operator: operator.id.clone(), tensor: entry.name.clone() });
    }
    if leaves_open(operator, &found) {
        let level = operator.family.level(&descriptor.level);
        let said = level.into_iter().flat_map(|level| operator.equals_of(descriptor, level));
        let said: Vec<&str> = said.map(|(equal, _)| equal.requirement.as_str()).collect();
        let is_said = |id: &str| said.contains(&id) || operator.equals.iter().all(|equal| equal.requirement != id);
        let invariants = operator.all_requirements().filter(|each| !each.invariants.is_empty() && is_said(&each.id));
        let invariants = invariants.map(|requirement| requirement.id.clone()).collect();
        return Ok(Expected::Open { questions: questions(operator, &found), invariants });
    }
    let elements = |output: Output| {
        let mut undefined: Vec<bool> = output.open.iter().map(Option::is_some).collect();
        if !undefined.contains(&true) {
            undefined.clear();
        }
        (output.name, Elements { bytes: output.bytes, undefined })
    };
    Ok(Expected::Values(found.outputs.into_iter().map(elements).collect()))
}

/// The same of a case at a level.
///
/// # Errors
///
/// When the definition has no answer.
pub fn expected_of(case: &Case, level: Level) -> Result<Expected, NothingExpected> {
    let given = case.tensors.iter().filter_map(|tensor| Some((tensor.name.clone(), tensor.data.clone()?)));
    let inputs: Vec<InputData> = given.map(|(name, data)| InputData { name, data }).collect();
    expected(&case.operator, &case.descriptor(level), &inputs)
}

/// Elements where they are few, and otherwise their digest.
///
/// # Errors
///
/// When an output is none of the case's.
pub fn as_expected(values: Vec<(String, Elements)>, case: &Case) -> Result<Vec<(String, ExpectedTensor)>, String> {
    let each = |(name, elements): (String, Elements)| {
        let data_type = case.tensor(&name).map(|tensor| tensor.descriptor.data_type).ok_or("an output is missing")?;
        let count = elements.bytes.len() / data_type.bytes();
        let digest = if count > MOST_WRITTEN_OUT { Digest::of(&elements, data_type) } else { None };
        Ok((name, digest.map_or(ExpectedTensor::Elements(elements), ExpectedTensor::Digest)))
    };
    values.into_iter().map(each).collect()
}

/// Whether an expectation stands for these elements: the same ones are defined, with the same bytes.
#[must_use]
pub fn stands_for(expected: &ExpectedTensor, elements: &Elements, data_type: DataType) -> bool {
    match expected {
        ExpectedTensor::Elements(expected) => {
            let end = expected.undefined.len().max(elements.undefined.len());
            expected.bytes == elements.bytes
                && (0..end).all(|index| expected.is_defined(index) == elements.is_defined(index))
        }
        ExpectedTensor::Digest(expected) => {
            let count = elements.bytes.len() / data_type.bytes();
            let defined = |digest: &Digest| digest.defined.unwrap_or(count);
            Digest::of(elements, data_type)
                .is_some_and(|found| found.blake3 == expected.blake3 && defined(&found) == defined(expected))
        }
    }
}
