//! The figures of a matrix, counted from logs that are written here by hand.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use opcert::judge::{CaseEvent, Event, Header};
use opcert::report::{Cell, Counts, LevelRow, Log, LogWriter, Matrix, Standing, junit, markdown, waivers};
use serde_json::{Value, json};

/// A log of a backend that claims `claims`, with these cases of one operator that exists from level 2 of 4 on.
fn log(claims: &Value, refuses: bool, complete: bool, cases: Vec<Value>) -> Log {
    let header = json!({
        "format": 1, "opcert": "0", "specs": "00", "cases": "00", "isolated": false, "guards": true, "complete": complete,
        "repeat": "", "planned": cases.len(),
        "backend": { "name": "toy", "version": "0", "claims": claims, "strided": true, "refuses_invalid": refuses },
        "families": [{ "name": "toy", "title": "Toy", "levels": ["1", "2", "3", "4"], "types": ["F32", "I32"] }],
        "operators": [{ "id": "toy/copy", "family": "toy", "title": "Copy", "introduced": "2", "subject": "In" }]
    });
    let header: Header = serde_json::from_value(header).unwrap();
    let cases = cases.into_iter().map(|case| serde_json::from_value::<CaseEvent>(case).unwrap()).collect();
    Log { header, cases }
}

/// A gating case on packed F32 tensors of one dimension, with changes.
fn case(level: &str, outcome: &str, changes: &Value) -> Value {
    let mut case = json!({
        "case": format!("toy/copy/file/{level}_{outcome}"), "operator": "toy/copy", "level": level, "authority": "stated",
        "gates": true, "data_type": "F32", "dimensions": 1, "covers": [], "outcome": outcome
    });
    for (key, value) in changes.as_object().unwrap() {
        case[key] = value.clone();
    }
    case
}

/// One kind of cells, on stated requirements alone and on all.
fn both(row: &LevelRow, pick: impl Fn(&Counts) -> Cell) -> [Cell; 2] {
    let [stated, all] = &row.counts;
    [pick(stated), pick(all)]
}

fn cell(applicable: usize, run: usize, passed: usize) -> Cell {
    Cell { applicable, run, passed, waived: 0 }
}

fn all() -> Value {
    json!({ "toy": "4" })
}

#[test]
fn a_case_counts_from_its_level_on_and_only_as_what_it_is() {
    let derived = json!({ "authority": "derived" });
    let matrix = Matrix::of(&log(
        &all(),
        true,
        true,
        vec![
            case("2", "pass", &json!({})),
            case("3", "fail", &derived),
            case("3", "unsupported", &json!({})),
            case("4", "not-run", &json!({})),
            case("2", "pass", &json!({ "strided": true })),
            case("2", "observed", &json!({ "gates": false, "authority": "unspecified" })),
        ],
    ));
    let rows = &matrix.operators[0].levels;
    assert_eq!(rows[0].standings, [Standing::Absent; 2]);
    assert_eq!(both(&rows[1], |counts| counts.packed), [cell(1, 1, 1); 2]);
    assert_eq!(both(&rows[1], |counts| counts.strided), [cell(1, 1, 1); 2]);
    assert_eq!(rows[1].standings, [Standing::Conforms; 2]);
    // Level 3 adds a failure that rests on a derived requirement, and a case that is not supported.
    assert_eq!(both(&rows[2], |counts| counts.packed), [cell(2, 1, 1), cell(3, 2, 1)]);
    assert_eq!(rows[2].standings, [Standing::Partial; 2]);
    assert_eq!(both(&rows[3], |counts| counts.packed), [cell(3, 1, 1), cell(4, 2, 1)]);
    assert_eq!(matrix.operators[0].types, [("F32".to_owned(), vec![(1, cell(5, 3, 2))])]);
}

#[test]
fn the_two_verdicts_stand_side_by_side() {
    let derived = json!({ "authority": "derived" });
    let cases = vec![case("2", "pass", &json!({})), case("2", "fail", &derived)];
    let matrix = Matrix::of(&log(&all(), true, true, cases));
    assert_eq!(matrix.operators[0].levels[1].standings, [Standing::Conforms, Standing::Partial]);
    // The large tier counts for neither.
    let large = json!({ "large": true, "gates": false });
    let cases = vec![case("2", "pass", &json!({})), case("2", "fail", &large)];
    let matrix = Matrix::of(&log(&all(), true, true, cases));
    assert_eq!(matrix.operators[0].levels[1].standings, [Standing::Conforms; 2]);
}

#[test]
fn a_packed_only_backend_is_not_held_to_strided_refusals() {
    let cases = vec![
        case("2", "pass", &json!({})),
        case("2", "pass", &json!({ "refused_until": "4" })),
        case("2", "unsupported", &json!({ "refused_until": "4", "strided": true })),
    ];
    let matrix = Matrix::of(&log(&all(), true, true, cases));
    assert_eq!(matrix.operators[0].levels[1].standings, [Standing::ConformsPacked; 2]);
}

