//! The yardstick of bandwidth: `memcpy` between two arrays.

use std::time::{Duration, Instant};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// The length of the arrays that everything is held against, in bytes.
///
/// One length for all sizes of work, so that there is one yardstick; and one that no cache holds. Below some hundred
/// megabytes per thread a C library may copy through the caches, and then reads what it overwrites: on one machine
/// the copy of smaller arrays had two thirds of the bandwidth. Work is held against the faster one.
pub const COPIED_BYTES: usize = 256 << 20;

/// Copies one array to another one. Both were written to before.
///
/// Each thread copies one part, and all parts have the same length. What a copy moves counts twice, read and written,
/// as it does for an operator; that a plain store also reads what it overwrites counts for neither.
#[derive(Debug)]
pub struct Copying {
    source: Vec<u8>,
    target: Vec<u8>,
    threads: usize,
    /// The threads, where there are several.
    pool: Option<ThreadPool>,
}

impl Copying {
    /// Two arrays of so many bytes each, and so many threads; none is taken as one.
    ///
    /// # Errors
    ///
    /// When the threads cannot be started.
    pub fn new(bytes: usize, threads: usize) -> Result<Self, ThreadPoolBuildError> {
        let threads = threads.max(1);
        let pool = (threads > 1).then(|| ThreadPoolBuilder::new().num_threads(threads).build()).transpose()?;
        Ok(Self { source: vec![1; bytes], target: vec![2; bytes], threads, pool })
    }

    /// Copies once, and says how long it took.
    pub fn once(&mut self) -> Duration {
        let part = self.source.len().div_ceil(self.threads).max(1);
        let began = Instant::now();
        let (source, target) = (&self.source, &mut self.target);
        match &self.pool {
            None => target.copy_from_slice(source),
            Some(pool) => pool.install(|| {
                let parts = source.par_chunks(part).zip(target.par_chunks_mut(part));
                parts.for_each(|(source, target)| target.copy_from_slice(source));
            }),
        }
        let took = began.elapsed();
        std::hint::black_box(&mut self.target);
        took
    }

    /// The bytes that are read and written by one copy.
    #[must_use]
    pub const fn bytes_moved(&self) -> u64 {
        2 * self.source.len() as u64
    }

    /// How many threads copy.
    #[must_use]
    pub const fn threads(&self) -> usize {
        self.threads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_copied_and_counted_twice() {
        for threads in [0, 1, 2, 3, 7] {
            let mut copying = Copying::new(1000, threads).unwrap();
            assert!(copying.target.iter().all(|&byte| byte == 2));
            copying.once();
            assert!(copying.target.iter().all(|&byte| byte == 1), "{threads} threads");
            assert_eq!((copying.bytes_moved(), copying.threads()), (2000, threads.max(1)));
        }
        assert_eq!(Copying::new(0, 2).unwrap().bytes_moved(), 0);
    }
}
