//! The files under `cases/`, key by key.

use schemars::JsonSchema;

use crate::yaml::{Entries, FromNode, Node, OneOrMany, Problems, choice, record};

record! {
    /// `cases/<family>/<operator>/<file>.yaml`: cases of one operator.
    pub struct CaseFile {
        /// `family/operator`.
        "operator" => operator: String,
        /// `complete` where each case names all that it covers, as generated ones do. It is then not worked out on loading.
        "covers" => covers: Option<CoversEntry>,
        /// The cases, by a name that is never reused. A case's id is `<family>/<operator>/<file>/<name>`.
        "cases" => cases: Entries<CaseEntry>,
    }
}

choice! {
    /// How much of what its cases cover a file names.
    #[derive(Copy, PartialEq, Eq)]
    pub enum CoversEntry {
        /// All of it.
        "complete" => Complete,
    }
}

record! {
    /// One descriptor with its data and what is expected of it.
    pub struct CaseEntry {
        /// What the case is about.
        "title" => title: Option<String>,
        /// The place in a document that shows it.
        "source" => source: Option<SourceEntry>,
        /// The least feature level at which the descriptor is valid. It is derived, and compared where it is given.
        "level" => level: Option<String>,
        /// Requirements that the case puts to the test, by the last part of their ids or more. It is worked out, and compared
        /// with what is given.
        "covers" => covers: Option<Vec<String>>,
        /// The tensors, and those of a list as a list. Not with `twin`.
        "tensors" => tensors: Option<Entries<TensorsEntry>>,
        /// The attributes. Not with `twin`.
        "attributes" => attributes: Option<Entries<Value>>,
        /// What is expected: the outputs' values, `accepts`, `{refuses: [...]}` or `{observe: oracle}`.
        "expect" => expect: Expect,
        /// In observed cases: the requirements whose invariants are judged all the same.
        "invariants" => invariants: Option<Vec<String>>,
        /// `large` for a case that runs only when asked for.
        "tier" => tier: Option<TierEntry>,
        /// The valid case that this one differs from by one edit.
        "twin" => twin: Option<String>,
        /// The edit: paths such as `attributes.Axis` or `tensors.OutputTensor.sizes`, and their new values. A number is a place
        /// in a list, and `~` takes a key or an item away.
        "change" => change: Option<Entries<Value>>,
        /// The first and last feature level at which the descriptor is refused in just this way. Derived and compared.
        "refused_at" => refused_at: Option<Vec<String>>,
    }
}

record! {
    /// A place in a document.
    pub struct SourceEntry {
        /// The document's short name in the specification.
        "document" => document: String,
        /// The section.
        "section" => section: String,
    }
}

record! {
    /// A tensor.
    pub struct TensorEntry {
        /// The data type, in the family's spelling.
        "type" => data_type: String,
        /// The size of each dimension, outermost first.
        "sizes" => sizes: Vec<u64>,
        /// The elements in logical order, nested as the sizes say or in one flat list; or a pattern. Inputs only.
        "data" => data: Option<Value>,
        /// The distance between neighbours in each dimension, in elements.
        "strides" => strides: Option<Vec<u64>>,
        /// Flags, by their name in the documents.
        "flags" => flags: Option<Vec<String>>,
        /// The stated size of the memory, in bytes. Left out: what sizes and strides imply.
        "total_bytes" => total_bytes: Option<u64>,
        /// The alignment promised for the start of the memory, in bytes.
        "alignment" => alignment: Option<u64>,
    }
}

choice! {
    /// When a case runs.
    #[derive(Copy, PartialEq, Eq)]
    pub enum TierEntry {
        /// Always; part of a verdict.
        "default" => Default,
        /// When asked for; never part of a verdict.
        "large" => Large,
    }
}

record! {
    /// Elements that are described by a formula. With `i` the position in logical order, from 0:
    ///
    /// - `constant`: every element is `value`, but for those under `except`.
    /// - `ramp`: the integer `start + (i mod period) * step`, computed in 64 bits and wrapped to the element's width;
    ///   floats take the nearest value to the integer.
    /// - `bits`: the low bits of `splitmix64(seed + i)`; a boolean takes the lowest bit.
    /// - `sequences`: along the dimensions in `along` lie sequences. The one with the number `s`, in the row-major order of
    ///   the other dimensions, is entry `s mod n` of the `n` under `of`: its `value`, but for what is under `except` by the
    ///   position in the sequence, in the row-major order of the dimensions in `along`.
    pub struct PatternEntry {
        /// The formula.
        "pattern" => pattern: PatternKind,
        /// For `constant`: the element.
        "value" => value: Option<Value>,
        /// For `constant`: elements that differ, by their position in logical order.
        "except" => except: Option<Entries<Value>>,
        /// For `ramp`: the first value, 0 when left out.
        "start" => start: Option<i64>,
        /// For `ramp`: the difference of neighbours, 1 when left out.
        "step" => step: Option<i64>,
        /// For `ramp`: after how many elements it starts again; never when left out.
        "period" => period: Option<u64>,
        /// For `bits`: the seed, 0 when left out.
        "seed" => seed: Option<u64>,
        /// For `sequences`: the dimensions along which a sequence lies, ascending, 0 being the first. Without one, each
        /// element is a sequence.
        "along" => along: Option<Vec<u64>>,
        /// For `sequences`: what they are, by turns.
        "of" => of: Option<Vec<SequenceEntry>>,
    }
}

