//! What people and programs read. Every reporter consumes events and nothing else, so that everything can be rendered
//! again later from the event log.

mod appearance;
mod badge;
mod bundle;
mod cell;
mod certificate;
mod comparison;
mod diff;
mod environment;
mod html;
mod human;
mod junit;
mod log;
mod machine;
mod markdown;
mod matrix;
mod reported;
mod standing;
mod svg;
mod trend;
mod unfinished;
mod waivers;

pub(crate) use appearance::{page_style, picture_style};
pub use badge::badge;
pub(crate) use bundle::log_text;
pub use bundle::{
    BundleError, CERTIFICATE_FILE, ENVIRONMENT_FILE, LOG_FILE, PAGE_FILE, RENDERINGS, Render, SIGNATURE_FILE, bundle,
};
pub use cell::{Cell, Counts};
pub(crate) use certificate::digests;
pub use certificate::{
    Answer, CERTIFICATE_FORMAT, Certificate, Certified, CertifiedBackend, CertifiedCell, CertifiedDocument,
    CertifiedError, CertifiedLevel, CertifiedOperator, CertifiedRun, CertifiedType, CertifiedVerdict, SuiteDigests,
    Totals,
};
pub use diff::{Change, ChangeKind, Diff, DiffCounts, HeadDifference, Summary};
pub use environment::{ENVIRONMENT_FORMAT, Environment, EnvironmentError};
pub use html::html;
pub(crate) use html::{head, style_policy};
pub use human::{Human, by_requirement, explain_failure, side_by_side, summary, verdict_line};
pub use junit::junit;
pub use log::{LOG_FORMAT, Log, LogError, LogWriter};
pub use machine::{Machine, available_memory};
pub use markdown::{comparison_table, markdown};
pub use matrix::{LevelRow, Matrix, OperatorMatrix};
pub use reported::Reported;
pub use standing::{Standing, Waived};
pub(crate) use svg::STYLE as PICTURE_STYLE;
pub use svg::svg;
pub use trend::{OperatorStanding, OperatorTrend, Since, Trend, TrendError, TrendReport, Turn};
pub use unfinished::{UnfinishedLog, UnfinishedWriter};
pub use waivers::waivers;
