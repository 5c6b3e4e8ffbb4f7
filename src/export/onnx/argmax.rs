//! Argmax over one axis as ArgMax-13.

use std::collections::BTreeMap;

use opcert_backend::operators::{AXIS_DIRECTION_DECREASING, ArgMax};
use opcert_backend::{DataType, Descriptor, Fault};

use super::{Expression, NodeCase, array, broken, expected, input, integers, value, widened, without};
use crate::export::NotExported;
use crate::export::asked::Asked;
use crate::onnx::{Node, Tensor, Value};
use crate::run::OutputMemory;

pub(super) const EXPRESSION: Expression =
    Expression { operator: "directml/argmax", inputs: &[("InputTensor", 0)], express, outputs };

fn express(asked: &Asked<'_>) -> Result<NodeCase, NotExported> {
    let operator = ArgMax::try_from(&asked.descriptor).map_err(without)?;
    let &[axis] = operator.axes else {
        return Err(NotExported::Inexpressible("axes: ArgMax-13 has one axis, no more and no fewer".to_owned()));
    };
    let data = input(asked, "InputTensor")?;
    let last = operator.axis_direction == AXIS_DIRECTION_DECREASING;
    let attributes = [("axis", axis), ("keepdims", 1), ("select_last_index", last.into())];
    let sizes = operator.output.sizes.clone();
    let node = Node {
        operator: "ArgMax".to_owned(),
        opset: 13,
        attributes: BTreeMap::from(attributes.map(|(name, value)| (name.to_owned(), value))),
        inputs: vec![value("data", &data)],
        output: Value::of("reduced", DataType::I64, &sizes),
    };
    // No index reaches 2^63, in any type.
    let expected = expected(asked, "OutputTensor").map(|elements| widened(&elements, operator.output.data_type));
    let expected = expected.map(|elements| Tensor { data_type: DataType::I64, sizes, elements });
    Ok(NodeCase { node, inputs: vec![data], expected })
}

/// The indices in the type of OutputTensor.
fn outputs(descriptor: &Descriptor, file: &[u8]) -> Result<OutputMemory, Fault> {
    let operator = ArgMax::try_from(descriptor).map_err(broken)?;
    let data_type = operator.output.data_type;
    let found = array(file, DataType::I64, &operator.output.sizes)?;
    let mut indices = Vec::with_capacity(found.len());
    for index in integers(&found) {
        let fits = match data_type {
            DataType::I32 => i32::try_from(index).is_ok(),
            DataType::U32 => u32::try_from(index).is_ok(),
            DataType::U64 => index >= 0,
            _ => data_type == DataType::I64,
        };
        if !fits {
            return Err(Fault::Failed(format!("`OutputTensor` cannot hold the index {index}: it is {data_type}")));
        }
        indices.extend_from_slice(&index.to_le_bytes()[..data_type.bytes()]);
    }
    Ok(vec![indices])
}
