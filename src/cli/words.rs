//! Commands as words, in the way of the system that one writes them for: a POSIX shell's, or that of programs on Windows.

/// The words of a command; nothing where a quote does not end.
pub(super) fn split(command: &str) -> Option<Vec<String>> {
    if cfg!(windows) { split_for_windows(command) } else { shlex::split(command) }
}

/// As Microsoft's C library takes a command line apart: words end at blanks outside of double quotes, and of backslashes in front of
/// a quote every two are one, and one that is left over makes it a letter.
fn split_for_windows(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let (mut is_quoted, mut backslashes) = (false, 0);
    let mut letters = command.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\\' {
            backslashes += 1;
            word.get_or_insert_default();
            continue;
        }
        let before = std::mem::take(&mut backslashes);
        let is_quote = letter == '"';
        if before > 0 {
            let kept = if is_quote { before / 2 } else { before };
            word.get_or_insert_default().push_str(&"\\".repeat(kept));
        }
        if is_quote && before % 2 == 0 {
            word.get_or_insert_default();
            // Two of them within quotes are one that is meant.
            if is_quoted && letters.next_if_eq(&'"').is_some() {
                word.get_or_insert_default().push('"');
            } else {
                is_quoted = !is_quoted;
            }
        } else if matches!(letter, ' ' | '\t') && !is_quoted {
            words.extend(word.take());
        } else {
            word.get_or_insert_default().push(letter);
        }
    }
    word.iter_mut().for_each(|word| word.push_str(&"\\".repeat(backslashes)));
    words.extend(word);
    (!is_quoted).then_some(words)
}

/// A word as it is written in a command.
pub(super) fn quoted(word: &str) -> String {
    if cfg!(windows) {
        return quoted_for_windows(word);
    }
    // Only a zero byte cannot be quoted, and no argument has one.
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
}

/// Backslashes stand for themselves there, unless a quote follows them.
fn quoted_for_windows(word: &str) -> String {
    if !word.is_empty() && !word.contains([' ', '\t', '"']) {
        return word.to_owned();
    }
    let mut text = String::from('"');
    let mut backslashes = 0;
    for letter in word.chars() {
        if letter == '"' {
            text.push_str(&"\\".repeat(backslashes + 1));
        }
        backslashes = if letter == '\\' { backslashes + 1 } else { 0 };
        text.push(letter);
    }
    text.push_str(&"\\".repeat(backslashes));
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_for_windows_is_read_there_as_it_was() {
        for word in
            ["plain", "", "two words", r"C:\folder\", r"C:\a folder\", r#"say "it""#, r#"\\"\"#, "\ttab", r#"a\\" b\"#]
        {
            let command = format!("program.exe {} last", quoted_for_windows(word));
            assert_eq!(split_for_windows(&command).unwrap(), ["program.exe", word, "last"], "{command}");
        }
        assert_eq!(quoted_for_windows(r"C:\folder\x.exe"), r"C:\folder\x.exe");
    }

    /// The examples of Microsoft's page on parsing C command-line arguments.
    #[test]
    fn a_command_is_taken_apart_as_on_windows() {
        for (command, words) in [
            (r#""abc" d e"#, vec!["abc", "d", "e"]),
            (r#"a\\b d"e f"g h"#, vec![r"a\\b", "de fg", "h"]),
            (r#"a\\\"b c d"#, vec![r#"a\"b"#, "c", "d"]),
            (r#"a\\\\"b c" d e"#, vec![r"a\\b c", "d", "e"]),
            (r#"a"b"" c d""#, vec![r#"ab" c d"#]),
            ("  \t", vec![]),
        ] {
            assert_eq!(split_for_windows(command).unwrap(), words, "{command}");
        }
        assert_eq!(split_for_windows(r#"a "b c"#), None);
    }
}
