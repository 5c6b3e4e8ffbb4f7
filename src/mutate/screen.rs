//! Which wrong backends can show on some data at all: where the altered line comes to the value that it always had, so does all
//! that follows from it.

use opcert_backend::Descriptor;

use super::suite::with_inputs;
use super::wrong::{Deviation, Wrong};
use crate::check::ValidCase;
use crate::definition::Definition;
use crate::spec::Operator;

/// Some wrong backends of an operator.
pub(super) struct Screen<'a> {
    definition: &'a Definition,
    wrong: Vec<&'a Wrong>,
}

impl<'a> Screen<'a> {
    pub(super) fn new(operator: &'a Operator, wrong: impl Iterator<Item = &'a Wrong>) -> Self {
        Self { definition: &operator.definition, wrong: wrong.collect() }
    }

    /// For each of the wrong backends whether it is asked for and can show on a case.
    pub(super) fn of_case(&self, case: &ValidCase, asked: impl Fn(usize) -> bool) -> Vec<bool> {
        with_inputs(case, |given| self.of_data(&case.descriptor, given, asked))
    }

    /// For each of the wrong backends whether it is asked for and can show on a descriptor's data.
    pub(super) fn of_data(
        &self,
        descriptor: &Descriptor,
        given: &[(&str, &[u8])],
        asked: impl Fn(usize) -> bool,
    ) -> Vec<bool> {
        let mut shows: Vec<bool> = (0..self.wrong.len()).map(&asked).collect();
        let (mut numbers, mut altered) = (Vec::new(), Vec::new());
        for (number, wrong) in self.wrong.iter().enumerate().filter(|(number, _)| asked(*number)) {
            if let Deviation::Defined(other) = &wrong.deviation
                && let Some(line) = other.line
                && !other.checks
            {
                numbers.push(number);
                altered.push((&other.definition, line));
            }
        }
        // Without an answer there is nothing that could be the same.
        if let Ok(infected) = self.definition.infected(&altered, descriptor, given) {
            std::iter::zip(numbers, infected).for_each(|(number, infected)| shows[number] = infected);
        }
        shows
    }
}