#[test]
fn known_failures_are_waived_and_never_passed() {
    let known = |changes: &Value| {
        let waiver = json!({ "reason": "known", "link": "https://example.org/7", "outcome": "fail" });
        let mut all = json!({ "waiver": waiver });
        changes.as_object().unwrap().iter().for_each(|(key, value)| all[key] = value.clone());
        all
    };
    let standings = |cases: Vec<Value>| Matrix::of(&log(&all(), true, true, cases)).operators.remove(0).levels;
    let derived = known(&json!({ "authority": "derived" }));
    let rows = standings(vec![case("2", "pass", &json!({})), case("3", "expected-failure", &derived)]);
    assert_eq!(both(&rows[2], |counts| counts.packed), [cell(1, 1, 1), Cell { waived: 1, ..cell(2, 2, 1) }]);
    assert_eq!(rows[1].standings, [Standing::Conforms; 2]);
    assert_eq!(rows[2].standings, [Standing::Conforms, Standing::ConformsWithWaivers]);
    // Something else that did not pass is no waiver, and strided tensors that did not run are not waived.
    let cases = vec![case("2", "expected-failure", &known(&json!({}))), case("2", "unsupported", &json!({}))];
    assert_eq!(standings(cases)[1].standings, [Standing::Partial; 2]);
    let strided = json!({ "strided": true });
    let cases = vec![case("2", "expected-failure", &known(&json!({}))), case("2", "unsupported", &strided)];
    assert_eq!(standings(cases)[1].standings, [Standing::ConformsPackedWithWaivers; 2]);
    let cases = vec![case("2", "pass", &json!({})), case("2", "expected-failure", &known(&strided))];
    assert_eq!(standings(cases)[1].standings, [Standing::ConformsWithWaivers; 2]);
    // An observed case that breaks what holds in any case counts, known or not.
    let open = known(&json!({ "gates": false, "authority": "unspecified" }));
    let cases = vec![case("2", "pass", &json!({})), case("2", "expected-failure", &open)];
    assert_eq!(standings(cases)[1].standings, [Standing::Conforms, Standing::ConformsWithWaivers]);
    let cases = vec![case("2", "pass", &json!({})), case("2", "unexpected-pass", &known(&json!({})))];
    assert_eq!(standings(cases)[1].standings, [Standing::Partial; 2]);
    assert_eq!(Standing::ConformsWithWaivers.name(true), "conforms with waivers");
    assert_eq!(Standing::ConformsWithWaivers.name(false), "all passed or waived");
    assert_eq!(Standing::ConformsPackedWithWaivers.name(true), "conforms with waivers, packed only");
}

#[test]
fn known_failures_are_gathered_by_reason() {
    let known = |level: &str, reason: &str, outcome: &str| {
        let waiver = json!({ "reason": reason, "outcome": outcome });
        case(
            level,
            "expected-failure",
            &json!({ "case": format!("toy/copy/{level}/{reason}/{outcome}"), "waiver": waiver }),
        )
    };
    let cases = vec![
        known("2", "b", "fail"),
        known("2", "a", "fail"),
        known("3", "b", "fail"),
        known("3", "b", "crash"),
        case("2", "pass", &json!({})),
    ];
    let log = log(&all(), true, true, cases);
    let gathered: Vec<(&str, &str, usize)> = waivers(&log)
        .into_iter()
        .map(|(waiver, count)| (waiver.reason.as_str(), waiver.outcome.name(), count))
        .collect();
    assert_eq!(gathered, [("b", "fail", 2), ("a", "fail", 1), ("b", "crash", 1)]);
}

#[test]
fn every_kind_of_trouble_keeps_a_row_from_conforming() {
    for outcome in [
        "fail",
        "refused-wrongly",
        "accepted-wrongly",
        "wrong-requirement",
        "error",
        "crash",
        "hang",
        "out-of-memory",
        "device-lost",
        "guard-violation",
        "nondeterministic",
        "protocol-error",
        "unsupported",
        "not-run",
        "unexpected-pass",
    ] {
        let cases = vec![case("2", "pass", &json!({})), case("2", outcome, &json!({}))];
        let matrix = Matrix::of(&log(&all(), true, true, cases));
        assert_eq!(matrix.operators[0].levels[1].standings[1], Standing::Partial, "{outcome}");
    }
    // An open question counts for nothing, until what holds in any case is broken.
    for (outcome, standing) in [("observed", Standing::Conforms), ("guard-violation", Standing::Partial)] {
        let open = case("2", outcome, &json!({ "gates": false, "authority": "unspecified" }));
        let matrix = Matrix::of(&log(&all(), true, true, vec![case("2", "pass", &json!({})), open]));
        assert_eq!(matrix.operators[0].levels[1].standings[1], standing, "{outcome}");
    }
}

