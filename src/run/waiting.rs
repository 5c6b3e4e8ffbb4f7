//! Waiting for pipes, for so long and no longer.

use std::io::{self, ErrorKind};
use std::time::Instant;

use rustix::event::{PollFd, Timespec, poll};

/// Waits until something can be done, or the time is over.
pub(super) fn wait(watched: &mut [PollFd<'_>], deadline: Instant) -> io::Result<()> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        match poll(watched, Some(&left)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}
