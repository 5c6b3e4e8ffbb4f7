//! Output memory that shows whether something wrote beside it.

/// The number of guarded bytes on either side of a buffer.
pub const GUARD_BYTES: usize = 4096;

/// Buffers start at a multiple of this many bytes.
const ALIGNMENT: usize = 64;

/// A buffer filled with one byte (the poison), between two zones whose bytes are known.
///
/// The zones hold a pattern that differs from the poison and from byte to byte, so that a shifted copy of the buffer
/// or of the zone itself is seen too.
#[derive(Debug)]
pub struct GuardedBuffer {
    memory: Vec<u8>,
    start: usize,
    length: usize,
    poison: u8,
}

impl GuardedBuffer {
    /// A buffer of `length` bytes, each equal to `poison`; `None` when the memory is not to be had.
    #[must_use]
    pub fn new(length: usize, poison: u8) -> Option<Self> {
        let total = length.checked_add(2 * GUARD_BYTES + ALIGNMENT)?;
        let mut memory = Vec::new();
        memory.try_reserve_exact(total).ok()?;
        memory.resize(total, poison);
        let start = GUARD_BYTES + (memory.as_ptr() as usize + GUARD_BYTES).wrapping_neg() % ALIGNMENT;
        let (before, rest) = memory.split_at_mut(start);
        let after = &mut rest[length..];
        before.iter_mut().enumerate().for_each(|(index, byte)| *byte = guard_byte(index, poison));
        after.iter_mut().enumerate().for_each(|(index, byte)| *byte = guard_byte(start + length + index, poison));
        Some(Self { memory, start, length, poison })
    }

    /// The bytes between the zones.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.length]
    }

    /// The bytes between the zones, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.length]
    }

    /// The bytes between the zones alone, in the same memory.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        let mut memory = self.memory;
        memory.truncate(self.start + self.length);
        memory.drain(..self.start);
        memory
    }

    /// The written byte of a zone that lies nearest to the buffer: its distance from the buffer's start, negative
    /// before it. `None` when both zones are intact.
    #[must_use]
    pub fn violation(&self) -> Option<i64> {
        let end = self.start + self.length;
        let change = |index: usize| self.memory[index] ^ guard_byte(index, self.poison);
        // Without a way out in the middle, this is a few vector instructions per zone.
        let changes = |zone: std::ops::Range<usize>| zone.fold(0, |sum, index| sum | change(index));
        if changes(0..self.start) | changes(end..self.memory.len()) == 0 {
            return None;
        }
        let changed = |index: &usize| change(*index) != 0;
        let found = (end..self.memory.len()).find(changed).or_else(|| (0..self.start).rev().find(changed))?;
        Some(found as i64 - self.start as i64)
    }
}

/// Differs from position to position, and never equals the poison, which a backend may well copy around.
fn guard_byte(index: usize, poison: u8) -> u8 {
    let byte = (index.wrapping_mul(151) ^ (index >> 8)) as u8;
    if byte == poison { !byte } else { byte }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_untouched_buffer_is_intact_and_poisoned() {
        let mut buffer = GuardedBuffer::new(10, 0xA5).unwrap();
        assert_eq!(buffer.bytes(), [0xA5; 10]);
        buffer.bytes_mut().fill(0);
        assert_eq!(buffer.violation(), None);
        assert_eq!(buffer.bytes().as_ptr() as usize % ALIGNMENT, 0);
        assert_eq!(buffer.into_bytes(), [0; 10]);
    }

    #[test]
    fn each_side_reports_the_nearest_written_byte() {
        for (offset, expected) in [(-1i64, -1), (-4096, -4096), (10, 10), (13, 13)] {
            let mut buffer = GuardedBuffer::new(10, 0xA5).unwrap();
            let position = (buffer.start as i64 + offset) as usize;
            buffer.memory[position] = 0xA5;
            assert_eq!(buffer.violation(), Some(expected));
        }
    }

    #[test]
    fn memory_that_cannot_be_had_is_no_panic() {
        assert!(GuardedBuffer::new(usize::MAX, 0).is_none());
        assert!(GuardedBuffer::new(usize::MAX / 2, 0).is_none());
    }
}
