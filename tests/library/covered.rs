//! What cases cover: worked out from the specification, and compared with what a file claims.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use opcert::case::CaseSource;
use opcert::check::{About, CheckedCase, Suite};
use opcert::source::Source;
use opcert::spec::{Authority, Specs};

fn specs() -> Specs {
    Specs::load(&Source::embedded_specs()).unwrap()
}

/// A file of one case of an operator, checked as it is loaded.
fn loaded(folder: &Path, operator: &str, case: &str) -> Result<Suite, String> {
    let path = folder.join("one.yaml");
    fs::write(&path, format!("operator: {operator}\ncases:\n  one: {{{case}}}\n")).unwrap();
    let found = Suite::load(&CaseSource(Source::Path(path)), &specs(), |_| true);
    // With its place, and with the way out.
    found.map_err(|problems| problems.iter().map(|each| format!("{each}\n{each:?}")).collect::<Vec<_>>().join("\n"))
}

fn about(operator: &str, case: &str) -> About {
    let folder = tempfile::tempdir().unwrap();
    loaded(folder.path(), operator, case).unwrap().cases.remove(0).about().clone()
}

fn names(about: &About) -> Vec<&str> {
    about.covers.iter().map(|id| id.rsplit('/').next().unwrap()).collect()
}

#[test]
fn sizes_that_follow_from_data_are_those_that_come_out() {
    let folder = tempfile::tempdir().unwrap();
    let case = |columns: u64, expect: &str| {
        let tensors =
            format!("X: {{type: int8, sizes: [3], data: [0, 4, 5]}}, Y: {{type: int64, sizes: [1, {columns}]}}");
        let case = format!("level: \"9\", tensors: {{{tensors}}}, attributes: {{}}, expect: {expect}");
        loaded(folder.path(), "onnx/non_zero", &case)
    };
    assert!(case(2, "{Y: [[1, 2]]}").is_ok());
    let said = case(3, "{Y: [[1, 2, 2]]}").unwrap_err();
    assert!(said.contains("`Y` comes out with the sizes [1, 2], which follow from the data"), "{said}");
    // What is only compiled has none, and may have any.
    assert!(case(3, "accepts").is_ok());
}

#[test]
fn values_beside_open_ones_are_those_of_the_definition() {
    let folder = tempfile::tempdir().unwrap();
    let case = |expect: &str| {
        let input = "input: {type: float32, sizes: [2, 3], data: [[1, 1, 0], [0, 2, 1]]}";
        let tensors = format!("{input}, output: {{type: int32, sizes: [2]}}");
        let case = format!("tensors: {{{tensors}}}, attributes: {{axis: 1}}, expect: {{output: {expect}}}");
        loaded(folder.path(), "webnn/arg_max", &case)
    };
    // The first is a tie, and anything that is said of it stands.
    assert!(["[0, 1]", "[1, 1]", "[2, ~]"].iter().all(|expect| case(expect).is_ok()));
    let said = case("[0, 0]").unwrap_err();
    let wanted = "`output` at [1] is 0 here and 1 by the definition, and other elements are open";
    assert!(said.contains(wanted) && said.contains("`expect: {observe: oracle}` compares"), "{said}");
}

fn one_hot(index: &str, values: &str, more: &str) -> String {
    format!(
        "tensors: {{IndicesTensor: {{type: INT32, sizes: [1, 1], data: [{index}]}}, \
         ValuesTensor: {{type: FLOAT32, sizes: {values}}}, OutputTensor: {{type: FLOAT32, sizes: [1, 3]{more}}}}}, \
         attributes: {{Axis: 1}}"
    )
}

#[test]
fn a_case_covers_what_its_elements_came_by_and_has_the_weakest_of_their_authorities() {
    let two = "[1, 2], data: [3, 7]";
    let chosen = about("directml/one_hot", &format!("{}, expect: {{OutputTensor: [3, 7, 3]}}", one_hot("1", two, "")));
    let basic = ["axis-in-range", "on-at-index", "off-elsewhere", "index-relative-to-sequence"];
    assert_eq!(names(&chosen), [&basic[..], &["off-value-position", "on-value-position"]].concat());
    assert_eq!(chosen.authority, Authority::Stated);
    let equal = about("directml/one_hot", &format!("{}, expect: {{OutputTensor: [3, 3, 3]}}", one_hot("3", two, "")));
    // OnValue stands nowhere, so that its position is not put to the test.
    assert_eq!(
        names(&equal),
        ["axis-in-range", "index-relative-to-sequence", "off-value-position", "index-equal-size"]
    );
    assert_eq!(equal.authority, Authority::Derived);
    let three = "[1, 3], data: [3, 7, 5]";
    let extra = about("directml/one_hot", &format!("{}, expect: {{OutputTensor: [3, 7, 3]}}", one_hot("1", three, "")));
    assert!(names(&extra).contains(&"extra-values-ignored"), "{:?}", names(&extra));
    let zeros = "[1, 2], data: [0, -0.0]";
    let zeros =
        about("directml/one_hot", &format!("{}, expect: {{OutputTensor: [0, -0.0, 0]}}", one_hot("1", zeros, "")));
    assert!(names(&zeros).contains(&"values-copied-exactly"), "{:?}", names(&zeros));
}

#[test]
fn an_example_is_not_weakened_by_what_follows_from_it() {
    let case = format!("{}, expect: {{OutputTensor: [3, 7, 3]}}", one_hot("1", "[1, 3], data: [3, 7, 5]", ""));
    let of = |section: &str| format!("source: {{document: ja, section: {section}}}, {case}");
    for (section, authority) in [
        ("Example 3", Authority::Stated),
        ("Example 3. Using different on/off values", Authority::Stated),
        ("Example 30", Authority::Derived),
        ("Example 4", Authority::Derived),
    ] {
        let about = about("directml/one_hot", &of(section));
        assert!(names(&about).contains(&"extra-values-ignored"));
        assert_eq!(about.authority, authority, "{section}");
    }
}

