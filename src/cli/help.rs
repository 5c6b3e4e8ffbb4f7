//! What `opcert help` shows: the commands in groups, and examples of each.

use std::fmt::Write as _;

use clap::Command;
use clap::builder::StyledStr;

/// Examples, a command a line; a test parses them.
const EXAMPLES: &str = include_str!("examples.txt");

/// The commands by what they are for, in the order in which a person needs them.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Test a backend", &["certify", "run", "smoke", "fuzz", "bench", "backends"]),
    ("Read reports", &["matrix", "diff", "trend", "merge", "verify", "observe", "expectations"]),
    ("Look at the suite", &["list", "show", "expect", "explain", "compare"]),
    ("Carry cases to where opcert does not run", &["export", "judge", "import"]),
    ("Write specifications and cases", &["validate", "generate", "mutate", "schema"]),
    ("For other programs", &["serve", "completions"]),
];

fn commands() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().flat_map(|(_, commands)| commands.iter().copied())
}

/// The examples of a command.
fn examples(command: &str) -> impl Iterator<Item = &'static str> {
    let beginning = format!("opcert {command} ");
    EXAMPLES.lines().filter(move |line| format!("{line} ").contains(&beginning))
}

/// The same command, with its subcommands in groups and with examples.
pub(super) fn in_groups(command: Command) -> Command {
    let header = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let width = commands().map(str::len).max().unwrap_or_default();
    let mut groups = String::new();
    for (title, commands) in GROUPS {
        let _ = writeln!(groups, "{header}{title}:{header:#}");
        for name in commands {
            let about = command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            let _ = writeln!(groups, "  {literal}{name:<width$}{literal:#}  {}", about.unwrap_or_default());
        }
        groups.push('\n');
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    commands().fold(command.help_template(template), |command, name| {
        command.mut_subcommand(name, |subcommand| subcommand.after_help(written(name, header, literal)))
    })
}

fn written(command: &str, header: anstyle::Style, literal: anstyle::Style) -> StyledStr {
    let mut text = format!("{header}Examples:{header:#}");
    for example in examples(command) {
        let _ = write!(text, "\n  {literal}{example}{literal:#}");
    }
    StyledStr::from(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command;

    /// The commands for people; those by which the program starts itself are hidden.
    fn shown(command: &Command) -> impl Iterator<Item = &Command> {
        command.get_subcommands().filter(|each| !each.is_hide_set())
    }

    #[test]
    fn every_command_is_in_one_group() {
        let command = command(&[]);
        let mut there: Vec<&str> = shown(&command).map(Command::get_name).collect();
        let mut grouped: Vec<&str> = commands().collect();
        there.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, there);
    }

    #[test]
    fn help_fits_on_a_terminal() {
        let mut command = command(&[]).term_width(80);
        command.build();
        let mut names: Vec<String> = shown(&command).map(|each| each.get_name().to_owned()).collect();
        names.push(String::new());
        for name in names {
            let shown = match command.find_subcommand_mut(&name) {
                Some(subcommand) => subcommand.clone().term_width(80).render_long_help().to_string(),
                None => command.render_long_help().to_string(),
            };
            for line in shown.lines() {
                assert!(line.chars().count() <= 80, "`opcert help {name}`: {line}");
            }
            assert!(name.is_empty() || name == "help" || shown.contains("Examples:"), "{shown}");
        }
    }

    #[test]
    fn examples_are_commands() {
        let mut found = 0;
        for name in commands() {
            for example in examples(name) {
                let words = example.trim_start_matches("source <(").trim_end_matches(')').trim_end_matches("| source");
                let words = shlex::split(words).unwrap();
                let matches = command(&[]).try_get_matches_from(&words);
                let matches = matches.unwrap_or_else(|error| panic!("{example}: {error}"));
                assert_eq!(matches.subcommand_name(), Some(name), "{example}");
                found += 1;
            }
        }
        assert_eq!(found, EXAMPLES.lines().count(), "an example is of no command");
    }

    /// Every Markdown file of the repository, with its text.
    fn documents() -> Vec<(String, String)> {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/");
        let patterns = ["*.md", "docs/*.md", "cases/*.md", "specs/*.md", "reports/*.md", "backends/*/README.md"];
        let found = patterns.iter().flat_map(|pattern| glob::glob(&format!("{root}{pattern}")).unwrap());
        let read = |path: std::path::PathBuf| (path.display().to_string(), std::fs::read_to_string(&path).unwrap());
        found.map(|path| read(path.unwrap())).collect()
    }

    /// The commands in a text, and whether each is a whole one that stands in a block, or is only spoken of. What is
    /// explained stands behind two spaces or a `#`; `…`, brackets and what stands for a word are for the reader.
    fn commands_in(text: &str) -> Vec<(String, bool)> {
        let prefixes = ["$ opcert ", "opcert ", "cargo run --release -- "];
        let block = |line: &str| {
            let line = line.trim_start();
            let words = prefixes.iter().find_map(|prefix| line.strip_prefix(prefix))?;
            let words = words.split("  ").next()?.split(" #").next()?.split(" > ").next()?;
            Some((words.to_owned(), true))
        };
        let is_code = |line: &&str| line.starts_with("    ") || line.starts_with("$ ");
        let blocks = text.lines().filter(is_code).filter_map(block);
        let spans = text.split('`').skip(1).step_by(2).filter_map(|span| span.strip_prefix("opcert "));
        let spans = spans.map(|words| (words.to_owned(), false));
        blocks.chain(spans).filter(|(words, _)| !words.contains(['…', '[', '\\', '\n', '{', '$', '|'])).collect()
    }

    #[test]
    fn commands_in_documents_exist() {
        let mut found = 0;
        for (document, text) in documents() {
            for (written, is_whole) in commands_in(&text) {
                let words = shlex::split(&written).unwrap_or_else(|| panic!("{document}: {written}"));
                let words = ["opcert".to_owned()].into_iter().chain(words);
                found += 1;
                let Err(error) = command(&[]).try_get_matches_from(words) else { continue };
                use clap::error::ErrorKind::{DisplayHelp, DisplayVersion, InvalidValue, MissingRequiredArgument};
                let is_spoken_of = match error.kind() {
                    DisplayHelp | DisplayVersion => true,
                    // An option or a command is named without its values; a value is in capitals.
                    MissingRequiredArgument | InvalidValue => !is_whole || written.chars().any(char::is_uppercase),
                    _ => false,
                };
                assert!(is_spoken_of, "{document}: `opcert {written}`: {error}");
            }
        }
        assert!(found > 60, "only {found} commands were found");
    }
}
