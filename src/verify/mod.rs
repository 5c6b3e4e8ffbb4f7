//! Whether a bundle fits together: everything in the certificate is worked out again from the event log and from the
//! specifications and cases, and everything that does not fit is named.
//!
//! Without a signature that shows accidental damage. Whoever changes the log, makes every other file anew and invents
//! results that the suite allows is not found out.

mod elsewhere;
mod evidence;
mod misfit;
mod stated;
mod suite;
mod waived;

pub use misfit::{Misfit, Part};

use std::io;
use std::path::Path;

use opcert_backend::ForeignText;
use serde::Deserialize;

use crate::check::{CheckedCase, Suite};
use crate::file;
use crate::judge::{CaseEvent, Header};
use crate::report::{
    BundleError, CERTIFICATE_FILE, CERTIFICATE_FORMAT, Certificate, ENVIRONMENT_FILE, Environment, LOG_FILE, Log,
    RENDERINGS, SIGNATURE_FILE, SuiteDigests, log_text,
};
use crate::signature::{self, Signers};
use crate::spec::Specs;

/// The specifications and cases that a bundle is compared with.
#[derive(Debug)]
pub struct Reference {
    /// The specifications.
    pub specs: Specs,
    /// All cases.
    pub suite: Suite,
    /// The digests of the files that they come from.
    pub digests: SuiteDigests,
    /// Whether they are those that are part of the program.
    pub embedded: bool,
}

/// What became of a bundle.
#[derive(Debug)]
pub struct Verified {
    /// Everything that does not fit.
    pub misfits: Vec<Misfit>,
    /// The log, if it can be read.
    pub log: Option<Log>,
    /// Who signed the certificate, if anybody did.
    pub signed: Option<Signed>,
}

/// A signature that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The fingerprint of the key.
    pub key: String,
    /// Whether it is among the keys that are asked for.
    pub known: bool,
    /// The name under which it stands there.
    pub name: Option<ForeignText>,
}

/// Why a bundle was not verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// There is no bundle.
    #[error("there is no bundle here: `opcert certify --out DIR` makes one")]
    NoBundle,
    /// A file cannot be read.
    #[error("`{file}` cannot be read: {error}")]
    Stream {
        /// The file.
        file: &'static str,
        /// Why.
        error: io::Error,
    },
    /// A report cannot be rendered again.
    #[error(transparent)]
    Report(#[from] BundleError),
    /// Something cannot be JSON.
    #[error("no JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Whether an event of a log is of this case: the same descriptor, data and expectation, and not only the same id.
#[must_use]
pub fn is_of(event: &CaseEvent, case: &CheckedCase, header: &Header) -> bool {
    suite::is_of(event, case, header)
}

/// Verifies the bundle in a folder. Where `signers` are given, the certificate has to be signed by one of them.
///
/// # Errors
///
/// When there is nothing to verify, or it cannot be read.
pub fn verify(folder: &Path, reference: &Reference, signers: Option<&Signers>) -> Result<Verified, VerifyError> {
    let mut misfits = Vec::new();
    let files = Files::read(folder, &mut misfits)?;
    let mut certificate = files.certificate.as_deref().and_then(|bytes| certificate(bytes, &mut misfits));
    let log = files.log.as_deref().and_then(|bytes| match Log::read(bytes) {
        Ok(log) => Some(log),
        Err(error) => {
            misfits.push(Misfit::Log(error));
            None
        }
    });
    if let (Some(certificate), Some(bytes)) = (&certificate, &files.log) {
        let found = blake3::hash(bytes).to_hex().to_string();
        if found != certificate.log {
            misfits.push(Misfit::LogDigest { stated: certificate.log.clone(), found });
        }
    }
    if let (Some(certificate), Some(log)) = (&mut certificate, &log) {
        misfits.extend(stated::differences(certificate, log)?);
    }
    let version = certificate.as_ref().map(|each| &each.opcert).or(log.as_ref().map(|log| &log.header.opcert));
    let version = version.filter(|version| reference.embedded && *version != env!("CARGO_PKG_VERSION"));
    let own = log.as_ref().filter(|log| reference.embedded && log.header.is_of_whole_suite() && log.header.own_suite);
    match (version, own) {
        // Another version's suite, reports and judgement would differ all over.
        (Some(stated), _) => misfits.push(Misfit::Version { stated: stated.clone() }),
        // As does every file of a suite that is not part of the program.
        (None, Some(log)) => misfits.extend(suite::embedded(log, reference)),
        (None, None) => {
            let stated = certificate.as_ref().map(|certificate| &certificate.suite);
            misfits.extend(stated.into_iter().flat_map(|stated| suite::files(stated, &reference.digests)));
            if let Some(log) = &log {
                misfits.extend(suite::events(log, reference)?);
                misfits.extend(waived::misfits(&log.cases, &reference.suite.cases));
                // A file that is not the certificate's is named once.
                if !misfits.iter().any(|misfit| matches!(misfit, Misfit::SuiteFile { .. })) {
                    misfits.extend(suite::embedded(log, reference));
                }
                misfits.extend(files.log_text(log)?);
                misfits.extend(files.renderings(log)?);
            }
        }
    }
    misfits.extend(files.environment.as_deref().and_then(environment));
    let signed = match signer(&files, signers) {
        Ok(signed) => signed,
        Err(misfit) => {
            misfits.push(misfit);
            None
        }
    };
    Ok(Verified { misfits, log, signed })
}

/// The files of a bundle, as far as they are there.
struct Files {
    log: Option<Vec<u8>>,
    certificate: Option<Vec<u8>>,
    environment: Option<Vec<u8>>,
    signature: Option<Vec<u8>>,
    rendered: Vec<Option<Vec<u8>>>,
}

impl Files {
    fn read(folder: &Path, misfits: &mut Vec<Misfit>) -> Result<Self, VerifyError> {
        let read = |name: &'static str| match file::read(&folder.join(name), file::LONGEST_LOG) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(VerifyError::Stream { file: name, error }),
        };
        let files = Self {
            log: read(LOG_FILE)?,
            certificate: read(CERTIFICATE_FILE)?,
            environment: read(ENVIRONMENT_FILE)?,
            signature: read(SIGNATURE_FILE)?,
            rendered: RENDERINGS.iter().map(|(name, _)| read(name)).collect::<Result<_, _>>()?,
        };
        if files.log.is_none() && files.certificate.is_none() {
            return Err(VerifyError::NoBundle);
        }
        let needed =
            [(LOG_FILE, &files.log), (CERTIFICATE_FILE, &files.certificate), (ENVIRONMENT_FILE, &files.environment)];
        let rendered = RENDERINGS.iter().map(|(name, _)| *name).zip(&files.rendered);
        let missing = needed.into_iter().chain(rendered).filter(|(_, bytes)| bytes.is_none());
        misfits.extend(missing.map(|(name, _)| Misfit::Missing(name)));
        Ok(files)
    }

    /// Whatever a log says, it says it in the bytes that opcert writes.
    fn log_text(&self, log: &Log) -> Result<Option<Misfit>, VerifyError> {
        let found = log_text(log)?;
        let stated = self.log.as_deref().filter(|stated| *stated != found.as_bytes());
        Ok(stated.map(|stated| Misfit::LogText(first_difference(stated, found.as_bytes()))))
    }

    fn renderings(&self, log: &Log) -> Result<Vec<Misfit>, BundleError> {
        let mut misfits = Vec::new();
        for ((file, render), stated) in RENDERINGS.iter().zip(&self.rendered) {
            let (Some(stated), found) = (stated, render(log)?) else { continue };
            if *stated != found.as_bytes() {
                misfits.push(Misfit::Rendering { file, line: first_difference(stated, found.as_bytes()) });
            }
        }
        Ok(misfits)
    }
}

