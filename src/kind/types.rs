//! Data types.

use opcert_backend::{AttributeValue, TensorDescriptor};

use super::edit::Edit;
use super::solution::{Known, Solution};
use super::subject::{Finding, Subject};
use super::violations::Violations;
use super::{Bearing, Kind, Misreadings, Names, OfFamily};
use crate::spec::Operator;
use crate::spec::check::{DataTypes, SameType, Taken, TypeNamed};

impl Kind for SameType {
    fn names(&self) -> Names<'_> {
        Names::listed(&self.tensors)
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let spelling = |tensor: &TensorDescriptor| subject.operator.family.spelling(tensor.data_type).to_owned();
        Some(super::same(&self.tensors, subject, "type", spelling, |name| format!("type {name}")))
    }

    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.other_types(&self.tensors)
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        Some(Solution::OneType(known.tensors(&self.tensors)))
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}

impl Kind for DataTypes {
    fn names(&self) -> Names<'_> {
        let types = self.types.iter().map(String::as_str).collect();
        Names::listed(&self.tensors).and_of_family(OfFamily::Types("types", types))
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { tensors, types } = self;
        Some(super::each(tensors, subject, |name, tensor| {
            let found = subject.operator.family.spelling(tensor.data_type);
            let fits = types.iter().any(|each| each == found);
            (!fits).then(|| (vec!["type"], format!("`{name}` is {found}, expected {}", types.join(" or "))))
        }))
    }

    /// Each type is a case of its own.
    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.types_outside(&self.tensors, &self.types)
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        let types = self.types.iter().filter_map(|name| known.operator.family.data_type(name)).collect();
        Some(Solution::Types { tensors: known.tensors(&self.tensors), types })
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::each(&self.tensors)
    }
}

impl Kind for TypeNamed {
    fn names(&self) -> Names<'_> {
        Names::of([&self.tensor], [(&self.attribute, Taken::TypeName)])
    }

    fn findings(&self, subject: &Subject<'_>) -> Option<Vec<Finding>> {
        let Self { tensor, attribute } = self;
        let found = subject.operator.family.spelling(subject.tensor(tensor)?.data_type);
        let named = match subject.attribute(attribute)? {
            AttributeValue::Enumerator(named) | AttributeValue::String(named) => named,
            AttributeValue::Scalar(scalar) => subject.operator.family.spelling(scalar.data_type()),
            _ => return None,
        };
        let message = || format!("`{tensor}` is {found}, expected {named}: that is what `{attribute}` says");
        Some(super::only_if(found != named, || Finding::new(&["tensors", tensor, "type"], message())))
    }

    /// Each type is a case of its own.
    fn bearing(&self, _: &Subject<'_>) -> Option<Bearing> {
        Some(Bearing::All)
    }

    fn violations(&self, of: &Violations<'_>) -> Vec<Edit> {
        of.other_types(std::slice::from_ref(&self.tensor))
    }

    fn solution(&self, known: &Known<'_>) -> Option<Solution> {
        Some(Solution::TypeNamed { tensor: known.tensor(&self.tensor)?, attribute: known.attribute(&self.attribute)? })
    }

    fn misreadings<'c>(&'c self, _: &'c Operator) -> Misreadings<'c> {
        Misreadings::default()
    }
}
