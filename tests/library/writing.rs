//! Cases are written as they are read.

use std::fs;

use opcert::case::{Case, CaseSource, LoadedFile, write};
use opcert::source::{Source, SourceFile};
use opcert::spec::Specs;

/// Every embedded case, written and read again, is the same case.
#[test]
fn what_is_written_is_read_as_the_same() {
    let specs = Specs::load(&Source::embedded_specs()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let cases = |file: &SourceFile| {
        let mut cases = Vec::new();
        let loaded = LoadedFile::read(file, &specs, |few, _| cases.extend(few.cases)).unwrap();
        assert_eq!(loaded.problems, [], "{}", file.stem);
        cases
    };
    let mut seen = 0;
    for file in Source::embedded_cases().files().unwrap() {
        let before = cases(&file);
        let text = write(&before[0].operator, "A comment", &before);
        let path = folder.path().join(&file.stem).with_extension("yaml");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &text).unwrap();
        let again = CaseSource(Source::Path(folder.path().to_owned())).files().unwrap();
        let again = again.iter().find(|other| other.stem == file.stem).unwrap();
        let after = cases(again);
        assert_eq!(before.len(), after.len());
        for (before, after) in before.iter().zip(&after) {
            assert_eq!(parts(before), parts(after));
            seen += 1;
        }
    }
    assert!(seen > 5000);
}

/// Everything that a file says of a case.
fn parts(case: &Case) -> Vec<String> {
    vec![
        case.id.clone(),
        format!("{:?} {:?} {:?}", case.title, case.source, case.twin),
        format!("{:?} {:?} {:?} {}", case.level, case.refused_at, case.invariants, case.large),
        format!("{:?}", case.covers),
        format!("{:?}", case.tensors),
        format!("{:?}", case.attributes),
        format!("{:?}", case.expectation),
    ]
}
