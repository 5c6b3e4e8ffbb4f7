//! Operators of which a requirement says that they come to the same.

use std::sync::Arc;

use opcert_backend::{Descriptor, NamedAttribute, Role};

use super::attributes::value_of;
use super::check::{EqualsOperator, Invariant, Literal};
use super::linker::Linker;
use super::model::Operator;
use crate::near::did_you_mean;

/// An operator that comes to the same as another one of its family.
#[derive(Clone, Debug)]
pub struct Equal {
    /// The full id of the requirement that says so.
    pub requirement: String,
    /// The other operator.
    pub operator: Arc<Operator>,
    when: Vec<(String, Literal)>,
    with: Vec<NamedAttribute>,
}

impl Equal {
    /// The other operator's descriptor that comes to the same, of the same tensors and at the same level; nothing where the
    /// requirement does not speak of this one.
    #[must_use]
    pub fn descriptor(&self, descriptor: &Descriptor) -> Option<Descriptor> {
        let holds = |(name, value): &(String, Literal)| descriptor.attribute(name).is_some_and(|is| value.is(is));
        let is_passed_on = |each: &&NamedAttribute| self.when.iter().all(|(name, _)| *name != each.name);
        self.when.iter().all(holds).then(|| Descriptor {
            operator: self.operator.id.clone(),
            attributes: descriptor.attributes.iter().filter(is_passed_on).chain(&self.with).cloned().collect(),
            ..descriptor.clone()
        })
    }
}

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
    let mut found = Vec::new();
    for (id, equals) in stated(operator) {
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
    let tensors = |operator: &Operator| -> Vec<(Role, String)> {
        operator.tensors.iter().map(|each| (each.role, each.name.clone())).collect()
    };
    if tensors(operator) != tensors(other) {
        problems.push(format!("`{}` has other tensors, or has them in another order", other.id));
    }
    let when = equals.when.as_ref().map_or(&[][..], |entries| &entries.0);
    let written = equals.with.as_ref().map_or(&[][..], |entries| &entries.0);
    let is_of = |entries: &[(String, Literal)], name: &str| entries.iter().any(|(each, _)| each == name);
    for attribute in &operator.attributes {
        let of_other = other.attribute(&attribute.name);
        let message = match of_other {
            _ if is_of(when, &attribute.name) => continue,
            None => {
                format!("`{}` has no attribute `{}`: `when` says where that does not matter", other.id, attribute.name)
            }
            Some(of_other) if of_other.values != attribute.values => {
                format!("`{}` of `{}` has other values", attribute.name, other.id)
            }
            Some(_) => continue,
        };
        problems.push(message);
    }
    let mut with = Vec::new();
    for attribute in &other.attributes {
        let name = &attribute.name;
        let is_shared = operator.attribute(name).is_some() && !is_of(when, name);
        match written.iter().find(|(each, _)| each == name) {
            Some(_) if is_shared => problems.push(format!("`{name}` is what it is here, and has no value in `with`")),
            Some((_, literal)) => match value_of(&attribute.values, literal) {
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
