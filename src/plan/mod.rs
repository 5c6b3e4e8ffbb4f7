//! Which cases run on a backend, at which levels, and why the others do not.

mod filter;

pub use filter::{Filter, FilterError};

use opcert_backend::{Backend, Identity, Support, contain};

use crate::check::{CheckedCase, Layout, RefusedCase, ValidCase};
use crate::spec::{Family, Level};

/// The cases in the order of every report.
#[derive(Debug)]
pub struct Plan {
    /// One entry per case.
    pub entries: Vec<Planned>,
}

/// A case and what becomes of it.
#[derive(Debug)]
pub struct Planned {
    /// The case.
    pub case: CheckedCase,
    /// Whether it runs.
    pub decision: Decision,
}

/// Whether a case runs on a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It runs, at these levels: the least and the highest at which it is valid, or refused in one way, as far as the
    /// backend claims them. Only at the first one is it dispatched.
    Run(Vec<Level>),
    /// The backend says that it cannot, for this reason.
    Unsupported(String),
    /// The backend does not claim it, for this reason.
    NotRun(String),
}

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Which cases.
    pub filter: Filter,
    /// The highest feature level to run.
    pub level: Option<String>,
    /// Whether cases of the large tier run too.
    pub large: bool,
}

impl Selection {
    /// Whether this is everything that a verdict rests on, up to the level.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.filter.is_empty()
    }

    /// Whether a case is asked for.
    #[must_use]
    pub fn picks(&self, case: &CheckedCase) -> bool {
        let about = case.about();
        let family = &about.operator.family;
        let least = match case {
            CheckedCase::Valid(case) => case.level,
            CheckedCase::Refused(case) => case.first,
        };
        let below = self.level.as_ref().and_then(|name| family.level(name)).is_none_or(|level| least <= level);
        below && (self.large || !about.large) && self.filter.picks(case)
    }
}

impl Plan {
    /// Plans the selected cases for a backend, asking it whether it supports each.
    #[must_use]
    pub fn new(cases: Vec<CheckedCase>, backend: &dyn Backend, selection: &Selection) -> Self {
        let identity = backend.identity();
        let entries = cases
            .into_iter()
            .filter(|case| selection.picks(case))
            .map(|case| {
                let highest = highest_level(&case.about().operator.family, &identity, selection);
                let decision = match &case {
                    CheckedCase::Valid(case) => valid(case, highest, &identity, backend),
                    CheckedCase::Refused(case) => refused(case, highest, &identity),
                };
                Planned { case, decision }
            })
            .collect();
        Self { entries }
    }
}

/// The highest level to run: what the backend claims, or less if less is asked for.
fn highest_level(family: &Family, identity: &Identity, selection: &Selection) -> Option<Level> {
    let claimed = family.level(identity.claims.get(&family.name)?)?;
    let asked = selection.level.as_ref().and_then(|name| family.level(name));
    Some(asked.map_or(claimed, |asked| asked.min(claimed)))
}

fn valid(case: &ValidCase, highest: Option<Level>, identity: &Identity, backend: &dyn Backend) -> Decision {
    if let Some(reason) = not_claimed(case.level, highest, &case.about.operator.family) {
        return Decision::NotRun(reason);
    }
    if case.about.layout == Layout::Strided && !identity.strided {
        return Decision::Unsupported("packed tensors only".to_owned());
    }
    // A backend that breaks at this question is asked to run, so that what is wrong with it comes to light there.
    match contain(|| backend.supports(&case.descriptor)) {
        Ok(Support::No(reason)) => Decision::Unsupported(reason),
        Ok(Support::Yes) | Err(_) => Decision::Run(ends(case.level, highest.unwrap_or(case.level))),
    }
}

fn refused(case: &RefusedCase, highest: Option<Level>, identity: &Identity) -> Decision {
    if let Some(reason) = not_claimed(case.first, highest, &case.about.operator.family) {
        return Decision::NotRun(reason);
    }
    if !identity.refuses_invalid {
        return Decision::NotRun("to refuse invalid descriptors is not claimed".to_owned());
    }
    let last = highest.map_or(case.last, |highest| highest.min(case.last));
    Decision::Run(ends(case.first, last))
}

fn ends(first: Level, last: Level) -> Vec<Level> {
    if first == last { vec![first] } else { vec![first, last] }
}

fn not_claimed(least: Level, highest: Option<Level>, family: &Family) -> Option<String> {
    let name = &family.name;
    match highest {
        None => Some(format!("`{name}` is not claimed")),
        Some(highest) if least > highest => Some(format!("`{name}` is claimed up to {}", family.level_name(highest))),
        Some(_) => None,
    }
}
