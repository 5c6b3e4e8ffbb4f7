//! What is wrong with a file, where, by which rule, and the way out.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use opcert_backend::foreign::{is_unseen, printable_line};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

/// Of a line that is longer, in bytes, only what stands around a problem is shown.
const LONGEST_LINE: usize = 4096;

/// So many characters before the place, and as many from there on.
const AROUND: u32 = 200;

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
        // One of a list, `name[0]`, stands there in a list.
        let steps = path.iter().flat_map(|step| step.split('[').map(|step| step.trim_end_matches(']').to_owned()));
        let path = steps.collect();
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
        for (number, line) in (1..).zip(lines_of(text)) {
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
        let mut group = Group::with_title(Level::ERROR.primary_title(title.as_str()));
        let excerpt = self.problem.position.zip(self.line.as_deref()).map(|(at, line)| (at, Excerpt::of(line, at)));
        group = match &excerpt {
            Some((position, Excerpt { text, place, is_whole })) => {
                let mut snippet = Snippet::source(text.as_str()).line_start(position.line as usize);
                if *is_whole {
                    snippet = snippet.path(path.as_str());
                } else {
                    let origin = Origin::path(path.as_str()).line(position.line as usize);
                    group = group.element(origin.char_column(position.column as usize));
                }
                group.element(snippet.annotation(AnnotationKind::Primary.span(place.clone())))
            }
            None => {
                let origin = Origin::path(path.as_str());
                group.element(match self.problem.position {
                    Some(Position { line, column, .. }) => origin.line(line as usize).char_column(column as usize),
                    None => origin,
                })
            }
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

/// What is shown of a line: all of it, or what stands around the place that a problem points at.
struct Excerpt {
    text: String,
    /// The place, in bytes of the text.
    place: Range<usize>,
    is_whole: bool,
}

impl Excerpt {
    fn of(line: &str, Position { column, length, .. }: Position) -> Self {
        let (first, length) = (column.saturating_sub(1), length.max(1));
        let is_whole = line.len() <= LONGEST_LINE;
        let before = if is_whole { first } else { first.min(AROUND) };
        let begin = byte_offset(line, first - before);
        let shown = &line[begin..];
        let text = in_place(if is_whole { shown } else { &shown[..byte_offset(shown, before + AROUND)] });
        let start = byte_offset(&text, before);
        let end = byte_offset(&text, before.saturating_add(length)).max(start);
        Self { text, place: start..end, is_whole }
    }
}

/// A line of a file with a mark in the place of each character that cannot be seen, so that columns stay what they are.
fn in_place(line: &str) -> String {
    line.chars().map(|letter| if is_unseen(letter) { char::REPLACEMENT_CHARACTER } else { letter }).collect()
}

/// The lines of a text as YAML has them: they end with a line feed, a carriage return, or both.
pub(crate) fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('\r'))
}

fn byte_offset(text: &str, characters: u32) -> usize {
    text.char_indices().nth(characters as usize).map_or(text.len(), |(offset, _)| offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(line: &str, column: u32) -> String {
        let problem = Problem::at(Position { line: 1, column, length: 3 }, "it is wrong");
        let [diagnostic] = Diagnostic::of_file(Path::new("a.yaml"), line, vec![problem]).try_into().unwrap();
        diagnostic.render(false)
    }

    /// A carriage return by itself ends a line, as it does where YAML is read.
    #[test]
    fn lines_end_as_those_of_yaml() {
        assert_eq!(lines_of("a\rb\r\nc\nd\r\n").collect::<Vec<_>>(), ["a", "b", "c", "d"]);
        let text = "operator: x\rcases: {a: b}\r\nmore: [";
        let problems = crate::yaml::parse(text).unwrap_err();
        let [diagnostic] = Diagnostic::of_file(Path::new("a.yaml"), text, problems).try_into().unwrap();
        assert_eq!(diagnostic.problem.position.map(|at| at.line), Some(3), "{diagnostic}");
        assert_eq!(diagnostic.line.as_deref(), Some("more: ["));
    }

    /// The place in a line of a million characters is shown as it is in a short one, without the rest of the line.
    #[test]
    fn of_an_endless_line_only_the_place_is_shown() {
        let long = format!("{}ä: bad, {}", "é, ".repeat(300_000), "ö, ".repeat(300_000));
        let text = rendered(&long, 900_004);
        assert!(text.contains("--> a.yaml:1:900004"), "{text}");
        assert!(text.contains("bad") && text.len() < 3000, "{text}");
        let [source, carets]: [&str; 2] = text.lines().skip(3).take(2).collect::<Vec<_>>().try_into().unwrap();
        let column = |line: &str, wanted: &str| line.find(wanted).map(|at| line[..at].chars().count());
        assert_eq!(column(source, "bad"), column(carets, "^^^"), "{text}");
        // At its ends, and beyond.
        for column in [1, 1_800_008, u32::MAX] {
            assert!(rendered(&long, column).contains(&format!("--> a.yaml:1:{column}")));
        }
        assert!(rendered("a: bad", 4).contains("--> a.yaml:1:4"));
        // Behind the last line there is nothing to be shown, and a place all the same.
        assert!(rendered("", 1).contains("--> a.yaml:1:1"));
    }
}
