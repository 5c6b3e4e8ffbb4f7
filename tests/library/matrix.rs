//! The figures of a matrix, counted from logs that are written here by hand.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use opcert::judge::{CaseEvent, Event, Header, Outcome};
use opcert::report::{Cell, Counts, LevelRow, Log, LogWriter, Matrix, Standing, Waived, junit, markdown, waivers};
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
    Cell { applicable, run, passed, ..Cell::default() }
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
    assert_eq!(rows[1].standings, [Standing::CONFORMS; 2]);
    // Level 3 adds a failure that rests on a derived requirement, and a case that is not supported.
    let left_out = |cell: Cell| Cell { left_out: 1, ..cell };
    assert_eq!(both(&rows[2], |counts| counts.packed), [cell(2, 1, 1), cell(3, 2, 1)].map(left_out));
    assert_eq!(rows[2].standings, [Standing::Partial; 2]);
    assert_eq!(both(&rows[3], |counts| counts.packed), [cell(3, 1, 1), cell(4, 2, 1)].map(left_out));
    assert_eq!(matrix.operators[0].types, [("F32".to_owned(), vec![(1, left_out(cell(5, 3, 2)))])]);
}

#[test]
fn the_two_verdicts_stand_side_by_side() {
    let derived = json!({ "authority": "derived" });
    let cases = vec![case("2", "pass", &json!({})), case("2", "fail", &derived)];
    let matrix = Matrix::of(&log(&all(), true, true, cases));
    assert_eq!(matrix.operators[0].levels[1].standings, [Standing::CONFORMS, Standing::Partial]);
    // The large tier counts for neither.
    let large = json!({ "large": true, "gates": false });
    let cases = vec![case("2", "pass", &json!({})), case("2", "fail", &large)];
    let matrix = Matrix::of(&log(&all(), true, true, cases));
    assert_eq!(matrix.operators[0].levels[1].standings, [Standing::CONFORMS; 2]);
}

#[test]
fn a_packed_only_backend_is_not_held_to_strided_refusals() {
    let cases = vec![
        case("2", "pass", &json!({})),
        case("2", "pass", &json!({ "refused_until": "4" })),
        case("2", "unsupported", &json!({ "refused_until": "4", "strided": true })),
    ];
    let matrix = Matrix::of(&log(&all(), true, true, cases));
    assert_eq!(matrix.operators[0].levels[1].standings, [Standing::CONFORMS_PACKED; 2]);
}

/// The verdict on level 2, on stated and derived requirements, of a log of these cases.
fn verdict(cases: Vec<Value>) -> Standing {
    Matrix::of(&log(&all(), true, true, cases)).operators.remove(0).levels[1].standings[1]
}

