//! Fuzzing: its stream, what its samples reach, and the wrong backends that it finds.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use opcert::backend::{AttributeValue, DataType, Descriptor};
use opcert::check::{CheckedCase, violations};
use opcert::element;
use opcert::fuzz::{Fuzzing, Kind, Limit, MOST_FAILURES, OperatorReport, Trial};
use opcert::source::Source;
use opcert::spec::{Operator, Specs};
use opcert_cpu::CpuBackend;

const CPU: CpuBackend = CpuBackend::new();

fn specs() -> Specs {
    Specs::load(&Source::embedded_specs()).unwrap()
}

fn fuzzing(specs: &Specs, seed: u64, jobs: usize, samples: u64) -> Fuzzing<'_> {
    let limit = Limit::Samples(samples);
    let most_failures = MOST_FAILURES;
    Fuzzing { specs, backend: &CPU, operators: Vec::new(), level: None, seed, jobs, limit, most_failures }
}

/// The first samples of every operator, as text.
fn stream(seed: u64, samples: u64) -> Vec<String> {
    let specs = specs();
    let fuzzing = fuzzing(&specs, seed, 1, samples);
    let targets = fuzzing.targets().unwrap();
    let of = |target| (0..samples).map(move |index| (target, index));
    targets
        .iter()
        .flat_map(of)
        .map(|(target, index)| format!("{:?}", fuzzing.sample(target, index).unwrap().case))
        .collect()
}

#[test]
fn a_seed_gives_one_stream_and_another_seed_another() {
    let (first, again, other) = (stream(1, 200), stream(1, 200), stream(2, 200));
    assert!(first == again);
    let same = first.iter().zip(&other).filter(|(one, other)| one == other).count();
    assert!(same < 20, "{same} samples are the same for two seeds");
}

/// `.ci/run` fuzzes it with ten times as many samples.
#[test]
fn a_right_backend_passes() {
    let specs = specs();
    for OperatorReport { operator, tally, failures, mistakes, .. } in
        fuzzing(&specs, 3, 0, 5_000).run(|_, _| ()).unwrap()
    {
        let id = &operator.id;
        assert_eq!(mistakes, [""; 0], "{id}");
        assert!(failures.is_empty(), "{id}: {:?}", failures[0].event);
        assert_eq!((tally.samples, tally.failed, tally.unsupported), (5_000, 0, 0), "{id}");
        // Of ONNX's integers that say yes or no, and of its negative axes, much is left open that is refused elsewhere.
        let (invalid, skipped) = if id.starts_with("onnx/") { (450, 800) } else { (900, 280) };
        assert!(tally.valid > 3_400 && tally.invalid > invalid && tally.skipped < skipped, "{id}: {tally:?}");
    }
}

/// How often each thing occurred.
#[derive(Default)]
struct Reached(BTreeMap<String, usize>);

impl Reached {
    fn count(&mut self, what: String) {
        *self.0.entry(what).or_default() += 1;
    }

    /// Fails for everything that occurred less often than it should.
    fn at_least(&self, times: usize, wanted: impl IntoIterator<Item = String>) {
        let missing: Vec<String> = wanted
            .into_iter()
            .map(|what| (self.0.get(&what).copied().unwrap_or(0), what))
            .filter(|(count, _)| *count < times)
            .map(|(count, what)| format!("{what}: {count}"))
            .collect();
        assert!(missing.is_empty(), "too seldom: {}", missing.join(", "));
    }
}

/// Counts over the samples of an operator.
fn reached(id: &str, look: impl Fn(&Trial, &mut Reached)) -> (Reached, Specs) {
    let specs = specs();
    let mut reached = Reached::default();
    let fuzzing = Fuzzing { operators: vec![id.to_owned()], ..fuzzing(&specs, 5, 1, 0) };
    let targets = fuzzing.targets().unwrap();
    for index in 0..20_000 {
        let trial = fuzzing.sample(&targets[0], index).unwrap();
        if let (Kind::Valid, CheckedCase::Valid(case)) = (trial.kind, &trial.case) {
            assert_eq!(violations(&case.about.operator, trial.descriptor(), trial.level), []);
        }
        general(&trial, &mut reached);
        if trial.kind == Kind::Valid {
            look(&trial, &mut reached);
        }
    }
    (reached, specs)
}

