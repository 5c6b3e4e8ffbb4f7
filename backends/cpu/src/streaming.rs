//! Writing large outputs past the caches.
//!
//! An ordinary store first reads the line that it writes to, and pushes something else out of the cache. A streaming
//! store does neither, as long as whole lines are written. Smaller outputs are better left in the cache, where their
//! reader finds them.

use std::ops::Range;

use crate::sharing::Shared;

/// Outputs from this many bytes on are streamed: smaller ones are written faster into the caches.
const WORTH_STREAMING: usize = 8 << 20;

/// The bytes of a line of the cache.
pub(crate) const LINE: usize = 64;

/// A line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [u8; LINE]);

/// The whole lines of some memory, and what is before and behind them. Memory in which lines do not begin where elements
/// of `width` bytes do has none.
#[inline(always)]
pub(crate) fn lines(memory: &mut [u8], width: usize) -> (&mut [u8], &mut [Line], &mut [u8]) {
    if !memory.as_ptr().align_offset(LINE).is_multiple_of(width) {
        return (memory, &mut [], &mut []);
    }
    #[expect(unsafe_code, reason = "bytes are taken for lines")]
    // SAFETY: a line is bytes, which may be any.
    unsafe {
        memory.align_to_mut()
    }
}

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

    /// Writes one line.
    #[inline(always)]
    pub(crate) fn write_line(&mut self, to: &mut Line, line: &Line) {
        #[cfg(target_arch = "x86_64")]
        if self.streams {
            return stream_line(to, line);
        }
        *to = *line;
    }
}

/// Memory in which the next bytes of an output are made before they are written.
///
/// Whole lines are written, and what is left behind the last one waits for what comes next: a line that is written in two
/// parts is read first, and all that is written after it has to wait.
#[derive(Debug)]
pub(crate) struct Stage {
    writer: Writer,
    /// What is left stands before what is made, at the end of the first line.
    memory: Vec<u8>,
    left: usize,
}

impl Stage {
    /// A stage of so many bytes, all of them 0, for an output of so many bytes.
    pub(crate) fn new(bytes: usize, output_bytes: usize) -> Self {
        Self { writer: Writer::new(output_bytes), memory: vec![0; LINE + bytes], left: 0 }
    }

    /// The bytes that are to be made.
    #[inline(always)]
    pub(crate) fn memory(&mut self) -> &mut [u8] {
        &mut self.memory[LINE..]
    }

    /// Writes the first bytes of the stage, which belong at a range of the output; all of them unless more is to come,
    /// right behind them.
    ///
    /// # Safety
    ///
    /// No byte of the range, or of one that it continues, is in a part of the output that is still in use.
    #[expect(unsafe_code, reason = "that parts do not overlap is for the caller to say")]
    #[inline(always)]
    pub(crate) unsafe fn write(&mut self, output: &Shared<'_>, range: Range<usize>, is_more_to_come: bool) {
        let start = range.start - self.left;
        let end = if is_more_to_come { output.last_line_before(range.end).max(start) } else { range.end };
        // SAFETY: what is left belongs to the range before, the rest to this one.
        let to = unsafe { output.part(start..end) };
        self.writer.write(to, &self.memory[LINE - self.left..][..to.len()]);
        self.left = range.end - end;
        let made = LINE + range.len();
        self.memory.copy_within(made - self.left..made, LINE - self.left);
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
#[inline(always)]
fn stream(to: &mut [u8], from: &[u8]) {
    assert_eq!(to.len(), from.len());
    let (to_head, to_lines, to_tail) = lines(to, 1);
    let (from_head, from) = from.split_at(to_head.len());
    to_head.copy_from_slice(from_head);
    let (from_lines, from_tail) = from.as_chunks::<LINE>();
    for (to, from) in to_lines.iter_mut().zip(from_lines) {
        stream_line(to, &Line(*from));
    }
    to_tail.copy_from_slice(from_tail);
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "streaming stores are intrinsics that take pointers")]
#[inline(always)]
fn stream_line(to: &mut Line, line: &Line) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};

    const VECTOR: usize = size_of::<__m128i>();
    for at in (0..LINE).step_by(VECTOR) {
        // SAFETY: both lines have `LINE` bytes, of which these are the `VECTOR` bytes from `at` on; lines begin at
        // multiples of `LINE`, which is a multiple of the alignment that the store needs. The fence is in
        // `Writer::drop`.
        unsafe {
            let vector = _mm_loadu_si128(line.0.as_ptr().add(at).cast());
            _mm_stream_si128(to.0.as_mut_ptr().add(at).cast(), vector);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_stage_is_written_with_what_comes_next() {
        let sizes = [0, 1, 63, 64, 65, 3, 200, 0, 5, 1000, 30, 127, 128];
        for (output_bytes, lead) in
            [0, WORTH_STREAMING].into_iter().flat_map(|bytes| (0..LINE).map(move |lead| (bytes, lead)))
        {
            let mut memory = vec![0xEE; lead + sizes.iter().sum::<usize>()];
            let output = Shared::new(&mut memory[lead..]);
            let mut stage = Stage::new(1000, output_bytes);
            let mut place = 0;
            for (number, size) in sizes.into_iter().enumerate() {
                for (byte, place) in stage.memory()[..size].iter_mut().zip(place..) {
                    *byte = place as u8;
                }
                #[expect(unsafe_code, reason = "there are no other parts")]
                // SAFETY: this is the only part.
                unsafe {
                    stage.write(&output, place..place + size, number + 1 < sizes.len());
                }
                place += size;
            }
            drop(stage);
            let expected: Vec<_> = (0..place).map(|place| place as u8).collect();
            assert_eq!(memory[lead..], expected, "{output_bytes} bytes, {lead} bytes behind a line's beginning");
        }
    }
}
