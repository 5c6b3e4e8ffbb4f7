//! What commands write.

use std::fs;
use std::io::{self, BufReader, IsTerminal, Read as _, Write};
use std::path::{Path, PathBuf};

use opcert_backend::foreign::{only_styled, printable_line};
use opcert_backend::{ForeignText, Identity};
use serde::Serialize;

use super::input::quoted;
use super::{BAD_INPUT, CONFORMS, FAILED, Failure, NO_BACKEND};
use crate::diagnostic::Diagnostic;
use crate::file;
use crate::json;
use crate::near::path_meant;
use crate::render::{self, counted};
pub(super) use crate::report::LOG_FILE;
use crate::report::{CERTIFICATE_FILE, Environment, Log, SIGNATURE_FILE, SuiteDigests, bundle};
use crate::signature::Signer;

/// So many problems are shown one by one.
const MOST_SHOWN: usize = 200;

/// Prints to standard output; styles are stripped where it is no terminal, and nothing but styles is a command to it.
pub(super) fn print(text: &str) -> Result<u8, Failure> {
    let mut stream = anstream::stdout().lock();
    unless_unread(stream.write_all(only_styled(text).as_bytes()).and_then(|()| stream.flush()))?;
    Ok(CONFORMS)
}

/// Whoever reads the output may stop before its end: that changes nothing of what was found, nor of the exit code.
pub(super) fn unless_unread(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Says something beside the result: a line on standard error, and what else belongs to it below, further in.
pub(super) fn tell(text: &str) {
    // Nobody is left to be told that nobody listens.
    let _ = writeln!(anstream::stderr().lock(), "{}", only_styled(text));
}

/// How many columns there are for what is printed: as many as `COLUMNS` says, or the terminal, or as there usually are.
pub(super) fn width() -> usize {
    let stated = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|&columns| columns > 0);
    let terminal = || terminal_size::terminal_size().map(|(columns, _)| usize::from(columns.0));
    stated.or_else(terminal).unwrap_or(render::USUAL_WIDTH)
}

/// The same, and nothing where a program reads and nobody says how many: what is a line for it stays one.
pub(super) fn width_for_people() -> Option<usize> {
    width_on(&io::stdout())
}

/// The same of what is written to a stream.
fn width_on(stream: &impl IsTerminal) -> Option<usize> {
    (stream.is_terminal() || std::env::var_os("COLUMNS").is_some()).then(width)
}

/// Prints a file to standard output, every byte of it.
pub(super) fn print_as_it_is(text: &str) -> Result<u8, Failure> {
    let mut stream = io::stdout().lock();
    unless_unread(stream.write_all(text.as_bytes()).and_then(|()| stream.flush()))?;
    Ok(CONFORMS)
}

/// Prints JSON to standard output.
pub(super) fn print_json(value: &impl Serialize) -> Result<u8, Failure> {
    print_as_it_is(&json::text(value).map_err(|error| Failure::Usage(error.to_string()))?)
}

/// Says why a command came to nothing, and gives its exit code.
pub(super) fn report_failure(failure: &Failure) -> u8 {
    match failure {
        Failure::Files(diagnostics) => {
            for diagnostic in diagnostics.iter().take(MOST_SHOWN) {
                tell(&format!("{}\n", diagnostic.render(true)));
            }
            if diagnostics.len() > MOST_SHOWN {
                tell(&format!("and {} more", diagnostics.len() - MOST_SHOWN));
            }
            let files = count_files(diagnostics);
            tell(&format!("{} in {}", counted(diagnostics.len(), "problem"), counted(files, "file")));
            BAD_INPUT
        }
        Failure::Usage(message) => {
            tell(&error(message));
            BAD_INPUT
        }
        Failure::Backend(message) => {
            tell(&error(message));
            NO_BACKEND
        }
        Failure::Stopped(message) => {
            tell(&printable_line(message));
            FAILED
        }
    }
}

/// An error in words, which may quote what came from outside.
pub(super) fn error(message: &impl ToString) -> String {
    beside(&format!("error: {}", ForeignText::from(message.to_string()).paragraph("  ")))
}

/// What is said beside the result, in lines that fit the terminal; as it is where a program reads.
pub(super) fn beside(text: &str) -> String {
    width_on(&io::stderr()).map_or_else(|| text.to_owned(), |width| in_columns(text, width).trim_end().to_owned())
}

/// Lines that fit the terminal; as they are where a program reads.
pub(super) fn fitted(text: &str) -> String {
    width_for_people().map_or_else(|| text.to_owned(), |width| in_columns(text, width))
}

/// Lines of at most `width` columns. What does not fit goes on below, a step further in than its line.
fn in_columns(text: &str, width: usize) -> String {
    let fitting = |line: &str| {
        let indent = &line[..line.len() - line.trim_start().len()];
        let fits = render::columns(line) <= width;
        if fits {
            format!("{line}\n")
        } else {
            render::wrapped(line.trim_start(), indent, &format!("{indent}  "), width)
        }
    };
    text.lines().map(fitting).collect()
}

fn count_files(diagnostics: &[Diagnostic]) -> usize {
    let mut files: Vec<&PathBuf> = diagnostics.iter().map(|diagnostic| &diagnostic.file).collect();
    files.sort();
    files.dedup();
    files.len()
}