/// What is counted for every operator.
fn general(trial: &Trial, reached: &mut Reached) {
    if let CheckedCase::Refused(case) = &trial.case {
        case.requirements.iter().for_each(|id| reached.count(format!("broken {id}")));
        return;
    }
    if trial.kind != Kind::Valid {
        return;
    }
    reached.count(format!("level {}", trial.descriptor().level));
    for entry in &trial.descriptor().tensors {
        let (name, tensor) = (&entry.name, &entry.tensor);
        reached.count(format!("{name} {}", tensor.data_type));
        reached.count(format!("{name} of {} dimensions", tensor.dimension_count()));
        let words = [
            ("strided", !tensor.is_packed()),
            ("repeated", tensor.strides.as_ref().is_some_and(|strides| strides.contains(&0)) && !tensor.is_packed()),
            ("aligned", tensor.alignment > 0),
            ("flagged", !tensor.flags.is_empty()),
            ("long", tensor.sizes.iter().any(|&size| size > 16)),
            ("very long", tensor.sizes.iter().any(|&size| size > 1024)),
        ];
        words.iter().filter(|(_, is)| *is).for_each(|(word, _)| reached.count(format!("{name} {word}")));
    }
}

/// Everything that the newest row of the support table allows, and every requirement that a check can break.
fn supported(operator: &Operator) -> Vec<String> {
    let row = operator.support_at(operator.family.highest()).unwrap();
    let mut wanted = Vec::new();
    for (name, dimensions, types) in &row.tensors {
        wanted.extend(types.iter().map(|each| format!("{name} {each}")));
        let counts = dimensions.least..=dimensions.greatest;
        wanted.extend(counts.map(|count| format!("{name} of {count} dimensions")));
        wanted.push(format!("{name} aligned"));
    }
    wanted
}

fn breakable(operator: &Operator) -> Vec<String> {
    let checked = operator.all_requirements().filter(|each| each.check.is_some() && each.gates());
    checked.map(|each| format!("broken {}", each.id)).collect()
}

fn levels(operator: &Operator) -> Vec<String> {
    let from = operator.family.levels.iter().skip(operator.introduced.0);
    from.map(|level| format!("level {level}")).collect()
}

fn integers(descriptor: &Descriptor, trial: &Trial, name: &str) -> Vec<i128> {
    let data_type = descriptor.tensor(name).unwrap().data_type;
    let input = trial.inputs().iter().find(|input| input.name == name).unwrap();
    let elements = input.data.elements();
    elements.chunks_exact(data_type.bytes()).filter_map(|bytes| element::integer(bytes, data_type)).collect()
}

/// The place of an index relative to a sequence, in words.
fn count_index(index: i128, size: i128, reached: &mut Reached) {
    let low_words = index.rem_euclid(1 << 32);
    let classes = [
        ("first", index == 0),
        ("last", index == size - 1),
        ("size", index == size),
        ("beyond", index > size && index < 1 << 15),
        ("twice", index == 2 * size),
        ("-1", index == -1),
        ("-size", index == -size),
        ("-size-1", index == -size - 1),
        ("low word in range", !(0..1 << 32).contains(&index) && low_words < size),
        ("2^31", index == 1 << 31),
        ("2^32-1", index == (1 << 32) - 1),
        ("2^63", index == 1 << 63),
        ("2^64-1", index == (1 << 64) - 1),
        ("least i64", index == i64::MIN.into()),
        ("greatest i64", index == i64::MAX.into()),
        ("least i32", index == i32::MIN.into()),
    ];
    classes.iter().filter(|(_, is)| *is).for_each(|(class, _)| reached.count(format!("index {class}")));
}

const INDICES: [&str; 9] =
    ["first", "last", "size", "beyond", "twice", "low word in range", "2^31", "2^32-1", "greatest i64"];
