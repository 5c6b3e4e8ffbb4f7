//! What has to be there: the operator at a level, its attributes and tensors, and what the support table has of them.

use super::edit::Edit;
use super::solution::{Known, Solution};
use super::subject::{Finding, Subject};
use super::violations::Violations;
use super::{Bearing, Kind, Misreadings, Names};
use crate::render::counted;
use crate::spec::check::{AttributeAbsent, AttributePresent, Taken, TensorsPresent};
use crate::spec::{Operator, PlaceInList};

pub(super) struct Introduced;
pub(super) struct TensorSupport;

impl Kind for Introduced {
    fn names(&self) -> Names<'_> {
        Names::default()
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Subject { operator, level, .. } = *subject;
        let message = || {
            let (introduced, asked) = (operator.introduced, level);
            let named = |level| operator.family.level_name(level);
            format!("`{}` exists from {} on, and is asked for at {}", operator.id, named(introduced), named(asked))
        };
        Some(super::only_if(level < operator.introduced, || Finding::new(&["level"], message())))
    }

    /// Each level is a case of its own.
    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    /// The cells of the support table violate it.
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

impl Kind for TensorSupport {
    fn names(&self) -> Names<'_> {
        Names::default()
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let family = &subject.operator.family;
        let row = subject.operator.support_at(subject.level)?;
        let level = family.level_name(subject.level);
        let mut findings = Vec::new();
        for (name, dimensions, types) in &row.tensors {
            let Some(tensor) = subject.tensor(name) else { continue };
            if !dimensions.contains(tensor.dimension_count()) {
                let count = tensor.dimension_count();
                let message =
                    format!("`{name}` has {}, and {level} supports {dimensions}", counted(count, "dimension"));
                findings.push(Finding::new(&["tensors", name, "sizes"], message));
            }
            if !types.contains(&tensor.data_type) {
                let supported = types.iter().map(|&each| family.spelling(each)).collect::<Vec<_>>().join(", ");
                let found = family.spelling(tensor.data_type);
                let message = format!("`{name}` is {found}, and {level} supports {supported}");
                findings.push(Finding::new(&["tensors", name, "type"], message));
            }
        }
        Some(findings)
    }

    /// Each type and each dimension count is a case of its own.
    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    /// The cells of the table violate it.
    fn violations(&self, _: &Violations<'_>) -> Vec<Edit> {
        Vec::new()
    }

    /// Dimension counts and types are drawn from the table.
    fn solution(&self, _: &Known<'_>) -> Option<Solution> {
        Some(Solution::Drawn)
    }

    fn misreadings<'c>(&'c self, operator: &'c Operator) -> Misreadings<'c> {
        Misreadings::each_of(operator)
    }
}

impl Kind for AttributePresent {
    fn names(&self) -> Names<'_> {
        Names::of([], [(&self.attribute, Taken::Presence)]).that_may_be_missing()
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let missing = subject.descriptor.attribute(&self.attribute).is_none();
        let message = || format!("`{}` is missing", self.attribute);
        Some(super::only_if(missing, || Finding::new(&["attributes"], message())))
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        vec![of.without_attribute(&self.attribute)]
    }

    fn solution(&self, _: &Known<'_>) -> Option<Solution> {
        Some(Solution::Drawn)
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}

impl Kind for AttributeAbsent {
    fn names(&self) -> Names<'_> {
        Names::of([], [(&self.attribute, Taken::Presence)])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let name = &self.attribute;
        let given = subject.descriptor.attribute(name).is_some();
        let message = || {
            let Subject { operator, level, .. } = *subject;
            format!("`{name}` is given, and `{}` has none at {}", operator.id, operator.family.level_name(level))
        };
        Some(super::only_if(given, || Finding::new(&["attributes", name], message())))
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.with_attribute(&self.attribute)
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        Some(Solution::Absent { attribute: known.attribute(&self.attribute)? })
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}

impl Kind for TensorsPresent {
    fn names(&self) -> Names<'_> {
        Names::listed(&self.tensors).that_may_be_missing()
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let missing = self.tensors.iter().filter(|name| subject.tensor(name).is_none());
        let message = |name: &String| match subject.operator.tensor(name).and_then(|tensor| tensor.list.as_ref()) {
            Some(PlaceInList { list, at: 0, .. }) => format!("`{list}` is empty"),
            _ => format!("`{name}` is missing"),
        };
        Some(missing.map(|name| Finding::new(&["tensors"], message(name))).collect())
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        self.tensors.iter().map(|name| of.without_tensor(name)).collect()
    }

    fn solution(&self, _: &Known<'_>) -> Option<Solution> {
        Some(Solution::Drawn)
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::each(&self.tensors)
    }
}
