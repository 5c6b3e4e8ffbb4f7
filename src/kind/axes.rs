//! Attributes: those that name or count dimensions, and those that are one of several values.

use opcert_backend::{AttributeValue, Float32};

use super::edit::Edit;
use super::solution::{Known, Solution};
use super::subject::{Finding, Subject};
use super::violations::Violations;
use super::{Bearing, Kind, Misreadings, Names};
use crate::render::attribute_value;
use crate::spec::check::{AxisInRange, DimensionsCounted, Literal, OneOf, Taken};
use crate::spec::{Check, Operator};

impl AxisInRange {
    /// The axes that are legal where the tensor has so many dimensions.
    fn range(&self, dimensions: usize) -> std::ops::Range<i64> {
        let count = dimensions as i64 + i64::from(self.inserted.unwrap_or(false));
        let least = if self.from_end.unwrap_or(false) { -count } else { 0 };
        least..count
    }
}

impl Kind for AxisInRange {
    fn names(&self) -> Names<'_> {
        Names::of([&self.tensor], [(&self.attribute, Taken::Numbers)])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { attribute, tensor, .. } = self;
        let range = self.range(subject.tensor(tensor)?.dimension_count());
        let listed = matches!(subject.attribute(attribute), Some(AttributeValue::Integers(_)));
        let numbers = subject.numbers(attribute)?;
        let outside = numbers.iter().enumerate().filter(|(_, axis)| !range.contains(axis));
        let finding = |(index, axis): (usize, &i64)| {
            let index = listed.then(|| index.to_string());
            let at = index.as_ref().map(|index| format!("[{index}]")).unwrap_or_default();
            let (least, most) = (range.start, range.end - 1);
            let message =
                format!("`{attribute}{at}` is {axis}, expected {least} to {most}: the dimensions of `{tensor}`");
            let part: Vec<&str> = ["attributes", attribute].into_iter().chain(index.as_deref()).collect();
            Finding::new(&part, message)
        };
        Some(outside.map(finding).collect())
    }

    /// At an end of the range one that is too narrow shows.
    fn bearing(&self, subject: &Subject<'_>) -> Option<Bearing> {
        let range = self.range(subject.tensor(&self.tensor)?.dimension_count());
        let is_end = |&axis: &i64| axis == range.start || axis == range.end - 1;
        Some(Bearing::this_if(subject.numbers(&self.attribute)?.iter().any(is_end)))
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let range = self.range(of.dimensions(&self.tensor));
        of.numbers(
            &self.attribute,
            &[
                ("at_the_dimension_count", range.end),
                ("beyond_the_dimension_count", range.end + 1),
                ("below_the_least", range.start - 1),
                ("at_2_to_the_31", 1 << 31),
                ("at_2_to_the_32_minus_1", (1 << 32) - 1),
            ],
        )
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        Some(Solution::Axes {
            attribute: known.attribute(&self.attribute)?,
            tensor: known.tensor(&self.tensor)?,
            more: usize::from(self.inserted.unwrap_or(false)),
            from_end: self.from_end.unwrap_or(false),
        })
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        let (inserted, from_end) = (self.inserted != Some(true), self.from_end != Some(true));
        let mut misreadings = Misreadings::default();
        if inserted {
            let check = Check::AxisInRange(Self { inserted: Some(true), ..self.clone() });
            misreadings = misreadings.looser("one-behind-the-last", "a dimension behind the last one is one", check);
        }
        if from_end {
            let check = Check::AxisInRange(Self { from_end: Some(true), ..self.clone() });
            misreadings = misreadings.looser("counting-from-the-end", "a negative one counts from the end", check);
        }
        misreadings
    }
}

impl DimensionsCounted {
    /// The numbers that are legal where the tensor has so many dimensions.
    fn range(&self, dimensions: usize) -> std::ops::RangeInclusive<i64> {
        self.least.unwrap_or(0) as i64..=dimensions as i64 - self.left.unwrap_or(0) as i64
    }
}

