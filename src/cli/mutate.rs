//! `opcert mutate`.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{CONFORMS, FAILED, Failure, INCOMPLETE, Sources, output};
use crate::mutate::{
    Difference, Fate, Kind, Subject, Wrong, alterations, general, hunt, listed, permitted, search, subjects,
};
use crate::near::did_you_mean;
use crate::plan::Filter;
use crate::render::counted;
use crate::spec::Specs;

/// Arguments of `opcert mutate`.
#[derive(Debug, Args)]
pub(super) struct MutateArguments {
    /// An operator, such as `directml/argmax`; all of them when none is given
    operator: Vec<String>,
    /// Try the wrong backends of a file, or of all in a folder, and no others
    #[arg(long, value_name = "FILE")]
    wrong: Vec<PathBuf>,
    /// How many random samples are held against each one that no case notices
    #[arg(long, value_name = "N", default_value_t = 1000)]
    search: u64,
    /// The number that all samples follow from
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,
    /// Hold every case against each of them; those of more than 16 MiB only against those of `--wrong`
    #[arg(long)]
    large: bool,
    #[command(flatten)]
    sources: Sources,
}

/// A survivor, and the sample that tells it from a right backend, if there is one.
type Survivor<'a> = (&'a Fate, Option<Difference>);

pub(super) fn mutate(arguments: &MutateArguments) -> Result<u8, Failure> {
    let specs = arguments.sources.load_specs()?;
    known(&arguments.operator, &specs)?;
    let wrong = listed(&arguments.wrong, &specs).map_err(Failure::Files)?;
    let filter = Filter::parse(&arguments.operator).map_err(|error| Failure::Usage(error.to_string()))?;
    let suite = arguments.sources.load_suite(&specs, &filter)?;
    let subjects = subjects(&specs, suite, &arguments.operator);
    let subjects = subjects.map_err(|error| Failure::Usage(error.to_string()))?;
    let mut code = CONFORMS;
    for subject in &subjects {
        let of_files = wrong.iter().filter(|wrong| wrong.operator.id == subject.operator.id).cloned();
        let of_files = (!arguments.wrong.is_empty()).then(|| of_files.collect::<Vec<_>>());
        if of_files.as_ref().is_some_and(Vec::is_empty) && arguments.operator.is_empty() {
            continue;
        }
        let fates = fates(subject, of_files, arguments.large);
        let survivors: Vec<&Fate> = fates
            .iter()
            .filter(|fate| !fate.wrong.is_permitted() && fate.kill.is_none() && fate.flaw.is_none())
            .collect();
        let hidden: Vec<Arc<Wrong>> = survivors.iter().map(|fate| Arc::clone(&fate.wrong)).collect();
        let found = if arguments.search == 0 || hidden.is_empty() {
            vec![None; hidden.len()]
        } else {
            let found = search(&specs, subject, &hidden, arguments.search, arguments.seed);
            found.map_err(|error| Failure::Usage(format!("{error}; `--search 0` draws no samples")))?
        };
        let told_apart = found.iter().any(Option::is_some);
        let survivors: Vec<Survivor<'_>> = survivors.into_iter().zip(found).collect();
        output::print(&text(subject, &fates, &survivors, arguments.search))?;
        let is_bad = |fate: &Fate| fate.flaw.is_some() || (fate.wrong.is_permitted() && fate.kill.is_some());
        if told_apart || fates.iter().any(is_bad) {
            code = FAILED;
        } else if (subject.cases.is_empty() || (arguments.search == 0 && !survivors.is_empty())) && code == CONFORMS {
            code = INCOMPLETE;
        }
    }
    Ok(code)
}

/// Refuses operators that do not exist.
fn known(operators: &[String], specs: &Specs) -> Result<(), Failure> {
    match operators.iter().find(|id| specs.operator(id).is_none()) {
        None => Ok(()),
        Some(id) => {
            let meant = did_you_mean(id, specs.operators.iter().map(|operator| operator.id.as_str()));
            Err(Failure::Usage(format!("`{id}` is no operator{meant}")))
        }
    }
}

