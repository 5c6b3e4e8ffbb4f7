//! What conforms, per operator and feature level, counted from events.

use super::Log;
use crate::judge::{CaseEvent, FamilyInfo, OperatorInfo, Outcome};

/// How many cases apply, ran and passed. Never merged into one figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Cases that count here.
    pub applicable: usize,
    /// Those that ran.
    pub run: usize,
    /// Those that passed.
    pub passed: usize,
    /// Those that failed, as is known. Shown nowhere as passed.
    pub waived: usize,
}

/// What a cell comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The operator does not exist at the level.
    Absent,
    /// The backend does not claim the level.
    NotClaimed,
    /// The backend claims the level, and less was asked for.
    NotAskedFor,
    /// There is nothing to count.
    Nothing,
    /// Everything that applies ran and passed.
    Conforms,
    /// Everything that applies ran, and what did not pass is a known failure.
    ConformsWithWaivers,
    /// Everything on packed tensors ran and passed, and nothing on strided ones ran.
    ConformsPacked,
    /// The same, but for known failures.
    ConformsPackedWithWaivers,
    /// Something did not run or did not pass.
    Partial,
}

/// The cells of an operator at a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Valid descriptors, packed tensors.
    pub packed: Cell,
    /// Valid descriptors, strided tensors.
    pub strided: Cell,
    /// Invalid descriptors, packed tensors.
    pub refusals_packed: Cell,
    /// Invalid descriptors, strided tensors.
    pub refusals_strided: Cell,
}

/// An operator at a level. Everything comes twice: on stated requirements alone, then on stated and derived ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelRow {
    /// The level's name.
    pub level: String,
    /// What the cells come to, or why there are none.
    pub standings: [Standing; 2],
    /// The cells.
    pub counts: [Counts; 2],
    /// Whether the refusal of invalid descriptors is claimed.
    pub refusals_claimed: bool,
}

/// An operator at every level.
#[derive(Clone, Debug)]
pub struct OperatorMatrix {
    /// The operator.
    pub operator: OperatorInfo,
    /// Whether the log has cases of it.
    pub has_cases: bool,
    /// One row per level of the family, lowest first.
    pub levels: Vec<LevelRow>,
    /// The data types of the subject tensor that occur up to the level that is claimed, in the family's order, each
    /// with a cell per dimension count.
    pub types: Vec<(String, Vec<(usize, Cell)>)>,
}

/// The whole matrix.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The operators, in the order of the log.
    pub operators: Vec<OperatorMatrix>,
}

impl LevelRow {
    /// Whether there is anything in the cells.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        match self.standings[1] {
            Standing::NotClaimed | Standing::NotAskedFor => false,
            Standing::Absent => self.counts[1] != Counts::default(),
            _ => true,
        }
    }

    /// All invalid descriptors; `None` where their refusal is not claimed.
    #[must_use]
    pub fn refusals(&self) -> Option<Cell> {
        let [_, all] = self.counts;
        self.refusals_claimed.then(|| all.refusals_packed.and(all.refusals_strided))
    }
}

impl Counts {
    fn add(&mut self, event: &CaseEvent) {
        let cell = match (event.refused_until.is_some(), event.strided) {
            (false, false) => &mut self.packed,
            (false, true) => &mut self.strided,
            (true, false) => &mut self.refusals_packed,
            (true, true) => &mut self.refusals_strided,
        };
        cell.add(event);
    }

    fn standing(&self) -> Standing {
        let packed = self.packed.and(self.refusals_packed);
        let strided = self.strided.and(self.refusals_strided);
        let packed_only = strided.applicable > 0 && strided.run == 0;
        match packed.standing() {
            Standing::Conforms if packed_only => Standing::ConformsPacked,
            Standing::ConformsWithWaivers if packed_only => Standing::ConformsPackedWithWaivers,
            _ => packed.and(strided).standing(),
        }
    }
}

impl Cell {
    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            applicable: self.applicable + other.applicable,
            run: self.run + other.run,
            passed: self.passed + other.passed,
            waived: self.waived + other.waived,
        }
    }

    fn add(&mut self, event: &CaseEvent) {
        self.applicable += 1;
        self.run += usize::from(event.outcome.ran());
        self.passed += usize::from(event.outcome == Outcome::Pass);
        self.waived += usize::from(event.outcome == Outcome::ExpectedFailure);
    }

    /// What the cell comes to.
    #[must_use]
    pub const fn standing(&self) -> Standing {
        match *self {
            Self { applicable: 0, .. } => Standing::Nothing,
            Self { applicable, passed, .. } if applicable == passed => Standing::Conforms,
            Self { applicable, passed, waived, .. } if applicable == passed + waived => Standing::ConformsWithWaivers,
            _ => Standing::Partial,
        }
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(&format!("{} / {} / {}", self.applicable, self.run, self.passed))
    }
}

impl Standing {
    /// Whether it is a verdict, and not the reason why there is none.
    #[must_use]
    pub const fn is_verdict(self) -> bool {
        use Standing::{Conforms, ConformsPacked, ConformsPackedWithWaivers, ConformsWithWaivers, Partial};
        matches!(self, Conforms | ConformsPacked | ConformsWithWaivers | ConformsPackedWithWaivers | Partial)
    }

