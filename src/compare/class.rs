//! What kinds of differences there are between two specifications.

use std::fmt::{self, Display, Formatter};

/// One of the two operators that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The one whose descriptors are drawn.
    From,
    /// The one by which they are said.
    To,
}

/// A way in which two specifications differ. All samples of a class differ for the same reason, as far as the specifications say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The answers differ: the requirements behind the element that does, of each side.
    Differs {
        /// The output of `from`.
        output: String,
        /// Full ids of what decides it by `from`.
        from: Vec<String>,
        /// Full ids of what decides it by `to`; none where it does not come from one element.
        to: Vec<String>,
    },
    /// One leaves open what the other answers.
    Open {
        /// Which one.
        part: Part,
        /// Full ids of the requirements that leave it open.
        questions: Vec<String>,
    },
    /// One accepts what the other refuses.
    Refused {
        /// Full ids of what is broken by `to`.
        requirements: Vec<String>,
    },
    /// It cannot be said by the other.
    Unsaid {
        /// Why, without numbers.
        reason: String,
    },
}

impl Display for Class {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Differs { output, .. } => write!(formatter, "`{output}` differs"),
            Self::Open { part: Part::From, .. } => write!(formatter, "left open, and answered by the other"),
            Self::Open { part: Part::To, .. } => write!(formatter, "answered, and left open by the other"),
            Self::Refused { .. } => write!(formatter, "accepted, and refused by the other"),
            Self::Unsaid { .. } => write!(formatter, "not to be said by the other"),
        }
    }
}

impl Class {
    /// Where it stands among others: what gives other numbers comes first.
    pub(super) const fn rank(&self) -> u8 {
        match self {
            Self::Differs { .. } => 0,
            Self::Open { part: Part::From, .. } => 2,
            Self::Open { part: Part::To, .. } => 1,
            Self::Refused { .. } => 3,
            Self::Unsaid { .. } => 4,
        }
    }

    /// Full ids of the requirements in it.
    pub fn requirements(&self) -> impl Iterator<Item = &String> {
        let (one, other) = match self {
            Self::Differs { from, to, .. } => (from.as_slice(), to.as_slice()),
            Self::Open { questions, .. } => (questions.as_slice(), &[][..]),
            Self::Refused { requirements } => (requirements.as_slice(), &[][..]),
            Self::Unsaid { .. } => (&[][..], &[][..]),
        };
        one.iter().chain(other)
    }
}
