//! Writing a file of known failures, so that what has not changed stays as it was.

use super::known::{KnownFailure, KnownFailures};
use crate::diagnostic::lines_of;

/// How a new file begins.
const PREAMBLE: &str = "# Known failures of this backend; docs/EXPECTATIONS.md has the format.\n";

/// An entry of the new file: as it stood in the old one, or a new one.
pub(super) struct Entry<'a> {
    pub(super) known: KnownFailure,
    /// Its place in the old file, if it stands there just so.
    pub(super) unchanged: Option<&'a KnownFailure>,
}

/// The text of the entries in their order. Those that stand in the old file are copied from it, comments included.
pub(super) fn file(old: &KnownFailures, entries: &[Entry<'_>]) -> String {
    let blocks = Blocks::of(old);
    let mut text = blocks.as_ref().map_or_else(|| PREAMBLE.to_owned(), |blocks| blocks.before.clone());
    if entries.is_empty() {
        text.push_str("expectations: []\n");
        return text;
    }
    text.push_str("expectations:\n");
    for entry in entries {
        let line = entry.unchanged.map(|known| known.position.line);
        let block = line.and_then(|line| blocks.as_ref()?.find(line));
        text.push_str(&block.map_or_else(|| written(entry), str::to_owned));
    }
    text
}

fn written(entry: &Entry<'_>) -> String {
    let known = &entry.known;
    let mut text = format!("  - case: {}\n", plain_or_quoted(known.case.as_str()));
    let mut add = |key: &str, value: &str| text.push_str(&format!("    {key}: {value}\n"));
    add("outcome", known.outcome.name());
    add("reason", &quoted(&known.reason));
    for (key, value) in [("link", &known.link), ("device", &known.device), ("version", &known.version)] {
        if let Some(value) = value {
            add(key, &quoted(value));
        }
    }
    text
}

/// What begins with a letter and has nothing in it that YAML reads as more than a letter needs no quotes.
fn plain_or_quoted(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/_-.*?".contains(letter);
    if text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.contains('/') && text.chars().all(plain) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// A JSON string is one in YAML as well.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The text of a file, taken apart: what stands before the entries, and each entry with the comment above it.
struct Blocks {
    before: String,
    /// The line on which an entry begins, from 1, and its text.
    entries: Vec<(u32, String)>,
}

impl Blocks {
    /// `None` where entries do not each begin on a line of their own, or not as far to the right as they are written
    /// here.
    fn of(old: &KnownFailures) -> Option<Self> {
        let lines: Vec<&str> = lines_of(&old.text).collect();
        let key = lines.iter().position(|line| line.trim_end() == "expectations:")?;
        let mut starts = Vec::with_capacity(old.entries.len());
        for known in &old.entries {
            // `case` need not be the first key, but the dash stands at or above it.
            let at = known.position.line as usize - 1;
            let has_dash = |line: &usize| lines.get(*line).is_some_and(|line| line.trim_start().starts_with("- "));
            let dash = (key + 1..=at).rev().find(has_dash)?;
            if !lines[dash].starts_with("  - ") {
                return None;
            }
            starts.push((dash, known.position.line));
        }
        if starts.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
            return None;
        }
        let is_text = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let mut entries = Vec::with_capacity(starts.len());
        let mut from = key + 1;
        for (index, (_, line)) in starts.iter().enumerate() {
            let next = starts.get(index + 1).map_or(lines.len(), |(dash, _)| *dash);
            // What stands between two entries without being one belongs to the second.
            let end = (from..next).rev().find(|&line| is_text(&lines[line])).map_or(next, |last| last + 1);
            let end = if index + 1 == starts.len() { lines.len() } else { end };
            entries.push((*line, lines[from..end].iter().map(|line| format!("{line}\n")).collect()));
            from = end;
        }
        let before = lines[..key].iter().map(|line| format!("{line}\n")).collect();
        Some(Self { before, entries })
    }

    fn find(&self, line: u32) -> Option<&str> {
        self.entries.iter().find(|(begin, _)| *begin == line).map(|(_, text)| text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Entries that are copied stand where they did, whichever way lines end.
    #[test]
    fn entries_are_found_whichever_way_lines_end() {
        for end in ["\n", "\r", "\r\n"] {
            let entry = |case: &str| format!("  - case: {case}{end}    outcome: fail{end}    reason: it{end}{end}");
            let text = format!("# mine{end}expectations:{end}{}# next{end}{}", entry("a/b"), entry("a/c"));
            let (old, _) = KnownFailures::of_text(Path::new("x"), text).unwrap();
            let entries: Vec<Entry<'_>> =
                old.entries.iter().map(|known| Entry { known: known.clone(), unchanged: Some(known) }).collect();
            let written = file(&old, &entries);
            let written: Vec<&str> = written.lines().filter(|line| !line.is_empty()).collect();
            assert_eq!(written[..2], ["# mine", "expectations:"]);
            assert_eq!(written[2..5], ["  - case: a/b", "    outcome: fail", "    reason: it"]);
            assert_eq!(written[5..], ["# next", "  - case: a/c", "    outcome: fail", "    reason: it"]);
        }
    }

    #[test]
    fn everything_that_is_written_can_be_read() {
        for text in ["a/b", "a: b", "*x", "tab\tnew\nline", "\"quoted\" \\ 'so'", "~", "ä — ö", "- x # y"] {
            let file = format!("expectations:\n  - {{case: a/b, outcome: fail, reason: {}}}\n", quoted(text));
            let (known, _) = KnownFailures::of_text(Path::new("x"), file).unwrap();
            assert_eq!(known.entries[0].reason, text);
        }
    }
}
