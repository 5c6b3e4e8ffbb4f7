//! Results that came back: what [`export`](crate::export) sent out was run elsewhere, by tools that know nothing of
//! opcert, and its answers are executions like any other.

mod absent;
mod answer;
mod files;
mod outputs;
mod strays;

pub(crate) use absent::is_absence;
pub use answer::{ANSWER_FILE, AnswerFile};

use absent::{Absent, at_level, first_output};

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use opcert_backend::{CompileError, Fault, Identity, NamedTensor, Role};
use serde::de::DeserializeOwned;

use crate::check::{CheckedCase, ValidCase};
use crate::diagnostic::Diagnostic;
use crate::export::{EXPORT_FORMAT, ExportManifest, MANIFEST_FILE, OUTPUTS, OUTPUTS_AGAIN, OutputForm, Written};
use crate::mapping::Mappings;
use crate::plan::{Decision, Plan, Planned};
use crate::run::{Execution, Executor};
use crate::spec::Level;

/// The name of the file that says whose results these are.
pub const IDENTITY_FILE: &str = "backend.json";

/// An answer is at most this long, in bytes.
const LONGEST_ANSWER: u64 = 1 << 20;

/// What is said of an export is at most this long, in bytes.
const LONGEST_MANIFEST: u64 = 1 << 26;

/// Results in a folder.
#[derive(Clone, Debug)]
pub struct Returned {
    folder: PathBuf,
    /// How cases were said as other operators.
    mappings: Arc<Mappings>,
    /// What was sent out.
    pub manifest: ExportManifest,
    /// Whose results these are.
    pub identity: Identity,
}

/// Why there are no results to judge.
#[derive(Debug, thiserror::Error)]
pub enum ReturnedError {
    /// A file is not there.
    #[error("there is no `{}`: {way_out}", path.display())]
    Absent {
        /// The file.
        path: PathBuf,
        /// Where it comes from.
        way_out: &'static str,
    },
    /// A file cannot be read.
    #[error("`{}` {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The layout is another version's.
    #[error("`{}` has the layout {found} of exports, and {EXPORT_FORMAT} is known", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
}

const EXPORT_FIRST: &str = "`opcert export` writes it, and what is judged is a folder that was exported";
const SAY_WHO: &str = "write there whose results these are, for instance \
    {\"name\": \"my-npu\", \"version\": \"1.2.3\", \"claims\": {\"directml\": \"6_4\"}, \"strided\": false, \
    \"refuses_invalid\": false}";

impl Returned {
    /// Reads what is said of the results in a folder. The results themselves are read one by one, later.
    ///
    /// # Errors
    ///
    /// When it is not said what was exported, or who answered.
    pub fn open(folder: &Path, mappings: &Arc<Mappings>) -> Result<Self, ReturnedError> {
        let manifest: ExportManifest = read_json(&folder.join(MANIFEST_FILE), EXPORT_FIRST)?;
        if manifest.format != EXPORT_FORMAT {
            return Err(ReturnedError::Format { path: folder.join(MANIFEST_FILE), found: manifest.format });
        }
        let identity = read_json(&folder.join(IDENTITY_FILE), SAY_WHO)?;
        Ok(Self { folder: folder.to_owned(), mappings: Arc::clone(mappings), manifest, identity })
    }

    /// The folder of a case.
    fn case_folder(&self, id: &str) -> PathBuf {
        self.folder.join(self.manifest.carried.folder(id))
    }

    /// Every file among the results that belongs to nothing that was asked for.
    #[must_use]
    pub fn strays(&self, plan: &Plan) -> Vec<Diagnostic> {
        strays::find(self, plan)
    }

