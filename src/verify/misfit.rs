//! What can be wrong with a bundle. Each kind says so in its own words.

use crate::judge::Outcome;
use crate::plan::ClaimError;
use crate::render::counted;
use crate::report::SIGNATURE_FILE;
use crate::report::{CERTIFICATE_FILE, CERTIFICATE_FORMAT, ENVIRONMENT_FILE, EnvironmentError, LOG_FILE, LogError};
use crate::signature::SignatureError;

/// Something in a bundle that does not fit.
#[derive(Debug, thiserror::Error)]
pub enum Misfit {
    /// A file is missing.
    #[error("`{0}` is missing from the bundle")]
    Missing(&'static str),
    /// The log cannot be read.
    #[error("`{LOG_FILE}`: {0}")]
    Log(LogError),
    /// The log is another one.
    #[error(
        "`{LOG_FILE}` is not the log that the certificate was made from: its digest is {found}, the certificate names {stated}"
    )]
    LogDigest {
        /// What the certificate says.
        stated: String,
        /// What it is.
        found: String,
    },
    /// The certificate cannot be read.
    #[error("`{CERTIFICATE_FILE}` is no certificate: {0}")]
    Certificate(serde_json::Error),
    /// The certificate has another format.
    #[error(
        "`{CERTIFICATE_FILE}` has format {0}, and this opcert reads format {CERTIFICATE_FORMAT}: verify it with the \
         opcert that wrote it"
    )]
    CertificateFormat(u32),
    /// The certificate says what it should, in other bytes.
    #[error(
        "`{CERTIFICATE_FILE}` is not written as opcert writes it: its order, its spacing or a double entry was changed"
    )]
    CertificateText,
    /// The certificate says something that does not follow from the log.
    #[error("`{CERTIFICATE_FILE}`: the {part} `{place}` is {stated}, and the log gives {found}")]
    Stated {
        /// What kind of thing it is.
        part: Part,
        /// Where it stands.
        place: String,
        /// What the certificate says.
        stated: String,
        /// What follows from the log.
        found: String,
    },
    /// The certificate is of another suite.
    #[error(
        "the certificate is of the suite of opcert {stated}, and this is opcert {}: verify it with that version, or \
         name that version's files with `--specs` and `--cases`",
        env!("CARGO_PKG_VERSION")
    )]
    Version {
        /// The version in the certificate.
        stated: String,
    },
    /// A file of the suite is another one.
    #[error(
        "the {kind} `{path}` is not that of the certificate, which names {stated}, and {found} is here: `--specs` and \
         `--cases` take the files that it was made with"
    )]
    SuiteFile {
        /// What it is.
        kind: &'static str,
        /// Its path.
        path: String,
        /// What the certificate says.
        stated: String,
        /// What it is.
        found: String,
    },
    /// More files of the suite are not those of the certificate than are named.
    #[error("{} beside these: not the certificate's", counted(*.count, .kind))]
    SuiteFiles {
        /// What they are.
        kind: &'static str,
        /// How many.
        count: usize,
    },
    /// A suite that is not embedded gives no verdict on a family that is.
    #[error(
        "the log is said to be of a suite that is not part of opcert, and the family `{0}` is: `--specs` and `--cases` take \
         the files that it was made with"
    )]
    NotOwn(String),
    /// The log's header disagrees with the suite.
    #[error("`{LOG_FILE}`: `{key}` of the header is not what the suite says")]
    Header {
        /// The key.
        key: &'static str,
    },
    /// The backend cannot have claimed that, and run.
    #[error("`{LOG_FILE}`: {0}")]
    Claims(ClaimError),
    /// The log's header says what cannot be.
    #[error("`{LOG_FILE}`: `{key}` of the header does not fit: {reason}")]
    HeaderImpossible {
        /// The key.
        key: &'static str,
        /// Why not.
        reason: String,
    },
    /// The log says what it should, in other bytes.
    #[error(
        "`{LOG_FILE}` is not written as opcert writes it, from line {0} on: its order, its spacing or a double entry was \
         changed"
    )]
    LogText(usize),
    /// Other files are called the embedded ones.
    #[error(
        "the log is said to be of the whole embedded suite, and the {kind} `{path}` is not the one that is part of opcert"
    )]
    NotEmbedded {
        /// What it is.
        kind: &'static str,
        /// Its path.
        path: String,
    },
    /// A case was left out.
    #[error("`{0}` is a case of the suite, and the log of a complete run has no result of it: it was removed")]
    MissingCase(String),
    /// A case does not belong there.
    #[error("`{0}` has a result in the log, and is no case of the suite")]
    UnknownCase(String),
    /// A case does not belong into this run.
    #[error("`{0}` has a result in the log, and begins above the level that was run or belongs to another part")]
    CaseAbove(String),
    /// Cases stand in another order.
    #[error("`{0}` does not stand where the suite has it: the order of the log was changed")]
    Order(String),
    /// A case is described in another way.
    #[error("`{case}`: `{key}` is {stated} in the log, and {found} in the suite")]
    Described {
        /// The case.
        case: String,
        /// The key.
        key: &'static str,
        /// What the log says.
        stated: String,
        /// What the suite says.
        found: String,
    },
    /// An outcome cannot be.
    #[error("`{case}`: the outcome `{outcome}` does not fit: {reason}")]
    Outcome {
        /// The case.
        case: String,
        /// What came out, as the log has it.
        outcome: Outcome,
        /// Why not.
        reason: String,
    },
    /// A report is another one.
    #[error("`{file}` is not what the log renders to, from line {line} on")]
    Rendering {
        /// The file.
        file: &'static str,
        /// The first line that differs, from 1.
        line: usize,
    },
    /// The environment cannot be read.
    #[error("`{ENVIRONMENT_FILE}` {0}")]
    Environment(EnvironmentError),
    /// The environment is no text.
    #[error("`{ENVIRONMENT_FILE}` is no UTF-8")]
    EnvironmentText,
    /// There is no signature, and there should be.
    #[error("there is no `{SIGNATURE_FILE}`, and `--require-signer` asks for a signature")]
    Unsigned,
    /// The signature does not hold.
    #[error("`{SIGNATURE_FILE}` {0}")]
    Signature(SignatureError),
    /// The signature is somebody else's.
    #[error("`{SIGNATURE_FILE}` is a signature by the key {0}, which `--require-signer` does not name")]
    ForeignSigner(String),
}

/// What a certificate consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Who was run, and how.
    Entry,
    /// How many cases there are.
    Count,
    /// The matrix.
    Cell,
    /// Known failures.
    Waiver,
    /// What went wrong.
    Failure,
    /// Answers to open questions.
    Observation,
}

impl std::fmt::Display for Part {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Entry => "entry",
            Self::Count => "count",
            Self::Cell => "cell",
            Self::Waiver => "waiver",
            Self::Failure => "failed case",
            Self::Observation => "observation",
        })
    }
}
