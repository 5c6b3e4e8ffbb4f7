//! Elements that indices name, whatever the strides are.

use std::iter::zip;

use opcert_backend::DataType;
use opcert_refusals::Addressing;

use crate::index_type::IndexType;
use crate::strided::{Dimension, Layout, Walk};

/// Elements of a tensor, each beside the one of another tensor that an index, or a tuple of indices, names for it.
#[derive(Debug)]
pub(crate) struct Addresses {
    index_type: IndexType,
    /// The dimensions in which the indices of an element count, with the distance in bytes of neighbours there, and of the index
    /// from the first one of the element.
    indexed: Vec<Dimension<2>>,
    /// Each element: its first index, the first element of the other tensor that may be named, and itself.
    elements: Walk<3>,
}

impl Addresses {
    /// Those in `named` for each element of `elements`.
    pub(crate) fn new(
        addressing: &Addressing,
        named: &Layout,
        (indices, index_type): (&Layout, DataType),
        elements: &Layout,
    ) -> Self {
        let stride = |layout: &Layout, at: Option<usize>| at.map_or(0, |at| layout.dimensions[at].strides[0]);
        let elements = zip(&addressing.kept, &elements.dimensions);
        let elements = elements.map(|(&[in_named, in_indices], &Dimension { size, strides: [own] })| Dimension {
            size,
            strides: [stride(indices, in_indices), stride(named, in_named), own],
        });
        let elements = elements.collect::<Vec<_>>();
        let last = indices.dimensions.len().checked_sub(1).filter(|_| addressing.has_tuples);
        let indexed = named.dimensions[addressing.indexed.clone()].iter().enumerate();
        let indexed = indexed.map(|(number, &Dimension { size, strides: [along] })| Dimension {
            size,
            strides: [along, number * stride(indices, last)],
        });
        Self {
            index_type: IndexType::new(index_type, true),
            indexed: indexed.collect(),
            elements: Walk::coalesced(&elements),
        }
    }

    /// Does something with the place of each element, and that of the named one; `None` where an index names nothing.
    pub(crate) fn for_each(&mut self, indices: &[u8], mut with: impl FnMut(Option<usize>, usize)) {
        let Self { index_type, indexed, elements } = self;
        elements.for_each(|[first, from, own]| {
            let distance = |&Dimension { size, strides: [along, index] }: &Dimension<2>| {
                Some(index_type.place(indices, first + index, size)? * along)
            };
            let distance = indexed.iter().map(distance).sum::<Option<usize>>();
            with(distance.map(|distance| from + distance), own);
        });
    }
}
