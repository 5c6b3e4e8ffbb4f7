//! What is compiled, which of the loops runs, and where an index is the answer, its dispatch.

use std::ops::Range;

use opcert_backend::{CompileError, DataType, Descriptor, Fault, Input, Operator, Output};
use opcert_refusals::{Extreme, Nan, Reduction, Tie};

use crate::argmax::nest::{self, Nest};
use crate::argmax::plain::Plain;
use crate::argmax::short_rows::Room;
use crate::element::{Floats, FloatsAboveNan, Integers, Key, Order, Word};
use crate::instructions::Instructions;
use crate::memory::{Binding, store};
use crate::strided::{Dimension, Layout, Walk, coalesce, joined, positions};

/// Up to as many elements the loops around a kernel cost more than they save.
const FEW: usize = 64;

/// A compiled search for extremes whose answers are indices.
#[derive(Debug)]
pub(crate) struct ArgMaxOperator {
    input: Binding,
    output: Binding,
    search: Search,
}

/// A search for the indices of extremes, whatever is done with them.
#[derive(Debug)]
pub(super) struct Search {
    input_type: DataType,
    places: Places,
    tie: Tie,
    extreme: Extreme,
    nan: Nan,
    instructions: Instructions,
    loops: Loops,
}

#[derive(Debug)]
enum Loops {
    Nest(Nest),
    Plain(Plain),
}

/// How an index is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// In 8 bytes instead of 4.
    pub(super) wide: bool,
}

/// What was found in each subset so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Best<K> {
    /// The greatest key.
    pub(super) keys: Vec<K>,
    /// Its index.
    pub(super) at: Vec<u64>,
    /// Room for a kernel to note positions in.
    pub(super) positions: Vec<K>,
    /// Room for the kernel of short rows.
    pub(super) room: Room<K>,
}

impl ArgMaxOperator {
    /// Prepares a valid descriptor: the output's sizes are the input's, 1 where reduced.
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
        let places = Places { wide: output_tensor.data_type.bytes() == 8 };
        Ok(Self {
            input: input.binding(descriptor, input_name),
            output: output.binding(descriptor, output_name),
            search: Search::new(reduction, &input, &output, places, instructions),
        })
    }
}

impl Operator for ArgMaxOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        self.search.run(self.input.of_input(inputs)?, self.output.of_output(outputs)?);
        Ok(())
    }
}

impl Search {
    /// A search that writes the index of each subset where `indices` says.
    pub(super) fn new(
        reduction: &Reduction,
        input: &Layout,
        indices: &Layout,
        places: Places,
        instructions: Instructions,
    ) -> Self {
        let (kept, reduced) = sides(reduction, input, indices);
        let input_type = reduction.input.1.data_type;
        // Of an empty tensor the other sizes are not bounded by memory: their product might overflow.
        let is_small = input.span == 0 || positions(&kept) * positions(&reduced) <= FEW;
        let nest = (!is_small && !indices.may_overlap(places.bytes()))
            .then(|| Nest::new(input_type.bytes(), kept.clone(), reduced.clone()));
        let plain = || Plain { subsets: Walk::new(kept), members: Walk::new(reduced) };
        Self {
            input_type,
            places,
            tie: reduction.tie,
            extreme: reduction.extreme,
            nan: reduction.nan,
            instructions,
            loops: nest.flatten().map_or_else(|| Loops::Plain(plain()), Loops::Nest),
        }
    }

    /// Writes the index of each subset.
    pub(super) fn run(&mut self, input: &[u8], indices: &mut [u8]) {
        match self.input_type.bytes() {
            1 => self.run_on::<u8>(input, indices),
            2 => self.run_on::<u16>(input, indices),
            4 => self.run_on::<u32>(input, indices),
            _ => self.run_on::<u64>(input, indices),
        }
    }

