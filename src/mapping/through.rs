//! A backend that runs operators as others that it has, by mappings.

use std::collections::BTreeMap;
use std::sync::Arc;

use opcert_backend::{
    Attempt, Attempted, Backend, BoundInput, CompileError, Descriptor, Fault, GuardedBuffer, Identity, Input,
    NamedTensor, Operator, Output as Written, Role, Support, broke, guarded_memory, input_fill,
};

use super::{Mapping, Mappings, Said, Unsaid};
use crate::check::violations;
use crate::definition::Output;
use crate::judge::MappedClaim;
use crate::layout::gather;
use crate::near::did_you_mean;
use crate::spec::{Level, Specs};

/// An output in other sizes than follow is asked for where it has at most so many elements for each that the case has, and so
/// many more: memory for anything else is not handed out on a backend's word.
const MOST_MORE: u128 = 64;

/// A backend, and the claims that it meets as other operators of which it claims to have them.
///
/// Valid descriptors with packed tensors are said otherwise, dispatched, and their outputs said back. A backend that is asked so
/// knows nothing of it; nothing that it answers is changed but by the mapping.
pub struct Through {
    native: Arc<dyn Backend>,
    claims: BTreeMap<String, String>,
    ways: BTreeMap<String, Way>,
}

/// How an operator is run as another one.
#[derive(Clone)]
pub struct Way {
    mapping: Arc<Mapping>,
    /// That of the other operator.
    level: Level,
}

/// A claim that cannot be met by way of another operator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{operator}` cannot be run as `{other}`: {reason}")]
pub struct ThroughError {
    operator: String,
    other: String,
    reason: String,
}

impl Through {
    /// The backend with more claims: for each operator the level that is claimed of it, and the operator as which it is run.
    /// Of what the specifications lack nothing is asked.
    ///
    /// # Errors
    ///
    /// The first that has no mapping, or whose other operator is not claimed.
    pub fn new(
        native: Arc<dyn Backend>,
        claims: &BTreeMap<String, (String, String)>,
        (mappings, specs): (&Mappings, &Specs),
    ) -> Result<Self, ThroughError> {
        let identity = native.identity();
        let mut ways = BTreeMap::new();
        for (operator, (_, other)) in claims {
            let error = |reason: String| ThroughError { operator: operator.clone(), other: other.clone(), reason };
            if identity.claimed(operator).is_some() {
                return Err(error("the backend itself claims it".to_owned()));
            }
            let claimed = identity.claimed(other).ok_or_else(|| error(format!("`{other}` is not claimed")))?;
            let (Some(_), Some(to)) = (specs.operator(operator), specs.operator(other)) else { continue };
            let level = to.family.level(claimed).filter(|level| *level >= to.introduced);
            let level = level.ok_or_else(|| error(format!("`{claimed}` is no level at which it exists")))?;
            let mapping = mappings.between(operator, other).filter(|_| operator != other);
            let mapping = Arc::clone(mapping.ok_or_else(|| error("there is no mapping".to_owned()))?);
            ways.insert(operator.clone(), Way { mapping, level });
        }
        let claims = claims.iter().map(|(operator, (level, _))| (operator.clone(), level.clone())).collect();
        Ok(Self { native, claims, ways })
    }

    /// The claims of which `text` speaks, `FROM=TO`: an operator and the one as which it is run, or families, of which all are
    /// meant for which there is a mapping and that the backend does not claim itself. Each is claimed at the highest level.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, or that nothing comes of it.
    pub fn claims(
        text: &str,
        identity: &Identity,
        (mappings, specs): (&Mappings, &Specs),
    ) -> Result<BTreeMap<String, (String, String)>, String> {
        let example = "`directml=onnx` for instance, or an operator on both sides";
        let (from, to) = text.split_once('=').ok_or_else(|| format!("it is no `FROM=TO`: {example}"))?;
        let operators = specs.operators.iter().filter(|operator| operator.id == from || operator.family.name == from);
        let mut claims = BTreeMap::new();
        for operator in operators {
            let is_named = operator.id == from;
            if !is_named && identity.claimed(&operator.id).is_some() {
                continue;
            }
            let other = match to.contains('/') {
                true => Some(to).filter(|to| is_named || mappings.between(&operator.id, to).is_some()),
                false => mappings.into_family(&operator.id, to).map(|mapping| mapping.to.id.as_str()),
            };
            let level = operator.family.level_name(operator.family.highest()).to_owned();
            if let Some(other) = other.filter(|other| *other != operator.id) {
                claims.insert(operator.id.clone(), (level, other.to_owned()));
            }
        }
        if claims.is_empty() {
            let families = specs.families().map(|family| family.name.as_str());
            let operators = specs.operators.iter().map(|operator| operator.id.as_str());
            let names: Vec<&str> = families.chain(operators).collect();
            let known = [from, to].into_iter().find(|name| !names.contains(name));
            return Err(known.map_or_else(
                || format!("no mapping leads from `{from}` to `{to}` for what the backend does not claim itself"),
                |name| format!("`{name}` is not specified{}; {example}", did_you_mean(name, names.iter().copied())),
            ));
        }
        Ok(claims)
    }

