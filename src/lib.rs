//! opcert

pub mod diagnostic;
pub mod element;
pub mod source;
pub mod spec;
pub mod yaml;
