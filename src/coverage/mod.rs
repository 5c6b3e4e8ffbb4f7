//! What guards each requirement: the cases that cite it, and the wrong implementations that those cases catch.
//!
//! A case cites what it puts to the test ([`CheckedCase::tests`]). Whether anything notices when a requirement is broken is
//! found out with *mutants*: backends each of which breaks one. [`killers`] runs the suite on one of them, and [`Coverage`]
//! puts together what became of all of them, finds what nothing guards ([`Coverage::gaps`]), and is rendered as the
//! pages `coverage.md` and `mutation.md`.

mod markdown;

use std::collections::{BTreeMap, BTreeSet};

use opcert_backend::Backend;

use crate::check::CheckedCase;
use crate::judge::judge;
use crate::plan::Planned;
use crate::run::execute;
use crate::spec::{Document, Requirement, Specs};

/// A wrong implementation, and the cases that noticed.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Its name.
    pub name: String,
    /// The full id of the requirement that it breaks.
    pub breaks: String,
    /// What it does wrong.
    pub about: String,
    /// Where an implementation really did that, if one is known.
    pub seen: String,
    /// The ids of the cases that went wrong on it.
    pub killed_by: BTreeSet<String>,
}

/// Cases whose tensors take up to so many bytes together are all run on a mutant.
const SMALL: u64 = 1 << 14;

/// The cases that go wrong on a mutant: of all small ones, and where none of those that cite the requirement is among
/// them, also the smallest larger one that cites it.
#[must_use]
pub fn killers<'a>(
    planned: impl IntoIterator<Item = &'a Planned>,
    breaks: &str,
    backend: &dyn Backend,
) -> BTreeSet<String> {
    let mut planned: Vec<(u64, &Planned)> = planned.into_iter().map(|each| (bytes(&each.case), each)).collect();
    planned.sort_by_key(|(bytes, _)| *bytes);
    let mut killers = BTreeSet::new();
    let mut cited = false;
    for (bytes, planned) in planned {
        let citing = cites(&planned.case, breaks);
        if bytes > SMALL && (cited || !citing) {
            continue;
        }
        let event = judge(planned, execute(planned, backend));
        let killed = event.outcome.is_bad();
        cited |= citing && killed;
        if killed {
            killers.insert(event.case);
        }
    }
    killers
}

/// The bytes that the tensors of a case take when it runs.
fn bytes(case: &CheckedCase) -> u64 {
    match case {
        CheckedCase::Valid(case) if case.is_dispatched() => {
            case.descriptor.tensors.iter().filter_map(|entry| entry.tensor.span_bytes()).sum()
        }
        _ => 0,
    }
}

/// Whether a case puts a requirement to the test.
#[must_use]
pub fn cites(case: &CheckedCase, requirement: &str) -> bool {
    case.about().operator.requirement(requirement).is_some_and(|requirement| case.tests(requirement))
}

/// The cases of one requirement.
#[derive(Clone, Debug, Default)]
pub struct Citations {
    /// Valid cases whose answer is judged, by id.
    pub positive: BTreeSet<String>,
    /// Refused ones.
    pub negative: BTreeSet<String>,
    /// Valid ones whose answer is only recorded.
    pub observed: BTreeSet<String>,
    /// Those of the large tier, which run only when asked for and count for nothing else.
    pub large: BTreeSet<String>,
}

impl Citations {
    /// All of the default tier.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.positive.iter().chain(&self.negative).chain(&self.observed)
    }
}

/// A requirement with its cases and mutants.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The requirement.
    pub requirement: &'a Requirement,
    /// The documents that it cites, each with the section.
    pub sources: Vec<(&'a Document, &'a str)>,
    /// Its cases.
    pub citations: Citations,
    /// The mutants that break it.
    pub mutants: Vec<&'a Mutant>,
}

impl Row<'_> {
    /// Why there need be no case or mutant of its own, if so.
    #[must_use]
    pub fn exemption(&self) -> Option<String> {
        let requirement = self.requirement;
        let definition = requirement.definition.then(|| "definition: other requirements use it".to_owned());
        let restates = requirement.restates.as_ref().map(|id| format!("restates `{id}`"));
        let untestable = requirement.untestable.as_ref().map(|reason| format!("untestable: {reason}"));
        definition.or(restates).or(untestable)
    }

    /// Whether it is put to the test at all.
    #[must_use]
    pub fn has_a_case(&self) -> bool {
        self.citations.all().next().is_some() || !self.citations.large.is_empty()
    }

    /// Whether a backend can break it, so that a verdict would differ.
    #[must_use]
    pub fn can_be_broken(&self) -> bool {
        self.exemption().is_none() && self.requirement.gates()
    }

    /// The cases that cite the requirement and go wrong on one of its mutants.
    #[must_use]
    pub fn killing(&self) -> BTreeSet<&str> {
        let killers: BTreeSet<&String> = self.mutants.iter().flat_map(|mutant| &mutant.killed_by).collect();
        self.citations.all().filter(|id| killers.contains(id)).map(String::as_str).collect()
    }
}

