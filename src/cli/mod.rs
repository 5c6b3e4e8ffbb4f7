//! The command line: arguments in, exit code out.

mod backends;
mod bench;
mod chosen;
mod diff;
mod environment;
mod expectations;
mod explain;
mod export;
mod fuzz;
mod generate;
mod import;
mod input;
mod journal;
mod judge;
mod list;
mod matrix;
mod observe;
mod output;
mod run;
mod show;
mod smoke;
mod validate;
mod verify;

pub use backends::{BackendEntry, Open, OpenOnDevice};

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::diagnostic::Diagnostic;

/// Settles whether an implementation of a tensor operator does what its specification says.
///
/// Without a command: certifies the first backend and prints the matrix.
#[derive(Debug, Parser)]
#[command(name = "opcert", version, max_term_width = 110)]
#[command(
    after_help = "Exit codes: 0 conforms; 1 a case failed; 2 bad input or usage; 3 the backend could not be run; \
                        4 nothing failed, but the verdict is incomplete."
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run cases on a backend and judge them
    Run(run::RunArguments),
    /// Run everything that a verdict rests on, and print the verdict
    Certify(run::CertifyArguments),
    /// Run a few simple cases, and tell a broken adapter from an implementation that differs
    Smoke(smoke::SmokeArguments),
    /// Look for failures with random cases, and shrink those that are found
    Fuzz(fuzz::FuzzArguments),
    /// Measure how fast a backend is, beside memcpy and an empty call
    Bench(bench::BenchArguments),
    /// List cases
    List(list::ListArguments),
    /// Print a case with its tensors, as the documents do
    Show(show::ShowArguments),
    /// Print a requirement with its source, its levels and the cases that cover it
    Explain(explain::ExplainArguments),
    /// Check case and specification files, and report every problem with its place
    Validate(validate::ValidateArguments),
    /// Write cases as files for tools that run elsewhere: on Windows, on an NPU, in a browser
    Export(export::ExportArguments),
    /// Judge what came back of an export, like a live run
    Judge(judge::JudgeArguments),
    /// Make cases of tests that other tools keep: models of DxDispatch, test folders of ONNX
    Import(import::ImportArguments),
    /// Work out again what a bundle of `certify --out` says, and name everything that does not fit
    Verify(verify::VerifyArguments),
    /// Render the feature-level matrix of event logs: Markdown, the page, a picture, a badge
    Matrix(matrix::MatrixArguments),
    /// Say what has changed from one report to another; exit code 1 where something is worse
    Diff(diff::DiffArguments),
    /// Print what the documents leave open, and how backends answer
    Observe(observe::ObserveArguments),
    /// Check or write the file of a backend's known failures
    Expectations(expectations::ExpectationsArguments),
    /// Write the generated cases from the specifications
    Generate(generate::GenerateArguments),
    /// List the bundled backends and their devices
    Backends,
    /// Be a backend: answer requests on standard input (for isolated runs, and for other tools)
    Serve {
        /// A bundled backend, and which of its devices
        #[arg(value_name = "NAME[:DEVICE]")]
        backend: String,
    },
    /// Print the JSON Schema of a file format
    Schema {
        /// The format
        format: SchemaFormat,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SchemaFormat {
    /// specs/<family>/family.yaml
    Family,
    /// specs/<family>/<operator>.yaml
    Operator,
    /// cases/<family>/<operator>/*.yaml
    Case,
    /// backends/<name>/backend.yaml
    Backend,
    /// The lines of JSON between opcert and a backend in another process
    Protocol,
    /// certificate.json
    Certificate,
    /// backends/<name>/expectations.yaml
    Expectations,
    /// What `opcert bench --format json` writes
    Bench,
    /// opcert.json, in a folder of `opcert export`
    Export,
    /// case.json, in the folder of an exported case
    ExportedCase,
    /// answer.json, in the folder of an exported case
    Answer,
}

/// Where specifications and cases come from.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Sources {
    /// Read cases from this folder or file instead of the embedded ones
    #[arg(long, value_name = "DIR")]
    pub(crate) cases: Option<PathBuf>,
    /// Read specifications from this folder instead of the embedded ones
    #[arg(long, value_name = "DIR")]
    pub(crate) specs: Option<PathBuf>,
}

/// Why a command ended without doing what it was asked for.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Files are wrong.
    Files(Vec<Diagnostic>),
    /// What was asked for makes no sense.
    Usage(String),
    /// The backend could not be run.
    Backend(String),
    /// Whoever reads the output has stopped reading.
    Unread,
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            Self::Unread
        } else {
            Self::Usage(format!("cannot write: {error}"))
        }
    }
}

/// Everything asked for was done, and conforms.
pub(crate) const CONFORMS: u8 = 0;
/// A case failed.
pub(crate) const FAILED: u8 = 1;
/// Bad input or usage.
const BAD_INPUT: u8 = 2;
/// The backend could not be run.
const NO_BACKEND: u8 = 3;
/// Nothing failed, but the verdict is incomplete.
pub(crate) const INCOMPLETE: u8 = 4;

