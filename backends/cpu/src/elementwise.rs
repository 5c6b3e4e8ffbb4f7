//! Elements that are worked out each by itself, whatever the strides are: one loop for all functions, types and layouts.

use std::cmp::Ordering;

use half::{bf16, f16};
use opcert_backend::{CompileError, DataType, Descriptor, Fault, Input, Operator, Output};
use opcert_refusals::{Elementwise, Function};

use crate::element::Word;
use crate::memory::{Binding, sign_extended};
use crate::strided::{Dimension, Layout, Walk};

/// The most inputs.
const INPUTS: usize = 3;
/// So many elements are read before the first of their results is written.
const TOGETHER: usize = 256;

/// A compiled function of the elements in one place.
#[derive(Debug)]
pub(crate) struct ElementwiseOperator {
    function: Function,
    /// The type of what is compared and tested, which is that of the first input if there is one.
    data_type: DataType,
    /// Each input with the bytes of its elements.
    inputs: Vec<(Binding, usize)>,
    output: (Binding, usize),
    /// Where the elements of the inputs stand, and behind them that of the output. An input that is not there stands at 0.
    elements: Walk<{ INPUTS + 1 }>,
}

impl ElementwiseOperator {
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when a tensor cannot be addressed.
    pub(crate) fn new(descriptor: &Descriptor, view: &Elementwise<'_>) -> Result<Self, CompileError> {
        let layouts = view.inputs.iter().map(|(name, tensor)| Layout::new(name, tensor));
        let layouts = layouts.collect::<Result<Vec<_>, _>>()?;
        let output = Layout::new("OutputTensor", view.output)?;
        let elements = output.dimensions.iter().enumerate().map(|(at, &Dimension { size, strides: [to] })| {
            let stride = |input: usize| layouts.get(input).map_or(0, |layout| layout.dimensions[at].strides[0]);
            Dimension { size, strides: [stride(0), stride(1), stride(2), to] }
        });
        let elements = elements.collect::<Vec<_>>();
        let inputs = view.inputs.iter().zip(&layouts);
        let inputs =
            inputs.map(|((name, tensor), layout)| (layout.binding(descriptor, name), tensor.data_type.bytes()));
        Ok(Self {
            function: view.function,
            data_type: view.inputs.first().map_or(view.output, |(_, tensor)| tensor).data_type,
            inputs: inputs.collect(),
            output: (output.binding(descriptor, "OutputTensor"), view.output.data_type.bytes()),
            elements: Walk::coalesced(&elements),
        })
    }

