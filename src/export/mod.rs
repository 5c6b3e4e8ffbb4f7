//! Cases that leave: files which the tools of other platforms read, and a place for what they answer.
//!
//! A format makes files of a case (`Exporter`). Around them stands the same for all: a folder for each case with a
//! `case.json`, and an `opcert.json` by which [`returned`](crate::returned) finds the cases again. What is expected of
//! a case stays here, unless its format has a place for it.

mod asked;
mod dxdispatch;
mod manifest;
mod onnx;
mod openvino_ir;
mod tensors;
mod written;

pub(crate) use written::Written;

pub use manifest::{CASE_FILE, CaseManifest, EXPORT_FORMAT, ExportManifest, MANIFEST_FILE, Task};

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use opcert_backend::protocol::MessageError;
use opcert_backend::{DataType, Descriptor, Fault, NamedTensor, TensorDescriptor};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::CheckedCase;
use crate::file;
use crate::json;
use crate::mapping::Mappings;
use crate::plan::Selection;
use crate::spec::{Family, Level, Specs};
use asked::Asked;

/// The folder of a case's outputs, in the case's folder.
pub const OUTPUTS: &str = "outputs";

/// The folder of a second run's outputs, in the case's folder.
pub const OUTPUTS_AGAIN: &str = "again";

/// A format in which cases leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Each input as a .npy file
    Npy,
    /// The inputs of a case as one safetensors file
    Safetensors,
    /// Each DirectML case as a model of DxDispatch, with a PowerShell script that runs them
    Dxdispatch,
    /// Tests of ONNX backends: models of single nodes with their inputs
    Onnx,
    /// Models of single operations in OpenVINO's intermediate representation, their inputs as .npy files
    OpenvinoIr,
}

/// The type and the sizes of an array.
pub type ArrayForm = (DataType, Vec<u64>);

/// In which form the outputs of a case come back.
#[derive(Clone, Copy, Debug)]
pub enum OutputForm {
    /// Each in a .npy file of its own: an array of this type and these sizes, which begins with the tensor's memory.
    Each(fn(&TensorDescriptor) -> Result<ArrayForm, Fault>),
    /// Those of an operator of a family, the case's own or the one that a mapping leads to, each packed in a .npy file.
    Written {
        /// The family.
        family: &'static str,
        /// The name of the file in a folder of outputs, by the output's place and name.
        file: fn(usize, &str) -> String,
    },
}

/// A file of an export: its path, from the folder of the case or of the export, and its bytes.
type ExportedFile = (String, Vec<u8>);

