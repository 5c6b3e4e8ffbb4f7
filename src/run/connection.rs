//! A process on the other side of the protocol. One thread writes requests, reads answers, keeps what is said on
//! standard error, and watches the clock, so that nothing the process does or leaves undone can hold it up.

use std::ffi::OsString;
use std::io::{self, BufRead, ErrorKind, IoSlice, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use opcert_backend::protocol::{
    MessageError, NamedPlace, PROTOCOL_VERSION, Request, Response, line, read_message, read_payload,
};
use opcert_backend::{Descriptor, Fault, Identity};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
#[cfg(target_os = "linux")]
use rustix::process::{Resource, Rlimit, prlimit};

/// So many characters of the end of what a program says on its standard error are kept.
const KEPT_COMPLAINTS: usize = 4000;

/// So many bytes are read at a time. Payloads that are longer pass by.
const BUFFER_BYTES: usize = 1 << 16;

/// Pipes are made so long where the system allows it: a large tensor then takes fewer turns.
const PIPE_BYTES: usize = 1 << 20;

/// A program may take so long to introduce itself, if its answers may not take longer: runtimes are loaded then.
const LONGEST_START: Duration = Duration::from_secs(60);

/// How long each answer may take when nothing is said.
pub const DEFAULT_LIMIT: Duration = Duration::from_secs(20);

/// How long a program has to end once it is told to.
const GRACE: Duration = Duration::from_millis(500);

/// What to start.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program's path.
    pub path: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The folder to start it in; this program's own when none is given.
    pub folder: Option<PathBuf>,
    /// How long each answer may take.
    pub limit: Duration,
    /// How many bytes of memory it may have written to, or be about to; as many as it can get when none is given. Kept
    /// by Linux only.
    pub memory: Option<u64>,
}

impl Program {
    /// A program that is started in this program's own folder, has [`DEFAULT_LIMIT`] for each answer, and gets all the
    /// memory that there is.
    pub fn new(path: impl Into<OsString>, arguments: Vec<OsString>) -> Self {
        Self { path: path.into(), arguments, folder: None, limit: DEFAULT_LIMIT, memory: None }
    }
}

/// One process, in a process group of its own. Dropped, it is asked to stop, and then ended with all that it started.
#[derive(Debug)]
pub(super) struct Connection {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    stderr: Option<ChildStderr>,
    /// What was read and is not used yet: `buffer[used..read]`.
    buffer: Box<[u8]>,
    used: usize,
    read: usize,
    complaints: Complaints,
    has_ended: bool,
}

impl Connection {
    pub(super) fn open(program: &Program) -> io::Result<Self> {
        let mut command = Command::new(&program.path);
        command.args(&program.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &program.folder {
            command.current_dir(folder);
        }
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        #[cfg(target_os = "linux")]
        if let Some(memory) = program.memory {
            let limit = Rlimit { current: Some(memory), maximum: Some(memory) };
            prlimit(Some(Pid::from_child(&child)), Resource::Data, limit)?;
        }
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            return Err(io::Error::other("it has no pipes"));
        };
        rustix::io::ioctl_fionbio(&stdin, true)?;
        rustix::io::ioctl_fionbio(&stdout, true)?;
        rustix::io::ioctl_fionbio(&stderr, true)?;
        // A pipe of the usual length does as well.
        #[cfg(target_os = "linux")]
        let _ = (
            rustix::pipe::fcntl_setpipe_size(&stdin, PIPE_BYTES),
            rustix::pipe::fcntl_setpipe_size(&stdout, PIPE_BYTES),
        );
        Ok(Self {
            child,
            stdin: Some(stdin),
            stdout,
            stderr: Some(stderr),
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            used: 0,
            read: 0,
            complaints: Complaints::default(),
            has_ended: false,
        })
    }

