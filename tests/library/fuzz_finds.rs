//! Backends that are wrong in one thing each: fuzzing finds them, shrinks what it found, and writes cases that fail.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use opcert::backend::{
    AttributeValue, Backend, CompileError, DataType, Descriptor, Fault, Identity, Input, Operator, Output, Support,
};
use opcert::case::CaseSource;
use opcert::case::write;
use opcert::check::Suite;
use opcert::fuzz::{Failure, Fuzzing, Limit, MOST_FAILURES};
use opcert::judge::{Outcome, judge};
use opcert::plan::{Plan, Selection};
use opcert::run::execute;
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_cpu::CpuBackend;

/// What is wrong with a backend that is otherwise that of the CPU.
#[derive(Clone, Copy)]
enum Wrong {
    /// It compiles another descriptor.
    Descriptor(fn(&mut Descriptor)),
    /// It reads the elements of an input differently: the name, the type, the element's bits, the descriptor.
    Element(&'static str, fn(i128, DataType, &Descriptor) -> i128),
    /// It changes the memory of an output: its position among the outputs, its bytes, what number of dispatch it is.
    Output(fn(usize, &mut [u8], &Descriptor, u64)),
    /// It answers differently to whether a descriptor is valid.
    Answer(fn(&Descriptor, Result<(), CompileError>) -> Result<(), CompileError>),
}

struct WrongBackend {
    wrong: Wrong,
    dispatches: Arc<AtomicU64>,
}

struct WrongOperator {
    wrong: Wrong,
    descriptor: Descriptor,
    right: Option<Box<dyn Operator>>,
    dispatches: Arc<AtomicU64>,
}

impl Backend for WrongBackend {
    fn identity(&self) -> Identity {
        CpuBackend::new().identity()
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        CpuBackend::new().supports(descriptor)
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let compile = |descriptor: &Descriptor| CpuBackend::new().compile(descriptor);
        let right = match self.wrong {
            Wrong::Descriptor(change) => {
                let mut changed = descriptor.clone();
                compile(descriptor)?;
                change(&mut changed);
                Some(compile(&changed)?)
            }
            Wrong::Answer(answer) => {
                let compiled = compile(descriptor);
                answer(descriptor, compiled.as_ref().map(|_| ()).map_err(Clone::clone))?;
                compiled.ok()
            }
            Wrong::Element(..) | Wrong::Output(_) => Some(compile(descriptor)?),
        };
        let (wrong, dispatches) = (self.wrong, Arc::clone(&self.dispatches));
        Ok(Box::new(WrongOperator { wrong, descriptor: descriptor.clone(), right, dispatches }))
    }
}

impl Operator for WrongOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let Some(right) = &mut self.right else { return Err(Fault::Failed("nothing was compiled".to_owned())) };
        match self.wrong {
            Wrong::Element(name, read) => {
                let memory = |input: &Input<'_>| match input.name == name {
                    true => reread(input, |bits| read(bits, input.tensor.data_type, &self.descriptor)),
                    false => input.bytes.to_vec(),
                };
                let read: Vec<Vec<u8>> = inputs.iter().map(memory).collect();
                let inputs: Vec<Input<'_>> =
                    inputs.iter().zip(&read).map(|(input, bytes)| Input { bytes, ..*input }).collect();
                right.dispatch(&inputs, outputs)
            }
            Wrong::Output(change) => {
                right.dispatch(inputs, outputs)?;
                let number = self.dispatches.fetch_add(1, Ordering::Relaxed);
                let changed = |(position, output): (usize, &mut Output<'_>)| {
                    change(position, output.bytes, &self.descriptor, number);
                };
                outputs.iter_mut().enumerate().for_each(changed);
                Ok(())
            }
            Wrong::Descriptor(_) | Wrong::Answer(_) => right.dispatch(inputs, outputs),
        }
    }
}

/// The memory of an input with every element changed: integers as such, floats as their bits.
fn reread(input: &Input<'_>, read: impl Fn(i128) -> i128) -> Vec<u8> {
    let data_type = input.tensor.data_type;
    let mut bytes = input.bytes.to_vec();
    for element in bytes.chunks_exact_mut(data_type.bytes()) {
        let mut wide = [0; 16];
        wide[..element.len()].copy_from_slice(element);
        let value = opcert::element::integer(element, data_type).unwrap_or(i128::from_le_bytes(wide));
        element.copy_from_slice(&read(value).to_le_bytes()[..element.len()]);
    }
    bytes
}

const INCREASING: &str = "DML_AXIS_DIRECTION_INCREASING";
const DECREASING: &str = "DML_AXIS_DIRECTION_DECREASING";

