//! Which cases run on a backend, at which levels, and why the others do not.

mod claims;
mod filter;
mod shard;

pub(crate) use claims::UNCLAIMED;
pub use claims::{ClaimError, check_claims, check_offer, claimed};
pub use filter::{Filter, FilterError};
pub use shard::Shard;

use std::collections::BTreeSet;

use opcert_backend::{Backend, Descriptor, Fault, Identity, Support};
use rayon::prelude::*;

use crate::check::{About, CheckedCase, ValidCase, breakpoints};
use crate::spec::{Level, Specs};

/// So many cases are asked about at a time.
const TOGETHER: usize = 64;

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

impl Planned {
    /// The level between the ends at which the case is dispatched, once. What only records an answer is asked at the ends,
    /// and the large tier at one of them.
    #[must_use]
    pub fn dispatched_between(&self) -> Option<Level> {
        let Decision::Run(levels) = &self.decision else { return None };
        let CheckedCase::Valid(case) = &self.case else { return None };
        dispatched_between(case, levels)
    }
}

/// The level between the ends of those that are asked for at which a case is dispatched.
pub(crate) fn dispatched_between(case: &ValidCase, levels: &[Level]) -> Option<Level> {
    let about = &case.about;
    let asks = case.is_dispatched() && about.gates() && !about.large;
    between(about, *levels.first()?, *levels.last()?).filter(|level| asks && levels.contains(level))
}

/// Whether a case runs on a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It runs, at these levels: the least and the highest at which it is valid, or refused in one way, as far as the
    /// backend claims them, and between them each level at which an answer can change and one more by turns. It is
    /// compiled at every one, and dispatched at the ends and at one between them.
    Run(Vec<Level>),
    /// The backend says that it cannot, for this reason.
    Unsupported(String),
    /// The backend could not say whether it can.
    Unanswered(Fault),
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
    /// The ids to which all this is confined, where not every case is asked for.
    pub only: Option<BTreeSet<String>>,
    /// The part of all this that is run here, where others run the rest.
    pub shard: Option<Shard>,
    /// Whether each case is run once, at the highest level at which it can be: so it is carried elsewhere.
    pub once: bool,
}

impl Selection {
    /// Whether this is everything that a verdict rests on, up to the level, or a part of that.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.filter.is_empty() && self.only.is_none()
    }

    /// Whether the filter alone asks for one of the cases, so that it is the level or the tier that leaves it out.
    #[must_use]
    pub fn filters_in(&self, cases: &[CheckedCase]) -> bool {
        cases.iter().any(|case| self.names(case) && self.filter.picks(case))
    }

    /// Whether a case is among the ids that are asked for.
    fn names(&self, case: &CheckedCase) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&case.about().id))
    }

    /// Whether a case is in the part that is run here.
    fn has_share_in(&self, case: &CheckedCase) -> bool {
        self.shard.is_none_or(|shard| shard.with(&case.about().id) == shard)
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
        below && (self.large || !about.large) && self.names(case) && self.filter.picks(case) && self.has_share_in(case)
    }
}

impl Plan {
    /// Plans the selected cases for a backend, asking it whether it supports each.
    ///
    /// # Errors
    ///
    /// When the backend claims what does not exist, or nothing at all; see [`check_claims`].
    pub fn new(
        cases: Vec<CheckedCase>,
        specs: &Specs,
        backend: &dyn Backend,
        selection: &Selection,
    ) -> Result<Self, ClaimError> {
        check_offer(&backend.identity(), backend.operators().as_deref(), specs)?;
        Self::asking(cases, specs, &backend.identity(), selection, |questions| backend.supports_each(questions))
    }

    /// Plans the selected cases for a backend that is known by what it says of itself, and by its answers to whether it
    /// supports each of several descriptors.
    ///
    /// # Errors
    ///
    /// When the backend claims what does not exist, or nothing at all; see [`check_claims`].
    pub fn asking(
        cases: Vec<CheckedCase>,
        specs: &Specs,
        identity: &Identity,
        selection: &Selection,
        supports_each: impl Fn(&[Descriptor]) -> Vec<Support> + Sync,
    ) -> Result<Self, ClaimError> {
        check_claims(identity, specs)?;
        let picked: Vec<CheckedCase> = cases.into_iter().filter(|case| selection.picks(case)).collect();
        let chunks = picked.par_chunks(TOGETHER);
        let decisions: Vec<Decision> =
            chunks.flat_map_iter(|cases| decide_each(cases, identity, &supports_each, selection)).collect();
        let planned = picked.into_iter().zip(decisions).map(|(case, decision)| Planned { case, decision });
        Ok(Self { entries: planned.collect() })
    }
}

