//! At which feature levels is a descriptor valid, or refused in one way?

use opcert_backend::Descriptor;

use super::engine::{Violation, violations};
use crate::case::Case;
use crate::spec::check::OfFamily;
use crate::spec::{Level, Operator};

/// The levels at which the answer of the validator can change, lowest first.
#[must_use]
pub fn breakpoints(operator: &Operator) -> Vec<Level> {
    let mut levels = vec![Level(0), operator.introduced];
    levels.extend(operator.support.iter().map(|row| row.from));
    levels.extend(operator.definition.levels().into_iter().map(Level));
    for requirement in operator.all_requirements() {
        levels.extend(requirement.since);
        levels.extend(requirement.until.map(|until| Level(until.0 + 1)));
        let named = requirement.check.iter().flat_map(|check| check.names().of_family);
        levels.extend(named.flat_map(OfFamily::levels).filter_map(|name| operator.family.level(name)));
    }
    levels.retain(|level| *level <= operator.family.highest());
    levels.sort_unstable();
    levels.dedup();
    levels
}

/// What the validator says of a descriptor at every level.
pub(super) struct AtLevels {
    /// The first level of each stretch, and what is broken throughout it.
    stretches: Vec<(Level, Vec<Violation>)>,
    highest: Level,
}

impl AtLevels {
    pub(super) fn of(operator: &Operator, descriptor: &Descriptor) -> Self {
        let stretches =
            breakpoints(operator).into_iter().map(|level| (level, violations(operator, descriptor, level))).collect();
        Self { stretches, highest: operator.family.highest() }
    }

    /// What is broken at a level.
    pub(super) fn at(&self, level: Level) -> &[Violation] {
        let stretch = self.stretches.iter().rev().find(|(first, _)| *first <= level);
        stretch.map_or(&[], |(_, violations)| violations)
    }

    /// The least level from which on the descriptor is valid.
    pub(super) fn least_valid(&self) -> Option<Level> {
        let invalid = |(_, violations): &(Level, Vec<Violation>)| violations.iter().any(|each| each.gates);
        match self.stretches.iter().rposition(invalid) {
            None => Some(Level(0)),
            Some(last) => self.stretches.get(last + 1).map(|(level, _)| *level),
        }
    }

    /// The greatest interval around a level in which the descriptor breaks just these requirements.
    pub(super) fn interval_around(&self, level: Level, ids: &[String]) -> Option<(Level, Level)> {
        let fits: Vec<bool> = self.stretches.iter().map(|(_, violations)| broken_ids(violations) == ids).collect();
        let at = self.stretches.iter().rposition(|(first, _)| *first <= level)?;
        if !fits[at] {
            return None;
        }
        let first = (0..=at).rev().take_while(|&index| fits[index]).last()?;
        let last = (at..fits.len()).take_while(|&index| fits[index]).last()?;
        let end = self.stretches.get(last + 1).map_or(self.highest, |(next, _)| Level(next.0 - 1));
        Some((self.stretches[first].0, end))
    }
}

/// The ids of the broken requirements that the documents stand behind, sorted, each once.
pub(crate) fn broken_ids(violations: &[Violation]) -> Vec<String> {
    let mut ids: Vec<String> =
        violations.iter().filter(|each| each.gates).map(|each| each.requirement.clone()).collect();
    ids.sort();
    ids.dedup();
    ids
}

/// The least level at which a valid case may be asked: its descriptor is valid from there on, and every requirement
/// that it covers holds.
///
/// # Errors
///
/// What is broken at the highest level, where the descriptor is valid nowhere.
pub fn least_level(case: &Case) -> Result<Level, String> {
    let operator = &case.operator;
    let at_levels = AtLevels::of(operator, &case.descriptor(operator.introduced));
    let since = case.covers.iter().filter_map(|id| operator.requirement(id)?.since).max();
    let least = at_levels.least_valid().map(|least| least.max(since.unwrap_or(Level(0))));
    least.ok_or_else(|| {
        let broken = at_levels.at(operator.family.highest()).iter().filter(|each| each.gates);
        let broken = broken.map(|each| format!("{} [{}]", each.message, each.requirement));
        format!("the descriptor is not valid: {}", broken.collect::<Vec<_>>().join("; "))
    })
}

/// What a descriptor breaks at a level, and the greatest interval around it in which it breaks just that; `None` where
/// it is valid.
#[must_use]
pub fn refusal(operator: &Operator, descriptor: &Descriptor, level: Level) -> Option<(Vec<String>, (Level, Level))> {
    let at_levels = AtLevels::of(operator, descriptor);
    let broken = broken_ids(at_levels.at(level));
    let interval = at_levels.interval_around(level, &broken)?;
    (!broken.is_empty()).then_some((broken, interval))
}
