//! Certificates that were edited, and certificates of another suite.

use std::fs;
use std::path::Path;

use opcert::judge::Outcome;
use serde_json::{Value, json};

use super::bundle::{Files, LOG, REFERENCE, write_cases};
use super::{assert_said, id};
use crate::command::opcert;

#[test]
fn an_edited_certificate_is_named_by_what_was_edited() {
    let failed = id(Outcome::Fail);
    let waived = id(Outcome::ExpectedFailure);
    let observed = LOG.cases.iter().find(|event| !event.observed.is_empty()).unwrap();
    let observation = &observed.observed[0];
    let answer = serde_json::to_string(&observation.value).unwrap();
    let footer = LOG.footer();
    let (cases, passed) = (footer.cases, footer.outcomes[&Outcome::Pass]);
    let only = |files: Files, message: String| {
        assert_eq!(files.misfits(), [format!("`certificate.json`: the {message}")]);
    };
    let edited = |edit: &dyn Fn(&mut Value)| Files::untouched().certificate(edit);
    only(
        edited(&|all| all["totals"]["outcomes"]["pass"] = json!(passed + 1)),
        format!("count `totals.outcomes.pass` is {}, and the log gives {passed}", passed + 1),
    );
    only(
        edited(&|all| all["totals"]["cases"] = json!(cases - 1)),
        format!("count `totals.cases` is {}, and the log gives {cases}", cases - 1),
    );
    only(
        edited(&|all| all["operators"]["directml/one_hot"]["levels"]["3_0"]["stated"]["packed"]["passed"] = json!(0)),
        format!(
            "cell `operators.directml/one_hot.levels.3_0.stated.packed.passed` is 0, and the log gives {}",
            serde_json::from_str::<Value>(&Files::untouched().text("certificate.json")).unwrap()["operators"]["directml/one_hot"]
                ["levels"]["3_0"]["stated"]["packed"]["passed"]
        ),
    );
    only(
        edited(&|all| all["operators"]["openvino/one_hot_1"]["levels"]["1"]["derived"]["standing"] = json!("conforms")),
        "cell `operators.openvino/one_hot_1.levels.1.derived.standing` is \"conforms\", and the log gives \"partial\""
            .to_owned(),
    );
    only(
        edited(&|all| all["waivers"][&waived]["reason"] = json!("harmless")),
        format!("waiver `waivers.{waived}.reason` is \"harmless\", and the log gives \"known\""),
    );
    only(
        edited(&|all| {
            all["waivers"][&failed] = json!({"reason": "harmless", "outcome": "fail"});
        }),
        format!(
            "waiver `waivers.{failed}` is {{\"outcome\":\"fail\",\"reason\":\"harmless\"}}, and the log gives nothing"
        ),
    );
    only(
        edited(&|all| {
            all["wrong"].as_object_mut().unwrap().remove(&failed);
        }),
        format!("failed case `wrong.{failed}` is nothing, and the log gives \"fail\""),
    );
    only(
        edited(&|all| all["observations"][&observed.case]["outputs"][&observation.tensor] = json!("[9]")),
        format!(
            "observation `observations.{}.outputs.{}` is \"[9]\", and the log gives {answer}",
            observed.case, observation.tensor
        ),
    );
    only(
        edited(&|all| all["backend"]["name"] = json!("other")),
        "entry `backend.name` is \"other\", and the log gives \"flawed\"".to_owned(),
    );
    only(
        edited(&|all| all["run"]["complete"] = json!(false)),
        "entry `run.complete` is false, and the log gives true".to_owned(),
    );
}

