//! Walking tensors in logical order, whatever their strides are.
//!
//! Positions are counted up like an odometer, so that no coordinate is ever divided out of an element index, and
//! several tensors of the same sizes are walked at once. Offsets and strides are in bytes throughout.

use std::array;
use std::iter::zip;

use opcert_backend::{CompileError, Descriptor, TensorDescriptor};

use crate::memory::Binding;

/// One dimension of a walk over `K` tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dimension<const K: usize> {
    /// The logical size, the same for all.
    pub(crate) size: usize,
    /// The distance between neighbours in each tensor, in bytes.
    pub(crate) strides: [usize; K],
}

/// Joins the dimensions of two tensors of the same sizes.
pub(crate) fn joined(first: &[Dimension<1>], second: &[Dimension<1>]) -> Vec<Dimension<2>> {
    zip(first, second)
        .map(|(first, second)| Dimension { size: first.size, strides: [first.strides[0], second.strides[0]] })
        .collect()
}

/// Where a tensor's elements lie.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The dimensions, outermost first.
    pub(crate) dimensions: Vec<Dimension<1>>,
    /// The bytes from the first element to the end of the last one; 0 for an empty tensor.
    pub(crate) span: usize,
}

impl Layout {
    /// The layout of the valid tensor `name`.
    ///
    /// Strides that separate no elements, those of dimensions of size 1 and of empty tensors, become 0: the descriptor
    /// may hold anything there, and arithmetic with it could overflow.
    ///
    /// # Errors
    ///
    /// [`CompileError::Unsupported`] when the tensor is larger than this machine can address.
    pub(crate) fn new(name: &str, tensor: &TensorDescriptor) -> Result<Self, CompileError> {
        Self::addressable(tensor).ok_or_else(|| CompileError::Unsupported {
            reason: format!("`{name}` is {tensor}, which is more than this machine can address"),
        })
    }

    fn addressable(tensor: &TensorDescriptor) -> Option<Self> {
        let width = tensor.data_type.bytes();
        let sizes = tensor.sizes.iter().map(|&size| usize::try_from(size).ok()).collect::<Option<Vec<_>>>()?;
        if sizes.contains(&0) {
            let dimensions = sizes.into_iter().map(|size| Dimension { size, strides: [0] }).collect();
            return Some(Self { dimensions, span: 0 });
        }
        let mut dimensions = Vec::with_capacity(sizes.len());
        let mut span = width;
        for (&size, stride) in zip(&sizes, tensor.effective_strides()?) {
            let stride = if size == 1 { 0 } else { usize::try_from(stride).ok()?.checked_mul(width)? };
            span = span.checked_add((size - 1).checked_mul(stride)?)?;
            dimensions.push(Dimension { size, strides: [stride] });
        }
        Some(Self { dimensions, span })
    }

    /// The layout of a packed tensor of these sizes with elements of `width` bytes; `None` when it cannot be addressed.
    pub(crate) fn packed(&self, width: usize) -> Option<Self> {
        let is_empty = self.dimensions.iter().any(|dimension| dimension.size == 0);
        let mut span = if is_empty { 0 } else { width };
        let mut dimensions = self.dimensions.clone();
        for dimension in dimensions.iter_mut().rev() {
            dimension.strides = [if dimension.size <= 1 { 0 } else { span }];
            span = span.checked_mul(dimension.size)?;
        }
        Some(Self { dimensions, span })
    }

    /// The buffer that holds the tensor `name` of a descriptor during a dispatch.
    pub(crate) fn binding(&self, descriptor: &Descriptor, name: &'static str) -> Binding {
        let before = descriptor.tensors.iter().take_while(|entry| entry.name != name);
        let role = descriptor.tensors.iter().find(|entry| entry.name == name).map(|entry| entry.role);
        Binding { name, position: before.filter(|entry| Some(entry.role) == role).count(), span: self.span }
    }

    /// Whether the elements lie one after the other in logical order.
    pub(crate) fn is_packed(&self, width: usize) -> bool {
        match coalesce(&self.dimensions)[..] {
            [] => true,
            [dimension] => dimension.strides == [width],
            _ => false,
        }
    }