/// What guards the requirements of one operator, or those that the operators of a family share.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    /// The operator's id, or the family's name.
    pub title: String,
    /// The requirements in the order of the specification.
    pub rows: Vec<Row<'a>>,
}

/// What guards every requirement.
#[derive(Clone, Debug)]
pub struct Coverage<'a> {
    /// The families' shared requirements, then each operator's own.
    pub sections: Vec<Section<'a>>,
    /// All mutants.
    pub mutants: &'a [Mutant],
    cases: usize,
}

impl<'a> Coverage<'a> {
    /// Puts cases and mutants to the requirements that they cite and break.
    #[must_use]
    pub fn of(specs: &'a Specs, cases: &[CheckedCase], mutants: &'a [Mutant]) -> Self {
        let mut citations: BTreeMap<&str, Citations> = BTreeMap::new();
        for case in cases {
            let about = case.about();
            for requirement in cited(case) {
                let found = citations.entry(requirement).or_default();
                let kind = match case {
                    _ if about.large => &mut found.large,
                    CheckedCase::Refused(_) => &mut found.negative,
                    CheckedCase::Valid(_) if about.gates() => &mut found.positive,
                    CheckedCase::Valid(_) => &mut found.observed,
                };
                kind.insert(about.id.clone());
            }
        }
        let row = |requirement: &'a Requirement, sources: Vec<(&'a Document, &'a str)>| Row {
            requirement,
            sources,
            citations: citations.get(requirement.id.as_str()).cloned().unwrap_or_default(),
            mutants: mutants.iter().filter(|mutant| mutant.breaks == requirement.id).collect(),
        };
        let families = specs.families().map(|family| Section {
            title: family.name.clone(),
            rows: family.requirements.iter().map(|each| row(each, family.sources(each).collect())).collect(),
        });
        let operators = specs.operators.iter().map(|operator| Section {
            title: operator.id.clone(),
            rows: operator.requirements.iter().map(|each| row(each, operator.sources(each).collect())).collect(),
        });
        Self {
            sections: families.chain(operators).collect(),
            mutants,
            cases: cases.iter().filter(|case| !case.about().large).count(),
        }
    }

    fn rows(&self) -> impl Iterator<Item = &Row<'a>> {
        self.sections.iter().flat_map(|section| &section.rows)
    }

    /// Everything that is not guarded: a requirement without a case, and a mutant that survives or breaks nothing that can
    /// be broken.
    #[must_use]
    pub fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        let known: BTreeSet<&str> = self.rows().map(|row| row.requirement.id.as_str()).collect();
        for mutant in self.mutants.iter().filter(|mutant| !known.contains(mutant.breaks.as_str())) {
            gaps.push(format!("the mutant `{}` breaks `{}`, which is no requirement", mutant.name, mutant.breaks));
        }
        for row in self.rows() {
            let id = &row.requirement.id;
            if row.exemption().is_none() && !row.has_a_case() {
                gaps.push(format!("`{id}` has no case"));
            }
            if !row.can_be_broken() {
                let idle = row.mutants.iter().map(|mutant| &mutant.name);
                gaps.extend(idle.map(|name| format!("the mutant `{name}` breaks `{id}`, which no verdict rests on")));
                continue;
            }
            if row.mutants.is_empty() {
                gaps.push(format!("`{id}` has no mutant"));
            }
            for mutant in &row.mutants {
                if !row.citations.all().any(|case| mutant.killed_by.contains(case)) {
                    let others = mutant.killed_by.len();
                    gaps.push(format!(
                        "the mutant `{}` is noticed by no case that cites `{id}` ({others} others notice it)",
                        mutant.name
                    ));
                }
            }
        }
        gaps
    }
}

/// The requirements that a case cites: those that it puts to the test.
fn cited(case: &CheckedCase) -> impl Iterator<Item = &str> {
    let tested = case.about().operator.all_requirements().filter(|requirement| case.tests(requirement));
    tested.map(|requirement| requirement.id.as_str())
}

/// The file of a case: its id without its name.
fn file_of(id: &str) -> &str {
    id.rsplit_once('/').map_or(id, |(file, _)| file)
}
