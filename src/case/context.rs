//! What a case is decoded against, and where its problems are reported.

use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostic::Problem;
use crate::near::{did_you_mean, known_names};
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

    /// Reports a name at `path` that is none of those which are known there.
    pub(super) fn unknown<'a>(
        &self,
        path: &[&str],
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
        message: String,
        problems: &mut Problems,
    ) {
        problems.push_with(|| self.problem(path, message).with_help(known_names(name, known)));
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
        let ids = context.operator.all_requirements().map(|requirement| requirement.id.as_str());
        let help = format!("`opcert explain {id}` lists them{}", did_you_mean(name, ids));
        problems.push(context.problem(path, format!("`{name}` is no requirement of `{id}`")).with_help(help));
    }
    found
}
