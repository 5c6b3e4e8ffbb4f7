//! What a case is decoded against, and where its problems are reported.

use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostic::Problem;
use crate::spec::{Operator, Requirement};
use crate::yaml::Problems;

/// What a case is decoded against.
pub(super) struct CaseContext<'a> {
    pub(super) operator: &'a Arc<Operator>,
    pub(super) file: &'a Arc<PathBuf>,
    pub(super) id: String,
    pub(super) name: &'a str,
}

impl CaseContext<'_> {
    pub(super) fn problem(&self, path: &[&str], message: impl Into<String>) -> Problem {
        Problem::of_part(self.name, path, message)
    }

    pub(super) fn report(&self, path: &[&str], message: impl Into<String>, problems: &mut Problems) {
        problems.push(self.problem(path, message));
    }
}

/// The requirement that a case names at `path`.
pub(super) fn requirement<'a>(
    name: &str,
    path: &[&str],
    context: &CaseContext<'a>,
    problems: &mut Problems,
) -> Option<&'a Requirement> {
    let found = context.operator.resolve(name);
    if found.is_none() {
        let id = &context.operator.id;
        let help = format!("`opcert explain {id}` lists them");
        problems.push(context.problem(path, format!("`{name}` is no requirement of `{id}`")).with_help(help));
    }
    found
}
