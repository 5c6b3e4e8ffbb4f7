//! Logs that were changed, some of them with everything else made anew.

use std::collections::BTreeSet;

use opcert::check::CheckedCase;
use opcert::judge::{CaseEvent, Difference, MappedClaim, Outcome, ShardOfRun, Waiver};
use opcert::mapping::Mappings;
use opcert::plan::{Decision, Planned, Selection, asked};
use opcert::report::Log;

use super::bundle::{Files, LOG, REFERENCE, first};
use super::{assert_said, id, without_failure};

/// A change of an event.
type Edit = fn(&mut CaseEvent);

#[test]
fn a_removed_failing_case_is_named() {
    let removed = id(Outcome::Fail);
    let is_missing = format!(
        "`{removed}` is a case of the suite, and the log of a complete run has no result of it: it was removed"
    );
    // From the log alone, with the counts as they were.
    let mut files = Files::untouched();
    let text = files.text("events.jsonl");
    let line = format!("{{\"event\":\"case\",\"case\":\"{removed}\"");
    let kept: Vec<&str> = text.lines().filter(|each| !each.starts_with(&line)).collect();
    let (before, after) = (text.lines().count(), kept.len());
    assert_eq!(before, after + 1);
    files.0.insert("events.jsonl".to_owned(), kept.join("\n").into_bytes());
    let own = format!(
        "`events.jsonl`: the log does not agree with its own header: {} cases stated, {} found",
        before - 2,
        after - 2
    );
    assert_said(&files.misfits(), &[&own, "`events.jsonl` is not the log that the certificate was made from"]);
    // From the log, with header and footer.
    let forged = Files::forged(without_failure);
    let mut files = Files::untouched();
    files.0.insert("events.jsonl".to_owned(), forged.0["events.jsonl"].clone());
    let failed = format!("the failed case `wrong.{removed}` is \"fail\", and the log gives nothing");
    let said = files.misfits();
    assert_said(&said, &[&is_missing, &failed, "is not the log that the certificate", "the count `totals.cases` is"]);
    assert_said(&said, &["`matrix.md` is not what the log renders to", "`junit.xml` is not what the log renders to"]);
    // From everything.
    assert_eq!(forged.misfits(), [is_missing]);
}

#[test]
fn what_is_run_as_another_operator_is_so_by_the_mapping_that_is_known() {
    let said = |operator: &str, other: &str, level: &str, mapping: &str| {
        let (operator, level) = (operator.to_owned(), level.to_owned());
        let claim = MappedClaim { operator: other.to_owned(), level, mapping: mapping.to_owned() };
        let forged = Files::forged(|log| {
            log.header.backend.claims.insert(operator.clone(), "6_4".to_owned());
            log.header.through.insert(operator.clone(), claim.clone());
        });
        forged.misfits()
    };
    let mappings = Mappings::embedded(&REFERENCE.specs).unwrap();
    let mapping = &mappings.between("directml/one_hot", "openvino/one_hot_1").unwrap().digest;
    let fits = said("directml/one_hot", "openvino/one_hot_1", "1", mapping);
    assert!(fits.iter().all(|misfit| !misfit.contains("`through`")), "{fits:?}");
    let (about, digest) = ("`events.jsonl`: `through` of the header does not fit: ", "0".repeat(64));
    let other = format!(
        "{about}the mapping from `directml/one_hot` to `openvino/one_hot_1` is {digest} there, and {mapping} here"
    );
    assert_said(&said("directml/one_hot", "openvino/one_hot_1", "1", &digest), &[&other]);
    let level = format!("{about}`directml/one_hot` is run as `openvino/one_hot_1` of 2, and 1 is claimed");
    assert_said(&said("directml/one_hot", "openvino/one_hot_1", "2", mapping), &[&level]);
    let missing = format!(
        "{about}the mapping from `directml/argmax` to `openvino/one_hot_1` is {digest} there, and no such mapping here"
    );
    assert_said(&said("directml/argmax", "openvino/one_hot_1", "1", &digest), &[&missing]);
    // What no mapping says is asked of nobody.
    let invalid =
        "no other operator can have been asked for in its place: a mapping is of valid descriptors, and here ";
    assert!(fits.iter().any(|misfit| misfit.contains(invalid)), "{fits:?}");
    // What a family claims is met as it is.
    let claim =
        MappedClaim { operator: "openvino/one_hot_1".to_owned(), level: "1".to_owned(), mapping: mapping.to_owned() };
    let files = Files::forged(|log| drop(log.header.through.insert("directml/one_hot".to_owned(), claim)));
    let itself =
        format!("{about}`directml/one_hot` is said to be run as `openvino/one_hot_1`, and is not claimed by itself");
    assert_said(&files.misfits(), &[&itself]);
    let unclaimed = said("directml/one_hot", "mine/one_hot", "1", &digest);
    let reason = "`directml/one_hot` is said to be run as `mine/one_hot`, which the backend does not claim itself";
    assert!(unclaimed.iter().any(|misfit| misfit.contains(reason)), "{unclaimed:?}");
}