/// Writes a bundle into a folder: the log, what is rendered from it, the environment, the certificate and its signature.
/// Each file appears whole or not at all.
pub(super) fn write_reports(
    folder: &Path,
    log: &Log,
    suite: SuiteDigests,
    environment: &Environment,
    signer: Option<&Signer>,
) -> Result<(), Failure> {
    let files = bundle(log, suite, environment).map_err(|error| Failure::Usage(error.to_string()))?;
    let certificate = files.iter().find(|(name, _)| *name == CERTIFICATE_FILE).map_or("", |(_, text)| text);
    let signature = signer.map(|signer| signer.sign(certificate.as_bytes())).transpose();
    let signature = signature.map_err(|error| Failure::Usage(format!("the key {error}")))?;
    drop_outdated_signature(folder, certificate)?;
    let signature = signature.map(|text| (SIGNATURE_FILE, text));
    files.iter().chain(&signature).try_for_each(|(name, text)| write_whole(folder, name, text.as_bytes()))
}

/// Refuses a folder that holds the report of another backend, which would be lost.
pub(super) fn not_of_another(folder: &Path, backend: &Identity) -> Result<(), Failure> {
    let before = file::read(&folder.join(CERTIFICATE_FILE), file::LONGEST_LOG).ok();
    let before = before.and_then(|text| serde_json::from_slice::<serde_json::Value>(&text).ok());
    let owner = before.as_ref().and_then(|certificate| certificate.get("backend")?.get("name")?.as_str());
    match owner {
        Some(owner) if backend.name != owner => Err(Failure::Usage(format!(
            "`{}` holds a report of `{owner}`, and this is one of `{}`: name another folder, or remove that report first",
            folder.display(),
            backend.name
        ))),
        _ => Ok(()),
    }
}

/// Removes the signature of another certificate than the one that is about to be written.
fn drop_outdated_signature(folder: &Path, certificate: &str) -> Result<(), Failure> {
    let path = folder.join(SIGNATURE_FILE);
    let unchanged = file::read(&folder.join(CERTIFICATE_FILE), file::LONGEST_LOG)
        .is_ok_and(|before| before == certificate.as_bytes());
    if unchanged {
        return Ok(());
    }
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Failure::Usage(format!("`{}` cannot be removed: {error}", path.display())))
        }
        _ => Ok(()),
    }
}

/// Writes a file into a folder, which need not exist. It appears whole or not at all.
pub(super) fn write_whole(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Failure> {
    let cannot = |path: &Path| {
        let path = path.display().to_string();
        move |error: io::Error| Failure::Usage(format!("`{path}` cannot be written: {error}"))
    };
    fs::create_dir_all(folder).map_err(cannot(folder))?;
    let path = folder.join(name);
    file::replace(&path, bytes).map_err(cannot(&path))
}

/// Writes a file to where a person wants it. It appears whole or not at all.
pub(super) fn write_file(path: &Path, text: &str) -> Result<u8, Failure> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| Failure::Usage(format!("`{}` is no name for a file", path.display())))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    write_whole(folder, name, text.as_bytes())?;
    Ok(CONFORMS)
}

/// The name of this program as a shell takes it, which may be another one's for a backend of its own.
pub(super) fn program() -> String {
    let program = std::env::current_exe().ok().and_then(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
    program.map_or_else(|| "opcert".to_owned(), |program| quoted(&program))
}

/// Where the log of a run into a folder stands until the run has ended.
pub(super) fn unfinished_log(folder: &Path) -> PathBuf {
    folder.join(format!("{LOG_FILE}.unfinished"))
}

/// Reads an event log, or the one in a folder of reports.
pub(super) fn read_log(report: &Path) -> Result<Log, Failure> {
    let path = if report.is_dir() { report.join(LOG_FILE) } else { report.to_owned() };
    let is_unfinished = path == unfinished_log(path.parent().unwrap_or(Path::new("")));
    if path.exists() && !is_unfinished { read_there(&path) } else { Err(no_report(report)) }
}

/// Whether a folder holds a report, or what is checked in of one.
pub(super) fn holds_report(folder: &Path) -> bool {
    [LOG_FILE, CERTIFICATE_FILE].iter().any(|file| folder.join(file).exists())
}

/// Why no report is where one is looked for: the run was cut off, only a certificate is there, or it is elsewhere.
pub(super) fn no_report(report: &Path) -> Failure {
    let folder = if report.is_dir() { report } else { report.parent().unwrap_or(Path::new("")) };
    let unfinished = unfinished_log(folder);
    if unfinished.exists() {
        let way_out = "the run was cut off and has no report yet: its command goes on with `--resume`";
        return Failure::Usage(format!("`{}`: {way_out}", unfinished.display()));
    }
    let made = "`opcert certify --out DIR` makes one";
    Failure::Usage(match report.join(CERTIFICATE_FILE).exists() {
        true => format!(
            "`{}` holds a certificate and no event log, which has each case: certify the backend again with `--out`",
            report.display()
        ),
        false if report.is_dir() => format!("there is no report in `{}`: {made}{}", report.display(), below(report)),
        false => format!("there is no report `{}`: {made}{}", report.display(), path_meant(report)),
    })
}

/// The folders in a folder that hold a report, for whoever meant one of them.
fn below(folder: &Path) -> String {
    let mut places: Vec<PathBuf> = file::entries(folder).filter(|place| holds_report(place)).collect();
    places.sort();
    let shown: Vec<String> = places.iter().take(3).map(|place| format!("`{}`", place.display())).collect();
    let more = if places.len() > shown.len() { " and others" } else { "" };
    if shown.is_empty() { String::new() } else { format!("; there are some below it: {}{more}", shown.join(", ")) }
}

fn read_there(path: &Path) -> Result<Log, Failure> {
    let problem = |error: &dyn std::fmt::Display| Failure::Usage(format!("`{}`: {error}", path.display()));
    let (file, length) = file::open(path, file::LONGEST_LOG).map_err(|error| problem(&error))?;
    Log::read(BufReader::new(file.take(length))).map_err(|error| problem(&error))
}