const MORE_INDICES: [&str; 7] = ["-1", "-size", "-size-1", "2^63", "2^64-1", "least i64", "least i32"];

const STRIDED: [&str; 6] = [
    "IndicesTensor strided",
    "ValuesTensor strided",
    "OutputTensor strided",
    "OutputTensor long",
    "ValuesTensor flagged",
    "IndicesTensor repeated",
];

#[test]
fn samples_of_one_hot_reach_what_there_is() {
    let (reached, specs) = reached("directml/one_hot", |trial, reached| {
        let descriptor = trial.descriptor();
        let output = descriptor.tensor("OutputTensor").unwrap();
        let axis = descriptor.integer("Axis").unwrap() as usize;
        reached.count(format!("axis {axis} of {}", output.sizes.len()));
        for index in integers(descriptor, trial, "IndicesTensor") {
            count_index(index, output.sizes[axis].into(), reached);
        }
        count_values(trial, "ValuesTensor", reached);
    });
    let operator = specs.operator("directml/one_hot").unwrap();
    reached.at_least(40, supported(operator));
    reached.at_least(20, levels(operator));
    reached.at_least(5, breakable(operator));
    reached.at_least(20, INDICES.iter().chain(&MORE_INDICES).map(|class| format!("index {class}")));
    reached.at_least(50, (1..=8).flat_map(|count| (0..count).map(move |axis| format!("axis {axis} of {count}"))));
    reached.at_least(20, VALUES.map(str::to_owned));
    reached.at_least(20, STRIDED.map(str::to_owned));
}

#[test]
fn samples_of_the_other_one_hot_reach_what_there_is() {
    let (reached, specs) = reached("openvino/one_hot_1", |trial, reached| {
        let descriptor = trial.descriptor();
        let axis = descriptor.integer("axis").unwrap();
        let count = descriptor.tensor("output").unwrap().sizes.len();
        reached.count(format!("axis {axis} of {count}"));
        let depth = integers(descriptor, trial, "depth")[0];
        for index in integers(descriptor, trial, "indices") {
            assert!(index >= 0 || trial.is_observed(), "{index}");
            count_index(index, depth, reached);
        }
        count_values(trial, "on_value", reached);
    });
    let types = DataType::ALL.map(|data_type| format!("output {data_type}"));
    reached.at_least(100, types.into_iter().chain(["indices i32".to_owned(), "depth i64".to_owned()]));
    reached.at_least(20, INDICES.map(|class| format!("index {class}")));
    let axes = |count: i64| (-count..count).map(move |axis| format!("axis {axis} of {count}"));
    reached.at_least(30, (1..=8).flat_map(axes));
    reached.at_least(5, breakable(specs.operator("openvino/one_hot_1").unwrap()));
    reached.at_least(10, VALUES.map(str::to_owned));
}

const VALUES: [&str; 5] = ["value nan", "value -0.0", "value inf", "value -inf", "all values equal"];

/// Values that only a copy keeps.
fn count_values(trial: &Trial, name: &str, reached: &mut Reached) {
    let data_type = trial.descriptor().tensor(name).unwrap().data_type;
    let texts: BTreeSet<String> = trial
        .inputs()
        .iter()
        .filter(|input| input.name == name || input.name == "off_value" && name == "on_value")
        .flat_map(|input| texts(&input.data.elements(), data_type))
        .collect();
    if texts.len() == 1 {
        reached.count("all values equal".to_owned());
    }
    texts.iter().for_each(|text| reached.count(format!("value {}", text.split('(').next().unwrap())));
}

fn texts(elements: &[u8], data_type: DataType) -> Vec<String> {
    elements.chunks_exact(data_type.bytes()).map(|bytes| element::render(bytes, data_type)).collect()
}