#[test]
fn cases_are_carried_in_a_format_that_is_known() {
    let said = |format: &str| {
        Files::forged(|log| (log.header.carried, log.header.guards) = (Some(format.to_owned()), false)).misfits()
    };
    let unknown =
        "`events.jsonl`: `carried` of the header does not fit: `words` is no format in which cases are carried";
    assert_said(&said("words"), &[unknown]);
    // What is not carried at the level that is claimed was asked for above it.
    let above = "`events.jsonl`: `carried` of the header does not fit: `directml/argmax` is claimed up to 4_0, and its cases \
                 were carried at 6_4";
    assert_said(&said("npy"), &[above]);
    let below = Files::forged(|log| {
        (log.header.carried, log.header.guards) = (Some("npy".to_owned()), false);
        log.header.level = Some("4_0".to_owned());
    });
    assert!(below.misfits().iter().all(|misfit| !misfit.contains("`carried` of the header")));
    let left = "does not fit: it cannot have been carried: the operator is none of DirectML's";
    assert!(said("dxdispatch").iter().any(|misfit| misfit.contains(left)));
}

/// A case of which nothing came back says which file of it did not.
#[test]
fn what_is_missing_of_a_carried_case_is_a_file_of_it() {
    let dispatched = id(Outcome::Pass);
    let refused = REFERENCE.suite.cases.iter().find(|case| matches!(case, CheckedCase::Refused(_)));
    let refused = refused.unwrap().about().id.clone();
    let said = |case: &str, reason: &str| {
        let forged = Files::forged(|log| {
            log.header.backend.refuses_invalid = true;
            (log.header.carried, log.header.guards) = (Some("npy".to_owned()), false);
            log.header.level = Some("4_0".to_owned());
            let event = first(log, |event| event.case == case);
            (event.outcome, event.reason) = (Outcome::Missing, Some(reason.into()));
        });
        let of_case = format!("`{case}`: the outcome `missing` does not fit: what is said to be missing is no file");
        forged.misfits().iter().any(|misfit| misfit.starts_with(&of_case))
    };
    for (reason, is_file) in [
        ("there is no `outputs/OutputTensor.npy`, nor an `answer.json`", true),
        ("there is no `again/OutputTensor.npy`, of the second run", true),
        ("there is no `answer.json`", false),
        ("there is no `outputs/InputTensor.npy`, nor an `answer.json`", false),
        ("there is no `hope`", false),
    ] {
        assert_eq!(said(&dispatched, reason), !is_file, "{reason}");
    }
    assert!(said(&refused, "there is no `outputs/OutputTensor.npy`, nor an `answer.json`"));
    assert!(!said(&refused, "there is no `answer.json`"));
}

#[test]
fn a_run_of_an_own_suite_is_not_of_the_embedded_one() {
    let forged = Files::forged(|log| (log.header.complete, log.header.own_suite) = (false, true));
    assert_said(
        &forged.misfits(),
        &["`events.jsonl`: `own_suite` of the header does not fit: what is compared is part of opcert"],
    );
}

#[test]
fn an_event_tells_of_as_many_outputs_as_an_operator_may_have() {
    let forged = Files::forged(|log| {
        let event = first(log, |event| !event.differences.is_empty());
        let difference = event.differences[0].clone();
        event.differences.resize(257, difference);
    });
    assert_said(&forged.misfits(), &["it tells of 257 outputs, expected at most 256"]);
}

/// What a program says is cut before it stands in a log.
#[test]
fn reasons_of_other_processes_are_bounded() {
    let said = |isolated: bool, length: usize| {
        let forged = Files::forged(|log| {
            log.header.isolated = isolated;
            first(log, |event| event.outcome == Outcome::Unsupported).reason = Some("x".repeat(length).into());
        });
        forged.misfits().iter().any(|misfit| {
            misfit.ends_with(&format!("its reason has {length} bytes, and what a program says is cut at 8192"))
        })
    };
    assert!(said(true, 50_000));
    assert!(!said(true, 8_192) && !said(false, 50_000));
}

