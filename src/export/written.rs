//! A case as an operator of the family whose files a format has: its own operator, or the one that a mapping leads to.

use std::sync::Arc;

use opcert_backend::{Descriptor, Fault, NamedTensor, Role};

use super::NotExported;
use super::asked::Asked;
use crate::check::{ValidCase, violations};
use crate::definition::Output;
use crate::mapping::{Mapping, Mappings, Said};
use crate::run::OutputMemory;
use crate::spec::{Level, Operator};

/// A case as it is written.
pub(crate) struct Written {
    mapping: Arc<Mapping>,
    /// The descriptor and the data of the operator that is written.
    pub(super) said: Said,
    level: Level,
}

impl Written {
    /// A valid case with data as an operator of a family.
    ///
    /// # Errors
    ///
    /// Where there is no such operator, or it cannot say the case.
    pub(crate) fn of(
        case: &ValidCase,
        descriptor: &Descriptor,
        (mappings, family): (&Mappings, &str),
    ) -> Result<Self, NotExported> {
        let inexpressible = |reason: String| Err(NotExported::Inexpressible(reason));
        let Some(mapping) = mappings.into_family(&descriptor.operator, family) else {
            return inexpressible(format!("operator: no mapping leads from it to one of {family}"));
        };
        let to = &mapping.to;
        let is_its_own = to.id == descriptor.operator;
        let level = if is_its_own { to.family.level(&descriptor.level) } else { None };
        let level = level.unwrap_or_else(|| to.family.highest());
        if descriptor.tensors.iter().any(|entry| !entry.tensor.is_packed()) {
            return inexpressible(format!("strided: a tensor of {} is packed", to.family.title));
        }
        let inputs: Vec<_> = case.inputs.iter().map(|input| (input.name.as_str(), input.data.elements())).collect();
        let inputs: Vec<(&str, &[u8])> = inputs.iter().map(|(name, bytes)| (*name, bytes.as_ref())).collect();
        let said = match mapping.said(descriptor, &inputs, level) {
            Ok(said) => said,
            Err(unsaid) => return inexpressible(format!("as {}: {unsaid}", to.title)),
        };
        if let Some(broken) = violations(to, &said.descriptor, level).iter().find(|each| each.gates) {
            return inexpressible(format!("as {}: [{}]", to.title, broken.requirement));
        }
        Ok(Self { mapping: Arc::clone(mapping), said, level })
    }

    /// The operator.
    pub(super) fn to(&self) -> &Operator {
        &self.mapping.to
    }

    /// The operator's title, and the name of the level at which it is meant.
    pub(super) fn operator(&self) -> (&str, &str) {
        (&self.mapping.to.title, self.mapping.to.family.level_name(self.level))
    }

    /// Whether it is another operator than the case's.
    pub(crate) fn is_another(&self) -> bool {
        self.mapping.to.id != self.mapping.from.id
    }

    /// Whether the sizes of an output follow from values.
    pub(crate) fn follows(&self, name: &str) -> bool {
        self.mapping.to.tensor(name).is_some_and(|tensor| tensor.sizes.is_some())
    }

    /// The inputs with their elements, in the order of the specification.
    pub(super) fn inputs(&self) -> impl Iterator<Item = (&NamedTensor, &[u8])> {
        let entries = self.said.descriptor.tensors.iter().filter(|entry| entry.role == Role::Input);
        entries.filter_map(|entry| {
            let (_, elements) = self.said.inputs.iter().find(|(name, _)| *name == entry.name)?;
            Some((entry, elements.as_slice()))
        })
    }

    /// The outputs, in the order of the specification.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = &NamedTensor> {
        self.said.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output)
    }

    /// What the operator's own definition gives, where the case expects values: the elements of its outputs, if they all have
    /// some.
    ///
    /// # Errors
    ///
    /// Where the operator comes to something else than the case expects, or leaves it open.
    pub(super) fn expected(&self, asked: &Asked<'_>) -> Result<Option<Vec<Vec<u8>>>, NotExported> {
        let inexpressible = |what: &str| NotExported::Inexpressible(format!("as {}: {what}", self.mapping.to.title));
        let entries = || asked.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
        if entries().all(|entry| asked.expected(&entry.name).is_none()) {
            return Ok(None);
        }
        let Said { descriptor, inputs } = &self.said;
        let inputs: Vec<(&str, &[u8])> = inputs.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        let found = self.mapping.to.definition.evaluate(descriptor, &inputs);
        let found = found.map_err(|_| inexpressible("it has no answer"))?.outputs;
        let back = self.mapping.back(&asked.descriptor, &self.said, &found);
        let back = back.map_err(|_| inexpressible("its answer is none of the case"))?;
        for entry in entries() {
            let Some(expected) = asked.expected(&entry.name) else { continue };
            let output = back.iter().find(|output| output.name == entry.name);
            let output = output.ok_or_else(|| inexpressible("its answer is none of the case"))?;
            let width = entry.tensor.data_type.bytes();
            let elements = output.bytes.chunks_exact(width).zip(expected.bytes.chunks_exact(width)).enumerate();
            for (at, (found, expected_one)) in elements.filter(|(at, _)| expected.is_defined(*at)) {
                if output.open_at(at).is_some() {
                    return Err(inexpressible("it leaves open what the case expects"));
                }
                if found != expected_one {
                    return Err(inexpressible("it comes to something else than the case expects"));
                }
            }
        }
        let is_whole = found.iter().all(|output| output.open.iter().all(Option::is_none));
        Ok(is_whole.then(|| found.into_iter().map(|output| output.bytes).collect()))
    }

    /// The sizes of an output, where they follow from values and came out as others.
    pub(crate) fn resize(&mut self, name: &str, sizes: Vec<u64>) {
        if let Some(entry) = self.said.descriptor.tensors.iter_mut().find(|entry| entry.name == name) {
            entry.tensor.sizes = sizes;
        }
    }

    /// The memory of the case's outputs, by the elements of the operator's.
    ///
    /// # Errors
    ///
    /// What of it is none of theirs.
    pub(crate) fn back(&self, descriptor: &Descriptor, found: Vec<Vec<u8>>) -> Result<OutputMemory, Fault> {
        let outputs = self.outputs().zip(found).map(|(entry, bytes)| Output::known(&entry.name, bytes));
        let outputs: Vec<Output> = outputs.collect();
        let back = self.mapping.back(descriptor, &self.said, &outputs).map_err(Fault::Failed)?;
        let entries = descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
        let memory = entries.map(|entry| {
            let output = back.iter().find(|output| output.name == entry.name);
            let missing = || Fault::Failed(format!("nothing comes back for `{}`", entry.name));
            output.map(|output| output.bytes.clone()).ok_or_else(missing)
        });
        memory.collect()
    }
}
