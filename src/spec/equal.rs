//! Operators of which a requirement says that they come to the same.

use std::sync::Arc;

use opcert_backend::NamedAttribute;

use super::check::{EqualsOperator, Invariant, Literal};
use super::linker::Linker;
use super::model::{Equal, Operator, Requirement, Tensor};
use crate::near::did_you_mean;

/// What the requirements of an operator say of others, by id and as it is written.
pub(super) fn stated(operator: &Operator) -> impl Iterator<Item = (&str, &EqualsOperator)> {
    let invariants =
        operator.all_requirements().flat_map(|each| each.invariants.iter().map(|of| (each.id.as_str(), of)));
    invariants.filter_map(|(id, invariant)| match invariant {
        Invariant::EqualsOperator(equals) => Some((id, equals)),
        _ => None,
    })
}

/// Finds the operators that one is said to come to the same as, among those of whose requirements none says so.
pub(super) fn link_equals(operator: &mut Operator, others: &[Arc<Operator>], linker: &mut Linker<'_>) {
    let mut found: Vec<Equal> = Vec::new();
    for (id, equals) in stated(operator) {
        if !operator.requirement(id).is_some_and(Requirement::gates) {
            linker.problem_of(id, "what is neither stated nor derived is compared with no other operator".to_owned());
        }
        if found.iter().any(|equal| equal.operator.id == equals.operator) {
            linker.problem_of(id, format!("`{}` is named by a requirement before this one", equals.operator));
        }
        let of_family = || others.iter().filter(|other| other.family.name == operator.family.name);
        let Some(other) = of_family().find(|other| other.id == equals.operator) else {
            let near = did_you_mean(&equals.operator, of_family().map(|other| other.id.as_str()));
            let message =
                format!("`{}` is no other operator of this family that stands for itself{near}", equals.operator);
            linker.problem_of(id, message);
            continue;
        };
        match equal(operator, id, equals, other) {
            Ok(equal) => found.push(equal),
            Err(messages) => messages.into_iter().for_each(|message| linker.problem_of(id, message)),
        }
    }
    operator.equals = found;
}

/// Everything that one of the two operators has and the other is not told is a problem.
fn equal(operator: &Operator, id: &str, equals: &EqualsOperator, other: &Arc<Operator>) -> Result<Equal, Vec<String>> {
    let mut problems = Vec::new();
    let tensor = |each: &Tensor| {
        let list = each.list_name().map(str::to_owned);
        (each.role, each.name.clone(), list, each.constant, each.sizes.is_some(), each.optional, each.may_be_missing)
    };
    if !operator.tensors.iter().map(tensor).eq(other.tensors.iter().map(tensor)) {
        problems.push(format!("`{}` has other tensors, or has them in another order", other.id));
    }
    let when = equals.when.as_ref().map_or(&[][..], |entries| &entries.0);
    let written = equals.with.as_ref().map_or(&[][..], |entries| &entries.0);
    let is_of = |entries: &[(String, Literal)], name: &str| entries.iter().any(|(each, _)| each == name);
    for attribute in &operator.attributes {
        let of_other = other.attribute(&attribute.name);
        let message = match of_other {
            Some(_) if is_of(when, &attribute.name) => {
                format!("`{}` has `{}` as well: `when` is about what it does not have", other.id, attribute.name)
            }
            None if is_of(when, &attribute.name) => continue,
            None => {
                format!("`{}` has no attribute `{}`: `when` says where that does not matter", other.id, attribute.name)
            }
            Some(of_other) if of_other.values != attribute.values => {
                format!("`{}` of `{}` has other values", attribute.name, other.id)
            }
            Some(of_other) if of_other.default != attribute.default => {
                format!("`{}` of `{}` has another default", attribute.name, other.id)
            }
            Some(_) => continue,
        };
        problems.push(message);
    }
    let mut with = Vec::new();
    for attribute in &other.attributes {
        let name = &attribute.name;
        let is_shared = operator.attribute(name).is_some();
        match written.iter().find(|(each, _)| each == name) {
            Some(_) if is_shared => problems.push(format!("`{name}` is what it is here, and has no value in `with`")),
            Some((_, literal)) => match attribute.values.value(literal) {
                Ok(value) => with.push(NamedAttribute { name: name.clone(), value }),
                Err(expected) => problems.push(format!("`{name}` cannot be `{literal}`, expected {expected}")),
            },
            None if is_shared || attribute.may_be_missing => {}
            None => problems.push(format!("`{}` needs `{name}`: `with` gives it", other.id)),
        }
    }
    for (name, _) in written.iter().filter(|(name, _)| other.attribute(name).is_none()) {
        let near = did_you_mean(name, other.attribute_names());
        problems.push(format!("`{name}` is no attribute of `{}`{near}", other.id));
    }
    let (when, operator) = (when.to_vec(), Arc::clone(other));
    if problems.is_empty() { Ok(Equal { requirement: id.to_owned(), operator, when, with }) } else { Err(problems) }
}
