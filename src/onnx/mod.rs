//! ONNX's files as far as the tests of its backends need them: models of a single node, and tensors.
//!
//! A test is a folder with a `model.onnx`, and in it `test_data_set_0` and so on with an `input_N.pb` for each input of
//! the model and an `output_N.pb` for what is expected. What operators do is not known here.

mod folder;
mod node;
mod proto;
mod tensor;
mod wire;

pub use folder::{DATA_SET, DataSet, FolderError, FolderProblem, MODEL_FILE, NodeTest};
pub use node::{ModelError, Node, Value};
pub use tensor::{OnnxTensor, TensorError};
