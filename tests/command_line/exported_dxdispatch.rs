//! Models of DxDispatch: against what its schema and its reader ask for, against one that is written by hand, and back.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::command::{Ran, opcert as run};
use opcert::case::{CaseSource, Expectation, ExpectedTensor};
use opcert::check::{CheckedCase, RefusedCase, Suite};
use opcert::layout::lay_out;
use opcert::npy;
use opcert::source::Source;
use opcert::spec::{Authority, Specs};
use opcert_backend::DataType;
use serde_json::{Map, Value, json};

fn opcert(arguments: &[&str]) -> Ran {
    run(Path::new("."), arguments)
}

fn suite() -> (Specs, Suite) {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |_| true).unwrap();
    (specs, suite)
}

/// The export of all cases, made once.
fn exported() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let ran = opcert(&["export", "--format", "dxdispatch", &folder.path().display().to_string()]);
        assert_eq!(ran.code, 0, "{}", ran.said());
        folder
    });
    folder.path()
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The folders of all exported cases.
fn folders() -> Vec<PathBuf> {
    fn look(folder: &Path, found: &mut Vec<PathBuf>) {
        if folder.join("case.json").exists() {
            return found.push(folder.to_owned());
        }
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                look(&path, found);
            }
        }
    }
    let mut found = Vec::new();
    look(&exported().join("cases"), &mut found);
    found.sort();
    found
}

/// What a value is in the schema's terms.
#[derive(Clone, Copy)]
enum Kind {
    /// A whole number from this one upwards.
    Integer(u64),
    /// A whole number with a sign.
    Whole,
    Text,
    /// One of the data types, without their prefix.
    DataType,
    Integers,
    /// Whole numbers with a sign.
    Signed,
    Texts(&'static [&'static str]),
    /// A number that is no text.
    Number,
    Truth,
}

use Kind::{Integer, Integers, Number, Signed, Text, Texts, Truth, Whole};

/// The fields of an object: name, whether it is required, what it is.
type Fields = &'static [(&'static str, bool, Kind)];

