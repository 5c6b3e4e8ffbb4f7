//! What follows from a specification for any descriptor and data, and why: asked for, and said of a failure.

use std::fs;

use crate::command::opcert;
use crate::page_data;
use tempfile::TempDir;

/// Indices from the end, in range, far beyond it and equal to the size; an index tensor that is not known to anybody.
const FILE: &str = "operator: directml/one_hot
cases:
  valid:
    tensors:
      IndicesTensor: {type: INT32, sizes: [1, 1, 4, 1], data: [-1, 0, 9, 4]}
      ValuesTensor: {type: FLOAT32, sizes: [1, 1, 1, 2], data: [5, 7]}
      OutputTensor: {type: FLOAT32, sizes: [1, 1, 4, 4]}
    attributes: {Axis: 3}
    covers: [negative-from-end]
    expect: {OutputTensor: [5, 6, 5, 7, 7, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]}
  of_another_type:
    tensors:
      IndicesTensor: {type: INT32, sizes: [1, 1, 1, 1], data: [0]}
      ValuesTensor: {type: FLOAT32, sizes: [1, 1, 1, 2], data: [5, 7]}
      OutputTensor: {type: FLOAT16, sizes: [1, 1, 1, 4]}
    attributes: {Axis: 3}
    covers: [on-at-index]
    expect: accepts
  without_data:
    tensors:
      IndicesTensor: {type: INT32, sizes: [1, 1, 1, 1]}
      ValuesTensor: {type: FLOAT32, sizes: [1, 1, 1, 2]}
      OutputTensor: {type: FLOAT32, sizes: [1, 1, 1, 4]}
    attributes: {Axis: 3}
    covers: [on-at-index]
    expect: accepts
";

/// What stands from a line on.
fn behind<'a>(text: &'a str, line: &str) -> &'a str {
    let begin = text.find(line);
    assert!(begin.is_some(), "`{line}` is not said\n{text}");
    &text[begin.unwrap_or(0)..]
}

