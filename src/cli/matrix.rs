//! `opcert matrix`: reports, rendered again.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{Failure, Sources, output};
use crate::file;
use crate::report::{
    CERTIFICATE_FILE, Certificate, Certified, Log, Reported, badge, comparison_table, html, markdown, side_by_side,
    summary, svg,
};

/// Arguments of `opcert matrix`.
#[derive(Debug, Args)]
pub(super) struct MatrixArguments {
    /// Event logs, or folders that hold an `events.jsonl`; but for the page, a `certificate.json` or a folder with one is
    /// enough
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<PathBuf>,
    /// What to render; on a terminal for a person, and else Markdown, when nothing is said
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Read the specifications that a certificate speaks of from this folder instead of the embedded ones
    #[arg(long, value_name = "DIR")]
    specs: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For a person: the summary of a run, or of several backends the verdicts at the highest level that was run
    Human,
    /// Tables
    Markdown,
    /// One page that needs nothing else, from the matrix down to each case; of event logs alone
    Html,
    /// A picture of the matrix, for a README
    Svg,
    /// A badge of one backend, as shields.io reads it from an endpoint
    Badge,
}

pub(super) fn matrix(arguments: &MatrixArguments) -> Result<u8, Failure> {
    let reports = &arguments.reports;
    let is_read_here = arguments.out.is_none() && io::stdout().is_terminal();
    let format = arguments.format.unwrap_or(if is_read_here { Format::Human } else { Format::Markdown });
    let text = match format {
        Format::Human => {
            let text = match reports.as_slice() {
                [only] if certificate(only).is_none() => summary(&output::read_log(only)?, output::width()),
                several => side_by_side(&read(several, arguments)?.0, output::width()),
            };
            return match &arguments.out {
                None => output::print(&text),
                Some(path) => output::write_file(path, &anstream::adapter::strip_str(&text).to_string()),
            };
        }
        Format::Html => {
            if let Some(certified) = reports.iter().find(|report| certificate(report).is_some()) {
                return Err(Failure::Usage(format!(
                    "`{}` holds a certificate and no event log, and the page shows each case: certify the backend again \
                     with `--out`, which writes the log; `--format markdown` and `svg` need the certificate alone",
                    certified.display()
                )));
            }
            html(&reports.iter().map(|report| output::read_log(report)).collect::<Result<Vec<Log>, Failure>>()?)
        }
        Format::Markdown => match reports.as_slice() {
            [only] if certificate(only).is_none() => markdown(&output::read_log(only)?),
            several => {
                let (all, logs) = read(several, arguments)?;
                comparison_table(&all) + &logs.iter().map(markdown).collect::<String>()
            }
        },
        Format::Svg => svg(&read(reports, arguments)?.0),
        Format::Badge => match read(reports, arguments)?.0.as_slice() {
            [only] => badge(only),
            several => {
                let message = format!("a badge is of one backend, and {} reports are named; name one", several.len());
                return Err(Failure::Usage(message));
            }
        },
    };
    match &arguments.out {
        None => output::print_as_it_is(&text),
        Some(path) => output::write_file(path, &text),
    }
}

/// All reports as far as their matrix goes, and the logs among them.
type Read = (Vec<Box<dyn Reported>>, Vec<Log>);

fn read(reports: &[PathBuf], arguments: &MatrixArguments) -> Result<Read, Failure> {
    let mut specs = None;
    let (mut all, mut logs): Read = (Vec::new(), Vec::new());
    for report in reports {
        let Some(path) = certificate(report) else {
            let log = output::read_log(report)?;
            logs.push(log.clone());
            all.push(Box::new(log));
            continue;
        };
        let problem = |error: &dyn std::fmt::Display| Failure::Usage(format!("`{}`: {error}", path.display()));
        let text = file::read_text(&path, file::LONGEST_LOG).map_err(|error| problem(&error))?;
        let certificate: Certificate = serde_json::from_str(&text).map_err(|error| problem(&error))?;
        let specs = match &mut specs {
            Some(specs) => specs,
            none => none.insert(Sources { cases: None, specs: arguments.specs.clone() }.load_specs()?),
        };
        all.push(Box::new(Certified::of(certificate, specs).map_err(|error| problem(&error))?));
    }
    Ok((all, logs))
}

/// The certificate that a report is, or that its folder holds without a log.
fn certificate(report: &Path) -> Option<PathBuf> {
    if report.is_dir() {
        let file = report.join(CERTIFICATE_FILE);
        return (!report.join(output::LOG_FILE).exists() && file.exists()).then_some(file);
    }
    report.file_name().is_some_and(|name| name == CERTIFICATE_FILE).then(|| report.to_owned())
}
