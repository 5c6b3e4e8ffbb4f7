//! What a person reads: verdicts, failures and how to repeat them, from the command and from the documentation.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{Ran, opcert};
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// A copy of the documented cases of ONE_HOT with one replacement.
fn changed(find: &str, replace: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let text = fs::read_to_string(root().join("cases/directml/one_hot/documented.yaml")).unwrap();
    assert!(text.contains(find), "`{find}` is not there to be changed");
    fs::write(folder.path().join("held_out.yaml"), text.replacen(find, replace, 1)).unwrap();
    folder
}

fn assert_says(ran: &Ran, code: i32, fragments: &[&str]) {
    assert_eq!(ran.code, code, "{}", ran.said());
    for fragment in fragments {
        assert!(ran.said().contains(fragment), "`{fragment}` is not said\n{}", ran.said());
    }
}

#[test]
fn one_changed_number_is_found_shown_and_repeatable() {
    let folder = changed("[0, 0, 0, 1]", "[0, 0, 5, 1]");
    for isolate in [&[][..], &["--isolate"]] {
        let ran = opcert(folder.path(), &[&["run", "--cases", "held_out.yaml"], isolate].concat());
        assert_says(
            &ran,
            1,
            &[
                "fail directml/one_hot/held_out/",
                "`OutputTensor` at [0, 0, ",
                "is 0, expected 5",
                "1 of 12 defined elements differ",
            ],
        );
        let repeat = ran.out.lines().find_map(|line| line.trim().strip_prefix("repeat opcert ")).unwrap();
        let repeated = opcert(folder.path(), &repeat.split(' ').collect::<Vec<_>>());
        assert_says(&repeated, 1, &["1 case: 1 fail", "is 0, expected 5"]);
    }
}

#[test]
fn tensors_of_a_failure_can_be_kept() {
    let folder = changed("[0, 0, 0, 1]", "[0, 0, 5, 1]");
    let ran = opcert(folder.path(), &["run", "--cases", "held_out.yaml", "--dump", "dump"]);
    assert_eq!(ran.code, 1);
    let dumped: Vec<_> = fs::read_dir(folder.path().join("dump/directml/one_hot/held_out")).unwrap().collect();
    assert_eq!(dumped.len(), 1);
    let bytes = fs::read(dumped[0].as_ref().unwrap().path()).unwrap();
    for name in ["IndicesTensor", "ValuesTensor", "actual.OutputTensor", "expected.OutputTensor"] {
        assert!(bytes.windows(name.len()).any(|window| window == name.as_bytes()), "{name} is missing");
    }
}

#[test]
fn a_broken_descriptor_names_requirement_and_place() {
    let folder = changed("Axis: 2", "Axis: 7");
    let text = fs::read_to_string(folder.path().join("held_out.yaml")).unwrap();
    let line = text.lines().position(|line| line.contains("Axis: 7")).unwrap();
    let column = text.lines().nth(line).unwrap().find('7').unwrap();
    let place = format!("held_out.yaml:{}:{}", line + 1, column + 1);
    for command in [["validate", "held_out.yaml"].as_slice(), &["run", "--cases", "held_out.yaml"]] {
        let ran = opcert(folder.path(), command);
        assert_says(&ran, 2, &["`Axis` is 7, expected 0 to 3", "[directml/one_hot/axis-in-range]", &place]);
    }
}

