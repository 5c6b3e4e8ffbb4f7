//! What the validator says of a case: exact limits, levels, data that disagrees, and how far the documents stand
//! behind it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use opcert::backend::{AttributeValue, DataType, Descriptor};
use opcert::case::CaseSource;
use opcert::check::{CheckedCase, Layout, Suite, ValidCase, breakpoints, violations};
use opcert::diagnostic::{Diagnostic, Problem};
use opcert::source::Source;
use opcert::spec::{Authority, Specs};
use tempfile::TempDir;

fn embedded() -> Specs {
    Specs::load(&Source::embedded_specs()).unwrap()
}

/// Checks the one case of a file, which names what it covers.
fn check(specs: &Specs, operator: &str, text: &str) -> Result<CheckedCase, Vec<Problem>> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("case.yaml");
    fs::write(&path, format!("operator: {operator}\ncovers: complete\ncases:\n  case: {text}\n")).unwrap();
    let suite = Suite::load(&CaseSource(Source::Path(path)), specs, |_| true);
    let problems = |found: Vec<Diagnostic>| found.into_iter().map(|each| each.problem).collect::<Vec<_>>();
    Ok(suite.map_err(problems)?.cases.remove(0))
}

/// The greatest elements of a tensor. A test chooses the input, the output's sizes, the axes and the other keys.
fn argmax(input: &str, sizes: &str, axes: &str, rest: &str) -> Result<CheckedCase, Vec<Problem>> {
    let tensors = format!("{{InputTensor: {{{input}}}, OutputTensor: {{type: UINT32, sizes: {sizes}}}}}");
    let attributes = format!("{{Axes: {axes}, AxisDirection: DML_AXIS_DIRECTION_INCREASING}}");
    let text = format!("{{level: \"3_0\", tensors: {tensors}, attributes: {attributes}, {rest}}}");
    check(&embedded(), "directml/argmax", &text)
}

fn valid(case: Result<CheckedCase, Vec<Problem>>) -> ValidCase {
    match case {
        Ok(CheckedCase::Valid(case)) => case,
        other => panic!("{other:?}"),
    }
}

/// The messages and the requirements of what is wrong.
fn wrong(case: Result<CheckedCase, Vec<Problem>>) -> Vec<(String, Option<String>)> {
    case.unwrap_err().into_iter().map(|problem| (problem.message, problem.requirement)).collect()
}

/// What a case's descriptor breaks after a change: requirement, whether it gates, message, part.
fn broken(operator: &str, case: &str, change: impl Fn(&mut Descriptor)) -> Vec<(String, bool, String, String)> {
    let specs = embedded();
    let mut descriptor = valid(check(&specs, operator, case)).descriptor;
    change(&mut descriptor);
    let operator = specs.operator(operator).unwrap();
    let found = violations(operator, &descriptor, operator.family.highest());
    let short = |id: &str| id.rsplit('/').next().unwrap().to_owned();
    found.into_iter().map(|each| (short(&each.requirement), each.gates, each.message, each.part.join("."))).collect()
}

fn text_of(found: &[(String, bool, String, String)]) -> Vec<(&str, bool, &str, &str)> {
    found.iter().map(|(id, gates, message, part)| (id.as_str(), *gates, message.as_str(), part.as_str())).collect()
}

#[test]
fn a_tensor_of_the_default_tier_takes_up_to_a_gibibyte() {
    let input = |count: u64| format!("type: UINT8, sizes: [{count}], data: {{pattern: constant, value: 0}}");
    let rest = "covers: [maximum-index], expect: {OutputTensor: [0]}";
    assert!(valid(argmax(&input(1 << 30), "[1]", "[0]", rest)).is_dispatched());
    let message = "`InputTensor` takes 1073741828 bytes, and a case of this tier may take 1073741824".to_owned();
    assert_eq!(wrong(argmax(&input((1 << 30) + 1), "[1]", "[0]", rest)), [(message, None)]);
    // What is only compiled needs no memory, and the large tier has more of it.
    let accepts = "covers: [tensor-support], expect: accepts";
    assert!(!valid(argmax(&input((1 << 30) + 1), "[1]", "[0]", accepts)).is_dispatched());
    let large = format!("tier: large, {rest}");
    assert!(valid(argmax(&input((1 << 30) + 1), "[1]", "[0]", &large)).about.large);
}

