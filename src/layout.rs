//! Between the logical order of elements and their places in memory.

use std::borrow::Cow;
use std::collections::HashMap;

use opcert_backend::TensorDescriptor;

/// Two elements that share memory and differ: their positions in logical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The one that comes first.
    pub first: usize,
    /// The other one.
    pub second: usize,
}

/// In memory of so many elements, those that share a place are found by going through the places.
const MOST_PLACES: usize = 1 << 12;

/// Puts packed elements where the tensor's strides say. The rest of `memory` stays as it is. Of elements that share
/// memory the last one stays.
///
/// # Panics
///
/// When `memory` is shorter than the tensor's span, or `elements` are fewer than its sizes say.
pub fn lay_out(tensor: &TensorDescriptor, elements: &[u8], memory: &mut [u8]) {
    if tensor.is_packed() {
        memory[..elements.len()].copy_from_slice(elements);
        return;
    }
    fn put<const WIDTH: usize>(elements: &[u8], offsets: Offsets, memory: &mut [u8]) {
        for (element, offset) in elements.as_chunks::<WIDTH>().0.iter().zip(offsets) {
            memory[offset * WIDTH..(offset + 1) * WIDTH].copy_from_slice(element);
        }
    }
    // Each width has a loop of its own.
    match tensor.data_type.bytes() {
        1 => put::<1>(elements, Offsets::of(tensor), memory),
        2 => put::<2>(elements, Offsets::of(tensor), memory),
        4 => put::<4>(elements, Offsets::of(tensor), memory),
        _ => put::<8>(elements, Offsets::of(tensor), memory),
    }
}

/// Elements that share memory, as a stride of 0 makes them, and differ. Needs memory for the elements only, however
/// far apart they lie.
#[must_use]
pub fn conflict(tensor: &TensorDescriptor, elements: &[u8]) -> Option<Conflict> {
    let width = tensor.data_type.bytes();
    let count = elements.len() / width;
    let elements = elements.chunks_exact(width);
    let span = tensor.span_bytes().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX) / width;
    if span <= MOST_PLACES.max(count) {
        // For each place in memory the first element that lies there.
        let mut owners: Vec<Option<(usize, &[u8])>> = vec![None; span];
        for (second, (element, offset)) in elements.zip(Offsets::of(tensor)).enumerate() {
            let (first, owner) = *owners[offset].get_or_insert((second, element));
            if owner != element {
                return Some(Conflict { first, second });
            }
        }
        return None;
    }
    let mut owners: HashMap<usize, (usize, &[u8])> = HashMap::new();
    for (second, (element, offset)) in elements.zip(Offsets::of(tensor)).enumerate() {
        let &mut (first, owner) = owners.entry(offset).or_insert((second, element));
        if owner != element {
            return Some(Conflict { first, second });
        }
    }
    None
}

/// Takes the elements of a tensor out of its memory, packed, in logical order.
///
/// # Panics
///
/// When `memory` is shorter than the tensor's span.
#[must_use]
pub fn gather<'a>(tensor: &TensorDescriptor, memory: &'a [u8]) -> Cow<'a, [u8]> {
    fn taken<const WIDTH: usize>(offsets: Offsets, memory: &[u8]) -> Vec<u8> {
        let mut elements = Vec::new();
        for offset in offsets {
            elements.extend_from_slice(&memory[offset * WIDTH..(offset + 1) * WIDTH]);
        }
        elements
    }
    if tensor.is_packed() {
        let bytes = tensor.span_bytes().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0);
        return Cow::Borrowed(&memory[..bytes]);
    }
    // Each width has a loop of its own.
    Cow::Owned(match tensor.data_type.bytes() {
        1 => taken::<1>(Offsets::of(tensor), memory),
        2 => taken::<2>(Offsets::of(tensor), memory),
        4 => taken::<4>(Offsets::of(tensor), memory),
        _ => taken::<8>(Offsets::of(tensor), memory),
    })
}

