//! The ARGMAX kernel.
//!
//! Elements are mapped to keys whose integer order is the order of the values: 64-bit integers compare exactly, -0.0
//! ties with +0.0, and infinities are values like any other. The document leaves NaN open; here NaNs tie above all
//! other values, so that the index is in range whatever the input.

use half::{bf16, f16};
use opcert_backend::operators::ArgMax;
use opcert_backend::{CompileError, DataType, Fault, Input, Operator, Output};
use opcert_refusals::{Reduction, Tie};

use crate::memory::{Binding, load, sign_extended, store};
use crate::strided::{Layout, Walk, joined};

/// A compiled `directml/argmax`.
#[derive(Debug)]
pub(crate) struct ArgMaxOperator {
    input: Binding,
    input_type: DataType,
    output: Binding,
    output_bytes: usize,
    tie: Tie,
    /// Each subset: its first element in the input, and its place in the output.
    subsets: Walk<2>,
    /// The elements of one subset, relative to its first, in row-major order over the reduced dimensions.
    members: Walk<1>,
}

impl ArgMaxOperator {
    /// Prepares a valid descriptor: the output's sizes are the input's, 1 where reduced.
    ///
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(view: &ArgMax<'_>, reduction: &Reduction) -> Result<Self, CompileError> {
        let input = Layout::new("InputTensor", view.input)?;
        let output = Layout::new("OutputTensor", view.output)?;
        let select = |layout: &Layout, reduced: bool| {
            let dimensions = layout.dimensions.iter().zip(&reduction.reduced);
            dimensions.filter(|(_, is)| **is == reduced).map(|(dimension, _)| *dimension).collect::<Vec<_>>()
        };
        Ok(Self {
            input: input.binding("InputTensor"),
            input_type: view.input.data_type,
            output: output.binding("OutputTensor"),
            output_bytes: view.output.data_type.bytes(),
            tie: reduction.tie,
            subsets: Walk::coalesced(&joined(&select(&input, false), &select(&output, false))),
            members: Walk::coalesced(&select(&input, true)),
        })
    }

    fn run<const W: usize>(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let input = self.input.of_input(inputs)?;
        let output = self.output.of_output(outputs)?;
        if let Some(infinity) = infinity(self.input_type) {
            self.reduce::<W, _>(input, output, |element| float_key::<W>(element, infinity));
        } else if self.input_type.is_signed_integer() {
            self.reduce::<W, _>(input, output, sign_extended::<W>);
        } else {
            self.reduce::<W, _>(input, output, |element| element);
        }
        Ok(())
    }

    fn reduce<const W: usize, K: Ord>(&mut self, input: &[u8], output: &mut [u8], key: impl Fn(u64) -> K) {
        self.subsets.for_each(|[first, place]| {
            let mut maximum = key(load::<W>(input, first));
            let mut maximum_index = 0u64;
            let mut index = 0u64;
            self.members.for_each(|[offset]| {
                let candidate = key(load::<W>(input, first + offset));
                let wins = match self.tie {
                    Tie::First => candidate > maximum,
                    Tie::Last => candidate >= maximum,
                };
                if wins {
                    maximum = candidate;
                    maximum_index = index;
                }
                index += 1;
            });
            // An INT32 output wraps above 2^31-1 reduced elements; the document does not say what it should do. All
            // other types hold every index.
            match self.output_bytes {
                4 => store::<4>(output, place, maximum_index),
                _ => store::<8>(output, place, maximum_index),
            }
        });
    }
}

impl Operator for ArgMaxOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        match self.input_type.bytes() {
            1 => self.run::<1>(inputs, outputs),
            2 => self.run::<2>(inputs, outputs),
            4 => self.run::<4>(inputs, outputs),
            _ => self.run::<8>(inputs, outputs),
        }
    }
}

/// The bits of positive infinity; `None` for integers.
const fn infinity(data_type: DataType) -> Option<u64> {
    match data_type {
        DataType::F64 => Some(f64::INFINITY.to_bits()),
        DataType::F32 => Some(f32::INFINITY.to_bits() as u64),
        DataType::F16 => Some(f16::INFINITY.to_bits() as u64),
        DataType::BF16 => Some(bf16::INFINITY.to_bits() as u64),
        _ => None,
    }
}

/// Maps a float of `W` bytes to an integer with the same order. Sign and magnitude make both zeros 0.
const fn float_key<const W: usize>(element: u64, infinity: u64) -> i64 {
    let sign = 1 << (8 * W - 1);
    let magnitude = element & (sign - 1);
    if magnitude > infinity {
        i64::MAX
    } else if element & sign == 0 {
        magnitude.cast_signed()
    } else {
        -magnitude.cast_signed()
    }
}
