//! The definitions of the operators, held against every case with data: what the documents print, what was worked out by
//! hand, what was generated, what is open.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use opcert::backend::{AttributeValue, NamedAttribute};
use opcert::case::{CaseSource, Expectation, ExpectedTensor};
use opcert::check::{CheckedCase, Suite, ValidCase, violations};
use opcert::definition::Landmarks;
use opcert::expected::{Expected, expected, stands_for};
use opcert::source::Source;
use opcert::spec::Specs;
use rayon::prelude::*;

/// A generated case of more elements than this is left to `opcert generate --check`, which works all of them out.
const MANY: u64 = 1 << 14;

/// The cases that are dispatched, but for those with too many elements: of the large tier, and generated ones.
static CASES: LazyLock<Vec<ValidCase>> = LazyLock::new(|| {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |_| true).unwrap();
    let valid = suite.cases.into_iter().filter_map(|case| match case {
        CheckedCase::Valid(case) => Some(case),
        CheckedCase::Refused(_) => None,
    });
    let many = |case: &ValidCase| {
        let counts = case.descriptor.tensors.iter().filter_map(|entry| entry.tensor.element_count());
        case.about.large || case.about.id.contains("/generated/") && counts.max() > Some(MANY)
    };
    valid.filter(|case| case.is_dispatched() && !many(case)).collect()
});

fn of_case(case: &ValidCase) -> Expected {
    let found = expected(&case.about.operator, &case.descriptor, &case.inputs);
    found.map_err(|error| format!("{}: {error}", case.about.id)).unwrap()
}

/// What a case expects that does not follow from the definition; nothing where it has no values.
fn differences(case: &ValidCase) -> Vec<String> {
    let Expectation::Values(values) = &case.expectation else { return Vec::new() };
    let id = &case.about.id;
    let found = match of_case(case) {
        Expected::Values(found) => found,
        Expected::Open { questions, .. } => return vec![format!("{id} has values, and {questions:?} leave it open")],
    };
    let names = |values: &mut dyn Iterator<Item = &String>| values.cloned().collect::<Vec<_>>();
    let (wanted, there) =
        (names(&mut values.iter().map(|(name, _)| name)), names(&mut found.iter().map(|(name, _)| name)));
    assert_eq!(wanted, there, "{id}");
    let pairs = values.iter().zip(&found).filter(|((name, expected), (_, elements))| {
        !stands_for(expected, elements, case.descriptor.tensor(name).unwrap().data_type)
    });
    pairs.map(|((name, expected), (_, elements))| format!("{id} {name}: {expected:?} and {elements:?}")).collect()
}

#[test]
fn every_expected_value_follows_from_the_definition() {
    // The documents print no more: four of ONE_HOT, the worked and the ordering example of NONZERO_COORDINATES, three and two
    // of ARGMAX, two of OneHot-1.
    for (kind, least) in [("/documented/", 13), ("/by_hand/", 150), ("/generated/", 2500)] {
        let of_kind = CASES.iter().filter(|case| case.about.id.contains(kind));
        let found = of_kind.filter(|case| matches!(case.expectation, Expectation::Values(_))).count();
        assert!(found >= least, "only {found} cases of `{kind}` have values");
    }
    // `generate --check` works out those of all that is generated.
    let looked_at = |(number, case): &(usize, &ValidCase)| number % 8 == 0 || !case.about.id.contains("/generated/");
    let cases = CASES.iter().enumerate().filter(looked_at).map(|(_, case)| case).collect::<Vec<_>>();
    let differing: Vec<String> = cases.into_par_iter().flat_map_iter(differences).collect();
    assert_eq!(differing, [""; 0]);
}

/// What two pages say of each other holds of the two definitions: the operator that takes the first of equal extremes is the
/// reduction with the function of that name.
#[test]
fn a_search_that_takes_the_first_is_a_reduction() {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    for (search, function) in [("argmax", "DML_REDUCE_FUNCTION_ARGMAX"), ("argmin", "DML_REDUCE_FUNCTION_ARGMIN")] {
        let reduction = specs.operator(&format!("directml/reduce_{search}")).unwrap();
        let searches = CASES.iter().filter(|case| {
            case.about.operator.id == format!("directml/{search}")
                && case.descriptor.enumerator("AxisDirection") == Some("DML_AXIS_DIRECTION_INCREASING")
        });
        let (mut same, mut open) = (0, 0);
        for case in searches {
            let mut descriptor = case.descriptor.clone();
            descriptor.operator.clone_from(&reduction.id);
            descriptor.attributes.retain(|attribute| attribute.name != "AxisDirection");
            let value = AttributeValue::Enumerator(function.to_owned());
            descriptor.attributes.insert(0, NamedAttribute { name: "Function".to_owned(), value });
            let id = &case.about.id;
            match (of_case(case), expected(reduction, &descriptor, &case.inputs).unwrap()) {
                (Expected::Values(one), Expected::Values(other)) => {
                    assert_eq!(one, other, "{id}");
                    same += 1;
                }
                (Expected::Open { .. }, Expected::Open { .. }) => open += 1,
                (one, other) => panic!("{id}: {one:?} and {other:?}"),
            }
        }
        assert!(same > 500 && open > 5, "{search}: {same} alike, {open} open");
    }
}

