//! Where specifications, cases and workloads come from: embedded in the program, held by it, or from the file system.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Position, Problem, lines_of};
use crate::file;

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
}

/// A tree of YAML files.
#[derive(Clone, Debug)]
pub enum Source {
    /// Files that are part of the program.
    Embedded {
        /// The folder in the repository: `specs`, `cases`, `workloads` or `mappings`.
        folder: &'static str,
        /// Paths below it and texts, sorted by path.
        files: &'static [(&'static str, &'static str)],
    },
    /// Files that a program holds: their stems, such as `directml/one_hot/documented`, and their texts.
    Held(Vec<(String, String)>),
    /// A folder, or a single file.
    Path(PathBuf),
}

/// A file of a source.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path to show.
    pub path: PathBuf,
    /// The path below the source's root, with `/`, without `.yaml`: `directml/one_hot/documented`.
    pub stem: String,
    held: Option<Cow<'static, str>>,
}

impl Source {
    /// The specifications in the program.
    #[must_use]
    pub const fn embedded_specs() -> Self {
        Self::Embedded { folder: "specs", files: embedded::SPECS }
    }

    /// The cases in the program.
    #[must_use]
    pub const fn embedded_cases() -> Self {
        Self::Embedded { folder: "cases", files: embedded::CASES }
    }

    /// The workloads in the program.
    #[must_use]
    pub const fn embedded_workloads() -> Self {
        Self::Embedded { folder: "workloads", files: embedded::WORKLOADS }
    }

    /// The mappings in the program.
    #[must_use]
    pub const fn embedded_mappings() -> Self {
        Self::Embedded { folder: "mappings", files: embedded::MAPPINGS }
    }

    /// Where it is, as it is shown.
    #[must_use]
    pub fn place(&self) -> &Path {
        match self {
            Self::Embedded { folder, .. } => Path::new(folder),
            Self::Held(_) => Path::new("what the program holds"),
            Self::Path(path) => path,
        }
    }

    /// All files, sorted by path.
    ///
    /// # Errors
    ///
    /// A folder that cannot be read, and every file in it that opcert would not read: neither YAML, nor a schema, nor
    /// documentation.
    pub fn files(&self) -> Result<Vec<SourceFile>, Vec<Diagnostic>> {
        match self {
            Self::Embedded { folder, files } => Ok(files
                .iter()
                .map(|(path, text)| SourceFile {
                    path: Path::new(folder).join(path),
                    stem: path.trim_end_matches(".yaml").to_owned(),
                    held: Some(Cow::Borrowed(text)),
                })
                .collect()),
            Self::Held(files) => {
                let mut files: Vec<SourceFile> = files
                    .iter()
                    .map(|(stem, text)| SourceFile {
                        path: PathBuf::from(format!("{stem}.yaml")),
                        stem: stem.clone(),
                        held: Some(Cow::Owned(text.clone())),
                    })
                    .collect();
                files.sort_by(|one, other| one.stem.cmp(&other.stem));
                Ok(files)
            }
            Self::Path(path) => {
                let mut found = Walk { root: path.clone(), files: Vec::new(), problems: Vec::new() };
                match fs::metadata(path) {
                    Ok(metadata) if !metadata.is_dir() => {
                        found.root = path.parent().map(Path::to_owned).unwrap_or_default();
                        found.add_yaml(path.clone());
                    }
                    Ok(_) => found.walk(path),
                    Err(error) => found.problems.push(Diagnostic::without_text(path, unreadable(&error))),
                }
                found.files.sort_by(|one, other| one.stem.cmp(&other.stem));
                if found.problems.is_empty() { Ok(found.files) } else { Err(found.problems) }
            }
        }
    }
}

impl SourceFile {
    /// The text of the file.
    ///
    /// # Errors
    ///
    /// When it cannot be read or is no UTF-8.
    pub fn read(&self) -> Result<Cow<'static, str>, Box<Diagnostic>> {
        if let Some(text) = &self.held {
            return Ok(text.clone());
        }
        let bytes = file::read(&self.path, file::LONGEST_TEXT)
            .map_err(|error| Box::new(Diagnostic::without_text(&self.path, unreadable(&error))))?;
        String::from_utf8(bytes).map(Cow::Owned).map_err(|error| {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let valid = String::from_utf8_lossy(valid);
            let line = lines_of(&valid).count().max(1) as u32;
            let column = valid.rsplit(['\n', '\r']).next().unwrap_or_default().chars().count() as u32 + 1;
            let message = format!("the file is not UTF-8: byte {} does not belong there", valid.len());
            let problem = Problem::at(Position { line, column, length: 1 }, message);
            Box::new(Diagnostic { file: self.path.clone(), problem, line: None })
        })
    }
}

fn unreadable(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}

struct Walk {
    root: PathBuf,
    files: Vec<SourceFile>,
    problems: Vec<Diagnostic>,
}

impl Walk {
    fn walk(&mut self, folder: &Path) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.problems.push(Diagnostic::without_text(folder, unreadable(&error))),
        };
        for entry in entries {
            let found = entry.and_then(|entry| Ok((entry.path(), entry.file_name(), entry.file_type()?)));
            match found {
                Ok((_, name, _)) if name.as_encoded_bytes().starts_with(b".") => {}
                Ok((path, _, kind)) if kind.is_dir() => self.walk(&path),
                Ok((path, ..)) => self.add_file(path),
                Err(error) => self.problems.push(Diagnostic::without_text(folder, unreadable(&error))),
            }
        }
    }

    fn add_file(&mut self, path: PathBuf) {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension {
            Some("yaml") => self.add_yaml(path),
            Some("md" | "json") => {}
            _ => self.problems.push(Diagnostic {
                problem: Problem::of_file("this file belongs to nothing")
                    .with_help("specifications, cases and workloads end in `.yaml`, notes in `.md`"),
                file: path,
                line: None,
            }),
        }
    }
    fn add_yaml(&mut self, path: PathBuf) {
        let below = path.strip_prefix(&self.root).unwrap_or(&path).with_extension("");
        let stem = below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
        self.files.push(SourceFile { path, stem, held: None });
    }
}
