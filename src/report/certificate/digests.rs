//! What a run rests on: the digest of every file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;
use crate::source::Source;
use crate::spec::{Document, Specs};

/// The BLAKE3 digests of the files that a run rests on. Paths have `/` and begin below `specs` and `cases`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SuiteDigests {
    /// Every specification file.
    pub specifications: BTreeMap<String, String>,
    /// Every case file, whether or not cases of it were picked.
    pub cases: BTreeMap<String, String>,
    /// The documents that each specification was written from, by the short name they have there.
    pub documents: BTreeMap<String, BTreeMap<String, CertifiedDocument>>,
}

/// A document that a specification was written from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CertifiedDocument {
    /// Which revision it is.
    pub revision: String,
    /// The file's name, where the document is a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its BLAKE3 digest, as the specification states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blake3: Option<String>,
}

impl SuiteDigests {
    /// Reads all files of both sources.
    ///
    /// # Errors
    ///
    /// Every file that cannot be read.
    pub fn of(specs: &Specs, specifications: &Source, cases: &Source) -> Result<Self, Vec<Diagnostic>> {
        let families = specs.families().map(|family| (&family.name, &family.documents));
        let operators = specs.operators.iter().map(|operator| (&operator.id, &operator.documents));
        let documents = families.chain(operators).map(|(id, documents)| {
            let named = documents.iter().map(|each| (each.name.clone(), CertifiedDocument::from(each)));
            (id.clone(), named.collect())
        });
        Ok(Self { specifications: digests(specifications)?, cases: digests(cases)?, documents: documents.collect() })
    }
}

impl From<&Document> for CertifiedDocument {
    fn from(document: &Document) -> Self {
        Self { revision: document.revision.clone(), file: document.file.clone(), blake3: document.digest.clone() }
    }
}

/// The digest of every file of a source, by its path.
///
/// # Errors
///
/// Every file that cannot be read.
pub(crate) fn digests(source: &Source) -> Result<BTreeMap<String, String>, Vec<Diagnostic>> {
    let mut digests = BTreeMap::new();
    let mut diagnostics = Vec::new();
    for file in source.files()? {
        match file.read() {
            Ok(text) => {
                let digest = blake3::hash(text.as_bytes()).to_hex().to_string();
                digests.insert(format!("{}.yaml", file.stem), digest);
            }
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    if diagnostics.is_empty() { Ok(digests) } else { Err(diagnostics) }
}
