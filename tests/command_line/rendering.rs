//! What is rendered from event logs: the page, the picture, the badge and the tables, by the command and by the library.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::fs;

use crate::command::opcert;
use crate::{doctored, page_data};
use anstream::adapter::strip_str;
use opcert::judge::{Observation, Outcome};
use opcert::report::{
    Certificate, Certified, Log, SuiteDigests, badge, comparison_table, html, markdown, side_by_side, summary, svg,
};
use opcert::source::Source;
use opcert::spec::Specs;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A log of a family of two levels that claims `claims`, with one case per outcome; the strided ones are marked so.
fn log(claims: &Value, complete: bool, outcomes: &[(&str, bool)]) -> Log {
    let header = json!({
        "format": 1, "opcert": "0", "specs": "00", "cases": "00", "isolated": false, "guards": true, "complete": complete,
        "repeat": "", "planned": outcomes.len(),
        "backend": { "name": "to|y", "version": "0", "claims": claims, "strided": true, "refuses_invalid": true },
        "families": [{ "name": "toy", "title": "Toy", "levels": ["1", "2"], "types": ["F32"] }],
        "operators": [{ "id": "toy/copy", "family": "toy", "title": "Copy", "introduced": "1", "subject": "In" }]
    });
    let case = |(at, (outcome, strided)): (usize, &(&str, bool))| {
        let mut case = json!({
            "case": format!("toy/copy/file/{at}"), "operator": "toy/copy", "level": "1", "authority": "stated",
            "gates": true, "strided": strided, "data_type": "F32", "dimensions": 1, "covers": [], "outcome": outcome
        });
        if *outcome == "expected-failure" {
            case["waiver"] = json!({ "reason": "known", "outcome": "fail" });
        }
        serde_json::from_value(case).unwrap()
    };
    let cases = outcomes.iter().enumerate().map(case).collect();
    Log { header: serde_json::from_value(header).unwrap(), cases }
}

#[test]
fn a_badge_says_what_the_claims_come_to() {
    let all = json!({ "toy": "2" });
    let table = [
        (log(&all, true, &[("pass", false)]), "conforms: toy 2", "brightgreen"),
        (log(&json!({ "toy": "1" }), true, &[("pass", false)]), "conforms: toy 1", "brightgreen"),
        (log(&all, true, &[("pass", false), ("unsupported", true)]), "conforms, packed only: toy 2", "green"),
        (log(&all, true, &[("pass", false), ("unsupported", false)]), "partial, 2 / 1 / 1", "yellow"),
        (log(&all, true, &[("pass", false), ("fail", false), ("unsupported", false)]), "partial, 3 / 2 / 1", "red"),
        (
            log(&all, true, &[("pass", false), ("expected-failure", false)]),
            "conforms but for 1 of 2 waived: toy 2",
            "blueviolet",
        ),
        (
            log(&all, true, &[("pass", false), ("expected-failure", false), ("unsupported", false)]),
            "partial, 3 / 2 / 1",
            "blueviolet",
        ),
        (log(&all, true, &[("pass", false), ("missing", true)]), "partial, 2 / 1 / 1", "yellow"),
        (log(&all, false, &[("pass", false)]), "all passed: toy 2", "lightgrey"),
        (log(&json!({}), true, &[("not-run", false)]), "nothing claimed", "lightgrey"),
    ];
    for (log, message, color) in table {
        let badge: Value = serde_json::from_str(&badge(&log)).unwrap();
        let expected = json!({ "schemaVersion": 1, "label": "opcert to|y", "message": message, "color": color });
        assert_eq!(badge, expected);
    }
}

#[test]
fn how_much_is_waived_is_said_in_every_form() {
    let all = json!({ "toy": "2" });
    let whole = [log(&all, true, &[("pass", false), ("expected-failure", false), ("pass", true)])];
    let words = "conforms but for 1 of 3 waived";
    for (form, text) in [
        ("terminal", summary(&whole[0], 200)),
        ("Markdown", markdown(&whole[0])),
        ("table", comparison_table(&whole)),
        ("picture", svg(&whole)),
        ("page", html(&whole)),
        ("badge", badge(&whole[0])),
        ("certificate", certificate(&whole[0])),
    ] {
        assert!(text.contains(words), "{form}\n{text}");
    }
}

