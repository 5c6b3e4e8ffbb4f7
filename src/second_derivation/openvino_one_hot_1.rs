//! OpenVINO's OneHot-1 by comparison, as the formula in its document has it: on where the index equals the position
//! along the new axis, and off elsewhere.
//!
//! The behaviour for a negative index is undefined. Here such an index equals no position.

use super::one_hot::{mask, select};
use super::{Input, Outputs, Request};
use crate::case::Elements;

pub(super) fn outputs(request: &Request<'_>) -> Option<Outputs> {
    let indices = request.input("indices")?;
    let (on, off) = (request.input("on_value")?, request.input("off_value")?);
    let output = request.output("output")?;
    let axis = position(request.descriptor.integer("axis")?, output.sizes.len())?;
    let mut without_axis = output.sizes.clone();
    without_axis.remove(axis);
    let fits = |value: &Input<'_>| value.tensor.data_type == output.data_type && value.tensor.sizes.is_empty();
    if indices.tensor.sizes != without_axis || !fits(&on) || !fits(&off) {
        return None;
    }
    let mask = mask(&indices.integers()?, &output.sizes, axis)?;
    let bytes = select(&mask, &on.bytes, &off.bytes);
    Some(vec![("output", Elements { bytes, undefined: Vec::new() })])
}

/// The dimension that an axis names; -1 stands for the last one.
fn position(axis: i64, dimension_count: usize) -> Option<usize> {
    let from_start = i128::from(axis) + if axis < 0 { dimension_count as i128 } else { 0 };
    usize::try_from(from_start).ok().filter(|&position| position < dimension_count)
}

#[cfg(test)]
mod tests {
    use opcert_backend::{AttributeValue, DataType, Descriptor};

    use super::super::samples::{descriptor, input, only_output};

    fn sample(indices: (DataType, &[u64]), value: DataType, output: &[u64], axis: i64) -> Descriptor {
        let tensors: [(&str, DataType, &[u64]); 5] = [
            ("indices", indices.0, indices.1),
            ("depth", DataType::I64, &[]),
            ("on_value", value, &[]),
            ("off_value", value, &[]),
            ("output", value, output),
        ];
        descriptor("openvino/one_hot_1", &tensors, &[("axis", AttributeValue::Integer(axis))])
    }

    fn answer(descriptor: &Descriptor, indices: Vec<u8>, depth: i64, on: &[u8], off: &[u8]) -> Option<Vec<u8>> {
        let inputs = [
            input("indices", indices),
            input("depth", depth.to_le_bytes()),
            input("on_value", on),
            input("off_value", off),
        ];
        only_output(descriptor, &inputs)
    }

    #[test]
    fn documented_examples() {
        let first = sample((DataType::I64, &[4]), DataType::U8, &[4, 3], -1);
        let indices = [0i64, 3, 1, 2].map(i64::to_le_bytes).concat();
        let expected = [[1, 2, 2], [2, 2, 2], [2, 1, 2], [2, 2, 1]].concat();
        assert_eq!(answer(&first, indices, 3, &[1], &[2]), Some(expected));
        let second = sample((DataType::I32, &[2, 3]), DataType::U8, &[2, 3, 3], 1);
        let indices = [0i32, 3, 1, 1, 2, 4].map(i32::to_le_bytes).concat();
        let expected = [[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0]].concat();
        assert_eq!(answer(&second, indices, 3, &[1], &[0]), Some(expected));
    }

    #[test]
    fn an_axis_counts_from_either_end_of_the_output() {
        let indices = [0i32, 1, 2, 1].map(i32::to_le_bytes).concat();
        let [first, middle, last] = [
            // Planes for the positions 0, 1 and 2 of the matrix [[0, 1], [2, 1]].
            vec![1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0],
            vec![1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0],
            vec![1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0],
        ];
        for (axis, output, expected) in [
            (0, [3, 2, 2], &first),
            (-3, [3, 2, 2], &first),
            (1, [2, 3, 2], &middle),
            (-2, [2, 3, 2], &middle),
            (2, [2, 2, 3], &last),
            (-1, [2, 2, 3], &last),
        ] {
            let sample = sample((DataType::I32, &[2, 2]), DataType::U8, &output, axis);
            assert_eq!(answer(&sample, indices.clone(), 3, &[1], &[0]).as_ref(), Some(expected), "axis {axis}");
        }
        for axis in [3, -4, i64::MAX, i64::MIN] {
            let sample = sample((DataType::I32, &[2, 2]), DataType::U8, &[2, 2, 3], axis);
            assert_eq!(answer(&sample, indices.clone(), 3, &[1], &[0]), None, "axis {axis}");
        }
    }

    #[test]
    fn a_scalar_index_gives_one_dimension() {
        for (axis, index, expected) in [(0, 2i32, [0, 0, 1]), (-1, 0, [1, 0, 0]), (0, 3, [0, 0, 0]), (0, -1, [0, 0, 0])]
        {
            let sample = sample((DataType::I32, &[]), DataType::Bool, &[3], axis);
            assert_eq!(answer(&sample, index.to_le_bytes().to_vec(), 3, &[1], &[0]), Some(expected.to_vec()));
        }
    }

    #[test]
    fn indices_that_name_no_position_leave_all_off() {
        let indices = [2, 3, 4, 6, -1, -3, -4, (1 << 32) + 1, i64::MIN, i64::MAX];
        let sample = sample((DataType::I64, &[10]), DataType::U8, &[10, 3], 1);
        let mut expected = vec![7; 30];
        expected[2] = 9;
        assert_eq!(answer(&sample, indices.map(i64::to_le_bytes).concat(), 3, &[9], &[7]), Some(expected));
    }

    #[test]
    fn values_keep_every_bit() {
        let sample = sample((DataType::I32, &[1]), DataType::BF16, &[2, 1], 0);
        let (signaling, negative_zero) = ([0x81, 0x7F], [0x00, 0x80]);
        let expected = [signaling, negative_zero].concat();
        assert_eq!(answer(&sample, vec![0; 4], 2, &signaling, &negative_zero), Some(expected));
    }

    #[test]
    fn without_indices_there_are_no_elements() {
        for (sizes, output, axis) in
            [([0, 2], [3, 0, 2], 0), ([0, 2], [0, 3, 2], 1), ([2, 0], [2, 3, 0], 1), ([2, 0], [2, 0, 3], 2)]
        {
            let sample = sample((DataType::I32, &sizes), DataType::U8, &output, axis);
            assert_eq!(answer(&sample, vec![], 3, &[1], &[0]), Some(vec![]), "{output:?}");
        }
    }

    #[test]
    fn what_does_not_belong_has_no_answer() {
        let larger = sample((DataType::I32, &[2]), DataType::U8, &[3, 3], 1);
        assert_eq!(answer(&larger, vec![0; 8], 3, &[1], &[0]), None);
        let float = sample((DataType::F32, &[2]), DataType::U8, &[2, 3], 1);
        assert_eq!(answer(&float, vec![0; 8], 3, &[1], &[0]), None);
        let mut mixed = sample((DataType::I32, &[2]), DataType::U8, &[2, 3], 1);
        mixed.tensors[3].tensor.data_type = DataType::I8;
        assert_eq!(answer(&mixed, vec![0; 8], 3, &[1], &[0]), None);
    }
}
