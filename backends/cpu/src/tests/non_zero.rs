//! `onnx/non_zero` and `openvino/non_zero_3`.

use half::{bf16, f16};
use opcert_backend::DataType::{Bool, F32, I32, I64, U8};
use opcert_backend::{AttributeValue, Backend, Descriptor, Fault, GuardedBuffer, Input, Output, TensorDescriptor};

use super::{Element, POISON, attribute, bytes, input, non_zero, output, packed, result, strided};
use crate::CpuBackend;

/// OpenVINO's NonZero; without a name of a type, the attribute is left out.
fn openvino(searched: TensorDescriptor, matrix: TensorDescriptor, output_type: Option<&str>) -> Descriptor {
    let output_type = output_type.map(|name| attribute("output_type", AttributeValue::String(name.to_owned())));
    Descriptor {
        operator: "openvino/non_zero_3".to_owned(),
        level: "1".to_owned(),
        tensors: vec![input("data", searched), output("output", matrix)],
        attributes: output_type.into_iter().collect(),
        constants: Vec::new(),
    }
}

/// The matrix of a packed tensor, row by row, which has to have as many columns.
fn columns<T: Element>(sizes: &[u64], values: &[T], count: u64) -> Vec<i64> {
    let matrix = packed(I64, &[sizes.len() as u64, count]);
    result(&non_zero(packed(T::TYPE, sizes), matrix), &[bytes(values)])
}

/// Looks for the elements of a one-dimensional tensor that are not zero.
fn assert_positions<T: Element>(values: &[T], expected: &[i64]) {
    assert_eq!(columns(&[values.len() as u64], values, expected.len() as u64), expected, "{}", T::TYPE);
}

/// What a dispatch that fails reports. It has to leave the output's memory alone.
fn fault(descriptor: &Descriptor, memory: &[u8]) -> Fault {
    let mut operator = CpuBackend::new().compile(descriptor).unwrap();
    let [searched, matrix] = &descriptor.tensors[..] else { panic!("expected two tensors") };
    let mut buffer = GuardedBuffer::new(matrix.tensor.span_bytes().unwrap() as usize, POISON).unwrap();
    let inputs = [Input { name: &searched.name, tensor: &searched.tensor, bytes: memory }];
    let mut outputs =
        [Output { name: &matrix.name, tensor: &matrix.tensor, bytes: buffer.bytes_mut(), poison: POISON }];
    let fault = operator.dispatch(&inputs, &mut outputs).unwrap_err();
    assert_eq!(buffer.violation(), None);
    assert!(buffer.bytes().iter().all(|byte| *byte == POISON), "something was written");
    fault
}

/// The matrix of a packed tensor, one element after the other.
fn counted(sizes: &[u64], values: &[u8]) -> Vec<i64> {
    let mut rows = vec![Vec::new(); sizes.len()];
    for (element, _) in values.iter().enumerate().filter(|(_, value)| **value != 0) {
        let mut rest = element as u64;
        for (row, size) in rows.iter_mut().zip(sizes).rev() {
            row.push((rest % size) as i64);
            rest /= size;
        }
    }
    rows.concat()
}

/// Elements of which about one in so many is not zero.
fn sparse(sizes: &[u64], one_in: u32) -> Vec<u8> {
    let mut state = 1u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u8::from((state >> 16).is_multiple_of(one_in))
    };
    std::iter::repeat_with(next).take(sizes.iter().product::<u64>() as usize).collect()
}

#[test]
fn example() {
    let descriptor = non_zero(packed(Bool, &[2, 2]), packed(I64, &[2, 3]));
    assert_eq!(result::<i64>(&descriptor, &[vec![1, 0, 1, 1]]), [0, 1, 1, 0, 0, 1]);
    for (output_type, named) in [(I64, Some("i64")), (I64, None), (I32, Some("i32"))] {
        let descriptor = openvino(packed(F32, &[2, 2]), packed(output_type, &[2, 3]), named);
        let found: Vec<u8> = result(&descriptor, &[bytes(&[1f32, 0.0, 1.0, 1.0])]);
        let expected = if output_type == I64 { bytes(&[0i64, 1, 1, 0, 0, 1]) } else { bytes(&[0i32, 1, 1, 0, 0, 1]) };
        assert_eq!(found, expected, "{named:?}");
    }
}