/// Verdicts do not count the large tier, so that what went wrong there is said beside them.
#[test]
fn what_went_wrong_of_the_large_tier_is_not_passed_over() {
    let mut log = log(
        &json!({ "toy": "2" }),
        false,
        &[("pass", false), ("fail", false), ("out-of-memory", false), ("pass", false)],
    );
    let said = "2 that went wrong of the large tier, which no verdict counts";
    let partial = summary(&log, 200);
    assert!(!partial.contains(said) && partial.contains("partial"), "{partial}");
    log.cases.iter_mut().skip(1).for_each(|case| (case.large, case.gates) = (true, false));
    let passed = summary(&log, 200);
    assert!(passed.contains(said) && passed.contains("all passed"), "{passed}");
}

/// What makes a verdict partial comes before what is not claimed, which is one line however much it is.
#[test]
fn why_a_verdict_is_partial_is_said_first() {
    let said = |cases: &[(&str, &str)]| -> Vec<String> {
        let outcomes: Vec<(&str, bool)> = cases.iter().map(|(outcome, _)| (*outcome, false)).collect();
        let mut log = log(&json!({ "toy": "2" }), true, &outcomes);
        for (case, (_, reason)) in log.cases.iter_mut().zip(cases) {
            (case.gates, case.reason) = (!reason.starts_with("open"), Some((*reason).into()));
        }
        let text = strip_str(&summary(&log, 200)).to_string();
        let above = text.lines().take_while(|line| !line.is_empty());
        above.filter(|line| line.starts_with("  ")).map(str::to_owned).collect()
    };
    let cases = [
        vec![("pass", "")],
        vec![("not-run", "the backend does not claim `toy/copy`"); 3],
        vec![("unsupported", "open: what comes first of two"); 2],
        vec![("not-run", "the backend does not claim strided tensors"); 2],
        vec![("not-run", "the backend does not claim `toy/copy` above 1")],
        vec![("unsupported", "takes the first of equal elements")],
    ];
    let expected = [
        "  1 unsupported: takes the first of equal elements",
        "  6 not-run: the backend does not claim the operator (3), strided tensors (2), the operator above 1 (1)",
        "  2 unsupported: open: what comes first of two",
    ];
    assert_eq!(said(&cases.concat()), expected);
    let strided = [("not-run", "the backend does not claim strided tensors"); 4];
    assert_eq!(said(&strided), ["  4 not-run: the backend does not claim strided tensors"]);
    // What is too much to be listed is told by its outcomes.
    let many = [("missing", "z"), ("missing", "z")].into_iter().chain(strided);
    let many: Vec<(&str, &str)> = many.chain(["a", "b", "c", "d", "e"].map(|reason| ("unsupported", reason))).collect();
    let expected = [
        "  2 missing: z",
        "  1 unsupported: a",
        "  1 unsupported: b",
        "  1 unsupported: c",
        "  1 unsupported: d",
        "  1 unsupported, 4 not-run for 2 other reasons",
    ];
    assert_eq!(said(&many), expected);
}

/// What the certificate of a log says.
fn certificate(log: &Log) -> String {
    let nothing = || BTreeMap::new();
    let suite = SuiteDigests { specifications: nothing(), cases: nothing(), documents: BTreeMap::new() };
    Certificate::of(log, String::new(), suite).text().unwrap()
}

#[test]
fn colours_mean_the_same_on_the_terminal_and_on_the_page() {
    let all = json!({ "toy": "2" });
    // What comes out, the colour on a terminal, and the class and the sign on the page.
    for (outcomes, colour, class, sign) in [
        (&[("pass", false)][..], "32", "good", '✓'),
        (&[("pass", false), ("unsupported", true)], "32", "good-in-part", '✓'),
        (&[("pass", false), ("expected-failure", false)], "35", "waived", '≈'),
        (&[("pass", false), ("unsupported", false)], "33", "part", '◐'),
        (&[("expected-failure", false), ("unsupported", false)], "35", "part-waived", '◔'),
        (&[("pass", false), ("fail", false)], "31", "bad", '✕'),
    ] {
        let logs = [log(&all, true, outcomes)];
        let terminal = summary(&logs[0], 200);
        let row = terminal.lines().find(|line| line.contains("  1 – 2  ")).unwrap();
        assert!(row.starts_with(&format!("\u{1b}[{colour}m")), "{row:?}");
        let page = html(&logs);
        let cell = format!("<a class=\"cell {class} basis-all\"");
        let (_, inside) = page.split_once(&cell).unwrap_or_else(|| panic!("no `{cell}`"));
        assert!(inside.split_once("</a>").unwrap().0.contains(sign), "{class}");
        let picture = svg(&logs);
        assert!(picture.contains(&format!("<g class=\"{class}\">")) && picture.contains(&format!(".{class} rect")));
        assert!(page.contains(&format!(".{class} {{ background:")));
    }
}

