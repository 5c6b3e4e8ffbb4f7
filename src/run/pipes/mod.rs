//! The streams of a program: nothing here waits for the program for longer than it may, whatever the program does or leaves
//! undone.
//!
//! Two ways lead there. Where the system tells which of several pipes something can be done with, one thread does it all
//! ([`Polled`]); where it does not, as on Windows, each pipe has a thread that may wait for it ([`Threaded`]).

#[cfg(unix)]
mod polled;
mod threaded;

use std::fmt::Debug;
use std::io::{self, IoSlice};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::Instant;

use super::complaints::Complaints;
#[cfg(unix)]
use polled::Polled;
use threaded::Threaded;

/// Pipes are made so long where the system allows it: a large tensor then takes fewer turns.
const PIPE_BYTES: usize = 1 << 20;

/// The ends of a program's streams that belong to this process.
pub(super) type Ends = (ChildStdin, ChildStdout, ChildStderr);

/// What can be done with a program's streams.
pub(super) trait Pipes: Debug + Send {
    /// Reads what is there of the program's output; 0 once it has ended.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] when nothing is there yet.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize>;

    /// Sends as much as there is room for, and says how many bytes that were.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] when there is no room, and others when the program listens no more.
    fn write(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize>;

    /// Closes the program's input, behind what was written to it.
    fn close_input(&mut self);

    /// What the program said on standard error, with what is there to be heard now.
    fn hear(&mut self) -> &Complaints;

    /// The same of a program that has ended, all of which is on its way: with what comes until the deadline or the end.
    fn hear_out(&mut self, deadline: Instant) -> &Complaints;

    /// Whether something that was written has not been read, as far as the system tells, at the deadline where it takes so long
    /// to know.
    fn has_unread(&mut self, deadline: Instant) -> bool;

    /// Waits until something can be done: until there is output, or its end, or something to be heard, or, after a write that
    /// found none, room. Does not say which.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::TimedOut`] when nothing can be at the deadline.
    fn wait(&mut self, for_room: bool, deadline: Instant) -> io::Result<()>;
}

/// The streams of a program that was just started; by threads where they are asked for or nothing else will do.
pub(super) fn open(ends: Ends, threads: bool) -> io::Result<Box<dyn Pipes>> {
    #[cfg(unix)]
    if !threads {
        return Ok(Box::new(Polled::new(ends)?));
    }
    let _ = threads;
    Ok(Box::new(Threaded::new(ends)?))
}