#[test]
fn a_descriptor_covers_the_checks_at_whose_ends_it_stands() {
    let accepted =
        |more: &str| about("directml/one_hot", &format!("{}, expect: accepts", one_hot("1", "[1, 2]", more)));
    let plain = accepted("");
    assert_eq!(names(&plain), ["axis-in-range", "accepts-valid"]);
    assert_eq!(plain.authority, Authority::Derived);
    for (more, covered) in [
        (", strides: [3, 1]", "strides"),
        (", total_bytes: 64", "total-size"),
        (", alignment: 16", "alignment"),
        (", strides: [0, 1]", "output-overlap"),
    ] {
        let about = accepted(more);
        assert!(names(&about).contains(&covered), "{more}: {:?}", names(&about));
        assert!(!names(&plain).contains(&covered));
    }
}

#[test]
fn a_refusal_leans_on_what_its_check_needs_where_the_descriptor_shows_it() {
    let refused = |stride: u64| {
        about(
            "directml/argmax",
            &format!(
                "tensors: {{InputTensor: {{type: FLOAT32, sizes: [1, 2], strides: [0, {stride}], total_bytes: 4}}, \
                 OutputTensor: {{type: UINT32, sizes: [1, 1]}}}}, \
                 attributes: {{Axes: [1], AxisDirection: DML_AXIS_DIRECTION_INCREASING}}, \
                 expect: {{refuses: [directml/tensor/total-size]}}"
            ),
        )
    };
    // The second element ends four bytes below 2^32 and at 2^32.
    let (below, from) = (refused((1 << 30) - 2), refused((1 << 30) - 1));
    assert_eq!((names(&below), below.authority), (vec![], Authority::Stated));
    assert_eq!((names(&from), from.authority), (vec!["total-size-in-64-bits"], Authority::Derived));
}

#[test]
fn an_observed_case_covers_the_questions_that_it_puts() {
    let argmax = |data: &str, axes: &str| {
        about(
            "directml/argmax",
            &format!(
                "tensors: {{InputTensor: {{type: FLOAT32, sizes: [1, 3], data: {data}}}, OutputTensor: {{type: UINT32, \
                 sizes: [1, 1]}}}}, attributes: {{Axes: {axes}, AxisDirection: DML_AXIS_DIRECTION_INCREASING}}, \
                 expect: {{observe: oracle}}"
            ),
        )
    };
    assert_eq!(names(&argmax("[1, .nan, 2]", "[1]")), ["nan"]);
    assert_eq!(names(&argmax("[1, 2, 3]", "[1, 0]")), ["axes-order"]);
    assert_eq!(names(&argmax("[1, 2, 3]", "[1, 1]")), ["axes-duplicate"]);
}

#[test]
fn a_claim_that_is_not_so_is_a_problem_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let case = one_hot("1", "[1, 2], data: [3, 7]", "");
    let claimed = |claim: &str| {
        loaded(
            folder.path(),
            "directml/one_hot",
            &format!("covers: [{claim}], {case}, expect: {{OutputTensor: [3, 7, 3]}}"),
        )
    };
    let problem = claimed("on-at-index, index-equal-size").unwrap_err();
    assert!(problem.contains("the case does not put `directml/one_hot/index-equal-size` to the test"), "{problem}");
    assert!(problem.contains("one.yaml:3:") && problem.contains("it covers directml/one_hot/"), "{problem}");
    // What all valid cases put to the test may be claimed, and is no more than before.
    for claim in ["on-at-index", "tensor-support", "operator/deterministic"] {
        let found = claimed(claim).unwrap();
        assert_eq!(names(found.cases[0].about()).len(), 6, "{claim}");
    }
}

#[test]
fn what_all_valid_cases_put_to_the_test_weakens_none() {
    let specs = specs();
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |_| true).unwrap();
    let unchanged = specs.operator("directml/argmax").unwrap().resolve("operator/inputs-unchanged").unwrap();
    let of_argmax = suite.cases.iter().filter(|case| case.about().operator.id == "directml/argmax");
    let dispatched = of_argmax.filter(|case| matches!(case, CheckedCase::Valid(case) if case.is_dispatched()));
    let dispatched: Vec<&CheckedCase> = dispatched.collect();
    assert!(dispatched.iter().all(|case| case.tests(unchanged) && !case.about().covers.contains(&unchanged.id)));
    assert!(dispatched.iter().any(|case| case.about().authority == Authority::Stated));
}

#[test]
fn a_file_that_names_all_is_believed_when_it_is_loaded_and_not_when_it_is_validated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.yaml");
    let case = one_hot("3", "[1, 2], data: [3, 7]", "");
    let file = |covers: &str| {
        let case = format!("covers: [{covers}], {case}, expect: {{OutputTensor: [3, 3, 3]}}");
        fs::write(&path, format!("operator: directml/one_hot\ncovers: complete\ncases:\n  one: {{{case}}}\n")).unwrap();
    };
    let source = || CaseSource(Source::Path(path.clone()));
    file("index-relative-to-sequence");
    let suite = Suite::load(&source(), &specs(), |_| true).unwrap();
    assert_eq!(suite.cases[0].about().authority, Authority::Stated);
    let problems = Suite::validated(&source(), &specs()).unwrap_err();
    let problem = problems[0].to_string();
    assert!(problem.contains("the case also covers") && problem.contains("index-equal-size"), "{problem}");
    file("axis-in-range, index-relative-to-sequence, off-value-position, index-equal-size");
    assert!(Suite::validated(&source(), &specs()).is_ok());
}
