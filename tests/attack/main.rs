//! Attacks: files, journals, bundles and whatever else comes from outside, made hostile by the hundred. Each kind counts
//! what it tried and what went wrong, which is to be nothing. What is quick is always done; `-- --ignored` does all of it.
#![expect(clippy::unwrap_used, reason = "an attack that cannot be made ends")]

mod bundles;
mod files;
mod journals;
mod kills;
mod programs;
mod ran;

use std::collections::BTreeMap;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    // For some attacks this is the program on the other side.
    if programs::be_a_program() {
        return ExitCode::SUCCESS;
    }
    let trials = [bundles::trials(), files::trials(), journals::trials(), kills::trials(), programs::trials()];
    libtest_mimic::run(&Arguments::from_args(), trials.into_iter().flatten().collect()).exit_code()
}

/// How much of an attack is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// What takes seconds.
    Quick,
    /// All of it, which takes minutes.
    Whole,
}

/// An attack as two tests: one that is quick, and one that is only made when it is asked for.
fn attack(name: &str, make: fn(Extent, &mut Tally)) -> [Trial; 2] {
    let made = move |extent| {
        let mut tally = Tally::default();
        make(extent, &mut tally);
        tally.end()
    };
    [
        Trial::test(format!("{name}::some"), move || made(Extent::Quick)),
        Trial::test(format!("{name}::all"), move || made(Extent::Whole)).with_ignored_flag(true),
    ]
}

/// What was tried of each kind, and what went wrong.
#[derive(Default)]
struct Tally {
    tried: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

impl Tally {
    /// One more of a kind: what it was, and what is wrong with what came of it.
    fn count(&mut self, kind: &str, what: &str, wrong: Option<String>) {
        *self.tried.entry(kind.to_owned()).or_default() += 1;
        self.wrong.extend(wrong.map(|wrong| format!("{kind}: {what}: {wrong}")));
    }

    fn end(self) -> Result<(), Failed> {
        let lines: Vec<String> = self.tried.iter().map(|(kind, count)| format!("  {count:>6}  {kind}")).collect();
        let all: usize = self.tried.values().sum();
        println!("{all} attacks, {} wrong\n{}", self.wrong.len(), lines.join("\n"));
        match self.wrong.as_slice() {
            [] if all > 0 => Ok(()),
            [] => Err("nothing was tried".into()),
            wrong => Err(wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n").into()),
        }
    }
}

/// Numbers that follow from a seed, and look as if they did not (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// One that is below another.
    fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }
}
