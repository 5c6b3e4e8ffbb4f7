//! What is wrong with a file, where, by which rule, and the way out.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use opcert_backend::foreign::{is_unseen, printable_line};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

/// A stretch of a source line. Lines and columns count from 1, columns and lengths in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column of the first character, from 1.
    pub column: u32,
    /// The number of characters.
    pub length: u32,
}

/// A part of a case: the way to it from the case's own mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The name of the case.
    pub case: String,
    /// Keys and list positions.
    pub path: Vec<String>,
}

/// One thing that is wrong, not yet tied to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong: the thing in backticks, what was expected, what was found.
    pub message: String,
    /// Where, if it has a place that is known yet.
    pub position: Option<Position>,
    /// The part of the case that it is about, where only that is known.
    pub part: Option<Part>,
    /// The requirement that is broken, if it is one of a specification.
    pub requirement: Option<String>,
    /// The way out, if there is one to name.
    pub help: Option<String>,
}

impl Problem {
    /// A problem at a position.
    pub fn at(position: Position, message: impl Into<String>) -> Self {
        Self { message: message.into(), position: Some(position), part: None, requirement: None, help: None }
    }

    /// A problem of the whole file.
    pub fn of_file(message: impl Into<String>) -> Self {
        Self { message: message.into(), position: None, part: None, requirement: None, help: None }
    }

    /// A problem of a part of a case.
    pub fn of_part(case: &str, path: &[&str], message: impl Into<String>) -> Self {
        let path = path.iter().map(|&step| step.to_owned()).collect();
        Self { part: Some(Part { case: case.to_owned(), path }), ..Self::of_file(message) }
    }

    /// The same with a way out.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A problem in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file.
    pub file: PathBuf,
    /// What is wrong in it.
    pub problem: Problem,
    /// The text of the line that the problem points at, shared by all that point at it.
    pub line: Option<Arc<str>>,
}

impl Diagnostic {
    /// Ties the problems of one file to it and to the lines of its text.
    #[must_use]
    pub fn of_file(file: &Path, text: &str, problems: Vec<Problem>) -> Vec<Self> {
        let wanted = problems.iter().filter_map(|problem| problem.position);
        let mut lines: BTreeMap<u32, Option<Arc<str>>> = wanted.map(|position| (position.line, None)).collect();
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(wanted) = lines.get_mut(&number) {
                *wanted = Some(line.into());
            }
        }
        let line_of = |position: Position| lines.get(&position.line).cloned().flatten();
        problems
            .into_iter()
            .map(|problem| Self { file: file.to_owned(), line: problem.position.and_then(line_of), problem })
            .collect()
    }

    /// A problem of a file that has no text, or none that could be read.
    #[must_use]
    pub fn without_text(file: &Path, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), problem: Problem::of_file(message), line: None }
    }

    /// Renders the problem with its source line and a caret, for a person.
    #[must_use]
    pub fn render(&self, styled: bool) -> String {
        let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
        let path = printable_line(&self.file.to_string_lossy());
        let message = printable_line(&self.problem.message);
        let title = match &self.problem.requirement {
            None => message,
            Some(requirement) => format!("{message} [{}]", printable_line(requirement)),
        };
        let line = self.line.as_deref().map(in_place);
        let mut group = Group::with_title(Level::ERROR.primary_title(title.as_str()));
        group = match (self.problem.position, &line) {
            (Some(position), Some(text)) => {
                let first = position.column.saturating_sub(1);
                let start = byte_offset(text, first);
                let end = byte_offset(text, first + position.length.max(1)).max(start);
                let snippet = Snippet::source(text.as_str()).line_start(position.line as usize).path(path.as_str());
                group.element(snippet.annotation(AnnotationKind::Primary.span(start..end)))
            }
            _ => group.element(Origin::path(path.as_str())),
        };
        if let Some(help) = &self.problem.help {
            group = group.element(Level::HELP.message(printable_line(help)));
        }
        renderer.render(&[group])
    }
}

/// `file:line:column: message [requirement]`, one line, for programs.
impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", printable_line(&self.file.to_string_lossy()))?;
        if let Some(position) = self.problem.position {
            write!(formatter, ":{}:{}", position.line, position.column)?;
        }
        write!(formatter, ": {}", printable_line(&self.problem.message))?;
        if let Some(requirement) = &self.problem.requirement {
            write!(formatter, " [{}]", printable_line(requirement))?;
        }
        Ok(())
    }
}

/// A line of a file with a mark in the place of each character that cannot be seen, so that columns stay what they are.
fn in_place(line: &str) -> String {
    line.chars().map(|letter| if is_unseen(letter) { char::REPLACEMENT_CHARACTER } else { letter }).collect()
}

fn byte_offset(text: &str, characters: u32) -> usize {
    text.char_indices().nth(characters as usize).map_or(text.len(), |(offset, _)| offset)
}