/// The first line that differs, from 1.
fn first_difference(one: &[u8], other: &[u8]) -> usize {
    let alike = std::iter::zip(one, other).take_while(|(one, other)| one == other);
    1 + alike.filter(|(byte, _)| **byte == b'\n').count()
}

/// Reads a certificate. Whatever it says, it says it in the bytes that opcert writes.
fn certificate(bytes: &[u8], misfits: &mut Vec<Misfit>) -> Option<Certificate> {
    /// What stands in a certificate of any version.
    #[derive(Deserialize)]
    struct AnyVersion {
        format: u32,
    }
    let certificate = match serde_json::from_slice::<AnyVersion>(bytes) {
        Ok(AnyVersion { format }) if format != CERTIFICATE_FORMAT => Err(Misfit::CertificateFormat(format)),
        Ok(_) => serde_json::from_slice::<Certificate>(bytes).map_err(Misfit::Certificate),
        Err(error) => Err(Misfit::Certificate(error)),
    };
    match certificate {
        Ok(certificate) => {
            if !certificate.text().is_ok_and(|text| text.as_bytes() == bytes) {
                misfits.push(Misfit::CertificateText);
            }
            Some(certificate)
        }
        Err(misfit) => {
            misfits.push(misfit);
            None
        }
    }
}

fn environment(bytes: &[u8]) -> Option<Misfit> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Environment::read(text).err().map(Misfit::Environment),
        Err(_) => Some(Misfit::EnvironmentText),
    }
}

fn signer(files: &Files, signers: Option<&Signers>) -> Result<Option<Signed>, Misfit> {
    let (Some(signature), Some(certificate)) = (&files.signature, &files.certificate) else {
        let unsigned = signers.is_some() && files.signature.is_none();
        return if unsigned { Err(Misfit::Unsigned) } else { Ok(None) };
    };
    let key = signature::check(signature, certificate).map_err(Misfit::Signature)?;
    let listed = signers.map(|signers| signers.find(&key));
    let fingerprint = signature::fingerprint(&key);
    match listed {
        Some(None) => Err(Misfit::ForeignSigner(fingerprint)),
        Some(Some(name)) => Ok(Some(Signed { key: fingerprint, known: true, name: name.map(ForeignText::from) })),
        None => Ok(Some(Signed { key: fingerprint, known: false, name: None })),
    }
}
