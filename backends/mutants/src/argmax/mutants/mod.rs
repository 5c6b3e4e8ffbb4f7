//! What can be wrong with `directml/argmax`.

pub(crate) mod indices;
pub(crate) mod maximum;
pub(crate) mod subsets;
pub(crate) mod ties;
pub(crate) mod values;

use super::rules::ArgMaxRules;
use crate::Mutant;
use crate::backend::Deviation;

const fn mutant(name: &'static str, breaks: &'static str, about: &'static str, rules: ArgMaxRules) -> Mutant {
    Mutant::new(name, breaks, about, Deviation::ArgMax(rules))
}