    /// The first exchange: who is there, and whether its outputs lie between guard zones.
    pub(super) fn introduce(&mut self, limit: Duration) -> Result<(Identity, bool), Fault> {
        let start =
            line(&Request::<Descriptor>::Start { protocol: PROTOCOL_VERSION }).map_err(|error| broken(&error))?;
        let parts = [start.as_slice()];
        let mut exchange = self.send(&parts, limit.max(LONGEST_START))?;
        match exchange.response()? {
            Response::Started { protocol: PROTOCOL_VERSION, identity, guards } => Ok((identity, guards)),
            Response::Started { protocol, .. } => {
                Err(Fault::Protocol(format!("it speaks protocol {protocol}, this is protocol {PROTOCOL_VERSION}")))
            }
            other => Err(unexpected("start", &other)),
        }
    }

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
        let said = exchange.connection.unused();
        let said: String = String::from_utf8_lossy(said).chars().take(120).collect();
        Err(Fault::Protocol(format!("something was said that nothing asked for, or an answer came twice: {said}")))
    }

    const fn has_unused(&self) -> bool {
        self.used < self.read
    }

    fn unused(&self) -> &[u8] {
        &self.buffer[self.used..self.read]
    }

    /// Reads what is there into the empty buffer. Nothing is there when the stream has ended.
    fn fill(&mut self) -> io::Result<usize> {
        (self.used, self.read) = (0, 0);
        self.read = self.stdout.read(&mut self.buffer)?;
        Ok(self.read)
    }

    /// Ends the process and all that it started, and says how it ended.
    fn end(&mut self) -> Option<ExitStatus> {
        // Once it was waited for, its number may be another one's.
        if !std::mem::replace(&mut self.has_ended, true) {
            // It may be gone already; what it started may not be.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        self.child.wait().ok()
    }

    /// Asks the process to stop, and ends it if it does not. `None` when it had to be ended.
    pub(super) fn stop(&mut self) -> Option<ExitStatus> {
        if let Some(mut stdin) = self.stdin.take()
            && let Ok(stop) = line(&Request::<Descriptor>::Stop)
        {
            // One that has stopped listening is not waited for.
            let _ = stdin.write(&stop);
        }
        let deadline = Instant::now() + GRACE;
        while Instant::now() < deadline && !self.has_ended && !self.is_gone() {
            match self.fill() {
                Ok(0) => std::thread::sleep(Duration::from_millis(1)),
                _ => _ = wait(&mut [PollFd::new(&self.stdout, PollFlags::IN)], deadline),
            }
            self.complaints.hear(&mut self.stderr);
        }
        let by_itself = self.is_gone();
        self.end().filter(|_| by_itself)
    }

    /// Whether the process has ended. It is not waited for, so that its number stays its own.
    fn is_gone(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(&self.child)), options).ok().flatten().is_some()
    }

    /// How the process ended, and what it said last.
    fn obituary(&mut self) -> String {
        // Its output ends a moment before it does, on a busy machine a long one.
        let deadline = Instant::now() + 4 * GRACE;
        let mut is_gone = self.is_gone();
        while !is_gone && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
            is_gone = self.is_gone();
        }
        self.complaints.hear(&mut self.stderr);
        let end = match self.end().filter(|_| is_gone) {
            Some(status) => format!("the process ended ({status})"),
            None => "the process closed its output without ending".to_owned(),
        };
        self.complaints.behind(end)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Requests on their way, and their answers, in order.
pub(super) struct Exchange<'a> {
    connection: &'a mut Connection,
    unsent: Vec<IoSlice<'a>>,
    /// The first of them that is not sent.
    first: usize,
    deadline: Instant,
    limit: Duration,
}

