//! The expected values once more, derived in another way.
//!
//! [`expected`] answers the same question as the oracle. It was written from the requirement texts and the documents
//! they rest on, without a look at the oracle or at a kernel, and shares no code with either: numbers are decoded here,
//! indices are counted here. It is of another shape too. Where one would naturally visit the elements of an output and
//! work out each from its coordinates, lists of a whole tensor are built here, and then compared, sorted and filtered.
//! Two derivations that agree may both have misread a text, but they hardly share a slip.
//!
//! Where the documents leave something open, a choice is made, and the file of the operator names it. A descriptor is
//! taken to be valid; what cannot be made sense of is answered with `None`.

mod argmax;
mod nonzero_coordinates;
mod one_hot;
mod openvino_one_hot_1;

use std::borrow::Cow;

use opcert_backend::{DataType, Descriptor, Role, TensorDescriptor};

use crate::case::Elements;
use crate::check::InputData;

/// The outputs by name, in the descriptor's order. `None` when the operator is not known, or when descriptor and inputs
/// do not belong together.
#[must_use]
pub fn expected(descriptor: &Descriptor, inputs: &[InputData]) -> Option<Vec<(String, Elements)>> {
    let request = Request { descriptor, inputs };
    if !inputs.iter().all(|input| request.tensor(&input.name, Role::Input).is_some()) {
        return None;
    }
    let mut derived = match descriptor.operator.as_str() {
        "directml/argmax" => argmax::outputs(&request)?,
        "directml/nonzero_coordinates" => nonzero_coordinates::outputs(&request)?,
        "directml/one_hot" => one_hot::outputs(&request)?,
        "openvino/one_hot_1" => openvino_one_hot_1::outputs(&request)?,
        _ => return None,
    };
    let outputs = descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
    let in_order = outputs.map(|entry| {
        let at = derived.iter().position(|(name, _)| *name == entry.name)?;
        let (_, elements) = derived.swap_remove(at);
        (Some(elements.bytes.len()) == packed_bytes(&entry.tensor)).then(|| (entry.name.clone(), elements))
    });
    in_order.collect()
}

/// What an operator's file derives: outputs by name, in any order.
type Outputs = Vec<(&'static str, Elements)>;

/// A descriptor and the data that goes with it.
struct Request<'a> {
    descriptor: &'a Descriptor,
    inputs: &'a [InputData],
}

impl<'a> Request<'a> {
    fn tensor(&self, name: &str, role: Role) -> Option<&'a TensorDescriptor> {
        let entry = self.descriptor.tensors.iter().find(|entry| entry.name == name && entry.role == role);
        entry.map(|entry| &entry.tensor)
    }

    fn output(&self, name: &str) -> Option<&'a TensorDescriptor> {
        self.tensor(name, Role::Output)
    }

    /// An input with its elements, as many as its sizes say.
    fn input(&self, name: &str) -> Option<Input<'a>> {
        let tensor = self.tensor(name, Role::Input)?;
        let bytes = self.inputs.iter().find(|input| input.name == name)?.data.elements();
        (Some(bytes.len()) == packed_bytes(tensor)).then_some(Input { tensor, bytes })
    }
}

/// An input: its descriptor, and its elements in logical order.
struct Input<'a> {
    tensor: &'a TensorDescriptor,
    bytes: Cow<'a, [u8]>,
}

impl Input<'_> {
    fn elements(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.tensor.data_type.bytes())
    }

    /// The bits of each element, those above its width being 0.
    fn bits(&self) -> impl Iterator<Item = u64> {
        self.elements().map(|element| element.iter().rfold(0, |bits, &byte| bits << 8 | u64::from(byte)))
    }

    /// The numbers in a tensor of integers.
    fn integers(&self) -> Option<Vec<i128>> {
        self.bits().map(|bits| integer(bits, self.tensor.data_type)).collect()
    }
}

/// The number that bits mean in an integer type. It is wide enough for every value of every type to be itself.
fn integer(bits: u64, data_type: DataType) -> Option<i128> {
    Some(match data_type {
        DataType::I64 => (bits as i64).into(),
        DataType::I32 => (bits as i32).into(),
        DataType::I16 => (bits as i16).into(),
        DataType::I8 => (bits as i8).into(),
        DataType::U64 | DataType::U32 | DataType::U16 | DataType::U8 => bits.into(),
        DataType::F64 | DataType::F32 | DataType::F16 | DataType::BF16 | DataType::Bool => return None,
    })
}

/// The product of some sizes, 1 when there are none.
fn product(sizes: &[u64]) -> Option<usize> {
    sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(usize::try_from(size).ok()?))
}

fn packed_bytes(tensor: &TensorDescriptor) -> Option<usize> {
    product(&tensor.sizes)?.checked_mul(tensor.data_type.bytes())
}

#[cfg(test)]
mod samples {
    //! Descriptors and inputs for the tests of this module.

