//! Lists of numbers: how long they are, and what stands in them.

use opcert_backend::AttributeValue;

use super::edit::Edit;
use super::solution::{Known, Solution};
use super::subject::{Finding, Subject};
use super::violations::Violations;
use super::{Bearing, Kind, Misreadings};
use crate::render::counted;
use crate::spec::check::{Distinct, Names, NotEmpty, NumbersAtLeast, NumbersNotZero, OnePerDimension, Taken};
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
        let expected = |number: i64| format!("{number}, expected at least {}", self.least);
        each_number(subject, &self.attribute, |number| (number < self.least).then(|| expected(number)))
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

impl Kind for NumbersNotZero {
    fn names(&self) -> Names<'_> {
        Names::of([], [(&self.attribute, Taken::Numbers)])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let expected = || "0, expected any other number".to_owned();
        each_number(subject, &self.attribute, |number| (number == 0).then(expected))
    }

    /// Beside 0 one that is too narrow shows.
    fn bearing(&self, subject: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::this_if(subject.numbers(&self.attribute)?.iter().any(|number| number.unsigned_abs() == 1)))
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.numbers(&self.attribute, &[("zero", 0)])
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        Some(Solution::NumbersNotZero { attribute: known.attribute(&self.attribute)? })
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}

/// What is wrong with numbers of an attribute, a number or a list.
fn each_number(subject: &Subject<'_>, attribute: &str, wrong: impl Fn(i64) -> Option<String>) -> Option<Vec<Finding>> {
    let is_list = matches!(subject.attribute(attribute)?, AttributeValue::Integers(_));
    let numbers = subject.numbers(attribute)?.into_iter().enumerate();
    let findings = numbers.filter_map(|(at, number)| {
        let is = wrong(number)?;
        Some(match is_list {
            true => {
                let message = format!("number {at} of `{attribute}` is {is}");
                Finding::new(&["attributes", attribute, &at.to_string()], message)
            }
            false => Finding::new(&["attributes", attribute], format!("`{attribute}` is {is}")),
        })
    });
    Some(findings.collect())
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
