//! The files of a bundle, and how each of them comes from the event log.

use super::certificate::{Certificate, SuiteDigests};
use super::environment::Environment;
use super::{Log, LogWriter, html, junit, markdown};
use crate::judge::Event;

/// The name of the page in a bundle.
pub const PAGE_FILE: &str = "report.html";
/// The event log's name in a bundle.
pub const LOG_FILE: &str = "events.jsonl";
/// The certificate's name in a bundle.
pub const CERTIFICATE_FILE: &str = "certificate.json";
/// The name of the certificate's signature in a bundle.
pub const SIGNATURE_FILE: &str = "certificate.json.sig";
/// The environment's name in a bundle.
pub const ENVIRONMENT_FILE: &str = "environment.json";

/// Why a bundle cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// No JSON.
    #[error("no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// No JUnit XML.
    #[error("no JUnit XML: {0}")]
    Junit(#[from] quick_junit::SerializeError),
}

/// The files of a bundle by their names, the certificate last: where it stands, the others do.
///
/// # Errors
///
/// When a report cannot be rendered.
pub fn bundle(
    log: &Log,
    suite: SuiteDigests,
    environment: &Environment,
) -> Result<Vec<(&'static str, String)>, BundleError> {
    let events = log_text(log)?;
    let digest = blake3::hash(events.as_bytes()).to_hex().to_string();
    let mut files = vec![(LOG_FILE, events)];
    for (name, render) in RENDERINGS {
        files.push((name, render(log)?));
    }
    files.push((ENVIRONMENT_FILE, environment.text()?));
    files.push((CERTIFICATE_FILE, Certificate::of(log, digest, suite).text()?));
    Ok(files)
}

/// How a file of a bundle is rendered.
pub type Render = fn(&Log) -> Result<String, BundleError>;

/// The files that are rendered from the event log and nothing else.
pub const RENDERINGS: &[(&str, Render)] = &[
    ("junit.xml", |log| Ok(junit(log)?)),
    ("matrix.md", |log| Ok(markdown(log))),
    (PAGE_FILE, |log| Ok(html(std::slice::from_ref(log)))),
];

/// The log as it stands in its file.
pub(crate) fn log_text(log: &Log) -> Result<String, serde_json::Error> {
    let mut events = Vec::new();
    let mut writer = LogWriter::new(&mut events);
    let header = std::iter::once(Event::Header(Box::new(log.header.clone())));
    let cases = log.cases.iter().map(|case| Event::Case(Box::new(case.clone())));
    let footer = std::iter::once(Event::Footer(log.footer()));
    header.chain(cases).chain(footer).try_for_each(|event| writer.write(&event)).map_err(serde_json::Error::io)?;
    Ok(String::from_utf8_lossy(&events).into_owned())
}
