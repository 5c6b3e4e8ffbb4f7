//! ARGMAX by sorting: the candidates of all subsets stand in one list, the best one of each subset in front.
//!
//! What the document leaves open is decided as follows. Every NaN is greater than every number and as great as every
//! other NaN. The axes are a set: their order and repetitions mean nothing. Without axes each element is a subset of
//! its own. An index that does not fit the output's type keeps its low bits.

use std::cmp::{Ordering, Reverse};

use opcert_backend::DataType;

use super::{Outputs, Request, integer};
use crate::case::Elements;

/// An element of the input, as a candidate for the maximum of its subset.
struct Candidate {
    place: Place,
    /// Ranks are in the order of the values; equal values have equal ranks.
    rank: i128,
}

/// Where an element belongs.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The row-major position over the dimensions that are kept, and so the position in the output.
    subset: u64,
    /// The row-major position over the dimensions that are reduced.
    index: u64,
}

impl Place {
    /// The place after one more dimension.
    const fn inside(self, is_reduced: bool, size: u64, coordinate: u64) -> Self {
        if is_reduced {
            Self { index: self.index * size + coordinate, ..self }
        } else {
            Self { subset: self.subset * size + coordinate, ..self }
        }
    }
}

/// Which one of several equal maxima is meant.
#[derive(Clone, Copy)]
enum Direction {
    First,
    Last,
}

pub(super) fn outputs(request: &Request<'_>) -> Option<Outputs> {
    let input = request.input("InputTensor")?;
    let output = request.output("OutputTensor")?;
    let direction = match request.descriptor.enumerator("AxisDirection")? {
        "DML_AXIS_DIRECTION_INCREASING" => Direction::First,
        "DML_AXIS_DIRECTION_DECREASING" => Direction::Last,
        _ => return None,
    };
    let sizes = &input.tensor.sizes;
    let is_reduced = is_reduced(request.descriptor.integers("Axes")?, sizes.len())?;
    if output.sizes != reduced_sizes(sizes, &is_reduced) || output.data_type.is_float() {
        return None;
    }
    let ranks = input.bits().map(|bits| rank(bits, input.tensor.data_type));
    let mut candidates: Vec<Candidate> =
        std::iter::zip(places(sizes, &is_reduced), ranks).map(|(place, rank)| Candidate { place, rank }).collect();
    candidates.sort_unstable_by(|one, other| best_first(one, other, direction));
    candidates.dedup_by_key(|candidate| candidate.place.subset);
    let width = output.data_type.bytes();
    let bytes = candidates.iter().flat_map(|best| best.place.index.to_le_bytes().into_iter().take(width)).collect();
    Some(vec![("OutputTensor", Elements { bytes, undefined: Vec::new() })])
}

/// For each dimension whether an axis names it.
fn is_reduced(axes: &[i64], dimension_count: usize) -> Option<Vec<bool>> {
    let mut is_reduced = vec![false; dimension_count];
    for &axis in axes {
        *is_reduced.get_mut(usize::try_from(axis).ok()?)? = true;
    }
    Some(is_reduced)
}

fn reduced_sizes(sizes: &[u64], is_reduced: &[bool]) -> Vec<u64> {
    std::iter::zip(sizes, is_reduced).map(|(&size, &is_reduced)| if is_reduced { 1 } else { size }).collect()
}

/// The places of all elements in logical order, from one place without dimensions to all of them.
fn places(sizes: &[u64], is_reduced: &[bool]) -> Vec<Place> {
    let mut places = vec![Place::default()];
    for (&size, &is_reduced) in std::iter::zip(sizes, is_reduced) {
        let within = |place: Place| (0..size).map(move |coordinate| place.inside(is_reduced, size, coordinate));
        places = places.into_iter().flat_map(within).collect();
    }
    places
}

