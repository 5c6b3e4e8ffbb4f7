//! Attributes in floating point, of an operator that no document of ours has: from its specification to cases, wrong backends and
//! files, and what is said of values that are none.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;

use crate::command::{Ran, opcert};
use tempfile::TempDir;

const FAMILY: &str = r#"family: made
title: Made
levels: ["1"]
types: {F32: f32}
layouts: false
granularity: 1
documents:
  page: {revision: made up}
operator:
  deterministic:
    text: Repeating a dispatch on the same inputs repeats every element.
    authority: stated
    kind: semantics
    source: {document: page, section: All}
    tested: dispatched
  accepts-valid:
    text: A descriptor that breaks no requirement is accepted.
    authority: stated
    kind: descriptor
    source: {document: page, section: All}
    tested: accepted
"#;

const LIMIT: &str = r#"operator: made/limit
title: LIMIT
summary: Puts a limit in place of what is above it.
documents:
  page: {revision: made up}
subject: Input
tensors:
  Input: {role: input}
  Output: {role: output}
attributes:
  Limit: {type: FLOAT, default: 1.5}
  Slope: {type: FLOAT}
  Axis: {type: UINT}
support:
  "1":
    Input: {dimensions: 1-2, types: [F32]}
    Output: {dimensions: 1-2, types: [F32]}
definition: |
  def Output(at):
      element = Input[replaced(at, Axis, 0)]       # first-of-each
      if is_nan(Limit):
          return Limit                             # nan-limit
      if element > Limit:
          return Limit if Slope == 2 else Slope    # limited
      return element                               # kept
requirements:
  tensor-support:
    text: Each tensor is as the table says.
    authority: stated
    kind: descriptor
    source: {document: page, section: All}
    check: tensor_support
  same-dimension-count:
    text: Both tensors have one dimension count.
    authority: stated
    kind: descriptor
    source: {document: page, section: All}
    check: {same_dimension_count: {tensors: [Input, Output]}}
  axis-in-range:
    text: Axis is the number of a dimension.
    authority: stated
    kind: descriptor
    source: {document: page, section: All}
    check: {axis_in_range: {attribute: Axis, tensor: Input}}
  same-sizes:
    text: The tensors agree in every size but that along Axis.
    authority: stated
    kind: descriptor
    source: {document: page, section: All}
    check: {sizes_equal_except_axis: {tensor: Input, other: Output, axis: Axis}}
  first-of-each:
    text: An element is made of the first one of its sequence.
    authority: stated
    kind: semantics
    source: {document: page, section: All}
  slopes:
    text: The slope is 0.5 or 2.
    authority: stated
    kind: descriptor
    source: {document: page, section: All}
    check: {one_of: {attribute: Slope, values: [0.5, 2]}}
  default-limit:
    text: Limit is 1.5 where it is left out.
    authority: stated
    kind: semantics
    source: {document: page, section: All}
    tested: {left_out: {attribute: Limit}}
  nan-limit:
    text: All elements are the limit where that is no number.
    authority: stated
    kind: semantics
    source: {document: page, section: All}
  limited:
    text: What is above the limit becomes the limit, or the slope where that is not 2.
    authority: stated
    kind: semantics
    source: {document: page, section: All}
  kept:
    text: All else stays.
    authority: stated
    kind: semantics
    source: {document: page, section: All}
"#;

/// A case by hand, to be spoiled.
const CASE: &str = r#"operator: made/limit
cases:
  limited:
    covers: [limited, first-of-each]
    tensors:
      Input: {type: F32, sizes: [3], data: [2.75, -1, 7]}
      Output: {type: F32, sizes: [1]}
    attributes: {Limit: 2.5, Slope: 2, Axis: 0}
    expect:
      Output: [2.5]
"#;

/// A folder with `specs` and, once they are generated, `cases`.
fn made(operator: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let of_family = folder.path().join("specs/made");
    fs::create_dir_all(&of_family).unwrap();
    fs::create_dir(folder.path().join("cases")).unwrap();
    fs::write(of_family.join("family.yaml"), FAMILY).unwrap();
    fs::write(of_family.join("limit.yaml"), operator).unwrap();
    folder
}

fn run(folder: &TempDir, line: &str) -> Ran {
    opcert(folder.path(), &line.split(' ').collect::<Vec<_>>())
}

