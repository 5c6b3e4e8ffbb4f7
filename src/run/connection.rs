//! A process on the other side of the protocol: how it is started, what of its output was read, and how it ends.

use std::io::{self, IoSlice};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use opcert_backend::Descriptor;
use opcert_backend::protocol::{Request, line};

use super::pipes::{self, Pipes};
use super::program::Program;
use super::running::Running;

/// So many bytes are read at a time. Payloads that are longer pass by.
pub(super) const BUFFER_BYTES: usize = 1 << 16;

/// How long a program has to end once it is told to: runtimes are taken apart then, on a machine that is busy.
pub(super) const LONGEST_STOP: Duration = Duration::from_secs(5);

/// How long what a program said before it ended may take to arrive: something that it left behind may hold its standard error
/// open.
const LONGEST_LAST_WORDS: Duration = Duration::from_secs(5);

/// One process. Dropped, it is asked to stop, and then ended with all that it started.
#[derive(Debug)]
pub(super) struct Connection {
    running: Running,
    pub(super) pipes: Box<dyn Pipes>,
    /// What was read and is not used yet: `buffer[used..read]`.
    buffer: Box<[u8]>,
    pub(super) used: usize,
    read: usize,
    /// Whether the program said that its outputs lie between guard zones.
    pub(super) guards: bool,
}

impl Connection {
    pub(super) fn open(program: &Program) -> io::Result<Self> {
        let (running, ends) = Running::start(program)?;
        let pipes = pipes::open(ends, program.threads)?;
        let buffer = vec![0; BUFFER_BYTES].into_boxed_slice();
        Ok(Self { running, pipes, buffer, used: 0, read: 0, guards: false })
    }

    pub(super) const fn has_unused(&self) -> bool {
        self.used < self.read
    }

    pub(super) fn unused(&self) -> &[u8] {
        &self.buffer[self.used..self.read]
    }

    /// Reads what is there into the empty buffer. Nothing is there when the stream has ended.
    pub(super) fn fill(&mut self) -> io::Result<usize> {
        (self.used, self.read) = (0, 0);
        self.read = self.pipes.read(&mut self.buffer)?;
        Ok(self.read)
    }

    /// Ends the process and all that it started, and says how it ended.
    pub(super) fn end(&mut self) -> Option<ExitStatus> {
        self.running.end()
    }

    /// Asks the process to stop, and does not wait for it.
    pub(super) fn ask_to_stop(&mut self) {
        if let Ok(stop) = line(&Request::<Descriptor>::Stop) {
            // One that has stopped listening is not waited for.
            let _ = self.pipes.write(&[IoSlice::new(&stop)]);
        }
        self.pipes.close_input();
    }

    /// Waits until a process that was asked to stop has ended, and ends it if it does not. `None` when it had to be ended.
    pub(super) fn stop(&mut self, deadline: Instant) -> Option<ExitStatus> {
        while Instant::now() < deadline && !self.running.is_gone() {
            match self.fill() {
                Ok(0) => std::thread::sleep(Duration::from_millis(1)),
                _ => _ = self.pipes.wait(false, deadline),
            }
            self.pipes.hear();
        }
        let by_itself = self.running.is_gone();
        self.end().filter(|_| by_itself)
    }

    /// How the process ended, and what it said last. Its output ends a moment before it does, on a busy machine a long
    /// one; it has until the deadline.
    pub(super) fn obituary(&mut self, deadline: Instant) -> String {
        let mut is_gone = self.running.is_gone();
        while !is_gone && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
            is_gone = self.running.is_gone();
        }
        let end = match self.end().filter(|_| is_gone) {
            Some(status) => format!("the process ended ({status})"),
            None if is_gone => "the process ended, and so did what watched over it".to_owned(),
            None => "the process closed its output without ending".to_owned(),
        };
        self.pipes.hear_out(Instant::now() + LONGEST_LAST_WORDS).behind(end)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.ask_to_stop();
        self.stop(Instant::now() + LONGEST_STOP);
    }
}