/// The element that one function of REDUCE gives stands where another one says that it is.
#[test]
fn an_extreme_stands_at_its_index() {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    for (index, element) in [("argmax", "max"), ("argmin", "min")] {
        let reduction = specs.operator(&format!("directml/reduce_{element}")).unwrap();
        let function = format!("DML_REDUCE_FUNCTION_{}", element.to_uppercase());
        let mut compared = 0;
        for case in CASES.iter().filter(|case| case.about.operator.id == format!("directml/reduce_{index}")) {
            let (Expected::Values(indices), Some([axis])) = (of_case(case), case.descriptor.integers("Axes")) else {
                continue;
            };
            let mut descriptor = case.descriptor.clone();
            descriptor.operator.clone_from(&reduction.id);
            descriptor.attributes[0].value = AttributeValue::Enumerator(function.clone());
            let input = descriptor.tensors[0].tensor.clone();
            let index_bytes = descriptor.tensors[1].tensor.data_type.bytes();
            descriptor.tensors[1].tensor.data_type = input.data_type;
            // Zeros of both signs and subnormal numbers leave open what comes out, and not where it stands.
            let Expected::Values(elements) = expected(reduction, &descriptor, &case.inputs).unwrap() else { continue };
            let (axis, width) = (*axis as usize, input.data_type.bytes());
            let (length, inner) = (input.sizes[axis], input.sizes[axis + 1..].iter().product::<u64>());
            let data = case.inputs[0].data.elements();
            let pairs = elements[0].1.bytes.chunks(width).zip(indices[0].1.bytes.chunks(index_bytes));
            for (place, (found, index)) in pairs.enumerate() {
                let index = index.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
                let (outer, inner_place) = (place as u64 / inner, place as u64 % inner);
                let at = ((outer * length + index) * inner + inner_place) as usize * width;
                assert_eq!(found, &data[at..at + width], "{} at {place}", case.about.id);
                compared += 1;
            }
        }
        assert!(compared > 2000, "{element}: {compared} compared");
    }
}

#[test]
fn a_wrong_expectation_is_noticed() {
    let cases = CASES.iter().filter(|case| case.about.id.contains("/documented/"));
    let wrong = |mut case: ValidCase, spoil: &dyn Fn(&mut ExpectedTensor)| {
        let Expectation::Values(expected) = &mut case.expectation else { return None };
        spoil(&mut expected[0].1);
        Some(differences(&case).len())
    };
    let mut seen = 0;
    for case in cases {
        let bit = |tensor: &mut ExpectedTensor| match tensor {
            ExpectedTensor::Elements(elements) => elements.bytes[0] ^= 1,
            ExpectedTensor::Digest(digest) => digest.blake3.replace_range(..2, "zz"),
        };
        let undefined = |tensor: &mut ExpectedTensor| match tensor {
            ExpectedTensor::Elements(elements) => {
                elements.undefined.push(!elements.undefined.first().is_some_and(|is| *is));
            }
            ExpectedTensor::Digest(digest) => digest.defined = Some(0),
        };
        let found = [wrong(case.clone(), &bit), wrong(case.clone(), &undefined)];
        assert!(matches!(found, [None | Some(1), None | Some(1)]), "{}: {found:?}", case.about.id);
        seen += found.iter().flatten().count();
    }
    assert!(seen >= 26, "only {seen} expectations were spoilt");
}

/// A case observes what is open: an element, or whether the descriptor is valid.
#[test]
fn what_is_observed_is_open() {
    let observed = CASES.par_iter().filter(|case| matches!(case.expectation, Expectation::Observe));
    let looked_at: Vec<(String, bool, bool)> = observed
        .map(|case| {
            let of_descriptor = !violations(&case.about.operator, &case.descriptor, case.level).is_empty();
            let of_elements = match of_case(case) {
                Expected::Open { questions, .. } => questions.iter().any(|id| case.about.covers.contains(id)),
                Expected::Values(_) => false,
            };
            (case.about.id.clone(), of_elements, of_descriptor)
        })
        .collect();
    assert!(looked_at.iter().filter(|(_, of_elements, _)| *of_elements).count() > 100, "{looked_at:?}");
    let not_open: Vec<&String> =
        looked_at.iter().filter(|(_, elements, descriptor)| !elements && !descriptor).map(|(id, ..)| id).collect();
    assert_eq!(not_open, [""; 0]);
}

