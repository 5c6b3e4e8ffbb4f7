//! The family of `examples/own_operator`, which is not part of the program: its suite is one that gives a verdict, and
//! nothing passes for it that is another. Its own backend is run by the example's script.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{Ran, opcert};
use serde_json::Value;
use tempfile::TempDir;

/// The options that name the example's files.
fn sources() -> [String; 4] {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/own_operator");
    let folder = |name: &str| example.join(name).display().to_string();
    ["--specs".to_owned(), folder("specs"), "--cases".to_owned(), folder("cases")]
}

/// A bundle of a run of the CPU backend, which does not claim the family: what it comes to is not at issue.
struct Bundle(TempDir);

impl Bundle {
    fn made() -> Self {
        let folder = TempDir::new().unwrap();
        let arguments = ["certify", "--backend", "cpu", "--out", "bundle"].map(str::to_owned);
        let ran = opcert(folder.path(), &[arguments.as_slice(), &sources()].concat());
        assert_eq!(ran.code, 4, "{}", ran.said());
        Self(folder)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join("bundle").join(file)
    }

    fn verified(&self, sources: &[String]) -> Ran {
        opcert(self.0.path(), &[&["verify".to_owned(), "bundle".to_owned()], sources].concat())
    }
}

#[test]
fn all_of_the_suite_is_a_verdict_on_these_files() {
    let bundle = Bundle::made();
    let certificate: Value =
        serde_json::from_str(&fs::read_to_string(bundle.path("certificate.json")).unwrap()).unwrap();
    assert_eq!(certificate["run"]["complete"], true);
    assert_eq!(certificate["run"]["own_suite"], true);
    let ran = bundle.verified(&sources());
    assert_eq!(ran.code, 0, "{}", ran.said());
    assert!(ran.out.contains("the suite of loom, which is not part of opcert"), "{}", ran.said());
}

#[test]
fn against_the_embedded_files_it_is_one_misfit_and_not_thousands() {
    let ran = Bundle::made().verified(&[]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert!(ran.err.contains("a suite that is not part of opcert"), "{}", ran.said());
    assert!(ran.err.contains("`--specs` and `--cases`"), "{}", ran.said());
    assert!(ran.err.contains("bundle: 1 problem"), "{}", ran.said());
}

#[test]
fn an_export_names_the_files_that_it_is_judged_with() {
    let folder = TempDir::new().unwrap();
    let arguments = ["export", "--format", "npy", "carried"].map(str::to_owned);
    let ran = opcert(folder.path(), &[arguments.as_slice(), &sources()].concat());
    assert_eq!(ran.code, 0, "{}", ran.said());
    assert!(ran.out.contains("`opcert judge carried --cases ") && ran.out.contains(" --specs "), "{}", ran.said());
}
