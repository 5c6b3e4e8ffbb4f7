//! Cases: descriptors with their data and what is expected of them, read from YAML.
//!
//! The loader knows names, types and shapes of data. Whether a descriptor is valid, and at which level, is for
//! [`check`](crate::check) to say.

mod data;
mod decode;
mod format;
mod load;
mod model;
mod pattern;
mod twin;

pub use format::CaseFile;
pub(crate) use load::diagnostics;
pub use load::{CaseSource, LoadedFile};
pub use model::{Case, CaseTensor, Elements, Expectation, ExpectedTensor};
pub use pattern::{Data, Pattern};
