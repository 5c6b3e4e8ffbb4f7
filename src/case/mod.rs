//! Cases: descriptors with their data and what is expected of them, read from YAML.
//!
//! The loader knows names, types and shapes of data. Whether a descriptor is valid, and at which level, is for
//! [`check`](crate::check) to say.

mod context;
mod data;
mod decode;
mod elements;
mod expectation;
mod format;
mod lists;
mod load;
mod model;
mod pattern;
mod sequences;
mod twin;
mod write;

pub use data::Data;
pub(crate) use decode::described;
pub use elements::Elements;
pub use format::{CaseFile, Value};
pub use load::{CaseSource, Few, LoadedFile, ids};
pub(crate) use load::{UNSPECIFIED, check_name, diagnostics, find_operator};
pub use model::{Case, CaseTensor, Digest, Expectation, ExpectedTensor};
pub use pattern::Pattern;
pub(crate) use pattern::splitmix64;
pub use sequences::{Sequence, Sequences};
pub use write::{write, write_complete};
