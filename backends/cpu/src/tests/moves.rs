//! Scatters, `directml/top_k1`, `directml/reverse_subsequences`, `directml/tile`, `directml/depth_to_space1` and
//! `directml/space_to_depth1`.

use opcert_backend::DataType::{F32, I8, I16, I64, U8, U32, U64};
use opcert_backend::{AttributeValue, Descriptor, TensorDescriptor};

use super::{attribute, bytes, elements, input, output, packed, result, run, strided};

fn along(operator: &str, tensors: &[(&str, TensorDescriptor)], to: TensorDescriptor, axis: i64) -> Descriptor {
    let inputs = tensors.iter().map(|(name, tensor)| input(name, tensor.clone()));
    Descriptor {
        operator: operator.to_owned(),
        level: "5_0".to_owned(),
        tensors: inputs.chain([output("OutputTensor", to)]).collect(),
        attributes: vec![attribute("Axis", AttributeValue::Integer(axis))],
        constants: Vec::new(),
    }
}

fn scatter(from: TensorDescriptor, indices: TensorDescriptor, updates: TensorDescriptor, axis: i64) -> Descriptor {
    let to = packed(from.data_type, &from.sizes);
    let tensors = [("InputTensor", from), ("IndicesTensor", indices), ("UpdatesTensor", updates)];
    along("directml/scatter_elements", &tensors, to, axis)
}

fn reverse(from: TensorDescriptor, lengths: TensorDescriptor, to: TensorDescriptor, axis: i64) -> Descriptor {
    along("directml/reverse_subsequences", &[("InputTensor", from), ("SequenceLengthsTensor", lengths)], to, axis)
}

fn blocks(operator: &str, from: TensorDescriptor, to: TensorDescriptor, order: &str) -> Descriptor {
    Descriptor {
        operator: operator.to_owned(),
        level: "5_0".to_owned(),
        tensors: vec![input("InputTensor", from), output("OutputTensor", to)],
        attributes: vec![
            attribute("BlockSize", AttributeValue::Integer(2)),
            attribute("Order", AttributeValue::Enumerator(format!("DML_DEPTH_SPACE_ORDER_{order}"))),
        ],
        constants: Vec::new(),
    }
}

#[test]
fn the_second_example_of_scatter() {
    let descriptor = scatter(packed(F32, &[3, 3]), packed(U32, &[2, 3]), packed(F32, &[2, 3]), 0);
    let updates = bytes(&[10.0f32, 11.0, 12.0, 20.0, 21.0, 22.0]);
    let found: Vec<f32> = result(&descriptor, &[bytes(&[0.0f32; 9]), bytes(&[1u32, 0, 2, 0, 2, 1]), updates]);
    assert_eq!(found, [20.0, 11.0, 0.0, 10.0, 0.0, 22.0, 0.0, 21.0, 12.0]);
}

#[test]
fn updates_by_any_index_stay_within_the_output() {
    let descriptor = scatter(packed(I8, &[3]), packed(I64, &[4]), packed(I8, &[4]), 0);
    let indices = bytes(&[-1i64, 3, -4, i64::MIN]);
    assert_eq!(result::<i8>(&descriptor, &[bytes(&[1i8, 2, 3]), indices, bytes(&[4i8, 5, 6, 7])]), [1, 2, 4]);
    let descriptor = scatter(packed(I8, &[3]), packed(U64, &[2]), packed(I8, &[2]), 0);
    let indices = bytes(&[u64::MAX, 1 << 32]);
    assert_eq!(result::<i8>(&descriptor, &[bytes(&[1i8, 2, 3]), indices, bytes(&[4i8, 5])]), [1, 2, 3]);
}

