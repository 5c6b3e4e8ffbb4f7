//! What an export says of itself and of each of its cases.

use std::collections::BTreeMap;

use opcert_backend::Descriptor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Format;

/// The version of the layout of exports.
pub const EXPORT_FORMAT: u32 = 1;

/// The name of the file that says what an export holds.
pub const MANIFEST_FILE: &str = "opcert.json";

/// The name of the file in a case's folder that says what is asked.
pub const CASE_FILE: &str = "case.json";

/// What an export holds: enough to find the same cases again when results come back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportManifest {
    /// The version of the layout.
    pub format: u32,
    /// The version of opcert.
    pub opcert: String,
    /// The format of the cases.
    pub carried: Format,
    /// The BLAKE3 digest of all specifications.
    pub specs: String,
    /// The BLAKE3 digest of the case files that were read.
    pub cases: String,
    /// Which cases were asked for; all when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filter: Vec<String>,
    /// The highest feature level that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// How many cases there are.
    pub exported: usize,
    /// The cases that the format cannot express, and why.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inexpressible: BTreeMap<String, String>,
}

impl ExportManifest {
    /// In words, the first thing that is not as it would be in an export of the same now.
    #[must_use]
    pub fn difference(&self, now: &Self) -> Option<String> {
        let pairs = [
            ("opcert", &self.opcert, &now.opcert),
            ("specs", &self.specs, &now.specs),
            ("cases", &self.cases, &now.cases),
        ];
        if let Some((key, stated, found)) = pairs.into_iter().find(|(_, stated, found)| stated != found) {
            return Some(format!("`{key}` is {stated}, and here {found}"));
        }
        let ids = self.inexpressible.keys().chain(now.inexpressible.keys());
        let differing = ids.into_iter().find(|id| self.inexpressible.get(*id) != now.inexpressible.get(*id));
        if let Some(id) = differing {
            return Some(format!("what it says of `{id}` under `inexpressible` is not what this opcert says"));
        }
        (self != now).then(|| format!("{} cases are `exported`, and here {}", self.exported, now.exported))
    }
}

/// What a case asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ExportedCase")]
pub struct CaseManifest<'a> {
    /// The case's id.
    pub case: &'a str,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<&'a str>,
    /// What is to be done with the descriptor.
    pub task: Task,
    /// The operator, its tensors and its attributes. It may be invalid where it is only to be compiled.
    pub descriptor: &'a Descriptor,
    /// The operator that the files are of, where a mapping leads to another one. Its inputs and outputs are those below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_as: Option<&'a Descriptor>,
    /// The files of the inputs, from the case's folder: empty where the operator has none, absent where nothing is to
    /// run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<BTreeMap<String, String>>,
    /// Where the outputs are expected, from the case's folder. Absent where nothing is to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<BTreeMap<String, String>>,
}

/// What is to be done with a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// To run it on the inputs.
    Run,
    /// To compile it and say whether that succeeded. There is no data.
    Compile,
}
