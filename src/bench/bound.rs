//! Memory for the tensors of a workload, allocated and written to once before anything is measured.

use opcert_backend::{Descriptor, Fault, Input, Operator, Output, Role};

use super::values::not_zero;
use super::workload::Work;

/// What outputs hold before the first dispatch.
const UNTOUCHED: u8 = 0xA5;
/// No workload has more inputs or more outputs.
const MOST_TENSORS: usize = 16;

/// A workload with memory for all its tensors.
#[derive(Debug)]
pub struct Bound {
    /// The descriptor.
    pub descriptor: Descriptor,
    /// The memory of the inputs, filled, in the descriptor's order.
    pub inputs: Vec<Vec<u8>>,
    /// The memory of the outputs, in the descriptor's order. All of it was written to.
    pub outputs: Vec<Vec<u8>>,
    /// How many elements of the inputs are not zero, for an operator that looks for these.
    pub found: u64,
}

impl Bound {
    /// Allocates and fills memory for the tensors of a descriptor, which is the workload's with a level.
    ///
    /// # Errors
    ///
    /// When the memory is not to be had, or there are more tensors than any workload has.
    pub fn new(work: &Work, descriptor: Descriptor, seed: u64) -> Result<Self, Fault> {
        let count = |role: Role| descriptor.tensors.iter().filter(|entry| entry.role == role).count();
        if count(Role::Input).max(count(Role::Output)) > MOST_TENSORS {
            return Err(Fault::Failed(format!("`{}` has more than {MOST_TENSORS} tensors", descriptor.operator)));
        }
        let memory_of = |role: Role, fill: u8| {
            let tensors = descriptor.tensors.iter().filter(move |entry| entry.role == role);
            tensors.map(move |entry| touched(entry.tensor.span_bytes(), fill)).collect::<Result<Vec<_>, Fault>>()
        };
        let (mut inputs, outputs) = (memory_of(Role::Input, 0)?, memory_of(Role::Output, UNTOUCHED)?);
        let types = descriptor.tensors.iter().filter(|entry| entry.role == Role::Input);
        let types = types.map(|entry| entry.tensor.data_type);
        let mut found = 0;
        for ((fill, data_type), memory) in std::iter::zip(&work.inputs, types).zip(&mut inputs) {
            fill.fill(data_type, seed, memory);
            if work.found_rows.is_some() {
                found += not_zero(data_type, memory);
            }
        }
        Ok(Self { descriptor, inputs, outputs, found })
    }

    /// Dispatches once. The arguments are put together for each call, as a caller does who looks at the outputs in
    /// between, and without an allocation, which could take longer than the call.
    ///
    /// # Errors
    ///
    /// What the operator reports.
    pub fn dispatch(&mut self, operator: &mut dyn Operator) -> Result<(), Fault> {
        let Some(any) = self.descriptor.tensors.first() else { return Ok(()) };
        let tensors = |role| self.descriptor.tensors.iter().filter(move |entry| entry.role == role);
        let mut inputs = [Input { name: "", tensor: &any.tensor, bytes: &[] }; MOST_TENSORS];
        for (input, (entry, bytes)) in inputs.iter_mut().zip(tensors(Role::Input).zip(&self.inputs)) {
            *input = Input { name: &entry.name, tensor: &entry.tensor, bytes };
        }
        let nothing = |_| Output { name: "", tensor: &any.tensor, bytes: &mut [], poison: UNTOUCHED };
        let mut outputs: [Output<'_>; MOST_TENSORS] = std::array::from_fn(nothing);
        let count = self.outputs.len();
        for (output, (entry, bytes)) in outputs.iter_mut().zip(tensors(Role::Output).zip(&mut self.outputs)) {
            *output = Output { name: &entry.name, tensor: &entry.tensor, bytes, poison: UNTOUCHED };
        }
        operator.dispatch(&inputs[..self.inputs.len()], &mut outputs[..count])
    }
}

/// Memory in which every byte was written.
fn touched(bytes: Option<u64>, fill: u8) -> Result<Vec<u8>, Fault> {
    let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
    let lacking = || Fault::OutOfMemory(format!("{} bytes for a tensor", bytes.unwrap_or(usize::MAX)));
    let count = bytes.ok_or_else(lacking)?;
    let mut memory = Vec::new();
    memory.try_reserve_exact(count).map_err(|_| lacking())?;
    memory.resize(count, fill);
    Ok(memory)
}