#[test]
fn a_tensor_has_up_to_4294967295_elements() {
    let accepts = "covers: [tensor-support], expect: accepts";
    valid(argmax("type: UINT8, sizes: [4294967295]", "[1]", "[0]", accepts));
    let message = "`InputTensor` has 4294967296 elements, expected at most 4294967295".to_owned();
    let id = Some("directml/tensor/element-limit".to_owned());
    assert_eq!(wrong(argmax("type: UINT8, sizes: [4294967296]", "[1]", "[0]", accepts)), [(message, id)]);
}

/// Each reading of the limit by itself: elements by sizes, places in memory, room in a stated size.
#[test]
fn what_exceeds_the_limit_by_one_reading_only_is_open() {
    for input in [
        "type: FLOAT32, sizes: [65536, 65536], strides: [0, 1]",
        "type: FLOAT32, sizes: [65536, 65535], strides: [65537, 1]",
        "type: FLOAT32, sizes: [65536, 65535], strides: [65537, 1], total_bytes: 262136",
        "type: FLOAT32, sizes: [65536, 2], total_bytes: 17179869184",
    ] {
        let case = |covers: &str, expect: &str| {
            argmax(input, "[65536, 1]", "[1]", &format!("covers: [{covers}], expect: {expect}"))
        };
        let observed = valid(case("element-limit-reading", "{observe: oracle}"));
        assert_eq!(observed.about.authority, Authority::Unspecified, "{input}");
        let ids: Vec<_> = wrong(case("tensor-support", "accepts")).into_iter().map(|(_, id)| id).collect();
        assert_eq!(ids, [Some("directml/tensor/element-limit-reading".to_owned())], "{input}");
    }
    // A byte more than a type needs is no room for another element.
    valid(argmax("type: UINT8, sizes: [4294967295]", "[1]", "[0]", "covers: [tensor-support], expect: accepts"));
}

/// An output of two rows of three: places apart, shared, and apart although the rows lie within each other.
#[test]
fn an_output_overlaps_where_two_elements_share_a_place() {
    let of = |strides: &str, rest: &str| {
        argmax("type: UINT8, sizes: [2, 3, 2]", &format!("[2, 3, 1], strides: {strides}"), "[2]", rest)
    };
    let accepts = "covers: [tensor-support], expect: accepts";
    for strides in ["[3, 1, 1]", "[1, 2, 9]", "[100, 7, 0]"] {
        valid(of(strides, accepts));
    }
    for (strides, named) in [("[2, 1, 1]", "[1, 0, 0] and [0, 2, 0]"), ("[0, 1, 1]", "[1, 0, 0] and [0, 0, 0]")] {
        let message = format!("the output `OutputTensor` overlaps itself: its elements at {named} share a place");
        assert_eq!(wrong(of(strides, accepts)), [(message, Some("directml/tensor/output-overlap".to_owned()))]);
    }
    let open: Vec<_> = wrong(of("[3, 2, 1]", accepts)).into_iter().map(|(_, id)| id).collect();
    assert_eq!(open, [Some("directml/tensor/output-interleaving".to_owned())]);
    valid(of("[3, 2, 1]", "covers: [output-interleaving], expect: {observe: oracle}"));
}

/// One count holds for sizes and strides, and one for a list and its stated length.
#[test]
fn what_no_caller_can_say_is_wrong_in_its_form() {
    let accepts = "covers: [tensor-support], expect: accepts";
    for (strides, count) in [("[1]", 1), ("[3, 1, 1]", 3)] {
        let message = format!("`InputTensor` has {count} strides, expected 2: one for each size");
        let input = format!("type: UINT8, sizes: [2, 3], strides: {strides}");
        assert_eq!(wrong(argmax(&input, "[2, 1]", "[1]", accepts)), [(message, None)]);
    }
    let with = |attributes: &str| {
        let tensors = "{InputTensor: {type: UINT8, sizes: [2]}, OutputTensor: {type: UINT32, sizes: [1]}}";
        let text = format!("{{level: \"3_0\", tensors: {tensors}, attributes: {{{attributes}}}, {accepts}}}");
        check(&embedded(), "directml/argmax", &text)
    };
    let increasing = "AxisDirection: DML_AXIS_DIRECTION_INCREASING";
    valid(with(&format!("AxisCount: 1, Axes: [0], {increasing}")));
    let message = "`AxisCount` is 2, expected 1: the length of `Axes`".to_owned();
    assert_eq!(wrong(with(&format!("AxisCount: 2, Axes: [0], {increasing}"))), [(message, None)]);
    let [(message, None)] = &wrong(with("Axes: [0], AxisDirection: 2"))[..] else { panic!("it has no requirement") };
    assert!(message.contains("expected one of DML_AXIS_DIRECTION_INCREASING"), "{message}");
}

