//! Finds out what guards each requirement, and writes it down: `cargo run --release -p opcert-mutants -- reports` makes
//! `reports/coverage.md` and `reports/mutation.md` anew. Fails where something is not guarded: a requirement without a wrong
//! backend that is noticed, a wrong backend that a random sample tells from what is right and no case notices, something allowed
//! that a case calls wrong, and what fuzzing does not find. Behind the folder may stand another seed for fuzzing, and a
//! folder in which the cases that it finds are kept.
//!
//! Nearly all wrong backends follow from the specifications ([`opcert::mutate`]), and some from files that tell of what
//! implementations did. A few are beyond safe code: they touch memory that is not their own ([`trespass`]).

mod chosen;
mod fuzzed;
mod trespass;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs};

use opcert::case::CaseSource;
use opcert::check::Suite;
use opcert::coverage::{Coverage, Mutant, killers};
use opcert::diagnostic::Diagnostic;
use opcert::mutate::subjects;
use opcert::source::Source;
use opcert::spec::Specs;
use rayon::prelude::*;

use crate::chosen::{Chosen, Hunted};

/// These work slowly: all cases of up to so many bytes are counted.
const MOST_BYTES: u64 = 1 << 10;

/// What random samples follow from when nothing else is said.
const SEED: u64 = 1;

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("error: no folder is named; `reports` is the one that is checked in");
        return ExitCode::from(2);
    };
    if !Path::new(&folder).is_dir() {
        eprintln!("error: `{folder}` is no folder; `reports` is the one that is checked in");
        return ExitCode::from(2);
    }
    let seed = arguments.next();
    let Ok(seed) = seed.as_deref().map_or(Ok(SEED), str::parse) else {
        eprintln!("error: `{}` is no seed: a number is", seed.unwrap_or_default());
        return ExitCode::from(2);
    };
    let kept = arguments.next();
    match write(Path::new(&folder), (seed, kept.as_deref().map(Path::new))) {
        Ok(gaps) if gaps.is_empty() => ExitCode::SUCCESS,
        Ok(gaps) => {
            gaps.iter().for_each(|gap| eprintln!("not guarded: {gap}"));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn write(folder: &Path, fuzzing: (u64, Option<&Path>)) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let specs = Specs::load(&Source::embedded_specs()).map_err(|found| lines(&found))?;
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |_| true).map_err(|found| lines(&found))?;
    let seen = Hunted::seen(&specs).map_err(|found| lines(&found))?;
    let (mut mutants, mut rows, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
    for subject in subjects(&specs, suite.clone(), &[])? {
        let id = &subject.operator.id;
        let started = Instant::now();
        let hunted = Hunted::of(&specs, &subject, &seen)?;
        let found = started.elapsed();
        let Hunted { noticed, missed, equivalent, accused } = &hunted;
        gaps.extend(missed.iter().map(|(wrong, difference)| {
            let shown =
                difference.as_ref().map_or(String::new(), |found| format!(", which sample {} shows", found.sample));
            format!("`{}` of {id}{shown}: {}", wrong.name, wrong.about)
        }));
        gaps.extend(accused.iter().map(|fate| format!("`{}` of {id}, which is allowed", fate.wrong.name)));
        // What some of them keep from fuzzing would show in the cases: each use begins with new ones.
        rows.extend(fuzzed::rows(&specs, &subject, &hunted.chosen(&subject), fuzzing)?);
        let fuzzed = started.elapsed();
        let held = hunted.chosen(&subject).into_par_iter().with_max_len(1).map(|chosen| {
            let noticing = |most: u64| {
                let cases =
                    subject.cases.iter().filter(|ready| ready.memory <= most && chosen.may_show(ready, &subject));
                killers(cases.map(|ready| &ready.planned), &chosen.breaks, &*chosen.backend)
            };
            let mut killed_by = noticing(MOST_BYTES);
            if killed_by.is_empty() {
                killed_by = noticing(u64::MAX);
            }
            let Chosen { name, breaks, about, seen, .. } = chosen;
            Mutant { name, breaks, about, seen, killed_by }
        });
        mutants.extend(held.collect::<Vec<Mutant>>());
        let [held, fuzzed] = [started.elapsed() - fuzzed, fuzzed - found];
        println!(
            "{id}: {} noticed in {found:.1?}, {} missed, {equivalent} like what is right; fuzzed in {fuzzed:.1?}, all small cases \
             held against those that stand for others in {held:.1?}",
            noticed.len(),
            missed.len(),
        );
    }
    let coverage = Coverage::of(&specs, &suite.cases, &mutants);
    fs::create_dir_all(folder)?;
    for (name, text) in [("coverage.md", coverage.coverage_page()), ("mutation.md", coverage.mutation_page())] {
        let aside = folder.join(format!(".{name}.unfinished"));
        fs::write(&aside, text)?;
        fs::rename(&aside, folder.join(name))?;
    }
    gaps.extend(coverage.gaps());
    gaps.extend(fuzzed::report(&rows));
    println!("{} mutants, {} gaps", mutants.len(), gaps.len());
    Ok(gaps)
}

/// All that is wrong with files, one below the other.
fn lines(found: &[Diagnostic]) -> String {
    found.iter().map(|each| each.render(false)).collect::<Vec<_>>().join("\n")
}
