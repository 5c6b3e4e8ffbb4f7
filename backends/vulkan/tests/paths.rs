//! The suite through every path that tensors can take: limits are lowered, so that small tensors go the way of large
//! ones, and memory is kept apart, as on a discrete device.

mod support;

use std::process::ExitCode;

use libtest_mimic::{Failed, Trial};
use opcert::backend::{
    Backend, CompileError, GuardedBuffer, NamedTensor, Role, guarded_dispatch, guarded_memory, input_fill,
};
use opcert::case::{Expectation, ExpectedTensor};
use opcert::check::{CheckedCase, ValidCase};
use opcert::layout::{gather, lay_out};
use opcert::plan::Planned;
use opcert_vulkan::{Lowered, Options};

use support::{all_go_right, ignored, open, run_on_a_device, suite};

/// A way through the backend, and which cases go it. That all of them go right as usual is for `opcert certify` to find.
struct Way {
    name: &'static str,
    options: fn() -> Options,
    /// They have at most so much memory.
    most_memory: u64,
    /// Of the generated paths.
    paths: Paths,
}

/// How many of the generated paths go a way: they are many, and alike but for their data and sizes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paths {
    All,
    /// One of four, from this one on: ways that differ in a number alone have all of them together.
    Quarter(usize),
}

/// What operators begin with whose programs are the same whatever is small enough for one pass and however many invocations
/// share a row: what moves elements and `elementwise.rs` look at neither.
const ONE_PROGRAM: [&str; 13] = [
    "directml/bit_",
    "directml/depth_to_space1",
    "directml/diagonal_matrix1",
    "directml/element_wise_",
    "directml/gather",
    "directml/is_",
    "directml/logical_",
    "directml/padding",
    "directml/reverse_subsequences",
    "directml/scatter_",
    "directml/slice1",
    "directml/space_to_depth1",
    "directml/tile",
];

/// The cases of up to so much memory, but for those that do not go another way than usual with these options.
fn cases(options: &Options, most_memory: u64, paths: Paths) -> impl Iterator<Item = &'static Planned> {
    let Lowered { binding_bytes, workgroups, allocation_bytes, .. } = options.limits;
    let is_choice = options.limits != Lowered::default()
        && (binding_bytes, workgroups, allocation_bytes) == (None, None, None)
        && !options.separate_memory;
    let is_usual =
        move |operator: &str| is_choice && ONE_PROGRAM.iter().any(|beginning| operator.starts_with(beginning));
    let is_path = |planned: &Planned| planned.case.about().id.contains("/generated/paths/");
    let mut number = 0;
    suite().iter().filter(move |planned| {
        number += usize::from(is_path(planned));
        let goes = match paths {
            Paths::All => true,
            Paths::Quarter(first) => !is_path(planned) || number % 4 == first,
        };
        goes && support::memory_of(planned) <= most_memory && !is_usual(&planned.case.about().operator.id)
    })
}

const WAYS: &[Way] = &[
    Way { name: "nothing_in_one_pass", options: || lowered(staged()), most_memory: 1 << 26, paths: Paths::All },
    Way {
        name: "windows_of_1_KiB",
        options: || lowered(Lowered { binding_bytes: Some(1 << 10), ..staged() }),
        most_memory: 1 << 13,
        paths: Paths::Quarter(1),
    },
    Way {
        name: "windows_of_64_KiB",
        options: || lowered(Lowered { binding_bytes: Some(1 << 16), ..staged() }),
        most_memory: 1 << 24,
        paths: Paths::Quarter(2),
    },
    Way {
        name: "windows_where_there_is_one_pass",
        options: || lowered(Lowered { binding_bytes: Some(1 << 10), ..Lowered::default() }),
        most_memory: 1 << 13,
        paths: Paths::Quarter(3),
    },
    Way {
        name: "grids_of_3_workgroups",
        options: || lowered(Lowered { workgroups: Some(3), ..Lowered::default() }),
        most_memory: 1 << 18,
        paths: Paths::All,
    },
    Way {
        name: "grids_of_3_workgroups_and_nothing_in_one_pass",
        options: || lowered(Lowered { workgroups: Some(3), ..staged() }),
        most_memory: 1 << 18,
        paths: Paths::Quarter(0),
    },
    Way { name: "subgroups_of_4", options: || subgroups_of(4), most_memory: 1 << 24, paths: Paths::Quarter(0) },
    Way { name: "subgroups_of_8", options: || subgroups_of(8), most_memory: 1 << 24, paths: Paths::Quarter(1) },
    Way { name: "subgroups_of_32", options: || subgroups_of(32), most_memory: 1 << 24, paths: Paths::Quarter(2) },
    Way { name: "subgroups_of_64", options: || subgroups_of(64), most_memory: 1 << 24, paths: Paths::Quarter(3) },
    Way {
        name: "memory_kept_apart",
        options: || Options { separate_memory: true, ..Options::default() },
        most_memory: 1 << 26,
        paths: Paths::Quarter(0),
    },
    Way {
        name: "memory_kept_apart_and_nothing_in_one_pass",
        options: || Options { separate_memory: true, ..lowered(staged()) },
        most_memory: 1 << 24,
        paths: Paths::Quarter(1),
    },
];

fn staged() -> Lowered {
    Lowered { direct_elements: Some(0), ..Lowered::default() }
}

