//! The backend that a command works with: one that comes with it, a folder, or any program.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use opcert_backend::Backend;

use super::backends::BackendEntry;
use super::input::quoted;
use super::{Failure, numbers, words};
use crate::expectations::KnownFailures;
use crate::file;
use crate::judge::MappedClaim;
use crate::mapping::{Mappings, Through};
use crate::near::did_you_mean;
use crate::run::{DEFAULT_LIMIT, MANIFEST_FILE, Manifest, ProcessBackend, Program};
use crate::spec::Specs;

/// The name of the file of known failures in the folder of a backend.
const EXPECTATIONS_FILE: &str = "expectations.yaml";

const GIB: f64 = (1u64 << 30) as f64;

/// The options of a run, which mean nothing where a report is read instead.
pub(super) const RUNNING: [&str; 11] =
    ["backend", "exec", "isolate", "in_process", "timeout", "memory", "through", "level", "out", "resume", "jobs"];

/// Which backend, and in which way it runs.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct BackendArguments {
    /// A bundled backend and which of its devices (`opcert backends` lists them), or a folder with a `backend.yaml`;
    /// the first bundled one when nothing is said
    #[arg(long, value_name = "NAME[:DEVICE]|DIR", conflicts_with = "exec")]
    backend: Option<String>,
    /// A program that is a backend, with its arguments; see docs/PROTOCOL.md
    #[arg(long, value_name = "CMD")]
    exec: Option<String>,
    /// Run the backend in processes of its own, where a crash or a hang cannot end the run
    #[arg(long, conflicts_with = "in_process")]
    isolate: bool,
    /// Run the backend in this process, even one that is isolated by default
    #[arg(long, conflicts_with = "exec")]
    in_process: bool,
    /// How many seconds each answer of a backend in its own process may take, but its first one, for which it has 60 at
    /// least; 20 when nothing is said
    #[arg(long, value_name = "S", value_parser = numbers::seconds)]
    timeout: Option<f64>,
    /// How many GiB of memory a backend in its own process may take; as many as it can get when nothing is said
    #[arg(long, value_name = "GIB", value_parser = numbers::gibibytes)]
    memory: Option<f64>,
    /// Claim operators as well that are run as others which the backend claims, by mappings: `directml=onnx`, or
    /// `directml/argmax=onnx/arg_max`; the certificate says so
    #[arg(long, value_name = "FROM=TO")]
    through: Vec<String>,
}

impl BackendArguments {
    /// A backend by its name or folder.
    pub(super) fn of(name: &str) -> Self {
        Self { backend: Some(name.to_owned()), ..Self::default() }
    }

    /// The options as they were given, to repeat them.
    pub(super) fn as_options(&self) -> Vec<String> {
        let mut words = Vec::new();
        words.extend(self.backend.as_ref().map(|backend| format!("--backend {}", quoted(backend))));
        words.extend(self.exec.as_ref().map(|command| format!("--exec {}", quoted(command))));
        words.extend(self.isolate.then(|| "--isolate".to_owned()));
        words.extend(self.in_process.then(|| "--in-process".to_owned()));
        words.extend(self.timeout.map(|seconds| format!("--timeout {seconds}")));
        words.extend(self.memory.map(|gib| format!("--memory {gib}")));
        words.extend(self.through.iter().map(|claim| format!("--through {}", quoted(claim))));
        words
    }

    /// The file of known failures in the folder of the backend, if it is one; it need not be there.
    pub(super) fn expectations(&self) -> Option<PathBuf> {
        Some(folder(self.backend.as_deref()?)?.join(EXPECTATIONS_FILE))
    }

    /// The known failures in the folder of the backend; none where there is no such file.
    pub(super) fn known_failures(&self) -> Result<KnownFailures, Failure> {
        match self.expectations() {
            Some(file) if file.exists() => KnownFailures::load(&file).map_err(Failure::Files),
            _ => Ok(KnownFailures::default()),
        }
    }

    fn limits(&self) -> Limits {
        let time = self.timeout.map_or(DEFAULT_LIMIT, Duration::from_secs_f64);
        Limits { time, memory: self.memory.map(|gib| (gib * GIB) as u64) }
    }
}

/// What a process may take.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// For each answer.
    time: Duration,
    /// In bytes.
    memory: Option<u64>,
}

