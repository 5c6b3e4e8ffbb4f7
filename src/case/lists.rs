//! Lists of tensors: a list in a file, and each tensor by itself behind it.

use crate::spec::Operator;
use crate::yaml::{Content, Entries, Node, Problems};

/// The entries of a file, each tensor of a list by its own name.
pub(super) fn each_of_lists(entries: Entries<Node>, operator: &Operator, problems: &mut Problems) -> Entries<Node> {
    let mut each = Vec::with_capacity(entries.0.len());
    for (name, node) in entries.0 {
        let most = operator.tensors.iter().filter(|tensor| tensor.list_name() == Some(&name)).count();
        if most == 0 {
            each.push((name, node));
            continue;
        }
        let Content::Sequence(items) = node.content() else {
            problems.add(node.position(), format!("expected the tensors of `{name}` as a list, found {}", node.kind()));
            continue;
        };
        if items.len() > most {
            problems.add(node.position(), format!("`{name}` has {} tensors, expected {most} at most", items.len()));
            continue;
        }
        each.extend(items.enumerate().map(|(at, item)| (format!("{name}[{at}]"), item)));
    }
    Entries(each)
}
