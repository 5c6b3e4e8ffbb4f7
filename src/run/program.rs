//! What is started as a backend.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// How long each answer may take when nothing is said.
pub const DEFAULT_LIMIT: Duration = Duration::from_secs(20);

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
    /// by Linux and Windows only.
    pub memory: Option<u64>,
    /// A program whose command `supervise` is that of [`main_with`](crate::cli::main_with): it sees to it that nothing of
    /// this one is left, however it ends, even if this process is killed. When none is given, the process group is
    /// ended as long as this process lives, and nothing else.
    /// On Windows the system ends what is left, and there is no supervisor.
    pub supervisor: Option<OsString>,
    /// Whether each of its streams has a thread of its own instead of being asked what can be done with it; so it is on Windows
    /// in any case.
    pub threads: bool,
}

impl Program {
    /// A program that is started in this program's own folder, has [`DEFAULT_LIMIT`] for each answer, and gets all the
    /// memory that there is.
    pub fn new(path: impl Into<OsString>, arguments: Vec<OsString>) -> Self {
        Self {
            path: path.into(),
            arguments,
            folder: None,
            limit: DEFAULT_LIMIT,
            memory: None,
            supervisor: None,
            threads: false,
        }
    }
}
