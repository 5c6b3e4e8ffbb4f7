//! Numbers of elements, and sizes and values with a bound.

use opcert_backend::TensorDescriptor;

use super::edit::Edit;
use super::memory::implied_bytes;
use super::solution::{Known, Sizes, Solution, Solved};
use super::subject::{Finding, Subject};
use super::violations::Violations;
use super::{Bearing, Kind, Misreadings, Names, size_from_end};
use crate::element;
use crate::render::counted;
use crate::spec::check::{
    ConstantAtLeast, ElementCount, ElementCountAtLeast, ElementCountAtMost, SizeAtLeast, SizeIsElementCount,
    SizeWithinRank,
};
use crate::spec::{Check, Counted, Operator};

impl Kind for ElementCountAtLeast {
    fn names(&self) -> Names<'_> {
        Names::of([&self.tensor], [])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { tensor: name, count } = self;
        let found = subject.tensor(name)?.element_count()?;
        let message = || format!("`{name}` has {}, expected at least {count}", counted(found as usize, "element"));
        Some(super::only_if(found < *count, || Finding::new(&["tensors", name, "sizes"], message())))
    }

    /// Any number of elements from the least one on is meant, none of them plainer than another.
    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.each_tensor(
            std::slice::from_ref(&self.tensor),
            &[("of_one_element", "has one element", |tensor| {
                tensor.sizes.fill(1);
            })],
        )
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let (tensor, elements) = (known.tensor(&self.tensor)?, self.count);
        let sizes = Sizes::within(move |draw, solved| {
            let sizes = &mut solved.sizes[tensor];
            let dimension = draw.below(sizes.len() as u64) as usize;
            if elements_of(sizes) < elements && !sizes.is_empty() {
                let at = sizes.len() - 1 - dimension;
                sizes[at] = elements;
            }
        });
        Some(Solution::Sizes(sizes.first()))
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        let with = |count| Check::ElementCountAtLeast(Self { count, ..self.clone() });
        let misreadings =
            Misreadings::default().tightened(self.count.saturating_add(1), with(self.count.saturating_add(1)));
        match self.count.checked_sub(1) {
            Some(less) => misreadings.loosened(less, with(less)),
            None => misreadings,
        }
    }
}

impl Kind for ElementCount {
    fn names(&self) -> Names<'_> {
        Names::of([&self.tensor], [])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { tensor: name, count } = self;
        let found = subject.tensor(name)?.element_count()?;
        let message = || format!("`{name}` has {}, expected {count}", counted(found as usize, "element"));
        Some(super::only_if(found != *count, || Finding::new(&["tensors", name, "sizes"], message())))
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    /// One element more, and one less, in the innermost dimension.
    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        match of.dimensions(&self.tensor).checked_sub(1) {
            Some(last) => of.one_up_and_down(&self.tensor, last),
            None => Vec::new(),
        }
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let (tensor, count) = (known.tensor(&self.tensor)?, self.count);
        let sizes = Sizes::within(move |_, solved| {
            solved.sizes[tensor].fill(1);
            if let Some(last) = solved.sizes[tensor].last_mut() {
                *last = count;
            }
        });
        Some(Solution::Sizes(sizes.first()))
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        let Self { tensor, count } = self.clone();
        Misreadings::default().loosened(count, Check::ElementCountAtLeast(ElementCountAtLeast { tensor, count }))
    }
}

impl Kind for SizeIsElementCount {
    fn names(&self) -> Names<'_> {
        Names::of([&self.tensor, &self.of], [])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { tensor, dimension, of } = self;
        let (at, found) = size_from_end(subject.tensor(tensor)?, *dimension)?;
        let expected = subject.tensor(of)?.element_count();
        let message = || {
            let shown = expected.map_or_else(|| "more than 2^64".to_owned(), |expected| expected.to_string());
            format!("`{tensor}.sizes[{at}]` is {found}, expected {shown}: the elements of `{of}`")
        };
        Some(super::only_if(Some(found) != expected, || {
            Finding::new(&["tensors", tensor, "sizes", &at.to_string()], message())
        }))
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let at = of.dimensions(&self.tensor).saturating_sub(self.dimension as usize);
        let mut edits = of.one_up_and_down(&self.tensor, at);
        edits.extend(of.sizes(&self.tensor, at, &[("one", 1), ("a_thousand", 1000)]));
        edits
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let (tensor, of, from_end) = (known.tensor(&self.tensor)?, known.tensor(&self.of)?, self.dimension);
        Some(Solution::Sizes(Sizes::within(move |_, solved| {
            let elements = elements_of(&solved.sizes[of]);
            set_size(solved, tensor, from_end, |_| elements);
        })))
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}

