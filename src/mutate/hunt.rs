//! The cases of a suite, held against wrong backends.

use std::sync::{Arc, OnceLock};

use opcert_backend::Descriptor;
use rayon::prelude::*;

use super::answers::Answers;
use super::backend::WrongBackend;
use super::screen::Screen;
use super::suite::{Known, MOST_SMALL, Ready, Subject, with_inputs};
use super::wrong::{Deviation, Kind, Wrong};
use crate::check::{CheckedCase, ValidCase};
use crate::definition::Evaluation;
use crate::judge::{Outcome, judge};
use crate::plan::{Decision, Planned};
use crate::run::execute;

/// What comes of a wrong backend.
#[derive(Debug)]
pub struct Fate {
    /// The backend.
    pub wrong: Arc<Wrong>,
    /// The case that goes wrong on it, if there is one: the smallest, or one that cites a requirement which is broken.
    pub kill: Option<Kill>,
    /// How many cases concern it.
    pub concerned: usize,
    /// How many of these were not run, since they are large.
    pub left_out: usize,
    /// A case on which it cannot be said whether it is wrong, and why: `where` has no answer there.
    pub flaw: Option<(String, String)>,
}

/// A case that goes wrong on a wrong backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kill {
    /// The id of the case.
    pub case: String,
    /// What came of it.
    pub outcome: Outcome,
    /// Whether it cites a requirement that is broken.
    pub cites: bool,
}

/// Of large cases a wrong backend gets so many of each size, in powers of two of bytes.
const FEW_OF_A_SIZE: usize = 6;

/// And none of more bytes, unless all are asked for.
const MOST_LARGE: u64 = 1 << 19;

/// A case of more bytes is run on wrong backends that somebody wrote down, and not on hundreds that follow from a definition.
const MOST_AT_ALL: u64 = 1 << 24;

/// Runs the cases of an operator on each wrong backend of it, those first that need the least memory, until one goes wrong; where
/// this one cites nothing that is broken, a small one that does is looked for among the others. Of large cases only some are run
/// unless all are asked for. `told` hears of each backend once it is through. Is not to be called from within a parallel iterator.
pub fn hunt(subject: &Subject, wrong: Vec<Wrong>, all: bool, told: impl Fn(&Fate) + Sync) -> Vec<Fate> {
    let fate = |wrong: Wrong| Fate { wrong: Arc::new(wrong), kill: None, concerned: 0, left_out: 0, flaw: None };
    let mut fates: Vec<Fate> = wrong.into_iter().map(fate).collect();
    let (small, large) = subject.cases.split_at(subject.cases.partition_point(|ready| ready.memory <= MOST_SMALL));
    // Most are through after the small ones, and are not looked for in the large ones.
    for (cases, is_last) in [(small, false), (large, true)] {
        let wrong: Vec<Arc<Wrong>> = fates.iter().map(|fate| Arc::clone(&fate.wrong)).collect();
        let is_left: Vec<bool> = fates.iter().map(Fate::is_open).collect();
        let screen = Screen::new(&subject.operator, wrong.iter().map(|each| &**each));
        // Of each case, once it is asked for.
        let shown: Vec<OnceLock<Vec<bool>>> = cases.iter().map(|_| OnceLock::new()).collect();
        fates.par_iter_mut().enumerate().with_max_len(1).for_each(|(number, fate)| {
            if is_last && !is_left[number] {
                return;
            }
            let of_case = |case: &ValidCase| screen.of_case(case, |number| is_left[number]);
            let shows = |at: usize, case: &ValidCase| shown[at].get_or_init(|| of_case(case))[number];
            fate.go_on(subject, cases, all, shows);
            if is_last || !fate.is_open() {
                told(fate);
            }
        });
    }
    fates
}

impl Fate {
    /// Whether nothing went wrong so far.
    const fn is_open(&self) -> bool {
        self.kill.is_none() && self.flaw.is_none()
    }

