//! What backends answer to the samples that show differences.

use opcert_backend::{
    Attempt, Backend, BoundInput, CompileError, Descriptor, Fault, GuardedBuffer, Identity, Role, Support,
    guarded_memory, input_fill,
};

use super::search::{Answered, Found, Witness, of_outputs};
use crate::definition::Output;
use crate::run::POISONS;
use crate::spec::{Operator, Specs};

/// Asks backends that claim an operator themselves for what they make of it. One that does not support a sample says nothing.
pub fn confirm(found: &mut [Found], backends: &[&dyn Backend], specs: &Specs) {
    let backends: Vec<(Identity, &dyn Backend)> = backends.iter().map(|each| (each.identity(), *each)).collect();
    for Witness { descriptor, inputs, said, from_ran, to_ran, .. } in found.iter_mut().map(|each| &mut each.witness) {
        let given = inputs.iter().map(|input| (input.name.clone(), input.data.elements().into_owned()));
        let given: Vec<(String, Vec<u8>)> = given.collect();
        let ask = |descriptor: &Descriptor, inputs: &[(String, Vec<u8>)]| {
            let asked = backends.iter().filter_map(|(identity, backend)| {
                let answer = answer(identity, *backend, (descriptor, inputs), specs)?;
                Some(Answered { backend: identity.to_string(), answer })
            });
            asked.collect::<Vec<_>>()
        };
        *from_ran = ask(descriptor, &given);
        *to_ran = said.as_ref().map_or_else(Vec::new, |said| ask(&said.descriptor, &said.inputs));
    }
}

fn answer(
    identity: &Identity,
    backend: &dyn Backend,
    (descriptor, inputs): (&Descriptor, &[(String, Vec<u8>)]),
    specs: &Specs,
) -> Option<String> {
    let operator: &Operator = specs.operator(&descriptor.operator)?;
    let level = |name: &str| operator.family.level(name);
    let claimed = identity.claimed(&operator.id).and_then(level)?;
    if level(&descriptor.level)? > claimed {
        return None;
    }
    match backend.supports_each(std::slice::from_ref(descriptor)).pop()? {
        Support::Yes => {}
        Support::No(_) => return None,
        Support::Broken(fault) => return Some(fault.to_string()),
    }
    let lay_out = |poison: u8| -> Result<Vec<BoundInput<'_>>, Fault> {
        let entries = descriptor.tensors.iter().filter(|entry| entry.role == Role::Input);
        let bound = entries.map(|entry| {
            let mut memory = guarded_memory(entry, input_fill(poison))?;
            if let Some((_, elements)) = inputs.iter().find(|(name, _)| *name == entry.name) {
                memory.bytes_mut()[..elements.len()].copy_from_slice(elements);
            }
            Ok((entry, memory))
        });
        bound.collect()
    };
    let attempt = Attempt { descriptor: descriptor.clone(), poisons: &POISONS[..1], inputs: &lay_out };
    match backend.attempt_each(&[attempt]).pop()? {
        Ok(mut dispatched) => Some(match dispatched.pop()? {
            Ok(memory) => rendered(operator, descriptor, memory),
            Err(fault) => fault.to_string(),
        }),
        Err(CompileError::Unsupported { .. }) => None,
        Err(error) => Some(error.to_string()),
    }
}

fn rendered(operator: &Operator, descriptor: &Descriptor, memory: Vec<GuardedBuffer>) -> String {
    let entries = descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
    let outputs = entries.zip(memory).map(|(entry, memory)| Output::known(&entry.name, memory.into_bytes()));
    of_outputs(operator, descriptor, &outputs.collect::<Vec<_>>())
}