    /// In words. Where the suite was not run as a whole, nothing conforms; what ran may all have passed.
    #[must_use]
    pub const fn name(self, complete: bool) -> &'static str {
        match self {
            Self::Conforms | Self::ConformsPacked if !complete => "all passed",
            Self::ConformsWithWaivers | Self::ConformsPackedWithWaivers if !complete => "all passed or waived",
            Self::Absent => "absent",
            Self::NotClaimed => "not claimed",
            Self::NotAskedFor => "not run",
            Self::Nothing => "no cases",
            Self::Conforms => "conforms",
            Self::ConformsWithWaivers => "conforms with waivers",
            Self::ConformsPacked => "conforms, packed only",
            Self::ConformsPackedWithWaivers => "conforms with waivers, packed only",
            Self::Partial => "partial",
        }
    }
}

impl Matrix {
    /// Counts a log.
    #[must_use]
    pub fn of(log: &Log) -> Self {
        let operators = log.header.operators.iter().filter_map(|operator| {
            let family = log.header.families.iter().find(|family| family.name == operator.family)?;
            let events: Vec<&CaseEvent> = log.cases.iter().filter(|case| case.operator == operator.id).collect();
            Some(operator_matrix(operator, family, &events, log))
        });
        Self { operators: operators.collect() }
    }
}

fn operator_matrix(operator: &OperatorInfo, family: &FamilyInfo, events: &[&CaseEvent], log: &Log) -> OperatorMatrix {
    let index = |name: &str| family.levels.iter().position(|level| level == name);
    let introduced = index(&operator.introduced).unwrap_or(0);
    let claimed = log.header.backend.claimed(&operator.id).and_then(index);
    let asked = log.header.level.as_ref().and_then(|name| index(name));
    let refusals_claimed = log.header.backend.refuses_invalid;
    let levels = family.levels.iter().enumerate().map(|(at, level)| {
        let mut counts = [Counts::default(); 2];
        let standings = if claimed.is_none_or(|claimed| at > claimed) {
            [if at < introduced { Standing::Absent } else { Standing::NotClaimed }; 2]
        } else if asked.is_some_and(|asked| at > asked) {
            [Standing::NotAskedFor; 2]
        } else {
            for event in events.iter().filter(|event| counts_for_verdict(event, refusals_claimed)) {
                if applies(event, at, &index) {
                    counts[1].add(event);
                    if event.authority == "stated" {
                        counts[0].add(event);
                    }
                }
            }
            counts.map(|counts| match counts.standing() {
                // There is nothing to conform to, but a descriptor that was accepted all the same is no small thing.
                Standing::Conforms | Standing::ConformsPacked | Standing::Nothing if at < introduced => {
                    Standing::Absent
                }
                standing => standing,
            })
        };
        LevelRow { level: level.clone(), standings, counts, refusals_claimed }
    });
    OperatorMatrix {
        operator: operator.clone(),
        has_cases: !events.is_empty(),
        levels: levels.collect(),
        types: types(family, events, |event| {
            claimed.zip(index(&event.level)).is_some_and(|(claimed, level)| level <= claimed)
        }),
    }
}

/// Whether a verdict depends on the event. An observed case counts only once it broke what holds in any case, known to
/// do so or not.
fn counts_for_verdict(event: &CaseEvent, refusals_claimed: bool) -> bool {
    let broken = event.outcome.is_bad() || event.outcome == Outcome::ExpectedFailure;
    (event.gates || broken) && !event.large && (refusals_claimed || event.refused_until.is_none())
}

fn applies(event: &CaseEvent, at: usize, index: &impl Fn(&str) -> Option<usize>) -> bool {
    let first = index(&event.level).is_some_and(|first| first <= at);
    let last = event.refused_until.as_ref().and_then(|last| index(last)).is_none_or(|last| at <= last);
    first && last
}

fn types(
    family: &FamilyInfo,
    events: &[&CaseEvent],
    is_claimed: impl Fn(&CaseEvent) -> bool,
) -> Vec<(String, Vec<(usize, Cell)>)> {
    let mut types: Vec<(String, Vec<(usize, Cell)>)> = Vec::new();
    for name in &family.types {
        let mut cells: Vec<(usize, Cell)> = Vec::new();
        let of_type = events.iter().filter(|event| event.data_type.as_ref() == Some(name));
        let counts = |event: &CaseEvent| counts_for_verdict(event, true) && event.refused_until.is_none();
        for event in of_type.filter(|event| counts(event) && is_claimed(event)) {
            let Some(dimensions) = event.dimensions else { continue };
            match cells.iter_mut().find(|(count, _)| *count == dimensions) {
                Some((_, cell)) => cell.add(event),
                None => {
                    let mut cell = Cell::default();
                    cell.add(event);
                    cells.push((dimensions, cell));
                }
            }
        }
        cells.sort_by_key(|(count, _)| *count);
        if !cells.is_empty() {
            types.push((name.clone(), cells));
        }
    }
    types
}
