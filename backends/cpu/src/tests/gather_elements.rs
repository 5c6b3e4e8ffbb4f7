//! `directml/gather_elements`.

use opcert_backend::DataType::{F32, F64, I8, I16, I32, I64, U32, U64};
use opcert_backend::{AttributeValue, Descriptor, TensorDescriptor};

use super::{attribute, bytes, input, output, packed, result, strided};

fn gather_elements(
    level: &str,
    from: TensorDescriptor,
    indices: TensorDescriptor,
    to: TensorDescriptor,
    axis: i64,
) -> Descriptor {
    Descriptor {
        operator: "directml/gather_elements".to_owned(),
        level: level.to_owned(),
        tensors: vec![input("InputTensor", from), input("IndicesTensor", indices), output("OutputTensor", to)],
        attributes: vec![attribute("Axis", AttributeValue::Integer(axis))],
        constants: Vec::new(),
    }
}

#[test]
fn the_example_of_the_page() {
    let descriptor = gather_elements("3_0", packed(F32, &[3, 3]), packed(U32, &[2, 3]), packed(F32, &[2, 3]), 0);
    let numbers = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    let found: Vec<f32> = result(&descriptor, &[bytes(&numbers), bytes(&[1u32, 2, 0, 2, 0, 0])]);
    assert_eq!(found, [4.0, 8.0, 3.0, 7.0, 2.0, 3.0]);
}

#[test]
fn negative_indices_count_from_the_end_of_the_axis() {
    let descriptor = gather_elements("4_1", packed(I16, &[2, 3]), packed(I64, &[2, 2]), packed(I16, &[2, 2]), 1);
    let found: Vec<i16> = result(&descriptor, &[bytes(&[11i16, 12, 13, 21, 22, 23]), bytes(&[-1i64, -3, -2, 2])]);
    assert_eq!(found, [13, 11, 22, 23]);
}

#[test]
fn an_index_that_names_nothing_reads_within_the_input() {
    let descriptor = gather_elements("4_1", packed(I32, &[3]), packed(U64, &[4]), packed(I32, &[4]), 0);
    let found: Vec<i32> = result(&descriptor, &[bytes(&[7i32, 7, 7]), bytes(&[3u64, 1 << 32, u64::MAX, u64::MAX - 1])]);
    assert_eq!(found, [7; 4]);
    let descriptor = gather_elements("4_1", packed(I8, &[3]), packed(I64, &[2]), packed(I8, &[2]), 0);
    assert_eq!(result::<i8>(&descriptor, &[bytes(&[7i8, 7, 7]), bytes(&[-4i64, i64::MIN])]), [7; 2]);
}

#[test]
fn any_strides() {
    // The input is transposed, one index stands for each row, and the output has gaps.
    let from = strided(F64, &[2, 3], &[1, 2]);
    let (indices, to) = (strided(I32, &[2, 2], &[1, 0]), strided(F64, &[2, 2], &[4, 2]));
    let descriptor = gather_elements("4_1", from, indices, to, 1);
    // In memory: the columns 11 21, 12 22, 13 23.
    let numbers = bytes(&[11.0f64, 21.0, 12.0, 22.0, 13.0, 23.0]);
    let found: Vec<f64> = result(&descriptor, &[numbers, bytes(&[2i32, -3])]);
    let untouched = f64::from_le_bytes([super::POISON; 8]);
    let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<u64>>();
    assert_eq!(bits(&found), bits(&[13.0, untouched, 13.0, untouched, 21.0, untouched, 21.0]));
}
