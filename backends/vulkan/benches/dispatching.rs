//! How long dispatches take on each Vulkan device, beside what the device can do at all and beside the CPU backend:
//! `cargo bench -p opcert-vulkan`. A part of a device's name behind `--` picks that device.
//!
//! Times are medians of several rounds, and what is compared takes turns in the same run. Small cases are those of the
//! suite with at most 64 KiB in all their tensors, but for open questions that the backend refuses: the whole dispatch,
//! copying to and fro included, against the submission of a shader that does nothing. Large tensors have 64 MiB: bytes
//! read and written per second of submission, against a shader that copies as many bytes.
#![expect(clippy::expect_used, reason = "a benchmark that cannot go on ends")]

use std::time::{Duration, Instant};

use opcert::backend::operators::{AXIS_DIRECTION_DECREASING, AXIS_DIRECTION_INCREASING};
use opcert::backend::{
    AttributeValue, Backend, CompileError, DataType, Descriptor, Input, NamedAttribute, NamedTensor, Operator, Output,
    Role, TensorDescriptor,
};
use opcert::case::CaseSource;
use opcert::check::{CheckedCase, Suite};
use opcert::layout::lay_out;
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_cpu::CpuBackend;
use opcert_vulkan::{Options, VulkanBackend, Yardstick};

const ROUNDS: usize = 11;
const MIB: f64 = 1024.0 * 1024.0;

fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let devices = match VulkanBackend::devices() {
        Ok(devices) => devices,
        Err(reason) => return println!("nothing to measure: {reason}"),
    };
    for device in devices {
        let name = device.lines().next().and_then(|line| line.rsplit_once(" (")).map_or("", |(name, _)| name);
        if wanted.as_ref().is_some_and(|wanted| !name.to_lowercase().contains(&wanted.to_lowercase())) {
            continue;
        }
        println!("{device}\n");
        let backend = VulkanBackend::with(Options { device: Some(name.to_owned()), ..Options::default() });
        let backend = backend.expect("a listed device can be opened");
        let cold = backend.measure(Yardstick::Pipelines).expect("the pipelines are made");
        println!("all pipelines, made and run once: {:.0} ms\n", cold.as_secs_f64() * 1e3);
        small_cases(&backend);
        large_tensors(&backend);
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// One operator with memory for its tensors.
struct Bound {
    descriptor: Descriptor,
    inputs: Vec<Vec<u8>>,
    outputs: Vec<Vec<u8>>,
}

impl Bound {
    fn dispatch(&mut self, operator: &mut dyn Operator) -> Duration {
        let named = |role: Role| self.descriptor.tensors.iter().filter(move |entry| entry.role == role);
        let inputs: Vec<Input<'_>> = named(Role::Input)
            .zip(&self.inputs)
            .map(|(entry, bytes)| Input { name: &entry.name, tensor: &entry.tensor, bytes })
            .collect();
        let mut outputs: Vec<Output<'_>> = named(Role::Output)
            .zip(&mut self.outputs)
            .map(|(entry, bytes)| Output { name: &entry.name, tensor: &entry.tensor, bytes, poison: 0 })
            .collect();
        let started = Instant::now();
        operator.dispatch(&inputs, &mut outputs).expect("the dispatch succeeds");
        started.elapsed()
    }
}

fn small_cases(backend: &VulkanBackend) {
    let specs = Specs::load(&Source::embedded_specs()).expect("the embedded specifications load");
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |_| true).expect("the cases are valid");
    println!("small cases: the whole dispatch against a submission of an empty shader");
    println!("{:<32} {:>6} {:>12} {:>12} {:>8} {:>8}", "", "cases", "empty", "dispatch", "ratio", "slowest");
    let mut all = Vec::new();
    for operator in &specs.operators {
        let mut ratios = Vec::new();
        let mut times = [Vec::new(), Vec::new()];
        for case in &suite.cases {
            let CheckedCase::Valid(case) = case else { continue };
            let span = |tensor: &TensorDescriptor| tensor.span_bytes().unwrap_or(u64::MAX);
            let memory = case.descriptor.tensors.iter().map(|entry| span(&entry.tensor)).fold(0, u64::saturating_add);
            if case.about.operator.id != operator.id || !case.is_dispatched() || memory > 1 << 16 {
                continue;
            }
            let mut descriptor = case.descriptor.clone();
            case.about.operator.family.level_name(case.level).clone_into(&mut descriptor.level);
            let memory_of = |role| descriptor.tensors.iter().filter(move |entry| entry.role == role);
            let inputs = memory_of(Role::Input).map(|entry| {
                let mut bytes = vec![0; span(&entry.tensor) as usize];
                let input = case.inputs.iter().find(|input| input.name == entry.name).expect("inputs have data");
                lay_out(&entry.tensor, &input.data.elements(), &mut bytes);
                bytes
            });
            let inputs = inputs.collect();
            let outputs = memory_of(Role::Output).map(|entry| vec![0; span(&entry.tensor) as usize]).collect();
            let mut bound = Bound { descriptor: descriptor.clone(), inputs, outputs };
            let mut operator = match backend.compile(&descriptor) {
                // What the documents leave open may be refused, or not be there.
                Err(CompileError::Rejected { .. } | CompileError::Unsupported { .. }) if !case.about.gates() => {
                    continue;
                }
                compiled => compiled.expect("the case compiles"),
            };
            bound.dispatch(&mut *operator);
            let (mut empty, mut dispatch) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                empty.push(backend.measure(Yardstick::Empty).expect("an empty shader runs"));
                dispatch.push(bound.dispatch(&mut *operator));
            }
            let (empty, dispatch) = (median(empty), median(dispatch));
            ratios.push(dispatch.as_secs_f64() / empty.as_secs_f64());
            times[0].push(empty);
            times[1].push(dispatch);
        }
        if !ratios.is_empty() {
            row(&operator.id, times, ratios.clone());
        }
        all.extend(ratios);
    }
    all.sort_by(f64::total_cmp);
    println!(
        "{:<32} {:>6} {:>12} {:>12} {:>8.2} {:>8.2}\n",
        "all",
        all.len(),
        "",
        "",
        all[all.len() / 2],
        all[all.len() - 1]
    );
}

