//! Everybody's YAML reader finds in opcert's files what opcert's own finds: the same keys, words and numbers.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};

use opcert::bench::WorkloadFile;
use opcert::case::CaseFile;
use opcert::expectations::ExpectationsFormat;
use opcert::mapping::MappingFile;
use opcert::mutate::WrongFile;
use opcert::run::Manifest;
use opcert::spec::{FamilyFile, OperatorFile};
use opcert::yaml::{Content, Node, parse};
use rayon::prelude::*;

/// Below these folders each YAML file is one of opcert's.
const FOLDERS: [&str; 7] = ["specs", "cases", "mappings", "workloads", "backends", "examples", "tests/wrong"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // What others installed there is not opcert's.
        let own = path.file_name().is_none_or(|name| !name.to_string_lossy().starts_with('.') && name != "target");
        if path.is_dir() && own {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
}

fn all_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    FOLDERS.iter().for_each(|folder| files(&root.join(folder), &mut paths));
    paths
}

/// What a plain word is as a number.
fn number(text: &str) -> Option<f64> {
    let unsigned = text.trim_start_matches(['-', '+']);
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    match unsigned {
        ".inf" => return Some(sign * f64::INFINITY),
        ".nan" => return Some(f64::NAN),
        _ => {}
    }
    let is_number = unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    unsigned.parse().ok().filter(|_| is_number).map(|found: f64| sign * found)
}

fn integer(text: &str) -> Option<i128> {
    match text.get(..2) {
        Some("0x") => i128::from_str_radix(&text[2..], 16).ok(),
        Some("0o") => i128::from_str_radix(&text[2..], 8).ok(),
        _ => text.parse().ok(),
    }
}

/// Whether two plain words are the same number: an integer digit by digit, others in each width that elements have.
fn is_same_number(one: &str, other: &str) -> bool {
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => match (number(one), number(other)) {
            (Some(wide), Some(found)) => {
                let narrow = one.parse::<f32>().map_or(true, |narrow| narrow.to_bits() == (found as f32).to_bits());
                (wide.to_bits() == found.to_bits() || wide.is_nan() && found.is_nan()) && narrow
            }
            _ => false,
        },
        _ => false,
    }
}

/// The first part in which two readers differ.
fn difference(own: &Node, other: &Node) -> Option<String> {
    match (own.content(), other.content()) {
        (Content::Scalar { text, quoted }, Content::Scalar { text: found, .. }) => {
            let same = text == found || !quoted && (own.is_null() && other.is_null() || is_same_number(text, found));
            (!same).then(|| format!("`{text}` at {:?} is `{found}`", own.position()))
        }
        (Content::Sequence(items), Content::Sequence(found)) if items.len() == found.len() => {
            items.zip(found).find_map(|(own, other)| difference(&own, &other))
        }
        (Content::Mapping(pairs), Content::Mapping(found)) if pairs.len() == found.len() => {
            pairs.zip(found).find_map(|((own_key, own), (key, other))| {
                let named = own_key.name == key.name || is_same_number(own_key.name, key.name);
                if named {
                    difference(&own, &other)
                } else {
                    Some(format!("the key `{}` is `{}`", own_key.name, key.name))
                }
            })
        }
        _ => Some(format!("{} at {:?} is {}", own.kind(), own.position(), other.kind())),
    }
}

#[test]
fn another_reader_finds_the_same_in_every_file() {
    let paths = all_files();
    assert!(paths.len() > 200, "only {} files were found", paths.len());
    let wrong: Vec<String> = paths
        .par_iter()
        .filter_map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let own = parse(&text).unwrap();
            let said = |what: String| Some(format!("{}: {what}", path.display()));
            let other: Node = match yaml_serde::from_str(&text) {
                Ok(other) => other,
                Err(error) => return said(error.to_string()),
            };
            said(difference(&own, &other)?)
        })
        .collect();
    assert_eq!(wrong, [""; 0]);
}