/// What the log says of a case is what the suite says of it, however well the rest was made to fit.
#[test]
fn what_the_log_says_of_a_case_is_compared_with_the_suite() {
    let failed = id(Outcome::Fail);
    let edits: [(Edit, &str, &str); 9] = [
        (|event| event.gates = false, "gates", "is false in the log, and true in the suite"),
        (|event| event.level = "6_4".to_owned(), "level", "is \"6_4\" in the log, and \""),
        (|event| event.authority = "derived".to_owned(), "authority", "is \"derived\" in the log, and \"stated\""),
        (|event| event.covers.clear(), "covers", "is [] in the log, and [\""),
        (|event| event.large = true, "large", "is true in the log, and not there in the suite"),
        (|event| event.strided = true, "strided", "is true in the log, and not there in the suite"),
        (|event| event.requirements[0].1.push('!'), "requirements", "is [[\""),
        (|event| event.given = None, "given", "is not there in the log, and {\""),
        (
            |event| {
                let tensors = &mut event.given.as_mut().unwrap().tensors;
                tensors.iter_mut().find_map(|tensor| tensor.elements.as_mut()).unwrap().push('1');
            },
            "given",
            "is {\"",
        ),
    ];
    for (edit, key, rest) in edits {
        let stated = |event: &CaseEvent| event.outcome == Outcome::Fail && event.authority == "stated";
        let mut changed = String::new();
        let said = Files::forged(|log| {
            let event = first(log, stated);
            edit(event);
            changed = event.case.clone();
        });
        let said = said.misfits();
        assert_said(&said, &[&format!("`{changed}`: `{key}` {rest}")]);
        assert!(key == "large" || said.len() == 1, "{said:#?}");
    }
    let files = Files::forged(|log| first(log, |event| event.case == failed).case.push_str("_too"));
    assert_said(
        &files.misfits(),
        &[
            &format!("`{failed}_too` has a result in the log, and is no case of the suite"),
            &format!("`{failed}` is a case of the suite, and the log of a complete run has no result of it"),
        ],
    );
    let files = Files::forged(|log| log.cases.swap(3, 4));
    let out_of_place = format!("`{}` does not stand where the suite has it", LOG.cases[3].case);
    assert!(files.misfits().len() == 1 && files.misfits()[0].starts_with(&out_of_place), "{:?}", files.misfits());
    let files = Files::forged(|log| log.header.operators[0].introduced = "6_4".to_owned());
    assert_said(&files.misfits(), &["`events.jsonl`: `operators` of the header is not what the suite says"]);
    let files = Files::forged(|log| {
        log.header.backend.claims.insert("directml/argmax".to_owned(), "4_0".to_owned());
    });
    let both = "`events.jsonl`: `flawed` claims both `directml` and `directml/argmax`: a family stands for all of";
    assert!(files.misfits().iter().any(|misfit| misfit.starts_with(both)), "{:?}", files.misfits());
    let files = Files::forged(|log| log.header.level = Some("3_0".to_owned()));
    let above = LOG.cases.iter().find(|event| event.level == "4_1" && event.operator.starts_with("directml")).unwrap();
    assert_said(
        &files.misfits(),
        &[&format!("`{}` has a result in the log, and begins above the level that was run", above.case)],
    );
}

#[test]
fn a_part_of_the_suite_needs_not_be_all_of_it() {
    let files = Files::forged(|log| {
        without_failure(log);
        log.header.complete = false;
    });
    assert_eq!(files.misfits(), [""; 0]);
}

/// The kinds of cases that an outcome can be wrong of.
fn is_refused(event: &CaseEvent) -> bool {
    event.refused_until.is_some()
}

