//! `opcert compare`: what differs between two specifications is found without being told, each time on the smallest tensors, and
//! nothing else is.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::command::{Ran, opcert};
use serde_json::Value;
use tempfile::TempDir;

fn run(line: &str) -> Ran {
    opcert(Path::new(env!("CARGO_MANIFEST_DIR")), &line.split(' ').collect::<Vec<_>>())
}

/// What a comparison comes to: one way, and the other if both are asked for.
fn compared(line: &str) -> Vec<Value> {
    let ran = run(&format!("compare {line} --format json"));
    assert!(ran.err.is_empty(), "{}", ran.said());
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["format"], 1);
    let ways = report["comparisons"].as_array().unwrap().clone();
    assert!(!ran.out.contains("null"), "a key without a value stands in {}", ran.out);
    let is_same = ways.iter().all(|way| way["fit"] == "drop_in");
    assert_eq!(ran.code, i32::from(!is_same));
    ways
}

fn differences(way: &Value) -> &Vec<Value> {
    way["differences"].as_array().unwrap()
}

/// The difference of a kind behind which a requirement stands.
fn found<'a>(way: &'a Value, kind: &str, requirement: &str) -> &'a Value {
    let is_it = |each: &&Value| {
        let ids = [&each["from_requirements"], &each["to_requirements"]];
        each["kind"] == kind && ids.iter().any(|ids| ids.as_array().unwrap().iter().any(|id| id == requirement))
    };
    let all = differences(way);
    all.iter().find(is_it).unwrap_or_else(|| panic!("no `{kind}` by `{requirement}`: {all:#?}"))
}

/// How many elements the largest input of a witness has.
fn elements(difference: &Value) -> usize {
    let inputs = difference["witness"]["from"]["inputs"].as_array().unwrap();
    inputs.iter().map(|input| input["elements"].as_array().unwrap().len()).max().unwrap()
}

/// Differences that people who port have found out one by one.
#[test]
fn known_differences_are_found_on_small_tensors() {
    for (pair, known) in [
        ("openvino/one_hot_1 openvino/one_hot_16", &[("from_open", "openvino/one_hot_1/negative-index")][..]),
        (
            "openvino/one_hot_16 directml/one_hot",
            &[
                ("differs", "openvino/one_hot_16/negative-ignored"),
                ("differs", "directml/one_hot/negative-from-end"),
                ("from_open", "openvino/one_hot_16/zero-size-dimension"),
            ],
        ),
        ("openvino/one_hot_16 onnx/one_hot@11", &[("differs", "onnx/one_hot/negative-from-end")]),
        ("onnx/one_hot@9 onnx/one_hot@11", &[("differs", "onnx/one_hot/negative-off-before-11")]),
        ("onnx/one_hot@9 directml/one_hot", &[("differs", "directml/one_hot/negative-from-end")]),
        ("webnn/arg_max onnx/arg_max", &[("from_open", "webnn/arg_max/tie")]),
        ("onnx/arg_max@11 directml/argmax", &[("from_open", "onnx/arg_max/tie-open")]),
        ("tosa/argmax onnx/arg_max", &[("to_open", "onnx/arg_max/nan")]),
        ("tosa/argmax webnn/arg_max", &[("to_open", "webnn/arg_max/nan")]),
        ("onnx/arg_max directml/argmax", &[("refused", "directml/argmax/tensor-support")]),
        (
            "onnx/non_zero directml/nonzero_coordinates",
            &[
                ("from_open", "onnx/non_zero/zero-size-dimension"),
                ("refused", "directml/nonzero_coordinates/tensor-support"),
            ],
        ),
    ] {
        let ways = compared(&format!("{pair} --one-way"));
        let [way] = ways.as_slice() else { panic!("{pair}: {} ways", ways.len()) };
        for (kind, requirement) in known {
            let difference = found(way, kind, requirement);
            assert!(elements(difference) <= 4, "{pair}: {difference:#}");
            assert!(difference["samples"].as_u64().unwrap() > 0);
        }
    }
}