#[test]
fn everything_follows_from_the_specification() {
    let folder = made(LIMIT);
    let ran = run(&folder, "generate --specs specs cases");
    assert_eq!(ran.code, 0, "{}", ran.said());
    let ran = run(&folder, "validate --specs specs cases");
    assert_eq!(ran.code, 0, "{}", ran.said());
    let generated = |name: &str| {
        let file = folder.path().join("cases/made/limit/generated").join(name);
        fs::read_to_string(file).unwrap()
    };
    let paths = generated("paths.yaml");
    for value in
        ["{Slope: 2, Axis: 0}", "Limit: .nan", "Limit: .inf", "Limit: -.inf", "Limit: -0.0", "Limit: 3.4028235e38"]
    {
        assert!(paths.contains(value), "{value} is in no case");
    }
    // The neighbours of what is allowed.
    let refusals = generated("refusals.yaml");
    for value in ["Slope: 0.49999997", "Slope: 0.50000006", "Slope: 2.0000002", "Slope: .nan", "Slope: .inf"] {
        assert!(refusals.contains(value), "{value} is in no case");
    }
    let ran = run(&folder, "mutate --specs specs --cases cases --search 0");
    assert!(ran.out.contains("made/limit: "), "{}", ran.said());
    let lives = |name: &str| ran.out.contains(&format!("survives: {name} "));
    assert!(lives("kept-element-through-f64"), "a wrong backend that is none lives: {}", ran.said());
    for name in [
        "left-out-limit-is-0",
        "left-out-limit-is-1",
        "default-limit-refused",
        "slopes-unchecked",
        "if-element-gt-limit-element-gt-limit-reads-element-ge-limit",
        "limited-slope-eq-2-reads-slope-ne-2",
        "if-is-nan-limit-is-nan-limit-never",
    ] {
        assert!(!lives(name), "{}", ran.said());
    }
}

#[test]
fn a_case_has_them_in_its_files() {
    let folder = made(LIMIT);
    fs::write(
        folder.path().join("cases/limit.yaml"),
        CASE.replace("Limit: 2.5", "Limit: .inf").replace("[2.5]", "[2.75]").replace("[limited,", "[kept,"),
    )
    .unwrap();
    let ran = run(&folder, "export --format npy --specs specs --cases cases carried");
    assert_eq!(ran.code, 0, "{}", ran.said());
    let case = folder.path().join("carried/cases/made/limit/limit/limited/case.json");
    let case: serde_json::Value = serde_json::from_str(&fs::read_to_string(case).unwrap()).unwrap();
    let attributes = &case["descriptor"]["attributes"];
    assert_eq!(attributes[0], serde_json::json!({ "name": "Limit", "value": { "float32": "inf" } }));
    assert_eq!(attributes[1], serde_json::json!({ "name": "Slope", "value": { "float32": 2.0 } }));
}

#[test]
fn what_a_case_cannot_have_is_named_with_its_place() {
    for (from, to, said) in [
        ("Limit: 2.5", "Limit: two", &["`two` is no number", "cases/limit.yaml:8:25"]),
        ("Limit: 2.5", "Limit: 1e39", &["`1e39` overflows: write `.inf` for infinity", "cases/limit.yaml:8:25"]),
        (
            "Limit: 2.5",
            "Limit: [2.5]",
            &["`Limit` is a number in floating point, expected one such as 0.5", "cases/limit.yaml:8:25"],
        ),
        (
            "Limit: 2.5",
            "Limit: \"2.5\"",
            &["`Limit` is a number in floating point, expected one such as 0.5", "cases/limit.yaml:8:25"],
        ),
        ("Limit: 2.5", "Limit: 0x40", &["`0x40` is no number", "cases/limit.yaml:8:25"]),
        ("Slope: 2", "Slope: 2.5", &["`Slope` is 2.5, expected one of 0.5, 2", "made/limit/slopes"]),
        ("Slope: 2,", "", &["the attribute `Slope` is missing", "cases/limit.yaml"]),
    ] {
        let folder = made(LIMIT);
        fs::write(folder.path().join("cases/limit.yaml"), CASE.replace(from, to)).unwrap();
        let ran = run(&folder, "validate --specs specs cases");
        assert_eq!(ran.code, 2, "{to}: {}", ran.said());
        assert!(said.iter().all(|part| ran.err.contains(part)), "{to}: {}", ran.said());
    }
}

#[test]
fn what_a_specification_cannot_say_is_named_with_its_place() {
    for (from, to, said) in [
        (
            "default: 1.5",
            "default: much",
            &["the default is `much`, expected a number of 32 bits in floating point", "limit.yaml:"],
        ),
        (
            "default: 1.5",
            "default: 1e39",
            &["the default is `1e39`, expected a number of 32 bits in floating point", "limit.yaml:"],
        ),
        (
            "default: 1.5",
            "default: true",
            &["the default is `true`, expected a number of 32 bits in floating point", "limit.yaml:"],
        ),
        (
            "{type: FLOAT}",
            "{type: FLOAT, values: [a]}",
            &["`values` belongs to the types `ENUM` and `STRING`", "limit.yaml:"],
        ),
        (
            "[0.5, 2]",
            "[0.5, half]",
            &["`Slope` cannot be `half`, expected a number of 32 bits in floating point", "limit.yaml:"],
        ),
        (
            "attribute: Axis, tensor",
            "attribute: Slope, tensor",
            &["`Slope` is a number in floating point, expected a number or a list", "limit.yaml:"],
        ),
    ] {
        let folder = made(&LIMIT.replace(from, to));
        let ran = run(&folder, "validate specs/made/limit.yaml");
        assert_eq!(ran.code, 2, "{to}: {}", ran.said());
        assert!(said.iter().all(|part| ran.err.contains(part)), "{to}: {}", ran.said());
    }
}