/// Outcomes that cannot be, in a log to which all else was made to fit.
#[test]
fn an_outcome_that_does_not_fit_its_evidence_is_named() {
    type Wanted = fn(&CaseEvent) -> bool;
    let valid_pass: Wanted = |event| event.outcome == Outcome::Pass && !is_refused(event) && event.gates;
    let refused_pass: Wanted = |event| event.outcome == Outcome::Pass && is_refused(event);
    let failed: Wanted = |event| event.outcome == Outcome::Fail;
    let observed: Wanted = |event| event.outcome == Outcome::Observed && !event.observed.is_empty();
    let not_run: Wanted =
        |event| event.outcome == Outcome::NotRun && event.operator == "directml/argmax" && !event.strided;
    let packed_only: Wanted = |event| event.strided && event.outcome == Outcome::NotRun;
    let waived: Wanted = |event| event.outcome == Outcome::ExpectedFailure;
    let bounded: Wanted = |event| {
        event.outcome == Outcome::Pass && event.operator == "directml/argmax" && !is_refused(event) && event.gates
    };
    let nan: Wanted = |event| event.case == "directml/argmax/by_hand/nan_only";
    let edits: [(Wanted, Edit, &str); 22] = [
        (failed, |event| event.outcome = Outcome::Pass, "`pass` does not fit: differences are given"),
        (failed, |event| event.differences.clear(), "`fail` does not fit: neither a difference nor a reason is given"),
        (failed, |event| event.outcome = Outcome::NotRun, "`not-run` does not fit: the backend claims it"),
        (
            failed,
            |event| event.differences[0].tensor.push('s'),
            "`fail` does not fit: what is said of `OutputTensors` cannot be",
        ),
        (
            failed,
            |event| event.differences[0].differing = 1 << 40,
            "`fail` does not fit: what is said of `OutputTensor` cannot be",
        ),
        (failed, |event| event.outcome = Outcome::Crash, "`crash` does not fit: differences are given"),
        (valid_pass, |event| event.outcome = Outcome::Crash, "`crash` does not fit: no reason is given"),
        // It is compiled there, and nothing is dispatched.
        (
            failed,
            |event| event.reason = Some("at 4_1".into()),
            "`fail` does not fit: its reason is not that of a comparison",
        ),
        (
            valid_pass,
            |event| event.outcome = Outcome::Observed,
            "`observed` does not fit: a verdict depends on it, and it is not merely observed",
        ),
        (
            valid_pass,
            |event| event.outcome = Outcome::AcceptedWrongly,
            "`accepted-wrongly` does not fit: its descriptor is valid",
        ),
        (
            valid_pass,
            |event| event.reason = Some("almost".into()),
            "`pass` does not fit: a reason is given for what is as expected",
        ),
        (
            refused_pass,
            |event| event.outcome = Outcome::Fail,
            "`fail` does not fit: its descriptor is invalid, and no data runs through it",
        ),
        (
            refused_pass,
            |event| event.outcome = Outcome::RefusedWrongly,
            "`refused-wrongly` does not fit: its descriptor is invalid, and rightly refused",
        ),
        (
            refused_pass,
            |event| event.outcome = Outcome::Observed,
            "`observed` does not fit: its descriptor is invalid, and it is not merely observed",
        ),
        (
            observed,
            |event| event.outcome = Outcome::Pass,
            "`pass` does not fit: the documents leave it open, and nothing can be passed",
        ),
        (observed, |event| event.outcome = Outcome::Error, "`error` does not fit: an answer is recorded"),
        (
            not_run,
            |event| (event.outcome, event.reason) = (Outcome::Pass, None),
            "`pass` does not fit: it did not run: the backend does not claim `directml/argmax` above 4_0",
        ),
        (
            packed_only,
            |event| (event.outcome, event.reason) = (Outcome::Pass, None),
            "`pass` does not fit: it did not run: the backend does not claim strided tensors",
        ),
        (waived, |event| event.waiver = None, "`expected-failure` does not fit: there is no waiver"),
        (
            waived,
            |event| event.waiver.as_mut().unwrap().outcome = Outcome::Pass,
            "`expected-failure` does not fit: what is waived is no failure",
        ),
        (
            valid_pass,
            |event| {
                let waiver = Waiver { reason: "known".into(), link: None, outcome: Outcome::Fail };
                (event.outcome, event.waiver) = (Outcome::UnexpectedPass, Some(waiver));
            },
            "`unexpected-pass` does not fit: what is waived is no pass",
        ),
        (
            valid_pass,
            |event| event.waiver = Some(Waiver { reason: "known".into(), link: None, outcome: Outcome::Pass }),
            "`pass` does not fit: there is a waiver",
        ),
    ];
    for (wanted, edit, message) in edits {
        let mut changed = String::new();
        let files = Files::forged(|log| {
            let event = first(log, wanted);
            edit(event);
            changed = event.case.clone();
        });
        assert_said(&files.misfits(), &[&format!("`{changed}`: the outcome {message}")]);
    }
    let reasons: [(Wanted, Outcome, &str, &str); 10] = [
        (
            bounded,
            Outcome::RefusedWrongly,
            "refused at 6_4: it is too much [directml/argmax/axes-in-range]",
            "its reason is not that of a refusal",
        ),
        (
            nan,
            Outcome::Fail,
            "the moon is full [directml/argmax/index-in-range]",
            "its reason names nothing that must hold and does not",
        ),
        (
            nan,
            Outcome::Fail,
            "`OutputTensor` at [0, 0] is 0, expected an index below 7000 [directml/argmax/index-in-range]",
            "its reason names nothing that must hold and does not",
        ),
        (
            nan,
            Outcome::Nondeterministic,
            "`Nothing` at [99] differs between two dispatches",
            "its reason is not that of two dispatches that differ",
        ),
        (
            nan,
            Outcome::Nondeterministic,
            "`OutputTensor` at [9, 9] differs between two dispatches",
            "its reason is not that of two dispatches that differ",
        ),
        (
            failed,
            Outcome::Nondeterministic,
            "at 4_1: the first of two dispatches differs from what is expected, the second does not",
            "its reason is not that of two dispatches that differ",
        ),
        (valid_pass, Outcome::Crash, "device lost: gone", "its reason is that of another outcome"),
        (valid_pass, Outcome::Crash, "at 9_9: crashed: gone", "its reason is that of another outcome"),
        (valid_pass, Outcome::Hang, "the cat says no answer: gone", "its reason is that of another outcome"),
        (refused_pass, Outcome::DeviceLost, "device lost: gone", "its reason is that of another outcome"),
    ];
    for (wanted, outcome, reason, message) in reasons {
        let mut changed = String::new();
        let files = Files::forged(|log| {
            let event = first(log, wanted);
            (event.outcome, event.reason) = (outcome, Some(reason.into()));
            event.observed.clear();
            changed = event.case.clone();
        });
        assert_said(&files.misfits(), &[&format!("`{changed}`: the outcome `{outcome}` does not fit: {message}")]);
    }
    // No data runs through a case that asks for no more than a valid descriptor.
    let compiled = REFERENCE.suite.cases.iter().find_map(|case| match case {
        CheckedCase::Valid(case) if !case.is_dispatched() && case.about.gates() => Some(&case.about.id),
        _ => None,
    });
    let compiled = compiled.unwrap();
    let files = Files::forged(|log| {
        let event = first(log, |event| event.case == *compiled);
        (event.outcome, event.reason) = (Outcome::Nondeterministic, Some("now and then".into()));
    });
    let message = format!("`{compiled}`: the outcome `nondeterministic` does not fit: no data runs through it");
    assert_said(&files.misfits(), &[&message]);
}

