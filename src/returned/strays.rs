//! Files among results that belong to nothing that was asked for: a misspelt name, another export's cases.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
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
    let mut found = Vec::new();
    for root in &roots {
        look(root, &cases, form, &mut found);
    }
    found.sort();
    let stray = |path: PathBuf| {
        let help = "its name is not one that a case asks for, or its case was not exported";
        let problem = Problem::of_file("belongs to no case that was asked for").with_help(help);
        Diagnostic { file: path, problem, line: None }
    };
    found.into_iter().map(stray).collect()
}

/// Looks into a folder that is above cases, or no case's.
fn look(folder: &Path, cases: &BTreeMap<PathBuf, &CheckedCase>, form: OutputForm, found: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        if let Some(case) = cases.get(&path) {
            outputs(&path, case, form, found);
        } else if path.is_dir() && cases.range(path.clone()..).next().is_some_and(|(next, _)| next.starts_with(&path)) {
            look(&path, cases, form, found);
        } else {
            found.push(path);
        }
    }
}

/// Looks for outputs that a case does not have.
fn outputs(folder: &Path, case: &CheckedCase, form: OutputForm, found: &mut Vec<PathBuf>) {
    let tensors = match case {
        CheckedCase::Valid(case) if case.is_dispatched() => case.descriptor.tensors.as_slice(),
        _ => &[],
    };
    let is_output = |path: &Path| {
        let mut entries = tensors.iter().filter(|entry| entry.role == Role::Output);
        if let OutputForm::Made { file, .. } = form {
            return path.file_name() == Some(OsStr::new(file)) && entries.next().is_some();
        }
        let npy = path.extension() == Some(OsStr::new("npy"));
        npy && entries.map(|entry| entry.name.as_str()).any(|name| path.file_stem() == Some(OsStr::new(name)))
    };
    let is_known = |path: &PathBuf| path.file_name().and_then(OsStr::to_str).is_some_and(|name| KNOWN.contains(&name));
    found.extend(entries(folder).into_iter().filter(|path| !is_known(path)));
    for run in [OUTPUTS, OUTPUTS_AGAIN] {
        found.extend(entries(&folder.join(run)).into_iter().filter(|path| !is_output(path)));
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}
