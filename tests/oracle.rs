//! The oracle, held against what the documents print and what was derived by hand.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use opcert::case::{CaseSource, Digest, Elements, Expectation, ExpectedTensor};
use opcert::check::{CheckedCase, Suite, ValidCase};
use opcert::oracle;
use opcert::source::Source;
use opcert::spec::Specs;

fn cases_with_values(wanted: impl Fn(&str) -> bool) -> Vec<ValidCase> {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, wanted).unwrap();
    let valid = suite.cases.into_iter().filter_map(|case| match case {
        CheckedCase::Valid(case) => Some(case),
        CheckedCase::Refused(_) => None,
    });
    valid.filter(|case| matches!(case.expectation, Expectation::Values(_)) && !case.about.large).collect()
}

fn mismatches(cases: &[ValidCase]) -> Vec<String> {
    let mut mismatches = Vec::new();
    for case in cases {
        let Expectation::Values(expected) = &case.expectation else { continue };
        let derived = oracle::expected(&case.descriptor, &case.inputs).unwrap();
        for ((name, expected), (derived_name, derived)) in expected.iter().zip(&derived) {
            assert_eq!(name, derived_name);
            let same = match expected {
                ExpectedTensor::Elements(expected) => equal(expected, derived),
                ExpectedTensor::Digest(digest) => {
                    let data_type = case.descriptor.tensor(name).unwrap().data_type;
                    Digest::of(derived, data_type).as_ref() == Some(digest)
                }
            };
            if !same {
                mismatches.push(format!("{} {name}: {expected:?} and {derived:?}", case.about.id));
            }
        }
        assert_eq!(expected.len(), derived.len());
    }
    mismatches
}

/// Equal where defined, and defined in the same places.
fn equal(one: &Elements, other: &Elements) -> bool {
    let undefined = |elements: &Elements| elements.undefined.contains(&true);
    one.bytes == other.bytes && (one.undefined == other.undefined || !undefined(one) && !undefined(other))
}

#[test]
fn it_reproduces_every_documented_example() {
    let cases = cases_with_values(|stem| stem.ends_with("/documented"));
    // Four of ONE_HOT, the worked and the ordering example of NONZERO_COORDINATES, three and two of ARGMAX, two of
    // OneHot-1: the documents print no values for the others.
    assert!(cases.len() >= 13, "only {} documented cases have values", cases.len());
    assert_eq!(mismatches(&cases), [""; 0]);
}

#[test]
fn it_agrees_with_what_was_derived_by_hand() {
    let cases = cases_with_values(|stem| stem.ends_with("/by_hand"));
    assert!(cases.len() >= 150, "only {} hand-written cases have values", cases.len());
    assert_eq!(mismatches(&cases), [""; 0]);
}

#[test]
fn it_notices_a_wrong_expectation() {
    let mut cases = cases_with_values(|stem| stem == "directml/argmax/documented");
    for case in &mut cases {
        let Expectation::Values(expected) = &mut case.expectation else { continue };
        let ExpectedTensor::Elements(elements) = &mut expected[0].1 else { continue };
        elements.bytes[0] ^= 1;
    }
    assert_eq!(mismatches(&cases).len(), cases.len());
}