    use opcert_backend::{AttributeValue, NamedAttribute, NamedTensor};

    use super::*;
    use crate::case::Data;

    /// A descriptor of packed tensors; those whose name begins with `Output` or `output` are outputs.
    pub(super) fn descriptor(
        operator: &str,
        tensors: &[(&str, DataType, &[u64])],
        attributes: &[(&str, AttributeValue)],
    ) -> Descriptor {
        let tensors = tensors.iter().map(|&(name, data_type, sizes)| NamedTensor {
            name: name.to_owned(),
            role: if name.to_lowercase().starts_with("output") { Role::Output } else { Role::Input },
            tensor: TensorDescriptor::packed(data_type, sizes),
        });
        let attributes =
            attributes.iter().map(|(name, value)| NamedAttribute { name: (*name).to_owned(), value: value.clone() });
        Descriptor {
            operator: operator.to_owned(),
            level: "4_1".to_owned(),
            tensors: tensors.collect(),
            attributes: attributes.collect(),
            constants: Vec::new(),
        }
    }

    pub(super) fn input(name: &str, bytes: impl Into<Vec<u8>>) -> InputData {
        InputData { name: name.to_owned(), data: Data::Elements(bytes.into()) }
    }

    /// The elements of the only output, all of them defined.
    pub(super) fn only_output(descriptor: &Descriptor, inputs: &[InputData]) -> Option<Vec<u8>> {
        let mut outputs = expected(descriptor, inputs)?;
        let (_, elements) = outputs.pop().unwrap();
        assert!(outputs.is_empty() && elements.undefined.is_empty());
        Some(elements.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::samples::{descriptor, input};
    use super::*;

    #[test]
    fn integers_of_every_type_mean_themselves() {
        for (bits, data_type, value) in [
            (0xFFFF_FFFF_FFFF_FFFF, DataType::I64, -1),
            (0x8000_0000_0000_0000, DataType::I64, -9_223_372_036_854_775_808),
            (0xFFFF_FFFF_FFFF_FFFF, DataType::U64, 18_446_744_073_709_551_615),
            (0xFFFF_FFFD, DataType::I32, -3),
            (0xFFFF_FFFD, DataType::U32, 4_294_967_293),
            (0x8000, DataType::I16, -32_768),
            (0x8000, DataType::U16, 32_768),
            (0x80, DataType::I8, -128),
            (0x80, DataType::U8, 128),
        ] {
            assert_eq!(integer(bits, data_type), Some(value), "{bits:#x} as {data_type}");
        }
        assert_eq!(integer(1, DataType::F32), None);
        assert_eq!(integer(1, DataType::Bool), None);
    }

    #[test]
    fn bytes_are_read_from_the_least_significant_one_on() {
        let tensor = TensorDescriptor::packed(DataType::U16, [2]);
        let input = Input { tensor: &tensor, bytes: vec![1, 2, 0xFF, 0].into() };
        assert_eq!(input.bits().collect::<Vec<_>>(), [0x0201, 0x00FF]);
    }

    #[test]
    fn what_does_not_belong_has_no_answer() {
        let tensors: [(&str, DataType, &[u64]); 3] = [
            ("InputTensor", DataType::U8, &[2]),
            ("OutputCountTensor", DataType::U32, &[1]),
            ("OutputCoordinatesTensor", DataType::U32, &[2, 1]),
        ];
        let known = descriptor("directml/nonzero_coordinates", &tensors, &[]);
        assert!(expected(&known, &[input("InputTensor", [1, 0])]).is_some());
        assert_eq!(expected(&known, &[]), None);
        assert_eq!(expected(&known, &[input("InputTensor", [1])]), None);
        assert_eq!(expected(&known, &[input("InputTensor", [1, 0]), input("OutputCountTensor", [0; 4])]), None);
        let unknown = descriptor("directml/zero_coordinates", &tensors, &[]);
        assert_eq!(expected(&unknown, &[input("InputTensor", [1, 0])]), None);
        let lacking = descriptor("directml/nonzero_coordinates", &tensors[..2], &[]);
        assert_eq!(expected(&lacking, &[input("InputTensor", [1, 0])]), None);
    }

    #[test]
    fn outputs_come_in_the_order_of_the_descriptor() {
        let tensors: [(&str, DataType, &[u64]); 3] = [
            ("OutputCoordinatesTensor", DataType::U32, &[2, 1]),
            ("InputTensor", DataType::U8, &[2]),
            ("OutputCountTensor", DataType::U32, &[1]),
        ];
        let descriptor = descriptor("directml/nonzero_coordinates", &tensors, &[]);
        let outputs = expected(&descriptor, &[input("InputTensor", [1, 1])]).unwrap();
        let names: Vec<&str> = outputs.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["OutputCoordinatesTensor", "OutputCountTensor"]);
    }
}
