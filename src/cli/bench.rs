//! `opcert bench`.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use opcert_backend::DataType;

use super::backends::BackendEntry;
use super::chosen::{BackendArguments, Chosen};
use super::{CONFORMS, FAILED, Failure, INCOMPLETE, Sources, output};
use crate::bench::{Bench, BenchReport, Measurement, Outcome, Sizes, Workloads, plot, table};
use crate::file;
use crate::near::did_you_mean;
use crate::report::explain_failure;
use crate::source::Source;
use crate::spec::Specs;

/// The sizes of a plot when nothing is said.
const PLOTTED: &str = "2^10..2^28";

/// What says how something is measured.
const MEASURING: [&str; 13] = [
    "backend",
    "exec",
    "isolate",
    "in_process",
    "timeout",
    "memory",
    "operator",
    "workload",
    "size",
    "type",
    "threads",
    "specs",
    "workloads",
];

/// Arguments of `opcert bench`.
#[derive(Debug, Args)]
pub(super) struct BenchArguments {
    /// What `--format json` wrote, to be rendered again; without it, the backend is measured
    #[arg(value_name = "RESULT", conflicts_with_all = MEASURING)]
    result: Option<PathBuf>,
    #[command(flatten)]
    backend: BackendArguments,
    /// An operator, such as `directml/argmax`; all of them when none is given
    #[arg(long, value_name = "ID")]
    operator: Vec<String>,
    /// A workload by its name, such as `last_axis`; all of them when none is given, and for a range of sizes one per
    /// operator
    #[arg(long, value_name = "NAME")]
    workload: Vec<String>,
    /// How many elements: a number such as `1048576`, `2^20` or `1M`, or a range that doubles, such as `2^10..2^28`;
    /// each workload's own when nothing is said
    #[arg(long, value_name = "N|N..M")]
    size: Option<Sizes>,
    /// A data type: f32, u8, f16, i64 and others; without one, those four, and f32 where `--size` is given
    #[arg(long, value_name = "TYPE", value_parser = data_type)]
    r#type: Vec<DataType>,
    /// On how many threads: a number or a range such as `1..4`; as many as there are cores when nothing is said. For
    /// backends that run in this process, on the threads that are given to them
    #[arg(long, value_name = "N|N..M")]
    threads: Option<Threads>,
    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Read specifications from this folder instead of the embedded ones
    #[arg(long, value_name = "DIR")]
    specs: Option<PathBuf>,
    /// Read workloads from this folder instead of the embedded ones
    #[arg(long, value_name = "DIR")]
    workloads: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables
    Human,
    /// Everything that was measured; see docs/BENCH.md
    Json,
    /// A plot of bandwidth by size, from 2^10 to 2^28 elements when no size is given
    Svg,
}

/// Numbers of threads, ascending by one.
#[derive(Clone, Debug)]
struct Threads(Vec<usize>);

impl FromStr for Threads {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<usize>().ok().filter(|threads| (1..=1024).contains(threads));
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let range = number(first).zip(number(last)).filter(|(first, last)| first <= last);
        let (first, last) = range.ok_or("expected a number from 1 to 1024 such as `2`, or a range such as `1..4`")?;
        Ok(Self((first..=last).collect()))
    }
}

fn data_type(text: &str) -> Result<DataType, String> {
    let known = DataType::ALL.map(DataType::name);
    DataType::ALL
        .into_iter()
        .find(|data_type| data_type.name() == text)
        .ok_or_else(|| format!("there are {}{}", known.join(", "), did_you_mean(text, known)))
}