/// What the documents say alike, so that whoever goes from one to the other has nothing to look at.
#[test]
fn what_comes_to_the_same_has_no_witness() {
    for line in ["onnx/non_zero openvino/non_zero_3"] {
        for seed in [1, 2] {
            let ways = compared(&format!("{line} --seed {seed} --count 20000"));
            assert_eq!(ways.len(), 2);
            for way in ways {
                assert_eq!(differences(&way), &[] as &[Value], "{line}");
                assert_eq!(way["same"].as_u64().unwrap() + way["open"].as_u64().unwrap(), 20_000);
            }
        }
    }
    // There are other types and sizes on one side, and nothing else.
    for line in ["onnx/arg_max directml/argmax", "onnx/arg_min directml/argmin", "directml/one_hot onnx/one_hot"] {
        let ways = compared(&format!("{line} --one-way"));
        // Whether to accept a tensor without elements is left open on one side.
        let is_refused = |each: &Value| {
            let answer = each["witness"]["to_answer"].as_str().unwrap_or_default();
            each["kind"] == "refused" || each["kind"] == "from_open" && answer.starts_with("refused: ")
        };
        let other = differences(&ways[0]).iter().find(|each| !is_refused(each) && each["kind"] != "unsaid");
        assert_eq!(other, None, "{line}");
    }
}

#[test]
fn a_seed_gives_one_text_and_says_what_was_searched() {
    let line = "compare openvino/one_hot_16 directml/one_hot --count 5000 --seed 7";
    let ran = run(line);
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert_eq!(ran.out, run(line).out);
    for said in [
        "openvino/one_hot_16@1 said as directml/one_hot@6_4: needs a fix-up\n",
        "of 5000 samples come to the same; seed 7\n",
        "1. the answers differ (",
        "openvino/one_hot_16/negative-ignored: In the mode ignore-negative",
        "by `return on`",
        "directml/one_hot@6_4 said as openvino/one_hot_16@1: drop-in\n",
    ] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
}

#[test]
fn what_cannot_be_compared_is_said_with_what_can() {
    for (line, said) in [
        (
            "onnx/arg_max directml/one_hot",
            "no mapping leads from `onnx/arg_max` to `directml/one_hot` or back; it can be compared with `directml/argmax`",
        ),
        ("onnx/argmax directml/argmax", "`onnx/argmax` is not specified: known: "),
        ("onnx/arg_max@14 directml/argmax", "`onnx` has no feature level `14`; there are 1 9 11 12 13"),
        ("onnx/one_hot@1 directml/one_hot", "`onnx/one_hot` is not there at `1`; it begins with `9`"),
        ("onnx/one_hot@13 onnx/one_hot", "`onnx/one_hot@13` is compared with itself"),
        ("onnx/one_hot directml/one_hot --mappings nowhere", "nowhere"),
    ] {
        let ran = run(&format!("compare {line}"));
        assert_eq!(ran.code, 2, "{line}: {}", ran.said());
        assert!(ran.err.contains(said), "{line}: {}", ran.said());
    }
}

