//! Commands as words, in the way of the system that one writes them for: a POSIX shell's, or that of programs on Windows.

/// The words of a command; nothing where a quote does not end.
pub(super) fn split(command: &str) -> Option<Vec<String>> {
    if cfg!(windows) { Some(winsplit::split(command)) } else { shlex::split(command) }
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
            assert_eq!(winsplit::split(&command), ["program.exe", word, "last"], "{command}");
        }
        assert_eq!(quoted_for_windows(r"C:\folder\x.exe"), r"C:\folder\x.exe");
    }
}
