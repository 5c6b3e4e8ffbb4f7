//! The folder of what fuzzing found: a file per finding, kept by operator and backend, until the finding passes.
//!
//! What an earlier run found is run first. A file is named after what is in it, so that nothing is ever overwritten.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use opcert_backend::foreign::printable_line;

use super::Failure;
use super::output::write_whole;
use crate::case::{self, CaseSource};
use crate::check::{CheckedCase, Suite};
use crate::file;
use crate::fuzz::{self, FOUND, Fuzzing, OperatorReport, Replayed, Target, folder_of, replay};
use crate::source::Source;

/// How a file that fuzzing wrote begins.
const PREAMBLE: &str = "# Found by `opcert fuzz ";
/// Stands in the file of a finding that came once: that it passes says nothing.
const ONCE: &str = "It did not fail again when it was run alone.";

/// A finding of an earlier run.
pub(super) struct Earlier {
    /// Its id, as `--cases` with the folder reads it.
    pub(super) case: String,
    file: PathBuf,
    pub(super) fate: Fate,
}

/// What became of it.
pub(super) enum Fate {
    /// It fails still: what happens, and the level that a run has to be told.
    Fails(String, Option<String>),
    /// It passes, and its file is to go.
    Passes,
    /// It is kept without a judgement, for a reason.
    Kept(String),
}

/// Runs what earlier runs have found in this backend, in the operators that are fuzzed.
pub(super) fn earlier(folder: &Path, fuzzing: &Fuzzing<'_>, targets: &[Target]) -> Result<Vec<Earlier>, Failure> {
    let mut found = Vec::new();
    let below = folder_of(&fuzzing.backend.identity());
    for target in targets {
        let operator = &target.operator.id;
        for file in files(&folder.join(operator).join(&below))? {
            let Some(stem) = file.file_stem().map(|stem| stem.to_string_lossy()) else { continue };
            let case = format!("{operator}/{below}/{stem}/{FOUND}");
            let Some(fate) = fate(&file, fuzzing)? else { continue };
            found.push(Earlier { case, file, fate });
        }
    }
    Ok(found)
}

/// The files of a folder in order; none where there is no folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |error: io::Error| Failure::Usage(format!("`{}` cannot be read: {error}", folder.display()));
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable)?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>();
    let mut paths = paths.map_err(unreadable)?;
    // What is no file there is not passed over: reading it says what it is.
    paths.retain(|path| !path.is_dir() && path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    Ok(paths)
}

/// What becomes of the finding in a file; `None` where fuzzing did not write it.
fn fate(path: &Path, fuzzing: &Fuzzing<'_>) -> Result<Option<Fate>, Failure> {
    let text = file::read_text(path, file::LONGEST_TEXT)
        .map_err(|error| Failure::Usage(format!("`{}` cannot be read: {error}", path.display())))?;
    if !text.starts_with(PREAMBLE) {
        return Ok(None);
    }
    let source = CaseSource(Source::Path(path.to_owned()));
    let suite = match Suite::load(&source, fuzzing.specs, |_| true) {
        Ok(suite) => suite,
        Err(problems) => {
            let first = problems.first().map_or("", |problem| &problem.problem.message);
            return Ok(Some(Fate::Kept(format!("it does not fit the specifications: {first}"))));
        }
    };
    let is_found = |case: &&CheckedCase| case.about().id.rsplit('/').next() == Some(FOUND);
    let Some(case) = suite.cases.iter().find(is_found) else {
        return Ok(Some(Fate::Kept(format!("it has no case `{FOUND}`"))));
    };
    Ok(Some(match replay(case, fuzzing.specs, fuzzing.backend) {
        Replayed::Fails(event, level) => Fate::Fails(event.outcome.to_string(), level),
        Replayed::Passes if text.contains(ONCE) => Fate::Kept("it passes, and failed only once before".to_owned()),
        Replayed::Passes => Fate::Passes,
        Replayed::Unsettled(reason) => Fate::Kept(printable_line(&reason)),
    }))
}

/// Removes the findings that pass, and the folders that are empty then.
pub(super) fn drop_passing(folder: &Path, earlier: &[Earlier]) -> Result<(), Failure> {
    for finding in earlier.iter().filter(|finding| matches!(finding.fate, Fate::Passes)) {
        let place = finding.file.display();
        fs::remove_file(&finding.file)
            .map_err(|error| Failure::Usage(format!("`{place}` cannot be removed: {error}")))?;
        // A folder with something in it stays, by the system's own rule.
        let above = finding.file.ancestors().skip(1).take_while(|above| above.starts_with(folder));
        for empty in above {
            if fs::remove_dir(empty).is_err() {
                break;
            }
        }
    }
    Ok(())
}

/// Writes each failure into its file, unless that is there: then the same was found before.
pub(super) fn write(folder: &Path, reports: &[OperatorReport], seed: u64) -> Result<(), Failure> {
    for report in reports {
        for failure in &report.failures {
            write_one(folder, report, failure, seed)?;
        }
    }
    Ok(())
}

fn write_one(folder: &Path, report: &OperatorReport, failure: &fuzz::Failure, seed: u64) -> Result<(), Failure> {
    let Some(file) = failure.cases.first().map(|case| folder.join(&*case.file)) else { return Ok(()) };
    let (Some(place), Some(name)) = (file.parent(), file.file_name()) else { return Ok(()) };
    if file.exists() {
        return Ok(());
    }
    let once = if failure.repeats { String::new() } else { format!("\n{ONCE}") };
    let comment = format!("Found by `opcert fuzz --operator {} --seed {seed}`.{once}", report.operator.id);
    let text = case::write(&report.operator, &comment, &failure.cases);
    write_whole(place, &name.to_string_lossy(), text.as_bytes())
}
