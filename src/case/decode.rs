//! One case: from its mapping to the model.

use std::collections::BTreeMap;
use std::sync::Arc;

use opcert_backend::{AttributeValue, DataType, Float32, NamedAttribute, Role, Scalar, TensorDescriptor};

use super::context::{CaseContext, requirement};
use super::data::{self, Data};
use super::elements;
use super::expectation::expectation;
use super::format::{CaseEntry, SourceEntry, TensorEntry, TensorsEntry, TierEntry, Value};
use super::lists::each_of_lists;
use super::model::{Case, CaseTensor, Expectation};
use crate::diagnostic::Problem;
use crate::element;
use crate::near::{did_you_mean, known_names};
use crate::spec::{Attribute, AttributeValues, Level, Operator, Tensor};
use crate::yaml::{Content, Entries, Fields, FromNode, Node, Problems};

/// Decodes a case; `None` when its descriptor is not known. A case whose data or expectation has problems comes out
/// without them, so that what is wrong with its descriptor can be reported as well.
pub(super) fn decode_case(node: Node, context: &CaseContext<'_>, problems: &mut Problems) -> Option<Case> {
    let before = problems.count();
    let entry = CaseEntry::from_node(node, problems)?;
    let operator = context.operator;
    let refusing = entry.expect.0.get("refuses").is_some();
    let covers = entry.covers.unwrap_or_default();
    let covers = covers.iter().enumerate().filter_map(|(index, name)| {
        requirement(name, &["covers", &index.to_string()], context, problems).map(|found| found.id.clone())
    });
    let covers = covers.collect();
    let invariants = invariants(&entry.invariants.unwrap_or_default(), &entry.expect.0, context, problems);
    let level = entry.level.and_then(|name| level(&name, "level", context, problems));
    let refused_at = interval(entry.refused_at, context, problems);
    let source = source(entry.source, context, problems);
    let nodes = entry.tensors.unwrap_or_default().0.into_iter().map(|(name, TensorsEntry(node))| (name, node));
    let (tensors, whole) = tensors(Entries(nodes.collect()), refusing, context, problems)?;
    let attributes = attributes(&entry.attributes.unwrap_or_default(), context, problems);
    let expectation = expectation(&entry.expect.0, &tensors, context, problems);
    for (given, key) in [(refused_at.is_some(), "refused_at"), (entry.twin.is_some(), "twin")] {
        if given && !refusing {
            context.report(&[key], format!("`{key}` belongs to `expect: {{refuses: [...]}}`"), problems);
        }
    }
    whole.then_some(())?;
    let spoiled = problems.count() > before;
    if refusing && expectation.is_none() {
        return None;
    }
    let expectation = match expectation {
        Some(refusal @ Expectation::Refuses(_)) => refusal,
        Some(other) if !spoiled => other,
        _ => Expectation::Accepts,
    };
    Some(Case {
        id: context.id.clone(),
        name: context.name.to_owned(),
        file: Arc::clone(context.file),
        operator: Arc::clone(operator),
        title: entry.title,
        source,
        level,
        refused_at,
        covers,
        tensors,
        attributes: attributes?,
        expectation,
        invariants,
        large: entry.tier == Some(TierEntry::Large),
        twin: entry.twin,
    })
}

/// A descriptor with data that is no case of the suite: of a case it has what is given, and nothing is expected of it.
/// `None` after at least one problem was reported.
pub(crate) fn described(
    name: &str,
    operator: &Arc<Operator>,
    tensor_nodes: Entries<Node>,
    attribute_values: &Entries<Value>,
    problems: &mut Problems,
) -> Option<Case> {
    let before = problems.count();
    let id = format!("{}/{name}", operator.id);
    let file = Arc::default();
    let context = CaseContext { operator, file: &file, id: id.clone(), name };
    let (tensors, _) = tensors(tensor_nodes, false, &context, problems)?;
    let attributes = attributes(attribute_values, &context, problems)?;
    (problems.count() == before).then(|| Case {
        id,
        name: name.to_owned(),
        file: Arc::clone(&file),
        operator: Arc::clone(operator),
        title: None,
        source: None,
        level: None,
        refused_at: None,
        covers: Vec::new(),
        tensors,
        attributes,
        expectation: Expectation::Accepts,
        invariants: Vec::new(),
        large: false,
        twin: None,
    })
}