    fn answer(&self, folder: &Path) -> Result<Option<AnswerFile>, Fault> {
        match files::read(&folder.join(ANSWER_FILE), LONGEST_ANSWER) {
            Ok(bytes) => serde_json::from_slice(without_mark(&bytes))
                .map(Some)
                .map_err(|error| Fault::Protocol(format!("`{ANSWER_FILE}` is no answer: {error}"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Fault::Protocol(format!("`{ANSWER_FILE}` {error}"))),
        }
    }
}

impl Executor for Returned {
    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn execute(&self, planned: &Planned) -> Execution {
        let Decision::Run(levels) = &planned.decision else { return Execution::Skipped };
        let Some(&level) = levels.first() else { return Execution::Skipped };
        let about = planned.case.about();
        let folder = self.case_folder(&about.id);
        let answer = match self.manifest.inexpressible.get(&about.id) {
            Some(reason) => Ok(Some(AnswerFile::Unsupported { reason: reason.clone() })),
            None => self.answer(&folder),
        };
        let answer: Option<Result<(), CompileError>> = match answer {
            Ok(answer) => answer.map(Into::into),
            Err(fault) => Some(Err(CompileError::Fault(fault))),
        };
        let answer = answer.map(|answer| answer.map_err(CompileError::shortened));
        match &planned.case {
            CheckedCase::Valid(case) if case.is_dispatched() => self.dispatched(case, level, answer, &folder),
            _ => match answer {
                Some(answer) => Execution::Compiled(vec![(level, answer)]),
                None => Execution::Missing(Absent::Answer.to_string()),
            },
        }
    }
}

impl Returned {
    /// What became of a case with data, from its answer and its outputs.
    fn dispatched(
        &self,
        case: &ValidCase,
        level: Level,
        answer: Option<Result<(), CompileError>>,
        folder: &Path,
    ) -> Execution {
        let tensors: Vec<&NamedTensor> =
            case.descriptor.tensors.iter().filter(|entry| entry.role == Role::Output).collect();
        let form = self.manifest.carried.form();
        let descriptor = at_level(case, level);
        let written = |family| Written::of(case, &descriptor, (&self.mappings, family));
        let read = |run| match form {
            OutputForm::Each(array) => outputs::each(array, folder, run, &tensors),
            OutputForm::Written { family, file } => match written(family) {
                Ok(written) => outputs::of_written(written, file, (folder, run), &descriptor),
                // It is none of those that left.
                Err(_) => None,
            },
        };
        let file = || first_output(case, &descriptor, (self.manifest.carried, &self.mappings));
        let ran =
            |results| Execution::Dispatched { results: vec![(level, results)], not_compiled: None, beside: Vec::new() };
        let answered = |error| Execution::Dispatched {
            results: Vec::new(),
            not_compiled: Some((level, error)),
            beside: Vec::new(),
        };
        let contradicts = |what: String| answered(CompileError::Fault(Fault::Protocol(what)));
        match (answer, read(OUTPUTS), read(OUTPUTS_AGAIN)) {
            (Some(Err(error @ CompileError::Fault(Fault::Protocol(_)))), ..) => answered(error),
            (Some(Err(CompileError::Fault(fault))), None, None) => ran(vec![Err(fault)]),
            (Some(Err(error)), None, None) => answered(error),
            (Some(Err(_)), ..) => {
                contradicts(format!("`{ANSWER_FILE}` says that there are no outputs, and there are some"))
            }
            (_, None, None) => Execution::Missing(Absent::Output(file()).to_string()),
            (_, None, Some(_)) => contradicts(format!("`{OUTPUTS_AGAIN}` has outputs, and `{OUTPUTS}` has none")),
            (_, Some(_), None) => Execution::Missing(Absent::OutputAgain(file()).to_string()),
            (_, Some(first), Some(second)) => ran(vec![first, second]),
        }
    }
}

fn read_json<T: DeserializeOwned>(path: &Path, way_out: &'static str) -> Result<T, ReturnedError> {
    let bytes = files::read(path, LONGEST_MANIFEST).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => ReturnedError::Absent { path: path.to_owned(), way_out },
        _ => ReturnedError::Unreadable { path: path.to_owned(), reason: error.to_string() },
    })?;
    let unreadable =
        |error| ReturnedError::Unreadable { path: path.to_owned(), reason: format!("cannot be read: {error}") };
    serde_json::from_slice(without_mark(&bytes)).map_err(unreadable)
}

/// A text without the mark that Windows PowerShell puts in front of UTF-8.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}
