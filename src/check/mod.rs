//! The validator: is a descriptor valid at a feature level, and if not, which requirements does it break?
//!
//! [`violations`] answers for any descriptor. [`CheckedCase::of`] asks it about a case and compares the answer with
//! what the case says of itself; nothing after this stage takes a case that has not been through it.

mod checked;
mod covered;
mod engine;
mod levels;
mod suite;
mod tested;

pub use checked::{About, CheckedCase, InputData, Layout, RefusedCase, ValidCase};
pub use covered::{completed, covered};
pub(crate) use covered::{leaves_open, questions, worked_out};
pub(crate) use engine::violations_by;
pub use engine::{Violation, holds, violations};
pub(crate) use levels::broken_ids;
pub use levels::{breakpoints, least_level, refusal};
pub use suite::Suite;
pub use tested::puts_to_the_test;
