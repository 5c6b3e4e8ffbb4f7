//! How fast a backend is, beside what the machine can do at all.
//!
//! A [`Workload`] is an operator on tensors of one form, for any number of elements: data, read from a file for each
//! operator. [`Bench`] measures workloads on a
//! backend: on memory that was allocated and touched before, in rounds, and in each round it also copies memory
//! ([`Copying`], the yardstick of bandwidth) and calls an operator that does nothing (the yardstick of a dispatch). What
//! it yields is a [`BenchReport`], which is data; [`table`] and [`plot`] render it.
//!
//! What a backend answers is compared with what the operator's definition says before it is timed, so that nobody measures
//! a wrong answer. Deliberately absent: limits. A measurement passes no judgement, and no verdict rests on one.

mod bound;
mod checking;
mod copying;
mod format;
mod lengths;
mod load;
mod measure;
mod plot;
mod report;
mod rounds;
mod selection;
mod size;
mod table;
mod timing;
mod values;
mod workload;

pub use bound::Bound;
pub use copying::{COPIED_BYTES, Copying};
pub use format::WorkloadFile;
pub use load::Workloads;
pub use measure::{Measurement, Progress, WrongAnswer};
pub use plot::plot;
pub use report::{
    BENCH_FORMAT, BenchReport, BenchReportError, FailedRow, Measured, MeasuredBackend, Memcpy, Outcome, Row,
};
pub use rounds::ROUNDS;
pub use selection::{Bench, BenchError};
pub use size::{SizeError, Sizes};
pub use table::table;
pub use timing::Timing;
pub use values::Fill;
pub use workload::{Scale, Work, Workload};
