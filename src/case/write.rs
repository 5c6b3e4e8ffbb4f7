//! From the model to the text of a case file: what [`load`](super::load) reads again as the same cases.

use std::borrow::Cow;
use std::fmt::Write as _;

use opcert_backend::{AttributeValue, DataType, Role, TensorDescriptor};

use super::data::Data;
use super::elements;
use super::model::{Case, CaseTensor, Expectation, ExpectedTensor};
use crate::spec::{Level, Operator, PlaceInList};

/// Lines are broken before they grow longer than this, where a value allows it.
const WIDTH: usize = 118;

/// Writes a file of cases of one operator, below a comment. A case with a twin, which is among the cases too, is
/// written as an edit of it.
///
/// Undefined elements of expected outputs are written as `~`; the data of a refused case is left out.
#[must_use]
pub fn write(operator: &Operator, comment: &str, cases: &[Case]) -> String {
    written(operator, comment, "", cases)
}

/// The same of cases that name all that they cover, so that it is not worked out when the file is read.
#[must_use]
pub fn write_complete(operator: &Operator, comment: &str, cases: &[Case]) -> String {
    written(operator, comment, "covers: complete\n", cases)
}

fn written(operator: &Operator, comment: &str, head: &str, cases: &[Case]) -> String {
    let mut text = String::new();
    for line in comment.lines() {
        let _ = writeln!(text, "# {line}");
    }
    let _ = writeln!(text, "operator: {}\n{head}cases:", operator.id);
    for (index, case) in cases.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let twin = case.twin.as_ref().and_then(|name| cases.iter().find(|other| other.name == *name));
        write_case(&mut text, case, twin);
    }
    text
}

fn write_case(text: &mut String, case: &Case, twin: Option<&Case>) {
    let _ = writeln!(text, "  {}:", case.name);
    if let Some(title) = &case.title {
        field(text, "title", &scalar(title));
    }
    if let Some((document, section)) = &case.source {
        field(text, "source", &format!("{{document: {document}, section: {}}}", quoted_in_flow(section)));
    }
    match twin {
        Some(twin) => {
            field(text, "twin", &twin.name);
            let edits = edits(case, twin).into_iter().map(|(path, value)| format!("{path}: {value}"));
            field(text, "change", &format!("{{{}}}", edits.collect::<Vec<_>>().join(", ")));
        }
        None => {
            if let Some(level) = case.level {
                field(text, "level", &level_name(case, level));
            }
        }
    }
    if !case.covers.is_empty() {
        field(text, "covers", &list(case.covers.iter().map(|id| reference(&case.operator, id))));
    }
    if case.large {
        field(text, "tier", "large");
    }
    if twin.is_none() {
        text.push_str("    tensors:\n");
        for tensor in &case.tensors {
            let head = head(text, &case.operator, &tensor.name);
            write_tensor(text, &head, case, tensor);
        }
        field(text, "attributes", &attributes(case));
    }
    write_expectation(text, case);
    if !case.invariants.is_empty() {
        field(text, "invariants", &list(case.invariants.iter().map(|id| reference(&case.operator, id))));
    }
    if let Some((first, last)) = case.refused_at {
        field(text, "refused_at", &format!("[{}, {}]", level_name(case, first), level_name(case, last)));
    }
}

/// A key of a case with its value.
fn field(text: &mut String, key: &str, value: &str) {
    line(text, &format!("    {key}:"), value);
}

/// What a tensor or its elements stand behind; the list's name is written above the first tensor of a list.
fn head(text: &mut String, operator: &Operator, name: &str) -> String {
    match operator.tensor(name).and_then(|tensor| tensor.list.as_ref()) {
        None => format!("      {name}:"),
        Some(PlaceInList { list, at, .. }) => {
            if *at == 0 {
                let _ = writeln!(text, "      {list}:");
            }
            "        -".to_owned()
        }
    }
}

