//! Operators as data: tensors, attributes, support tables per feature level, requirements and their checks.
//!
//! A specification that refers to nothing real (an unknown tensor, level, type or requirement, a duplicate id) does
//! not load.

mod attributes;
pub mod check;
mod definition;
mod documents;
mod equal;
mod format;
mod link;
mod linker;
mod load;
mod model;
mod range;
mod tested;

pub use check::{Check, Counted, Invariant};
pub use documents::ChangedDocument;
pub use format::{Authority, FamilyFile, Kind, OperatorFile, Scope};
pub use model::{
    Attribute, AttributeValues, Document, Equal, Family, Level, Operator, PlaceInList, Requirement, Specs, SupportRow,
    Tensor,
};
pub use range::DimensionRange;
pub use tested::Tested;
