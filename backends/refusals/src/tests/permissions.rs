//! What must not be refused.

use opcert_backend::DataType::{self, F16, F32, I8, U8, U32};
use opcert_backend::{Descriptor, TensorDescriptor};

use super::{argmax, nonzero, one_hot, packed, strided, validate};

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
        (DataType::I32, Some("2_1")),
        (DataType::F64, Some("4_1")),
        (DataType::I64, Some("4_1")),
        (DataType::U64, Some("4_1")),
        (DataType::BF16, None),
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
