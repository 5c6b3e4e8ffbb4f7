//! Cases as tests of ONNX backends: an operator of opcert as one node of ONNX, where that says exactly the same.
//!
//! No element changes its value on the way. What ONNX leaves free is chosen so that runtimes have a kernel for it.

mod argmax;
mod nonzero_coordinates;
mod one_hot;

use opcert_backend::{DataType, Descriptor, Fault};

use super::asked::Asked;
use super::manifest::Task;
use super::{ExportedFile, Exporter, NotExported, OUTPUTS, OutputForm};
use crate::check::{CheckedCase, Layout};
use crate::npy;
use crate::onnx::{DATA_SET, MODEL_FILE, Node, Tensor, Value};
use crate::run::OutputMemory;

/// Models of a single node, and tensors in ONNX's own files.
pub(super) struct Onnx;

/// The file with the output of a node, in the folder of outputs.
const OUTPUT_FILE: &str = "output_0.npy";

const README: &str = include_str!("README.md");

/// A case as a node of ONNX.
struct NodeCase {
    node: Node,
    /// The inputs, in the order of the operator.
    inputs: Vec<Tensor>,
    /// What is expected of the output, where all of it is known.
    expected: Option<Tensor>,
}

/// How cases of an operator become nodes.
struct Expression {
    operator: &'static str,
    /// Each tensor that is an input of the node, or part of one, and which input that is.
    inputs: &'static [(&'static str, usize)],
    express: fn(&Asked<'_>) -> Result<NodeCase, NotExported>,
    /// The memory of the outputs, from the file with the output of the node.
    outputs: fn(&Descriptor, &[u8]) -> Result<OutputMemory, Fault>,
}

const EXPRESSIONS: [Expression; 4] =
    [one_hot::DIRECTML, one_hot::OPENVINO, nonzero_coordinates::EXPRESSION, argmax::EXPRESSION];

fn expression(operator: &str) -> Option<&'static Expression> {
    EXPRESSIONS.iter().find(|each| each.operator == operator)
}

impl Exporter for Onnx {
    fn folder(&self, case: &str) -> String {
        format!("node/test_{}", case.replace('/', "__"))
    }

    fn input(&self, operator: &str, name: &str) -> Result<String, NotExported> {
        let inputs = expression(operator).map_or(&[][..], |expression| expression.inputs);
        let place = inputs.iter().find(|(each, _)| *each == name).map(|(_, place)| place);
        let place = place.ok_or_else(|| without(format!("`{name}` of `{operator}` is no input of its node")))?;
        Ok(format!("{DATA_SET}0/input_{place}.pb"))
    }

    fn output(&self, _: &str) -> String {
        format!("{OUTPUTS}/{OUTPUT_FILE}")
    }

    fn form(&self) -> OutputForm {
        let outputs = |descriptor: &Descriptor, file: &[u8]| match expression(&descriptor.operator) {
            Some(expression) => (expression.outputs)(descriptor, file),
            None => Err(Fault::Protocol(format!("ONNX has no operator for `{}`", descriptor.operator))),
        };
        OutputForm::Made { file: OUTPUT_FILE, outputs }
    }

    fn files(&self, asked: &Asked<'_>) -> Result<Vec<ExportedFile>, NotExported> {
        let cannot = |reason: &str| Err(NotExported::Inexpressible(reason.to_owned()));
        if let CheckedCase::Refused(_) = asked.case {
            return cannot("invalid descriptor: a model can only hold the operator of a valid one");
        }
        if asked.task() == Task::Compile {
            return cannot("descriptor only: a test of an ONNX backend has data");
        }
        if asked.about().layout == Layout::Strided {
            return cannot("strided: a tensor of ONNX is packed");
        }
        let Some(expression) = expression(&asked.descriptor.operator) else {
            return cannot("operator: ONNX has none that does the same");
        };
        let NodeCase { node, inputs, expected } = (expression.express)(asked)?;
        let named = node.inputs.iter().zip(&inputs).enumerate();
        let inputs =
            named.map(|(place, (value, tensor))| (format!("{DATA_SET}0/input_{place}.pb"), tensor.encode(&value.name)));
        let expected = expected.map(|tensor| (format!("{DATA_SET}0/output_0.pb"), tensor.encode(&node.output.name)));
        let model = (MODEL_FILE.to_owned(), node.encode(&asked.about().id));
        Ok(std::iter::once(model).chain(inputs).chain(expected).collect())
    }

    fn shared(&self, _: &[String]) -> Vec<ExportedFile> {
        vec![("README.md".to_owned(), README.as_bytes().to_vec())]
    }
}

/// An input as it stands in the case.
fn input(asked: &Asked<'_>, name: &str) -> Result<Tensor, NotExported> {
    let (entry, data) = asked.inputs().find(|(entry, _)| entry.name == name).ok_or_else(|| without(name))?;
    let sizes = entry.tensor.sizes.clone();
    Ok(Tensor { data_type: entry.tensor.data_type, sizes, elements: data.elements().into_owned() })
}

/// What a view of a descriptor found missing.
fn without(what: impl std::fmt::Display) -> NotExported {
    NotExported::Inexpressible(format!("left out: {what}"))
}

/// The elements that are expected of an output, when all of them are defined.
fn expected(asked: &Asked<'_>, name: &str) -> Option<Vec<u8>> {
    asked.expected(name).filter(|elements| !elements.undefined.contains(&true)).map(|elements| elements.bytes.clone())
}

/// The elements of the array in a file.
fn array(file: &[u8], data_type: DataType, sizes: &[u64]) -> Result<Vec<u8>, Fault> {
    npy::read(file, data_type, sizes).map_err(broken)
}

/// A file that is not the one that is wanted.
fn broken(reason: impl std::fmt::Display) -> Fault {
    Fault::Protocol(format!("`{OUTPUT_FILE}` {reason}"))
}

/// The elements of a tensor of INT64.
fn integers(elements: &[u8]) -> impl Iterator<Item = i64> {
    elements.as_chunks().0.iter().map(|&bytes| i64::from_le_bytes(bytes))
}

/// The elements of a tensor of INT64 that has the values of one of another type of integers.
fn widened(elements: &[u8], data_type: DataType) -> Vec<u8> {
    let bytes = data_type.bytes();
    let negative = |element: &[u8]| data_type.is_signed_integer() && element[bytes - 1] & 0x80 != 0;
    let wide = elements.chunks_exact(bytes).flat_map(|element| {
        let mut wide = [if negative(element) { 0xFF } else { 0 }; 8];
        wide[..bytes].copy_from_slice(element);
        wide
    });
    wide.collect()
}

/// A value that is the tensor.
fn value(name: &str, tensor: &Tensor) -> Value {
    Value::of(name, tensor.data_type, &tensor.sizes)
}
