//! The CPU backend of opcert among its peers, and the machine's `memcpy` as the yardstick: a worker of `benches/peers`.
//!
//! Speaks the protocol of `benches/peers/README.md`. Kernels are dispatched through the trait [`Backend`], on outputs
//! that are allocated and touched beforehand. Deliberately absent: everything about other runtimes, and any judging:
//! the driver compares digests.
//!
//! `cargo run --release --example peer -- THREADS`
#![expect(clippy::expect_used, reason = "a worker that cannot go on ends, and the driver says so")]

use std::hint::black_box;
use std::io::{BufRead as _, Write as _};
use std::time::Instant;

use half::f16;
use opcert_backend::operators::AXIS_DIRECTION_INCREASING;
use opcert_backend::{
    AttributeValue, Backend as _, DataType, Descriptor, Fault, Input, NamedAttribute, NamedTensor, Operator, Output,
    Role, TensorDescriptor,
};
use opcert_cpu::CpuBackend;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    Start,
    Prepare { workload: Workload },
    Run { uncounted: u32, repetitions: u32 },
    Drop,
}

#[derive(Deserialize)]
#[serde(tag = "operator", rename_all = "snake_case", deny_unknown_fields)]
enum Workload {
    Argmax { data_type: DataType, sizes: Vec<u64>, axes: Vec<i64>, seed: u64 },
    OneHot { data_type: DataType, sizes: Vec<u64>, axes: [i64; 1], depth: u64, seed: u64 },
    Nonzero { data_type: DataType, sizes: Vec<u64>, density: u64, seed: u64 },
    Memcpy { bytes: usize },
}

/// What is run, with all of its memory.
enum Prepared {
    Dispatch(Dispatch),
    Memcpy { from: Vec<u8>, to: Vec<u8>, threads: usize },
}

struct Dispatch {
    operator: Box<dyn Operator>,
    descriptor: Descriptor,
    inputs: Vec<Vec<u8>>,
    outputs: Vec<Vec<u8>>,
}

fn main() {
    let threads = std::env::args().nth(1).and_then(|text| text.parse().ok()).expect("usage: peer THREADS");
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("threads start");
    let mut prepared = None;
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("requests are text");
        let answer = match serde_json::from_str(&line).expect("a request of the protocol") {
            Request::Start => started(threads),
            Request::Prepare { workload } => {
                let answer;
                (prepared, answer) = prepare(workload, threads);
                answer
            }
            Request::Run { uncounted, repetitions } => {
                let prepared = prepared.as_mut().expect("a prepared workload");
                prepared.seconds(uncounted);
                json!({"type": "ran", "seconds": prepared.seconds(repetitions)})
            }
            Request::Drop => {
                prepared = None;
                json!({"type": "dropped"})
            }
        };
        let mut output = std::io::stdout().lock();
        writeln!(output, "{answer}").and_then(|()| output.flush()).expect("the driver listens");
    }
}

fn started(threads: usize) -> Value {
    let count = 1_000_000;
    let descriptor = Descriptor {
        operator: String::new(),
        level: String::new(),
        tensors: vec![input("X", DataType::F32, vec![1]), output("Y", DataType::F32, vec![1])],
        attributes: Vec::new(),
        constants: Vec::new(),
    };
    let mut empty = Dispatch::new(Box::new(Nothing), descriptor, vec![vec![0; 4]]);
    let seconds = (0..5).map(|_| empty.seconds(count)).fold(f64::INFINITY, f64::min);
    json!({
        "type": "started",
        "name": "opcert-cpu",
        "version": CpuBackend::new().identity().version,
        "threads": format!("rayon's pool of {threads}"),
        "empty_call": seconds / f64::from(count),
    })
}

/// A call through the trait that does nothing.
struct Nothing;

impl Operator for Nothing {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        black_box((inputs, outputs));
        Ok(())
    }
}

fn prepare(workload: Workload, threads: usize) -> (Option<Prepared>, Value) {
    let (descriptor, inputs) = match workload {
        Workload::Memcpy { bytes } => {
            let copy = Prepared::Memcpy { from: vec![1; bytes], to: vec![2; bytes], threads };
            return (Some(copy), ready("copy_from_slice, one part per thread", &[], bytes, bytes, "-"));
        }
        Workload::Argmax { data_type, sizes, axes, seed } => argmax(data_type, sizes, axes, seed),
        Workload::OneHot { data_type, sizes, axes: [axis], depth, seed } => {
            one_hot(data_type, &sizes, axis, depth, seed)
        }
        Workload::Nonzero { data_type, sizes, density, seed } => nonzero(data_type, sizes, density, seed),
    };
    match CpuBackend::new().compile(&descriptor) {
        Ok(operator) => {
            let mut dispatch = Dispatch::new(operator, descriptor, inputs);
            dispatch.seconds(1);
            let answer = dispatch.ready();
            (Some(Prepared::Dispatch(dispatch)), answer)
        }
        Err(error) => (None, json!({"type": "unsupported", "reason": error.to_string()})),
    }
}

