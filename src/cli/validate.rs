//! `opcert validate`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Failure, Sources, output};
use crate::case::CaseSource;
use crate::check::Suite;
use crate::diagnostic::Diagnostic;
use crate::render;
use crate::source::Source;
use crate::spec::Specs;
use crate::yaml;

/// Arguments of `opcert validate`.
#[derive(Debug, Args)]
pub(super) struct ValidateArguments {
    /// Case files, specification files, or folders of case files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Read specifications from this folder instead of the embedded ones
    #[arg(long, value_name = "DIR")]
    specs: Option<PathBuf>,
}

pub(super) fn validate(arguments: &ValidateArguments) -> Result<u8, Failure> {
    let sources = Sources { cases: None, specs: arguments.specs.clone() };
    let mut diagnostics = Vec::new();
    let mut text = String::new();
    let mut specs: Option<Specs> = None;
    for file in &arguments.files {
        if is_specification(file) {
            match validate_specification(file) {
                Ok(()) => text.push_str(&format!("{}: valid\n", file.display())),
                Err(found) => diagnostics.extend(found),
            }
            continue;
        }
        let specs = match &mut specs {
            Some(specs) => specs,
            none => none.insert(sources.load_specs()?),
        };
        match Suite::load(&CaseSource(Source::Path(file.clone())), specs, |_| true) {
            Ok(suite) => {
                let count = render::counted(suite.cases.len(), "case");
                text.push_str(&format!("{}: {count}, valid\n", file.display()));
            }
            Err(found) => diagnostics.extend(found),
        }
    }
    output::print(&text)?;
    if diagnostics.is_empty() { Ok(super::CONFORMS) } else { Err(Failure::Files(diagnostics)) }
}

/// Whether a file looks like a specification; one that cannot be read is taken for a case file, and reported as such.
fn is_specification(file: &Path) -> bool {
    let node = std::fs::read_to_string(file).ok().and_then(|text| yaml::parse(&text).ok());
    node.is_some_and(|node| node.get("requirements").is_some() || node.get("levels").is_some())
}

/// A specification is checked among all others of its folder, since they refer to each other; what is wrong with the
/// others is theirs.
fn validate_specification(file: &Path) -> Result<(), Vec<Diagnostic>> {
    let root = file.parent().and_then(Path::parent).filter(|root| !root.as_os_str().is_empty());
    let root = root.unwrap_or(Path::new(".")).to_owned();
    let Err(mut diagnostics) = Specs::load(&Source::Path(root)) else { return Ok(()) };
    diagnostics.retain(|diagnostic| diagnostic.file.file_name() == file.file_name());
    if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
}
