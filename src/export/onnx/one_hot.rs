//! One-hot as OneHot-11.
//!
//! ONNX leaves the types of the indices and of the depth free. The indices are INT64 where that holds every value of
//! their own type. The depth is INT64 too, but FLOAT beside INT32 values, as in ONNX's own test of those.

use std::collections::BTreeMap;

use opcert_backend::operators::{OneHot, OpenVinoOneHot};
use opcert_backend::{DataType, Fault, TensorDescriptor};

use super::{Expression, NodeCase, array, broken, expected, input, value, widened, without};
use crate::export::NotExported;
use crate::export::asked::Asked;
use crate::onnx::{Node, Tensor, Value};

pub(super) const DIRECTML: Expression = Expression {
    operator: "directml/one_hot",
    inputs: &[("IndicesTensor", 0), ("ValuesTensor", 2)],
    express: directml,
    outputs: |descriptor, file| {
        let operator = OneHot::try_from(descriptor).map_err(broken)?;
        one_output(file, operator.output, &directml_sizes(&operator))
    },
};

pub(super) const OPENVINO: Expression = Expression {
    operator: "openvino/one_hot_1",
    inputs: &[("indices", 0), ("depth", 1), ("on_value", 2), ("off_value", 2)],
    express: openvino,
    outputs: |descriptor, file| {
        let operator = OpenVinoOneHot::try_from(descriptor).map_err(broken)?;
        one_output(file, operator.output, &operator.output.sizes)
    },
};

/// Every depth up to here is a number of FLOAT.
const MOST_AS_FLOAT: u64 = 1 << f32::MANTISSA_DIGITS;

/// The dimension of size 1 of IndicesTensor is the one that ONNX inserts. It stays where it is the only one, because
/// ONNX has no one-hot of a scalar; the output then has one more behind the new one.
fn directml(asked: &Asked<'_>) -> Result<NodeCase, NotExported> {
    let operator = OneHot::try_from(&asked.descriptor).map_err(without)?;
    let axis = usize::try_from(operator.axis).unwrap_or(usize::MAX);
    let mut indices = input(asked, "IndicesTensor")?;
    if indices.sizes.len() > 1 && axis < indices.sizes.len() {
        indices.sizes.remove(axis);
    }
    let mut values = input(asked, "ValuesTensor")?;
    // On is the second element in memory: the dimensions behind the one that it is counted in have the size 1.
    values.elements.truncate(2 * values.data_type.bytes());
    let depth = operator.output.sizes.get(axis).copied().ok_or_else(|| without("Axis"))?;
    let sizes = directml_sizes(&operator);
    one_hot(indices, depth, values, operator.axis, &sizes, expected(asked, "OutputTensor"))
}

/// The sizes of the node's output.
fn directml_sizes(operator: &OneHot<'_>) -> Vec<u64> {
    let kept = (operator.output.sizes.len() == 1).then_some(1);
    operator.output.sizes.iter().copied().chain(kept).collect()
}

fn openvino(asked: &Asked<'_>) -> Result<NodeCase, NotExported> {
    let operator = OpenVinoOneHot::try_from(&asked.descriptor).map_err(without)?;
    let indices = input(asked, "indices")?;
    if indices.sizes.is_empty() {
        return Err(NotExported::Inexpressible(
            "scalar indices: OneHot-11 takes indices of one dimension or more".to_owned(),
        ));
    }
    let mut values = input(asked, "off_value")?;
    values.elements.extend(input(asked, "on_value")?.elements);
    let sizes = &operator.output.sizes;
    let axis = if operator.axis < 0 { operator.axis + sizes.len() as i64 } else { operator.axis };
    let depth = usize::try_from(axis).ok().and_then(|axis| sizes.get(axis)).copied().ok_or_else(|| without("axis"))?;
    one_hot(indices, depth, values, operator.axis, sizes, expected(asked, "output"))
}

fn one_hot(
    mut indices: Tensor,
    depth: u64,
    values: Tensor,
    axis: i64,
    sizes: &[u64],
    expected: Option<Vec<u8>>,
) -> Result<NodeCase, NotExported> {
    if values.data_type == DataType::BF16 {
        let reason = format!("type: OneHot-11 takes no values of the type {}", values.data_type);
        return Err(NotExported::Inexpressible(reason));
    }
    if indices.data_type != DataType::U64 {
        indices.elements = widened(&indices.elements, indices.data_type);
        indices.data_type = DataType::I64;
    }
    let as_float = values.data_type == DataType::I32 && depth <= MOST_AS_FLOAT;
    let (data_type, elements) = match as_float {
        true => (DataType::F32, (depth as f32).to_le_bytes().to_vec()),
        false => (DataType::I64, depth.to_le_bytes().to_vec()),
    };
    let depth = Tensor { data_type, sizes: Vec::new(), elements };
    let values = Tensor::list(values.data_type, values.elements);
    let node = Node {
        operator: "OneHot".to_owned(),
        opset: 11,
        attributes: BTreeMap::from([("axis".to_owned(), axis)]),
        inputs: vec![value("indices", &indices), value("depth", &depth), value("values", &values)],
        output: Value::of("output", values.data_type, sizes),
    };
    let expected = expected.map(|elements| Tensor { data_type: values.data_type, sizes: sizes.to_vec(), elements });
    Ok(NodeCase { node, inputs: vec![indices, depth, values], expected })
}

fn one_output(file: &[u8], output: &TensorDescriptor, sizes: &[u64]) -> Result<Vec<Vec<u8>>, Fault> {
    Ok(vec![array(file, output.data_type, sizes)?])
}
