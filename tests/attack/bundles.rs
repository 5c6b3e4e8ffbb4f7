//! Forged bundles: the log says what cannot be, and every other file is made anew from it. None may be let pass.

use std::collections::BTreeMap;
use std::fs;

use libtest_mimic::Trial;
use opcert::backend::{Backend, CompileError, Descriptor, Fault, Identity, Input, Operator, Output, Support};
use opcert::case::CaseSource;
use opcert::certification::Certification;
use opcert::check::Suite;
use opcert::expectations::Expectations;
use opcert::judge::{CaseEvent, Difference, Given, Outcome, Waiver};
use opcert::plan::{Plan, Selection};
use opcert::report::{Certificate, ENVIRONMENT_FORMAT, Environment, Log, SuiteDigests, bundle};
use opcert::run::Live;
use opcert::source::Source;
use opcert::spec::Specs;
use opcert::verify::{Reference, verify};
use opcert_cpu::CpuBackend;

use crate::{Extent, Numbers, Tally, attack};

pub fn trials() -> Vec<Trial> {
    attack("bundles", forged).into()
}

/// A kind of forgery: what it is called, and what it does to a log. `false` where nothing can be changed in that way.
type Forgery = (&'static str, fn(&mut Log, &mut Numbers) -> bool);

fn forged(extent: Extent, tally: &mut Tally) {
    let reference = reference(&Source::embedded_cases(), true);
    let honest = certified(&reference, if extent == Extent::Quick { 29 } else { 17 }, false);
    let said = misfits(&files(&honest, &reference), &reference);
    assert!(said.is_empty(), "the honest bundle is let pass: {said:?}");
    let seeds = if extent == Extent::Quick { 1 } else { 10 };
    for (kind, forge) in FORGERIES {
        for seed in 0..seeds {
            let mut log = honest.clone();
            // A draw may hit a place that cannot be changed in this way; another one is taken then.
            let applied = (0..20).any(|draw| {
                log = honest.clone();
                forge(&mut log, &mut Numbers(seed + 1000 * draw)) && log != honest
            });
            let wrong = if !applied {
                Some("nothing could be forged".to_owned())
            } else if misfits(&files(&log, &reference), &reference).is_empty() {
                Some("everything fits".to_owned())
            } else {
                None
            };
            tally.count(kind, &format!("seed {seed}"), wrong);
        }
    }
    for (kind, file, from, to) in TEXTS {
        let mut files = files(&honest, &reference);
        let text = files.iter_mut().find(|(name, _)| name == file).map(|(_, text)| text).unwrap();
        let before = text.clone();
        *text = text.replacen(from, to, 1);
        let changed = *text != before;
        let digest = blake3::hash(files.iter().find(|(name, _)| *name == "events.jsonl").unwrap().1.as_bytes());
        let certificate = Certificate::of(&honest, digest.to_hex().to_string(), reference.digests.clone());
        if *file == "events.jsonl" {
            let place = files.iter_mut().find(|(name, _)| *name == "certificate.json").unwrap();
            place.1 = certificate.text().unwrap();
        }
        let fits = misfits(&files, &reference).is_empty();
        let wrong = if changed { fits.then_some("everything fits") } else { Some("nothing could be forged") };
        tally.count(kind, file, wrong.map(str::to_owned));
    }
    tally.count("other case files called the embedded ones", "one file", other_files());
}

/// What is replaced by what in the text of a file.
const TEXTS: &[(&str, &str, &str, &str)] = &[
    ("a double claim", "events.jsonl", "\"claims\":{", "\"claims\":{\"directml\":\"1_0\","),
    ("a double count", "events.jsonl", "\"outcomes\":{", "\"outcomes\":{\"pass\":0,"),
    ("a space", "events.jsonl", "\"covers\":[", "\"covers\": ["),
    ("an escape", "events.jsonl", "\"name\":\"moody\"", "\"name\":\"m\\u006fody\""),
    ("an empty line", "events.jsonl", "{\"event\":\"footer\"", "\n{\"event\":\"footer\""),
    ("a double key of the certificate", "certificate.json", "\"format\": 1,", "\"format\": 1, \"format\": 1,"),
    ("a double key of the certificate", "certificate.json", "\"outcomes\": {", "\"outcomes\": { \"pass\": 0,"),
    ("a double key of the environment", "environment.json", "\"cores\": 2", "\"cores\": 2, \"cores\": 2"),
    ("another environment", "environment.json", "1234", "1"),
];

/// Everything that can be changed in a log so that the suite contradicts it.
const FORGERIES: &[Forgery] = &[
    ("another expected value", |log, numbers| {
        differing(log, numbers, |difference, _| difference.expected = format!("{}0", difference.expected))
    }),
    ("another first place", |log, numbers| {
        differing(log, numbers, |difference, numbers| {
            let place = difference.first.get_or_insert_default();
            match numbers.below(3) {
                0 => place.push(0),
                1 => drop(place.pop()),
                _ => place.iter_mut().for_each(|at| *at += 1 << 20),
            }
        })
    }),
    ("another count of elements", |log, numbers| {
        differing(log, numbers, |difference, numbers| difference.defined += 1 + numbers.below(9))
    }),
    ("another count of differences", |log, numbers| {
        differing(log, numbers, |difference, numbers| match numbers.below(2) {
            0 => difference.differing += 1,
            _ => difference.differing = 0,
        })
    }),
    ("another count of what was left", |log, numbers| {
        differing(log, numbers, |difference, _| difference.unwritten = difference.defined + 1)
    }),
    ("another expected tensor", |log, numbers| {
        differing(log, numbers, |difference, _| match &mut difference.rendering {
            Some(rendering) => rendering.expected.insert(1, '7'),
            None => difference.expected.push('7'),
        })
    }),
    ("another actual tensor", |log, numbers| {
        differing(log, numbers, |difference, _| match &mut difference.rendering {
            Some(rendering) => rendering.actual.clone_from(&rendering.expected),
            None => difference.actual.clone_from(&difference.expected),
        })
    }),
    ("no rendering", |log, numbers| {
        differing(log, numbers, |difference, _| {
            if difference.rendering.take().is_none() {
                difference.expected.clear();
            }
        })
    }),
    ("a difference without a difference", |log, numbers| {
        differing(log, numbers, |difference, _| difference.actual.clone_from(&difference.expected))
    }),
    ("a difference of no element", |log, numbers| {
        differing(log, numbers, |difference, _| difference.actual = "<b>".to_owned())
    }),
    ("a difference of no output", |log, numbers| {
        differing(log, numbers, |difference, numbers| {
            let names = ["InputTensor", "IndicesTensor", "indices", "Nothing", ""];
            names[numbers.below(names.len())].clone_into(&mut difference.tensor);
        })
    }),
    ("a difference twice", |log, numbers| {
        edit(log, numbers, has_differences, |event, _| event.differences.push(event.differences[0].clone()))
    }),
    ("a difference of another case", |log, numbers| {
        let from: Vec<CaseEvent> = log.cases.iter().filter(|event| has_differences(event)).cloned().collect();
        let other = from[numbers.below(from.len())].clone();
        let wanted = |event: &CaseEvent| is_pass(event) && event.refused_until.is_none();
        edit(log, numbers, wanted, |event, _| {
            (event.outcome, event.differences, event.derived) =
                (Outcome::Fail, other.differences.clone(), other.derived.clone());
        })
    }),
    ("differences beside a pass", |log, numbers| {
        edit(log, numbers, has_differences, |event, _| event.outcome = Outcome::Pass)
    }),
    ("a failure that shows nothing", |log, numbers| {
        edit(log, numbers, is_plain_failure, |event, numbers| {
            event.differences.clear();
            event.reason = (numbers.below(2) == 0).then(|| "almost right".into());
        })
    }),
    ("a failure with another reason", |log, numbers| {
        edit(log, numbers, is_plain_failure, |event, _| event.reason = Some("the weather".into()))
    }),
    ("two dispatches with another reason", |log, numbers| {
        edit(
            log,
            numbers,
            |event| event.outcome == Outcome::Nondeterministic,
            |event, _| {
                event.reason = Some("now and then".into());
            },
        )
    }),
    ("an observed case without an answer", |log, numbers| {
        edit(log, numbers, has_answers, |event, numbers| {
            event.observed.clear();
            event.reason = (numbers.below(2) == 0).then(|| "accepted".into());
        })
    }),
    ("an answer of no output", |log, numbers| {
        edit(log, numbers, has_answers, |event, _| event.observed[0].tensor.push('s'))
    }),
    ("an answer twice", |log, numbers| {
        edit(log, numbers, has_answers, |event, _| event.observed.push(event.observed[0].clone()))
    }),
    ("an answer of other sizes", |log, numbers| {
        edit(log, numbers, has_answers, |event, _| event.observed[0].value = "[[[[[[[[[[1, 2]]]]]]]]]]".to_owned())
    }),
    ("an answer of no elements", |log, numbers| {
        edit(log, numbers, has_answers, |event, _| event.observed[0].value = "<script>".to_owned())
    }),
    ("an answer where none was recorded", |log, numbers| {
        let observed: Vec<CaseEvent> = log.cases.iter().filter(|event| has_answers(event)).cloned().collect();
        let answers = observed[numbers.below(observed.len())].observed.clone();
        edit(log, numbers, is_pass, |event, _| event.observed.clone_from(&answers))
    }),
    ("a level that no family has", |log, _| {
        log.header.level = Some("9_9".to_owned());
        true
    }),
    ("a claim of a level that its family does not have", |log, _| {
        log.header.backend.claims.insert("directml".to_owned(), "9_9".to_owned()).is_some()
    }),
    ("no claims", |log, _| {
        log.header.backend.claims.clear();
        true
    }),
    ("no name", |log, _| {
        log.header.backend.name = " ".into();
        true
    }),
    ("guards where cases were carried", |log, _| {
        log.header.carried = Some("npy".to_owned());
        true
    }),
    ("no guards in this process", |log, _| {
        log.header.guards = false;
        true
    }),
    ("a process where cases were carried", |log, _| {
        (log.header.carried, log.header.guards, log.header.isolated) = (Some("npy".to_owned()), false, true);
        true
    }),
    ("a command that repeats nothing", |log, _| {
        log.header.repeat = "rm --recursive .".to_owned();
        true
    }),
    ("no digest of the cases", |log, _| {
        log.header.cases = "of course".to_owned();
        true
    }),
    ("another digest of the specifications", |log, _| {
        log.header.specs = "0".repeat(64);
        true
    }),
    ("a part called the whole", |log, _| {
        log.header.complete = true;
        true
    }),
    ("a waiver without a reason", |log, numbers| {
        waived(log, numbers, |waiver, numbers| waiver.reason = " ".repeat(numbers.below(3)).into())
    }),
    ("a waiver with a link that is none", |log, numbers| {
        waived(log, numbers, |waiver, numbers| {
            let links = [
                "javascript:alert(1)",
                "JavaScript:alert(1)",
                "data:text/html,x",
                "file:///etc/passwd",
                "//x",
                " https://x",
                "",
                "https:/x",
                "https://",
                "vbscript:x",
                "https://x\" onclick=\"y",
            ];
            waiver.link = Some(links[numbers.below(links.len())].into());
        })
    }),
    ("a waiver of what nobody waives", |log, numbers| {
        waived(log, numbers, |waiver, numbers| {
            let outcomes = [Outcome::Pass, Outcome::Observed, Outcome::UnexpectedPass, Outcome::NotRun];
            waiver.outcome = outcomes[numbers.below(outcomes.len())];
        })
    }),
    ("a waiver beside a pass", |log, numbers| {
        edit(log, numbers, is_pass, |event, _| {
            event.waiver = Some(Waiver { reason: "known".into(), link: None, outcome: Outcome::Fail });
        })
    }),
    ("what was expected without a waiver", |log, numbers| {
        edit(log, numbers, is_plain_failure, |event, _| event.outcome = Outcome::ExpectedFailure)
    }),
    ("an unexpected pass with another reason", |log, numbers| {
        edit(log, numbers, is_pass, |event, _| {
            event.waiver = Some(Waiver { reason: "known".into(), link: None, outcome: Outcome::Pass });
            (event.outcome, event.reason) = (Outcome::UnexpectedPass, Some("passes".into()));
        })
    }),
    ("acceptance for another reason", |log, numbers| {
        edit(
            log,
            numbers,
            |event| event.outcome == Outcome::AcceptedWrongly,
            |event, _| {
                event.reason = event.reason.take().map(|reason| reason.raw().replace("although", "and").into());
            },
        )
    }),
    ("a refusal for a requirement that is broken", |log, numbers| {
        edit(
            log,
            numbers,
            |event| event.outcome == Outcome::WrongRequirement,
            |event, _| {
                let reason = event.reason.take().unwrap();
                let expected = reason.raw().rsplit_once("expected ").unwrap().1.split(", ").next().unwrap().to_owned();
                let (level, rest) = reason.raw().split_once(": refused for `").unwrap();
                let rest = rest.split_once('`').unwrap().1;
                event.reason = Some(format!("{level}: refused for `{expected}`{rest}").into());
            },
        )
    }),
    ("a refusal without a level", |log, numbers| {
        edit(
            log,
            numbers,
            |event| event.outcome == Outcome::RefusedWrongly,
            |event, _| {
                event.reason = Some("refused".into());
            },
        )
    }),
    ("a pass with another outcome and no reason", |log, numbers| {
        edit(log, numbers, is_pass, |event, numbers| {
            let others: Vec<Outcome> = Outcome::ALL.iter().copied().filter(|each| *each != Outcome::Pass).collect();
            event.outcome = others[numbers.below(others.len())];
        })
    }),
    ("what a case is said to be", |log, numbers| {
        edit(
            log,
            numbers,
            |event| event.covers.len() > 1,
            |event, numbers| match numbers.below(7) {
                0 => event.gates = !event.gates,
                1 => event.large = !event.large,
                2 => event.strided = !event.strided,
                3 => drop(event.covers.pop()),
                4 => event.title = Some("another".to_owned()),
                5 => event.dimensions = event.dimensions.map_or(Some(1), |count| Some(count + 1)),
                _ => event.data_type = Some("FLOAT128".to_owned()),
            },
        )
    }),
    ("what a failing case was given", |log, numbers| {
        let givens: Vec<Option<Given>> = log.cases.iter().map(|event| event.given.clone()).collect();
        edit(log, numbers, is_plain_failure, |event, numbers| {
            let others: Vec<&Option<Given>> = givens.iter().filter(|given| **given != event.given).collect();
            event.given.clone_from(others[numbers.below(others.len())]);
        })
    }),
    ("what the requirements of a failing case say", |log, numbers| {
        edit(log, numbers, is_plain_failure, |event, numbers| match numbers.below(3) {
            0 => event.requirements.clear(),
            1 => event.requirements[0].1.push_str(" Or so."),
            _ => event.requirements.push(event.requirements[0].clone()),
        })
    }),
    ("another order", |log, numbers| {
        let at = numbers.below(log.cases.len() - 1);
        log.cases.swap(at, at + 1);
        true
    }),
    ("a case twice", |log, numbers| {
        let at = numbers.below(log.cases.len());
        log.cases.insert(at, log.cases[at].clone());
        log.header.planned += 1;
        true
    }),
    ("a case that is none", |log, numbers| edit(log, numbers, |_| true, |event, _| event.case.push('x'))),
];

fn is_pass(event: &CaseEvent) -> bool {
    event.outcome == Outcome::Pass && event.gates
}

fn has_differences(event: &CaseEvent) -> bool {
    !event.differences.is_empty()
}

fn has_answers(event: &CaseEvent) -> bool {
    !event.observed.is_empty()
}

fn is_plain_failure(event: &CaseEvent) -> bool {
    event.outcome == Outcome::Fail && has_differences(event)
}

/// Changes an event of a kind.
fn edit(
    log: &mut Log,
    numbers: &mut Numbers,
    wanted: impl Fn(&CaseEvent) -> bool,
    change: impl FnOnce(&mut CaseEvent, &mut Numbers),
) -> bool {
    let mut found: Vec<&mut CaseEvent> = log.cases.iter_mut().filter(|event| wanted(event)).collect();
    let at = numbers.below(found.len());
    found.get_mut(at).map(|event| change(event, numbers)).is_some()
}

fn differing(log: &mut Log, numbers: &mut Numbers, change: impl FnOnce(&mut Difference, &mut Numbers)) -> bool {
    edit(log, numbers, has_differences, |event, numbers| change(&mut event.differences[0], numbers))
}

/// Waives a failure, in a way that is changed.
fn waived(log: &mut Log, numbers: &mut Numbers, change: impl FnOnce(&mut Waiver, &mut Numbers)) -> bool {
    edit(log, numbers, is_plain_failure, |event, numbers| {
        let mut waiver = Waiver { reason: "known".into(), link: None, outcome: event.outcome };
        change(&mut waiver, numbers);
        (event.outcome, event.waiver) = (Outcome::ExpectedFailure, Some(waiver));
    })
}

/// Cases that are not the embedded ones, run as if they were.
fn other_files() -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let cases = Source::embedded_cases().files().unwrap();
    let file = cases.iter().find(|file| file.stem.ends_with("argmax/documented")).unwrap();
    let path = folder.path().join("directml/argmax");
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("documented.yaml"), file.read().unwrap().as_bytes()).unwrap();
    let reference = reference(&Source::Path(folder.path().to_owned()), false);
    let honest = certified(&reference, 1, false);
    let said = misfits(&files(&honest, &reference), &reference);
    let log = certified(&reference, 1, true);
    let forged = misfits(&files(&log, &reference), &reference);
    match (said.as_slice(), forged.as_slice()) {
        ([], []) => Some("everything fits".to_owned()),
        ([], [_, ..]) => None,
        (said, _) => Some(format!("what is honest is not let pass: {said:?}")),
    }
}

