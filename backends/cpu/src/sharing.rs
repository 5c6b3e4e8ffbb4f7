//! Sharing work among threads.
//!
//! The threads are those of the current pool of `rayon`; whoever wants more or fewer of them installs another one.

use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

use crate::streaming::LINE;

/// Waking a thread takes as long as reading some hundred KiB: with less than this many bytes one thread is faster.
const WORTH_SHARING: usize = 1 << 20;

/// The parts for each thread, so that one that is held up does not hold up all.
const PARTS_PER_THREAD: usize = 8;

/// The threads for work that reads and writes this many bytes.
pub(crate) fn threads_for(bytes: usize) -> usize {
    if bytes < WORTH_SHARING { 1 } else { rayon::current_num_threads() }
}

/// Cuts `0..length` into as many ranges of nearly equal size, or fewer, none of them empty.
pub(crate) fn parts(length: usize, count: usize) -> impl IndexedParallelIterator<Item = Range<usize>> {
    let size = length.div_ceil(count.max(1)).max(1);
    (0..length.div_ceil(size)).into_par_iter().map(move |part| part * size..length.min((part + 1) * size))
}

/// Visits `0..length` in ranges, on several threads where as many bytes are worth it.
pub(crate) fn for_each_part(length: usize, bytes: usize, visit: impl Fn(Range<usize>) + Send + Sync) {
    match threads_for(bytes) {
        1 => visit(0..length),
        threads => parts(length, threads * PARTS_PER_THREAD).with_max_len(1).for_each(visit),
    }
}

/// Output memory of which several threads write parts.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    start: *mut u8,
    length: usize,
    memory: PhantomData<&'a mut [u8]>,
}

#[expect(unsafe_code, reason = "which parts are written by whom is known to the kernels alone")]
// SAFETY: it stands for exclusive access to the memory, which `part` hands out in pieces that do not overlap.
unsafe impl Sync for Shared<'_> {}

impl<'a> Shared<'a> {
    pub(crate) fn new(memory: &'a mut [u8]) -> Self {
        Self { start: memory.as_mut_ptr(), length: memory.len(), memory: PhantomData }
    }

    /// The last place up to this one where a line of the cache begins; the beginning, if there is none.
    #[inline(always)]
    pub(crate) fn last_line_before(&self, place: usize) -> usize {
        place.saturating_sub((self.start.addr() + place) % LINE)
    }

    /// A part of the memory.
    ///
    /// # Safety
    ///
    /// No byte of it is in another part that is still in use.
    #[expect(unsafe_code, clippy::mut_from_ref, reason = "that parts do not overlap is for the caller to say")]
    #[inline(always)]
    pub(crate) unsafe fn part(&self, range: Range<usize>) -> &mut [u8] {
        assert!(range.start <= range.end && range.end <= self.length, "a part of the output lies outside of it");
        // SAFETY: the range lies in the memory, and the caller says that nobody else uses it.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}
