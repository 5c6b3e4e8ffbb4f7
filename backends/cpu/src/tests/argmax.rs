//! `directml/argmax`.

use half::f16;
use opcert_backend::DataType::{self, F32, I32, I64, U8, U32, U64};
use opcert_backend::operators::{AXIS_DIRECTION_DECREASING as LAST, AXIS_DIRECTION_INCREASING as FIRST};

use super::{Element, argmax, bytes, packed, result, strided};

/// The first and the last maximum of a one-dimensional tensor.
fn maxima<T: Element>(values: &[T]) -> (u32, u32) {
    let [first, last] = [FIRST, LAST].map(|direction| {
        let input = packed(T::TYPE, &[values.len() as u64]);
        result::<u32>(&argmax("4_1", input, packed(U32, &[1]), &[0], direction), &[bytes(values)])[0]
    });
    (first, last)
}

#[test]
fn examples_1_to_3() {
    let input = bytes(&[1f32, 2., 3., 3., 0., 4., 2., 5., 2.]);
    let cases: [(&[u64], &[i64], &[u32]); 3] =
        [(&[1, 3], &[0], &[1, 2, 1]), (&[3, 1], &[1], &[2, 2, 1]), (&[1, 1], &[0, 1], &[7])];
    for (sizes, axes, expected) in cases {
        let descriptor = argmax("3_0", packed(F32, &[3, 3]), packed(U32, sizes), axes, FIRST);
        assert_eq!(result::<u32>(&descriptor, std::slice::from_ref(&input)), expected, "{axes:?}");
    }
}

#[test]
fn examples_of_ties() {
    assert_eq!(maxima(&[3u8, 2, 1, 2, 3]), (0, 4));
    assert_eq!(maxima(&[3f32, 2., 1., 2., 3.]), (0, 4));
}

#[test]
fn every_output_type_holds_the_same_index() {
    let memory = [bytes(&[1u8, 9, 9, 0])];
    for data_type in [I64, U64, I32, U32] {
        let descriptor = argmax("3_0", packed(U8, &[4]), packed(data_type, &[1]), &[0], LAST);
        let expected = if data_type.bytes() == 8 { bytes(&[2u64]) } else { bytes(&[2u32]) };
        assert_eq!(result::<u8>(&descriptor, &memory), expected, "{data_type}");
    }
}

#[test]
fn floats_compare_by_value() {
    assert_eq!(maxima(&[-0.0f32, 0.0, -0.0]), (0, 2));
    assert_eq!(maxima(&[f32::NEG_INFINITY; 3]), (0, 2));
    assert_eq!(maxima(&[f32::NEG_INFINITY, f32::MIN, f32::NEG_INFINITY]), (1, 1));
    assert_eq!(maxima(&[f32::MAX, f32::INFINITY, 0.0, f32::INFINITY]), (1, 3));
    assert_eq!(maxima(&[-3f32, -1., -2.]), (1, 1));
    assert_eq!(maxima(&[0.0, f32::from_bits(1), -f32::from_bits(1)]), (1, 1));
    assert_eq!(maxima(&[f16::MIN, f16::NEG_INFINITY, f16::from_f32(-1.0)]), (2, 2));
    assert_eq!(maxima(&[f16::MAX, f16::from_bits(0x7BFE), f16::NEG_ZERO]), (0, 0));
}

#[test]
fn integers_compare_exactly() {
    let exact = 1i64 << 53;
    assert_eq!(maxima(&[exact, exact + 1, exact]), (1, 1));
    assert_eq!(maxima(&[u64::MAX - 1, u64::MAX, 1 << 63]), (1, 1));
    assert_eq!(maxima(&[1i64 << 32, 2 << 32, 7]), (1, 1));
    assert_eq!(maxima(&[i64::MIN; 2]), (0, 1));
    assert_eq!(maxima(&[i8::MIN, -1, i8::MIN]), (1, 1));
    assert_eq!(maxima(&[-1i16, 1, -32768]), (1, 1));
    assert_eq!(maxima(&[127u8, 128, 255, 255]), (2, 3));
    assert_eq!(maxima(&[0x7FFFu16, 0x8000]), (1, 1));
    assert_eq!(maxima(&[-5i32, -4]), (1, 1));
    assert_eq!(maxima(&[0x7FFF_FFFFu32, 0x8000_0000]), (1, 1));
}

#[test]
fn nan_is_above_everything_and_in_range() {
    assert_eq!(maxima(&[f32::NAN, f32::INFINITY]), (0, 0));
    assert_eq!(maxima(&[1.0, -f32::NAN, f32::INFINITY, f32::NAN]), (1, 3));
    assert_eq!(maxima(&[f32::NAN; 4]), (0, 3));
    assert_eq!(maxima(&[f16::INFINITY, f16::NAN]), (1, 1));
}

#[test]
fn several_axes_count_row_major_over_them() {
    // {2,2,3} reduced over the outer and the inner dimension. For the middle coordinate 0 the members are
    // 1 2 3 / 7 8 0 with the maximum 8 at 1*3+1; for 1 they are 9 5 6 / 4 9 9, first at 0, last at 1*3+2.
    let memory = [vec![1u8, 2, 3, 9, 5, 6, 7, 8, 0, 4, 9, 9]];
    for (direction, expected) in [(FIRST, [4, 0]), (LAST, [4, 5])] {
        for axes in [&[0, 2][..], &[2, 0], &[0, 2, 0]] {
            let descriptor = argmax("3_0", packed(U8, &[2, 2, 3]), packed(U32, &[1, 2, 1]), axes, direction);
            assert_eq!(result::<u32>(&descriptor, &memory), expected, "{axes:?}");
        }
    }
}

#[test]
fn without_axes_each_element_is_its_own_subset() {
    let descriptor = argmax("3_0", packed(U8, &[2, 2]), packed(U32, &[2, 2]), &[], LAST);
    assert_eq!(result::<u32>(&descriptor, &[vec![4, 3, 2, 1]]), [0; 4]);
}

#[test]
fn a_reduced_size_of_one() {
    let descriptor = argmax("3_0", packed(U8, &[5, 1]), packed(U32, &[5, 1]), &[1], FIRST);
    assert_eq!(result::<u32>(&descriptor, &[vec![1, 2, 3, 4, 5]]), [0; 5]);
}

#[test]
fn strided_input_and_output() {
    // The input {2,3} is stored column by column: logical 1 5 2 / 4 3 6. The output {1,3} leaves gaps.
    let input = strided(U8, &[2, 3], &[1, 2]);
    let descriptor = argmax("3_0", input.clone(), strided(U32, &[1, 3], &[9, 2]), &[0], FIRST);
    let memory = [vec![1, 4, 5, 3, 2, 6]];
    assert_eq!(result::<u32>(&descriptor, &memory), [1, 0xA5A5_A5A5, 0, 0xA5A5_A5A5, 1]);
    // Over all: 1 5 2 4 3 6.
    let descriptor = argmax("3_0", input, packed(U32, &[1, 1]), &[0, 1], FIRST);
    assert_eq!(result::<u32>(&descriptor, &memory), [5]);
    // A broadcast input ties with itself.
    let broadcast = strided(DataType::I16, &[3, 2], &[0, 1]);
    let descriptor = argmax("3_0", broadcast, packed(U32, &[1, 2]), &[0], LAST);
    assert_eq!(result::<u32>(&descriptor, &[bytes(&[-7i16, 7])]), [2, 2]);
}

#[test]
fn ties_far_apart() {
    let mut values = vec![0u8; 65537];
    values[5] = 1;
    values[65536] = 1;
    assert_eq!(maxima(&values), (5, 65536));
}