    /// Which of the claims are met as other operators, as a log says it.
    #[must_use]
    pub fn mapped(&self) -> BTreeMap<String, MappedClaim> {
        let claim = |Way { mapping, level }: &Way| MappedClaim {
            operator: mapping.to.id.clone(),
            level: mapping.to.family.level_name(*level).to_owned(),
            mapping: mapping.digest.clone(),
        };
        self.ways.iter().map(|(operator, way)| (operator.clone(), claim(way))).collect()
    }
}

impl Backend for Through {
    fn identity(&self) -> Identity {
        let mut identity = self.native.identity();
        identity.claims.extend(self.claims.clone());
        identity
    }

    fn operators(&self) -> Option<Vec<String>> {
        let native = self.native.operators()?;
        Some(native.into_iter().chain(self.claims.keys().cloned()).collect())
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        let mut answers = self.supports_each(std::slice::from_ref(descriptor));
        answers.pop().unwrap_or_else(|| Support::Broken(Fault::Failed("the question was not answered".to_owned())))
    }

    fn supports_each(&self, descriptors: &[Descriptor]) -> Vec<Support> {
        let said = descriptors.iter().map(|descriptor| match self.ways.get(&descriptor.operator) {
            Some(way) => way.described(descriptor),
            None => Ok(descriptor.clone()),
        });
        let said: Vec<Result<Descriptor, String>> = said.collect();
        let asked: Vec<Descriptor> = said.iter().flatten().cloned().collect();
        let mut answers = self.native.supports_each(&asked).into_iter();
        let unanswered = || Support::Broken(Fault::Failed("the question was not answered".to_owned()));
        let answer = |said: Result<Descriptor, String>| match said {
            Ok(_) => answers.next().unwrap_or_else(unanswered),
            Err(reason) => Support::No(reason),
        };
        said.into_iter().map(answer).collect()
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let Some(way) = self.ways.get(&descriptor.operator) else { return self.native.compile(descriptor) };
        drop(self.native.compile(&way.described(descriptor).map_err(unsupported)?)?);
        let (native, way, descriptor) = (Arc::clone(&self.native), way.clone(), descriptor.clone());
        Ok(Box::new(Mapped { native, way, descriptor }))
    }

    fn attempt_each(&self, attempts: &[Attempt<'_>]) -> Vec<Attempted> {
        if attempts.iter().all(|attempt| !self.ways.contains_key(&attempt.descriptor.operator)) {
            return self.native.attempt_each(attempts);
        }
        let mut attempted = Vec::with_capacity(attempts.len());
        for attempt in attempts {
            let made = match self.ways.get(&attempt.descriptor.operator) {
                Some(way) => way.attempt(&*self.native, attempt),
                None => alone(&*self.native, attempt),
            };
            let is_broken = attempt.is_broken(&made);
            attempted.push(made);
            if is_broken {
                break;
            }
        }
        attempted
    }
}

/// An operator that is run as another one, which is compiled at each dispatch: what it is may follow from data.
struct Mapped {
    native: Arc<dyn Backend>,
    way: Way,
    descriptor: Descriptor,
}

impl Operator for Mapped {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Written<'_>]) -> Result<(), Fault> {
        let entries = self.descriptor.tensors.iter().filter(|entry| entry.role == Role::Input);
        let entries: Vec<&NamedTensor> = entries.collect();
        let bound = |poison: u8| -> Result<Vec<BoundInput<'_>>, Fault> {
            let bind = |(entry, input): (&&NamedTensor, &Input<'_>)| filled(entry, input.bytes, poison);
            std::iter::zip(&entries, inputs).map(|pair| Ok((*pair.0, bind(pair)?))).collect()
        };
        let poisons = [outputs.first().map_or(0, |output| output.poison)];
        let attempt = Attempt { descriptor: self.descriptor.clone(), poisons: &poisons, inputs: &bound };
        let mut dispatched = self.way.attempt(&*self.native, &attempt).map_err(|error| match error {
            CompileError::Fault(fault) => fault,
            other => Fault::Failed(other.to_string()),
        })?;
        let found = dispatched.pop().unwrap_or_else(|| Err(nothing_came()))?;
        for (output, found) in outputs.iter_mut().zip(found) {
            let found = found.bytes();
            output.bytes[..found.len()].copy_from_slice(found);
        }
        Ok(())
    }
}

