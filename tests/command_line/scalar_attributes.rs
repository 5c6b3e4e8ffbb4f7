//! Attributes that are elements with a data type of their own: what is said of values that are none, and what becomes of them in
//! the tools of others.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use crate::command::{Ran, opcert};
use serde_json::json;
use tempfile::TempDir;

const CASE: &str = r#"operator: directml/element_wise_clip1
cases:
  mine:
    level: "5_0"
    covers: [exact-comparison]
    tensors:
      InputTensor: {type: INT64, sizes: [3], data: [-9007199254740995, 0, 9]}
      OutputTensor: {type: INT64, sizes: [3]}
    attributes: {Min: {type: INT64, value: -9007199254740993}, Max: {type: INT64, value: 7}}
    expect:
      OutputTensor: [-9007199254740993, 0, 7]
"#;

fn run(folder: &TempDir, line: &str) -> Ran {
    opcert(folder.path(), &line.split(' ').collect::<Vec<_>>())
}

fn with_case(text: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("cases.yaml"), text).unwrap();
    folder
}

#[test]
fn what_is_no_scalar_is_told_with_its_place() {
    let min = "Min: {type: INT64, value: -9007199254740993}";
    for (other, told) in [
        ("Min: 3", "expected a mapping"),
        ("Min: {type: INT64}", "`value` is missing"),
        ("Min: {value: 3}", "`type` is missing"),
        ("Min: {type: INT64, value: 3, unit: 1}", "`unit`"),
        ("Min: {type: INT46, value: 3}", "`INT46` is no data type of `directml`"),
        ("Min: {type: INT64, value: 0.5}", "`0.5`"),
        ("Min: {type: INT64, value: 9223372036854775808}", "9223372036854775808"),
        ("Min: {type: INT64, value: [3]}", "expected"),
        ("Min: {type: UINT8, value: 3}", "`Max` is INT64, expected UINT8 as `Min` is: `MinMaxDataType`"),
    ] {
        let folder = with_case(&CASE.replace(min, other));
        let ran = run(&folder, "validate cases.yaml");
        assert_eq!(ran.code, 2, "{other}: {}", ran.said());
        assert!(ran.said().contains(told) && ran.said().contains("cases.yaml:9:"), "{other}: {}", ran.said());
    }
}

#[test]
fn a_specification_names_the_member_of_the_type() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/directml");
    let known = fs::read_to_string(root.join("fill_value_constant.yaml")).unwrap();
    for (one, other, told) in [
        ("{type: SCALAR, data_type: ValueDataType}", "{type: SCALAR}", "`data_type` belongs to the type `SCALAR`"),
        ("{type: SCALAR, data_type: ValueDataType}", "{type: UINT, data_type: ValueDataType}", "and to no other"),
        ("data_type: ValueDataType}", "data_type: ValueDataType, default: 1}", "the default is `1`, expected none"),
        (
            "check: {type_named: {tensor: OutputTensor, attribute: Value}}",
            "definition: true",
            "no requirement says which data type it has",
        ),
    ] {
        let folder = TempDir::new().unwrap();
        let specs = folder.path().join("specs/directml");
        fs::create_dir_all(&specs).unwrap();
        fs::copy(root.join("family.yaml"), specs.join("family.yaml")).unwrap();
        assert!(known.contains(one));
        fs::write(specs.join("fill_value_constant.yaml"), known.replace(one, other)).unwrap();
        let ran = run(&folder, "validate --specs specs specs");
        assert_eq!(ran.code, 2, "{other}: {}", ran.said());
        assert!(ran.said().contains(told), "{other}: {}", ran.said());
    }
}

/// The model of the case, and the case that is read back of it with a member replaced.
fn read_back(member: &str, value: &serde_json::Value) -> (serde_json::Value, Ran, Option<String>) {
    let folder = with_case(CASE);
    let ran = run(&folder, "export --format dxdispatch --cases cases.yaml models");
    assert_eq!(ran.code, 0, "{}", ran.said());
    let file = folder.path().join("models/cases/directml/element_wise_clip1/cases/mine/model.json");
    let mut model: serde_json::Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let desc = model["dispatchables"]["operator"]["desc"].clone();
    model["dispatchables"]["operator"]["desc"][member] = value.clone();
    fs::write(&file, model.to_string()).unwrap();
    let ran = opcert(folder.path(), &["import", file.to_str().unwrap(), "--out", "found"]);
    (desc, ran, fs::read_to_string(folder.path().join("found/directml/element_wise_clip1/imported.yaml")).ok())
}

#[test]
fn dxdispatch_gets_the_type_in_a_member_of_its_own() {
    let (desc, ran, found) = read_back("Max", &json!(7));
    assert_eq!(desc["MinMaxDataType"], "INT64");
    assert_eq!((&desc["Min"], &desc["Max"]), (&json!(-9_007_199_254_740_993_i64), &json!(7)));
    assert_eq!(ran.code, 0, "{}", ran.said());
    let found = found.unwrap();
    assert!(found.contains("Min: {type: INT64, value: -9007199254740993}"), "{found}");
    assert!(found.contains("Max: {type: INT64, value: 7}"), "{found}");
}

#[test]
fn what_is_no_scalar_is_not_imported() {
    for (member, value, told) in [
        ("MinMaxDataType", json!("INT63"), "`MinMaxDataType`"),
        ("MinMaxDataType", json!(3), "`MinMaxDataType`"),
        ("MinMaxDataType", json!("UINT8"), "which is no UINT8"),
        ("Max", json!(0.5), "which is no INT64"),
        ("Max", json!(18_446_744_073_709_551_615_u64), "which is no INT64"),
        ("Max", json!("seven"), "which is no INT64"),
    ] {
        let (_, ran, found) = read_back(member, &value);
        assert!(ran.code == 2 && ran.said().contains(told), "{member} {value}: {} {}", ran.code, ran.said());
        assert!(found.is_none(), "{member} {value}");
    }
}
