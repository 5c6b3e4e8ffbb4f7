//! Lists of numbers: how long they are, and what stands in them.

use opcert_backend::AttributeValue;

use super::edit::Edit;
use super::solution::{Known, Solution};
use super::subject::{Finding, Subject};
use super::violations::Violations;
use super::{Bearing, Kind, Misreadings};
use crate::render::counted;
use crate::spec::check::{Distinct, Names, NotEmpty, NumbersAtLeast, OnePerDimension, Taken};
use crate::spec::{Check, Operator};

impl Kind for OnePerDimension {
    fn names(&self) -> Names<'_> {
        Names::of([&self.tensor], [(&self.list, Taken::List)])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { list, tensor } = self;
        let (length, count) = (subject.numbers(list)?.len(), subject.tensor(tensor)?.dimension_count());
        let message = || {
            let (numbers, dimensions) = (counted(length, "number"), counted(count, "dimension"));
            format!("`{list}` has {numbers}, and `{tensor}` has {dimensions}")
        };
        Some(super::only_if(length != count, || Finding::new(&["attributes", list], message())))
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.one_number_more_and_less(&self.list)
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let (attribute, tensor) = (known.attribute(&self.list)?, known.tensor(&self.tensor)?);
        Some(Solution::OnePerDimension { attribute, tensor })
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}

impl Kind for NumbersAtLeast {
    fn names(&self) -> Names<'_> {
        Names::of([], [(&self.attribute, Taken::Numbers)])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { attribute, least } = self;
        let is_list = matches!(subject.attribute(attribute)?, AttributeValue::Integers(_));
        let numbers = subject.numbers(attribute)?;
        let small = numbers.iter().enumerate().filter(|(_, number)| *number < least);
        let findings = small.map(|(at, number)| {
            let expected = format!("is {number}, expected at least {least}");
            match is_list {
                true => {
                    let message = format!("number {at} of `{attribute}` {expected}");
                    Finding::new(&["attributes", attribute, &at.to_string()], message)
                }
                false => Finding::new(&["attributes", attribute], format!("`{attribute}` {expected}")),
            }
        });
        Some(findings.collect())
    }

    /// At the least number one that is too narrow shows.
    fn bearing(&self, subject: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::this_if(subject.numbers(&self.attribute)?.contains(&self.least)))
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.numbers(&self.attribute, &[("below_the_least", self.least - 1)])
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        Some(Solution::NumbersAtLeast { attribute: known.attribute(&self.attribute)?, least: self.least })
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        let with = |least| Check::NumbersAtLeast(Self { least, ..self.clone() });
        let (less, more) = (self.least - 1, self.least + 1);
        Misreadings::default().tightened(more, with(more)).loosened(less, with(less))
    }
}

impl Kind for Distinct {
    fn names(&self) -> Names<'_> {
        Names::of([], [(&self.list, Taken::List)])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let list = &self.list;
        let numbers = subject.numbers(list)?;
        let again = numbers.iter().enumerate().find(|(index, number)| numbers[..*index].contains(number));
        let finding = |(index, number): (usize, &i64)| {
            Finding::new(&["attributes", list, &index.to_string()], format!("`{list}` has {number} twice"))
        };
        Some(again.map(finding).into_iter().collect())
    }

    fn bearing(&self, subject: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::this_if(subject.numbers(&self.list)?.len() > 1))
    }

    /// The documents leave open what holds then.
    fn violations(&self, _: &Violations<'_>) -> Vec<Edit> {
        Vec::new()
    }

    fn solution(&self, _: &Known<'_>) -> Option<Solution> {
        Some(Solution::Drawn)
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}

impl Kind for NotEmpty {
    fn names(&self) -> Names<'_> {
        Names::of([], [(&self.list, Taken::List)])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let list = &self.list;
        let is_empty = subject.numbers(list)?.is_empty();
        Some(super::only_if(is_empty, || Finding::new(&["attributes", list], format!("`{list}` is empty"))))
    }

    fn bearing(&self, subject: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::this_if(subject.numbers(&self.list)?.len() == 1))
    }

    /// The documents leave open what holds then.
    fn violations(&self, _: &Violations<'_>) -> Vec<Edit> {
        Vec::new()
    }

    fn solution(&self, _: &Known<'_>) -> Option<Solution> {
        Some(Solution::Drawn)
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}
