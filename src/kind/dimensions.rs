//! Dimension counts.

use opcert_backend::TensorDescriptor;

use super::edit::Edit;
use super::solution::{Known, MOST_DIMENSIONS, Solution};
use super::subject::{Finding, Subject};
use super::violations::{TensorChange, Violations};
use super::{Bearing, Kind, Misreadings, Names, OfFamily};
use crate::render::counted;
use crate::spec::check::{DimensionCount, DimensionCountByLevel, SameDimensionCount};
use crate::spec::{Check, DimensionRange, Family, Level, Operator};

impl Kind for SameDimensionCount {
    fn names(&self) -> Names<'_> {
        Names::listed(&self.tensors)
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let of = |tensor: &TensorDescriptor| tensor.dimension_count();
        Some(super::same(&self.tensors, subject, "sizes", of, |count| counted(*count, "dimension")))
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.each_tensor(
            &self.tensors,
            &[
                ("with_a_dimension_more", "has a dimension more", |tensor| tensor.sizes.insert(0, 1)),
                ("with_a_dimension_fewer", "has a dimension fewer", |tensor| _ = tensor.sizes.pop()),
            ],
        )
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        Some(Solution::OneDimensionCount(known.tensors(&self.tensors)))
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}

impl Kind for DimensionCount {
    fn names(&self) -> Names<'_> {
        Names::listed(&self.tensors)
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { tensors, count } = self;
        Some(super::each(tensors, subject, |name, tensor| {
            let found = tensor.dimension_count();
            (!count.contains(found))
                .then(|| (vec!["sizes"], format!("`{name}` has {}, expected {count}", counted(found, "dimension"))))
        }))
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let tensors = &self.tensors;
        let changes: [(usize, TensorChange); 3] = [
            (1, ("of_one_dimension", "has one dimension of size 1", |tensor| tensor.sizes = vec![1])),
            (2, ("of_two_dimensions", "has two dimensions of size 1", |tensor| tensor.sizes = vec![1, 1])),
            (0, ("of_no_dimension", "has no dimension", |tensor| tensor.sizes.clear())),
        ];
        let wrong = changes.into_iter().filter(|(count, _)| !self.count.contains(*count));
        let mut edits = of.each_tensor(tensors, &wrong.map(|(_, change)| change).collect::<Vec<_>>());
        if tensors.len() > 1 {
            let one = |name: &str, sizes: &[u64]| {
                if tensors.iter().any(|each| each == name) { vec![1] } else { sizes.to_vec() }
            };
            let title = format!("{} have one dimension of size 1 each", tensors.join(", "));
            edits.extend(of.alone("together_of_one_dimension", title, one));
        }
        edits
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let counts = self.count.least..=self.count.greatest.min(MOST_DIMENSIONS);
        Some(Solution::DimensionCounts { tensors: known.tensors(&self.tensors), counts })
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        let DimensionRange { least, greatest } = self.count;
        let with =
            |least, greatest| Check::DimensionCount(Self { count: DimensionRange { least, greatest }, ..self.clone() });
        // Where there is one number, the other is taken for it.
        let is_one = least == greatest;
        let said = |count: usize| format!("{count} dimensions will do");
        let misreadings = Misreadings::each(&self.tensors);
        let misreadings = match least.checked_sub(1) {
            Some(less) => misreadings.looser("one-less", said(less), with(less, if is_one { less } else { greatest })),
            None => misreadings,
        };
        match greatest.checked_add(1) {
            Some(more) => misreadings.looser("one-more", said(more), with(if is_one { more } else { least }, more)),
            None => misreadings,
        }
    }
}

impl DimensionCountByLevel {
    /// What holds at a level, whichever order the levels are written in.
    pub(crate) fn at(&self, family: &Family, level: Level) -> Option<&DimensionRange> {
        let begun = self.from.0.iter().filter_map(|(from, range)| Some((family.level(from)?, range)));
        begun.filter(|(from, _)| *from <= level).max_by_key(|(from, _)| *from).map(|(_, range)| range)
    }
}

impl Kind for DimensionCountByLevel {
    fn names(&self) -> Names<'_> {
        Names::default().and_of_family(OfFamily::From("from", self.from.names().collect()))
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let family = &subject.operator.family;
        let range = self.at(family, subject.level)?;
        let wrong = subject.descriptor.tensors.iter().filter(|entry| !range.contains(entry.tensor.dimension_count()));
        let finding = |name: &str, count: usize| {
            let level = family.level_name(subject.level);
            let message = format!("`{name}` has {}, and at {level} a tensor has {range}", counted(count, "dimension"));
            Finding::new(&["tensors", name, "sizes"], message)
        };
        Some(wrong.map(|entry| finding(&entry.name, entry.tensor.dimension_count())).collect())
    }

    /// Each dimension count is a case of its own.
    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        let mut edits = of.all_tensors(&[
            ("of_nine_dimensions", "has nine dimensions", |tensor| {
                let missing = 9usize.saturating_sub(tensor.sizes.len());
                tensor.sizes.splice(0..0, std::iter::repeat_n(1, missing));
            }),
            ("of_no_dimension", "has no dimension", |tensor| tensor.sizes.clear()),
        ]);
        let nine = |_: &str, sizes: &[u64]| {
            let mut sizes = sizes.to_vec();
            sizes.resize(9.max(sizes.len()), 1);
            sizes
        };
        edits.extend(of.alone("all_of_nine_dimensions", "Every tensor has nine dimensions".to_owned(), nine));
        edits
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let range = self.at(&known.operator.family, known.level)?;
        Some(Solution::DimensionCounts {
            tensors: (0..known.operator.tensors.len()).collect(),
            counts: range.least..=range.greatest,
        })
    }

    fn misreadings<'c>(&'c self, operator: &'c Operator) -> Misreadings<'c> {
        let with = |widen: fn(&mut DimensionRange)| {
            let mut other = self.clone();
            other.from.0.iter_mut().for_each(|(_, range)| widen(range));
            Check::DimensionCountByLevel(other)
        };
        let (more, less) = ("one dimension more is accepted", "one dimension less is accepted");
        Misreadings::each_of(operator).looser("one-more", more, with(|range| range.greatest += 1)).looser(
            "one-less",
            less,
            with(|range| range.least = range.least.saturating_sub(1)),
        )
    }
}
