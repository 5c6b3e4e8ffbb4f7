//! Lists of tensors: what is generated of each length, who is found out, and what a person sees and is refused.
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

/// Lists of inputs and of outputs, of which one begins with two and the other with one, and a tensor between them.
const OPERATOR: &str = r"operator: toy/deal
title: Deal
summary: Each output has the elements of one of the inputs, by turns, where a mask says so, and those of the first one elsewhere.
documents:
  own: {revision: mine}
subject: Outs[0]
tensors:
  Ins: {role: input, list: 2-5}
  Mask: {role: input}
  Outs: {role: output, list: 1-3}
attributes: {}
definition: |
  count = len(Ins)

  def Outs(which, at):
      if Mask[at] != 0:
          return Ins[(which + 1) % count][at]  # dealt
      return Ins[0][at]                        # kept
requirements:
  given: {text: Outputs, authority: stated, kind: descriptor, source: {document: own, section: all}, check: {tensors_present: {tensors: [Ins, Outs]}}}
  types: {text: One type, authority: stated, kind: descriptor, source: {document: own, section: all}, check: {same_type: {tensors: [Ins, Mask, Outs]}}}
  ranks: {text: One rank, authority: stated, kind: descriptor, source: {document: own, section: all}, check: {same_dimension_count: {tensors: [Ins, Mask, Outs]}}}
  sizes: {text: Same sizes, authority: stated, kind: descriptor, source: {document: own, section: all}, check: {same_sizes: {tensors: [Ins, Mask, Outs]}}, needs: [ranks]}
  dealt: {text: Dealt, authority: stated, kind: semantics, source: {document: own, section: all}}
  kept: {text: Kept, authority: stated, kind: semantics, source: {document: own, section: all}}
";

const CASE: &str = "operator: toy/deal
cases:
  mine:
    covers: [dealt, kept]
    tensors:
      Ins:
        - {type: U8, sizes: [2], data: [1, 2]}
        - {type: U8, sizes: [2], data: [3, 4]}
        - {type: U8, sizes: [2], data: [5, 6]}
      Mask: {type: U8, sizes: [2], data: [0, 1]}
      Outs:
        - {type: U8, sizes: [2]}
        - {type: U8, sizes: [2]}
    expect:
      Outs: [[1, 4], [1, 6]]

  shorter:
    twin: mine
    change: {tensors.Ins.2: ~, tensors.Outs.1.type: I64}
    covers: [types]
    expect: {refuses: [types]}
";

fn run(folder: &TempDir, line: &str) -> Ran {
    opcert(folder.path(), &line.split(' ').collect::<Vec<_>>())
}

fn with_specs() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("specs/toy")).unwrap();
    fs::create_dir_all(folder.path().join("cases/toy/deal")).unwrap();
    fs::write(folder.path().join("specs/toy/family.yaml"), FAMILY).unwrap();
    fs::write(folder.path().join("specs/toy/deal.yaml"), OPERATOR).unwrap();
    folder
}