#[test]
fn scalars_have_no_rows_and_at_most_a_column() {
    assert!(columns(&[], &[3f32], 1).is_empty());
    assert!(columns(&[], &[-0f32], 0).is_empty());
    let of = |count: u64| non_zero(packed(U8, &[]), packed(I64, &[0, count]));
    let other = |count: u64| Fault::OtherSizes { tensor: "Y".to_owned(), sizes: vec![0, count] };
    assert_eq!(fault(&of(0), &[7]), other(1));
    assert_eq!(fault(&of(1), &[0]), other(0));
    // One row, as a tensor of one element has it.
    assert_eq!(fault(&non_zero(packed(U8, &[]), packed(I64, &[1, 1])), &[7]), other(1));
    assert_eq!(columns(&[1], &[7u8], 1), [0]);
    assert_eq!(columns(&[1, 1, 1], &[7u8], 1), [0, 0, 0]);
}

#[test]
fn nothing_is_found() {
    assert!(columns(&[2, 3], &[0u16; 6], 0).is_empty());
    assert!(columns(&[100], &[-0f32; 100], 0).is_empty());
    for sizes in [&[0u64][..], &[2, 0, 3], &[0, 0]] {
        assert!(columns::<f32>(sizes, &[], 0).is_empty(), "{sizes:?}");
    }
    // Sizes and strides of a tensor without elements are not bounded by memory.
    let endless = strided(F32, &[u64::MAX, 0], &[u64::MAX; 2]);
    assert!(result::<i64>(&non_zero(endless, packed(I64, &[2, 0])), &[Vec::new()]).is_empty());
}

#[test]
fn zero_is_decided_by_the_bits() {
    assert_positions(&[0f32, -0.0, f32::NAN, f32::from_bits(1), -f32::from_bits(1), f32::INFINITY], &[2, 3, 4, 5]);
    assert_positions(&[0f64, -0.0, f64::NAN, f64::from_bits(1), -f64::from_bits(1), f64::MIN], &[2, 3, 4, 5]);
    assert_positions(&[f16::ZERO, f16::NEG_ZERO, f16::NAN, f16::from_bits(0x8001), f16::MIN], &[2, 3, 4]);
    assert_positions(&[bf16::ZERO, bf16::NEG_ZERO, bf16::NAN, bf16::from_bits(0x8001), bf16::MIN], &[2, 3, 4]);
    assert_positions(&[bf16::from_bits(1), bf16::NEG_ZERO, bf16::ONE], &[0, 2]);
    assert_positions(&[i8::MIN, 0, -1], &[0, 2]);
    assert_positions(&[i16::MIN, 0, 256], &[0, 2]);
    assert_positions(&[i32::MIN, 0, 1 << 16], &[0, 2]);
    assert_positions(&[i64::MIN, 0, 1 << 32], &[0, 2]);
    assert_positions(&[1u8 << 7, 0], &[0]);
    assert_positions(&[0u16, 1 << 15], &[1]);
    assert_positions(&[1u32 << 31, 0], &[0]);
    assert_positions(&[0u64, 1 << 63, 1 << 32], &[1, 2]);
    let descriptor = non_zero(packed(Bool, &[5]), packed(I64, &[1, 2]));
    assert_eq!(result::<i64>(&descriptor, &[vec![0, 1, 0, 0, 1]]), [1, 4]);
}

#[test]
fn zero_is_decided_by_the_bits_in_chunks_as_well() {
    // Long enough for it; -0.0 everywhere else.
    let mut halves = [bf16::NEG_ZERO; 100];
    let mut doubles = [-0f64; 100];
    let mut integers = [0i64; 100];
    for place in [3, 64, 99] {
        halves[place] = bf16::from_bits(0x8001);
        doubles[place] = f64::MIN_POSITIVE;
        integers[place] = i64::MIN;
    }
    assert_positions(&halves, &[3, 64, 99]);
    assert_positions(&doubles, &[3, 64, 99]);
    assert_positions(&integers, &[3, 64, 99]);
    let mut truths = vec![0; 100];
    truths[70] = 1;
    assert_eq!(result::<i64>(&non_zero(packed(Bool, &[100]), packed(I64, &[1, 1])), &[truths]), [70]);
}

