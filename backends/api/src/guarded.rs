//! Output memory that shows whether something wrote beside it.

use std::cell::RefCell;
use std::iter::zip;

use crate::checksum::Checksum;
use crate::{NamedTensor, memory_bytes};

/// The number of guarded bytes on either side of a buffer.
pub const GUARD_BYTES: usize = 4096;

/// Buffers start at a multiple of this many bytes.
const ALIGNMENT: usize = 64;

/// No zone is longer than this: where the memory begins decides how much stands in front of an aligned buffer.
const LONGEST_ZONE: usize = GUARD_BYTES + ALIGNMENT;

/// The bytes of both zones, first for a poison that is even and then for one that is odd: their last bit is another
/// one, so that no byte of a zone equals the poison, which a backend may well copy around.
static ZONES: [[[u8; LONGEST_ZONE]; 2]; 2] = [[zone(0, 1), zone(LONGEST_ZONE, 1)], [zone(0, 0), zone(LONGEST_ZONE, 0)]];

/// Memory up to so many bytes is kept for the next buffer: those of most cases are small, and there are many.
const SMALL: usize = 1 << 14;

/// So many are kept for each thread.
const MOST_SPARE: usize = 16;

thread_local! {
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

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
    /// The checksum of the bytes, where it is known already.
    known: Option<u64>,
}

impl GuardedBuffer {
    /// A buffer of `length` bytes, each equal to `poison`; `None` when the memory is not to be had.
    #[must_use]
    pub fn new(length: usize, poison: u8) -> Option<Self> {
        let total = length.checked_add(2 * GUARD_BYTES + ALIGNMENT)?;
        let is_small = total <= SMALL;
        let spare = is_small.then(|| SPARE.with_borrow_mut(Vec::pop)).flatten();
        let mut memory: Vec<u8> = spare.unwrap_or_default();
        memory.try_reserve_exact(if is_small { SMALL } else { total }).ok()?;
        let start = GUARD_BYTES + (memory.as_ptr() as usize + GUARD_BYTES).wrapping_neg() % ALIGNMENT;
        let [before, after] = zones(poison);
        memory.extend_from_slice(&before[..start]);
        memory.resize(start + length, poison);
        memory.extend_from_slice(&after[..total - start - length]);
        Some(Self { memory, start, length, poison, known: None })
    }

    /// The same memory for another tensor that needs as much of it, as if it were new; `None` where it needs another
    /// amount. The bytes of a packed tensor stay as they are: all of them will be written.
    #[must_use]
    pub fn again(mut self, entry: &NamedTensor, fill: u8) -> Option<Self> {
        let length = memory_bytes(&entry.tensor).ok().filter(|length| *length == self.length)?;
        let end = self.start + length;
        let [before, after] = zones(fill);
        self.memory[..self.start].copy_from_slice(&before[..self.start]);
        let behind = self.memory.len() - end;
        self.memory[end..].copy_from_slice(&after[..behind]);
        if !entry.tensor.is_packed() || entry.tensor.span_bytes() != Some(length as u64) {
            self.memory[self.start..end].fill(fill);
        }
        self.poison = fill;
        self.known = None;
        Some(self)
    }

    /// The bytes between the zones.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.length]
    }

    /// The bytes between the zones, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.known = None;
        &mut self.memory[self.start..self.start + self.length]
    }

    /// Says what the checksum of the bytes is: it was made as they came, when they were still at hand. One of other bytes
    /// than all of them is of no use.
    pub(crate) fn know(&mut self, checksum: Checksum) {
        self.known = (checksum.bytes() == self.length as u64).then(|| checksum.value());
    }

    pub(crate) fn checksum(&self) -> u64 {
        self.known.unwrap_or_else(|| Checksum::of(self.bytes()))
    }

    /// The bytes between the zones alone, in the same memory.
    #[must_use]
    pub fn into_bytes(mut self) -> Vec<u8> {
        if self.memory.capacity() == SMALL {
            return self.bytes().to_vec();
        }
        let mut memory = std::mem::take(&mut self.memory);
        memory.truncate(self.start + self.length);
        memory.drain(..self.start);
        memory
    }

    /// The written byte of a zone that lies nearest to the buffer: its distance from the buffer's start, negative
    /// before it. `None` when both zones are intact.
    #[must_use]
    pub fn violation(&self) -> Option<i64> {
        let (before, rest) = self.memory.split_at(self.start);
        let after = &rest[self.length..];
        let (before_then, after_then) = (&zones(self.poison)[0][..before.len()], &zones(self.poison)[1][..after.len()]);
        if before == before_then && after == after_then {
            return None;
        }
        let behind = zip(after, after_then).position(|(now, then)| now != then);
        let in_front = || zip(before, before_then).rposition(|(now, then)| now != then);
        behind
            .map(|index| (self.length + index) as i64)
            .or_else(|| in_front().map(|index| index as i64 - self.start as i64))
    }
}

impl Drop for GuardedBuffer {
    fn drop(&mut self) {
        let mut memory = std::mem::take(&mut self.memory);
        if memory.capacity() != SMALL {
            return;
        }
        memory.clear();
        // A thread that ends has no use for it.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < MOST_SPARE {
                spare.push(memory);
            }
        });
    }
}

/// What stands in front of a buffer with a poison, and behind it.
const fn zones(poison: u8) -> &'static [[u8; LONGEST_ZONE]; 2] {
    &ZONES[(poison & 1) as usize]
}

/// Bytes that differ from position to position and end in this bit.
const fn zone(first: usize, last_bit: u8) -> [u8; LONGEST_ZONE] {
    let mut bytes = [0; LONGEST_ZONE];
    let mut index = 0;
    while index < LONGEST_ZONE {
        let position = first + index;
        let byte = (position.wrapping_mul(151) ^ (position >> 7)) as u8;
        bytes[index] = byte << 1 | last_bit;
        index += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DataType, Role, TensorDescriptor};

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
    fn memory_that_serves_again_is_as_good_as_new() {
        let entry = |strides: Option<Vec<u64>>| NamedTensor {
            name: "a".to_owned(),
            role: Role::Input,
            tensor: TensorDescriptor { strides, ..TensorDescriptor::packed(DataType::U8, [2]) },
        };
        let used = || {
            let mut buffer = GuardedBuffer::new(3, 0xA5).unwrap();
            buffer.memory.fill(7);
            buffer
        };
        assert!(used().again(&entry(None), 0x5A).is_none());
        let strided = used().again(&entry(Some(vec![2])), 0x5A).unwrap();
        assert_eq!((strided.violation(), strided.bytes()), (None, &[0x5A; 3][..]));
        let mut two = GuardedBuffer::new(2, 0xA5).unwrap();
        two.memory.fill(7);
        let packed = two.again(&entry(None), 0x5A).unwrap();
        assert_eq!((packed.violation(), packed.bytes()), (None, &[7; 2][..]));
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
    fn no_byte_of_a_zone_equals_the_poison() {
        for poison in [0, 0xA5, 0x5A, u8::MAX] {
            let buffer = GuardedBuffer::new(3, poison).unwrap();
            let (before, rest) = buffer.memory.split_at(buffer.start);
            let zones = before.iter().chain(&rest[3..]);
            assert!(zones.clone().count() >= 2 * GUARD_BYTES && zones.clone().all(|&byte| byte != poison));
        }
    }

    #[test]
    fn memory_that_cannot_be_had_is_no_panic() {
        assert!(GuardedBuffer::new(usize::MAX, 0).is_none());
        assert!(GuardedBuffer::new(usize::MAX / 2, 0).is_none());
    }
}