impl Kind for SizeWithinRank {
    fn names(&self) -> Names<'_> {
        Names::of([&self.tensor, &self.of], [])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { tensor, dimension, of } = self;
        let (at, found) = size_from_end(subject.tensor(tensor)?, *dimension)?;
        let sizes = &subject.tensor(of)?.sizes;
        let (rank, count) = (effective_rank(sizes), sizes.len() as u64);
        let message = || {
            format!(
                "`{tensor}.sizes[{at}]` is {found}, expected {rank} to {count}: effective rank and dimension count of `{of}`"
            )
        };
        Some(super::only_if(found < rank || found > count, || {
            Finding::new(&["tensors", tensor, "sizes", &at.to_string()], message())
        }))
    }

    /// From a rank to a dimension count it is a few steps, each of them an end or next to one.
    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let at = of.dimensions(&self.tensor).saturating_sub(self.dimension as usize);
        let sizes = of.descriptor(&self.of).map(|tensor| tensor.sizes.clone()).unwrap_or_default();
        let rank = effective_rank(&sizes);
        let below = if rank > 1 { vec![("below_the_rank", rank - 1)] } else { Vec::new() };
        let mut edits = of.sizes(&self.tensor, at, &below);
        edits.extend(of.sizes(&self.tensor, at, &[("above_the_dimension_count", sizes.len() as u64 + 1)]));
        edits
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let (tensor, of, from_end) = (known.tensor(&self.tensor)?, known.tensor(&self.of)?, self.dimension);
        Some(Solution::Sizes(Sizes::within(move |draw, solved| {
            let count = solved.sizes[of].len() as u64;
            let rank = effective_rank(&solved.sizes[of]).max(1);
            let fewer = draw.below(count.saturating_sub(rank) + 1);
            set_size(solved, tensor, from_end, |_| count - fewer);
        })))
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}

impl Kind for SizeAtLeast {
    fn names(&self) -> Names<'_> {
        Names::of([&self.tensor], [])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { tensor, dimension, size } = self;
        let (at, found) = size_from_end(subject.tensor(tensor)?, *dimension)?;
        let message = || format!("`{tensor}.sizes[{at}]` is {found}, expected at least {size}");
        Some(super::only_if(found < *size, || Finding::new(&["tensors", tensor, "sizes", &at.to_string()], message())))
    }

    /// The least size puts it to the test, unless a rank is no smaller: then it is the rank that the size may not be below.
    fn bearing(&self, subject: &Subject<'_>) -> Option<Bearing> {
        let (_, found) = size_from_end(subject.tensor(&self.tensor)?, self.dimension)?;
        let bound = |other: &Check| match other {
            Check::SizeWithinRank(SizeWithinRank { tensor, dimension, of }) => {
                (tensor, dimension) == (&self.tensor, &self.dimension)
                    && subject.tensor(of).is_some_and(|of| effective_rank(&of.sizes) >= self.size)
            }
            _ => false,
        };
        let mut checks = subject.operator.all_requirements().filter_map(|requirement| requirement.check.as_ref());
        Some(Bearing::this_if(found == self.size && !checks.any(bound)))
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let at = of.dimensions(&self.tensor).saturating_sub(self.dimension as usize);
        of.sizes(&self.tensor, at, &[("none", 0)])
    }

    /// What others ask of the size comes in between.
    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let (tensor, from_end, least) = (known.tensor(&self.tensor)?, self.dimension, self.size);
        let sizes = Sizes::within(move |_, solved| set_size(solved, tensor, from_end, |size| least.max(size)));
        Some(Solution::Sizes(sizes.again()))
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        let with = |size| Check::SizeAtLeast(Self { size, ..self.clone() });
        let misreadings =
            Misreadings::default().tightened(self.size.saturating_add(1), with(self.size.saturating_add(1)));
        match self.size.checked_sub(1) {
            Some(less) => misreadings.loosened(less, with(less)),
            None => misreadings,
        }
    }
}

