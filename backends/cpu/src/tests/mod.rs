//! The backend through its public interface: descriptors and bytes in, bytes out.
//!
//! Expected values come from the documents' examples or are worked out by hand.

mod argmax;
mod backend;
mod elementwise;
mod extreme;
mod gather;
mod gather_elements;
mod kernels;
mod moves;
mod non_zero;
mod nonzero_coordinates;
mod one_hot;
mod openvino_one_hot;
mod tosa_argmax;

use opcert_backend::{
    AttributeValue, Backend, Constant, DataType, Descriptor, GuardedBuffer, Input, NamedAttribute, NamedTensor, Output,
    Role, Support, TensorDescriptor,
};

use crate::CpuBackend;

/// What output memory holds before a dispatch.
const POISON: u8 = 0xA5;

/// A number that knows its little-endian bytes.
trait Element: Copy {
    const TYPE: DataType;
    fn to_bytes(self) -> Vec<u8>;
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! elements {
    ($($number:ty => $variant:ident),*) => {$(
        impl Element for $number {
            const TYPE: DataType = DataType::$variant;
            fn to_bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
            fn from_bytes(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().unwrap())
            }
        }
    )*};
}

elements!(f64 => F64, f32 => F32, i64 => I64, i32 => I32, i16 => I16, i8 => I8, u64 => U64, u32 => U32, u16 => U16,
    u8 => U8, half::f16 => F16, half::bf16 => BF16);

fn bytes<T: Element>(elements: &[T]) -> Vec<u8> {
    elements.iter().flat_map(|element| element.to_bytes()).collect()
}

fn elements<T: Element>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::TYPE.bytes()).map(T::from_bytes).collect()
}

fn packed(data_type: DataType, sizes: &[u64]) -> TensorDescriptor {
    TensorDescriptor::packed(data_type, sizes)
}

fn strided(data_type: DataType, sizes: &[u64], strides: &[u64]) -> TensorDescriptor {
    TensorDescriptor { strides: Some(strides.to_vec()), ..packed(data_type, sizes) }
}

fn input(name: &str, tensor: TensorDescriptor) -> NamedTensor {
    NamedTensor { name: name.to_owned(), role: Role::Input, tensor }
}

fn output(name: &str, tensor: TensorDescriptor) -> NamedTensor {
    NamedTensor { name: name.to_owned(), role: Role::Output, tensor }
}

fn attribute(name: &str, value: AttributeValue) -> NamedAttribute {
    NamedAttribute { name: name.to_owned(), value }
}

fn one_hot(
    level: &str,
    indices: TensorDescriptor,
    values: TensorDescriptor,
    result: TensorDescriptor,
    axis: i64,
) -> Descriptor {
    Descriptor {
        operator: "directml/one_hot".to_owned(),
        level: level.to_owned(),
        tensors: vec![input("IndicesTensor", indices), input("ValuesTensor", values), output("OutputTensor", result)],
        attributes: vec![attribute("Axis", AttributeValue::Integer(axis))],
        constants: Vec::new(),
    }
}

fn nonzero(
    level: &str,
    searched: TensorDescriptor,
    count: TensorDescriptor,
    coordinates: TensorDescriptor,
) -> Descriptor {
    Descriptor {
        operator: "directml/nonzero_coordinates".to_owned(),
        level: level.to_owned(),
        tensors: vec![
            input("InputTensor", searched),
            output("OutputCountTensor", count),
            output("OutputCoordinatesTensor", coordinates),
        ],
        attributes: Vec::new(),
        constants: Vec::new(),
    }
}

/// ONNX's NonZero.
fn non_zero(searched: TensorDescriptor, matrix: TensorDescriptor) -> Descriptor {
    Descriptor {
        operator: "onnx/non_zero".to_owned(),
        level: "13".to_owned(),
        tensors: vec![input("X", searched), output("Y", matrix)],
        attributes: Vec::new(),
        constants: Vec::new(),
    }
}

fn argmax(
    level: &str,
    reduced: TensorDescriptor,
    result: TensorDescriptor,
    axes: &[i64],
    direction: &str,
) -> Descriptor {
    Descriptor {
        operator: "directml/argmax".to_owned(),
        level: level.to_owned(),
        tensors: vec![input("InputTensor", reduced), output("OutputTensor", result)],
        attributes: vec![
            attribute("AxisCount", AttributeValue::Integer(i64::try_from(axes.len()).unwrap())),
            attribute("Axes", AttributeValue::Integers(axes.to_vec())),
            attribute("AxisDirection", AttributeValue::Enumerator(direction.to_owned())),
        ],
        constants: Vec::new(),
    }
}