record! {
    /// A sequence of elements.
    pub struct SequenceEntry {
        /// The element.
        "value" => value: Value,
        /// Elements that differ, by their position in the sequence.
        "except" => except: Option<Entries<Value>>,
    }
}

choice! {
    /// The formula of a pattern.
    #[derive(Copy, PartialEq, Eq)]
    pub enum PatternKind {
        /// Every element the same.
        "constant" => Constant,
        /// Counting up or down.
        "ramp" => Ramp,
        /// Pseudo-random bits.
        "bits" => Bits,
        /// Each sequence along some dimensions by itself.
        "sequences" => Sequences,
    }
}

record! {
    /// The digest of an output's elements, in place of the elements.
    pub struct DigestEntry {
        /// The BLAKE3 digest of the defined elements, packed, little-endian, in logical order.
        "blake3" => blake3: String,
        /// How many elements are defined, from the first one on; all of them when left out.
        "defined" => defined: Option<u64>,
    }
}

/// A tensor, or those of a list in their order.
#[derive(Clone, Debug)]
pub struct TensorsEntry(pub Node);

impl FromNode for TensorsEntry {
    fn from_node(node: Node, _: &mut Problems) -> Option<Self> {
        Some(Self(node))
    }
}

impl JsonSchema for TensorsEntry {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "TensorsEntry".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        OneOrMany::<TensorEntry>::json_schema(generator)
    }
}

/// A value whose type depends on its place: elements, an attribute, an edit.
#[derive(Clone, Debug)]
pub struct Value(pub Node);

impl FromNode for Value {
    fn from_node(node: Node, _: &mut Problems) -> Option<Self> {
        Some(Self(node))
    }
}

impl JsonSchema for Value {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let pattern = generator.subschema_for::<PatternEntry>();
        let value = serde_json::json!({ "$ref": "#/$defs/Value" });
        schemars::json_schema!({
            "description": "A number, `true` or `false`, a name, `~`, a list of values, `{bits: 0x7FC00001}`, a scalar such as \
                `{type: UINT8, value: 1}`, or described data.",
            "anyOf": [
                { "type": ["number", "boolean", "string", "null"] },
                { "type": "array", "items": value },
                {
                    "type": "object",
                    "properties": { "bits": { "type": "integer", "minimum": 0 } },
                    "required": ["bits"],
                    "additionalProperties": false
                },
                {
                    "type": "object",
                    "properties": { "type": { "type": "string" }, "value": value },
                    "required": ["type", "value"],
                    "additionalProperties": false
                },
                pattern,
                { "type": "object", "description": "In an edit: a whole tensor.", "required": ["type", "sizes"] }
            ]
        })
    }
}

/// What is expected: the outputs' values, `accepts`, `{refuses: [...]}` or `{observe: oracle}`.
#[derive(Clone, Debug)]
pub struct Expect(pub Node);

impl FromNode for Expect {
    fn from_node(node: Node, _: &mut Problems) -> Option<Self> {
        Some(Self(node))
    }
}

impl JsonSchema for Expect {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Expect".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let value = generator.subschema_for::<Value>();
        let digest = generator.subschema_for::<DigestEntry>();
        let only = |key: &str, of: serde_json::Value| {
            serde_json::json!({
                "type": "object", "properties": { key: of }, "required": [key], "additionalProperties": false
            })
        };
        schemars::json_schema!({
            "description": "What is expected.",
            "anyOf": [
                { "const": "accepts", "description": "The descriptor compiles; nothing is dispatched." },
                only("refuses", serde_json::json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 })),
                only("observe", serde_json::json!({ "const": "oracle" })),
                {
                    "type": "object",
                    "description": "The elements of each output, or their digest. `~` is undefined: an element or a whole part. \
                        The outputs of a list stand in a list.",
                    "not": { "anyOf": [{ "required": ["refuses"] }, { "required": ["observe"] }] },
                    "additionalProperties": {
                        "anyOf": [digest, value, { "type": "array", "items": { "anyOf": [digest, value] } }]
                    }
                }
            ]
        })
    }
}