    /// What comes of more cases, where `shows` says whether a dispatched one of a number can show anything.
    fn go_on(&mut self, subject: &Subject, cases: &[Ready], all: bool, shows: impl Fn(usize, &ValidCase) -> bool) {
        let wrong = Arc::clone(&self.wrong);
        let backend = WrongBackend::new(&wrong, &subject.answers);
        let is_through = |fate: &Self| {
            fate.flaw.is_some() || fate.kill.as_ref().is_some_and(|kill| kill.cites || wrong.breaks.is_empty())
        };
        let mut of_size = [0; u64::BITS as usize];
        for (at, ready) in cases.iter().enumerate().filter(|(_, ready)| wrong.concerns(&ready.planned)) {
            if is_through(self) {
                break;
            }
            self.concerned += 1;
            let is_large = ready.memory > MOST_SMALL;
            if ready.memory > MOST_AT_ALL && (!all || wrong.kind != Kind::Listed) {
                self.left_out += 1;
                continue;
            }
            let run_of_size = &mut of_size[ready.memory.max(1).ilog2() as usize];
            let is_enough = || !all && (ready.memory > MOST_LARGE || *run_of_size == FEW_OF_A_SIZE);
            if is_large && is_enough() {
                self.left_out += 1;
                continue;
            }
            *run_of_size += usize::from(is_large);
            let planned = &ready.planned;
            let cites = wrong.breaks.iter().any(|id| ready.cited.contains(id));
            if self.kill.is_some() && !cites {
                continue;
            }
            self.flaw = wrong.flaw(&planned.case);
            let may_show = || match &planned.case {
                CheckedCase::Valid(case) if case.is_dispatched() => shows(at, case),
                _ => true,
            };
            if self.flaw.is_some() || !may_show() || !wrong.differs_in_data(ready, &subject.answers) {
                continue;
            }
            let event = judge(planned, execute(planned, &backend));
            if event.outcome.is_bad() {
                self.kill = Some(Kill { case: event.case, outcome: event.outcome, cites });
            }
        }
    }
}

impl Wrong {
    /// Whether a case has to be run to say whether it notices what is done: it concerns the backend, and where that answers by
    /// another definition, its answer differs.
    #[must_use]
    pub fn may_show(&self, ready: &Ready, answers: &Answers) -> bool {
        self.concerns(&ready.planned) && self.differs_in_data(ready, answers)
    }

    fn differs_in_data(&self, ready: &Ready, answers: &Answers) -> bool {
        let CheckedCase::Valid(case) = &ready.planned.case else { return true };
        // Where it answers by no other definition, nothing has to be known of the data.
        match &ready.known {
            Some(known) => self.answers_otherwise(case, known),
            None if !matches!(self.deviation, Deviation::Defined(_)) => true,
            None => Known::of(case, answers).is_none_or(|known| self.answers_otherwise(case, &known)),
        }
    }

    /// Whether a case may show what it does.
    pub(super) fn concerns(&self, planned: &Planned) -> bool {
        let (descriptor, family) = match &planned.case {
            CheckedCase::Valid(case) => (&case.descriptor, &case.about.operator.family),
            CheckedCase::Refused(case) => (&case.descriptor, &case.about.operator.family),
        };
        let shows = match (&planned.case, &self.deviation) {
            (CheckedCase::Refused(case), Deviation::Accepts(requirement, _)) => case.requirements.contains(requirement),
            (CheckedCase::Refused(_), Deviation::AcceptsEverything) => true,
            (CheckedCase::Refused(case), Deviation::Defined(altered)) => {
                altered.checks && case.requirements.iter().any(|id| self.breaks.contains(id))
            }
            (CheckedCase::Refused(_), _) => false,
            (CheckedCase::Valid(_), Deviation::Refuses | Deviation::RefusesTests(_) | Deviation::RefusesUnless(_)) => {
                true
            }
            (CheckedCase::Valid(case), _) => case.is_dispatched() && !self.is_about_descriptors(),
        };
        let Decision::Run(levels) = &planned.decision else { return false };
        let at = |name: &str| Descriptor { level: name.to_owned(), ..descriptor.clone() };
        shows && levels.iter().any(|&level| self.condition.holds(&at(family.level_name(level))))
    }

    /// Why it cannot be said of a case whether it is wrong there.
    fn flaw(&self, case: &CheckedCase) -> Option<(String, String)> {
        let (Deviation::Defined(altered), CheckedCase::Valid(case)) = (&self.deviation, case) else { return None };
        if !altered.is_restricted() {
            return None;
        }
        let flaw = with_inputs(case, |given| altered.flaw(&case.descriptor, given))?;
        Some((case.about.id.clone(), flaw))
    }

    /// Whether what it answers to a case differs from what is right; where it answers by another definition, that one says so
    /// without a dispatch.
    pub(super) fn answers_otherwise(&self, case: &ValidCase, known: &Known) -> bool {
        let Deviation::Defined(altered) = &self.deviation else { return true };
        if altered.checks {
            return true;
        }
        let right = &known.right;
        if altered.line.is_some_and(|line| !right.passed[line]) {
            return false;
        }
        let answer = altered.answer(&case.descriptor, &known.given(), || Ok(Arc::clone(right)));
        let differ =
            |answer: Evaluation| answer.outputs.iter().zip(&right.outputs).any(|(one, other)| one.bytes != other.bytes);
        answer.map_or(true, differ)
    }
}