/// A backend that was asked for and found. Nothing is opened or started yet.
#[derive(Debug)]
pub(super) struct Chosen<'a> {
    /// As it was asked for.
    argument: &'a str,
    /// The claims that it is to meet as other operators beside those of its folder.
    through: &'a [String],
    kind: Kind<'a>,
}

/// A backend, its process if it has one, and claims that it meets as other operators.
type Native = (Arc<dyn Backend>, Option<ProcessBackend>, BTreeMap<String, (String, String)>);

#[derive(Debug)]
enum Kind<'a> {
    /// In this process.
    Here {
        entry: &'a BackendEntry,
        device: Option<&'a str>,
    },
    /// A bundled one, isolated.
    Served {
        limits: Limits,
    },
    Folder {
        folder: PathBuf,
        manifest: Box<Manifest>,
        limits: Limits,
    },
    Command {
        words: Vec<String>,
        limits: Limits,
    },
}

/// A backend that is ready to be asked.
pub(super) struct Opened {
    pub(super) backend: Arc<dyn Backend>,
    /// The same one with the claims alone that it meets itself.
    pub(super) native: Arc<dyn Backend>,
    /// The same one where it runs in processes of its own.
    process: Option<ProcessBackend>,
    /// The claims that it meets as other operators, by mappings.
    pub(super) through: BTreeMap<String, MappedClaim>,
    /// Whether it runs in a process of its own.
    pub(super) isolated: bool,
    /// Whether its outputs lie between guard zones.
    pub(super) guards: bool,
}

impl Opened {
    /// Tells the processes to stop, and says how each ended; see [`ProcessBackend::stop`].
    pub(super) fn stop(&self) -> Vec<Option<ExitStatus>> {
        self.process.as_ref().map_or_else(Vec::new, ProcessBackend::stop)
    }
}

impl<'a> Chosen<'a> {
    /// Finds what was asked for.
    pub(super) fn find(backends: &'a [BackendEntry], arguments: &'a BackendArguments) -> Result<Self, Failure> {
        let through = arguments.through.as_slice();
        if let Some(command) = &arguments.exec {
            let words = words::split(command).filter(|words| !words.is_empty()).ok_or_else(|| {
                Failure::Usage(format!("`--exec {command}` is no command: a quote is open, or nothing is there"))
            })?;
            return Ok(Self { argument: command, through, kind: Kind::Command { words, limits: arguments.limits() } });
        }
        let argument = arguments.backend.as_deref().or(backends.first().map(|first| first.name));
        let argument = argument.unwrap_or_default();
        if let Some(folder) = folder(argument) {
            if arguments.in_process {
                let message = format!("`{argument}` is a program of its own and cannot run in this process");
                return Err(Failure::Usage(message));
            }
            if let Some(missing) = no_backend(argument, &folder) {
                return Err(Failure::Usage(missing));
            }
            let manifest = Box::new(Manifest::load(&folder).map_err(Failure::Files)?);
            let kind = Kind::Folder { folder, manifest, limits: arguments.limits() };
            return Ok(Self { argument, through, kind });
        }
        let (entry, device) = BackendEntry::find(backends, argument)?;
        let isolated = arguments.isolate || entry.isolated && !arguments.in_process;
        let limits = [("--timeout", arguments.timeout), ("--memory", arguments.memory)];
        if let Some((option, _)) = limits.iter().find(|(_, limit)| !isolated && limit.is_some()) {
            let message = format!(
                "`{option}` is for an isolated backend, and `{argument}` runs in process; `--isolate` isolates it"
            );
            return Err(Failure::Usage(message));
        }
        let kind = if isolated { Kind::Served { limits: arguments.limits() } } else { Kind::Here { entry, device } };
        Ok(Self { argument, through, kind })
    }

    /// Opens the backend, or starts it. The specifications say what its claims are of.
    pub(super) fn open(&self, specs: &Specs) -> Result<Opened, Failure> {
        let (native, process, mut claims) = self.native()?;
        let (isolated, guards) = (process.is_some(), process.as_ref().is_none_or(ProcessBackend::guards));
        let mut opened =
            Opened { backend: Arc::clone(&native), native, process, through: BTreeMap::new(), isolated, guards };
        if claims.is_empty() && self.through.is_empty() {
            return Ok(opened);
        }
        let mappings = Mappings::embedded(specs).map_err(Failure::Files)?;
        for text in self.through {
            let more = Through::claims(text, &opened.native.identity(), (&mappings, specs));
            claims.extend(more.map_err(|reason| Failure::Usage(format!("`--through {text}`: {reason}")))?);
        }
        let backend = Through::new(Arc::clone(&opened.native), &claims, (&mappings, specs));
        let backend = backend.map_err(|error| Failure::Backend(format!("`{}`: {error}", self.argument)))?;
        opened.through = backend.mapped();
        opened.backend = Arc::new(backend);
        Ok(opened)
    }