/// The subsets in their order; in each one greater values first, and among equal ones the index that is meant.
fn best_first(one: &Candidate, other: &Candidate, direction: Direction) -> Ordering {
    let by_subset = one.place.subset.cmp(&other.place.subset);
    let by_value = Reverse(one.rank).cmp(&Reverse(other.rank));
    let by_index = one.place.index.cmp(&other.place.index);
    by_subset.then(by_value).then(match direction {
        Direction::First => by_index,
        Direction::Last => by_index.reverse(),
    })
}

/// The rank of a value. An integer is its own rank.
fn rank(bits: u64, data_type: DataType) -> i128 {
    match data_type {
        DataType::F64 => float_rank(bits, 1 << 63, 0x7FF0_0000_0000_0000),
        DataType::F32 => float_rank(bits, 1 << 31, 0x7F80_0000),
        DataType::F16 => float_rank(bits, 1 << 15, 0x7C00),
        DataType::BF16 => float_rank(bits, 1 << 15, 0x7F80),
        _ => integer(bits, data_type).unwrap_or_else(|| bits.into()),
    }
}

/// The rank of a float. Without the sign the bits are in the order of the magnitudes, and those above infinity are NaN.
/// With the sign both zeros have the rank 0.
fn float_rank(bits: u64, sign: u64, infinity: u64) -> i128 {
    let magnitude = bits & !sign;
    if magnitude > infinity {
        i128::MAX
    } else if bits & sign == 0 {
        magnitude.into()
    } else {
        -i128::from(magnitude)
    }
}

#[cfg(test)]
mod tests {
    use half::{bf16, f16};
    use opcert_backend::{AttributeValue, Descriptor};

    use super::super::samples::{descriptor, input, only_output};
    use super::*;

    const FIRST: &str = "DML_AXIS_DIRECTION_INCREASING";
    const LAST: &str = "DML_AXIS_DIRECTION_DECREASING";
    const EXAMPLE: [f32; 9] = [1.0, 2.0, 3.0, 3.0, 0.0, 4.0, 2.0, 5.0, 2.0];

    fn sample(data_type: DataType, sizes: &[u64], output: &[u64], axes: &[i64], direction: &str) -> Descriptor {
        let tensors = [("InputTensor", data_type, sizes), ("OutputTensor", DataType::U32, output)];
        let attributes = [
            ("AxisCount", AttributeValue::Integer(axes.len() as i64)),
            ("Axes", AttributeValue::Integers(axes.to_vec())),
            ("AxisDirection", AttributeValue::Enumerator(direction.to_owned())),
        ];
        descriptor("directml/argmax", &tensors, &attributes)
    }

    fn indices(descriptor: &Descriptor, elements: Vec<u8>) -> Option<Vec<u32>> {
        let bytes = only_output(descriptor, &[input("InputTensor", elements)])?;
        let elements = bytes.chunks_exact(4);
        Some(elements.map(|element| u32::from_le_bytes(element.try_into().unwrap())).collect())
    }

    /// The first and the last maximum of one dimension.
    fn first_and_last<const WIDTH: usize>(data_type: DataType, elements: &[[u8; WIDTH]]) -> [u32; 2] {
        [FIRST, LAST].map(|direction| {
            let sample = sample(data_type, &[elements.len() as u64], &[1], &[0], direction);
            let indices = indices(&sample, elements.concat()).unwrap();
            assert_eq!(indices.len(), 1);
            indices[0]
        })
    }

    #[test]
    fn documented_examples() {
        let elements = EXAMPLE.map(f32::to_le_bytes).concat();
        for (output, axes, expected) in
            [([1, 3], vec![0], vec![1, 2, 1]), ([3, 1], vec![1], vec![2, 2, 1]), ([1, 1], vec![0, 1], vec![7])]
        {
            let sample = sample(DataType::F32, &[3, 3], &output, &axes, FIRST);
            assert_eq!(indices(&sample, elements.clone()), Some(expected), "axes {axes:?}");
        }
        assert_eq!(first_and_last(DataType::U8, &[[3], [2], [1], [2], [3]]), [0, 4]);
    }

