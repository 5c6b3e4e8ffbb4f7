//! What has changed from one report to another: every kind of change, from logs that are written here by hand.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;

use crate::command::{Ran, opcert};
use opcert::judge::{CaseEvent, Event, Header};
use opcert::report::{ChangeKind, Diff, Log, LogWriter};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A log with these cases: a name and what is said of it.
pub(crate) fn log(cases: &[(&str, Value)]) -> Log {
    let header = json!({
        "format": 1, "opcert": "0", "specs": "00", "cases": "00", "isolated": false, "guards": true, "complete": true,
        "repeat": "", "planned": cases.len(),
        "backend": { "name": "toy", "version": "0", "claims": { "toy": "1" }, "strided": true, "refuses_invalid": true },
        "families": [{ "name": "toy", "title": "Toy", "levels": ["1"], "types": ["F32"] }],
        "operators": [{ "id": "toy/copy", "family": "toy", "title": "Copy", "introduced": "1", "subject": "In" }]
    });
    let header: Header = serde_json::from_value(header).unwrap();
    let case = |(name, said): &(&str, Value)| {
        let mut case = json!({
            "case": format!("toy/copy/file/{name}"), "operator": "toy/copy", "level": "1", "authority": "stated",
            "gates": true, "covers": []
        });
        said.as_object().unwrap().iter().for_each(|(key, value)| case[key] = value.clone());
        serde_json::from_value::<CaseEvent>(case).unwrap()
    };
    Log { header, cases: cases.iter().map(case).collect() }
}

/// The log as it stands in a file.
pub(crate) fn written(log: &Log) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = LogWriter::new(&mut bytes);
    writer.write(&Event::Header(Box::new(log.header.clone()))).unwrap();
    log.cases.iter().for_each(|case| writer.write(&Event::Case(Box::new(case.clone()))).unwrap());
    writer.write(&Event::Footer(log.footer())).unwrap();
    bytes
}

/// Writes both logs and compares them as a person would.
fn compared(before: &Log, after: &Log, options: &[&str]) -> Ran {
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("b")).unwrap();
    for (name, log) in [("a.jsonl", before), ("b/events.jsonl", after)] {
        fs::write(folder.path().join(name), written(log)).unwrap();
    }
    opcert(folder.path(), &[&["diff", "a.jsonl", "b"], options].concat())
}

pub(crate) fn came_out(outcome: &str) -> Value {
    json!({ "outcome": outcome })
}

fn because(outcome: &str, reason: &str) -> Value {
    json!({ "outcome": outcome, "reason": reason })
}

pub(crate) fn known(outcome: &str, reason: &str) -> Value {
    json!({ "outcome": "expected-failure", "waiver": { "outcome": outcome, "reason": reason } })
}

fn passes_although_known() -> Value {
    json!({ "outcome": "unexpected-pass", "waiver": { "outcome": "pass", "reason": "x" } })
}

fn differs(actual: &str) -> Value {
    let difference = json!({
        "tensor": "Out", "differing": 1, "defined": 4, "unwritten": 0, "first": [2], "expected": "1", "actual": actual
    });
    json!({ "outcome": "fail", "differences": [difference] })
}

fn answered(value: &str) -> Value {
    json!({ "outcome": "observed", "gates": false, "observed": [{ "tensor": "Out", "value": value }] })
}

