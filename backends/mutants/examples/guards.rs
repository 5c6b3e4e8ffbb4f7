//! Finds out what guards each requirement, and writes it down: `cargo run --release -p opcert-mutants --example guards
//! -- reports` runs the embedded suite on every mutant, writes `coverage.md` and `mutation.md` to the folder, and fails
//! where a requirement is not guarded.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use opcert::case::CaseSource;
use opcert::check::Suite;
use opcert::coverage::{Coverage, Mutant, killers};
use opcert::plan::{Plan, Selection};
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_mutants::{mutants, unmutated};
use rayon::prelude::*;

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
    let lines = |found: Vec<opcert::diagnostic::Diagnostic>| {
        found.iter().map(|each| each.render(false)).collect::<Vec<_>>().join("\n")
    };
    let specs = Specs::load(&Source::embedded_specs()).map_err(lines)?;
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |_| true).map_err(lines)?;
    let plan = Plan::new(suite.cases.clone(), &specs, &unmutated(), &Selection::default())?;
    let fate = |mutant: opcert_mutants::Mutant| {
        let concerned = plan.entries.iter().filter(|planned| mutant.concerns(&planned.case.about().operator.id));
        Mutant {
            name: mutant.name.to_owned(),
            breaks: mutant.breaks.to_owned(),
            about: mutant.about.to_owned(),
            seen: mutant.seen.to_owned(),
            killed_by: killers(concerned, mutant.breaks, &*mutant.backend()),
        }
    };
    let mutants: Vec<Mutant> = mutants().into_par_iter().with_max_len(1).map(fate).collect();
    let coverage = Coverage::of(&specs, &suite.cases, &mutants);
    fs::create_dir_all(folder)?;
    for (name, text) in [("coverage.md", coverage.coverage_page()), ("mutation.md", coverage.mutation_page())] {
        let aside = folder.join(format!(".{name}.unfinished"));
        fs::write(&aside, text)?;
        fs::rename(&aside, folder.join(name))?;
    }
    let gaps = coverage.gaps();
    println!("{} mutants, {} gaps", mutants.len(), gaps.len());
    Ok(gaps)
}