    /// Whether two elements may share bytes. Some layouts in which none do are taken for such.
    pub(crate) fn may_overlap(&self, width: usize) -> bool {
        let mut dimensions: Vec<_> = self.dimensions.iter().filter(|dimension| dimension.size > 1).collect();
        dimensions.sort_by_key(|dimension| dimension.strides);
        let mut occupied = width;
        dimensions.into_iter().any(|dimension| {
            let overlaps = dimension.strides[0] < occupied;
            occupied = dimension.size.saturating_mul(dimension.strides[0]);
            overlaps
        })
    }
}

/// A walk over every logical position in row-major order, split into runs along the innermost dimension.
///
/// The walk can be repeated; it allocates when it is made and never after.
#[derive(Clone, Debug)]
pub(crate) struct Walk<const K: usize> {
    outer: Vec<Dimension<K>>,
    inner: Dimension<K>,
    is_empty: bool,
    /// The coordinates in `outer`. All 0 between walks: a walk ends by returning there, so that the many short walks of
    /// a reduction need not reset it.
    position: Vec<usize>,
}

/// The elements of a walk that differ in the innermost coordinate only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run<const K: usize> {
    start: [usize; K],
    inner: Dimension<K>,
}

impl<const K: usize> Run<K> {
    /// The byte offsets of each element in each tensor, by ascending innermost coordinate.
    pub(crate) fn offsets(self) -> impl Iterator<Item = [usize; K]> {
        (0..self.inner.size).map(move |step| self.offsets_at(step))
    }

    /// The byte offsets of one element in each tensor.
    pub(crate) fn offsets_at(self, step: usize) -> [usize; K] {
        array::from_fn(|k| self.start[k] + step * self.inner.strides[k])
    }

    /// How many elements there are, and the distance of neighbours in each tensor.
    pub(crate) const fn inner(self) -> Dimension<K> {
        self.inner
    }
}

impl<const K: usize> Walk<K> {
    /// A walk that keeps the dimensions as they are, for kernels that look at coordinates.
    pub(crate) fn new(mut dimensions: Vec<Dimension<K>>) -> Self {
        // A tensor without dimensions has one element.
        let inner = dimensions.pop().unwrap_or(Dimension { size: 1, strides: [0; K] });
        let is_empty = inner.size == 0 || dimensions.iter().any(|dimension| dimension.size == 0);
        Self { position: vec![0; dimensions.len()], outer: dimensions, inner, is_empty }
    }

    /// A walk in the same order with as few and as long runs as the strides allow, for kernels that only look at
    /// elements.
    pub(crate) fn coalesced(dimensions: &[Dimension<K>]) -> Self {
        Self::new(coalesce(dimensions))
    }

    /// Visits every run in order, with the coordinates of all dimensions but the innermost one.
    #[inline]
    pub(crate) fn for_each_run(&mut self, mut visit: impl FnMut(&[usize], Run<K>)) {
        if self.is_empty {
            return;
        }
        let mut start = [0; K];
        loop {
            visit(&self.position, Run { start, inner: self.inner });
            if !self.advance(&mut start) {
                return;
            }
        }
    }

    /// Visits every element in order, by its byte offset in each tensor.
    #[inline]
    pub(crate) fn for_each(&mut self, mut visit: impl FnMut([usize; K])) {
        self.for_each_run(|_, run| run.offsets().for_each(&mut visit));
    }

    /// Moves to the next run; `false` at the end, where the position is back at the beginning.
    #[inline]
    fn advance(&mut self, start: &mut [usize; K]) -> bool {
        for (position, dimension) in zip(&mut self.position, &self.outer).rev() {
            *position += 1;
            if *position < dimension.size {
                for (start, stride) in zip(start, dimension.strides) {
                    *start += stride;
                }
                return true;
            }
            *position = 0;
            for (start, stride) in zip(&mut *start, dimension.strides) {
                *start -= (dimension.size - 1) * stride;
            }
        }
        false
    }
}