/// The levels at which a case is run on a backend of this identity, if it says that it supports the case; none where it is
/// not asked.
#[must_use]
pub fn asked(case: &CheckedCase, identity: &Identity, selection: &Selection) -> Vec<Level> {
    match decide(case, identity, selection) {
        Decided::Already(_) => Vec::new(),
        Decided::IfSupported { levels, .. } => levels,
    }
}

/// The descriptor of which a backend of this identity is asked whether it supports it; none where it is not asked.
#[must_use]
pub fn question(case: &CheckedCase, identity: &Identity, selection: &Selection) -> Option<Descriptor> {
    match decide(case, identity, selection) {
        Decided::Already(_) => None,
        Decided::IfSupported { question, .. } => Some(question),
    }
}

/// Decides what can be decided, and asks the backend about the rest.
fn decide_each(
    cases: &[CheckedCase],
    identity: &Identity,
    supports_each: impl Fn(&[Descriptor]) -> Vec<Support>,
    selection: &Selection,
) -> Vec<Decision> {
    let decided: Vec<Decided> = cases.iter().map(|case| decide(case, identity, selection)).collect();
    let question = |decided: &Decided| match decided {
        Decided::Already(_) => None,
        Decided::IfSupported { question, .. } => Some(question.clone()),
    };
    let questions: Vec<Descriptor> = decided.iter().filter_map(question).collect();
    let answers = supports_each(&questions);
    // Which answer would be whose?
    let mut answers = if answers.len() > questions.len() { Vec::new() } else { answers }.into_iter();
    let answered = |decided: Decided| match decided {
        Decided::Already(decision) => decision,
        Decided::IfSupported { levels, .. } => match answers.next() {
            Some(Support::Yes) => Decision::Run(levels),
            Some(Support::No(reason)) => Decision::Unsupported(reason),
            Some(Support::Broken(fault)) => Decision::Unanswered(fault),
            None => Decision::Unanswered(Fault::Failed("the question was not answered".to_owned())),
        },
    };
    decided.into_iter().map(answered).collect()
}

/// A decision, or what only the backend can decide: the question, and the levels to run if it says yes.
enum Decided {
    Already(Decision),
    IfSupported { question: Descriptor, levels: Vec<Level> },
}

fn decide(case: &CheckedCase, identity: &Identity, selection: &Selection) -> Decided {
    let family = &case.about().operator.family;
    let highest = match claimed(case, identity, selection) {
        Ok(highest) => highest,
        Err(decision) => return Decided::Already(decision),
    };
    let (first, last, descriptor) = match case {
        CheckedCase::Valid(case) => (case.level, case.last, &case.descriptor),
        CheckedCase::Refused(case) => (case.first, case.last, &case.descriptor),
    };
    let mut question = descriptor.clone();
    family.level_name(first).clone_into(&mut question.level);
    let last = last.min(highest);
    let first = if selection.once { last } else { first };
    Decided::IfSupported { question, levels: levels(case.about(), first, last) }
}

/// The ends, the levels between them at which rows of the support table begin or requirements come and go, and another
/// one by turns.
fn levels(about: &About, first: Level, last: Level) -> Vec<Level> {
    let mut levels = BTreeSet::from([first, last]);
    levels.extend(breakpoints(&about.operator).into_iter().filter(|level| (first..last).contains(level)));
    levels.extend(between(about, first, last));
    levels.into_iter().collect()
}

/// A level between the ends, if there is one: cases take turns.
fn between(about: &About, first: Level, last: Level) -> Option<Level> {
    let inner = last.0.checked_sub(first.0 + 1).filter(|&inner| inner > 0)?;
    Some(Level(first.0 + 1 + about.turn() % inner))
}
