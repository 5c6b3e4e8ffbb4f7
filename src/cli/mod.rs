//! The command line: arguments in, exit code out.

mod backends;
mod bench;
mod chosen;
mod compare;
mod completion;
mod diff;
mod environment;
mod expect;
mod expectations;
mod explain;
mod explanation;
mod export;
mod findings;
mod fuzz;
mod generate;
mod help;
mod import;
mod input;
mod interrupted;
mod journal;
mod judge;
mod list;
mod matrix;
mod merge;
mod mutate;
mod numbers;
mod observe;
mod output;
mod progress;
mod run;
mod show;
mod smoke;
#[cfg(unix)]
mod supervise;
mod trend;
mod validate;
mod verify;
mod words;

pub use backends::{BackendEntry, Open, OpenOnDevice};

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use opcert_backend::foreign::printable_line;

use crate::diagnostic::Diagnostic;
use input::has_unseen;

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
    #[command(flatten)]
    color: colorchoice_clap::Color,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run cases on a backend and judge them
    Run(run::RunArguments),
    /// Run everything that a verdict rests on, and print the verdict
    Certify(run::CertifyArguments),
    /// Run a few simple cases: is the adapter broken?
    Smoke(smoke::SmokeArguments),
    /// Look for failures with random cases, and shrink them
    Fuzz(fuzz::FuzzArguments),
    /// Hold the cases against wrong backends: what do they not notice?
    Mutate(mutate::MutateArguments),
    /// Measure how fast a backend is, beside memcpy
    Bench(bench::BenchArguments),
    /// List cases
    List(list::ListArguments),
    /// Print a case with its tensors, as the documents do
    Show(show::ShowArguments),
    /// Print what comes out of a descriptor with data, and why
    Expect(expect::ExpectArguments),
    /// Print a requirement with its cases, or all of an operator
    Explain(explain::ExplainArguments),
    /// Check case and specification files, problem by problem
    Validate(validate::ValidateArguments),
    /// Write cases as files for a board, a browser, another system
    Export(export::ExportArguments),
    /// Judge what came back of an export, like a live run
    Judge(judge::JudgeArguments),
    /// Make cases of tests of DxDispatch and ONNX
    Import(import::ImportArguments),
    /// Work a report out again, and name everything that does not fit
    Verify(verify::VerifyArguments),
    /// Compare reports: as tables, as a page, a picture or a badge
    Matrix(matrix::MatrixArguments),
    /// Put the parts of a run together that `--shard` wrote
    ///
    /// The event log is that of one run, byte for byte.
    Merge(merge::MergeArguments),
    /// Say what has changed from one report to another
    Diff(diff::DiffArguments),
    /// Say how a backend has fared from report to report
    ///
    /// The exit code is 1 if the last report is worse than the one before.
    Trend(trend::TrendArguments),
    /// Print what the documents leave open, and how backends answer
    Observe(observe::ObserveArguments),
    /// Check or write the file of a backend's known failures
    Expectations(expectations::ExpectationsArguments),
    /// Find where two specifications differ
    ///
    /// Of each difference the smallest tensors are shown that were found.
    /// The exit code is 0 if each stands for the other as far as was searched: what one leaves open the other may
    /// answer.
    Compare(compare::CompareArguments),
    /// Write the generated cases from the specifications
    Generate(generate::GenerateArguments),
    /// List the bundled backends and their devices
    Backends(backends::BackendsArguments),
    /// Be a backend: answer requests on standard input
    Serve {
        /// A bundled backend, and which of its devices
        #[arg(value_name = "NAME[:DEVICE]")]
        backend: String,
    },
    /// See to it that nothing of a program is left when it or the one who started it ends
    #[cfg(unix)]
    #[command(hide = true)]
    Supervise(supervise::SuperviseArguments),
    /// Print the JSON Schema of a file format
    Schema {
        /// The format
        format: SchemaFormat,
    },
    /// Print the script by which a shell completes commands
    Completions {
        /// The shell
        shell: completion::Shell,
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
    /// workloads/<family>/<operator>.yaml
    Workloads,
    /// mappings/<from>/<to>.yaml
    Mapping,
    /// A file of wrong backends, for `opcert mutate --wrong`
    Wrong,
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
    /// What `opcert list --format json` prints
    List,
    /// What `opcert explain --format json` prints
    Explain,
    /// What `opcert backends --format json` prints
    Backends,
    /// What `opcert smoke --format json` prints
    Smoke,
    /// What `opcert compare --format json` prints
    Compare,
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

/// How something is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextOrJson {
    /// For a person
    #[default]
    Human,
    /// For a program; see docs/JSON.md
    Json,
}

/// The version of the JSON that commands print.
pub(crate) const JSON_FORMAT: u32 = 1;

