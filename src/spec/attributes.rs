//! Attributes: their types, what they are where they are left out, and what checks make of them.

use super::Invariant;
use super::check::{Check, OneOf, Taken};
use super::format::{AttributeEntry, AttributeKind};
use super::linker::Linker;
use super::model::{Attribute, AttributeValues, Family, Operator};
use super::tested::Tested;
use crate::near::{did_you_mean, known_names};

pub(super) fn link_attribute(name: String, entry: AttributeEntry, linker: &mut Linker<'_>) -> Attribute {
    let is_signed = matches!(entry.kind, AttributeKind::Signed | AttributeKind::SignedList);
    let values = match (entry.kind, entry.values) {
        (AttributeKind::Unsigned | AttributeKind::Signed, None) => AttributeValues::Integer,
        (AttributeKind::UnsignedList | AttributeKind::SignedList, None) => AttributeValues::Integers,
        (AttributeKind::Boolean, None) => AttributeValues::Booleans,
        (AttributeKind::Float, None) => AttributeValues::Floats,
        (AttributeKind::Enumeration, Some(values)) => AttributeValues::Enumerators(values),
        (AttributeKind::Text, Some(values)) => AttributeValues::Texts(values),
        (AttributeKind::Scalar, None) => AttributeValues::Scalars,
        _ => {
            let message = "`values` belongs to the types `ENUM` and `STRING`, and to no other";
            linker.problem(&["attributes", &name], message.to_owned());
            AttributeValues::Integer
        }
    };
    if entry.data_type.is_some() != (values == AttributeValues::Scalars) {
        let message = "`data_type` belongs to the type `SCALAR`, which has to have it, and to no other";
        linker.problem(&["attributes", &name], message.to_owned());
    }
    let default = entry.default.and_then(|literal| match values.value(&literal) {
        Ok(value) => Some(value),
        Err(expected) => {
            let message = format!("the default is `{literal}`, expected {expected}");
            linker.problem(&["attributes", &name, "default"], message);
            None
        }
    });
    Attribute {
        name,
        values,
        is_signed,
        length_of: entry.length_of,
        data_type: entry.data_type,
        default,
        may_be_missing: false,
    }
}

/// Reports attributes of which a requirement should speak and none does, and requirements that speak of others.
pub(super) fn check_attributes(operator: &Operator, linker: &mut Linker<'_>) {
    for attribute in &operator.attributes {
        let is_told = operator.requirements.iter().any(|each| left_out(each.tested.as_ref()) == Some(&attribute.name));
        if attribute.default.is_some() && !is_told {
            let message =
                "no requirement says what it is where it is left out: one with `tested: {left_out: {attribute: …}}`";
            linker.problem(&["attributes", &attribute.name, "default"], message.to_owned());
        }
        let mut checks = operator.requirements.iter().filter_map(|each| each.check.as_ref());
        let is_bounded =
            checks.any(|check| matches!(check, Check::OneOf(OneOf { attribute: of, .. }) if *of == attribute.name));
        if matches!(attribute.values, AttributeValues::Texts(_)) && !is_bounded {
            let message = "no requirement says what becomes of any other text: one with `check: {one_of: …}`";
            linker.problem(&["attributes", &attribute.name], message.to_owned());
        }
    }
    for attribute in operator.attributes.iter().filter(|each| each.values == AttributeValues::Scalars) {
        let mut named = operator.requirements.iter().filter_map(|requirement| match requirement.check.as_ref()? {
            Check::TypeNamed(check) => operator.attribute(&check.attribute),
            _ => None,
        });
        if !named.any(|named| named.data_type == attribute.data_type) {
            let message = "no requirement says which data type it has: one with `check: {type_named: …}`";
            linker.problem(&["attributes", &attribute.name], message.to_owned());
        }
    }
    for requirement in &operator.requirements {
        if let Some(name) = left_out(requirement.tested.as_ref())
            && operator.attribute(name).is_none_or(|attribute| attribute.default.is_none())
        {
            let with_default = operator.attributes.iter().filter(|each| each.default.is_some());
            let known = known_names(name, with_default.map(|each| each.name.as_str()));
            linker.problem_of(&requirement.id, format!("`{name}` is no attribute with a default: {known}"));
        }
        let of_check = requirement.check.iter().flat_map(|check| check.names().attributes);
        for (name, taken) in of_check.chain(requirement.invariants.iter().flat_map(Invariant::attributes)) {
            if let Some(attribute) = operator.attribute(name) {
                for message in misfits(attribute, taken, &operator.family) {
                    linker.problem_of(&requirement.id, message);
                }
            } else {
                let near = did_you_mean(name, operator.attribute_names());
                linker.problem_of(&requirement.id, format!("`{name}` is no attribute of this operator{near}"));
            }
        }
    }
}

/// The attribute of which a requirement says what it is where it is left out.
pub(super) fn left_out(tested: Option<&Tested>) -> Option<&String> {
    match tested {
        Some(Tested::LeftOut(of)) => Some(&of.attribute),
        _ => None,
    }
}

/// What is wrong with an attribute of which a check can make nothing: it would break no rule, or break it with every value.
fn misfits(attribute: &Attribute, taken: Taken<'_>, family: &Family) -> Vec<String> {
    use AttributeValues::{Booleans, Enumerators, Integer, Integers, Scalars, Texts};
    let Attribute { name, values, .. } = attribute;
    let expected = match (taken, values) {
        (Taken::Presence, _)
        | (Taken::Number | Taken::Numbers | Taken::Truth, Integer)
        | (Taken::List | Taken::Numbers, Integers)
        | (Taken::Truth, Booleans)
        | (Taken::TypeName, Scalars) => return Vec::new(),
        (Taken::TypeName, Enumerators(names) | Texts(names)) => {
            let unknown = names.iter().filter(|each| family.data_type(each).is_none());
            let known = || family.types.iter().map(|(spelling, _)| spelling.as_str());
            let message = |each: &String| {
                let near = did_you_mean(each, known());
                format!("`{name}` may be `{each}`, which is no data type of `{}`{near}", family.name)
            };
            return unknown.map(message).collect();
        }
        (Taken::OneOf([]), _) => return vec![format!("no value is listed that `{name}` may have")],
        (Taken::OneOf(literals), _) => {
            let wrong = literals.iter().filter_map(|literal| Some((literal, values.value(literal).err()?)));
            let message = |(literal, expected)| format!("`{name}` cannot be `{literal}`, expected {expected}");
            return wrong.map(message).collect();
        }
        (Taken::Number, _) => "a number",
        (Taken::List, _) => "a list of numbers",
        (Taken::Numbers, _) => "a number or a list of numbers",
        (Taken::Truth, _) => "a truth value, or a number that stands for one",
        (Taken::TypeName, _) => "the name of a data type, or a scalar, which has one",
    };
    vec![format!("`{name}` is {values}, expected {expected}")]
}