/// Runs the command that the process was started with, on the bundled backends.
#[must_use]
pub fn main() -> ExitCode {
    main_with(backends::BUNDLED)
}

/// Runs the command that the process was started with, on other backends: the whole command line for a backend of
/// one's own, isolation included. The first one is used where none is named.
///
/// ```no_run
/// # struct MyBackend;
/// # use opcert_backend::*;
/// # impl Backend for MyBackend {
/// #     fn identity(&self) -> Identity { unimplemented!() }
/// #     fn supports(&self, _: &Descriptor) -> Support { unimplemented!() }
/// #     fn compile(&self, _: &Descriptor) -> Result<Box<dyn Operator>, CompileError> { unimplemented!() }
/// # }
/// use opcert::cli::BackendEntry;
///
/// fn main() -> std::process::ExitCode {
///     opcert::cli::main_with(&[BackendEntry::new("mine", || Box::new(MyBackend))])
/// }
/// ```
#[must_use]
pub fn main_with(backends: &[BackendEntry]) -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        None => run::certify(&run::CertifyArguments::default(), backends),
        Some(Command::Run(arguments)) => run::run(&arguments, backends),
        Some(Command::Certify(arguments)) => run::certify(&arguments, backends),
        Some(Command::Smoke(arguments)) => smoke::smoke(&arguments, backends),
        Some(Command::Fuzz(arguments)) => fuzz::fuzz(&arguments, backends),
        Some(Command::Bench(arguments)) => bench::bench(&arguments, backends),
        Some(Command::List(arguments)) => list::list(&arguments),
        Some(Command::Show(arguments)) => show::show(&arguments),
        Some(Command::Explain(arguments)) => explain::explain(&arguments),
        Some(Command::Validate(arguments)) => validate::validate(&arguments),
        Some(Command::Generate(arguments)) => generate::run(&arguments),
        Some(Command::Export(arguments)) => export::export(&arguments),
        Some(Command::Judge(arguments)) => judge::judge(&arguments),
        Some(Command::Import(arguments)) => import::import(&arguments),
        Some(Command::Verify(arguments)) => verify::verify(&arguments),
        Some(Command::Matrix(arguments)) => matrix::matrix(&arguments),
        Some(Command::Diff(arguments)) => diff::diff(&arguments),
        Some(Command::Observe(arguments)) => observe::observe(&arguments, backends),
        Some(Command::Expectations(arguments)) => expectations::expectations(&arguments, backends),
        Some(Command::Backends) => backends::list(backends),
        Some(Command::Serve { backend }) => backends::serve(backends, &backend),
        Some(Command::Schema { format }) => output::print(&schema(format)),
        Some(Command::Completions { shell }) => completions(shell),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(failure) => ExitCode::from(output::report_failure(&failure)),
    }
}

fn schema(format: SchemaFormat) -> String {
    let schema = match format {
        SchemaFormat::Family => schemars::schema_for!(crate::spec::FamilyFile),
        SchemaFormat::Operator => schemars::schema_for!(crate::spec::OperatorFile),
        SchemaFormat::Case => schemars::schema_for!(crate::case::CaseFile),
        SchemaFormat::Backend => schemars::schema_for!(crate::run::Manifest),
        SchemaFormat::Protocol => schemars::schema_for!(opcert_backend::protocol::Message),
        SchemaFormat::Certificate => schemars::schema_for!(crate::report::Certificate),
        SchemaFormat::Expectations => schemars::schema_for!(crate::expectations::ExpectationsFormat),
        SchemaFormat::Bench => schemars::schema_for!(crate::bench::BenchReport),
        SchemaFormat::Export => schemars::schema_for!(crate::export::ExportManifest),
        SchemaFormat::ExportedCase => schemars::schema_for!(crate::export::CaseManifest<'static>),
        SchemaFormat::Answer => schemars::schema_for!(crate::returned::Answer),
    };
    let mut schema = schema.to_value();
    forbid_null(&mut schema);
    let mut text = format!("{schema:#}");
    text.push('\n');
    text
}

/// A key that may be left out is not one that may be `~`: takes `null` out of what is otherwise of one type.
fn forbid_null(schema: &mut serde_json::Value) {
    use serde_json::Value;
    match schema {
        Value::Object(entries) => {
            entries.values_mut().for_each(forbid_null);
            if let Some(Value::Array(types)) = entries.get_mut("type")
                && types.len() == 2
                && types[1] == "null"
            {
                let only = types.swap_remove(0);
                entries.insert("type".to_owned(), only);
            }
            let null = serde_json::json!({ "type": "null" });
            if let Some(Value::Array(choices)) = entries.get_mut("anyOf")
                && choices.len() == 2
                && choices[1] == null
                && let Value::Object(only) = choices.swap_remove(0)
            {
                entries.remove("anyOf");
                entries.extend(only);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(forbid_null),
        _ => {}
    }
}

fn completions(shell: clap_complete::Shell) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "opcert", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
