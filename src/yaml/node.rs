//! From text to nodes.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use opcert_backend::foreign::is_unseen;
use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::diagnostic::{Position, Problem};

/// A value and its place in the file.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub content: Content,
    /// Where it stands.
    pub position: Position,
}

/// What a node holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// A scalar that is not interpreted yet; `quoted` when it was written in quotes or as a block.
    Scalar {
        /// The text.
        text: String,
        /// Whether it can only be a string.
        quoted: bool,
    },
    /// A list.
    Sequence(Vec<Node>),
    /// Keys and values, in the order of the file, each key once.
    Mapping(Vec<(Key, Node)>),
}

/// The key of a mapping.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its text.
    pub name: String,
    /// Where it stands.
    pub position: Position,
}

impl Node {
    /// The text of an unquoted scalar.
    #[must_use]
    pub fn plain(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar { text, quoted: false } => Some(text),
            _ => None,
        }
    }

    /// Whether this is `~` or `null`, or nothing at all.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.plain(), Some("~" | "null" | "Null" | "NULL" | ""))
    }

    /// The value under a key.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        match &self.content {
            Content::Mapping(entries) => entries.iter().find(|(key, _)| key.name == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The deepest part that exists along a path of keys and list positions.
    #[must_use]
    pub fn locate<S: AsRef<str>>(&self, path: &[S]) -> Position {
        let Some((step, rest)) = path.split_first() else { return self.position };
        let step = step.as_ref();
        match &self.content {
            Content::Mapping(entries) => match entries.iter().find(|(key, _)| key.name == step) {
                // A mapping is named better by its key than by its opening brace, and so is a list below its key.
                Some((key, value)) if rest.is_empty() && value.begins_worse_than(key) => key.position,
                Some((_, value)) => value.locate(rest),
                None => self.position,
            },
            Content::Sequence(items) => {
                let item = step.parse().ok().and_then(|index: usize| items.get(index));
                item.map_or(self.position, |item| item.locate(rest))
            }
            Content::Scalar { .. } => self.position,
        }
    }

    fn begins_worse_than(&self, key: &Key) -> bool {
        match self.content {
            Content::Scalar { .. } => false,
            Content::Sequence(_) => self.position.line != key.position.line,
            Content::Mapping(_) => true,
        }
    }

    /// What this is, in words, for messages.
    #[must_use]
    pub fn kind(&self) -> Cow<'static, str> {
        match &self.content {
            Content::Scalar { quoted: true, .. } => "text".into(),
            Content::Scalar { .. } if self.is_null() => "nothing (`~`)".into(),
            Content::Scalar { text, .. } => format!("`{}`", text.chars().take(40).collect::<String>()).into(),
            Content::Sequence(_) => "a list".into(),
            Content::Mapping(_) => "a mapping".into(),
        }
    }
}

/// Lists and mappings may stand in each other so deep; no format of opcert comes near.
const DEEPEST: usize = 64;

/// So many problems of a file are found; whoever mends them finds the others.
pub const MOST_PROBLEMS: usize = 1000;

/// Reads the one document of a file.
///
/// # Errors
///
/// Every duplicate key, anchor, alias and tag; or the first place where the text is no YAML.
pub fn parse(text: &str) -> Result<Node, Vec<Problem>> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => {
                reader.take(event, position(span));
                if reader.open.len() > DEEPEST {
                    let message = format!("more than {DEEPEST} lists and mappings stand in each other here");
                    reader.problems.push(Problem::at(position(span), message));
                    return Err(reader.problems);
                }
                if reader.problems.len() >= MOST_PROBLEMS {
                    return Err(reader.problems);
                }
            }
            Err(error) => {
                let marker = error.marker();
                let at = Position { line: marker.line() as u32, column: marker.col() as u32 + 1, length: 1 };
                reader.problems.push(Problem::at(at, format!("not YAML: {}", error.info())));
                return Err(reader.problems);
            }
        }
    }
    match reader.root {
        Some(root) if reader.problems.is_empty() => Ok(root),
        Some(_) => Err(reader.problems),
        None => {
            reader.problems.push(Problem::of_file("the file is empty"));
            Err(reader.problems)
        }
    }
}

