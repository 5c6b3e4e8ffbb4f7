//! Finds out what guards each requirement, and writes it down: `cargo run --release -p opcert-mutants --example guards
//! -- reports` runs the embedded suite on every mutant, writes `coverage.md` and `mutation.md` to the folder, and fails
//! where a requirement is not guarded. An operator without a kernel among the mutants is held against some of the wrong
//! backends that follow from its definition.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::{env, fs};

use opcert::case::CaseSource;
use opcert::check::Suite;
use opcert::coverage::{Coverage, Mutant, killers};
use opcert::mutate::{Subject, Wrong, WrongBackend, alterations, general, subjects};
use opcert::plan::{Plan, Selection};
use opcert::source::Source;
use opcert::spec::{Requirement, Specs};
use opcert_mutants::{has_kernel, mutants, unmutated};
use rayon::prelude::*;

/// These work slowly, and are held against cases of up to so many bytes.
const MOST_BYTES: u64 = 1 << 10;

/// So many of the wrong backends that follow from a definition are tried for a requirement.
const TRIED: usize = 3;

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
    let mut mutants: Vec<Mutant> = mutants().into_par_iter().with_max_len(1).map(fate).collect();
    let ids = specs.operators.iter().map(|operator| operator.id.clone()).filter(|id| !has_kernel(id));
    let ids: Vec<String> = ids.collect();
    if !ids.is_empty() {
        mutants.extend(subjects(&specs, suite.clone(), &ids)?.iter().flat_map(following));
    }
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

/// Of an operator, for each requirement that is its own, some of the wrong backends that follow from its definition and
/// break it, of those that the suite notices.
fn following(subject: &Subject) -> Vec<Mutant> {
    let operator = &subject.operator;
    let mut all = [alterations(operator), general(operator)].concat();
    // One that breaks one thing alone says the most.
    all.sort_by_key(|wrong| wrong.breaks.len());
    let is_excused = |each: &Requirement| each.definition || each.restates.is_some() || each.untestable.is_some();
    let own: Vec<&Requirement> =
        operator.requirements.iter().filter(|each| each.gates() && !is_excused(each)).collect();
    let tried = own.par_iter().flat_map_iter(|requirement| {
        let breaking = all.iter().filter(|wrong| wrong.breaks.contains(&requirement.id)).take(TRIED);
        breaking.map(|wrong| (&requirement.id, Arc::new(wrong.clone())))
    });
    let mutant = |(id, wrong): (&String, Arc<Wrong>)| Mutant {
        name: wrong.name.clone(),
        breaks: id.clone(),
        about: wrong.about.clone(),
        seen: String::new(),
        killed_by: killers(
            subject.cases.iter().filter(|ready| ready.memory <= MOST_BYTES).map(|ready| &ready.planned),
            id,
            &WrongBackend::new(&wrong, &subject.answers),
        ),
    };
    let mutants: Vec<Mutant> = tried.map(mutant).collect();
    // Some do nothing that a case could notice: they are right.
    mutants.into_iter().filter(|mutant| !mutant.killed_by.is_empty()).collect()
}
