//! A backend that can do one thing, claims that and nothing else, and does it right: `directml/argmax` of packed
//! tensors at feature level 3_0.
//!
//! `tests/conformance.rs` runs every case as a test: those that are claimed pass, and all others are ignored.
//! `tests/certificate.rs` has the command certify it.

use std::collections::BTreeMap;

use opcert_backend::operators::{AXIS_DIRECTION_DECREASING, ArgMax};
use opcert_backend::{Backend, CompileError, DataType, Descriptor, Fault, Identity, Input, Operator, Output, Support};

/// The one operator.
const ARGMAX: &str = "directml/argmax";

/// The backend.
#[derive(Clone, Copy, Debug)]
pub struct SmallBackend;

impl Backend for SmallBackend {
    fn identity(&self) -> Identity {
        Identity {
            name: "small".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            device: None,
            claims: BTreeMap::from([(ARGMAX.to_owned(), "3_0".to_owned())]),
            strided: false,
            refuses_invalid: false,
        }
    }

    fn operators(&self) -> Option<Vec<String>> {
        Some(vec![ARGMAX.to_owned()])
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        match SmallArgMax::of(descriptor) {
            Err(CompileError::Unsupported { reason }) => Support::No(reason),
            _ => Support::Yes,
        }
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        Ok(Box::new(SmallArgMax::of(descriptor)?))
    }
}

/// Reads an element. Every value of the types that 3_0 has is a value of f64 too.
type Read = fn(&[u8]) -> f64;

struct SmallArgMax {
    read: Read,
    dimensions: Vec<Dimension>,
    takes_last: bool,
}

/// What a step along a dimension of the input means.
struct Dimension {
    size: usize,
    /// So many elements of the output are passed; 0 where the dimension is reduced.
    output: usize,
    /// So many of the elements are passed among which a maximum is looked for; 0 where the dimension is kept.
    index: usize,
}

impl SmallArgMax {
    fn of(descriptor: &Descriptor) -> Result<Self, CompileError> {
        let unsupported = |reason: String| CompileError::Unsupported { reason };
        let view = ArgMax::try_from(descriptor)?;
        let read = reader(view.input.data_type);
        let read = read.ok_or_else(|| unsupported(format!("argmax of {}", view.input.data_type)))?;
        // The documents leave open what these mean.
        if view.axes.is_empty() || !view.axes.is_sorted_by(|one, next| one < next) {
            return Err(unsupported("axes that are none, repeated or out of order".to_owned()));
        }
        let (mut output, mut index) = (1, 1);
        let mut dimensions = Vec::new();
        for (dimension, &size) in view.input.sizes.iter().enumerate().rev() {
            let size = size as usize;
            let is_reduced = view.axes.contains(&(dimension as i64));
            let passed = if is_reduced { &mut index } else { &mut output };
            let step = std::mem::replace(passed, *passed * size);
            let (output, index) = if is_reduced { (0, step) } else { (step, 0) };
            dimensions.push(Dimension { size, output, index });
        }
        Ok(Self { read, dimensions, takes_last: view.axis_direction == AXIS_DIRECTION_DECREASING })
    }
}

impl Operator for SmallArgMax {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let ([input], [output]) = (inputs, outputs) else {
            return Err(Fault::Failed("expected one input and one output".to_owned()));
        };
        // The memory may be larger than the elements.
        let count = |elements: Option<u64>| elements.unwrap_or(0) as usize;
        let elements = input.bytes.chunks_exact(input.tensor.data_type.bytes());
        let mut greatest: Vec<Option<(f64, u64)>> = vec![None; count(output.tensor.element_count())];
        // In the order of memory, which is the order of the indices too.
        for (place, bytes) in elements.take(count(input.tensor.element_count())).enumerate() {
            let (mut rest, mut to, mut index) = (place, 0, 0);
            for dimension in &self.dimensions {
                let step = rest % dimension.size;
                rest /= dimension.size;
                to += step * dimension.output;
                index += step * dimension.index;
            }
            let value = (self.read)(bytes);
            let is_greater = |(best, _): (f64, u64)| value > best || self.takes_last && value == best;
            if greatest[to].is_none_or(is_greater) {
                greatest[to] = Some((value, index as u64));
            }
        }
        let width = output.tensor.data_type.bytes();
        for (bytes, found) in output.bytes.chunks_exact_mut(width).zip(greatest) {
            let (_, index) = found.ok_or_else(|| Fault::Failed("a maximum of nothing".to_owned()))?;
            bytes.copy_from_slice(&index.to_le_bytes()[..width]);
        }
        Ok(())
    }
}

fn reader(data_type: DataType) -> Option<Read> {
    Some(match data_type {
        DataType::F32 => |bytes| f32::from_le_bytes(array(bytes)).into(),
        DataType::F16 => |bytes| half(u16::from_le_bytes(array(bytes))),
        DataType::I32 => |bytes| i32::from_le_bytes(array(bytes)).into(),
        DataType::I16 => |bytes| i16::from_le_bytes(array(bytes)).into(),
        DataType::I8 => |bytes| i8::from_le_bytes(array(bytes)).into(),
        DataType::U32 => |bytes| u32::from_le_bytes(array(bytes)).into(),
        DataType::U16 => |bytes| u16::from_le_bytes(array(bytes)).into(),
        DataType::U8 => |bytes| u8::from_le_bytes(array(bytes)).into(),
        _ => return None,
    })
}

fn array<const WIDTH: usize>(bytes: &[u8]) -> [u8; WIDTH] {
    std::array::from_fn(|at| bytes[at])
}

fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1F), f64::from(bits & 0x3FF));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        0x1F if fraction == 0.0 => f64::INFINITY,
        0x1F => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 0 { magnitude } else { -magnitude }
}