#[test]
fn a_certificate_is_written_in_one_way_only() {
    let first = "{\n  \"format\": 1,";
    let not_as_written = "`certificate.json` is not written as opcert writes it";
    let said = |to: &str| Files::untouched().replace("certificate.json", first, to).misfits();
    assert_said(&said("{ \"format\": 1,"), &[not_as_written]);
    assert_said(
        &said("{\n  \"format\": 1, \"colour\": 1,"),
        &["`certificate.json` is no certificate: unknown field `colour`"],
    );
    assert_said(
        &said("{\n  \"format\": 2,"),
        &["`certificate.json` has format 2, and this opcert reads format 1: verify it with the opcert that wrote it"],
    );
    // An entry that stands there twice counts once, and is not overlooked.
    let failed = id(Outcome::Fail);
    let entry = format!("\"{failed}\": \"fail\"");
    let files = Files::untouched().replace("certificate.json", &entry, &format!("\"{failed}\": \"crash\", {entry}"));
    assert_eq!(files.misfits().len(), 1);
    assert_said(&files.misfits(), &[not_as_written]);
}

#[test]
fn a_digest_of_the_suite_that_differs_names_the_file() {
    let file = "directml/argmax/documented.yaml";
    let digest = &REFERENCE.digests.cases[file];
    let other = "0".repeat(64);
    let files = Files::untouched().certificate(|all| all["suite"]["cases"][file] = json!(other));
    assert_eq!(
        files.misfits(),
        [format!(
            "the case file `{file}` is not that of the certificate, which names {other}, and {digest} is here: `--specs` \
             and `--cases` take the files that it was made with"
        )]
    );
    let files = Files::untouched().certificate(|all| {
        all["suite"]["specifications"].as_object_mut().unwrap().remove("directml/argmax.yaml");
        all["suite"]["documents"]["directml/argmax"]["ja"]["blake3"] = json!(other);
    });
    let said = files.misfits();
    assert_eq!(said.len(), 2);
    assert_said(
        &said,
        &[
            "the specification `directml/argmax.yaml` is not that of the certificate, which names no such specification",
            &format!("the document `directml/argmax: ja` is not that of the certificate, which names {other} ("),
        ],
    );
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() { copy(&entry.path(), &to) } else { fs::copy(entry.path(), to).map(drop).unwrap() }
    }
}

#[test]
fn a_case_file_that_was_changed_since_is_named() {
    let folder = Files::forged(|log| log.header.complete = false).write();
    write_cases(folder.path());
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("specs"), &folder.path().join("specs"));
    let arguments = ["verify", ".", "--cases", "cases", "--specs", "specs"];
    let ran = opcert(folder.path(), &arguments);
    assert_eq!(ran.code, 0, "{}", ran.said());
    for (file, kind) in
        [("cases/directml/argmax/documented.yaml", "case file"), ("specs/directml/argmax.yaml", "specification")]
    {
        let path = folder.path().join(file);
        let before = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{before}# More.\n")).unwrap();
        let ran = opcert(folder.path(), &arguments);
        let (part, below) = file.split_once('/').unwrap();
        for text in [
            format!(
                "the {kind} `{below}` is not that of the certificate, which names {},",
                blake3::hash(before.as_bytes())
            ),
            format!("`{part}` of the header is not what the suite says"),
            ".: 2 problems".to_owned(),
        ] {
            assert!(ran.code == 1 && ran.err.contains(&text), "`{text}` is not in {}", ran.said());
        }
        fs::write(&path, before).unwrap();
    }
}

#[test]
fn a_certificate_of_another_version_says_whose_suite_it_is() {
    let files = Files::forged(|log| {
        log.header.opcert = "0.0.9".to_owned();
        log.header.complete = false;
    });
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        files.misfits(),
        [format!(
            "the certificate is of the suite of opcert 0.0.9, and this is opcert {version}: verify it with that version, \
             or name that version's files with `--specs` and `--cases`"
        )]
    );
    let folder = files.write();
    write_cases(folder.path());
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs").display().to_string();
    let ran = opcert(folder.path(), &["verify", ".", "--specs", &specs, "--cases", "cases"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    // Nor does it say of a whole suite that it is one.
    let folder = Files::forged(|log| log.header.opcert = "0.0.9".to_owned()).write();
    write_cases(folder.path());
    let ran = opcert(folder.path(), &["verify", ".", "--specs", &specs, "--cases", "cases"]);
    let said = "made by opcert 0.0.9: whether the files named here are its whole suite is not known to this version";
    assert!(ran.code == 0 && ran.out.contains(said), "{}", ran.said());
}
