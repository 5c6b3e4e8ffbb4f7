//! Cases as tests of ONNX backends: what leaves, what comes back, and what comes in.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{Ran, opcert};
use opcert::backend::DataType;
use opcert::case::Expectation;
use opcert::check::{CheckedCase, Suite};
use opcert::npy;
use opcert::onnx::{NodeTest, OnnxTensor};
use opcert::spec::Specs;

const IDENTITY: &str = r#"{"name": "carried", "version": "1", "claims": {"directml": "6_4", "openvino": "1", "onnx": "13", "tosa": "1.0", "webnn": "1"},
    "strided": false, "refuses_invalid": false}"#;

/// A folder with the cases that are asked for, exported.
struct Exported(tempfile::TempDir);

impl Exported {
    fn of(filter: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut arguments = vec!["export", "--format", "onnx", "e"];
        arguments.extend(filter);
        let ran = opcert(folder.path(), &arguments);
        assert_eq!(ran.code, 0, "{}", ran.said());
        fs::write(folder.path().join("e/backend.json"), IDENTITY).unwrap();
        Self(folder)
    }

    fn case(&self, id: &str) -> PathBuf {
        self.0.path().join("e/node").join(format!("test_{}", id.replace('/', "__")))
    }

    fn test(&self, id: &str) -> NodeTest {
        NodeTest::read(&self.case(id)).unwrap().0
    }

    fn manifest(&self) -> serde_json::Value {
        serde_json::from_slice(&fs::read(self.0.path().join("e/opcert.json")).unwrap()).unwrap()
    }

    /// Writes what a runtime would have answered.
    fn answer(&self, id: &str, tensor: &OnnxTensor) {
        let file = npy::write(tensor.data_type, &tensor.sizes, &tensor.elements);
        for run in ["outputs", "again"] {
            fs::create_dir_all(self.case(id).join(run)).unwrap();
            fs::write(self.case(id).join(run).join("output_0.npy"), &file).unwrap();
        }
    }

    /// The outcome of each case and why, as `opcert judge` has it.
    fn judged(&self) -> (Ran, BTreeMap<String, (String, String)>) {
        let ran = opcert(self.0.path(), &["judge", "e", "--format", "jsonl"]);
        let events = ran.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let cases = events.filter(|event| event["event"] == "case");
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let outcomes = cases.map(|event| (text(&event["case"]), (text(&event["outcome"]), text(&event["reason"]))));
        let outcomes = outcomes.collect();
        (ran, outcomes)
    }
}

fn tensor(data_type: DataType, sizes: &[u64], elements: Vec<u8>) -> OnnxTensor {
    OnnxTensor { data_type, sizes: sizes.to_vec(), elements }
}

fn int64(sizes: &[u64], elements: &[i64]) -> OnnxTensor {
    tensor(DataType::I64, sizes, elements.iter().flat_map(|element| element.to_le_bytes()).collect())
}

fn int32(sizes: &[u64], elements: &[i32]) -> OnnxTensor {
    tensor(DataType::I32, sizes, elements.iter().flat_map(|element| element.to_le_bytes()).collect())
}

fn float(sizes: &[u64], elements: &[f32]) -> OnnxTensor {
    tensor(DataType::F32, sizes, elements.iter().flat_map(|element| element.to_le_bytes()).collect())
}

const ONE_HOT: &str = "directml/one_hot/documented/example_4";
const OPENVINO: &str = "openvino/one_hot_1/documented/example_1";
const NONZERO: &str = "directml/nonzero_coordinates/documented/example";
const ARGMAX: &str = "directml/argmax/documented/example_1";