fn invariants(names: &[String], expect: &Node, context: &CaseContext<'_>, problems: &mut Problems) -> Vec<String> {
    let path = ["invariants"];
    if !names.is_empty() && expect.get("observe").is_none() {
        context.report(&path, "`invariants` belongs to `expect: {observe: oracle}`", problems);
    }
    let mut ids = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let path = ["invariants", &index.to_string()];
        let Some(found) = requirement(name, &path, context, problems) else { continue };
        if found.invariants.is_empty() {
            context.report(&path, format!("`{}` says nothing that could be judged here", found.id), problems);
        }
        ids.push(found.id.clone());
    }
    ids
}

fn level(name: &str, key: &str, context: &CaseContext<'_>, problems: &mut Problems) -> Option<Level> {
    let family = &context.operator.family;
    let level = family.level(name);
    if level.is_none() {
        let message = format!("`{name}` is no feature level of `{}`: {}", family.name, family.levels.join(" "));
        let near = did_you_mean(name, family.levels.iter().map(String::as_str));
        context.report(&[key], message + &near, problems);
    }
    level
}

fn interval(names: Option<Vec<String>>, context: &CaseContext<'_>, problems: &mut Problems) -> Option<(Level, Level)> {
    let names = names?;
    let [first, last] = names.as_slice() else {
        let message = format!("expected the first and the last level, found {} names", names.len());
        context.report(&["refused_at"], message, problems);
        return None;
    };
    let first = level(first, "refused_at", context, problems)?;
    let last = level(last, "refused_at", context, problems)?;
    if first > last {
        context.report(&["refused_at"], "the first level is above the last one", problems);
    }
    Some((first, last))
}

fn source(entry: Option<SourceEntry>, context: &CaseContext<'_>, problems: &mut Problems) -> Option<(String, String)> {
    let entry = entry?;
    let documents = || context.operator.documents.iter().map(|document| document.name.as_str());
    if documents().all(|document| document != entry.document) {
        let message = format!("`{}` is no document of `{}`", entry.document, context.operator.id);
        context.unknown(&["source", "document"], &entry.document, documents(), message, problems);
    }
    Some((entry.document, entry.section))
}

/// The tensors that could be decoded, and whether these are all; `None` where an entry is none of a tensor.
fn tensors(
    nodes: Entries<Node>,
    refusing: bool,
    context: &CaseContext<'_>,
    problems: &mut Problems,
) -> Option<(Vec<CaseTensor>, bool)> {
    let operator = context.operator;
    let mut whole = true;
    for name in nodes.names().filter(|name| operator.entries().all(|entry| entry != *name)) {
        let message = format!("`{name}` is no tensor of `{}`", operator.id);
        context.unknown(&["tensors", name], name, operator.entries(), message, problems);
    }
    let before = problems.count();
    let entries = each_of_lists(nodes, operator, problems).0.into_iter();
    let entries = entries.filter_map(|(name, node)| Some((name, TensorEntry::from_node(node, problems)?)));
    let entries = Entries(entries.collect());
    if problems.count() > before {
        return None;
    }
    let mut decoded = Vec::with_capacity(operator.tensors.len());
    let mut entries = entries.0;
    for tensor in &operator.tensors {
        match entries.iter().position(|(name, _)| *name == tensor.name) {
            Some(index) => {
                let (_, entry) = entries.swap_remove(index);
                let tensor = decode_tensor(tensor, entry, refusing, context, problems);
                whole &= tensor.is_some();
                decoded.extend(tensor);
            }
            None if tensor.may_be_missing => {}
            None => {
                context.report(&["tensors"], format!("the tensor `{}` is missing", tensor.name), problems);
                whole = false;
            }
        }
    }
    Some((decoded, whole))
}

