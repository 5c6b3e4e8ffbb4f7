//! ONE_HOT by comparison: the positions along the axis and the indices, both as large as the output, give a mask, and
//! the mask chooses between the two values.
//!
//! No rule for indices out of range is needed: they equal no position.

use super::{Input, Outputs, Request, product};
use crate::case::Elements;

pub(super) fn outputs(request: &Request<'_>) -> Option<Outputs> {
    let (indices, values) = (request.input("IndicesTensor")?, request.input("ValuesTensor")?);
    let output = request.output("OutputTensor")?;
    let axis = usize::try_from(request.descriptor.integer("Axis")?).ok()?;
    let size = *output.sizes.get(axis)?;
    let mut one_along_axis = output.sizes.clone();
    one_along_axis[axis] = 1;
    if indices.tensor.sizes != one_along_axis || values.tensor.data_type != output.data_type {
        return None;
    }
    let from_start: Vec<i128> = indices.integers()?.into_iter().map(|index| from_start(index, size)).collect();
    let mask = mask(&from_start, &output.sizes, axis)?;
    let bytes = select(&mask, values.elements().nth(on_position(&values)?)?, values.elements().next()?);
    Some(vec![("OutputTensor", Elements { bytes, undefined: Vec::new() })])
}

/// An index that counts from the start of its sequence; -1 stands for the last element.
fn from_start(index: i128, size: u64) -> i128 {
    if index < 0 { index + i128::from(size) } else { index }
}

/// The position of OnValue among the values: one step along the last dimension that has a second element. The step
/// spans the dimensions behind that one.
fn on_position(values: &Input<'_>) -> Option<usize> {
    let sizes = &values.tensor.sizes;
    let fastest = sizes.iter().rposition(|&size| size > 1)?;
    product(&sizes[fastest + 1..])
}

/// For each element of an output of these sizes whether its position along the axis is the index of its sequence.
pub(super) fn mask(indices: &[i128], sizes: &[u64], axis: usize) -> Option<Vec<bool>> {
    if sizes.contains(&0) {
        return Some(Vec::new());
    }
    let size = product(&sizes[axis..=axis])?;
    let (outer, inner) = (product(&sizes[..axis])?, product(&sizes[axis + 1..])?);
    let positions = positions(outer, size, inner);
    let indices = repeated_along_axis(indices, size, inner);
    Some(std::iter::zip(positions, indices).map(|(position, index)| position == index).collect())
}

/// For each element of the output its position along the axis.
fn positions(outer: usize, size: usize, inner: usize) -> Vec<i128> {
    let once: Vec<i128> = (0..size as i128).flat_map(|position| std::iter::repeat_n(position, inner)).collect();
    once.repeat(outer)
}

/// For each element of the output the index of its sequence.
fn repeated_along_axis(indices: &[i128], size: usize, inner: usize) -> Vec<i128> {
    indices.chunks_exact(inner).flat_map(|block| std::iter::repeat_n(block, size).flatten()).copied().collect()
}

/// One of two values for each element of a mask.
pub(super) fn select(mask: &[bool], on: &[u8], off: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(mask.len() * off.len());
    for &is_on in mask {
        bytes.extend_from_slice(if is_on { on } else { off });
    }
    bytes
}

#[cfg(test)]
mod tests {
    use opcert_backend::{AttributeValue, DataType, Descriptor};

    use super::super::samples::{descriptor, input, only_output};

    fn sample(indices: (DataType, &[u64]), values: (DataType, &[u64]), output: &[u64], axis: i64) -> Descriptor {
        let tensors = [
            ("IndicesTensor", indices.0, indices.1),
            ("ValuesTensor", values.0, values.1),
            ("OutputTensor", values.0, output),
        ];
        descriptor("directml/one_hot", &tensors, &[("Axis", AttributeValue::Integer(axis))])
    }

