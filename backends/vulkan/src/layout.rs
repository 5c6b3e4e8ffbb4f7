//! Where the elements of tensors lie, in elements from the first one.

use std::iter::zip;

use opcert_backend::TensorDescriptor;

use crate::program::TooLarge;

/// The dimensions that a shader can walk.
pub(crate) const MOST_DIMENSIONS: usize = 8;

/// One dimension of `K` tensors of the same sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dimension<const K: usize> {
    /// The logical size.
    pub(crate) size: u32,
    /// The distance between neighbours in each tensor; 0 where the size is 1.
    pub(crate) strides: [u32; K],
}

/// The layout of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The dimensions, outermost first.
    pub(crate) dimensions: Vec<Dimension<1>>,
    /// The number of elements.
    pub(crate) elements: u64,
    /// The elements from the first one to the end of the last one.
    pub(crate) span: u64,
    /// The bytes of an element.
    pub(crate) width: u64,
}

impl Layout {
    /// The layout of a valid tensor.
    ///
    /// # Errors
    ///
    /// When positions do not fit 32 bits, which is what shaders count with.
    pub(crate) fn new(name: &str, tensor: &TensorDescriptor) -> Result<Self, TooLarge> {
        Self::of(tensor).ok_or_else(|| TooLarge(format!("`{name}` is {tensor}: a shader counts up to 2^32 elements")))
    }

    fn of(tensor: &TensorDescriptor) -> Option<Self> {
        let elements = tensor.element_count()?;
        let width = tensor.data_type.bytes() as u64;
        let mut dimensions = Vec::with_capacity(tensor.sizes.len());
        let mut span = u64::from(elements != 0);
        for (&size, stride) in zip(&tensor.sizes, tensor.effective_strides()?) {
            let stride = if size <= 1 || elements == 0 { 0 } else { u32::try_from(stride).ok()? };
            span += size.saturating_sub(1).checked_mul(u64::from(stride))?;
            dimensions.push(Dimension { size: u32::try_from(size).ok()?, strides: [stride] });
        }
        // The last values of 32 bits stand for "nowhere".
        let fits = |count: u64| count < u64::from(u32::MAX);
        (fits(elements) && fits(span)).then_some(Self { dimensions, elements, span, width })
    }

    /// Whether the elements lie in logical order without gaps.
    pub(crate) fn is_packed(&self) -> bool {
        matches!(self.coalesced()[..], [Dimension { strides: [1], .. }]) || self.elements <= 1
    }

    /// The layout of a packed tensor of the same sizes, with elements of `width` bytes.
    pub(crate) fn packed(&self, width: u64) -> Self {
        let mut dimensions = self.dimensions.clone();
        let mut stride = 1;
        for dimension in dimensions.iter_mut().rev() {
            dimension.strides = [if dimension.size <= 1 { 0 } else { stride }];
            // The elements of all were counted, and fit.
            stride = stride.wrapping_mul(dimension.size);
        }
        Self { dimensions, elements: self.elements, span: self.elements, width }
    }

    /// The dimensions with as few of them as the strides allow, at least one.
    pub(crate) fn coalesced(&self) -> Vec<Dimension<1>> {
        coalesced(self.dimensions.iter().copied())
    }
}

/// Joins the dimensions of two tensors of the same sizes.
pub(crate) fn joined(first: &[Dimension<1>], second: &[Dimension<1>]) -> Vec<Dimension<2>> {
    let join = |(first, second): (&Dimension<1>, &Dimension<1>)| Dimension {
        size: first.size,
        strides: [first.strides[0], second.strides[0]],
    };
    zip(first, second).map(join).collect()
}

/// Drops dimensions of size 1 and merges neighbours that lie one after the other in every tensor. Of a tensor with
/// elements; at least one dimension remains.
pub(crate) fn coalesced<const K: usize>(dimensions: impl IntoIterator<Item = Dimension<K>>) -> Vec<Dimension<K>> {
    let mut merged: Vec<Dimension<K>> = Vec::new();
    for dimension in dimensions.into_iter().filter(|dimension| dimension.size != 1) {
        match merged.last_mut() {
            Some(outer) if continues(outer, &dimension) => {
                *outer = Dimension { size: outer.size * dimension.size, strides: dimension.strides };
            }
            _ => merged.push(dimension),
        }
    }
    if merged.is_empty() {
        merged.push(Dimension { size: 1, strides: [0; K] });
    }
    merged
}

fn continues<const K: usize>(outer: &Dimension<K>, inner: &Dimension<K>) -> bool {
    zip(outer.strides, inner.strides).all(|(outer, stride)| stride.checked_mul(inner.size) == Some(outer))
        && outer.size.checked_mul(inner.size).is_some()
}

/// The sizes of up to eight dimensions as shaders take them.
///
/// # Errors
///
/// When there are more.
pub(crate) fn sizes<const K: usize>(dimensions: &[Dimension<K>]) -> Result<[u32; MOST_DIMENSIONS], TooLarge> {
    eight(dimensions, |dimension| dimension.size)
}

/// The strides in tensor `k` as shaders take them.
///
/// # Errors
///
/// When there are more than eight.
pub(crate) fn strides<const K: usize>(
    dimensions: &[Dimension<K>],
    k: usize,
) -> Result<[u32; MOST_DIMENSIONS], TooLarge> {
    eight(dimensions, |dimension| dimension.strides[k])
}

fn eight<const K: usize>(
    dimensions: &[Dimension<K>],
    value: impl Fn(&Dimension<K>) -> u32,
) -> Result<[u32; MOST_DIMENSIONS], TooLarge> {
    let mut values = [0; MOST_DIMENSIONS];
    let places = values.get_mut(..dimensions.len());
    let places = places.ok_or_else(|| TooLarge(format!("{} dimensions: a shader walks 8", dimensions.len())))?;
    zip(places, dimensions).for_each(|(place, dimension)| *place = value(dimension));
    Ok(values)
}
