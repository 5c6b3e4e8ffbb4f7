//! Whether the documents are still those that the specifications were written from.

use std::io;
use std::path::{Path, PathBuf};

use super::model::{Document, Specs};
use crate::file;

/// A document that differs from what a specification was written from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedDocument {
    /// The operator's id, or the family's name.
    pub specification: String,
    /// The document's short name there.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// The ids of the requirements that cite it, and so are to be read again.
    pub requirements: Vec<String>,
}

impl Specs {
    /// The documents in a folder whose digest is not the one that a specification states.
    ///
    /// # Errors
    ///
    /// The file that cannot be read, and why.
    pub fn changed_documents(&self, folder: &Path) -> Result<Vec<ChangedDocument>, (PathBuf, io::Error)> {
        let families = self.families().map(|family| (&family.name, &family.documents, &family.requirements));
        let operators =
            self.operators.iter().map(|operator| (&operator.id, &operator.documents, &operator.requirements));
        let mut changed = Vec::new();
        for (specification, documents, requirements) in families.chain(operators) {
            for Document { name, file, digest, .. } in documents {
                let (Some(file), Some(digest)) = (file, digest) else { continue };
                let file = folder.join(file);
                let bytes = file::read(&file, file::LONGEST_DATA).map_err(|error| (file.clone(), error))?;
                if *digest == blake3::hash(&bytes).to_hex().to_string() {
                    continue;
                }
                let citing = requirements.iter().filter(|each| each.sources.iter().any(|(source, _)| source == name));
                let requirements = citing.map(|each| each.id.clone()).collect();
                let (specification, name) = (specification.clone(), name.clone());
                changed.push(ChangedDocument { specification, name, file, requirements });
            }
        }
        Ok(changed)
    }
}
