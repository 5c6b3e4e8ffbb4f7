//! Files that are missing, damaged or not what the log renders to.

use std::fs;
use std::path::Path;

use opcert::judge::Outcome;
use opcert::verify::Misfit;

use super::assert_said;
use super::bundle::{Files, LOG, write_cases, write_documented_cases};
use crate::command::opcert;

#[test]
fn what_was_not_touched_fits() {
    let outcomes = LOG.footer().outcomes;
    for outcome in [
        Outcome::Pass,
        Outcome::Fail,
        Outcome::Unsupported,
        Outcome::NotRun,
        Outcome::Observed,
        Outcome::ExpectedFailure,
        Outcome::UnexpectedPass,
    ] {
        assert!(outcomes.contains_key(&outcome), "{outcome} does not occur");
    }
    assert_eq!(Files::untouched().misfits(), [""; 0]);
}

#[test]
fn the_certificate_of_the_command_is_always_the_same() {
    let folder = tempfile::tempdir().unwrap();
    write_documented_cases(folder.path());
    for out in ["one", "other"] {
        let ran = opcert(folder.path(), &["certify", "--out", out, "--cases", "cases"]);
        assert_eq!(ran.code, 0, "{}", ran.said());
    }
    let read = |out: &str, name: &str| fs::read(folder.path().join(out).join(name)).unwrap();
    for name in ["certificate.json", "events.jsonl", "matrix.md", "junit.xml"] {
        assert!(read("one", name) == read("other", name), "`{name}` differs");
    }
    // What a part of the suite came to fits as well, and is called a part.
    let ran = opcert(folder.path(), &["run", "directml/one_hot/documented/*", "--out", "part"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let ran = opcert(folder.path(), &["verify", "part"]);
    assert!(ran.code == 0 && ran.out.contains("this is no verdict"), "{}", ran.said());
    // Files of one bundle in another.
    fs::copy(folder.path().join("part").join("certificate.json"), folder.path().join("one").join("certificate.json"))
        .unwrap();
    let ran = opcert(folder.path(), &["verify", "one", "--cases", "cases"]);
    assert!(ran.code == 1 && ran.err.contains("is not the log that the certificate was made from"), "{}", ran.said());
}

/// A case of one's own, in a file that says that its cases name all that they cover.
const MINE: &str = r#"
operator: directml/argmax
covers: complete
cases:
  it:
    level: "3_0"
    covers: [maximum-index, axes-in-range, subset-of-axes, index-over-reduced-axes, output-type-free]
    tensors:
      InputTensor: {type: FLOAT32, sizes: [2], data: [DATA, 1]}
      OutputTensor: {type: UINT32, sizes: [1]}
    attributes: {AxisCount: 1, Axes: [0], AxisDirection: DML_AXIS_DIRECTION_INCREASING}
    expect:
      OutputTensor: [0]
"#;

/// Such a file is believed where it is run, and not here.
#[test]
fn what_cases_of_ones_own_cover_is_worked_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cases/directml/argmax/mine.yaml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    // Of a NaN the same case covers something else.
    for (data, code) in [("2", 0), (".nan", 2)] {
        fs::write(&file, MINE.replace("DATA", data)).unwrap();
        let ran = opcert(folder.path(), &["run", "--cases", "cases", "--out", data]);
        assert_eq!(ran.code, 0, "{}", ran.said());
        let ran = opcert(folder.path(), &["verify", data, "--cases", "cases"]);
        assert_eq!(ran.code, code, "{}", ran.said());
    }
}

/// A run reads more files than cases are picked from, and what it has read is what counts.
#[test]
fn a_few_cases_of_other_specifications_fit() {
    let folder = tempfile::tempdir().unwrap();
    let specs = folder.path().join("specs/onnx");
    fs::create_dir_all(&specs).unwrap();
    for name in ["family.yaml", "arg_max.yaml", "one_hot.yaml"] {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/onnx").join(name)).unwrap();
        fs::write(specs.join(name), text + "# mine\n").unwrap();
    }
    let ran = opcert(
        folder.path(),
        &["run", "requirement:onnx/arg_max/keepdims-default", "--specs", "specs", "--out", "few"],
    );
    assert_eq!(ran.code, 0, "{}", ran.said());
    let log = fs::read_to_string(folder.path().join("few/events.jsonl")).unwrap();
    assert!(log.contains("\"case\":\"onnx/arg_max/") && !log.contains("\"case\":\"onnx/one_hot/"));
    let ran = opcert(folder.path(), &["verify", "few", "--specs", "specs"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
}

#[test]
fn a_flipped_byte_in_any_file_is_noticed() {
    let untouched = Files::untouched();
    for (name, bytes) in &untouched.0 {
        let places = [0, bytes.len() / 3, bytes.len() / 2, bytes.len() - 20, bytes.len() - 1];
        for at in places {
            let mut files = untouched.clone();
            files.0.get_mut(name).unwrap()[at] ^= 1;
            let said = files.misfits();
            let word = name.split('.').next().unwrap();
            assert!(said.iter().any(|misfit| misfit.contains(word)), "byte {at} of `{name}`: {said:?}");
        }
    }
}

#[test]
fn a_missing_file_is_named() {
    for name in Files::untouched().0.into_keys() {
        let mut files = Files::untouched();
        files.0.remove(&name);
        assert_eq!(files.misfits(), [format!("`{name}` is missing from the bundle")]);
    }
}

#[test]
fn a_report_that_the_log_does_not_render_to_is_named_with_the_line() {
    let files = Files::untouched().replace("matrix.md", "\nClaims: ", "\nclaims: ");
    assert_eq!(files.misfits(), ["`matrix.md` is not what the log renders to, from line 3 on"]);
    let files = Files::untouched().replace("junit.xml", "<testsuites ", "<testsuites  ");
    assert_eq!(files.misfits(), ["`junit.xml` is not what the log renders to, from line 2 on"]);
    let mut files = Files::untouched();
    files.0.get_mut("matrix.md").unwrap().extend(b"more");
    assert!(matches!(files.verify(None).misfits.as_slice(), [Misfit::Rendering { file: "matrix.md", .. }]));
}

#[test]
fn an_environment_that_was_changed_is_named() {
    let said = |from: &str, to: &str| Files::untouched().replace("environment.json", from, to).misfits();
    assert_eq!(said("1234", "1235"), ["`environment.json` is damaged: it does not have the digest that stands in it"]);
    assert_eq!(said("\"format\": 1", "\"format\": 7"), ["`environment.json` has format 7, this is format 1"]);
    assert_said(&said("\"cores\"", "\"kerns\""), &["`environment.json` cannot be read: unknown field `kerns`"]);
}

#[test]
fn what_is_no_bundle_is_bad_input() {
    let folder = tempfile::tempdir().unwrap();
    let said = |path: &str| {
        let ran = opcert(folder.path(), &["verify", path]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.said());
        ran.err
    };
    let made = "`opcert certify --out DIR` makes one";
    assert_eq!(said("."), format!("error: there is no report in `.`: {made}\n"));
    assert_eq!(said("nowhere"), format!("error: there is no report `nowhere`: {made}\n"));
    // What stands below or beside it was perhaps meant.
    fs::create_dir_all(folder.path().join("reports/mine")).unwrap();
    fs::write(folder.path().join("reports/mine/certificate.json"), "{}").unwrap();
    let below = "; there are some below it: `reports/mine`";
    assert_eq!(said("reports"), format!("error: there is no report in `reports`: {made}{below}\n"));
    let beside = "; did you mean `reports/mine`?";
    assert_eq!(said("reports/mime"), format!("error: there is no report `reports/mime`: {made}{beside}\n"));
    fs::create_dir(folder.path().join("cut")).unwrap();
    fs::write(folder.path().join("cut/events.jsonl.unfinished"), "").unwrap();
    assert!(said("cut").starts_with("error: `cut/events.jsonl.unfinished`: the run was cut off and has no report yet"));
    let mut files = Files::forged(|log| log.header.complete = false);
    files.0.remove("matrix.md");
    let folder = files.write();
    write_cases(folder.path());
    let ran = opcert(folder.path(), &["verify", ".", "--cases", "cases"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, "error: `matrix.md` is missing from the bundle\n.: 1 problem\n"));
}
