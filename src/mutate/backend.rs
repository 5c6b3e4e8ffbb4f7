//! A backend that answers by a definition, and deviates in one way.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opcert_backend::{
    Backend, CompileError, DataType, Descriptor, Fault, Identity, Input, Operator as Compiled, Output, Support,
    TensorDescriptor,
};

use super::answers::Answers;
use super::wrong::{Altered, Deviation, Filling, Loose, Part, Wrong};
use crate::check::{holds, puts_to_the_test, violations, violations_by};
use crate::definition::{Evaluation, Fault as Undecided, Open, Output as Defined};
use crate::layout::{gather, lay_out};
use crate::spec::Operator;

/// A wrong backend that runs.
#[derive(Clone, Debug)]
pub struct WrongBackend {
    wrong: Arc<Wrong>,
    answers: Arc<Answers>,
    kept: Arc<Mutex<Kept>>,
}

/// What a backend keeps between dispatches, by descriptors as text.
#[derive(Debug, Default)]
struct Kept {
    inputs: HashMap<String, Vec<u8>>,
    outputs: HashMap<String, Arc<Evaluation>>,
}

impl WrongBackend {
    /// The backend, which begins with nothing kept. What is right comes from the answers.
    #[must_use]
    pub fn new(wrong: &Arc<Wrong>, answers: &Arc<Answers>) -> Self {
        Self { wrong: Arc::clone(wrong), answers: Arc::clone(answers), kept: Arc::default() }
    }

    /// The other operator that it answers for.
    fn other(&self) -> Option<&Operator> {
        if let Deviation::Unlike(other) = &self.wrong.deviation { Some(other) } else { None }
    }

    fn is_of_other(&self, descriptor: &Descriptor) -> bool {
        self.other().is_some_and(|other| other.id == descriptor.operator)
    }
}