#[test]
fn samples_of_argmax_reach_what_there_is() {
    let (reached, specs) = reached("directml/argmax", |trial, reached| {
        let descriptor = trial.descriptor();
        let input = descriptor.tensor("InputTensor").unwrap();
        let axes = descriptor.integers("Axes").unwrap();
        let count = input.sizes.len();
        axes.iter().for_each(|axis| reached.count(format!("axis {axis} of {count}")));
        reached.count(format!("{} axes of {count}", axes.len()));
        reached.count(descriptor.enumerator("AxisDirection").unwrap().to_owned());
        let texts = texts(&trial.inputs()[0].data.elements(), input.data_type);
        let different: BTreeSet<&String> = texts.iter().collect();
        let pairs =
            |one: &str, other: &str| texts.iter().any(|text| text == one) && texts.iter().any(|text| text == other);
        let patterns = [
            ("all equal", texts.len() > 1 && different.len() == 1),
            ("ties", different.len() > 1 && different.len() * 2 < texts.len()),
            ("no ties", texts.len() > 3 && different.len() == texts.len()),
            ("all -inf", texts.len() > 1 && texts.iter().all(|text| text == "-inf")),
            ("all lowest", texts.len() > 1 && texts.iter().all(|text| text == "-128" || text == "-2147483648")),
            ("both zeros", pairs("0", "-0.0")),
            ("2^53 and more", pairs("9007199254740992", "9007199254740993")),
            ("above 2^63", pairs("9223372036854775808", "9223372036854775809")),
            ("open", trial.is_observed()),
        ];
        patterns.iter().filter(|(_, is)| *is).for_each(|(pattern, _)| reached.count((*pattern).to_owned()));
        if texts.iter().any(|text| text.starts_with("nan")) {
            assert!(trial.is_observed());
        }
    });
    let operator = specs.operator("directml/argmax").unwrap();
    reached.at_least(40, supported(operator));
    reached.at_least(20, levels(operator));
    reached.at_least(5, breakable(operator));
    reached.at_least(40, (1..=8).flat_map(|count| (0..count).map(move |axis| format!("axis {axis} of {count}"))));
    reached.at_least(5, (1..=8).flat_map(|count| (1..=count).map(move |axes| format!("{axes} axes of {count}"))));
    let patterns = ["all equal", "ties", "no ties", "both zeros", "open"];
    reached.at_least(50, patterns.map(str::to_owned));
    let rare = ["all -inf", "all lowest", "2^53 and more", "above 2^63"];
    reached.at_least(3, rare.map(str::to_owned));
    reached.at_least(500, ["InputTensor strided", "InputTensor repeated", "OutputTensor strided"].map(str::to_owned));
    let directions = ["DML_AXIS_DIRECTION_INCREASING", "DML_AXIS_DIRECTION_DECREASING"];
    reached.at_least(5000, directions.map(str::to_owned));
}

#[test]
fn samples_of_nonzero_coordinates_reach_what_there_is() {
    let (reached, specs) = reached("directml/nonzero_coordinates", |trial, reached| {
        let descriptor = trial.descriptor();
        let input = descriptor.tensor("InputTensor").unwrap();
        let columns = *descriptor.tensor("OutputCoordinatesTensor").unwrap().sizes.last().unwrap();
        reached.count(format!("{columns} columns of {}", input.sizes.len()));
        let texts = texts(&trial.inputs()[0].data.elements(), input.data_type);
        let zeros = texts.iter().filter(|text| *text == "0" || *text == "-0.0").count();
        let kinds = [
            ("no zeros", zeros == 0 && texts.len() > 3),
            ("only zeros", zeros == texts.len() && texts.len() > 3),
            ("some zeros", zeros > 0 && zeros < texts.len()),
            ("open", trial.is_observed()),
        ];
        kinds.iter().filter(|(_, is)| *is).for_each(|(kind, _)| reached.count((*kind).to_owned()));
        texts.iter().collect::<BTreeSet<_>>().into_iter().for_each(|text| reached.count(format!("value {text}")));
    });
    let operator = specs.operator("directml/nonzero_coordinates").unwrap();
    reached.at_least(40, supported(operator));
    reached.at_least(20, levels(operator));
    reached.at_least(5, breakable(operator));
    reached.at_least(500, ["InputTensor strided", "OutputCoordinatesTensor strided"].map(str::to_owned));
    let columns = |count: u64| (1..=count).map(move |columns| format!("{columns} columns of {count}"));
    reached.at_least(10, (1..=8).flat_map(columns));
    reached.at_least(300, ["no zeros", "only zeros", "some zeros"].map(str::to_owned));
    reached.at_least(50, ["open".to_owned()]);
    reached.at_least(20, ["-0.0", "-1", "0.5", "256", "65536", "-128", "inf"].map(|value| format!("value {value}")));
}