fn reference(cases: &Source, embedded: bool) -> Reference {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let suite = Suite::load(&CaseSource(cases.clone()), &specs, |_| true).unwrap();
    let digests = SuiteDigests::of(&specs, &Source::embedded_specs(), cases).unwrap();
    Reference { specs, suite, digests, embedded }
}

/// The log of every so-manyth case on a backend of which many things go wrong.
fn certified(reference: &Reference, step: usize, complete: bool) -> Log {
    let cases = reference.suite.cases.iter().step_by(step).cloned().collect();
    let plan = Plan::new(cases, &reference.specs, &Moody, &Selection::default()).unwrap();
    let certification = Certification {
        specs: &reference.specs,
        cases_digest: reference.suite.digest.clone(),
        plan: &plan,
        done: Vec::new(),
        expectations: &Expectations::default(),
        executor: &Live(&Moody),
        through: BTreeMap::new(),
        isolated: false,
        guards: true,
        carried: None,
        shard: None,
        complete,
        own_suite: false,
        level: None,
        repeat: "opcert run {case}".to_owned(),
        dump: None,
        max_fail: None,
    };
    certification.run(2, |_| {}).unwrap()
}

fn files(log: &Log, reference: &Reference) -> Vec<(&'static str, String)> {
    let environment = Environment {
        format: ENVIRONMENT_FORMAT,
        started: "2001-02-03T04:05:06Z".to_owned(),
        milliseconds: 1234,
        command: vec!["opcert".to_owned()],
        system: "linux".to_owned(),
        architecture: "x86_64".to_owned(),
        processor: None,
        cores: 2,
    };
    bundle(log, reference.digests.clone(), &environment).unwrap()
}

