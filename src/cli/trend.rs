//! `opcert trend`.

use std::path::PathBuf;

use clap::Args;

use super::diff::Format;
use super::{CONFORMS, FAILED, Failure, output};
use crate::json;
use crate::report::Trend;

/// Arguments of `opcert trend`.
#[derive(Debug, Args)]
pub(super) struct TrendArguments {
    /// Reports of one backend, the earliest first: event logs, or folders that hold an `events.jsonl`
    #[arg(value_name = "REPORT", required = true)]
    reports: Vec<PathBuf>,
    /// Count it as a regression, too, where a case once passed and its failure is waived now
    #[arg(long)]
    strict: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

pub(super) fn trend(arguments: &TrendArguments) -> Result<u8, Failure> {
    let logs = arguments.reports.iter().map(|report| output::read_log(report)).collect::<Result<Vec<_>, _>>()?;
    let trend = Trend::of(&logs, arguments.strict).map_err(|error| Failure::Usage(error.to_string()))?;
    let text = match arguments.format {
        Format::Human => trend.human(output::width()),
        Format::Json => json::text(&trend).map_err(|error| Failure::Usage(error.to_string()))?,
    };
    output::print(&text)?;
    Ok(if trend.regressed() { FAILED } else { CONFORMS })
}
