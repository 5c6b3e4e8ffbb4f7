//! The memory of tensors as arrays of the crate `ndarray`, over their strides and without a copy.

use bytemuck::{AnyBitPattern, NoUninit, try_cast_slice, try_cast_slice_mut};
use ndarray::{ArrayViewD, ArrayViewMutD, IxDyn, ShapeBuilder, StrideShape};

use crate::{DataType, Fault, Input, Output, TensorDescriptor};

/// The elements of a tensor as Rust has them: `f32` of a [`DataType::F32`] and so on, `half`'s types of the narrow floats, and
/// a `u8` of a [`DataType::Bool`], whose byte a caller may have made anything.
pub trait Element: AnyBitPattern + NoUninit {
    /// The types whose elements these are.
    const OF: &'static [DataType];
}

macro_rules! elements {
    ($($element:ty => [$($data_type:ident),+],)*) => {
        $(impl Element for $element { const OF: &'static [DataType] = &[$(DataType::$data_type),+]; })*
    };
}

elements! {
    f64 => [F64],
    f32 => [F32],
    half::f16 => [F16],
    half::bf16 => [BF16],
    i64 => [I64],
    i32 => [I32],
    i16 => [I16],
    i8 => [I8],
    u64 => [U64],
    u32 => [U32],
    u16 => [U16],
    u8 => [U8, Bool],
}

/// Why the memory of a tensor is no array of these elements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// Its elements are others.
    #[error("`{tensor}` is of {found}, and a view of {asked} was asked for")]
    OtherType {
        /// The tensor's name in the specification.
        tensor: String,
        /// The type of its elements.
        found: DataType,
        /// The types whose elements the view would have.
        asked: String,
    },
    /// The strides of an output do not nest ([`TensorDescriptor::strides_nest`]): its elements may share memory, and writing one
    /// would change another.
    #[error("elements of `{tensor}` may share memory, with strides {strides:?} for sizes {sizes:?}: write its bytes")]
    Overlap {
        /// The tensor's name in the specification.
        tensor: String,
        /// Its sizes.
        sizes: Vec<u64>,
        /// Its strides, in elements.
        strides: Vec<u64>,
    },
    /// Sizes and strides differ in number, or what they say is more than the memory or an address can hold.
    #[error("`{tensor}` of {bytes} bytes does not hold {layout}")]
    Memory {
        /// The tensor's name in the specification.
        tensor: String,
        /// The bytes that there are.
        bytes: usize,
        /// Type, sizes and strides.
        layout: String,
    },
    /// The memory does not begin where an element may.
    #[error("`{tensor}` does not begin at a multiple of {alignment} bytes, as elements of {data_type} have to")]
    Unaligned {
        /// The tensor's name in the specification.
        tensor: String,
        /// The type of its elements.
        data_type: DataType,
        /// Where such an element may begin.
        alignment: usize,
    },
    /// This processor reads the bytes of a number in another order than opcert writes them.
    #[error("this processor is big-endian, and the bytes of tensors are little-endian")]
    BigEndian,
}

impl From<ViewError> for Fault {
    fn from(error: ViewError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl<'a> Input<'a> {
    /// The elements, over the tensor's strides: a stride of 0 repeats one.
    ///
    /// # Errors
    ///
    /// See [`ViewError`]; never [`ViewError::Overlap`].
    pub fn view<T: Element>(&self) -> Result<ArrayViewD<'a, T>, ViewError> {
        let layout = Layout::of::<T>(self.name, self.tensor, self.bytes.len())?;
        // What holds nothing lies anywhere.
        let elements: &[T] = match &self.bytes[..layout.bytes] {
            [] => &[],
            bytes => try_cast_slice(bytes).map_err(|_| layout.unaligned::<T>())?,
        };
        ArrayViewD::from_shape(layout.shape.clone(), elements).map_err(|_| layout.too_large())
    }
}

impl Output<'_> {
    /// The elements, over the tensor's strides, which have to nest. What lies between them is not touched.
    ///
    /// # Errors
    ///
    /// See [`ViewError`].
    pub fn view_mut<T: Element>(&mut self) -> Result<ArrayViewMutD<'_, T>, ViewError> {
        let layout = Layout::of::<T>(self.name, self.tensor, self.bytes.len())?;
        if !self.tensor.strides_nest() {
            return Err(layout.overlap());
        }
        let elements: &mut [T] = match &mut self.bytes[..layout.bytes] {
            [] => &mut [],
            bytes => try_cast_slice_mut(bytes).map_err(|_| layout.unaligned::<T>())?,
        };
        ArrayViewMutD::from_shape(layout.shape.clone(), elements).map_err(|_| layout.too_large())
    }
}