#[test]
fn blocks_by_any_tuple_stay_within_the_output() {
    let names = ["InputTensor", "IndicesTensor", "UpdatesTensor"];
    let tensors = [packed(I8, &[2, 2, 2]), packed(I64, &[1, 4, 2]), strided(I8, &[1, 4, 2], &[0, 1, 0])];
    let inputs = std::iter::zip(names, tensors).map(|(name, tensor)| input(name, tensor));
    let counts = [("InputDimensionCount", 3), ("IndicesDimensionCount", 2)];
    let descriptor = Descriptor {
        operator: "directml/scatter_nd".to_owned(),
        level: "5_0".to_owned(),
        tensors: inputs.chain([output("OutputTensor", packed(I8, &[2, 2, 2]))]).collect(),
        attributes: counts.map(|(name, count)| attribute(name, AttributeValue::Integer(count))).to_vec(),
        constants: Vec::new(),
    };
    let indices = bytes(&[-1i64, 0, 2, 0, 0, i64::MIN, 0, 1]);
    let inputs = [bytes(&[1i8, 2, 3, 4, 5, 6, 7, 8]), indices, bytes(&[51i8, 52, 53, 54])];
    assert_eq!(result::<i8>(&descriptor, &inputs), [1, 2, 54, 54, 51, 51, 7, 8]);
}

#[test]
fn the_first_elements_come_out_in_order_whatever_the_strides_are() {
    // Columns of three, which lie side by side; of equal elements the first one comes first in both directions.
    let descriptor = |direction: &str| Descriptor {
        operator: "directml/top_k1".to_owned(),
        level: "5_0".to_owned(),
        tensors: vec![
            input("InputTensor", strided(F32, &[3, 2], &[1, 3])),
            output("OutputValueTensor", packed(F32, &[2, 2])),
            output("OutputIndexTensor", strided(U64, &[2, 2], &[1, 3])),
        ],
        attributes: vec![
            attribute("Axis", AttributeValue::Integer(0)),
            attribute("K", AttributeValue::Integer(2)),
            attribute("AxisDirection", AttributeValue::Enumerator(format!("DML_AXIS_DIRECTION_{direction}"))),
        ],
        constants: Vec::new(),
    };
    let memory = [bytes(&[-1.0f32, 3.0, 3.0, 0.0, f32::NEG_INFINITY, -0.0])];
    let [values, indices] = run(&descriptor("DECREASING"), &memory).try_into().unwrap();
    assert_eq!(elements::<f32>(&values), [3.0, 0.0, 3.0, 0.0]);
    // What lies between the columns of the output is nobody's.
    assert_eq!([0, 1, 3, 4].map(|at| elements::<u64>(&indices)[at]), [1, 2, 0, 2]);
    let [values, indices] = run(&descriptor("INCREASING"), &memory).try_into().unwrap();
    assert_eq!(elements::<f32>(&values), [-1.0, f32::NEG_INFINITY, 3.0, 0.0]);
    assert_eq!([0, 1, 3, 4].map(|at| elements::<u64>(&indices)[at]), [0, 1, 1, 0]);
}

#[test]
fn scatter_takes_any_strides() {
    // The input is transposed, one index stands for each row, and updates have gaps.
    let (indices, updates) = (strided(U32, &[2, 1], &[0, 1]), strided(I16, &[2, 1], &[3, 1]));
    let descriptor = scatter(strided(I16, &[2, 3], &[1, 2]), indices, updates, 1);
    // In memory: the columns 11 21, 12 22, 13 23.
    let inputs = [bytes(&[11i16, 21, 12, 22, 13, 23]), bytes(&[2u32]), bytes(&[51i16, 0, 0, 61])];
    assert_eq!(result::<i16>(&descriptor, &inputs), [11, 12, 51, 21, 22, 61]);
}

#[test]
fn the_second_example_of_reverse_subsequences() {
    let tensor = packed(F32, &[1, 1, 3, 4]);
    let descriptor = reverse(tensor.clone(), packed(U32, &[1, 1, 1, 4]), tensor, 2);
    let numbers: Vec<f32> = (1u8..=12).map(f32::from).collect();
    let found: Vec<f32> = result(&descriptor, &[bytes(&numbers), bytes(&[2u32, 3, 1, 0])]);
    assert_eq!(found, [5.0, 10.0, 3.0, 4.0, 1.0, 6.0, 7.0, 8.0, 9.0, 2.0, 11.0, 12.0]);
}

