//! Operators that work each element out by itself.

use opcert_backend::DataType::{F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
use opcert_backend::{AttributeValue, Backend, CompileError, Descriptor, TensorDescriptor};

use super::{attribute, bytes, input, output, packed, result, strided};
use crate::CpuBackend;

fn descriptor(operator: &str, inputs: &[(&'static str, TensorDescriptor)], to: TensorDescriptor) -> Descriptor {
    let mut tensors: Vec<_> = inputs.iter().map(|(name, tensor)| input(name, tensor.clone())).collect();
    tensors.push(output("OutputTensor", to));
    Descriptor {
        operator: format!("directml/{operator}"),
        level: "6_4".to_owned(),
        tensors,
        attributes: Vec::new(),
        constants: Vec::new(),
    }
}

fn of_two(operator: &str, of: &TensorDescriptor, to: TensorDescriptor) -> Descriptor {
    descriptor(operator, &[("ATensor", of.clone()), ("BTensor", of.clone())], to)
}

#[test]
fn numbers_are_compared_as_what_they_are() {
    let signs = |operator: &str| {
        let of = |data_type| of_two(operator, &packed(data_type, &[3]), packed(U8, &[3]));
        [
            result::<u8>(&of(I8), &[bytes(&[-1i8, 1, 5]), bytes(&[1i8, -1, 5])]),
            result::<u8>(&of(U8), &[bytes(&[1u8, 255, 5]), bytes(&[255u8, 1, 5])]),
            result::<u8>(&of(I64), &[bytes(&[i64::MIN, 0, 5]), bytes(&[0i64, i64::MIN, 5])]),
            result::<u8>(&of(U64), &[bytes(&[1u64, u64::MAX, 5]), bytes(&[u64::MAX, 1, 5])]),
            result::<u8>(&of(F32), &[bytes(&[-2.0f32, -1.0, 0.0]), bytes(&[-1.0f32, -2.0, -0.0])]),
            // -2 and -1, and both zeros.
            result::<u8>(&of(F16), &[bytes(&[0xC000u16, 0xBC00, 0]), bytes(&[0xBC00u16, 0xC000, 0x8000])]),
        ]
    };
    assert_eq!(signs("logical_less_than"), [[1, 0, 0]; 6]);
    assert_eq!(signs("logical_greater_than"), [[0, 1, 0]; 6]);
    assert_eq!(signs("logical_equals"), [[0, 0, 1]; 6]);
    let or_equal = [signs("logical_less_than_or_equal"), signs("logical_greater_than_or_equal")];
    let [less, greater] = or_equal.map(|each| each.into_iter().all(|row| row[2] == 1 && row[0] != row[1]));
    assert!(less && greater);
}

#[test]
fn the_example_of_if_in_any_strides() {
    // A is transposed, and the output has gaps.
    let inputs = [
        ("ConditionTensor", packed(U8, &[2, 2])),
        ("ATensor", strided(I32, &[2, 2], &[1, 2])),
        ("BTensor", packed(I32, &[2, 2])),
    ];
    let descriptor = descriptor("element_wise_if", &inputs, strided(I32, &[2, 2], &[4, 2]));
    let data = [bytes(&[1u8, 0, 7, 255]), bytes(&[1i32, 3, 2, 4]), bytes(&[9i32, 8, 7, 6])];
    let untouched = i32::from_le_bytes([super::POISON; 4]);
    assert_eq!(result::<i32>(&descriptor, &data), [1, untouched, 8, untouched, 3, untouched, 4]);
}

#[test]
fn more_elements_than_are_read_at_once() {
    let [one, other]: [Vec<u16>; 2] =
        [3u16, 5].map(|factor| (0..1000u16).map(|at| at.wrapping_mul(factor * 97)).collect());
    let of = packed(U16, &[1000]);
    let found: Vec<u16> = result(&of_two("bit_xor", &of, of.clone()), &[bytes(&one), bytes(&other)]);
    assert_eq!(found, one.iter().zip(&other).map(|(one, other)| one ^ other).collect::<Vec<u16>>());
}

#[test]
fn bits_are_those_of_the_width() {
    let of_one =
        |operator: &str, of: TensorDescriptor, to: TensorDescriptor| descriptor(operator, &[("InputTensor", of)], to);
    let not = of_one("bit_not", packed(F16, &[3]), packed(F16, &[3]));
    assert_eq!(result::<u16>(&not, &[bytes(&[0u16, 0x7C01, 0xFFFF])]), [0xFFFF, 0x83FE, 0]);
    let count = of_one("bit_count", packed(I8, &[3]), packed(U32, &[3]));
    assert_eq!(result::<u32>(&count, &[bytes(&[-1i8, -128, 5])]), [8, 1, 2]);
    let all = of_one("bit_count", packed(F64, &[1]), packed(U8, &[1]));
    assert_eq!(result::<u8>(&all, &[bytes(&[u64::MAX])]), [64]);
    let left = of_two("bit_shift_left", &packed(U8, &[4]), packed(U8, &[4]));
    assert_eq!(result::<u8>(&left, &[bytes(&[0x81u8, 0xFF, 3, 1]), bytes(&[1u8, 7, 0, 200])]), [2, 0x80, 3, 0]);
    let right = of_two("bit_shift_right", &packed(U64, &[2]), packed(U64, &[2]));
    assert_eq!(result::<u64>(&right, &[bytes(&[u64::MAX, u64::MAX]), bytes(&[63u64, 1 << 40])]), [1, 0]);
}

#[test]
fn infinities_and_nan() {
    let of = |operator: &str, mode: Option<&str>| {
        let mut descriptor = descriptor(operator, &[("InputTensor", packed(F32, &[6]))], packed(U8, &[6]));
        let mode = mode.map(|mode| AttributeValue::Enumerator(format!("DML_IS_INFINITY_MODE_{mode}")));
        descriptor.attributes.extend(mode.map(|mode| attribute("InfinityMode", mode)));
        descriptor
    };
    let numbers: [u32; 6] = [0x7F80_0000, 0xFF80_0000, 0x7F80_0001, 0xFFFF_FFFF, 0x7F7F_FFFF, 0x8000_0000];
    let found = |operator: &str, mode| result::<u8>(&of(operator, mode), &[bytes(&numbers)]);
    assert_eq!(found("is_infinity", Some("EITHER")), [1, 1, 0, 0, 0, 0]);
    assert_eq!(found("is_infinity", Some("POSITIVE")), [1, 0, 0, 0, 0, 0]);
    assert_eq!(found("is_infinity", Some("NEGATIVE")), [0, 1, 0, 0, 0, 0]);
    assert_eq!(found("is_nan", None), [0, 0, 1, 1, 0, 0]);
    let unknown = CpuBackend::new().compile(&of("is_infinity", Some("NEITHER")));
    assert!(matches!(unknown, Err(CompileError::Rejected { requirement: None, reason }) if reason.contains("NEITHER")));
}

#[test]
fn extremes_come_out_bit_for_bit() {
    let of = packed(I16, &[3]);
    let data = [bytes(&[-5i16, 7, i16::MIN]), bytes(&[5i16, -7, i16::MAX])];
    assert_eq!(result::<i16>(&of_two("element_wise_max", &of, of.clone()), &data), [5, 7, i16::MAX]);
    assert_eq!(result::<i16>(&of_two("element_wise_min", &of, of.clone()), &data), [-5, -7, i16::MIN]);
    let of = packed(F32, &[2]);
    let zeros = [bytes(&[-0.0f32, -0.0]), bytes(&[-0.0f32, -1.0])];
    let found: Vec<u32> = result(&of_two("element_wise_max", &of, of.clone()), &zeros);
    assert_eq!(found, [0x8000_0000; 2]);
}