impl Kind for ConstantAtLeast {
    fn names(&self) -> Names<'_> {
        Names::of([&self.tensor], [])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { tensor: name, value } = self;
        let (bytes, data_type) = (subject.descriptor.constant(name)?, subject.tensor(name)?.data_type);
        // What comes to no integer is none that is large enough.
        let is_enough = element::truncated(bytes, data_type).is_some_and(|found| found >= i128::from(*value));
        let message = || format!("`{name}` is {}, expected at least {value}", element::render(bytes, data_type));
        Some(super::only_if(!is_enough, || Finding::new(&["tensors", name, "data"], message())))
    }

    fn bearing(&self, subject: &Subject<'_>) -> Option<Bearing> {
        let data_type = subject.tensor(&self.tensor)?.data_type;
        let found = element::truncated(subject.descriptor.constant(&self.tensor)?, data_type)?;
        Some(Bearing::this_if(found == i128::from(self.value)))
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let values =
            [("one_below", self.value.saturating_sub(1)), ("negative", -1), ("far_below", i64::from(i32::MIN))];
        of.constants(&self.tensor, &values)
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let (tensor, value) = (known.tensor(&self.tensor)?, self.value);
        Some(Solution::Sizes(Sizes::within(move |draw, solved| {
            let more = draw.below(4) as i64;
            let constant = solved.constants[tensor].get_or_insert(value.saturating_add(more));
            *constant = value.max(*constant);
        })))
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        let value = self.value.saturating_sub(1);
        Misreadings::default().loosened(value, Check::ConstantAtLeast(Self { value, ..self.clone() }))
    }
}

impl Kind for ElementCountAtMost {
    fn names(&self) -> Names<'_> {
        Names::default()
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let found = subject.descriptor.tensors.iter().filter_map(|entry| {
            let (name, most) = (&entry.name, self.count);
            let how = self.too_many(&entry.tensor, subject.operator.family.granularity)?;
            Some(Finding::new(&["tensors", name, "sizes"], format!("`{name}` {how}, expected at most {most}")))
        });
        Some(found.collect())
    }

    fn bearing(&self, subject: &Subject<'_>) -> Option<Bearing> {
        let reached = |tensor: &TensorDescriptor| Some(tensor.span_bytes()? / tensor.data_type.bytes() as u64);
        let is_at_the_end = |tensor: &TensorDescriptor| {
            tensor.element_count() == Some(self.count) || reached(tensor) == Some(self.count)
        };
        Some(Bearing::this_if(subject.descriptor.tensors.iter().any(|entry| is_at_the_end(&entry.tensor))))
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.oversized(self.count)
    }

    /// What is drawn is small.
    fn solution(&self, _: &Known<'_>) -> Option<Solution> {
        Some(Solution::Drawn)
    }

    fn misreadings<'c>(&'c self, operator: &'c Operator) -> Misreadings<'c> {
        let with = |count| Check::ElementCountAtMost(Self { count, ..self.clone() });
        let (less, more) = (self.count.saturating_sub(1), self.count.saturating_add(1));
        Misreadings::each_of(operator).loosened(more, with(more)).tightened(less, with(less))
    }
}

impl ElementCountAtMost {
    /// How a tensor has too many elements.
    fn too_many(&self, tensor: &TensorDescriptor, granularity: u64) -> Option<String> {
        let width = tensor.data_type.bytes() as u64;
        let elements = tensor.element_count();
        let reached = tensor.span_bytes().map(|bytes| bytes / width);
        // Rounding up makes no room for another element.
        let room = tensor.total_bytes.filter(|stated| Some(*stated) > implied_bytes(tensor, granularity));
        let exceeds = |count: Option<u64>| count.is_none_or(|count| count > self.count);
        let shown = |count: Option<u64>| count.map_or_else(|| "more than 2^64".to_owned(), |count| count.to_string());
        match (self.counted, exceeds(elements), exceeds(reached)) {
            (Counted::BothWays, true, true) | (Counted::EitherWay, true, _) => {
                Some(format!("has {} elements", shown(elements)))
            }
            (Counted::EitherWay, _, true) => Some(format!("reaches over {} places", shown(reached))),
            (Counted::EitherWay, ..) => {
                let room = room.map(|stated| stated / width).filter(|room| *room > self.count)?;
                Some(format!("states bytes for {room} elements"))
            }
            (Counted::BothWays, ..) => None,
        }
    }
}

/// The dimension count without leading dimensions of size 1.
fn effective_rank(sizes: &[u64]) -> u64 {
    sizes.iter().skip_while(|&&size| size == 1).count() as u64
}

/// Sets a size that is counted from the end.
fn set_size(solved: &mut Solved, tensor: usize, from_end: u64, to: impl Fn(u64) -> u64) {
    let at = solved.sizes[tensor].len().checked_sub(from_end as usize);
    if let Some(size) = at.and_then(|at| solved.sizes[tensor].get_mut(at)) {
        *size = to(*size);
    }
}

/// How many elements sizes make; as many as 64 bits count where they are more.
fn elements_of(sizes: &[u64]) -> u64 {
    sizes.iter().fold(1, |all: u64, &size| all.saturating_mul(size))
}