    fn answer(descriptor: &Descriptor, indices: Vec<u8>, values: Vec<u8>) -> Option<Vec<u8>> {
        only_output(descriptor, &[input("IndicesTensor", indices), input("ValuesTensor", values)])
    }

    /// One sequence of four elements for each index, along the last of two dimensions; Off is 0 and On is 1.
    fn rows(data_type: DataType, indices: Vec<u8>) -> Vec<[u8; 4]> {
        let count = (indices.len() / data_type.bytes()) as u64;
        let sample = sample((data_type, &[count, 1]), (DataType::U8, &[1, 2]), &[count, 4], 1);
        let bytes = answer(&sample, indices, vec![0, 1]).unwrap();
        bytes.chunks_exact(4).map(|row| row.try_into().unwrap()).collect()
    }

    #[test]
    fn documented_examples() {
        let floats = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
        let across_rows = [0u32, 3, 2].map(u32::to_le_bytes).concat();
        let across_columns = [0u32, 2, 1, 0].map(u32::to_le_bytes).concat();
        let signed = [-3i32, 100, 3].map(i32::to_le_bytes).concat();
        let (tall, wide) = (&[1, 1, 3, 1][..], &[1, 1, 1, 4][..]);
        let (pair, triple) = (&[1, 1, 1, 2][..], &[1, 1, 3, 1][..]);
        let (zero_one, four_two) = (floats(&[0.0, 1.0]), floats(&[4.0, 2.0, 9.0]));
        for (data_type, sizes, indices, values_sizes, values, axis, expected) in [
            (DataType::U32, tall, &across_rows, pair, &zero_one, 3, [1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0]),
            (DataType::U32, wide, &across_columns, pair, &zero_one, 2, [1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0]),
            (DataType::U32, tall, &across_rows, triple, &four_two, 3, [2, 4, 4, 4, 4, 4, 4, 2, 4, 4, 2, 4]),
            (DataType::I32, tall, &signed, pair, &zero_one, 3, [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
        ] {
            let sample = sample((data_type, sizes), (DataType::F32, values_sizes), &[1, 1, 3, 4], axis);
            let expected = floats(&expected.map(|value: u8| value.into()));
            assert_eq!(answer(&sample, indices.clone(), values.clone()), Some(expected), "{sample:?}");
        }
    }

    #[test]
    fn indices_around_both_ends_of_the_sequence() {
        let off = [0; 4];
        let expected = [[0, 0, 0, 1], off, off, off, [0, 0, 0, 1], [1, 0, 0, 0], off, off, off];
        let indices = [3, 4, 5, 8, -1, -4, -5, -8, i32::MIN];
        assert_eq!(rows(DataType::I32, indices.map(i32::to_le_bytes).concat()), expected);
        let indices = [3, 4, 5, 8, -1, -4, -5, -8, i64::MIN];
        assert_eq!(rows(DataType::I64, indices.map(i64::to_le_bytes).concat()), expected);
    }

    #[test]
    fn unsigned_indices_are_taken_whole() {
        let indices = [(1u64 << 32) + 2, 1 << 31, 1 << 63, u64::MAX, u64::from(u32::MAX), 2, 1 << 40, (1 << 63) + 1];
        let mut expected = [[0; 4]; 8];
        expected[5] = [0, 0, 1, 0];
        assert_eq!(rows(DataType::U64, indices.map(u64::to_le_bytes).concat()), expected);
        let indices = [u32::MAX, u32::MAX - 3, 1 << 31, 1];
        let expected = [[0; 4], [0; 4], [0; 4], [0, 1, 0, 0]];
        assert_eq!(rows(DataType::U32, indices.map(u32::to_le_bytes).concat()), expected);
        // A signed index whose low word would be valid.
        assert_eq!(rows(DataType::I64, ((1i64 << 32) + 1).to_le_bytes().to_vec()), [[0; 4]]);
        assert_eq!(rows(DataType::I64, (-(1i64 << 32) + 1).to_le_bytes().to_vec()), [[0; 4]]);
    }

    #[test]
    fn each_axis_has_its_own_sequences() {
        let values = vec![0, 1];
        let first = sample((DataType::U32, &[1, 2, 2]), (DataType::U8, &[1, 1, 2]), &[3, 2, 2], 0);
        let indices = [0u32, 2, 1, 7].map(u32::to_le_bytes).concat();
        assert_eq!(answer(&first, indices.clone(), values.clone()), Some(vec![1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0]));
        let middle = sample((DataType::U32, &[2, 1, 2]), (DataType::U8, &[1, 1, 2]), &[2, 3, 2], 1);
        assert_eq!(answer(&middle, indices.clone(), values.clone()), Some(vec![1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]));
        let last = sample((DataType::U32, &[2, 2, 1]), (DataType::U8, &[1, 1, 2]), &[2, 2, 3], 2);
        assert_eq!(answer(&last, indices, values), Some(vec![1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]));
    }

    #[test]
    fn a_sequence_may_have_one_element() {
        let sample = sample((DataType::I32, &[4, 1]), (DataType::U8, &[1, 2]), &[4, 1], 1);
        let indices = [0, 1, -1, -2].map(i32::to_le_bytes).concat();
        assert_eq!(answer(&sample, indices, vec![8, 9]), Some(vec![9, 8, 9, 8]));
    }

    #[test]
    fn values_stand_at_0_and_one_step_along_the_fastest_dimension() {
        let index = 1u32.to_le_bytes().to_vec();
        for (sizes, values) in [
            ([1, 2, 2], vec![5, 6, 7, 8]),
            ([2, 1, 2], vec![5, 6, 7, 8]),
            ([2, 2, 1], vec![5, 6, 7, 8]),
            ([3, 1, 1], vec![5, 6, 7]),
            ([1, 4, 1], vec![5, 6, 7, 8]),
        ] {
            let sample = sample((DataType::U32, &[1, 1, 1]), (DataType::U8, &sizes), &[1, 1, 2], 2);
            assert_eq!(answer(&sample, index.clone(), values), Some(vec![5, 6]), "{sizes:?}");
        }
        let single = sample((DataType::U32, &[1, 1, 1]), (DataType::U8, &[1, 1, 1]), &[1, 1, 2], 2);
        assert_eq!(answer(&single, index, vec![5]), None);
    }

    #[test]
    fn values_keep_every_bit() {
        let sample = sample((DataType::U32, &[1]), (DataType::F64, &[2]), &[2], 0);
        let (signaling, negative_zero) = (0x7FF0_0000_0000_0001u64, 1u64 << 63);
        let values = [negative_zero, signaling].map(u64::to_le_bytes).concat();
        let expected = [signaling, negative_zero].map(u64::to_le_bytes).concat();
        assert_eq!(answer(&sample, vec![0; 4], values), Some(expected));
        let same = [signaling; 2].map(u64::to_le_bytes).concat();
        assert_eq!(answer(&sample, vec![0; 4], same.clone()), Some(same));
    }

    #[test]
    fn what_does_not_belong_has_no_answer() {
        let answer = |descriptor: &Descriptor| answer(descriptor, vec![0; 8], vec![0, 1]);
        let fits = sample((DataType::U32, &[2, 1]), (DataType::U8, &[1, 2]), &[2, 2], 1);
        assert!(answer(&fits).is_some());
        for (indices, sizes, output, axis) in [
            (DataType::U32, [2, 1], [2, 2], 2),
            (DataType::U32, [2, 1], [2, 2], -1),
            (DataType::U32, [2, 1], [2, 2], 0),
            (DataType::U32, [2, 1], [3, 2], 1),
            (DataType::U32, [1, 2], [2, 2], 1),
            (DataType::F32, [2, 1], [2, 2], 1),
        ] {
            let sample = sample((indices, &sizes), (DataType::U8, &[1, 2]), &output, axis);
            assert_eq!(answer(&sample), None, "{sample:?}");
        }
    }
}