#[test]
fn what_is_found_becomes_cases_of_both_operators() {
    let folder = TempDir::new().unwrap();
    let run = |line: &str| opcert(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let line = "compare openvino/one_hot_16 directml/one_hot --count 3000 --write found";
    let ran = run(line);
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert!(ran.err.contains("cases written to found"), "{}", ran.said());
    let read =
        |operator: &str| fs::read_to_string(folder.path().join("found").join(operator).join("compared.yaml")).unwrap();
    assert!(read("openvino/one_hot_16").contains("  differs_as_directml_one_hot_6_4_1:\n"));
    assert!(read("directml/one_hot").contains("  differs_of_openvino_one_hot_16_1_1:\n"));
    let ran = run("validate found");
    assert_eq!(ran.code, 0, "{}", ran.said());
    // What a runtime is certified by stands on its own side.
    let ran = run("run --cases found --backend cpu");
    assert!(ran.out.contains("passed") && !ran.out.contains("failed: "), "{}", ran.said());
    assert!([0, 4].contains(&ran.code), "{}", ran.said());
    let ran = run(line);
    assert_eq!(ran.code, 2, "{}", ran.said());
    assert!(ran.err.contains("is there already"), "{}", ran.said());
    // Both sides of one operator stand in one file.
    let ran = run("compare onnx/one_hot@9 onnx/one_hot@11 --count 1000 --write levels");
    assert_eq!(ran.code, 1, "{}", ran.said());
    let ran = run("validate levels");
    assert_eq!(ran.code, 0, "{}", ran.said());
    let ran = run("compare onnx/non_zero openvino/non_zero_3 --count 100 --write none");
    assert_eq!(ran.code, 0, "{}", ran.said());
    assert!(ran.err.contains("nothing is written") && !folder.path().join("none").exists(), "{}", ran.said());
}

/// How well one stands for another, with its level and what the mapping says.
#[test]
fn each_way_has_a_verdict() {
    for (line, fits) in [
        ("onnx/non_zero openvino/non_zero_3", ["drop_in", "drop_in"]),
        ("webnn/arg_max onnx/arg_max", ["drop_in", "differs"]),
        ("onnx/one_hot openvino/one_hot_16", ["drop_in", "fix_up"]),
        // What the mapping says to do is about what version 11 does.
        ("openvino/one_hot_16 onnx/one_hot@9", ["differs", "drop_in"]),
        ("openvino/one_hot_16 openvino/one_hot_1", ["fix_up", "drop_in"]),
        ("openvino/one_hot_16 directml/one_hot@2_1", ["no_way", "drop_in"]),
        ("onnx/arg_max directml/argmax", ["conditional", "drop_in"]),
    ] {
        let ways = compared(&format!("{line} --count 4000"));
        let found: Vec<&str> = ways.iter().map(|way| way["fit"].as_str().unwrap()).collect();
        assert_eq!(found, fits, "{line}");
    }
}

#[test]
fn the_guide_has_a_page_for_each_pair_and_a_matrix_that_leads_to_them() {
    let folder = TempDir::new().unwrap();
    let ran = opcert(folder.path(), &["compare", "--guide", "guide", "--count", "300"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let read = |name: &str| fs::read_to_string(folder.path().join("guide").join(name)).unwrap();
    let matrix = read("README.md");
    let links: Vec<&str> = matrix.split("](").skip(1).filter_map(|part| part.split(')').next()).collect();
    let pages: Vec<&&str> = links.iter().filter(|link| link.ends_with(".md")).collect();
    assert_eq!(pages.len(), 38, "{matrix}");
    for page in pages {
        assert!(read(page).contains("said as"), "{page}");
    }
    assert!(
        matrix.contains("| **onnx/non_zero** |") && matrix.contains("[drop-in](onnx_non_zero-openvino_non_zero_3.md)")
    );
    let picture = read("matrix.svg");
    assert_eq!(picture.matches("<rect class=\"paper\"").count(), 1);
    assert_eq!(picture.matches("<g class=").count(), 38, "{picture}");
    let ran = opcert(folder.path(), &["compare", "onnx/non_zero"]);
    assert_eq!(ran.code, 2, "{}", ran.said());
}

#[test]
fn every_format_has_the_same_differences() {
    let line = "compare onnx/one_hot@9 onnx/one_hot@11 --count 2000 --format";
    let report: Value = serde_json::from_str(&run(&format!("{line} json")).out).unwrap();
    let (text, page) = (run(&format!("{line} md")), run(&format!("{line} html")));
    assert_eq!((text.code, page.code), (1, 1), "{} {}", text.said(), page.said());
    assert!(page.out.starts_with("<!DOCTYPE html>") && !page.out.contains("<script"), "{}", page.out);
    for way in report["comparisons"].as_array().unwrap() {
        for difference in differences(way) {
            let answer = difference["witness"]["to_answer"].as_str().unwrap();
            assert!(text.out.contains(answer), "{answer} is not in {}", text.out);
            assert!(page.out.contains(answer), "{answer} is not in {}", page.out);
        }
    }
}

#[test]
fn backends_answer_where_they_claim_an_operator() {
    let ways = compared("webnn/arg_max directml/argmax --count 4000 --on cpu");
    let tie = found(&ways[0], "from_open", "webnn/arg_max/tie");
    for side in ["from_ran", "to_ran"] {
        let ran = tie["witness"][side].as_array().unwrap();
        assert_eq!(ran.len(), 1, "{side}: {tie:#}");
        let said = ["backend", "answer"].map(|key| ran[0][key].as_str().unwrap());
        assert!(said[0].starts_with("cpu ") && said[1].ends_with("is {0}"), "{said:?}");
    }
    // Nobody is asked who is not named.
    let ways = compared("webnn/arg_max directml/argmax --count 4000");
    assert_eq!(found(&ways[0], "from_open", "webnn/arg_max/tie")["witness"]["from_ran"], Value::Null);
    let ran = run("compare webnn/arg_max directml/argmax --on nobody");
    assert_eq!(ran.code, 2, "{}", ran.said());
    assert!(ran.err.contains("nobody"), "{}", ran.err);
}

/// A mapping, to be spoiled.
const MAPPING: &str = r#"from: onnx/arg_max
to: directml/argmax
let: |
  dimension = axis + rank(data) if axis < 0 else axis
when: select_last_index in [0, 1]
attributes:
  Axes: "[dimension]"
  AxisDirection: DML_AXIS_DIRECTION_INCREASING if select_last_index == 0 else DML_AXIS_DIRECTION_DECREASING
tensors:
  InputTensor: {of: data}
  OutputTensor: {of: reduced, sizes: "replaced(sizes(data), dimension, 1)"}
outputs:
  reduced: {of: OutputTensor}
"#;

fn validated(text: &str) -> Ran {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("argmax.yaml"), text).unwrap();
    opcert(folder.path(), &["validate", "argmax.yaml"])
}

#[test]
fn what_is_wrong_with_a_mapping_is_named_with_its_place() {
    let ran = validated(MAPPING);
    assert_eq!((ran.code, ran.out.as_str()), (0, "argmax.yaml: 1 mapping, valid\n"), "{}", ran.said());
    for (from, to, said, place) in [
        (
            "from: onnx/arg_max",
            "from: onnx/argmax",
            "`onnx/argmax` is no operator that is specified",
            "argmax.yaml:1:7",
        ),
        (
            "to: directml/argmax",
            "to: directml/arg",
            "`directml/arg` is no operator that is specified",
            "argmax.yaml:2:5",
        ),
        ("rank(data)", "rank(input)", "`rank` asks for a tensor: `data`", "argmax.yaml:4:27"),
        ("in [0, 1]", "in [0, 1", "", "argmax.yaml:5"),
        ("Axes:", "Axis:", "`Axis` is no attribute of `directml/argmax`", "argmax.yaml:7"),
        ("  Axes: \"[dimension]\"\n", "", "nothing says what `Axes` of `directml/argmax` is", "argmax.yaml"),
        ("[dimension]", "[dimensoin]", "`dimensoin`", "argmax.yaml:7:9"),
        ("DML_AXIS_DIRECTION_INCREASING", "INCREASING", "`INCREASING`", "argmax.yaml:8"),
        ("{of: data}", "{of: date}", "`date` is no tensor of `onnx/arg_max`: known: `data`", "argmax.yaml:10:21"),
        ("{of: data}", "{}", "`InputTensor` has no type: `type` gives it, or `of`", "argmax.yaml:10"),
        ("{of: data}", "{of: data, type: FLOAT}", "`FLOAT` is no data type of `directml`", "argmax.yaml:10"),
        (
            "  InputTensor: {of: data}\n",
            "",
            "nothing says what `InputTensor` of `directml/argmax` is",
            "argmax.yaml:9:1",
        ),
        (
            "{of: reduced,",
            "{of: reduced, elements: \"1\",",
            "`OutputTensor` is an output: what it holds is worked out",
            "argmax.yaml:11",
        ),
        ("  InputTensor:", "  Input:", "`Input` is no tensor of `directml/argmax`", "argmax.yaml:10"),
        (
            "reduced: {of: OutputTensor}",
            "reduced: {of: InputTensor}",
            "`InputTensor` is no output of `directml/argmax`",
            "argmax.yaml:13",
        ),
        (
            "reduced: {of: OutputTensor}",
            "reduced: {}",
            "`reduced` comes back by `of` or by `elements`, one of them",
            "argmax.yaml:13",
        ),
        (
            "reduced: {of: OutputTensor}",
            "data: {of: OutputTensor}",
            "`data` is no output of `onnx/arg_max`",
            "argmax.yaml:13",
        ),
        ("outputs:", "output:", "unknown key `output`", "argmax.yaml:12:1"),
        (
            "{of: data}",
            "{of: reduced}",
            "`reduced` is an output of `onnx/arg_max`: it holds nothing yet",
            "argmax.yaml:10",
        ),
        ("\"[dimension]\"", "\"[dimension]\\nother = 3\"", "", "argmax.yaml:7:9"),
        ("  Axes:", "  AxisCount: 1\n  Axes:", "`AxisCount` is the length of a list", "argmax.yaml:7"),
        ("let: |\n ", "let:", "names stand in a literal block", "argmax.yaml:3:1"),
        (
            "let:",
            "fix: {directml/argmax/tie: x}\nlet:",
            "`directml/argmax/tie` is no requirement of either operator",
            "argmax.yaml:3",
        ),
        ("to: directml/argmax", "to: onnx/arg_max", "`onnx/arg_max` needs no mapping to itself", "argmax.yaml:2:5"),
    ] {
        let ran = validated(&MAPPING.replacen(from, to, 1));
        assert_eq!(ran.code, 2, "{to}: {}", ran.said());
        assert!(ran.err.contains(said) && ran.err.contains(place), "{to}: {}", ran.said());
    }
}

/// A mapping that gives what there is not says so of the samples for which it does, and takes none of them for a difference.
#[test]
fn a_wrong_mapping_shows() {
    let folder = TempDir::new().unwrap();
    let with = |from: &str, to: &str| {
        fs::write(folder.path().join("argmax.yaml"), MAPPING.replacen(from, to, 1)).unwrap();
        let line = "compare onnx/arg_max directml/argmax --mappings argmax.yaml --count 3000 --format json";
        let ran = opcert(folder.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, 1, "{}", ran.said());
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        report["comparisons"][0].clone()
    };
    // First and last in each other's place.
    let turned = with("select_last_index == 0", "select_last_index == 1");
    let difference = found(&turned, "differs", "onnx/arg_max/tie-first");
    assert!(elements(difference) <= 4, "{difference:#}");
    let unsaid = with("\"[dimension]\"", "dimension");
    assert_eq!(unsaid["differences"][0]["kind"], "unsaid");
    let answer = unsaid["differences"][0]["witness"]["to_answer"].as_str().unwrap();
    assert!(answer.contains("`Axes` would be 0, expected a list of numbers"), "{answer}");
    let doubtful = with("\"[dimension]\"", "\"[dimension, dimension]\"");
    found(&doubtful, "doubtful", "directml/argmax/axes-duplicate");
}

/// An element that is left open is none on the way back, whatever its memory holds: nothing that comes of it is compared.
#[test]
fn what_is_open_is_no_number_on_the_way_back() {
    let folder = TempDir::new().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("mappings/onnx/one_hot/openvino/one_hot_1.yaml");
    let text = fs::read_to_string(file).unwrap();
    let made = text.replace("  output: {of: output}\n", "  output: {elements: \"output[at]\"}\n");
    let made = made.replacen("  output: {elements: \"output[at]\"}\n", "  output: {of: output}\n", 1);
    assert_ne!(made, text);
    fs::write(folder.path().join("one_hot_1.yaml"), made).unwrap();
    let line = "compare onnx/one_hot openvino/one_hot_1 --mappings one_hot_1.yaml --count 2000 --format json";
    let ran = opcert(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let report: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.said()));
    let way = &report["comparisons"][0];
    found(way, "to_open", "openvino/one_hot_1/negative-index");
    assert!(differences(way).iter().all(|each| each["kind"] != "differs"), "{way:#}");
}

/// The pairs that are drop-in by the porting guide are those of the list by which each night searches for more.
#[test]
fn what_the_guide_calls_drop_in_is_searched_each_night() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = fs::read_to_string(root.join("docs/porting/README.md")).unwrap();
    let (mut columns, mut found) = (Vec::new(), BTreeSet::new());
    for line in guide.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        if cells[0] == r"from \ to" {
            columns = cells;
            continue;
        }
        let from = cells[0].trim_matches('*');
        let drop_in = columns.iter().zip(&cells).filter(|(_, cell)| cell.starts_with("[drop-in]("));
        found.extend(drop_in.map(|(to, _)| format!("{from} {to}")));
    }
    let listed = fs::read_to_string(root.join("tests/drop_in.txt")).unwrap();
    let listed: BTreeSet<String> = listed.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    assert_eq!(found, listed);
    assert!(!listed.is_empty());
}