/// What comes of every wrong backend of an operator.
fn fates(subject: &Subject, of_files: Option<Vec<Wrong>>, large: bool) -> Vec<Fate> {
    let operator = &subject.operator;
    let follow = || [alterations(operator), general(operator), permitted(operator)].concat();
    let wrong = of_files.unwrap_or_else(follow);
    let progress = progress(wrong.len() as u64);
    progress.set_message(operator.id.clone());
    let fates = hunt(subject, wrong, large, |_| progress.inc(1));
    progress.finish_and_clear();
    fates
}

/// A line on a terminal, and nothing elsewhere.
fn progress(count: u64) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{msg}  wrong backends: {human_pos} of {human_len}");
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

fn text(subject: &Subject, fates: &[Fate], survivors: &[Survivor<'_>], samples: u64) -> String {
    let mut text = String::new();
    let mut line = |line: &str| text.push_str(&output::fitted(&format!("{line}\n")));
    line(&format!("{}: {}", subject.operator.id, counted(subject.cases.len(), "case")));
    for kind in Kind::ALL {
        let of_kind: Vec<&Fate> = fates.iter().filter(|fate| fate.wrong.kind == kind).collect();
        if !of_kind.is_empty() {
            line(&format!("  {:<10} {}", kind.name(), summary(kind, &of_kind)));
        }
    }
    for fate in fates {
        let Fate { wrong, kill, flaw, .. } = fate;
        if let Some((case, flaw)) = flaw {
            line(&format!("  `{}` cannot be decided: its `where` has no answer in {case}: {flaw}", wrong.name));
        }
        if let Some(kill) = kill.as_ref().filter(|_| wrong.is_permitted()) {
            line(&format!(
                "  `{}` is allowed, and {} calls it {}: {}",
                wrong.name, kill.case, kill.outcome, wrong.about
            ));
        }
    }
    for (fate, difference) in survivors {
        let left_out = match fate.left_out {
            0 => String::new(),
            count => format!(", {} not run", counted(count, "large case")),
        };
        let said = difference.as_ref().map_or_else(
            || if samples == 0 { "not searched".to_owned() } else { format!("no difference in {samples} samples") },
            |found| format!("sample {} tells it apart, {}: {}", found.sample, found.outcome, found.shown),
        );
        let Wrong { name, about, seen, .. } = &*fate.wrong;
        let seen = seen.as_ref().map(|place| format!(" Seen in {place}.")).unwrap_or_default();
        line(&format!("  survives: {name}{} {about}{seen} ({said}{left_out})", requirements(&fate.wrong)));
    }
    text
}

fn requirements(wrong: &Wrong) -> String {
    match wrong.breaks.as_slice() {
        [] => String::new(),
        [only] => format!(" [{only}]"),
        [first, rest @ ..] => format!(" [{first} and {} more]", rest.len()),
    }
}

fn summary(kind: Kind, fates: &[&Fate]) -> String {
    let killed = fates.iter().filter(|fate| fate.kill.is_some()).count();
    if kind == Kind::Permitted {
        return format!("{}, {} called wrong", fates.len(), killed);
    }
    let citing = fates.iter().filter(|fate| fate.kill.as_ref().is_some_and(|kill| kill.cites)).count();
    let mut summary = String::new();
    let _ = write!(summary, "{}, {killed} killed", fates.len());
    if fates.iter().any(|fate| !fate.wrong.breaks.is_empty()) {
        let _ = write!(summary, ", {citing} by a case that cites what is broken");
    }
    let idle = fates.iter().filter(|fate| fate.concerned == 0).count();
    if idle > 0 {
        let _ = write!(summary, ", {idle} that no case concerns");
    }
    summary
}
