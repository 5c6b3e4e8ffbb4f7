//! `opcert verify`.

use std::path::{Path, PathBuf};

use clap::Args;
use opcert_backend::ForeignText;

use super::input::is_there;
use super::{CONFORMS, FAILED, Failure, Sources, output};
use crate::file;
use crate::render;
use crate::report::{CERTIFICATE_FILE, LOG_FILE, Log};
use crate::signature::Signers;
use crate::verify::{Reference, Signed, Verified, verify as verify_bundle};

/// So many misfits are shown one by one.
const MOST_SHOWN: usize = 200;

/// Arguments of `opcert verify`.
#[derive(Debug, Args)]
pub(super) struct VerifyArguments {
    /// The folder that `opcert certify --out` wrote
    #[arg(value_name = "DIR")]
    bundle: PathBuf,
    /// Accept only a certificate that is signed by a key in this file: an allowed-signers file, or a public key
    #[arg(long, value_name = "FILE")]
    require_signer: Option<PathBuf>,
    #[command(flatten)]
    sources: Sources,
}

pub(super) fn verify(arguments: &VerifyArguments) -> Result<u8, Failure> {
    if arguments.bundle.is_file() {
        let file = ForeignText::from(arguments.bundle.as_path());
        let message = format!("`{file}` is a file, expected the folder that `opcert certify --out DIR` wrote");
        return Err(Failure::Usage(message));
    }
    if !output::holds_report(&arguments.bundle) {
        return Err(output::no_report(&arguments.bundle));
    }
    let signers = arguments.require_signer.as_deref().map(signers).transpose()?;
    let sources = &arguments.sources;
    let specs = sources.load_specs()?;
    let digests = sources.digests(&specs)?;
    let embedded = sources.are_embedded(&specs)?;
    let suite = sources.load_validated(&specs, embedded, log_of_few(&arguments.bundle).as_ref())?;
    let reference = Reference { specs, suite, digests, embedded };
    let folder = ForeignText::from(arguments.bundle.as_path());
    let verified = verify_bundle(&arguments.bundle, &reference, signers.as_ref())
        .map_err(|error| Failure::Usage(format!("`{folder}`: {error}")))?;
    let Verified { misfits, log, signed } = verified;
    let certificate_alone =
        !arguments.bundle.join(LOG_FILE).exists() && arguments.bundle.join(CERTIFICATE_FILE).exists();
    if misfits.is_empty() {
        let mut text = format!("{folder}: everything fits\n");
        text.push_str(&log.as_ref().map(said).unwrap_or_default());
        text.push_str(&whose(signed.as_ref()));
        output::print(&output::fitted(&text))?;
        return Ok(CONFORMS);
    }
    for misfit in misfits.iter().take(MOST_SHOWN) {
        output::tell(&output::error(misfit));
    }
    if misfits.len() > MOST_SHOWN {
        output::tell(&format!("and {} more", misfits.len() - MOST_SHOWN));
    }
    output::tell(&output::beside(&format!("{folder}: {}", render::counted(misfits.len(), "problem"))));
    if certificate_alone {
        output::tell(&output::beside(
            "only the certificate is here, as it is checked in; `opcert certify --out` with this folder makes the rest",
        ));
    }
    Ok(FAILED)
}

/// The log in a folder, if it can be read and is not of a whole suite: not all cases are needed then.
fn log_of_few(folder: &Path) -> Option<Log> {
    let bytes = file::read(&folder.join(LOG_FILE), file::LONGEST_LOG).ok()?;
    Log::header_of(&bytes).filter(|header| !header.is_of_whole_suite())?;
    Log::read(bytes.as_slice()).ok()
}

/// Reads the keys that are asked for.
fn signers(path: &Path) -> Result<Signers, Failure> {
    is_there("--require-signer", path, "file")?;
    Signers::read(path).map_err(|error| Failure::Usage(format!("`{}` {error}", path.display())))
}

/// What the log is about, in two lines.
fn said(log: &Log) -> String {
    let backend = &log.header.backend;
    let outcomes = log.footer().outcomes;
    let outcomes: Vec<String> = outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
    let cases = render::counted(log.cases.len(), "case");
    let suite = log.header.suite_in_words().map(|words| words + "\n").unwrap_or_default();
    let version = other_version(log).map(|words| words + "\n").unwrap_or_default();
    format!("{backend}\n{cases}: {}\n{suite}{version}", outcomes.join(", "))
}

/// What is not shown of a run of another version's whole suite: its files are known here by what the certificate names alone.
fn other_version(log: &Log) -> Option<String> {
    let header = &log.header;
    let other = header.complete && !header.own_suite && header.opcert != env!("CARGO_PKG_VERSION");
    other.then(|| {
        let version = ForeignText::from(header.opcert.as_str());
        format!(
            "made by opcert {version}: whether the files named here are its whole suite is not known to this version"
        )
    })
}

/// What the signature shows, or its absence does not.
fn whose(signed: Option<&Signed>) -> String {
    match signed {
        None => "not signed: this shows accidental damage, and not a deliberate and consistent change\n".to_owned(),
        Some(Signed { key, known: false, .. }) => {
            format!("signed by {key}, whoever that is: `--require-signer FILE` says whose signature is wanted\n")
        }
        Some(Signed { key, name: None, .. }) => format!("signed by {key}, as required\n"),
        Some(Signed { key, name: Some(name), .. }) => format!("signed by {name} ({key}), as required\n"),
    }
}
