//! What a case expects: from the mapping under `expect` to the model.

use opcert_backend::{Role, TensorDescriptor};

use super::context::{CaseContext, requirement};
use super::elements;
use super::format::DigestEntry;
use super::lists::each_of_lists;
use super::model::{CaseTensor, Digest, Expectation, ExpectedTensor};
use crate::diagnostic::Problem;
use crate::near::known_names;
use crate::spec::Operator;
use crate::yaml::{Content, Entries, FromNode, Node, Problems};

/// Decodes `expect`; `None` after at least one problem was reported.
pub(super) fn expectation(
    node: &Node,
    tensors: &[CaseTensor],
    context: &CaseContext<'_>,
    problems: &mut Problems,
) -> Option<Expectation> {
    if node.plain() == Some("accepts") {
        return Some(Expectation::Accepts);
    }
    let Content::Mapping(_) = node.content() else {
        problems.push(
            Problem::at(node.position(), format!("expected what is to come out, found {}", node.kind()))
                .with_help("the outputs' values, `accepts`, `{refuses: [...]}` or `{observe: oracle}`"),
        );
        return None;
    };
    match node.only() {
        Some((key, value)) if key.name == "refuses" => refusal(&value, context, problems),
        Some((key, value)) if key.name == "observe" => {
            if value.plain() != Some("oracle") {
                problems.add(value.position(), format!("expected `oracle`, found {}", value.kind()));
            }
            Some(Expectation::Observe)
        }
        _ => values(node, tensors, context.operator, problems),
    }
}

fn refusal(node: &Node, context: &CaseContext<'_>, problems: &mut Problems) -> Option<Expectation> {
    let names = Vec::<String>::from_node(node.clone(), problems)?;
    if names.is_empty() {
        problems.add(node.position(), "a refusal names at least one requirement");
    }
    let mut ids: Vec<String> = names
        .iter()
        .enumerate()
        .filter_map(|(index, name)| requirement(name, &["expect", "refuses", &index.to_string()], context, problems))
        .map(|found| context.operator.original(found).id.clone())
        .collect();
    if ids.len() < names.len() {
        return None;
    }
    ids.sort();
    ids.dedup();
    Some(Expectation::Refuses(ids))
}

fn values(node: &Node, tensors: &[CaseTensor], operator: &Operator, problems: &mut Problems) -> Option<Expectation> {
    let outputs = || operator.tensors.iter().filter(|tensor| tensor.role == Role::Output);
    let names = || operator.entries_of(Role::Output);
    for (key, _) in node.pairs().filter(|(key, _)| names().all(|name| name != key.name)) {
        problems.push_with(|| {
            Problem::at(key.position, format!("`{}` is no output of `{}`", key.name, operator.id))
                .with_help(known_names(key.name, names()))
        });
    }
    let given = node.pairs().map(|(key, value)| (key.name.to_owned(), value)).collect();
    let given = each_of_lists(Entries(given), operator, problems);
    let mut expected = Vec::new();
    for tensor in outputs() {
        let found = tensors.iter().find(|each| each.name == tensor.name);
        let Some(value) = given.get(&tensor.name) else {
            if found.is_none() && tensor.list.is_some() {
                continue;
            }
            problems.push(
                Problem::at(node.position(), format!("nothing is expected of the output `{}`", tensor.name))
                    .with_help(format!("`{}: ~` leaves it undefined", tensor.name)),
            );
            continue;
        };
        let Some(found) = found else {
            if tensor.list.is_some() {
                problems.add(value.position(), format!("there is no `{}` in this case", tensor.name));
            }
            continue;
        };
        let decoded = if value.get("blake3").is_some() {
            digest(value, &found.descriptor, problems).map(ExpectedTensor::Digest)
        } else {
            elements::decode(value, found.descriptor.data_type, &found.descriptor.sizes, true, problems)
                .map(ExpectedTensor::Elements)
        };
        expected.extend(decoded.map(|decoded| (tensor.name.clone(), decoded)));
    }
    Some(Expectation::Values(expected))
}

fn digest(node: &Node, tensor: &TensorDescriptor, problems: &mut Problems) -> Option<Digest> {
    let DigestEntry { blake3, defined } = DigestEntry::from_node(node.clone(), problems)?;
    let shaped = blake3.len() == 64 && blake3.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !shaped {
        let message = format!("`{blake3}` is no BLAKE3 digest: 64 digits of 0-9 and a-f");
        problems.add(node.locate(&["blake3"]), message);
    }
    let count = tensor.element_count().unwrap_or(u64::MAX);
    let fits = defined.is_none_or(|defined| defined <= count);
    if !fits {
        problems.add(node.locate(&["defined"]), format!("expected at most {count}, the number of elements"));
    }
    let defined = defined.and_then(|defined| usize::try_from(defined).ok());
    (shaped && fits).then_some(Digest { blake3, defined })
}