#[test]
fn several_backends_stand_side_by_side_in_markdown() {
    let all = json!({ "toy": "2" });
    let logs = [log(&all, true, &[("pass", false)]), log(&json!({ "toy": "1" }), true, &[("fail", false)])];
    let text = comparison_table(&logs);
    for line in [
        "# 2 backends side by side",
        "| operator | backend | 1 | 2 |",
        r"| toy/copy | to\|y 0 | conforms 1 / 1 / 1 | conforms 1 / 1 / 1 |",
        r"| toy/copy | to\|y 0 (2) | partial 1 / 1 / 0 | not claimed |",
    ] {
        assert!(text.lines().any(|each| each == line), "`{line}` is not in\n{text}");
    }
    // Levels at which nothing changes for anybody share a column.
    let alike = comparison_table(&logs[..1]);
    assert!(alike.contains("| operator | backend | 1 – 2 |"), "{alike}");
}

/// What a backend does not claim at all is a line, as on the terminal; a level that it does not claim is a row.
#[test]
fn operators_that_are_not_claimed_share_a_line_in_markdown() {
    let outcomes = ["pass", "not-run", "not-run", "observed"].map(|outcome| (outcome, false));
    let mut log = log(&json!({ "toy/copy": "1" }), true, &outcomes);
    for (at, name) in [(1, "toy/swap"), (2, "toy/move")] {
        name.clone_into(&mut log.cases[at].operator);
        let mut operator = log.header.operators[0].clone();
        name.clone_into(&mut operator.id);
        log.header.operators.push(operator);
    }
    let text = markdown(&log);
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(heads, ["## toy/copy", "## What the documents leave open"], "{text}");
    assert!(text.contains("\n| 2 | not claimed | not claimed | | | | | |\n"), "{text}");
    let line = "\n\nNot claimed: `toy/swap`, `toy/move`.\n\n## What the documents leave open\n";
    assert!(text.contains(line), "{text}");
    log.header.backend.claims = [("toy".to_owned(), "1".to_owned())].into();
    assert!(!markdown(&log).contains("Not claimed"));
}

/// Figures of an older suite beside those of a newer one are no comparison.
#[test]
fn backends_of_different_suites_are_said_to_be() {
    let all = json!({ "toy": "2" });
    let longer = [("pass", false), ("pass", true)];
    let said = "Different suites were run: of 2 cases on to|y 0; of 1 case on to|y 0 (2). Neither verdicts nor \
                counts of one compare with those of another: certify again what ran an older one.";
    let shown = |logs: &[Log]| [comparison_table(logs).replace('\\', ""), side_by_side(logs, 1000)];
    for text in shown(&[log(&all, true, &longer), log(&all, true, &longer[..1])]) {
        assert!(text.lines().any(|line| line == said), "{text}");
    }
    let picture = svg(&[log(&all, true, &longer), log(&all, true, &longer[..1])]);
    assert!(picture.contains(">Different suites were run: of 2 cases on to|y 0;"), "{picture}");
    assert!(!svg(&vec![log(&all, true, &longer); 2]).contains("Different suites"));
    // What ran a part of it says so already.
    for logs in [vec![log(&all, true, &longer); 2], vec![log(&all, true, &longer), log(&all, false, &longer[..1])]] {
        assert!(shown(&logs).iter().all(|text| !text.contains("Different suites")));
    }
}

/// What was not run, is not supported or did not come back stands beside the answers, and is none.
#[test]
fn what_gave_no_answer_to_an_open_question_differs_from_none() {
    let backend = |answers: [&str; 3]| {
        let outcomes = answers.map(|answer| (if answer.starts_with('[') { "observed" } else { answer }, false));
        let mut log = log(&json!({ "toy": "2" }), true, &outcomes);
        for (case, answer) in log.cases.iter_mut().zip(answers) {
            (case.gates, case.authority) = (false, "unspecified".to_owned());
            if case.outcome == Outcome::Observed {
                case.observed = vec![Observation { tensor: "Out".to_owned(), value: answer.to_owned() }];
            }
        }
        log
    };
    // Two answers that differ, two that do not, and one alone.
    let page = html(&[
        backend(["not-run", "[1]", "missing"]),
        backend(["[1]", "[1]", "[1]"]),
        backend(["not-run", "unsupported", "not-run"]),
        backend(["[2]", "not-run", "unsupported"]),
    ]);
    let said = " Answers differ in 1 of 2 questions that at least two backends answered; ";
    assert!(page.contains(said), "{page}");
    let letter = |letter: char| format!("<span class=\"letter\"><span class=\"unseen\">answer </span>{letter}</span>");
    for (letter, value) in [(letter('A'), "[1]"), (letter('B'), "[2]")] {
        assert!(page.contains(&format!("{letter}<div class=\"answer\"><pre>{value}</pre>")), "{page}");
    }
    assert_eq!(page.matches("<span class=\"letter\">").count(), 2, "{page}");
    for (outcome, count) in [("not-run", 4), ("unsupported", 2), ("missing", 1)] {
        assert_eq!(
            page.matches(&format!("<span class=\"quiet\">{outcome}</span>")).count(),
            count,
            "{outcome}\n{page}"
        );
    }
}

