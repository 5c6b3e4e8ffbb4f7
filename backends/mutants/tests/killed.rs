//! The suite, held against backends that are wrong on purpose: it must notice each of them, by a case that cites the
//! requirement which is broken, and nothing that is right or allowed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::OnceLock;

use opcert::backend::Backend;
use opcert::case::CaseSource;
use opcert::check::{CheckedCase, Suite};
use opcert::coverage::cites;
use opcert::judge::{CaseEvent, Outcome, judge};
use opcert::plan::{Plan, Planned, Selection};
use opcert::run::execute;
use opcert::source::Source;
use opcert::spec::{Requirement, Specs};
use opcert_mutants::{Mutant, Permitted, has_kernel, mutants, permitted, unmutated};
use rayon::prelude::*;

/// The specifications, and the embedded cases as they are planned for every backend of this crate.
struct Bench {
    specs: Specs,
    planned: Vec<Planned>,
}

/// A case that goes wrong on a mutant.
struct Kill {
    case: String,
    outcome: Outcome,
    /// Whether the case cites the requirement that the mutant breaks.
    cites: bool,
}

/// What the suite makes of a mutant.
struct Fate {
    mutant: Mutant,
    /// A case that kills it, if there is one; one that cites the requirement if possible.
    kill: Option<Kill>,
}

/// Is not to be called from within a parallel iterator: loading is one itself, and would wait for itself.
fn bench() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(|| {
        let specs = Specs::load(&Source::embedded_specs()).unwrap();
        let suite = Suite::load(&CaseSource(Source::embedded_cases()), &specs, |_| true).unwrap();
        let planned = Plan::new(suite.cases, &specs, &unmutated(), &Selection::default()).unwrap().entries;
        Bench { specs, planned }
    })
}

fn run(planned: &Planned, backend: &dyn Backend) -> CaseEvent {
    judge(planned, execute(planned, backend))
}

/// The cases that kill a mutant: those that cite its requirement first, and small ones before large ones. Each is run
/// when it is asked for.
fn kills(mutant: &Mutant, planned: &'static [Planned]) -> impl Iterator<Item = Kill> {
    let (breaks, backend) = (mutant.breaks, mutant.backend());
    let concerned = planned.iter().filter(|planned| mutant.concerns(&planned.case.about().operator.id));
    let mut cases: Vec<&Planned> = concerned.collect();
    cases.sort_by_key(|planned| (!cites(&planned.case, breaks), memory(&planned.case)));
    cases.into_iter().filter_map(move |planned| {
        let event = run(planned, &*backend);
        let kill = Kill { case: event.case, outcome: event.outcome, cites: cites(&planned.case, breaks) };
        event.outcome.is_bad().then_some(kill)
    })
}

/// The bytes that a case needs.
fn memory(case: &CheckedCase) -> u64 {
    match case {
        CheckedCase::Valid(case) if case.is_dispatched() => {
            case.descriptor.tensors.iter().filter_map(|entry| entry.tensor.span_bytes()).sum()
        }
        _ => 0,
    }
}

fn fates() -> Vec<Fate> {
    let planned = &bench().planned;
    let fate = |mutant: Mutant| Fate { mutant, kill: kills(&mutant, planned).next() };
    mutants().into_par_iter().with_max_len(1).map(fate).collect()
}

/// What goes wrong with a case on a backend.
fn bad_event(planned: &Planned, backend: &dyn Backend) -> Option<String> {
    let event = run(planned, backend);
    event.outcome.is_bad().then(|| format!("{}: {} ({:?})", event.case, event.outcome, event.reason))
}

/// The requirements that need a mutant, in the order of the specifications: a family's first, then each operator's.
fn requirements() -> Vec<&'static Requirement> {
    let mut requirements: Vec<&Requirement> = Vec::new();
    let operators = bench().specs.operators.iter().filter(|operator| has_kernel(&operator.id));
    for requirement in operators.flat_map(|operator| operator.all_requirements()) {
        if requirements.iter().all(|each| each.id != requirement.id) {
            requirements.push(requirement);
        }
    }
    requirements
}

fn is_testable(requirement: &Requirement) -> bool {
    let excused = requirement.definition || requirement.restates.is_some() || requirement.untestable.is_some();
    requirement.gates() && !excused
}

#[test]
fn the_unmutated_twin_conforms() {
    assert!(bench().planned.len() > 5000);
    let bad: Vec<String> = bench().planned.par_iter().filter_map(|planned| bad_event(planned, &unmutated())).collect();
    assert_eq!(bad, [""; 0]);
}

#[test]
fn what_is_permitted_conforms() {
    assert!(permitted().len() >= 6);
    let concerned = |permitted: &'static Permitted| {
        let planned = bench().planned.iter();
        planned
            .filter(|planned| permitted.concerns(&planned.case.about().operator.id))
            .map(move |each| (permitted, each))
    };
    // All at once: nobody waits for the largest case of each.
    let pairs: Vec<(&Permitted, &Planned)> = permitted().iter().flat_map(concerned).collect();
    let bad = pairs.into_par_iter().filter_map(|(permitted, planned)| {
        let bad = bad_event(planned, &*permitted.backend())?;
        Some(format!("{}: {} {bad}", permitted.name, permitted.about))
    });
    assert_eq!(bad.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn the_tables_are_sound() {
    let (mutants, requirements) = (mutants(), requirements());
    assert!(mutants.len() >= 500, "only {} mutants", mutants.len());
    let names = mutants.iter().map(|mutant| mutant.name).chain(permitted().iter().map(|permitted| permitted.name));
    let mut seen = BTreeSet::new();
    for name in names {
        assert!(seen.insert(name), "`{name}` is there twice");
        assert!(name.chars().all(|letter| matches!(letter, 'a'..='z' | '0'..='9' | '-')), "`{name}`");
    }
    let place = |id: &str| requirements.iter().position(|requirement| requirement.id == id);
    for mutant in &mutants {
        let place = place(mutant.breaks).unwrap_or_else(|| panic!("`{}` breaks no requirement", mutant.name));
        assert!(is_testable(requirements[place]), "`{}` breaks `{}`", mutant.name, mutant.breaks);
        assert!(mutant.about.ends_with('.'), "`{}`: {}", mutant.name, mutant.about);
    }
    let broken = permitted().iter().filter(|each| place(each.leaves_open).is_none()).map(|each| each.name);
    assert_eq!(broken.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn every_testable_requirement_has_a_mutant() {
    let broken: BTreeSet<&str> = mutants().iter().map(|mutant| mutant.breaks).collect();
    let testable = requirements().into_iter().filter(|requirement| is_testable(requirement));
    let without: Vec<&str> =
        testable.map(|requirement| requirement.id.as_str()).filter(|id| !broken.contains(id)).collect();
    assert_eq!(without, [""; 0]);
}

#[test]
fn every_mutant_is_killed_by_a_case_that_cites_its_requirement() {
    let mut report = String::new();
    for Fate { mutant, kill } in fates() {
        let said = match kill {
            Some(kill) if kill.cites => continue,
            Some(kill) => format!("killed only by cases that do not cite it, such as {} ({})", kill.case, kill.outcome),
            None => "survives".to_owned(),
        };
        writeln!(report, "{} [{}]: {said}. {}", mutant.name, mutant.breaks, mutant.about).unwrap();
    }
    assert!(report.is_empty(), "{} mutants are not properly killed:\n{report}", report.lines().count());
}
