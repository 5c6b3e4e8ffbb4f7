//! A negative case is its twin with one edit.

use super::format::Value;
use crate::diagnostic::{Position, Problem};
use crate::yaml::{Content, Entries, Key, Node, Problems};

/// The parts of a case that a twin shares.
const SHARED: [&str; 3] = ["level", "tensors", "attributes"];

/// Puts the twin's tensors and attributes, edited, into the mapping of a negative case. Every part keeps the position
/// of the line that it was written on.
pub(super) fn with_twin(case: Node, twin: &Node, change: &Entries<Value>, problems: &mut Problems) -> Node {
    let position = case.position;
    let Content::Mapping(mut entries) = case.content else { return case };
    for shared in SHARED {
        let own = entries.iter().position(|(key, _)| key.name == shared);
        if let (Some(index), true) = (own, shared != "level") {
            let (key, _) = entries.remove(index);
            problems.push(
                Problem::at(key.position, format!("`{shared}` and `twin` exclude each other"))
                    .with_help("write what differs under `change`"),
            );
        } else if own.is_none()
            && let Some(value) = twin.get(shared)
        {
            entries.push((Key { name: shared.to_owned(), position: value.position }, value.clone()));
        }
    }
    let mut merged = Node { content: Content::Mapping(entries), position };
    for (path, Value(value)) in &change.0 {
        let steps: Vec<String> = path.replace('[', ".").replace(']', "").split('.').map(str::to_owned).collect();
        if !SHARED.contains(&steps[0].as_str()) {
            let help = format!("a path begins with `{}`", SHARED.join("`, `"));
            problems.push(Problem::at(value.position, format!("`{path}` leads nowhere")).with_help(help));
        } else if !edit(&mut merged, &steps, value) {
            problems.add(value.position, format!("`{path}` leads to nothing in the twin"));
        }
    }
    merged
}

/// Sets, adds or takes away what is at the end of a path; false when the way there does not exist.
fn edit(node: &mut Node, steps: &[String], value: &Node) -> bool {
    let Some((step, rest)) = steps.split_first() else { return false };
    match &mut node.content {
        Content::Mapping(entries) => {
            let found = entries.iter().position(|(key, _)| key.name == *step);
            match (found, rest.is_empty()) {
                (Some(index), true) if value.is_null() => {
                    entries.remove(index);
                    true
                }
                (Some(index), true) => {
                    entries[index].1 = value.clone();
                    true
                }
                (None, true) => {
                    let position: Position = value.position;
                    entries.push((Key { name: step.clone(), position }, value.clone()));
                    !value.is_null()
                }
                (Some(index), false) => edit(&mut entries[index].1, rest, value),
                (None, false) => false,
            }
        }
        Content::Sequence(items) => match step.parse().ok().and_then(|index: usize| items.get_mut(index)) {
            Some(item) if rest.is_empty() => {
                *item = value.clone();
                true
            }
            Some(item) => edit(item, rest, value),
            None => false,
        },
        Content::Scalar { .. } => false,
    }
}