#[test]
fn what_is_open_holds_in_observed_cases_only() {
    let input = "type: FLOAT32, sizes: [3], data: [1, 3, 2]";
    for (axes, sizes, values, covers, message) in [
        ("[0, 0]", "[1]", "[1]", "axes-duplicate", "`Axes` has 0 twice"),
        ("[]", "[3]", "[0, 0, 0]", "axes-empty", "`Axes` is empty"),
    ] {
        let observed = format!("covers: [{covers}], expect: {{observe: oracle}}");
        assert!(valid(argmax(input, sizes, axes, &observed)).is_dispatched());
        for expect in ["accepts".to_owned(), format!("{{OutputTensor: {values}}}")] {
            let rest = format!("covers: [maximum-index], expect: {expect}");
            let problems = argmax(input, sizes, axes, &rest).unwrap_err();
            let [problem] = problems.as_slice() else { panic!("{problems:?}") };
            assert_eq!(problem.message, message);
            assert_eq!(problem.requirement, Some(format!("directml/argmax/{covers}")));
            assert!(problem.help.as_ref().unwrap().contains("`expect: {observe: oracle}`"), "{problem:?}");
        }
    }
    // What the documents decide is no question, and nobody is told to observe it.
    let problems = argmax(input, "[1]", "[1]", "covers: [maximum-index], expect: accepts").unwrap_err();
    assert_eq!(
        (problems[0].message.as_str(), &problems[0].help),
        ("`Axes[0]` is 1, expected 0 to 0: the dimensions of `InputTensor`", &None)
    );
}

#[test]
fn the_second_mention_of_an_axis_is_the_one_too_many() {
    let case = "{level: \"3_0\", tensors: {InputTensor: {type: UINT8, sizes: [1, 1, 1]}, OutputTensor: {type: UINT32, \
                sizes: [1, 1, 1]}}, attributes: {Axes: [0, 1, 2], AxisDirection: DML_AXIS_DIRECTION_INCREASING}, \
                expect: accepts}";
    let with = |axes: [i64; 3]| {
        broken("directml/argmax", case, |descriptor| {
            let found = descriptor.attributes.iter_mut().find(|attribute| attribute.name == "Axes");
            found.unwrap().value = AttributeValue::Integers(axes.to_vec());
        })
    };
    assert_eq!(with([2, 0, 1]), []);
    assert_eq!(text_of(&with([2, 0, 2])), [("axes-duplicate", false, "`Axes` has 2 twice", "attributes.Axes.2")]);
}

const ONE_HOT_1: &str = "{tensors: {indices: {type: i64, sizes: [2, 2]}, depth: {type: i64, sizes: [], data: 3}, \
                         on_value: {type: f32, sizes: []}, off_value: {type: f32, sizes: []}, output: {type: f32, \
                         sizes: [3, 2, 2]}}, attributes: {axis: 0}";

#[test]
fn an_inserted_axis_may_be_the_first() {
    let accepts = format!("{ONE_HOT_1}, covers: [output-shape], expect: accepts}}");
    let with = |axis: i64, sizes: [u64; 3]| {
        broken("openvino/one_hot_1", &accepts, |descriptor| {
            descriptor.attributes[0].value = AttributeValue::Integer(axis);
            descriptor.tensors.iter_mut().find(|entry| entry.name == "output").unwrap().tensor.sizes = sizes.to_vec();
        })
    };
    for (axis, sizes) in [(0, [3, 2, 2]), (1, [2, 3, 2]), (2, [2, 2, 3]), (-1, [2, 2, 3]), (-3, [3, 2, 2])] {
        assert_eq!(with(axis, sizes), [], "{axis}");
    }
    for axis in [0, -3] {
        assert_eq!(
            text_of(&with(axis, [4, 2, 5])),
            [
                (
                    "output-shape",
                    true,
                    "`output.sizes[0]` is 4, expected 3: that is what `depth` gives",
                    "tensors.output.sizes.0"
                ),
                (
                    "output-shape",
                    true,
                    "`output.sizes[2]` is 5, expected 2: that is what `indices` gives",
                    "tensors.output.sizes.2"
                ),
            ]
        );
    }
}

