//! `directml/nonzero_coordinates`.

use half::f16;
use opcert_backend::DataType::{self, F16, F32, I8, U8, U32};
use opcert_backend::TensorDescriptor;

use super::{Element, bytes, elements, nonzero, packed, run, strided};

const UNWRITTEN: u32 = 0xA5A5_A5A5;

/// The count and the memory of the coordinates.
fn search(input: TensorDescriptor, memory: Vec<u8>, coordinates: TensorDescriptor) -> (u32, Vec<u32>) {
    let count = packed(U32, &vec![1; input.sizes.len()]);
    let outputs = run(&nonzero("4_0", input, count, coordinates), &[memory]);
    let count = elements::<u32>(&outputs[0]);
    assert_eq!(count.len(), 1);
    (count[0], elements(&outputs[1]))
}

/// The indices of the non-zero elements of a one-dimensional tensor.
fn positions<T: Element>(values: &[T]) -> Vec<u32> {
    let size = values.len() as u64;
    let (count, found) = search(packed(T::TYPE, &[size]), bytes(values), packed(U32, &[size, 1]));
    let (written, rest) = found.split_at(count as usize);
    assert!(rest.iter().all(|&element| element == UNWRITTEN), "rows from the count on are left alone");
    written.to_vec()
}

#[test]
fn example() {
    let descriptor = nonzero("3_0", packed(F32, &[1, 1, 2, 4]), packed(U32, &[1, 1, 1, 1]), packed(U32, &[1, 1, 8, 3]));
    let outputs = run(&descriptor, &[bytes(&[1.0f32, 0.0, 0.0, 2.0, -0.0, 3.5, 0.0, -5.2])]);
    assert_eq!(elements::<u32>(&outputs[0]), [4]);
    let coordinates = elements::<u32>(&outputs[1]);
    assert_eq!(coordinates[..12], [0, 0, 0, 0, 0, 3, 0, 1, 1, 0, 1, 3]);
    assert_eq!(coordinates[12..], [UNWRITTEN; 12]);
}

#[test]
fn example_of_the_order() {
    // Non-zero at {1,0}, {1,2} and {0,5}.
    let mut values = [0u8; 12];
    values[6] = 1;
    values[8] = 255;
    values[5] = 2;
    let (count, coordinates) = search(packed(U8, &[2, 6]), values.to_vec(), packed(U32, &[12, 2]));
    assert_eq!((count, &coordinates[..6]), (3, &[0, 5, 1, 0, 1, 2][..]));
}

#[test]
fn every_width_from_the_effective_rank_on() {
    // {1,1,12,5} has the effective rank 2; the last element is {0,0,11,4}.
    let mut values = vec![0u8; 60];
    values[59] = 1;
    for (columns, expected) in [(2, vec![11, 4]), (3, vec![0, 11, 4]), (4, vec![0, 0, 11, 4])] {
        let (count, coordinates) =
            search(packed(I8, &[1, 1, 12, 5]), values.clone(), packed(U32, &[1, 1, 60, columns]));
        assert_eq!((count, &coordinates[..expected.len()]), (1, &expected[..]));
    }
    for columns in 1..=4 {
        let shape = packed(U32, &[1, 1, 1, columns]);
        let (count, coordinates) = search(packed(U8, &[1, 1, 1, 1]), vec![3], shape.clone());
        assert_eq!((count, coordinates), (1, vec![0; usize::try_from(columns).unwrap()]));
        assert_eq!(search(packed(U8, &[1, 1, 1, 1]), vec![0], shape).0, 0);
    }
}

#[test]
fn zero_is_decided_by_the_bits() {
    assert_eq!(
        positions(&[0.0f32, -0.0, f32::NAN, f32::from_bits(1), -f32::from_bits(1), f32::INFINITY]),
        [2, 3, 4, 5]
    );
    assert_eq!(positions(&[f16::NEG_ZERO, f16::ZERO, f16::NAN, f16::from_bits(0x8001), f16::MIN]), [2, 3, 4]);
    assert_eq!(positions(&[i8::MIN, 0, -1, 2]), [0, 2, 3]);
    assert_eq!(positions(&[i16::MIN, 0, 256]), [0, 2]);
    assert_eq!(positions(&[i32::MIN, 0, 65536]), [0, 2]);
    assert_eq!(positions(&[0u16, 0x8000, 1]), [1, 2]);
    assert_eq!(positions(&[0.5f32, 0.0, f32::MIN]), [0, 2]);
    assert_eq!(positions(&[0u8; 7]), Vec::<u32>::new());
}

#[test]
fn order_is_logical_under_strides() {
    // {2,3} stored column by column: logical 0 1 0 / 1 0 1.
    let input = strided(U8, &[2, 3], &[1, 2]);
    let (count, coordinates) = search(input, vec![0, 1, 1, 0, 0, 1], packed(U32, &[6, 2]));
    assert_eq!((count, &coordinates[..6]), (3, &[0, 1, 1, 0, 1, 2][..]));
}

#[test]
fn a_broadcast_input_has_its_logical_elements() {
    let input = strided(U8, &[3, 2], &[0, 1]);
    let (count, coordinates) = search(input, vec![0, 4], packed(U32, &[6, 2]));
    assert_eq!((count, &coordinates[..6]), (3, &[0, 1, 1, 1, 2, 1][..]));
}

#[test]
fn padded_rows_of_coordinates_keep_their_padding() {
    let coordinates = strided(U32, &[3, 1], &[2, 1]);
    let (count, found) = search(packed(U8, &[3]), vec![1, 0, 1], coordinates);
    assert_eq!((count, found), (2, vec![0, UNWRITTEN, 2, UNWRITTEN, UNWRITTEN]));
}

#[test]
fn the_tensors_may_differ_in_dimension_count() {
    let descriptor = nonzero("4_0", packed(F16, &[2]), packed(U32, &[1, 1, 1]), packed(U32, &[1, 1, 1, 2, 1]));
    let outputs = run(&descriptor, &[bytes(&[f16::ZERO, f16::ONE])]);
    assert_eq!(elements::<u32>(&outputs[0]), [1]);
    assert_eq!(elements::<u32>(&outputs[1]), [1, UNWRITTEN]);

    let at_3_0 = nonzero(
        "3_0",
        packed(DataType::U16, &[1, 1, 1, 2]),
        packed(U32, &[1, 1, 1, 1, 1]),
        packed(U32, &[1, 1, 1, 2, 1]),
    );
    assert_eq!(elements::<u32>(&run(&at_3_0, &[bytes(&[1u16, 0])])[1]), [0, UNWRITTEN]);
}
