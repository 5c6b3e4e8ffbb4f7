//! From nodes to the types of the formats.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::{Content, MOST_PROBLEMS, Node};
use crate::diagnostic::{Position, Problem};
use crate::near::known_names;

/// The problems found so far. Of more than [`MOST_PROBLEMS`] only the number is kept.
#[derive(Debug, Default)]
pub struct Problems {
    kept: Vec<Problem>,
    count: usize,
}

impl Problems {
    /// Adds one at a position.
    pub fn add(&mut self, position: Position, message: impl Into<String>) {
        self.push(Problem::at(position, message));
    }

    /// Adds one.
    pub fn push(&mut self, problem: Problem) {
        self.push_with(|| problem);
    }

    /// Adds one, which is made only if it is kept.
    pub fn push_with(&mut self, problem: impl FnOnce() -> Problem) {
        self.count += 1;
        if self.kept.len() < MOST_PROBLEMS {
            self.kept.push(problem());
        }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All of them, in the order in which they were found.
    #[must_use]
    pub fn into_inner(self) -> Vec<Problem> {
        self.kept
    }

    /// All of them, in the order of their positions.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<Problem> {
        self.kept.sort_by_key(|problem| problem.position);
        self.kept
    }
}

/// A type that a node can be decoded into.
pub trait FromNode: Sized {
    /// So many of them may stand in a list.
    const MOST: usize = usize::MAX;

    /// Decodes; `None` after at least one problem was reported.
    fn from_node(node: Node, problems: &mut Problems) -> Option<Self>;

    /// The value of a key that is left out, for types that have one.
    fn when_absent() -> Option<Self> {
        None
    }
}

impl<T: FromNode> FromNode for Option<T> {
    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        T::from_node(node, problems).map(Some)
    }

    fn when_absent() -> Option<Self> {
        Some(None)
    }
}

impl FromNode for Node {
    fn from_node(node: Node, _: &mut Problems) -> Option<Self> {
        Some(node)
    }
}

/// So many names or numbers may stand in a list that is no data, and so many names in a mapping: each takes more memory
/// than it has letters, and no format of opcert comes near.
const MOST_ENTRIES: usize = 1 << 16;

impl FromNode for String {
    const MOST: usize = MOST_ENTRIES;

    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        match node.content() {
            Content::Scalar { text, quoted } if quoted || !matches!(text, "~" | "null" | "") => Some(text.to_owned()),
            _ => wrong(&node, "text", problems),
        }
    }
}

impl FromNode for bool {
    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        match node.plain() {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => wrong(&node, "`true` or `false`", problems),
        }
    }
}

impl FromNode for u64 {
    const MOST: usize = MOST_ENTRIES;

    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        let number = node.plain().and_then(|text| unsigned(text, u64::from_str_radix));
        number.or_else(|| wrong(&node, "an integer from 0 to 2^64-1", problems))
    }
}

impl FromNode for i64 {
    const MOST: usize = MOST_ENTRIES;

    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        let number = node.plain().and_then(|text| text.parse().ok());
        number.or_else(|| wrong(&node, "an integer from -2^63 to 2^63-1", problems))
    }
}

/// A YAML integer without a sign: decimal, `0x` or `0o`.
pub(crate) fn unsigned<T, E>(text: &str, parse: impl Fn(&str, u32) -> Result<T, E>) -> Option<T> {
    digits(text).and_then(|(digits, radix)| parse(digits, radix).ok())
}

/// The digits of a YAML integer without a sign, however large, and their radix.
pub(crate) fn digits(text: &str) -> Option<(&str, u32)> {
    let (digits, radix) = match text.get(..2) {
        Some("0x") => (&text[2..], 16),
        Some("0o") => (&text[2..], 8),
        _ => (text, 10),
    };
    (!digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix))).then_some((digits, radix))
}

impl<T: FromNode> FromNode for Vec<T> {
    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        let Content::Sequence(items) = node.content() else { return wrong(&node, "a list", problems) };
        let length = items.len();
        if length > T::MOST {
            let message = format!("a list of {length}, expected {} at most", T::MOST);
            problems.add(node.position(), message);
            return None;
        }
        let decoded: Self = items.filter_map(|item| T::from_node(item, problems)).collect();
        (decoded.len() == length).then_some(decoded)
    }
}

/// Names and values, in the order of the file.
#[derive(Clone, Debug)]
pub struct Entries<T>(pub Vec<(String, T)>);

impl<T: JsonSchema> JsonSchema for Entries<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("EntriesOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let value = generator.subschema_for::<T>();
        schemars::json_schema!({ "type": "object", "additionalProperties": value })
    }
}

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Entries<T> {
    /// The value of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

impl<T: FromNode> FromNode for Entries<T> {
    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        let Content::Mapping(pairs) = node.content() else { return wrong(&node, "a mapping", problems) };
        let length = pairs.len();
        if length > MOST_ENTRIES {
            problems.add(node.position(), format!("a mapping of {length} keys, expected {MOST_ENTRIES} at most"));
            return None;
        }
        let decoded: Vec<(String, T)> =
            pairs.filter_map(|(key, value)| Some((key.name.to_owned(), T::from_node(value, problems)?))).collect();
        (decoded.len() == length).then_some(Self(decoded))
    }
}

/// One value, or a list of them.
#[derive(Clone, Debug)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("OneOrMany{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let one = generator.subschema_for::<T>();
        let many = generator.subschema_for::<Vec<T>>();
        schemars::json_schema!({ "anyOf": [one, many] })
    }
}

impl<T: FromNode> FromNode for OneOrMany<T> {
    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        if node.is_list() {
            return Vec::from_node(node, problems).map(Self);
        }
        T::from_node(node, problems).map(|one| Self(vec![one]))
    }
}

/// Reports that a node is not what it should be.
pub(crate) fn wrong<T>(node: &Node, expected: &str, problems: &mut Problems) -> Option<T> {
    problems.add(node.position(), format!("expected {expected}, found {}", node.kind()));
    None
}

/// The keys of one mapping, taken one by one; what is left over is unknown.
#[derive(Debug)]
pub struct Fields {
    node: Node,
    known: Vec<&'static str>,
}

impl Fields {
    /// The fields of a node; a problem when it is no mapping.
    pub fn of(node: Node, problems: &mut Problems) -> Option<Self> {
        match node.content() {
            Content::Mapping(_) => Some(Self { node, known: Vec::new() }),
            _ => wrong(&node, "a mapping", problems),
        }
    }

    /// Takes the value of a key. A missing key is a problem unless the type has a value for that.
    pub fn take<T: FromNode>(&mut self, name: &'static str, problems: &mut Problems) -> Option<T> {
        self.known.push(name);
        match self.node.get(name) {
            Some(value) => T::from_node(value, problems),
            None => {
                let value = T::when_absent();
                if value.is_none() {
                    problems.add(self.node.position(), format!("`{name}` is missing"));
                }
                value
            }
        }
    }

    /// Reports every key that was not taken.
    pub fn finish(self, problems: &mut Problems) {
        for (key, _) in self.node.pairs().filter(|(key, _)| !self.known.contains(&key.name)) {
            problems.push_with(|| {
                Problem::at(key.position, format!("unknown key `{}`", key.name))
                    .with_help(known_names(key.name, self.known.iter().copied()))
            });
        }
    }
}
