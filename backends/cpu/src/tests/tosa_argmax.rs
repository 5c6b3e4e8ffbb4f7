//! `tosa/argmax`.

use half::{bf16, f16};
use opcert_backend::DataType::{F32, I32};

use super::{Element, POISON, bytes, packed, result, strided, tosa_argmax};

const PROPAGATE: Option<&str> = Some("PROPAGATE");
const IGNORE: Option<&str> = Some("IGNORE");

/// The index of the greatest element of a one-dimensional tensor with each of the modes.
fn indices<T: Element>(values: &[T]) -> (i32, i32) {
    let [left_out, propagated, ignored] = [None, PROPAGATE, IGNORE].map(|nan_mode| {
        let input = packed(T::TYPE, &[values.len() as u64]);
        result::<i32>(&tosa_argmax(input, packed(I32, &[]), 0, nan_mode), &[bytes(values)])[0]
    });
    assert_eq!(left_out, propagated, "PROPAGATE is the default");
    (propagated, ignored)
}

#[test]
fn nan_is_above_everything_or_below() {
    let (nan, infinity) = (f32::NAN, f32::INFINITY);
    assert_eq!(indices(&[1.0, nan, 3.0, nan, 2.0]), (1, 2));
    assert_eq!(indices(&[nan, 1.0, 2.0]), (0, 2));
    assert_eq!(indices(&[infinity, nan]), (1, 0));
    assert_eq!(indices(&[nan, -infinity]), (0, 1));
    assert_eq!(indices(&[-infinity, nan, -infinity]), (1, 0));
    assert_eq!(indices(&[nan, nan, -infinity, f32::MIN]), (0, 3));
    assert_eq!(indices(&[nan, -0.0, 0.0]), (0, 1));
    assert_eq!(indices(&[nan]), (0, 0));
}

#[test]
fn all_nan_are_equal() {
    // With and without a sign, quiet and not, of the least and of the greatest payload.
    let nan = [0xFFC0_0000, 0x7F80_0001, 0xFF80_0001, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x7FC0_0000].map(f32::from_bits);
    assert_eq!(indices(&nan), (0, 0));
    assert_eq!(indices(&nan.repeat(200)), (0, 0));
    for nan in nan {
        assert_eq!(indices(&[f32::INFINITY, nan, f32::NAN]), (1, 0), "{:x}", nan.to_bits());
        assert_eq!(indices(&[f32::NAN, nan, f32::NEG_INFINITY]), (0, 2), "{:x}", nan.to_bits());
    }
    for nan in [0xFE00, 0x7C01, 0xFC01, 0x7FFF, 0xFFFF, 0x7E00].map(f16::from_bits) {
        assert_eq!(indices(&[f16::INFINITY, nan, f16::NAN]), (1, 0), "{:x}", nan.to_bits());
        assert_eq!(indices(&[f16::NAN, nan, f16::NEG_INFINITY]), (0, 2), "{:x}", nan.to_bits());
    }
    for nan in [0xFFC0, 0x7F81, 0xFF81, 0x7FFF, 0xFFFF, 0x7FC0].map(bf16::from_bits) {
        assert_eq!(indices(&[bf16::INFINITY, nan, bf16::NAN]), (1, 0), "{:x}", nan.to_bits());
        assert_eq!(indices(&[bf16::NAN, nan, bf16::NEG_INFINITY]), (0, 2), "{:x}", nan.to_bits());
    }
}

#[test]
fn numbers_compare_by_value() {
    assert_eq!(indices(&[-1.0f32, -0.0, 0.0]), (1, 1));
    assert_eq!(indices(&[f16::NEG_ZERO, f16::ZERO]), (0, 0));
    assert_eq!(indices(&[bf16::ZERO, bf16::NEG_ZERO]), (0, 0));
    assert_eq!(indices(&[f32::NEG_INFINITY; 3]), (0, 0));
    assert_eq!(indices(&[f32::NEG_INFINITY, f32::MIN, f32::NEG_INFINITY]), (1, 1));
    assert_eq!(indices(&[f32::MAX, f32::INFINITY, f32::INFINITY]), (1, 1));
    // Beyond what half precision has, an infinity of that is a number of these.
    assert_eq!(indices(&[1e38f32, 3e38, 2e38]), (1, 1));
    assert_eq!(indices(&[bf16::from_bits(0x7C00), bf16::from_bits(0x7E00), bf16::MAX]), (2, 2));
}