/// REDUCE with a function that gives elements.
fn reduce(function: &str, reduced: TensorDescriptor, result: TensorDescriptor, axes: &[i64]) -> Descriptor {
    Descriptor {
        operator: format!("directml/reduce_{}", function.to_lowercase()),
        level: "6_4".to_owned(),
        tensors: vec![input("InputTensor", reduced), output("OutputTensor", result)],
        attributes: vec![
            attribute("Function", AttributeValue::Enumerator(format!("DML_REDUCE_FUNCTION_{function}"))),
            attribute("AxisCount", AttributeValue::Integer(i64::try_from(axes.len()).unwrap())),
            attribute("Axes", AttributeValue::Integers(axes.to_vec())),
        ],
        constants: Vec::new(),
    }
}

/// TOSA's ARGMAX.
fn tosa_argmax(searched: TensorDescriptor, result: TensorDescriptor, axis: i64, nan_mode: Option<&str>) -> Descriptor {
    let mut attributes = vec![attribute("axis", AttributeValue::Integer(axis))];
    attributes.extend(nan_mode.map(|mode| attribute("nan_mode", AttributeValue::Enumerator(mode.to_owned()))));
    Descriptor {
        operator: "tosa/argmax".to_owned(),
        level: "1.0".to_owned(),
        tensors: vec![input("input", searched), output("output", result)],
        attributes,
        constants: Vec::new(),
    }
}

fn openvino(
    indices: TensorDescriptor,
    depth: i64,
    value_type: DataType,
    result: TensorDescriptor,
    axis: i64,
) -> Descriptor {
    Descriptor {
        operator: "openvino/one_hot_1".to_owned(),
        level: "1".to_owned(),
        tensors: vec![
            input("indices", indices),
            input("depth", packed(DataType::I64, &[])),
            input("on_value", packed(value_type, &[])),
            input("off_value", packed(value_type, &[])),
            output("output", result),
        ],
        attributes: vec![attribute("axis", AttributeValue::Integer(axis))],
        constants: vec![Constant { name: "depth".to_owned(), bytes: bytes(&[depth]) }],
    }
}

/// Compiles and dispatches twice on poisoned, guarded memory; the outputs' memory in the descriptor's order.
///
/// `memory` is that of the inputs in the descriptor's order, laid out as their strides say.
fn run(descriptor: &Descriptor, memory: &[Vec<u8>]) -> Vec<Vec<u8>> {
    assert_eq!(CpuBackend::new().supports(descriptor), Support::Yes);
    let mut operator = CpuBackend::new().compile(descriptor).unwrap();
    let of = |role| descriptor.tensors.iter().filter(move |entry| entry.role == role);
    let inputs: Vec<Input<'_>> = of(Role::Input)
        .zip(memory)
        .map(|(entry, bytes)| Input { name: &entry.name, tensor: &entry.tensor, bytes })
        .collect();
    assert_eq!(inputs.len(), memory.len());
    let mut dispatch = || {
        let mut buffers: Vec<GuardedBuffer> = of(Role::Output)
            .map(|entry| GuardedBuffer::new(entry.tensor.span_bytes().unwrap().try_into().unwrap(), POISON).unwrap())
            .collect();
        let mut outputs: Vec<Output<'_>> = of(Role::Output)
            .zip(&mut buffers)
            .map(|(entry, buffer)| Output {
                name: &entry.name,
                tensor: &entry.tensor,
                bytes: buffer.bytes_mut(),
                poison: POISON,
            })
            .collect();
        operator.dispatch(&inputs, &mut outputs).unwrap();
        buffers.iter().for_each(|buffer| assert_eq!(buffer.violation(), None));
        buffers.iter().map(|buffer| buffer.bytes().to_vec()).collect::<Vec<_>>()
    };
    let first = dispatch();
    assert_eq!(first, dispatch(), "the second dispatch differs");
    first
}

/// The only output's memory as numbers.
fn result<T: Element>(descriptor: &Descriptor, memory: &[Vec<u8>]) -> Vec<T> {
    let outputs = run(descriptor, memory);
    assert_eq!(outputs.len(), 1);
    elements(&outputs[0])
}
