//! Logs for the page: of a run in which all is right, and what it would be if much were wrong.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use opcert::judge::{
    CaseEvent, DecidingLine, Difference, Given, GivenTensor, Observation, Outcome, Rendering, Waiver, Why,
};
use opcert::report::Log;

use crate::command::opcert;

/// Characters that a backend may say and nobody must see raw.
pub const UNSEEN: [char; 4] = ['\u{1b}', '\u{202e}', '\u{2028}', '\u{0}'];

/// The cases that nobody generated.
pub const BY_HAND: [&str; 2] = ["*/documented/*", "*/by_hand/*"];

/// The log of some cases, as if they were the whole suite.
pub fn right(folder: &Path, cases: &[&str]) -> Result<Log, String> {
    let arguments = [&["run"], cases, &["--backend", "cpu", "--out", "right"]].concat();
    let ran = opcert(folder, &arguments);
    if ran.code != 0 {
        return Err(ran.said());
    }
    let file = File::open(folder.join("right/events.jsonl")).map_err(|error| error.to_string())?;
    let mut log = Log::read(BufReader::new(file)).map_err(|error| error.to_string())?;
    log.header.complete = true;
    Ok(log)
}

/// The same of a backend that fails in every way, each answer to an open question another one.
pub fn faulty(right: &Log) -> Log {
    let mut log = right.clone();
    log.header.backend.name = "faulty one".into();
    log.header.backend.device = Some("Toy 3000".into());
    "faulty run {case} --jobs 1".clone_into(&mut log.header.repeat);
    for (at, case) in log.cases.iter_mut().enumerate() {
        match (at % 7, case.outcome) {
            (_, Outcome::Observed) => change_answer(case),
            (0, _) if case.refused_until.is_none() => fail(case),
            (0, _) => becomes(case, Outcome::AcceptedWrongly, "accepted, although it is wrong"),
            (1, _) => becomes(case, Outcome::Unsupported, "more than the device can do"),
            (2, _) if at % 3 == 0 => becomes(case, Outcome::Crash, "signal 11"),
            (3, _) if at % 3 == 0 => {
                becomes(case, Outcome::ExpectedFailure, "differs");
                let link = Some("https://example.org/issues/7".into());
                case.waiver = Some(Waiver { reason: "known since long".into(), link, outcome: Outcome::Fail });
            }
            _ => {}
        }
    }
    log
}

/// The same of a backend whose every word is an attack on who reads it.
pub fn hostile(right: &Log) -> Log {
    let attacks = [
        "</script><script>owned()</script>",
        "<img src=x onerror=owned()>",
        "\"><svg onload='owned()'>",
        "']);owned();//",
        "\u{1b}]0;owned\u{7}\u{1b}[31mred\u{1b}[0m \u{0} \u{2028}owned()\u{2029} \u{202e}detrever",
        "<!--<script>",
        "&lt;b&gt;owned()&amp;",
    ];
    let long = "wide ".repeat(100) + &"W".repeat(50_000);
    let mut log = right.clone();
    log.header.backend.name = attacks[0].into();
    log.header.backend.version = format!("{}{long}", attacks[2]).into();
    log.header.backend.device = Some(format!("{}{}", attacks[1], attacks[4]).into());
    log.header.backend.refuses_invalid = false;
    log.header.repeat = format!("{} {{case}}", attacks[2]);
    for (at, case) in log.cases.iter_mut().enumerate() {
        let attack = attacks[at % attacks.len()];
        if case.outcome == Outcome::Observed {
            case.observed = vec![Observation { tensor: attack.to_owned(), value: attack.to_owned() }];
        } else if at % 5 == 0 {
            fail(case);
            case.reason = Some(if at % 2 == 0 { long.as_str().into() } else { attack.into() });
            for difference in &mut case.differences {
                attack.clone_into(&mut difference.tensor);
                attack.clone_into(&mut difference.actual);
            }
            case.derived = vec![(attack.to_owned(), attack.to_owned())];
            case.requirements = case.derived.clone();
            case.given = Some(Given {
                tensors: vec![GivenTensor {
                    name: attack.to_owned(),
                    descriptor: attack.to_owned(),
                    elements: Some(attack.to_owned()),
                }],
                attributes: case.derived.clone(),
            });
        } else if at % 5 == 1 {
            becomes(case, Outcome::ExpectedFailure, attack);
            let link = Some("javascript:owned()".into());
            case.waiver = Some(Waiver { reason: attack.into(), link, outcome: Outcome::Fail });
        } else if at % 5 == 2 {
            becomes(case, Outcome::Crash, attack);
        }
    }
    log
}

fn becomes(case: &mut CaseEvent, outcome: Outcome, reason: &str) {
    case.outcome = outcome;
    case.reason = Some(reason.into());
}

/// One element of an output is 3 and not 7.
fn fail(case: &mut CaseEvent) {
    case.outcome = Outcome::Fail;
    case.requirements = case.covers.iter().map(|id| (id.clone(), "It has to be so.".to_owned())).collect();
    case.given = Some(Given {
        tensors: vec![GivenTensor {
            name: "Input".to_owned(),
            descriptor: "Sizes:{2,3}, Strides:{4,1}, DataType:FLOAT32".to_owned(),
            elements: Some("[[5, 5, 5],\n [5, 5, 5]]".to_owned()),
        }],
        attributes: vec![("Axis".to_owned(), "1".to_owned())],
    });
    case.differences = vec![Difference {
        tensor: "Output".to_owned(),
        differing: 1,
        defined: 6,
        unwritten: 0,
        first: Some(vec![1, 1]),
        expected: "7".to_owned(),
        actual: "3".to_owned(),
        why: Some(Why::Line(DecidingLine {
            line: 5,
            text: "return greatest".to_owned(),
            gives: "7".to_owned(),
            values: vec![("at".to_owned(), "[1, 1]".to_owned()), ("greatest".to_owned(), "7".to_owned())],
            requirements: vec!["directml/argmax/maximum-index".to_owned()],
        })),
        rendering: Some(Rendering {
            expected: "[[1, 2, 3],\n [4, 7, 6]]".to_owned(),
            actual: "[[1, 2, 3],\n [4, 3, 6]]".to_owned(),
        }),
    }];
}

fn change_answer(case: &mut CaseEvent) {
    for answer in &mut case.observed {
        "[other]".clone_into(&mut answer.value);
    }
}
