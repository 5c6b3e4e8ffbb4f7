//! From a file to known failures.

use std::io;
use std::path::{Path, PathBuf};

use glob::Pattern;
use opcert_backend::Identity;

use super::format::{ExpectationFormat, ExpectationsFormat};
use crate::diagnostic::{Diagnostic, Position, Problem};
use crate::file;
use crate::judge::{LONGEST_PATTERN, Outcome};
use crate::yaml::{FromNode, MOST_PROBLEMS, Node, Problems, parse};

/// The known failures of a file, in its order.
#[derive(Clone, Debug, Default)]
pub struct KnownFailures {
    /// The entries.
    pub entries: Vec<KnownFailure>,
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// Cases that are known to fail, all for one reason.
#[derive(Clone, Debug)]
pub struct KnownFailure {
    /// A glob over ids.
    pub case: Pattern,
    /// What comes out of each of them.
    pub outcome: Outcome,
    /// Why.
    pub reason: String,
    /// Where that is tracked.
    pub link: Option<String>,
    /// A part of the device's name.
    pub device: Option<String>,
    /// The backend's version, or its beginning.
    pub version: Option<String>,
    pub(super) position: Position,
}

impl KnownFailures {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it: its form, what stands twice, and what is out of order.
    pub fn load(path: &Path) -> Result<Self, Vec<Diagnostic>> {
        Self::parse(path, read(path)?)
    }

    /// The known failures of a text, as it stands at a path.
    ///
    /// # Errors
    ///
    /// As for [`Self::load`].
    pub fn parse(path: &Path, text: String) -> Result<Self, Vec<Diagnostic>> {
        let (known, disorder) = Self::of_text(path, text)?;
        if disorder.is_empty() { Ok(known) } else { Err(Diagnostic::of_file(path, &known.text, disorder)) }
    }

    /// Reads a file that is to be put in order; none at all is as good as an empty one.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with its form.
    pub fn load_in_any_order(path: &Path) -> Result<Self, Vec<Diagnostic>> {
        if !path.exists() {
            return Ok(Self { path: path.to_owned(), ..Self::default() });
        }
        Ok(Self::of_text(path, read(path)?)?.0)
    }

    /// Whether the file reads otherwise; one that does not exist reads like one without entries.
    #[must_use]
    pub fn differs_from(&self, text: &str) -> bool {
        let nothing =
            |text: &str| Self::of_text(&self.path, text.to_owned()).is_ok_and(|(known, _)| known.entries.is_empty());
        if self.text.is_empty() { !nothing(text) } else { self.text != text }
    }

    /// The known failures of a text, and what is out of order among them.
    pub(super) fn of_text(path: &Path, text: String) -> Result<(Self, Vec<Problem>), Vec<Diagnostic>> {
        let diagnostics = |problems| Diagnostic::of_file(path, &text, problems);
        let root = parse(&text).map_err(diagnostics)?;
        let mut problems = Problems::default();
        let _ = ExpectationsFormat::from_node(root.clone(), &mut problems);
        // What is wrong with one entry does not hide what is wrong with another.
        let list = root.get("expectations");
        let read = list.iter().flat_map(Node::items).filter_map(|item| {
            let entry = ExpectationFormat::from_node(item.clone(), &mut Problems::default())?;
            known(entry, &item, &mut problems)
        });
        let entries: Vec<KnownFailure> = read.collect();
        if !problems.is_empty() {
            return Err(diagnostics(problems.into_sorted()));
        }
        let disorder = disorder(&entries);
        Ok((Self { entries, path: path.to_owned(), text }, disorder))
    }
}

impl KnownFailure {
    /// Whether anything is expected of this backend on its device.
    #[must_use]
    pub fn concerns(&self, backend: &Identity) -> bool {
        let on = |wanted: &String| backend.device.as_ref().is_some_and(|device| device.raw().contains(wanted));
        let of = |wanted: &String| names_version(backend.version.raw(), wanted);
        self.device.as_ref().is_none_or(on) && self.version.as_ref().is_none_or(of)
    }

