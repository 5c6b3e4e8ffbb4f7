//! Whether what a backend says of itself can stand in a certificate, and whether it says the same twice.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::foreign::is_unseen;
use crate::{ForeignText, Identity};

/// So many characters are shown of what differs.
const LONGEST: usize = 200;

/// A name, a version or a device has at most so many bytes: it stands in every report.
const LONGEST_NAME: usize = 1 << 10;

impl Identity {
    /// What is wrong with it, whatever is specified: a certificate names an implementation and its version.
    #[must_use]
    pub fn flaw(&self) -> Option<String> {
        let named = [("name", Some(&self.name)), ("version", Some(&self.version)), ("device", self.device.as_ref())];
        let is_empty = |value: &ForeignText| value.raw().chars().all(|each| each.is_whitespace() || is_unseen(each));
        let (key, flaw) = named.into_iter().find_map(|(key, value)| match value? {
            value if is_empty(value) => Some((key, "is empty".to_owned())),
            value if value.raw().len() > LONGEST_NAME => {
                Some((key, format!("has {} bytes, expected at most {LONGEST_NAME}", value.raw().len())))
            }
            _ => None,
        })?;
        Some(format!("the `{key}` in `identity` {flaw}"))
    }

    /// The first key, as it is written in JSON, of which another one says otherwise.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<String> {
        let keys = |identity: &Self| match serde_json::to_value(identity) {
            Ok(Value::Object(keys)) => keys,
            _ => Map::new(),
        };
        let (before, now) = (keys(self), keys(other));
        let key = before.keys().chain(now.keys()).find(|key| before.get(*key) != now.get(*key))?;
        let shown = |keys: &Map<String, Value>| {
            keys.get(key)
                .map_or_else(|| "not there".to_owned(), |value| value.to_string().chars().take(LONGEST).collect())
        };
        Some(format!("`{key}` was {}, and now it is {}", shown(&before), shown(&now)))
    }
}

/// Claims, each for a key of its own: of two claims for one key none is the claim.
pub(crate) fn each_once<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    deserializer.deserialize_map(EachOnce(|key| format!("`{key}` is claimed twice"), PhantomData))
}

/// A map each of whose keys comes once, and what is said of one that does not.
pub(crate) struct EachOnce<V>(pub(crate) fn(&str) -> String, pub(crate) PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for EachOnce<V> {
    type Value = BTreeMap<String, V>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some((key, value)) = entries.next_entry::<String, V>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(self.0(&key)));
            }
            map.insert(key, value);
        }
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"name": "a", "version": "1", "device": "d", "claims": {"f": "1", "g": "2"}, "strided": true,
        "refuses_invalid": false}"#;

    fn read(from: &str, to: &str) -> Result<Identity, String> {
        assert!(TEXT.contains(from));
        serde_json::from_str(&TEXT.replacen(from, to, 1)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_key_that_is_claimed_twice_is_refused() {
        let error = read(r#""g": "2""#, r#""f": "2""#).unwrap_err();
        assert!(error.contains("`f` is claimed twice"), "{error}");
    }

    #[test]
    fn what_has_no_name_is_no_implementation() {
        for (key, from) in [("name", r#""a""#), ("version", r#""1""#), ("device", r#""d""#)] {
            // Nor has what nobody sees.
            for empty in [r#"" ""#, r#""\u200b \u2060""#] {
                let flaw = read(from, empty).unwrap().flaw();
                assert_eq!(flaw, Some(format!("the `{key}` in `identity` is empty")));
            }
        }
        assert_eq!(read(r#""d""#, "null").unwrap().flaw(), None);
        // Nor what nobody would read to its end.
        let of_length = |length: usize| read(r#""d""#, &format!("\"{}\"", "d".repeat(length))).unwrap().flaw();
        let said = "the `device` in `identity` has 1025 bytes, expected at most 1024";
        assert_eq!((of_length(1024), of_length(1025)), (None, Some(said.to_owned())));
    }

    #[test]
    fn every_key_can_differ() {
        let identity = read("a", "a").unwrap();
        for (key, from, to) in [
            ("name", r#""a""#, r#""b""#),
            ("version", r#""version": "1""#, r#""version": "2""#),
            ("device", r#""d""#, "null"),
            ("claims", r#""g": "2""#, r#""g": "3""#),
            ("strided", "true", "false"),
            ("refuses_invalid", "false", "true"),
        ] {
            let difference = identity.difference(&read(from, to).unwrap()).unwrap();
            assert!(difference.starts_with(&format!("`{key}` was ")), "{difference}");
        }
        assert_eq!(identity.difference(&identity), None);
    }
}
