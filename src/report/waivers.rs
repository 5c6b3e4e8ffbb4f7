//! The known failures of a log, gathered by reason.

use std::collections::BTreeMap;

use opcert_backend::ForeignText;

use super::Log;
use crate::judge::{Outcome, Waiver};

/// Every waiver that let a failure pass, and how many cases it was for. Cases that have reason, link and outcome in
/// common share one; they come in the order of the log.
#[must_use]
pub fn waivers(log: &Log) -> Vec<(&Waiver, usize)> {
    let mut places: BTreeMap<(&str, Option<&str>, Outcome), usize> = BTreeMap::new();
    let mut found: Vec<(&Waiver, usize)> = Vec::new();
    for event in log.cases.iter().filter(|event| event.outcome == Outcome::ExpectedFailure) {
        let Some(waiver) = &event.waiver else { continue };
        let key = (waiver.reason.raw(), waiver.link.as_ref().map(ForeignText::raw), waiver.outcome);
        let place = *places.entry(key).or_insert(found.len());
        match found.get_mut(place) {
            Some((_, count)) => *count += 1,
            None => found.push((waiver, 1)),
        }
    }
    found
}