/// What a file is, by its place.
fn decoded(path: &Path, text: &str) -> Result<(), yaml_serde::Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let path = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap();
    let is_below = |folder: &str| path.iter().any(|part| part == folder);
    match name.as_ref() {
        "backend.yaml" => yaml_serde::from_str::<Manifest>(text).map(drop),
        "expectations.yaml" => yaml_serde::from_str::<ExpectationsFormat>(text).map(drop),
        "family.yaml" => yaml_serde::from_str::<FamilyFile>(text).map(drop),
        _ if is_below("specs") => yaml_serde::from_str::<OperatorFile>(text).map(drop),
        _ if is_below("mappings") => yaml_serde::from_str::<MappingFile>(text).map(drop),
        _ if is_below("workloads") => yaml_serde::from_str::<WorkloadFile>(text).map(drop),
        _ if is_below("wrong") => yaml_serde::from_str::<WrongFile>(text).map(drop),
        _ => yaml_serde::from_str::<CaseFile>(text).map(drop),
    }
}

#[test]
fn the_types_of_the_formats_are_deserialized() {
    // Of the generated files one is as good as another.
    let mut wrong = Vec::new();
    let mut seen = 0;
    for path in all_files().into_iter().filter(|path| path.metadata().unwrap().len() < 100_000) {
        seen += 1;
        if let Err(error) = decoded(&path, &fs::read_to_string(&path).unwrap()) {
            wrong.push(format!("{}: {error}", path.display()));
        }
    }
    assert!(seen > 150, "only {seen} files were read");
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn what_is_wrong_is_said() {
    let said = |text: &str| yaml_serde::from_str::<CaseFile>(text).unwrap_err().to_string();
    let unknown = said("{operator: toy/copy, cases: {}, case: {}}");
    assert!(unknown.contains("unknown key `case`"), "{unknown}");
    let both = said("{operator: [], cases: 1}");
    assert!(both.contains("expected text, found a list; expected a mapping, found `1`"), "{both}");
    let twice = said("{operator: toy/copy, cases: {}, cases: {}}");
    assert!(twice.contains("the key `cases` stands here twice"), "{twice}");
    let key = said("{operator: toy/copy, cases: {[1]: {}}}");
    assert!(key.contains("expected a name"), "{key}");
    let json: CaseFile =
        serde_json::from_str(r#"{"operator": "toy/copy", "cases": {"one": {"expect": "accepts"}}}"#).unwrap();
    assert_eq!(json.cases.names().collect::<Vec<_>>(), ["one"]);
}

#[test]
fn a_difference_is_seen() {
    let compared = |own: &str, other: &str| difference(&parse(own).unwrap(), &parse(other).unwrap()).is_some();
    for (own, other) in [
        ("a: 1", "a: 2"),
        ("a: 1", "a: 1.0"),
        ("a: 0.1", "a: 0.10000000000000002"),
        ("a: -0.0", "a: 0.0"),
        ("a: [1, 2]", "a: [1]"),
        ("a: 1", "b: 1"),
        ("{a: 1, b: 2}", "{b: 2, a: 1}"),
        ("a: '1'", "a: 2"),
        ("a: x", "a: ~"),
        ("a: .inf", "a: -.inf"),
        ("a: [1]", "a: 1"),
        // As a double it lies between two floats, and the text does not.
        ("a: 1.00000005960464477539062500001", "a: 1.000000059604644775390625"),
    ] {
        assert!(compared(own, other), "{own} and {other}");
        assert!(!compared(own, own) && !compared(other, other), "{own} and {other}");
    }
    for (own, other) in
        [("a: 0x10", "a: 16"), ("a: 1e3", "a: 1000.0"), ("a: '1'", "a: 1"), ("a:", "a: ~"), ("1: x", "1: 'x'")]
    {
        assert!(!compared(own, other), "{own} and {other}");
    }
}
