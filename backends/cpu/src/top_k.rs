//! The first elements of sequences in order, whatever the strides are: each sequence is parted at the last of them, and those in
//! front are sorted.

use opcert_backend::{CompileError, DataType, Descriptor, Fault, Input, Operator, Output};
use opcert_refusals::{Extreme, TopK};

use crate::element::{Floats, Integers, KeyOf, Order, Word};
use crate::memory::{Binding, store};
use crate::strided::{Dimension, Layout, Walk};

/// A compiled `directml/top_k1`.
#[derive(Debug)]
pub(crate) struct TopKOperator {
    input: Binding,
    values: Binding,
    indices: Binding,
    data_type: DataType,
    extreme: Extreme,
    wide_indices: bool,
    /// The size along the axis, and the distance of neighbours there.
    along: Dimension<1>,
    /// How many elements come out of a sequence, and the distances of neighbours in the outputs.
    taken: Dimension<2>,
    /// The first element of each sequence, and those of what comes out of it.
    sequences: Walk<3>,
}

impl TopKOperator {
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(descriptor: &Descriptor, top_k: &TopK<'_>) -> Result<Self, CompileError> {
        let input = Layout::new("InputTensor", top_k.input)?;
        let values = Layout::new("OutputValueTensor", top_k.values)?;
        let indices = Layout::new("OutputIndexTensor", top_k.indices)?;
        let stride = |layout: &Layout, at: usize| layout.dimensions[at].strides[0];
        let sequences = input.dimensions.iter().enumerate().map(|(at, &Dimension { size, strides: [from] })| {
            if at == top_k.axis {
                return Dimension { size: 1, strides: [0; 3] };
            }
            Dimension { size, strides: [from, stride(&values, at), stride(&indices, at)] }
        });
        let strides = [stride(&values, top_k.axis), stride(&indices, top_k.axis)];
        Ok(Self {
            data_type: top_k.input.data_type,
            extreme: top_k.extreme,
            wide_indices: top_k.indices.data_type.bytes() == 8,
            along: input.dimensions[top_k.axis],
            taken: Dimension { size: values.dimensions[top_k.axis].size, strides },
            sequences: Walk::coalesced(&sequences.collect::<Vec<_>>()),
            input: input.binding(descriptor, "InputTensor"),
            values: values.binding(descriptor, "OutputValueTensor"),
            indices: indices.binding(descriptor, "OutputIndexTensor"),
        })
    }

    fn run<W: Word>(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        match Floats::<W>::new(self.data_type, self.extreme) {
            Some(order) => self.run_in(order, inputs, outputs),
            None => self.run_in(Integers::<W>::new(self.data_type, self.extreme), inputs, outputs),
        }
    }

    /// In an order in which what comes first has the greatest key.
    fn run_in<O: Order>(&mut self, order: O, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let Self { sequences, along: Dimension { size, strides: [step] }, taken, wide_indices, .. } = self;
        let (size, step, count, [to_value, to_index]) = (*size, *step, taken.size, taken.strides);
        let input = self.input.of_input(inputs)?;
        let element = |from: usize, at: usize| O::Word::elements(&input[from + at * step..])[0];
        // The indices of what comes out, one sequence after the other.
        let mut chosen: Vec<usize> = Vec::new();
        let mut sequence: Vec<(KeyOf<O>, usize)> = Vec::with_capacity(size);
        let before = |(one, at): &(KeyOf<O>, usize), (other, of_other): &(KeyOf<O>, usize)| {
            other.cmp(one).then(at.cmp(of_other))
        };
        sequences.for_each(|[from, ..]| {
            sequence.clear();
            sequence.extend((0..size).map(|at| (order.key(element(from, at)), at)));
            if count < size {
                sequence.select_nth_unstable_by(count, before);
                sequence.truncate(count);
            }
            sequence.sort_unstable_by(before);
            chosen.extend(sequence.iter().map(|(_, at)| at));
        });
        let values = self.values.of_output(outputs)?;
        let mut of_sequences = chosen.chunks_exact(count);
        sequences.for_each(|[from, to, _]| {
            for (place, &at) in of_sequences.next().into_iter().flatten().enumerate() {
                O::Word::elements_mut(&mut values[to + place * to_value..])[0] = element(from, at);
            }
        });
        let indices = self.indices.of_output(outputs)?;
        let mut of_sequences = chosen.chunks_exact(count);
        sequences.for_each(|[.., to]| {
            for (place, &at) in of_sequences.next().into_iter().flatten().enumerate() {
                let to = to + place * to_index;
                if *wide_indices { store::<8>(indices, to, at as u64) } else { store::<4>(indices, to, at as u64) }
            }
        });
        Ok(())
    }
}

impl Operator for TopKOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        match self.data_type.bytes() {
            1 => self.run::<u8>(inputs, outputs),
            2 => self.run::<u16>(inputs, outputs),
            4 => self.run::<u32>(inputs, outputs),
            _ => self.run::<u64>(inputs, outputs),
        }
    }
}