fn lowered(limits: Lowered) -> Options {
    Options { limits, ..Options::default() }
}

fn subgroups_of(size: u32) -> Options {
    lowered(Lowered { subgroup: Some(size), ..staged() })
}

fn main() -> ExitCode {
    let mut trials: Vec<Trial> = WAYS.iter().map(|way| Trial::test(way.name, || go(way))).collect();
    trials.push(Trial::test("twenty_times_the_same_bytes", || same_bytes(&Options::default())));
    trials.push(Trial::test("twenty_times_the_same_bytes_in_several_passes", || same_bytes(&lowered(staged()))));
    let watched = [
        ("watched_by_the_validation_layer", Options::default()),
        ("watched_by_the_validation_layer_in_several_passes", lowered(staged())),
        (
            "watched_by_the_validation_layer_with_memory_kept_apart",
            Options { separate_memory: true, ..Options::default() },
        ),
    ];
    for (name, options) in watched {
        let options = Options { validation: true, ..options };
        let reason = open(options.clone()).err().map(|failed| failed.message().unwrap_or_default().to_owned());
        let trial = Trial::test(name, move || watched_by_the_layer(&options));
        trials.push(match reason {
            Some(reason) => ignored(trial, &reason),
            None => trial,
        });
    }
    run_on_a_device(trials)
}

fn go(way: &Way) -> Result<(), Failed> {
    let options = (way.options)();
    all_go_right(cases(&options, way.most_memory, way.paths), &open(options.clone())?)
}

/// Each dispatch gives the same bytes, twenty times over: those between elements and undefined ones too.
fn same_bytes(options: &Options) -> Result<(), Failed> {
    let backend = open(options.clone())?;
    let mut dispatched = 0;
    for planned in cases(options, 1 << 24, Paths::Quarter(2)) {
        if let CheckedCase::Valid(case) = &planned.case
            && case.is_dispatched()
        {
            let is_compiled = same_bytes_of(planned, case, &backend);
            dispatched += u32::from(is_compiled.map_err(|error| format!("{}: {error}", case.about.id))?);
        }
    }
    if dispatched == 0 { Err("nothing was dispatched".into()) } else { Ok(()) }
}

/// What has to come out each time: all bytes, or the defined elements where others are undefined, such as those that several
/// updates are for.
fn settled(case: &ValidCase, entry: &NamedTensor, bytes: Vec<u8>) -> Vec<u8> {
    let Expectation::Values(values) = &case.expectation else { return bytes };
    let Some((_, expected)) = values.iter().find(|(name, _)| *name == entry.name) else { return bytes };
    let is_defined = |index: usize| match expected {
        ExpectedTensor::Elements(elements) => elements.is_defined(index),
        ExpectedTensor::Digest(digest) => digest.defined.is_none_or(|defined| index < defined),
    };
    let elements = gather(&entry.tensor, &bytes);
    let elements: Vec<(usize, &[u8])> = elements.chunks_exact(entry.tensor.data_type.bytes()).enumerate().collect();
    if elements.iter().all(|(index, _)| is_defined(*index)) {
        return bytes;
    }
    elements.iter().filter(|(index, _)| is_defined(*index)).flat_map(|(_, element)| *element).copied().collect()
}

/// Whether there was something to dispatch: what the documents leave open may be refused.
fn same_bytes_of(planned: &Planned, case: &ValidCase, backend: &dyn Backend) -> Result<bool, String> {
    const POISON: u8 = 0xA5;
    let mut descriptor = case.descriptor.clone();
    let family = &planned.case.about().operator.family;
    family.level_name(case.level).clone_into(&mut descriptor.level);
    let mut operator = match backend.compile(&descriptor) {
        Err(CompileError::Rejected { .. }) if !case.about.gates() => return Ok(false),
        compiled => compiled.map_err(|error| error.to_string())?,
    };
    let named = |role: Role| descriptor.tensors.iter().filter(move |entry| entry.role == role);
    let inputs = named(Role::Input).map(|entry| {
        let input = case.inputs.iter().find(|input| input.name == entry.name).ok_or("an input has no data")?;
        let mut buffer = guarded_memory(entry, input_fill(POISON)).map_err(|fault| fault.to_string())?;
        lay_out(&entry.tensor, &input.data.elements(), buffer.bytes_mut());
        Ok::<_, String>((entry, buffer))
    });
    let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    let outputs: Vec<&NamedTensor> = named(Role::Output).collect();
    let mut dispatch = || {
        let buffers = guarded_dispatch(&mut *operator, &inputs, &outputs, POISON).map_err(|fault| fault.to_string())?;
        let bytes = buffers.into_iter().map(GuardedBuffer::into_bytes).collect::<Vec<_>>();
        Ok::<_, String>(
            std::iter::zip(&outputs, bytes).map(|(entry, bytes)| settled(case, entry, bytes)).collect::<Vec<_>>(),
        )
    };
    let first = dispatch()?;
    for repetition in 1..20 {
        if dispatch()? != first {
            return Err(format!("repetition {repetition} gives other bytes"));
        }
    }
    Ok(true)
}

/// What the layer says fails the dispatch that it says it about.
fn watched_by_the_layer(options: &Options) -> Result<(), Failed> {
    all_go_right(cases(options, 1 << 24, Paths::Quarter(3)), &open(options.clone())?)
}