#[test]
fn documented_examples_are_the_nodes_that_onnx_has_for_them() {
    let exported = Exported::of(&[ONE_HOT, OPENVINO, NONZERO, ARGMAX]);
    let said = |test: &NodeTest| {
        let node = &test.node;
        let attributes: Vec<String> = node.attributes.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let values = node.inputs.iter().chain([&node.output]).map(|value| format!("{} {value}", value.name));
        let values: Vec<String> = values.collect();
        format!("{}-{}({}) {}", node.operator, node.opset, attributes.join(", "), values.join(", "))
    };

    let test = exported.test(ONE_HOT);
    let expected = "OneHot-13(axis=3) indices INT64[1, 1, 3], depth INT64[], values FLOAT[2], output FLOAT[1, 1, 3, 4]";
    assert_eq!(said(&test), expected);
    let inputs = [int64(&[1, 1, 3], &[-3, 100, 3]), int64(&[], &[4]), float(&[2], &[0.0, 1.0])];
    assert_eq!(test.sets[0].inputs, inputs);
    let output = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    assert_eq!(test.sets[0].expected, Some(float(&[1, 1, 3, 4], &output)));

    let test = exported.test(OPENVINO);
    let expected = "OneHot-13() indices INT64[4], depth FLOAT[], values INT32[2], output INT32[4, 3]";
    assert_eq!(said(&test), expected);
    let inputs = [int64(&[4], &[0, 3, 1, 2]), float(&[], &[3.0]), int32(&[2], &[2, 1])];
    assert_eq!(test.sets[0].inputs, inputs);
    assert_eq!(test.sets[0].expected, Some(int32(&[4, 3], &[1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 1])));

    let test = exported.test(NONZERO);
    assert_eq!(said(&test), "NonZero-13() X FLOAT[1, 1, 2, 4], Y INT64[?, ?]");
    assert_eq!(test.sets[0].inputs, [float(&[1, 1, 2, 4], &[1.0, 0.0, 0.0, 2.0, -0.0, 3.5, 0.0, -5.2])]);
    assert_eq!(test.sets[0].expected, Some(int64(&[4, 4], &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 3, 1, 3])));

    let test = exported.test(ARGMAX);
    let expected = "ArgMax-13() data FLOAT[3, 3], reduced INT64[1, 3]";
    assert_eq!(said(&test), expected);
    assert_eq!(test.sets[0].expected, Some(int64(&[1, 3], &[1, 2, 1])));
}

/// The operators of which all cases are written; of the others those by hand.
const PICKED: [&str; 4] =
    ["directml/argmax/", "directml/nonzero_coordinates/", "directml/one_hot/", "openvino/one_hot_1/"];

fn filters() -> Vec<String> {
    PICKED.iter().map(|operator| format!("{operator}*")).chain(["*/by_hand/*".to_owned()]).collect()
}

/// What left is read as what it was.
fn what_was_exported_is_imported(exported: &Exported, specs: &Specs) {
    let (mut agreed, mut open) = (0, 0);
    for entry in fs::read_dir(exported.0.path().join("e/node")).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.join("test_data_set_0/output_0.pb").exists() {
            continue;
        }
        let mut found = opcert::import::read(&folder, specs).unwrap();
        assert_eq!(found.left_out, opcert::import::LeftOuts::default(), "{}", folder.display());
        let foreign = found.tests.remove(0);
        let imported = foreign.complete(specs).map_err(|error| format!("{}: {error}", folder.display())).unwrap();
        assert!(imported.disagreements.is_empty(), "{}", folder.display());
        // What the other family leaves open may be said by ONNX, and the other way around.
        let is_open = matches!(imported.case.expectation, Expectation::Observe);
        assert_ne!(imported.compared, is_open, "{}", folder.display());
        *if is_open { &mut open } else { &mut agreed } += 1;
    }
    assert!(agreed > 900 && open < 20, "{agreed} agreed, {open} open");
}

#[test]
fn every_case_is_exported_or_has_a_reason_and_comes_back_as_it_left() {
    let specs = Specs::load(&opcert::source::Source::embedded_specs()).unwrap();
    let source = opcert::case::CaseSource(opcert::source::Source::embedded_cases());
    let suite = Suite::load(&source, &specs, |_| true).unwrap();
    let is_picked = |case: &&CheckedCase| {
        let id = &case.about().id;
        !case.about().large && PICKED.iter().any(|operator| id.starts_with(operator) || id.contains("/by_hand/"))
    };
    let cases: BTreeMap<&str, &CheckedCase> =
        suite.cases.iter().filter(is_picked).map(|case| (case.about().id.as_str(), case)).collect();
    let exported = Exported::of(&filters().iter().map(String::as_str).collect::<Vec<_>>());
    what_was_exported_is_imported(&exported, &specs);
    let manifest = exported.manifest();
    let inexpressible = manifest["inexpressible"].as_object().unwrap();
    let mut here = 0;
    let mut answered = 0;
    for (id, case) in &cases {
        let folder = exported.case(id);
        assert_ne!(folder.exists(), inexpressible.contains_key(*id), "{id}");
        if !folder.exists() {
            let invalid = inexpressible[*id].as_str().unwrap().starts_with("invalid descriptor");
            assert_eq!(invalid, matches!(case, CheckedCase::Refused(_)), "{id}");
            continue;
        }
        here += 1;
        let test = exported.test(id);
        if let Some(expected) = &test.sets[0].expected {
            exported.answer(id, expected);
            answered += 1;
        }
    }
    assert_eq!((manifest["exported"].as_u64(), here + inexpressible.len()), (Some(here as u64), cases.len()));
    // No two cases share a folder.
    assert_eq!(fs::read_dir(exported.0.path().join("e/node")).unwrap().count(), here);
    assert!(here > 1500 && answered > 900, "{here} exported, {answered} with what is expected");

    let (ran, outcomes) = exported.judged();
    let count = |outcome: &str| outcomes.values().filter(|(each, _)| each == outcome).count();
    assert_eq!(count("pass"), answered, "{}", ran.err);
    assert_eq!((count("missing"), count("fail")), (here - answered, 0));
    assert_eq!(ran.code, 4, "{}", ran.said());
}

