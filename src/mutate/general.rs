//! What can be done wrong whatever an operator computes.

use std::collections::BTreeSet;
use std::sync::Arc;

use opcert_backend::{AttributeValue, DataType, Role};

use super::condition::Condition;
use super::wrong::{Deviation, Filling, Kind, Loose, Part, Wrong};
use crate::check::breakpoints;
use crate::spec::{AttributeValues, Check, Equal, Operator, Requirement, Tested};

/// Wrong backends that differ in what they check and how they use memory, and those that have a mistake only where an
/// implementation may take a path of its own.
#[must_use]
pub fn general(operator: &Arc<Operator>) -> Vec<Wrong> {
    let general = General { operator };
    [
        general.checks(),
        general.refusals(),
        general.invariants(),
        general.defaults(),
        general.layouts(),
        general.unwritten(),
        general.states(),
        general.paths(),
    ]
    .concat()
}

struct General<'a> {
    operator: &'a Arc<Operator>,
}

impl General<'_> {
    fn wrong(&self, kind: Kind, name: &str, breaks: Vec<String>, about: String, deviation: Deviation) -> Wrong {
        let (name, operator) = (name.to_owned(), Arc::clone(self.operator));
        Wrong { name, operator, kind, breaks, about, seen: None, deviation, condition: Condition::Always }
    }

    /// The family's requirement of this name, where it has one.
    fn of_family(&self, name: &str) -> Vec<String> {
        self.operator.resolve(name).map(|requirement| requirement.id.clone()).into_iter().collect()
    }

    /// Each check dropped, and loosened in each way that there is.
    fn checks(&self) -> Vec<Wrong> {
        let checked = |requirement: &&Requirement| requirement.gates() && requirement.restates.is_none();
        let requirements = self.operator.all_requirements().filter(checked);
        let checks: Vec<(&Requirement, &Check)> =
            requirements.filter_map(|each| Some((each, each.check.as_ref()?))).collect();
        let mut found = Vec::new();
        for &(requirement, check) in &checks {
            let mut drop = |end: &str, about: String, deviation: Deviation| {
                let name = format!("{}-{end}", requirement.name());
                found.push(self.wrong(Kind::Check, &name, vec![requirement.id.clone()], about, deviation));
            };
            let id = &requirement.id;
            drop("unchecked", format!("`{id}` is not checked."), Deviation::Accepts(id.clone(), Loose::Always));
            let misreadings = check.kind().misreadings(self.operator);
            for tensor in misreadings.forgotten {
                let (end, about) = (name_of(tensor), format!("`{id}` is not checked of `{tensor}`."));
                let loose = Loose::In(tensor.clone());
                drop(&format!("unchecked-of-{end}"), about, Deviation::Accepts(id.clone(), loose));
            }
            for (end, said, other) in misreadings.looser {
                let loose = Loose::Where(other);
                drop(
                    &end,
                    format!("`{id}` is checked for another number: {said}."),
                    Deviation::Accepts(id.clone(), loose),
                );
            }
            if let Some((said, other)) = misreadings.tighter {
                let about = format!("`{id}` is checked for another number: {said}.");
                drop("tightened", about, Deviation::RefusesUnless(other));
            }
        }
        let all = checks.iter().map(|(requirement, _)| requirement.id.clone()).collect();
        let about = "No descriptor is refused.".to_owned();
        found.push(self.wrong(Kind::Check, "everything-accepted", all, about, Deviation::AcceptsEverything));
        found
    }

    /// What holds whatever comes out, broken where the definition leaves open what does.
    fn invariants(&self) -> Vec<Wrong> {
        let is_of_another = |id: &str| self.operator.equals.iter().any(|equal| equal.requirement == id);
        let all = self.operator.all_requirements().filter(|each| each.gates() && !each.invariants.is_empty());
        let breaks: Vec<String> = all.map(|each| each.id.clone()).filter(|id| !is_of_another(id)).collect();
        let mut found = Vec::new();
        if !breaks.is_empty() {
            let about = "What the definition leaves open is bits without a meaning.".to_owned();
            let deviation = Deviation::Open { line: None, filling: Filling::Garbage };
            found.push(self.wrong(Kind::Definition, "invariants-broken", breaks, about, deviation));
        }
        for Equal { requirement, operator, .. } in &self.operator.equals {
            let id = &operator.id;
            let name = format!("unlike-{}", id.rsplit('/').next().unwrap_or(id).replace('_', "-"));
            let about = format!("What is left open has the bits 0, and by `{id}` the bits of the number 1.");
            let deviation = Deviation::Unlike(Arc::clone(operator));
            found.push(self.wrong(Kind::Definition, &name, vec![requirement.clone()], about, deviation));
        }
        found
    }

    /// Each attribute that has a default taken for something else where it is left out.
    fn defaults(&self) -> Vec<Wrong> {
        let mut found = Vec::new();
        for attribute in &self.operator.attributes {
            let Some(default) = &attribute.default else { continue };
            let others = match self.operator.choices(attribute, self.operator.family.highest()) {
                choices if choices.is_empty() => attribute.values.examples(),
                choices => choices,
            };
            let is_of = |each: &&Requirement| matches!(&each.tested, Some(Tested::LeftOut(of)) if of.attribute == attribute.name);
            let breaks: Vec<String> =
                self.operator.requirements.iter().filter(is_of).map(|each| each.id.clone()).collect();
            for other in others.into_iter().filter(|other| other != default) {
                let said = crate::render::attribute_value(&other);
                let name = format!("{}-is-{}", name_of(&attribute.name), name_of(&said).replace('"', ""));
                let about = format!("Where `{}` is left out, it is taken to be {said}.", attribute.name);
                let deviation = Deviation::Default(attribute.name.clone(), other);
                let condition = Condition::LeftOut(attribute.name.clone());
                let wrong = self.wrong(Kind::Check, &format!("left-out-{name}"), breaks.clone(), about, deviation);
                found.push(Wrong { condition, ..wrong });
            }
        }
        found
    }

    /// Each class of valid descriptors refused.
    fn refusals(&self) -> Vec<Wrong> {
        let refuse = |condition: Condition| {
            let name = format!("refused-{}", condition.name());
            let about = format!("Valid descriptors are refused {condition}.");
            let breaks = self.of_family("accepts-valid");
            Wrong { condition, ..self.wrong(Kind::Check, &name, breaks, about, Deviation::Refuses) }
        };
        let tested = self.operator.all_requirements().filter(|each| each.gates() && each.tested.is_some());
        let tested = tested.filter(|each| !matches!(each.tested, Some(Tested::Accepted | Tested::Dispatched)));
        let untold = tested.map(|requirement| {
            let name = format!("{}-refused", requirement.name());
            let about = format!("Valid descriptors are refused that put `{}` to the test.", requirement.id);
            let deviation = Deviation::RefusesTests(requirement.id.clone());
            self.wrong(Kind::Check, &name, vec![requirement.id.clone()], about, deviation)
        });
        self.classes().into_iter().map(refuse).chain(untold).collect()
    }

    /// Classes of valid descriptors.
    fn classes(&self) -> Vec<Condition> {
        let operator = self.operator;
        let mut classes = vec![Condition::Always];
        classes.extend(self.types().into_iter().map(|(name, data_type)| Condition::Type(name, vec![data_type])));
        let ranges = operator.support.iter().flat_map(|row| &row.tensors).map(|(_, dimensions, _)| dimensions);
        let ranges: Vec<_> = ranges.collect();
        let is_supported = |count: &usize| ranges.is_empty() || ranges.iter().any(|range| range.contains(*count));
        classes.extend((1..=8).filter(is_supported).map(Condition::Dimensions));
        for level in breakpoints(operator).into_iter().chain([operator.family.highest()]) {
            if level >= operator.introduced && operator.family.levels.len() > 1 {
                let class = Condition::Levels(vec![operator.family.level_name(level).to_owned()]);
                if !classes.contains(&class) {
                    classes.push(class);
                }
            }
        }
        let highest = operator.family.highest();
        for attribute in &operator.attributes {
            let name = || attribute.name.clone();
            let choices = match &attribute.values {
                _ if attribute.length_of.is_some() => Vec::new(),
                AttributeValues::Integers => (0..4).map(|value| AttributeValue::Integers(vec![value])).collect(),
                AttributeValues::Integer if operator.choices(attribute, highest).is_empty() => {
                    (0..4).map(AttributeValue::Integer).collect()
                }
                AttributeValues::Floats if operator.choices(attribute, highest).is_empty() => {
                    attribute.values.examples()
                }
                _ => operator.choices(attribute, highest),
            };
            classes.extend(choices.into_iter().map(|value| Condition::Attribute(name(), value)));
            if attribute.default.is_some() {
                classes.push(Condition::LeftOut(name()));
            }
        }
        if operator.family.layouts {
            classes.extend([Condition::Strided, Condition::Broadcast, Condition::Alignment, Condition::Room]);
            if !operator.family.flags.is_empty() {
                classes.push(Condition::Flags);
            }
        }
        classes.push(Condition::Elements(65_536));
        classes
    }

    /// Each tensor with each data type that it may have, where the specification lists them.
    fn types(&self) -> BTreeSet<(String, DataType)> {
        let rows = self.operator.support.iter().flat_map(|row| &row.tensors);
        let of_rows = rows.flat_map(|(name, _, types)| types.iter().map(|each| (name.clone(), *each)));
        let checks = self.operator.all_requirements().filter_map(|requirement| requirement.check.as_ref());
        let family = &self.operator.family;
        let mut found: BTreeSet<(String, DataType)> = of_rows.collect();
        for check in checks {
            if let Check::DataTypes(check) = check {
                let types: Vec<DataType> = check.types.iter().filter_map(|each| family.data_type(each)).collect();
                found.extend(check.tensors.iter().flat_map(|name| types.iter().map(|each| (name.clone(), *each))));
            }
        }
        found
    }

    /// The strides of each tensor ignored.
    fn layouts(&self) -> Vec<Wrong> {
        if !self.operator.family.layouts {
            return Vec::new();
        }
        let ignore = |tensor: &crate::spec::Tensor| {
            let written = if tensor.role == Role::Input { "read" } else { "written" };
            let about = format!("`{}` is {written} as if it were packed.", tensor.name);
            let name = format!("{}-as-if-packed", name_of(&tensor.name));
            let deviation = Deviation::Packed(tensor.name.clone());
            let condition = Condition::StridesOf(tensor.name.clone());
            Wrong { condition, ..self.wrong(Kind::Layout, &name, self.of_family("tensor/strides"), about, deviation) }
        };
        self.operator.tensors.iter().map(ignore).collect()
    }

    fn unwritten(&self) -> Vec<Wrong> {
        let parts = [
            (Part::First, "first-element-unwritten", "The first element of each output is not written."),
            (Part::Last, "last-element-unwritten", "The last element of each output is not written."),
            (Part::LastRow, "last-row-unwritten", "The last row of each output is not written."),
            (Part::Zeros, "zeros-unwritten", "Elements that are 0 are not written."),
            (Part::All, "nothing-written", "Nothing is written."),
        ];
        let breaks = self.of_family("operator/every-defined-element-written");
        let wrong = |name: &str, about: &str, deviation: Deviation| {
            self.wrong(Kind::Unwritten, name, breaks.clone(), about.to_owned(), deviation)
        };
        let mut found: Vec<Wrong> =
            parts.into_iter().map(|(part, name, about)| wrong(name, about, Deviation::Unwritten(part))).collect();
        for block in [4, 8, 16, 32, 64, 128] {
            let (name, about) = (
                format!("rest-of-{block}-unwritten"),
                format!("What blocks of {block} elements leave over at the end of an output is not written."),
            );
            found.push(wrong(&name, &about, Deviation::Unwritten(Part::Rest(block))));
        }
        let about = "Outputs are combined with what the memory held before.";
        found.push(wrong("added-to-what-was-there", about, Deviation::Mixed));
        found
    }

    fn states(&self) -> Vec<Wrong> {
        let breaks = self.of_family("operator/deterministic");
        let wrong = |name: &str, about: &str, deviation: Deviation| {
            self.wrong(Kind::State, name, breaks.clone(), about.to_owned(), deviation)
        };
        // An equal descriptor has equal constants.
        let inputs = self.operator.tensors.iter().filter(|tensor| tensor.role == Role::Input && !tensor.constant);
        let kept = |tensor: &crate::spec::Tensor| {
            let name = format!("{}-of-earlier-dispatch", name_of(&tensor.name));
            let about = format!("`{}` is the one of the first dispatch on an equal descriptor.", tensor.name);
            wrong(&name, &about, Deviation::KeptInput(tensor.name.clone()))
        };
        let mut found: Vec<Wrong> = inputs.map(kept).collect();
        found.extend([
            wrong(
                "outputs-of-earlier-dispatch",
                "Outputs are those of the first dispatch on an equal descriptor.",
                Deviation::KeptOutputs,
            ),
            wrong(
                "outputs-of-first-dispatch",
                "From the second dispatch of a compiled operator on, outputs are those of its first one.",
                Deviation::KeptByOperator,
            ),
            wrong(
                "second-dispatch-spoiled",
                "From the second dispatch of a compiled operator on, the lowest bit of an element is wrong.",
                Deviation::ChangesItsMind,
            ),
            wrong(
                "second-dispatch-unwritten",
                "From the second dispatch of a compiled operator on, nothing is written.",
                Deviation::RunsOnce,
            ),
        ]);
        found
    }

    /// A wrong element, where an implementation may take a path of its own.
    fn paths(&self) -> Vec<Wrong> {
        let mut conditions: Vec<Condition> = [16, 64, 256, 1024, 65_536].map(Condition::Elements).into();
        conditions.extend([16, 64, 256, 1024, 65_536].map(Condition::Reduced));
        conditions.extend([4, 8, 16, 32, 64, 128].map(Condition::Tail));
        conditions.push(Condition::DimensionsAbove(4));
        conditions.extend(self.types().into_iter().map(|(name, data_type)| Condition::Type(name, vec![data_type])));
        if self.operator.family.layouts {
            conditions.push(Condition::Strided);
            conditions.extend(self.operator.tensors.iter().map(|tensor| Condition::StridesOf(tensor.name.clone())));
        }
        let levels = breakpoints(self.operator).into_iter().filter(|level| *level >= self.operator.introduced);
        conditions
            .extend(levels.map(|level| Condition::Levels(vec![self.operator.family.level_name(level).to_owned()])));
        let spoiled = [
            (Part::First, "first-element-wrong", "The lowest bit of the first element of each output is wrong."),
            (Part::Last, "last-element-wrong", "The lowest bit of the last element of each output is wrong."),
        ];
        let mut found = Vec::new();
        for (part, name, about) in spoiled {
            let wrong = self.wrong(Kind::Path, name, Vec::new(), about.to_owned(), Deviation::Spoiled(part));
            found.extend(conditions.iter().map(|condition| wrong.restricted(condition.clone())));
        }
        found
    }
}

/// A tensor as a part of a name.
fn name_of(tensor: &str) -> String {
    tensor.to_ascii_lowercase().replace(['_', '['], "-").replace(']', "")
}