fn decode_tensor(
    tensor: &Tensor,
    entry: TensorEntry,
    refusing: bool,
    context: &CaseContext<'_>,
    problems: &mut Problems,
) -> Option<CaseTensor> {
    let family = &context.operator.family;
    let name = &tensor.name;
    for (given, key) in [
        (entry.strides.is_some(), "strides"),
        (entry.flags.is_some(), "flags"),
        (entry.total_bytes.is_some(), "total_bytes"),
        (entry.alignment.is_some(), "alignment"),
    ] {
        if given && !family.layouts {
            let message = format!("tensors of `{}` have no `{key}`", family.name);
            context.report(&["tensors", name, key], message, problems);
        }
    }
    for (index, flag) in entry.flags.iter().flatten().enumerate() {
        if family.layouts && !family.flags.contains(flag) {
            let message = format!("`{flag}` is no flag of `{}`", family.name);
            let path = ["tensors", name, "flags", &index.to_string()];
            context.unknown(&path, flag, family.flags.iter().map(String::as_str), message, problems);
        }
    }
    // One count says how many sizes there are and how many strides, so that no descriptor can have another number.
    if let Some(strides) = entry.strides.as_ref().filter(|strides| strides.len() != entry.sizes.len()) {
        let (found, expected) = (strides.len(), entry.sizes.len());
        let message = format!("`{name}` has {found} strides, expected {expected}: one for each size");
        context.report(&["tensors", name, "strides"], message, problems);
        return None;
    }
    let Some(data_type) = family.data_type(&entry.data_type) else {
        let known = family.types.iter().map(|(spelling, _)| spelling.as_str());
        let message = format!("`{}` is no data type of `{}`", entry.data_type, family.name);
        context.unknown(&["tensors", name, "type"], &entry.data_type, known, message, problems);
        return None;
    };
    let data = match entry.data {
        Some(Value(node)) if tensor.role == Role::Output => {
            problems.push(
                Problem::at(node.position(), format!("`{name}` is an output and has no data"))
                    .with_help("what it should hold stands under `expect`"),
            );
            None
        }
        Some(Value(node)) if refusing => refused_data(tensor, &node, data_type, &entry.sizes),
        Some(Value(node)) => data::decode_input(&node, data_type, &entry.sizes, problems),
        None => None,
    };
    let descriptor = TensorDescriptor {
        data_type,
        sizes: entry.sizes,
        strides: entry.strides,
        total_bytes: entry.total_bytes,
        alignment: entry.alignment.unwrap_or(0),
        flags: entry.flags.unwrap_or_default(),
    };
    Some(CaseTensor { name: name.clone(), role: tensor.role, constant: tensor.constant, descriptor, data })
}

/// A refused descriptor has no data but the values of its constants; those are kept where the edit leaves them one
/// value, in whatever shape.
fn refused_data(tensor: &Tensor, node: &Node, data_type: DataType, sizes: &[u64]) -> Option<Data> {
    if !tensor.constant {
        return None;
    }
    let mut ignored = Problems::default();
    let fits = elements::decode(node, data_type, sizes, false, &mut ignored);
    let scalar = || elements::decode(node, data_type, &[], false, &mut Problems::default());
    fits.or_else(scalar).map(|elements| Data::Elements(elements.bytes))
}

fn attributes(
    entries: &Entries<Value>,
    context: &CaseContext<'_>,
    problems: &mut Problems,
) -> Option<Vec<NamedAttribute>> {
    let operator = context.operator;
    for name in entries.names().filter(|name| operator.attribute(name).is_none()) {
        let message = format!("`{name}` is no attribute of `{}`", operator.id);
        let known = operator.attribute_names();
        context.unknown(&["attributes", name], name, known, message, problems);
    }
    let mut whole = true;
    let mut decoded = Vec::with_capacity(operator.attributes.len());
    for attribute in &operator.attributes {
        let given = entries.get(&attribute.name);
        let value = match given {
            Some(Value(node)) => attribute_value(attribute, node, context, problems),
            None => list_length(attribute, entries),
        };
        // The list has no length but this one, so that no descriptor can state another.
        if let (Some(list), Some(AttributeValue::Integer(length))) =
            (&attribute.length_of, list_length(attribute, entries))
            && let (Some(Value(node)), Some(AttributeValue::Integer(stated))) = (given, &value)
            && *stated != length
        {
            let message = format!("`{}` is {stated}, expected {length}: the length of `{list}`", attribute.name);
            problems.add(node.position(), message);
        }
        if value.is_none() && given.is_none() && !attribute.may_be_missing {
            let message = format!("the attribute `{}` is missing", attribute.name);
            context.report(&["attributes"], message, problems);
        }
        whole &= value.is_some() || attribute.may_be_missing;
        decoded.extend(value.map(|value| NamedAttribute { name: attribute.name.clone(), value }));
    }
    check_scalars(operator, &decoded, context, problems);
    whole.then_some(decoded)
}

