//! Wrong backends that follow from an operator's specification, and the suite held against them.
//!
//! A suite of cases is worth as much as what it finds. Each [`Wrong`] backend answers by the operator's definition and deviates
//! in one way: the definition is altered in one place ([`alterations`]), a check is dropped, strides are ignored, an element
//! is left unwritten ([`general`]), or lines of the definition are replaced by those that a file has ([`listed`]). What the
//! definition leaves open may be answered in any way, which is no mistake ([`permitted`]). [`hunt()`] says which of them the cases
//! notice, and [`search()`] tells those apart that no case notices: some sample shows them, or none of many.
//!
//! Nothing here knows an operator. Left out is what no safe code can do: writing beside an output or into an input.

mod alterations;
mod answers;
mod backend;
mod condition;
mod format;
mod general;
mod hunt;
mod listed;
mod permitted;
mod screen;
mod search;
mod suite;
mod wrong;

pub use alterations::alterations;
pub use answers::Answers;
pub use backend::WrongBackend;
pub use condition::Condition;
pub use format::WrongFile;
pub use general::general;
pub use hunt::{Fate, Kill, hunt};
pub use listed::listed;
pub use permitted::permitted;
pub use search::{Difference, search};
pub use suite::{Ready, Subject, subjects};
pub use wrong::{Kind, Wrong};