#[test]
fn a_size_of_zero_is_looked_for_in_the_tensors_that_are_named() {
    let accepts = format!("{ONE_HOT_1}, covers: [output-shape], expect: accepts}}");
    let found = broken("openvino/one_hot_1", &accepts, |descriptor| {
        descriptor.tensors[0].tensor.sizes = vec![2, 0];
        descriptor.tensors.iter_mut().find(|entry| entry.name == "output").unwrap().tensor.sizes = vec![3, 2, 0];
    });
    let message = "`indices.sizes[1]` is 0, expected at least 1";
    assert_eq!(text_of(&found), [("zero-size-dimension", false, message, "tensors.indices.sizes.1")]);
}

#[test]
fn constants_alone_are_no_data_to_dispatch() {
    let observed = |text: &str| check(&embedded(), "openvino/one_hot_1", text);
    let mixed = ONE_HOT_1.replace("depth: {type: i64", "depth: {type: i32");
    let open = format!("{mixed}, covers: [mixed-index-types], expect: {{observe: oracle}}}}");
    assert!(!valid(observed(&open)).is_dispatched());
    // With any data there must be all of it.
    let partly = open.replace("sizes: [2, 2]}, depth", "sizes: [2, 2], data: [[0, 1], [2, 0]]}, depth");
    let messages: Vec<String> = wrong(observed(&partly)).into_iter().map(|(message, _)| message).collect();
    assert_eq!(messages, ["the input `on_value` has no data", "the input `off_value` has no data"]);
    let filled = partly.replace("_value: {type: f32, sizes: []}", "_value: {type: f32, sizes: [], data: 1}");
    assert_eq!(valid(observed(&filled)).inputs.len(), 4);
}

#[test]
fn elements_that_share_memory_must_agree() {
    let input = |data: &str| format!("type: UINT8, sizes: [2, 3], strides: [0, 1], data: {data}");
    let rest = "covers: [maximum-index], expect: {OutputTensor: [[0, 0, 0]]}";
    let same = valid(argmax(&input("[[1, 2, 3], [1, 2, 3]]"), "[1, 3]", "[0]", rest));
    assert_eq!(same.about.layout, Layout::Strided);
    let message =
        "`InputTensor` repeats memory by its strides, and its elements at [0, 1] and [1, 1] differ".to_owned();
    assert_eq!(wrong(argmax(&input("[[1, 2, 3], [1, 9, 3]]"), "[1, 3]", "[0]", rest)), [(message, None)]);
}

