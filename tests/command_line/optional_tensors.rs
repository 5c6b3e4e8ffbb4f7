//! Tensors that a valid descriptor may leave out: what is generated with and without them, who is found out, and what a person sees.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;

use crate::command::{Ran, opcert};
use tempfile::TempDir;

const FAMILY: &str = r#"family: toy
title: Toy
levels: ["1"]
types: {F32: f32, I64: i64, U8: u8}
layouts: true
granularity: 1
documents:
  own: {revision: mine}
operator:
  deterministic: {text: Same again, authority: stated, kind: semantics, tested: dispatched, source: {document: own, section: all}}
"#;

/// The optional ones stand before and behind the output, and what is never left out comes last.
const OPERATOR: &str = r"operator: toy/choose
title: Choose
summary: The first element that is given and not zero.
documents:
  own: {revision: mine}
subject: Out
tensors:
  First: {role: input, optional: true}
  Out: {role: output}
  Second: {role: input, optional: true}
  Base: {role: input}
attributes: {}
definition: |
  def Out(at):
      if is_given(First) and First[at] != 0:
          return First[at]    # first
      if is_given(Second) and Second[at] != 0:
          return Second[at]   # second
      return Base[at]         # base
requirements:
  types: {text: One type, authority: stated, kind: descriptor, source: {document: own, section: all}, check: {same_type: {tensors: [First, Second, Base, Out]}}}
  ranks: {text: One rank, authority: stated, kind: descriptor, source: {document: own, section: all}, check: {same_dimension_count: {tensors: [First, Second, Base, Out]}}}
  sizes: {text: Same sizes, authority: stated, kind: descriptor, source: {document: own, section: all}, check: {same_sizes: {tensors: [First, Second, Base, Out]}}, needs: [ranks]}
  first: {text: First, authority: stated, kind: semantics, source: {document: own, section: all}}
  second: {text: Second, authority: stated, kind: semantics, source: {document: own, section: all}}
  base: {text: Base, authority: stated, kind: semantics, source: {document: own, section: all}}
";

fn run(folder: &TempDir, line: &str) -> Ran {
    opcert(folder.path(), &line.split(' ').collect::<Vec<_>>())
}

fn with_specs() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("specs/toy")).unwrap();
    fs::create_dir_all(folder.path().join("cases/toy/choose")).unwrap();
    fs::write(folder.path().join("specs/toy/family.yaml"), FAMILY).unwrap();
    fs::write(folder.path().join("specs/toy/choose.yaml"), OPERATOR).unwrap();
    folder
}

#[test]
fn generated_cases_have_each_choice_and_find_every_wrong_backend_that_differs() {
    let folder = with_specs();
    let generated = run(&folder, "generate --specs specs cases");
    assert_eq!(generated.code, 0, "{}", generated.said());
    let paths = fs::read_to_string(folder.path().join("cases/toy/choose/generated/paths.yaml")).unwrap();
    let cases: Vec<&str> = paths.split("\n    tensors:\n").skip(1).collect();
    for (first, second) in [(false, false), (false, true), (true, false), (true, true)] {
        let has = |case: &&&str| case.contains("  First:") == first && case.contains("  Second:") == second;
        let count = cases.iter().filter(has).count();
        assert!(count > 10, "{count} cases with First {first} and Second {second}");
    }
    let mutated = run(&folder, "mutate --specs specs --cases cases toy/choose");
    assert_eq!(mutated.code, 0, "{}", mutated.said());
    let told_apart = mutated.out.lines().filter(|line| line.contains("survives") && !line.contains("no difference"));
    assert_eq!(told_apart.collect::<Vec<_>>(), [""; 0]);
    assert!(mutated.out.contains("definition 2"), "{}", mutated.out);
}

#[test]
fn what_is_left_out_is_said_and_what_must_not_be_is_refused() {
    let folder = with_specs();
    let case = "operator: toy/choose
cases:
  mine:
    covers: [base, second]
    tensors:
      Base: {type: U8, sizes: [2], data: [1, 2]}
      Second: {type: U8, sizes: [2], data: [0, 7]}
      Out: {type: U8, sizes: [2]}
    expect: {Out: [1, 7]}
";
    let file = folder.path().join("cases/toy/choose/own.yaml");
    fs::write(&file, case).unwrap();
    let shown = run(&folder, "show toy/choose/own/mine --specs specs --cases cases");
    assert_eq!(shown.code, 0, "{}", shown.said());
    let tensors: Vec<&str> = shown.out.lines().filter(|line| line.contains(": (")).collect();
    let [first, out, second, base] = tensors[..] else { panic!("{tensors:?}") };
    assert_eq!(first, "First: (left out)");
    assert!(out.starts_with("Out: (Sizes:{2}") && second.starts_with("Second: (") && base.starts_with("Base: ("));
    fs::write(&file, case.replace("      Base: {type: U8, sizes: [2], data: [1, 2]}\n", "")).unwrap();
    let ran = run(&folder, "validate --specs specs cases/toy/choose/own.yaml");
    assert!(ran.code == 2 && ran.said().contains("the tensor `Base` is missing"), "{}", ran.said());
}
