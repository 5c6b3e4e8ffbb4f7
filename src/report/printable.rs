//! Text that comes from other programs, made harmless to look at.
//!
//! A backend says who it is and what went wrong; it may be broken, and what it says may hold terminal codes, control
//! characters, or marks that turn the direction of writing. Escaping for HTML or SVG is not done here: that is the
//! templates' own.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Longer texts are cut; the event log has all of them.
const LONGEST: usize = 20_000;

/// The same text without the styles of a terminal, with every other character that is not seen written as `\u{…}`, and cut where
/// it is longer than anybody reads.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST && !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let plain = without_styles(text);
    let mut shown = String::with_capacity(plain.len().min(LONGEST));
    for letter in plain.chars().take(LONGEST) {
        if is_unseen(letter) {
            let _ = write!(shown, "{}", letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    let left = plain.chars().count().saturating_sub(LONGEST);
    if left > 0 {
        let _ = write!(shown, " … and {left} more characters, which the event log has");
    }
    Cow::Owned(shown)
}

/// The same in one line, for headings, rows and labels.
#[must_use]
pub fn printable_line(text: &str) -> String {
    printable(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Leaves out what gives a text colours on a terminal. What else may follow an escape character stays, and is seen: a
/// sequence without an end would hide what stands behind it.
fn without_styles(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';').strip_prefix('m') {
            Some(rest) => plain.push_str(rest),
            None => {
                plain.push_str("\u{1b}[");
                plain.push_str(part);
            }
        }
    }
    plain
}

/// Control characters but line breaks and tabs; line and paragraph separators; marks of direction, and what joins or
/// takes no room.
fn is_unseen(letter: char) -> bool {
    match letter {
        '\n' | '\t' => false,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => true,
        _ => letter.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        assert_eq!(printable("[[1],\n\t[2]] ≠ 3"), "[[1],\n\t[2]] ≠ 3");
        assert_eq!(printable("\u{1b}[1;31mred\u{1b}[0m, \u{1b}[Kplain\u{1b}["), "red, \\u{1b}[Kplain\\u{1b}[");
        assert_eq!(printable("\u{1b}]0;not hidden"), "\\u{1b}]0;not hidden");
        assert_eq!(printable("a\u{0}b\u{7f}"), "a\\u{0}b\\u{7f}");
        assert_eq!(printable("\u{202e}evil\u{2028}"), "\\u{202e}evil\\u{2028}");
        assert_eq!(printable_line("two\nlines  and\tmore"), "two lines and more");
    }

    #[test]
    fn nobody_reads_a_million_letters() {
        let text = "é".repeat(1_000_000);
        let shown = printable(&text);
        assert!(shown.starts_with("ééé") && shown.ends_with("and 980000 more characters, which the event log has"));
    }
}