#[test]
fn an_output_that_does_not_become_that_of_the_case_is_named() {
    let exported = Exported::of(&[ONE_HOT, NONZERO, ARGMAX]);
    let outcome = |id: &str| {
        let (ran, mut outcomes) = exported.judged();
        let found = outcomes.remove(id);
        found.map_or_else(
            || ran.said(),
            |(outcome, reason)| {
                format!("{outcome}: {}", reason.trim_start_matches("at 6_4: ").trim_start_matches("protocol broken: "))
            },
        )
    };
    let begins = |id: &str, said: &str| {
        let found = outcome(id);
        assert!(found.starts_with(said), "{found}");
    };
    // As many columns as there are elements is an answer like any other.
    exported.answer(NONZERO, &int64(&[4, 9], &[0; 36]));
    begins(NONZERO, "fail: ");
    exported.answer(NONZERO, &int64(&[4, 1], &[0, 0, 1 << 32, 0]));
    begins(NONZERO, "error: 4294967296 is no value of u32");
    exported.answer(NONZERO, &int64(&[2, 4], &[0; 8]));
    begins(NONZERO, "error: ");
    exported.answer(NONZERO, &int64(&[4], &[0; 4]));
    begins(NONZERO, "protocol-error: `outputs/output_0.npy` is an array of the sizes [4], expected [4, 4]");
    exported.answer(NONZERO, &int32(&[4, 4], &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 3, 1, 3]));
    begins(NONZERO, "protocol-error: `outputs/output_0.npy` is <i4[4, 4], expected <i8[4, 4]");
    exported.answer(NONZERO, &int64(&[4, 4], &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 3, 1, 2]));
    begins(NONZERO, "fail: ");
    exported.answer(ARGMAX, &int64(&[1, 3], &[1, -1, 1]));
    begins(ARGMAX, "error: an element of `reduced` is none of `OutputTensor`");
    exported.answer(ONE_HOT, &float(&[1, 3, 4], &[0.0; 12]));
    begins(ONE_HOT, "protocol-error: `outputs/output_0.npy` is an array of the sizes [1, 3, 4], expected [1, 1, 3, 4]");

    fs::remove_dir_all(exported.case(ONE_HOT).join("again")).unwrap();
    fs::rename(exported.case(ONE_HOT).join("outputs/output_0.npy"), exported.case(ONE_HOT).join("outputs/y.npy"))
        .unwrap();
    assert_eq!(outcome(ONE_HOT), "missing: there is no `outputs/output_0.npy`, nor an `answer.json`");
    let (ran, _) = exported.judged();
    assert!(ran.err.contains("y.npy"), "{}", ran.said());
}

#[test]
fn a_test_of_onnx_is_imported_by_the_command() {
    let exported = Exported::of(&[ARGMAX]);
    let folder = exported.case(ARGMAX);
    let import = |folder: &Path| opcert(exported.0.path(), &[Path::new("import"), folder]);
    let ran = import(&folder);
    assert_eq!(ran.code, 0, "{}", ran.said());
    for part in ["operator: onnx/arg_max", "data: [[1, 2, 3], [3, 0, 4], [2, 5, 2]]", "int64"] {
        assert!(ran.out.contains(part), "no `{part}` in {}", ran.out);
    }
    assert!(!ran.err.contains("left out"), "{}", ran.err);

    // What is there beside the model and its data is named.
    for other in ["notes.txt", "test_data_set_0/input_7.pb", "test_data_set_0/output_1.pb"] {
        fs::write(folder.join(other), "").unwrap();
    }
    fs::create_dir(folder.join("test_data_set_x")).unwrap();
    let ran = import(&folder);
    assert_eq!(ran.code, 0, "{}", ran.said());
    for other in ["notes.txt", "test_data_set_0/input_7.pb", "test_data_set_0/output_1.pb", "test_data_set_x"] {
        assert!(ran.err.contains(&format!("`{other}` is left out: the model has no such tensor")), "{}", ran.err);
    }
    // What the file expects is compared with what follows from the specification.
    let wrong = int64(&[1, 3], &[1, 2, 0]).encode("reduced");
    fs::write(folder.join("test_data_set_0/output_0.pb"), wrong).unwrap();
    let ran = import(&folder);
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert!(ran.err.contains("`reduced` at [0, 2] is 0 in the file"), "{}", ran.err);

    fs::remove_file(folder.join("test_data_set_0/input_0.pb")).unwrap();
    let ran = import(&folder);
    assert!(ran.code == 2 && ran.err.contains("input_0.pb") && ran.err.contains("is not there"), "{}", ran.said());
}
