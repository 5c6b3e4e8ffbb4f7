//! What the outputs of a case are compared with.

use std::borrow::Cow;

use crate::case::{Elements, Expectation, ExpectedTensor};
use crate::check::{InputData, ValidCase, questions};
use crate::definition::{Evaluation, Open};
use crate::spec::{Authority, Requirement};

/// What each output of a case has to be, as far as anything says so.
pub(crate) struct Basis<'a> {
    /// By output; nothing where no element is compared.
    pub expected: Cow<'a, [(String, ExpectedTensor)]>,
    /// What the definition makes of the case, where only that says so.
    evaluation: Option<Evaluation>,
}

impl<'a> Basis<'a> {
    /// A case on which a verdict depends expects what its file says. One that the documents leave open still has the elements
    /// that its definition determines beside the open ones, unless what is open is the descriptor itself, or everything.
    /// A case of the large tier has too many elements to ask.
    pub(crate) fn of(case: &'a ValidCase) -> Self {
        let nothing = Self { expected: Cow::Borrowed(&[]), evaluation: None };
        match &case.expectation {
            Expectation::Values(expected) if case.about.gates() => {
                return Self { expected: Cow::Borrowed(expected), evaluation: None };
            }
            Expectation::Values(_) | Expectation::Observe => {}
            Expectation::Accepts | Expectation::Refuses(_) => return nothing,
        }
        if case.about.large || case.about.authority == Authority::Undefined || !case.is_dispatched() {
            return nothing;
        }
        // Of a descriptor that may be invalid the definition says nothing, and may have no answer.
        let Some(found) = evaluation(case) else { return nothing };
        let operator = &case.about.operator;
        let reached = questions(operator, &found);
        let is_open = |id: &&String| operator.requirement(id).is_some_and(Requirement::is_open);
        if !case.about.covers.iter().filter(is_open).all(|id| reached.contains(id)) {
            return Self { evaluation: Some(found), ..nothing };
        }
        let outputs = found.outputs.iter().filter(|output| output.open.contains(&None));
        let expected = outputs.map(|output| {
            let undefined = output.open.iter().map(Option::is_some).collect();
            (output.name.clone(), ExpectedTensor::Elements(Elements { bytes: output.bytes.clone(), undefined }))
        });
        Self { expected: expected.collect(), evaluation: Some(found) }
    }

    /// Whether an element is compared, by its place in logical order.
    pub(crate) fn determines(&self, tensor: &str, index: usize) -> bool {
        self.expected.iter().any(|(name, expected)| match expected {
            ExpectedTensor::Elements(elements) => name == tensor && elements.is_defined(index),
            ExpectedTensor::Digest(_) => false,
        })
    }

    /// Whether the definition says of an element that it is undefined, in a case that the documents leave open.
    pub(crate) fn is_undefined(&self, tensor: &str, index: usize) -> bool {
        let outputs = self.evaluation.iter().flat_map(|found| &found.outputs);
        let mut of_tensor = outputs.filter(|output| output.name == tensor);
        of_tensor.any(|output| output.open.get(index) == Some(&Some(Open::Undefined)))
    }
}

fn evaluation(case: &ValidCase) -> Option<Evaluation> {
    let given: Vec<_> = case.inputs.iter().map(|InputData { name, data }| (name.as_str(), data.elements())).collect();
    let given: Vec<(&str, &[u8])> = given.iter().map(|(name, elements)| (*name, elements.as_ref())).collect();
    case.about.operator.definition.evaluate(&case.descriptor, &given).ok()
}
