//! `opcert expectations`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::backends::BackendEntry;
use super::chosen::RUNNING;
use super::output::write_whole;
use super::run::{How, Wanted, log_of};
use super::{CONFORMS, FAILED, Failure, output};
use crate::expectations::{KnownFailures, Update};
use crate::judge::UNEXPLAINED;
use crate::plan::Filter;

/// Arguments of `opcert expectations`.
#[derive(Debug, Args)]
pub(super) struct ExpectationsArguments {
    /// The report to compare with, an event log or a folder that holds one; without it, the backend is run
    #[arg(value_name = "REPORT", conflicts_with_all = RUNNING)]
    report: Option<PathBuf>,
    #[command(flatten)]
    how: How,
    /// Write the file so that what comes out is just what is expected; otherwise say whether it is so already
    #[arg(long)]
    update: bool,
}

pub(super) fn expectations(arguments: &ExpectationsArguments, backends: &[BackendEntry]) -> Result<u8, Failure> {
    let how = &arguments.how;
    let Some(file) = &how.expectations() else {
        let message = "`--expectations FILE` names the file of known failures; the folder of a `--backend` has one";
        return Err(Failure::Usage(message.to_owned()));
    };
    let known = KnownFailures::load_in_any_order(file).map_err(Failure::Files)?;
    let given = arguments.report.as_deref().map(output::read_log).transpose()?;
    let specs = how.sources.load_specs()?;
    let (ids, log) = match given {
        Some(log) => (how.sources.ids(&specs)?, log),
        None => {
            let suite = how.sources.load_suite(&specs, &Filter::default())?;
            let ids = suite.cases.iter().map(|case| case.about().id.clone()).collect();
            (ids, log_of(backends, how, &Wanted::of(&[]), (&specs, suite))?)
        }
    };
    let update = Update::new(&known, &log.header.backend, &log.cases, ids.iter().map(String::as_str));
    let update = update.map_err(Failure::Files)?;
    let changes = known.differs_from(&update.text);
    if changes && arguments.update {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        write_whole(folder, &name, update.text.as_bytes())?;
    }
    let mut text = describe(&update);
    if !log.header.complete {
        text.push_str("Not the embedded suite, or not all of it: what was not run is expected as before.\n");
    }
    let place = file.display();
    text.push_str(&match (changes, arguments.update) {
        (false, _) if !file.exists() => format!("there is no `{place}`, and nothing for it to say\n"),
        (false, _) => format!("`{place}` is up to date\n"),
        (true, true) => format!("`{place}` was written\n"),
        (true, false) => format!("`{place}` is out of date; `--update` writes it\n"),
    });
    output::print(&output::fitted(&text))?;
    Ok(if changes && !arguments.update { FAILED } else { CONFORMS })
}

/// What comes and goes, an entry a line.
fn describe(update: &Update) -> String {
    let mut text = String::new();
    for removal in &update.removed {
        text.push_str(&format!("- {}: {}\n", removal.case, removal.why));
    }
    for addition in &update.added {
        text.push_str(&format!("+ {}: {}: {}\n", addition.case, addition.outcome, addition.reason));
    }
    let unexplained = update.added.iter().filter(|addition| addition.reason.starts_with(UNEXPLAINED)).count();
    if unexplained > 0 {
        let entries = if unexplained == 1 { "1 new entry has" } else { &format!("{unexplained} new entries have") };
        text.push_str(&format!("{entries} no explanation yet: say why in place of `{}`\n", UNEXPLAINED.trim_end()));
    }
    text
}