/// Drops dimensions of size 1 and merges neighbours that lie one after the other in every tensor.
pub(crate) fn coalesce<const K: usize>(dimensions: &[Dimension<K>]) -> Vec<Dimension<K>> {
    // The other sizes of an empty tensor are not bounded by memory: their product might overflow.
    if dimensions.iter().any(|dimension| dimension.size == 0) {
        return vec![Dimension { size: 0, strides: [0; K] }];
    }
    let mut merged: Vec<Dimension<K>> = Vec::with_capacity(dimensions.len());
    for dimension in dimensions.iter().filter(|dimension| dimension.size != 1) {
        match merged.last_mut() {
            Some(outer) if continues(outer, dimension) => {
                *outer = Dimension { size: outer.size * dimension.size, strides: dimension.strides };
            }
            _ => merged.push(*dimension),
        }
    }
    merged
}

/// The positions in some dimensions.
pub(crate) fn positions<const K: usize>(dimensions: &[Dimension<K>]) -> usize {
    dimensions.iter().map(|dimension| dimension.size).product()
}

/// The byte offsets at a position, counted in row-major order.
pub(crate) fn offsets_at<const K: usize>(dimensions: &[Dimension<K>], mut position: usize) -> [usize; K] {
    let mut offsets = [0; K];
    for dimension in dimensions.iter().rev() {
        for (offset, stride) in zip(&mut offsets, dimension.strides) {
            *offset += position % dimension.size * stride;
        }
        position /= dimension.size;
    }
    offsets
}

fn continues<const K: usize>(outer: &Dimension<K>, inner: &Dimension<K>) -> bool {
    zip(outer.strides, inner.strides).all(|(outer, stride)| stride.checked_mul(inner.size) == Some(outer))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dimensions(pairs: &[(usize, usize)]) -> Vec<Dimension<1>> {
        pairs.iter().map(|&(size, stride)| Dimension { size, strides: [stride] }).collect()
    }

    fn offsets(walk: &mut Walk<1>) -> Vec<usize> {
        let mut visited = Vec::new();
        walk.for_each(|[offset]| visited.push(offset));
        visited
    }

    #[test]
    fn a_walk_is_row_major_and_can_be_repeated() {
        let transposed = dimensions(&[(2, 1), (1, 77), (3, 2)]);
        for mut walk in [Walk::new(transposed.clone()), Walk::coalesced(&transposed)] {
            assert_eq!(offsets(&mut walk), [0, 2, 4, 1, 3, 5]);
            assert_eq!(offsets(&mut walk), [0, 2, 4, 1, 3, 5]);
        }
    }

    #[test]
    fn packed_dimensions_become_one_and_padded_ones_stay() {
        assert_eq!(coalesce(&dimensions(&[(2, 48), (3, 16), (1, 0), (4, 4)])), dimensions(&[(24, 4)]));
        assert_eq!(coalesce(&dimensions(&[(2, 60), (3, 20), (4, 4)])), dimensions(&[(6, 20), (4, 4)]));
        assert_eq!(coalesce(&dimensions(&[(2, 0), (3, 0)])), dimensions(&[(6, 0)]));
        assert_eq!(coalesce(&dimensions(&[(2, 0), (3, 4)])), dimensions(&[(2, 0), (3, 4)]));
    }

    #[test]
    fn dimensions_merge_only_where_they_do_in_every_tensor() {
        let pair = [Dimension { size: 2, strides: [12, 4] }, Dimension { size: 3, strides: [4, 8] }];
        assert_eq!(coalesce(&pair), pair);
    }

    #[test]
    fn scalars_have_one_element_and_empty_tensors_none() {
        assert_eq!(offsets(&mut Walk::new(Vec::new())), [0]);
        assert_eq!(offsets(&mut Walk::coalesced(&[])), [0]);
        let empty = dimensions(&[(usize::MAX, 0), (0, 0), (usize::MAX, 0)]);
        assert!(offsets(&mut Walk::coalesced(&empty)).is_empty());
        assert!(offsets(&mut Walk::new(empty)).is_empty());
    }
}
