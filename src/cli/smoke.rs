//! `opcert smoke`.

use std::fmt::Write as _;
use std::time::Instant;

use clap::Args;

use super::backends::{BackendEntry, describe};
use super::chosen::{BackendArguments, Chosen};
use super::{CONFORMS, FAILED, Failure, Sources, output};
use crate::expectations::Expectations;
use crate::judge::Outcome;
use crate::report::explain_failure;
use crate::smoke::{Finding, Probe};

/// Arguments of `opcert smoke`.
#[derive(Debug, Args)]
pub(super) struct SmokeArguments {
    #[command(flatten)]
    backend: BackendArguments,
    #[command(flatten)]
    sources: Sources,
}

pub(super) fn smoke(arguments: &SmokeArguments, backends: &[BackendEntry]) -> Result<u8, Failure> {
    let specs = arguments.sources.load_specs()?;
    let simple = |stem: &str| stem.ends_with("/documented") || stem.ends_with("/by_hand");
    let suite = arguments.sources.load_files(&specs, simple)?;
    let known = arguments.backend.known_failures()?;
    let began = Instant::now();
    let opened = Chosen::find(backends, &arguments.backend)?.open()?;
    let identity = opened.backend.identity();
    let mut text =
        format!("{} {}, ready in {:.2} s\n", identity.name, describe(&identity), began.elapsed().as_secs_f64());
    let mut probes =
        Probe::each(suite, &specs, &*opened.backend).map_err(|error| Failure::Backend(error.to_string()))?;
    let cases = probes.iter().flat_map(|probe| &probe.events).map(|event| event.case.as_str());
    let expectations = Expectations::new(known, &identity, cases, false).map_err(Failure::Files)?;
    probes.iter_mut().for_each(|probe| probe.expect(&expectations));
    let width = probes.iter().map(|probe| probe.operator.id.len()).max().unwrap_or_default();
    for probe in &probes {
        let _ = writeln!(text, "{:width$}  {}", probe.operator.id, sentence(probe));
    }
    let mut is_broken = probes.iter().all(|probe| probe.finding() == Finding::Nothing);
    let repeat = [vec![output::program(), "run {case}".to_owned()], arguments.backend.as_options()].concat().join(" ");
    for probe in &probes {
        is_broken |= matches!(probe.finding(), Finding::Broken | Finding::AllWrong);
        if let Some(event) = probe.first_bad() {
            let _ = write!(text, "\n{}", explain_failure(event, &repeat, true, output::width()));
        }
    }
    for end in opened.stop() {
        match end {
            Some(status) if status.success() => {}
            Some(status) => {
                is_broken = true;
                let _ = writeln!(text, "\ntold to stop, it ended with {status}, expected exit status 0");
            }
            None => {
                is_broken = true;
                text.push_str("\ntold to stop, it went on and had to be ended\n");
            }
        }
    }
    text.push_str(if is_broken {
        "\nthe adapter has to be mended before a run says anything of the implementation\n"
    } else {
        "\nthe adapter works; `opcert certify` settles the rest\n"
    });
    output::print(&text)?;
    Ok(if is_broken { FAILED } else { CONFORMS })
}

fn sentence(probe: &Probe) -> String {
    let right = probe.count(&[Outcome::Pass]);
    let unsupported = probe.count(&[Outcome::Unsupported, Outcome::NotRun]);
    let ran = probe.events.len() - unsupported;
    let reason = probe.events.iter().find(|event| !event.outcome.ran()).and_then(|event| event.reason.as_ref());
    let reason = reason.map(|reason| format!(", {unsupported} not run: {reason}")).unwrap_or_default();
    match probe.finding() {
        Finding::Right => format!("{right} of {ran} simple cases right{reason}"),
        Finding::Differs => format!("{right} of {ran} simple cases right: the implementation differs{reason}"),
        Finding::Nothing => format!("nothing to try{reason}"),
        Finding::AllWrong => format!("0 of {ran} simple cases right: the mapping looks wrong{reason}"),
        Finding::Broken => {
            format!("{right} of {ran} simple cases right, and something other than an answer came{reason}")
        }
    }
}
