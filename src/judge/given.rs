//! What a backend is given, in the words of the documents: `IndicesTensor: (Sizes:{1,1,3,1}, DataType:UINT32)`, its
//! elements, `Axis: 3`.

use opcert_backend::{Descriptor, NamedTensor, TensorDescriptor};
use serde::{Deserialize, Serialize};

use crate::case::Data;
use crate::check::{CheckedCase, InputData};
use crate::render;
use crate::spec::Family;

/// What a backend is given of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// Every tensor of the descriptor, those that it may leave out and does, and lists that are empty, in the specification's order.
    pub tensors: Vec<GivenTensor>,
    /// Every attribute and its value, in the specification's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<(String, String)>,
}

/// A tensor of a descriptor, and its elements where it has some before the operator runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenTensor {
    /// Its name in the specification.
    pub name: String,
    /// What the descriptor says of it: `Sizes:{1,1,3,1}, DataType:UINT32, TotalTensorSizeInBytes:12`, `left out`, or of a list
    /// `empty`.
    pub descriptor: String,
    /// The elements of an input or of a constant, nested as the documents write them if they are few; otherwise the
    /// formula that they follow, or a digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elements: Option<String>,
}

impl Given {
    /// What is given of a case. Tensors of more than `few` elements are not written out.
    #[must_use]
    pub fn of(case: &CheckedCase, few: usize) -> Self {
        let (descriptor, inputs) = match case {
            CheckedCase::Valid(case) => (&case.descriptor, case.inputs.as_slice()),
            CheckedCase::Refused(case) => (&case.descriptor, &[][..]),
        };
        let operator = &case.about().operator;
        let tensors = operator.tensors.iter().filter_map(|tensor| {
            let entry = descriptor.tensors.iter().find(|entry| entry.name == tensor.name);
            let Some(entry) = entry else {
                let (name, descriptor) = match &tensor.list {
                    // Of a list those that are there say how long it is.
                    Some(place) => (place.at == 0).then_some((&place.list, "empty"))?,
                    None => tensor.optional.then_some((&tensor.name, "left out"))?,
                };
                return Some(GivenTensor { name: name.clone(), descriptor: descriptor.to_owned(), elements: None });
            };
            Some(GivenTensor {
                name: tensor.name.clone(),
                descriptor: described(&entry.tensor, &operator.family),
                elements: elements(entry, descriptor, inputs, few),
            })
        });
        let attributes =
            descriptor.attributes.iter().map(|each| (each.name.clone(), render::attribute_value(&each.value)));
        Self { tensors: tensors.collect(), attributes: attributes.collect() }
    }
}

/// What a descriptor says of a tensor. Of a valid one the size in memory is known even where the case leaves it out;
/// strides that are not given are packed, and an alignment that is not given promises nothing.
fn described(tensor: &TensorDescriptor, family: &Family) -> String {
    let list = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let parts = [
        Some(format!("Sizes:{{{}}}", list(&tensor.sizes))),
        tensor.strides.as_ref().map(|strides| format!("Strides:{{{}}}", list(strides))),
        Some(format!("DataType:{}", family.spelling(tensor.data_type))),
        tensor.total_bytes.map(|bytes| format!("TotalTensorSizeInBytes:{bytes}")),
        (tensor.alignment > 0).then(|| format!("GuaranteedBaseOffsetAlignment:{}", tensor.alignment)),
        (!tensor.flags.is_empty()).then(|| format!("Flags:{}", tensor.flags.join("|"))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn elements(entry: &NamedTensor, descriptor: &Descriptor, inputs: &[InputData], few: usize) -> Option<String> {
    let tensor = &entry.tensor;
    let are_few = tensor.element_count().is_some_and(|count| count <= few as u64);
    let nested = |bytes: &[u8]| render::tensor(bytes, tensor.data_type, &tensor.sizes, |_| None);
    let written = |bytes: &[u8]| if are_few { nested(bytes) } else { render::digest(bytes) };
    let constant = descriptor.constants.iter().find(|constant| constant.name == entry.name);
    if let Some(constant) = constant {
        return Some(written(&constant.bytes));
    }
    let input = inputs.iter().find(|input| input.name == entry.name)?;
    Some(match &input.data {
        Data::Elements(bytes) => written(bytes),
        Data::Pattern(pattern) if are_few => format!("{}\n{pattern}", nested(&input.data.elements())),
        Data::Pattern(pattern) => pattern.to_string(),
    })
}
