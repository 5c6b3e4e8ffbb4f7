//! Text from outside: what another program says of itself and of what went wrong.
//!
//! It may hold terminal codes, control characters, marks that turn the direction of writing, or more than anybody
//! reads. [`ForeignText`] keeps it as it came, for logs, and can only be printed clean. Escaping for HTML, XML or Markdown
//! is not done here: that belongs to what writes them.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

/// Longer paragraphs are cut; logs have all of them.
const LONGEST: usize = 20_000;

/// Longer lines are cut.
const LONGEST_LINE: usize = 2_000;

/// Text from outside. Printed, it is one line of characters that can be seen, cut where nobody reads on; serialised, it is what
/// came.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(transparent)]
pub struct ForeignText(String);

impl ForeignText {
    /// Every byte of it, for what keeps or compares it. Never to be shown.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// Every byte of it, as [`Self::raw`].
    #[must_use]
    pub fn into_raw(self) -> String {
        self.0
    }

    /// The text for a place where lines may stand below each other: each but the first begins with `indent`, so that
    /// none passes for a line of the program's own.
    #[must_use]
    pub fn paragraph(&self, indent: &str) -> String {
        printable(&self.0).trim_end().replace('\n', &format!("\n{indent}"))
    }
}

impl fmt::Display for ForeignText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&printable_line(&self.0))
    }
}

impl fmt::Debug for ForeignText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&printable_line(&self.0), formatter)
    }
}

impl From<String> for ForeignText {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for ForeignText {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<&std::path::Path> for ForeignText {
    fn from(path: &std::path::Path) -> Self {
        Self(path.to_string_lossy().into_owned())
    }
}

impl PartialEq<str> for ForeignText {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for ForeignText {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

/// The same text without the styles of a terminal, with every other character that is not seen written as `\u{…}`, and
/// cut where it is longer than anybody reads. Line breaks and tabs stay.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST && !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(seen(&cut(&plain(text), LONGEST)))
}

/// The same in one line, for headings, rows and labels.
#[must_use]
pub fn printable_line(text: &str) -> String {
    let plain = plain(text);
    let words = plain.split(|letter: char| letter.is_whitespace() && !is_unseen(letter));
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    seen(&cut(&line, LONGEST_LINE))
}

/// The text with what cannot be seen written out.
fn seen(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_unseen(letter) {
            let _ = write!(shown, "{}", letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// The first so many characters, and how many more there are.
fn cut(text: &str, longest: usize) -> Cow<'_, str> {
    match text.char_indices().nth(longest) {
        None => Cow::Borrowed(text),
        Some((end, _)) => {
            let (kept, rest) = text.split_at(end);
            Cow::Owned(format!("{kept} … and {} more characters, which the event log has", rest.chars().count()))
        }
    }
}

/// Leaves out what gives a text colours on a terminal, and makes every end of a line the same. What else may follow an escape
/// character stays, and is seen: a sequence without an end would hide what stands behind it.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\r']) {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match after_style(part) {
            Some(rest) => plain.push_str(rest),
            None => {
                plain.push_str("\u{1b}[");
                plain.push_str(part);
            }
        }
    }
    Cow::Owned(plain.replace("\r\n", "\n"))
}

/// What stands behind the numbers and the `m` of a style, if this is one.
fn after_style(text: &str) -> Option<&str> {
    text.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';').strip_prefix('m')
}

/// A text of the program's own, on its way out: its styles stay, and whatever else cannot be seen is written as `\u{…}`. This
/// is the last gate, behind [`ForeignText`]: nothing that was forgotten reaches a terminal as a command.
#[must_use]
pub fn only_styled(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let behind = &rest[letter.len_utf8()..];
        if let Some(end) = rest.strip_prefix("\u{1b}[").and_then(after_style) {
            shown.push_str(&rest[..rest.len() - end.len()]);
            rest = end;
            continue;
        }
        if is_unseen(letter) {
            let _ = write!(shown, "{}", letter.escape_unicode());
        } else {
            shown.push(letter);
        }
        rest = behind;
    }
    Cow::Owned(shown)
}

/// Control characters but line breaks and tabs; line and paragraph separators; marks of direction, and everything else
/// of Unicode's category *Cf*, which formats, joins or takes no room; and what is no character, which XML does not allow.
#[must_use]
pub const fn is_unseen(letter: char) -> bool {
    matches!(letter,
        '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}'
        | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}'
        | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e007f}' | '\u{fdd0}'..='\u{fdef}')
        || letter as u32 & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        assert_eq!(printable("[[1],\n\t[2]] ≠ 3"), "[[1],\n\t[2]] ≠ 3");
        assert_eq!(printable("\u{1b}[1;31mred\u{1b}[0m, \u{1b}[Kplain\u{1b}["), "red, \\u{1b}[Kplain\\u{1b}[");
        assert_eq!(printable("\u{1b}]0;not hidden"), "\\u{1b}]0;not hidden");
        assert_eq!(printable("a\u{0}b\u{7f}\r\u{9b}2J"), "a\\u{0}b\\u{7f}\\u{d}\\u{9b}2J");
        assert_eq!(printable("\u{202e}evil\u{2028}"), "\\u{202e}evil\\u{2028}");
        assert_eq!(printable("\u{ffff}\u{1fffe}\u{fdd0}\u{fffd}"), "\\u{ffff}\\u{1fffe}\\u{fdd0}\u{fffd}");
        assert_eq!(printable_line("two\nlines  and\tmore"), "two lines and more");
    }

    #[test]
    fn nobody_reads_a_million_letters() {
        let text = "é".repeat(1_000_000);
        let shown = printable(&text);
        assert!(shown.starts_with("ééé") && shown.ends_with("and 980000 more characters, which the event log has"));
        let line = ForeignText::from(text.as_str()).to_string();
        assert!(line.ends_with(" … and 998000 more characters, which the event log has"), "{line}");
    }

    #[test]
    fn foreign_text_is_printed_clean_and_kept_as_it_came() {
        let text = ForeignText::from("red\u{1b}[31m\nsuite: everything fits");
        assert_eq!(text.to_string(), "red suite: everything fits");
        assert_eq!(format!("{text:?}"), "\"red suite: everything fits\"");
        assert_eq!(text.paragraph("  "), "red\n  suite: everything fits");
        let json = serde_json::to_string(&text).unwrap();
        assert_eq!(serde_json::from_str::<ForeignText>(&json).unwrap().raw(), text.raw());
    }

    #[test]
    fn nothing_but_styles_passes_the_last_gate() {
        let text = "\u{1b}[1mbold\u{1b}[0m\tand\n\u{1b}[2Jcleared\u{9b}1m \u{202e}";
        assert_eq!(only_styled(text), "\u{1b}[1mbold\u{1b}[0m\tand\n\\u{1b}[2Jcleared\\u{9b}1m \\u{202e}");
    }
}
