//! Nodes from any other reader of plain data: what serde hands over, in place of a text.
//!
//! Everybody can read opcert's files with a YAML library of their own, and the types of the formats are deserialized from what
//! it finds. No place in a file is known then, and messages have none. A fraction comes as a double, and the bounds on size and
//! depth are those of the other reader: commands read files by [`parse`](super::parse) alone.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::decode::{FromNode, Problems, digits};
use super::node::Node;
use super::tree::{Builder, Kind};
use crate::diagnostic::Position;

/// Decodes a type of a format from what another reader found.
///
/// # Errors
///
/// All that is wrong with it, in one message.
pub(crate) fn deserialized<'de, T: FromNode, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let node = Node::deserialize(from)?;
    let mut problems = Problems::default();
    let decoded = T::from_node(node, &mut problems);
    match decoded.filter(|_| problems.is_empty()) {
        Some(decoded) => Ok(decoded),
        None => {
            let messages: Vec<String> = problems.into_inner().into_iter().map(|problem| problem.message).collect();
            Err(D::Error::custom(messages.join("; ")))
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut builder = Builder::default();
        Part(&mut builder).deserialize(from)?;
        Ok(Self::first_of(builder.finish()))
    }
}

/// The next node.
struct Part<'a>(&'a mut Builder);

impl Part<'_> {
    fn plain(self, text: &str) {
        self.0.scalar(text, false, Position::default());
    }
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("plain data")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.plain(if value { "true" } else { "false" });
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.plain(&value.to_string());
        Ok(())
    }

    fn visit_i128<E>(self, value: i128) -> Result<(), E> {
        self.plain(&value.to_string());
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.plain(&value.to_string());
        Ok(())
    }

    fn visit_u128<E>(self, value: u128) -> Result<(), E> {
        self.plain(&value.to_string());
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.plain(&match value {
            _ if value.is_nan() => ".nan".to_owned(),
            f64::INFINITY => ".inf".to_owned(),
            f64::NEG_INFINITY => "-.inf".to_owned(),
            _ => format!("{value:?}"),
        });
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.0.scalar(value, means_something_else(value), Position::default());
        Ok(())
    }

    fn visit_none<E>(self) -> Result<(), E> {
        self.plain("~");
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.plain("~");
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        self.deserialize(from)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        self.deserialize(from)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.begin(Kind::Sequence, Position::default());
        while items.next_element_seed(Part(self.0))?.is_some() {}
        self.0.end();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<(), A::Error> {
        self.0.begin(Kind::Mapping, Position::default());
        let mut names = BTreeSet::new();
        while let Some(Name(name)) = pairs.next_key()? {
            self.0.scalar(&name, false, Position::default());
            pairs.next_value_seed(Part(self.0))?;
            if let Some(twice) = names.replace(name) {
                return Err(A::Error::custom(format!("the key `{twice}` stands here twice")));
            }
        }
        self.0.end();
        Ok(())
    }
}

/// Whether a text would be something else without its quotes.
fn means_something_else(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    matches!(text, "" | "~" | "null" | "Null" | "NULL" | "true" | "false")
        || digits(unsigned).is_some()
        || unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.') && unsigned.parse::<f64>().is_ok()
        || matches!(unsigned, ".inf" | ".nan")
}

/// The key of a mapping. Of some readers it is a number where it looks like one.
struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Key;

        impl Visitor<'_> for Key {
            type Value = Name;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a name")
            }

            fn visit_str<E>(self, value: &str) -> Result<Name, E> {
                Ok(Name(value.to_owned()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Name, E> {
                Ok(Name(value.to_string()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Name, E> {
                Ok(Name(value.to_string()))
            }
        }
        from.deserialize_any(Key)
    }
}