/// The size of a sequence of either one-hot operator.
fn length(descriptor: &Descriptor) -> i128 {
    let output = descriptor.tensors.last().unwrap();
    let axis = descriptor.integer("Axis").or(descriptor.integer("axis")).unwrap();
    let axis = if axis < 0 { axis + output.tensor.sizes.len() as i64 } else { axis };
    output.tensor.sizes[axis as usize].into()
}

fn set_direction(descriptor: &mut Descriptor, direction: impl Fn(&str) -> &'static str) {
    for attribute in &mut descriptor.attributes {
        if let AttributeValue::Enumerator(name) = &mut attribute.value {
            *name = direction(name).to_owned();
        }
    }
}

fn forget_strides(descriptor: &mut Descriptor, name: &str) {
    for entry in descriptor.tensors.iter_mut().filter(|entry| entry.name == name) {
        // What lies within the memory of the strided tensor is within that of the packed one only if there is more.
        entry.tensor.strides = entry.tensor.strides.take().filter(|_| {
            let packed = entry.tensor.element_count().unwrap() * entry.tensor.data_type.bytes() as u64;
            packed > entry.tensor.total_bytes.unwrap()
        });
    }
}

fn rejected_for(result: &Result<(), CompileError>, id: &str) -> bool {
    matches!(result, Err(CompileError::Rejected { requirement: Some(found), .. }) if found == id)
}

const NEGATIVE_ZEROS: [(DataType, i128); 2] = [(DataType::F32, 1 << 31), (DataType::F16, 1 << 15)];

const ARGMAX: [(&str, Wrong); 9] = [
    (
        "ties flipped",
        Wrong::Descriptor(|descriptor| {
            set_direction(descriptor, |name| if name == INCREASING { DECREASING } else { INCREASING });
        }),
    ),
    ("ties always increasing", Wrong::Descriptor(|descriptor| set_direction(descriptor, |_| INCREASING))),
    ("strides of the input ignored", Wrong::Descriptor(|descriptor| forget_strides(descriptor, "InputTensor"))),
    (
        "64 bits compared as a float",
        Wrong::Element("InputTensor", |value, data_type, _| match data_type {
            DataType::I64 => (value as f64 as i64).into(),
            DataType::U64 => (value as f64 as u64).into(),
            _ => value,
        }),
    ),
    (
        "64 bits compared as 32",
        Wrong::Element("InputTensor", |value, data_type, _| match data_type {
            DataType::I64 | DataType::U64 => value & 0xFFFF_FFFF,
            _ => value,
        }),
    ),
    (
        "-0.0 is below 0.0",
        Wrong::Element(
            "InputTensor",
            |value, data_type, _| {
                if NEGATIVE_ZEROS.contains(&(data_type, value)) { value + 1 } else { value }
            },
        ),
    ),
    (
        "-inf is the lowest number",
        Wrong::Element("InputTensor", |value, data_type, _| match (data_type, value) {
            (DataType::F32, 0xFF80_0000) => 0xFF7F_FFFF,
            (DataType::F16, 0xFC00) => 0xFBFF,
            _ => value,
        }),
    ),
    (
        "unsigned compared as signed",
        Wrong::Element("InputTensor", |value, data_type, _| match data_type {
            DataType::U8 => value ^ 0x80,
            _ => value,
        }),
    ),
    ("not the same twice", Wrong::Output(|_, bytes, _, number| bytes[0] ^= u8::from(number % 7 == 3))),
];

