//! A process on the other side of the protocol: how it is started, what of its output was read, and how it ends.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use opcert_backend::Descriptor;
use opcert_backend::protocol::{Request, line};
use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
#[cfg(target_os = "linux")]
use rustix::process::{Resource, Rlimit, prlimit};

use super::complaints::Complaints;
use super::program::Program;
use super::waiting::wait;

/// So many bytes are read at a time. Payloads that are longer pass by.
pub(super) const BUFFER_BYTES: usize = 1 << 16;

/// Pipes are made so long where the system allows it: a large tensor then takes fewer turns.
const PIPE_BYTES: usize = 1 << 20;

/// How long a program has to end once it is told to.
const GRACE: Duration = Duration::from_millis(500);

/// One process, in a process group of its own. Dropped, it is asked to stop, and then ended with all that it started.
#[derive(Debug)]
pub(super) struct Connection {
    child: Child,
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: Option<ChildStderr>,
    /// What was read and is not used yet: `buffer[used..read]`.
    buffer: Box<[u8]>,
    pub(super) used: usize,
    read: usize,
    pub(super) complaints: Complaints,
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

    pub(super) const fn has_unused(&self) -> bool {
        self.used < self.read
    }

    pub(super) fn unused(&self) -> &[u8] {
        &self.buffer[self.used..self.read]
    }

    /// Reads what is there into the empty buffer. Nothing is there when the stream has ended.
    pub(super) fn fill(&mut self) -> io::Result<usize> {
        (self.used, self.read) = (0, 0);
        self.read = self.stdout.read(&mut self.buffer)?;
        Ok(self.read)
    }

    /// Ends the process and all that it started, and says how it ended.
    pub(super) fn end(&mut self) -> Option<ExitStatus> {
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
    pub(super) fn obituary(&mut self) -> String {
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
