//! Requests and answers over a connection. One thread sends requests, reads answers, keeps what is said on standard
//! error, and watches the clock, so that nothing the process does or leaves undone can hold it up.

use std::io::{self, BufRead, ErrorKind, IoSlice, Read};
use std::time::{Duration, Instant};

use opcert_backend::Fault;
use opcert_backend::protocol::{MessageError, NamedPlace, Response, read_message, read_payload};

use super::connection::{BUFFER_BYTES, Connection};

/// What is said of a violation that a program cannot have seen.
const GUARDLESS: &str = "a guard zone is said to be violated, and the program introduced itself with `guards` false";

/// Requests on their way, and their answers, in order.
pub(super) struct Exchange<'a> {
    connection: &'a mut Connection,
    unsent: Vec<IoSlice<'a>>,
    /// The first of them that is not sent.
    first: usize,
    deadline: Instant,
    limit: Duration,
}

impl Connection {
    /// Begins to send requests, whose answers are then to be asked for. After a fault of the exchange the connection
    /// is of no more use.
    pub(super) fn send<'a>(&'a mut self, parts: &'a [&'a [u8]], limit: Duration) -> Result<Exchange<'a>, Fault> {
        let parts = parts.iter().map(|part| IoSlice::new(part)).collect();
        let mut exchange =
            Exchange { connection: self, unsent: parts, first: 0, deadline: Instant::now() + limit, limit };
        // What a process says unasked is noticed before the next request is mistaken for its cause.
        if !exchange.connection.has_unused() {
            match exchange.connection.fill() {
                Ok(_) | Err(_) if exchange.connection.has_unused() => {}
                Ok(_) => return Err(exchange.fault(MessageError::Ended)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(exchange),
                Err(error) => return Err(exchange.fault(error.into())),
            }
        }
        Err(exchange.connection.said_unasked())
    }

    fn said_unasked(&self) -> Fault {
        let said: String = String::from_utf8_lossy(self.unused()).chars().take(120).collect();
        Fault::Protocol(format!("something was said that nothing asked for, or an answer came twice: {said}"))
    }
}

impl Exchange<'_> {
    /// The next answer. It has all its time, whatever the ones before it took.
    pub(super) fn response(&mut self) -> Result<Response, Fault> {
        self.deadline = Instant::now() + self.limit;
        let response = read_message::<Response>(self).map_err(|error| self.fault(error))?.shortened();
        if let (Some(Fault::GuardViolated(said)), false) = (response.fault(), self.connection.guards) {
            return Err(Fault::Protocol(format!("{GUARDLESS}: {said}")));
        }
        Ok(response)
    }

    /// The payload of the answer that was just read, of at most `longest` bytes.
    pub(super) fn payload(&mut self, length: u64, longest: u64, places: Vec<NamedPlace<'_>>) -> Result<(), Fault> {
        if length > longest {
            let message = format!("{length} bytes are announced, and the outputs have no more than {longest}");
            return Err(self.fault(MessageError::Payload(message)));
        }
        read_payload(self, length, places).map_err(|error| self.fault(error))
    }

    /// After the last answer: a process that said more than it was asked, or answered what it had not read, has
    /// something over that would spoil what is asked next.
    pub(super) fn finish(self) -> Result<(), Fault> {
        let connection = self.connection;
        if self.first < self.unsent.len() || connection.pipes.has_unread(self.deadline) {
            let answered = "it answered before it had read all that it was asked".to_owned();
            return Err(Fault::Protocol(connection.pipes.hear().behind(answered)));
        }
        // What ended meanwhile is noticed when something is asked of it.
        if connection.has_unused() || matches!(connection.fill(), Ok(1..)) {
            return Err(connection.said_unasked());
        }
        Ok(())
    }

    /// What an answer that could not be read says of the process.
    fn fault(&mut self, error: MessageError) -> Fault {
        let fault = match error {
            MessageError::Ended => Fault::Crashed(self.connection.obituary(self.deadline)),
            MessageError::Stream(error) if error.kind() == ErrorKind::TimedOut => {
                let end = format!("within {} s", self.limit.as_secs_f64());
                self.connection.end();
                Fault::Hung(self.connection.pipes.hear().behind(end))
            }
            MessageError::Stream(_) => Fault::Crashed(self.connection.obituary(self.deadline)),
            error => Fault::Protocol(self.connection.pipes.hear().behind(error.to_string())),
        };
        // What cannot be read is quoted.
        fault.shortened()
    }

    /// Sends what there is room for, and waits until there is something to be read or heard, or more can be sent.
    fn wait(&mut self) -> io::Result<()> {
        self.write();
        let is_unsent = self.first < self.unsent.len();
        self.connection.pipes.wait(is_unsent, self.deadline)?;
        self.connection.pipes.hear();
        Ok(())
    }

    /// Sends as much as there is room for. A process that is gone shows in what it answers.
    fn write(&mut self) {
        while self.first < self.unsent.len() {
            let mut unsent = &mut self.unsent[self.first..];
            let before = unsent.len();
            match self.connection.pipes.write(unsent) {
                Ok(written) => {
                    IoSlice::advance_slices(&mut unsent, written);
                    self.first += before - unsent.len();
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => self.first = self.unsent.len(),
            }
        }
    }
}

impl Read for Exchange<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if !self.connection.has_unused() && bytes.len() >= BUFFER_BYTES {
            loop {
                match self.connection.pipes.read(bytes) {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait()?,
                    other => return other,
                }
            }
        }
        let mut there = self.fill_buf()?;
        let read = there.read(bytes)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Exchange<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while !self.connection.has_unused() {
            self.wait()?;
            match self.connection.fill() {
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(error) => return Err(error),
                Ok(0) => break,
                Ok(_) => {}
            }
        }
        Ok(self.connection.unused())
    }

    fn consume(&mut self, bytes: usize) {
        self.connection.used += bytes;
    }
}

/// An answer of the wrong kind.
pub(super) fn unexpected(request: &str, response: &Response) -> Fault {
    Fault::Protocol(format!("`{request}` was answered by {response:?}"))
}

pub(super) fn broken(error: &serde_json::Error) -> Fault {
    Fault::Failed(format!("a request cannot be written: {error}"))
}
