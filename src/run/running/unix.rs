//! Programs in process groups, and under supervisors.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::streams::{Streams, send};
use super::supervisor::{END, STARTED, Supervision, arguments, told};
use super::{Ends, Program, ends, within};

/// A supervisor that takes longer to end a program waits for what cannot be ended, and is left behind with it.
const LONGEST_END: Duration = Duration::from_secs(10);

/// A program that was started.
#[derive(Debug)]
pub(crate) struct Running {
    /// The program, or its supervisor.
    child: Child,
    /// To the supervisor.
    control: Option<UnixStream>,
    status: Option<ExitStatus>,
    has_ended: bool,
}

impl Running {
    pub(crate) fn start(program: &Program) -> io::Result<(Self, Ends)> {
        match &program.supervisor {
            Some(supervisor) => Self::supervised(program, supervisor),
            None => Self::alone(program),
        }
    }

    /// In a process group of its own, and with nobody who looks after what leaves it.
    fn alone(program: &Program) -> io::Result<(Self, Ends)> {
        let mut command = Command::new(&program.path);
        command.args(&program.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = within(command, program).process_group(0).spawn()?;
        #[cfg(target_os = "linux")]
        if let Some(memory) = program.memory {
            use rustix::process::{Resource, Rlimit, prlimit};
            let limit = Rlimit { current: Some(memory), maximum: Some(memory) };
            prlimit(Some(Pid::from_child(&child)), Resource::Data, limit)?;
        }
        let ends = ends(&mut child)?;
        Ok((Self { child, control: None, status: None, has_ended: false }, ends))
    }

    /// Under a supervisor, in a process group apart from it.
    fn supervised(program: &Program, supervisor: &OsString) -> io::Result<(Self, Ends)> {
        let words = std::iter::once(&program.path).chain(&program.arguments).cloned().collect();
        let supervision = Supervision { words, memory: program.memory, bound: None };
        let (control, there) = UnixStream::pair()?;
        let mut command = Command::new(supervisor);
        command.args(arguments(&supervision, None)).stdin(OwnedFd::from(there)).stdout(Stdio::null());
        command.stderr(Stdio::null());
        let mut command = within(command, program);
        let child = command.process_group(0).spawn()?;
        // The copy of the other end that the command keeps would hide that it was closed.
        drop(command);
        let mut running = Self { child, control: None, status: None, has_ended: false };
        let ((stdin, input), (output, stdout), (complaints, stderr)) = (io::pipe()?, io::pipe()?, io::pipe()?);
        let started = send(&control, &Streams { stdin: stdin.into(), stdout: stdout.into(), stderr: stderr.into() })
            .and_then(|()| told(&control));
        match started {
            Ok(STARTED) => {}
            other => {
                let _ = (running.child.kill(), running.child.wait());
                return Err(other.map_or_else(|error| error, io::Error::from_raw_os_error));
            }
        }
        control.set_nonblocking(true)?;
        running.control = Some(control);
        let ends = (OwnedFd::from(input).into(), OwnedFd::from(output).into(), OwnedFd::from(complaints).into());
        Ok((running, ends))
    }

    /// Whether the program has ended, and what it left behind under a supervisor has, too.
    pub(crate) fn is_gone(&mut self) -> bool {
        if self.has_ended {
            return true;
        }
        let Some(control) = &self.control else {
            // It is not waited for, so that its number stays its own.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            return waitid(WaitId::Pid(Pid::from_child(&self.child)), options).ok().flatten().is_some();
        };
        match told(control) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
            // A supervisor that is gone takes its program with it.
            said => self.status = said.ok().map(ExitStatus::from_raw),
        }
        self.end();
        true
    }

    /// Ends the program and all that it started, and says how it ended.
    pub(crate) fn end(&mut self) -> Option<ExitStatus> {
        if std::mem::replace(&mut self.has_ended, true) {
            return self.status;
        }
        let Some(mut control) = self.control.take() else {
            // It may be gone already; what it started may not be.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            self.status = self.child.wait().ok();
            return self.status;
        };
        if self.status.is_none() {
            let asked = control.set_nonblocking(false).and_then(|()| control.set_read_timeout(Some(LONGEST_END)));
            let asked = asked.and_then(|()| control.write_all(&[END]));
            self.status = asked.and_then(|()| told(&control)).ok().map(ExitStatus::from_raw);
        }
        let _ = (self.child.kill(), self.child.wait());
        self.status
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}
