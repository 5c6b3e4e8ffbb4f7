//! The files under `workloads/`, key by key.

use std::borrow::Cow;

use schemars::JsonSchema;

use super::size::{SizeError, number};
use crate::case::Value;
use crate::yaml::{Entries, FromNode, Node, Problems, choice, record};

record! {
    /// `workloads/<family>/<operator>.yaml`: what `opcert bench` measures of one operator.
    pub struct WorkloadFile {
        /// `family/operator`.
        "operator" => operator: String,
        /// How many elements a workload that grows has when nothing is said.
        "elements" => elements: ElementCount,
        /// The data types that are measured when none is asked for, in the family's spelling. Of a small workload, and where
        /// a size is asked for, it is the first one alone.
        "types" => types: Vec<String>,
        /// The workload that is measured when a range of sizes is asked for.
        "range" => range: String,
        /// The workloads, by name, in the order in which they are measured.
        "workloads" => workloads: Entries<WorkloadEntry>,
    }
}

record! {
    /// An operator on tensors of one form. In `tensors` and `attributes`, the name of a size stands for its number,
    /// `elements` for the product of all sizes, and `type` for the data type that is measured.
    pub struct WorkloadEntry {
        /// What else than the sizes tells it from others.
        "title" => title: Option<String>,
        /// The sizes of the tensor that is measured, by names that the tensors use, outermost first. A workload without one
        /// that grows is small, and always the same.
        "sizes" => sizes: Entries<SizeEntry>,
        /// The tensors, as in a case, packed.
        "tensors" => tensors: Tensors,
        /// The attributes, as in a case.
        "attributes" => attributes: Option<Entries<Value>>,
        /// The output of which only a row is written for each element of the inputs that is not zero.
        "found_rows" => found_rows: Option<String>,
    }
}

record! {
    /// Random elements, which follow from a fixed seed.
    pub struct RandomEntry {
        /// What they are.
        "random" => random: RandomKind,
        /// For `below`: the number that they are below.
        "bound" => bound: Option<Number>,
        /// For `sparse`: about how many of a hundred are not zero.
        "percent" => percent: Option<Number>,
    }
}

choice! {
    /// What random elements are.
    #[derive(Copy, PartialEq, Eq)]
    pub enum RandomKind {
        /// Integers of all bits, floats from -1 on and below 1. None is a NaN or subnormal.
        "numbers" => Numbers,
        /// Integers from 0 on, below `bound`.
        "below" => Below,
        /// Zeros, and other numbers at random places.
        "sparse" => Sparse,
    }
}

/// A number of elements: `1048576`, `2^20`, `1M`.
#[derive(Clone, Copy, Debug)]
pub struct ElementCount(pub u64);

/// A number, for which a name may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number(pub u64);

/// A size: a number, or `grows`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeEntry {
    /// So many, or as many as there are elements.
    Fixed(u64),
    /// As many as it takes.
    Grows,
}

/// Tensors whose sizes may be names.
#[derive(Clone, Debug)]
pub struct Tensors(pub Entries<Node>);

impl FromNode for ElementCount {
    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        let text = node.plain().unwrap_or_default();
        match number(text) {
            Ok(count) => Some(Self(count)),
            Err(SizeError::Malformed(_)) => {
                let message =
                    format!("expected a number of elements such as `1048576` or `2^20`, found {}", node.kind());
                problems.add(node.position(), message);
                None
            }
            Err(error) => {
                problems.add(node.position(), error.to_string());
                None
            }
        }
    }
}

impl FromNode for SizeEntry {
    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        match (node.plain(), node.plain().and_then(|text| text.parse().ok())) {
            (Some("grows"), _) => Some(Self::Grows),
            (_, Some(size @ 1..)) => Some(Self::Fixed(size)),
            _ => {
                let message = format!("expected a number from 1 on, or `grows`, found {}", node.kind());
                problems.add(node.position(), message);
                None
            }
        }
    }
}

impl FromNode for Number {
    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        u64::from_node(node, problems).map(Self)
    }
}

impl FromNode for Tensors {
    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        Entries::from_node(node, problems).map(Self)
    }
}

impl JsonSchema for ElementCount {
    fn schema_name() -> Cow<'static, str> {
        "ElementCount".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A number of elements: `1048576`, `2^20`, `1M`.",
            "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "string", "pattern": "^[0-9]+(\\^[0-9]+|[KMG])$" }]
        })
    }
}

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A number, or a name that stands for one.",
            "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string" }]
        })
    }
}

impl JsonSchema for SizeEntry {
    fn schema_name() -> Cow<'static, str> {
        "SizeEntry".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A size: a number, or `grows` where it is as large as it takes to have so many elements.",
            "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": "grows" }]
        })
    }
}

impl JsonSchema for Tensors {
    fn schema_name() -> Cow<'static, str> {
        "Tensors".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let random = generator.subschema_for::<RandomEntry>();
        let value = generator.subschema_for::<Value>();
        let size = generator.subschema_for::<Number>();
        let tensor = serde_json::json!({
            "type": "object",
            "properties": {
                "type": { "type": "string", "description": "The data type, in the family's spelling, or `type`." },
                "sizes": { "type": "array", "items": size, "description": "Numbers, and names of sizes." },
                "data": {
                    "anyOf": [random, value],
                    "description": "What an input holds: as in a case, or random elements."
                },
                "flags": { "type": "array", "items": { "type": "string" } },
                "total_bytes": { "type": "integer", "minimum": 0 },
                "alignment": { "type": "integer", "minimum": 0 }
            },
            "required": ["type", "sizes"],
            "additionalProperties": false
        });
        schemars::json_schema!({
            "description": "The tensors by their names, and those of a list as a list.",
            "type": "object",
            "additionalProperties": { "anyOf": [tensor, { "type": "array", "items": tensor }] }
        })
    }
}
