//! The sizes of tensors, given how many elements there are to be. Powers of two are met exactly; of other numbers as
//! much is taken as fills the form.

use opcert_backend::{
    AttributeValue, Constant, DataType, Descriptor, NamedAttribute, NamedTensor, Role, TensorDescriptor,
};

/// Two dimensions that are about the same, the first one larger where they differ: 2^24 elements are `[4096, 4096]`.
pub(super) fn square(elements: u64) -> [u64; 2] {
    let columns = 1 << (log2(elements) / 2);
    [elements.max(1) / columns, columns]
}

/// Three dimensions that are about the same: 2^24 elements are `[256, 256, 256]`.
pub(super) fn cube(elements: u64) -> [u64; 3] {
    let columns = 1 << (log2(elements) / 3);
    let [planes, rows] = square(elements.max(1) / columns);
    [planes, rows, columns]
}

/// Two dimensions, of which the inner one is given; it is smaller where there are not so many elements.
pub(super) fn rows_of(elements: u64, columns: u64) -> [u64; 2] {
    let columns = columns.min(elements.max(1));
    [elements.max(1) / columns, columns]
}

fn log2(elements: u64) -> u32 {
    elements.max(1).ilog2()
}

pub(super) fn input(name: &str, data_type: DataType, sizes: impl Into<Vec<u64>>) -> NamedTensor {
    named(name, Role::Input, data_type, sizes)
}

pub(super) fn output(name: &str, data_type: DataType, sizes: impl Into<Vec<u64>>) -> NamedTensor {
    named(name, Role::Output, data_type, sizes)
}

fn named(name: &str, role: Role, data_type: DataType, sizes: impl Into<Vec<u64>>) -> NamedTensor {
    NamedTensor { name: name.to_owned(), role, tensor: TensorDescriptor::packed(data_type, sizes) }
}

/// A descriptor without a level: what a backend claims is known later.
pub(super) fn descriptor(
    operator: &str,
    tensors: Vec<NamedTensor>,
    attributes: Vec<(&str, AttributeValue)>,
    constants: Vec<Constant>,
) -> Descriptor {
    let attributes =
        attributes.into_iter().map(|(name, value)| NamedAttribute { name: name.to_owned(), value }).collect();
    Descriptor { operator: operator.to_owned(), level: String::new(), tensors, attributes, constants }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_met_exactly() {
        assert_eq!(square(1 << 24), [4096, 4096]);
        assert_eq!(square(1 << 11), [64, 32]);
        assert_eq!(cube(1 << 24), [256, 256, 256]);
        assert_eq!(cube(1 << 10), [16, 8, 8]);
        assert_eq!(rows_of(1 << 24, 16), [1 << 20, 16]);
        assert_eq!((square(1), cube(2), rows_of(8, 16)), ([1, 1], [2, 1, 1], [1, 8]));
    }

    #[test]
    fn other_numbers_are_filled_as_far_as_the_form_goes() {
        assert_eq!(square(1_000_000), [1953, 512]);
        assert_eq!(square(0), [1, 1]);
    }
}
