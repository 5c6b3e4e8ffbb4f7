//! JSON that is both read by people and short.

use serde::Serialize;

/// What fits on a line of this many characters stands on one.
const WIDTH: usize = 160;

/// A value as text: what fits on a line stands on one, and the last line ends.
///
/// # Errors
///
/// When it cannot be JSON.
pub fn text(value: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(value).map(|pretty| folded(&pretty))
}

/// Takes JSON with each entry on a line of its own, and puts every list and every object that fits onto one line.
///
/// Brackets are known by their places: a string begins and ends with a quotation mark.
fn folded(pretty: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    // Where the lists and objects begin that are not closed yet.
    let mut open: Vec<usize> = Vec::new();
    for line in pretty.lines() {
        lines.push(line.to_owned());
        if line.ends_with(['[', '{']) {
            open.push(lines.len() - 1);
        } else if line.trim_start().starts_with([']', '}'])
            && let Some(first) = open.pop()
            && let Some(line) = on_one_line(&lines[first..])
        {
            lines.truncate(first);
            lines.push(line);
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// A list or an object on one line, if it fits.
fn on_one_line(lines: &[String]) -> Option<String> {
    let [first, inner @ .., last] = lines else { return None };
    let inner: Vec<&str> = inner.iter().map(|line| line.trim_start()).collect();
    let (inner, last) = (inner.join(" "), last.trim_start());
    let line = if first.ends_with('{') { format!("{first} {inner} {last}") } else { format!("{first}{inner}{last}") };
    (line.chars().count() <= WIDTH).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

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
