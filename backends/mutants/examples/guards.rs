//! Finds out what guards each requirement, and writes it down: `cargo run --release -p opcert-mutants --example guards
//! -- reports` makes `reports/coverage.md` and `reports/mutation.md` anew. Fails where something is not guarded: a requirement
//! without a wrong backend that is noticed, a wrong backend that a random sample tells from what is right and no case notices,
//! something allowed that a case calls wrong.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use opcert::case::CaseSource;
use opcert::check::Suite;
use opcert::coverage::{Coverage, Mutant, killers};
use opcert::diagnostic::Diagnostic;
use opcert::mutate::subjects;
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_mutants::{Chosen, Hunted};
use rayon::prelude::*;

/// These work slowly: all cases of up to so many bytes are counted.
const MOST_BYTES: u64 = 1 << 10;

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1) else {
        eprintln!("error: no folder is named; `reports` is the one that is checked in");
        return ExitCode::from(2);
    };
    match write(Path::new(&folder)) {
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

fn write(folder: &Path) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let lines = |found: Vec<Diagnostic>| found.iter().map(|each| each.render(false)).collect::<Vec<_>>().join("\n");
    let specs = Specs::load(&Source::embedded_specs()).map_err(lines)?;
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |_| true).map_err(lines)?;
    let seen = Hunted::seen(&specs).map_err(lines)?;
    let (mut mutants, mut gaps) = (Vec::new(), Vec::new());
    for subject in subjects(&specs, suite.clone(), &[])? {
        let id = &subject.operator.id;
        let hunted = Hunted::of(&specs, &subject, &seen)?;
        let Hunted { noticed, missed, equivalent, accused } = &hunted;
        println!("{id}: {} noticed, {} missed, {equivalent} like what is right", noticed.len(), missed.len());
        gaps.extend(missed.iter().map(|(wrong, difference)| {
            let shown =
                difference.as_ref().map_or(String::new(), |found| format!(", which sample {} shows", found.sample));
            format!("`{}` of {id}{shown}: {}", wrong.name, wrong.about)
        }));
        gaps.extend(accused.iter().map(|fate| format!("`{}` of {id}, which is allowed", fate.wrong.name)));
        let entries = || subject.cases.iter();
        let held = hunted.chosen(&subject).into_par_iter().map(|Chosen { name, breaks, about, seen, backend }| {
            let small = entries().filter(|ready| ready.memory <= MOST_BYTES).map(|ready| &ready.planned);
            let mut killed_by = killers(small, &breaks, &*backend);
            if killed_by.is_empty() {
                killed_by = killers(entries().map(|ready| &ready.planned), &breaks, &*backend);
            }
            Mutant { name, breaks, about, seen, killed_by }
        });
        mutants.extend(held.collect::<Vec<Mutant>>());
    }
    let coverage = Coverage::of(&specs, &suite.cases, &mutants);
    fs::create_dir_all(folder)?;
    for (name, text) in [("coverage.md", coverage.coverage_page()), ("mutation.md", coverage.mutation_page())] {
        let aside = folder.join(format!(".{name}.unfinished"));
        fs::write(&aside, text)?;
        fs::rename(&aside, folder.join(name))?;
    }
    gaps.extend(coverage.gaps());
    println!("{} mutants, {} gaps", mutants.len(), gaps.len());
    Ok(gaps)
}
