//! What a backend is asked to do: an operator, its feature level, its tensors, its attributes.

use serde::{Deserialize, Serialize};

use crate::{DataType, Float32, Scalar};

/// The shape, element type and memory layout of one tensor.
///
/// A descriptor says what its author wrote; it may be malformed, because a backend is also asked to refuse. All sizes
/// and strides are in elements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TensorDescriptor {
    /// The type of each element.
    pub data_type: DataType,
    /// The logical size of each dimension, outermost first. Empty for a scalar (0-D) tensor.
    pub sizes: Vec<u64>,
    /// The distance between neighbours in each dimension, in elements; 0 repeats one element. `None` is packed:
    /// row-major without gaps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strides: Option<Vec<u64>>,
    /// The size of the tensor's memory as its author stated it (`TotalTensorSizeInBytes`). `None` leaves it at the
    /// implied minimum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<u64>,
    /// The alignment that is promised for the start of the memory, in bytes (`GuaranteedBaseOffsetAlignment`); 0
    /// promises nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub alignment: u64,
    /// Flags by their name in the specification, for instance `OWNED_BY_DML`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference to skip_serializing_if")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl TensorDescriptor {
    /// A packed tensor without flags or promises.
    #[must_use]
    pub fn packed(data_type: DataType, sizes: impl Into<Vec<u64>>) -> Self {
        Self { data_type, sizes: sizes.into(), strides: None, total_bytes: None, alignment: 0, flags: Vec::new() }
    }

    /// The number of dimensions.
    #[must_use]
    pub fn dimension_count(&self) -> usize {
        self.sizes.len()
    }

    /// The number of logical elements; `None` when it does not fit 64 bits.
    #[must_use]
    pub fn element_count(&self) -> Option<u64> {
        if self.sizes.contains(&0) {
            return Some(0);
        }
        self.sizes.iter().try_fold(1u64, |count, &size| count.checked_mul(size))
    }

    /// The strides of the row-major layout without gaps; `None` when one does not fit 64 bits.
    #[must_use]
    pub fn packed_strides(&self) -> Option<Vec<u64>> {
        let mut strides = vec![1u64; self.sizes.len()];
        for dimension in (1..self.sizes.len()).rev() {
            strides[dimension - 1] = strides[dimension].checked_mul(self.sizes[dimension].max(1))?;
        }
        Some(strides)
    }

    /// The strides in force: the given ones, or the packed ones.
    #[must_use]
    pub fn effective_strides(&self) -> Option<Vec<u64>> {
        self.strides.clone().map_or_else(|| self.packed_strides(), Some)
    }

    /// Whether elements lie in row-major order without gaps; strides along dimensions of size 1 do not matter.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        let Some(strides) = &self.strides else { return true };
        if strides.len() != self.sizes.len() {
            return false;
        }
        let mut packed = Some(1u64);
        for (&size, &stride) in std::iter::zip(&self.sizes, strides).rev() {
            // A stride that does not fit 64 bits is nobody's.
            if packed.is_none() || size != 1 && packed != Some(stride) {
                return false;
            }
            packed = packed.and_then(|packed| packed.checked_mul(size.max(1)));
        }
        true
    }

    /// Whether strides nest: each is longer than all that the shorter ones reach. No two elements share memory then.
    ///
    /// Some layouts do not nest and hold no element twice either ({2,3} with strides {3,2}: 0 2 4 and 3 5 7). To tell those from
    /// the ones that do takes a search.
    #[must_use]
    pub fn strides_nest(&self) -> bool {
        let Some(strides) = self.strides.as_ref().filter(|_| !self.sizes.contains(&0)) else { return true };
        let steps = std::iter::zip(strides, &self.sizes).filter(|(_, size)| **size > 1);
        let mut steps: Vec<(u64, u64)> = steps.map(|(stride, size)| (*stride, *size)).collect();
        steps.sort_unstable();
        let mut reach = 0u64;
        steps.into_iter().all(|(stride, size)| {
            let nests = stride > reach;
            reach = reach.saturating_add(stride.saturating_mul(size - 1));
            nests
        })
    }

    /// The bytes from the first element to the end of the last one: `(Σ (size-1)·stride + 1) · element size`, 0 for
    /// an empty tensor. `None` when strides and sizes differ in number or the result does not fit 64 bits.
    #[must_use]
    pub fn span_bytes(&self) -> Option<u64> {
        if self.strides.as_ref().is_some_and(|strides| strides.len() != self.sizes.len()) {
            return None;
        }
        if self.sizes.contains(&0) {
            return Some(0);
        }
        let elements = match &self.strides {
            None => self.element_count()?,
            Some(strides) => {
                let last = std::iter::zip(&self.sizes, strides)
                    .try_fold(0u64, |sum, (&size, &stride)| sum.checked_add((size - 1).checked_mul(stride)?))?;
                last.checked_add(1)?
            }
        };
        elements.checked_mul(self.data_type.bytes() as u64)
    }
}

