//! `opcert judge`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use opcert_backend::Support;

use super::environment::Start;
use super::input::{named_failures, quoted, selection};
use super::run::{Format, conclude, signer, told};
use super::{Failure, Sources, numbers, output};
use crate::certification::Certification;
use crate::expectations::Expectations;
use crate::export::Export;
use crate::mapping::Mappings;
use crate::plan::{Plan, Selection};
use crate::returned::{IDENTITY_FILE, Returned};

/// Arguments of `opcert judge`.
#[derive(Debug, Args)]
pub(super) struct JudgeArguments {
    /// A folder of `opcert export` with results in it
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Only these of its cases: globs over case ids, `level:3_0`, `type:FLOAT16`, `requirement:axis-in-range`
    filter: Vec<String>,
    #[command(flatten)]
    sources: Sources,
    /// Write the event log, the certificate, JUnit XML, the matrix and the page to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Sign the certificate with this private key, an Ed25519 key of OpenSSH
    #[arg(long, value_name = "KEYFILE", requires = "out")]
    sign: Option<PathBuf>,
    /// The known failures of whoever ran the cases
    #[arg(long, value_name = "FILE")]
    expectations: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Write the tensors of cases that go wrong to this folder, as safetensors
    #[arg(long, value_name = "DIR")]
    dump: Option<PathBuf>,
    /// Print one line, the verdict with its counts, and nothing of single cases
    #[arg(short, long, conflicts_with = "format")]
    quiet: bool,
    /// How many cases are judged at a time; 0 is one per core
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = numbers::jobs)]
    jobs: usize,
}

pub(super) fn judge(arguments: &JudgeArguments) -> Result<u8, Failure> {
    let start = Start::now();
    let JudgeArguments { sources, folder, filter, .. } = arguments;
    let signer = signer(arguments.sign.as_deref())?;
    let specs = sources.load_specs()?;
    let mappings = Arc::new(Mappings::embedded(&specs).map_err(Failure::Files)?);
    let returned = Returned::open(folder, &mappings).map_err(usage)?;
    let manifest = &returned.manifest;
    let exported = selection(&manifest.filter, manifest.level.as_deref(), false, &specs)?;
    let suite = sources.load_suite(&specs, &exported.filter)?;
    let export = Export {
        format: manifest.carried,
        specs: &specs,
        mappings: &mappings,
        cases_digest: &suite.digest,
        terms: &manifest.filter,
        selection: &exported,
    };
    if let Some(difference) = manifest.difference(&export.manifest(&suite.cases).map_err(usage)?) {
        let message = format!(
            "`{}` is another export: {difference}; judge it with the opcert that wrote it and the same `--specs` and \
             `--cases`, or export it anew",
            folder.display()
        );
        return Err(Failure::Usage(message));
    }
    for operator in &specs.operators {
        let family = &operator.family;
        let asked = export.level(family);
        let claimed = returned.identity.claimed(&operator.id).and_then(|level| family.level(level));
        let has_cases = suite.cases.iter().any(|case| case.about().operator.id == operator.id && exported.picks(case));
        if let Some(claimed) = claimed.filter(|claimed| has_cases && *claimed < asked) {
            let (name, claimed, asked) = (&operator.id, family.level_name(claimed), family.level_name(asked));
            return Err(Failure::Usage(format!(
                "`{IDENTITY_FILE}` claims `{name}` up to {claimed}, and the cases were asked for at {asked}: export them \
                 with `--level {claimed}`"
            )));
        }
    }
    if let Some(out) = &arguments.out {
        output::not_of_another(out, &returned.identity)?;
    }
    let complete = exported.is_complete() && filter.is_empty() && sources.give_a_verdict(&specs)?;
    let known = arguments.expectations.as_deref().map(named_failures).transpose()?.unwrap_or_default();
    let ids = suite.cases.iter().map(|case| case.about().id.as_str());
    let expectations = Expectations::new(known, &returned.identity, ids, complete).map_err(Failure::Files)?;
    let once = Selection { once: true, ..exported };
    let everything = |cases| {
        let plan =
            Plan::asking(cases, &specs, &returned.identity, &once, |questions| vec![Support::Yes; questions.len()]);
        plan.map_err(|error| Failure::Usage(format!("`{}`: {error}", folder.join(IDENTITY_FILE).display())))
    };
    let mut plan = everything(suite.cases)?;
    let mut problems = returned.strays(&plan);
    let narrowed = selection(filter, None, false, &specs)?;
    plan.entries.retain(|planned| narrowed.picks(&planned.case));
    if plan.entries.is_empty() && filter.is_empty() {
        return Err(Failure::Usage(format!("`{}` holds no case", folder.display())));
    }
    if plan.entries.is_empty() {
        return Err(Failure::Usage(format!("`{}` picks no case that was exported", narrowed.filter)));
    }
    let certification = Certification {
        specs: &specs,
        cases_digest: suite.digest,
        plan: &plan,
        done: Vec::new(),
        expectations: &expectations,
        executor: &returned,
        through: BTreeMap::new(),
        isolated: false,
        guards: false,
        carried: Some(manifest.carried.name()),
        shard: None,
        complete,
        own_suite: !sources.are_embedded(&specs)?,
        level: manifest.level.clone(),
        repeat: repeat(arguments),
        dump: arguments.dump.as_deref(),
        max_fail: None,
    };
    let format = if arguments.quiet { Format::Quiet } else { arguments.format };
    let log = told(&certification, Some(format), arguments.jobs, &mut None)?;
    if let Some(out) = &arguments.out {
        output::write_reports(out, &log, sources.digests(&specs)?, &start.finish(), signer.as_ref())?;
    }
    if complete {
        // A known failure of a case that never left has not gone away.
        let left = log.cases.iter().filter(|event| !manifest.inexpressible.contains_key(&event.case));
        problems.extend(expectations.idle(left));
    }
    conclude(&log, format, problems)
}

fn usage(error: impl std::fmt::Display) -> Failure {
    Failure::Usage(error.to_string())
}

/// The command that judges a case again.
fn repeat(arguments: &JudgeArguments) -> String {
    let path = |path: &PathBuf| quoted(&path.display().to_string());
    let mut words = vec![format!("{} judge {} {{case}}", output::program(), path(&arguments.folder))];
    words.extend(arguments.sources.as_options());
    words.extend(arguments.expectations.as_ref().map(|file| format!("--expectations {}", path(file))));
    words.join(" ")
}
