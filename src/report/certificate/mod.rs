//! `certificate.json`: what a run came to, and on what grounds.
//!
//! Everything in it follows from the event log and from the files of the suite, so that `opcert verify` can work it out
//! again. It holds no times, dates or facts about the machine: the same run gives the same bytes.

mod cells;
mod certified;
mod digests;

pub use cells::{CertifiedCell, CertifiedLevel, CertifiedOperator, CertifiedType, CertifiedVerdict};
pub use certified::{Certified, CertifiedError};
pub(crate) use digests::digests;
pub use digests::{CertifiedDocument, SuiteDigests};

use std::collections::BTreeMap;

use opcert_backend::{ForeignText, Identity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Log, Matrix};
use crate::json;
use crate::judge::{CaseEvent, MappedClaim, Outcome, Waiver};

/// The version of the certificate's format.
pub const CERTIFICATE_FORMAT: u32 = 1;

/// What a run of the suite on a backend came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version of this format.
    pub format: u32,
    /// The version of opcert, and so of the suite that is part of it.
    pub opcert: String,
    /// The BLAKE3 digest of the event log, `events.jsonl`.
    pub log: String,
    /// What was run.
    pub backend: CertifiedBackend,
    /// How it was run.
    pub run: CertifiedRun,
    /// How many cases there are, and how many came out in which way.
    pub totals: Totals,
    /// Each operator of which the log has cases, by its id.
    pub operators: BTreeMap<String, CertifiedOperator>,
    /// The known failures that were let pass, and those that did not fail, by the case's id.
    pub waivers: BTreeMap<String, Waiver>,
    /// What came out of each case that went wrong, by the case's id.
    pub wrong: BTreeMap<String, Outcome>,
    /// The answers to what the documents leave open, by the case's id.
    pub observations: BTreeMap<String, Answer>,
    /// The files that all of this rests on.
    pub suite: SuiteDigests,
}

/// The backend, as it speaks of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CertifiedBackend {
    /// Its short name.
    pub name: ForeignText,
    /// Its version.
    pub version: ForeignText,
    /// What it ran on, where there is a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<ForeignText>,
    /// The highest feature level that it claims, per family or operator.
    pub claims: BTreeMap<String, String>,
    /// Whether it claims to accept strided tensors.
    pub strided: bool,
    /// Whether it claims to refuse invalid descriptors.
    pub refuses_invalid: bool,
}

/// How the backend was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CertifiedRun {
    /// Whether all of a suite was run that gives a verdict: the embedded one, or that of families which are not embedded. If
    /// not, this is no verdict.
    pub complete: bool,
    /// Whether the suite is not the embedded one, but that of the files in `suite`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_suite: bool,
    /// The claims that are met as other operators, by mappings; all others it meets itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub through: BTreeMap<String, MappedClaim>,
    /// Whether the backend ran in a process of its own.
    pub isolated: bool,
    /// Whether outputs lay between guard zones.
    pub guards: bool,
    /// The format in which cases were carried to where they ran, and their results brought back, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<String>,
    /// The highest feature level that was run, where less was asked for than the backend claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
}

/// How many cases there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// All of them.
    pub cases: usize,
    /// By what came out.
    pub outcomes: BTreeMap<Outcome, usize>,
}

/// What a backend answered to a question that the documents leave open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// What became of the case, where that is the answer: that it was refused, for instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<ForeignText>,
    /// The elements of each output, or their digest.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, String>,
}

impl Certificate {
    /// The certificate of a log whose bytes have the digest `digest`.
    #[must_use]
    pub fn of(log: &Log, digest: String, suite: SuiteDigests) -> Self {
        let header = &log.header;
        let footer = log.footer();
        let matrix = Matrix::of(log);
        let counted = matrix.operators.iter().filter(|operator| operator.has_cases);
        Self {
            format: CERTIFICATE_FORMAT,
            opcert: header.opcert.clone(),
            log: digest,
            backend: CertifiedBackend::from(header.backend.clone()),
            run: CertifiedRun {
                complete: header.complete,
                own_suite: header.own_suite,
                through: header.through.clone(),
                isolated: header.isolated,
                guards: header.guards,
                carried: header.carried.clone(),
                level: header.level.clone(),
            },
            totals: Totals { cases: footer.cases, outcomes: footer.outcomes },
            operators: counted
                .map(|operator| (operator.operator.id.clone(), CertifiedOperator::of(operator, header.complete)))
                .collect(),
            waivers: picked(log, |event| event.waiver.clone()),
            wrong: picked(log, |event| event.outcome.is_bad().then_some(event.outcome)),
            observations: picked(log, Answer::of),
            suite,
        }
    }

    /// The text of the file: what fits on a line stands on one.
    ///
    /// # Errors
    ///
    /// When it cannot be JSON.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        json::text(self)
    }
}

fn picked<T>(log: &Log, pick: impl Fn(&CaseEvent) -> Option<T>) -> BTreeMap<String, T> {
    log.cases.iter().filter_map(|event| Some((event.case.clone(), pick(event)?))).collect()
}

impl Answer {
    fn of(event: &CaseEvent) -> Option<Self> {
        let outputs = event.observed.iter().map(|each| (each.tensor.clone(), each.value.clone())).collect();
        (event.outcome == Outcome::Observed).then(|| Self { said: event.reason.clone(), outputs })
    }
}

impl From<Identity> for CertifiedBackend {
    fn from(identity: Identity) -> Self {
        let Identity { name, version, device, claims, strided, refuses_invalid } = identity;
        Self { name, version, device, claims, strided, refuses_invalid }
    }
}