const ONE_HOT: [(&str, Wrong); 12] = [
    ("indices cut to 32 bits", Wrong::Element("IndicesTensor", |value, _, _| i128::from(value as i32))),
    (
        "indices wrap around",
        Wrong::Element("IndicesTensor", |value, _, descriptor| value.rem_euclid(length(descriptor))),
    ),
    (
        "the size is the last index",
        Wrong::Element(
            "IndicesTensor",
            |value, _, descriptor| {
                if value == length(descriptor) { value - 1 } else { value }
            },
        ),
    ),
    (
        "negative indices are out of range",
        Wrong::Element("IndicesTensor", |value, _, descriptor| if value < 0 { length(descriptor) } else { value }),
    ),
    (
        "negative indices stop at the start",
        Wrong::Element("IndicesTensor", |value, _, descriptor| if value < -length(descriptor) { 0 } else { value }),
    ),
    (
        "unsigned indices are signed",
        Wrong::Element("IndicesTensor", |value, data_type, descriptor| match data_type {
            DataType::U32 if value >> 31 != 0 => (value - (1 << 32) + length(descriptor)).max(-1) & 0xFFFF_FFFF,
            _ => value,
        }),
    ),
    (
        "NaN loses its payload",
        Wrong::Element("ValuesTensor", |value, data_type, _| match data_type {
            DataType::F32 if f32::from_bits(value as u32).is_nan() => 0x7FC0_0000,
            _ => value,
        }),
    ),
    (
        "-0.0 becomes 0.0",
        Wrong::Element(
            "ValuesTensor",
            |value, data_type, _| {
                if NEGATIVE_ZEROS.contains(&(data_type, value)) { 0 } else { value }
            },
        ),
    ),
    ("strides of the indices ignored", Wrong::Descriptor(|descriptor| forget_strides(descriptor, "IndicesTensor"))),
    (
        "an axis too large is taken",
        Wrong::Answer(|_, right| if rejected_for(&right, "directml/one_hot/axis-in-range") { Ok(()) } else { right }),
    ),
    (
        "eight dimensions are refused",
        Wrong::Answer(|descriptor, right| {
            let eight = descriptor.tensors[2].tensor.sizes.len() == 8;
            let refusal = CompileError::Rejected { requirement: None, reason: "too many".to_owned() };
            if eight && right.is_ok() { Err(refusal) } else { right }
        }),
    ),
    (
        "another requirement is named",
        Wrong::Answer(|_, right| {
            let id = "directml/one_hot/values-at-least-two";
            let other = Some("directml/one_hot/same-value-type".to_owned());
            let refusal = CompileError::Rejected { requirement: other, reason: "one value".to_owned() };
            if rejected_for(&right, id) { Err(refusal) } else { right }
        }),
    ),
];

const NONZERO: [(&str, Wrong); 6] = [
    (
        "-0.0 is not zero",
        Wrong::Element(
            "InputTensor",
            |value, data_type, _| {
                if NEGATIVE_ZEROS.contains(&(data_type, value)) { 0x3C00 } else { value }
            },
        ),
    ),
    ("only the low byte counts", Wrong::Element("InputTensor", |value, _, _| value & 0xFF)),
    (
        "negative numbers do not count",
        Wrong::Element("InputTensor", |value, data_type, _| match data_type {
            DataType::I32 | DataType::I16 | DataType::I8 => value.max(0),
            _ => value,
        }),
    ),
    (
        "a count of 0 is not written",
        Wrong::Output(|position, bytes, _, number| {
            if position == 0 && bytes[..4] == [0; 4] {
                bytes[..4].fill(number as u8);
            }
        }),
    ),
    (
        "the count is one too high from three on",
        Wrong::Output(|position, bytes, _, _| {
            if position == 0 && bytes[0] >= 3 {
                bytes[0] += 1;
            }
        }),
    ),
    (
        "the first two rows stand the other way round",
        Wrong::Output(|position, bytes, descriptor, _| {
            let rows = &descriptor.tensors[2].tensor;
            if position == 1 && rows.strides.is_none() && rows.element_count() >= Some(4) && rows.sizes.ends_with(&[2])
            {
                bytes[..16].rotate_left(8);
            }
        }),
    ),
];

const OPENVINO: [(&str, Wrong); 5] = [
    (
        "depth is the last index",
        Wrong::Element("indices", |value, _, descriptor| if value == length(descriptor) { value - 1 } else { value }),
    ),
    ("indices cut to 32 bits", Wrong::Element("indices", |value, _, _| value & 0xFFFF_FFFF)),
    ("indices wrap around", Wrong::Element("indices", |value, _, descriptor| value % length(descriptor))),
    ("a depth of 1 panics", Wrong::Output(|_, _, descriptor, _| assert!(length(descriptor) > 1, "a depth of 1"))),
    (
        "scalars of one dimension are taken",
        Wrong::Answer(|_, right| if rejected_for(&right, "openvino/one_hot_1/scalar-inputs") { Ok(()) } else { right }),
    ),
];

/// A mutant has to show within so many samples: at the rate of an optimised build, less than a second.
const SAMPLES: u64 = 60_000;

/// The first failures of a wrong backend, shrunk.
fn found(specs: &Specs, operator: &str, backend: &WrongBackend, more: u64) -> Vec<Failure> {
    let limit = Limit::Samples(0);
    let operators = vec![operator.to_owned()];
    let mut fuzzing =
        Fuzzing { specs, backend, operators, level: None, seed: 1, jobs: 1, limit, most_failures: MOST_FAILURES };
    let target = fuzzing.targets().unwrap().remove(0);
    let fails = |index: &u64| {
        let result = fuzzing.sample(&target, *index).unwrap().run(backend);
        result.is_some_and(|(_, event)| event.outcome.is_bad())
    };
    let Some(first) = (0..SAMPLES).find(fails) else { return Vec::new() };
    // A backend that is not the same twice needs some more to fail again.
    fuzzing.limit = Limit::Samples(first + 1 + more);
    let mut reports = fuzzing.run(|_, _| ()).unwrap();
    assert_eq!(reports[0].mistakes, [""; 0]);
    reports.remove(0).failures
}

