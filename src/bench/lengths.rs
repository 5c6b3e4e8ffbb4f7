//! The sizes of a workload, given how many elements there are to be. Powers of two are met exactly; of other numbers as
//! much is taken as fills the form.

use super::format::SizeEntry;

/// How long each size is. Fixed ones come first, and are smaller where there are not so many elements. Those that grow share
/// what is left and are about the same, outer ones the larger where they differ: 2^24 elements are `[4096, 4096]` or
/// `[256, 256, 256]`. Where none grows, all are as they are.
pub(super) fn lengths(sizes: &[SizeEntry], elements: u64) -> Vec<u64> {
    let mut growing = sizes.iter().filter(|&&size| size == SizeEntry::Grows).count() as u32;
    let mut left = if growing == 0 { u64::MAX } else { elements.max(1) };
    let mut lengths = vec![1; sizes.len()];
    for (length, size) in lengths.iter_mut().zip(sizes) {
        if let SizeEntry::Fixed(size) = *size {
            *length = size.min(left);
            left /= *length;
        }
    }
    for (length, _) in lengths.iter_mut().zip(sizes).rev().filter(|(_, size)| **size == SizeEntry::Grows) {
        *length = if growing == 1 { left } else { 1 << (left.ilog2() / growing) };
        left /= *length;
        growing -= 1;
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: SizeEntry = SizeEntry::Grows;

    const fn of(size: u64) -> SizeEntry {
        SizeEntry::Fixed(size)
    }

    #[test]
    fn powers_of_two_are_met_exactly() {
        assert_eq!(lengths(&[N], 1 << 24), [1 << 24]);
        assert_eq!(lengths(&[N, N], 1 << 24), [4096, 4096]);
        assert_eq!(lengths(&[N, N], 1 << 11), [64, 32]);
        assert_eq!(lengths(&[N, N, N], 1 << 24), [256, 256, 256]);
        assert_eq!(lengths(&[N, N, N], 1 << 10), [16, 8, 8]);
        assert_eq!(lengths(&[N, of(16)], 1 << 24), [1 << 20, 16]);
        assert_eq!(lengths(&[of(128), N], 1 << 27), [128, 1 << 20]);
        assert_eq!(lengths(&[N, of(128), N], 1 << 27), [1024, 128, 1024]);
        assert_eq!(lengths(&[N, N], 1), [1, 1]);
        assert_eq!(lengths(&[N, N, N], 2), [2, 1, 1]);
        assert_eq!(lengths(&[N, of(16)], 8), [1, 8]);
    }

    #[test]
    fn other_numbers_are_filled_as_far_as_the_form_goes() {
        assert_eq!(lengths(&[N, N], 1_000_000), [1953, 512]);
        assert_eq!(lengths(&[N, N], 0), [1, 1]);
    }

    #[test]
    fn what_does_not_grow_is_as_it_is() {
        assert_eq!(lengths(&[of(1), of(3), of(4)], 1), [1, 3, 4]);
        assert_eq!(lengths(&[], 1), [0; 0]);
    }
}
