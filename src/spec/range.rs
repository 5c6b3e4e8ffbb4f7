//! Ranges of dimension counts.

use schemars::JsonSchema;

use crate::yaml::{FromNode, Node, Problems};

/// A range of dimension counts: `4`, `1-8`, or `1-` without an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DimensionRange {
    /// The least.
    pub least: usize,
    /// The greatest; [`usize::MAX`] if there is none.
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
        match self.greatest {
            greatest if self.least == greatest => write!(formatter, "{greatest}"),
            usize::MAX => write!(formatter, "at least {}", self.least),
            greatest => write!(formatter, "{} to {greatest}", self.least),
        }
    }
}

impl serde::Serialize for DimensionRange {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.greatest {
            greatest if self.least == greatest => serializer.serialize_u64(greatest as u64),
            usize::MAX => serializer.collect_str(&format_args!("{}-", self.least)),
            greatest => serializer.collect_str(&format_args!("{}-{greatest}", self.least)),
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
            "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string", "pattern": "^[0-9]+-[0-9]*$" }]
        })
    }
}

impl FromNode for DimensionRange {
    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        let range = node.plain().and_then(|text| {
            let (least, greatest) = text.split_once('-').unwrap_or((text, text));
            let greatest = if greatest.is_empty() { usize::MAX } else { greatest.parse().ok()? };
            let least = least.parse().ok()?;
            (least <= greatest).then_some(Self { least, greatest })
        });
        if range.is_none() {
            problems.add(node.position(), format!("expected `4`, `1-8` or `1-`, found {}", node.kind()));
        }
        range
    }
}
