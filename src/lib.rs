//! opcert

pub mod case;
pub mod check;
pub mod diagnostic;
pub mod element;
pub mod layout;
pub mod source;
pub mod spec;
pub mod yaml;
