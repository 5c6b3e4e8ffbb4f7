//! What kinds of differences there are between two specifications.

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
        /// The full id of the first thing that is broken by `to`.
        requirement: String,
    },
    /// One accepts what the other leaves open whether to accept.
    Doubtful {
        /// The full id of the first requirement that leaves it open.
        requirement: String,
    },
    /// It cannot be said by the other.
    Unsaid {
        /// Why, without numbers.
        reason: String,
    },
}

impl Class {
    /// What it is, in a word.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Differs { .. } => "differs",
            Self::Open { part: Part::From, .. } => "from_open",
            Self::Open { part: Part::To, .. } => "to_open",
            Self::Refused { .. } => "refused",
            Self::Doubtful { .. } => "doubtful",
            Self::Unsaid { .. } => "unsaid",
        }
    }

    /// Full ids of the requirements behind it.
    pub(super) fn requirements(&self) -> impl Iterator<Item = &String> {
        let (one, other): (&[String], &[String]) = match self {
            Self::Differs { from, to, .. } => (from, to),
            Self::Open { questions, .. } => (questions, &[]),
            Self::Refused { requirement } | Self::Doubtful { requirement } => (std::slice::from_ref(requirement), &[]),
            Self::Unsaid { .. } => (&[], &[]),
        };
        one.iter().chain(other)
    }

    /// Where it stands among others: what gives other numbers comes first.
    pub(super) const fn rank(&self) -> u8 {
        match self {
            Self::Differs { .. } => 0,
            Self::Open { part: Part::From, .. } => 2,
            Self::Open { part: Part::To, .. } => 1,
            Self::Refused { .. } => 3,
            Self::Doubtful { .. } => 4,
            Self::Unsaid { .. } => 5,
        }
    }
}