/// Why a command ended without doing what it was asked for.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Files are wrong.
    Files(Vec<Diagnostic>),
    /// What was asked for makes no sense.
    Usage(String),
    /// The backend could not be run.
    Backend(String),
    /// A run was stopped because as much went wrong as was to be waited for.
    Stopped(String),
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Usage(format!("cannot write: {error}"))
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
    completion::answer(|| command(backends));
    let arguments = arguments(backends);
    let result = match arguments.command {
        None => run::certify(&run::CertifyArguments::default(), backends),
        Some(Command::Run(arguments)) => run::run(&arguments, backends),
        Some(Command::Certify(arguments)) => run::certify(&arguments, backends),
        Some(Command::Smoke(arguments)) => smoke::smoke(&arguments, backends),
        Some(Command::Fuzz(arguments)) => fuzz::fuzz(&arguments, backends),
        Some(Command::Mutate(arguments)) => mutate::mutate(&arguments),
        Some(Command::Bench(arguments)) => bench::bench(&arguments, backends),
        Some(Command::List(arguments)) => list::list(&arguments),
        Some(Command::Show(arguments)) => show::show(&arguments),
        Some(Command::Expect(arguments)) => expect::expect(&arguments),
        Some(Command::Explain(arguments)) => explain::explain(&arguments),
        Some(Command::Validate(arguments)) => validate::validate(&arguments),
        Some(Command::Compare(arguments)) => compare::compare(&arguments, backends),
        Some(Command::Generate(arguments)) => generate::run(&arguments),
        Some(Command::Export(arguments)) => export::export(&arguments),
        Some(Command::Judge(arguments)) => judge::judge(&arguments),
        Some(Command::Import(arguments)) => import::import(&arguments),
        Some(Command::Verify(arguments)) => verify::verify(&arguments),
        Some(Command::Matrix(arguments)) => matrix::matrix(&arguments),
        Some(Command::Merge(arguments)) => merge::merge(&arguments),
        Some(Command::Diff(arguments)) => diff::diff(&arguments),
        Some(Command::Trend(arguments)) => trend::trend(&arguments),
        Some(Command::Observe(arguments)) => observe::observe(&arguments, backends),
        Some(Command::Expectations(arguments)) => expectations::expectations(&arguments, backends),
        Some(Command::Backends(arguments)) => backends::list(backends, &arguments),
        Some(Command::Serve { backend }) => backends::serve(backends, &backend),
        #[cfg(unix)]
        Some(Command::Supervise(arguments)) => supervise::supervise(arguments),
        Some(Command::Schema { format }) => output::print(&schema(format)),
        Some(Command::Completions { shell }) => completion::script(&command(backends), shell),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(failure) => ExitCode::from(output::report_failure(&failure)),
    }
}

/// The whole command line.
fn command(backends: &[BackendEntry]) -> clap::Command {
    completion::with_words(help::in_groups(Arguments::command()), backends)
}

/// The arguments of this process; one that makes no sense ends it.
fn arguments(backends: &[BackendEntry]) -> Arguments {
    let mut command = command(backends);
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    // Help, and what is wrong with the arguments, come before these are read, and in the colours that they ask for.
    if let Some(choice) = color_of(&words) {
        choice.write_global();
    }
    let parsed = command.try_get_matches_from_mut(std::env::args_os());
    let parsed = parsed.and_then(|matches| Arguments::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| {
        // What is wrong is said in the words that were given, which may be no words.
        let clean = |word: &String| if has_unseen(word) { printable_line(word) } else { word.clone() };
        let clean: Vec<String> = words.iter().map(clean).collect();
        let cleaned = command.try_get_matches_from_mut(clean).and_then(|found| Arguments::from_arg_matches(&found));
        cleaned.err().unwrap_or_else(|| clap::Error::new(error.kind())).format(&mut command).exit()
    })
}

/// The choice of colours among the words of a command line, right or wrong otherwise.
fn color_of(words: &[String]) -> Option<anstream::ColorChoice> {
    let words = || words.iter().take_while(|word| *word != "--");
    let behind = words().zip(words().skip(1)).find(|(word, _)| *word == "--color").map(|(_, when)| when.as_str());
    match behind.or_else(|| words().find_map(|word| word.strip_prefix("--color=")))? {
        "always" => Some(anstream::ColorChoice::Always),
        "never" => Some(anstream::ColorChoice::Never),
        _ => None,
    }
}

fn schema(format: SchemaFormat) -> String {
    let schema = match format {
        SchemaFormat::Family => schemars::schema_for!(crate::spec::FamilyFile),
        SchemaFormat::Operator => schemars::schema_for!(crate::spec::OperatorFile),
        SchemaFormat::Case => schemars::schema_for!(crate::case::CaseFile),
        SchemaFormat::Workloads => schemars::schema_for!(crate::bench::WorkloadFile),
        SchemaFormat::Mapping => schemars::schema_for!(crate::mapping::MappingFile),
        SchemaFormat::Wrong => schemars::schema_for!(crate::mutate::WrongFile),
        SchemaFormat::Backend => schemars::schema_for!(crate::run::Manifest),
        SchemaFormat::Protocol => schemars::schema_for!(opcert_backend::protocol::Message),
        SchemaFormat::Certificate => schemars::schema_for!(crate::report::Certificate),
        SchemaFormat::Expectations => schemars::schema_for!(crate::expectations::ExpectationsFormat),
        SchemaFormat::Bench => schemars::schema_for!(crate::bench::BenchReport),
        SchemaFormat::Export => schemars::schema_for!(crate::export::ExportManifest),
        SchemaFormat::ExportedCase => schemars::schema_for!(crate::export::CaseManifest<'static>),
        SchemaFormat::Answer => schemars::schema_for!(crate::returned::AnswerFile),
        SchemaFormat::List => schemars::schema_for!(list::Listing),
        SchemaFormat::Explain => schemars::schema_for!(explanation::Explanation),
        SchemaFormat::Backends => schemars::schema_for!(backends::BackendList),
        SchemaFormat::Smoke => schemars::schema_for!(smoke::SmokeReport),
        SchemaFormat::Compare => schemars::schema_for!(crate::compare::ComparisonReport),
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
