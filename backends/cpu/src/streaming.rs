//! Writing large outputs past the caches.
//!
//! An ordinary store first reads the line that it writes to, and pushes something else out of the cache. A streaming
//! store does neither, as long as whole lines are written. Smaller outputs are better left in the cache, where their
//! reader finds them.

/// Outputs from this many bytes on are streamed.
const WORTH_STREAMING: usize = 4 << 20;

/// The bytes of a line of the cache.
pub(crate) const LINE: usize = 64;

/// How an output is written. When it is dropped, all that was written is there for other threads.
#[derive(Debug)]
pub(crate) struct Writer {
    streams: bool,
}

impl Writer {
    /// A writer of parts of an output of so many bytes.
    pub(crate) fn new(output_bytes: usize) -> Self {
        Self { streams: cfg!(target_arch = "x86_64") && output_bytes >= WORTH_STREAMING }
    }

    /// Copies `from` into `to`, which is as long.
    #[inline(always)]
    pub(crate) fn write(&mut self, to: &mut [u8], from: &[u8]) {
        #[cfg(target_arch = "x86_64")]
        if self.streams && to.len() >= 2 * LINE {
            return stream(to, from);
        }
        to.copy_from_slice(from);
    }
}

#[cfg(target_arch = "x86_64")]
impl Drop for Writer {
    fn drop(&mut self) {
        if self.streams {
            #[expect(unsafe_code, reason = "a fence is an intrinsic")]
            // SAFETY: every processor of this architecture has the instruction.
            unsafe {
                std::arch::x86_64::_mm_sfence();
            }
        }
    }
}

/// Copies whole lines by streaming stores, and what is before the first and behind the last one by ordinary ones.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "streaming stores are intrinsics that take pointers")]
#[inline(always)]
fn stream(to: &mut [u8], from: &[u8]) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};

    const VECTOR: usize = size_of::<__m128i>();
    assert_eq!(to.len(), from.len());
    let (to_head, to) = to.split_at_mut(to.as_ptr().align_offset(LINE).min(to.len()));
    let (from_head, from) = from.split_at(to_head.len());
    to_head.copy_from_slice(from_head);
    let (to_lines, to_tail) = to.as_chunks_mut::<LINE>();
    let (from_lines, from_tail) = from.as_chunks::<LINE>();
    for (to, from) in to_lines.iter_mut().zip(from_lines) {
        for at in (0..LINE).step_by(VECTOR) {
            // SAFETY: both lines have `LINE` bytes, of which these are the `VECTOR` bytes from `at` on; the lines of
            // `to` begin at multiples of `LINE`, which is a multiple of the alignment that the store needs. The fence
            // is in `Writer::drop`.
            unsafe {
                let vector = _mm_loadu_si128(from.as_ptr().add(at).cast());
                _mm_stream_si128(to.as_mut_ptr().add(at).cast(), vector);
            }
        }
    }
    to_tail.copy_from_slice(from_tail);
}