    fn run(
        &mut self,
        inputs: &[Input<'_>],
        outputs: &mut [Output<'_>],
        function: impl Fn([u64; INPUTS]) -> u64,
    ) -> Result<(), Fault> {
        let mut from: [(&[u8], usize); INPUTS] = [(&[], 0); INPUTS];
        for (bound, (binding, bytes)) in from.iter_mut().zip(&self.inputs) {
            *bound = (binding.of_input(inputs)?, *bytes);
        }
        let (binding, bytes) = self.output;
        let output = binding.of_output(outputs)?;
        let mut elements = [[0; TOGETHER]; INPUTS];
        let mut results = [0; TOGETHER];
        self.elements.for_each_run(|_, run| {
            let Dimension { size, strides } = run.inner();
            for first in (0..size).step_by(TOGETHER) {
                let number = TOGETHER.min(size - first);
                let offsets = run.offsets_at(first);
                for (input, &(memory, bytes)) in from.iter().enumerate() {
                    read(memory, (offsets[input], strides[input]), bytes, &mut elements[input][..number]);
                }
                for (at, result) in results[..number].iter_mut().enumerate() {
                    *result = function([elements[0][at], elements[1][at], elements[2][at]]);
                }
                write(output, (offsets[INPUTS], strides[INPUTS]), bytes, &results[..number]);
            }
        });
        Ok(())
    }
}

/// The elements of so many bytes from an offset on, at a distance from each other. Nothing where there is no such tensor.
fn read(memory: &[u8], (first, stride): (usize, usize), bytes: usize, into: &mut [u64]) {
    fn each<W: Word + Into<u64>>(memory: &[u8], first: usize, stride: usize, into: &mut [u64]) {
        if stride == W::BYTES {
            let elements = W::elements(&memory[first..first + into.len() * stride]);
            into.iter_mut().zip(elements).for_each(|(element, &bytes)| *element = W::from_bytes(bytes).into());
        } else {
            for (at, element) in into.iter_mut().enumerate() {
                *element = W::from_bytes(W::elements(&memory[first + at * stride..])[0]).into();
            }
        }
    }
    match bytes {
        0 => {}
        1 => each::<u8>(memory, first, stride, into),
        2 => each::<u16>(memory, first, stride, into),
        4 => each::<u32>(memory, first, stride, into),
        _ => each::<u64>(memory, first, stride, into),
    }
}

fn write(memory: &mut [u8], (first, stride): (usize, usize), bytes: usize, elements: &[u64]) {
    fn each<W: Word>(memory: &mut [u8], first: usize, stride: usize, elements: &[u64]) {
        if stride == W::BYTES {
            let places = W::elements_mut(&mut memory[first..first + elements.len() * stride]);
            places.iter_mut().zip(elements).for_each(|(place, &element)| *place = W::truncated(element).to_bytes());
        } else {
            for (at, &element) in elements.iter().enumerate() {
                W::elements_mut(&mut memory[first + at * stride..])[0] = W::truncated(element).to_bytes();
            }
        }
    }
    match bytes {
        1 => each::<u8>(memory, first, stride, elements),
        2 => each::<u16>(memory, first, stride, elements),
        4 => each::<u32>(memory, first, stride, elements),
        _ => each::<u64>(memory, first, stride, elements),
    }
}

/// The order of two elements by their values; none where one of them is NaN.
fn order(data_type: DataType, one: u64, other: u64) -> Option<Ordering> {
    // Every narrower float has its value in 64 bits.
    let float = |bits: u64| match data_type {
        DataType::F64 => f64::from_bits(bits),
        DataType::F32 => f32::from_bits(bits as u32).into(),
        DataType::BF16 => bf16::from_bits(bits as u16).into(),
        _ => f16::from_bits(bits as u16).into(),
    };
    let signed = |bits: u64| match data_type.bytes() {
        1 => sign_extended::<1>(bits),
        2 => sign_extended::<2>(bits),
        4 => sign_extended::<4>(bits),
        _ => sign_extended::<8>(bits),
    };
    if data_type.is_float() {
        float(one).partial_cmp(&float(other))
    } else if data_type.is_signed_integer() {
        Some(signed(one).cmp(&signed(other)))
    } else {
        Some(one.cmp(&other))
    }
}

fn shifted(bits: u64, by: u64, shift: fn(u64, u32) -> Option<u64>) -> u64 {
    u32::try_from(by).ok().and_then(|by| shift(bits, by)).unwrap_or(0)
}

/// The bits of the infinity above 0, and that of the sign; none of them where the type has no infinity.
fn infinity(data_type: DataType) -> (u64, u64) {
    match data_type {
        DataType::F64 => (f64::INFINITY.to_bits(), 1 << 63),
        DataType::F32 => (f32::INFINITY.to_bits().into(), 1 << 31),
        DataType::F16 => (f16::INFINITY.to_bits().into(), 1 << 15),
        DataType::BF16 => (bf16::INFINITY.to_bits().into(), 1 << 15),
        _ => (u64::MAX, 0),
    }
}

impl Operator for ElementwiseOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let data_type = self.data_type;
        let (infinity, sign) = infinity(data_type);
        match self.function {
            Function::Equals => {
                self.run(inputs, outputs, |[a, b, _]| (order(data_type, a, b) == Some(Ordering::Equal)).into())
            }
            Function::Greater => {
                self.run(inputs, outputs, |[a, b, _]| (order(data_type, a, b) == Some(Ordering::Greater)).into())
            }
            Function::Less => {
                self.run(inputs, outputs, |[a, b, _]| (order(data_type, a, b) == Some(Ordering::Less)).into())
            }
            Function::GreaterOrEqual => {
                self.run(inputs, outputs, |[a, b, _]| order(data_type, a, b).is_some_and(Ordering::is_ge).into())
            }
            Function::LessOrEqual => {
                self.run(inputs, outputs, |[a, b, _]| order(data_type, a, b).is_some_and(Ordering::is_le).into())
            }
            Function::And => self.run(inputs, outputs, |[a, b, _]| (a != 0 && b != 0).into()),
            Function::Or => self.run(inputs, outputs, |[a, b, _]| (a != 0 || b != 0).into()),
            Function::Xor => self.run(inputs, outputs, |[a, b, _]| ((a != 0) != (b != 0)).into()),
            Function::Not => self.run(inputs, outputs, |[a, ..]| (a == 0).into()),
            Function::IsNan => self.run(inputs, outputs, |[a, ..]| (a & !sign > infinity).into()),
            Function::IsInfinity { positive, negative } => self
                .run(inputs, outputs, |[a, ..]| (positive && a == infinity || negative && a == infinity | sign).into()),
            Function::Max => self
                .run(inputs, outputs, |[a, b, _]| if order(data_type, a, b) == Some(Ordering::Less) { b } else { a }),
            Function::Min => {
                self.run(
                    inputs,
                    outputs,
                    |[a, b, _]| {
                        if order(data_type, a, b) == Some(Ordering::Greater) { b } else { a }
                    },
                )
            }
            // Bits above an element's own are not written.
            Function::BitAnd => self.run(inputs, outputs, |[a, b, _]| a & b),
            Function::BitOr => self.run(inputs, outputs, |[a, b, _]| a | b),
            Function::BitXor => self.run(inputs, outputs, |[a, b, _]| a ^ b),
            Function::BitNot => self.run(inputs, outputs, |[a, ..]| !a),
            Function::BitCount => self.run(inputs, outputs, |[a, ..]| a.count_ones().into()),
            // A shift by all bits or by more gives 0, as do those of a type that has bits to spare.
            Function::ShiftLeft => self.run(inputs, outputs, |[a, by, _]| shifted(a, by, u64::checked_shl)),
            Function::ShiftRight => self.run(inputs, outputs, |[a, by, _]| shifted(a, by, u64::checked_shr)),
            Function::Clip { min, max } => self.run(inputs, outputs, |[a, ..]| {
                let lesser = if order(data_type, a, max) == Some(Ordering::Greater) { max } else { a };
                if order(data_type, min, lesser) == Some(Ordering::Greater) { min } else { lesser }
            }),
            Function::Fill(value) => self.run(inputs, outputs, |_| value),
            Function::If => self.run(inputs, outputs, |[condition, a, b]| if condition != 0 { a } else { b }),
        }
    }
}
