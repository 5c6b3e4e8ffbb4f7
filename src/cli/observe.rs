//! `opcert observe`.

use std::path::PathBuf;

use clap::Args;

use super::backends::BackendEntry;
use super::chosen::RUNNING;
use super::run::{How, Wanted, log_of};
use super::{CONFORMS, Failure, output};
use crate::plan::Filter;
use crate::questionnaire::{Questionnaire, open};
use crate::report::Log;

/// Arguments of `opcert observe`.
#[derive(Debug, Args)]
pub(super) struct ObserveArguments {
    /// Event logs, or folders that hold an `events.jsonl`; without one, the backend is asked
    #[arg(value_name = "REPORT", conflicts_with_all = RUNNING)]
    reports: Vec<PathBuf>,
    #[command(flatten)]
    how: How,
}

pub(super) fn observe(arguments: &ObserveArguments, backends: &[BackendEntry]) -> Result<u8, Failure> {
    let how = &arguments.how;
    let mut reports: Vec<Log> =
        arguments.reports.iter().map(|report| output::read_log(report)).collect::<Result<_, _>>()?;
    let specs = how.sources.load_specs()?;
    let suite = how.sources.load_suite(&specs, &Filter::default())?;
    let mut text = String::new();
    if reports.is_empty() {
        let ids = suite.cases.iter().filter_map(open).filter(|case| !case.about.large);
        let only = Some(ids.map(|case| case.about.id.clone()).collect());
        reports.push(log_of(backends, how, &Wanted { only, ..Wanted::of(&[]) }, (&specs, suite.clone()))?);
    }
    for (report, log) in arguments.reports.iter().zip(&reports) {
        let others = log.header.complete && log.header.cases != suite.digest;
        if others || log.header.specs != specs.digest {
            let what = if others { "cases" } else { "specifications" };
            text.push_str(&format!("`{}` was made with other {what} than these\n", report.display()));
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&Questionnaire::new(&specs, &suite.cases, &reports).human());
    output::print(&output::fitted(&text))?;
    Ok(CONFORMS)
}
