//! `opcert fuzz` as a person uses it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command::opcert;
use opcert::source::Source;
use opcert::spec::Specs;
use tempfile::TempDir;

#[test]
fn a_right_backend_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let run = |jobs: &str| opcert(folder.path(), &["fuzz", "--count", "600", "--seed", "8", "--jobs", jobs]);
    let ran = run("1");
    assert_eq!(ran.code, 0, "{}", ran.said());
    assert!(ran.out.contains("seed 8\n") && ran.out.contains("directml/argmax: 600 samples ("), "{}", ran.said());
    let operators = Specs::load(&Source::embedded_specs()).unwrap().operators.len();
    assert_eq!(ran.out.matches(" 0 failed\n").count(), operators);
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

/// What is asked for by its name is not left out without a word.
#[test]
fn an_operator_that_cannot_be_fuzzed_is_named() {
    let folder = TempDir::new().unwrap();
    let both = ["--operator", "directml/argmax", "--operator", "directml/one_hot"];
    let ran = opcert(folder.path(), &[&["fuzz", "--count", "10", "--level", "2_0"], &both[..]].concat());
    assert_eq!(ran.code, 2, "{}", ran.said());
    assert!(ran.err.contains("`directml/argmax`") && !ran.err.contains("`directml/one_hot`"), "{}", ran.said());
}

/// An edit may leave a tensor without a size that 64 bits count, which no case can hold.
#[test]
fn what_no_case_can_hold_reaches_no_backend() {
    let folder = TempDir::new().unwrap();
    let sample = ["--operator", "openvino/one_hot_1", "--seed", "169778949", "--count", "12000"];
    let ran = opcert(folder.path(), &[&["fuzz"], &sample[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.said());
}

/// The specifications, in which a promised alignment may be any number: to them a backend that refuses some is wrong.
fn lenient_specs(folder: &Path) {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/directml");
    let place = folder.join("specs/directml");
    fs::create_dir_all(&place).unwrap();
    // The one says that it comes to the same as the other.
    for file in ["argmax.yaml", "reduce_argmax.yaml"] {
        fs::copy(specs.join(file), place.join(file)).unwrap();
    }
    let text = fs::read_to_string(specs.join("family.yaml")).unwrap();
    let check = "check: alignment\n";
    assert!(text.contains(check));
    fs::write(place.join("family.yaml"), text.replace(check, "check: total_size\n")).unwrap();
}

/// Every file below a folder, with its text.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.insert(path.clone(), fs::read_to_string(&path).unwrap());
        }
    }
    files
}

#[test]
fn what_fails_is_written_and_repeated() {
    let folder = TempDir::new().unwrap();
    lenient_specs(folder.path());
    let fuzz = |seed: &str, jobs: &str| {
        let words = ["fuzz", "--specs", "specs", "--count", "3000", "--seed", seed, "--out", "found", "--jobs", jobs];
        let ran = opcert(folder.path(), &[&words[..], &["--operator", "directml/argmax"]].concat());
        assert_eq!(ran.code, 1, "{}", ran.said());
        (ran, files(&folder.path().join("found")))
    };
    let (ran, first) = fuzz("1", "1");
    assert!(ran.out.contains("refused-wrongly directml/argmax/cpu/"), "{}", ran.said());
    // As of a case that is run, it is said what was put to the test.
    assert!(ran.out.contains("\n  covers directml/"), "{}", ran.said());
    let repeat = "opcert run '*/cpu/*' --cases found --specs specs\n";
    assert!(ran.out.ends_with(repeat), "{}", ran.said());
    let again = opcert(folder.path(), &shlex::split(repeat).unwrap()[1..]);
    assert_eq!(again.code, 1, "{}", again.said());
    let one = ran.out.lines().find_map(|line| line.trim().strip_prefix("repeat opcert ")).unwrap();
    let again = opcert(folder.path(), &shlex::split(one).unwrap());
    let case = one.split(' ').nth(1).unwrap();
    let outcome = ran.out.lines().find_map(|line| line.split_once(&format!(" {case}"))).unwrap().0;
    assert!(again.code == 1 && again.out.contains(&format!("1 case: 1 {outcome}\n")), "{}", again.said());
    // What is there already is run first, and nothing is written twice.
    let (ran, same) = fuzz("1", "2");
    assert_eq!(same, first);
    let known = ran.out.lines().filter(|line| line.ends_with("/found, found before")).count();
    assert_eq!(known, first.len(), "{}", ran.said());
}

