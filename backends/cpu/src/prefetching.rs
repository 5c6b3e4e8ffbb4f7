//! Asking for memory before it is needed.
//!
//! How much of the memory's bandwidth one core gets depends on how many lines it has asked for; left to itself, it waits
//! for most of what it reads. A kernel that reads in blocks asks for the next one before it works on this one.

use std::mem::size_of_val;

use crate::streaming::LINE;

/// Asks for elements that are needed soon.
#[inline(always)]
pub(crate) fn prefetch<T>(elements: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

        let start: *const i8 = elements.as_ptr().cast();
        for offset in (0..size_of_val(elements)).step_by(LINE) {
            #[expect(unsafe_code, reason = "prefetching is an intrinsic that takes a pointer")]
            // SAFETY: every processor of this architecture has the instruction, and the address lies in the elements.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(start.add(offset));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (elements, LINE, size_of_val(elements));
}
