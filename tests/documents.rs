//! The documents behind the specifications, where they are at hand: `OPCERT_DOCUMENTS=DIR cargo test --test documents --
//! --ignored`.

use std::fs;
use std::path::PathBuf;

use opcert::source::Source;
use opcert::spec::Specs;

#[test]
#[ignore = "needs OPCERT_DOCUMENTS, the folder of the documents, which are not part of the project"]
fn specifications_were_written_from_these_documents() {
    let folder = PathBuf::from(std::env::var_os("OPCERT_DOCUMENTS").unwrap());
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    assert_eq!(specs.changed_documents(&folder).unwrap(), []);
    let named = specs.operators.iter().flat_map(|operator| &operator.documents).filter(|each| each.file.is_some());
    assert!(named.count() >= 5);
}

/// Documents that were written for the purpose: one of them is not what it was.
#[test]
fn a_changed_document_names_the_requirements_that_cite_it() {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let missing = specs.changed_documents(folder.path()).unwrap_err();
    assert_eq!(missing.1.kind(), std::io::ErrorKind::NotFound);
    let documents: Vec<_> = specs.operators.iter().flat_map(|operator| &operator.documents).collect();
    for document in &documents {
        fs::write(folder.path().join(document.file.as_ref().unwrap()), "another text").unwrap();
    }
    let changed = specs.changed_documents(folder.path()).unwrap();
    assert_eq!(changed.len(), documents.len());
    let older = changed.iter().find(|document| document.name == "en").unwrap();
    assert!(older.requirements.contains(&"directml/one_hot/axis-in-range".to_owned()));
    assert!(!older.requirements.contains(&"directml/argmax/axes-in-range".to_owned()));
}