fn argmax(data_type: DataType, sizes: Vec<u64>, axes: Vec<i64>, seed: u64) -> (Descriptor, Vec<Vec<u8>>) {
    let values = made(&sizes, data_type, seed, |random| match data_type {
        DataType::I64 => random.cast_signed(),
        DataType::U8 => (random >> 56).cast_signed(),
        DataType::F32 => (random >> 40).cast_signed() - (1 << 23),
        _ => (random >> 53).cast_signed() - (1 << 10),
    });
    let reduced = (0i64..).zip(&sizes).map(|(axis, &size)| if axes.contains(&axis) { 1 } else { size }).collect();
    let tensors = vec![input("InputTensor", data_type, sizes), output("OutputTensor", DataType::U32, reduced)];
    let count = AttributeValue::Integer(axes.len().try_into().expect("few axes"));
    let direction = AttributeValue::Enumerator(AXIS_DIRECTION_INCREASING.to_owned());
    let attributes = [("AxisCount", count), ("Axes", AttributeValue::Integers(axes)), ("AxisDirection", direction)];
    (descriptor("directml/argmax", tensors, attributes), vec![values])
}

fn one_hot(data_type: DataType, sizes: &[u64], axis: i64, depth: u64, seed: u64) -> (Descriptor, Vec<Vec<u8>>) {
    let indices = made(sizes, DataType::I32, seed, |random| (((random >> 32) * depth) >> 32).cast_signed());
    let off_and_on = [0, 1].into_iter().flat_map(|value| element(data_type, value)).collect();
    let place = usize::try_from(axis).expect("the axis counts from the front");
    let with = |size: u64| [&sizes[..place], &[size], &sizes[place..]].concat();
    let ones = vec![1; sizes.len()];
    let tensors = vec![
        input("IndicesTensor", DataType::I32, with(1)),
        input("ValuesTensor", data_type, [ones, vec![2]].concat()),
        output("OutputTensor", data_type, with(depth)),
    ];
    (descriptor("directml/one_hot", tensors, [("Axis", AttributeValue::Integer(axis))]), vec![indices, off_and_on])
}

fn nonzero(data_type: DataType, sizes: Vec<u64>, density: u64, seed: u64) -> (Descriptor, Vec<Vec<u8>>) {
    let limit = (density << 32) / 100;
    let value = |random: u64| if random >> 32 < limit { ((random & 0xFF) | 1).cast_signed() } else { 0 };
    let values = made(&sizes, data_type, seed, value);
    let ones = vec![1; sizes.len()];
    let rows = vec![sizes.iter().product(), sizes.len() as u64];
    let tensors = vec![
        input("InputTensor", data_type, sizes),
        output("OutputCountTensor", DataType::U32, ones),
        output("OutputCoordinatesTensor", DataType::U32, rows),
    ];
    (descriptor("directml/nonzero_coordinates", tensors, []), vec![values])
}

fn descriptor<const N: usize>(
    operator: &str,
    tensors: Vec<NamedTensor>,
    attributes: [(&str, AttributeValue); N],
) -> Descriptor {
    Descriptor {
        operator: operator.to_owned(),
        level: "6_4".to_owned(),
        tensors,
        attributes: attributes.map(|(name, value)| NamedAttribute { name: name.to_owned(), value }).into(),
        constants: Vec::new(),
    }
}

fn input(name: &str, data_type: DataType, sizes: Vec<u64>) -> NamedTensor {
    NamedTensor { name: name.to_owned(), role: Role::Input, tensor: TensorDescriptor::packed(data_type, sizes) }
}

fn output(name: &str, data_type: DataType, sizes: Vec<u64>) -> NamedTensor {
    NamedTensor { name: name.to_owned(), role: Role::Output, tensor: TensorDescriptor::packed(data_type, sizes) }
}

impl Prepared {
    /// How long so many runs take, one after the other.
    fn seconds(&mut self, repetitions: u32) -> f64 {
        match self {
            Self::Dispatch(dispatch) => dispatch.seconds(repetitions),
            Self::Memcpy { from, to, threads } => {
                let part = from.len().div_ceil(*threads);
                let begin = Instant::now();
                for _ in 0..repetitions {
                    to.par_chunks_mut(part).zip(from.par_chunks(part)).for_each(|(to, from)| to.copy_from_slice(from));
                    black_box(&to);
                }
                begin.elapsed().as_secs_f64()
            }
        }
    }
}

