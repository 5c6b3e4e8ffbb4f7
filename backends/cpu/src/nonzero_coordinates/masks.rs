//! Elements to one bit each, and bits to positions.

use crate::element::Word;
use crate::instructions::Kernel;
use crate::prefetching::prefetch;

/// The elements whose bits fill a word.
pub(super) const WORD: usize = 64;

/// The bits of a byte.
const BYTE: usize = 8;

/// The bytes between what is read and what is asked for.
const AHEAD: usize = 2048;

/// So few bits of a word are looked for one by one.
const FEW: usize = 4;

/// For each byte, the numbers of the bits that are set, ascending.
static SET_BITS: [[u8; BYTE]; 256] = {
    let mut table = [[0; BYTE]; 256];
    let mut byte = 0;
    while byte < table.len() {
        let (mut bit, mut count) = (0, 0);
        while bit < BYTE {
            if byte >> bit & 1 == 1 {
                table[byte][count] = bit as u8;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Sets the bit of each element that is not zero, and counts them.
pub(super) struct Masks<'a, W> {
    pub(super) elements: &'a [u8],
    /// The bits that make an element non-zero.
    pub(super) value_bits: W,
    /// A word for every 64 elements, the last one filled up with bits that are not set.
    pub(super) masks: &'a mut [u64],
}

impl<W: Word> Kernel for Masks<'_, W> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let value_bits = self.value_bits;
        let elements = W::elements(self.elements);
        let (whole, rest) = elements.as_chunks::<WORD>();
        let mut count = 0;
        let mut masks = self.masks.iter_mut();
        for (word, (elements, mask)) in whole.iter().zip(masks.by_ref()).enumerate() {
            if let Some(soon) = whole.get(word + AHEAD / (WORD * W::BYTES)) {
                prefetch(soon);
            }
            let mut flags = [0; WORD];
            for (flag, element) in flags.iter_mut().zip(elements) {
                *flag = if W::from_bytes(*element).is_any_set(value_bits) { SET } else { 0 };
            }
            *mask = gathered(&flags);
            count += mask.count_ones() as usize;
        }
        if !rest.is_empty()
            && let Some(mask) = masks.next()
        {
            let mut flags = [0; WORD];
            for (flag, element) in flags.iter_mut().zip(rest) {
                *flag = if W::from_bytes(*element).is_any_set(value_bits) { SET } else { 0 };
            }
            *mask = gathered(&flags);
            count += mask.count_ones() as usize;
        }
        count
    }
}

/// A byte that stands for a bit that is set.
const SET: u8 = 0xFF;

/// One bit of each of some bytes, all of whose bits are alike.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn gathered(flags: &[u8; WORD]) -> u64 {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_movemask_epi8};

    let mut mask = 0;
    for (part, flags) in flags.as_chunks::<{ size_of::<__m128i>() }>().0.iter().enumerate() {
        #[expect(unsafe_code, reason = "gathering bits is an intrinsic")]
        // SAFETY: a vector is read from as many bytes; every processor of this architecture has the instructions.
        let bits = unsafe { _mm_movemask_epi8(_mm_loadu_si128(flags.as_ptr().cast())) };
        mask |= u64::from(bits.cast_unsigned()) << (part * size_of::<__m128i>());
    }
    mask
}

#[cfg(not(target_arch = "x86_64"))]
use portably_gathered as gathered;

/// One bit of each of some bytes, all of whose bits are alike, on any processor.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn portably_gathered(flags: &[u8; WORD]) -> u64 {
    // Of byte i one bit is kept, bit 0. Moved up by 56 - 7 i it is at bit 56 + i; no two of the moved bits meet.
    const KEPT: u64 = 0x0101_0101_0101_0101;
    const UP: u64 = 0x0102_0408_1020_4080;
    let mut mask = [0; BYTE];
    for (byte, flags) in mask.iter_mut().zip(flags.as_chunks::<BYTE>().0) {
        *byte = ((u64::from_le_bytes(*flags) & KEPT).wrapping_mul(UP) >> 56) as u8;
    }
    u64::from_le_bytes(mask)
}

/// Lists the positions of bits that are set, until the list might not hold those of another word.
pub(super) struct Positions<'a> {
    pub(super) masks: &'a [u64],
    /// The position of the first bit.
    pub(super) first: u32,
    pub(super) positions: &'a mut [u32],
}

impl Kernel for Positions<'_> {
    /// How many words were read, and how many positions there are.
    type Output = (usize, usize);

    #[inline(always)]
    fn run(self) -> (usize, usize) {
        let mut count = 0;
        for (word, mask) in self.masks.iter().enumerate() {
            if count + WORD > self.positions.len() {
                return (word, count);
            }
            let first = self.first + (word * WORD) as u32;
            let set = mask.count_ones() as usize;
            if set <= FEW {
                // As many are written as are few; what comes next overwrites those that are not set.
                let mut mask = *mask;
                for position in &mut self.positions[count..count + FEW] {
                    *position = first + mask.trailing_zeros();
                    mask &= mask.wrapping_sub(1);
                }
                count += set;
                continue;
            }
            for (byte, bits) in mask.to_le_bytes().into_iter().enumerate() {
                // As many as a byte may have are written; the next byte's overwrite those that it does not have.
                let positions = &mut self.positions[count..count + BYTE];
                let first = first + (byte * BYTE) as u32;
                for (position, bit) in positions.iter_mut().zip(SET_BITS[usize::from(bits)]) {
                    *position = first + u32::from(bit);
                }
                count += bits.count_ones() as usize;
            }
        }
        (self.masks.len(), count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_of_the_flags() {
        // Single bits, all but one, and words of many bits.
        let words = (0..WORD).flat_map(|bit| [1 << bit, !(1 << bit), 0x9E37_79B9_7F4A_7C15u64.rotate_left(bit as u32)]);
        for word in words.chain([0, u64::MAX]) {
            let mut flags = [0; WORD];
            for (bit, flag) in flags.iter_mut().enumerate() {
                *flag = if word >> bit & 1 == 1 { SET } else { 0 };
            }
            assert_eq!([gathered(&flags), portably_gathered(&flags)], [word; 2]);
        }
    }
}
