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
    /// Everything on packed tensors ran and passed, and nothing on strided ones ran.
    ConformsPacked,
    /// Something did not run or did not pass.
    Partial,
}

/// An operator at a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelRow {
    /// The level's name.
    pub level: String,
    /// Why nothing is counted; otherwise what all cells come to together.
    pub standing: Standing,
    /// Packed tensors, on stated requirements alone, then on stated and derived ones.
    pub packed: [Cell; 2],
    /// Strided tensors, likewise.
    pub strided: [Cell; 2],
    /// Refused descriptors; `None` where refusing is not claimed.
    pub refusals: Option<Cell>,
}

/// An operator at every level.
#[derive(Clone, Debug)]
pub struct OperatorMatrix {
    /// The operator.
    pub operator: OperatorInfo,
    /// One row per level of the family, lowest first.
    pub levels: Vec<LevelRow>,
    /// The data types of the subject tensor that occur, in the family's order, each with a cell per dimension count.
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
        let cells = self.packed.iter().chain(&self.strided).chain(&self.refusals);
        !matches!(self.standing, Standing::NotClaimed | Standing::NotAskedFor)
            && (self.standing != Standing::Absent || cells.into_iter().any(|cell| cell.applicable > 0))
    }
}

impl Cell {
    fn add(&mut self, event: &CaseEvent) {
        self.applicable += 1;
        self.run += usize::from(event.outcome.ran());
        self.passed += usize::from(event.outcome == Outcome::Pass);
    }

    /// What the cell comes to.
    #[must_use]
    pub const fn standing(&self) -> Standing {
        match *self {
            Self { applicable: 0, .. } => Standing::Nothing,
            Self { applicable, passed, .. } if applicable == passed => Standing::Conforms,
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
    /// In words. Where the suite was not run as a whole, nothing conforms; what ran may all have passed.
    #[must_use]
    pub const fn name(self, complete: bool) -> &'static str {
        match self {
            Self::Conforms | Self::ConformsPacked if !complete => "all passed",
            Self::Absent => "absent",
            Self::NotClaimed => "not claimed",
            Self::NotAskedFor => "not run",
            Self::Nothing => "no cases",
            Self::Conforms => "conforms",
            Self::ConformsPacked => "conforms, packed only",
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
    let claimed = log.header.backend.claims.get(&family.name).and_then(|name| index(name));
    let levels = family.levels.iter().enumerate().map(|(at, level)| {
        let mut row = LevelRow {
            level: level.clone(),
            standing: Standing::Absent,
            packed: Default::default(),
            strided: Default::default(),
            refusals: log.header.backend.refuses_invalid.then(Cell::default),
        };
        if at < introduced {
            count_all(&mut row, events, at, &index);
            if row.refusals.is_some_and(|refusals| refusals.standing() == Standing::Partial) {
                row.standing = Standing::Partial;
            }
            return row;
        }
        if claimed.is_none_or(|claimed| at > claimed) {
            row.standing = Standing::NotClaimed;
            return row;
        }
        if log.header.level.as_ref().and_then(|name| index(name)).is_some_and(|asked| at > asked) {
            row.standing = Standing::NotAskedFor;
            return row;
        }
        count_all(&mut row, events, at, &index);
        row.standing = together(&row);
        row
    });
    OperatorMatrix { operator: operator.clone(), levels: levels.collect(), types: types(family, events) }
}

fn count_all(row: &mut LevelRow, events: &[&CaseEvent], at: usize, index: &impl Fn(&str) -> Option<usize>) {
    for event in events.iter().filter(|event| counts(event) && applies(event, at, index)) {
        count(row, event);
    }
}

/// Whether a verdict depends on the event. An observed case counts only once it broke what holds in any case.
fn counts(event: &CaseEvent) -> bool {
    event.gates || event.outcome.is_bad()
}

fn applies(event: &CaseEvent, at: usize, index: &impl Fn(&str) -> Option<usize>) -> bool {
    let first = index(&event.level).is_some_and(|first| first <= at);
    let last = event.refused_until.as_ref().and_then(|last| index(last)).is_none_or(|last| at <= last);
    first && last
}

fn count(row: &mut LevelRow, event: &CaseEvent) {
    if event.refused_until.is_some() {
        if let Some(refusals) = &mut row.refusals {
            refusals.add(event);
        }
        return;
    }
    let [stated, all] = if event.strided { &mut row.strided } else { &mut row.packed };
    all.add(event);
    if event.authority == "stated" {
        stated.add(event);
    }
}

fn together(row: &LevelRow) -> Standing {
    let standing = |cells: &[Cell]| {
        let standings: Vec<Standing> = cells.iter().map(Cell::standing).collect();
        if standings.contains(&Standing::Partial) {
            Standing::Partial
        } else if standings.contains(&Standing::Conforms) {
            Standing::Conforms
        } else {
            Standing::Nothing
        }
    };
    let [_, packed] = row.packed;
    let [_, strided] = row.strided;
    let refusals = row.refusals.unwrap_or_default();
    match standing(&[packed, refusals]) {
        Standing::Conforms if strided.applicable > 0 && strided.run == 0 => Standing::ConformsPacked,
        _ => standing(&[packed, strided, refusals]),
    }
}

fn types(family: &FamilyInfo, events: &[&CaseEvent]) -> Vec<(String, Vec<(usize, Cell)>)> {
    let mut types: Vec<(String, Vec<(usize, Cell)>)> = Vec::new();
    for name in &family.types {
        let mut cells: Vec<(usize, Cell)> = Vec::new();
        let of_type = events.iter().filter(|event| event.data_type.as_ref() == Some(name));
        for event in of_type.filter(|event| counts(event) && event.refused_until.is_none()) {
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
