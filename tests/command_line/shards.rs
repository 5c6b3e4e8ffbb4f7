//! Runs in parts: put together they are one run, byte for byte, and what is not all of one run is refused.

use std::fs;
use std::path::Path;

use crate::command::{Ran, opcert};
use opcert::judge::Event;
use opcert::report::UnfinishedWriter;
use tempfile::TempDir;

const PICKED: &str = "*/one_hot*/documented/*";

/// The parts of a run of what is picked, in folders of their numbers.
fn parts(folder: &Path, of: usize, more: &[&str]) -> Vec<String> {
    (1..=of)
        .map(|number| {
            let (name, shard) = (format!("part-{number}-of-{of}"), format!("{number}/{of}"));
            let ran = opcert(folder, &[&["run", PICKED, "--shard", &shard, "--out", &name], more].concat());
            assert!([0, 4].contains(&ran.code), "{}", ran.said());
            name
        })
        .collect()
}

fn merged(folder: &Path, parts: &[String], more: &[&str]) -> Ran {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    opcert(folder, &[&["merge"], parts.as_slice(), more].concat())
}

#[test]
fn parts_put_together_are_one_run() {
    let folder = TempDir::new().unwrap();
    let whole = opcert(folder.path(), &["run", PICKED, "--out", "whole"]);
    assert_eq!(whole.code, 0, "{}", whole.said());
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let cases = |name: &str| String::from_utf8(read(name)).unwrap().lines().count() - 2;
    for of in [1, 3, 8] {
        let mut parts = parts(folder.path(), of, &[]);
        // In whatever order they are named.
        parts.reverse();
        let out = format!("merged-{of}");
        let ran = merged(folder.path(), &parts, &["--out", &out]);
        assert_eq!(ran.code, 0, "{}", ran.said());
        for file in ["events.jsonl", "certificate.json", "junit.xml", "matrix.md"] {
            assert_eq!(read(&format!("{out}/{file}")), read(&format!("whole/{file}")), "{file} of {of}");
        }
        let counts: Vec<usize> = parts.iter().map(|part| cases(&format!("{part}/events.jsonl"))).collect();
        assert_eq!(counts.iter().sum::<usize>(), cases("whole/events.jsonl"));
        // The last first; worked out elsewhere, from the BLAKE3 digests of the ids. The fifth of eight has none, and is a part all
        // the same.
        let expected: &[usize] = match of {
            1 => &[14],
            3 => &[4, 6, 4],
            _ => &[3, 1, 2, 0, 3, 1, 1, 3],
        };
        assert_eq!(counts, expected);
        // The fifth of eight, which has no case, as well.
        let least = (0..of).min_by_key(|&at| counts[at]).unwrap();
        assert_eq!(opcert(folder.path(), &["verify", &parts[least]]).code, 0);
        assert_eq!(opcert(folder.path(), &["verify", &out]).code, 0);
    }
}

#[test]
fn a_part_is_no_verdict() {
    let folder = TempDir::new().unwrap();
    parts(folder.path(), 2, &[]);
    let ran = opcert(folder.path(), &["matrix", "part-1-of-2", "--format", "markdown"]);
    assert!(ran.out.contains("Part 1/2 of a run: this is no verdict"), "{}", ran.said());
}

#[test]
fn what_is_not_all_of_one_run_is_refused() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let three = parts(at, 3, &[]);
    let two = parts(at, 2, &[]);
    assert_eq!(opcert(at, &["run", PICKED, "--out", "whole"]).code, 0);
    let other = "other";
    let level = ["--level", "4_0"];
    let ran =
        opcert(at, &[&["run", "directml/one_hot/documented/*", "--shard", "3/3", "--out", other], &level[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.said());
    // A case in a part to which it does not belong.
    let log = |name: &str| fs::read_to_string(at.join(name).join("events.jsonl")).unwrap();
    let (first, second) = (log(&three[0]), log(&three[1]));
    let (mine, theirs) = (first.lines().nth(1).unwrap(), second.lines().nth(1).unwrap());
    fs::create_dir(at.join("strayed")).unwrap();
    fs::write(at.join("strayed/events.jsonl"), first.replace(mine, theirs)).unwrap();
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let [one, two_of_three, last] = [&three[0], &three[1], &three[2]].map(String::as_str);
    let refusals: [(Vec<String>, &str); 7] = [
        (named(&[one, last]), "2/3 is missing"),
        (named(&[one]), "2/3, 3/3 are missing"),
        (named(&[one, two_of_three, last, one]), "the part 1/3 is there twice"),
        (named(&[one, &two[1]]), "is one of 3 parts, and `part-2-of-2` one of 2"),
        (named(&["whole", one]), "`whole` is no part of a run"),
        (named(&[one, two_of_three, other]), "`part-1-of-3` and `other` are not of one run"),
        (named(&["strayed", two_of_three, last]), "belongs to the part 2/3, and this is 1/3"),
    ];
    for (names, said) in refusals {
        let ran = merged(at, &names, &["--out", "nothing"]);
        assert_eq!(ran.code, 2, "{names:?}: {}", ran.said());
        let text = ran.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(said), "{names:?}: {}", ran.said());
        assert!(!at.join("nothing").exists());
    }
    // What it is made of is not overwritten.
    for out in ["part-1-of-2", "./part-2-of-2"] {
        let before = log(out);
        let ran = merged(at, &two, &["--out", out]);
        assert!(ran.code == 2 && ran.err.contains("is one of the parts"), "{}", ran.said());
        assert_eq!(log(out), before);
    }
    for shard in ["0/3", "4/3", "3", "1/5000", "x/3"] {
        let ran = opcert(at, &["run", PICKED, "--shard", shard, "--out", "nothing"]);
        assert_eq!(ran.code, 2, "{shard}: {}", ran.said());
        assert!(ran.err.contains("`3/8` is the third of eight"), "{}", ran.said());
    }
}

#[test]
fn a_part_that_was_cut_off_is_gone_on_with() {
    let folder = TempDir::new().unwrap();
    let words = ["run", PICKED, "--shard", "2/3", "--out", "part"];
    assert_eq!(opcert(folder.path(), &words).code, 0);
    let at = |name: &str| folder.path().join("part").join(name);
    let whole = fs::read_to_string(at("events.jsonl")).unwrap();
    fs::remove_file(at("events.jsonl")).unwrap();
    let mut begun = UnfinishedWriter::new(fs::File::create(at("events.jsonl.unfinished")).unwrap());
    whole.lines().take(3).for_each(|line| begun.write(&serde_json::from_str::<Event>(line).unwrap()).unwrap());
    begun.finish().unwrap();
    let another = ["run", PICKED, "--shard", "1/3", "--out", "part", "--resume"];
    let ran = opcert(folder.path(), &another);
    assert!(ran.code == 2 && ran.err.contains("is of another run"), "{}", ran.said());
    let ran = opcert(folder.path(), &[&words[..], &["--resume"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.said());
    assert_eq!(fs::read_to_string(at("events.jsonl")).unwrap(), whole);
}
