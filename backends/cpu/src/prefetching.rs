//! Asking for memory before it is needed.
//!
//! How much of the memory's bandwidth one core gets depends on how many lines it has asked for; left to itself, it waits
//! for most of what it reads. A kernel that reads in blocks asks for the next one before it works on this one.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
use std::ops::Range;

/// The bytes that are asked for in streams while as many before them are read.
const AHEAD: usize = 32 << 10;

/// The places at which they are asked for in turns: memory answers several streams faster than one.
pub(crate) const STREAMS: usize = 8;

/// The bytes of a stream. What reads at places that are further apart is several streams by itself.
pub(crate) const STREAM: usize = AHEAD / STREAMS;

/// Asks for elements that are needed next.
#[inline(always)]
pub(crate) fn prefetch<T>(elements: &[T]) {
    #[cfg(target_arch = "x86_64")]
    ask::<_MM_HINT_T0, _>(elements);
    let _ = elements;
}

/// Asks for elements that are needed a little later, into the cache behind the innermost one: it can wait for more lines
/// at once.
#[inline(always)]
pub(crate) fn prefetch_later<T>(elements: &[T]) {
    #[cfg(target_arch = "x86_64")]
    ask::<_MM_HINT_T1, _>(elements);
    let _ = elements;
}

/// Asks for the share of one stream in what is needed a little later, while some bytes of `memory` are read. Whoever
/// reads from the beginning to the end, and asks in each stream for every part, asks for all but the first few pages.
#[inline(always)]
pub(crate) fn prefetch_stream(memory: &[u8], read: Range<usize>, stream: usize) {
    let Range { start, end } = share_of_first_stream(read);
    if let Some(share) = memory.get(start + stream * STREAM..end + stream * STREAM) {
        prefetch_later(share);
    }
}

/// The other streams follow at equal distances.
#[inline(always)]
fn share_of_first_stream(read: Range<usize>) -> Range<usize> {
    let begun = read.start % AHEAD;
    let start = read.start - begun + AHEAD + begun / STREAMS;
    start..start + read.len() / STREAMS
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn ask<const HINT: i32, T>(elements: &[T]) {
    let start: *const i8 = elements.as_ptr().cast();
    for offset in (0..size_of_val(elements)).step_by(crate::streaming::LINE) {
        #[expect(unsafe_code, reason = "prefetching is an intrinsic that takes a pointer")]
        // SAFETY: every processor of this architecture has the instruction, and the address lies in the elements.
        unsafe {
            _mm_prefetch::<HINT>(start.add(offset));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_ahead_is_asked_for_once() {
        const BYTES: usize = 4096;
        for begun in [0, 3 * AHEAD] {
            let mut times = vec![0; begun + 3 * AHEAD];
            for place in (begun..begun + AHEAD).step_by(BYTES) {
                let first = share_of_first_stream(place..place + BYTES);
                for stream in (0..STREAMS).map(|stream| stream * STREAM) {
                    times[first.start + stream..first.end + stream].iter_mut().for_each(|times| *times += 1);
                }
            }
            let expected = begun + AHEAD..begun + 2 * AHEAD;
            for (place, times) in times.into_iter().enumerate() {
                assert_eq!(times, u8::from(expected.contains(&place)), "byte {place} of what follows byte {begun}");
            }
        }
    }
}