/// A value in flow style behind a key, broken between elements where it is too long for one line.
fn line(text: &mut String, head: &str, value: &str) {
    let _ = write!(text, "{head} ");
    let indent = head.len() - head.trim_start_matches([' ', '-']).len();
    let mut column = head.len() + 1;
    for piece in value.split_inclusive(", ") {
        let length = piece.trim_end().len();
        if column + length > WIDTH && column > indent + 2 && value.starts_with(['[', '{']) {
            text.truncate(text.trim_end().len());
            let _ = write!(text, "\n{:width$}", "", width = indent + 2);
            column = indent + 2;
        }
        text.push_str(piece);
        column += piece.len();
    }
    text.push('\n');
}

fn write_tensor(text: &mut String, head: &str, case: &Case, tensor: &CaseTensor) {
    let mut keys = layout(case, &tensor.descriptor);
    keys.extend(data(case, tensor, &tensor.descriptor.sizes).map(|data| ("data", data)));
    // Data may be long, and is not put together only to be measured.
    let flow: usize = keys.iter().map(|(key, value)| key.len() + value.len() + ": , ".len()).sum();
    if head.len() + flow - ", ".len() + " {}".len() <= WIDTH {
        let flow = keys.iter().map(|(key, value)| format!("{key}: {value}")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "{head} {{{flow}}}");
        return;
    }
    let inner = " ".repeat(head.len() - head.trim_start().len() + 2);
    // The first key of a list's item stands beside its mark.
    let first = if head.ends_with('-') { format!("{head} ") } else { inner.clone() };
    if !head.ends_with('-') {
        let _ = writeln!(text, "{head}");
    }
    for (at, (key, value)) in keys.iter().enumerate() {
        line(text, &format!("{}{key}:", if at == 0 { &first } else { &inner }), value);
    }
}

/// Every key of a tensor but its data.
fn layout(case: &Case, tensor: &TensorDescriptor) -> Vec<(&'static str, String)> {
    let mut keys = vec![
        ("type", case.operator.family.spelling(tensor.data_type).to_owned()),
        ("sizes", list(tensor.sizes.iter())),
    ];
    keys.extend(tensor.strides.as_ref().map(|strides| ("strides", list(strides))));
    keys.extend(tensor.total_bytes.map(|bytes| ("total_bytes", bytes.to_string())));
    keys.extend((tensor.alignment != 0).then(|| ("alignment", tensor.alignment.to_string())));
    keys.extend((!tensor.flags.is_empty()).then(|| ("flags", list(&tensor.flags))));
    keys
}

/// The data of a tensor that is written; its sizes were these before an edit.
fn data(case: &Case, tensor: &CaseTensor, before: &[u64]) -> Option<String> {
    let refused = matches!(case.expectation, Expectation::Refuses(_));
    match tensor.data.as_ref().filter(|_| tensor.constant || !refused)? {
        // What is left of a constant whose shape was edited is one value.
        Data::Elements(bytes) if refused && before != tensor.descriptor.sizes => {
            Some(elements::in_a_file(bytes, tensor.descriptor.data_type))
        }
        Data::Elements(bytes) => Some(nested(bytes, &[], tensor)),
        Data::Pattern(pattern) => Some(pattern.in_a_file()),
    }
}

/// Elements as nested lists; an undefined part is one `~`.
fn nested(bytes: &[u8], undefined: &[bool], tensor: &CaseTensor) -> String {
    let data_type = tensor.descriptor.data_type;
    let width = data_type.bytes();
    let element = |index: usize| elements::in_a_file(&bytes[index * width..(index + 1) * width], data_type);
    let mut text = String::new();
    write_part(&mut text, undefined, &tensor.descriptor.sizes, 0, &element);
    text
}

fn write_part(text: &mut String, undefined: &[bool], sizes: &[u64], start: usize, element: &dyn Fn(usize) -> String) {
    let count = sizes.iter().product::<u64>() as usize;
    if count > 0 && undefined.get(start..start + count).is_some_and(|part| !part.contains(&false)) {
        return text.push('~');
    }
    let Some((&size, inner)) = sizes.split_first() else { return text.push_str(&element(start)) };
    let step = inner.iter().product::<u64>() as usize;
    text.push('[');
    for index in 0..size as usize {
        if index > 0 {
            text.push_str(", ");
        }
        write_part(text, undefined, inner, start + index * step, element);
    }
    text.push(']');
}