/// Why a case is not among the files of a format.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotExported {
    /// The format cannot express it.
    #[error("{0}")]
    Inexpressible(String),
    /// Its inputs could not be laid out.
    #[error("its inputs cannot be written: {0}")]
    Inputs(#[from] Fault),
    /// A file could not be made.
    #[error(transparent)]
    Payload(#[from] MessageError),
    /// A model could not be written.
    #[error("its model cannot be written: {0}")]
    Model(String),
    /// Something could not be JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// What a format makes of a case. All paths are from its folder.
struct Made {
    files: Vec<ExportedFile>,
    /// The files of the inputs that have one.
    inputs: BTreeMap<String, String>,
    /// Where the outputs are expected.
    outputs: BTreeMap<String, String>,
    /// The descriptor of the operator that the files are of, where it is another one.
    written_as: Option<Descriptor>,
}

impl Made {
    /// Files of the case's own inputs and outputs, these in a .npy file each.
    fn of(asked: &Asked<'_>, files: Vec<ExportedFile>, input: impl Fn(&str) -> String) -> Self {
        let named = |path: String, entry: &NamedTensor| (entry.name.clone(), path);
        Self {
            files,
            inputs: asked.inputs().map(|(entry, _)| named(input(&entry.name), entry)).collect(),
            outputs: asked.outputs().map(|entry| named(format!("{OUTPUTS}/{}.npy", entry.name), entry)).collect(),
            written_as: None,
        }
    }
}

/// What a format makes of cases.
trait Exporter: Sync {
    /// The files of a case.
    fn made(&self, asked: &Asked<'_>) -> Result<Made, NotExported>;

    /// Files that all cases share, given the folders of those that are exported, and what this format needs a person
    /// to know.
    fn shared(&self, folders: &[String]) -> Vec<ExportedFile>;
}

impl Format {
    /// The name, as it is asked for.
    #[must_use]
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The folder of a case, from that of the export.
    #[must_use]
    pub fn folder(self, case: &str) -> String {
        match self {
            Self::Onnx => onnx::folder(case),
            _ => format!("cases/{case}"),
        }
    }

    /// In which form the outputs of a case come back.
    #[must_use]
    pub fn form(self) -> OutputForm {
        match self {
            Self::Npy | Self::Safetensors => OutputForm::Each(tensors::array),
            Self::Dxdispatch => OutputForm::Each(dxdispatch::array),
            Self::Onnx => OutputForm::Written { family: onnx::FAMILY, file: |place, _| onnx::output_file(place) },
            Self::OpenvinoIr => {
                OutputForm::Written { family: openvino_ir::FAMILY, file: |_, name| format!("{name}.npy") }
            }
        }
    }

    fn exporter(self, mappings: &Mappings) -> Box<dyn Exporter + '_> {
        match self {
            Self::Npy => Box::new(tensors::Npy),
            Self::Safetensors => Box::new(tensors::Safetensors),
            Self::Dxdispatch => Box::new(dxdispatch::DxDispatch),
            Self::Onnx => Box::new(onnx::Onnx(mappings)),
            Self::OpenvinoIr => Box::new(openvino_ir::OpenVinoIr(mappings)),
        }
    }
}

/// What is exported.
#[derive(Debug)]
pub struct Export<'a> {
    /// The format.
    pub format: Format,
    /// The specifications.
    pub specs: &'a Specs,
    /// How operators are said as others.
    pub mappings: &'a Mappings,
    /// The digest of the cases.
    pub cases_digest: &'a str,
    /// Which cases, as a person asked for them.
    pub terms: &'a [String],
    /// The same. The large tier is no part of it, whatever is asked for.
    pub selection: &'a Selection,
}

/// Why nothing was exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The folder has something in it.
    #[error("`{0}` is there already; an export goes into a folder of its own")]
    Exists(PathBuf),
    /// The path has no name at its end, which the folder could have.
    #[error("`{0}` names no folder of its own: say one by its name")]
    Unnamed(PathBuf),
    /// Nothing is left to export.
    #[error("none of the cases that are picked can be exported: {0}")]
    Nothing(String),
    /// A file cannot be written.
    #[error("`{path}` cannot be written: {error}")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A case cannot be exported, although the format could express it.
    #[error("`{case}`: {reason}")]
    Case {
        /// Its id.
        case: String,
        /// Why.
        reason: String,
    },
}

