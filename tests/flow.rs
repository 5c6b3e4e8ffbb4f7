//! The shape of the code: modules import one way, and the harness knows no operator by name.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};

/// A module may import those before it. What stands beside the flow comes last, so that no stage can lean on it.
const ORDER: [&str; 36] = [
    "diagnostic",
    "near",
    "yaml",
    "element",
    "layout",
    "npy",
    "onnx",
    "render",
    "json",
    "source",
    "spec",
    "case",
    "check",
    "plan",
    "run",
    "judge",
    "expectations",
    "report",
    "signature",
    "verify",
    "oracle",
    "second_derivation",
    "derivation",
    "generate",
    "coverage",
    "fuzz",
    "questionnaire",
    "dump",
    "certification",
    "export",
    "returned",
    "import",
    "smoke",
    "bench",
    "conformance",
    "cli",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
}

/// Every source file below `src/`: its module, its path, and its code without comments and unit tests.
fn modules() -> Vec<(String, String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let described = files.into_iter().map(|path| {
        let below = path.strip_prefix(&root).unwrap().with_extension("");
        let module = below.iter().next().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        (module, below.display().to_string(), code)
    });
    described.filter(|(module, ..)| module != "lib" && module != "main").collect()
}

/// The modules of this crate that a piece of code names.
fn imports(code: &str) -> Vec<String> {
    let after = code.split("crate::").skip(1);
    let names =
        after.map(|rest| rest.chars().take_while(|&letter| letter.is_alphanumeric() || letter == '_').collect());
    names.collect()
}

#[test]
fn modules_import_one_way() {
    let rank = |module: &str| ORDER.iter().position(|each| *each == module);
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (module, file, code) in modules() {
        let own = rank(&module).unwrap_or_else(|| panic!("`{module}` has no place in the order"));
        for import in imports(&code) {
            let Some(other) = rank(&import) else { continue };
            seen += 1;
            if other > own {
                wrong.push(format!("{file} imports {import}, which comes later"));
            }
        }
    }
    assert!(seen > 50, "only {seen} imports were found");
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn only_what_derives_draws_or_measures_names_an_operator() {
    let mut wrong = Vec::new();
    // What carries cases into the operators of another format names those of both sides.
    let naming = [
        "oracle",
        "second_derivation",
        "generate",
        "fuzz",
        "bench",
        "export/onnx",
        "export/openvino_ir",
        "import/onnx",
    ];
    let is_naming = |file: &str| naming.iter().any(|each| Path::new(file).starts_with(each));
    for (module, file, code) in modules().into_iter().filter(|(_, file, _)| !is_naming(file)) {
        for name in ["one_hot", "OneHot", "nonzero", "Nonzero", "argmax", "ArgMax"] {
            if code.contains(name) {
                wrong.push(format!("{module}: {file} names `{name}`"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}