impl Way {
    /// The way by which a log says that an operator was run.
    ///
    /// # Errors
    ///
    /// Where there is another mapping here or none, or no such level.
    pub fn of(operator: &str, claim: &MappedClaim, mappings: &Mappings) -> Result<Self, String> {
        let MappedClaim { operator: other, level, mapping: stated } = claim;
        let mapping = mappings.between(operator, other);
        let found = mapping.map_or("no such mapping", |mapping| mapping.digest.as_str());
        let Some(mapping) = mapping.filter(|mapping| mapping.digest == *stated) else {
            return Err(format!("the mapping from `{operator}` to `{other}` is {stated} there, and {found} here"));
        };
        let known = mapping.to.family.level(level);
        let level = known.ok_or_else(|| format!("`{level}` is no level of `{other}`"))?;
        Ok(Self { mapping: Arc::clone(mapping), level })
    }

    /// The descriptor of the other operator.
    ///
    /// # Errors
    ///
    /// Why there is none: a backend is not asked then.
    pub fn described(&self, descriptor: &Descriptor) -> Result<Descriptor, String> {
        let Mapping { from, to, .. } = &*self.mapping;
        let level = from.family.level(&descriptor.level).ok_or_else(|| format!("no level `{}`", descriptor.level))?;
        if let Some(broken) = violations(from, descriptor, level).iter().find(|each| each.gates) {
            return Err(format!(
                "a mapping is of valid descriptors, and here {} [{}]",
                broken.message, broken.requirement
            ));
        }
        if let Some(entry) = descriptor.tensors.iter().find(|entry| !entry.tensor.is_packed()) {
            return Err(format!("a mapping is of packed tensors, and `{}` is strided", entry.name));
        }
        let said = self.mapping.planned(descriptor, self.level).map_err(|unsaid| self.unsaid(&unsaid))?;
        match violations(to, &said, self.level).iter().find(|each| each.gates) {
            Some(broken) => {
                let (operator, level) = (&to.id, to.family.level_name(self.level));
                Err(format!("as `{operator}` of {level}, {} [{}]", broken.message, broken.requirement))
            }
            None => Ok(said),
        }
    }

    fn unsaid(&self, unsaid: &Unsaid) -> String {
        format!("as `{}`, {unsaid}", self.mapping.to.id)
    }

    /// Makes an attempt as one of the other operator.
    fn attempt(&self, native: &dyn Backend, attempt: &Attempt<'_>) -> Attempted {
        if attempt.poisons.is_empty() {
            let descriptor = self.described(&attempt.descriptor).map_err(unsupported)?;
            return alone(native, &Attempt { descriptor, poisons: &[], inputs: &|_| Ok(Vec::new()) });
        }
        let said = attempt.poisons.iter().map(|&poison| self.said(attempt, poison));
        let said: Vec<Said> = said.collect::<Result<_, CompileError>>()?;
        let mut results = Vec::with_capacity(said.len());
        // What follows from data may differ from one dispatch to the next.
        let mut left = said.as_slice();
        while let Some(first) = left.first() {
            let same = left.iter().take_while(|each| each.descriptor == first.descriptor).count();
            let poisons = &attempt.poisons[results.len()..results.len() + same];
            results.extend(self.dispatched(native, attempt, &left[..same], poisons)?);
            if results.last().is_none_or(broke) {
                break;
            }
            left = &left[same..];
        }
        Ok(results)
    }

    /// The data of a dispatch, as those of the other operator.
    fn said(&self, attempt: &Attempt<'_>, poison: u8) -> Result<Said, CompileError> {
        let inputs = (attempt.inputs)(poison).map_err(CompileError::Fault)?;
        let inputs = inputs.iter().map(|(entry, memory)| (entry.name.as_str(), gather(&entry.tensor, memory.bytes())));
        let inputs: Vec<_> = inputs.collect();
        let inputs: Vec<(&str, &[u8])> = inputs.iter().map(|(name, bytes)| (*name, bytes.as_ref())).collect();
        let said = self.mapping.said(&attempt.descriptor, &inputs, self.level);
        said.map_err(|unsaid| unsupported(self.unsaid(&unsaid)))
    }

    /// Dispatches of one descriptor, one for each poison, up to the first one that breaks.
    fn dispatched(&self, native: &dyn Backend, attempt: &Attempt<'_>, said: &[Said], poisons: &[u8]) -> Attempted {
        let Some(Said { descriptor, .. }) = said.first() else { return Ok(Vec::new()) };
        let lay_out = |poison: u8| {
            let place = poisons.iter().position(|each| *each == poison).unwrap_or_default();
            bound(&said[place], poison)
        };
        let asked = Attempt { descriptor: descriptor.clone(), poisons, inputs: &lay_out };
        let dispatched = alone(native, &asked)?;
        let back = |((dispatched, said), &poison): ((Result<Vec<GuardedBuffer>, Fault>, &Said), &u8)| match dispatched {
            Ok(found) => self.back(attempt, said, &found, poison),
            Err(Fault::OtherSizes { tensor, sizes }) => {
                self.in_other_sizes(native, attempt, said, (&tensor, sizes), poison)
            }
            Err(fault) => Err(fault),
        };
        Ok(std::iter::zip(dispatched, said).zip(poisons).map(back).collect())
    }

