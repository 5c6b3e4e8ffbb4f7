//! The requirements on every DirectML tensor, checked wrongly.

use std::iter::zip;

use opcert_backend::TensorDescriptor;

use super::{DescriptorRule, accepts, all, any, any_input, any_output, before, dropped};
use crate::Mutant;
use crate::backend::Deviation;

/// In the order of the requirements.
pub(crate) const MUTANTS: &[Mutant] = &[
    dropped("tensor-dimension-count-unchecked", "directml/tensor/dimension-count"),
    Mutant::new(
        "everything-accepted",
        "directml/tensor/dimension-count",
        "No descriptor is refused.",
        Deviation::Descriptor(DescriptorRule::AcceptsEverything),
    ),
    accepts(
        "tensor-eight-dimensions-at-2-1",
        "directml/tensor/dimension-count",
        "Eight dimensions are accepted below 3_0.",
        |descriptor| before(descriptor, "3_0") && any(descriptor, |tensor| (6..=8).contains(&tensor.sizes.len())),
    ),
    accepts(
        "tensor-nine-dimensions",
        "directml/tensor/dimension-count",
        "Nine dimensions are accepted.",
        |descriptor| any(descriptor, |tensor| tensor.sizes.len() == 9),
    ),
    accepts(
        "tensor-no-dimensions",
        "directml/tensor/dimension-count",
        "A tensor without dimensions is accepted.",
        |descriptor| any(descriptor, |tensor| tensor.sizes.is_empty()),
    ),
    dropped("tensor-sizes-positive-unchecked", "directml/tensor/sizes-positive"),
    accepts("tensor-last-size-zero", "directml/tensor/sizes-positive", "The last size may be 0.", |descriptor| {
        all(descriptor, |tensor| zero_only(tensor, tensor.sizes.len().saturating_sub(1)))
    }),
    accepts("tensor-first-size-zero", "directml/tensor/sizes-positive", "The first size may be 0.", |descriptor| {
        all(descriptor, |tensor| zero_only(tensor, 0))
    }),
    accepts(
        "tensor-output-size-zero",
        "directml/tensor/sizes-positive",
        "The sizes of outputs are not looked at.",
        |descriptor| !any_input(descriptor, |tensor| tensor.sizes.contains(&0)),
    ),
    dropped("tensor-element-limit-unchecked", "directml/tensor/element-limit"),
    accepts(
        "tensor-element-limit-one-more",
        "directml/tensor/element-limit",
        "2^32 elements are accepted.",
        |descriptor| all(descriptor, |tensor| tensor.element_count().is_some_and(|count| count <= 1 << 32)),
    ),
    accepts(
        "tensor-elements-counted-in-32-bits",
        "directml/tensor/element-limit",
        "The elements are counted in 32 bits, where none are too many.",
        |descriptor| all(descriptor, |tensor| tensor.sizes.iter().all(|&size| u32::try_from(size).is_ok())),
    ),
    accepts(
        "tensor-elements-counted-in-64-bits",
        "directml/tensor/element-limit",
        "The product of the sizes wraps at 2^64.",
        |descriptor| all(descriptor, |tensor| wrapped_count(tensor) <= u64::from(u32::MAX)),
    ),
    dropped("tensor-total-size-unchecked", "directml/tensor/total-size"),
    Mutant::new(
        "tensor-total-size-in-32-bits",
        "directml/tensor/total-size-in-64-bits",
        "The implied size in bytes is computed in 32 bits.",
        Deviation::Descriptor(DescriptorRule::Accepts {
            requirement: "directml/tensor/total-size",
            when: |descriptor| all(descriptor, |tensor| stated_at_least(tensor, implied(tensor) & 0xFFFF_FFFF)),
        }),
    ),
    accepts(
        "tensor-total-size-not-rounded",
        "directml/tensor/total-size",
        "The size in bytes need not be rounded up to a multiple of 4.",
        |descriptor| all(descriptor, |tensor| stated_at_least(tensor, tensor.span_bytes().unwrap_or(u64::MAX))),
    ),
    accepts(
        "tensor-total-size-without-strides",
        "directml/tensor/total-size",
        "The implied size in bytes is that of a packed tensor.",
        |descriptor| {
            all(descriptor, |tensor| {
                let packed = tensor.element_count().unwrap_or(u64::MAX).saturating_mul(tensor.data_type.bytes() as u64);
                stated_at_least(tensor, packed.next_multiple_of(4))
            })
        },
    ),
    accepts(
        "tensor-total-size-without-the-last-element",
        "directml/tensor/total-size",
        "The last element need not lie within the size in bytes.",
        |descriptor| {
            all(descriptor, |tensor| {
                let last = tensor.data_type.bytes() as u64;
                let reached = tensor.span_bytes().unwrap_or(u64::MAX);
                stated_at_least(tensor, reached.saturating_sub(last))
            })
        },
    ),
    accepts(
        "tensor-total-size-of-inputs-only",
        "directml/tensor/total-size",
        "The size in bytes of outputs is not looked at.",
        |descriptor| !any_input(descriptor, |tensor| !stated_at_least(tensor, implied(tensor))),
    ),
    accepts(
        "tensor-total-size-of-outputs-only",
        "directml/tensor/total-size",
        "The size in bytes of inputs is not looked at.",
        |descriptor| !any_output(descriptor, |tensor| !stated_at_least(tensor, implied(tensor))),
    ),
    dropped("tensor-alignment-unchecked", "directml/tensor/alignment"),
    accepts(
        "tensor-alignment-any-power-of-two",
        "directml/tensor/alignment",
        "An alignment below the size of an element is accepted.",
        |descriptor| all(descriptor, |tensor| tensor.alignment == 0 || tensor.alignment.is_power_of_two()),
    ),
    accepts(
        "tensor-alignment-any-multiple",
        "directml/tensor/alignment",
        "An alignment that is a multiple of the element's size and no power of two is accepted.",
        |descriptor| all(descriptor, |tensor| tensor.alignment.is_multiple_of(tensor.data_type.bytes() as u64)),
    ),
    dropped("tensor-owned-by-dml-unchecked", "directml/tensor/owned-by-dml"),
    dropped("tensor-output-overlap-unchecked", "directml/tensor/output-overlap"),
    accepts(
        "tensor-output-overlap-only-broadcast",
        "directml/tensor/output-overlap",
        "Only a stride of 0 is taken for an overlap.",
        |descriptor| !any_output(descriptor, |tensor| separating(tensor).iter().any(|&(stride, _)| stride == 0)),
    ),
    accepts(
        "tensor-output-overlap-only-equal-strides",
        "directml/tensor/output-overlap",
        "Only strides that are equal to each other, or 0, are taken for an overlap.",
        |descriptor| {
            !any_output(descriptor, |tensor| {
                let strides = separating(tensor);
                zip(&strides, strides.iter().skip(1)).any(|(one, other)| one.0 == other.0)
                    || strides.iter().any(|&(stride, _)| stride == 0)
            })
        },
    ),
    accepts(
        "tensor-output-overlap-neighbours-only",
        "directml/tensor/output-overlap",
        "A stride is compared with what the next shorter one reaches, not with what all of them reach together.",
        |descriptor| {
            !any_output(descriptor, |tensor| {
                let strides = separating(tensor);
                strides.first().is_some_and(|&(stride, _)| stride == 0)
                    || zip(&strides, strides.iter().skip(1)).any(|(one, other)| other.0 <= one.0 * (one.1 - 1))
            })
        },
    ),
];

/// Whether no size but this one is 0.
fn zero_only(tensor: &TensorDescriptor, dimension: usize) -> bool {
    tensor.sizes.iter().enumerate().all(|(each, &size)| size > 0 || each == dimension)
}

fn wrapped_count(tensor: &TensorDescriptor) -> u64 {
    tensor.sizes.iter().fold(1, |count: u64, &size| count.wrapping_mul(size))
}

fn implied(tensor: &TensorDescriptor) -> u64 {
    tensor.span_bytes().and_then(|bytes| bytes.checked_next_multiple_of(4)).unwrap_or(u64::MAX)
}

fn stated_at_least(tensor: &TensorDescriptor, bytes: u64) -> bool {
    tensor.total_bytes.is_none_or(|stated| stated >= bytes)
}

/// Strides and sizes of dimensions with more than one element, shortest stride first.
fn separating(tensor: &TensorDescriptor) -> Vec<(u64, u64)> {
    let strides = tensor.effective_strides().unwrap_or_default();
    let mut separating: Vec<(u64, u64)> =
        zip(strides, tensor.sizes.iter().copied()).filter(|&(_, size)| size > 1).collect();
    separating.sort_unstable();
    separating
}