fn attributes(case: &Case) -> String {
    let given = case.attributes.iter().filter(|attribute| !is_implied(case, &attribute.name));
    let given = given.map(|attribute| format!("{}: {}", attribute.name, attribute_value(case, &attribute.value)));
    format!("{{{}}}", given.collect::<Vec<_>>().join(", "))
}

/// Whether an attribute is the length of a list, as it may then be left out.
fn is_implied(case: &Case, name: &str) -> bool {
    let value = |name: &str| case.attributes.iter().find(|each| each.name == name).map(|each| &each.value);
    let list = case.operator.attribute(name).and_then(|attribute| value(attribute.length_of.as_deref()?));
    match (value(name), list) {
        (Some(AttributeValue::Integer(count)), Some(AttributeValue::Integers(list))) => *count == list.len() as i64,
        _ => false,
    }
}

fn attribute_value(case: &Case, value: &AttributeValue) -> String {
    match value {
        AttributeValue::Integer(number) => number.to_string(),
        AttributeValue::Integers(numbers) => list(numbers),
        AttributeValue::Enumerator(name) => name.clone(),
        AttributeValue::Boolean(value) => value.to_string(),
        AttributeValue::String(text) => format!("{text:?}"),
        AttributeValue::Float32(value) => elements::in_a_file(&value.bits().to_le_bytes(), DataType::F32),
        AttributeValue::Scalar(value) => {
            let data_type = value.data_type();
            let element = elements::in_a_file(&value.bytes(), data_type);
            format!("{{type: {}, value: {element}}}", case.operator.family.spelling(data_type))
        }
    }
}

fn write_expectation(text: &mut String, case: &Case) {
    match &case.expectation {
        Expectation::Accepts => field(text, "expect", "accepts"),
        Expectation::Observe => field(text, "expect", "{observe: oracle}"),
        Expectation::Refuses(ids) => {
            let ids = list(ids.iter().map(|id| reference(&case.operator, id)));
            field(text, "expect", &format!("{{refuses: {ids}}}"));
        }
        Expectation::Values(values) => {
            text.push_str("    expect:\n");
            for (name, expected) in values {
                let tensor = case.tensors.iter().find(|tensor| tensor.name == *name && tensor.role == Role::Output);
                let value = match (expected, tensor) {
                    (ExpectedTensor::Elements(elements), Some(tensor)) => {
                        nested(&elements.bytes, &elements.undefined, tensor)
                    }
                    (ExpectedTensor::Elements(_), None) => "~".to_owned(),
                    (ExpectedTensor::Digest(digest), _) => {
                        let defined = digest.defined.map(|defined| format!(", defined: {defined}")).unwrap_or_default();
                        format!("{{blake3: {}{defined}}}", digest.blake3)
                    }
                };
                let head = head(text, &case.operator, name);
                line(text, &head, &value);
            }
        }
    }
}

/// The paths and new values by which a case differs from its twin.
fn edits(case: &Case, twin: &Case) -> Vec<(String, String)> {
    let mut edits = Vec::new();
    if let Some(level) = case.level.filter(|_| case.level != twin.level) {
        edits.push(("level".to_owned(), level_name(case, level)));
    }
    let mut gone = Vec::new();
    for before in &twin.tensors {
        // One of a list, `name[0]`, stands in it under its number.
        let path = format!("tensors.{}", before.name.replace('[', ".").replace(']', ""));
        match case.tensors.iter().find(|tensor| tensor.name == before.name) {
            Some(after) => edits.extend(tensor_edits(&path, (twin, before), (case, after))),
            None => gone.push((path, "~".to_owned())),
        }
    }
    // The last one first, so that the numbers of those before it stay.
    edits.extend(gone.into_iter().rev());
    for before in &twin.attributes {
        let path = format!("attributes.{}", before.name);
        let after = case.attributes.iter().find(|attribute| attribute.name == before.name);
        // What the twin leaves out is there all the same, as long as it is implied here too.
        let left_out = is_implied(twin, &before.name);
        match after.map(|attribute| &attribute.value) {
            Some(_) if left_out && is_implied(case, &before.name) => {}
            Some(value) if *value == before.value && !left_out => {}
            Some(value) => edits.push(attribute_edit(case, path, &before.value, value)),
            None => edits.push((path, "~".to_owned())),
        }
    }
    let more = case.attributes.iter().filter(|attribute| twin.attribute(&attribute.name).is_none());
    edits.extend(more.map(|each| (format!("attributes.{}", each.name), attribute_value(case, &each.value))));
    edits
}

