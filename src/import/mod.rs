//! Cases that come in: what other tools keep as a test becomes a case, whose values both derivations stand behind.
//!
//! A reader makes a [`Foreign`] of a file. [`Foreign::complete`] does the rest for all of them: the level by the
//! validator, the values by the oracle, and a comparison with those that the file has.

mod complete;
mod dxdispatch;
mod onnx;

pub use complete::{Disagreement, FILE, Imported, NotImported};
pub use dxdispatch::of_text as of_dxdispatch;
pub use onnx::of_test as of_onnx;

use std::path::{Path, PathBuf};

use opcert_backend::{NamedAttribute, TensorDescriptor};

use crate::onnx::MODEL_FILE;

/// A tensor of a test has at most so many elements: a case stands in a text, and both derivations go through it one by
/// one.
pub const MOST_ELEMENTS: u64 = 1 << 25;

/// A test as another tool keeps it, in the terms of a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The operator's id, for instance `directml/one_hot`.
    pub operator: String,
    /// What the test is called where it comes from.
    pub name: String,
    /// The tensors that the test has, in any order.
    pub tensors: Vec<ForeignTensor>,
    /// The attributes that the test has, in any order.
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

/// Why a file is no test that can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}`: {reason}", path.display())]
pub struct ReadError {
    /// The file, or the folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

/// Reads the tests in a file or a folder.
///
/// # Errors
///
/// When it is of no kind that is known, or damaged, or of an operator that is not known.
pub fn read(path: &Path) -> Result<Vec<Foreign>, ReadError> {
    if path.join(MODEL_FILE).exists() {
        return onnx::read(path);
    }
    if !path.exists() {
        return Err(ReadError { path: path.to_owned(), reason: "there is no such file or folder".to_owned() });
    }
    let unreadable = |reason: String| ReadError { path: path.to_owned(), reason };
    if path.extension().is_some_and(|ending| ending == "json") {
        return dxdispatch::read(path).map_err(unreadable);
    }
    let reason = "this is neither a model of DxDispatch (`.json`) nor a test folder of ONNX (with a `model.onnx`)";
    Err(unreadable(reason.to_owned()))
}