fn position(span: Span) -> Position {
    let one_line = span.start.line() == span.end.line();
    Position {
        line: span.start.line() as u32,
        column: span.start.col() as u32 + 1,
        length: if one_line { (span.end.col() - span.start.col()).max(1) as u32 } else { 1 },
    }
}

#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    /// Names are told apart by numbers that nobody can foresee.
    hasher: RandomState,
    root: Option<Node>,
    problems: Vec<Problem>,
}

/// A list or mapping whose end has not come yet.
struct Open {
    position: Position,
    parts: Parts,
}

enum Parts {
    Sequence(Vec<Node>),
    Mapping { entries: Vec<(Key, Node)>, names: HashSet<u64>, key: Option<(Key, bool)> },
}

impl Reader {
    fn take(&mut self, event: Event<'_>, position: Position) {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_extras(anchor, tag.is_some(), position);
                self.refuse_unseen(&text, position);
                let quoted = style != ScalarStyle::Plain;
                self.place(Node { content: Content::Scalar { text: text.into_owned(), quoted }, position });
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse_extras(anchor, tag.is_some(), position);
                self.open.push(Open { position, parts: Parts::Sequence(Vec::new()) });
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse_extras(anchor, tag.is_some(), position);
                let parts = Parts::Mapping { entries: Vec::new(), names: HashSet::new(), key: None };
                self.open.push(Open { position, parts });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(Open { position, parts }) = self.open.pop() {
                    let content = match parts {
                        Parts::Sequence(mut items) => {
                            items.shrink_to_fit();
                            Content::Sequence(items)
                        }
                        Parts::Mapping { mut entries, .. } => {
                            entries.shrink_to_fit();
                            Content::Mapping(entries)
                        }
                    };
                    self.place(Node { content, position });
                }
            }
            Event::Alias(_) => {
                self.problems
                    .push(Problem::at(position, "an alias is not part of the format").with_help("write the value out"));
                self.place(Node { content: Content::Scalar { text: String::new(), quoted: false }, position });
            }
            Event::DocumentStart(_) if self.root.is_some() => {
                self.problems
                    .push(Problem::at(position, "a second document begins").with_help("one file, one document"));
            }
            _ => {}
        }
    }

    fn refuse_extras(&mut self, anchor: usize, tagged: bool, position: Position) {
        if anchor != 0 {
            self.problems
                .push(Problem::at(position, "an anchor is not part of the format").with_help("write the value out"));
        }
        if tagged {
            self.problems.push(Problem::at(position, "a tag is not part of the format"));
        }
    }

    /// Names and texts of a file come to stand in messages, in reports and on a terminal.
    fn refuse_unseen(&mut self, text: &str, position: Position) {
        if let Some(letter) = text.chars().find(|&letter| is_unseen(letter)) {
            let message = format!("U+{:04X} stands in this text, and cannot be seen", u32::from(letter));
            self.problems.push(Problem::at(position, message).with_help("write what can be seen"));
        }
    }

    fn place(&mut self, node: Node) {
        let Some(open) = self.open.last_mut() else {
            self.root.get_or_insert(node);
            return;
        };
        match &mut open.parts {
            Parts::Sequence(items) => items.push(node),
            Parts::Mapping { entries, names, key } => match key.take() {
                None => {
                    let text = if let Content::Scalar { text, .. } = node.content {
                        text
                    } else {
                        self.problems.push(Problem::at(node.position, "a key must be a name"));
                        String::new()
                    };
                    let same = |(key, _): &(Key, Node)| key.name == text;
                    let fresh = names.insert(self.hasher.hash_one(&text)) || !entries.iter().any(same);
                    if !fresh {
                        self.problems.push(Problem::at(node.position, format!("the key `{text}` stands here twice")));
                    }
                    *key = Some((Key { name: text, position: node.position }, fresh));
                }
                Some((key, true)) => entries.push((key, node)),
                Some((_, false)) => {}
            },
        }
    }
}