impl Backend for WrongBackend {
    fn identity(&self) -> Identity {
        let operator = &self.wrong.operator;
        let highest = operator.family.level_name(operator.family.highest());
        let claimed = std::iter::once(&operator.id).chain(self.other().map(|other| &other.id));
        Identity {
            name: self.wrong.name.as_str().into(),
            version: env!("CARGO_PKG_VERSION").into(),
            device: None,
            claims: claimed.map(|id| (id.clone(), highest.to_owned())).collect(),
            strided: true,
            refuses_invalid: true,
        }
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        if descriptor.operator == self.wrong.operator.id || self.is_of_other(descriptor) {
            Support::Yes
        } else {
            Support::No(format!("it answers for `{}` alone", self.wrong.operator.id))
        }
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Compiled>, CompileError> {
        if self.is_of_other(descriptor) {
            let (backend, descriptor) = (self.clone(), descriptor.clone());
            return Ok(Box::new(Dispatching { backend, descriptor, deviates: true, number: 0, first: None }));
        }
        let operator = &self.wrong.operator;
        let level = operator.family.level(&descriptor.level).ok_or_else(|| CompileError::Unsupported {
            reason: format!("`{}` is no level of `{}`", descriptor.level, operator.family.name),
        })?;
        let deviates = self.wrong.condition.holds(descriptor);
        let assumed = self.wrong.assuming(descriptor);
        let descriptor = assumed.as_ref().unwrap_or(descriptor);
        let broken = match &self.wrong.deviation {
            Deviation::Defined(altered) if altered.checks && deviates => {
                violations_by(&altered.definition, operator, descriptor, level)
            }
            _ => violations(operator, descriptor, level),
        };
        let mut broken = broken.into_iter().filter(|each| each.gates).filter(|each| match &self.wrong.deviation {
            Deviation::Accepts(requirement, loose) => {
                let is_let_pass = || match loose {
                    Loose::Always => true,
                    Loose::In(tensor) => matches!(each.part.as_slice(), [_, name, ..] if name == tensor),
                    Loose::Where(check) => holds(check, operator, descriptor, level),
                };
                !deviates || each.requirement != *requirement || !is_let_pass()
            }
            Deviation::AcceptsEverything => !deviates,
            _ => true,
        });
        if let Some(first) = broken.next() {
            return Err(CompileError::Rejected { requirement: Some(first.requirement), reason: first.message });
        }
        let refuses = match &self.wrong.deviation {
            Deviation::Refuses => deviates,
            Deviation::RefusesTests(id) => {
                operator.requirement(id).is_some_and(|each| puts_to_the_test(each, operator, descriptor))
            }
            Deviation::RefusesUnless(check) => !holds(check, operator, descriptor, level),
            _ => false,
        };
        if refuses {
            return Err(CompileError::Rejected { requirement: None, reason: "it is taken for invalid".to_owned() });
        }
        let (backend, descriptor) = (self.clone(), descriptor.clone());
        Ok(Box::new(Dispatching { backend, descriptor, deviates, number: 0, first: None }))
    }
}

/// A compiled operator.
struct Dispatching {
    backend: WrongBackend,
    descriptor: Descriptor,
    deviates: bool,
    /// How many dispatches there were.
    number: u32,
    /// What the first one answered.
    first: Option<Arc<Evaluation>>,
}

impl Compiled for Dispatching {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        self.number += 1;
        let (wrong, deviates) = (Arc::clone(&self.backend.wrong), self.deviates);
        let deviation = if deviates { &wrong.deviation } else { &Deviation::None };
        let given: Vec<(&str, Cow<'_, [u8]>)> =
            inputs.iter().map(|input| (input.name, self.read(input, deviation))).collect();
        let given: Vec<(&str, &[u8])> = given.iter().map(|(name, bytes)| (*name, bytes.as_ref())).collect();
        let answer = self.answer(deviation, &given)?;
        for output in outputs {
            let found = answer.outputs.iter().find(|each| each.name == output.name);
            let found = found.ok_or_else(|| Fault::Failed(format!("nothing says what `{}` holds", output.name)))?;
            let mut elements = found.bytes.clone();
            let before = gather(output.tensor, output.bytes).into_owned();
            self.deviate(deviation, found, output.tensor, (&before, &mut elements));
            if matches!(deviation, Deviation::Packed(name) if name == output.name) {
                let end = elements.len().min(output.bytes.len());
                output.bytes[..end].copy_from_slice(&elements[..end]);
            } else {
                lay_out(output.tensor, &elements, output.bytes);
            }
        }
        Ok(())
    }
}

impl Dispatching {
    /// The elements of an input.
    fn read<'a>(&self, input: &Input<'a>, deviation: &Deviation) -> Cow<'a, [u8]> {
        match deviation {
            Deviation::Packed(name) if name == input.name => {
                let count = input.tensor.element_count().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
                let mut bytes = input.bytes.to_vec();
                bytes.resize(count.saturating_mul(input.tensor.data_type.bytes()), 0);
                Cow::Owned(bytes)
            }
            Deviation::KeptInput(name) if name == input.name => {
                let bytes = || gather(input.tensor, input.bytes).into_owned();
                Cow::Owned(self.kept().inputs.entry(self.shape()).or_insert_with(bytes).clone())
            }
            _ => gather(input.tensor, input.bytes),
        }
    }

    fn answer(&mut self, deviation: &Deviation, given: &[(&str, &[u8])]) -> Result<Arc<Evaluation>, Fault> {
        let answers = Arc::clone(&self.backend.answers);
        let right = || answers.to(&self.descriptor, given).map_err(failed);
        Ok(match deviation {
            Deviation::Defined(altered) => Arc::new(altered.answer(&self.descriptor, given, right)?),
            Deviation::Open { line, filling } => {
                let right = right()?;
                Arc::new(filled(&right, *line, filling, &self.descriptor, given))
            }
            Deviation::Unlike(other) if self.backend.is_of_other(&self.descriptor) => {
                let right = other.definition.evaluate(&self.descriptor, given).map_err(failed)?;
                Arc::new(filled(&right, None, &Filling::One, &self.descriptor, given))
            }
            Deviation::Unlike(_) => {
                let right = right()?;
                Arc::new(filled(&right, None, &Filling::Zeros, &self.descriptor, given))
            }
            Deviation::KeptOutputs => {
                let found = right()?;
                Arc::clone(self.kept().outputs.entry(self.shape()).or_insert(found))
            }
            Deviation::KeptByOperator => {
                let found = right()?;
                Arc::clone(self.first.get_or_insert(found))
            }
            _ => right()?,
        })
    }

    /// Alters the elements of an output that are about to be written.
    fn deviate(
        &self,
        deviation: &Deviation,
        found: &Defined,
        tensor: &TensorDescriptor,
        (before, elements): (&[u8], &mut [u8]),
    ) {
        let width = tensor.data_type.bytes();
        let defined = |at: usize| found.open_at(at).is_none();
        match deviation {
            Deviation::Unwritten(part) => {
                for at in part.of(elements, tensor, defined) {
                    elements[at * width..][..width].copy_from_slice(&before[at * width..][..width]);
                }
            }
            Deviation::RunsOnce if self.number > 1 => elements.copy_from_slice(before),
            Deviation::Mixed => std::iter::zip(elements, before).for_each(|(byte, before)| *byte ^= before),
            Deviation::Spoiled(part) => {
                part.of(elements, tensor, defined).into_iter().for_each(|at| elements[at * width] ^= 1);
            }
            Deviation::ChangesItsMind if self.number > 1 => {
                Part::First.of(elements, tensor, defined).into_iter().for_each(|at| elements[at * width] ^= 1);
            }
            _ => {}
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.backend.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a backend may take for the same work: everything but the data and the level.
    fn shape(&self) -> String {
        let Descriptor { tensors, attributes, .. } = &self.descriptor;
        format!("{tensors:?} {attributes:?}")
    }
}

impl Part {
    /// The positions of its elements, in logical order. Those that are not defined are nobody's.
    fn of(self, elements: &[u8], tensor: &TensorDescriptor, defined: impl Fn(usize) -> bool) -> Vec<usize> {
        let width = tensor.data_type.bytes();
        let count = elements.len() / width;
        match self {
            Self::First => (0..count).find(|&at| defined(at)).into_iter().collect(),
            Self::Last => (0..count).rev().find(|&at| defined(at)).into_iter().collect(),
            Self::LastRow => {
                let row = tensor.sizes.last().map_or(1, |&size| size as usize);
                (count.saturating_sub(row)..count).collect()
            }
            Self::Rest(block) => (count - count % block as usize..count).collect(),
            Self::Zeros => {
                (0..count).filter(|at| elements[at * width..][..width].iter().all(|byte| *byte == 0)).collect()
            }
            Self::All => (0..count).collect(),
        }
    }
}

impl Altered {
    /// Whether the other definition answers some elements alone.
    pub(super) const fn is_restricted(&self) -> bool {
        self.only.is_some()
    }

    /// Why it cannot be said whether the other definition answers.
    pub(super) fn flaw(&self, descriptor: &Descriptor, given: &[(&str, &[u8])]) -> Option<String> {
        let holds = self.only.as_ref()?.evaluate(descriptor, given);
        holds.err().map(|fault| fault.message)
    }

    /// What comes out where the other definition answers some elements and the right one all others.
    pub(super) fn answer(
        &self,
        descriptor: &Descriptor,
        given: &[(&str, &[u8])],
        right: impl FnOnce() -> Result<Arc<Evaluation>, Fault>,
    ) -> Result<Evaluation, Fault> {
        let Some(only) = &self.only else { return self.definition.evaluate(descriptor, given).map_err(failed) };
        let holds = only.evaluate(descriptor, given).map_err(failed)?;
        let is_wrong = |open: &Option<Open>| *open == Some(Open::Undefined);
        let right = right()?;
        if !holds.outputs.iter().any(|output| output.open.iter().any(is_wrong)) {
            return Ok((*right).clone());
        }
        let other = self.definition.evaluate(descriptor, given).map_err(failed)?;
        let mut outputs = right.outputs.clone();
        for ((output, other), holds) in outputs.iter_mut().zip(&other.outputs).zip(&holds.outputs) {
            let count = output.decided.len();
            let width = output.bytes.len() / count.max(1);
            for at in (0..count).filter(|&at| holds.open.get(at).is_some_and(is_wrong)) {
                output.bytes[at * width..][..width].copy_from_slice(&other.bytes[at * width..][..width]);
                output.open.resize(count, None);
                output.open[at] = other.open_at(at);
            }
        }
        Ok(Evaluation { outputs, passed: right.passed.clone() })
    }
}

/// What a backend says where its definition has no answer.
fn failed(fault: Undecided) -> Fault {
    match fault.other_sizes {
        Some((tensor, sizes)) => Fault::OtherSizes { tensor, sizes },
        None => Fault::Failed(fault.to_string()),
    }
}

/// The right answer, with what a line leaves open filled in.
fn filled(
    right: &Evaluation,
    line: Option<usize>,
    filling: &Filling,
    descriptor: &Descriptor,
    given: &[(&str, &[u8])],
) -> Evaluation {
    let mut filled = right.clone();
    if filled.outputs.iter().all(|output| output.open.is_empty()) {
        return filled;
    }
    // Where the other definition has no answer either, zeros stay.
    let other = if let Filling::Of(definition) = filling { definition.evaluate(descriptor, given).ok() } else { None };
    for (number, output) in filled.outputs.iter_mut().enumerate() {
        let count = output.decided.len();
        let width = output.bytes.len() / count.max(1);
        let data_type = descriptor.tensor(&output.name).map(|tensor| tensor.data_type);
        for at in 0..count {
            if output.open_at(at).is_none() || line.is_some_and(|line| output.decided[at] != line) {
                continue;
            }
            let element = &mut output.bytes[at * width..][..width];
            match filling {
                Filling::Zeros => element.fill(0),
                Filling::One => element[0] = 1,
                Filling::Garbage if data_type == Some(DataType::Bool) => element[0] = 1,
                Filling::Garbage => element.fill(0x6D),
                Filling::Of(_) => {
                    if let Some(other) = &other {
                        element.copy_from_slice(&other.outputs[number].bytes[at * width..][..width]);
                    }
                }
            }
        }
    }
    filled
}