fn tensor_edits(
    path: &str,
    (twin, before): (&Case, &CaseTensor),
    (case, after): (&Case, &CaseTensor),
) -> Vec<(String, String)> {
    let mut edits = Vec::new();
    let (old, new) = (layout(twin, &before.descriptor), layout(case, &after.descriptor));
    for (key, value) in &new {
        let same = old.iter().any(|(other, before)| other == key && before == value);
        if *key == "sizes" && !same {
            let (before, after) = (&before.descriptor.sizes, &after.descriptor.sizes);
            edits.push(list_edit(format!("{path}.sizes"), before, after));
        } else if !same {
            edits.push((format!("{path}.{key}"), value.clone()));
        }
    }
    let gone = old.iter().filter(|(key, _)| new.iter().all(|(other, _)| other != key));
    edits.extend(gone.map(|(key, _)| (format!("{path}.{key}"), "~".to_owned())));
    if after.constant {
        let sizes = &before.descriptor.sizes;
        let changed = data(case, after, sizes).filter(|value| data(twin, before, sizes).as_ref() != Some(value));
        edits.extend(changed.map(|value| (format!("{path}.data"), value)));
    }
    edits
}

fn attribute_edit(case: &Case, path: String, before: &AttributeValue, after: &AttributeValue) -> (String, String) {
    match (before, after) {
        (AttributeValue::Integers(before), AttributeValue::Integers(after)) => list_edit(path, before, after),
        _ => (path, attribute_value(case, after)),
    }
}

/// One element of a list where only that differs, or else the whole list.
fn list_edit<T: PartialEq + std::fmt::Display>(path: String, before: &[T], after: &[T]) -> (String, String) {
    let differing: Vec<usize> = (0..after.len()).filter(|&index| before.get(index) != after.get(index)).collect();
    match differing.as_slice() {
        &[index] if before.len() == after.len() => (format!("{path}.{index}"), after[index].to_string()),
        _ => (path, list(after)),
    }
}

/// The shortest reference to a requirement that is understood.
fn reference<'a>(operator: &Operator, id: &'a str) -> &'a str {
    let starts = id.rmatch_indices('/').map(|(at, _)| at + 1);
    let found = |reference: &str| operator.resolve(reference).is_some_and(|requirement| requirement.id == id);
    starts.map(|start| &id[start..]).find(|reference| found(reference)).unwrap_or(id)
}

fn level_name(case: &Case, level: Level) -> String {
    format!("\"{}\"", case.operator.family.level_name(level))
}

fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    format!("[{}]", items.join(", "))
}

/// Text as a scalar between braces, where a comma ends it.
fn quoted_in_flow(text: &str) -> Cow<'_, str> {
    if text.contains(',') { Cow::Owned(in_quotes(text)) } else { scalar(text) }
}

/// Text as a scalar: plain where YAML reads it as the same text, in quotes otherwise.
fn scalar(text: &str) -> Cow<'_, str> {
    let letter = text.starts_with(|first: char| first.is_alphanumeric());
    let number = text.parse::<f64>().is_ok();
    let plain = letter && !number && !text.contains(": ") && !text.contains(" #") && !text.ends_with([':', ' ']);
    let plain = plain && text.chars().all(|letter| !letter.is_control() && !"[]{}".contains(letter));
    if plain { Cow::Borrowed(text) } else { Cow::Owned(in_quotes(text)) }
}

/// What JSON quotes, YAML reads.
fn in_quotes(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
