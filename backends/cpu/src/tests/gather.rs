//! `directml/gather`.

use opcert_backend::DataType::{F32, F64, I8, I16, I32, I64, U16, U32, U64};
use opcert_backend::{AttributeValue, Descriptor, TensorDescriptor};

use super::{attribute, bytes, input, output, packed, result, strided};

fn gather(
    level: &str,
    from: TensorDescriptor,
    indices: TensorDescriptor,
    to: TensorDescriptor,
    (axis, index_dimensions): (i64, i64),
) -> Descriptor {
    Descriptor {
        operator: "directml/gather".to_owned(),
        level: level.to_owned(),
        tensors: vec![input("InputTensor", from), input("IndicesTensor", indices), output("OutputTensor", to)],
        attributes: vec![
            attribute("Axis", AttributeValue::Integer(axis)),
            attribute("IndexDimensions", AttributeValue::Integer(index_dimensions)),
        ],
        constants: Vec::new(),
    }
}

#[test]
fn the_second_example_of_the_page() {
    let descriptor = gather("3_0", packed(F32, &[3, 2]), packed(U32, &[1, 4]), packed(F32, &[4, 2]), (0, 1));
    let numbers = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let found: Vec<f32> = result(&descriptor, &[bytes(&numbers), bytes(&[0u32, 1, 1, 2])]);
    assert_eq!(found, [1.0, 2.0, 3.0, 4.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn indices_of_several_dimensions_crowd_ones_out() {
    let descriptor = gather("4_1", packed(I16, &[1, 2, 3]), packed(I64, &[1, 2, 2]), packed(I16, &[2, 2, 2]), (2, 2));
    let found: Vec<i16> = result(&descriptor, &[bytes(&[11i16, 12, 13, 21, 22, 23]), bytes(&[-1i64, 0, 1, -2])]);
    assert_eq!(found, [13, 11, 12, 12, 23, 21, 22, 22]);
}

#[test]
fn one_index_takes_the_axis_away() {
    let descriptor = gather("4_1", packed(U16, &[2, 3]), packed(U32, &[1, 1]), packed(U16, &[1, 2]), (1, 0));
    let found: Vec<u16> = result(&descriptor, &[bytes(&[11u16, 12, 13, 21, 22, 23]), bytes(&[1u32])]);
    assert_eq!(found, [12, 22]);
}

#[test]
fn an_index_that_names_nothing_reads_within_the_input() {
    let descriptor = gather("4_1", packed(I32, &[3]), packed(U64, &[4]), packed(I32, &[4]), (0, 1));
    let found: Vec<i32> = result(&descriptor, &[bytes(&[7i32, 7, 7]), bytes(&[3u64, 1 << 32, u64::MAX, u64::MAX - 1])]);
    assert_eq!(found, [7; 4]);
    let descriptor = gather("4_1", packed(I8, &[3]), packed(I64, &[2]), packed(I8, &[2]), (0, 1));
    assert_eq!(result::<i8>(&descriptor, &[bytes(&[7i8, 7, 7]), bytes(&[-4i64, i64::MIN])]), [7; 2]);
}

#[test]
fn any_strides() {
    // The input is transposed, one index stands for two columns, and the output has gaps.
    let from = strided(F64, &[2, 3], &[1, 2]);
    let (indices, to) = (strided(I32, &[1, 2], &[0, 0]), strided(F64, &[2, 2], &[4, 2]));
    let descriptor = gather("4_1", from, indices, to, (1, 1));
    // In memory: the columns 11 21, 12 22, 13 23.
    let numbers = bytes(&[11.0f64, 21.0, 12.0, 22.0, 13.0, 23.0]);
    let found: Vec<f64> = result(&descriptor, &[numbers, bytes(&[2i32])]);
    let untouched = f64::from_le_bytes([super::POISON; 8]);
    let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<u64>>();
    assert_eq!(bits(&found), bits(&[13.0, untouched, 13.0, untouched, 23.0, untouched, 23.0]));
}