    /// The backend as it is, its process if it has one, and the claims that its folder has it meet as other operators.
    fn native(&self) -> Result<Native, Failure> {
        let mut claims = BTreeMap::new();
        let process = match &self.kind {
            Kind::Here { entry, device } => {
                let unopened = |reason| Failure::Backend(format!("`{}` cannot be opened: {reason}", self.argument));
                return Ok((entry.open(*device).map_err(unopened)?.into(), None, claims));
            }
            Kind::Served { limits } => start(self.served()?, *limits, None)?,
            Kind::Folder { folder, manifest, limits } => {
                let way_out = manifest.setup.as_ref().map(|setup| format!("run `{setup}` in `{}`", folder.display()));
                let process = start(manifest.program(folder), *limits, way_out.as_deref())?;
                if let Some(contradiction) = manifest.contradiction(&process.identity()) {
                    return Err(Failure::Backend(format!("`{}`: {contradiction}", self.argument)));
                }
                claims = manifest.through();
                process
            }
            Kind::Command { words, limits } => {
                let mut words = words.iter().map(Into::into);
                let path = words.next().unwrap_or_default();
                start(Program::new(path, words.collect()), *limits, None)?
            }
        };
        Ok((Arc::new(process.clone()), Some(process), claims))
    }

    /// This program, serving a bundled backend.
    fn served(&self) -> Result<Program, Failure> {
        let arguments = vec!["serve".into(), self.argument.into()];
        Ok(Program::new(this_program()?, arguments))
    }
}

/// The path of this program, which may have another name for a backend of its own.
fn this_program() -> Result<OsString, Failure> {
    let path = std::env::current_exe();
    path.map(Into::into).map_err(|error| Failure::Backend(format!("this program is not found: {error}")))
}

/// A folder with a backend in it, if the argument names one. A name that is bundled is never looked for on the disk,
/// unless it is written as a path.
fn folder(argument: &str) -> Option<PathBuf> {
    let path = Path::new(argument);
    (argument.contains(['/', '\\']) || argument == "." || path.join(MANIFEST_FILE).exists()).then(|| path.to_owned())
}

/// What is said of a folder that is no backend's, with those beside it that were perhaps meant.
fn no_backend(argument: &str, folder: &Path) -> Option<String> {
    if folder.join(MANIFEST_FILE).exists() {
        return None;
    }
    let missing = if folder.is_dir() {
        format!("`{argument}` is no backend: the folder has no `{MANIFEST_FILE}`")
    } else {
        format!("there is no folder `{argument}`, and no backend in it")
    };
    let beside = folder.parent().into_iter().flat_map(file::entries);
    let beside: Vec<PathBuf> = beside.filter(|path| path.join(MANIFEST_FILE).exists()).collect();
    let meant = did_you_mean(argument, beside.iter().filter_map(|path| path.to_str()));
    Some(format!("{missing}{meant}"))
}

fn start(program: Program, limits: Limits, way_out: Option<&str>) -> Result<ProcessBackend, Failure> {
    // On Linux it is the same program even where its file was replaced meanwhile. On Windows the system sees to what is left.
    let supervisor = match () {
        () if cfg!(target_os = "linux") => Some("/proc/self/exe".into()),
        () if cfg!(unix) => Some(this_program()?),
        () => None,
    };
    let program = Program { limit: limits.time, memory: limits.memory, supervisor, ..program };
    ProcessBackend::start(program).map_err(|error| {
        // Where this program is on the other side too, it has said there why it ended.
        let error = error.to_string();
        let said = error.rsplit_once("error: ").map_or(error.as_str(), |(_, said)| said);
        let way_out = way_out.map(|way_out| format!("; to set it up, {way_out}")).unwrap_or_default();
        Failure::Backend(format!("{said}{way_out}"))
    })
}
