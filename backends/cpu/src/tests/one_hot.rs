//! `directml/one_hot`.

use half::f16;
use opcert_backend::DataType::{self, F16, F32, I32, U8, U32};

use super::{Element, bytes, one_hot, packed, result, strided};

/// One sequence of `size` elements over On = 1, Off = 0; the position of On.
fn place<T: Element>(index: T, size: u64) -> Option<usize> {
    let descriptor = one_hot("3_0", packed(T::TYPE, &[1]), packed(U8, &[2]), packed(U8, &[size]), 0);
    let sequence: Vec<u8> = result(&descriptor, &[bytes(&[index]), vec![0, 1]]);
    assert!(sequence.iter().filter(|&&element| element == 1).count() <= 1);
    assert!(sequence.iter().all(|&element| element <= 1));
    sequence.iter().position(|&element| element == 1)
}

#[test]
fn example_1() {
    let descriptor =
        one_hot("2_0", packed(U32, &[1, 1, 3, 1]), packed(F32, &[1, 1, 1, 2]), packed(F32, &[1, 1, 3, 4]), 3);
    let found: Vec<f32> = result(&descriptor, &[bytes(&[0u32, 3, 2]), bytes(&[0f32, 1.0])]);
    assert_eq!(found, [1., 0., 0., 0., 0., 0., 0., 1., 0., 0., 1., 0.]);
}

#[test]
fn example_2_another_axis() {
    let descriptor =
        one_hot("2_0", packed(U32, &[1, 1, 1, 4]), packed(F32, &[1, 1, 1, 2]), packed(F32, &[1, 1, 3, 4]), 2);
    let found: Vec<f32> = result(&descriptor, &[bytes(&[0u32, 2, 1, 0]), bytes(&[0f32, 1.0])]);
    assert_eq!(found, [1., 0., 0., 1., 0., 0., 1., 0., 0., 1., 0., 0.]);
}

#[test]
fn example_3_values_along_another_dimension() {
    let descriptor =
        one_hot("2_0", packed(U32, &[1, 1, 3, 1]), packed(F32, &[1, 1, 3, 1]), packed(F32, &[1, 1, 3, 4]), 3);
    let found: Vec<f32> = result(&descriptor, &[bytes(&[0u32, 3, 2]), bytes(&[4f32, 2.0, 9.0])]);
    assert_eq!(found, [2., 4., 4., 4., 4., 4., 4., 2., 4., 4., 2., 4.]);
}

#[test]
fn example_4_negative_and_out_of_range() {
    let descriptor =
        one_hot("3_0", packed(I32, &[1, 1, 3, 1]), packed(F32, &[1, 1, 1, 2]), packed(F32, &[1, 1, 3, 4]), 3);
    let found: Vec<f32> = result(&descriptor, &[bytes(&[-3i32, 100, 3]), bytes(&[0f32, 1.0])]);
    assert_eq!(found, [0., 1., 0., 0., 0., 0., 0., 0., 0., 0., 0., 1.]);
}

#[test]
fn indices_are_neither_wrapped_nor_truncated() {
    for (index, expected) in [(0u64, Some(0)), (4, Some(4)), (5, None), (6, None), (10, None)] {
        assert_eq!(place(index, 5), expected, "{index}");
    }
    for index in [1 << 31, 1 << 32, (1 << 32) + 2, 1 << 63, (1 << 63) + 1, u64::MAX, u64::MAX - 1] {
        assert_eq!(place(index, 5), None, "{index}");
    }
    for index in [5u32, 1 << 31, u32::MAX, u32::MAX - 1] {
        assert_eq!(place(index, 5), None, "{index}");
    }
    for (index, expected) in [(-1i64, Some(4)), (-5, Some(0)), (-6, None), (-10, None), (5, None)] {
        assert_eq!(place(index, 5), expected, "{index}");
        assert_eq!(place(i32::try_from(index).unwrap(), 5), expected, "{index}");
    }
    for index in [i64::MIN, i64::MAX, (1 << 32) + 1, -(1 << 32) - 1, -(1 << 32) + 1] {
        assert_eq!(place(index, 5), None, "{index}");
    }
    assert_eq!(place(i32::MIN, 5), None);
    assert_eq!(place(-1i32, 1), Some(0));
}

