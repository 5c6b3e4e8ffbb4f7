//! The definitions of the operators, held against every case that has values.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use opcert::case::{CaseSource, Digest, Elements, Expectation, ExpectedTensor};
use opcert::check::{CheckedCase, Suite};
use opcert::oracle;
use opcert::source::Source;
use opcert::spec::Specs;

#[test]
fn trial() {
    let specs = Specs::load(&Source::embedded_specs())
        .unwrap_or_else(|found| panic!("{}", found.iter().map(|each| each.render(false)).collect::<String>()));
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |_| true).unwrap();
    let (mut same, mut open, mut wrong) = (0, 0, 0);
    let mut slow = std::time::Duration::ZERO;
    let mut old = std::time::Duration::ZERO;
    for case in &suite.cases {
        let CheckedCase::Valid(case) = case else { continue };
        if !case.is_dispatched() || case.about.large {
            continue;
        }
        let inputs: Vec<_> = case.inputs.iter().map(|input| (input.name.as_str(), input.data.elements())).collect();
        let inputs: Vec<(&str, &[u8])> = inputs.iter().map(|(name, bytes)| (*name, &**bytes)).collect();
        let begin = std::time::Instant::now();
        let found = case.about.operator.definition.evaluate(&case.descriptor, &inputs);
        slow += begin.elapsed();
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                println!("{}: {error}", case.about.id);
                wrong += 1;
                continue;
            }
        };
        let begin = std::time::Instant::now();
        let derived = oracle::expected(&case.descriptor, &case.inputs).unwrap();
        old += begin.elapsed();
        let gates = matches!(case.expectation, Expectation::Values(_));
        for (output, (name, derived)) in found.outputs.iter().zip(&derived) {
            assert_eq!(&output.name, name);
            let unspecified = output.open.iter().any(|open| *open == Some(opcert::definition::Open::Unspecified));
            if unspecified {
                open += 1;
                if gates {
                    println!("{}: open, and has values", case.about.id);
                    wrong += 1;
                }
                continue;
            }
            let undefined = output.open.iter().map(Option::is_some).collect();
            let elements = Elements { bytes: output.bytes.clone(), undefined };
            if !gates {
                continue;
            }
            if elements.bytes == derived.bytes
                && (0..elements.undefined.len().max(derived.undefined.len()))
                    .all(|at| elements.is_defined(at) == derived.is_defined(at))
            {
                same += 1
            } else {
                println!("{}: {:?} {:?}", case.about.id, elements, derived);
                wrong += 1;
            }
            if let Expectation::Values(values) = &case.expectation {
                let expected = &values.iter().find(|(each, _)| each == name).unwrap().1;
                let fits = match expected {
                    ExpectedTensor::Elements(e) => e.bytes == elements.bytes,
                    ExpectedTensor::Digest(d) => {
                        Digest::of(&elements, case.descriptor.tensor(name).unwrap().data_type).as_ref() == Some(d)
                    }
                };
                if !fits {
                    println!("{}: not as expected", case.about.id);
                    wrong += 1
                }
            }
        }
    }
    println!("{same} the same, {open} open, {wrong} wrong; {slow:?} against {old:?}");
    assert_eq!(wrong, 0);
}
