//! What conforms, per operator and feature level, counted from events.

use super::{Cell, Counts, Log, Standing};
use crate::judge::{CaseEvent, FamilyInfo, OperatorInfo};

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

impl OperatorMatrix {
    /// Whether the backend claims the operator at any level.
    #[must_use]
    pub fn is_claimed(&self) -> bool {
        let unclaimed = |row: &LevelRow| {
            let is_none = |standing: &Standing| matches!(standing, Standing::Absent | Standing::NotClaimed);
            row.standings.iter().all(is_none) && !row.is_counted()
        };
        self.levels.is_empty() || !self.levels.iter().all(unclaimed)
    }
}

impl Matrix {
    /// Counts a log. Names that its header does not know are refused where logs are read; a family that is missing all
    /// the same leaves its operators without levels, and so without a verdict.
    #[must_use]
    pub fn of(log: &Log) -> Self {
        let operators = log.header.operators.iter().map(|operator| {
            let family = log.header.families.iter().find(|family| family.name == operator.family);
            let events: Vec<&CaseEvent> = log.cases.iter().filter(|case| case.operator == operator.id).collect();
            match family {
                Some(family) => operator_matrix(operator, family, &events, log),
                None => OperatorMatrix {
                    operator: operator.clone(),
                    has_cases: !events.is_empty(),
                    levels: Vec::new(),
                    types: Vec::new(),
                },
            }
        });
        Self { operators: operators.collect() }
    }

    /// The operators that the log has cases of: those that the backend claims, and those that it does not claim at all.
    #[must_use]
    pub fn by_claim(&self) -> [Vec<&OperatorMatrix>; 2] {
        let with_cases = self.operators.iter().filter(|operator| operator.has_cases);
        let (claimed, others) = with_cases.partition(|operator| operator.is_claimed());
        [claimed, others]
    }
}

fn operator_matrix(operator: &OperatorInfo, family: &FamilyInfo, events: &[&CaseEvent], log: &Log) -> OperatorMatrix {
    let index = |name: &str| family.levels.iter().position(|level| level == name);
    // Below the level that introduced it an operator may lack cases without harm, so an unknown one excuses nothing.
    let introduced = index(&operator.introduced).unwrap_or(0);
    let claimed = log.header.backend.claimed(&operator.id).and_then(index);
    let asked = log.header.level.as_ref().and_then(|name| index(name));
    let (refusals_claimed, strided_claimed) = (log.header.backend.refuses_invalid, log.header.backend.strided);
    let levels = family.levels.iter().enumerate().map(|(at, level)| {
        let mut counts = [Counts::default(); 2];
        let standings = if claimed.is_none_or(|claimed| at > claimed) {
            [if at < introduced { Standing::Absent } else { Standing::NotClaimed }; 2]
        } else if asked.is_some_and(|asked| at > asked) {
            [Standing::NotAskedFor; 2]
        } else {
            for event in events.iter().filter(|event| counts_for_verdict(event, refusals_claimed)) {
                if applies(event, at, &index) {
                    counts[1].add(event, strided_claimed);
                    if event.authority == "stated" {
                        counts[0].add(event, strided_claimed);
                    }
                }
            }
            counts.map(|counts| match counts.standing() {
                // There is nothing to conform to, but a descriptor that was accepted all the same is no small thing.
                Standing::CONFORMS | Standing::CONFORMS_PACKED | Standing::Nothing if at < introduced => {
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
        types: types(family, events, strided_claimed, |event| {
            claimed.zip(index(&event.level)).is_some_and(|(claimed, level)| level <= claimed)
        }),
    }
}

/// Whether a verdict may depend on the event: the large tier counts for none, and refusals for those who claim them.
fn counts_for_verdict(event: &CaseEvent, refusals_claimed: bool) -> bool {
    !event.large && (refusals_claimed || event.refused_until.is_none())
}

/// Whether the event concerns a level. A level that the family does not have, which no log that was read names, would
/// concern all of them: nothing is lost because its place is unknown.
fn applies(event: &CaseEvent, at: usize, index: &impl Fn(&str) -> Option<usize>) -> bool {
    let first = index(&event.level).is_none_or(|first| first <= at);
    let last = event.refused_until.as_ref().and_then(|last| index(last)).is_none_or(|last| at <= last);
    first && last
}

fn types(
    family: &FamilyInfo,
    events: &[&CaseEvent],
    strided_claimed: bool,
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
                Some((_, cell)) => cell.add(event, strided_claimed),
                None => {
                    let mut cell = Cell::default();
                    cell.add(event, strided_claimed);
                    cells.push((dimensions, cell));
                }
            }
        }
        cells.retain(|(_, cell)| !cell.is_empty());
        cells.sort_by_key(|(count, _)| *count);
        if !cells.is_empty() {
            types.push((name.clone(), cells));
        }
    }
    types
}