fn misfits(files: &[(&'static str, String)], reference: &Reference) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
    let verified = verify(folder.path(), reference, None).unwrap();
    verified.misfits.iter().map(ToString::to_string).collect()
}

/// The CPU backend in a mood that follows from the descriptor.
struct Moody;

struct MoodyOperator {
    inner: Option<Box<dyn Operator>>,
    mood: u64,
    dispatches: u8,
}

fn mood(descriptor: &Descriptor) -> u64 {
    let digest = blake3::hash(format!("{:?}", Descriptor { level: String::new(), ..descriptor.clone() }).as_bytes());
    u64::from(digest.as_bytes()[0]) % 12
}

impl Backend for Moody {
    fn identity(&self) -> Identity {
        Identity { name: "moody".into(), ..CpuBackend::new().identity() }
    }

    fn supports(&self, _: &Descriptor) -> Support {
        Support::Yes
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let mood = mood(descriptor);
        let rejected = |id: &str| CompileError::Rejected { requirement: Some(id.to_owned()), reason: "no".to_owned() };
        let inner = match (CpuBackend::new().compile(descriptor), mood) {
            (Ok(_), 1) => return Err(rejected("directml/tensor/total-size")),
            (Ok(operator), _) => Some(operator),
            (Err(_), 0..=3) => None,
            (Err(_), 4..=6) => return Err(rejected("directml/no/such-requirement")),
            (Err(error), _) => return Err(error),
        };
        Ok(Box::new(MoodyOperator { inner, mood, dispatches: 0 }))
    }
}

impl Operator for MoodyOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        self.dispatches += 1;
        if self.mood == 2 {
            return Ok(());
        }
        self.inner.as_mut().map_or(Ok(()), |inner| inner.dispatch(inputs, outputs))?;
        let mut bytes = outputs.iter_mut().flat_map(|output| output.bytes.iter_mut());
        match self.mood {
            3 => bytes.for_each(|byte| *byte = 0xFF),
            4 if self.dispatches == 2 => bytes.for_each(|byte| *byte = byte.wrapping_add(1)),
            5 => bytes.next().map_or((), |byte| *byte ^= 1),
            6 => return Err(Fault::OutOfMemory("too large".to_owned())),
            _ => {}
        }
        Ok(())
    }
}
