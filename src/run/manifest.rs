//! `backend.yaml`: what a folder with a backend in it says of itself.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use opcert_backend::Identity;

use super::Program;
use crate::diagnostic::{Diagnostic, Problem};
use crate::source::Source;
use crate::yaml::{Entries, FromNode, Problems, parse, record};

/// The file's name.
pub const MANIFEST_FILE: &str = "backend.yaml";

record! {
    /// `backends/<name>/backend.yaml`: a backend that is a program of its own.
    pub struct Manifest {
        /// The backend's short name, the same as the program gives at `start`.
        "name" => name: String,
        /// The name as people write it.
        "title" => title: String,
        /// The program and its arguments. It is started in the folder. A program with a slash in it is looked for from
        /// the folder on, any other one in `PATH`.
        "command" => command: Vec<String>,
        /// The command that makes the program runnable, given in the folder.
        "setup" => setup: Option<String>,
        /// The highest feature level claimed per family or operator, the same as the program gives at `start`.
        "claims" => claims: Entries<String>,
        /// The claims that opcert meets as other operators, which the program itself claims: each with that one. There has to be a
        /// mapping. The program says nothing of them at `start`.
        "through" => through: Option<Entries<String>>,
        /// Which of its native operations an operator of its own is, and how, in prose.
        "mapping" => mapping: Entries<String>,
        /// What else a reader of the results has to know.
        "notes" => notes: Option<String>,
    }
}

impl Manifest {
    /// Reads the manifest of a folder.
    ///
    /// # Errors
    ///
    /// Every problem of the file.
    pub fn load(folder: &Path) -> Result<Self, Vec<Diagnostic>> {
        let path = folder.join(MANIFEST_FILE);
        let files = Source::Path(path.clone()).files()?;
        let file = files.first().ok_or_else(|| {
            vec![Diagnostic::without_text(
                &path,
                if path.is_dir() { "it is a folder" } else { "there is no such file" },
            )]
        })?;
        let text = file.read().map_err(|problem| vec![*problem])?;
        Self::parse(&path, &text)
    }

    /// The manifest of a text, as it stands at a path.
    ///
    /// # Errors
    ///
    /// Every problem of the text.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let of_file = |problems: Vec<Problem>| Diagnostic::of_file(path, text, problems);
        let node = parse(text).map_err(of_file)?;
        let (position, places) = (node.position(), node.clone());
        let mut problems = Problems::default();
        let manifest = Self::from_node(node, &mut problems);
        if manifest.as_ref().is_some_and(|manifest| manifest.command.is_empty()) {
            problems.push(
                Problem::at(position, "`command` is empty").with_help("a program and its arguments: `[./adapter]`"),
            );
        }
        if let Some(manifest) = &manifest {
            for (operator, _) in manifest.mapped().filter(|(operator, _)| manifest.claims.get(operator).is_none()) {
                let place = places.locate(&["through", operator]);
                problems.add(place, format!("`{operator}` is not claimed: `claims` says at which level it is"));
            }
        }
        match manifest {
            Some(manifest) if problems.is_empty() => Ok(manifest),
            _ => Err(of_file(problems.into_sorted())),
        }
    }

    /// The program, to be started in its folder.
    #[must_use]
    pub fn program(&self, folder: &Path) -> Program {
        let mut words = self.command.iter();
        let first = words.next().map(String::as_str).unwrap_or_default();
        // A relative path would be taken from wherever this program was started.
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let path: OsString = if first.contains('/') { joined(&folder, first).into() } else { first.into() };
        Program { folder: Some(folder), ..Program::new(path, words.map(Into::into).collect()) }
    }

    /// The claims that are met as other operators: for each operator its level, and the operator as which it is run.
    #[must_use]
    pub fn through(&self) -> BTreeMap<String, (String, String)> {
        let claim = |(operator, other): (&str, &str)| {
            Some((operator.to_owned(), (self.claims.get(operator)?.clone(), other.to_owned())))
        };
        self.mapped().filter_map(claim).collect()
    }

    fn mapped(&self) -> impl Iterator<Item = (&str, &str)> {
        self.through.iter().flat_map(|entries| &entries.0).map(|(operator, other)| (operator.as_str(), other.as_str()))
    }

    /// How the program contradicts its manifest, if it does.
    #[must_use]
    pub fn contradiction(&self, identity: &Identity) -> Option<String> {
        if identity.name != *self.name.as_str() {
            return Some(format!("the name is `{}` in {MANIFEST_FILE} and `{}` at start", self.name, identity.name));
        }
        let is_its_own = |name: &str| self.mapped().all(|(operator, _)| operator != name);
        let claims = self.claims.0.iter().map(|(family, level)| (family.as_str(), level.as_str()));
        let mut written: Vec<(&str, &str)> = claims.filter(|(name, _)| is_its_own(name)).collect();
        written.sort_unstable();
        let said: Vec<(&str, &str)> =
            identity.claims.iter().map(|(family, level)| (family.as_str(), level.as_str())).collect();
        let shown = |claims: &[(&str, &str)]| {
            let claims: Vec<String> = claims.iter().map(|(family, level)| format!("{family} {level}")).collect();
            claims.join(", ")
        };
        (written != said)
            .then(|| format!("[{}] is claimed in {MANIFEST_FILE}, and [{}] at start", shown(&written), shown(&said)))
    }
}

/// A path below a folder, without the `.` in the middle.
fn joined(folder: &Path, path: &str) -> PathBuf {
    folder.join(path.strip_prefix("./").unwrap_or(path))
}
