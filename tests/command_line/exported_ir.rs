//! Cases as models in OpenVINO's intermediate representation. What a model looks like was written down here from one
//! that OpenVINO itself had serialized.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::command::opcert;
use opcert::case::CaseSource;
use opcert::check::{CheckedCase, Suite};
use opcert::source::Source;
use opcert::spec::Specs;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde_json::{Value, json};
use tempfile::TempDir;

/// An export.
struct Ir(TempDir);

impl Ir {
    fn of(filter: &str) -> Self {
        Self::exported(&[filter])
    }

    fn exported(filter: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let ran = opcert(folder.path(), &[&["export", "--format", "openvino-ir", "ir"], filter].concat());
        assert_eq!(ran.code, 0, "{}", ran.said());
        Self(folder)
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("ir")
    }

    fn case(&self, name: &str) -> PathBuf {
        self.root().join("cases/openvino/one_hot_1").join(name)
    }
}

fn json_of(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// An element with its attributes sorted, on a line that is indented as deep as it lies; `=` is before a text.
fn outline(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let mut reader = Reader::from_str(&text);
    reader.config_mut().trim_text(true);
    let (mut lines, mut depth) = (String::new(), 0);
    let mut open = |depth: usize, element: &BytesStart<'_>| {
        let mut words = vec![String::from_utf8(element.name().as_ref().to_vec()).unwrap()];
        let mut attributes: Vec<String> = element
            .attributes()
            .map(Result::unwrap)
            .map(|each| {
                format!("{}={}", str::from_utf8(each.key.as_ref()).unwrap(), str::from_utf8(&each.value).unwrap())
            })
            .collect();
        attributes.sort();
        words.append(&mut attributes);
        lines.push_str(&format!("{}{}\n", "  ".repeat(depth), words.join(" ")));
    };
    let mut texts = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(element) => {
                open(depth, &element);
                depth += 1;
            }
            Event::Empty(element) => open(depth, &element),
            Event::End(_) => depth -= 1,
            Event::Text(text) => texts.push(str::from_utf8(&text).unwrap().to_owned()),
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    // The only texts are sizes, in the order of their elements.
    let mut texts = texts.into_iter();
    let with_texts = lines.lines().map(|line| {
        let text = if line.trim() == "dim" { format!(" = {}", texts.next().unwrap()) } else { String::new() };
        format!("{line}{text}\n")
    });
    with_texts.collect()
}

/// Example 1 of the page: indices [4] and depth 3 along the last axis; the types are the case's.
const EXAMPLE_1: &str = "\
net name=openvino/one_hot_1/documented/example_1 version=11
  layers
    layer id=0 name=indices type=Parameter version=opset1
      data element_type=i64 shape=4
      output
        port id=0 names=indices precision=I64
          dim = 4
    layer id=1 name=depth type=Const version=opset1
      data element_type=i64 offset=0 shape= size=8
      output
        port id=0 names=depth precision=I64
    layer id=2 name=on_value type=Parameter version=opset1
      data element_type=i32 shape=
      output
        port id=0 names=on_value precision=I32
    layer id=3 name=off_value type=Parameter version=opset1
      data element_type=i32 shape=
      output
        port id=0 names=off_value precision=I32
    layer id=4 name=operation type=OneHot version=opset1
      data axis=-1
      input
        port id=0 precision=I64
          dim = 4
        port id=1 precision=I64
        port id=2 precision=I32
        port id=3 precision=I32
      output
        port id=4 names=output precision=I32
          dim = 4
          dim = 3
    layer id=5 name=output type=Result version=opset1
      input
        port id=0 precision=I32
          dim = 4
          dim = 3
  edges
    edge from-layer=0 from-port=0 to-layer=4 to-port=0
    edge from-layer=1 from-port=0 to-layer=4 to-port=1
    edge from-layer=2 from-port=0 to-layer=4 to-port=2
    edge from-layer=3 from-port=0 to-layer=4 to-port=3
    edge from-layer=4 from-port=4 to-layer=5 to-port=0
";