    fn run_on<W: Word>(&mut self, input: &[u8], indices: &mut [u8]) {
        match Floats::<W>::new(self.input_type, self.extreme) {
            Some(order) if self.is_nan_last() => self.reduce(FloatsAboveNan(order), input, indices),
            Some(order) => self.reduce(order, input, indices),
            None => self.reduce(Integers::<W>::new(self.input_type, self.extreme), input, indices),
        }
    }

    /// Whether a NaN wins only where there is nothing else.
    fn is_nan_last(&self) -> bool {
        match self.nan {
            Nan::Open => false,
            Nan::Greatest => self.extreme == Extreme::Least,
            Nan::Least => self.extreme == Extreme::Greatest,
        }
    }

    fn reduce<O: Order>(&mut self, order: O, input: &[u8], indices: &mut [u8]) {
        let Self { tie, instructions, places, .. } = *self;
        match &mut self.loops {
            Loops::Nest(nest) => nest.reduce(&nest::Reduction { order, tie, instructions, places }, input, indices),
            Loops::Plain(plain) => plain.reduce(order, tie, input, indices, places),
        }
    }
}

/// The dimensions that are kept, of the input and of what is answered, and those that are reduced, of the input.
pub(super) fn sides(reduction: &Reduction, input: &Layout, answer: &Layout) -> (Vec<Dimension<2>>, Vec<Dimension<1>>) {
    let select = |layout: &Layout, reduced: bool| {
        let dimensions = layout.dimensions.iter().zip(&reduction.reduced);
        dimensions.filter(|(_, is)| **is == reduced).map(|(dimension, _)| *dimension).collect::<Vec<_>>()
    };
    let kept = coalesce(&joined(&select(input, false), &select(answer, false)));
    (kept, coalesce(&select(input, true)))
}

impl Places {
    pub(super) fn bytes(self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    /// Writes an index at byte `place`.
    ///
    /// An INT32 output wraps above 2^31-1 reduced elements; the document does not say what it should do. All other
    /// types hold every index.
    #[inline]
    pub(super) fn store(self, output: &mut [u8], place: usize, index: u64) {
        if self.wide {
            store::<8>(output, place, index);
        } else {
            store::<4>(output, place, index);
        }
    }

    /// Writes indices side by side, as many as `output` holds.
    pub(super) fn store_all(self, output: &mut [u8], indices: &[u64]) {
        if self.wide {
            for (element, index) in u64::elements_mut(output).iter_mut().zip(indices) {
                *element = index.to_bytes();
            }
        } else {
            for (element, index) in u32::elements_mut(output).iter_mut().zip(indices) {
                *element = u32::truncated(*index).to_bytes();
            }
        }
    }
}

/// The positions of a range in the order in which the first of equal keys is the one that counts.
#[inline(always)]
pub(super) fn in_order(range: Range<usize>, tie: Tie) -> impl Iterator<Item = usize> {
    let Range { start, end } = range;
    (start..end).map(move |position| match tie {
        Tie::First => position,
        Tie::Last => start + (end - 1 - position),
    })
}

impl<K: Key> Best<K> {
    /// Begins anew: `at` is the index that counts where all keys are equal.
    pub(super) fn clear(&mut self, subsets: usize, at: u64) {
        self.keys.clear();
        self.keys.resize(subsets, K::LEAST);
        self.at.clear();
        self.at.resize(subsets, at);
        self.positions.resize(subsets, K::NONE);
    }

    /// Takes the next key of a subset into account.
    #[inline(always)]
    pub(super) fn fold(&mut self, subset: usize, key: K, index: u64) {
        if key > self.keys[subset] {
            self.keys[subset] = key;
            self.at[subset] = index;
        }
    }

    /// Takes into account what was found among the next elements.
    pub(super) fn merge(&mut self, next: &Self) {
        for (subset, (&key, &at)) in next.keys.iter().zip(&next.at).enumerate() {
            self.fold(subset, key, at);
        }
    }
}
