//! `opcert smoke`.

use std::fmt::Write as _;
use std::time::Instant;

use clap::Args;
use opcert_backend::ForeignText;
use schemars::JsonSchema;
use serde::Serialize;

use super::backends::{BackendEntry, describe};
use super::chosen::{BackendArguments, Chosen};
use super::{CONFORMS, FAILED, Failure, JSON_FORMAT, Sources, TextOrJson, output};
use crate::expectations::Expectations;
use crate::judge::Outcome;
use crate::render::wrapped;
use crate::report::{CertifiedBackend, explain_failure};
use crate::smoke::{Finding, Probe};

/// Arguments of `opcert smoke`.
#[derive(Debug, Args)]
pub(super) struct SmokeArguments {
    #[command(flatten)]
    backend: BackendArguments,
    #[command(flatten)]
    sources: Sources,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
}

/// What `opcert smoke --format json` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct SmokeReport {
    /// The version of this format.
    format: u32,
    /// What the backend says of itself.
    backend: CertifiedBackend,
    /// After how many milliseconds it was ready.
    ready_milliseconds: u64,
    /// Whether the adapter works; otherwise it has to be mended before a run says anything of the implementation.
    works: bool,
    /// Each operator.
    operators: Vec<SmokedOperator>,
    /// What went wrong when it was told to stop.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stopping: Vec<String>,
}

/// What the simple cases of an operator say.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct SmokedOperator {
    /// The operator's id.
    operator: String,
    /// What that says of the adapter.
    finding: Finding,
    /// How many cases were tried.
    tried: usize,
    /// How many of these ran.
    ran: usize,
    /// How many of those were right.
    right: usize,
    /// The first case that counts against the adapter or the implementation.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<SmokedFailure>,
}

/// A case that went wrong.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct SmokedFailure {
    /// The case's id.
    case: String,
    /// What came out.
    outcome: Outcome,
    /// Why, where there is more to say than that outputs differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<ForeignText>,
}

impl SmokedOperator {
    fn of(probe: &Probe) -> Self {
        let failure = probe.first_bad().map(|event| SmokedFailure {
            case: event.case.clone(),
            outcome: event.outcome,
            reason: event.reason.clone(),
        });
        Self {
            operator: probe.operator.id.clone(),
            finding: probe.finding(),
            tried: probe.events.len(),
            ran: probe.events.iter().filter(|event| event.outcome.ran()).count(),
            right: probe.count(&[Outcome::Pass]),
            failure,
        }
    }
}

pub(super) fn smoke(arguments: &SmokeArguments, backends: &[BackendEntry]) -> Result<u8, Failure> {
    let specs = arguments.sources.load_specs()?;
    // Files of one's own may be called anything.
    let is_own = arguments.sources.cases.is_some();
    let simple = |stem: &str| is_own || stem.ends_with("/documented") || stem.ends_with("/by_hand");
    let suite = arguments.sources.load_files(&specs, simple)?;
    let known = arguments.backend.known_failures()?;
    let began = Instant::now();
    let opened = Chosen::find(backends, &arguments.backend)?.open(&specs)?;
    let identity = opened.backend.identity();
    let ready = began.elapsed();
    let columns = output::width_for_people().unwrap_or(usize::MAX);
    let line =
        format!("{} {}, ready in {:.2} s", identity.name, describe(&identity, &opened.through), ready.as_secs_f64());
    let mut text = wrapped(&line, "", "    ", columns);
    let mut probes =
        Probe::each(suite, &specs, &*opened.backend).map_err(|error| Failure::Backend(error.to_string()))?;
    let cases = probes.iter().flat_map(|probe| &probe.events).map(|event| event.case.as_str());
    let expectations = Expectations::new(known, &identity, cases, false).map_err(Failure::Files)?;
    probes.iter_mut().for_each(|probe| probe.expect(&expectations));
    let width = probes.iter().map(|probe| probe.operator.id.len()).max().unwrap_or_default();
    for probe in &probes {
        text.push_str(&wrapped(&sentence(probe), &format!("{:width$}  ", probe.operator.id), "    ", columns));
    }
    let nothing = |probe: &Probe| matches!(probe.finding(), Finding::Nothing | Finding::NotTried);
    let mut is_broken = probes.iter().all(nothing);
    let repeat = [vec![output::program(), "run {case}".to_owned()], arguments.backend.as_options()].concat().join(" ");
    for probe in &probes {
        is_broken |= matches!(probe.finding(), Finding::Broken | Finding::AllWrong);
        if let Some(event) = probe.first_bad() {
            let _ = write!(text, "\n{}", explain_failure(event, &repeat, true, output::width()));
        }
    }
    let stopping: Vec<String> = opened
        .stop()
        .into_iter()
        .filter_map(|end| match end {
            Some(status) if status.success() => None,
            Some(status) => Some(format!("told to stop, it ended with {status}, expected exit status 0")),
            None => Some("told to stop, it went on and had to be ended".to_owned()),
        })
        .collect();
    is_broken |= !stopping.is_empty();
    let code = if is_broken { FAILED } else { CONFORMS };
    if arguments.format == TextOrJson::Json {
        output::print_json(&SmokeReport {
            format: JSON_FORMAT,
            backend: identity.into(),
            ready_milliseconds: ready.as_millis() as u64,
            works: !is_broken,
            operators: probes.iter().map(SmokedOperator::of).collect(),
            stopping,
        })?;
        return Ok(code);
    }
    stopping.iter().for_each(|said| text += &format!("\n{said}\n"));
    text.push_str(if is_broken {
        "\nthe adapter has to be mended before a run says anything of the implementation\n"
    } else {
        "\nthe adapter works; `opcert certify` settles the rest\n"
    });
    output::print(&text)?;
    Ok(code)
}

fn sentence(probe: &Probe) -> String {
    let right = probe.count(&[Outcome::Pass]);
    let unsupported = probe.count(&[Outcome::Unsupported, Outcome::NotRun]);
    let ran = probe.events.len() - unsupported;
    let reason = probe.events.iter().find(|event| !event.outcome.ran()).and_then(|event| event.reason.as_ref());
    let mut known = probe.events.iter().filter(|event| event.outcome == Outcome::ExpectedFailure);
    let known = match (known.next(), known.count()) {
        (None, _) => String::new(),
        (Some(event), 0) => format!(", 1 wrong as is known: `{}`", event.case),
        (Some(event), more) => format!(", {} wrong as is known, the first `{}`", more + 1, event.case),
    };
    let reason = reason.map(|reason| format!(", {unsupported} not run: {reason}")).unwrap_or_default();
    let reason = known + &reason;
    match probe.finding() {
        Finding::Right => format!("{right} of {ran} simple cases right{reason}"),
        Finding::Differs => format!("{right} of {ran} simple cases right: the implementation differs{reason}"),
        Finding::Nothing => format!("nothing to try{reason}"),
        Finding::NotTried => "not tried: others gave no answer in time".to_owned(),
        Finding::AllWrong => format!("0 of {ran} simple cases right: the mapping looks wrong{reason}"),
        Finding::Broken => {
            format!("{right} of {ran} simple cases right, and something other than an answer came{reason}")
        }
    }
}
