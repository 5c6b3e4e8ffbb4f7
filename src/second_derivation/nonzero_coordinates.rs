//! NONZERO_COORDINATES by listing: all elements with their coordinates, of which those that are zero are struck out.
//!
//! The document says of floats that both zeros count as zero. Nothing else does here: NaN and subnormal numbers, of
//! which it says nothing, are not zero.

use opcert_backend::DataType;

use super::{Outputs, Request, product};
use crate::case::Elements;

/// A tensor has no more dimensions.
const MOST_DIMENSIONS: usize = 8;

/// An element of the input.
#[derive(Clone, Copy, Default)]
struct Listed {
    /// Its position in logical order.
    index: u64,
    /// Its coordinates, outermost first, as many as there are dimensions.
    coordinates: [u32; MOST_DIMENSIONS],
    is_nonzero: bool,
}

pub(super) fn outputs(request: &Request<'_>) -> Option<Outputs> {
    let input = request.input("InputTensor")?;
    let sizes = &input.tensor.sizes;
    let [leading @ .., rows, columns] = request.output("OutputCoordinatesTensor")?.sizes.as_slice() else {
        return None;
    };
    let (rows, columns) = (usize::try_from(*rows).ok()?, usize::try_from(*columns).ok()?);
    let left_out = sizes.len().checked_sub(columns)?;
    if product(leading) != Some(1) || product(sizes) != Some(rows) {
        return None;
    }
    let mut list = all_elements(sizes)?;
    for (element, bits) in std::iter::zip(&mut list, input.bits()) {
        element.is_nonzero = is_nonzero(bits, input.tensor.data_type);
    }
    list.retain(|element| element.is_nonzero);
    list.sort_by_key(|element| element.index);
    let count = Elements { bytes: u32::try_from(list.len()).ok()?.to_le_bytes().to_vec(), undefined: Vec::new() };
    let kept = left_out..sizes.len();
    let coordinates = list.iter().flat_map(|element| &element.coordinates[kept.clone()]);
    let coordinates = lay_out(coordinates.flat_map(|coordinate| coordinate.to_le_bytes()), rows * columns);
    Some(vec![("OutputCountTensor", count), ("OutputCoordinatesTensor", coordinates)])
}

/// All elements of a tensor, from one without coordinates to all of them, dimension by dimension.
fn all_elements(sizes: &[u64]) -> Option<Vec<Listed>> {
    if sizes.len() > MOST_DIMENSIONS {
        return None;
    }
    let mut list = vec![Listed::default()];
    for (dimension, &size) in sizes.iter().enumerate() {
        let size = u32::try_from(size).ok()?;
        let within = |outer: Listed| {
            (0..size).map(move |coordinate| {
                let mut element = outer;
                element.index = outer.index * u64::from(size) + u64::from(coordinate);
                element.coordinates[dimension] = coordinate;
                element
            })
        };
        list = list.into_iter().flat_map(within).collect();
    }
    Some(list)
}

/// Whether an element is not zero, given its bits. In a float the sign bit says nothing about that.
fn is_nonzero(bits: u64, data_type: DataType) -> bool {
    let sign = match data_type {
        DataType::F64 => 1 << 63,
        DataType::F32 => 1 << 31,
        DataType::F16 | DataType::BF16 => 1 << 15,
        _ => 0,
    };
    bits & !sign != 0
}

/// Elements of 32 bits at the beginning of a tensor whose rest is undefined.
fn lay_out(bytes: impl Iterator<Item = u8>, element_count: usize) -> Elements {
    let mut bytes: Vec<u8> = bytes.collect();
    let defined = bytes.len() / 4;
    bytes.resize(element_count * 4, 0);
    let undefined =
        if defined == element_count { Vec::new() } else { (0..element_count).map(|at| at >= defined).collect() };
    Elements { bytes, undefined }
}

#[cfg(test)]
mod tests {
    use super::super::expected;
    use super::super::samples::{descriptor, input};
    use super::*;

    /// The count and the rows below it, after a look at what is undefined.
    fn answer(data_type: DataType, sizes: &[u64], columns: u64, elements: Vec<u8>) -> Option<(u32, Vec<Vec<u32>>)> {
        let rows: u64 = sizes.iter().product();
        let tensors = [
            ("InputTensor", data_type, sizes),
            ("OutputCountTensor", DataType::U32, &[1, 1]),
            ("OutputCoordinatesTensor", DataType::U32, &[1, 1, rows, columns]),
        ];
        let descriptor = descriptor("directml/nonzero_coordinates", &tensors, &[]);
        let outputs = expected(&descriptor, &[input("InputTensor", elements)])?;
        let numbers: Vec<Vec<u32>> = outputs.iter().map(|(_, elements)| numbers(&elements.bytes)).collect();
        let count = numbers[0][0];
        let (defined, rest) = numbers[1].split_at(count as usize * columns as usize);
        assert!(rest.iter().all(|&number| number == 0));
        let undefined = &outputs[1].1.undefined;
        assert_eq!(undefined.is_empty(), rest.is_empty());
        assert_eq!(undefined.iter().position(|&undefined| undefined).unwrap_or(defined.len()), defined.len());
        assert_eq!(undefined.iter().filter(|&&undefined| undefined).count(), rest.len());
        assert!(outputs[0].1.undefined.is_empty());
        Some((count, defined.chunks_exact(columns as usize).map(<[u32]>::to_vec).collect()))
    }

