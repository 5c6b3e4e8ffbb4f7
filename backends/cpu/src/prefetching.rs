//! Asking for memory before it is needed.
//!
//! How much of the memory's bandwidth one core gets depends on how many lines it has asked for; left to itself, it waits
//! for most of what it reads. A kernel that reads in blocks asks for the next one before it works on this one.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};

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
