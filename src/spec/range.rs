//! Ranges of dimension counts.

use schemars::JsonSchema;

use crate::yaml::{FromNode, Node, Problems};

/// A range of dimension counts: `4` or `1-8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DimensionRange {
    /// The least.
    pub least: usize,
    /// The greatest.
    pub greatest: usize,
}

impl DimensionRange {
    /// Whether a dimension count lies within.
    #[must_use]
    pub const fn contains(self, count: usize) -> bool {
        self.least <= count && count <= self.greatest
    }

    /// The dimension count within that is least far from another one.
    #[must_use]
    pub fn nearest(self, count: usize) -> usize {
        count.max(self.least).min(self.greatest)
    }
}

impl std::fmt::Display for DimensionRange {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.least == self.greatest {
            write!(formatter, "{}", self.least)
        } else {
            write!(formatter, "{} to {}", self.least, self.greatest)
        }
    }
}

impl serde::Serialize for DimensionRange {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.least == self.greatest {
            serializer.serialize_u64(self.least as u64)
        } else {
            serializer.collect_str(&format_args!("{}-{}", self.least, self.greatest))
        }
    }
}

impl JsonSchema for DimensionRange {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "DimensionRange".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A dimension count, or a range of them.",
            "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string", "pattern": "^[0-9]+-[0-9]+$" }]
        })
    }
}

impl FromNode for DimensionRange {
    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        let range = node.plain().and_then(|text| {
            let (least, greatest) = text.split_once('-').unwrap_or((text, text));
            let (least, greatest) = (least.parse().ok()?, greatest.parse().ok()?);
            (least <= greatest).then_some(Self { least, greatest })
        });
        if range.is_none() {
            problems.add(node.position(), format!("expected `4` or `1-8`, found {}", node.kind()));
        }
        range
    }
}
