//! The large tier: no definition is run on so many elements, so that a formula says what goes in and what comes out. The
//! same cases stand beside them small, where the definition says it as well (`definitions.rs`).
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;

use opcert::backend::{AttributeValue, DataType};
use opcert::case::{CaseSource, Data, Expectation, ExpectedTensor, Pattern};
use opcert::check::{CheckedCase, Suite, ValidCase};
use opcert::source::Source;
use opcert::spec::Specs;
use rayon::prelude::*;

/// Elements by their places, and how many there are.
type Elements<'a> = (u64, Box<dyn Fn(u64) -> u64 + Sync + 'a>);

/// A case by a formula: the one input that is large, and every output.
struct Formula<'a> {
    input: (&'static str, Pattern),
    outputs: Vec<(&'static str, Elements<'a>)>,
}

fn sizes<'a>(case: &'a ValidCase, tensor: &str) -> &'a [u64] {
    &case.descriptor.tensor(tensor).unwrap().sizes
}

/// A tensor of equal elements with exceptions, all of them small numbers.
fn constant(case: &ValidCase, tensor: &str, usual: u64, except: &[(u64, u64)]) -> Pattern {
    let data_type = case.descriptor.tensor(tensor).unwrap().data_type;
    let element = |number: u64| match data_type {
        DataType::F32 => (number as f32).to_le_bytes().to_vec(),
        _ => number.to_le_bytes()[..data_type.bytes()].to_vec(),
    };
    let except: BTreeMap<u64, Vec<u8>> = except.iter().map(|&(place, number)| (place, element(number))).collect();
    Pattern::constant(element(usual), except, data_type, sizes(case, tensor).iter().product())
}

/// All elements are equal, or the last one of all is the greatest: what comes out is the first place, or the last one.
fn argmax(case: &ValidCase) -> Formula<'_> {
    let AttributeValue::Integers(axes) = case.descriptor.attribute("Axes").unwrap() else { panic!("no axes") };
    let decreasing = match case.descriptor.attribute("AxisDirection").unwrap() {
        AttributeValue::Enumerator(name) => name.ends_with("DECREASING"),
        other => panic!("{other:?} is no direction"),
    };
    let input = sizes(case, "InputTensor");
    let count: u64 = input.iter().product();
    let (length, subsets) = (input[axes[0] as usize], sizes(case, "OutputTensor").iter().product::<u64>());
    let except = if decreasing { vec![] } else { vec![(count - 1, 2)] };
    let place = move |subset| if decreasing || subset == subsets - 1 { length - 1 } else { 0 };
    Formula {
        input: ("InputTensor", constant(case, "InputTensor", 1, &except)),
        outputs: vec![("OutputTensor", (subsets, Box::new(place)))],
    }
}

/// All elements are other than zero, or six around the place where an index or the bytes before it leave 31 bits.
fn nonzero(case: &ValidCase) -> Formula<'_> {
    let count = sizes(case, "InputTensor")[0];
    let half = count - 5;
    let (usual, places): (u64, Vec<u64>) = match case.about.id.contains("/count_") {
        true => (2, Vec::new()),
        false => (0, vec![0, half / 2, half - 1, half, half + 1, half + 4]),
    };
    let except: Vec<(u64, u64)> = places.iter().map(|&place| (place, 2)).collect();
    let found = if places.is_empty() { count } else { places.len() as u64 };
    let row = move |row: u64| places.get(row as usize).copied().unwrap_or(row);
    Formula {
        input: ("InputTensor", constant(case, "InputTensor", usual, &except)),
        outputs: vec![
            ("OutputCountTensor", (1, Box::new(move |_| found))),
            ("OutputCoordinatesTensor", (found, Box::new(row))),
        ],
    }
}

/// Every index is as large as a sequence is long, so that each element is the off value, which is 3.
fn all_off<'a>(case: &'a ValidCase, indices: &'static str, output: &'static str) -> Formula<'a> {
    let length = *sizes(case, output).last().unwrap();
    let count = sizes(case, output).iter().product();
    Formula {
        input: (indices, constant(case, indices, length, &[])),
        outputs: vec![(output, (count, Box::new(|_| 3)))],
    }
}