#[test]
fn packed_only_is_said_of_nobody_who_owes_an_answer() {
    let strided = |outcome: &str, changes: &Value| {
        let mut case = case("2", outcome, changes);
        case["strided"] = json!(true);
        case
    };
    let refused = json!({ "refused_until": "4" });
    let open = json!({ "gates": false, "authority": "unspecified" });
    let none = json!({});
    for (cases, standing) in [
        (vec![strided("unsupported", &none), strided("unsupported", &refused)], Standing::CONFORMS_PACKED),
        // Nothing came back, or it did not run although it is claimed: that is no word of the backend's.
        (vec![strided("missing", &none)], Standing::Partial),
        (vec![strided("unsupported", &none), strided("missing", &none)], Standing::Partial),
        (vec![strided("not-run", &none)], Standing::Partial),
        (vec![strided("unsupported", &none), strided("not-run", &refused)], Standing::Partial),
        // Some of it is done.
        (vec![strided("unsupported", &none), strided("pass", &none)], Standing::Partial),
        (vec![strided("unsupported", &none), strided("pass", &refused)], Standing::Partial),
        (vec![strided("unsupported", &none), strided("fail", &none)], Standing::Partial),
        (vec![strided("unsupported", &none), strided("crash", &open)], Standing::Partial),
        (vec![strided("unsupported", &none), strided("observed", &open)], Standing::CONFORMS_PACKED),
        // Nor is a question answered by what did not come back.
        (vec![case("2", "missing", &open)], Standing::Partial),
        (vec![strided("unsupported", &none), strided("missing", &open)], Standing::Partial),
        (vec![strided("pass", &none)], Standing::CONFORMS),
        (vec![], Standing::CONFORMS),
    ] {
        let outcomes: Vec<Value> = cases.iter().map(|case| case["outcome"].clone()).collect();
        let cases = std::iter::once(case("2", "pass", &none)).chain(cases).collect();
        assert_eq!(verdict(cases), standing, "{outcomes:?}");
    }
    // Where strided tensors are not claimed, they do not run.
    let unclaimed = |cases: Vec<Value>| {
        let mut log = log(&all(), true, true, cases);
        log.header.backend.strided = false;
        Matrix::of(&log).operators.remove(0).levels[1].standings[1]
    };
    let pass = || case("2", "pass", &none);
    assert_eq!(unclaimed(vec![pass(), strided("not-run", &none)]), Standing::CONFORMS_PACKED);
    assert_eq!(unclaimed(vec![pass(), strided("not-run", &none), strided("missing", &none)]), Standing::Partial);
    assert_eq!(unclaimed(vec![pass(), case("2", "not-run", &none)]), Standing::Partial);
    // Where packed tensors did not all pass, there is nothing to confine to them.
    for outcome in ["missing", "unsupported", "fail"] {
        let cases = vec![case("2", outcome, &none), strided("unsupported", &none)];
        assert_eq!(verdict(cases), Standing::Partial, "{outcome}");
    }
}

#[test]
fn as_many_apply_whatever_comes_of_them() {
    let kinds = [
        json!({}),
        json!({ "authority": "derived" }),
        json!({ "strided": true }),
        json!({ "refused_until": "4" }),
        json!({ "gates": false, "authority": "unspecified" }),
        json!({ "gates": false, "authority": "undefined" }),
        json!({ "gates": false, "large": true }),
    ];
    for kind in &kinds {
        let applicable = |outcome: &Outcome| {
            let mut case = case("2", outcome.name(), kind);
            if matches!(outcome, Outcome::ExpectedFailure | Outcome::UnexpectedPass) {
                case["waiver"] = json!({ "reason": "known", "outcome": "fail" });
            }
            let operator = Matrix::of(&log(&all(), true, true, vec![case])).operators.remove(0);
            let rows = operator.levels.iter().map(|row| row.totals().map(|total| total.applicable));
            let types = operator.types.iter().flat_map(|(_, cells)| cells.iter().map(|(_, cell)| cell.applicable));
            (rows.collect::<Vec<_>>(), types.sum::<usize>())
        };
        let expected = applicable(&Outcome::Pass);
        for outcome in Outcome::ALL {
            assert_eq!(applicable(outcome), expected, "{kind} {outcome}");
        }
    }
}

/// What makes a case a known failure, beside other changes.
fn known(reason: &str, changes: &Value) -> Value {
    let mut all = json!({ "waiver": { "reason": reason, "outcome": "fail" } });
    changes.as_object().unwrap().iter().for_each(|(key, value)| all[key] = value.clone());
    all
}

fn waived(count: usize, of: usize, open: usize) -> Standing {
    Standing::Conforms { packed_only: false, waived: Waived { count, of, open } }
}