impl Dispatch {
    /// Outputs are filled, so that their pages are there.
    fn new(operator: Box<dyn Operator>, descriptor: Descriptor, inputs: Vec<Vec<u8>>) -> Self {
        let outputs = descriptor.tensors.iter().filter(|entry| entry.role == Role::Output).map(|entry| {
            let bytes = entry.tensor.span_bytes().and_then(|bytes| usize::try_from(bytes).ok());
            vec![0xFF; bytes.expect("the output fits memory")]
        });
        let outputs = outputs.collect();
        Self { operator, descriptor, inputs, outputs }
    }

    fn seconds(&mut self, repetitions: u32) -> f64 {
        let of_role = |role| self.descriptor.tensors.iter().filter(move |entry| entry.role == role);
        let inputs: Vec<_> = std::iter::zip(of_role(Role::Input), &self.inputs)
            .map(|(entry, bytes)| Input { name: &entry.name, tensor: &entry.tensor, bytes })
            .collect();
        let mut outputs: Vec<_> = std::iter::zip(of_role(Role::Output), &mut self.outputs)
            .map(|(entry, bytes)| Output { name: &entry.name, tensor: &entry.tensor, bytes, poison: 0xFF })
            .collect();
        let begin = Instant::now();
        for _ in 0..repetitions {
            self.operator.dispatch(black_box(&inputs), &mut outputs).expect("the dispatch succeeds");
        }
        begin.elapsed().as_secs_f64()
    }

    fn ready(&self) -> Value {
        let read = self.inputs.iter().map(Vec::len).sum();
        let written = self.outputs.iter().map(Vec::len).sum();
        let tensor = &self.descriptor.tensors[self.descriptor.tensors.len() - 1].tensor;
        let call = format!("dispatch of {}", self.descriptor.operator);
        let types = [tensor.data_type.name()];
        match &self.outputs[..] {
            [count, coordinates] => {
                let count = u32::from_le_bytes(count[..].try_into().expect("one UINT32")) as usize;
                let found = &coordinates[..count * tensor.sizes[1] as usize * tensor.data_type.bytes()];
                ready(&call, &types, read, 4 + found.len(), &digest(found, tensor.data_type))
            }
            outputs => ready(&call, &types, read, written, &digest(&outputs[0], tensor.data_type)),
        }
    }
}

fn ready(call: &str, output_types: &[&str], bytes_read: usize, bytes_written: usize, digest: &str) -> Value {
    json!({
        "type": "ready",
        "call": call,
        "output": "preallocated",
        "output_types": output_types,
        "bytes_read": bytes_read,
        "bytes_written": bytes_written,
        "digest": digest,
    })
}

/// The output function of splitmix64.
const fn mixed(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^ (state >> 31)
}

/// A tensor whose elements follow from outputs of splitmix64; see `data.py`.
fn made(sizes: &[u64], data_type: DataType, seed: u64, value: impl Fn(u64) -> i64) -> Vec<u8> {
    let count: u64 = sizes.iter().product();
    let random = (0..count).map(|place| mixed((place + 1).wrapping_mul(GOLDEN).wrapping_add(seed)));
    let mut bytes = Vec::with_capacity(count as usize * data_type.bytes());
    random.for_each(|random| bytes.extend(element(data_type, value(random))));
    bytes
}

/// An integer in the representation of the type, which holds it.
fn element(data_type: DataType, value: i64) -> impl Iterator<Item = u8> {
    let bits = match data_type {
        DataType::F32 => u64::from((value as f32).to_bits()),
        DataType::F16 => u64::from(f16::from_f32(value as f32).to_bits()),
        _ => value.cast_unsigned(),
    };
    bits.to_le_bytes().into_iter().take(data_type.bytes())
}

/// A sum over all elements, each mixed with its place, and their number; see `data.py`.
fn digest(bytes: &[u8], data_type: DataType) -> String {
    let elements = bytes.par_chunks_exact(data_type.bytes()).enumerate().map(|(place, element)| {
        let mut bits = [0; 8];
        bits[..element.len()].copy_from_slice(element);
        let bits = u64::from_le_bytes(bits);
        let value = match data_type {
            DataType::F32 => f32::from_bits(bits as u32) as i64,
            DataType::F16 => f16::from_bits(bits as u16).to_f32() as i64,
            _ => bits.cast_signed(),
        };
        mixed((place as u64).wrapping_mul(GOLDEN).wrapping_add(value.cast_unsigned()))
    });
    let sum = elements.reduce(|| 0, u64::wrapping_add);
    format!("{sum:016x}:{}", bytes.len() / data_type.bytes())
}
