//! What can be wrong with `directml/one_hot`.

pub(crate) mod indices;
pub(crate) mod sequences;
pub(crate) mod value_bits;
pub(crate) mod value_positions;

use super::rules::OneHotRules;
use crate::Mutant;
use crate::backend::Deviation;

const fn mutant(name: &'static str, breaks: &'static str, about: &'static str, rules: OneHotRules) -> Mutant {
    Mutant::new(name, breaks, about, Deviation::OneHot(rules))
}