impl Kind for DimensionsCounted {
    fn names(&self) -> Names<'_> {
        Names::of([&self.tensor], [(&self.attribute, Taken::Number)])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { attribute, tensor, .. } = self;
        let range = self.range(subject.tensor(tensor)?.dimension_count());
        let number = subject.number(attribute)?;
        let message = || {
            let (least, most) = (range.start(), range.end());
            format!("`{attribute}` is {number}, expected {least} to {most}: it counts dimensions of `{tensor}`")
        };
        Some(super::only_if(!range.contains(&number), || Finding::new(&["attributes", attribute], message())))
    }

    /// At an end of the range one that is too narrow shows.
    fn bearing(&self, subject: &Subject<'_>) -> Option<Bearing> {
        let range = self.range(subject.tensor(&self.tensor)?.dimension_count());
        let number = subject.number(&self.attribute)?;
        Some(Bearing::this_if(number == *range.start() || number == *range.end()))
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let count = of.dimensions(&self.tensor);
        let (range, count) = (self.range(count), count as i64);
        let mut numbers = vec![
            ("below_the_least", range.start() - 1),
            ("at_the_dimension_count", count),
            ("beyond_the_dimension_count", count + 1),
            ("far_beyond_the_dimension_count", count + 2),
            ("at_2_to_the_31", 1 << 31),
            ("at_2_to_the_32_minus_1", (1 << 32) - 1),
        ];
        numbers.retain(|(_, number)| !range.contains(number));
        of.numbers(&self.attribute, &numbers)
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let (attribute, tensor) = (known.attribute(&self.attribute)?, known.tensor(&self.tensor)?);
        let [least, left] = [self.least, self.left].map(|number| number.unwrap_or(0) as usize);
        Some(Solution::Counted { attribute, tensor, least, left })
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        let with = |least| Check::DimensionsCounted(Self { least: Some(least), ..self.clone() });
        let least = self.least.unwrap_or(0);
        let mut misreadings = Misreadings::default().tightened(least.saturating_add(1), with(least.saturating_add(1)));
        if let Some(less) = least.checked_sub(1) {
            misreadings = misreadings.loosened(less, with(less));
        }
        if let Some(less) = self.left.and_then(|left| left.checked_sub(1)) {
            let check = Check::DimensionsCounted(Self { left: Some(less), ..self.clone() });
            misreadings = misreadings.looser("one-dimension-more", "one dimension more is counted", check);
        }
        misreadings
    }
}

impl Kind for OneOf {
    fn names(&self) -> Names<'_> {
        Names::of([], [(&self.attribute, Taken::OneOf(&self.values))])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { attribute, values } = self;
        let value = subject.attribute(attribute)?;
        let message = || {
            let values = values.iter().map(Literal::to_string).collect::<Vec<_>>().join(", ");
            format!("`{attribute}` is {}, expected one of {values}", attribute_value(value))
        };
        let is_other = !values.iter().any(|each| each.is(value));
        Some(super::only_if(is_other, || Finding::new(&["attributes", attribute], message())))
    }

    /// Each value is a case of its own.
    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let numbers = self.values.iter().filter_map(|value| match value {
            Literal::Integer(number) => Some(*number),
            Literal::Boolean(_) | Literal::Text(_) => None,
        });
        let texts = self.values.iter().filter_map(|value| match value {
            Literal::Text(text) => Some(text.as_str()),
            Literal::Boolean(_) | Literal::Integer(_) => None,
        });
        let mut values: Vec<(String, AttributeValue)> = Vec::new();
        let floats = self.values.iter().filter_map(|value| value.float32().ok()).map(Float32::get);
        if of.is_float(&self.attribute) {
            // The neighbours of each, and what is none.
            let neighbours = floats.flat_map(|float| [float.next_down(), float.next_up(), -float]);
            let others = neighbours.chain([f32::NAN, f32::INFINITY]).enumerate();
            values.extend(others.map(|(at, float)| (at.to_string(), AttributeValue::Float32(float.into()))));
        }
        let numbers = numbers.filter(|_| !of.is_float(&self.attribute));
        let beside = [
            ("below_the_least", numbers.clone().min().and_then(|least| least.checked_sub(1))),
            ("beyond_the_greatest", numbers.max().and_then(|most| most.checked_add(1))),
        ];
        for (what, number) in beside {
            values.extend(number.map(|number| (what.to_owned(), AttributeValue::Integer(number))));
        }
        // A case has no other name than those that an attribute lists, of which some may be for other levels.
        for name in of.listed(&self.attribute) {
            if let AttributeValue::Enumerator(text) = &name {
                values.push((text.to_lowercase(), name));
            }
        }
        if of.is_text(&self.attribute) {
            let mut other = |what: String, text: String| values.push((what, AttributeValue::String(text)));
            for (at, text) in texts.enumerate() {
                other(format!("{at}_in_capitals"), text.to_uppercase());
                other(format!("{at}_with_underscores"), text.replace('-', "_"));
                other(format!("{at}_with_a_blank"), format!("{text} "));
            }
            other("empty".to_owned(), String::new());
        }
        let is_allowed = |value: &AttributeValue| self.values.iter().any(|each| each.is(value));
        values.retain(|(_, value)| !is_allowed(value));
        of.values(&self.attribute, values)
    }

    /// Attributes are drawn out of these values.
    fn solution(&self, _: &Known<'_>) -> Option<Solution> {
        Some(Solution::Drawn)
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}
