//! Files of workloads: what they come to, and what is refused in them, with its place.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use crate::command::opcert;
use opcert::backend::DataType;
use opcert::bench::{Scale, Workloads};
use opcert::source::Source;
use opcert::spec::Specs;
use tempfile::TempDir;

const STEM: &str = "directml/argmax";

const TEXT: &str = "\
operator: directml/argmax
elements: 2^20
types: [FLOAT32, UINT8]
range: rows
workloads:
  rows:
    title: axis 1
    sizes: {rows: grows, columns: 16}
    tensors:
      InputTensor: {type: type, sizes: [rows, columns], data: {random: numbers}}
      OutputTensor: {type: UINT32, sizes: [rows, 1]}
    attributes: {Axes: [1], AxisDirection: DML_AXIS_DIRECTION_INCREASING}
  tiny:
    sizes: {length: 3}
    tensors:
      InputTensor: {type: type, sizes: [length], data: [0, length, elements]}
      OutputTensor: {type: UINT32, sizes: [1]}
    attributes: {Axes: [0], AxisDirection: DML_AXIS_DIRECTION_INCREASING}
";

fn specs() -> Specs {
    Specs::load(&Source::embedded_specs()).unwrap()
}

/// The workloads of one file, or what is wrong with it.
fn loaded(stem: &str, text: &str) -> Result<Workloads, Vec<String>> {
    let source = Source::Held(vec![(stem.to_owned(), text.to_owned())]);
    let said = |problems: Vec<_>| problems.iter().map(ToString::to_string).collect();
    Workloads::load(&source, &specs(), |_| true).map_err(said)
}

#[test]
fn names_stand_for_numbers_and_for_the_type() {
    let workloads = loaded(STEM, TEXT).unwrap();
    let [rows, tiny] = workloads.all().collect::<Vec<_>>()[..] else { unreachable!() };
    assert!(rows.grows && rows.scale == Scale::Elements(1 << 20) && rows.types == [DataType::F32, DataType::U8]);
    assert_eq!((rows.caption(1 << 20), rows.elements(1000)), ("[65536, 16] axis 1".to_owned(), 992));
    let work = rows.work(DataType::U8, 64).unwrap();
    let of = |name: &str| work.descriptor.tensor(name).unwrap();
    assert_eq!((of("InputTensor").data_type, &of("InputTensor").sizes[..]), (DataType::U8, &[4, 16][..]));
    assert_eq!((of("OutputTensor").data_type, &of("OutputTensor").sizes[..]), (DataType::U32, &[4, 1][..]));
    // A small one is always the same, and measured in one type.
    assert!(!tiny.grows && tiny.scale == Scale::Small && tiny.types == [DataType::F32]);
    assert_eq!((tiny.caption(1000), tiny.elements(1000)), ("[3]".to_owned(), 3));
    let work = tiny.work(DataType::I32, 1).unwrap();
    let mut memory = [0xEE; 12];
    work.inputs[0].fill(DataType::I32, 1, &mut memory);
    assert_eq!(memory, [0, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0]);
    assert_eq!(tiny.work(DataType::Bool, 1).unwrap_err(), "`directml` has no data type `bool`");
}

