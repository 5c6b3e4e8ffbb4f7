//! `opcert fuzz` as a person uses it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod command;

use std::fs;
use std::path::Path;

use command::opcert;
use tempfile::TempDir;

#[test]
fn a_right_backend_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let run = |jobs: &str| opcert(folder.path(), &["fuzz", "--count", "600", "--seed", "8", "--jobs", jobs]);
    let ran = run("1");
    assert_eq!(ran.code, 0, "{}", ran.said());
    assert!(ran.out.contains("seed 8\n") && ran.out.contains("directml/argmax: 600 samples ("), "{}", ran.said());
    assert_eq!(ran.out.matches(" 0 failed\n").count(), 4);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let without_rates = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split(", ").filter(|part| !part.ends_with(" per second")).collect()).collect()
    };
    assert_eq!(without_rates(&ran.out), without_rates(&run("2").out));
}

#[test]
fn time_ends_it() {
    let folder = TempDir::new().unwrap();
    let ran = opcert(folder.path(), &["fuzz", "--seconds", "0.2", "--operator", "openvino/one_hot_1"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    assert_eq!(ran.out.lines().count(), 2, "{}", ran.said());
}

/// An edit may leave a tensor without a size that 64 bits count, which no case can hold.
#[test]
fn what_no_case_can_hold_reaches_no_backend() {
    let folder = TempDir::new().unwrap();
    let sample = ["--operator", "openvino/one_hot_1", "--seed", "169778949", "--count", "12000"];
    let ran = opcert(folder.path(), &[&["fuzz"], &sample[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.said());
}

/// The specifications, in which `AxisCount` is not compared with `Axes`: to them a backend that does so is wrong.
fn lenient_specs(folder: &Path) {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/directml");
    let place = folder.join("specs/directml");
    fs::create_dir_all(&place).unwrap();
    fs::copy(specs.join("family.yaml"), place.join("family.yaml")).unwrap();
    let text = fs::read_to_string(specs.join("argmax.yaml")).unwrap();
    let check = "check: {list_length: {count: AxisCount, list: Axes}}";
    assert!(text.contains(check));
    fs::write(place.join("argmax.yaml"), text.replace(check, "check: {not_empty: {list: Axes}}")).unwrap();
}

#[test]
fn what_fails_is_written_and_repeated() {
    let folder = TempDir::new().unwrap();
    lenient_specs(folder.path());
    let ran = opcert(folder.path(), &["fuzz", "--specs", "specs", "--count", "3000", "--seed", "1", "--out", "found"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    assert!(ran.out.contains("refused-wrongly directml/argmax/found/seed_1_sample_"), "{}", ran.said());
    let repeat = "opcert run --cases found --specs specs\n";
    assert!(ran.out.ends_with(repeat), "{}", ran.said());
    let words: Vec<&str> = repeat.split_whitespace().skip(1).collect();
    let again = opcert(folder.path(), &words);
    assert_eq!(again.code, 1, "{}", again.said());
    let files: Vec<_> = fs::read_dir(folder.path().join("found/directml/argmax")).unwrap().collect();
    assert_eq!(files.len(), 1);
    let right = opcert(folder.path(), &["fuzz", "--count", "300", "--seed", "1", "--out", "found"]);
    assert!(right.code == 0 && right.err.contains("found.yaml` of an earlier run"), "{}", right.said());
    assert_eq!(fs::read_dir(folder.path().join("found/directml/argmax")).unwrap().count(), 0);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = TempDir::new().unwrap();
    for (arguments, code, fragment) in [
        (vec!["--operator", "directml/argmin"], 2, "`directml/argmin` is no operator that can be fuzzed"),
        (vec!["--backend", "abacus"], 2, "`abacus` is no backend; bundled: `cpu`"),
        (vec!["--seconds", "0"], 2, "`--seconds` is 0e0, which is no time to fuzz for"),
        (vec!["--count", "0"], 2, "0 is not in 1"),
        (vec!["--level", "9_9"], 2, "`9_9` is no feature level"),
        (vec!["--seconds", "1", "--count", "1"], 2, "cannot be used with"),
        (vec!["--level", "2_0", "--operator", "directml/argmax"], 2, "is not there up to 2_0"),
    ] {
        let ran = opcert(folder.path(), &[vec!["fuzz"], arguments].concat());
        assert!(ran.code == code && ran.err.contains(fragment), "{}", ran.said());
    }
}