/// Whoever lets a pass through as unexpected names a known failure, and that one is known of all cases that it matches.
#[test]
fn a_known_failure_is_known_of_every_case_that_it_matches() {
    let failed = id(Outcome::Fail);
    let passed = LOG.cases.iter().find(|event| event.outcome == Outcome::Pass).unwrap();
    let mut named_by = String::new();
    let files = Files::forged(|log| {
        let event = first(log, |event| event.outcome == Outcome::UnexpectedPass);
        let waiver = event.waiver.clone().unwrap();
        event.reason = Some(waiver.unexpected_pass("directml/*", Outcome::Fail).into());
        named_by = event.case.clone();
    });
    let why = format!("does not fit: `{named_by}` says that `directml/*` is known to come out as `fail`");
    let said = files.misfits();
    for (case, outcome) in [(failed.as_str(), Outcome::Fail), (&passed.case, Outcome::Pass)] {
        let message = format!("`{case}`: the outcome `{outcome}` {why}");
        assert!(said.contains(&message), "{message}\n{:#?}", &said[..said.len().min(5)]);
    }
    // What comes out in another way is no case of that failure.
    let other = LOG.cases.iter().find(|event| event.outcome == Outcome::NotRun).unwrap();
    assert!(said.iter().all(|misfit| !misfit.starts_with(&format!("`{}`", other.case))));
}

/// A case is known to fail once: of two known failures that both match it, no run would have been made.
#[test]
fn no_case_is_known_to_fail_twice() {
    let mut failed = String::new();
    let files = Files::forged(|log| {
        let known = first(log, |event| event.outcome == Outcome::ExpectedFailure);
        failed = known.case.clone();
        let waiver = Waiver { outcome: Outcome::Pass, ..known.waiver.clone().unwrap() };
        let (operator, (family, rest)) = (known.operator.clone(), failed.split_once('/').unwrap());
        let patterns = [format!("{family}/*"), format!("{family}/{}*", &rest[..1])];
        let passed = |event: &&mut CaseEvent| event.outcome == Outcome::Pass && event.operator == operator;
        for (event, pattern) in log.cases.iter_mut().filter(passed).zip(&patterns) {
            event.outcome = Outcome::UnexpectedPass;
            event.reason = Some(waiver.unexpected_pass(pattern, Outcome::Fail).into());
            event.waiver = Some(waiver.clone());
        }
    });
    let message =
        format!("`{failed}`: the outcome `expected-failure` does not fit: it is expected to fail once, and `");
    let said = files.misfits();
    assert!(said.iter().any(|misfit| misfit.starts_with(&message) && misfit.ends_with("` both match it")), "{said:#?}");
}

