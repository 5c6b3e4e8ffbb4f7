//! The examples that the documents print, run as they stand: each `console` block, in a folder with the files that the
//! document shows.
//!
//! `<!-- file: NAME -->` before a block makes it a file, and `<!-- part: NAME -->` says that it stands in one. A command's
//! output is compared line by line; a line `…` stands for any lines. `<!-- exit: CODE -->` before a block says how its last
//! command ends, if not with 0. A block `console numpy` runs the backend of `examples/own_operator`, which its `backend/setup`
//! makes runnable.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::opcert;
use tempfile::TempDir;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every document of the repository.
fn documents() -> Vec<PathBuf> {
    let found = ["*.md", "*/*.md", "*/*/*.md"].map(|pattern| format!("{}/{pattern}", root().display()));
    let found = found.iter().flat_map(|pattern| glob::glob(pattern).unwrap()).map(Result::unwrap);
    let built = root().join("target");
    found.filter(|path| !path.starts_with(&built)).collect()
}

/// A fenced block: the comment before it, its language, its lines.
struct Block {
    comment: Option<(String, String)>,
    language: String,
    text: String,
}

fn blocks(document: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut before = "";
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: String =
                lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
            let comment = before.strip_prefix("<!-- ").and_then(|comment| comment.strip_suffix(" -->"));
            let comment = comment.and_then(|comment| comment.split_once(": "));
            let comment = comment.map(|(key, value)| (key.to_owned(), value.to_owned()));
            blocks.push(Block { comment, language: language.to_owned(), text });
        }
        before = line;
    }
    blocks
}

impl Block {
    fn comment(&self, key: &str) -> Option<&str> {
        self.comment.as_ref().filter(|(found, _)| found == key).map(|(_, value)| value.as_str())
    }

    /// The commands with what they print.
    fn commands(&self) -> Vec<(Vec<String>, Vec<&str>)> {
        let mut commands: Vec<(Vec<String>, Vec<&str>)> = Vec::new();
        for line in self.text.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => commands.push((shlex::split(command).unwrap(), Vec::new())),
                None => commands.last_mut().unwrap().1.push(line),
            }
        }
        commands
    }
}

/// Whether lines are the printed ones, in which `…` stands for any number of lines.
fn are_printed(lines: &[&str], printed: &[&str]) -> bool {
    match printed.split_first() {
        None => lines.is_empty(),
        Some((&"…", rest)) => (0..=lines.len()).any(|from| are_printed(&lines[from..], rest)),
        Some((first, rest)) => lines.first() == Some(first) && are_printed(&lines[1..], rest),
    }
}

/// Runs what a document prints in blocks of these languages; the number of commands.
fn run(document: &Path, folder: &Path, languages: &[&str]) -> usize {
    let name = document.strip_prefix(root()).unwrap().display().to_string();
    let mut count = 0;
    for block in blocks(&fs::read_to_string(document).unwrap()) {
        if let Some(file) = block.comment("file") {
            let file = folder.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, &block.text).unwrap();
        }
        if let Some(file) = block.comment("part") {
            let whole = fs::read_to_string(folder.join(file)).unwrap();
            assert!(whole.contains(&block.text), "{name}: `{file}` has no such part:\n{}", block.text);
        }
        if !languages.contains(&block.language.as_str()) {
            continue;
        }
        let commands = block.commands();
        let last = commands.len() - 1;
        for (at, (words, printed)) in commands.iter().enumerate() {
            let (program, arguments) = words.split_first().unwrap();
            assert_eq!(program, "opcert", "{name}: only opcert is run");
            let ran = opcert(folder, arguments);
            let code: i32 = block.comment("exit").filter(|_| at == last).map_or(0, |code| code.parse().unwrap());
            // As a terminal shows both.
            let said = format!("{}{}", ran.out, ran.err);
            let lines: Vec<&str> = said.lines().map(str::trim_end).collect();
            let as_printed = ran.code == code && are_printed(&lines, printed);
            assert!(as_printed, "{name}: `{}` is to end with {code}, and came to\n{}", words.join(" "), ran.said());
            count += 1;
        }
    }
    count
}

/// Copies the files of a folder, and not those of folders in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// The cases of which the README speaks without printing them: those of an operator, with an element changed.
fn files_of_the_readme(folder: &Path) {
    let place = Path::new("directml/one_hot");
    let cases = folder.join("my-cases").join(place);
    copy(&root().join("cases").join(place), &cases);
    let documented = cases.join("documented.yaml");
    let text = fs::read_to_string(&documented).unwrap();
    let (before, example) = text.split_once("  example_4:").unwrap();
    let expected = "OutputTensor: [[[[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]]]";
    assert!(example.contains(expected), "{example}");
    let wrong = example.replacen(expected, "OutputTensor: [[[[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]]]", 1);
    fs::write(&documented, format!("{before}  example_4:{wrong}")).unwrap();
}

/// The walk-through of an own operator, and the folder in which it is gone through.
const WALK_THROUGH: &str = "docs/OWN_OPERATOR.md";
const OWN_OPERATOR: &str = "examples/own_operator";

/// The folder of the walk-through.
fn files_of_the_own_operator(folder: &Path) {
    for part in ["", "specs/loom", "cases/loom/window", "backend"] {
        copy(&root().join(OWN_OPERATOR).join(part), &folder.join(part));
    }
}

#[test]
fn documents_print_what_commands_say() {
    let mut commands = 0;
    for document in documents() {
        let folder = TempDir::new().unwrap();
        if document == root().join("README.md") {
            files_of_the_readme(folder.path());
        }
        if document == root().join(WALK_THROUGH) {
            files_of_the_own_operator(folder.path());
        }
        commands += run(&document, folder.path(), &["console"]);
    }
    assert!(commands >= 6, "only {commands} commands were found");
}

#[cfg(unix)]
#[test]
#[ignore = "needs NumPy: `examples/own_operator/backend/setup` installs it"]
fn the_own_operator_comes_to_what_is_printed() {
    let folder = TempDir::new().unwrap();
    files_of_the_own_operator(folder.path());
    let installed = root().join(OWN_OPERATOR).join("backend/.venv");
    assert!(installed.exists(), "{}: run `setup` beside it", installed.display());
    std::os::unix::fs::symlink(installed, folder.path().join("backend/.venv")).unwrap();
    let commands = run(&root().join(WALK_THROUGH), folder.path(), &["console", "console numpy"]);
    assert!(commands >= 10, "only {commands} commands were found");
}

#[test]
fn three_dots_stand_for_any_lines() {
    assert!(are_printed(&["a", "b", "c"], &["a", "…", "c"]));
    assert!(are_printed(&["a", "c"], &["a", "…", "c", "…"]));
    assert!(!are_printed(&["a", "b", "c"], &["a", "c"]));
    assert!(!are_printed(&["a", "b"], &["…", "c"]));
    assert!(!are_printed(&["a", "b"], &["a"]));
}
