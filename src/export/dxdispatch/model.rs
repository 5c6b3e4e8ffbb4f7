//! The parts of a model as DxDispatch reads them, with its names for keys.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Number;

/// A model: buffers, operators, and what is done with them, in order.
#[derive(Debug, Default, Serialize)]
pub(super) struct Model<'a> {
    pub(super) resources: BTreeMap<String, Resource<'a>>,
    pub(super) dispatchables: BTreeMap<&'a str, Dispatchable<'a>>,
    pub(super) commands: Vec<Command<'a>>,
}

/// A buffer and what it holds at first.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Resource<'a> {
    pub(super) initial_values: InitialValues,
    pub(super) initial_values_data_type: &'a str,
    /// A multiple of four: the tool rounds nothing up where it is told a size.
    pub(super) size_in_bytes: u64,
}

#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(super) enum InitialValues {
    /// The elements of a .npy file, whose path begins at the model's folder.
    File { source_path: String },
    /// One element, so many times.
    Constant { value_count: u64, value: Number },
}

/// An operator.
#[derive(Debug, Serialize)]
pub(super) struct Dispatchable<'a> {
    #[serde(rename = "type")]
    pub(super) operator: String,
    pub(super) desc: BTreeMap<&'a str, Field<'a>>,
    /// What is bound when the operator is initialised: tensors that DirectML owns from then on.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) bindings: Bindings<'a>,
}

/// What tensors are bound to, by their names.
pub(super) type Bindings<'a> = BTreeMap<&'a str, Bound>;

/// The buffer of a tensor, or those of a list.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Bound {
    One(String),
    Each(Vec<String>),
}

/// A member of an operator's structure.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Field<'a> {
    Tensor(TensorDesc<'a>),
    Tensors(Vec<TensorDesc<'a>>),
    Number(u32),
    Truth(bool),
    Float(f32),
    Scalar(Number),
    Numbers(Vec<u32>),
    Signed(i32),
    SignedNumbers(Vec<i32>),
    Enumerator(&'a str),
}

/// A tensor's description; the tool counts the dimensions by `Sizes`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct TensorDesc<'a> {
    pub(super) data_type: &'a str,
    pub(super) sizes: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) strides: Option<Vec<u32>>,
    /// Always there: the tool works it out where it is missing, and looks at sizes and strides for that.
    pub(super) total_tensor_size_in_bytes: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) guaranteed_base_offset_alignment: u32,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) flags: &'a [String],
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference to skip_serializing_if")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// Something to do.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum Command<'a> {
    /// To run an operator on buffers, which are named by tensor.
    Dispatch { dispatchable: &'a str, bindings: Bindings<'a> },
    /// To write a whole buffer to a file, whose path begins at the working directory.
    WriteFile { resource: String, target_path: String, dimensions: Vec<u64> },
}
