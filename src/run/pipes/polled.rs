//! Pipes that are asked what can be done with them, by one thread.

use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{Ends, Pipes};
use crate::run::complaints::Complaints;

#[derive(Debug)]
pub(super) struct Polled {
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    /// Let go once it has ended.
    stderr: Option<ChildStderr>,
    complaints: Complaints,
}

impl Polled {
    pub(super) fn new((stdin, stdout, stderr): Ends) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&stdin, true)?;
        rustix::io::ioctl_fionbio(&stdout, true)?;
        rustix::io::ioctl_fionbio(&stderr, true)?;
        // A pipe of the usual length does as well.
        #[cfg(target_os = "linux")]
        let _ = (
            rustix::pipe::fcntl_setpipe_size(&stdin, super::PIPE_BYTES),
            rustix::pipe::fcntl_setpipe_size(&stdout, super::PIPE_BYTES),
        );
        Ok(Self { stdin: Some(stdin), stdout, stderr: Some(stderr), complaints: Complaints::default() })
    }
}

impl Pipes for Polled {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stdout.read(bytes)
    }

    fn write(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.stdin.as_mut().ok_or(ErrorKind::BrokenPipe)?.write_vectored(parts)
    }

    fn close_input(&mut self) {
        self.stdin = None;
    }

    fn hear(&mut self) -> &Complaints {
        let mut bytes = [0; 4096];
        // A flood is heard in turns, so that the clock is looked at between them.
        for _ in 0..16 {
            match self.stderr.as_mut().map(|stderr| stderr.read(&mut bytes)) {
                Some(Ok(length @ 1..)) => self.complaints.keep(&bytes[..length]),
                Some(Err(error)) if error.kind() == ErrorKind::WouldBlock => break,
                _ => self.stderr = None,
            }
        }
        &self.complaints
    }

    fn hear_out(&mut self, _: Instant) -> &Complaints {
        // What a program leaves behind lies in the pipe.
        self.hear()
    }

    fn has_unread(&mut self, _: Instant) -> bool {
        self.stdin.as_ref().is_some_and(|stdin| rustix::io::ioctl_fionread(stdin).is_ok_and(|bytes| bytes > 0))
    }

    fn wait(&mut self, for_room: bool, deadline: Instant) -> io::Result<()> {
        let mut watched = Vec::with_capacity(3);
        watched.push(PollFd::new(&self.stdout, PollFlags::IN));
        watched.extend(self.stderr.as_ref().map(|stderr| PollFd::new(stderr, PollFlags::IN)));
        watched.extend(self.stdin.as_ref().filter(|_| for_room).map(|stdin| PollFd::new(stdin, PollFlags::OUT)));
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
            match poll(&mut watched, Some(&left)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}