#[test]
fn known_failures_are_waived_and_never_passed() {
    let standings = |cases: Vec<Value>| Matrix::of(&log(&all(), true, true, cases)).operators.remove(0).levels;
    let derived = known("known", &json!({ "authority": "derived" }));
    let rows = standings(vec![case("2", "pass", &json!({})), case("3", "expected-failure", &derived)]);
    assert_eq!(both(&rows[2], |counts| counts.packed), [cell(1, 1, 1), Cell { waived: 1, ..cell(2, 2, 1) }]);
    assert_eq!(rows[1].standings, [Standing::CONFORMS; 2]);
    assert_eq!(rows[2].standings, [Standing::CONFORMS, waived(1, 2, 0)]);
    // Something else that did not pass is no waiver, and strided tensors that did not run are not waived.
    let plain = known("known", &json!({}));
    let strided = json!({ "strided": true });
    let cases = vec![case("2", "expected-failure", &plain), case("2", "unsupported", &json!({}))];
    assert_eq!(verdict(cases), Standing::Partial);
    let cases = vec![case("2", "expected-failure", &plain), case("2", "unsupported", &strided)];
    let packed = Standing::Conforms { packed_only: true, waived: Waived { count: 1, of: 1, open: 0 } };
    assert_eq!(verdict(cases), packed);
    let cases = vec![case("2", "pass", &json!({})), case("2", "expected-failure", &known("known", &strided))];
    assert_eq!(verdict(cases), waived(1, 2, 0));
    let cases = vec![case("2", "pass", &json!({})), case("2", "unexpected-pass", &plain)];
    assert_eq!(verdict(cases), Standing::Partial);
    // How much is waived is part of the verdict.
    assert_eq!(waived(12, 785, 0).name(true), "conforms but for 12 of 785 waived");
    assert_eq!(waived(12, 785, 4).name(true), "conforms but for 12 of 785 and 4 open waived");
    assert_eq!(waived(0, 785, 4).name(true), "conforms but for 4 open waived");
    assert_eq!(waived(1, 2, 0).name(false), "all passed but for 1 of 2 waived");
    assert_eq!(packed.name(true), "conforms but for 1 of 1 waived, packed only");
}

#[test]
fn what_nobody_has_explained_is_not_waived() {
    let with = |reason: &str| {
        let explained = case("3", "expected-failure", &known("the last bit is lost", &json!({})));
        let other = case("2", "expected-failure", &known(reason, &json!({})));
        verdict_at(2, vec![case("2", "pass", &json!({})), explained, other])
    };
    assert_eq!(with("the first one is taken"), waived(2, 3, 0));
    for reason in ["unexplained: `Out` at [0] is 0, expected 4", " Unexplained", "UNEXPLAINED: why?"] {
        assert_eq!(with(reason), Standing::Partial, "{reason}");
    }
    // Nor is what has no reason at all.
    assert_eq!(verdict(vec![case("2", "expected-failure", &json!({}))]), Standing::Partial);
    let open = json!({ "gates": false, "authority": "unspecified" });
    let cases = vec![case("2", "pass", &json!({})), case("2", "expected-failure", &known("unexplained: x", &open))];
    assert_eq!(verdict(cases), Standing::Partial);
}

fn verdict_at(level: usize, cases: Vec<Value>) -> Standing {
    Matrix::of(&log(&all(), true, true, cases)).operators.remove(0).levels[level].standings[1]
}

