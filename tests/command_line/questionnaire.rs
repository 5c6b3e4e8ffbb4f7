//! What the documents leave open: each question with the answers of several reports.

use std::collections::BTreeSet;
use std::fs;

use crate::command::opcert;
use opcert::case::CaseSource;
use opcert::check::Suite;
use opcert::questionnaire::{Questionnaire, open};
use opcert::source::Source;
use opcert::spec::{Authority, Specs};
use serde_json::{Value, json};
use tempfile::TempDir;

#[test]
fn every_open_question_is_put_and_no_other() {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |_| true).unwrap();
    let questionnaire = Questionnaire::new(&specs, &suite.cases, &[]);
    assert_eq!(questionnaire.unasked, [""; 0]);
    let asked: BTreeSet<&str> =
        questionnaire.questions.iter().flat_map(|question| &question.cases).map(|asked| asked.case.as_str()).collect();
    let put: BTreeSet<&str> = suite.cases.iter().filter_map(open).map(|case| case.about.id.as_str()).collect();
    assert_eq!(asked, put);
    for question in &questionnaire.questions {
        let requirement =
            specs.operators.iter().find_map(|operator| operator.requirement(&question.requirement)).unwrap();
        assert!(matches!(requirement.authority, Authority::Unspecified | Authority::Undefined), "{question:?}");
        assert_eq!((requirement.authority.key(), &requirement.text), (question.authority, &question.text));
    }
}

/// Without a report the backend is asked.
#[test]
fn the_bundled_backend_is_asked() {
    let folder = TempDir::new().unwrap();
    let ran = opcert(folder.path(), &["observe", "--out", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let nan = "directml/argmax/nan  unspecified\n  ";
    let case = "\n\n  directml/argmax/by_hand/nan_last  ";
    let answer = "\n    cpu 0.1.0  `OutputTensor` = `[3]`\n";
    for part in [nan, case, answer] {
        assert!(ran.out.contains(part), "`{part}` is not said\n{}", ran.out);
    }
    let log = fs::read_to_string(folder.path().join("out/events.jsonl")).unwrap();
    let observed = log.lines().filter(|line| line.contains("\"outcome\":\"observed\"")).count();
    assert_eq!(observed, log.lines().count() - 2, "something else was run");
    assert_eq!(opcert(folder.path(), &["observe", "out"]).out, ran.out);
    assert_eq!(opcert(folder.path(), &["observe", "out", "--backend", "cpu"]).code, 2);
}

#[test]
fn reports_stand_side_by_side() {
    let folder = TempDir::new().unwrap();
    let nan = "directml/argmax/by_hand/nan_last";
    let ran = opcert(folder.path(), &["run", nan, "directml/argmax/by_hand/nan_first", "--out", "one"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let log = fs::read_to_string(folder.path().join("one/events.jsonl")).unwrap();
    let (answer, other) = ("\"value\":\"[3]\"", "\"value\":\"[2]\"");
    assert!(log.contains(answer), "{log}");
    let log = log.replace(answer, other).replace("\"name\":\"cpu\"", "\"name\":\"another\"");
    fs::write(folder.path().join("two.jsonl"), &log).unwrap();
    let refused = log.lines().map(|line| match line.contains(nan) {
        true => {
            let mut event: Value = serde_json::from_str(line).unwrap();
            event["reason"] = json!("refused at 3_0: no");
            event.as_object_mut().unwrap().remove("observed").unwrap();
            event.to_string()
        }
        false => line.to_owned(),
    });
    fs::write(folder.path().join("three.jsonl"), refused.collect::<Vec<_>>().join("\n")).unwrap();
    let ran = opcert(folder.path(), &["observe", "one", "two.jsonl", "three.jsonl"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let answers = "
    cpu 0.1.0      `OutputTensor` = `[3]`
    another 0.1.0  `OutputTensor` = `[2]`
    another 0.1.0  refused at 3_0: no
";
    assert!(ran.out.contains(answers), "{}", ran.out);
    assert!(ran.out.contains("    cpu 0.1.0      not in the report\n"), "{}", ran.out);
}

#[test]
fn what_was_not_run_is_called_no_answer() {
    let folder = TempDir::new().unwrap();
    let ran = opcert(folder.path(), &["run", "directml/argmax/by_hand/nan_last", "--out", "one"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let log = fs::read_to_string(folder.path().join("one/events.jsonl")).unwrap();
    for (outcome, reason) in [
        ("not-run", "the backend does not claim `directml/argmax`"),
        ("unsupported", "no NaN"),
        ("missing", "there is no `answer.json`"),
    ] {
        let mut events: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let [_, case, footer] = events.as_mut_slice() else { panic!("{log}") };
        (case["outcome"], case["reason"]) = (json!(outcome), json!(reason));
        case.as_object_mut().unwrap().remove("observed");
        footer["outcomes"] = json!({ outcome: 1 });
        let lines: Vec<String> = events.iter().map(Value::to_string).collect();
        fs::write(folder.path().join("two.jsonl"), lines.join("\n")).unwrap();
        let ran = opcert(folder.path(), &["observe", "two.jsonl", "one"]);
        assert_eq!(ran.code, 0, "{}", ran.said());
        let beside = format!("    cpu 0.1.0  no answer, {outcome}: {reason}\n    cpu 0.1.0  `OutputTensor` = `[3]`\n");
        assert!(ran.out.contains(&beside), "{}", ran.out);
    }
}

#[test]
fn a_report_on_other_specifications_says_so() {
    let folder = TempDir::new().unwrap();
    let ran = opcert(folder.path(), &["run", "directml/argmax/by_hand/nan_last", "--out", "one"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let log = fs::read_to_string(folder.path().join("one/events.jsonl")).unwrap();
    let (before, rest) = log.split_once("\"specs\":\"").unwrap();
    fs::write(folder.path().join("other.jsonl"), format!("{before}\"specs\":\"00{}", &rest[2..])).unwrap();
    let ran = opcert(folder.path(), &["observe", "other.jsonl"]);
    assert!(ran.out.starts_with("`other.jsonl` was made with other specifications than these\n\n"), "{}", ran.out);
    assert!(opcert(folder.path(), &["observe", "one"]).out.starts_with("directml/"));
}
