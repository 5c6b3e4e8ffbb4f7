//! `opcert merge`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::environment::Start;
use super::input::named_failures;
use super::run::{Format, conclude, signer};
use super::{Failure, Sources, output};
use crate::expectations::Expectations;
use crate::merge;
use crate::plan::Filter;

/// Arguments of `opcert merge`.
#[derive(Debug, Args)]
pub(super) struct MergeArguments {
    /// What `--shard` wrote: all parts of one run, in any order
    #[arg(value_name = "REPORT", required = true)]
    parts: Vec<PathBuf>,
    #[command(flatten)]
    sources: Sources,
    /// Write the event log, the certificate, JUnit XML, the matrix and the page to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Sign the certificate with this private key, an Ed25519 key of OpenSSH
    #[arg(long, value_name = "KEYFILE", requires = "out")]
    sign: Option<PathBuf>,
    /// The known failures that the parts were run with: one that has gone away is told
    #[arg(long, value_name = "FILE")]
    expectations: Option<PathBuf>,
    /// Print one line, the verdict with its counts
    #[arg(short, long)]
    quiet: bool,
}

pub(super) fn merge(arguments: &MergeArguments) -> Result<u8, Failure> {
    let start = Start::now();
    let MergeArguments { parts, sources, out, .. } = arguments;
    let signer = signer(arguments.sign.as_deref())?;
    if let Some(part) = out.as_ref().and_then(|out| parts.iter().find(|part| lies_in(part, out))) {
        let message = format!("`{}` is one of the parts, and would be overwritten: say another folder", part.display());
        return Err(Failure::Usage(message));
    }
    let specs = sources.load_specs()?;
    let read = |part: &PathBuf| Ok((part.clone(), output::read_log(part)?));
    let logs = parts.iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
    // Known failures may be of any case.
    let suite = match arguments.expectations {
        Some(_) => sources.load_suite(&specs, &Filter::default())?,
        None => sources.load_of(&specs, &logs.iter().map(|(_, log)| log).collect::<Vec<_>>())?,
    };
    let log = merge::merge(logs, &suite.cases).map_err(|error| Failure::Usage(error.to_string()))?;
    let known = arguments.expectations.as_deref().map(named_failures).transpose()?.unwrap_or_default();
    let ids = suite.cases.iter().map(|case| case.about().id.as_str());
    let expectations =
        Expectations::new(known, &log.header.backend, ids, log.header.complete).map_err(Failure::Files)?;
    if let Some(out) = out {
        output::not_of_another(out, &log.header.backend)?;
        output::write_reports(out, &log, sources.digests(&specs)?, &start.finish(), signer.as_ref())?;
    }
    let stale = if log.header.complete { expectations.idle(&log.cases) } else { Vec::new() };
    conclude(&log, if arguments.quiet { Format::Quiet } else { Format::Human }, stale)
}

/// Whether a report is that of a folder, or its event log.
fn lies_in(report: &Path, folder: &Path) -> bool {
    let found = |path: &Path| path.canonicalize().ok();
    let report = if report.is_file() { report.parent().map(|above| above.join(".")) } else { Some(report.to_owned()) };
    let (report, folder) = (report.as_deref().and_then(found), found(folder));
    folder.is_some() && report == folder
}