/// What is done with an input: compared with each other, choosing places, returned; and what it is compared with.
fn landmarks_of(case: &ValidCase, name: &str) -> ([bool; 3], Landmarks) {
    let definition = &case.about.operator.definition;
    let constants: Vec<(&str, &[u8])> =
        case.descriptor.constants.iter().map(|each| (each.name.as_str(), each.bytes.as_slice())).collect();
    let names: Vec<&str> = constants.iter().map(|(name, _)| *name).collect();
    let uses = definition.uses(&names);
    let used = uses.of(definition, name).unwrap();
    let landmarks = definition.landmarks(used, &case.descriptor, &constants).unwrap();
    ([used.compared, used.chooses, used.copied], landmarks)
}

/// The same with the numbers that each element is compared with.
fn done_with(case: &ValidCase, name: &str) -> ([bool; 3], Vec<i128>) {
    let (done, landmarks) = landmarks_of(case, name);
    (done, landmarks.numbers)
}

#[test]
fn what_a_definition_does_with_its_inputs_is_found() {
    let first = |id: &str| CASES.iter().find(|case| case.about.id.starts_with(id)).unwrap();
    let argmax = first("directml/argmax/documented/");
    assert_eq!(done_with(argmax, "InputTensor").0, [true, false, false]);
    let nonzero = first("directml/nonzero_coordinates/documented/");
    let (done, landmarks) = done_with(nonzero, "InputTensor");
    assert!(done == [false, false, false] && landmarks.iter().all(|&number| number == 0), "{landmarks:?}");
    assert!(!landmarks.is_empty());
    let one_hot = first("directml/one_hot/documented/");
    let output = one_hot.descriptor.tensor("OutputTensor").unwrap();
    let size = i128::from(output.sizes[one_hot.descriptor.integer("Axis").unwrap() as usize]);
    let (done, landmarks) = done_with(one_hot, "IndicesTensor");
    assert_eq!(done, [false, true, false]);
    assert!([-size, 0, size].iter().all(|number| landmarks.contains(number)), "{landmarks:?}");
    let ([_, chooses, copied], _) = done_with(one_hot, "ValuesTensor");
    assert!(copied && !chooses);
    let other = first("openvino/one_hot_1/documented/");
    let axis = other.descriptor.integer("axis").unwrap();
    let output = other.descriptor.tensor("output").unwrap();
    let axis = if axis < 0 { axis + output.sizes.len() as i64 } else { axis };
    let depth = i128::from(output.sizes[axis as usize]);
    let (done, landmarks) = done_with(other, "indices");
    // A number may stand there more than once.
    let landmarks = BTreeSet::from_iter(landmarks);
    assert!(done == [false, true, false] && landmarks == BTreeSet::from([0, depth]), "{landmarks:?}");
    let ([_, chooses, copied], _) = done_with(other, "on_value");
    assert!(copied && !chooses);
    // The numbers of a tuple, each with the size of the dimension along which it counts, behind one batch.
    let tuples = CASES.iter().find(|case| case.about.id == "directml/gather_nd1/documented/example_2").unwrap();
    let ([_, chooses, _], Landmarks { items, .. }) = landmarks_of(tuples, "IndicesTensor");
    let input = tuples.descriptor.tensor("InputTensor").unwrap();
    assert!(chooses);
    assert_eq!(items, [i128::from(input.sizes[2]), i128::from(input.sizes[3])]);
}

/// So many cases of an operator are held against all alterations of its definition.
const HELD: usize = 4;

#[test]
fn an_altered_line_that_comes_to_the_same_alters_nothing_that_follows() {
    let mut of_operators: BTreeMap<&str, Vec<&ValidCase>> = BTreeMap::new();
    for case in &*CASES {
        of_operators.entry(&case.about.operator.id).or_default().push(case);
    }
    let of_operator = |(id, cases): (&str, Vec<&ValidCase>)| {
        let definition = &cases[0].about.operator.definition;
        let alterations = definition.alterations();
        let altered: Vec<_> = alterations.iter().map(|each| (&each.definition, each.line)).collect();
        let mut counts = [0, 0];
        for case in cases.iter().step_by(cases.len().div_ceil(HELD)) {
            let inputs = case.inputs.iter().map(|input| (input.name.as_str(), input.data.elements()));
            let inputs: Vec<_> = inputs.collect();
            let given: Vec<(&str, &[u8])> = inputs.iter().map(|(name, elements)| (*name, elements.as_ref())).collect();
            let right = definition.evaluate(&case.descriptor, &given).unwrap();
            let infected = definition.infected(&altered, &case.descriptor, &given).unwrap();
            assert_eq!(infected.len(), alterations.len());
            for (alteration, infected) in std::iter::zip(&alterations, infected) {
                counts[usize::from(infected)] += 1;
                if !infected {
                    let found = alteration.definition.evaluate(&case.descriptor, &given).map(|found| found.outputs);
                    assert_eq!(found.as_ref(), Ok(&right.outputs), "{}: {}", case.about.id, alteration.name);
                }
            }
        }
        assert!(counts.iter().all(|count| *count > 0), "{id}: {counts:?} came to the same and to something else");
    };
    of_operators.into_par_iter().for_each(of_operator);
}