#[test]
fn refusals_count_within_their_interval_and_where_they_are_claimed() {
    let refusal = |first: &str, last: &str, outcome: &str| case(first, outcome, &json!({ "refused_until": last }));
    let cases =
        || vec![case("2", "pass", &json!({})), refusal("1", "1", "pass"), refusal("2", "3", "accepted-wrongly")];
    let rows = Matrix::of(&log(&all(), true, true, cases())).operators.remove(0).levels;
    let refusals: Vec<Option<Cell>> = rows.iter().map(LevelRow::refusals).collect();
    assert_eq!(refusals, [cell(1, 1, 1), cell(1, 1, 0), cell(1, 1, 0), cell(0, 0, 0)].map(Some));
    let standings: Vec<Standing> = rows.iter().map(|row| row.standings[1]).collect();
    assert_eq!(standings, [Standing::Absent, Standing::Partial, Standing::Partial, Standing::Conforms]);
    let accepted_too_early = vec![refusal("1", "1", "accepted-wrongly")];
    let rows = Matrix::of(&log(&all(), true, true, accepted_too_early)).operators.remove(0).levels;
    assert_eq!(rows[0].standings[1], Standing::Partial);
    let unclaimed = vec![case("2", "pass", &json!({})), refusal("2", "3", "not-run")];
    let rows = Matrix::of(&log(&all(), false, true, unclaimed)).operators.remove(0).levels;
    assert_eq!((rows[1].refusals(), rows[1].standings[1]), (None, Standing::Conforms));
}

#[test]
fn what_is_not_claimed_not_asked_for_or_packed_only_is_called_so() {
    let cases = || vec![case("2", "pass", &json!({})), case("2", "unsupported", &json!({ "strided": true }))];
    let rows = Matrix::of(&log(&json!({ "toy": "3" }), true, true, cases())).operators.remove(0).levels;
    let standings: Vec<Standing> = rows.iter().map(|row| row.standings[1]).collect();
    use Standing::{Absent, ConformsPacked, NotAskedFor, NotClaimed};
    assert_eq!(standings, [Absent, ConformsPacked, ConformsPacked, NotClaimed]);
    let mut asked = log(&all(), true, true, cases());
    asked.header.level = Some("2".to_owned());
    let rows = Matrix::of(&asked).operators.remove(0).levels;
    assert_eq!(rows[2].standings[1], NotAskedFor);
    let rows = Matrix::of(&log(&json!({}), true, true, cases())).operators.remove(0).levels;
    assert_eq!(rows[1].standings[1], NotClaimed);
    // Claimed or not is a matter of the operator, and its figures are those of what is claimed.
    let of = |claims: Value| Matrix::of(&log(&claims, true, true, cases())).operators.remove(0);
    let alone = of(json!({ "toy/copy": "3" }));
    assert_eq!(alone.levels, of(json!({ "toy": "3" })).levels);
    assert_eq!(alone.types, [("F32".to_owned(), vec![(1, cell(2, 1, 1))])]);
    let others = of(json!({ "toy/other": "4" }));
    assert_eq!(others.levels.iter().map(|row| row.standings[1]).collect::<Vec<_>>()[1..], [NotClaimed; 3]);
    assert_eq!(others.types, []);
    // A part of the suite does not make anything conform.
    assert_eq!(Standing::Conforms.name(true), "conforms");
    assert_eq!(Standing::Conforms.name(false), "all passed");
    let part = markdown(&log(&all(), true, false, cases()));
    assert!(part.contains("This is no verdict") && !part.contains("conforms"), "{part}");
}

#[test]
fn a_log_survives_writing_and_reading_and_nothing_less() {
    let log = log(
        &all(),
        true,
        true,
        vec![case("2", "pass", &json!({})), case("3", "fail", &json!({ "reason": "<&\u{1}>" }))],
    );
    let mut bytes = Vec::new();
    let mut writer = LogWriter::new(&mut bytes);
    writer.write(&Event::Header(Box::new(log.header.clone()))).unwrap();
    for case in &log.cases {
        writer.write(&Event::Case(Box::new(case.clone()))).unwrap();
    }
    writer.write(&Event::Footer(log.footer())).unwrap();
    assert_eq!(Log::read(bytes.as_slice()).unwrap(), log);
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for kept in [&lines[..0], &lines[..1], &lines[..3], &lines[1..], &[lines[0], lines[1], lines[3]]] {
        assert!(Log::read(kept.join("\n").as_bytes()).is_err(), "{} lines are accepted", kept.len());
    }
    assert!(Log::read(format!("{text}{}\n", lines[1]).as_bytes()).is_err());
    assert!(Log::read(text.replace("\"format\":1", "\"format\":2").as_bytes()).is_err());
    for (find, replace) in [
        ("\"gates\"", "\"gaits\""),
        ("\"level\":\"3\"", "\"level\":\"9\""),
        ("\"operator\":\"toy/copy\",\"level\"", "\"operator\":\"toy/lost\",\"level\""),
        ("\"stated\"", "\"said\""),
        ("file/3_fail", "file/2_pass"),
    ] {
        assert!(text.contains(find), "`{find}` is not there");
        assert!(Log::read(text.replace(find, replace).as_bytes()).is_err(), "`{replace}` is accepted");
    }
    let xml = junit(&log).unwrap();
    assert!(xml.contains("tests=\"2\"") && xml.contains("failures=\"1\"") && !xml.contains("<&"), "{xml}");
}