fn formula(case: &ValidCase) -> Formula<'_> {
    match case.about.operator.id.as_str() {
        "directml/argmax" => argmax(case),
        "directml/nonzero_coordinates" => nonzero(case),
        "directml/one_hot" => all_off(case, "IndicesTensor", "OutputTensor"),
        "openvino/one_hot_1" => all_off(case, "indices", "output"),
        other => panic!("no formula says what comes out of {other}"),
    }
}

/// Writes the elements from a place on, with the width of an element known at compile time: there are billions of them.
fn fill<const WIDTH: usize>(part: &mut [u8], first: u64, element: &dyn Fn(u64) -> u64) {
    for (at, written) in part.as_chunks_mut::<WIDTH>().0.iter_mut().enumerate() {
        *written = *element(first + at as u64).to_le_bytes().first_chunk().unwrap();
    }
}

/// Whether an expectation says what the formula says.
fn says(expected: &ExpectedTensor, (count, element): &Elements<'_>, data_type: DataType, all: u64) -> bool {
    let bytes = |place: u64| element(place).to_le_bytes();
    let width = data_type.bytes();
    let mut part = vec![0; width << 20];
    match expected {
        ExpectedTensor::Elements(elements) => {
            let given = elements.bytes.chunks(width).enumerate();
            let mut given = given.filter(|(place, _)| elements.is_defined(*place)).zip(0..);
            given.all(|((_, given), place)| place < *count && *given == bytes(place)[..width])
                && (0..all as usize).filter(|&place| elements.is_defined(place)).count() as u64 == *count
        }
        ExpectedTensor::Digest(digest) => {
            let mut hasher = blake3::Hasher::new();
            for first in (0..*count).step_by(1 << 20) {
                let part = &mut part[..width * (count - first).min(1 << 20) as usize];
                match width {
                    1 => fill::<1>(part, first, element),
                    4 => fill::<4>(part, first, element),
                    8 => fill::<8>(part, first, element),
                    _ => panic!("no output has elements of {width} bytes"),
                }
                hasher.update(part);
            }
            digest.blake3 == *hasher.finalize().to_hex()
                && digest.defined.map_or(all, |defined| defined as u64) == *count
        }
    }
}

#[test]
fn large_cases_are_the_small_ones_made_large() {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |stem| stem.ends_with("/large")).unwrap();
    let cases: Vec<&ValidCase> = suite
        .cases
        .iter()
        .filter_map(|case| match case {
            CheckedCase::Valid(case) if matches!(case.expectation, Expectation::Values(_)) => Some(case),
            _ => None,
        })
        .collect();
    let (large, small): (Vec<&ValidCase>, Vec<&ValidCase>) = cases.iter().partition(|case| case.about.large);
    assert!(large.len() >= 8 && small.len() >= large.len(), "{} large ones, {} small ones", large.len(), small.len());
    let wrong: Vec<&str> = cases
        .par_iter()
        .filter(|case| {
            let formula = formula(case);
            let Expectation::Values(expected) = &case.expectation else { return true };
            let input = case.inputs.iter().find(|input| input.name == formula.input.0).unwrap();
            let given = match &input.data {
                Data::Pattern(pattern) => format!("{pattern:?}") == format!("{:?}", formula.input.1),
                Data::Elements(bytes) => *bytes == *Data::Pattern(formula.input.1).elements(),
            };
            let outputs = formula.outputs.iter().all(|(name, elements)| {
                let tensor = case.descriptor.tensor(name).unwrap();
                let (_, expected) = expected.iter().find(|(output, _)| output == name).unwrap();
                says(expected, elements, tensor.data_type, tensor.element_count().unwrap())
            });
            !(given && outputs && expected.len() == formula.outputs.len())
        })
        .map(|case| case.about.id.as_str())
        .collect();
    assert_eq!(wrong, [""; 0]);
}
