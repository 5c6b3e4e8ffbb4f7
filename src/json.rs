//! JSON that is both read by people and short.

use std::borrow::Cow;
use std::io::{self, Write};

use opcert_backend::foreign::is_unseen;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

/// What fits on a line of this many characters stands on one.
const WIDTH: usize = 160;

/// A value as text: what fits on a line stands on one, and the last line ends.
///
/// # Errors
///
/// When it cannot be JSON.
pub fn text(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut pretty = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut pretty, Visible(PrettyFormatter::new())))?;
    Ok(folded(&String::from_utf8_lossy(&pretty)))
}

/// Writes a value on one line.
///
/// # Errors
///
/// When it cannot be JSON, or the stream breaks.
pub fn line(stream: impl Write, value: &impl Serialize) -> Result<(), serde_json::Error> {
    value.serialize(&mut Serializer::with_formatter(stream, Visible(CompactFormatter)))
}

/// Writes every character that cannot be seen as `\u` and its number. JSON asks for that of some of them only, and
/// what another program says may stand in a file that somebody looks at.
struct Visible<F>(F);

macro_rules! passed_on {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(fn $name<W: ?Sized + Write>(&mut self, writer: &mut W $(, $argument: $type)*) -> io::Result<()> {
            self.0.$name(writer $(, $argument)*)
        })*
    };
}

impl<F: Formatter> Formatter for Visible<F> {
    passed_on! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_unseen) {
            let (before, from) = rest.split_at(at);
            let mut letters = from.chars();
            writer.write_all(before.as_bytes())?;
            for unit in letters.next().unwrap_or_default().encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = letters.as_str();
        }
        writer.write_all(rest.as_bytes())
    }
}

/// Takes JSON with each entry on a line of its own, and puts every list and every object that fits onto one line.
///
/// Brackets are known by their places: a string begins and ends with a quotation mark.
fn folded(pretty: &str) -> String {
    let mut lines: Vec<Cow<'_, str>> = Vec::new();
    // Where the lists and objects begin that are not closed yet.
    let mut open: Vec<usize> = Vec::new();
    for line in pretty.lines() {
        lines.push(Cow::Borrowed(line));
        if line.ends_with(['[', '{']) {
            open.push(lines.len() - 1);
        } else if line.trim_start().starts_with([']', '}'])
            && let Some(first) = open.pop()
            && let Some(line) = on_one_line(&lines[first..])
        {
            lines.truncate(first);
            lines.push(Cow::Owned(line));
        }
    }
    lines.push(Cow::Borrowed(""));
    lines.join("\n")
}

/// A list or an object on one line, if it fits.
fn on_one_line(lines: &[Cow<'_, str>]) -> Option<String> {
    let [first, inner @ .., last] = lines else { return None };
    if inner.len() > WIDTH {
        return None;
    }
    let inner: Vec<&str> = inner.iter().map(|line| line.trim_start()).collect();
    let (inner, last) = (inner.join(" "), last.trim_start());
    let line = if first.ends_with('{') { format!("{first} {inner} {last}") } else { format!("{first}{inner}{last}") };
    (line.chars().count() <= WIDTH).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_out_and_read_again() {
        let said = "a\u{1b}[2J\u{9b}1m\u{202e}\u{e0041}é";
        for text in [text(&[said]).unwrap(), String::from_utf8(written(&[said])).unwrap()] {
            assert!(!text.trim_end().contains(is_unseen) && text.contains("\\u202e\\udb40\\udc41é"), "{text}");
            assert_eq!(serde_json::from_str::<[String; 1]>(&text).unwrap(), [said]);
        }
    }

    fn written(value: &impl Serialize) -> Vec<u8> {
        let mut bytes = Vec::new();
        line(&mut bytes, value).unwrap();
        bytes
    }

    #[test]
    fn what_fits_stands_on_one_line_and_says_the_same() {
        let long = "x".repeat(WIDTH);
        let value = serde_json::json!({
            "short": {"a": [1, 2], "b": "]}", "c": {}},
            "long": [long, "[", {"d": "{"}],
        });
        let text = text(&value).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        let expected = format!(
            "{{\n  \"long\": [\n    \"{long}\",\n    \"[\",\n    {{ \"d\": \"{{\" }}\n  ],\n  \"short\": {{ \"a\": [1, 2], \
             \"b\": \"]}}\", \"c\": {{}} }}\n}}\n"
        );
        assert_eq!(text, expected);
    }
}
