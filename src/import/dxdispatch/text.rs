//! JSON with what DxDispatch lets pass: comments, commas behind the last element, and anything behind the root.

use serde_json::value::RawValue;

use super::part::Part;

/// A text as JSON has it: spaces instead of comments and of last commas, so that places stay what they are.
pub(super) fn plain(text: &str) -> String {
    without_last_commas(&without_comments(text))
}

/// The root value of a plain text, and whether anything stands behind it.
///
/// # Errors
///
/// What is wrong with the JSON, with line and column.
pub(super) fn parse(plain: &str) -> Result<(Part<'_>, bool), serde_json::Error> {
    let mut values = serde_json::Deserializer::from_str(plain).into_iter::<&RawValue>();
    // Nothing at all is an error of its own.
    let root = values.next().unwrap_or_else(|| serde_json::from_str(plain))?;
    let rest = plain.get(values.byte_offset()..).unwrap_or_default();
    Ok((Part::new(root), !rest.trim().is_empty()))
}

/// Spaces instead of comments, so that places stay what they are.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '"' => {
                let length = string(rest);
                plain.push_str(&rest[..length]);
                rest = &rest[length..];
                continue;
            }
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            _ => {
                plain.push(letter);
                rest = &rest[letter.len_utf8()..];
                continue;
            }
        };
        plain.extend(rest[..length].chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }));
        rest = &rest[length..];
    }
    plain
}

/// Spaces instead of commas that stand between a value and a closing bracket.
fn without_last_commas(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = ',';
    while let Some(letter) = rest.chars().next() {
        let length = if letter == '"' { string(rest) } else { letter.len_utf8() };
        let is_last =
            letter == ',' && !matches!(before, ',' | '[' | '{') && rest[1..].trim_start().starts_with([']', '}']);
        plain.push_str(if is_last { " " } else { &rest[..length] });
        if !letter.is_whitespace() {
            before = letter;
        }
        rest = &rest[length..];
    }
    plain
}

/// The length of the string that a text begins with, quotes included.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The root value of a text, and whether anything stands behind it.
    fn parsed(text: &str) -> Result<(Value, bool), serde_json::Error> {
        let plain = plain(text);
        let (root, more) = parse(&plain)?;
        Ok((serde_json::from_str(&root.to_string())?, more))
    }

    #[test]
    fn comments_last_commas_and_what_follows_are_let_pass() {
        let text = "// head\n{\"a\": [1, 2, /* three, */ ], \"b\": \"// no, ] comment \\\" /*\", } and so on }";
        assert_eq!(parsed(text).unwrap(), (json!({"a": [1, 2], "b": "// no, ] comment \" /*"}), true));
        assert_eq!(parsed("18446744073709551615 // all").unwrap(), (json!(u64::MAX), false));
    }

    #[test]
    fn an_error_has_its_place() {
        for (text, place) in
            [("/* a\nb */ {\"a\": é}", "line 2 column 12"), ("", "line 1 column 0"), ("[1 2]", "line 1 column 4")]
        {
            let error = parsed(text).unwrap_err().to_string();
            assert!(error.contains(place), "{text}: {error}");
        }
        assert!(parsed("{\"a\": NaN}").is_err());
        assert!(parsed("[,]").is_err() && parsed("[1,,]").is_err());
        assert!(parsed("/* never closed").is_err());
        assert!(parsed("\"never closed").is_err());
    }
}