#[test]
fn a_documented_example_is_the_model_that_was_written_by_hand() {
    let ir = Ir::of("openvino/one_hot_1/documented/*");
    let folder = ir.case("documented/example_1");
    assert_eq!(outline(&folder.join("model.xml")), EXAMPLE_1);
    assert_eq!(fs::read(folder.join("model.bin")).unwrap(), [3, 0, 0, 0, 0, 0, 0, 0]);
    let mut inputs: Vec<_> =
        fs::read_dir(folder.join("inputs")).unwrap().map(|each| each.unwrap().file_name()).collect();
    inputs.sort();
    assert_eq!(inputs, ["indices.npy", "off_value.npy", "on_value.npy"]);
    let asked = json_of(&folder.join("case.json"));
    let files = json!({
        "indices": "inputs/indices.npy", "on_value": "inputs/on_value.npy", "off_value": "inputs/off_value.npy",
    });
    assert_eq!(asked["inputs"], files);
    assert_eq!(asked["outputs"], json!({"output": "outputs/output.npy"}));
}

#[test]
fn every_case_is_a_model_or_has_its_reason() {
    let ir = Ir::exported(&["openvino/*", "*/by_hand/*"]);
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |_| true).unwrap();
    let is_picked = |id: &str| id.starts_with("openvino/") || id.contains("/by_hand/");
    let ids = suite.cases.iter().map(CheckedCase::about).filter(|about| !about.large && is_picked(&about.id));
    let ids: BTreeMap<&str, &str> = ids.map(|about| (about.id.as_str(), about.operator.id.as_str())).collect();
    let mut written = BTreeSet::new();
    let manifest = json_of(&ir.root().join("opcert.json"));
    let reasons = manifest["inexpressible"].as_object().unwrap();
    let mut count = 0;
    for (id, operator) in ids {
        let model = ir.root().join("cases").join(id).join("model.xml");
        assert_ne!(model.is_file(), reasons.contains_key(id), "{id}");
        if model.is_file() {
            count += 1;
            written.insert(operator);
        }
    }
    assert_eq!(manifest["exported"], count);
    let expected = [
        "directml/nonzero_coordinates",
        "directml/one_hot",
        "onnx/non_zero",
        "onnx/one_hot",
        "openvino/non_zero_3",
        "openvino/one_hot_1",
        "openvino/one_hot_16",
    ];
    assert_eq!(written, BTreeSet::from(expected));
}

#[test]
fn every_element_type_occurs() {
    let ir = Ir::of("openvino/one_hot_1/generated/*");
    let types = [
        ("bf16", "BF16"),
        ("boolean", "BOOL"),
        ("f16", "FP16"),
        ("f32", "FP32"),
        ("f64", "FP64"),
        ("i16", "I16"),
        ("i32", "I32"),
        ("i64", "I64"),
        ("i8", "I8"),
        ("u16", "U16"),
        ("u32", "U32"),
        ("u64", "U64"),
        ("u8", "U8"),
    ];
    let mut found = BTreeSet::new();
    for folder in ["paths", "shapes"] {
        for entry in fs::read_dir(ir.case("generated").join(folder)).unwrap() {
            let text = outline(&entry.unwrap().path().join("model.xml"));
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            let layer = lines.iter().position(|line| line.starts_with("layer id=2 name=on_value ")).unwrap();
            let of =
                |line: usize, key: &str| lines[line].split_once(key).unwrap().1.split(' ').next().unwrap().to_owned();
            found.insert((of(layer + 1, "element_type="), of(layer + 3, "precision=")));
        }
    }
    assert_eq!(found, types.into_iter().map(|(one, other)| (one.to_owned(), other.to_owned())).collect());
}

