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
    let documents = specs.operators.iter().flat_map(|operator| &operator.documents);
    let mut seen = 0;
    for document in documents {
        let Some(file) = &document.file else { continue };
        let digest = blake3::hash(&fs::read(folder.join(file)).unwrap()).to_hex().to_string();
        assert_eq!(Some(digest), document.digest, "{file} is not the document that was read");
        seen += 1;
    }
    assert!(seen >= 5, "only {seen} documents are named");
}
