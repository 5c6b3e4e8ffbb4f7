//! Where two specifications differ, computed: random valid descriptors of one operator with data, said as those of another by a
//! mapping, and what the definitions of both make of them.
//!
//! What differs is sorted into classes, and of each the smallest sample is kept that shows it. Nothing here knows an operator.
//! Backends may be asked what they make of such a sample; what differs is for the definitions to say.

mod class;
mod confirm;
mod guide;
mod html;
mod human;
mod picture;
mod report;
mod search;

pub use class::{Class, Part};
pub use confirm::confirm;
pub use guide::{page, pages};
pub use html::html;
pub use human::human;
pub use report::{
    ComparisonReport, DifferenceKind, DifferenceReport, Fit, OneWay, Shown, ShownInput, Side, WitnessReport,
};
pub use search::{Answered, Compared, Comparison, Counts, Found, Witness};