fn attribute_value(
    attribute: &Attribute,
    node: &Node,
    context: &CaseContext<'_>,
    problems: &mut Problems,
) -> Option<AttributeValue> {
    match &attribute.values {
        AttributeValues::Integer => i64::from_node(node.clone(), problems).map(AttributeValue::Integer),
        AttributeValues::Integers => Vec::from_node(node.clone(), problems).map(AttributeValue::Integers),
        AttributeValues::Booleans => bool::from_node(node.clone(), problems).map(AttributeValue::Boolean),
        AttributeValues::Texts(_) => String::from_node(node.clone(), problems).map(AttributeValue::String),
        AttributeValues::Floats => float_value(attribute, node, problems).map(AttributeValue::Float32),
        AttributeValues::Scalars => scalar_value(context, node, problems).map(AttributeValue::Scalar),
        AttributeValues::Enumerators(known) => {
            let name = String::from_node(node.clone(), problems)?;
            if !known.contains(&name) {
                let near = did_you_mean(&name, known.iter().map(String::as_str));
                let message = format!("`{}` is `{name}`, expected one of {}{near}", attribute.name, known.join(", "));
                problems.add(node.position(), message);
            }
            Some(AttributeValue::Enumerator(name))
        }
    }
}

/// A number as elements are written.
fn float_value(attribute: &Attribute, node: &Node, problems: &mut Problems) -> Option<Float32> {
    let Some(text) = node.plain() else {
        let message = format!("`{}` is {}, expected one such as 0.5", attribute.name, attribute.values);
        problems.add(node.position(), message);
        return None;
    };
    element::parse_float32(text).map_err(|what| problems.add(node.position(), format!("`{text}` {what}"))).ok()
}

/// An element with its data type, in the family's spelling.
fn scalar_value(context: &CaseContext<'_>, node: &Node, problems: &mut Problems) -> Option<Scalar> {
    let family = &context.operator.family;
    let mut fields = Fields::of(node.clone(), problems)?;
    let (spelling, value) = (fields.take::<String>("type", problems), fields.take::<Value>("value", problems));
    fields.finish(problems);
    let (spelling, Value(value)) = (spelling?, value?);
    let Some(data_type) = family.data_type(&spelling) else {
        let known = known_names(&spelling, family.types.iter().map(|(spelling, _)| spelling.as_str()));
        let message = format!("`{spelling}` is no data type of `{}`", family.name);
        problems.push(Problem::at(node.locate(&["type".to_owned()]), message).with_help(known));
        return None;
    };
    let element = elements::decode(&value, data_type, &[], false, problems)?;
    Scalar::from_bytes(data_type, &element.bytes)
}

/// Scalars whose data types one member of the documents' structure names have the same one.
fn check_scalars(operator: &Operator, given: &[NamedAttribute], context: &CaseContext<'_>, problems: &mut Problems) {
    let mut named: BTreeMap<&str, (&str, DataType)> = BTreeMap::new();
    for attribute in &operator.attributes {
        let value = given.iter().find(|each| each.name == attribute.name).map(|each| &each.value);
        let (Some(member), Some(AttributeValue::Scalar(scalar))) = (&attribute.data_type, value) else { continue };
        let (first, data_type) = *named.entry(member).or_insert((&attribute.name, scalar.data_type()));
        if data_type != scalar.data_type() {
            let spelled = |data_type| operator.family.spelling(data_type);
            let message = format!(
                "`{}` is {}, expected {} as `{first}` is: `{member}` is the data type of both",
                attribute.name,
                spelled(scalar.data_type()),
                spelled(data_type)
            );
            context.report(&["attributes", &attribute.name], message, problems);
        }
    }
}

/// The value of an attribute that is the length of a list and was left out.
fn list_length(attribute: &Attribute, entries: &Entries<Value>) -> Option<AttributeValue> {
    let Value(node) = entries.get(attribute.length_of.as_deref()?)?;
    match node.content() {
        Content::Sequence(items) => Some(AttributeValue::Integer(items.len() as i64)),
        _ => None,
    }
}
