//! A program that runs: how it is started, whether it has ended, and how it is ended with all that it started, however this
//! process ends. By which means a system does this nobody outside knows.

#[cfg(windows)]
mod job;
#[cfg(target_os = "linux")]
mod orphans;
#[cfg(unix)]
mod streams;
#[cfg(unix)]
mod supervisor;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io;
use std::process::{Child, Command};

use super::pipes::Ends;
use super::program::Program;

#[cfg(unix)]
pub use supervisor::{Supervision, supervise};
#[cfg(unix)]
pub(super) use unix::Running;
#[cfg(windows)]
pub(super) use windows::Running;

/// A command that begins in the program's folder.
fn within(mut command: Command, program: &Program) -> Command {
    if let Some(folder) = &program.folder {
        command.current_dir(folder);
    }
    command
}

/// The pipes of a program that was started with three.
fn ends(child: &mut Child) -> io::Result<Ends> {
    let ends = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(stderr)) = ends else { return Err(io::Error::other("it has no pipes")) };
    Ok((stdin, stdout, stderr))
}