fn row(name: &str, [empty, dispatch]: [Vec<Duration>; 2], mut ratios: Vec<f64>) {
    ratios.sort_by(f64::total_cmp);
    let count = ratios.len();
    let (middle, most) = (ratios[count / 2], ratios[count - 1]);
    println!("{name:<32} {count:>6} {:>12.1?} {:>12.1?} {middle:>8.2} {most:>8.2}", median(empty), median(dispatch));
}

/// A tensor of 64 MiB and an operator on it.
struct Large {
    name: String,
    bound: Bound,
    /// The bytes that are read and written, given the outputs.
    bytes: fn(&Bound) -> u64,
}

fn large_tensors(backend: &VulkanBackend) {
    println!("64 MiB: bytes read and written per second of submission, against a copy of as many bytes");
    println!(
        "{:<44} {:>9} {:>10} {:>10} {:>8} {:>12} {:>12}",
        "", "MiB", "GB/s", "copy GB/s", "ratio", "whole", "cpu, whole"
    );
    for mut large in large() {
        let mut operator = backend.compile(&large.bound.descriptor).expect("the operator compiles");
        large.bound.dispatch(&mut *operator);
        let bytes = (large.bytes)(&large.bound);
        let copied = Yardstick::Copy { bytes: bytes / 2 / 16 * 16 };
        backend.measure(copied).expect("a copy runs");
        let (mut whole, mut submission, mut copy) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            // Each is measured on memory that it used just before.
            large.bound.dispatch(&mut *operator);
            whole.push(large.bound.dispatch(&mut *operator));
            submission.push(backend.last_submission());
            backend.measure(copied).expect("a copy runs");
            copy.push(backend.measure(copied).expect("a copy runs"));
        }
        let mut plain = CpuBackend::new().compile(&large.bound.descriptor).expect("the operator compiles");
        let cpu = median((0..3).map(|_| large.bound.dispatch(&mut *plain)).collect());
        let speed = |time: Duration| bytes as f64 / time.as_secs_f64() / 1e9;
        let (whole, submission, copy) = (median(whole), median(submission), median(copy));
        println!(
            "{:<44} {:>9.1} {:>10.2} {:>10.2} {:>8.2} {:>12.1?} {:>12.1?}",
            large.name,
            bytes as f64 / MIB,
            speed(submission),
            speed(copy),
            speed(submission) / speed(copy),
            whole,
            cpu
        );
    }
    println!();
}