/// Where the elements of a tensor lie.
struct Layout<'a> {
    name: &'a str,
    tensor: &'a TensorDescriptor,
    there: usize,
    /// The bytes up to the end of the last element.
    bytes: usize,
    shape: StrideShape<IxDyn>,
}

impl<'a> Layout<'a> {
    fn of<T: Element>(name: &'a str, tensor: &'a TensorDescriptor, there: usize) -> Result<Self, ViewError> {
        if cfg!(target_endian = "big") {
            return Err(ViewError::BigEndian);
        }
        if !T::OF.contains(&tensor.data_type) {
            let asked = T::OF.iter().map(|each| each.name()).collect::<Vec<_>>().join(" or ");
            return Err(ViewError::OtherType { tensor: name.to_owned(), found: tensor.data_type, asked });
        }
        let places =
            |numbers: &[u64]| numbers.iter().map(|&each| isize::try_from(each).ok()?.try_into().ok()).collect();
        let bytes = tensor.span_bytes().and_then(|bytes| usize::try_from(bytes).ok()).filter(|bytes| *bytes <= there);
        let sizes: Option<Vec<usize>> = places(&tensor.sizes);
        // Where there are no elements, no distance between them matters.
        let strides =
            if tensor.sizes.contains(&0) { Some(vec![0; tensor.sizes.len()]) } else { tensor.effective_strides() };
        let strides: Option<Vec<usize>> = strides.as_deref().and_then(places);
        match (bytes, sizes, strides) {
            (Some(bytes), Some(sizes), Some(strides)) => {
                Ok(Self { name, tensor, there, bytes, shape: IxDyn(&sizes).strides(IxDyn(&strides)) })
            }
            _ => Err(too_large(name, tensor, there)),
        }
    }

    fn too_large(&self) -> ViewError {
        too_large(self.name, self.tensor, self.there)
    }

    fn unaligned<T>(&self) -> ViewError {
        let (tensor, alignment) = (self.name.to_owned(), align_of::<T>());
        ViewError::Unaligned { tensor, data_type: self.tensor.data_type, alignment }
    }

    fn overlap(&self) -> ViewError {
        let strides = self.tensor.effective_strides().unwrap_or_default();
        ViewError::Overlap { tensor: self.name.to_owned(), sizes: self.tensor.sizes.clone(), strides }
    }
}

fn too_large(name: &str, tensor: &TensorDescriptor, bytes: usize) -> ViewError {
    ViewError::Memory { tensor: name.to_owned(), bytes, layout: tensor.to_string() }
}

#[cfg(test)]
mod tests {
    use ndarray::{ArrayD, array};

    use super::*;
    use crate::GuardedBuffer;

    fn strided(data_type: DataType, sizes: &[u64], strides: &[u64]) -> TensorDescriptor {
        TensorDescriptor { strides: Some(strides.to_vec()), ..TensorDescriptor::packed(data_type, sizes) }
    }

    /// Memory that holds the numbers from 0 on.
    fn counted(count: u16) -> GuardedBuffer {
        let mut memory = GuardedBuffer::new(2 * usize::from(count), 0xA5).unwrap();
        for (bytes, number) in memory.bytes_mut().chunks_exact_mut(2).zip(0..count) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        memory
    }

    fn viewed(tensor: &TensorDescriptor, memory: &GuardedBuffer) -> Result<ArrayD<u16>, ViewError> {
        Ok(Input { name: "In", tensor, bytes: memory.bytes() }.view()?.to_owned())
    }

    #[test]
    fn an_input_is_seen_over_its_strides() {
        let memory = counted(12);
        let seen = |sizes: &[u64], strides: &[u64]| viewed(&strided(DataType::U16, sizes, strides), &memory).unwrap();
        assert_eq!(seen(&[2, 3], &[4, 1]), array![[0, 1, 2], [4, 5, 6]].into_dyn());
        assert_eq!(seen(&[2, 3], &[0, 2]), array![[0, 2, 4], [0, 2, 4]].into_dyn());
        assert_eq!(seen(&[3, 2], &[1, 3]), array![[0, 3], [1, 4], [2, 5]].into_dyn());
        assert_eq!(seen(&[2, 2], &[1, 1]), array![[0, 1], [1, 2]].into_dyn());
        // Strides along a size of 1 mean nothing, however large.
        assert_eq!(seen(&[1, 2], &[1 << 40, 11]), array![[0, 11]].into_dyn());
        assert_eq!(
            viewed(&TensorDescriptor::packed(DataType::U16, [2, 2]), &memory),
            Ok(array![[0, 1], [2, 3]].into_dyn())
        );
        assert_eq!(viewed(&TensorDescriptor::packed(DataType::U16, []), &memory), Ok(ndarray::arr0(0).into_dyn()));
        assert_eq!(seen(&[3, 0], &[1 << 50, 7]).shape(), [3, 0]);
        let (tensor, nothing) = (TensorDescriptor::packed(DataType::F64, [0]), &memory.bytes()[1..1]);
        assert_eq!(Input { name: "In", tensor: &tensor, bytes: nothing }.view::<f64>().unwrap().len(), 0);
    }

