//! What other operators come to of which a requirement says that it is the same.

use opcert_backend::{Attempt, Backend, CompileError, Descriptor, Fault, GuardedBuffer, Support};

use super::{OutputMemory, POISONS, inputs};
use crate::check::{ValidCase, violations};
use crate::spec::{Equal, Level};

/// What another operator came to of a case's tensors.
#[derive(Debug)]
pub struct Beside {
    /// The level at which both were dispatched.
    pub level: Level,
    /// The other operator's id.
    pub operator: String,
    /// The memory of each output, in the descriptor's order.
    pub outputs: Result<OutputMemory, Fault>,
}

/// Dispatches the other operators of which a case says that they come to the same, as far as the backend has them.
pub(super) fn beside(case: &ValidCase, level: Level, backend: &dyn Backend) -> Vec<Beside> {
    let family = &case.about.operator.family;
    let equals = case.about.operator.equals_of(&case.descriptor, level);
    let judged = equals.filter(|(equal, _)| case.invariants.iter().any(|(id, _)| *id == equal.requirement));
    // What is invalid for the other operator is not for it to answer.
    let is_valid = |(equal, descriptor): &(&Equal, Descriptor)| {
        !violations(&equal.operator, descriptor, level).iter().any(|violation| violation.gates)
    };
    let judged: Vec<(&Equal, Descriptor)> = judged.filter(is_valid).collect();
    if judged.is_empty() {
        return Vec::new();
    }
    let identity = backend.identity();
    let is_claimed = |(equal, _): &(&Equal, Descriptor)| {
        let claimed = identity.claimed(&equal.operator.id).and_then(|name| family.level(name));
        claimed.is_some_and(|claimed| level <= claimed)
    };
    let asked = judged.into_iter().filter(is_claimed);
    asked.filter_map(|(_, descriptor)| dispatched(case, descriptor, level, backend)).collect()
}

/// Nothing where the backend does not take it.
fn dispatched(case: &ValidCase, descriptor: Descriptor, level: Level, backend: &dyn Backend) -> Option<Beside> {
    let operator = descriptor.operator.clone();
    let of = |outputs| Some(Beside { level, operator, outputs });
    let nothing = || Fault::Failed("nothing came back".to_owned());
    match backend.supports_each(std::slice::from_ref(&descriptor)).pop() {
        Some(Support::Yes) => {}
        Some(Support::No(_)) => return None,
        Some(Support::Broken(fault)) => return of(Err(fault)),
        None => return of(Err(nothing())),
    }
    let lay_out = |poison: u8| inputs::inputs(case, &Vec::new(), poison);
    let attempt = Attempt { descriptor, poisons: &POISONS[..1], inputs: &lay_out };
    match backend.attempt_each(&[attempt]).pop() {
        Some(Err(CompileError::Rejected { .. } | CompileError::Unsupported { .. })) => None,
        Some(Err(CompileError::Fault(fault))) => of(Err(fault)),
        Some(Ok(mut dispatches)) => {
            let bytes = |buffers: Vec<GuardedBuffer>| buffers.into_iter().map(GuardedBuffer::into_bytes).collect();
            of(dispatches.pop().unwrap_or_else(|| Err(nothing())).map(bytes))
        }
        None => of(Err(nothing())),
    }
}
