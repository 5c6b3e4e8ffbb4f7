//! Between the logical order of elements and their places in memory.

use opcert_backend::TensorDescriptor;

/// Two elements that share memory and differ: their positions in logical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The one that comes first.
    pub first: usize,
    /// The other one.
    pub second: usize,
}

/// Puts packed elements where the tensor's strides say. The rest of `memory` stays as it is.
///
/// # Errors
///
/// When two elements that differ share memory, as a stride of 0 makes them.
///
/// # Panics
///
/// When `memory` is shorter than the tensor's span, or `elements` are fewer than its sizes say.
pub fn lay_out(tensor: &TensorDescriptor, elements: &[u8], memory: &mut [u8]) -> Result<(), Conflict> {
    if tensor.is_packed() {
        memory[..elements.len()].copy_from_slice(elements);
        return Ok(());
    }
    let width = tensor.data_type.bytes();
    let mut owner: Vec<u32> = vec![0; memory.len() / width];
    for (index, offset) in Offsets::of(tensor).enumerate() {
        let element = &elements[index * width..(index + 1) * width];
        let place = &mut memory[offset * width..(offset + 1) * width];
        let first = owner[offset] as usize;
        if first != 0 && place != element {
            return Err(Conflict { first: first - 1, second: index });
        }
        if first == 0 {
            owner[offset] = u32::try_from(index + 1).unwrap_or(u32::MAX);
        }
        place.copy_from_slice(element);
    }
    Ok(())
}

/// Takes the elements of a tensor out of its memory, packed, in logical order.
///
/// # Panics
///
/// When `memory` is shorter than the tensor's span.
#[must_use]
pub fn gather(tensor: &TensorDescriptor, memory: &[u8]) -> Vec<u8> {
    let width = tensor.data_type.bytes();
    if tensor.is_packed() {
        let bytes = tensor.span_bytes().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0);
        return memory[..bytes].to_vec();
    }
    let mut elements = Vec::new();
    for offset in Offsets::of(tensor) {
        elements.extend_from_slice(&memory[offset * width..(offset + 1) * width]);
    }
    elements
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
struct Offsets {
    sizes: Vec<u64>,
    strides: Vec<u64>,
    position: Vec<u64>,
    offset: u64,
    done: bool,
}

impl Offsets {
    fn of(tensor: &TensorDescriptor) -> Self {
        let strides = tensor.effective_strides().unwrap_or_default();
        let done = tensor.sizes.contains(&0) || strides.len() != tensor.sizes.len();
        Self { position: vec![0; tensor.sizes.len()], sizes: tensor.sizes.clone(), strides, offset: 0, done }
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
            self.offset += self.strides[dimension];
            if self.position[dimension] < self.sizes[dimension] {
                self.done = false;
                break;
            }
            self.offset -= self.strides[dimension] * self.sizes[dimension];
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
        lay_out(&tensor, &[1, 2, 3, 4, 5, 6], &mut memory).unwrap();
        assert_eq!(memory, [1, 4, 9, 9, 2, 5, 9, 9, 3, 6]);
        assert_eq!(gather(&tensor, &memory), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn broadcast_elements_must_agree() {
        let tensor = strided(&[2, 2], &[0, 1]);
        assert_eq!(lay_out(&tensor, &[1, 2, 1, 2], &mut [0; 2]), Ok(()));
        assert_eq!(gather(&tensor, &[7, 8]), [7, 8, 7, 8]);
        let conflict = lay_out(&tensor, &[1, 2, 1, 3], &mut [0; 2]);
        assert_eq!(conflict, Err(Conflict { first: 1, second: 3 }));
    }

    #[test]
    fn scalars_and_empty_tensors_have_their_element_or_none() {
        assert_eq!(gather(&TensorDescriptor::packed(DataType::U8, []), &[5]), [5]);
        assert_eq!(gather(&strided(&[2, 0], &[5, 5]), &[]), [0u8; 0]);
        assert_eq!(coordinates(5, &[2, 3]), [1, 2]);
        assert_eq!(coordinates(0, &[]), [0u64; 0]);
    }
}