fn large() -> Vec<Large> {
    let mut all = Vec::new();
    for (sizes, axis) in [
        (&[131_072, 128][..], 1),
        (&[128, 131_072], 0),
        (&[64, 128, 2048], 1),
        (&[1_048_576, 16], 1),
        (&[16_384, 1024], 1),
    ] {
        all.push(one_hot(DataType::F32, sizes, axis));
    }
    all.push(one_hot(DataType::U8, &[524_288, 128], 1));
    all.push(one_hot(DataType::I64, &[65_536, 128], 1));
    for (sizes, axes) in [
        (&[4096, 4096][..], &[1][..]),
        (&[4096, 4096], &[0]),
        (&[256, 256, 256], &[2]),
        (&[256, 256, 256], &[1]),
        (&[256, 256, 256], &[0]),
        (&[1_048_576, 16], &[1]),
        (&[16, 1_048_576], &[0]),
        (&[4096, 4096], &[0, 1]),
    ] {
        all.push(argmax(DataType::F32, sizes, axes, AXIS_DIRECTION_INCREASING));
    }
    all.push(argmax(DataType::F32, &[4096, 4096], &[1], AXIS_DIRECTION_DECREASING));
    all.push(argmax(DataType::I64, &[2048, 4096], &[1], AXIS_DIRECTION_INCREASING));
    for percent in [1, 50, 100] {
        all.push(nonzero_coordinates(&[4096, 4096], percent));
    }
    for percent in [1, 50, 100] {
        all.push(nonzero_coordinates(&[16, 16, 256, 256], percent));
    }
    for percent in [1, 50, 100] {
        all.push(non_zero(&[16, 16, 256, 256], percent));
    }
    all
}

/// Numbers without a pattern, the same ones each time.
fn numbers(count: usize) -> impl Iterator<Item = u32> {
    let mut state = 0x9E37_79B9u32;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    })
    .take(count)
}

fn named(name: &str, role: Role, data_type: DataType, sizes: &[u64]) -> NamedTensor {
    NamedTensor { name: name.to_owned(), role, tensor: TensorDescriptor::packed(data_type, sizes) }
}

fn described(operator: &str, tensors: Vec<NamedTensor>, attributes: Vec<(&str, AttributeValue)>) -> Descriptor {
    let attributes =
        attributes.into_iter().map(|(name, value)| NamedAttribute { name: name.to_owned(), value }).collect();
    Descriptor { operator: operator.to_owned(), level: "6_4".to_owned(), tensors, attributes, constants: Vec::new() }
}

fn bound(descriptor: Descriptor, inputs: Vec<Vec<u8>>) -> Bound {
    let outputs = descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
    let outputs = outputs.map(|entry| vec![0; entry.tensor.span_bytes().unwrap_or(0) as usize]).collect();
    Bound { descriptor, inputs, outputs }
}

fn one_hot(data_type: DataType, sizes: &[u64], axis: usize) -> Large {
    let mut index_sizes = sizes.to_vec();
    index_sizes[axis] = 1;
    let ones = vec![1; sizes.len() - 1];
    let tensors = vec![
        named("IndicesTensor", Role::Input, DataType::U32, &index_sizes),
        named("ValuesTensor", Role::Input, data_type, &[ones, vec![2]].concat()),
        named("OutputTensor", Role::Output, data_type, sizes),
    ];
    let indices = index_sizes.iter().product::<u64>() as usize;
    let indices = numbers(indices).flat_map(|number| (number % sizes[axis] as u32).to_le_bytes()).collect();
    let values = [[0; 8], [1; 8]].concat()[8 - data_type.bytes()..][..2 * data_type.bytes()].to_vec();
    let attributes = vec![("Axis", AttributeValue::Integer(axis as i64))];
    Large {
        name: format!("one_hot {data_type} {sizes:?} axis {axis}"),
        bound: bound(described("directml/one_hot", tensors, attributes), vec![indices, values]),
        bytes: |bound| (bound.inputs[0].len() + bound.outputs[0].len()) as u64,
    }
}

