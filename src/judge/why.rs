//! Why an element is expected to be what it is: the line of the operator's definition that decides it.

use serde::{Deserialize, Serialize};

use crate::check::ValidCase;

/// Why an element is expected to be what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Why {
    /// A line of the definition decides it.
    Line(DecidingLine),
    /// The definition can make nothing of the case, for a reason in words.
    Nobody(String),
}

/// The line of a definition that decides an element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecidingLine {
    /// The number of the line, the definition's first one being 1.
    pub line: u32,
    /// The line, without what is cited behind it.
    pub text: String,
    /// The element that it gives.
    pub gives: String,
    /// The names in this line, and in the condition under which it is come by, with their values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(String, String)>,
    /// The requirements that the line fulfils, by their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<String>,
}

impl Why {
    /// What decides an element of a case's output.
    #[must_use]
    pub fn of(case: &ValidCase, output: &str, place: &[u64]) -> Self {
        let definition = &case.about.operator.definition;
        let inputs: Vec<_> = case.inputs.iter().map(|input| (input.name.as_str(), input.data.elements())).collect();
        let inputs: Vec<(&str, &[u8])> = inputs.iter().map(|(name, bytes)| (*name, &**bytes)).collect();
        let decision = match definition.decision(&case.descriptor, &inputs, output, place) {
            Ok(decision) => decision,
            Err(fault) => return Self::Nobody(fault.to_string()),
        };
        let Some(line) = definition.lines.get(decision.line) else {
            return Self::Nobody("the definition has no such line".to_owned());
        };
        Self::Line(DecidingLine {
            line: line.first,
            text: definition.text_of(decision.line),
            gives: decision.gives,
            values: decision.values,
            requirements: line.citations.iter().map(|citation| citation.name.clone()).collect(),
        })
    }

    /// The line and what it fulfils, and below it the values in it. Where the case expects something else, that is said.
    #[must_use]
    pub fn in_words(&self, expected: &str) -> Vec<String> {
        let DecidingLine { line, text, gives, values, requirements } = match self {
            Self::Line(line) => line,
            Self::Nobody(reason) => return vec![format!("why is not known: {reason}")],
        };
        let cited = if requirements.is_empty() { String::new() } else { format!("  [{}]", requirements.join(", ")) };
        let given = values.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>();
        let says = if gives == expected { "by" } else { &format!("the definition says {gives}, by its") };
        let of = if gives == expected { " of the definition" } else { "" };
        let first = format!("{says} line {line}{of}: {text}{cited}");
        let second = (!given.is_empty()).then(|| format!("where {}", given.join(", ")));
        std::iter::once(first).chain(second).collect()
    }
}