#[test]
fn what_no_header_says_is_named() {
    let said = |edit: fn(&mut Log)| {
        let files = Files::forged(|log| {
            log.header.complete = false;
            edit(log);
        });
        files.misfits()
    };
    let nothing = said(|log| (log.header.planned, log.cases) = (0, Vec::new()));
    assert_said(&nothing, &["`events.jsonl`: `planned` of the header does not fit: no run is of no case"]);
    let capitals = said(|log| log.header.cases.make_ascii_uppercase());
    assert!(capitals[0].starts_with("`events.jsonl`: `cases` of the header does not fit: `"), "{capitals:#?}");
    assert!(capitals[0].ends_with("` is no digest"), "{capitals:#?}");
}

/// The id that a refusal names is whatever the backend likes, but for the sign that ends it.
#[test]
fn a_refusal_names_one_requirement() {
    let said = |named: &str| {
        let mut changed = String::new();
        let files = Files::forged(|log| {
            let event = first(log, |event| event.outcome == Outcome::Pass && is_refused(event));
            changed = event.case.clone();
            let case = REFERENCE.suite.cases.iter().find_map(|case| match case {
                CheckedCase::Refused(case) if case.about.id == changed => Some(case),
                _ => None,
            });
            let expected = case.unwrap().requirements.join(", ");
            let reason = format!("at {}: refused for `{named}` (it is so), expected {expected}", event.level);
            (event.outcome, event.reason) = (Outcome::WrongRequirement, Some(reason.into()));
        });
        (
            files.misfits(),
            format!("`{changed}`: the outcome `wrong-requirement` does not fit: its reason names no other requirement"),
        )
    };
    let (misfits, message) = said("mine/of-my-own");
    assert!(!misfits.contains(&message), "{misfits:#?}");
    let (misfits, message) = said("mine`of-my-own");
    assert_said(&misfits, &[&message]);
}

/// A part of a run is not all of it, is of the cases of all of it, and is not judged from what was carried.
#[test]
fn a_part_of_a_run_is_one() {
    let said = |edit: fn(&mut Log)| {
        let files = Files::forged(|log| {
            log.header.shard = Some(ShardOfRun { shard: "1/1".parse().unwrap(), complete: true });
            log.header.complete = false;
            edit(log);
        });
        files.misfits()
    };
    assert_eq!(said(|_| {}), [""; 0]);
    assert_said(
        &said(|log| log.header.complete = true),
        &["`events.jsonl`: `complete` of the header does not fit: a part of a run is not all of it"],
    );
    assert_said(&said(|log| log.header.cases = "0".repeat(64)), &["`events.jsonl`: `cases` of the header"]);
    let carried: fn(&mut Log) = |log| (log.header.carried, log.header.guards) = (Some("npy".to_owned()), false);
    assert_said(
        &said(carried),
        &["`events.jsonl`: `shard` of the header does not fit: cases that were carried as npy are judged together"],
    );
}

/// Where no guard zones lay around outputs, nobody saw them violated.
#[test]
fn what_is_not_guarded_is_not_violated() {
    let violated = |isolated: bool, guards: bool| {
        let mut changed = String::new();
        let files = Files::forged(|log| {
            (log.header.isolated, log.header.guards) = (isolated, guards);
            let event = first(log, |event| event.outcome == Outcome::Pass && event.dimensions.is_some());
            (event.outcome, event.reason) =
                (Outcome::GuardViolation, Some("wrote where it must not: before `OutputTensor`".into()));
            changed = event.case.clone();
        });
        let message = format!(
            "`{changed}`: the outcome `guard-violation` does not fit: there are no guard zones that could be violated"
        );
        files.misfits().contains(&message)
    };
    assert!(violated(true, false));
    assert!(!violated(true, true) && !violated(false, true));
}