#[test]
fn three_and_five_dimensions() {
    // {0,1,0}, {1,0,2} and {1,1,3} of {2,2,4}.
    let mut values = [0u8; 16];
    for place in [4, 10, 15] {
        values[place] = 9;
    }
    assert_eq!(columns(&[2, 2, 4], &values, 3), [0, 1, 1, 1, 0, 1, 0, 2, 3]);
    // {0,0,1,0,1} and {1,2,1,0,0} of {2,3,2,1,2}.
    let mut values = [0i64; 24];
    for place in [3, 22] {
        values[place] = -1;
    }
    assert_eq!(columns(&[2, 3, 2, 1, 2], &values, 2), [0, 1, 0, 2, 1, 1, 0, 0, 1, 0]);
}

#[test]
fn long_inputs_agree_with_a_plain_count() {
    // One chunk, several, more dimensions than a chunk's rows may have columns, and enough for several threads.
    let shapes: [&[u64]; 6] =
        [&[65], &[100, 1], &[2, 3, 4, 5, 6], &[2, 1, 3, 2, 2, 2, 3, 2, 5], &[3, 50, 130], &[3, 601, 701]];
    for sizes in shapes {
        for one_in in [1, 2, 500] {
            let values = sparse(sizes, one_in);
            let expected = counted(sizes, &values);
            let rank = sizes.len() as u64;
            let count = expected.len() as u64 / rank;
            let descriptor = non_zero(packed(U8, sizes), packed(I64, &[rank, count]));
            let found: Vec<i64> = result(&descriptor, std::slice::from_ref(&values));
            assert!(found == expected, "{sizes:?}, one in {one_in}: other coordinates");
            let descriptor = openvino(packed(U8, sizes), packed(I32, &[rank, count]), Some("i32"));
            let found: Vec<i32> = result(&descriptor, &[values]);
            assert!(found.into_iter().map(i64::from).eq(expected), "{sizes:?}, one in {one_in}: other coordinates");
        }
    }
}

#[test]
fn strided_input_and_output() {
    // {2,3} stored column by column: logical 0 1 0 / 1 0 1, found at {0,1}, {1,0} and {1,2}.
    let searched = strided(U8, &[2, 3], &[1, 2]);
    let memory = [vec![0, 1, 1, 0, 0, 1]];
    let gap = i64::from_le_bytes([POISON; 8]);
    let layouts: [(&[u64], &[i64]); 4] = [
        (&[3, 1], &[0, 1, 1, 1, 0, 2]),
        (&[1, 2], &[0, 1, 1, 0, 1, 2]),
        (&[5, 1], &[0, 1, 1, gap, gap, 1, 0, 2]),
        (&[1, 3], &[0, 1, gap, 1, 0, gap, 1, 2]),
    ];
    for (strides, expected) in layouts {
        let descriptor = non_zero(searched.clone(), strided(I64, &[2, 3], strides));
        assert_eq!(result::<i64>(&descriptor, &memory), expected, "{strides:?}");
    }
    let gap = i32::from_le_bytes([POISON; 4]);
    let descriptor = openvino(searched, strided(I32, &[2, 3], &[4, 1]), Some("i32"));
    assert_eq!(result::<i32>(&descriptor, &memory), [0, 1, 1, gap, 1, 0, 2]);
    // The stride of the only row does not matter.
    let descriptor = openvino(packed(U8, &[3]), strided(I32, &[1, 2], &[u64::MAX, 2]), Some("i32"));
    assert_eq!(result::<i32>(&descriptor, &[vec![1, 0, 1]]), [0, gap, 2]);
}

