//! The documents behind the specifications, where they are at hand: `OPCERT_DOCUMENTS=DIR cargo test --test library --
//! --ignored documents`.

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
    let documents = specs.operators.iter().flat_map(|operator| &operator.documents);
    let files: Vec<_> = documents.filter_map(|document| document.file.as_ref()).collect();
    for file in &files {
        fs::write(folder.path().join(file), "another text").unwrap();
    }
    let changed = specs.changed_documents(folder.path()).unwrap();
    assert_eq!(changed.len(), files.len());
    let older = changed.iter().find(|document| document.name == "en").unwrap();
    assert!(older.requirements.contains(&"directml/one_hot/axis-in-range".to_owned()));
    assert!(!older.requirements.contains(&"directml/argmax/axes-in-range".to_owned()));
}

/// The page of ONE_HOT is there twice: which one holds, and why, is said where either is cited.
#[test]
fn of_two_revisions_one_holds_and_says_why() {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let operator = specs.operator("directml/one_hot").unwrap();
    let requirement = operator.requirement("directml/one_hot/tensor-support").unwrap();
    let cited: Vec<_> = operator.sources(requirement).map(|(document, _)| document).collect();
    let holds = cited.iter().find(|document| document.name == "ja").unwrap();
    assert!(holds.supersedes.as_ref().is_some_and(|(other, reason)| other == "en" && reason.contains("4_1")));
    assert!(cited.iter().any(|document| document.name == "en" && document.supersedes.is_none()));
    // Whatever a specification cites by an address can be opened.
    let families = specs.families().flat_map(|family| &family.documents);
    let all = specs.operators.iter().flat_map(|operator| &operator.documents).chain(families);
    let addresses: Vec<_> = all.filter_map(|document| document.url.as_deref()).collect();
    assert!(addresses.len() >= 12 && addresses.iter().all(|url| url.starts_with("https://")), "{addresses:?}");
}