#[test]
fn a_documented_example_comes_out_with_its_lines() {
    let folder = TempDir::new().unwrap();
    let ran = opcert(folder.path(), &["expect", "directml/one_hot/documented/example_3"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    // As the document prints it.
    assert!(ran.out.contains("[[[[2, 4, 4, 4],\n   [4, 4, 4, 2],\n   [4, 4, 2, 4]]]]\n"), "{}", ran.out);
    let on = behind(&ran.out, "  3 elements by line");
    assert!(on.contains(": return on\n      directml/one_hot/on-at-index\n"), "{on}");
    assert!(on.contains("      [0, 0, 0, 0] is 2 where at = [0, 0, 0, 0], Axis = 3, index = 0, on = 2\n"), "{on}");
    let shown = opcert(folder.path(), &["show", "directml/one_hot/documented/example_3"]);
    assert!(shown.out.ends_with(behind(&ran.out, "  3 elements by line")), "{}", shown.out);
}

#[test]
fn whatever_is_asked_has_an_answer() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("asked.yaml"), FILE).unwrap();
    let ran = opcert(folder.path(), &["expect", "asked.yaml"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let valid = behind(&ran.out, "directml/one_hot/asked/valid\nat 6_4: valid\n");
    // What the file expects is not looked at.
    assert!(valid.contains("[[[[5, 5, 5, 7],\n   [7, 5, 5, 5],\n"), "{valid}");
    for line in [
        "[0, 0, 0, 0] is 5 where at = [0, 0, 0, 0], Axis = 3, size = 4, index = -1,",
        "[0, 0, 3, 0] is 5 where index = 4, size = 4",
        "where index = 9,",
    ] {
        assert!(valid.contains(line), "`{line}` is not said\n{valid}");
    }
    let invalid = behind(&ran.out, "directml/one_hot/asked/of_another_type\nat 6_4: invalid\n");
    assert!(
        invalid.contains("[directml/one_hot/same-value-type]\nnothing comes out: the descriptor is to be refused\n")
    );
    let without = behind(&ran.out, "directml/one_hot/asked/without_data\nat 6_4: valid\n");
    assert!(without.contains("nothing comes out: `IndicesTensor` has no data\n"), "{without}");
    let low = opcert(folder.path(), &["expect", "asked.yaml", "--level", "1_0"]);
    assert!(low.out.starts_with("directml/one_hot/asked/valid\nat 1_0: invalid\n"), "{}", low.out);
    for (arguments, said) in [
        (["expect", "asked.yaml", "--level", "6_5"], "`directml` has no feature level `6_5`"),
        (["expect", "directml/one_hot/documented/example_33", "--level", "6_4"], "did you mean `directml/one_hot/"),
    ] {
        let ran = opcert(folder.path(), &arguments);
        assert_eq!(ran.code, 2, "{}", ran.said());
        assert!(ran.said().contains(said), "{}", ran.said());
    }
}

#[test]
fn a_failure_names_the_line_in_every_report() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("cases")).unwrap();
    let only_valid = FILE.split("  of_another_type:").next().unwrap();
    fs::write(folder.path().join("cases/asked.yaml"), only_valid).unwrap();
    let ran = opcert(folder.path(), &["run", "--cases", "cases", "--out", "report"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    // The file is wrong, and what the definition gives is said beside what the file expects.
    let failure = behind(&ran.out, "`OutputTensor` at [0, 0, 0, 1] is 5, expected 6\n");
    assert!(failure.contains("    the definition says 5, by its line 35: return off\n"), "{failure}");
    assert!(failure.contains("[directml/one_hot/negative-from-end, directml/one_hot/off-elsewhere]"), "{failure}");
    for (file, said) in [
        ("events.jsonl", "\"why\":{\"line\":35,\"text\":\"return off\",\"gives\":\"5\""),
        ("junit.xml", "the definition says 5, by its line 35: return off"),
        ("report.html", "the definition says 5, by its line 35: return off"),
    ] {
        let text = fs::read_to_string(folder.path().join("report").join(file)).unwrap();
        let text = page_data::of(&text).map_or(text.clone(), |(data, _)| data);
        assert!(text.contains(said), "{file} does not say `{said}`");
    }
}

#[test]
fn a_requirement_is_explained_by_what_puts_it_to_the_test() {
    let folder = TempDir::new().unwrap();
    let explained = |id: &str| {
        let ran = opcert(folder.path(), &["explain", id]);
        assert_eq!(ran.code, 0, "{}", ran.said());
        ran.out.lines().take_while(|line| !line.ends_with("cases")).collect::<Vec<_>>().join("\n")
    };
    let from_end = explained("directml/one_hot/negative-from-end");
    let lines: Vec<&str> = from_end.lines().filter(|line| line.starts_with("defined ")).collect();
    assert_eq!(lines.len(), 2, "{from_end}");
    assert!(lines[0].starts_with("defined    by line ") && lines[0].ends_with(": return on"), "{from_end}");
    assert!(lines[1].ends_with(": return off"), "{from_end}");
    let strides = explained("directml/tensor/strides");
    assert!(strides.contains("tested     by valid cases in which a tensor has strides"), "{strides}");
    assert!(!strides.contains("defined "), "{strides}");
    // The lines that are named stand below an operator's requirements.
    let operator = opcert(folder.path(), &["explain", "directml/one_hot"]).out;
    for line in lines {
        let (number, code) = line.trim_start_matches("defined    by line ").split_once(": ").unwrap();
        assert!(
            operator.lines().any(|line| line.starts_with(&format!("{number:>4}  ")) && line.contains(code)),
            "{line}"
        );
    }
    let json = opcert(folder.path(), &["explain", "directml/one_hot/negative-from-end", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let definition = json["operators"][0]["definition"].as_str().unwrap();
    assert!(definition.lines().any(|line| line.trim_start().starts_with("return off")), "{definition}");
    let lines = json["requirements"][0]["lines"].as_array().unwrap();
    let code: Vec<&str> = lines.iter().map(|line| line["code"].as_str().unwrap()).collect();
    assert_eq!(code, ["return on", "return off"]);
    assert!(lines.iter().all(|line| line["operator"] == "directml/one_hot" && line["line"].as_u64().is_some()));
}