    #[test]
    fn wide_integers_compare_exactly() {
        let power = 1u64 << 53;
        let unsigned = |values: [u64; 3]| first_and_last(DataType::U64, &values.map(u64::to_le_bytes));
        assert_eq!(unsigned([power, power + 1, power]), [1, 1]);
        assert_eq!(unsigned([(1 << 63) - 1, 1 << 63, (1 << 63) + 1]), [2, 2]);
        assert_eq!(unsigned([u64::MAX, u64::MAX - 1, 0]), [0, 0]);
        let signed = |values: [i64; 3]| first_and_last(DataType::I64, &values.map(i64::to_le_bytes));
        assert_eq!(signed([power as i64, power as i64 + 1, -1]), [1, 1]);
        assert_eq!(signed([-(power as i64) - 1, -(power as i64), i64::MIN]), [1, 1]);
        assert_eq!(signed([-1, 0, i64::MIN]), [1, 1]);
    }

    #[test]
    fn narrow_integers_have_their_sign_or_none() {
        assert_eq!(first_and_last(DataType::I8, &[[0xFF], [0], [0x80]]), [1, 1]);
        assert_eq!(first_and_last(DataType::U8, &[[0xFE], [0], [0xFF]]), [2, 2]);
        assert_eq!(first_and_last(DataType::I16, &[-2i16, -1, -3].map(i16::to_le_bytes)), [1, 1]);
        assert_eq!(first_and_last(DataType::U32, &[1u32 << 31, 1, u32::MAX].map(u32::to_le_bytes)), [2, 2]);
    }

    #[test]
    fn zeros_of_both_signs_tie() {
        assert_eq!(first_and_last(DataType::F32, &[-1.0f32, -0.0, 0.0, -2.0].map(f32::to_le_bytes)), [1, 2]);
        assert_eq!(first_and_last(DataType::F32, &[0.0f32, -0.0].map(f32::to_le_bytes)), [0, 1]);
        assert_eq!(first_and_last(DataType::F16, &[[0x00, 0x80], [0x00, 0x00]]), [0, 1]);
    }

    #[test]
    fn least_values_tie_as_others_do() {
        assert_eq!(first_and_last(DataType::F32, &[f32::NEG_INFINITY; 4].map(f32::to_le_bytes)), [0, 3]);
        assert_eq!(first_and_last(DataType::F16, &[f16::NEG_INFINITY; 3].map(f16::to_le_bytes)), [0, 2]);
        assert_eq!(first_and_last(DataType::I32, &[i32::MIN; 3].map(i32::to_le_bytes)), [0, 2]);
        assert_eq!(first_and_last(DataType::U8, &[[0]; 5]), [0, 4]);
    }

    #[test]
    fn floats_are_in_the_order_of_their_values() {
        let ordered = [f32::NEG_INFINITY, f32::MIN, -1.5, -1.0, -f32::from_bits(1), 0.0, f32::from_bits(1), 1.0, 1.5];
        let ranks = |rank: &dyn Fn(f32) -> i128| ordered.iter().map(|&value| rank(value)).collect::<Vec<_>>();
        assert!(ranks(&|value| rank(value.to_bits().into(), DataType::F32)).is_sorted_by(|one, other| one < other));
        assert!(ranks(&|value| rank(f64::from(value).to_bits(), DataType::F64)).is_sorted_by(|one, other| one < other));
        assert_eq!(rank(f16::from_f32(-1.5).to_bits().into(), DataType::F16), -0x3E00);
        assert_eq!(
            first_and_last(DataType::BF16, &[1.0, f32::INFINITY, 2.0].map(bf16::from_f32).map(bf16::to_le_bytes)),
            [1, 1]
        );
    }