    /// The outputs where one comes out in other sizes than follow: it is asked for in those.
    fn in_other_sizes(
        &self,
        native: &dyn Backend,
        attempt: &Attempt<'_>,
        said: &Said,
        (tensor, sizes): (&str, Vec<u64>),
        poison: u8,
    ) -> Result<Vec<GuardedBuffer>, Fault> {
        let mut said = said.clone();
        let entry = said.descriptor.tensors.iter_mut().find(|entry| entry.name == tensor);
        let entry = entry.ok_or_else(|| Fault::Protocol(format!("there is no output `{tensor}`")))?;
        entry.tensor.sizes.clone_from(&sizes);
        let elements = |entry: &NamedTensor| entry.tensor.element_count().map_or(u128::MAX, u128::from);
        let known = attempt.descriptor.tensors.iter().map(elements).fold(0, u128::saturating_add);
        if elements(entry) > known.saturating_add(1).saturating_mul(MOST_MORE) {
            return Err(Fault::Failed(format!("`{tensor}` comes out with the sizes {sizes:?}")));
        }
        let poisons = [poison];
        let lay_out = |poison: u8| bound(&said, poison);
        let asked = Attempt { descriptor: said.descriptor.clone(), poisons: &poisons, inputs: &lay_out };
        let found = match alone(native, &asked) {
            Ok(mut dispatched) => dispatched.pop().unwrap_or_else(|| Err(nothing_came()))?,
            Err(CompileError::Fault(fault)) => return Err(fault),
            Err(other) => return Err(Fault::Failed(format!("`{tensor}` comes out with the sizes {sizes:?}: {other}"))),
        };
        self.back(attempt, &said, &found, poison)
    }

    /// The memory of the outputs, by that of the other operator's.
    fn back(
        &self,
        attempt: &Attempt<'_>,
        said: &Said,
        found: &[GuardedBuffer],
        poison: u8,
    ) -> Result<Vec<GuardedBuffer>, Fault> {
        let outputs = said.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
        let outputs = outputs
            .zip(found)
            .map(|(entry, memory)| Output::known(&entry.name, gather(&entry.tensor, memory.bytes()).into_owned()));
        let found: Vec<Output> = outputs.collect();
        let made = self.mapping.back(&attempt.descriptor, said, &found).map_err(Fault::Failed)?;
        let memory = |entry: &NamedTensor| {
            let output = made.iter().find(|output| output.name == entry.name).ok_or_else(nothing_came)?;
            let mut memory = guarded_memory(entry, poison)?;
            memory.bytes_mut()[..output.bytes.len()].copy_from_slice(&output.bytes);
            Ok(memory)
        };
        attempt.outputs().into_iter().map(memory).collect()
    }
}

/// One attempt by itself.
fn alone(native: &dyn Backend, attempt: &Attempt<'_>) -> Attempted {
    let answer = native.attempt_each(&[Attempt {
        descriptor: attempt.descriptor.clone(),
        poisons: attempt.poisons,
        inputs: attempt.inputs,
    }]);
    answer.into_iter().next().unwrap_or_else(|| Err(CompileError::Fault(nothing_came())))
}

/// The inputs of a dispatch.
fn bound(said: &Said, poison: u8) -> Result<Vec<BoundInput<'_>>, Fault> {
    let bind = |(name, elements): &(String, Vec<u8>)| {
        let entry = said.descriptor.tensors.iter().find(|entry| entry.name == *name).ok_or_else(nothing_came)?;
        Ok((entry, filled(entry, elements, poison)?))
    };
    said.inputs.iter().map(bind).collect()
}

/// Memory for an input with its elements.
fn filled(entry: &NamedTensor, elements: &[u8], poison: u8) -> Result<GuardedBuffer, Fault> {
    let mut memory = guarded_memory(entry, input_fill(poison))?;
    let bytes = memory.bytes_mut();
    let length = elements.len().min(bytes.len());
    bytes[..length].copy_from_slice(&elements[..length]);
    Ok(memory)
}

fn unsupported(reason: String) -> CompileError {
    CompileError::Unsupported { reason }
}

fn nothing_came() -> Fault {
    Fault::Failed("nothing came back".to_owned())
}
