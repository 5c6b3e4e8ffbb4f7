//! Journals of runs that were cut off, in which a bit flipped since: the run goes on, and ends as if none had.

use std::fs;

use libtest_mimic::Trial;
use opcert::judge::Event;
use opcert::report::{Log, UnfinishedWriter};

use crate::ran::opcert;
use crate::{Extent, Numbers, Tally, attack};

pub fn trials() -> Vec<Trial> {
    attack("journals", flipped).into()
}

/// A dozen cases.
const CASES: &str = "directml/*/documented/*";
const MEMORY: u64 = 4 << 20;

fn flipped(extent: Extent, tally: &mut Tally) {
    let folder = tempfile::tempdir().unwrap();
    let run = |options: &[&str]| opcert(folder.path(), &[&["run", CASES, "--out", "out"], options].concat(), MEMORY);
    let ran = run(&[]);
    assert_eq!(ran.code, Some(0), "{}", ran.said);
    let read = |name: &str| fs::read(folder.path().join("out").join(name)).unwrap();
    let uninterrupted = read("events.jsonl");
    let log = Log::read(uninterrupted.as_slice()).unwrap();
    let mut journal = Vec::new();
    let mut writer = UnfinishedWriter::new(&mut journal);
    writer.write(&Event::Header(Box::new(log.header.clone()))).unwrap();
    for case in &log.cases[..log.cases.len() - 2] {
        writer.write(&Event::Case(Box::new(case.clone()))).unwrap();
    }
    let mut numbers = Numbers(6);
    let flips = if extent == Extent::Quick { 16 } else { 600 };
    for number in 0..flips {
        let (at, bit) = (numbers.below(journal.len()), numbers.below(8));
        let mut damaged = journal.clone();
        damaged[at] ^= 1 << bit;
        fs::write(folder.path().join("out/events.jsonl.unfinished"), &damaged).unwrap();
        let ran = run(&["--resume"]);
        let what = format!("bit {bit} of byte {at} of {}", journal.len());
        let wrong = ran.wrong(&[0], "case", &["pass"]);
        let same = || read("events.jsonl") == uninterrupted;
        let wrong = wrong.or_else(|| (!same()).then(|| "another log came of it".to_owned()));
        tally.count("a flipped bit", &what, wrong);
        if number % 16 == 0 {
            let verified = opcert(folder.path(), &["verify", "out"], MEMORY);
            tally.count("the bundle after a flipped bit", &what, verified.wrong(&[0], "out", &["everything fits"]));
        }
    }
}
