//! Tensors as text, nested as the documents write them, and counts.

use anstream::adapter::strip_str;

use crate::element;
use opcert_backend::{AttributeValue, DataType};

/// `1 case`, `2 cases`.
#[must_use]
pub fn counted(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

/// So many columns a line has where nothing says how many.
pub const USUAL_WIDTH: usize = 80;

/// A text in lines of at most `width` characters: the first one begins with `first`, the others with `indent`. A word
/// that is longer has a line of its own.
#[must_use]
pub fn wrapped(text: &str, first: &str, indent: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(format!("{indent}{word}")),
            None => lines.push(format!("{first}{word}")),
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The value of an attribute.
#[must_use]
pub fn attribute_value(value: &AttributeValue) -> String {
    match value {
        AttributeValue::Integer(value) => value.to_string(),
        AttributeValue::Integers(values) => {
            format!("{{{}}}", values.iter().map(i64::to_string).collect::<Vec<_>>().join(", "))
        }
        AttributeValue::Enumerator(name) => name.clone(),
        AttributeValue::Boolean(value) => value.to_string(),
        AttributeValue::String(text) => format!("{text:?}"),
        AttributeValue::Float32(value) => element::render_float32(*value),
        AttributeValue::Scalar(value) => {
            format!("{}({})", value.data_type(), element::render(&value.bytes(), value.data_type()))
        }
    }
}

/// How many columns a text takes, whose styles take none.
#[must_use]
pub fn columns(text: &str) -> usize {
    if text.contains('\u{1b}') { strip_str(text).to_string().chars().count() } else { text.chars().count() }
}

/// What stands for elements that are too many to be written out.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    format!("{} bytes, blake3 {}", bytes.len(), blake3::hash(bytes).to_hex())
}

/// Tensors with more elements than this are not written out.
pub const LARGEST_SHOWN: usize = 512;

/// How an undefined element is written.
pub const UNDEFINED: &str = "~";
/// How an element is written that a backend never wrote.
pub const UNWRITTEN: &str = "unwritten";

/// Writes a tensor, one innermost row per line, columns aligned. Where `instead` has a text, it stands in for the
/// element.
#[must_use]
pub fn tensor(
    elements: &[u8],
    data_type: DataType,
    sizes: &[u64],
    instead: impl Fn(usize) -> Option<&'static str>,
) -> String {
    let width = data_type.bytes();
    let texts: Vec<String> = elements
        .chunks_exact(width)
        .enumerate()
        .map(|(index, bytes)| instead(index).map_or_else(|| element::render(bytes, data_type), str::to_owned))
        .collect();
    let Some((&row, outer)) = sizes.split_last() else { return texts.concat() };
    if texts.is_empty() || row == 0 {
        return "[]".to_owned();
    }
    let column = texts.iter().map(String::len).max().unwrap_or(0);
    let row = row as usize;
    let rows = texts.len() / row;
    let mut text = String::new();
    for (index, elements) in texts.chunks(row).enumerate() {
        let opened = 1 + brackets_at(index, outer);
        let closed = 1 + brackets_at(index + 1, outer);
        if index > 0 {
            text.push('\n');
        }
        text.push_str(&" ".repeat(sizes.len() - opened));
        text.push_str(&"[".repeat(opened));
        let padded: Vec<String> = elements.iter().map(|element| format!("{element:>column$}")).collect();
        text.push_str(&padded.join(", "));
        text.push_str(&"]".repeat(closed));
        if index + 1 < rows {
            text.push(',');
        }
    }
    text
}

/// How many of the outer dimensions begin (or end) at a row.
fn brackets_at(row: usize, outer: &[u64]) -> usize {
    let mut block = 1usize;
    outer
        .iter()
        .rev()
        .take_while(|&&size| {
            block *= size as usize;
            row.is_multiple_of(block)
        })
        .count()
}

/// A tensor's name as a part of a name: without `Tensor`, in small letters, and of a list with its number behind.
pub(crate) fn short(tensor: &str) -> String {
    let (name, number) = tensor.split_once('[').map_or((tensor, None), |(name, number)| (name, Some(number)));
    let short = name.trim_end_matches('s').strip_suffix("Tensor").unwrap_or(name).to_lowercase();
    number.map_or(short.clone(), |number| format!("{short}_{}", number.trim_end_matches(']')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole_and_lines_short() {
        assert_eq!(wrapped("one two  three\nfour", "- ", "  ", 9), "- one two\n  three\n  four\n");
        assert_eq!(wrapped("unbreakable a b", "", "", 4), "unbreakable\na b\n");
        assert_eq!(wrapped("", "- ", "  ", 9), "");
        assert_eq!(wrapped("\u{1b}[32mone\u{1b}[0m two", "", "", 7), "\u{1b}[32mone\u{1b}[0m two\n");
    }

    #[test]
    fn tensors_look_as_in_the_documents() {
        let elements = [0u8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
        let text = tensor(&elements, DataType::U8, &[1, 1, 3, 4], |_| None);
        assert_eq!(text, "[[[[0, 1, 0, 0],\n   [0, 0, 0, 0],\n   [0, 0, 0, 1]]]]");
        let text =
            tensor(&[1, 2, 3, 4, 5, 6, 7, 8], DataType::U8, &[2, 2, 2], |index| (index == 5).then_some(UNDEFINED));
        assert_eq!(text, "[[[1, 2],\n  [3, 4]],\n [[5, ~],\n  [7, 8]]]");
        assert_eq!(tensor(&[7], DataType::U8, &[], |_| None), "7");
        assert_eq!(tensor(&[], DataType::U8, &[0, 3], |_| None), "[]");
        assert_eq!(tensor(&[1, 255], DataType::I8, &[2], |_| None), "[ 1, -1]");
    }
}
