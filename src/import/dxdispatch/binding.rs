//! What a tensor is bound to: a part of a resource, by the resource's name alone or as an object with places.

use super::descriptor::number;
use super::part::{Kind, Part};

/// What a binding has that is not only a name.
pub(super) const OF_BINDINGS: [&str; 3] = ["name", "elementOffset", "elementSizeInBytes"];

/// A part of a resource.
pub(super) struct Binding {
    /// The resource.
    pub resource: String,
    /// Where the part begins, in elements.
    pub offset: u64,
    /// The bytes of an element; 0 where that is not said.
    pub width: u64,
}

impl Binding {
    /// What has this binding alone, in a list or not.
    pub(super) fn of(part: Part<'_>) -> Result<Self, String> {
        let part = only(part)?;
        if let Some(resource) = part.text() {
            return Ok(Self { resource, offset: 0, width: 0 });
        }
        let members = part.members()?.ok_or("is neither a name nor an object")?;
        let resource = members.get("name").and_then(|name| name.text()).ok_or("has no `name`")?;
        let stated = |name: &str| members.get(name).map_or(Ok(0), |value| number(*value, u64::MAX));
        Ok(Self { resource, offset: stated("elementOffset")?, width: stated("elementSizeInBytes")? })
    }

    /// Visits all of a list: what is no operator of DirectML may have several.
    pub(super) fn each(part: Part<'_>, mut visit: impl FnMut(Self)) -> Result<(), String> {
        match part.kind() {
            Kind::Null => {}
            Kind::List => part.each(|each| Self::of(each).map(&mut visit))?,
            _ => visit(Self::of(part)?),
        }
        Ok(())
    }
}

/// A binding without the list that may be around it.
pub(super) fn only(part: Part<'_>) -> Result<Part<'_>, String> {
    if part.kind() != Kind::List {
        return Ok(part);
    }
    let mut only = None;
    let several = || Err("is a list of several, expected one".to_owned());
    part.each(|each| if only.replace(each).is_some() { several() } else { Ok(()) })?;
    only.ok_or_else(|| "is an empty list".to_owned())
}
