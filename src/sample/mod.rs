//! Valid descriptors with data, of any operator, from a source of choices.
//!
//! A descriptor comes of solving the operator's checks (`solve.rs`), the data of each input of what the definition does with
//! it: at random (`data.rs`), or so that as many mistakes as possible show (`sequences.rs`). Random samples and generated cases are both made of these.

mod choices;
mod data;
mod draw;
mod layout;
mod sampler;
mod sequences;
mod solve;
mod telling;
pub(crate) mod values;

pub use choices::Choices;
pub(crate) use draw::{Draw, Sample};
pub(crate) use layout::Strides;
pub(crate) use sampler::Sampler;
pub(crate) use solve::{Absence, Boldness, Wish};