fn argmax(data_type: DataType, sizes: &[u64], axes: &[usize], direction: &str) -> Large {
    let mut output_sizes = sizes.to_vec();
    axes.iter().for_each(|&axis| output_sizes[axis] = 1);
    let tensors = vec![
        named("InputTensor", Role::Input, data_type, sizes),
        named("OutputTensor", Role::Output, DataType::U32, &output_sizes),
    ];
    let bytes = sizes.iter().product::<u64>() as usize * data_type.bytes();
    // Without the bits that make a NaN of a float.
    let input = numbers(bytes / 4).flat_map(|number| (number & 0xBFFF_FFFF).to_le_bytes()).collect();
    let numbers = axes.iter().map(|&axis| axis as i64).collect::<Vec<_>>();
    let attributes = vec![
        ("AxisCount", AttributeValue::Integer(axes.len() as i64)),
        ("Axes", AttributeValue::Integers(numbers)),
        ("AxisDirection", AttributeValue::Enumerator(direction.to_owned())),
    ];
    let last = if direction == AXIS_DIRECTION_DECREASING { ", last" } else { "" };
    Large {
        name: format!("argmax {data_type} {sizes:?} axes {axes:?}{last}"),
        bound: bound(described("directml/argmax", tensors, attributes), vec![input]),
        bytes: |bound| (bound.inputs[0].len() + bound.outputs[0].len()) as u64,
    }
}

fn nonzero_coordinates(sizes: &[u64], percent: u32) -> Large {
    let elements = sizes.iter().product::<u64>();
    let tensors = vec![
        named("InputTensor", Role::Input, DataType::F32, sizes),
        named("OutputCountTensor", Role::Output, DataType::U32, &[1]),
        named("OutputCoordinatesTensor", Role::Output, DataType::U32, &[elements, sizes.len() as u64]),
    ];
    let input = ones(elements, percent).flat_map(f32::to_le_bytes).collect();
    Large {
        name: format!("nonzero_coordinates f32 {sizes:?} {percent} %"),
        bound: bound(described("directml/nonzero_coordinates", tensors, Vec::new()), vec![input]),
        bytes: |bound| {
            let columns = bound.descriptor.tensors[2].tensor.sizes[1];
            let count = bound.outputs[0].iter().rev().fold(0, |count, &byte| count << 8 | u64::from(byte));
            bound.inputs[0].len() as u64 + 4 + count * columns * 4
        },
    }
}

/// ONNX's NonZero: as many columns as are found.
fn non_zero(sizes: &[u64], percent: u32) -> Large {
    let elements = sizes.iter().product::<u64>();
    let found = ones(elements, percent).filter(|&element| element != 0.0).count() as u64;
    let tensors = vec![
        named("X", Role::Input, DataType::F32, sizes),
        named("Y", Role::Output, DataType::I64, &[sizes.len() as u64, found]),
    ];
    let input = ones(elements, percent).flat_map(f32::to_le_bytes).collect();
    let descriptor = Descriptor { level: "13".to_owned(), ..described("onnx/non_zero", tensors, Vec::new()) };
    Large {
        name: format!("non_zero f32 {sizes:?} {percent} %"),
        bound: bound(descriptor, vec![input]),
        bytes: |bound| (bound.inputs[0].len() + bound.outputs[0].len()) as u64,
    }
}

/// So many of a hundred elements are not zero.
fn ones(elements: u64, percent: u32) -> impl Iterator<Item = f32> {
    numbers(elements as usize).map(move |number| if (number >> 8) % 100 >= percent { 0.0 } else { 1.5 })
}
