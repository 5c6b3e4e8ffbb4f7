//! The rules that hold for every DirectML tensor (source: the public pages on DML_BUFFER_TENSOR_DESC, DML_TENSOR_FLAGS,
//! DirectML's constants and DMLCalcBufferTensorSize).
//!
//! Where the pages leave a limit open, one reading is taken: elements are counted by the sizes, and outputs whose strides
//! do not nest are refused.

use std::iter::zip;

use opcert_backend::{CompileError, Role, TensorDescriptor};

use crate::level::Level;
use crate::rejection::{broken, malformed};

/// A tensor with its name and role in the specification.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tensor<'a> {
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    pub(crate) descriptor: &'a TensorDescriptor,
}

impl<'a> Tensor<'a> {
    pub(crate) fn input(name: &'static str, descriptor: &'a TensorDescriptor) -> Self {
        Self { name, role: Role::Input, descriptor }
    }

    pub(crate) fn output(name: &'static str, descriptor: &'a TensorDescriptor) -> Self {
        Self { name, role: Role::Output, descriptor }
    }
}

const MOST_ELEMENTS: u64 = u32::MAX as u64;

type Rule = fn(&Tensor<'_>, Level) -> Result<(), CompileError>;

/// Every rule, the more basic ones first: each may rely on those before it.
const RULES: [Rule; 8] = [
    dimension_count,
    sizes_positive,
    element_limit,
    strides_count,
    total_size,
    alignment,
    owned_by_dml,
    output_overlap,
];

/// Checks all of an operator's tensors.
///
/// # Errors
///
/// A refusal with the first broken rule; the rules' order comes before the tensors'.
pub(crate) fn check(tensors: &[Tensor<'_>], level: Level) -> Result<(), CompileError> {
    RULES.iter().try_for_each(|rule| tensors.iter().try_for_each(|tensor| rule(tensor, level)))
}

fn dimension_count(tensor: &Tensor<'_>, level: Level) -> Result<(), CompileError> {
    let count = tensor.descriptor.sizes.len();
    let most = if level < Level::L3_0 { 5 } else { 8 };
    if (1..=most).contains(&count) {
        return Ok(());
    }
    let reason = format!("`{}` has {count} dimensions, expected 1 to {most}", tensor.name);
    Err(broken("directml/tensor/dimension-count", reason))
}

fn sizes_positive(tensor: &Tensor<'_>, _: Level) -> Result<(), CompileError> {
    match tensor.descriptor.sizes.iter().position(|&size| size == 0) {
        None => Ok(()),
        Some(dimension) => {
            let reason = format!("`{}.sizes[{dimension}]` is 0, expected more", tensor.name);
            Err(broken("directml/tensor/sizes-positive", reason))
        }
    }
}

fn element_limit(tensor: &Tensor<'_>, _: Level) -> Result<(), CompileError> {
    let sizes = &tensor.descriptor.sizes;
    let elements = sizes.iter().try_fold(1u64, |elements, &size| elements.checked_mul(size));
    if elements.is_some_and(|elements| elements <= MOST_ELEMENTS) {
        return Ok(());
    }
    let elements = elements.map_or_else(|| "more than 2^64-1".to_owned(), |elements| elements.to_string());
    let reason = format!("`{}.sizes` {sizes:?} are {elements} elements, expected at most {MOST_ELEMENTS}", tensor.name);
    Err(broken("directml/tensor/element-limit", reason))
}

fn strides_count(tensor: &Tensor<'_>, _: Level) -> Result<(), CompileError> {
    match &tensor.descriptor.strides {
        Some(strides) if strides.len() != tensor.descriptor.sizes.len() => {
            let (found, expected) = (strides.len(), tensor.descriptor.sizes.len());
            let reason = format!("`{}` has {found} strides, expected {expected}, one per dimension", tensor.name);
            Err(malformed(reason))
        }
        _ => Ok(()),
    }
}

fn total_size(tensor: &Tensor<'_>, _: Level) -> Result<(), CompileError> {
    let Tensor { name, descriptor, .. } = tensor;
    let minimum = used_bytes(descriptor).and_then(|bytes| bytes.checked_next_multiple_of(4));
    let reason = match (descriptor.total_bytes, minimum) {
        (_, None) => format!("`{name}` is {descriptor}, whose size in bytes does not fit 64 bits"),
        (Some(total), Some(minimum)) if total < minimum => {
            format!("`{name}` is {descriptor} in {total} bytes, expected at least {minimum}")
        }
        _ => return Ok(()),
    };
    Err(broken("directml/tensor/total-size", reason))
}

fn alignment(tensor: &Tensor<'_>, _: Level) -> Result<(), CompileError> {
    let TensorDescriptor { alignment, data_type, .. } = *tensor.descriptor;
    let element = data_type.bytes() as u64;
    if alignment == 0 || alignment.is_power_of_two() && alignment >= element {
        return Ok(());
    }
    let reason = format!("`{}.alignment` is {alignment}, expected 0 or a power of two from {element} on", tensor.name);
    Err(broken("directml/tensor/alignment", reason))
}

fn owned_by_dml(tensor: &Tensor<'_>, _: Level) -> Result<(), CompileError> {
    if tensor.role == Role::Input || tensor.descriptor.flags.iter().all(|flag| flag != "OWNED_BY_DML") {
        return Ok(());
    }
    let reason = format!("`{}` is an output and has the flag OWNED_BY_DML, which is for inputs", tensor.name);
    Err(broken("directml/tensor/owned-by-dml", reason))
}

fn output_overlap(tensor: &Tensor<'_>, _: Level) -> Result<(), CompileError> {
    if tensor.role == Role::Input || tensor.descriptor.strides_nest() {
        return Ok(());
    }
    let reason = format!("`{}` is {}, whose strides do not nest: elements may overlap", tensor.name, tensor.descriptor);
    Err(broken("directml/tensor/output-overlap", reason))
}

/// The bytes from the first element to the end of the last one. `None` when they do not fit 64 bits or the strides do
/// not match the sizes.
pub(crate) fn used_bytes(tensor: &TensorDescriptor) -> Option<u64> {
    if tensor.strides.as_ref().is_some_and(|strides| strides.len() != tensor.sizes.len()) {
        return None;
    }
    if tensor.sizes.contains(&0) {
        return Some(0);
    }
    let last = match &tensor.strides {
        Some(strides) => zip(&tensor.sizes, strides)
            .try_fold(0u64, |last, (&size, &stride)| last.checked_add((size - 1).checked_mul(stride)?))?,
        None => tensor.sizes.iter().try_fold(1u64, |elements, &size| elements.checked_mul(size))? - 1,
    };
    last.checked_add(1)?.checked_mul(tensor.data_type.bytes() as u64)
}