#[test]
fn a_case_has_the_weakest_authority_of_what_it_covers() {
    use Authority::{Derived, Stated, Undefined, Unspecified};
    let input = "type: FLOAT32, sizes: [3], data: [1, 3, 2]";
    for (covers, authority) in [
        ("", Derived),
        ("maximum-index", Stated),
        ("maximum-index, tie-increasing", Stated),
        ("exact-comparison", Derived),
        ("exact-comparison, maximum-index", Derived),
        ("maximum-index, exact-comparison", Derived),
        ("nan, exact-comparison", Unspecified),
        ("exact-comparison, nan, maximum-index", Unspecified),
    ] {
        let case = valid(argmax(input, "[1]", "[0]", &format!("covers: [{covers}], expect: {{OutputTensor: [1]}}")));
        assert_eq!(case.about.authority, authority, "{covers}");
        assert_eq!(case.about.gates(), matches!(authority, Stated | Derived), "{covers}");
    }
    // A refusal rests on what is broken, whatever else it covers.
    for (covers, authority) in [("", Stated), ("exact-comparison", Derived)] {
        let text = format!("covers: [{covers}], expect: {{refuses: [axes-in-range]}}");
        assert_eq!(argmax("type: FLOAT32, sizes: [3]", "[3]", "[1]", &text).unwrap().about().authority, authority);
    }
    // A behaviour without any definition is weaker than silence; an undefined value weakens nothing.
    let open =
        ONE_HOT_1.replace("sizes: []}", "sizes: [], data: 1}").replace("[2, 2]}", "[2, 2], data: [[0, 1], [2, 0]]}");
    let open = format!("{open}, covers: [negative-index, mixed-index-types], expect: {{observe: oracle}}}}");
    assert_eq!(valid(check(&embedded(), "openvino/one_hot_1", &open)).about.authority, Undefined);
    let tensors = "{InputTensor: {type: UINT8, sizes: [1, 2], data: [[0, 1]]}, OutputCountTensor: {type: UINT32, \
                   sizes: [1, 1]}, OutputCoordinatesTensor: {type: UINT32, sizes: [2, 1]}}";
    let rows = format!(
        "{{level: \"4_0\", tensors: {tensors}, attributes: {{}}, covers: [rows-beyond-count], expect: \
         {{OutputCountTensor: [[1]], OutputCoordinatesTensor: [[1], [~]]}}}}"
    );
    assert_eq!(valid(check(&embedded(), "directml/nonzero_coordinates", &rows)).about.authority, Stated);
}

#[test]
fn the_subject_is_the_tensor_that_the_specification_names() {
    let case = argmax("type: INT8, sizes: [2, 3]", "[1, 3]", "[0]", "expect: accepts").unwrap();
    assert_eq!(case.subject(), Some(("INT8", 2)));
    assert_eq!(case.about().layout, Layout::Packed);
}

/// A family of four levels with one operator. A test chooses its tensors, its attributes and its only requirement.
fn toy(folder: &Path, tensors: &str, attributes: &str, requirement: &str) -> Specs {
    let family = "family: toy\ntitle: Toy\nlevels: [\"1\", \"2\", \"3\", \"4\"]\ntypes: {F32: f32, I32: i32}\nlayouts: \
                  false\ngranularity: 1\ndocuments: {own: {revision: the only one}}\noperator:\n  deterministic: \
                  {text: The same twice, authority: stated, kind: semantics, tested: dispatched, source: {document: own, section: \
                  all}}\n";
    let operator = format!(
        "operator: toy/copy\ntitle: Copy\nsummary: Copies.\ndocuments: {{own: {{revision: the only one}}}}\nsubject: \
         In\ntensors: {tensors}\nattributes: {attributes}\nrequirements:\n  only: {{text: The only one, authority: \
         stated, kind: descriptor, source: {{document: own, section: all}}, {requirement}}}\n\
         definition: |\n  def Out(at):\n      return In[at]\n"
    );
    fs::create_dir(folder.join("toy")).unwrap();
    fs::write(folder.join("toy/family.yaml"), family).unwrap();
    fs::write(folder.join("toy/copy.yaml"), operator).unwrap();
    Specs::load(&Source::Path(folder.to_owned())).unwrap()
}

#[test]
fn an_axis_behind_the_last_is_for_another_check_to_find() {
    let folder = TempDir::new().unwrap();
    let tensors = "{In: {role: input}, Depth: {role: input, constant: true}, Out: {role: output}}";
    let check_of = "check: {size_inserted: {input: In, output: Out, axis: Axis, size: Depth}}";
    let specs = toy(folder.path(), tensors, "{Axis: {type: INT}}", check_of);
    let with = |axis: i64| {
        let tensors = "{In: {type: F32, sizes: [2]}, Depth: {type: I32, sizes: [], data: 3}, Out: {type: F32, sizes: \
                       [2, 4]}}";
        check(&specs, "toy/copy", &format!("{{tensors: {tensors}, attributes: {{Axis: {axis}}}, expect: accepts}}"))
    };
    for axis in [2, 3, -3, i64::MAX, i64::MIN] {
        assert!(with(axis).is_ok(), "{axis}");
    }
    for axis in [1, -1] {
        assert_eq!(wrong(with(axis))[0].0, "`Out.sizes[1]` is 4, expected 3: that is what `Depth` gives", "{axis}");
    }
}