#[test]
fn findings_stay_until_they_pass() {
    let folder = TempDir::new().unwrap();
    let found = folder.path().join("fuzz");
    let write = |operator: &str, backend: &str, name: &str, axis: &str, remark: &str| {
        let place = found.join(operator).join(backend);
        fs::create_dir_all(&place).unwrap();
        let file = place.join(name).with_extension("yaml");
        let text = format!(
            "# Found by `opcert fuzz --operator {operator} --seed 3`.\n{remark}operator: {operator}\ncases:\n  found:\n    \
             level: \"3_0\"\n    tensors:\n      InputTensor: {{type: FLOAT32, sizes: [1, 1, 1, 2], data: [[[[1, 2]]]]}}\n      \
             OutputTensor: {{type: UINT32, sizes: [1, 1, 1, 1]}}\n    attributes: {{AxisDirection: DML_AXIS_DIRECTION_INCREASING, Axes: [3]}}\n    \
             expect:\n      OutputTensor: [[[[{axis}]]]]\n"
        );
        fs::write(&file, text).unwrap();
        file
    };
    let argmax = "directml/argmax";
    let failing = write(argmax, "cpu", "failing", "0", "");
    let passing = write(argmax, "cpu", "passing", "1", "");
    let once = write(argmax, "cpu", "once", "1", "# It did not fail again when it was run alone.\n");
    let alien = write(argmax, "cpu", "alien", "many", "");
    let others = write(argmax, "other", "passing", "1", "");
    let own = found.join(argmax).join("cpu/own.yaml");
    fs::write(&own, "# by hand\n").unwrap();
    let before = files(&found);
    // Another operator is none of its business.
    let other = opcert(folder.path(), &["fuzz", "--count", "1", "--operator", "openvino/one_hot_1"]);
    assert!(other.code == 0 && files(&found) == before, "{}", other.said());
    assert!(other.out.contains("openvino/one_hot_1: 1 sample ("), "{}", other.said());
    let ran = opcert(folder.path(), &["fuzz", "--count", "300", "--seed", "4"]);
    assert_eq!(ran.code, 1, "{}", ran.said());
    let mut left = before;
    left.remove(&passing);
    assert_eq!(files(&found), left, "{}", ran.said());
    for (file, said) in [
        (
            &failing,
            "fail directml/argmax/cpu/failing/found, found before\n  repeat opcert run directml/argmax/cpu/failing/found --cases fuzz\n",
        ),
        (&passing, "directml/argmax/cpu/passing/found was found before and passes: it is removed\n"),
        (&once, "once/found was found before and is kept: it passes, and failed only once before\n"),
        (&alien, "alien/found was found before and is kept: it does not fit the specifications"),
    ] {
        assert!(ran.out.contains(said), "{}: {}", file.display(), ran.said());
    }
    // Once nothing is left, no folder is either.
    for file in [failing, once, alien, own, others] {
        fs::remove_file(file).unwrap();
    }
    write(argmax, "cpu", "passing", "1", "");
    let ran = opcert(folder.path(), &["fuzz", "--count", "300", "--seed", "4"]);
    assert!(ran.code == 0 && !found.join(argmax).join("cpu").exists(), "{}", ran.said());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = TempDir::new().unwrap();
    for (arguments, code, fragment) in [
        (vec!["--operator", "directml/argmid"], 2, "`directml/argmid` is no operator that can be fuzzed"),
        (vec!["--backend", "abacus"], 2, "`abacus` is no backend; bundled: `cpu`"),
        (vec!["--seconds", "0"], 2, "expected seconds: more than 0"),
        (vec!["--count", "0"], 2, "0 is not in 1"),
        (vec!["--level", "9_9"], 2, "`9_9` is no feature level"),
        (vec!["--seconds", "1", "--count", "1"], 2, "cannot be used with"),
        (vec!["--level", "2_0", "--operator", "directml/argmax"], 2, "is not there up to 2_0"),
    ] {
        let ran = opcert(folder.path(), &[vec!["fuzz"], arguments].concat());
        assert!(ran.code == code && ran.err.contains(fragment), "{}", ran.said());
    }
}