    fn numbers(bytes: &[u8]) -> Vec<u32> {
        bytes.chunks_exact(4).map(|element| u32::from_le_bytes(element.try_into().unwrap())).collect()
    }

    #[test]
    fn documented_example() {
        let elements = [1.0f32, 0.0, 0.0, 2.0, -0.0, 3.5, 0.0, -5.2].map(f32::to_le_bytes).concat();
        let rows = vec![vec![0, 0, 0], vec![0, 0, 3], vec![0, 1, 1], vec![0, 1, 3]];
        assert_eq!(answer(DataType::F32, &[1, 1, 2, 4], 3, elements), Some((4, rows)));
    }

    #[test]
    fn documented_order() {
        let mut elements = vec![0; 12];
        for (row, column) in [(1, 0), (1, 2), (0, 5)] {
            elements[row * 6 + column] = 1;
        }
        let rows = vec![vec![0, 5], vec![1, 0], vec![1, 2]];
        assert_eq!(answer(DataType::U8, &[2, 6], 2, elements), Some((3, rows)));
    }

    #[test]
    fn columns_are_the_last_coordinates() {
        let elements = vec![0, 0, 0, 0, 0, 7];
        for (columns, row) in [(4, vec![0, 0, 1, 2]), (3, vec![0, 1, 2]), (2, vec![1, 2])] {
            assert_eq!(answer(DataType::I8, &[1, 1, 2, 3], columns, elements.clone()), Some((1, vec![row])));
        }
        assert_eq!(answer(DataType::I8, &[1, 1, 2, 3], 5, elements), None);
        // Sizes of 1 behind a larger one are no leading ones.
        assert_eq!(answer(DataType::U8, &[2, 1, 1, 1], 4, vec![0, 1]), Some((1, vec![vec![1, 0, 0, 0]])));
    }

    #[test]
    fn nothing_and_everything() {
        assert_eq!(answer(DataType::U16, &[2, 2], 2, vec![0; 8]), Some((0, vec![])));
        let rows = vec![vec![0, 0], vec![0, 1], vec![1, 0], vec![1, 1]];
        assert_eq!(answer(DataType::U16, &[2, 2], 2, vec![1; 8]), Some((4, rows)));
        assert_eq!(answer(DataType::U8, &[1, 1, 1, 1], 1, vec![1]), Some((1, vec![vec![0]])));
        assert_eq!(answer(DataType::U8, &[1, 1, 1, 1], 4, vec![0]), Some((0, vec![])));
    }

    #[test]
    fn coordinates_of_every_dimension_are_their_own() {
        // In the sizes {2, 3, 4} element 17 is (1, 1, 1), and element 11 is (0, 2, 3).
        let mut elements = vec![0; 24];
        elements[17] = 1;
        elements[11] = 1;
        assert_eq!(answer(DataType::U8, &[2, 3, 4], 3, elements), Some((2, vec![vec![0, 2, 3], vec![1, 1, 1]])));
    }

    #[test]
    fn of_floats_only_both_zeros_are_zero() {
        let bits = [0, 0x8000_0000u32, 1, 0x8000_0001, 0x7FC0_0000, 0xFF80_0001, 0x7F80_0000, 0x3F80_0000];
        let rows = (2..8).map(|at| vec![at]).collect();
        assert_eq!(answer(DataType::F32, &[8], 1, bits.map(u32::to_le_bytes).concat()), Some((6, rows)));
        let bits = [0x8000u16, 0x0001, 0x0000, 0x7E00, 0x8001];
        let rows = vec![vec![1], vec![3], vec![4]];
        assert_eq!(answer(DataType::F16, &[5], 1, bits.map(u16::to_le_bytes).concat()), Some((3, rows)));
    }

    #[test]
    fn of_integers_only_0_is_zero() {
        for (data_type, least) in [
            (DataType::I32, i32::MIN.to_le_bytes().to_vec()),
            (DataType::U32, (1u32 << 31).to_le_bytes().to_vec()),
            (DataType::I16, i16::MIN.to_le_bytes().to_vec()),
            (DataType::I8, i8::MIN.to_le_bytes().to_vec()),
        ] {
            let elements = [vec![0; least.len()], least].concat();
            assert_eq!(answer(data_type, &[2], 1, elements), Some((1, vec![vec![1]])), "{data_type}");
        }
    }
}