#[test]
fn an_invalid_descriptor_is_written_as_it_is() {
    let ir = Ir::of("openvino/one_hot_1/generated/refusals/*");
    let refusal = |name: &str| outline(&ir.case("generated/refusals").join(name).join("model.xml"));
    let weights = |name: &str| fs::read(ir.case("generated/refusals").join(name).join("model.bin")).unwrap();
    assert!(
        refusal("plain_without_axis").contains("version=opset1\n      data\n"),
        "{}",
        refusal("plain_without_axis")
    );
    let far = refusal("plain_axis_at_2_to_the_32_minus_1");
    assert!(far.contains("data axis=4294967295\n"), "{far}");
    let without = refusal("plain_without_off_value");
    assert!(!without.contains("name=off_value") && !without.contains("to-port=3"), "{without}");
    assert!(without.contains("edge from-layer=2 from-port=0 to-layer=3 to-port=2\n"), "{without}");
    let without = refusal("plain_without_depth");
    assert!(!without.contains("name=depth") && weights("plain_without_depth").is_empty(), "{without}");
    assert_eq!(weights("plain_depth_one_below"), [0; 8]);
    assert_eq!(weights("plain_depth_negative"), [0xFF; 8]);
    let vector = refusal("plain_depth_of_one_dimension");
    assert!(vector.contains("data element_type=i64 offset=0 shape=1 size=8\n"), "{vector}");
    let half = refusal("plain_depth_of_f16");
    assert!(half.contains("data element_type=f16 offset=0 shape= size=2\n"), "{half}");
    assert!(!ir.case("generated/refusals/plain_without_axis/inputs").exists());
}

#[test]
fn what_a_model_cannot_say_is_not_asked() {
    let ir = Ir::of("openvino/one_hot_1/generated/refusals/*");
    let reasons = json_of(&ir.root().join("opcert.json"))["inexpressible"].clone();
    let reason =
        |name: &str| reasons[format!("openvino/one_hot_1/generated/refusals/{name}")].as_str().unwrap_or("none");
    for name in ["plain_output_of_i64", "plain_output_0_larger", "matrix_output_0_larger"] {
        assert!(reason(name).starts_with("the type and the sizes of an output follow from the inputs"), "{name}");
    }
    assert!(reason("plain_depth_of_boolean").starts_with("a constant of OpenVINO IR has a value"));
    // Nothing follows from inputs that do not fit each other.
    assert_eq!(reason("plain_on_value_of_i64"), "none");
}

#[test]
fn constants_lie_within_the_weights() {
    let ir = Ir::of("openvino/*");
    let mut count = 0;
    let manifest = json_of(&ir.root().join("opcert.json"));
    for folder in ["by_hand", "generated/refusals", "generated/paths"] {
        for entry in fs::read_dir(ir.case(folder)).unwrap() {
            let folder = entry.unwrap().path();
            let text = outline(&folder.join("model.xml"));
            let length = fs::metadata(folder.join("model.bin")).unwrap().len();
            let data = text.lines().find(|line| line.contains(" offset=0 "));
            let size = data.map_or(0, |line| line.rsplit_once("size=").unwrap().1.parse::<u64>().unwrap());
            assert_eq!(size, length, "{}", folder.display());
            count += 1;
        }
    }
    assert!(count > 200 && count < manifest["exported"].as_u64().unwrap(), "{count}");
}

#[test]
fn a_known_failure_of_what_a_model_cannot_say_is_not_stale() {
    let ir = Ir::exported(&[]);
    let identity = json!({
        "name": "mine", "version": "1", "claims": {"directml": "6_4", "openvino": "1"},
        "strided": false, "refuses_invalid": false,
    });
    fs::write(ir.root().join("backend.json"), identity.to_string()).unwrap();
    // One that left and was not to be answered could not fail.
    let (known, stale) =
        ("directml/one_hot/documented/example_4", "openvino/one_hot_1/generated/refusals/plain_without_axis");
    let entry = |case: &str| format!("  - case: {case}\n    outcome: fail\n    reason: it is known\n");
    fs::write(ir.0.path().join("known.yaml"), format!("expectations:\n{}{}", entry(known), entry(stale))).unwrap();
    let ran = opcert(ir.0.path(), &["judge", "ir", "--expectations", "known.yaml"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains(&format!("`{stale}` is stale")) && !ran.err.contains(known), "{}", ran.err);
}
