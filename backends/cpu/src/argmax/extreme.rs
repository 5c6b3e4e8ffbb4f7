//! Where the element itself is the answer: its index is found first, and what stands there is copied, bit for bit.

use opcert_backend::{CompileError, Descriptor, Fault, Input, Operator, Output};
use opcert_refusals::Reduction;

use crate::argmax::operator::{Places, Search, sides};
use crate::instructions::Instructions;
use crate::memory::{Binding, load, store};
use crate::strided::{Dimension, Layout, Walk, offsets_at, positions};

/// A compiled search for extremes whose answers are elements.
#[derive(Debug)]
pub(crate) struct ExtremeOperator {
    input: Binding,
    output: Binding,
    search: Search,
    /// How an index is noted.
    places: Places,
    /// The index that was found in each subset, one after the other; from the first dispatch on.
    indices: Vec<u8>,
    index_bytes: usize,
    /// Where each subset begins, and where its answer stands.
    subsets: Walk<2>,
    /// The dimensions in which the elements of a subset differ.
    members: Vec<Dimension<1>>,
    width: usize,
}

impl ExtremeOperator {
    /// Prepares a valid descriptor: the output's sizes are the input's, 1 where reduced, and its type is the input's.
    ///
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(
        descriptor: &Descriptor,
        reduction: &Reduction,
        instructions: Instructions,
    ) -> Result<Self, CompileError> {
        let Reduction { input: (input_name, input_tensor), output: (output_name, output_tensor), .. } = reduction;
        let input = Layout::new(input_name, input_tensor)?;
        let output = Layout::new(output_name, output_tensor)?;
        let (kept, members) = sides(reduction, &input, &output);
        let places = Places { wide: input.span != 0 && u32::try_from(positions(&members)).is_err() };
        let indices = output.packed(places.bytes()).ok_or_else(|| CompileError::Unsupported {
            reason: format!("`{output_name}` is {output_tensor}, whose indices are more than this machine can address"),
        })?;
        Ok(Self {
            input: input.binding(descriptor, input_name),
            output: output.binding(descriptor, output_name),
            search: Search::new(reduction, &input, &indices, places, instructions),
            places,
            indices: Vec::new(),
            index_bytes: indices.span,
            subsets: Walk::new(kept),
            members,
            width: input_tensor.data_type.bytes(),
        })
    }

    /// Copies what stands at the indices.
    fn copy<const W: usize>(&mut self, input: &[u8], output: &mut [u8]) {
        if self.places.wide {
            self.copy_from::<8, W>(input, output);
        } else {
            self.copy_from::<4, W>(input, output);
        }
    }

    fn copy_from<const I: usize, const W: usize>(&mut self, input: &[u8], output: &mut [u8]) {
        let Self { subsets, members, indices, .. } = self;
        let mut noted = 0;
        subsets.for_each(|[subset, answer]| {
            let [member] = offsets_at(members, load::<I>(indices, noted) as usize);
            noted += I;
            store::<W>(output, answer, load::<W>(input, subset + member));
        });
    }
}

impl Operator for ExtremeOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let input = self.input.of_input(inputs)?;
        let output = self.output.of_output(outputs)?;
        if self.indices.len() != self.index_bytes {
            let room = self.indices.try_reserve_exact(self.index_bytes);
            room.map_err(|_| Fault::OutOfMemory(format!("{} bytes for indices", self.index_bytes)))?;
            self.indices.resize(self.index_bytes, 0);
        }
        self.search.run(input, &mut self.indices);
        match self.width {
            1 => self.copy::<1>(input, output),
            2 => self.copy::<2>(input, output),
            4 => self.copy::<4>(input, output),
            _ => self.copy::<8>(input, output),
        }
        Ok(())
    }
}
