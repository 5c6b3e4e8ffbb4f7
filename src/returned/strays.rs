//! Files among results that belong to nothing that was asked for: a misspelt name, another export's cases.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use opcert_backend::Role;

use super::{ANSWER_FILE, Returned};
use crate::check::CheckedCase;
use crate::diagnostic::{Diagnostic, Problem};
use crate::export::{CASE_FILE, OUTPUTS, OUTPUTS_AGAIN, OutputForm};
use crate::plan::Plan;

/// What the folder of a case may hold: the question in any format, and the answer.
const KNOWN: [&str; 13] = [
    CASE_FILE,
    ANSWER_FILE,
    OUTPUTS,
    OUTPUTS_AGAIN,
    "outputs.safetensors",
    "again.safetensors",
    "inputs",
    "inputs.safetensors",
    "model.json",
    "model.onnx",
    "test_data_set_0",
    "model.xml",
    "model.bin",
];

/// Looks for strays in the folders of results.
pub(super) fn find(returned: &Returned, plan: &Plan) -> Vec<Diagnostic> {
    let cases: BTreeMap<PathBuf, &CheckedCase> = {
        let left = |case: &&CheckedCase| !returned.manifest.inexpressible.contains_key(&case.about().id);
        let entries = plan.entries.iter().map(|planned| &planned.case).filter(left);
        entries.map(|case| (returned.case_folder(&case.about().id), case)).collect()
    };
    let roots: BTreeSet<PathBuf> = cases
        .keys()
        .filter_map(|folder| {
            let below = folder.strip_prefix(&returned.folder).ok()?;
            Some(returned.folder.join(below.iter().next()?))
        })
        .collect();
    let form = returned.manifest.carried.form();
    let mut found = Found::default();
    for root in &roots {
        look(root, &cases, (returned, form), &mut found);
    }
    found.strays.sort();
    let about = |file: PathBuf, problem: Problem| Diagnostic { file, problem, line: None };
    let stray = |path: PathBuf| {
        let help = "its name is not one that a case asks for, or its case was not exported";
        about(path, Problem::of_file("belongs to no case that was asked for").with_help(help))
    };
    let unread =
        |(path, error): (PathBuf, io::Error)| about(path, Problem::of_file(format!("cannot be read: {error}")));
    found.strays.into_iter().map(stray).chain(found.unread.into_iter().map(unread)).collect()
}

/// What was found while looking.
#[derive(Default)]
struct Found {
    strays: Vec<PathBuf>,
    /// Folders that may hold anything.
    unread: Vec<(PathBuf, io::Error)>,
}

impl Found {
    /// What is in a folder. One that is not there has nothing in it.
    fn entries(&mut self, folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
        match entries {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Vec::new(),
            Err(error) => {
                self.unread.push((folder.to_owned(), error));
                Vec::new()
            }
        }
    }
}

/// Looks into a folder that is above cases, or no case's.
fn look(folder: &Path, cases: &BTreeMap<PathBuf, &CheckedCase>, form: (&Returned, OutputForm), found: &mut Found) {
    for path in found.entries(folder) {
        if let Some(case) = cases.get(&path) {
            outputs(&path, case, form, found);
        } else if path.is_dir() && cases.range(path.clone()..).next().is_some_and(|(next, _)| next.starts_with(&path)) {
            look(&path, cases, form, found);
        } else {
            found.strays.push(path);
        }
    }
}

/// Looks for outputs that a case does not have.
fn outputs(folder: &Path, case: &CheckedCase, (returned, form): (&Returned, OutputForm), found: &mut Found) {
    let tensors = match case {
        CheckedCase::Valid(case) if case.is_dispatched() => case.descriptor.tensors.as_slice(),
        _ => &[],
    };
    let is_output = |path: &Path| {
        let mut entries = tensors.iter().filter(|entry| entry.role == Role::Output);
        if let OutputForm::Written { family, file } = form {
            let to = returned.mappings.into_family(&case.about().operator.id, family).map(|mapping| &mapping.to);
            let outputs = to.into_iter().flat_map(|to| to.tensors.iter().filter(|tensor| tensor.role == Role::Output));
            let mut files = outputs.enumerate().map(|(place, tensor)| file(place, &tensor.name));
            return files.any(|file| path.file_name() == Some(OsStr::new(&file))) && entries.next().is_some();
        }
        let npy = path.extension() == Some(OsStr::new("npy"));
        npy && entries.map(|entry| entry.name.as_str()).any(|name| path.file_stem() == Some(OsStr::new(name)))
    };
    let is_known = |path: &PathBuf| path.file_name().and_then(OsStr::to_str).is_some_and(|name| KNOWN.contains(&name));
    let unknown: Vec<PathBuf> = found.entries(folder).into_iter().filter(|path| !is_known(path)).collect();
    found.strays.extend(unknown);
    for run in [OUTPUTS, OUTPUTS_AGAIN] {
        let stray: Vec<PathBuf> =
            found.entries(&folder.join(run)).into_iter().filter(|path| !is_output(path)).collect();
        found.strays.extend(stray);
    }
}
