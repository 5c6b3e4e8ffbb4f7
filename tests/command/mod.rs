//! Runs the command as a person would, and keeps what it said.

use std::path::Path;
use std::process::{Command, Stdio};

/// What a run of the command came to.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Everything that was said, for messages.
    pub fn said(&self) -> String {
        format!("exit code {}\n{}{}", self.code, self.out, self.err)
    }
}

#[expect(clippy::expect_used, reason = "a test that cannot go on fails")]
/// Runs `opcert` with these arguments in a folder.
pub fn opcert<S: AsRef<std::ffi::OsStr>>(folder: &Path, arguments: &[S]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_opcert"));
    let output = command.args(arguments).current_dir(folder).env_remove("COLUMNS").stdin(Stdio::null()).output();
    let output = output.expect("opcert starts");
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
