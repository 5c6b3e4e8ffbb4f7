//! Descriptors that are broken on purpose: since a check is data, it can be violated as well as evaluated.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::plain::Plain;
use super::sketch::Sketch;
use super::{Step, Work};
use crate::case::{Case, CaseTensor, Data, Expectation};
use crate::check::refusal;
use crate::element;
use crate::kind::{Edit, Violations};
use crate::spec::Check;

pub(super) const COMMENT: &str = "Each check of the specification is violated in several ways, on plain \
    cases; each refusal is one edit of a valid case and names all that it breaks.";

/// The refused case, with everything that it breaks and the levels at which it does.
pub(super) fn complete(edit: Edit, cases: &[Case]) -> Result<Case, String> {
    let Edit { name, title, twin, intended, level, changes } = edit;
    let valid = cases.iter().find(|case| case.name == twin && case.twin.is_none());
    let valid = valid.ok_or_else(|| format!("there is no valid case `{twin}`"))?;
    let mut case = valid.clone();
    changes.into_iter().for_each(|change| change(&mut case));
    std::iter::zip(&valid.tensors, &mut case.tensors).for_each(|(before, after)| keep_constant(before, after));
    let operator = Arc::clone(&case.operator);
    let original = |reference: &String| {
        let found = operator.resolve(reference).ok_or_else(|| format!("`{reference}` is no requirement"))?;
        Ok(operator.original(found).id.clone())
    };
    let intended: Vec<String> = intended.iter().map(original).collect::<Result<_, String>>()?;
    let anchor = level.or(case.level).unwrap_or(operator.introduced);
    let found = refusal(&operator, &case.descriptor(anchor), anchor);
    let (broken, interval) = found.ok_or("the edit leaves the descriptor valid")?;
    let Some(first) = intended.iter().find(|each| broken.contains(each)).cloned() else {
        return Err(format!("meant to break {}, and breaks {}", intended.join(" or "), broken.join(", ")));
    };
    let several = operator.family.levels.len() > 1;
    Ok(Case {
        name,
        title: Some(title),
        covers: vec![first],
        // An interval says more than a level; the level is written where it is the edit.
        level: if level.is_some_and(|level| valid.level.is_some_and(|least| level < least)) {
            level
        } else {
            case.level
        },
        refused_at: several.then_some(interval),
        expectation: Expectation::Refuses(broken),
        invariants: Vec::new(),
        twin: Some(twin),
        ..case
    })
}

/// A constant whose data type was edited keeps its value.
fn keep_constant(before: &CaseTensor, after: &mut CaseTensor) {
    let (old, new) = (before.descriptor.data_type, after.descriptor.data_type);
    if let (Some(Data::Elements(bytes)), true) =
        (&before.data, before.constant && old != new && before.name == after.name)
    {
        let mut elements = Vec::new();
        let parsed = element::parse(&element::render(bytes, old), new, &mut elements);
        after.data = parsed.ok().map(|()| Data::Elements(elements));
    }
}

/// The plain cases of an operator, each followed by its refusals.
pub(super) fn cases(plain: &Plain<'_>) -> Work {
    let mut work = Work::new();
    let of_family = &plain.operator.family.requirements;
    let mut widths = BTreeSet::new();
    for sketch in plain.bases() {
        let mut edits: Vec<Edit> = Vec::new();
        if let Ok(base) = sketch.clone().complete() {
            let level = base.level.unwrap_or(plain.operator.introduced);
            // What holds of every tensor depends on the width of its elements and on which tensors are there, and not on what else
            // a case is about.
            let subject = base.tensors.iter().find(|tensor| tensor.name == plain.operator.subject);
            let width = subject.map(|subject| subject.descriptor.data_type.bytes());
            let is_of_new_width = widths.insert((width, base.tensors.len()));
            let holding = plain.operator.all_requirements().filter(|each| each.gates() && each.holds_at(level));
            let holding = holding.filter(|each| is_of_new_width || !of_family.iter().any(|other| other.id == each.id));
            let broken = |case: &Case| {
                refusal(plain.operator, &case.descriptor(level), level).map_or_else(Vec::new, |(broken, _)| broken)
            };
            // Of tensors that are left out nothing is asked; of a list some are there.
            let is_of_list = |name: &str| plain.operator.tensor(name).is_none_or(|tensor| tensor.list.is_some());
            let is_there = |name: &str| base.tensors.iter().any(|tensor| tensor.name == name);
            let has_all = |check: &&Check| check.tensors().iter().all(|name| is_of_list(name) || is_there(name));
            for (requirement, check) in holding.filter_map(|each| Some((each, each.check.as_ref().filter(has_all)?))) {
                for edit in check.kind().violations(&Violations { base: &base, requirement, broken: &broken }) {
                    // Two requirements may ask the same of a tensor, and one edit then breaks both.
                    if !edits.iter().any(|other| other.name == edit.name) {
                        edits.push(edit);
                    }
                }
            }
        }
        let twin: Sketch = sketch.accepts();
        work.push(Step::Valid(Box::new(twin)));
        work.extend(edits.into_iter().map(Step::Refused));
    }
    work
}
