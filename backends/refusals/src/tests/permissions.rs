//! What must not be refused.

use opcert_backend::DataType::{self, BF16, F16, F32, I8, I16, I32, I64, U8, U32};
use opcert_backend::{AttributeValue, Descriptor, TensorDescriptor};

use super::{argmax, nonzero, one_hot, onnx_non_zero, openvino_non_zero, packed, strided, tosa_argmax, validate};
use crate::{Nan, reduction};

const LEVELS: [&str; 15] =
    ["1_0", "2_0", "2_1", "3_0", "3_1", "4_0", "4_1", "5_0", "5_1", "5_2", "6_0", "6_1", "6_2", "6_3", "6_4"];

fn accepts(descriptor: &Descriptor) -> bool {
    validate(descriptor).is_ok()
}

/// Whether `argmax` without axes takes these as its output, or as its input.
fn accepts_layout(tensor: TensorDescriptor, as_output: bool) -> bool {
    let sizes = tensor.sizes.clone();
    let (input, output) = if as_output { (packed(F32, &sizes), tensor) } else { (tensor, packed(U32, &sizes)) };
    accepts(&argmax("4_1", input, output, &[], "DML_AXIS_DIRECTION_INCREASING"))
}

#[test]
fn total_size_is_at_least_the_implied_minimum() {
    // In the last one the huge stride separates nothing, because its dimension has size 1.
    for (tensor, minimum) in [
        (packed(I8, &[3]), 4),
        (packed(F16, &[3]), 8),
        (packed(F32, &[1, 1, 3, 4]), 48),
        (strided(F32, &[2, 3], &[0, 1]), 12),
        (strided(F32, &[1, 3], &[u64::MAX, 1]), 12),
    ] {
        for (total, expected) in [(minimum - 1, false), (minimum, true), (minimum + 1, true)] {
            let tensor = TensorDescriptor { total_bytes: Some(total), ..tensor.clone() };
            assert_eq!(accepts_layout(tensor.clone(), false), expected, "{tensor:?}");
        }
    }
}

#[test]
fn alignment_is_a_power_of_two_from_the_element_size_on() {
    for (alignment, expected) in [(0, true), (1, false), (2, false), (4, true), (6, false), (256, true)] {
        let tensor = TensorDescriptor { alignment, ..packed(F32, &[2]) };
        assert_eq!(accepts_layout(tensor, false), expected, "{alignment}");
    }
}

#[test]
fn output_strides_nest() {
    for (strides, expected) in [
        (&[3u64, 1][..], true),
        (&[1, 2], true),
        (&[100, 7], true),
        (&[2, 1], false),
        (&[1, 1], false),
        (&[0, 1], false),
        // These hold no element twice and are refused all the same: the rule asks for nesting.
        (&[3, 2], false),
    ] {
        assert_eq!(accepts_layout(strided(U32, &[2, 3], strides), true), expected, "{strides:?}");
    }
    assert!(accepts_layout(strided(U32, &[1, 3], &[0, 1]), true), "the stride of one element does not matter");
}

#[test]
fn an_input_may_be_owned_and_may_overlap() {
    let owned = TensorDescriptor { flags: vec!["OWNED_BY_DML".to_owned()], ..strided(F32, &[2, 3], &[1, 1]) };
    assert!(accepts_layout(owned, false));
}

#[test]
fn each_level_takes_what_its_table_says() {
    let four = |data_type: DataType| {
        move |level: &str| {
            accepts(&one_hot(
                level,
                packed(U32, &[1; 4]),
                packed(data_type, &[1, 1, 1, 2]),
                packed(data_type, &[1, 1, 1, 3]),
                3,
            ))
        }
    };
    let first = |accepts: &dyn Fn(&str) -> bool| {
        let accepted = LEVELS.map(accepts);
        assert!(accepted.is_sorted(), "a level includes all earlier ones");
        accepted.iter().position(|&accepted| accepted).map(|position| LEVELS[position])
    };
    for (data_type, expected) in [
        (F32, Some("2_0")),
        (F16, Some("2_0")),
        (U8, Some("2_1")),
        (I32, Some("2_1")),
        (DataType::F64, Some("4_1")),
        (I64, Some("4_1")),
        (DataType::U64, Some("4_1")),
        (BF16, None),
        (DataType::Bool, None),
    ] {
        assert_eq!(first(&four(data_type)), expected, "{data_type}");
    }
    let coordinates = |level: &str| {
        accepts(&nonzero(level, packed(U8, &[1, 1, 1, 2]), packed(U32, &[1; 4]), packed(U32, &[1, 1, 2, 4])))
    };
    assert_eq!(first(&coordinates), Some("3_0"));
    let maximum = |level: &str| {
        accepts(&argmax(level, packed(U8, &[2]), packed(U32, &[1]), &[0], "DML_AXIS_DIRECTION_DECREASING"))
    };
    assert_eq!(first(&maximum), Some("3_0"));
}