#[test]
fn what_is_wrong_has_a_place() {
    let mut missed = Vec::new();
    for (right, wrong, place, said) in [
        (
            "operator: directml/argmax",
            "operator: directml/argmx",
            "1:11",
            "`directml/argmx` is no operator that is specified",
        ),
        ("operator: directml/argmax", "operator: directml/one_hot", "1:11", "workloads of `directml/one_hot` stand in"),
        (
            "elements: 2^20",
            "elements: many",
            "2:11",
            "expected a number of elements such as `1048576` or `2^20`, found `many`",
        ),
        ("elements: 2^20", "elements: 2^40", "2:11", "`2^40` is not between 1 and 2^32 elements"),
        ("[FLOAT32, UINT8]", "[FLOAT32, UINT7]", "3:18", "`UINT7` is no data type of `directml`"),
        ("[FLOAT32, UINT8]", "[]", "3:8", "there is no data type to measure"),
        ("[FLOAT32, UINT8]", "[FLOAT32, FLOAT64]", "10:27", "[directml/argmax/tensor-support]"),
        ("range: rows", "range: columns", "4:8", "`columns` is no workload of this file"),
        ("range: rows", "range: tiny", "4:8", "`tiny` has no size that grows"),
        ("  tiny:", "  ti ny:", "13:3", "`ti ny` is no name for a workload"),
        ("    title:", "    titel:", "7:5", "unknown key `titel`"),
        ("{rows: grows,", "{rows: grow,", "8:19", "expected a number from 1 on, or `grows`, found `grow`"),
        ("columns: 16}", "columns: 0}", "8:35", "expected a number from 1 on, or `grows`, found `0`"),
        ("columns: 16}", "columns: 16, type: 1}", "8:45", "`type` stands for something else already"),
        ("[rows, 1]", "[rwos, 1]", "11:44", "`rwos` is no size of this workload"),
        ("[rows, 1]", "[rows, 2]", "11:50", "[directml/argmax/output-sizes]"),
        ("Axes: [1]", "Axes: [2]", "12:25", "[directml/argmax/axes-in-range]"),
        ("INCREASING}\n  tiny", "SIDEWAYS}\n  tiny", "12:44", "expected one of DML_AXIS_DIRECTION_INCREASING"),
        ("{random: numbers}", "{random: number}", "10:72", "unknown name `number`"),
        ("{random: numbers}", "{random: numbers, bound: 3}", "10:88", "`bound` does not belong to `numbers`"),
        ("{random: numbers}", "{random: below}", "10:63", "`bound` is missing"),
        ("{random: numbers}", "{random: below, bound: 0}", "10:86", "a `bound` is at least 1"),
        ("{random: numbers}", "{random: sparse, percent: 101}", "10:89", "`percent` is 100 at most"),
        ("{random: numbers}", "[1, 2]", "10:63", "2 elements in one list, expected 64 for sizes [4, 16]"),
        (", data: {random: numbers}", "", "10:7", "`InputTensor` has no data"),
        ("[rows, 1]}", "[rows, 1], data: {random: numbers}}", "11:7", "`OutputTensor` is an output and has no data"),
        ("[rows, 1]}", "[rows, 1], strides: [2, 1]}", "11:7", "`OutputTensor` has strides; what is measured is packed"),
        ("      OutputTensor: {type: UINT32, sizes: [rows, 1]}\n", "", "9:5", "the tensor `OutputTensor` is missing"),
        ("    title: axis 1", "    found_rows: InputTensor", "7:17", "`InputTensor` is no output of `directml/argmax`"),
    ] {
        assert!(TEXT.contains(right), "{right}");
        let problems = loaded(STEM, &TEXT.replacen(right, wrong, 1)).unwrap_err();
        let first = format!("directml/argmax.yaml:{place}: ");
        let is_said = |problem: &String| problem.starts_with(&first) && problem.contains(said);
        if problems.len() != 1 || !problems.iter().all(is_said) {
            missed.push(format!("{wrong}, {place}: {problems:#?}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    let constant = "\
operator: openvino/one_hot_1
elements: 64
types: [f32]
range: all
workloads:
  all:
    sizes: {indices: grows, depth: 4}
    tensors:
      indices: {type: i64, sizes: [indices], data: {random: below, bound: depth}}
      depth: {type: i64, sizes: [], data: {random: below, bound: 5}}
      on_value: {type: type, sizes: [], data: 1}
      off_value: {type: type, sizes: [], data: 0}
      output: {type: type, sizes: [indices, depth]}
    attributes: {axis: 1}
";
    let said = "openvino/one_hot_1.yaml:10:7: the value of `depth` is part of the descriptor, and cannot be random";
    assert_eq!(loaded("openvino/one_hot_1", constant).unwrap_err(), [said]);
}

#[test]
fn an_operator_has_workloads_in_one_file() {
    let twice = ["one/directml/argmax", "other/directml/argmax"].map(|stem| (stem.to_owned(), TEXT.to_owned()));
    let problems = Workloads::load(&Source::Held(twice.into()), &specs(), |_| true).unwrap_err();
    assert_eq!(problems.len(), 2, "{problems:?}");
    let nothing = Workloads::load(&Source::Held(Vec::new()), &specs(), |_| true).unwrap_err();
    assert_eq!(nothing[0].problem.message, "there are no files of workloads (`*.yaml`) here");
}

/// Every file that is there is valid, and an operator without one is named.
#[test]
fn the_command_reads_workloads_of_ones_own() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/own_operator");
    let run = |words: &str| opcert(&own, &shlex::split(words).unwrap());
    let valid = run("validate --specs specs workloads workloads/loom/window.yaml ../../workloads/directml/argmax.yaml");
    assert!(valid.code == 2 && valid.err.contains("`directml/argmax` is no operator"), "{}", valid.said());
    assert!(valid.out.contains("workloads: 3 workloads, valid\n"), "{}", valid.said());
    assert!(valid.out.contains("workloads/loom/window.yaml: 3 workloads, valid\n"), "{}", valid.said());
    let embedded = run("validate ../../workloads");
    assert!(embedded.code == 0 && embedded.out.contains("workloads, valid"), "{}", embedded.said());
    // Nothing of the embedded backends claims the family: what there is to measure is said all the same.
    let bench = run("bench --specs specs --workloads workloads");
    assert!(bench.code == 4 && bench.out.contains("unsupported: `loom/window` is not claimed"), "{}", bench.said());
    let lacking = run("bench --specs specs");
    let said = "`loom/window` has no workloads: the file `loom/window.yaml` of a folder has them, which `--workloads DIR` names";
    assert!(lacking.code == 2 && lacking.err.contains(said), "{}", lacking.said());
    let folder = TempDir::new().unwrap();
    let none = opcert(folder.path(), &["bench", "--workloads", "."]);
    assert!(none.code == 2 && none.err.contains("there are no files of workloads"), "{}", none.said());
}
