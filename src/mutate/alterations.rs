//! Every alteration of a definition as a wrong backend.

use std::sync::Arc;

use super::condition::Condition;
use super::wrong::{Altered, Deviation, Kind, Wrong};
use crate::spec::{Check, Operator, Requirement};

/// A wrong backend for each alteration of the operator's definition in one place.
#[must_use]
pub fn alterations(operator: &Arc<Operator>) -> Vec<Wrong> {
    let every: Vec<usize> = (0..operator.definition.lines.len()).collect();
    let wrong = |alteration: crate::definition::Alteration| {
        let mut breaks = cited(operator, &alteration.rests);
        if breaks.is_empty() {
            breaks = cited(operator, &every);
        }
        let gating = operator.requirements.iter().filter(|requirement| requirement.gates());
        let mut checks = gating.filter_map(|requirement| requirement.check.as_ref());
        let has_a_say = |check: &Check| match check {
            Check::SizesDefined(check) => check.fits_by_line(operator, alteration.line),
            _ => false,
        };
        let checks = checks.any(has_a_say);
        let altered = Altered { definition: alteration.definition, only: None, line: Some(alteration.line), checks };
        Wrong {
            name: alteration.name,
            operator: Arc::clone(operator),
            kind: Kind::Definition,
            breaks,
            about: alteration.about,
            seen: None,
            deviation: Deviation::Defined(Arc::new(altered)),
            condition: Condition::Always,
        }
    };
    operator.definition.alterations().into_iter().map(wrong).collect()
}

/// The requirements that lines cite and the documents stand behind, each once.
fn cited(operator: &Operator, lines: &[usize]) -> Vec<String> {
    let citations = lines.iter().flat_map(|&line| &operator.definition.lines[line].citations);
    let requirements = citations.filter_map(|citation| operator.requirement(&citation.name));
    let mut ids: Vec<String> =
        requirements.filter(|each| each.gates()).map(|each: &Requirement| each.id.clone()).collect();
    ids.sort();
    ids.dedup();
    ids
}
