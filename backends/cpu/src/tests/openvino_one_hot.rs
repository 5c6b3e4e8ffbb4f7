//! `openvino/one_hot_1`.

use opcert_backend::DataType::{BF16, Bool, F64, I8, I32, I64};
use opcert_backend::{Constant, Descriptor};

use super::{bytes, openvino, packed, result, strided};

/// Memory for the inputs: the depth is read from the descriptor, so its tensor holds something else.
fn memory(indices: Vec<u8>, on: Vec<u8>, off: Vec<u8>) -> [Vec<u8>; 4] {
    [indices, vec![0xFF; 8], on, off]
}

fn small(descriptor: &Descriptor, indices: &[i64]) -> Vec<i8> {
    result(descriptor, &memory(bytes(indices), vec![1], vec![0]))
}

#[test]
fn example_1() {
    let descriptor = openvino(packed(I64, &[4]), 3, I32, packed(I32, &[4, 3]), -1);
    let found: Vec<i32> = result(&descriptor, &memory(bytes(&[0i64, 3, 1, 2]), bytes(&[1i32]), bytes(&[2i32])));
    assert_eq!(found, [1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 1]);
}

#[test]
fn example_2() {
    let descriptor = openvino(packed(I32, &[2, 3]), 3, I8, packed(I8, &[2, 3, 3]), 1);
    let found: Vec<i8> = result(&descriptor, &memory(bytes(&[0i32, 3, 1, 1, 2, 4]), vec![1], vec![0]));
    assert_eq!(found, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0]);
}

#[test]
fn negative_axes_count_from_the_end_of_the_output() {
    // Indices 0 1: along the new outermost dimension the columns are one-hot, along the innermost the rows.
    for (axis, sizes, expected) in [
        (0, [3, 2], [1, 0, 0, 1, 0, 0]),
        (-2, [3, 2], [1, 0, 0, 1, 0, 0]),
        (1, [2, 3], [1, 0, 0, 0, 1, 0]),
        (-1, [2, 3], [1, 0, 0, 0, 1, 0]),
    ] {
        assert_eq!(small(&openvino(packed(I64, &[2]), 3, I8, packed(I8, &sizes), axis), &[0, 1]), expected, "{axis}");
    }
}

#[test]
fn scalar_indices() {
    for axis in [0, -1] {
        assert_eq!(small(&openvino(packed(I64, &[]), 3, I8, packed(I8, &[3]), axis), &[2]), [0, 0, 1]);
    }
}

#[test]
fn indices_out_of_range_are_all_off() {
    for index in [3, (1 << 32) + 1, -1, -3, i64::MIN, i64::MAX] {
        assert_eq!(small(&openvino(packed(I64, &[1]), 3, I8, packed(I8, &[1, 3]), 1), &[index]), [0; 3], "{index}");
    }
}

#[test]
fn values_of_every_width_arrive_bit_for_bit() {
    let descriptor = openvino(packed(I64, &[]), 2, F64, packed(F64, &[2]), 0);
    let (on, off) = (0xFFF8_0000_0000_0001u64, 1u64 << 63);
    assert_eq!(result::<u64>(&descriptor, &memory(bytes(&[0i64]), bytes(&[on]), bytes(&[off]))), [on, off]);
    let descriptor = openvino(packed(I64, &[]), 2, BF16, packed(BF16, &[2]), 0);
    let found: Vec<u16> = result(&descriptor, &memory(bytes(&[1i64]), bytes(&[0x7FC1u16]), bytes(&[0x8000u16])));
    assert_eq!(found, [0x8000, 0x7FC1]);
    let descriptor = openvino(packed(I64, &[]), 2, Bool, packed(Bool, &[2]), 0);
    assert_eq!(result::<u8>(&descriptor, &memory(bytes(&[1i64]), vec![0], vec![1])), [1, 0]);
}

#[test]
fn depth_of_another_type_than_the_indices() {
    let mut descriptor = openvino(packed(I64, &[2]), 3, I8, packed(I8, &[2, 3]), 1);
    descriptor.tensors[1].tensor = packed(I32, &[]);
    descriptor.constants = vec![Constant { name: "depth".to_owned(), bytes: bytes(&[3i32]) }];
    assert_eq!(small(&descriptor, &[2, 0]), [0, 0, 1, 1, 0, 0]);
}

#[test]
fn empty_indices_give_an_empty_output() {
    assert_eq!(small(&openvino(packed(I64, &[2, 0]), 3, I8, packed(I8, &[2, 3, 0]), 1), &[]), Vec::<i8>::new());
    let distant = strided(I64, &[0, 5], &[u64::MAX, u64::MAX]);
    assert_eq!(small(&openvino(distant, 3, I8, packed(I8, &[0, 5, 3]), 2), &[]), Vec::<i8>::new());
}

#[test]
fn strided_indices_and_output() {
    // Indices 2 0 with a gap between them; the output {2,3} is stored column by column.
    let descriptor = openvino(strided(I64, &[2], &[2]), 3, I8, strided(I8, &[2, 3], &[1, 2]), 1);
    assert_eq!(small(&descriptor, &[2, 99, 0]), [0, 1, 0, 0, 1, 0]);
}
