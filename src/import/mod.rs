//! Cases that come in: what other tools keep as a test becomes a case, whose values follow from the definition.
//!
//! A reader makes a [`Foreign`] of a file. [`Foreign::complete`] does the rest for all of them: the level by the
//! validator, the values by the definition, and a comparison with those that the file has.

mod complete;
mod dxdispatch;
mod onnx;

pub use complete::{Disagreement, FILE, Imported, NotImported};
pub use dxdispatch::of_text as of_dxdispatch;
pub use onnx::of_test as of_onnx;

use std::fs;
use std::path::{Path, PathBuf};

use opcert_backend::{NamedAttribute, TensorDescriptor};

use crate::onnx::MODEL_FILE;
use crate::spec::{Level, Specs};

/// A tensor of a test has at most so many elements: a case stands in a text, and the definition goes through it one by
/// one.
pub const MOST_ELEMENTS: u64 = 1 << 25;

/// A tensor of a test has at most so many dimensions: a case has its elements in as many lists.
const MOST_DIMENSIONS: usize = 32;

/// So many letters are said of a part that is left out, and as many of why.
const LONGEST: usize = 1000;

/// So many parts that are left out are named of a file.
const MOST_NAMED: usize = 50;

/// A test as another tool keeps it, in the terms of a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The operator's id, for instance `directml/one_hot`, or its title in the documents.
    pub operator: String,
    /// What the test is called where it comes from.
    pub name: String,
    /// The level that it is meant for; the highest of the family if it says nothing.
    pub level: Option<Level>,
    /// The tensors that the test has, in any order.
    pub tensors: Vec<ForeignTensor>,
    /// The attributes that the test has, in any order. An enumerator may be what tells it from
    /// others of its attribute: `INCREASING` for `DML_AXIS_DIRECTION_INCREASING`.
    pub attributes: Vec<NamedAttribute>,
}

/// A tensor of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignTensor {
    /// Its name in the specification.
    pub name: String,
    /// Shape, type and layout.
    pub descriptor: TensorDescriptor,
    /// The elements, packed, little-endian, in logical order: the data of an input, or what is expected of an output.
    pub elements: Option<Vec<u8>>,
}

/// What is read from a file or a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The tests; at least one.
    pub tests: Vec<Foreign>,
    /// What else there is.
    pub left_out: LeftOuts,
}

/// The parts of a file or a folder that are part of no test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOuts {
    /// The first of them, 50 at most.
    pub named: Vec<LeftOut>,
    /// How many more there are.
    pub more: usize,
}

/// A part of a file or a folder that is part of no test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{part}` is left out: {why}")]
pub struct LeftOut {
    /// The file in the folder, or the way to the part of the file.
    pub part: String,
    /// Why nothing became of it.
    pub why: String,
}

impl LeftOut {
    /// What is longer than anything that a person reads is cut.
    fn new(part: impl Into<String>, why: impl Into<String>) -> Self {
        Self { part: cut(part.into()), why: cut(why.into()) }
    }
}

/// A text without what stands behind so many letters.
fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

impl LeftOuts {
    /// Adds a part. What it is called and why nothing became of it is only asked while parts are named.
    fn add(&mut self, part: impl FnOnce() -> LeftOut) {
        if self.named.len() < MOST_NAMED {
            self.named.push(part());
        } else {
            self.more += 1;
        }
    }
}

/// Why a file is no test that can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}`: {reason}", path.display())]
pub struct ReadError {
    /// The file, or the folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

/// Reads the tests in a file or a folder, and names what else is there.
///
/// # Errors
///
/// When it is of no kind that is known, or damaged, or of an operator that is not known.
pub fn read(path: &Path, specs: &Specs) -> Result<Found, ReadError> {
    if path.join(MODEL_FILE).exists() {
        return onnx::read(path, specs);
    }
    if !path.exists() {
        return Err(ReadError { path: path.to_owned(), reason: "there is no such file or folder".to_owned() });
    }
    let unreadable = |reason: String| ReadError { path: path.to_owned(), reason };
    if path.extension().is_some_and(|ending| ending == "json") {
        return dxdispatch::read(path).map_err(unreadable);
    }
    let mut entries = fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
    if let Some(test) = entries.find(|entry| entry.path().join(MODEL_FILE).exists()) {
        let reason = format!("this is a folder of test folders: name each, `{}` for instance", test.path().display());
        return Err(unreadable(reason));
    }
    let reason = "this is neither a model of DxDispatch (`.json`) nor a test folder of ONNX (with a `model.onnx`)";
    Err(unreadable(reason.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn what_is_no_test_says_what_it_is_instead() {
        let folder = tempfile::tempdir().unwrap();
        let specs = Specs::load(&Source::embedded_specs()).unwrap();
        let said = |path: &Path| read(path, &specs).unwrap_err().reason;
        assert!(said(folder.path()).starts_with("this is neither a model of DxDispatch"), "{}", said(folder.path()));
        assert_eq!(said(&folder.path().join("other")), "there is no such file or folder");
        fs::create_dir(folder.path().join("test_one")).unwrap();
        fs::write(folder.path().join("test_one").join(MODEL_FILE), "").unwrap();
        let named = format!("name each, `{}` for instance", folder.path().join("test_one").display());
        assert_eq!(said(folder.path()), format!("this is a folder of test folders: {named}"));
    }
}
