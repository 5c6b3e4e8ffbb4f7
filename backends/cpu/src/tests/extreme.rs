//! `directml/reduce_max` and `directml/reduce_min`.

use half::f16;
use opcert_backend::DataType;

use super::{Element, bytes, elements, packed, reduce, result, run, strided};

/// The greatest and the least element of a one-dimensional tensor.
fn extremes<T: Element>(values: &[T]) -> [T; 2] {
    ["MAX", "MIN"].map(|function| {
        let of = |count: usize| packed(T::TYPE, &[count as u64]);
        result::<T>(&reduce(function, of(values.len()), of(1), &[0]), &[bytes(values)])[0]
    })
}

#[test]
fn elements_come_out_bit_for_bit() {
    assert_eq!(extremes(&[3f32, -7.5, 2.0]), [3.0, -7.5]);
    assert_eq!(extremes(&[-0.0f32; 3]).map(f32::to_bits), [0x8000_0000; 2]);
    assert_eq!(extremes(&[f32::NEG_INFINITY; 2]), [f32::NEG_INFINITY; 2]);
    assert_eq!(extremes(&[f16::MAX, f16::INFINITY, f16::MIN]), [f16::INFINITY, f16::MIN]);
    let exact = 1i64 << 53;
    assert_eq!(extremes(&[exact, exact + 1, -exact, -exact - 1]), [exact + 1, -exact - 1]);
    assert_eq!(extremes(&[u64::MAX, u64::MAX - 1, 1 << 63, 1]), [u64::MAX, 1]);
    assert_eq!(extremes(&[0u8, 255, 128]), [255, 0]);
    assert_eq!(extremes(&[-128i8, 127, 0]), [127, -128]);
}

#[test]
fn axes_that_are_apart() {
    let input = bytes(&[5i16, 1, 4, 3, 2, 6, 7, 0]);
    let tensor = packed(DataType::I16, &[2, 2, 2]);
    let of = |function, sizes: &[u64], axes: &[i64]| {
        let descriptor = reduce(function, tensor.clone(), packed(DataType::I16, sizes), axes);
        result::<i16>(&descriptor, std::slice::from_ref(&input))
    };
    assert_eq!(of("MAX", &[1, 2, 1], &[0, 2]), [6, 7]);
    assert_eq!(of("MIN", &[1, 2, 1], &[0, 2]), [1, 0]);
    assert_eq!(of("MAX", &[2, 1, 2], &[1]), [5, 3, 7, 6]);
    assert_eq!(of("MIN", &[1, 1, 1], &[0, 1, 2]), [0]);
}

#[test]
fn large_rows_and_columns_agree_with_a_plain_search() {
    // Enough for the kernels and for several threads.
    let (rows, columns) = (1003u64, 517u64);
    let mut state = 1u32;
    let values: Vec<u32> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state
    })
    .take((rows * columns) as usize)
    .collect();
    let input = bytes(&values);
    let at = |row: u64, column: u64| values[(row * columns + column) as usize];
    let of_rows: Vec<u32> = (0..rows).map(|row| (0..columns).map(|column| at(row, column)).max().unwrap()).collect();
    let of_columns: Vec<u32> = (0..columns).map(|column| (0..rows).map(|row| at(row, column)).min().unwrap()).collect();
    let tensor = packed(DataType::U32, &[rows, columns]);
    let descriptor = reduce("MAX", tensor.clone(), packed(DataType::U32, &[rows, 1]), &[1]);
    assert_eq!(result::<u32>(&descriptor, std::slice::from_ref(&input)), of_rows);
    let descriptor = reduce("MIN", tensor, packed(DataType::U32, &[1, columns]), &[0]);
    assert_eq!(result::<u32>(&descriptor, &[input]), of_columns);
}

#[test]
fn gaps_of_the_output_stay_as_they_were() {
    let output = strided(DataType::U16, &[3, 1], &[3, 0]);
    let descriptor = reduce("MAX", packed(DataType::U16, &[3, 2]), output, &[1]);
    let memory = run(&descriptor, &[bytes(&[2u16, 1, 3, 4, 6, 5])]);
    let gap = u16::from_le_bytes([super::POISON; 2]);
    assert_eq!(elements::<u16>(&memory[0]), [2, gap, gap, 4, gap, gap, 6]);
}
