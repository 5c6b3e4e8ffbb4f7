//! Wrong backends, chosen so that every requirement has some.
//!
//! Nearly all follow from the specifications ([`opcert::mutate`]): [`Hunted::of`] holds them against the suite, and
//! [`Hunted::chosen`] gives each requirement a few of those that are noticed. Files tell of what implementations did
//! ([`SEEN`]). What is left is beyond safe code: a [`Trespasser`] touches memory that is not its own.
//!
//! The crate's examples report what guards each requirement (`guards`), and whether random cases find as much (`fuzzed`).

mod chosen;
mod trespass;

pub use chosen::{Chosen, Hunted, SEEN};
pub use trespass::{Trespasser, trespassers};
