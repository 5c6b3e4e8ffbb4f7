//! Nodes: what is read from a file, whatever it is meant for.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use super::tree::{Kind, Tree};
use crate::diagnostic::Position;

/// A value and its place in the file.
#[derive(Clone)]
pub struct Node {
    tree: Rc<Tree>,
    at: u32,
}

/// What a node holds.
#[derive(Clone, Debug)]
pub enum Content<'a> {
    /// A scalar that is not interpreted yet; `quoted` when it was written in quotes or as a block.
    Scalar {
        /// The text.
        text: &'a str,
        /// Whether it can only be a string.
        quoted: bool,
    },
    /// A list.
    Sequence(Items<'a>),
    /// Keys and values, in the order of the file, each key once.
    Mapping(Pairs<'a>),
}

/// The key of a mapping.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    /// Its text.
    pub name: &'a str,
    /// Where it stands.
    pub position: Position,
}

/// The items of a list.
#[derive(Clone)]
pub struct Items<'a> {
    tree: &'a Rc<Tree>,
    next: u32,
    left: u32,
}

/// The keys and values of a mapping.
#[derive(Clone, Debug)]
pub struct Pairs<'a>(Items<'a>);

impl Node {
    pub(super) fn first_of(tree: Tree) -> Self {
        Self { tree: Rc::new(tree), at: 0 }
    }

    /// Where this is kept.
    pub(super) fn kept(&self) -> (&Tree, u32) {
        (&self.tree, self.at)
    }

    /// How many values it has, keys and itself among them.
    #[must_use]
    pub fn count(&self) -> usize {
        (self.tree.behind(self.at) - self.at) as usize
    }

    /// Where it stands.
    #[must_use]
    pub fn position(&self) -> Position {
        self.tree.position(self.at)
    }

    /// The value.
    #[must_use]
    pub fn content(&self) -> Content<'_> {
        let items = || Items { tree: &self.tree, next: self.at + 1, left: self.tree.extent(self.at) };
        match self.tree.kind(self.at) {
            Kind::Plain => Content::Scalar { text: self.tree.text(self.at), quoted: false },
            Kind::Quoted => Content::Scalar { text: self.tree.text(self.at), quoted: true },
            Kind::Sequence => Content::Sequence(items()),
            Kind::Mapping => Content::Mapping(Pairs(items())),
        }
    }

    /// The text of an unquoted scalar.
    #[must_use]
    pub fn plain(&self) -> Option<&str> {
        match self.content() {
            Content::Scalar { text, quoted: false } => Some(text),
            _ => None,
        }
    }

    /// Whether this is `~` or `null`, or nothing at all.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.plain(), Some("~" | "null" | "Null" | "NULL" | ""))
    }

    /// Whether this is a list.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.tree.kind(self.at) == Kind::Sequence
    }

    /// The items of a list; none of anything else.
    #[must_use]
    pub fn items(&self) -> Items<'_> {
        match self.content() {
            Content::Sequence(items) => items,
            _ => Items { tree: &self.tree, next: self.at, left: 0 },
        }
    }

    /// The keys and values of a mapping; none of anything else.
    #[must_use]
    pub fn pairs(&self) -> Pairs<'_> {
        match self.content() {
            Content::Mapping(pairs) => pairs,
            _ => Pairs(Items { tree: &self.tree, next: self.at, left: 0 }),
        }
    }

    /// The one key of a mapping that has no other, and its value.
    #[must_use]
    pub fn only(&self) -> Option<(Key<'_>, Self)> {
        let mut pairs = self.pairs();
        pairs.next().filter(|_| pairs.len() == 0)
    }

    /// The value under a key.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Self> {
        self.pairs().find(|(key, _)| key.name == name).map(|(_, value)| value)
    }

    /// The deepest part that exists along a path of keys and list positions.
    #[must_use]
    pub fn locate<S: AsRef<str>>(&self, path: &[S]) -> Position {
        let Some((step, rest)) = path.split_first() else { return self.position() };
        let step = step.as_ref();
        match self.content() {
            Content::Mapping(mut pairs) => match pairs.find(|(key, _)| key.name == step) {
                // A mapping is named better by its key than by its opening brace, and so is a list below its key.
                Some((key, value)) if rest.is_empty() && value.begins_worse_than(key) => key.position,
                Some((_, value)) => value.locate(rest),
                None => self.position(),
            },
            Content::Sequence(mut items) => {
                let item = step.parse().ok().and_then(|index: usize| items.nth(index));
                item.map_or_else(|| self.position(), |item| item.locate(rest))
            }
            Content::Scalar { .. } => self.position(),
        }
    }

    fn begins_worse_than(&self, key: Key<'_>) -> bool {
        match self.tree.kind(self.at) {
            Kind::Plain | Kind::Quoted => false,
            Kind::Sequence => self.position().line != key.position.line,
            Kind::Mapping => true,
        }
    }

    /// What this is, in words, for messages.
    #[must_use]
    pub fn kind(&self) -> Cow<'static, str> {
        match self.content() {
            Content::Scalar { quoted: true, .. } => "text".into(),
            Content::Scalar { .. } if self.is_null() => "nothing (`~`)".into(),
            Content::Scalar { text, .. } => format!("`{}`", text.chars().take(40).collect::<String>()).into(),
            Content::Sequence(_) => "a list".into(),
            Content::Mapping(_) => "a mapping".into(),
        }
    }
}

/// What it is and where, not all that is in it.
impl fmt::Debug for Node {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column, .. } = self.position();
        write!(formatter, "{} at {line}:{column}", self.kind())
    }
}

impl fmt::Debug for Items<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.clone()).finish()
    }
}

impl Iterator for Items<'_> {
    type Item = Node;

    fn next(&mut self) -> Option<Node> {
        self.left = self.left.checked_sub(1)?;
        let at = self.next;
        self.next = self.tree.behind(at);
        Some(Node { tree: Rc::clone(self.tree), at })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for Items<'_> {}

impl<'a> Iterator for Pairs<'a> {
    type Item = (Key<'a>, Node);

    fn next(&mut self) -> Option<Self::Item> {
        let Items { tree, next, left } = &mut self.0;
        *left = left.checked_sub(1)?;
        let (key, value) = (*next, *next + 1);
        *next = tree.behind(value);
        let name = tree.text(key);
        Some((Key { name, position: tree.position(key) }, Node { tree: Rc::clone(tree), at: value }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Pairs<'_> {}
