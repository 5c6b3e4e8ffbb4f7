//! YAML as opcert's files use it: plain data whose every part knows its place in the file.
//!
//! Files are read into [`Node`]s, and nodes are decoded into the types of the formats by [`FromNode`], which reports
//! every problem of a file at once, each at its line and column. Scalars stay text until the type that they are meant
//! for is known, so that no number passes through another type. Deliberately absent: anchors, aliases, tags and
//! several documents in one file; each is refused.

mod decode;
mod draft;
mod node;
mod read;
mod record;
mod tree;

pub use decode::{Entries, Fields, FromNode, OneOrMany, Problems};
pub(crate) use decode::{digits, unsigned};
pub(crate) use draft::Draft;
pub use node::{Content, Items, Key, Node, Pairs};
pub use read::{MOST_PROBLEMS, parse};
pub(crate) use record::{choice, record};
