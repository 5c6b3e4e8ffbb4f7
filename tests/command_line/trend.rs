//! How a backend has fared over several reports, from logs that are written here by hand.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;

use crate::command::{Ran, opcert};
use crate::diff::{came_out, known, log, written};
use opcert::report::Log;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A log of a version.
fn of_version(version: &str, cases: &[(&str, Value)]) -> Log {
    let mut log = log(cases);
    log.header.backend.version = version.into();
    log
}

/// What the program says of logs in this order.
fn trend(logs: &[Log], options: &[&str]) -> Ran {
    let folder = TempDir::new().unwrap();
    let names: Vec<String> = (0..logs.len()).map(|at| format!("{at}.jsonl")).collect();
    for (name, log) in names.iter().zip(logs) {
        fs::write(folder.path().join(name), written(log)).unwrap();
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    opcert(folder.path(), &[&["trend"], names.as_slice(), options].concat())
}

/// Three versions, the last with a later suite: `breaks` broke and was mended, `waived` is a known failure by now, `new` came
/// with the suite, `newer` is bad from the first.
fn versions() -> [Log; 3] {
    let same = || ("same", came_out("pass"));
    [
        of_version(
            "1.0",
            &[same(), ("breaks", came_out("pass")), ("waived", came_out("pass")), ("gone", came_out("pass"))],
        ),
        of_version("1.1", &[same(), ("breaks", came_out("fail")), ("waived", came_out("pass"))]),
        of_version(
            "1.2",
            &[
                same(),
                ("breaks", came_out("pass")),
                ("waived", known("fail", "x")),
                ("new", came_out("pass")),
                ("newer", came_out("crash")),
            ],
        ),
    ]
}

#[test]
fn each_report_is_compared_with_the_one_before() {
    let ran = trend(&versions(), &[]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    let expected = "\
toy: 3 reports

1.0: 4 cases: 4 pass
1.1: 3 cases: 2 pass, 1 fail
    since the one before: 1 regression, 0 fixed, 0 otherwise changed, 0 new, 1
    gone, 2 unchanged
1.2: 5 cases: 3 pass, 1 crash, 1 expected-failure
    since the one before: 1 regression, 1 fixed, 1 otherwise changed, 2 new (1
    of them bad), 0 gone, 1 unchanged

toy/copy
  1.0: conforms at 1, 4 of 4 pass
  1.1: partial at 1, 2 of 3 pass
  1.2: partial at 1, 3 of 5 pass

not there -> not there -> crash (1 case)
  toy/copy/file/newer

pass -> pass -> expected-failure (1 case)
  toy/copy/file/waived

pass -> fail -> pass (1 case)
  toy/copy/file/breaks
";
    assert_eq!(ran.out, expected);
}

#[test]
fn the_last_step_decides() {
    let [one, two, three] = versions();
    let code = |logs: &[Log], options: &[&str]| trend(logs, options).code;
    assert_eq!(code(&[one.clone(), two.clone()], &[]), 1);
    assert_eq!(code(&[two.clone(), one.clone()], &[]), 0);
    assert_eq!(code(&[one.clone(), two.clone(), one.clone()], &[]), 0);
    let without = |log: &Log| {
        let mut log = log.clone();
        log.cases.retain(|case| !case.case.ends_with("newer"));
        log.header.planned = log.cases.len();
        log
    };
    let waived = [two, without(&three)];
    assert_eq!(code(&waived, &[]), 0);
    // What once passed and is waived now is one to whoever is strict.
    assert_eq!(code(&waived, &["--strict"]), 1);
}

#[test]
fn stretches_and_what_is_the_same_are_said_once() {
    let [one, two, _] = versions();
    let ran = trend(&[one.clone(), one.clone(), two.clone(), two], &[]);
    assert!(ran.said().contains("\n1.0 (2): 4 cases: 4 pass\n"), "{}", ran.said());
    let stretches = "\n  1.0 – 1.0 (2): conforms at 1, 4 of 4 pass\n  1.1 – 1.1 (2): partial at 1, 2 of 3 pass\n";
    assert!(ran.said().contains(stretches), "{}", ran.said());
    let ran = trend(&[one.clone(), one], &[]);
    assert!(ran.out.ends_with("\nthe same throughout: toy/copy conforms\n"), "{}", ran.said());
    assert_eq!(ran.code, 0);
}

#[test]
fn a_program_reads_the_same() {
    let ran = trend(&versions(), &["--format", "json"]);
    let said: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(said["backend"], "toy");
    assert_eq!(said["reports"][0].get("since"), None);
    let since = &said["reports"][2]["since"];
    let counts = ["regressions", "fixed", "new", "new_and_bad", "gone", "unchanged"].map(|key| &since[key]);
    assert_eq!(counts, [1, 1, 2, 1, 0, 1]);
    let at = json!({ "level": "1", "verdict": "partial", "applicable": 3, "passed": 2 });
    assert_eq!(said["operators"][0]["at"][1], at);
    assert_eq!(said["turns"][2], json!({ "outcomes": ["pass", "fail", "pass"], "cases": ["toy/copy/file/breaks"] }));
}

#[test]
fn reports_without_a_trend_are_refused() {
    let [one, ..] = versions();
    let mut other = one.clone();
    other.header.backend.name = "other\u{1b}[2J".into();
    let ran = trend(&[one.clone(), other], &[]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.said().contains("a trend is that of one backend, and these are of `toy` and `other\\u{1b}[2J`"),
        "{}",
        ran.said()
    );
    let ran = trend(&[one], &[]);
    assert_eq!((ran.code, ran.said().contains("a trend takes two reports at least")), (2, true), "{}", ran.said());
}
