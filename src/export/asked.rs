//! A case as it is put to whoever runs it: without what is expected of it.

use opcert_backend::{Descriptor, NamedTensor, Role};

use super::manifest::Task;
use crate::case::{Data, Elements, Expectation, ExpectedTensor};
use crate::check::{About, CheckedCase};
use crate::spec::Level;

/// A case and the level at which it is asked for.
pub(super) struct Asked<'a> {
    pub(super) case: &'a CheckedCase,
    /// At the level asked for.
    pub(super) descriptor: Descriptor,
    below_highest: bool,
}

impl<'a> Asked<'a> {
    /// A case at `highest` or, where it is refused or means what it expects below that only, at the last level at which it does.
    pub(super) fn of(case: &'a CheckedCase, highest: Level) -> Self {
        let (level, descriptor) = match case {
            CheckedCase::Valid(case) => (highest.min(case.last), &case.descriptor),
            CheckedCase::Refused(case) => (highest.min(case.last), &case.descriptor),
        };
        let mut descriptor = descriptor.clone();
        case.about().operator.family.level_name(level).clone_into(&mut descriptor.level);
        Self { case, descriptor, below_highest: level < highest }
    }

    pub(super) fn about(&self) -> &'a About {
        self.case.about()
    }

    /// Whether it is asked for at a lower level than the highest of the export, because it is refused there only.
    pub(super) const fn is_below_highest(&self) -> bool {
        self.below_highest
    }

    pub(super) fn task(&self) -> Task {
        match self.case {
            CheckedCase::Valid(case) if case.is_dispatched() => Task::Run,
            _ => Task::Compile,
        }
    }

    /// The inputs with their data; none where nothing is to run.
    pub(super) fn inputs(&self) -> impl Iterator<Item = (&NamedTensor, &'a Data)> {
        let data = match self.case {
            CheckedCase::Valid(case) => case.inputs.as_slice(),
            CheckedCase::Refused(_) => &[],
        };
        data.iter().filter_map(|input| {
            let entry = self.descriptor.tensors.iter().find(|entry| entry.name == input.name)?;
            Some((entry, &input.data))
        })
    }

    /// The elements that are expected of an output, where they are written out. Some may be undefined.
    pub(super) fn expected(&self, name: &str) -> Option<&'a Elements> {
        let CheckedCase::Valid(case) = self.case else { return None };
        let Expectation::Values(values) = &case.expectation else { return None };
        match values.iter().find(|(each, _)| each == name)? {
            (_, ExpectedTensor::Elements(elements)) => Some(elements),
            (_, ExpectedTensor::Digest(_)) => None,
        }
    }

    /// The outputs; none where nothing is to run.
    pub(super) fn outputs(&self) -> impl Iterator<Item = &NamedTensor> {
        let run = self.task() == Task::Run;
        self.descriptor.tensors.iter().filter(move |entry| run && entry.role == Role::Output)
    }
}