#[test]
fn a_broadcast_input_has_its_logical_elements() {
    let descriptor = non_zero(strided(U8, &[3, 2], &[0, 1]), packed(I64, &[2, 3]));
    assert_eq!(result::<i64>(&descriptor, &[vec![0, 4]]), [0, 1, 2, 1, 1, 1]);
    let descriptor = non_zero(strided(F32, &[70], &[0]), packed(I64, &[1, 70]));
    assert_eq!(result::<i64>(&descriptor, &[bytes(&[1f32])]), (0..70).collect::<Vec<i64>>());
}

#[test]
fn other_sizes_are_reported_and_nothing_is_written() {
    let memory = [1, 0, 3];
    let stated: [&[u64]; 9] = [&[1, 3], &[1, 1], &[1, 0], &[0, 2], &[2, 2], &[2, 1], &[2], &[], &[1, 2, 1]];
    for sizes in stated {
        let descriptor = non_zero(packed(U8, &[3]), packed(I64, sizes));
        let found = Fault::OtherSizes { tensor: "Y".to_owned(), sizes: vec![1, 2] };
        assert_eq!(fault(&descriptor, &memory), found, "{sizes:?}");
        let descriptor = openvino(packed(U8, &[3]), packed(I32, sizes), Some("i32"));
        let found = Fault::OtherSizes { tensor: "output".to_owned(), sizes: vec![1, 2] };
        assert_eq!(fault(&descriptor, &memory), found, "{sizes:?}");
    }
    let found = |sizes: &[u64]| Fault::OtherSizes { tensor: "Y".to_owned(), sizes: sizes.to_vec() };
    assert_eq!(fault(&non_zero(packed(U8, &[2, 0]), packed(I64, &[2, 1])), &[]), found(&[2, 0]));
    assert_eq!(fault(&non_zero(packed(U8, &[2, 0]), packed(I64, &[0, 0])), &[]), found(&[2, 0]));
    let gaps = strided(I64, &[2, 3], &[1, 4]);
    assert_eq!(fault(&non_zero(packed(U8, &[2, 40]), gaps), &[1; 80]), found(&[2, 80]));
}

#[test]
fn each_dispatch_has_sizes_of_its_own() {
    let descriptor = non_zero(packed(U8, &[4]), packed(I64, &[1, 2]));
    let mut operator = CpuBackend::new().compile(&descriptor).unwrap();
    let [searched, matrix] = &descriptor.tensors[..] else { panic!("expected two tensors") };
    let mut dispatch = |memory: [u8; 4]| {
        let mut written = [0; 16];
        let inputs = [Input { name: "X", tensor: &searched.tensor, bytes: &memory }];
        let mut outputs = [Output { name: "Y", tensor: &matrix.tensor, bytes: &mut written, poison: 0 }];
        operator.dispatch(&inputs, &mut outputs).map(|()| super::elements::<i64>(&written))
    };
    let other = |count: u64| Err(Fault::OtherSizes { tensor: "Y".to_owned(), sizes: vec![1, count] });
    assert_eq!(dispatch([1, 1, 1, 1]), other(4));
    assert_eq!(dispatch([0, 5, 0, 5]), Ok(vec![1, 3]));
    assert_eq!(dispatch([0, 0, 9, 0]), other(1));
    assert_eq!(dispatch([2, 0, 0, 2]), Ok(vec![0, 3]));
}

#[test]
fn coordinates_that_are_too_large_or_too_many_are_a_fault_of_the_dispatch() {
    let of = |sizes: &[u64]| non_zero(strided(U8, sizes, &vec![0; sizes.len()]), packed(I64, &[sizes.len() as u64, 1]));
    assert!(CpuBackend::new().compile(&of(&[1 << 32])).is_ok());
    for (sizes, named) in
        [(&[(1 << 32) + 1][..], "32 bits"), (&[1 << 32, 1 << 32], "address"), (&[1 << 32, 1 << 31], "address")]
    {
        let found = fault(&of(sizes), &[1]).to_string();
        assert!(found.contains(named), "{sizes:?}: {found}");
    }
}