impl std::fmt::Display for TensorDescriptor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}{:?}", self.data_type, self.sizes)?;
        if let Some(strides) = &self.strides {
            write!(formatter, " strides {strides:?}")?;
        }
        Ok(())
    }
}

/// Whether a tensor is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Read by the operator.
    Input,
    /// Written by the operator.
    Output,
}

/// A tensor of a descriptor with its name in the specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NamedTensor {
    /// The name in the specification, for instance `IndicesTensor`.
    pub name: String,
    /// Whether it is read or written.
    pub role: Role,
    /// Its shape, type and layout.
    pub tensor: TensorDescriptor,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AttributeValue {
    /// A number, for instance an axis. Unsigned attributes arrive unchanged, a negative number included, so that it
    /// can be refused.
    Integer(i64),
    /// A list of numbers, for instance axes.
    Integers(Vec<i64>),
    /// The name of an enumerator.
    Enumerator(String),
    /// A truth value.
    Boolean(bool),
    /// A text, which may be none of those that the document lists.
    String(String),
    /// A number in floating point of 32 bits.
    Float32(Float32),
    /// One element of a data type, which comes with it.
    Scalar(Scalar),
}

/// An attribute of a descriptor with its name in the specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NamedAttribute {
    /// The name in the specification, for instance `Axis`.
    pub name: String,
    /// Its value.
    pub value: AttributeValue,
}

/// The value of an input that is part of the descriptor, as packed little-endian bytes in logical order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// The tensor's name.
    pub name: String,
    /// Its elements, packed, little-endian.
    pub bytes: Vec<u8>,
}

/// One operator with everything that is known before data arrives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Descriptor {
    /// `family/operator`, for instance `directml/one_hot`.
    pub operator: String,
    /// The feature level asked for, for instance `3_0`; `1` for a family without levels.
    pub level: String,
    /// The tensors in the specification's order. One that the case leaves out is missing here.
    pub tensors: Vec<NamedTensor>,
    /// The attributes in the specification's order. One that has a default and that the case leaves out is missing here: what
    /// it stands for then is for the backend to know.
    pub attributes: Vec<NamedAttribute>,
    /// The values of constant inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<Constant>,
}

impl Descriptor {
    /// The tensor of this name, if the descriptor has it.
    #[must_use]
    pub fn tensor(&self, name: &str) -> Option<&TensorDescriptor> {
        self.tensors.iter().find(|entry| entry.name == name).map(|entry| &entry.tensor)
    }

    /// The tensors of a list, in its order: those with the names `list[0]`, `list[1]` and so on, as far as they follow each other.
    #[must_use]
    pub fn list(&self, name: &str) -> Vec<&NamedTensor> {
        let mut list = Vec::new();
        for entry in &self.tensors {
            let number = entry.name.strip_prefix(name).and_then(|rest| rest.strip_prefix('[')?.strip_suffix(']'));
            if number.is_some_and(|number| number.parse() == Ok(list.len())) {
                list.push(entry);
            }
        }
        list
    }

    /// The attribute of this name, if the descriptor has it.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&AttributeValue> {
        self.attributes.iter().find(|entry| entry.name == name).map(|entry| &entry.value)
    }

    /// The number in the attribute of this name.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.attribute(name)? {
            AttributeValue::Integer(value) => Some(*value),
            _ => None,
        }
    }

    /// The numbers in the attribute of this name.
    #[must_use]
    pub fn integers(&self, name: &str) -> Option<&[i64]> {
        match self.attribute(name)? {
            AttributeValue::Integers(values) => Some(values),
            _ => None,
        }
    }

    /// The enumerator in the attribute of this name.
    #[must_use]
    pub fn enumerator(&self, name: &str) -> Option<&str> {
        match self.attribute(name)? {
            AttributeValue::Enumerator(value) => Some(value),
            _ => None,
        }
    }

    /// The truth value in the attribute of this name.
    #[must_use]
    pub fn boolean(&self, name: &str) -> Option<bool> {
        match self.attribute(name)? {
            AttributeValue::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    /// The text in the attribute of this name.
    #[must_use]
    pub fn string(&self, name: &str) -> Option<&str> {
        match self.attribute(name)? {
            AttributeValue::String(value) => Some(value),
            _ => None,
        }
    }

    /// The number in floating point in the attribute of this name.
    #[must_use]
    pub fn float32(&self, name: &str) -> Option<f32> {
        match self.attribute(name)? {
            AttributeValue::Float32(value) => Some(value.get()),
            _ => None,
        }
    }

    /// The element in the attribute of this name, whose type may be any.
    #[must_use]
    pub fn scalar(&self, name: &str) -> Option<Scalar> {
        match self.attribute(name)? {
            AttributeValue::Scalar(value) => Some(*value),
            _ => None,
        }
    }

    /// The packed bytes of a constant input.
    #[must_use]
    pub fn constant(&self, name: &str) -> Option<&[u8]> {
        self.constants.iter().find(|entry| entry.name == name).map(|entry| entry.bytes.as_slice())
    }
}