#[test]
fn an_open_question_that_went_wrong_is_shown_beside_what_applies_and_costs_the_verdict() {
    let open = json!({ "gates": false, "authority": "unspecified" });
    let rows = |outcome: &str, changes: &Value| {
        let cases = vec![case("2", "pass", &json!({})), case("2", outcome, changes)];
        Matrix::of(&log(&all(), true, true, cases)).operators.remove(0).levels
    };
    let broken = rows("guard-violation", &open);
    assert_eq!(broken[1].standings, [Standing::CONFORMS, Standing::Partial]);
    assert_eq!(broken[1].counts[1].packed, Cell { open_wrong: 1, ..cell(1, 1, 1) });
    assert_eq!(broken[1].totals().map(|total| total.to_string()), ["1 / 1 / 1", "1 / 1 / 1 + 1 open"]);
    let let_pass = rows("expected-failure", &known("known", &open));
    assert_eq!(let_pass[1].standings, [Standing::CONFORMS, waived(0, 1, 1)]);
    assert_eq!(let_pass[1].totals()[1].to_string(), "1 / 1 / 1 + 1 open");
    // Nothing else is there: it does not look as if there were nothing at all.
    let alone = Matrix::of(&log(&all(), true, true, vec![case("2", "crash", &open)])).operators.remove(0);
    assert_eq!(alone.levels[1].standings[1], Standing::Partial);
    assert_eq!(alone.types[0].1[0].1.to_string(), "0 / 0 / 0 + 1 open");
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
    let gathered: Vec<(&str, &str, usize)> =
        waivers(&log).into_iter().map(|(waiver, count)| (waiver.reason.raw(), waiver.outcome.name(), count)).collect();
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
        "missing",
        "unexpected-pass",
    ] {
        let cases = vec![case("2", "pass", &json!({})), case("2", outcome, &json!({}))];
        let matrix = Matrix::of(&log(&all(), true, true, cases));
        assert_eq!(matrix.operators[0].levels[1].standings[1], Standing::Partial, "{outcome}");
    }
    // An open question counts for nothing, until what holds in any case is broken.
    for (outcome, standing) in [("observed", Standing::CONFORMS), ("guard-violation", Standing::Partial)] {
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
    assert_eq!(standings, [Standing::Absent, Standing::Partial, Standing::Partial, Standing::CONFORMS]);
    let accepted_too_early = vec![refusal("1", "1", "accepted-wrongly")];
    let rows = Matrix::of(&log(&all(), true, true, accepted_too_early)).operators.remove(0).levels;
    assert_eq!(rows[0].standings[1], Standing::Partial);
    let unclaimed = vec![case("2", "pass", &json!({})), refusal("2", "3", "not-run")];
    let rows = Matrix::of(&log(&all(), false, true, unclaimed)).operators.remove(0).levels;
    assert_eq!((rows[1].refusals(), rows[1].standings[1]), (None, Standing::CONFORMS));
}

#[test]
fn what_is_not_claimed_not_asked_for_or_packed_only_is_called_so() {
    let cases = || vec![case("2", "pass", &json!({})), case("2", "unsupported", &json!({ "strided": true }))];
    let rows = Matrix::of(&log(&json!({ "toy": "3" }), true, true, cases())).operators.remove(0).levels;
    let standings: Vec<Standing> = rows.iter().map(|row| row.standings[1]).collect();
    use Standing::{Absent, NotAskedFor, NotClaimed};
    assert_eq!(standings, [Absent, Standing::CONFORMS_PACKED, Standing::CONFORMS_PACKED, NotClaimed]);
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
    assert_eq!(alone.types, [("F32".to_owned(), vec![(1, Cell { left_out: 1, ..cell(2, 1, 1) })])]);
    let others = of(json!({ "toy/other": "4" }));
    assert_eq!(others.levels.iter().map(|row| row.standings[1]).collect::<Vec<_>>()[1..], [NotClaimed; 3]);
    assert_eq!(others.types, []);
    // A part of the suite does not make anything conform.
    assert_eq!(Standing::CONFORMS.name(true), "conforms");
    assert_eq!(Standing::CONFORMS.name(false), "all passed");
    let part = markdown(&log(&all(), true, false, cases()));
    assert!(part.contains("this is no verdict") && !part.contains("conforms"), "{part}");
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
        ("\"introduced\":\"2\"", "\"introduced\":\"9\""),
        ("\"claims\":{\"toy\":\"4\"}", "\"claims\":{\"toy\":\"9\"}"),
        ("\"repeat\":\"\"", "\"level\":\"9\",\"repeat\":\"\""),
        ("\"family\":\"toy\"", "\"family\":\"lost\""),
        ("\"data_type\":\"F32\"", "\"data_type\":\"F23\""),
        ("file/3_fail", "file/2_pass"),
    ] {
        assert!(text.contains(find), "`{find}` is not there");
        assert!(Log::read(text.replace(find, replace).as_bytes()).is_err(), "`{replace}` is accepted");
    }
    let xml = junit(&log).unwrap();
    assert!(xml.contains("tests=\"2\"") && xml.contains("failures=\"1\"") && !xml.contains("<&"), "{xml}");
}
