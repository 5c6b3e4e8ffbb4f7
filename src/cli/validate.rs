//! `opcert validate`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Failure, Sources, output};
use crate::bench::Workloads;
use crate::case::CaseSource;
use crate::check::Suite;
use crate::diagnostic::Diagnostic;
use crate::file;
use crate::mapping::Mappings;
use crate::render;
use crate::source::Source;
use crate::spec::Specs;
use crate::yaml;

/// Arguments of `opcert validate`.
#[derive(Debug, Args)]
pub(super) struct ValidateArguments {
    /// Files of cases, specifications, workloads or mappings, or folders of such files
    #[arg(required_unless_present = "documents", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Compare the documents in this folder with those that the specifications were written from, and name the
    /// requirements that cite a changed one
    #[arg(long, value_name = "DIR")]
    documents: Option<PathBuf>,
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
        let source = Source::Path(file.clone());
        let found = match kind_of(&source) {
            Kind::Workloads => {
                let found = Workloads::load(&source, specs, |_| true);
                found.map(|workloads| render::counted(workloads.all().count(), "workload"))
            }
            Kind::Mappings => {
                let found = Mappings::load(&source, specs);
                found.map(|mappings| render::counted(mappings.all().count(), "mapping"))
            }
            Kind::Cases => {
                let found = Suite::validated(&CaseSource(source), specs);
                found.map(|suite| render::counted(suite.cases.len(), "case"))
            }
        };
        match found {
            Ok(count) => text.push_str(&format!("{}: {count}, valid\n", file.display())),
            Err(found) => diagnostics.extend(found),
        }
    }
    let changed = match &arguments.documents {
        Some(folder) => compare_documents(folder, &sources.load_specs()?, &mut text)?,
        None => 0,
    };
    output::print(&text)?;
    if changed > 0 && diagnostics.is_empty() {
        let message = format!("{} changed: read the requirements again", render::counted(changed, "document"));
        return Err(Failure::Usage(message));
    }
    if diagnostics.is_empty() { Ok(super::CONFORMS) } else { Err(Failure::Files(diagnostics)) }
}

/// Says which documents changed, and what rests on them; returns how many.
fn compare_documents(folder: &Path, specs: &Specs, text: &mut String) -> Result<usize, Failure> {
    let changed = specs.changed_documents(folder).map_err(|(path, error)| {
        Failure::Usage(format!("the document `{}` cannot be read: {error}", path.display()))
    })?;
    for document in &changed {
        let file = document.file.display();
        text.push_str(&format!("{file}: changed ({} of {})\n", document.name, document.specification));
        document.requirements.iter().for_each(|id| text.push_str(&format!("  {id}\n")));
    }
    if changed.is_empty() {
        text.push_str(&format!("{}: the documents that the specifications were written from\n", folder.display()));
    }
    Ok(changed.len())
}

/// Whether a path leads to specifications; one that cannot be read is taken for cases, and reported as such.
fn is_specification(path: &Path) -> bool {
    if path.is_dir() {
        return root_of_specifications(path).is_some();
    }
    let node = file::read_text(path, file::LONGEST_TEXT).ok().and_then(|text| yaml::parse(&text).ok());
    node.is_some_and(|node| node.get("requirements").is_some() || node.get("levels").is_some())
}

/// What is in files that are no specifications.
enum Kind {
    Cases,
    Workloads,
    Mappings,
}

/// What a file, or the first one of a folder, is by its keys. One that cannot be read is taken for cases, and reported as such.
fn kind_of(source: &Source) -> Kind {
    let first = source.files().ok().and_then(|files| files.first()?.read().ok());
    let Some(node) = first.and_then(|text| yaml::parse(&text).ok()) else { return Kind::Cases };
    match ["workloads", "from"].map(|key| node.get(key).is_some()) {
        [true, _] => Kind::Workloads,
        [false, true] => Kind::Mappings,
        [false, false] => Kind::Cases,
    }
}

/// The folder of all families, given that folder or one family's.
fn root_of_specifications(folder: &Path) -> Option<PathBuf> {
    let is_family = |folder: &Path| folder.join("family.yaml").is_file();
    if is_family(folder) {
        return Some(parent_of(folder));
    }
    let mut below = std::fs::read_dir(folder).ok()?.flatten();
    below.any(|entry| is_family(&entry.path())).then(|| folder.to_owned())
}

fn parent_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() && path.file_name().is_some() => parent.to_owned(),
        Some(_) if path.file_name().is_some() => PathBuf::from("."),
        _ => path.join(".."),
    }
}

/// A specification is checked among all others, since they refer to each other; what is wrong with the others is
/// theirs.
fn validate_specification(path: &Path) -> Result<(), Vec<Diagnostic>> {
    let (root, only) = if path.is_dir() {
        (root_of_specifications(path).unwrap_or_else(|| path.to_owned()), None)
    } else {
        let folder = parent_of(path);
        // `.` has a parent that its name does not tell.
        let root = if folder == Path::new(".") { PathBuf::from("..") } else { parent_of(&folder) };
        (root, path.canonicalize().ok())
    };
    let Err(mut diagnostics) = Specs::load(&Source::Path(root)) else { return Ok(()) };
    diagnostics.retain(|each| only.is_none() || each.file.canonicalize().ok() == only);
    if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
}