/// The coordinates of an element, given its position in logical order.
#[must_use]
pub fn coordinates(index: usize, sizes: &[u64]) -> Vec<u64> {
    let mut rest = index as u64;
    let mut coordinates = vec![0; sizes.len()];
    for (coordinate, &size) in coordinates.iter_mut().zip(sizes).rev() {
        *coordinate = rest % size.max(1);
        rest /= size.max(1);
    }
    coordinates
}

/// The place of each element in memory, in elements, in logical order.
pub(crate) struct Offsets {
    sizes: Vec<u64>,
    strides: Vec<u64>,
    position: Vec<u64>,
    offset: u64,
    done: bool,
}

impl Offsets {
    fn of(tensor: &TensorDescriptor) -> Self {
        let strides = tensor.effective_strides().unwrap_or_default();
        Self::new(tensor.sizes.clone(), strides)
    }

    /// The places of elements of some sizes with strides; none where there is not one of each for every dimension.
    pub(crate) fn new(sizes: Vec<u64>, strides: Vec<u64>) -> Self {
        let done = sizes.contains(&0) || strides.len() != sizes.len();
        Self { position: vec![0; sizes.len()], sizes, strides, offset: 0, done }
    }
}

impl Iterator for Offsets {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.done {
            return None;
        }
        let offset = self.offset as usize;
        self.done = true;
        for dimension in (0..self.sizes.len()).rev() {
            self.position[dimension] += 1;
            // Along a dimension of size 1 a stride may be any number: the step is undone right below.
            self.offset = self.offset.wrapping_add(self.strides[dimension]);
            if self.position[dimension] < self.sizes[dimension] {
                self.done = false;
                break;
            }
            let walked = self.strides[dimension].wrapping_mul(self.sizes[dimension]);
            self.offset = self.offset.wrapping_sub(walked);
            self.position[dimension] = 0;
        }
        Some(offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use opcert_backend::DataType;

    fn strided(sizes: &[u64], strides: &[u64]) -> TensorDescriptor {
        TensorDescriptor { strides: Some(strides.to_vec()), ..TensorDescriptor::packed(DataType::U8, sizes) }
    }

    #[test]
    fn transposed_and_padded_tensors_go_there_and_back() {
        let tensor = strided(&[2, 3], &[1, 4]);
        let mut memory = [9; 10];
        lay_out(&tensor, &[1, 2, 3, 4, 5, 6], &mut memory);
        assert_eq!(memory, [1, 4, 9, 9, 2, 5, 9, 9, 3, 6]);
        assert_eq!(*gather(&tensor, &memory), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn a_stride_along_a_dimension_of_size_1_means_nothing() {
        let tensor = strided(&[2, 1, 2], &[3, u64::MAX, 1]);
        assert_eq!(gather(&tensor, &[1, 2, 9, 3, 4])[..], [1, 2, 3, 4]);
    }

    #[test]
    fn broadcast_elements_must_agree() {
        let tensor = strided(&[2, 2], &[0, 1]);
        assert_eq!(conflict(&tensor, &[1, 2, 1, 2]), None);
        assert_eq!(*gather(&tensor, &[7, 8]), [7, 8, 7, 8]);
        assert_eq!(conflict(&tensor, &[1, 2, 1, 3]), Some(Conflict { first: 1, second: 3 }));
        assert_eq!(conflict(&strided(&[2], &[1 << 40]), &[1, 2]), None);
    }

    #[test]
    fn scalars_and_empty_tensors_have_their_element_or_none() {
        assert_eq!(*gather(&TensorDescriptor::packed(DataType::U8, []), &[5]), [5]);
        assert_eq!(*gather(&strided(&[2, 0], &[5, 5]), &[]), [0u8; 0]);
        assert_eq!(coordinates(5, &[2, 3]), [1, 2]);
        assert_eq!(coordinates(0, &[]), [0u64; 0]);
    }
}
