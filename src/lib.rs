//! opcert settles whether an implementation of a tensor operator does what its specification says.
//!
//! The flow goes one way, and so do the modules:
//!
//! [`spec`] → [`case`] → [`check`] → [`plan`] → [`run`] → [`judge`] → [`report`]
//!
//! A specification is data; a case is a descriptor with data and an expectation; the validator turns it into a
//! [`CheckedCase`](check::CheckedCase), which alone can be planned, run on a [`Backend`](opcert_backend::Backend) and
//! judged; reports consume events. [`certification`] drives the flow from end to end, [`conformance()`] does so as a
//! set of tests, and [`cli`] for a person. Beside it stands [`expected`], which works out
//! what comes out by an operator's [`definition`] and judges nothing, and so does [`fuzz`], which draws cases at random and
//! sends them the same way. [`expectations`] are the failures of a backend that are known; they are applied to what was
//! judged.
//!
//! [`verify`] reads what a run left behind, and works all of it out again, and [`mod@merge`] puts the parts of a run together;
//! [`signature`] says who answers for it.
//!
//! [`export`] sends cases to where no program can be talked to, and [`returned`] reads what was answered there, which is
//! judged like a live run. [`import`] makes cases of what other tools keep as tests.
//!
//! [`mod@bench`] measures how fast a backend is, and judges nothing.
//!
//! To test a backend of your own with every embedded case, see [`conformance()`].

pub mod bench;
pub mod case;
pub mod certification;
pub mod check;
pub mod cli;
pub mod compare;
mod conformance;
pub mod coverage;
pub mod definition;
pub mod diagnostic;
mod dump;
pub mod element;
pub mod expectations;
pub mod expected;
pub mod export;
pub mod file;
pub mod fuzz;
pub mod generate;
pub mod import;
pub mod json;
pub mod judge;
mod kind;
pub mod layout;
pub mod mapping;
pub mod merge;
pub mod mutate;
mod near;
pub mod npy;
pub mod onnx;
pub mod plan;
pub mod questionnaire;
pub mod render;
pub mod report;
pub mod returned;
pub mod run;
mod sample;
pub mod signature;
pub mod smoke;
pub mod source;
pub mod spec;
pub mod verify;
pub mod yaml;

pub use conformance::conformance;
pub use opcert_backend as backend;
