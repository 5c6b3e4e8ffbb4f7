//! How fast a backend is, beside what the machine can do at all.
//!
//! A [`Workload`] is an operator on tensors of one form, for any number of elements. [`Bench`] measures workloads on a
//! backend: on memory that was allocated and touched before, in rounds, and in each round it also copies memory
//! ([`Copying`], the yardstick of bandwidth) and calls an operator that does nothing (the yardstick of a dispatch). What
//! it yields is a [`BenchReport`], which is data; [`table`] and [`plot`] render it.
//!
//! What a backend answers is compared with what the operator's definition says before it is timed, so that nobody measures
//! a wrong answer. Deliberately absent: limits. A measurement passes no judgement, and no verdict rests on one.

mod argmax;
mod bound;
mod checking;
mod copying;
mod form;
mod measure;
mod nonzero_coordinates;
mod one_hot;
mod openvino_one_hot_1;
mod plot;
mod report;
mod rounds;
mod selection;
mod size;
mod table;
mod timing;
mod values;
mod workload;
mod workloads;

pub use bound::Bound;
pub use copying::{COPIED_BYTES, Copying};
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
pub use workload::{Scale, Work, Workload, Written};
pub use workloads::WORKLOADS;