#[test]
fn reports_are_whole_and_small_and_can_be_rendered_again() {
    let folder = TempDir::new().unwrap();
    // A certificate of all there is stands in `reports/`, and is made anew and verified with every change.
    let ran = opcert(folder.path(), &["run", "directml/one_hot", "directml/argmax", "--out", "reports"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let ran = opcert(folder.path(), &["verify", "reports"]);
    assert_says(&ran, 0, &["reports: everything fits\ncpu ", "this is no verdict", "not signed: "]);
    let environment = fs::read_to_string(folder.path().join("reports/environment.json")).unwrap();
    assert!(environment.starts_with("{\n  \"environment\""));
    let matrix = fs::read_to_string(folder.path().join("reports/matrix.md")).unwrap();
    assert_eq!(opcert(folder.path(), &["matrix", "reports"]).out, matrix);
    let junit = fs::read_to_string(folder.path().join("reports/junit.xml")).unwrap();
    assert!(junit.contains("failures=\"0\"") && junit.contains("directml/one_hot/documented/example_1"));
    let log = fs::read_to_string(folder.path().join("reports/events.jsonl")).unwrap();
    let mut lines: Vec<&str> = log.lines().collect();
    let dropped = lines.remove(5);
    fs::write(folder.path().join("short.jsonl"), lines.join("\n")).unwrap();
    assert_says(&opcert(folder.path(), &["matrix", "short.jsonl"]), 2, &["does not agree with its own"]);
    let flipped = log.replacen("\"outcome\":\"pass\"", "\"outcome\":\"fail\"", 1);
    assert_ne!(flipped, log, "{dropped}");
    fs::write(folder.path().join("flipped.jsonl"), flipped).unwrap();
    assert_says(&opcert(folder.path(), &["matrix", "flipped.jsonl"]), 2, &["other outcomes than the log has"]);
}

#[test]
fn a_certificate_is_small_beside_what_it_is_of() {
    let text = fs::read_to_string(root().join("reports/cpu/certificate.json")).unwrap();
    let certificate: serde_json::Value = serde_json::from_str(&text).unwrap();
    let cases = certificate["totals"]["cases"].as_u64().unwrap() as usize;
    assert!(text.len() < 20 * cases, "{} bytes of {cases} cases", text.len());
}

#[test]
fn filters_pick_what_they_say() {
    let count = |arguments: &[&str]| opcert(&root(), &[&["list"], arguments].concat()).out.lines().count();
    assert_eq!(count(&["directml/one_hot/documented/example_?"]), 4);
    assert_eq!(count(&["directml/argmax/documented"]), 5);
    assert_eq!(count(&["directml/one_hot/documented/example_?", "level:3_0"]), 1);
    assert_eq!(count(&["openvino/*/documented/*", "type:i32"]), 5);
    assert_eq!(count(&["directml/argmax/documented/*", "requirement:tie-decreasing"]), 1);
}

#[test]
fn a_case_and_a_requirement_explain_themselves() {
    let shown = opcert(&root(), &["show", "directml/one_hot/documented/example_3"]);
    assert_says(
        &shown,
        0,
        &[
            "ValuesTensor: (Sizes:{1,1,3,1}, DataType:FLOAT32, TotalTensorSizeInBytes:12)\n[[[[4],\n   [2],\n   [9]]]]",
            "Axis: 3",
        ],
    );
    let explained = opcert(&root(), &["explain", "directml/tensor/total-size"]);
    assert_says(
        &explained,
        0,
        &[
            "stated",
            "descriptor",
            "total_size",
            "refused  directml/argmax/by_hand/",
            "list requirement:directml/tensor/total-size\n",
        ],
    );
}

#[test]
fn schemas_are_printed() {
    for (format, file) in [
        ("case", "cases/case.schema.json"),
        ("operator", "specs/operator.schema.json"),
        ("family", "specs/family.schema.json"),
        ("backend", "docs/backend.schema.json"),
        ("protocol", "docs/protocol.schema.json"),
        ("certificate", "docs/certificate.schema.json"),
        ("expectations", "docs/expectations.schema.json"),
        ("bench", "docs/bench.schema.json"),
        ("export", "docs/export.schema.json"),
        ("exported-case", "docs/exported-case.schema.json"),
        ("answer", "docs/answer.schema.json"),
        ("list", "docs/list.schema.json"),
        ("explain", "docs/explain.schema.json"),
        ("backends", "docs/backends.schema.json"),
        ("smoke", "docs/smoke.schema.json"),
        ("wrong", "docs/wrong.schema.json"),
    ] {
        let printed = opcert(&root(), &["schema", format]).out;
        let checked_in = fs::read_to_string(root().join(file)).unwrap();
        assert!(printed == checked_in, "{file} is out of date: `opcert schema {format}` prints another one");
    }
}