    #[test]
    fn every_nan_ties_above_all_numbers() {
        let quiet = 0x7FC0_0000u32;
        let (negative, signaling) = (0xFFC0_0001u32, 0x7F80_0001u32);
        let infinity = f32::INFINITY.to_bits();
        assert_eq!(first_and_last(DataType::F32, &[infinity, negative, 0, quiet, 0].map(u32::to_le_bytes)), [1, 3]);
        assert_eq!(first_and_last(DataType::F32, &[negative, quiet, signaling].map(u32::to_le_bytes)), [0, 2]);
        assert_eq!(first_and_last(DataType::F16, &[[0x00, 0x7C], [0x01, 0xFC], [0x00, 0x00]]), [1, 1]);
    }

    #[test]
    fn one_of_several_dimensions() {
        // Sizes {2, 3, 2}: element (a, b, c) is number 6a + 2b + c.
        let elements = vec![5, 1, 9, 1, 9, 7, 0, 4, 0, 4, 2, 4];
        let first = sample(DataType::U8, &[2, 3, 2], &[2, 1, 2], &[1], FIRST);
        assert_eq!(indices(&first, elements.clone()), Some(vec![1, 2, 2, 0]));
        let last = sample(DataType::U8, &[2, 3, 2], &[2, 1, 2], &[1], LAST);
        assert_eq!(indices(&last, elements), Some(vec![2, 2, 2, 2]));
    }

    #[test]
    fn axes_that_are_no_neighbours_count_in_the_order_of_dimensions() {
        // For the middle coordinate b the subset is, in order, the elements (0,b,0) (0,b,1) (1,b,0) (1,b,1).
        let elements = vec![5, 1, 9, 1, 9, 7, 0, 4, 0, 9, 2, 9];
        for (direction, expected) in [(FIRST, vec![0, 0, 0]), (LAST, vec![0, 3, 3])] {
            for axes in [vec![0, 2], vec![2, 0], vec![0, 2, 0]] {
                let sample = sample(DataType::U8, &[2, 3, 2], &[1, 3, 1], &axes, direction);
                assert_eq!(indices(&sample, elements.clone()), Some(expected.clone()), "{axes:?} {direction}");
            }
        }
        let second = vec![0, 3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1];
        let sample = sample(DataType::U8, &[2, 3, 2], &[1, 3, 1], &[0, 2], FIRST);
        assert_eq!(indices(&sample, second), Some(vec![1, 0, 3]));
    }

    #[test]
    fn without_axes_every_index_is_0() {
        for direction in [FIRST, LAST] {
            let sample = sample(DataType::U8, &[2, 2], &[2, 2], &[], direction);
            assert_eq!(indices(&sample, vec![4, 3, 2, 1]), Some(vec![0; 4]));
        }
    }

    #[test]
    fn an_index_is_the_same_in_every_type() {
        for (data_type, expected) in [
            (DataType::U32, vec![2, 0, 0, 0]),
            (DataType::I32, vec![2, 0, 0, 0]),
            (DataType::U64, vec![2, 0, 0, 0, 0, 0, 0, 0]),
            (DataType::I64, vec![2, 0, 0, 0, 0, 0, 0, 0]),
        ] {
            let mut sample = sample(DataType::U8, &[3], &[1], &[0], FIRST);
            sample.tensors[1].tensor.data_type = data_type;
            assert_eq!(only_output(&sample, &[input("InputTensor", [1, 2, 3])]), Some(expected));
        }
    }

    #[test]
    fn what_does_not_belong_has_no_answer() {
        for (output, axes, direction) in [
            ([1, 2], vec![2], FIRST),
            ([1, 2], vec![-1], FIRST),
            ([2, 1], vec![0], FIRST),
            ([1, 2], vec![0], "DML_AXIS_DIRECTION_SIDEWAYS"),
        ] {
            let sample = sample(DataType::U8, &[2, 2], &output, &axes, direction);
            assert_eq!(indices(&sample, vec![0; 4]), None, "{axes:?} {direction}");
        }
    }
}
