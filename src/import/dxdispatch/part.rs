//! Parts of a model: they stay in its text until they are asked for, so that a long list takes no more memory than its
//! text. An object that has a member twice is refused: which of the two is meant is not for a reader to choose.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserializer as _, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Deserializer, Number};

/// A value of JSON as it stands in the text of a model.
#[derive(Clone, Copy)]
pub(super) struct Part<'a>(&'a RawValue);

/// The members of an object by their names.
pub(super) type Members<'a> = BTreeMap<String, Part<'a>>;

/// What a value of JSON is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Truth,
    Number,
    Text,
    List,
    Object,
}

impl<'a> Part<'a> {
    pub(super) const fn new(text: &'a RawValue) -> Self {
        Self(text)
    }

    pub(super) fn kind(self) -> Kind {
        match self.0.get().as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::List,
            Some(b'"') => Kind::Text,
            Some(b'n') => Kind::Null,
            Some(b't' | b'f') => Kind::Truth,
            _ => Kind::Number,
        }
    }

    pub(super) fn text(self) -> Option<String> {
        serde_json::from_str(self.0.get()).ok()
    }

    pub(super) fn truth(self) -> Option<bool> {
        serde_json::from_str(self.0.get()).ok()
    }

    pub(super) fn number(self) -> Option<Number> {
        serde_json::from_str(self.0.get()).ok()
    }

    /// The members of an object; `None` where it is no object.
    ///
    /// # Errors
    ///
    /// When one of them stands there twice, as a fragment that follows what the object is called.
    pub(super) fn members(self) -> Result<Option<Members<'a>>, String> {
        if self.kind() != Kind::Object {
            return Ok(None);
        }
        let mut all = AllMembers::default();
        let read = Deserializer::from_str(self.0.get()).deserialize_map(&mut all);
        match all.twice {
            Some(name) => Err(format!("has `{name}` twice")),
            None => read.map(|()| Some(all.members)).map_err(|error| wrong(&error)),
        }
    }

    /// The first element of a list.
    pub(super) fn first(self) -> Option<Self> {
        let mut first = None;
        // An error ends the visit with the first one.
        let _ = self.each(|part| {
            first = Some(part);
            Err(String::new())
        });
        first
    }

    /// Visits each element of a list, in order; a part that is no list has none.
    ///
    /// # Errors
    ///
    /// The first one that a visit ends with.
    pub(super) fn each(self, visit: impl FnMut(Self) -> Result<(), String>) -> Result<(), String> {
        if self.kind() != Kind::List {
            return Ok(());
        }
        let mut each = Each { visit, ended: None };
        let read = Deserializer::from_str(self.0.get()).deserialize_seq(&mut each);
        match each.ended {
            Some(error) => Err(error),
            None => read.map_err(|error| wrong(&error)),
        }
    }
}

/// What is wrong with a part. The place in it is not that in the file, and what leads to the part is named anyway.
fn wrong(error: &serde_json::Error) -> String {
    let said = error.to_string();
    format!("is no JSON: {}", said.split(" at line ").next().unwrap_or_default())
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.get())
    }
}

#[derive(Default)]
struct AllMembers<'a> {
    members: Members<'a>,
    twice: Option<String>,
}

impl<'a> Visitor<'a> for &mut AllMembers<'a> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
            if self.members.contains_key(&name) {
                self.twice = Some(name);
                return Err(A::Error::custom("a member stands there twice"));
            }
            self.members.insert(name, Part(value));
        }
        Ok(())
    }
}

struct Each<F> {
    visit: F,
    ended: Option<String>,
}

impl<'a, F: FnMut(Part<'a>) -> Result<(), String>> Visitor<'a> for &mut Each<F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(element) = list.next_element::<&RawValue>()? {
            if let Err(error) = (self.visit)(Part(element)) {
                self.ended = Some(error);
                return Err(A::Error::custom("a visit ended"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str) -> Part<'_> {
        Part(serde_json::from_str(text).unwrap())
    }

    #[test]
    fn objects_and_lists_are_gone_through() {
        let members = part(r#"{"b": [1, {"c": 2}], "\u0061": "x"}"#).members().unwrap().unwrap();
        let shown: Vec<String> = members.iter().map(|(name, part)| format!("{name} {part}")).collect();
        assert_eq!(shown, [r#"a "x""#, r#"b [1, {"c": 2}]"#]);
        assert_eq!(members["a"].text().as_deref(), Some("x"));
        let mut elements = Vec::new();
        members["b"]
            .each(|element| {
                elements.push(element.to_string());
                Ok(())
            })
            .unwrap();
        assert_eq!(elements, ["1", r#"{"c": 2}"#]);
        let kinds = ["null", "true", "-1", "\"\"", "[]", "{}"].map(|text| part(text).kind());
        assert_eq!(kinds, [Kind::Null, Kind::Truth, Kind::Number, Kind::Text, Kind::List, Kind::Object]);
    }

    #[test]
    fn a_member_that_stands_there_twice_is_named() {
        let error = part(r#"{"a": 1, "b": 2, "\u0061": 3}"#).members().err();
        assert_eq!(error.as_deref(), Some("has `a` twice"));
        let mut visited = 0;
        let ended = part("[1, 2, 3]").each(|element| {
            visited += 1;
            if element.to_string() == "2" { Err("two".to_owned()) } else { Ok(()) }
        });
        assert_eq!((ended, visited), (Err("two".to_owned()), 2));
        let lone = part(r#"{"\ud800": 1}"#).members().err();
        assert_eq!(lone.as_deref(), Some("is no JSON: unexpected end of hex escape"));
    }
}