    #[test]
    fn an_output_is_written_at_its_elements_alone() {
        let mut memory = GuardedBuffer::new(12, 0xFF).unwrap();
        let tensor = strided(DataType::U16, &[2, 2], &[1, 4]);
        let mut output = Output { name: "Out", tensor: &tensor, bytes: memory.bytes_mut(), poison: 0xFF };
        output.view_mut::<u16>().unwrap().assign(&array![[1, 2], [3, 4]].into_dyn());
        assert_eq!(memory.bytes(), [1, 0, 3, 0, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 4, 0]);
    }

    #[test]
    fn elements_that_share_memory_are_not_written() {
        let mut memory = GuardedBuffer::new(64, 0).unwrap();
        let mut written = |sizes: &[u64], strides: &[u64]| {
            let tensor = strided(DataType::U16, sizes, strides);
            let mut output = Output { name: "Out", tensor: &tensor, bytes: memory.bytes_mut(), poison: 0 };
            output.view_mut::<u16>().map(|view| view.len()).map_err(|error| error.to_string())
        };
        for (sizes, strides) in [([2, 2], [0, 1]), ([2, 2], [1, 1]), ([3, 2], [1, 2])] {
            let said = written(&sizes, &strides).unwrap_err();
            let expected = "elements of `Out` may share memory, with strides ";
            assert!(said.starts_with(expected) && said.contains(&format!("{strides:?} for sizes {sizes:?}")), "{said}");
        }
        assert_eq!(written(&[1, 2], &[0, 1]), Ok(2));
        assert_eq!(written(&[2, 2], &[2, 1]), Ok(4));
        assert_eq!(written(&[0, 2], &[0, 0]), Ok(0));
    }

    #[test]
    fn what_is_no_such_array_says_why() {
        let memory = counted(4);
        let said = |tensor: &TensorDescriptor| viewed(tensor, &memory).unwrap_err().to_string();
        let packed = |data_type, sizes: &[u64]| TensorDescriptor::packed(data_type, sizes);
        assert_eq!(said(&packed(DataType::F16, &[4])), "`In` is of f16, and a view of u16 was asked for");
        assert_eq!(said(&packed(DataType::U16, &[5])), "`In` of 8 bytes does not hold u16[5]");
        assert_eq!(
            said(&packed(DataType::U16, &[u64::MAX, 2])),
            "`In` of 8 bytes does not hold u16[18446744073709551615, 2]"
        );
        let uneven = strided(DataType::U16, &[2, 2], &[1]);
        assert_eq!(said(&uneven), "`In` of 8 bytes does not hold u16[2, 2] strides [1]");
        let tensor = packed(DataType::U16, &[3]);
        let shifted = Input { name: "In", tensor: &tensor, bytes: &memory.bytes()[1..] }.view::<u16>().unwrap_err();
        assert_eq!(shifted.to_string(), "`In` does not begin at a multiple of 2 bytes, as elements of u16 have to");
        let tensor = packed(DataType::Bool, &[3]);
        let input = Input { name: "In", tensor: &tensor, bytes: &[0, 1, 2] };
        assert_eq!(input.view::<u8>().unwrap().iter().copied().collect::<Vec<_>>(), [0, 1, 2]);
        let said = input.view::<i8>().unwrap_err().to_string();
        assert_eq!(said, "`In` is of bool, and a view of i8 was asked for");
    }

    #[test]
    fn every_type_has_its_elements() {
        fn seen<T: Element>() -> Vec<DataType> {
            for data_type in T::OF {
                let tensor = TensorDescriptor::packed(*data_type, [2]);
                let memory = GuardedBuffer::new(2 * data_type.bytes(), 0).unwrap();
                let input = Input { name: "In", tensor: &tensor, bytes: memory.bytes() };
                assert_eq!(input.view::<T>().unwrap().len(), 2, "{data_type}");
            }
            T::OF.to_vec()
        }
        let floats = [seen::<f64>(), seen::<f32>(), seen::<half::f16>(), seen::<half::bf16>()];
        let signed = [seen::<i64>(), seen::<i32>(), seen::<i16>(), seen::<i8>()];
        let unsigned = [seen::<u64>(), seen::<u32>(), seen::<u16>(), seen::<u8>()];
        assert_eq!([floats, signed, unsigned].as_flattened().concat(), DataType::ALL);
    }
}
