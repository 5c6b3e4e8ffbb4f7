//! Tests of backends: a model of a single node with what goes in and what is to come out.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::node::{ModelError, Node, Value};
use super::tensor::{OnnxTensor, TensorError};
use crate::file;

/// The name of the file with the model.
pub const MODEL_FILE: &str = "model.onnx";

/// The names of the folders with data begin with this and end with a number.
pub const DATA_SET: &str = "test_data_set_";

/// A test of a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeTest {
    /// The node.
    pub node: Node,
    /// What it is given, in the order of the numbers.
    pub sets: Vec<DataSet>,
}

/// Data for a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataSet {
    /// The name of its folder.
    pub name: String,
    /// The inputs, in the order of the operator.
    pub inputs: Vec<OnnxTensor>,
    /// What is expected; `None` where there is no file.
    pub expected: Option<OnnxTensor>,
}

/// Why a folder is no such test, or cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("`{path}` {problem}", path = path.display())]
pub struct FolderError {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: FolderProblem,
}

/// What is wrong with a file or folder of a test.
#[derive(Debug, thiserror::Error)]
pub enum FolderProblem {
    /// It is not there.
    #[error("is not there, expected {0}")]
    Absent(String),
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// The model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A tensor.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// There is no data.
    #[error("has no `{DATA_SET}0`")]
    NoData,
    /// A tensor is not the one that the model has.
    #[error("holds {found}, expected {expected}")]
    Other {
        /// Its name in the file, type and sizes.
        found: String,
        /// Those of the value of the model.
        expected: String,
    },
}

impl NodeTest {
    /// Reads the folder of a test, and names the files and folders in it that the test does not have.
    ///
    /// # Errors
    ///
    /// When a file is missing, damaged, or not what the model says; when the model has more than one node.
    pub fn read(folder: &Path) -> Result<(Self, Vec<String>), FolderError> {
        let path = folder.join(MODEL_FILE);
        let (node, places) = Node::decode(&read(&path, || "the model of a test".to_owned())?)
            .map_err(|error| FolderError { path, problem: error.into() })?;
        let (mut numbers, mut others) = (Vec::new(), Vec::new());
        for name in names(folder)? {
            let number = name.strip_prefix(DATA_SET).and_then(|number| number.parse::<u32>().ok());
            match number {
                Some(number) if name == format!("{DATA_SET}{number}") => numbers.push(number),
                _ if name == MODEL_FILE => {}
                _ => others.push(name),
            }
        }
        numbers.sort_unstable();
        if numbers.is_empty() {
            return Err(FolderError { path: folder.to_owned(), problem: FolderProblem::NoData });
        }
        for number in &numbers {
            let set = format!("{DATA_SET}{number}");
            let mut files = names(&folder.join(&set))?;
            files.retain(|name| name != OUTPUT && places.iter().all(|&place| *name != input(place)));
            others.extend(files.into_iter().map(|name| format!("{set}/{name}")));
        }
        let sets = numbers.into_iter().map(|number| set(folder, &node, &places, number)).collect::<Result<_, _>>()?;
        Ok((Self { node, sets }, others))
    }
}

/// The file of the output.
const OUTPUT: &str = "output_0.pb";

/// The file of an input.
fn input(place: usize) -> String {
    format!("input_{place}.pb")
}

/// The names of what is in a folder, sorted.
fn names(folder: &Path) -> Result<Vec<String>, FolderError> {
    let unreadable = |error| FolderError { path: folder.to_owned(), problem: FolderProblem::Unreadable(error) };
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        names.push(entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Ok(names)
}

fn set(folder: &Path, node: &Node, places: &[usize], number: u32) -> Result<DataSet, FolderError> {
    let name = format!("{DATA_SET}{number}");
    let folder = folder.join(&name);
    let inputs = node.inputs.iter().zip(places).map(|(value, place)| {
        let path = folder.join(input(*place));
        let file = read(&path, || format!("the input `{}`", value.name))?;
        tensor(path, &file, value)
    });
    let inputs = inputs.collect::<Result<_, _>>()?;
    let path = folder.join(OUTPUT);
    let expected = match file::read(&path, file::LONGEST_DATA) {
        Ok(file) => Some(tensor(path, &file, &node.output)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(FolderError { path, problem: FolderProblem::Unreadable(error) }),
    };
    Ok(DataSet { name, inputs, expected })
}

fn read(path: &Path, what: impl Fn() -> String) -> Result<Vec<u8>, FolderError> {
    file::read(path, file::LONGEST_DATA).map_err(|error| {
        let problem = match error.kind() {
            io::ErrorKind::NotFound => FolderProblem::Absent(what()),
            _ => FolderProblem::Unreadable(error),
        };
        FolderError { path: path.to_owned(), problem }
    })
}

/// A tensor from a file, if it can be this value. A name need not be given there.
fn tensor(path: PathBuf, file: &[u8], value: &Value) -> Result<OnnxTensor, FolderError> {
    let (name, tensor) = match OnnxTensor::decode(file) {
        Ok(decoded) => decoded,
        Err(error) => return Err(FolderError { path, problem: error.into() }),
    };
    if value.takes(&tensor) && (name.is_empty() || name == value.name) {
        return Ok(tensor);
    }
    let found = format!("`{name}`, {}", Value::of(&name, tensor.data_type, &tensor.sizes));
    let expected = format!("`{}`, {value}", value.name);
    Err(FolderError { path, problem: FolderProblem::Other { found, expected } })
}
