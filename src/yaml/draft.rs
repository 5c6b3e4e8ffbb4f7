//! Nodes that are changed: what is kept of a file stays where it is until all changes are made.

use super::node::{Content, Node};
use super::tree::{Builder, Kind};
use crate::diagnostic::Position;

/// A node that may be changed.
#[derive(Clone, Debug)]
pub enum Draft {
    /// One as it stands in a file.
    Kept(Node),
    /// A scalar in place of another one, without quotes.
    Plain(Position, String),
    /// A list.
    Sequence(Position, Vec<Self>),
    /// The names, places and values of a mapping.
    Mapping(Position, Vec<(String, Position, Self)>),
}

impl Draft {
    /// Makes the parts of a list or mapping from a file ones that can be changed.
    pub fn open(&mut self) {
        let Self::Kept(node) = self else { return };
        let position = node.position();
        *self = match node.content() {
            Content::Scalar { .. } => return,
            Content::Sequence(items) => Self::Sequence(position, items.map(Self::Kept).collect()),
            Content::Mapping(pairs) => {
                let each = pairs.map(|(key, value)| (key.name.to_owned(), key.position, Self::Kept(value)));
                Self::Mapping(position, each.collect())
            }
        };
    }

    /// The node that it has become.
    #[must_use]
    pub fn node(&self) -> Node {
        if let Self::Kept(node) = self {
            return node.clone();
        }
        let mut builder = Builder::default();
        self.write(&mut builder);
        Node::first_of(builder.finish())
    }

    fn write(&self, builder: &mut Builder) {
        match self {
            Self::Kept(node) => {
                let (tree, at) = node.kept();
                builder.copy(tree, at);
            }
            Self::Plain(position, text) => builder.scalar(text, false, *position),
            Self::Sequence(position, items) => {
                builder.begin(Kind::Sequence, *position);
                items.iter().for_each(|item| item.write(builder));
                builder.end();
            }
            Self::Mapping(position, entries) => {
                builder.begin(Kind::Mapping, *position);
                for (name, position, value) in entries {
                    builder.scalar(name, false, *position);
                    value.write(builder);
                }
                builder.end();
            }
        }
    }
}