/// The data types of the schema that are no UNKNOWN, each of which is there with and without a prefix.
const DATA_TYPES: [&str; 11] =
    ["FLOAT16", "FLOAT32", "FLOAT64", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64"];

/// A buffer but for `initialValues`. The reader asks for the data type of every form that is used here.
const BUFFER: Fields = &[("initialValuesDataType", true, Kind::DataType), ("sizeInBytes", true, Integer(1))];
const CONSTANT: Fields = &[("valueCount", true, Integer(1)), ("value", true, Number)];
/// Only the reader knows this one.
const FILE: Fields = &[("sourcePath", true, Text)];
/// `type` is that of commands; only the reader knows `writeFile`.
const DISPATCH: Fields = &[("type", true, Text), ("dispatchable", true, Text)];
const WRITE_FILE: Fields =
    &[("type", true, Text), ("resource", true, Text), ("targetPath", true, Text), ("dimensions", true, Integers)];
/// A tensor in the reader's short form.
const TENSOR: Fields = &[
    ("DataType", true, Kind::DataType),
    ("Sizes", true, Integers),
    ("Strides", false, Integers),
    ("TotalTensorSizeInBytes", true, Integer(1)),
    ("GuaranteedBaseOffsetAlignment", false, Integer(0)),
    ("Flags", false, Texts(&["OWNED_BY_DML"])),
];

/// The structures of DirectML.h, and which of their tensors are inputs.
const OPERATORS: [(&str, &[&str], &[&str], Fields); 44] = [
    ("DML_OPERATOR_ONE_HOT", &["IndicesTensor", "ValuesTensor"], &["OutputTensor"], &[("Axis", true, Integer(0))]),
    (
        "DML_OPERATOR_GATHER",
        &["InputTensor", "IndicesTensor"],
        &["OutputTensor"],
        &[("Axis", true, Integer(0)), ("IndexDimensions", true, Integer(0))],
    ),
    (
        "DML_OPERATOR_GATHER_ELEMENTS",
        &["InputTensor", "IndicesTensor"],
        &["OutputTensor"],
        &[("Axis", true, Integer(0))],
    ),
    (
        "DML_OPERATOR_SCATTER",
        &["InputTensor", "IndicesTensor", "UpdatesTensor"],
        &["OutputTensor"],
        &[("Axis", true, Integer(0))],
    ),
    (
        "DML_OPERATOR_SCATTER_ND",
        &["InputTensor", "IndicesTensor", "UpdatesTensor"],
        &["OutputTensor"],
        &[("InputDimensionCount", true, Integer(0)), ("IndicesDimensionCount", true, Integer(0))],
    ),
    (
        "DML_OPERATOR_ELEMENT_WISE_CLIP1",
        &["InputTensor"],
        &["OutputTensor"],
        &[("MinMaxDataType", true, Kind::DataType), ("Min", true, Number), ("Max", true, Number)],
    ),
    (
        "DML_OPERATOR_ELEMENT_WISE_CLIP",
        &["InputTensor"],
        &["OutputTensor"],
        &[("Min", true, Number), ("Max", true, Number)],
    ),
    (
        "DML_OPERATOR_CUMULATIVE_SUMMATION",
        &["InputTensor"],
        &["OutputTensor"],
        &[("Axis", true, Integer(0)), ("AxisDirection", true, Text), ("HasExclusiveSum", true, Truth)],
    ),
    (
        "DML_OPERATOR_PADDING",
        &["InputTensor"],
        &["OutputTensor"],
        &[
            ("PaddingMode", true, Text),
            ("PaddingValue", true, Number),
            ("DimensionCount", true, Integer(0)),
            ("StartPadding", true, Integers),
            ("EndPadding", true, Integers),
        ],
    ),
    (
        "DML_OPERATOR_DIAGONAL_MATRIX1",
        &["InputTensor"],
        &["OutputTensor"],
        &[
            ("ValueDataType", true, Kind::DataType),
            ("Value", true, Number),
            ("DiagonalFillBegin", true, Whole),
            ("DiagonalFillEnd", true, Whole),
        ],
    ),
    (
        "DML_OPERATOR_FILL_VALUE_CONSTANT",
        &[],
        &["OutputTensor"],
        &[("ValueDataType", true, Kind::DataType), ("Value", true, Number)],
    ),
    (
        "DML_OPERATOR_SLICE1",
        &["InputTensor"],
        &["OutputTensor"],
        &[
            ("DimensionCount", true, Integer(0)),
            ("InputWindowOffsets", true, Integers),
            ("InputWindowSizes", true, Integers),
            ("InputWindowStrides", true, Signed),
        ],
    ),
    (
        "DML_OPERATOR_PADDING1",
        &["InputTensor"],
        &["OutputTensor"],
        &[
            ("PaddingMode", true, Text),
            ("PaddingValueDataType", true, Kind::DataType),
            ("PaddingValue", true, Number),
            ("DimensionCount", true, Integer(0)),
            ("StartPadding", true, Integers),
            ("EndPadding", true, Integers),
        ],
    ),
    (
        "DML_OPERATOR_TOP_K1",
        &["InputTensor"],
        &["OutputValueTensor", "OutputIndexTensor"],
        &[("Axis", true, Integer(0)), ("K", true, Integer(0)), ("AxisDirection", true, Text)],
    ),
    (
        "DML_OPERATOR_REVERSE_SUBSEQUENCES",
        &["InputTensor", "SequenceLengthsTensor"],
        &["OutputTensor"],
        &[("Axis", true, Integer(0))],
    ),
    (
        "DML_OPERATOR_GATHER_ND1",
        &["InputTensor", "IndicesTensor"],
        &["OutputTensor"],
        &[
            ("InputDimensionCount", true, Integer(0)),
            ("IndicesDimensionCount", true, Integer(0)),
            ("BatchDimensionCount", true, Integer(0)),
        ],
    ),
    (
        "DML_OPERATOR_TILE",
        &["InputTensor"],
        &["OutputTensor"],
        &[("RepeatsCount", true, Integer(0)), ("Repeats", true, Integers)],
    ),
    (
        "DML_OPERATOR_DEPTH_TO_SPACE1",
        &["InputTensor"],
        &["OutputTensor"],
        &[("BlockSize", true, Integer(0)), ("Order", true, Text)],
    ),
    (
        "DML_OPERATOR_SPACE_TO_DEPTH1",
        &["InputTensor"],
        &["OutputTensor"],
        &[("BlockSize", true, Integer(0)), ("Order", true, Text)],
    ),
    ("DML_OPERATOR_ELEMENT_WISE_BIT_AND", &["ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_BIT_OR", &["ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_LEFT", &["ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_BIT_SHIFT_RIGHT", &["ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_BIT_XOR", &["ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_LOGICAL_AND", &["ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS", &["ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN", &["ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL", &["ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN", &["ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL", &["ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_LOGICAL_OR", &["ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_LOGICAL_XOR", &["ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_MAX", &["ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_MIN", &["ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_BIT_COUNT", &["InputTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_BIT_NOT", &["InputTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_IS_NAN", &["InputTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT", &["InputTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_IF", &["ConditionTensor", "ATensor", "BTensor"], &["OutputTensor"], &[]),
    ("DML_OPERATOR_ELEMENT_WISE_IS_INFINITY", &["InputTensor"], &["OutputTensor"], &[("InfinityMode", true, Text)]),
    ("DML_OPERATOR_NONZERO_COORDINATES", &["InputTensor"], &["OutputCountTensor", "OutputCoordinatesTensor"], &[]),
    (
        "DML_OPERATOR_ARGMAX",
        &["InputTensor"],
        &["OutputTensor"],
        &[("AxisCount", true, Integer(0)), ("Axes", true, Integers), ("AxisDirection", true, Text)],
    ),
    (
        "DML_OPERATOR_ARGMIN",
        &["InputTensor"],
        &["OutputTensor"],
        &[("AxisCount", true, Integer(0)), ("Axes", true, Integers), ("AxisDirection", true, Text)],
    ),
    (
        "DML_OPERATOR_REDUCE",
        &["InputTensor"],
        &["OutputTensor"],
        &[("Function", true, Text), ("AxisCount", true, Integer(0)), ("Axes", true, Integers)],
    ),
];

/// The tensors that an operator's structure may leave out.
const OPTIONAL: [(&str, &str); 1] = [("DML_OPERATOR_DIAGONAL_MATRIX1", "InputTensor")];

fn uint(value: &Value) -> Option<u64> {
    value.as_u64().filter(|&number| number <= u64::from(u32::MAX))
}

fn is_signed(value: &Value) -> bool {
    value.as_i64().is_some_and(|number| i32::try_from(number).is_ok())
}

fn fits(value: &Value, kind: Kind) -> bool {
    match kind {
        Integer(least) => value.as_u64().is_some_and(|number| number >= least),
        Text => value.is_string(),
        Kind::DataType => value.as_str().is_some_and(|name| DATA_TYPES.contains(&name)),
        Integers => value.as_array().is_some_and(|all| all.iter().all(|each| uint(each).is_some())),
        Whole => is_signed(value),
        Signed => value.as_array().is_some_and(|all| all.iter().all(is_signed)),
        Texts(known) => {
            let known = |each: &Value| each.as_str().is_some_and(|name| known.contains(&name));
            value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(known))
        }
        Number => value.is_number(),
        Truth => value.is_boolean(),
    }
}

/// What is wrong with an object: fields that are missing, unknown or of another kind. `others` are looked at elsewhere.
fn wrong(object: &Value, fields: Fields, others: &[&str]) -> Vec<String> {
    let Some(object) = object.as_object() else { return vec![format!("{object} is no object")] };
    let mut wrong: Vec<String> = Vec::new();
    for (name, required, kind) in fields {
        match object.get(*name) {
            None if *required => wrong.push(format!("`{name}` is missing")),
            Some(value) if !fits(value, *kind) => wrong.push(format!("`{name}` is {value}")),
            _ => {}
        }
    }
    let known = |name: &str| others.contains(&name) || fields.iter().any(|(each, ..)| *each == name);
    wrong.extend(object.keys().filter(|name| !known(name)).map(|name| format!("`{name}` is unknown")));
    wrong.extend(others.iter().filter(|name| !object.contains_key(**name)).map(|name| format!("`{name}` is missing")));
    wrong
}

/// The bytes of an element, by the digits in its type's name.
fn width(data_type: &Value) -> u64 {
    let digits: String = data_type.as_str().unwrap().chars().filter(char::is_ascii_digit).collect();
    digits.parse::<u64>().unwrap() / 8
}

fn elements(shape: &Value) -> u64 {
    shape.as_array().unwrap().iter().map(|size| size.as_u64().unwrap()).product()
}

/// The bytes that follow from sizes and strides, as DirectML.h has it: up to the end of the last element.
fn span(tensor: &Value) -> u64 {
    let Some(strides) = tensor.get("Strides") else { return elements(&tensor["Sizes"]) * width(&tensor["DataType"]) };
    let pairs = std::iter::zip(tensor["Sizes"].as_array().unwrap(), strides.as_array().unwrap());
    let last: u64 = pairs.map(|(size, stride)| (size.as_u64().unwrap() - 1) * stride.as_u64().unwrap()).sum();
    (last + 1) * width(&tensor["DataType"])
}

fn data_type(name: &Value) -> DataType {
    let name = name.as_str().unwrap().to_lowercase().replace("float", "f").replace("uint", "u").replace("int", "i");
    serde_json::from_value(Value::String(name)).unwrap()
}

fn objects(value: &Value) -> &Map<String, Value> {
    value.as_object().unwrap_or_else(|| panic!("{value} is no object"))
}

#[test]
fn every_model_is_one_that_dxdispatch_reads() {
    let mut problems = Vec::new();
    let (mut runs, mut compilations) = (0, 0);
    let mut types = BTreeSet::new();
    let mut enumerators = BTreeSet::new();
    let mut flags = 0;
    for folder in folders() {
        let case = read(&folder.join("case.json"));
        let model = read(&folder.join("model.json"));
        let mut report = |found: Vec<String>| {
            problems.extend(found.into_iter().map(|problem| format!("{}: {problem}", case["case"])));
        };
        report(wrong(&model, &[], &["resources", "dispatchables", "commands"]));
        assert_eq!(objects(&model["dispatchables"]).len(), 1, "{}", case["case"]);
        let (name, dispatchable) = objects(&model["dispatchables"]).iter().next().unwrap();
        let operator = OPERATORS.iter().find(|(operator, ..)| dispatchable["type"] == *operator);
        let Some((operator, inputs, outputs, attributes)) = operator else {
            report(vec![format!("{} is no operator", dispatchable["type"])]);
            continue;
        };
        let desc = &dispatchable["desc"];
        let is_there = |tensor: &&str| desc.get(*tensor).is_some() || !OPTIONAL.contains(&(*operator, *tensor));
        let inputs: Vec<&str> = inputs.iter().copied().filter(is_there).collect();
        let tensors: Vec<&str> = inputs.iter().chain(*outputs).copied().collect();
        report(wrong(desc, attributes, &tensors));
        for tensor in &tensors {
            report(wrong(&desc[tensor], TENSOR, &[]));
            types.insert(desc[tensor]["DataType"].as_str().unwrap().to_owned());
            flags += usize::from(desc[tensor].get("Flags").is_some());
            if let Some(strides) = desc[tensor].get("Strides") {
                assert_eq!(strides.as_array().unwrap().len(), desc[tensor]["Sizes"].as_array().unwrap().len());
            }
        }
        if let Some(axes) = desc.get("Axes") {
            assert_eq!(desc["AxisCount"], axes.as_array().unwrap().len(), "{}", case["case"]);
            let enumerated = desc.get("AxisDirection").or_else(|| desc.get("Function"));
            enumerators.insert(enumerated.unwrap().as_str().unwrap().to_owned());
        }
        let owned = |tensor: &str| desc[tensor].get("Flags").is_some();
        let bound_first: BTreeSet<&str> = inputs.iter().copied().filter(|tensor| owned(tensor)).collect();
        let stated: Option<BTreeSet<&str>> =
            dispatchable.get("bindings").map(|all| objects(all).keys().map(String::as_str).collect());
        assert_eq!(stated.unwrap_or_default(), bound_first, "{}", case["case"]);

        for (name, resource) in objects(&model["resources"]) {
            let values = &resource["initialValues"];
            report(wrong(resource, BUFFER, &["initialValues"]));
            let size = resource["sizeInBytes"].as_u64().unwrap();
            assert_eq!(size % 4, 0, "{}: `{name}` has {size} bytes", case["case"]);
            let held = if let Some(path) = values.get("sourcePath") {
                report(wrong(values, FILE, &[]));
                let file = fs::read(folder.join(path.as_str().unwrap())).unwrap();
                // What follows the header is what the tool puts into the buffer.
                let header = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
                let header = std::str::from_utf8(&file[10..header]).unwrap();
                let descr = header.split('\'').nth(3).unwrap();
                let kind = match resource["initialValuesDataType"].as_str().unwrap() {
                    name if name.starts_with("FLOAT") => 'f',
                    name if name.starts_with("UINT") => 'u',
                    _ => 'i',
                };
                let width = width(&resource["initialValuesDataType"]);
                assert_eq!(descr[1..], format!("{kind}{width}"), "{}: {path}", case["case"]);
                (file.len() - 10 - header.len()) as u64
            } else {
                report(wrong(values, CONSTANT, &[]));
                assert!(uint(&values["valueCount"]).is_some(), "{}", case["case"]);
                values["valueCount"].as_u64().unwrap() * width(&resource["initialValuesDataType"])
            };
            assert!(held > 0 && held <= size, "{}: `{name}`: {held} of {size}", case["case"]);
        }

        let commands = model["commands"].as_array().unwrap();
        if case["task"] == "compile" {
            compilations += 1;
            assert!(commands.is_empty(), "{}", case["case"]);
            continue;
        }
        runs += 1;
        let (dispatches, writes): (Vec<&Value>, Vec<&Value>) =
            commands.iter().partition(|command| command["type"] == "dispatch");
        assert_eq!(dispatches.len(), 2, "{}", case["case"]);
        assert_eq!(commands[0]["type"], "dispatch");
        let mut written = BTreeSet::new();
        for dispatch in dispatches {
            report(wrong(dispatch, DISPATCH, &["bindings"]));
            assert_eq!(dispatch["dispatchable"], *name);
            let bound: BTreeSet<&str> = objects(&dispatch["bindings"]).keys().map(String::as_str).collect();
            let expected: BTreeSet<&str> = tensors.iter().copied().filter(|tensor| !owned(tensor)).collect();
            assert_eq!(bound, expected, "{}", case["case"]);
            for (tensor, resource) in objects(&dispatch["bindings"]) {
                let resource = &model["resources"][resource.as_str().unwrap()];
                let least = desc[tensor]["TotalTensorSizeInBytes"].as_u64().unwrap().max(span(&desc[tensor]));
                assert!(resource["sizeInBytes"].as_u64().unwrap() >= least, "{}: `{tensor}`", case["case"]);
            }
        }
        for write in writes {
            report(wrong(write, WRITE_FILE, &[]));
            let resource = &model["resources"][write["resource"].as_str().unwrap()];
            // The tool writes the whole buffer under these dimensions, whatever they are.
            let bytes = elements(&write["dimensions"]) * width(&resource["initialValuesDataType"]);
            assert_eq!(resource["sizeInBytes"], bytes, "{}: {write}", case["case"]);
            written.insert(write["targetPath"].as_str().unwrap().to_owned());
        }
        let asked = outputs.iter().flat_map(|name| [format!("outputs/{name}.npy"), format!("again/{name}.npy")]);
        assert_eq!(written, asked.collect(), "{}", case["case"]);
    }
    problems.truncate(20);
    assert_eq!(problems, [""; 0]);
    assert!(runs > 2000 && compilations > 500, "{runs} runs and {compilations} compilations");
    assert!(flags > 20, "{flags} flags");
    assert_eq!(types.into_iter().collect::<Vec<_>>(), {
        let mut all = DATA_TYPES.map(str::to_owned).to_vec();
        all.sort();
        all
    });
    let directions = ["DECREASING", "INCREASING"].map(|direction| format!("DML_AXIS_DIRECTION_{direction}"));
    let functions = ["ARGMAX", "ARGMIN", "MAX", "MIN"].map(|function| format!("DML_REDUCE_FUNCTION_{function}"));
    assert_eq!(enumerators, directions.into_iter().chain(functions).collect());
}

#[test]
fn what_is_not_exported_has_a_reason_and_nothing_else_is_missing() {
    let manifest = read(&exported().join("opcert.json"));
    let inexpressible = objects(&manifest["inexpressible"]);
    let folders = folders();
    assert_eq!(manifest["exported"], folders.len());
    let root = exported().join("cases");
    let mut found: BTreeSet<String> = inexpressible.keys().cloned().collect();
    found.extend(folders.iter().map(|folder| folder.strip_prefix(&root).unwrap().display().to_string()));
    assert_eq!(found.len(), folders.len() + inexpressible.len());
    let (_, suite) = suite();
    let asked = suite.cases.iter().map(CheckedCase::about).filter(|about| !about.large);
    assert_eq!(found, asked.map(|about| about.id.clone()).collect());

    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (case, reason) in inexpressible {
        reasons.entry(reason.as_str().unwrap()).or_default().push(case);
    }
    assert!(reasons.len() < 10, "{:?}", reasons.keys());
    let none_of_directml = reasons.remove("the operator is none of DirectML's").unwrap();
    assert!(none_of_directml.iter().all(|case| !case.starts_with("directml/")));
    assert!(reasons.values().flatten().all(|case| case.starts_with("directml/")));
    // What no caller of DirectML can pass is asked of nobody who takes a valid descriptor.
    let numbers = reasons.get("a number does not fit 32 bits").map_or(&[][..], Vec::as_slice);
    assert!(numbers.iter().all(|case| {
        suite.cases.iter().any(|each| matches!(each, CheckedCase::Refused(refused) if refused.about.id == **case))
    }));
    for (reason, cases) in reasons {
        for case in cases {
            assert!(!case.contains("/documented/"), "{case}: {reason}");
        }
    }
}

#[test]
fn the_model_of_a_documented_example_is_the_one_that_a_person_would_write() {
    let folder = exported().join("cases/directml/argmax/documented/example_1");
    // 0xA5A5A5A5 and 0x5A5A5A5A.
    let output = |value: u32| json!({"initialValues": {"valueCount": 3, "value": value}, "initialValuesDataType": "UINT32", "sizeInBytes": 12});
    let expected = json!({
        "resources": {
            "InputTensor": {
                "initialValues": {"sourcePath": "inputs/InputTensor.npy"},
                "initialValuesDataType": "FLOAT32",
                "sizeInBytes": 36
            },
            "OutputTensor": output(2_779_096_485),
            "OutputTensor again": output(1_515_870_810)
        },
        "dispatchables": {
            "operator": {
                "type": "DML_OPERATOR_ARGMAX",
                "desc": {
                    "InputTensor": {"DataType": "FLOAT32", "Sizes": [3, 3], "TotalTensorSizeInBytes": 36},
                    "OutputTensor": {"DataType": "UINT32", "Sizes": [1, 3], "TotalTensorSizeInBytes": 12},
                    "AxisCount": 1,
                    "Axes": [0],
                    "AxisDirection": "DML_AXIS_DIRECTION_INCREASING"
                }
            }
        },
        "commands": [
            {
                "type": "dispatch",
                "dispatchable": "operator",
                "bindings": {"InputTensor": "InputTensor", "OutputTensor": "OutputTensor"}
            },
            {"type": "writeFile", "resource": "OutputTensor", "targetPath": "outputs/OutputTensor.npy", "dimensions": [1, 3]},
            {
                "type": "dispatch",
                "dispatchable": "operator",
                "bindings": {"InputTensor": "InputTensor", "OutputTensor": "OutputTensor again"}
            },
            {
                "type": "writeFile",
                "resource": "OutputTensor again",
                "targetPath": "again/OutputTensor.npy",
                "dimensions": [1, 3]
            }
        ]
    });
    assert_eq!(read(&folder.join("model.json")), expected);
    let input = fs::read(folder.join("inputs/InputTensor.npy")).unwrap();
    let values = [1f32, 2., 3., 3., 0., 4., 2., 5., 2.].map(f32::to_le_bytes).concat();
    assert_eq!(npy::read(&input, DataType::F32, &[3, 3]), Ok(values));
}

#[test]
fn outputs_begin_as_the_poison_in_every_type() {
    let mut seen = BTreeSet::new();
    for folder in folders() {
        let model = read(&folder.join("model.json"));
        for (name, resource) in objects(&model["resources"]) {
            let Some(value) = resource["initialValues"].get("value") else { continue };
            if model["commands"].as_array().unwrap().is_empty() {
                continue;
            }
            let byte = if name.ends_with(" again") { 0x5A } else { 0xA5 };
            let held = data_type(&resource["initialValuesDataType"]);
            // The tool parses a double and narrows it to the type.
            let bytes = match held {
                DataType::F64 => value.as_f64().unwrap().to_le_bytes().to_vec(),
                DataType::F32 => (value.as_f64().unwrap() as f32).to_le_bytes().to_vec(),
                DataType::F16 => half::f16::from_f32(value.as_f64().unwrap() as f32).to_le_bytes().to_vec(),
                _ => {
                    let number = value.as_i64().map(i128::from).or(value.as_u64().map(i128::from)).unwrap();
                    let width = held.bytes() as u32 * 8;
                    let signed = matches!(held, DataType::I8 | DataType::I16 | DataType::I32 | DataType::I64);
                    let (least, most) =
                        if signed { (-(1i128 << (width - 1)), 1i128 << (width - 1)) } else { (0, 1i128 << width) };
                    assert!(least <= number && number < most, "{number} is no {held:?}");
                    number.to_le_bytes()[..held.bytes()].to_vec()
                }
            };
            assert!(bytes.iter().all(|each| *each == byte), "{}: `{name}` of {held:?}: {bytes:02X?}", folder.display());
            seen.insert(held.name());
        }
    }
    assert_eq!(seen.len(), 11, "{seen:?}");
}

/// A file as DxDispatch writes it: no space behind a colon, a comma behind the last size.
fn as_dxdispatch_writes(name: &Value, dimensions: &Value, bytes: &[u8]) -> Vec<u8> {
    let kind = match name.as_str().unwrap() {
        name if name.starts_with("FLOAT") => 'f',
        name if name.starts_with("UINT") => 'u',
        _ => 'i',
    };
    let shape: String = dimensions.as_array().unwrap().iter().map(|size| format!("{size},")).collect();
    let mut header = format!("{{'descr':'<{kind}{}', 'fortran_order':False, 'shape':({shape}), }}", width(name));
    let length = (10 + header.len() + 1).next_multiple_of(64) - 10;
    header.extend(std::iter::repeat_n(' ', length - header.len() - 1));
    header.push('\n');
    let length = (length as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), bytes].concat()
}

/// A tool that does in the folders of an export what DxDispatch would, with the answers that the cases expect.
#[test]
fn what_dxdispatch_would_write_is_judged_as_it_is_meant() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    let cases = ["directml/argmax/documented/example_1", "directml/argmax/by_hand/axis_0_of_rank_3"];
    let ran = opcert(&["export", "--format", "dxdispatch", &path, cases[0], cases[1], REFUSED]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let identity = json!({
        "name": "directml", "version": "1.15.4", "device": "none", "claims": {"directml": "6_4"}, "strided": true,
        "refuses_invalid": true
    });
    fs::write(folder.path().join("backend.json"), identity.to_string()).unwrap();
    let answer = |case: &str, index: usize, element: u32| {
        let case = folder.path().join("cases").join(case);
        let model = read(&case.join("model.json"));
        let writes = model["commands"].as_array().unwrap().iter().filter(|command| command["type"] == "writeFile");
        for command in writes {
            let mut elements = [1u32, 2, 1];
            elements[index] = element;
            let resource = &model["resources"][command["resource"].as_str().unwrap()];
            let bytes = elements.map(u32::to_le_bytes).concat();
            let file = as_dxdispatch_writes(&resource["initialValuesDataType"], &command["dimensions"], &bytes);
            let target = case.join(command["targetPath"].as_str().unwrap());
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::write(target, file).unwrap();
        }
    };
    let judged = || {
        let ran = opcert(&["judge", &path, "--format", "jsonl"]);
        let outcomes = ran.out.lines().filter_map(|line| {
            let event: Value = serde_json::from_str(line).unwrap();
            Some((event.get("case")?.as_str()?.to_owned(), event.get("outcome")?.as_str()?.to_owned()))
        });
        (ran.code, outcomes.collect::<BTreeMap<String, String>>(), ran.said())
    };
    let refused = folder.path().join("cases").join(REFUSED);
    fs::write(refused.join("answer.json"), r#"{"rejected": {"reason": "80070057 The parameter is incorrect."}}"#)
        .unwrap();
    answer(cases[0], 0, 1);
    let (code, outcomes, errors) = judged();
    assert_eq!(outcomes[cases[0]], "pass", "{errors}");
    assert_eq!(outcomes[REFUSED], "pass");
    assert_eq!(outcomes[cases[1]], "missing");
    assert_eq!(code, 4);
    answer(cases[0], 1, 0);
    fs::write(refused.join("answer.json"), "\"compiled\"").unwrap();
    let (code, outcomes, _) = judged();
    assert_eq!((outcomes[cases[0]].as_str(), outcomes[REFUSED].as_str(), code), ("fail", "accepted-wrongly", 1));
}

/// A tool that answers every case as it is expected to, bytes and padding as DxDispatch writes them.
#[test]
fn a_directml_without_a_fault_is_found_to_have_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    let parts = ["documented", "by_hand", "generated/support_*"].map(|part| format!("directml/*/{part}/*"));
    let ran = opcert(&["export", "--format", "dxdispatch", &path, &parts[0], &parts[1], &parts[2]]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let identity = json!({
        "name": "directml", "version": "1", "claims": {"directml": "6_4"}, "strided": true, "refuses_invalid": true
    });
    fs::write(folder.path().join("backend.json"), identity.to_string()).unwrap();
    let (_, suite) = suite();
    let mut unanswered = BTreeSet::new();
    let mut answered = 0;
    for case in &suite.cases {
        let place = folder.path().join("cases").join(&case.about().id);
        if !place.is_dir() {
            continue;
        }
        answered += 1;
        let answer = match case {
            CheckedCase::Refused(_) => r#"{"rejected": {"reason": "80070057 The parameter is incorrect."}}"#,
            CheckedCase::Valid(case) if !case.is_dispatched() => "\"compiled\"",
            CheckedCase::Valid(case) => {
                let Expectation::Values(values) = &case.expectation else {
                    unanswered.insert(case.about.id.clone());
                    continue;
                };
                if values.iter().any(|(_, expected)| matches!(expected, ExpectedTensor::Digest(_))) {
                    unanswered.insert(case.about.id.clone());
                    continue;
                }
                let model = read(&place.join("model.json"));
                for command in model["commands"].as_array().unwrap().iter().filter(|each| each["type"] == "writeFile") {
                    let resource = &model["resources"][command["resource"].as_str().unwrap()];
                    let target = place.join(command["targetPath"].as_str().unwrap());
                    let poison = if target.parent().unwrap().ends_with("again") { 0x5A } else { 0xA5 };
                    let name = target.file_stem().unwrap().to_str().unwrap();
                    let expected = values.iter().find_map(|(each, expected)| match expected {
                        ExpectedTensor::Elements(expected) if each == name => Some(expected),
                        _ => None,
                    });
                    let expected = expected.unwrap();
                    let tensor = case.descriptor.tensor(name).unwrap();
                    let mut elements = expected.bytes.clone();
                    for (index, element) in elements.chunks_exact_mut(tensor.data_type.bytes()).enumerate() {
                        if !expected.is_defined(index) {
                            element.fill(poison);
                        }
                    }
                    let mut memory = vec![poison; resource["sizeInBytes"].as_u64().unwrap() as usize];
                    lay_out(tensor, &elements, &mut memory);
                    let file =
                        as_dxdispatch_writes(&resource["initialValuesDataType"], &command["dimensions"], &memory);
                    fs::create_dir_all(target.parent().unwrap()).unwrap();
                    fs::write(target, file).unwrap();
                }
                continue;
            }
        };
        fs::write(place.join("answer.json"), answer).unwrap();
    }
    let ran = opcert(&["judge", &path, "--format", "jsonl"]);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in ran.out.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let (Some(case), Some(outcome)) = (event.get("case"), event.get("outcome")) else { continue };
        let (case, outcome) = (case.as_str().unwrap(), outcome.as_str().unwrap());
        *counts.entry(outcome.to_owned()).or_default() += 1;
        match outcome {
            "pass" | "unsupported" | "not-run" => {}
            "observed" => assert_eq!(event["gates"], false, "{event}"),
            "missing" => assert!(unanswered.contains(case), "{event}"),
            _ => panic!("{event}"),
        }
    }
    let observed = counts.get("observed").copied().unwrap_or_default();
    assert!(
        counts["pass"] + observed + unanswered.len() == answered && answered > 500 && unanswered.len() < answered / 30,
        "{counts:?} of {answered}"
    );
    assert_eq!(ran.code, 4, "{counts:?}");
}

const REFUSED: &str = "directml/argmax/generated/refusals/plain_output_flagged";

/// Buffers of types narrower than four bytes come back with their padding, and strided ones as memory.
#[test]
fn padding_that_dxdispatch_writes_is_no_part_of_an_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    let case = "directml/one_hot/by_hand/*";
    let ran = opcert(&["export", "--format", "dxdispatch", &path, case, "type:UINT32"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let identity = json!({
        "name": "directml", "version": "1", "claims": {"directml": "6_4"}, "strided": true, "refuses_invalid": true
    });
    fs::write(folder.path().join("backend.json"), identity.to_string()).unwrap();
    let mut raw = BTreeSet::new();
    let mut stack = vec![folder.path().join("cases")];
    while let Some(each) = stack.pop() {
        if !each.join("model.json").exists() {
            stack.extend(fs::read_dir(&each).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()));
            continue;
        }
        let model = read(&each.join("model.json"));
        for command in model["commands"].as_array().unwrap().iter().filter(|each| each["type"] == "writeFile") {
            let resource = &model["resources"][command["resource"].as_str().unwrap()];
            let (kind, size) = (&resource["initialValuesDataType"], resource["sizeInBytes"].as_u64().unwrap());
            let file = as_dxdispatch_writes(kind, &command["dimensions"], &vec![0xA5; size as usize]);
            let target = each.join(command["targetPath"].as_str().unwrap());
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::write(target, file).unwrap();
            let output = &model["dispatchables"]["operator"]["desc"]["OutputTensor"];
            if *kind != output["DataType"] {
                raw.insert(each.strip_prefix(folder.path().join("cases")).unwrap().display().to_string());
            }
        }
    }
    assert!(!raw.is_empty());
    let ran = opcert(&["judge", &path, "--format", "jsonl"]);
    let mut judged = 0;
    for line in ran.out.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let (Some(case), Some(outcome)) = (event.get("case"), event.get("outcome")) else { continue };
        assert_ne!(outcome, "protocol-error", "{event}");
        if raw.contains(case.as_str().unwrap()) {
            // Nothing but poison is a wrong answer, and one that could be read.
            assert!(outcome == "fail" || outcome == "observed", "{event}");
            judged += 1;
        }
    }
    assert_eq!(judged, raw.len());
}

/// What `run.ps1` makes of what DxDispatch says, by the same rules. The texts have the form of DxDispatch's messages,
/// with the words that Windows puts behind a code.
#[test]
fn what_dxdispatch_says_is_taken_for_what_it_means() {
    let rules = read(&exported().join("rules.json"));
    let meaning = |errors: &str, exit: &str| {
        let texts = |rule: &Value, key: &str| -> Vec<String> {
            rule[key].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
        };
        let fits = |rule: &&Value| {
            let (phrases, codes, exits) = (texts(rule, "phrases"), texts(rule, "codes"), texts(rule, "exits"));
            let said = phrases.is_empty() || phrases.iter().any(|phrase| errors.contains(phrase.as_str()));
            let by_code = codes.iter().any(|code| errors.to_uppercase().contains(code.as_str()));
            let by_exit = exits.iter().any(|code| exit.starts_with(code.as_str()));
            said && (codes.is_empty() && exits.is_empty() || by_code || by_exit)
        };
        let rule = rules["rules"].as_array().unwrap().iter().find(fits).unwrap();
        rule["means"].as_str().unwrap().to_owned()
    };
    let thrown = |step: &str, code: &str| {
        format!(
            "Failed to execute the model: ERROR {step}'operator': dxdispatch.dll!00007FFD5E6A2B11: (caller: \
             00007FFD5E6A1234) Exception(1) tid(2a80) {code} Words.\n[Expression]\n"
        )
    };
    let creating = |code| thrown("creating dispatchable ", code);
    let initializing = |code| thrown("while initializing ", code);
    for (errors, exit, expected) in [
        (creating("80070057"), "80070057", "rejected"),
        (initializing("80070057"), "80070057", "rejected"),
        // The exit code of an older DxDispatch.
        (creating("80070057"), "00000001", "rejected"),
        (creating("80004001"), "80070057", "unsupported"),
        (creating("887A0004"), "80070057", "unsupported"),
        (creating("887a0005"), "80070057", "device_lost"),
        (initializing("8007000E"), "80070057", "out_of_memory"),
        // The exit code says E_INVALIDARG of every failure there.
        (creating("80004005"), "80070057", "failed"),
        (
            "Failed to execute dispatchable: x!1: 887A0006 Hung.\nFailed to execute the model: x".into(),
            "887A0006",
            "device_lost",
        ),
        (String::new(), "887A0005", "device_lost"),
        (String::new(), "C0000005", "crashed"),
        (String::new(), "C0000409", "crashed"),
        (String::new(), "00000003", "crashed"),
        (
            "Failed to parse the model: Failed to parse dispatchable operator: Unknown operator type.\n".into(),
            "8000FFFF",
            "unsupported",
        ),
        ("Failed to create a device: 887A0004".into(), "887A0004", "stop"),
        ("Failed to create adapter: No adapter found".into(), "80070057", "stop"),
        ("Failed to write resource to file 'outputs/OutputTensor.npy': Could not open file".into(), "00000000", "stop"),
        ("Failed to execute the model: something".into(), "80004005", "failed"),
        // What the script takes for success, where the files are there and the exit code is 0.
        (String::new(), "00000000", "failed"),
    ] {
        assert_eq!(meaning(&errors, exit), expected, "{errors} {exit}");
    }
}

#[test]
fn the_script_knows_the_feature_levels() {
    let script = fs::read_to_string(exported().join("run.ps1")).unwrap();
    let line = script.lines().find(|line| line.starts_with("$Levels = ")).unwrap();
    let mut levels: Vec<&str> = line.split('\'').skip(1).step_by(2).collect();
    levels.reverse();
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let family = specs.families().find(|family| family.name == "directml").unwrap();
    assert_eq!(levels, family.levels);
}

/// The words of a text that begin with `directml/`.
fn ids(text: &str) -> BTreeSet<&str> {
    let words = text.split(|letter: char| !(letter.is_alphanumeric() || "/_-*".contains(letter)));
    words.filter(|word| word.starts_with("directml/") && !word.contains('*')).collect()
}

#[test]
fn the_guide_names_every_open_question_and_counts_its_cases() {
    let guide = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/DIRECTML.md")).unwrap();
    let (specs, suite) = suite();
    let operators = specs.operators.iter().filter(|operator| operator.family.name == "directml");
    let known: Vec<(&str, Authority)> = operators
        .flat_map(|operator| operator.all_requirements())
        .map(|requirement| (requirement.id.as_str(), requirement.authority))
        .collect();
    let open: BTreeSet<&str> = known
        .iter()
        .filter(|(_, authority)| matches!(authority, Authority::Unspecified | Authority::Undefined))
        .map(|(id, _)| *id)
        .collect();
    let named = ids(&guide);
    assert_eq!(open.difference(&named).collect::<Vec<_>>(), [&""; 0]);
    let is_known =
        |id: &str| known.iter().any(|(each, _)| *each == id) || suite.cases.iter().any(|case| case.about().id == id);
    assert_eq!(named.into_iter().filter(|id| !is_known(id)).collect::<Vec<_>>(), [""; 0]);

    let folder = exported().join("cases");
    let refused: Vec<&RefusedCase> = suite
        .cases
        .iter()
        .filter_map(|case| match case {
            CheckedCase::Refused(case) if case.about.operator.family.name == "directml" => Some(case),
            _ => None,
        })
        .collect();
    let broken = |exported: bool| -> BTreeSet<&str> {
        let cases = refused.iter().filter(|case| !exported || folder.join(&case.about.id).is_dir());
        cases.flat_map(|case| &case.requirements).map(String::as_str).collect()
    };
    let unasked = guide.split("## What cannot be asked").nth(1).unwrap().split("\n## ").next().unwrap();
    // What is a definition cannot be broken, and the guide says why.
    let operators = specs.operators.iter().flat_map(|operator| operator.all_requirements());
    let definitions: BTreeSet<&str> =
        operators.filter(|each| each.definition).map(|requirement| requirement.id.as_str()).collect();
    let unasked: BTreeSet<&str> = ids(unasked).into_iter().filter(|id| !definitions.contains(id)).collect();
    assert_eq!(broken(false).difference(&broken(true)).copied().collect::<BTreeSet<_>>(), unasked);

    let rows = guide.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let id = cells.get(1)?.strip_prefix('`')?.strip_suffix('`')?;
        Some((id, cells.get(3)?.parse::<usize>().ok()?))
    });
    let rows: BTreeMap<&str, usize> = rows.collect();
    let unspecified = known.iter().filter(|(_, authority)| *authority == Authority::Unspecified);
    assert_eq!(rows.keys().copied().collect::<BTreeSet<_>>(), unspecified.map(|(id, _)| *id).collect());
    let asking = |id: &str| {
        let all = suite.cases.iter().map(CheckedCase::about).filter(|about| about.covers.iter().any(|each| each == id));
        all.filter(|about| folder.join(&about.id).is_dir()).count()
    };
    let wrong = rows.into_iter().map(|(id, count)| (id, count, asking(id))).filter(|(_, said, found)| said != found);
    assert_eq!(wrong.collect::<Vec<_>>(), [("", 0, 0); 0], "said and found");
}
