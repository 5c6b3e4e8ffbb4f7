//! The coordinates of what is not zero as NonZero-13, which lists them by columns and leaves their number open.

use std::collections::BTreeMap;

use opcert_backend::operators::NonzeroCoordinates;
use opcert_backend::{DataType, Descriptor, Fault};

use super::{Expression, NodeCase, array, broken, input, integers, value, widened, without};
use crate::export::NotExported;
use crate::export::asked::Asked;
use crate::npy;
use crate::onnx::{Node, Tensor, Value};
use crate::run::OutputMemory;

pub(super) const EXPRESSION: Expression =
    Expression { operator: "directml/nonzero_coordinates", inputs: &[("InputTensor", 0)], express, outputs };

/// The input has as many dimensions as there are coordinates; those in front, which go, have the size 1.
fn express(asked: &Asked<'_>) -> Result<NodeCase, NotExported> {
    let operator = NonzeroCoordinates::try_from(&asked.descriptor).map_err(without)?;
    let (_, columns) = rows_and_columns(&operator);
    let mut x = input(asked, "InputTensor")?;
    x.sizes.drain(..x.sizes.len().saturating_sub(columns));
    let output = Value { sizes: Some(vec![Some(columns as u64), None]), ..Value::of("Y", DataType::I64, &[]) };
    let node = Node {
        operator: "NonZero".to_owned(),
        opset: 13,
        attributes: BTreeMap::new(),
        inputs: vec![value("X", &x)],
        output,
    };
    Ok(NodeCase { node, inputs: vec![x], expected: expected(asked, columns) })
}

/// The number of rows and of columns of the coordinates.
fn rows_and_columns(operator: &NonzeroCoordinates<'_>) -> (usize, usize) {
    let mut sizes = operator.coordinates.sizes.iter().rev().map(|&size| usize::try_from(size).unwrap_or(usize::MAX));
    let columns = sizes.next().unwrap_or(1);
    (sizes.next().unwrap_or(1), columns)
}

/// The rows below the count, which alone are defined, as columns.
fn expected(asked: &Asked<'_>, columns: usize) -> Option<Tensor> {
    let count = asked.expected("OutputCountTensor").filter(|count| count.is_defined(0))?;
    let &count = count.bytes.first_chunk()?;
    let count = u32::from_le_bytes(count) as usize;
    let coordinates = asked.expected("OutputCoordinatesTensor")?;
    let elements = count.checked_mul(columns)?;
    if !(0..elements).all(|element| coordinates.is_defined(element)) {
        return None;
    }
    let rows = widened(coordinates.bytes.get(..elements * DataType::U32.bytes())?, DataType::U32);
    let elements = transposed(&rows, columns);
    Some(Tensor { data_type: DataType::I64, sizes: vec![columns as u64, count as u64], elements })
}

/// A matrix of INT64 with its rows, of which each has `columns` elements, as columns.
fn transposed(elements: &[u8], columns: usize) -> Vec<u8> {
    let elements = elements.as_chunks::<8>().0;
    (0..columns).flat_map(|column| elements.iter().skip(column).step_by(columns).flatten().copied()).collect()
}

/// The number of columns of the answer as the count, and the columns as rows, followed by rows of zeros.
fn outputs(descriptor: &Descriptor, file: &[u8]) -> Result<OutputMemory, Fault> {
    let operator = NonzeroCoordinates::try_from(descriptor).map_err(broken)?;
    let (rows, columns) = rows_and_columns(&operator);
    let sizes = npy::sizes(file).map_err(broken)?;
    let &[found_columns, count] = sizes.as_slice() else {
        return Err(broken(format!("is an array of the sizes {sizes:?}, expected [{columns}, count]")));
    };
    if found_columns != columns as u64 {
        return Err(broken(format!("has {found_columns} coordinates for each element, expected {columns}")));
    }
    if count > rows as u64 {
        return Err(Fault::Failed(format!("`OutputCoordinatesTensor` cannot hold {count} rows: it has {rows}")));
    }
    let found = array(file, DataType::I64, &sizes)?;
    let mut coordinates = Vec::with_capacity(rows * columns * DataType::U32.bytes());
    for coordinate in integers(&transposed(&found, count as usize)) {
        let coordinate = u32::try_from(coordinate).map_err(|_| {
            let what = "`OutputCoordinatesTensor` cannot hold the coordinate";
            Fault::Failed(format!("{what} {coordinate}: it is {}", DataType::U32))
        })?;
        coordinates.extend(coordinate.to_le_bytes());
    }
    coordinates.resize(rows * columns * DataType::U32.bytes(), 0);
    Ok(vec![(count as u32).to_le_bytes().to_vec(), coordinates])
}