#[test]
fn integers_know_no_mode() {
    assert_eq!(indices(&[i8::MIN; 3]), (0, 0));
    assert_eq!(indices(&[i8::MIN, i8::MAX, -1, i8::MAX]), (1, 1));
    assert_eq!(indices(&[i16::MIN; 2]), (0, 0));
    assert_eq!(indices(&[i16::MIN, 256, i16::MAX, 255, i16::MAX]), (2, 2));
    // The bits of NaN.
    assert_eq!(indices(&[0x7C00i16, 0x7E00, 0x7C01]), (1, 1));
    assert_eq!(indices(&[-1i16, -2, i16::MIN]), (0, 0));
}

/// Searches for numbers beside a NaN, in each of many subsets at another place, in rows, in columns and in between.
fn assert_found_beside<T: Element>(nan: T, low: T, high: T) {
    for length in [3, 64, 65, 1030] {
        for (outer, inner) in [(1, 1), (5, 1), (1, 7), (2, 3), (1, 130), (70, 1)] {
            // Right behind the NaN, the greatest number.
            let mut values = vec![low; outer * length * inner];
            for subset in 0..outer * inner {
                let at = |place: usize| (subset / inner * length + place % length) * inner + subset % inner;
                values[at(subset)] = nan;
                values[at(subset + 1)] = high;
            }
            let memory = [bytes(&values)];
            for (nan_mode, behind) in [(PROPAGATE, 0), (IGNORE, 1)] {
                let index = |subset: usize| ((subset + behind) % length) as i32;
                let about = format!("{} {outer} {length} {inner} {nan_mode:?}", T::TYPE);
                let [outer, length, inner] = [outer, length, inner].map(|size| size as u64);
                let input = packed(T::TYPE, &[outer, length, inner]);
                let descriptor = tosa_argmax(input, packed(I32, &[outer, inner]), 1, nan_mode);
                let expected: Vec<i32> = (0..outer * inner).map(|subset| index(subset as usize)).collect();
                assert_eq!(result::<i32>(&descriptor, &memory), expected, "{about}");
                // The same memory with the outermost dimension as the innermost one.
                let input = strided(T::TYPE, &[inner, length, outer], &[1, inner, inner * length]);
                let descriptor = tosa_argmax(input, packed(I32, &[inner, outer]), 1, nan_mode);
                let subsets = (0..inner).flat_map(|column| (0..outer).map(move |row| row * inner + column));
                let expected: Vec<i32> = subsets.map(|subset| index(subset as usize)).collect();
                assert_eq!(result::<i32>(&descriptor, &memory), expected, "{about}, turned");
            }
        }
    }
}

#[test]
fn numbers_are_found_beside_nan() {
    for nan in [0x7FC0_0000, 0xFFC0_0000, 0x7F80_0001].map(f32::from_bits) {
        assert_found_beside(nan, -1.0, 2.0);
    }
    assert_found_beside(f32::NAN, f32::NEG_INFINITY, f32::MIN);
    for nan in [0x7E00, 0xFC01].map(f16::from_bits) {
        assert_found_beside(nan, f16::NEG_INFINITY, f16::INFINITY);
    }
    for nan in [0x7FC0, 0xFF81].map(bf16::from_bits) {
        assert_found_beside(nan, bf16::MIN, bf16::ZERO);
    }
}

#[test]
fn gaps_of_the_output_stay_as_they_were() {
    let descriptor = tosa_argmax(packed(F32, &[3, 2]), strided(I32, &[3], &[2]), 1, IGNORE);
    let memory = [bytes(&[f32::NAN, 1.0, 1.0, f32::NAN, f32::NAN, -1.0])];
    let gap = i32::from_le_bytes([POISON; 4]);
    assert_eq!(result::<i32>(&descriptor, &memory), [1, gap, 0, gap, 1]);
}

#[test]
fn the_third_of_six_dimensions() {
    // {1,2,2,1,2,1}: of four pairs each the greater one.
    let values = [1, 8, 2, 7, -1, 0, -2, 1].map(|number: i8| bf16::from_f32(number.into()));
    let descriptor = tosa_argmax(packed(bf16::TYPE, &[1, 2, 2, 1, 2, 1]), packed(I32, &[1, 2, 1, 2, 1]), 2, None);
    assert_eq!(result::<i32>(&descriptor, &[bytes(&values)]), [1, 0, 0, 1]);
}
