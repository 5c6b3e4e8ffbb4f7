//! `opcert export`.

use std::path::PathBuf;

use clap::Args;

use super::input::{quoted, selection};
use super::{Failure, Sources, output};
use crate::export::{Export, ExportManifest, Format};
use crate::mapping::Mappings;
use crate::render;

/// Arguments of `opcert export`.
#[derive(Debug, Args)]
pub(super) struct ExportArguments {
    /// What the cases are written as
    #[arg(long, value_enum)]
    format: Format,
    /// Where to: a folder that is not there, or empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Globs over case ids, `level:3_0`, `type:FLOAT16`, `requirement:axis-in-range`
    filter: Vec<String>,
    /// The highest feature level to ask for
    #[arg(long)]
    level: Option<String>,
    #[command(flatten)]
    sources: Sources,
}

pub(super) fn export(arguments: &ExportArguments) -> Result<u8, Failure> {
    let ExportArguments { format, folder, filter, level, sources } = arguments;
    let specs = sources.load_specs()?;
    let selection = selection(filter, level.as_deref(), false, &specs)?;
    let suite = sources.load_suite(&specs, &selection.filter)?;
    if let Some(term) = selection.filter.idle(&suite.cases) {
        return Err(sources.nothing_picked(&term, &specs));
    }
    let mappings = Mappings::embedded(&specs).map_err(Failure::Files)?;
    let export = Export {
        format: *format,
        specs: &specs,
        mappings: &mappings,
        cases_digest: &suite.digest,
        terms: filter,
        selection: &selection,
    };
    let manifest = export.write(&suite.cases, folder).map_err(|error| Failure::Usage(error.to_string()))?;
    output::print(&summary(&manifest, &folder.display().to_string(), &sources.as_options()))
}

/// What was exported, and what was not for which reason.
fn summary(manifest: &ExportManifest, folder: &str, sources: &[String]) -> String {
    let mut text = format!("{}: {}\n", folder, render::counted(manifest.exported, "case"));
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for reason in manifest.inexpressible.values() {
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((reason, 1)),
        }
    }
    reasons.sort_by_key(|&(reason, count)| (std::cmp::Reverse(count), reason));
    if !reasons.is_empty() {
        text.push_str(&format!("{} cannot be expressed:\n", render::counted(manifest.inexpressible.len(), "case")));
    }
    text.extend(reasons.iter().map(|(reason, count)| format!("  {count} {reason}\n")));
    let sources: String = sources.iter().map(|option| format!(" {option}")).collect();
    let judge = format!("{} judge {}{sources}", output::program(), quoted(folder));
    text.push_str(&format!("run them as `{folder}/README.md` says, then `{judge}`\n"));
    text
}
