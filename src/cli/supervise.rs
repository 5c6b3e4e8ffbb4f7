//! `opcert supervise`, which opcert starts itself: it stands between opcert and a program that is a backend.

use std::ffi::OsString;

use clap::Args;

use super::{CONFORMS, Failure};
use crate::run::Supervision;

/// Arguments of `opcert supervise`.
#[derive(Debug, Args)]
pub(super) struct SuperviseArguments {
    /// How many bytes of memory the program may take
    #[arg(long, value_name = "BYTES")]
    memory: Option<u64>,
    /// Become the program, bound to the life of this process
    #[arg(long, value_name = "PID")]
    bound: Option<i32>,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    words: Vec<OsString>,
}

pub(super) fn supervise(arguments: SuperviseArguments) -> Result<u8, Failure> {
    let SuperviseArguments { memory, bound, words } = arguments;
    let result = crate::run::supervise(&Supervision { words, memory, bound });
    let failed = |error| Failure::Usage(format!("`supervise` is for opcert itself, and came to nothing: {error}"));
    result.map(|()| CONFORMS).map_err(failed)
}
