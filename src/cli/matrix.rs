//! `opcert matrix`: event logs, rendered again.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Failure, output};
use crate::report::{Log, badge, comparison_table, html, markdown, svg};

/// Arguments of `opcert matrix`.
#[derive(Debug, Args)]
pub(super) struct MatrixArguments {
    /// Event logs, or folders that hold an `events.jsonl`
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<PathBuf>,
    /// What to render
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// Tables
    Markdown,
    /// One page that needs nothing else, from the matrix down to each case
    Html,
    /// A picture of the matrix, for a README
    Svg,
    /// A badge of one backend, as shields.io reads it from an endpoint
    Badge,
}

pub(super) fn matrix(arguments: &MatrixArguments) -> Result<u8, Failure> {
    let reports = &arguments.reports;
    let logs = reports.iter().map(|report| output::read_log(report)).collect::<Result<Vec<Log>, Failure>>()?;
    let text = match (arguments.format, logs.as_slice()) {
        (Format::Markdown, [only]) => markdown(only),
        (Format::Markdown, several) => comparison_table(several) + &several.iter().map(markdown).collect::<String>(),
        (Format::Html, logs) => html(logs),
        (Format::Svg, logs) => svg(logs),
        (Format::Badge, [only]) => badge(only),
        (Format::Badge, several) => {
            let message = format!("a badge is of one backend, and {} reports are named; name one", several.len());
            return Err(Failure::Usage(message));
        }
    };
    match &arguments.out {
        None => output::print_as_it_is(&text),
        Some(path) => output::write_file(path, &text),
    }
}
