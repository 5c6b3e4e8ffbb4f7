//! A process between this one and a program: it sees to it that nothing of the program is left, however the program
//! or this process ends.
//!
//! Only an ancestor can find a process that has left its group and lost its parent, and only a process that goes on can
//! do anything once this one was killed. Therefore each program has a **supervisor**. It gets the program's streams over
//! a socket, starts the program, and reports how that went and how the program ended. When it is told to, or when the
//! socket is closed because this process is gone, it ends the program and everything that the program started.
//!
//! On Linux it becomes the parent of every descendant that loses its own, and the program is told by the kernel to die
//! with its supervisor, which a step between the two asks for: that is [`Supervision::bound`]. Elsewhere what the program
//! starts is ended as far as it stays in the program's process group.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::streams::{Streams, receive};

/// How long a program has to end by itself once nobody listens to it any more.
const GRACE: Duration = Duration::from_millis(500);

/// What the supervisor is told: to end the program at once.
pub(super) const END: u8 = b'k';

/// What the supervisor says first: that the program runs, or that it does not, with the number of the error.
pub(super) const STARTED: i32 = 0;

/// What is started under supervision, and how.
#[derive(Clone, Debug)]
pub struct Supervision {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// How many bytes of memory each of its processes may have written to, or be about to. Kept by Linux only.
    pub memory: Option<u64>,
    /// The step between the supervisor and the program: the supervisor's number.
    pub bound: Option<i32>,
}

/// Is the supervisor of a program, or the step between the two. Standard input is the socket to the one that asks.
/// Returns when the program has ended, and with it everything that it started.
///
/// # Errors
///
/// When nobody is on the other side, or the system refuses what this takes. That the program cannot be started is told
/// to the other side and is no error here.
pub fn supervise(supervision: &Supervision) -> io::Result<()> {
    let mut control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let streams = receive(&control)?;
    #[cfg(target_os = "linux")]
    if let Some(supervisor) = supervision.bound {
        let error = become_program(supervision, supervisor, &streams);
        return tell(&mut control, error.raw_os_error().unwrap_or(-1));
    }
    let program = match start(supervision, streams) {
        Ok(program) => program,
        Err(error) => return tell(&mut control, error.raw_os_error().unwrap_or(-1)),
    };
    tell(&mut control, STARTED)?;
    watch(program, control)
}

fn tell(control: &mut UnixStream, word: i32) -> io::Result<()> {
    control.write_all(&word.to_le_bytes())
}

/// The next word that the other side says.
pub(super) fn told(mut control: &UnixStream) -> io::Result<i32> {
    let mut word = [0; size_of::<i32>()];
    control.read_exact(&mut word)?;
    Ok(i32::from_le_bytes(word))
}

#[cfg(target_os = "linux")]
fn start(supervision: &Supervision, streams: Streams) -> io::Result<Child> {
    use super::streams::send;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let (here, there) = UnixStream::pair()?;
    let mut command = Command::new("/proc/self/exe");
    command.args(arguments(supervision, Some(std::process::id())));
    let mut program = command.stdin(Stdio::from(std::os::fd::OwnedFd::from(there))).process_group(0).spawn()?;
    // The copy of the other end that the command keeps would hide that it was closed.
    drop(command);
    let told = send(&here, &streams).and_then(|()| told(&here));
    drop(streams);
    match told {
        // The socket is closed where the program begins.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(program),
        other => {
            let _ = (program.kill(), program.wait());
            Err(other.map_or_else(|error| error, io::Error::from_raw_os_error))
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn start(supervision: &Supervision, streams: Streams) -> io::Result<Child> {
    let mut command = command(supervision)?;
    let Streams { stdin, stdout, stderr } = streams;
    command.stdin(stdin).stdout(stdout).stderr(stderr).process_group(0).spawn()
}

fn command(supervision: &Supervision) -> io::Result<Command> {
    let (path, arguments) = supervision.words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(path);
    command.args(arguments);
    Ok(command)
}

/// Becomes the program, which dies with its supervisor from then on. Returns only where that fails.
#[cfg(target_os = "linux")]
fn become_program(supervision: &Supervision, supervisor: i32, streams: &Streams) -> io::Error {
    use rustix::process::{Resource, Rlimit, getppid, set_parent_process_death_signal, setrlimit};
    let prepared = || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // Had it ended before that was asked for, nothing would be sent any more.
        if getppid().map(Pid::as_raw_pid) != Some(supervisor) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if let Some(memory) = supervision.memory {
            setrlimit(Resource::Data, Rlimit { current: Some(memory), maximum: Some(memory) })?;
        }
        rustix::stdio::dup2_stdin(&streams.stdin)?;
        rustix::stdio::dup2_stdout(&streams.stdout)?;
        rustix::stdio::dup2_stderr(&streams.stderr)?;
        command(supervision)
    };
    match prepared() {
        Ok(mut command) => command.exec(),
        Err(error) => error,
    }
}

/// The arguments of the hidden command that does this.
pub(super) fn arguments(supervision: &Supervision, bound: Option<u32>) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["supervise".into()];
    words.extend(bound.map(|number| format!("--bound={number}").into()));
    words.extend(supervision.memory.map(|bytes| format!("--memory={bytes}").into()));
    words.push("--".into());
    words.extend(supervision.words.iter().cloned());
    words
}

/// Whether the program has ended. Its number is its own until it is waited for, which is done under the lock.
type Ended = Arc<(Mutex<bool>, Condvar)>;

/// Waits for the end of the program or for the word to end it, ends what it leaves behind, and tells how it ended.
fn watch(mut program: Child, mut control: UnixStream) -> io::Result<()> {
    let number = Pid::from_child(&program);
    let ended = Ended::default();
    let listener = (control.try_clone()?, Arc::clone(&ended));
    std::thread::spawn(move || listen(&listener.0, number, &listener.1));
    while waitid(WaitId::Pid(number), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        .is_err_and(|error| error == rustix::io::Errno::INTR)
    {}
    let status = {
        let mut over = ended.0.lock().unwrap_or_else(PoisonError::into_inner);
        *over = true;
        let _ = kill_process_group(number, Signal::KILL);
        program.wait()?
    };
    ended.1.notify_all();
    #[cfg(target_os = "linux")]
    super::orphans::end_all();
    tell(&mut control, status.into_raw())
}

/// Ends the program when it is told to, and a moment after nobody is there any more to tell it.
fn listen(mut control: &UnixStream, program: Pid, ended: &Ended) {
    let at_once = matches!(control.read(&mut [0]), Ok(1));
    let over = ended.0.lock().unwrap_or_else(PoisonError::into_inner);
    let grace = if at_once { Duration::ZERO } else { GRACE };
    let waited = ended.1.wait_timeout_while(over, grace, |over| !*over);
    let over = waited.map_or_else(|poisoned| poisoned.into_inner().0, |(over, _)| over);
    if !*over {
        let _ = kill_process_group(program, Signal::KILL);
    }
}
