//! `opcert diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{CONFORMS, FAILED, Failure, output};
use crate::json;
use crate::report::Diff;

/// Arguments of `opcert diff`.
#[derive(Debug, Args)]
pub(super) struct DiffArguments {
    /// The earlier report: an event log, or a folder that holds an `events.jsonl`
    #[arg(value_name = "A")]
    before: PathBuf,
    /// The later one
    #[arg(value_name = "B")]
    after: PathBuf,
    /// Count it as a regression, too, where a case once passed and its failure is waived now
    #[arg(long)]
    strict: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For a person
    Human,
    /// For a program
    Json,
}

pub(super) fn diff(arguments: &DiffArguments) -> Result<u8, Failure> {
    let diff = Diff::of(&output::read_log(&arguments.before)?, &output::read_log(&arguments.after)?, arguments.strict);
    let text = match arguments.format {
        Format::Human => diff.human(output::width()),
        Format::Json => json::text(&diff).map_err(|error| Failure::Usage(error.to_string()))?,
    };
    output::print(&text)?;
    Ok(if diff.counts.regressions > 0 { FAILED } else { CONFORMS })
}
