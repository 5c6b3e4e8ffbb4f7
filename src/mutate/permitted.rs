//! What the documents leave open, answered in different ways: no case may go wrong on any of them.

use std::sync::Arc;

use super::condition::Condition;
use super::wrong::{Deviation, Filling, Kind, Wrong};
use crate::definition::Open;
use crate::spec::Operator;

/// Backends that answer in a way of their own where the operator's definition leaves an element open: bits without a meaning, the
/// number 1, what another reading of the definition gives. Where invariants hold whatever the answer, what is unspecified is
/// answered by numbers that keep them: zero, or another reading.
#[must_use]
pub fn permitted(operator: &Arc<Operator>) -> Vec<Wrong> {
    let definition = &operator.definition;
    let has_invariants = operator.all_requirements().any(|requirement| !requirement.invariants.is_empty());
    let mut found = Vec::new();
    for (line, open) in definition.open() {
        let text = (definition.text_of(line), line);
        let mut fillings = vec![("zeros", "zeros", Filling::Zeros)];
        if open == Open::Undefined || !has_invariants {
            fillings.push(("ones", "the number 1", Filling::One));
            fillings.push(("garbage", "bits without a meaning", Filling::Garbage));
        }
        found.extend(
            fillings.into_iter().map(|(name, said, filling)| permits(operator, &text, name, said, Some(line), filling)),
        );
    }
    for (line, closed) in definition.closed() {
        let text = (definition.text_of(line), line);
        let is_return = definition.open().iter().any(|(open, _)| *open == line);
        let filling = Filling::Of(Arc::new(closed));
        let said = "what the definition gives without it";
        found.push(permits(operator, &text, "goes-on", said, is_return.then_some(line), filling));
    }
    found
}

fn permits(
    operator: &Arc<Operator>,
    (text, number): &(String, usize),
    name: &str,
    said: &str,
    line: Option<usize>,
    filling: Filling,
) -> Wrong {
    let citations = &operator.definition.lines[*number].citations;
    let cited: Vec<String> = citations.iter().map(|citation| citation.name.clone()).collect();
    let site =
        cited.first().map_or_else(|| format!("line-{number}"), |id| id.rsplit('/').next().unwrap_or(id).to_owned());
    Wrong {
        name: format!("{site}-{name}"),
        operator: Arc::clone(operator),
        kind: Kind::Permitted,
        breaks: cited,
        about: format!("What `{text}` leaves open is {said}."),
        seen: None,
        deviation: Deviation::Open { line, filling },
        condition: Condition::Always,
    }
}
