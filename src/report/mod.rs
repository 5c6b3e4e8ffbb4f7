//! What people and programs read. Every reporter consumes events and nothing else, so that everything can be rendered
//! again later from the event log.

mod human;
mod junit;
mod log;
mod markdown;
mod matrix;

pub use human::{Human, explain_failure, summary};
pub use junit::junit;
pub use log::{LOG_FORMAT, Log, LogError, LogWriter};
pub use markdown::markdown;
pub use matrix::{Cell, Counts, LevelRow, Matrix, OperatorMatrix, Standing};