#[test]
fn an_index_before_the_start_leaves_the_previous_sequence_alone() {
    let descriptor = one_hot("3_0", packed(I32, &[2, 1]), packed(U8, &[1, 2]), packed(U8, &[2, 3]), 1);
    let found: Vec<u8> = result(&descriptor, &[bytes(&[0i32, -4]), vec![7, 9]]);
    assert_eq!(found, [9, 7, 7, 7, 7, 7]);
}

#[test]
fn values_arrive_bit_for_bit() {
    // NaN with a payload as On, -0.0 as Off.
    let descriptor = one_hot("3_0", packed(U32, &[1]), packed(F32, &[2]), packed(F32, &[3]), 0);
    let found: Vec<u32> = result(&descriptor, &[bytes(&[1u32]), bytes(&[0x8000_0000u32, 0x7FC0_0001])]);
    assert_eq!(found, [0x8000_0000, 0x7FC0_0001, 0x8000_0000]);

    let descriptor = one_hot("3_0", packed(U32, &[1]), packed(F16, &[2]), packed(F16, &[2]), 0);
    let found: Vec<f16> = result(&descriptor, &[bytes(&[0u32]), bytes(&[f16::NEG_INFINITY, f16::MAX])]);
    assert_eq!(found, [f16::MAX, f16::NEG_INFINITY]);

    let descriptor = one_hot("4_1", packed(U32, &[1]), packed(DataType::I64, &[2]), packed(DataType::I64, &[2]), 0);
    let found: Vec<i64> = result(&descriptor, &[bytes(&[1u32]), bytes(&[i64::MAX, i64::MIN])]);
    assert_eq!(found, [i64::MAX, i64::MIN]);
}

#[test]
fn a_middle_axis_of_three() {
    // Indices {2,1,2} hold 2 0 / 1 9; the output is {2,3,2}.
    let descriptor = one_hot("3_0", packed(U32, &[2, 1, 2]), packed(U8, &[1, 1, 2]), packed(U8, &[2, 3, 2]), 1);
    let found: Vec<u8> = result(&descriptor, &[bytes(&[2u32, 0, 1, 9]), vec![0, 1]]);
    assert_eq!(found, [0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
}

#[test]
fn on_follows_the_logical_dimensions_of_strided_values() {
    // Memory a b c d; On is element 1 of the innermost dimension, whose stride is 2: c.
    let values = strided(U8, &[1, 1, 2, 2], &[4, 4, 1, 2]);
    let descriptor = one_hot("2_1", packed(U32, &[1, 1, 1, 1]), values, packed(U8, &[1, 1, 1, 2]), 3);
    let found: Vec<u8> = result(&descriptor, &[bytes(&[0u32]), vec![10, 11, 12, 13]]);
    assert_eq!(found, [12, 10]);
}

#[test]
fn broadcast_indices_and_a_padded_transposed_output() {
    // One index for both rows; the output {2,3} is column-major with a gap after each column of two.
    let indices = strided(U32, &[2, 1], &[0, 7]);
    let descriptor = one_hot("3_0", indices, packed(U8, &[1, 2]), strided(U8, &[2, 3], &[1, 3]), 1);
    let found: Vec<u8> = result(&descriptor, &[bytes(&[2u32]), vec![0, 1]]);
    assert_eq!(found, [0, 0, 0xA5, 0, 0, 0xA5, 1, 1]);
}

#[test]
fn eight_dimensions() {
    let descriptor = one_hot(
        "3_0",
        packed(I32, &[2, 1, 1, 1, 1, 1, 1, 2]),
        packed(U8, &[1, 1, 1, 1, 1, 1, 1, 2]),
        packed(U8, &[2, 1, 1, 2, 1, 1, 1, 2]),
        3,
    );
    let found: Vec<u8> = result(&descriptor, &[bytes(&[0i32, 1, -1, 2]), vec![0, 1]]);
    assert_eq!(found, [1, 0, 0, 1, 0, 0, 1, 0]);
}
