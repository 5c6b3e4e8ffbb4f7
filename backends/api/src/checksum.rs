//! Whether memory is what it was.

/// A checksum in which every change of a single word shows, and changes of several hardly ever cancel out: words are
/// mixed by multiplication with an odd number, which loses nothing. Four words at a time, each in a sum of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checksum {
    sums: [u64; 4],
    bytes: u64,
}

/// The bytes of four words.
const BLOCK: usize = 32;

impl Checksum {
    pub(crate) const fn new() -> Self {
        Self { sums: [1, 2, 3, 4], bytes: 0 }
    }

    /// The checksum of some bytes.
    pub(crate) fn of(bytes: &[u8]) -> u64 {
        let mut checksum = Self::new();
        checksum.add(bytes);
        checksum.value()
    }

    /// Adds the bytes that follow. All pieces but the last have to be whole blocks of 32 bytes.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        for block in blocks {
            for (sum, word) in self.sums.iter_mut().zip(block.as_chunks().0) {
                *sum = mix(*sum, u64::from_le_bytes(*word));
            }
        }
        for (sum, chunk) in self.sums.iter_mut().zip(rest.chunks(8)) {
            let mut padded = [0; 8];
            padded[..chunk.len()].copy_from_slice(chunk);
            *sum = mix(*sum, u64::from_le_bytes(padded));
        }
    }

    /// How many bytes there were.
    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn value(self) -> u64 {
        self.sums.into_iter().fold(self.bytes, mix)
    }
}

const fn mix(sum: u64, word: u64) -> u64 {
    (sum.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_byte_changes_the_checksum() {
        let bytes: Vec<u8> = (0..100).collect();
        for index in 0..100 {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[index] ^= 1 << bit;
                assert_ne!(Checksum::of(&changed), Checksum::of(&bytes));
            }
        }
        assert_ne!(Checksum::of(&[0, 1, 0, 0, 0, 0, 0, 0, 2]), Checksum::of(&[0, 2, 0, 0, 0, 0, 0, 0, 1]));
        assert_ne!(Checksum::of(&[0]), Checksum::of(&[0, 0]));
    }

    #[test]
    fn pieces_come_to_the_same_as_the_whole() {
        let bytes: Vec<u8> = (0..250).collect();
        let mut checksum = Checksum::new();
        bytes.chunks(3 * BLOCK).for_each(|piece| checksum.add(piece));
        assert_eq!(checksum.value(), Checksum::of(&bytes));
    }
}