/// A certificate alone gives the table, the picture and the badge that its log gives.
#[test]
fn a_certificate_states_the_matrix_of_its_log() {
    let folder = TempDir::new().unwrap();
    let right = doctored::right(folder.path(), &doctored::BY_HAND).unwrap();
    let logs = [right.clone(), doctored::faulty(&right)];
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let digests = SuiteDigests::of(&specs, &Source::embedded_specs(), &Source::embedded_cases()).unwrap();
    let certificate = |log: &Log| Certificate::of(log, String::new(), digests.clone()).text().unwrap();
    let read = |text: &str| Certified::of(serde_json::from_str(text).unwrap(), &specs);
    let certified: Vec<Certified> = logs.iter().map(|log| read(&certificate(log)).unwrap()).collect();
    assert_eq!(comparison_table(&certified), comparison_table(&logs));
    assert_eq!(svg(&certified), svg(&logs));
    for (certified, log) in certified.iter().zip(&logs) {
        assert_eq!(badge(certified), badge(log));
    }
    // What it says has to follow from its figures, and to be specified.
    let text = certificate(&right);
    for (right, wrong, said) in [
        ("\"conforms", "\"partial", "is said to be `partial"),
        ("\"directml/argmax\": {", "\"directml/argmid\": {", "`directml/argmid` is no operator"),
        ("\"6_4\": {", "\"7_0\": {", "has the levels"),
    ] {
        assert!(text.contains(right), "{right}");
        let error = read(&text.replacen(right, wrong, 1)).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn the_same_logs_give_the_same_bytes_and_little_of_them() {
    let folder = TempDir::new().unwrap();
    let right = doctored::right(folder.path(), &doctored::BY_HAND).unwrap();
    let logs = [right.clone(), doctored::faulty(&right), doctored::hostile(&right)];
    let page = html(&logs);
    assert_eq!(page, html(&logs.clone()));
    assert_eq!(svg(&logs), svg(&logs.clone()));
    // What came from outside is packed, and nothing in it is unseen when it is not.
    let (data, behind) = page_data::of(&page).unwrap();
    assert!(data.contains("</script>") && !data.contains(doctored::UNSEEN));
    assert_eq!(behind.matches("</script>").count(), 1);
    assert!(serde_json::from_str::<Value>(&data).is_ok());
    // A case that passed costs less than its id, title and requirements written out.
    let one = html(&logs[..1]);
    let log: usize = right.cases.iter().map(|case| serde_json::to_string(case).unwrap().len()).sum();
    assert!(page_data::of(&one).unwrap().0.len() < log, "{} bytes for a log of {log}", one.len());
    assert!(one.len() < log, "{} bytes for a log of {log}", one.len());
}

#[test]
fn the_command_writes_each_format_and_a_run_its_page() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let filter = "directml/one_hot/documented/*";
    for (arguments, code) in [
        (&["run", filter, "--backend", "cpu", "--out", "one"][..], 0),
        (&["matrix", "one", "--format", "html", "--out", "pages/page.html"], 0),
        (&["matrix", "one", "one", "--format", "svg", "--out", "picture.svg"], 0),
        (&["matrix", "one", "--format", "badge", "--out", "badge.json"], 0),
        (&["matrix", "one", "--out", "matrix.md"], 0),
        (&["matrix", "one", "--format", "pdf"], 2),
        (&["matrix", "one", "--out", ".."], 2),
    ] {
        let ran = opcert(path, arguments);
        assert_eq!(ran.code, code, "{arguments:?}\n{}", ran.said());
    }
    let read = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    assert_eq!(read("one/report.html"), read("pages/page.html"));
    assert_eq!(read("one/matrix.md"), read("matrix.md"));
    assert!(read("picture.svg").starts_with("<svg"));
    assert!(read("badge.json").contains("\"schemaVersion\":1"));
    let printed = opcert(path, &["matrix", "one", "--format", "html"]);
    assert_eq!(printed.out, read("pages/page.html"));
    let refused = opcert(path, &["matrix", "one", "one", "--format", "badge"]);
    assert_eq!(refused.code, 2, "{}", refused.said());
    assert!(refused.err.contains("a badge is of one backend, and 2 reports are named"), "{}", refused.said());
}