pub(super) fn bench(arguments: &BenchArguments, backends: &[BackendEntry]) -> Result<u8, Failure> {
    if let Some(path) = &arguments.result {
        let report = read(path)?;
        write(arguments, &report)?;
        return Ok(CONFORMS);
    }
    let plotted = arguments.format == Format::Svg;
    if plotted && arguments.size.as_ref().is_some_and(|sizes| !sizes.is_range()) {
        let message = format!("a plot shows several sizes, and `--size` is one; `--size {PLOTTED}` is a range");
        return Err(Failure::Usage(message));
    }
    let specs = Sources { cases: None, specs: arguments.specs.clone() }.load_specs()?;
    let workloads = workloads(arguments, &specs)?;
    let opened = Chosen::find(backends, &arguments.backend)?.open(&specs)?;
    let plotted = plotted.then(|| PLOTTED.parse().ok()).flatten();
    let bench = Bench {
        operators: arguments.operator.clone(),
        workloads: arguments.workload.clone(),
        types: arguments.r#type.clone(),
        sizes: arguments.size.clone().or(plotted),
        threads: arguments.threads.clone().map_or_else(Vec::new, |Threads(threads)| threads),
        // What it claims by way of mappings would be measured with their cost.
        ..Bench::new(&specs, &workloads, &*opened.native, opened.isolated)
    };
    let progress = progress();
    let measured = bench.run(|at| {
        progress.set_length(at.all as u64);
        progress.set_position(at.done as u64);
        progress.set_message(at.row.to_owned());
    });
    progress.finish_and_clear();
    let Measurement { report, wrong } = measured.map_err(|error| Failure::Usage(error.to_string()))?;
    // What is wrong goes beside the report, which may be for a program to read.
    for answer in &wrong {
        let program = vec![output::program(), "bench".to_owned()];
        let repeat = [program, answer.options.clone(), arguments.backend.as_options()].concat().join(" ");
        output::tell(&explain_failure(&answer.event, &repeat, true, output::width()));
    }
    write(arguments, &report)?;
    let any = |is: fn(&Outcome) -> bool| report.rows.iter().any(|row| is(&row.outcome));
    if any(|outcome| matches!(outcome, Outcome::Failed(_))) {
        return Ok(FAILED);
    }
    Ok(if any(|outcome| matches!(outcome, Outcome::Measured(_))) { CONFORMS } else { INCOMPLETE })
}

/// The workloads of the specified operators. Embedded ones of others are left out.
fn workloads(arguments: &BenchArguments, specs: &Specs) -> Result<Workloads, Failure> {
    let source = arguments.workloads.clone().map_or_else(Source::embedded_workloads, Source::Path);
    let all = arguments.workloads.is_some();
    Workloads::load(&source, specs, |stem| all || specs.operator(stem).is_some()).map_err(Failure::Files)
}

/// A line on a terminal, and nothing elsewhere.
fn progress() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{pos} of {len}  {msg}");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

fn read(path: &Path) -> Result<BenchReport, Failure> {
    let problem = |error: &dyn std::fmt::Display| Failure::Usage(format!("`{}`: {error}", path.display()));
    if !path.exists() {
        return Err(problem(&"there is no such file of results; `--operator` names an operator"));
    }
    let text = file::read_text(path, file::LONGEST_TEXT).map_err(|error| problem(&error))?;
    BenchReport::read(&text).map_err(|error| problem(&error))
}

fn write(arguments: &BenchArguments, report: &BenchReport) -> Result<u8, Failure> {
    let text = match arguments.format {
        Format::Human => table(report, arguments.out.is_none().then(output::width_for_people).flatten()),
        Format::Json => report.json().map_err(|error| Failure::Usage(error.to_string()))?,
        Format::Svg => plot(report).ok_or_else(|| {
            Failure::Usage(format!(
                "nothing was measured at several sizes, and a plot shows no more; `--size {PLOTTED}` does"
            ))
        })?,
    };
    match (&arguments.out, arguments.format) {
        (Some(path), Format::Human) => {
            output::write_file(path, anstream::adapter::strip_str(&text).to_string().as_str())
        }
        (Some(path), _) => output::write_file(path, &text),
        (None, Format::Human) => output::print(&text),
        (None, _) => output::print_as_it_is(&text),
    }
}