#[test]
fn generated_cases_have_each_length_and_find_every_wrong_backend_that_differs() {
    let folder = with_specs();
    // What an earlier dispatch leaves shows where two cases have one descriptor, with every tensor that there may be.
    let all = |first: u8| {
        let tensors = |count: u8, from: u8| {
            let each = (0..count).map(|at| format!("        - {{type: U8, sizes: [1], data: [{}]}}\n", from + at));
            each.collect::<String>()
        };
        let outs = "        - {type: U8, sizes: [1]}\n".repeat(3);
        let mask = format!("      Mask: {{type: U8, sizes: [1], data: [{}]}}\n", first % 2);
        let dealt: Vec<u8> = (1..=3).map(|at| if first % 2 == 1 { first + at } else { first }).collect();
        let expected = format!("    expect: {{Outs: [[{}], [{}], [{}]]}}\n", dealt[0], dealt[1], dealt[2]);
        let ins = tensors(5, first);
        format!("  from_{first}:\n    tensors:\n      Ins:\n{ins}{mask}      Outs:\n{outs}{expected}")
    };
    let pair = format!("operator: toy/deal\ncases:\n{}\n{}\n{}", all(10), all(21), all(33));
    fs::write(folder.path().join("cases/toy/deal/own.yaml"), pair).unwrap();
    let generated = run(&folder, "generate --specs specs cases");
    assert_eq!(generated.code, 0, "{}", generated.said());
    let paths = fs::read_to_string(folder.path().join("cases/toy/deal/generated/paths.yaml")).unwrap();
    let lengths: Vec<[usize; 2]> = paths.split("\n    tensors:\n").skip(1).map(lengths).collect();
    for (of, length) in [(0, 2), (0, 3), (0, 4), (0, 5), (1, 1), (1, 2), (1, 3)] {
        let count = lengths.iter().filter(|lengths| lengths[of] == length).count();
        // Between what there always is and the most, lengths are told apart by one, two and four more.
        assert!(count > 10, "{count} cases with {length} of list {of}");
    }
    let mutated = run(&folder, "mutate --specs specs --cases cases toy/deal");
    assert_eq!(mutated.code, 0, "{}", mutated.said());
    let told_apart = mutated.out.lines().filter(|line| line.contains("survives") && !line.contains("no difference"));
    assert_eq!(told_apart.collect::<Vec<_>>(), [""; 0]);
    assert!(mutated.out.contains("ins-4-"), "{}", mutated.out);
}

/// How many tensors the lists of a case have.
fn lengths(case: &str) -> [usize; 2] {
    let (tensors, _) = case.split_once("\n    attributes:").unwrap();
    let (ins, outs) = tensors.split_once("      Outs:\n").unwrap();
    [ins, outs].map(|list| list.matches("        - ").count())
}

#[test]
fn a_list_is_written_as_one_and_shown_one_by_one() {
    let folder = with_specs();
    fs::write(folder.path().join("cases/toy/deal/own.yaml"), CASE).unwrap();
    let valid = run(&folder, "validate --specs specs cases/toy/deal/own.yaml");
    assert_eq!(valid.code, 0, "{}", valid.said());
    let shown = run(&folder, "show toy/deal/own/mine --specs specs --cases cases");
    assert_eq!(shown.code, 0, "{}", shown.said());
    let tensors: Vec<&str> = shown.out.lines().filter(|line| line.contains(": (")).collect();
    let names: Vec<&str> = tensors.iter().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(names, ["Ins[0]", "Ins[1]", "Ins[2]", "Mask", "Outs[0]", "Outs[1]"]);
    let shown = run(&folder, "show toy/deal/own/shorter --specs specs --cases cases");
    assert!(!shown.out.contains("Ins[2]") && shown.out.contains("`Outs[1]`"), "{}", shown.out);
}