impl Exchange<'_> {
    /// The next answer. It has all its time, whatever the ones before it took.
    pub(super) fn response(&mut self) -> Result<Response, Fault> {
        self.deadline = Instant::now() + self.limit;
        read_message(self).map_err(|error| self.fault(error))
    }

    /// The payload of the answer that was just read, of at most `longest` bytes.
    pub(super) fn payload(&mut self, length: u64, longest: u64, places: Vec<NamedPlace<'_>>) -> Result<(), Fault> {
        if length > longest {
            let message = format!("{length} bytes are announced, and the outputs have no more than {longest}");
            return Err(self.fault(MessageError::Payload(message)));
        }
        read_payload(self, length, places).map_err(|error| self.fault(error))
    }

    /// What an answer that could not be read says of the process.
    fn fault(&mut self, error: MessageError) -> Fault {
        match error {
            MessageError::Ended => Fault::Crashed(self.connection.obituary()),
            MessageError::Stream(error) if error.kind() == ErrorKind::TimedOut => {
                let end = format!("within {} s", self.limit.as_secs_f64());
                self.connection.end();
                Fault::Hung(self.connection.complaints.behind(end))
            }
            MessageError::Stream(_) => Fault::Crashed(self.connection.obituary()),
            error => Fault::Protocol(self.connection.complaints.behind(error.to_string())),
        }
    }

    /// Sends and hears what can be sent and heard without waiting, and waits until there is something to be read.
    fn wait_for_answer(&mut self) -> io::Result<()> {
        loop {
            let connection = &mut *self.connection;
            let mut watched = Vec::with_capacity(3);
            watched.push(PollFd::new(&connection.stdout, PollFlags::IN));
            if let Some(stderr) = &connection.stderr {
                watched.push(PollFd::new(stderr, PollFlags::IN));
            }
            if let Some(stdin) = connection.stdin.as_ref().filter(|_| self.first < self.unsent.len()) {
                watched.push(PollFd::new(stdin, PollFlags::OUT));
            }
            wait(&mut watched, self.deadline)?;
            let ready: Vec<bool> = watched.iter().map(|each| !each.revents().is_empty()).collect();
            let hears = connection.stderr.is_some();
            drop(watched);
            if hears && ready[1] {
                connection.complaints.hear(&mut connection.stderr);
            }
            if ready.get(1 + usize::from(hears)) == Some(&true) {
                self.write();
            }
            if ready[0] {
                return Ok(());
            }
        }
    }

    /// Sends as much as there is room for. A process that is gone shows in what it answers.
    fn write(&mut self) {
        let Some(stdin) = self.connection.stdin.as_mut() else { return };
        while self.first < self.unsent.len() {
            let mut unsent = &mut self.unsent[self.first..];
            let before = unsent.len();
            match stdin.write_vectored(unsent) {
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
                match self.connection.stdout.read(bytes) {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait_for_answer()?,
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
            self.write();
            self.wait_for_answer()?;
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

/// The end of what was said on standard error.
#[derive(Debug, Default)]
struct Complaints(Vec<u8>);

impl Complaints {
    /// Keeps what is there to be heard; a stream that has ended is let go.
    fn hear(&mut self, stderr: &mut Option<ChildStderr>) {
        let mut bytes = [0; 4096];
        // A flood is heard in turns, so that the clock is looked at between them.
        for _ in 0..16 {
            match stderr.as_mut().map(|stderr| stderr.read(&mut bytes)) {
                Some(Ok(length @ 1..)) => self.keep(&bytes[..length]),
                Some(Err(error)) if error.kind() == ErrorKind::WouldBlock => return,
                _ => return *stderr = None,
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        let surplus = self.0.len().saturating_sub(KEPT_COMPLAINTS);
        self.0.drain(..surplus);
    }

    /// A sentence with what was said behind it.
    fn behind(&self, sentence: String) -> String {
        let said = String::from_utf8_lossy(&self.0);
        let said = said.trim();
        if said.is_empty() { sentence } else { format!("{sentence}: {said}") }
    }
}

/// Waits until something can be done, or the time is over.
fn wait(watched: &mut [PollFd<'_>], deadline: Instant) -> io::Result<()> {
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

/// An answer of the wrong kind.
pub(super) fn unexpected(request: &str, response: &Response) -> Fault {
    Fault::Protocol(format!("`{request}` was answered by {response:?}"))
}

pub(super) fn broken(error: &serde_json::Error) -> Fault {
    Fault::Failed(format!("a request cannot be written: {error}"))
}