#[test]
fn samples_have_what_is_optional_and_leave_it_out() {
    let (reached, specs) = reached("directml/diagonal_matrix1", |trial, reached| {
        let descriptor = trial.descriptor();
        let output = descriptor.tensor("OutputTensor").unwrap();
        let is_given = descriptor.tensor("InputTensor").is_some();
        assert_eq!(trial.inputs().len(), usize::from(is_given));
        if !is_given {
            reached.count(format!("no input beside {}", output.data_type));
            reached.count(format!("no input beside {} dimensions", output.sizes.len()));
        }
        let [begin, end] = ["DiagonalFillBegin", "DiagonalFillEnd"].map(|name| descriptor.integer(name).unwrap());
        for number in [begin, end] {
            reached.count(format!("number {number}"));
        }
        reached.count(format!("begin {} end", if begin <= end { "before" } else { "behind" }));
    });
    let operator = specs.operator("directml/diagonal_matrix1").unwrap();
    let row = operator.support.last().unwrap();
    let types = row.tensors.iter().flat_map(|(_, _, types)| types);
    reached.at_least(200, types.map(|data_type| format!("no input beside {data_type}")));
    reached.at_least(1000, (2..=4).map(|count| format!("no input beside {count} dimensions")));
    reached.at_least(40, supported(operator));
    reached.at_least(5, breakable(operator));
    let numbers = [i64::from(i32::MIN), -3, -2, -1, 0, 1, 2, 3, i64::from(i32::MAX)];
    reached.at_least(500, numbers.map(|number| format!("number {number}")));
    reached.at_least(3000, ["begin before end", "begin behind end"].map(str::to_owned));
}

#[test]
fn what_cannot_be_fuzzed_is_refused() {
    let specs = specs();
    let mut fuzzing = fuzzing(&specs, 1, 1, 10);
    fuzzing.operators = vec!["directml/argmid".to_owned()];
    let message = fuzzing.run(|_, _| ()).unwrap_err().to_string();
    assert!(message.contains("`directml/argmid`") && message.contains("`directml/argmax`"), "{message}");
    fuzzing.operators = vec!["directml/argmax".to_owned()];
    fuzzing.level = Some("2_1".to_owned());
    let message = fuzzing.run(|_, _| ()).unwrap_err().to_string();
    assert_eq!(message, "`directml/argmax` is not there up to 2_1; ask for a higher level");
}

#[test]
fn it_ends_when_it_is_asked_to() {
    let specs = specs();
    let (fuzzing, is_asked) = (fuzzing(&specs, 1, 2, u64::MAX), AtomicBool::new(false));
    let reports = fuzzing.run_until(&is_asked, |_, _| is_asked.store(true, Ordering::Relaxed)).unwrap();
    let [report] = reports.as_slice() else { panic!("{} operators were begun", reports.len()) };
    assert!(report.tally.samples > 0 && report.tally.failed == 0, "{:?}", report.tally);
    assert!(fuzzing.run_until(&is_asked, |_, _| ()).unwrap().is_empty());
}

#[test]
fn axes_are_sorted_where_that_matters() {
    let specs = specs();
    let fuzzing = Fuzzing { operators: vec!["directml/argmax".to_owned()], ..fuzzing(&specs, 9, 1, 0) };
    let targets = fuzzing.targets().unwrap();
    let trials = (0..5000).map(|index| fuzzing.sample(&targets[0], index).unwrap());
    for trial in trials.filter(|trial| matches!(trial.kind, Kind::Valid | Kind::Accepted)) {
        let axes = trial.descriptor().attribute("Axes");
        assert!(matches!(axes, Some(AttributeValue::Integers(axes)) if axes.is_sorted()));
    }
}
