//! A negative case is its twin with one edit.

use super::format::Value;
use crate::diagnostic::{Position, Problem};
use crate::near::did_you_mean;
use crate::yaml::{Content, Draft, Entries, Node, Problems};

/// The parts of a case that a twin shares.
const SHARED: [&str; 3] = ["level", "tensors", "attributes"];

/// Puts the twin's tensors and attributes, edited, into the mapping of a negative case. Every part keeps the position
/// of the line that it was written on.
pub(super) fn with_twin(case: &Node, twin: &Node, change: &Entries<Value>, problems: &mut Problems) -> Node {
    let Content::Mapping(pairs) = case.content() else { return case.clone() };
    let mut entries: Vec<(String, Position, Draft)> = Vec::new();
    for (key, value) in pairs {
        if SHARED.contains(&key.name) && key.name != "level" {
            problems.push(
                Problem::at(key.position, format!("`{}` and `twin` exclude each other", key.name))
                    .with_help("write what differs under `change`"),
            );
        } else {
            entries.push((key.name.to_owned(), key.position, Draft::Kept(value)));
        }
    }
    for shared in SHARED {
        if let (None, Some(value)) = (case.get(shared), twin.get(shared)) {
            entries.push((shared.to_owned(), value.position(), Draft::Kept(value)));
        }
    }
    let mut merged = Draft::Mapping(case.position(), entries);
    for (path, Value(value)) in &change.0 {
        let steps: Vec<String> = path.replace('[', ".").replace(']', "").split('.').map(str::to_owned).collect();
        if !SHARED.contains(&steps[0].as_str()) {
            let help = format!("a path begins with `{}`", SHARED.join("`, `"));
            problems.push(Problem::at(value.position(), format!("`{path}` leads nowhere")).with_help(help));
        } else if !edit(&mut merged, &steps, value) {
            problems.add(value.position(), format!("`{path}` leads to nothing in the twin{}", meant(&merged, &steps)));
        }
    }
    merged.node()
}

/// What the first step of a path was perhaps meant to be that leads nowhere.
fn meant(mut draft: &Draft, steps: &[String]) -> String {
    for step in steps {
        let Draft::Mapping(_, entries) = draft else { break };
        match entries.iter().find(|(name, ..)| name == step) {
            Some((.., next)) => draft = next,
            None => return did_you_mean(step, entries.iter().map(|(name, ..)| name.as_str())),
        }
    }
    String::new()
}

/// Sets, adds or takes away what is at the end of a path; false when the way there does not exist.
fn edit(draft: &mut Draft, steps: &[String], value: &Node) -> bool {
    let Some((step, rest)) = steps.split_first() else { return false };
    draft.open();
    match draft {
        Draft::Mapping(_, entries) => {
            let found = entries.iter().position(|(name, ..)| name == step);
            match (found, rest.is_empty()) {
                (Some(index), true) if value.is_null() => {
                    entries.remove(index);
                    true
                }
                (Some(index), true) => {
                    entries[index].2 = Draft::Kept(value.clone());
                    true
                }
                (None, true) => {
                    entries.push((step.clone(), value.position(), Draft::Kept(value.clone())));
                    !value.is_null()
                }
                (Some(index), false) => edit(&mut entries[index].2, rest, value),
                (None, false) => false,
            }
        }
        Draft::Sequence(_, items) => {
            let index = step.parse().ok().filter(|index: &usize| *index < items.len());
            match (index, rest.is_empty()) {
                (Some(index), true) if value.is_null() => drop(items.remove(index)),
                (Some(index), true) => items[index] = Draft::Kept(value.clone()),
                (Some(index), false) => return edit(&mut items[index], rest, value),
                (None, _) => return false,
            }
            true
        }
        Draft::Kept(_) | Draft::Plain(..) => false,
    }
}
