//! Descriptors that are accepted or refused wrongly.
//!
//! A rule changes the answer of a backend that refuses every invalid descriptor and names one requirement each time.

pub(crate) mod argmax;
pub(crate) mod directml_refuses_valid;
pub(crate) mod directml_tensor;
pub(crate) mod nonzero_coordinates;
pub(crate) mod one_hot;
pub(crate) mod openvino_one_hot_1;
pub(crate) mod openvino_refuses_valid;

use opcert_backend::{CompileError, DataType, Descriptor, NamedTensor, Role, TensorDescriptor};

use crate::Mutant;
use crate::backend::Deviation;

/// Whether a descriptor is one of those that a rule is about.
pub(crate) type When = fn(&Descriptor) -> bool;

/// How an answer is changed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DescriptorRule {
    /// What breaks this requirement is accepted.
    Accepts { requirement: &'static str, when: When },
    /// Nothing is refused.
    AcceptsEverything,
    /// Valid descriptors are refused.
    Refuses { when: When },
    /// What breaks a requirement is refused for another one.
    Names { instead_of: &'static str, requirement: &'static str },
    /// Refusals name no requirement.
    NamesNothing,
}

impl DescriptorRule {
    /// The answer that is given where this one would be right.
    ///
    /// # Errors
    ///
    /// When the descriptor is refused.
    pub(crate) fn answer(self, descriptor: &Descriptor, right: Result<(), CompileError>) -> Result<(), CompileError> {
        let broken = match &right {
            Err(CompileError::Rejected { requirement, .. }) => requirement.as_deref().unwrap_or_default(),
            _ => "",
        };
        match self {
            Self::Accepts { requirement, when } if broken == requirement && when(descriptor) => Ok(()),
            Self::AcceptsEverything => Ok(()),
            Self::Refuses { when } if right.is_ok() && when(descriptor) => Err(rejected(None)),
            Self::Names { instead_of, requirement } if broken == instead_of => Err(rejected(Some(requirement))),
            Self::NamesNothing if right.is_err() => Err(rejected(None)),
            _ => right,
        }
    }
}

fn rejected(requirement: Option<&str>) -> CompileError {
    CompileError::Rejected { requirement: requirement.map(str::to_owned), reason: "as mutants do".to_owned() }
}

/// A mutant that does not check a requirement at all.
const fn dropped(name: &'static str, requirement: &'static str) -> Mutant {
    let rule = DescriptorRule::Accepts { requirement, when: |_| true };
    Mutant::new(name, requirement, "The requirement is not checked.", Deviation::Descriptor(rule))
}

/// A mutant that accepts some of what breaks a requirement.
const fn accepts(name: &'static str, requirement: &'static str, about: &'static str, when: When) -> Mutant {
    Mutant::new(name, requirement, about, Deviation::Descriptor(DescriptorRule::Accepts { requirement, when }))
}

/// A mutant that refuses some of what is valid.
const fn refuses(name: &'static str, requirement: &'static str, about: &'static str, when: When) -> Mutant {
    Mutant::new(name, requirement, about, Deviation::Descriptor(DescriptorRule::Refuses { when }))
}

/// Whether a level comes before another one. Their names sort as they do.
fn before(descriptor: &Descriptor, level: &str) -> bool {
    descriptor.level.as_str() < level
}

/// The sizes of a tensor; none if it is missing.
fn sizes<'a>(descriptor: &'a Descriptor, tensor: &str) -> &'a [u64] {
    descriptor.tensor(tensor).map_or(&[], |tensor| &tensor.sizes)
}

/// Whether a tensor has one of these types.
fn has_type(descriptor: &Descriptor, tensor: &str, types: &[DataType]) -> bool {
    descriptor.tensor(tensor).is_some_and(|tensor| types.contains(&tensor.data_type))
}

/// Whether it holds for all tensors.
fn all(descriptor: &Descriptor, holds: impl Fn(&TensorDescriptor) -> bool) -> bool {
    descriptor.tensors.iter().all(|entry| holds(&entry.tensor))
}

/// Whether it holds for some tensor.
fn any(descriptor: &Descriptor, holds: impl Fn(&TensorDescriptor) -> bool) -> bool {
    descriptor.tensors.iter().any(|entry| holds(&entry.tensor))
}

/// Whether it holds for some tensor that is read.
fn any_input(descriptor: &Descriptor, holds: impl Fn(&TensorDescriptor) -> bool) -> bool {
    let inputs = |entry: &&NamedTensor| entry.role == Role::Input;
    descriptor.tensors.iter().filter(inputs).any(|entry| holds(&entry.tensor))
}

/// Whether it holds for some tensor that is written.
fn any_output(descriptor: &Descriptor, holds: impl Fn(&TensorDescriptor) -> bool) -> bool {
    let outputs = |entry: &&NamedTensor| entry.role == Role::Output;
    descriptor.tensors.iter().filter(outputs).any(|entry| holds(&entry.tensor))
}

/// Whether the descriptor is one of this operator.
fn is(descriptor: &Descriptor, operator: &str) -> bool {
    descriptor.operator == operator
}