/// The outcomes of the cases when they are read from a file and run.
fn repeated(specs: &Specs, failure: &Failure, backend: &WrongBackend) -> Vec<Outcome> {
    let operator = &failure.cases[0].operator;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join(&operator.id);
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("found.yaml"), write(operator, "found", &failure.cases)).unwrap();
    let source = CaseSource(Source::Path(folder.path().to_owned()));
    let suite = Suite::load(&source, specs, |_| true).unwrap_or_else(|problems| {
        let problems: Vec<String> = problems.iter().map(|problem| problem.render(false)).collect();
        panic!("{}", problems.join("\n"))
    });
    let level = failure.level.map(|level| operator.family.level_name(level).to_owned());
    let plan = Plan::new(suite.cases, specs, backend, &Selection { level, ..Selection::default() }).unwrap();
    plan.entries.iter().map(|planned| judge(planned, execute(planned, backend)).outcome).collect()
}

fn finds_all(operator: &str, wrongs: &[(&str, Wrong)]) {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let mut missed = Vec::new();
    for &(name, wrong) in wrongs {
        let backend = WrongBackend { wrong, dispatches: Arc::default() };
        let random = name == "not the same twice";
        let failures = found(&specs, operator, &backend, if random { 100 } else { 0 });
        let Some(failure) = failures.first() else {
            missed.push(name);
            continue;
        };
        for tensor in failure.cases[0].tensors.iter().filter(|tensor| tensor.data.is_some()) {
            let count = tensor.descriptor.element_count().unwrap();
            assert!(count <= 8, "{name}: `{}` still has {count} elements", tensor.name);
        }
        if !random {
            assert!(failure.repeats, "{name}: {:?}", failure.event);
            let outcomes = repeated(&specs, failure, &backend);
            assert_eq!(outcomes.last(), Some(&failure.event.outcome), "{name}");
            assert!(outcomes.iter().rev().skip(1).all(|outcome| *outcome == Outcome::Pass), "{name}: {outcomes:?}");
        }
    }
    assert_eq!(missed, [""; 0]);
}

#[test]
fn wrong_argmax_is_found() {
    finds_all("directml/argmax", &ARGMAX);
}

#[test]
fn wrong_one_hot_is_found() {
    finds_all("directml/one_hot", &ONE_HOT);
}

#[test]
fn wrong_nonzero_coordinates_is_found() {
    finds_all("directml/nonzero_coordinates", &NONZERO);
}

#[test]
fn the_other_one_hot_gone_wrong_is_found() {
    finds_all("openvino/one_hot_1", &OPENVINO);
}

#[test]
fn threads_do_not_change_what_is_reported() {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let report = |jobs| {
        let backend = WrongBackend { wrong: ONE_HOT[1].1, dispatches: Arc::default() };
        let (operators, limit) = (vec!["directml/one_hot".to_owned()], Limit::Samples(1500));
        let fuzzing = Fuzzing {
            specs: &specs,
            backend: &backend,
            operators,
            level: None,
            seed: 4,
            jobs,
            limit,
            most_failures: MOST_FAILURES,
        };
        let report = fuzzing.run(|_, _| ()).unwrap().remove(0);
        let cases = report.failures.iter().flat_map(|failure| failure.cases.clone()).collect::<Vec<_>>();
        (report.tally, report.failures.len(), write(&report.operator, "", &cases))
    };
    let one = report(1);
    assert!(one.1 > 0);
    assert_eq!(one, report(3));
}

#[test]
fn failures_differ_from_each_other_and_are_few() {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    // Everything fails: every sample of every type and layout.
    let backend =
        WrongBackend { wrong: Wrong::Output(|_, bytes, _, _| bytes[0] = !bytes[0]), dispatches: Arc::default() };
    let (operators, limit) = (vec!["directml/argmax".to_owned()], Limit::Samples(2000));
    let fuzzing = Fuzzing {
        specs: &specs,
        backend: &backend,
        operators,
        level: None,
        seed: 4,
        jobs: 2,
        limit,
        most_failures: MOST_FAILURES,
    };
    let report = fuzzing.run(|_, _| ()).unwrap().remove(0);
    let shapes: BTreeSet<String> =
        report.failures.iter().map(|failure| format!("{:?}", failure.cases.last().unwrap().tensors)).collect();
    assert_eq!(shapes.len(), report.failures.len());
    assert!(report.failures.len() <= MOST_FAILURES);
    assert!(report.tally.failed > 1000);
}
