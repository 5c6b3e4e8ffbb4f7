//! What can be wrong with `directml/nonzero_coordinates`.

pub(crate) mod count;
pub(crate) mod order;
pub(crate) mod rows;

use super::rules::NonzeroCoordinatesRules;
use crate::Mutant;
use crate::backend::Deviation;

const fn mutant(
    name: &'static str,
    breaks: &'static str,
    about: &'static str,
    rules: NonzeroCoordinatesRules,
) -> Mutant {
    Mutant::new(name, breaks, about, Deviation::NonzeroCoordinates(rules))
}