#[test]
fn non_zero_takes_every_type_and_any_sizes() {
    for data_type in DataType::ALL {
        let accepted = ["9", "11", "12", "13"]
            .map(|level| accepts(&onnx_non_zero(level, packed(data_type, &[2, 3]), packed(I64, &[2, 1]))));
        assert_eq!(accepted, [data_type != BF16, data_type != BF16, data_type != BF16, true], "{data_type}");
        assert!(accepts(&openvino_non_zero(packed(data_type, &[2, 3]), packed(I32, &[2, 1]), "i32")), "{data_type}");
    }
    // No dimensions at all, dimensions of size 0, more than eight; and whatever is expected of each.
    let inputs: [&[u64]; 5] = [&[], &[0], &[2, 0, 3], &[4, 5], &[1; 9]];
    let outputs: [&[u64]; 7] = [&[], &[0, 0], &[0, 1], &[2, 7], &[9, 1], &[6], &[1, 2, 3]];
    for input in inputs {
        for output in outputs {
            let (input, output) = (packed(F32, input), packed(I64, output));
            assert!(accepts(&onnx_non_zero("13", input.clone(), output.clone())), "{input} {output}");
            assert!(accepts(&openvino_non_zero(input.clone(), output.clone(), "i64")), "{input} {output}");
        }
    }
}

#[test]
fn the_type_of_coordinates_may_be_left_out() {
    let mut descriptor = openvino_non_zero(packed(U8, &[2]), packed(I64, &[1, 2]), "i64");
    descriptor.attributes.clear();
    assert!(accepts(&descriptor));
}

#[test]
fn non_zero_takes_every_layout_of_some_memory() {
    // Repeated and transposed inputs; outputs whose strides nest, and those of no elements.
    for input in [strided(F32, &[2, 3], &[0, 1]), strided(F32, &[2, 3], &[1, 2]), strided(F32, &[0, 3], &[u64::MAX; 2])]
    {
        for output in [
            strided(I64, &[2, 3], &[1, 2]),
            strided(I64, &[2, 3], &[9, 2]),
            strided(I64, &[1, 3], &[0, 1]),
            strided(I64, &[2, 0], &[0, 0]),
        ] {
            assert!(accepts(&onnx_non_zero("9", input.clone(), output.clone())), "{input} {output}");
        }
    }
    let total = TensorDescriptor { total_bytes: Some(24), ..packed(F32, &[2, 3]) };
    assert!(accepts(&onnx_non_zero("9", total, packed(I64, &[2, 6]))));
}

#[test]
fn tosa_takes_five_types_of_any_dimensions() {
    for data_type in DataType::ALL {
        let accepted = accepts(&tosa_argmax(packed(data_type, &[2, 3]), packed(I32, &[2]), 1));
        assert_eq!(accepted, [I8, I16, F16, BF16, F32].contains(&data_type), "{data_type}");
    }
    for rank in 1..=8 {
        for axis in 0..rank {
            let sizes: Vec<u64> = (1..=rank).collect();
            let mut dropped = sizes.clone();
            dropped.remove(axis as usize);
            let descriptor = tosa_argmax(packed(F32, &sizes), packed(I32, &dropped), axis as i64);
            assert!(accepts(&descriptor), "{sizes:?} along {axis}");
        }
    }
}

#[test]
fn tosa_says_what_becomes_of_nan() {
    let mut descriptor = tosa_argmax(packed(F16, &[2]), packed(I32, &[]), 0);
    let nan = |descriptor: &Descriptor| reduction(descriptor).unwrap().nan;
    assert_eq!(nan(&descriptor), Nan::Greatest);
    descriptor.attributes[1].value = AttributeValue::Enumerator("IGNORE".to_owned());
    assert_eq!(nan(&descriptor), Nan::Least);
    descriptor.attributes.truncate(1);
    assert_eq!(nan(&descriptor), Nan::Greatest, "PROPAGATE is the default");
    let other = argmax("3_0", packed(F16, &[2]), packed(U32, &[1]), &[0], "DML_AXIS_DIRECTION_INCREASING");
    assert_eq!(nan(&other), Nan::Open);
}

#[test]
fn an_output_without_the_axis_keeps_its_strides() {
    let descriptor = tosa_argmax(packed(F32, &[2, 3, 4]), strided(I32, &[2, 4], &[9, 2]), 1);
    let output = reduction(&descriptor).unwrap().output.1;
    assert_eq!((output.sizes, output.strides), (vec![2, 1, 4], Some(vec![9, 0, 2])));
}
