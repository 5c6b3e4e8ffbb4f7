//! Programs in job objects.

use std::io;
use std::os::windows::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;

use windows_sys::Win32::System::Threading::CREATE_SUSPENDED;

use super::job::{Job, begin};
use super::{Ends, Program, ends, within};

/// A program that was started.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    job: Arc<Job>,
    status: Option<ExitStatus>,
    has_ended: bool,
}

impl Running {
    pub(crate) fn start(program: &Program) -> io::Result<(Self, Ends)> {
        let job = Arc::new(Job::new(program.memory)?);
        let mut command = Command::new(&program.path);
        command.args(&program.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // What it starts before it is in the job would be outside of it.
        let mut child = within(command, program).creation_flags(CREATE_SUSPENDED).spawn()?;
        if let Err(error) = job.take_in(&child).and_then(|()| begin(&child)).and_then(|()| job.end_after(&child)) {
            let _ = (child.kill(), child.wait());
            return Err(error);
        }
        let ends = ends(&mut child)?;
        Ok((Self { child, job, status: None, has_ended: false }, ends))
    }

    /// Whether the program has ended.
    pub(crate) fn is_gone(&mut self) -> bool {
        self.has_ended || self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// Ends the program and all that it started, and says how it ended.
    pub(crate) fn end(&mut self) -> Option<ExitStatus> {
        if !std::mem::replace(&mut self.has_ended, true) {
            self.job.end();
            self.status = self.child.wait().ok();
        }
        self.status
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}