/// What a case was, what it is, and what that makes of it.
fn kinds() -> Vec<(&'static str, Value, Value, Option<ChangeKind>)> {
    use ChangeKind::{Broken, BrokenAndWaived, Fixed, Gained, Lost, ObservationChanged, StillBad, Waived};
    vec![
        ("passes_still", came_out("pass"), came_out("pass"), None),
        ("passed_and_fails", came_out("pass"), differs("0"), Some(Broken)),
        ("passed_and_hangs", came_out("pass"), came_out("hang"), Some(Broken)),
        ("answered_and_crashes", answered("[1]"), came_out("crash"), Some(Broken)),
        ("did_not_run_and_fails", came_out("unsupported"), came_out("error"), Some(Broken)),
        ("was_known_and_is_not", known("fail", "x"), differs("0"), Some(Broken)),
        ("passed_and_is_unsupported", came_out("pass"), because("unsupported", "no"), Some(Lost)),
        ("failed_and_is_not_claimed", differs("0"), came_out("not-run"), Some(Lost)),
        ("answered_and_is_unsupported", answered("[1]"), came_out("unsupported"), Some(Lost)),
        ("fails_as_before", differs("0"), differs("0"), None),
        ("fails_in_another_way", differs("0"), differs("2"), Some(StillBad)),
        ("failed_and_crashes", differs("0"), came_out("crash"), Some(StillBad)),
        ("crashes_for_another_reason", because("crash", "x"), because("crash", "y"), Some(StillBad)),
        ("failed_and_is_known", differs("0"), known("fail", "x"), Some(Waived)),
        ("passed_and_is_known", came_out("pass"), known("fail", "x"), Some(BrokenAndWaived)),
        ("answered_and_is_known", answered("[1]"), known("crash", "x"), Some(BrokenAndWaived)),
        ("passed_although_known_and_fails", passes_although_known(), known("fail", "x"), Some(BrokenAndWaived)),
        ("was_unsupported_and_is_known", came_out("unsupported"), known("fail", "x"), Some(Waived)),
        ("is_known_as_before", known("fail", "x"), known("fail", "x"), None),
        ("is_known_for_another_reason", known("fail", "x"), known("fail", "y"), Some(Waived)),
        ("failed_and_passes", differs("0"), came_out("pass"), Some(Fixed)),
        ("broke_and_answers", came_out("nondeterministic"), answered("[1]"), Some(Fixed)),
        ("was_known_and_passes", known("fail", "x"), came_out("pass"), Some(Fixed)),
        ("was_known_and_passes_unexpectedly", known("fail", "x"), passes_although_known(), Some(Fixed)),
        ("passes_although_that_is_unexpected", came_out("pass"), passes_although_known(), None),
        ("was_unsupported_and_passes", came_out("unsupported"), came_out("pass"), Some(Gained)),
        ("was_not_claimed_and_answers", came_out("not-run"), answered("[1]"), Some(Gained)),
        ("is_unsupported_for_another_reason", because("unsupported", "x"), because("unsupported", "y"), None),
        ("answers_as_before", answered("[1]"), answered("[1]"), None),
        ("answers_otherwise", answered("[1]"), answered("[2]"), Some(ObservationChanged)),
        ("accepts_no_more", because("observed", "accepted"), because("observed", "refused"), Some(ObservationChanged)),
        ("is_open_no_more", answered("[1]"), came_out("pass"), Some(ObservationChanged)),
    ]
}

#[test]
fn every_change_is_of_its_kind() {
    for (name, before, after, kind) in kinds() {
        let [before, after] = [before, after].map(|said| log(&[(name, said)]));
        let diff = Diff::of(&before, &after, false);
        let found: Vec<ChangeKind> = diff.changes.iter().map(|change| change.kind).collect();
        assert_eq!(found, kind.into_iter().collect::<Vec<_>>(), "{name}");
        assert_eq!(diff.counts.unchanged, usize::from(kind.is_none()), "{name}");
        let regression = matches!(kind, Some(ChangeKind::Broken | ChangeKind::Lost));
        assert_eq!(diff.counts.regressions, usize::from(regression), "{name}");
        let strictly = regression || kind == Some(ChangeKind::BrokenAndWaived);
        assert_eq!(Diff::of(&before, &after, true).counts.regressions, usize::from(strictly), "{name}");
    }
}

#[test]
fn what_is_new_or_gone_is_said() {
    let nothing = log(&[]);
    for (said, kind, regressions) in [
        (came_out("pass"), ChangeKind::New, 0),
        (came_out("unsupported"), ChangeKind::New, 0),
        (answered("[1]"), ChangeKind::New, 0),
        (known("fail", "x"), ChangeKind::New, 0),
        (passes_although_known(), ChangeKind::New, 0),
        (differs("0"), ChangeKind::NewAndBad, 1),
    ] {
        let one = log(&[("one", said)]);
        let diff = Diff::of(&nothing, &one, true);
        assert_eq!((diff.changes[0].kind, diff.counts.regressions), (kind, regressions));
        let gone = Diff::of(&one, &nothing, true);
        assert_eq!((gone.changes[0].kind, gone.counts.regressions), (ChangeKind::Gone, 0));
    }
}

#[test]
fn a_person_reads_them_kind_by_kind() {
    let before = [
        ("fixed", differs("0")),
        ("same", came_out("pass")),
        ("broken", came_out("pass")),
        ("gone", came_out("pass")),
        ("open", answered("[1,\n 2]")),
        ("worse", because("crash", "it died")),
    ];
    let after = [
        ("worse", because("hang", "no answer")),
        ("open", answered("[1,\n 3]")),
        ("broken", differs("7")),
        ("fixed", came_out("pass")),
        ("same", came_out("pass")),
        ("new", came_out("pass")),
        ("bad", known("fail", "a known one")),
    ];
    let ran = compared(&log(&before), &log(&after), &[]);
    let expected = "1 regression, 1 fixed, 5 otherwise changed, 1 unchanged

broken (1 case)
  toy/copy/file/broken
    before  pass
    after   fail: 1 of 4 elements of `Out` differ; it is 7 at [2], expected 1

still bad, in another way (1 case)
  toy/copy/file/worse
    before  crash: it died
    after   hang: no answer

fixed (1 case)
  toy/copy/file/fixed
    before  fail: 1 of 4 elements of `Out` differ; it is 0 at [2], expected 1
    after   pass

observation changed (1 case)
  toy/copy/file/open
    before  observed: `Out` = `[1, 2]`
    after   observed: `Out` = `[1, 3]`

new (2 cases)
  toy/copy/file/new
    after   pass
  toy/copy/file/bad
    after   expected-failure: known: fail: a known one

gone (1 case)
  toy/copy/file/gone
    before  pass
";
    assert_eq!((ran.code, ran.out.as_str()), (1, expected), "{}", ran.said());
}