impl Export<'_> {
    /// Writes the selected cases into a folder, which appears whole or not at all, and says what is in it.
    ///
    /// # Errors
    ///
    /// When the folder is there and not empty, or something cannot be written.
    pub fn write(&self, cases: &[CheckedCase], folder: &Path) -> Result<ExportManifest, ExportError> {
        let there = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
        if there || folder.is_file() || folder.is_symlink() {
            return Err(ExportError::Exists(folder.to_owned()));
        }
        let name = folder.file_name().ok_or_else(|| ExportError::Unnamed(folder.to_owned()))?.to_string_lossy();
        let unfinished = folder.with_file_name(format!(".{name}.{}.unfinished", std::process::id()));
        let cannot = |path: &Path, error| ExportError::Write { path: path.to_owned(), error };
        if let Some(parent) = folder.parent() {
            fs::create_dir_all(parent).map_err(|error| cannot(parent, error))?;
        }
        fs::create_dir(&unfinished).map_err(|error| cannot(&unfinished, error))?;
        let written = self.write_all(cases, &unfinished).and_then(|manifest| {
            if folder.is_dir() {
                fs::remove_dir(folder).map_err(|error| cannot(folder, error))?;
            }
            fs::rename(&unfinished, folder).map_err(|error| cannot(folder, error))?;
            Ok(manifest)
        });
        if written.is_err() {
            // What went wrong is on its way to the person already.
            let _ = fs::remove_dir_all(&unfinished);
        }
        written
    }

    /// What an export would hold. The same cases in the same format give the same.
    ///
    /// # Errors
    ///
    /// When a case cannot be exported although the format could express it.
    pub fn manifest(&self, cases: &[CheckedCase]) -> Result<ExportManifest, ExportError> {
        Ok(self.each(cases, |_, _| Ok(()))?.0)
    }

    fn write_all(&self, cases: &[CheckedCase], folder: &Path) -> Result<ExportManifest, ExportError> {
        let (manifest, folders) = self
            .each(cases, |asked, made| write_case(asked, made, &folder.join(self.format.folder(&asked.about().id))))?;
        if folders.is_empty() {
            let beyond = || "they are of the large tier, or begin above the level".to_owned();
            return Err(ExportError::Nothing(manifest.inexpressible.into_values().next().unwrap_or_else(beyond)));
        }
        for (path, bytes) in self.format.exporter(self.mappings).shared(&folders) {
            write(&folder.join(path), &bytes)?;
        }
        write(&folder.join(MANIFEST_FILE), as_json(&manifest, MANIFEST_FILE)?.as_bytes())?;
        Ok(manifest)
    }

    /// Makes the files of every selected case and hands them to `take`. Gives what the export holds, and the folders of
    /// the cases in it.
    fn each(
        &self,
        cases: &[CheckedCase],
        take: impl Fn(&Asked<'_>, Made) -> Result<(), ExportError> + Sync,
    ) -> Result<(ExportManifest, Vec<String>), ExportError> {
        let exporter = self.format.exporter(self.mappings);
        let picked: Vec<&CheckedCase> =
            cases.iter().filter(|case| self.selection.picks(case) && !case.about().large).collect();
        let reasons = picked.par_iter().map(|case| {
            let asked = Asked::of(case, self.level(&case.about().operator.family));
            match exporter.made(&asked) {
                Ok(made) => take(&asked, made).map(|()| None),
                Err(NotExported::Inexpressible(reason)) => Ok(Some(reason)),
                Err(error) => Err(ExportError::Case { case: case.about().id.clone(), reason: error.to_string() }),
            }
        });
        let reasons: Vec<Option<String>> = reasons.collect::<Result<_, ExportError>>()?;
        let mut folders = Vec::with_capacity(picked.len());
        let mut inexpressible = BTreeMap::new();
        for (case, reason) in picked.iter().zip(reasons) {
            let id = &case.about().id;
            match reason {
                None => folders.push(self.format.folder(id)),
                Some(reason) => drop(inexpressible.insert(id.clone(), reason)),
            }
        }
        let manifest = ExportManifest {
            format: EXPORT_FORMAT,
            opcert: env!("CARGO_PKG_VERSION").to_owned(),
            carried: self.format,
            specs: self.specs.digest.clone(),
            cases: self.cases_digest.to_owned(),
            filter: self.terms.to_vec(),
            level: self.selection.level.clone(),
            exported: folders.len(),
            inexpressible,
        };
        Ok((manifest, folders))
    }

    /// The level at which the cases of a family are asked for, except those that are refused below it only.
    #[must_use]
    pub fn level(&self, family: &Family) -> Level {
        self.selection.level.as_ref().and_then(|name| family.level(name)).unwrap_or(family.highest())
    }
}

fn write_case(asked: &Asked<'_>, made: Made, folder: &Path) -> Result<(), ExportError> {
    for (path, bytes) in made.files {
        write(&folder.join(path), &bytes)?;
    }
    let about = asked.about();
    let runs = asked.task() == Task::Run;
    let manifest = CaseManifest {
        case: &about.id,
        title: about.title.as_deref(),
        task: asked.task(),
        descriptor: &asked.descriptor,
        written_as: made.written_as.as_ref(),
        inputs: runs.then_some(made.inputs),
        outputs: runs.then_some(made.outputs),
    };
    write(&folder.join(CASE_FILE), as_json(&manifest, &about.id)?.as_bytes())?;
    if runs {
        let outputs = folder.join(OUTPUTS);
        fs::create_dir_all(&outputs).map_err(|error| ExportError::Write { path: outputs, error })?;
    }
    Ok(())
}

fn as_json(value: &impl Serialize, of: &str) -> Result<String, ExportError> {
    json::text(value).map_err(|error| ExportError::Case { case: of.to_owned(), reason: error.to_string() })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    let create = path.parent().map_or(Ok(()), fs::create_dir_all);
    create.and_then(|()| file::write(path, bytes)).map_err(|error| ExportError::Write { path: path.to_owned(), error })
}