#[test]
fn lengths_beyond_the_axis_are_those_of_the_axis() {
    let tensor = packed(U8, &[3, 3]);
    let descriptor = reverse(tensor.clone(), packed(U64, &[3, 1]), tensor, 1);
    let lengths = bytes(&[1u64 << 32, u64::MAX, 2]);
    let found: Vec<u8> = result(&descriptor, &[bytes(&[1u8, 2, 3, 4, 5, 6, 7, 8, 9]), lengths]);
    assert_eq!(found, [3, 2, 1, 6, 5, 4, 8, 7, 9]);
}

#[test]
fn reverse_subsequences_takes_any_strides() {
    let (from, to) = (strided(I16, &[2, 3], &[1, 2]), packed(I16, &[2, 3]));
    let descriptor = reverse(from, strided(U32, &[2, 1], &[0, 1]), to, 1);
    let found: Vec<i16> = result(&descriptor, &[bytes(&[11i16, 21, 12, 22, 13, 23]), bytes(&[2u32])]);
    assert_eq!(found, [12, 11, 13, 22, 21, 23]);
}

#[test]
fn copies_lie_side_by_side_whatever_the_strides_are() {
    let tiled = |from: TensorDescriptor, to: TensorDescriptor| Descriptor {
        operator: "directml/tile".to_owned(),
        level: "5_0".to_owned(),
        tensors: vec![input("InputTensor", from), output("OutputTensor", to)],
        attributes: vec![
            attribute("RepeatsCount", AttributeValue::Integer(2)),
            attribute("Repeats", AttributeValue::Integers(vec![2, 3])),
        ],
        constants: Vec::new(),
    };
    let row = [11i16, 12, 11, 12, 11, 12];
    let expected = [row, row.map(|place| place + 10), row, row.map(|place| place + 10)].concat();
    let descriptor = tiled(packed(I16, &[2, 2]), packed(I16, &[4, 6]));
    assert_eq!(result::<i16>(&descriptor, &[bytes(&[11i16, 12, 21, 22])]), expected);
    // The input is transposed.
    let descriptor = tiled(strided(I16, &[2, 2], &[1, 2]), packed(I16, &[4, 6]));
    assert_eq!(result::<i16>(&descriptor, &[bytes(&[11i16, 21, 12, 22])]), expected);
}

#[test]
fn blocks_in_both_orders_and_back() {
    // Channels, rows and columns of space, as digits.
    let space = [111i16, 112, 121, 122, 211, 212, 221, 222];
    let by_order = [("DEPTH_COLUMN_ROW", [111i16, 211, 112, 212, 121, 221, 122, 222]), ("COLUMN_ROW_DEPTH", space)];
    let (of_depth, of_space) = (packed(I16, &[1, 8, 1, 1]), packed(I16, &[1, 2, 2, 2]));
    for (order, depth) in by_order {
        let descriptor = blocks("directml/depth_to_space1", of_depth.clone(), of_space.clone(), order);
        assert_eq!(result::<i16>(&descriptor, &[bytes(&depth)]), space, "{order}");
        let descriptor = blocks("directml/space_to_depth1", of_space.clone(), of_depth.clone(), order);
        assert_eq!(result::<i16>(&descriptor, &[bytes(&space)]), depth, "{order}");
    }
}

#[test]
fn what_blocks_do_not_fill_is_left_out() {
    let descriptor =
        blocks("directml/depth_to_space1", packed(U8, &[1, 5, 1, 1]), packed(U8, &[1, 1, 2, 2]), "COLUMN_ROW_DEPTH");
    assert_eq!(result::<u8>(&descriptor, &[bytes(&[1u8, 2, 3, 4, 5])]), [1, 2, 3, 4]);
    let descriptor =
        blocks("directml/space_to_depth1", packed(U8, &[1, 1, 2, 3]), packed(U8, &[1, 4, 1, 1]), "DEPTH_COLUMN_ROW");
    assert_eq!(result::<u8>(&descriptor, &[bytes(&[1u8, 2, 3, 4, 5, 6])]), [1, 2, 4, 5]);
}
