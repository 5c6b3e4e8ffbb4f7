//! Parts of a run for several machines. Which one a case belongs to follows from its id alone, so that it stays there when others
//! come and go.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One of so many parts: `3/8`.
///
/// A case belongs to the part whose number, less one, is the remainder of a division by how many there are: of the first eight
/// bytes of the BLAKE3 digest of its id, the least of them first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    number: u32,
    of: u32,
}

/// More parts than cases help nobody.
const MOST: u32 = 4096;

impl Shard {
    /// Which one it is, from 1.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.number
    }

    /// How many there are.
    #[must_use]
    pub const fn of(self) -> u32 {
        self.of
    }

    /// All parts of as many.
    pub(crate) fn all(self) -> impl Iterator<Item = Self> {
        (1..=self.of).map(move |number| Self { number, ..self })
    }

    /// The one of as many parts to which the case with this id belongs.
    #[must_use]
    pub fn with(self, id: &str) -> Self {
        let digest = blake3::hash(id.as_bytes());
        let [a, b, c, d, e, f, g, h, ..] = *digest.as_bytes();
        let place = u64::from_le_bytes([a, b, c, d, e, f, g, h]) % u64::from(self.of);
        Self { number: place as u32 + 1, ..self }
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) && of <= MOST => Ok(Self { number, of }),
            _ => Err(format!("expected a number and how many there are, at most {MOST}: `3/8` is the third of eight")),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.of)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}
