//! What the embedded suite promises of itself.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;

use opcert::case::{CaseSource, LoadedFile};
use opcert::check::{CheckedCase, RefusedCase, Suite};
use opcert::source::Source;
use opcert::spec::{Authority, Kind, Level, Operator, Requirement, Specs};

fn specs() -> Specs {
    Specs::load(&Source::embedded_specs()).unwrap()
}

fn suite(specs: &Specs) -> Suite {
    Suite::load(&CaseSource(Source::embedded_cases()), specs, |_| true).unwrap()
}

fn refused_cases<'a>(suite: &'a Suite, operator: &Operator) -> Vec<&'a RefusedCase> {
    let refused = suite.cases.iter().filter_map(|case| match case {
        CheckedCase::Refused(case) => Some(case),
        CheckedCase::Valid(_) => None,
    });
    refused.filter(|case| case.about.operator.id == operator.id).collect()
}

#[test]
fn every_requirement_that_can_be_tested_is_covered() {
    let specs = specs();
    let suite = suite(&specs);
    let mut missing = Vec::new();
    for operator in &specs.operators {
        let of_operator = suite.cases.iter().filter(|case| case.about().operator.id == operator.id);
        let of_operator: Vec<&CheckedCase> = of_operator.collect();
        let exempt = |each: &Requirement| each.definition || each.restates.is_some() || each.untestable.is_some();
        let covered = |each: &Requirement| of_operator.iter().any(|case| case.tests(each));
        let uncovered = operator.all_requirements().filter(|each| !exempt(each) && !covered(each));
        missing.extend(uncovered.map(|each| format!("{}: {}", operator.id, each.id)));
    }
    assert_eq!(missing, [""; 0]);
}

#[test]
fn every_descriptor_requirement_is_refused_somewhere() {
    let specs = specs();
    let suite = suite(&specs);
    let mut missing = Vec::new();
    for operator in &specs.operators {
        let refused: BTreeSet<String> =
            refused_cases(&suite, operator).iter().flat_map(|case| case.requirements.clone()).collect();
        let is_testable = |each: &Requirement| each.gates() && each.untestable.is_none();
        let checked = operator.all_requirements().filter(|each| is_testable(each) && each.check.is_some());
        let unbroken = checked.filter(|each| !refused.contains(&each.id));
        missing.extend(unbroken.map(|each| format!("{}: {}", operator.id, each.id)));
    }
    assert_eq!(missing, [""; 0]);
}

#[test]
fn every_support_row_is_refused_one_level_below() {
    let specs = specs();
    let suite = suite(&specs);
    let mut missing = Vec::new();
    for operator in &specs.operators {
        let refused = refused_cases(&suite, operator);
        // Of the lowest level there is nothing below.
        for (row, below) in operator.support.iter().filter_map(|row| Some((row, row.from.0.checked_sub(1)?))) {
            let below = Level(below);
            // Refused up to the level below, and its valid twin from the row's level on.
            if !refused.iter().any(|case| case.last == below) {
                missing.push(format!("{}: {}", operator.id, operator.family.level_name(row.from)));
            }
        }
    }
    assert_eq!(missing, [""; 0]);
}

#[test]
fn every_refusal_has_a_valid_twin_and_every_case_a_title() {
    let specs = specs();
    let mut wrong = Vec::new();
    for file in Source::embedded_cases().files().unwrap() {
        let mut cases = Vec::new();
        LoadedFile::read(&file, &specs, |few, _| cases.extend(few.cases)).unwrap();
        for case in cases {
            let refuses = matches!(case.expectation, opcert::case::Expectation::Refuses(_));
            if refuses && case.twin.is_none() {
                wrong.push(format!("{} has no twin", case.id));
            }
            if case.title.is_none() {
                wrong.push(format!("{} has no title", case.id));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn what_the_documents_leave_open_gates_nothing() {
    let specs = specs();
    let mut open = 0;
    for case in suite(&specs).cases {
        let about = case.about();
        let covered = about.covers.iter().filter_map(|id| about.operator.requirement(id));
        let unspecified = covered.filter(|each| each.authority == Authority::Unspecified).count();
        assert!(unspecified == 0 || !about.gates(), "{}", about.id);
        open += usize::from(!about.gates());
    }
    assert!(open >= 20, "only {open} cases observe");
}

/// Whoever reads of a finding repeats it by the case's id.
#[test]
fn cases_that_findings_name_are_there() {
    let specs = specs();
    let suite = suite(&specs);
    let ids: BTreeSet<&str> = suite.cases.iter().map(|case| case.about().id.as_str()).collect();
    let text = include_str!("../../reports/FINDINGS.md");
    let named = text.split('`').skip(1).step_by(2).filter(|part| part.matches('/').count() >= 3 && !part.contains('*'));
    let named: Vec<&str> =
        named.filter(|part| specs.operator(&part.split('/').take(2).collect::<Vec<_>>().join("/")).is_some()).collect();
    assert!(named.len() > 20, "{named:?}");
    assert_eq!(named.into_iter().filter(|id| !ids.contains(id)).collect::<Vec<_>>(), [""; 0]);
}

/// The catalogue's ids are permanent, and so are authority and kind. Written from the catalogue, not from the files.
#[test]
fn the_catalogue_is_carried_whole() {
    use Authority::{Derived, Stated, Undefined, Unspecified};
    let specs = specs();
    let counts = |id: &str| {
        let own = &specs.operator(id).unwrap().requirements;
        let of = |authority: Authority| own.iter().filter(|each| each.authority == authority).count();
        [of(Stated), of(Derived), of(Unspecified), of(Undefined)]
    };
    assert_eq!(counts("directml/one_hot"), [16, 5, 1, 0]);
    assert_eq!(counts("directml/nonzero_coordinates"), [12, 5, 4, 1]);
    assert_eq!(counts("directml/argmax"), [14, 6, 6, 0]);
    assert_eq!(counts("openvino/one_hot_1"), [12, 2, 2, 1]);
    assert_eq!(counts("openvino/one_hot_16"), [16, 3, 2, 0]);
    assert_eq!(counts("openvino/non_zero_3"), [7, 2, 3, 0]);
    assert_eq!(counts("onnx/non_zero"), [6, 2, 3, 0]);
    assert_eq!(counts("onnx/one_hot"), [20, 3, 2, 0]);
    assert_eq!(counts("tosa/argmax"), [12, 3, 2, 0]);
    let argmax = specs.operator("directml/argmax").unwrap();
    let shared = |part: &str| argmax.family.requirements.iter().filter(|each| each.id.contains(part)).count();
    assert_eq!((shared("directml/tensor/"), shared("directml/operator/")), (12, 5));
    let checks = |id: &str| {
        let own = specs.operator(id).unwrap().requirements.iter().filter(|each| each.kind == Kind::Descriptor);
        own.filter(|each| each.check.is_some()).count()
    };
    assert_eq!(checks("directml/one_hot"), 8);
    assert_eq!(checks("directml/nonzero_coordinates"), 8);
    assert_eq!(checks("directml/argmax"), 7);
    assert_eq!(checks("openvino/one_hot_1"), 10);
    assert_eq!(checks("openvino/one_hot_16"), 11);
    assert_eq!(checks("openvino/non_zero_3"), 4);
    assert_eq!(checks("onnx/non_zero"), 4);
    assert_eq!(checks("onnx/one_hot"), 13);
    assert_eq!(checks("tosa/argmax"), 5);
}