    /// What entries are sorted by, and what makes one a duplicate of another.
    pub(super) fn key(&self) -> (&str, Option<&str>, Option<&str>) {
        (self.case.as_str(), self.device.as_deref(), self.version.as_deref())
    }
}

/// Whether a version is the wanted one or begins with it, part by part: `1.2` names 1.2 and 1.2.3, not 1.20 or 3.1.2.
fn names_version(version: &str, wanted: &str) -> bool {
    let in_version = |letter: char| letter.is_alphanumeric();
    version.match_indices(wanted).any(|(at, _)| {
        let before = version[..at].chars().next_back();
        let after = version[at + wanted.len()..].chars().next();
        before.is_none_or(|letter| !in_version(letter) && letter != '.')
            && after.is_none_or(|letter| !in_version(letter))
    })
}

/// Whether a text leads to a page.
pub(crate) fn is_link(text: &str) -> bool {
    let address = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    address.is_some_and(|address| !address.is_empty() && !address.contains(char::is_whitespace))
}

fn read(path: &Path) -> Result<String, Vec<Diagnostic>> {
    let unreadable = |error: io::Error| vec![Diagnostic::without_text(path, format!("cannot be read: {error}"))];
    file::read_text(path, file::LONGEST_TEXT).map_err(unreadable)
}

fn known(entry: ExpectationFormat, item: &Node, problems: &mut Problems) -> Option<KnownFailure> {
    let at = |key: &str| item.locate(&[key]);
    let before = problems.count();
    let is_long = entry.case.len() > LONGEST_PATTERN;
    let case = match Pattern::new(if is_long { "" } else { &entry.case }) {
        Ok(_) if is_long => {
            problems.add(at("case"), format!("a glob over ids has at most {LONGEST_PATTERN} letters"));
            None
        }
        Ok(case) => Some(case),
        Err(error) => {
            problems.add(at("case"), format!("`{}` is no glob: {}", entry.case, error.msg));
            None
        }
    };
    if entry.reason.trim().is_empty() {
        problems.push(Problem::at(at("reason"), "the reason is empty").with_help("say why this fails"));
    }
    if let Some(link) = entry.link.as_ref().filter(|link| !is_link(link)) {
        let message = format!("`{link}` is no link");
        problems.push(Problem::at(at("link"), message).with_help("a link begins with `https://` and has no spaces"));
    }
    for (key, scope) in [("device", &entry.device), ("version", &entry.version)] {
        if scope.as_ref().is_some_and(|scope| scope.trim().is_empty()) {
            let message = format!("`{key}` is empty");
            problems.push(Problem::at(at(key), message).with_help("leave it out where it does not matter"));
        }
    }
    let ExpectationFormat { outcome, reason, link, device, version, .. } = entry;
    let known = |case| KnownFailure {
        case,
        outcome: Outcome::from(&outcome),
        reason,
        link,
        device,
        version,
        position: at("case"),
    };
    if problems.count() == before { case.map(known) } else { None }
}

/// What stands twice, and what stands behind an entry that it belongs before; of very many, the first ones.
fn disorder(entries: &[KnownFailure]) -> Vec<Problem> {
    let pairs = entries.iter().zip(entries.iter().skip(1));
    let wrong = pairs.filter_map(|(one, next)| {
        let name = next.case.as_str();
        match one.key().cmp(&next.key()) {
            std::cmp::Ordering::Less => None,
            std::cmp::Ordering::Equal => Some(Problem::at(next.position, format!("`{name}` stands here twice"))),
            std::cmp::Ordering::Greater => {
                let message = format!("`{name}` belongs before `{}`: entries are sorted by case", one.case);
                Some(Problem::at(next.position, message).with_help("`opcert expectations --update` sorts them"))
            }
        }
    });
    wrong.take(MOST_PROBLEMS).collect()
}

#[cfg(test)]
mod tests {
    use super::names_version;

    #[test]
    fn a_version_is_named_part_by_part() {
        for (version, wanted, named) in [
            ("1.2", "1.2", true),
            ("1.2.3", "1.2", true),
            ("runtime 1.2-rc1", "1.2", true),
            ("1.20", "1.2", false),
            ("11.2", "1.2", false),
            ("3.1.2", "1.2", false),
            ("1.20.1.2 (1.2)", "1.2", true),
        ] {
            assert_eq!(names_version(version, wanted), named, "{version} {wanted}");
        }
    }
}