#[test]
fn the_exit_code_tells_regressions() {
    for (before, after, code) in [
        (came_out("pass"), came_out("pass"), 0),
        (differs("0"), came_out("pass"), 0),
        (differs("0"), differs("1"), 0),
        (came_out("pass"), differs("1"), 1),
        (came_out("pass"), came_out("unsupported"), 1),
    ] {
        let ran = compared(&log(&[("one", before)]), &log(&[("one", after)]), &[]);
        assert_eq!(ran.code, code, "{}", ran.said());
    }
    // A waiver is an excuse, unless whoever asks takes none for what once passed.
    let waived = |options: &[&str]| {
        let (before, after) = (log(&[("one", came_out("pass"))]), log(&[("one", known("fail", "x"))]));
        let ran = compared(&before, &after, options);
        (ran.code, ran.out.lines().next().map(str::to_owned))
    };
    let said = |text: &str| Some(text.to_owned());
    assert_eq!(waived(&[]), (0, said("0 regressions, 0 fixed, 1 otherwise changed, 0 unchanged")));
    assert_eq!(waived(&["--strict"]), (1, said("1 regression, 0 fixed, 0 otherwise changed, 0 unchanged")));
    let same = compared(&log(&[("one", came_out("pass"))]), &log(&[("one", came_out("pass"))]), &[]);
    assert_eq!(same.out, "0 regressions, 0 fixed, 0 otherwise changed, 1 unchanged\n");
    assert_eq!(compared(&log(&[]), &log(&[("one", differs("0"))]), &[]).code, 1);
    assert_eq!(compared(&log(&[("one", came_out("pass"))]), &log(&[]), &[]).code, 0);
}

#[test]
fn heads_that_differ_are_said() {
    let before = log(&[]);
    let mut after = before.clone();
    after.header.specs = "0123456789abcdef0123".to_owned();
    after.header.cases = "11".to_owned();
    after.header.backend.version = "1".into();
    after.header.backend.device = Some("Red one".into());
    after.header.opcert = "9".to_owned();
    after.header.isolated = true;
    after.header.complete = false;
    after.header.level = Some("1".to_owned());
    let said = "0 regressions, 0 fixed, 0 otherwise changed, 0 unchanged

version: 0 -> 1
device: none -> Red one
opcert: 0 -> 9
specifications: 00 -> 0123456789abcdef
cases: 00 -> 11
suite: the embedded suite -> a part of it, or another
level: all that is claimed -> 1
way: in process -> in a process of its own
";
    assert_eq!(compared(&before, &after, &[]).out, said);
}

#[test]
fn a_program_reads_the_same() {
    let before = log(&[("one", came_out("pass")), ("two", came_out("pass"))]);
    let mut after = log(&[("one", differs("7"))]);
    after.header.opcert = "9".to_owned();
    let ran = compared(&before, &after, &["--format", "json"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    let said = "1 of 4 elements of `Out` differ; it is 7 at [2], expected 1";
    let expected = json!({
        "counts": { "regressions": 1, "fixed": 0, "changed": 1, "unchanged": 0 },
        "heads": [{ "what": "opcert", "before": "0", "after": "9" }],
        "changes": [
            {
                "kind": "broken", "case": "toy/copy/file/one", "before": { "outcome": "pass" },
                "after": { "outcome": "fail", "said": [said] }
            },
            { "kind": "gone", "case": "toy/copy/file/two", "before": { "outcome": "pass" } }
        ]
    });
    assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), expected);
}

#[test]
fn what_is_no_report_is_refused() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.jsonl"), "").unwrap();
    let ran = opcert(folder.path(), &["diff", "a.jsonl", "a.jsonl"]);
    assert_eq!((ran.code, ran.err.as_str()), (2, "error: `a.jsonl`: the log is empty\n"));
    assert_eq!(opcert(folder.path(), &["diff", "a.jsonl"]).code, 2);
}
