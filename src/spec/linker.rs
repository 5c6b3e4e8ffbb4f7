//! The problems of a specification file, each reported at its place in the file.

use crate::diagnostic::Problem;
use crate::near::known_names;
use crate::yaml::{Node, Problems};

/// Where problems are reported, and the file that they are about.
pub(super) struct Linker<'a> {
    pub(super) node: &'a Node,
    pub(super) problems: &'a mut Problems,
}

impl Linker<'_> {
    pub(super) fn problem(&mut self, path: &[&str], message: String) {
        self.problems.add(self.node.locate(path), message);
    }

    /// A name that is none of those which are known there.
    pub(super) fn unknown<'a>(
        &mut self,
        path: &[&str],
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
        message: String,
    ) {
        self.problems.push(Problem::at(self.node.locate(path), message).with_help(known_names(name, known)));
    }

    /// A problem of the requirement with a full id.
    pub(super) fn problem_of(&mut self, id: &str, message: String) {
        let mut parts = id.split('/').skip(1);
        let (section, name) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let section = if self.node.get("requirements").is_some() { "requirements" } else { section };
        self.problem(&[section, name], message);
    }
}