/// Where there was one dispatch, nothing goes wrong in a second one.
#[test]
fn what_is_dispatched_once_has_no_second_dispatch() {
    let crashed = |carried: Option<&str>, reason: &str| {
        let mut changed = String::new();
        let files = Files::forged(|log| {
            let dispatched = |case: &CheckedCase| match case {
                CheckedCase::Valid(case) if case.is_dispatched() && case.about.gates() => Some(case.about.id.clone()),
                _ => None,
            };
            let dispatched: BTreeSet<String> = REFERENCE.suite.cases.iter().filter_map(dispatched).collect();
            let event = first(log, |event| event.outcome == Outcome::Pass && dispatched.contains(&event.case));
            // What is carried elsewhere is run at the highest level.
            let once = Selection { once: true, ..Selection::default() };
            let case = REFERENCE.suite.cases.iter().find(|case| case.about().id == event.case).unwrap();
            let level = *asked(case, &LOG.header.backend, &once).last().unwrap();
            let level = case.about().operator.family.level_name(level);
            assert_ne!(event.level, level);
            let reason = reason.replace("{level}", level);
            (event.outcome, event.reason) = (Outcome::Crash, Some(reason.into()));
            changed = event.case.clone();
            if carried.is_some() {
                (log.header.carried, log.header.guards) = (carried.map(str::to_owned), false);
            }
        });
        let message = format!("`{changed}`: the outcome `crash` does not fit: its reason is that of another outcome");
        files.misfits().contains(&message)
    };
    assert!(!crashed(None, "crashed: gone") && !crashed(Some("npy"), "at {level}: crashed: gone"));
    assert!(!crashed(None, "in the second dispatch: crashed: gone"));
    assert!(crashed(Some("npy"), "at {level}: in the second dispatch: crashed: gone"));
    // Nor is it run at another level.
    assert!(crashed(Some("npy"), "crashed: gone"));
}

/// The level between the ends at which a case is dispatched, once.
fn level_between(event: &CaseEvent) -> Option<String> {
    let case = REFERENCE.suite.cases.iter().find(|case| case.about().id == event.case)?;
    let levels = asked(case, &LOG.header.backend, &Selection::default());
    let planned = Planned { case: case.clone(), decision: Decision::Run(levels) };
    planned.dispatched_between().map(|level| case.about().operator.family.level_name(level).to_owned())
}

/// What is said of outputs and cannot have come of the dispatches that there were, or of the case.
#[test]
fn evidence_that_no_dispatch_gives_is_named() {
    let open = "directml/argmax/open/nan_among_2048_float32_increasing";
    let right = LOG.cases.iter().find(|event| event.case == open).unwrap();
    assert!(right.outcome == Outcome::Observed && right.observed[0].value.contains("952"), "{right:?}");
    let files = Files::forged(|log| {
        let answer = &mut first(log, |event| event.case == open).observed[0].value;
        *answer = answer.replace("952", "951");
    });
    let message = format!(
        "`{open}`: the outcome `observed` does not fit: what is answered cannot be: `OutputTensor` at [1, 0] is 951, and the \
         definition gives 952 there"
    );
    assert_said(&files.misfits(), &[&message]);

    // Of what was dispatched once, that something was left there, or that a second dispatch differed.
    let once = |event: &CaseEvent| {
        let is_written = |difference: &Difference| difference.unwritten == 0;
        event.outcome == Outcome::Fail && level_between(event).is_some() && event.differences.iter().all(is_written)
    };
    let first_differs = "the first of two dispatches differs from what is expected, the second does not";
    let edits: [(Outcome, String, usize, &str); 2] = [
        (Outcome::Fail, String::new(), 1, "after one dispatch nobody can tell what was left"),
        (Outcome::Nondeterministic, format!(": {first_differs}"), 0, "it is dispatched once"),
    ];
    for (outcome, words, unwritten, message) in edits {
        let mut changed = String::new();
        let files = Files::forged(|log| {
            let event = first(log, once);
            changed = event.case.clone();
            let reason = format!("at {}{words}", level_between(event).unwrap());
            (event.outcome, event.reason) = (outcome, Some(reason.into()));
            event.differences[0].unwritten = unwritten;
        });
        let misfits = files.misfits();
        let of_case = format!("`{changed}`: the outcome");
        let is_told = misfits.iter().any(|each| each.starts_with(&of_case) && each.contains(message));
        assert!(is_told, "{message}: {misfits:#?}");
    }
}

