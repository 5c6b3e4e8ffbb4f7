//! What is asked of a backend about one descriptor: to compile it, and to dispatch it some times.

use crate::contain::contain;
use crate::dispatch::{BoundInput, guarded_dispatch};
use crate::{Backend, CompileError, Descriptor, Fault, GuardedBuffer, NamedTensor, Operator, Role};

/// A descriptor to be compiled, and dispatched once per poison.
pub struct Attempt<'a> {
    /// What is compiled.
    pub descriptor: Descriptor,
    /// The bytes that the outputs are filled with before each dispatch.
    pub poisons: &'a [u8],
    /// Lays out the inputs of a dispatch whose outputs are filled with a poison. Constant inputs are among them.
    pub inputs: &'a (dyn Fn(u8) -> Result<Vec<BoundInput<'a>>, Fault> + Sync),
}

/// What came of it: the memory of the outputs after each dispatch, up to the first one that broke.
pub type Attempted = Result<Vec<Result<Vec<GuardedBuffer>, Fault>>, CompileError>;

/// Whether a dispatch broke. That other sizes came out is an answer.
pub fn broke<T>(dispatched: &Result<T, Fault>) -> bool {
    matches!(dispatched, Err(fault) if !matches!(fault, Fault::OtherSizes { .. }))
}

impl Attempt<'_> {
    /// The outputs.
    #[must_use]
    pub fn outputs(&self) -> Vec<&NamedTensor> {
        self.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output).collect()
    }

    /// Makes it, in this process. A panic, in a destructor too, becomes a fault.
    ///
    /// # Errors
    ///
    /// When the descriptor does not compile.
    pub fn make<B: Backend + ?Sized>(&self, backend: &B) -> Attempted {
        let attempted = contain(|| self.dispatch(backend.compile(&self.descriptor)?));
        attempted.unwrap_or_else(|fault| Err(CompileError::Fault(fault)))
    }

    /// Whether it came to no end where it was to be dispatched. To be refused where it is only compiled is an end.
    #[must_use]
    pub fn is_broken(&self, attempted: &Attempted) -> bool {
        !self.poisons.is_empty() && attempted.as_ref().map_or(true, |runs| runs.iter().any(broke))
    }

    /// Dispatches once per poison. Once it broke, the rest is left: a hang would cost its time again each time. An
    /// operator that breaks when it is dropped has spoiled what came before.
    fn dispatch(&self, mut operator: Box<dyn Operator>) -> Attempted {
        let mut results = Vec::with_capacity(self.poisons.len());
        for &poison in self.poisons {
            let inputs = (self.inputs)(poison);
            results.push(inputs.and_then(|inputs| guarded_dispatch(&mut *operator, &inputs, &self.outputs(), poison)));
            if results.last().is_some_and(broke) {
                break;
            }
        }
        match contain(|| drop(operator)) {
            Ok(()) => Ok(results),
            Err(fault) if self.poisons.is_empty() => Err(CompileError::Fault(fault)),
            Err(fault) => Ok(vec![Err(fault)]),
        }
    }
}