#[test]
fn what_is_no_such_list_is_refused_at_its_place() {
    let folder = with_specs();
    let refused = |from: &str, to: &str| {
        assert!(CASE.contains(from), "{from}");
        fs::write(folder.path().join("cases/toy/deal/own.yaml"), CASE.replacen(from, to, 1)).unwrap();
        let ran = run(&folder, "validate --specs specs cases/toy/deal/own.yaml");
        assert_eq!(ran.code, 2, "{}", ran.said());
        ran.said()
    };
    let said = refused(
        "      Outs:\n        - {type: U8, sizes: [2]}\n        - {type: U8, sizes: [2]}\n",
        "      Outs: {type: U8, sizes: [2]}\n",
    );
    assert!(said.contains("expected the tensors of `Outs` as a list, found a mapping"), "{said}");
    assert!(said.contains("own.yaml:11:"), "{said}");
    let many = "        - {type: U8, sizes: [2]}\n".repeat(3);
    let said = refused("      Outs:\n", &format!("      Outs:\n{many}"));
    assert!(said.contains("`Outs` has 5 tensors, expected 3 at most"), "{said}");
    let said = refused("      Mask:", "      Ins[0]:");
    assert!(said.contains("`Ins[0]` is no tensor of `toy/deal`"), "{said}");
    let said =
        refused("        - {type: U8, sizes: [2], data: [3, 4]}\n        - {type: U8, sizes: [2], data: [5, 6]}\n", "");
    assert!(said.contains("`Ins[1]` is missing [toy/deal/given]"), "{said}");
    let said = refused("data: [3, 4]", "data: [3]");
    assert!(said.contains("own.yaml:8:"), "{said}");
    let said = refused("{type: U8, sizes: [2], data: [5, 6]}", "{type: U9, sizes: [2], data: [5, 6]}");
    assert!(said.contains("`U9` is no data type of `toy`") && said.contains("own.yaml:9:"), "{said}");
    let said = refused("[[1, 4], [1, 6]]", "[[1, 4]]");
    assert!(said.contains("nothing is expected of the output `Outs[1]`"), "{said}");
    let said = refused("[[1, 4], [1, 6]]", "[[1, 4], [1, 6], [1, 2]]");
    assert!(said.contains("there is no `Outs[2]` in this case"), "{said}");
    let said = refused("tensors.Ins.2: ~", "tensors.Ins.3: ~");
    assert!(said.contains("`tensors.Ins.3` leads to nothing in the twin"), "{said}");
}

#[test]
fn a_definition_of_a_list_says_which_tensor_it_means() {
    let folder = with_specs();
    let refused = |from: &str, to: &str| {
        assert!(OPERATOR.contains(from), "{from}");
        fs::write(folder.path().join("specs/toy/deal.yaml"), OPERATOR.replacen(from, to, 1)).unwrap();
        let ran = run(&folder, "validate --specs specs specs/toy/deal.yaml");
        assert_eq!(ran.code, 2, "{}", ran.said());
        ran.said()
    };
    let said = refused("def Outs(which, at):", "def Outs(at):");
    assert!(said.contains("`def Outs(which, at):`"), "{said}");
    let said = refused("return Ins[0][at] ", "return Outs[0][at]");
    assert!(said.contains("`Outs[0]` is an output: its elements are not known yet"), "{said}");
    let said = refused("count = len(Ins)", "count = len(Mask)");
    assert!(said.contains("Mask"), "{said}");
    let said = refused("check: {same_type: {tensors: [Ins, Mask, Outs]}}", "check: {all_sizes_one: {tensor: Ins}}");
    assert!(said.contains("`Ins` is a list, and this asks for one tensor: `Ins[0]` is the first"), "{said}");
    let twice = "check: {sizes_equal_except_axis: {tensor: Ins, other: Ins, axis: Axis}}";
    let said = refused("check: {same_type: {tensors: [Ins, Mask, Outs]}}", twice);
    assert!(said.contains("`Ins` is a list, and this asks for one tensor"), "{said}");
    let said = refused("  Mask: {role: input}", "  Mask: {role: input}\n  Ins[0]: {role: input}");
    assert!(said.contains("`Ins[0]` is no name of a tensor: so those of a `list` are called"), "{said}");
    let said = refused("attributes: {}", "attributes: {Ins: {type: UINT}}");
    assert!(said.contains("`Ins` is an attribute, and has to do with the list `Ins` as well"), "{said}");
    let said = refused("count = len(Ins)", "Ins = [7]\n  count = len(Ins)");
    assert!(said.contains("`Ins` is a list of tensors"), "{said}");
    let said = refused("count = len(Ins)", "count = Ins");
    assert!(said.contains("the list of tensors `Ins` is no value"), "{said}");
    let deep = "count = rank(Ins[rank(Ins[rank(Ins[rank(Ins[rank(Mask)])])])])";
    let said = refused("count = len(Ins)", deep);
    assert!(said.contains("tensors of lists are chosen by one another more than 2 deep"), "{said}");
    let said = refused("subject: Outs[0]", "subject: Outs[1]");
    assert!(said.contains("`Outs[1]` is `optional`: a report has no place for what leaves it out"), "{said}");
}