#[test]
fn what_holds_until_a_level_is_free_from_the_next_one_on() {
    let folder = TempDir::new().unwrap();
    let check_of = "until: \"2\", check: {same_type: {tensors: [In, Out]}}";
    let specs = toy(folder.path(), "{In: {role: input}, Out: {role: output}}", "{}", check_of);
    let operator = specs.operator("toy/copy").unwrap();
    let names = |levels: Vec<_>| levels.into_iter().map(|level| operator.family.level_name(level).to_owned()).collect();
    let breakpoints: Vec<String> = names(breakpoints(operator));
    assert_eq!(breakpoints, ["1", "3"]);
    let tensors = "{In: {type: F32, sizes: [1]}, Out: {type: I32, sizes: [1]}}";
    let text = |rest: &str| format!("{{tensors: {tensors}, attributes: {{}}, {rest}}}");
    let accepted = |level: &str| check(&specs, "toy/copy", &text(&format!("level: \"{level}\", expect: accepts")));
    assert_eq!(operator.family.level_name(valid(accepted("3")).level), "3");
    for level in ["2", "4"] {
        let message = format!("the least level at which this is valid is 3, and the case says {level}");
        assert!(wrong(accepted(level)).contains(&(message, None)));
    }
    let refused = check(&specs, "toy/copy", &text("level: \"1\", expect: {refuses: [only]}")).unwrap();
    let CheckedCase::Refused(refused) = refused else { panic!("{refused:?}") };
    assert_eq!(names(vec![refused.first, refused.last]), Vec::from(["1", "2"]));
    assert_eq!(refused.descriptor.tensors[1].tensor.data_type, DataType::I32);
}

#[test]
fn which_range_holds_from_a_level_on_is_no_matter_of_the_order_in_the_file() {
    for from in ["{\"1\": 1, \"2\": 1-2, \"4\": 1-4}", "{\"4\": 1-4, \"1\": 1, \"2\": 1-2}"] {
        let folder = TempDir::new().unwrap();
        let check_of = format!("check: {{dimension_count_by_level: {{from: {from}}}}}");
        let specs = toy(folder.path(), "{In: {role: input}, Out: {role: output}}", "{}", &check_of);
        for (sizes, least) in [("[1]", "1"), ("[1, 1]", "2"), ("[1, 1, 1]", "4")] {
            let tensors = format!("{{In: {{type: F32, sizes: {sizes}}}, Out: {{type: F32, sizes: {sizes}}}}}");
            let text = format!("{{level: \"{least}\", tensors: {tensors}, attributes: {{}}, expect: accepts}}");
            assert!(check(&specs, "toy/copy", &text).is_ok(), "{from} {sizes}");
        }
    }
}

#[test]
fn a_negative_axis_is_the_dimension_that_it_counts_to() {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/own_operator/specs");
    let specs = Specs::load(&Source::Path(specs)).unwrap();
    let tensors = "{Source: {type: INT, sizes: [2, 3]}, Starts: {type: INT, sizes: [2, 1]}, \
                   Fill: {type: INT, sizes: []}, Window: {type: INT, sizes: [2, 4]}}";
    let attributes = "{Axis: -1, Border: LOOM_BORDER_FILL}";
    let case = format!("{{level: \"2\", covers: [], tensors: {tensors}, attributes: {attributes}, expect: accepts}}");
    let descriptor = valid(check(&specs, "loom/window", &case)).descriptor;
    let window = specs.operator("loom/window").unwrap();
    let broken = |name: &str, sizes: &[u64]| {
        let mut descriptor = descriptor.clone();
        descriptor.tensors.iter_mut().find(|each| each.name == name).unwrap().tensor.sizes = sizes.to_vec();
        let found = violations(window, &descriptor, window.family.highest());
        found.into_iter().map(|each| (each.requirement, each.message)).collect::<Vec<_>>()
    };
    let expected = |requirement: &str, message: &str| vec![(requirement.to_owned(), message.to_owned())];
    let message = "`Starts.sizes[1]` is 2, expected 1: dimension 1 is the axis";
    assert_eq!(broken("Starts", &[2, 2]), expected("loom/window/one-start-each", message));
    let message = "`Source.sizes[0]` is 2, expected 3: `Window.sizes[0]` is 3";
    assert_eq!(broken("Window", &[3, 4]), expected("loom/window/window-sizes", message));
}