/// Other sizes are those of an output, and not the ones that the case states.
#[test]
fn other_sizes_are_of_an_output_and_not_those_of_the_case() {
    let case = "onnx/non_zero/documented/example";
    for said in [
        "`Y` has the sizes [2, 3], expected [2, 3]",
        "`Y` has the sizes [2, 4], expected [2, 5]",
        "`X` has the sizes [2, 4], expected [2, 2]",
        "`Y` has the sizes [2, -4], expected [2, 3]",
        "`Y` has the sizes [2, 4], expected [2, 3], or so",
        "in the second dispatch: `Y` has the sizes [2, 3], expected [2, 3]",
    ] {
        let files = Files::forged(|log| {
            let event = first(log, |event| event.case == case);
            (event.outcome, event.reason) = (Outcome::Fail, Some(said.into()));
        });
        let message =
            format!("`{case}`: the outcome `fail` does not fit: its outputs are compared, and no difference is given");
        let misfits = files.misfits();
        assert!(misfits.contains(&message), "{said}: {misfits:#?}");
    }
}

/// Of what is undefined anything may come out, but what is said of that is said in the words of opcert.
#[test]
fn what_is_said_of_undefined_answers_is_what_is_odd_about_them() {
    let mut changed = String::new();
    let files = Files::forged(|log| {
        let event = first(log, |event| event.authority == "undefined" && !event.observed.is_empty());
        event.reason = Some("the moon is full".into());
        changed = event.case.clone();
    });
    let message =
        format!("`{changed}`: the outcome `observed` does not fit: there is an answer, and a reason for none");
    assert_said(&files.misfits(), &[&message]);
}

/// Where two operators come to the same, both answers stand in the log, and neither can be changed alone.
#[test]
fn answers_of_operators_that_come_to_the_same_are_held_against_each_other() {
    let is_asked = |event: &CaseEvent| {
        event.outcome == Outcome::Observed
            && event.operator == "directml/argmax"
            && matches!(&event.observed[..], [own, other] if !own.value.starts_with("blake3") && other.tensor.contains(" of "))
    };
    let requirement = "directml/argmax/equals-reduce-argmax";
    fn other_number(value: &str) -> String {
        let change =
            |letter: char| if letter.is_ascii_digit() { if letter == '0' { '1' } else { '0' } } else { letter };
        value.chars().map(change).collect()
    }
    let edits: [(Edit, &str); 6] = [
        (|event| event.observed[1].value = other_number(&event.observed[1].value), "by `directml/reduce_argmax` ["),
        (|event| event.observed[1].tensor.push('s'), "there is an answer in `OutputTensor of directml/reduce_argmaxs`"),
        (|event| event.observed.push(event.observed[1].clone()), "there is an answer in `OutputTensor of directml"),
        (|event| event.observed.swap(0, 1), "its outputs are `OutputTensor`, each once"),
        (|event| event.observed[1].value.clear(), "is no tensor of its type and sizes"),
        (
            |event| {
                event.outcome = Outcome::Fail;
                event.observed.clear();
                let said = "`OutputTensor` at [0] is 1, and 1 by `directml/reduce_argmax`";
                event.reason = Some(format!("{said} [directml/argmax/equals-reduce-argmax]").into());
            },
            "its reason names nothing that must hold and does not",
        ),
    ];
    for (edit, wanted) in edits {
        let mut changed = String::new();
        let files = Files::forged(|log| {
            let event = first(log, is_asked);
            edit(event);
            changed = event.case.clone();
        });
        let misfits = files.misfits();
        let is_said = |misfit: &String| misfit.starts_with(&format!("`{changed}`: ")) && misfit.contains(wanted);
        assert!(misfits.iter().any(is_said), "{wanted}: {misfits:#?}");
    }
    // Nobody asks for what is not claimed.
    let mut changed = String::new();
    let files = Files::forged(|log| {
        changed = first(log, is_asked).case.clone();
        log.header.backend.claims = [("directml/argmax".to_owned(), "4_0".to_owned())].into();
    });
    let unasked = "`directml/reduce_argmax` is said to have been asked for, and was not";
    assert!(files.misfits().iter().any(|misfit| misfit.contains(&changed) && misfit.contains(unasked)));
    // What is left out may be what the backend does not have.
    let files = Files::forged(|log| drop(first(log, is_asked).observed.pop()));
    assert_eq!(files.misfits(), [""; 0]);
    // A failure in these words can be.
    let files = Files::forged(|log| {
        let event = first(log, |event| is_asked(event) && event.observed[0].value.starts_with("[0"));
        let place = vec![0; event.dimensions.unwrap()];
        (event.outcome, event.observed) = (Outcome::Fail, Vec::new());
        let said = format!("`OutputTensor` at {place:?} is 1, and 0 by `directml/reduce_argmax`");
        event.reason = Some(format!("{said} [{requirement}]").into());
    });
    let misfits = files.misfits();
    assert!(misfits.iter().all(|misfit| !misfit.contains("its reason names nothing")), "{misfits:#?}");
}
