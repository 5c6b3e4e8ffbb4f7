//! `opcert import`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use opcert_backend::ForeignText;

use super::{CONFORMS, FAILED, Failure, Sources, output};
use crate::case::{Case, Expectation, write};
use crate::diagnostic::Diagnostic;
use crate::file;
use crate::import::{FILE, Foreign, Found, read};
use crate::render;
use crate::spec::Specs;

/// Arguments of `opcert import`.
#[derive(Debug, Args)]
pub(super) struct ImportArguments {
    /// Models of DxDispatch, or test folders of ONNX
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write `<operator>/imported.yaml` into this folder, as `--cases` reads it; otherwise the cases are printed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Whose values a case expects where the file's differ from those that follow from the specification; when nothing
    /// is said, such a case is not written
    #[arg(long, value_enum)]
    expect: Option<Whose>,
    /// Read specifications from this folder instead of the embedded ones
    #[arg(long, value_name = "DIR")]
    specs: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Whose {
    /// What follows from the specification
    Specification,
    /// What the file has
    File,
}

pub(super) fn import(arguments: &ImportArguments) -> Result<u8, Failure> {
    let sources = Sources { cases: None, specs: arguments.specs.clone() };
    let specs = sources.load_specs()?;
    let mut collected = Collected::default();
    for path in &arguments.files {
        match read(path, &specs) {
            Ok(Found { tests, left_out }) => {
                for part in &left_out.named {
                    output::tell(&ForeignText::from(format!("{}: {part}", path.display())).paragraph("  "));
                }
                if let more @ 1.. = left_out.more {
                    output::tell(&format!("  {}: {more} more are left out", path.display()));
                }
                tests.into_iter().for_each(|test| collected.add(path, test, &specs, arguments.expect));
            }
            Err(error) => collected.problems.push(Diagnostic::without_text(&error.path, error.reason)),
        }
    }
    let Collected { cases, problems, agreeing, differing, open, without } = collected;
    if let Some(folder) = &arguments.out {
        let files = cases.keys().map(|operator| folder.join(operator).join(format!("{FILE}.yaml")));
        if let Some(there) = files.into_iter().find(|file| file.exists()) {
            let message = format!("`{}` is there already: say another folder, or move it away", there.display());
            return Err(Failure::Usage(message));
        }
    }
    let texts = cases.iter().filter_map(|(operator, (cases, _))| {
        let first = cases.first()?;
        Some((operator, write(&first.operator, COMMENT, cases)))
    });
    let texts: Vec<(&String, String)> = texts.collect();
    let too_long = |(_, text): &&(&String, String)| text.len() as u64 > file::LONGEST_TEXT;
    if let Some((operator, text)) = texts.iter().find(too_long).filter(|_| arguments.out.is_some()) {
        let (found, most) = (text.len(), file::LONGEST_TEXT);
        return Err(Failure::Usage(format!(
            "the cases of `{operator}` take {found} bytes as a file, and none of more than {most} is read: import fewer, or \
             smaller ones; nothing was written"
        )));
    }
    for (operator, text) in texts {
        match &arguments.out {
            Some(folder) => output::write_whole(&folder.join(operator), &format!("{FILE}.yaml"), text.as_bytes())?,
            None => drop(output::print_as_it_is(&text)?),
        }
    }
    let count: usize = cases.values().map(|(cases, _)| cases.len()).sum();
    // What went wrong comes first, and what was achieved all the same stands below it.
    let code = if problems.is_empty() { None } else { Some(output::report_failure(&Failure::Files(problems))) };
    if count > 0 || code.is_none() {
        let of_open = match open {
            0 => String::new(),
            _ => format!("; what comes out of {open} is open, and no values are compared"),
        };
        output::tell(&format!(
            "{} imported; the files have the same values for {agreeing}, others for {differing}, and none for {without}{of_open}",
            render::counted(count, "case"),
        ));
    }
    Ok(code.unwrap_or(if differing > 0 { FAILED } else { CONFORMS }))
}

/// Stands at the top of what is written.
const COMMENT: &str = "Imported by `opcert import`. What a case covers is worked out when it is read; \
    those that observe say what the documents leave open.";

/// What came of all files.
#[derive(Default)]
struct Collected {
    /// By operator, with their names and the last number that each was given to tell it from others.
    cases: BTreeMap<String, (Vec<Case>, BTreeMap<String, usize>)>,
    problems: Vec<Diagnostic>,
    /// How many cases the files and the definitions agree on, and on how many they do not.
    agreeing: usize,
    differing: usize,
    /// How many cases are only observed.
    open: usize,
    /// For how many of the others the files have no values.
    without: usize,
}

impl Collected {
    fn add(&mut self, path: &Path, test: Foreign, specs: &Specs, expect: Option<Whose>) {
        let name = test.name.clone();
        let imported = match test.complete(specs) {
            Ok(imported) => imported,
            Err(error) => {
                let message = format!("`{name}` cannot be imported: {error}");
                return self.problems.push(Diagnostic::without_text(path, message));
            }
        };
        for disagreement in &imported.disagreements {
            let said = format!("{}: `{name}`: {disagreement}", path.display());
            output::tell(&ForeignText::from(said).paragraph("  "));
        }
        let is_open = matches!(imported.case.expectation, Expectation::Observe);
        self.open += usize::from(is_open);
        self.without += usize::from(!is_open && !imported.compared);
        let differs = !imported.disagreements.is_empty();
        self.differing += usize::from(differs);
        self.agreeing += usize::from(!differs && imported.compared);
        let mut case = match expect {
            None if differs => {
                let way_out = "not written: `--expect specification` or `--expect file` says whose values it has";
                return output::tell(&format!("  {way_out}"));
            }
            Some(Whose::File) if differs => {
                let case = imported.case.clone();
                Case { expectation: imported.stated(), ..case }
            }
            _ => imported.case,
        };
        let (cases, taken) = self.cases.entry(case.operator.id.clone()).or_default();
        if let Some(last) = taken.get(&case.name) {
            let numbered = (last + 1..).map(|number| (number, format!("{}_{number}", case.name)));
            if let Some((number, free)) = numbered.into_iter().find(|(_, name)| !taken.contains_key(name)) {
                taken.insert(std::mem::replace(&mut case.name, free), number);
            }
        }
        taken.insert(case.name.clone(), 1);
        cases.push(case);
    }
}
