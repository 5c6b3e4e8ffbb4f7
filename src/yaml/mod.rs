//! YAML as opcert's files use it: plain data whose every part knows its place in the file.
//!
//! Files are read into [`Node`]s, and nodes are decoded into the types of the formats by [`FromNode`], which reports
//! every problem of a file at once, each at its line and column. Scalars stay text until the type that they are meant
//! for is known, so that no number passes through another type. Deliberately absent: anchors, aliases, tags and
//! several documents in one file; each is refused.

mod decode;
mod draft;
mod node;
mod other_reader;
mod plain;
mod read;
mod record;
mod tree;

pub use decode::{Entries, Fields, FromNode, OneOrMany, Problems};
pub(crate) use decode::{digits, unsigned};
pub(crate) use draft::Draft;
pub use node::{Content, Items, Key, Node, Pairs};
pub(crate) use other_reader::deserialized;
pub use read::{MOST_PROBLEMS, parse};
pub(crate) use record::{choice, record};

#[cfg(test)]
mod tests {
    use super::*;

    /// A node with all that is in it, on one line.
    fn shown(node: &Node) -> String {
        match node.content() {
            Content::Scalar { text, quoted } => format!("{text}{}", if quoted { "'" } else { "" }),
            Content::Sequence(items) => format!("{:?}", items.map(|item| shown(&item)).collect::<Vec<_>>()),
            Content::Mapping(pairs) => {
                let each = pairs.map(|(key, value)| format!("{}@{}={}", key.name, key.position.column, shown(&value)));
                format!("{{{}}}", each.collect::<Vec<_>>().join(" "))
            }
        }
    }

    #[test]
    fn a_draft_is_what_it_was_made_of_but_for_its_changes() {
        let node = parse("{a: [1, {b: 'x'}, []], c: {}, d: ~}").unwrap();
        let mut draft = Draft::Kept(node.clone());
        draft.open();
        assert_eq!(shown(&draft.node()), shown(&node));
        let Draft::Mapping(_, entries) = &mut draft else { panic!("{draft:?}") };
        entries[0].2.open();
        let Draft::Sequence(_, items) = &mut entries[0].2 else { panic!("{entries:?}") };
        items[0] = Draft::Kept(parse("[7, {e: f}]").unwrap());
        entries.remove(1);
        let expected = parse("{a: [[7, {e: f}], {b: 'x'}, []], d: ~}").unwrap();
        let without_columns = |text: String| {
            text.split('@').map(|part| part.trim_start_matches(char::is_numeric).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(without_columns(shown(&draft.node())), without_columns(shown(&expected)));
        assert_eq!(draft.node().locate(&["a", "1", "b"]), node.locate(&["a", "1", "b"]));
    }

    #[test]
    fn keys_that_stand_twice_are_named_in_their_order() {
        let problems = parse("{b: 1, a: {c: 1, c: 2}, b: 2, a: 3, b: 4}").unwrap_err();
        let said: Vec<_> = problems.iter().map(|each| (each.message.as_str(), each.position.unwrap().column)).collect();
        let twice = ["the key `c` stands here twice", "the key `b` stands here twice", "the key `a` stands here twice"];
        assert_eq!(said, [(twice[0], 18), (twice[1], 25), (twice[2], 31), (twice[1], 37)]);
        let many = parse(&"a: 1\n".repeat(2 * MOST_PROBLEMS)).unwrap_err();
        assert_eq!(many.len(), MOST_PROBLEMS);
    }

    #[test]
    fn lists_of_names_and_mappings_have_an_end() {
        let said = |text: &str| {
            let mut problems = Problems::default();
            let node = parse(text).unwrap();
            let names = if node.is_list() {
                Vec::<String>::from_node(node, &mut problems).is_some()
            } else {
                Entries::<String>::from_node(node, &mut problems).is_some()
            };
            (names, problems.into_inner().pop().map(|problem| problem.message))
        };
        let most = 1 << 16;
        assert_eq!(said(&format!("[{}]", "a,".repeat(most))), (true, None));
        let message = Some(format!("a list of {}, expected {most} at most", most + 1));
        assert_eq!(said(&format!("[{}]", "a,".repeat(most + 1))), (false, message));
        let keys = |count: usize| (0..count).map(|at| format!("k{at}: a\n")).collect::<String>();
        assert_eq!(said(&keys(most)), (true, None));
        let message = Some(format!("a mapping of {} keys, expected {most} at most", most + 1));
        assert_eq!(said(&keys(most + 1)), (false, message));
    }
}
