//! Known failures: which cases of a backend are expected to go wrong, how, and why.
//!
//! They stand in a file of their own beside the backend (`docs/EXPECTATIONS.md`), and are applied to what was judged:
//! a failure that was expected is let pass and named as such, and a case that passes although it was expected to fail
//! is red. Judging knows nothing of this, and nothing is expected of a case that the documents leave open, that is not
//! supported or that did not run.

mod apply;
mod format;
mod known;
mod update;
mod write;

pub use apply::{Expectations, as_judged};
pub(crate) use apply::{MOST_TRIED, candidates};
pub use format::{ExpectationFormat, ExpectationsFormat, ExpectedOutcome};
pub(crate) use known::is_link;
pub use known::{KnownFailure, KnownFailures};
pub use update::{Addition, Removal, Update};
