//! What a level comes to, in words.

/// What a cell comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The operator does not exist at the level.
    Absent,
    /// The backend does not claim the level.
    NotClaimed,
    /// The backend claims the level, and less was asked for.
    NotAskedFor,
    /// There is nothing to count.
    Nothing,
    /// Everything that applies ran and passed, but for what is waived.
    Conforms {
        /// Whether that is said of packed tensors alone: the backend does not do strided ones, and says so.
        packed_only: bool,
        /// What is waived.
        waived: Waived,
    },
    /// Something did not run or did not pass.
    Partial,
}

/// How many known failures a verdict lets pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waived {
    /// So many of the cases that apply.
    pub count: usize,
    /// So many apply.
    pub of: usize,
    /// So many cases that put an open question, beside those that apply.
    pub open: usize,
}

impl Waived {
    /// Nothing is waived.
    pub const NOTHING: Self = Self { count: 0, of: 0, open: 0 };

    /// Whether anything is waived.
    #[must_use]
    pub const fn any(self) -> bool {
        self.count + self.open > 0
    }
}

impl std::fmt::Display for Waived {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.count, self.open) {
            (count, 0) => write!(formatter, "{count} of {}", self.of),
            (0, open) => write!(formatter, "{open} open"),
            (count, open) => write!(formatter, "{count} of {} and {open} open", self.of),
        }
    }
}

impl Standing {
    /// Everything that applies ran and passed.
    pub const CONFORMS: Self = Self::Conforms { packed_only: false, waived: Waived::NOTHING };
    /// The same on packed tensors, and strided ones are not supported.
    pub const CONFORMS_PACKED: Self = Self::Conforms { packed_only: true, waived: Waived::NOTHING };

    /// Whether it is a verdict, and not the reason why there is none.
    #[must_use]
    pub const fn is_verdict(self) -> bool {
        matches!(self, Self::Conforms { .. } | Self::Partial)
    }

    /// In words. Where the suite was not run as a whole, nothing conforms; what ran may all have passed.
    #[must_use]
    pub fn name(self, complete: bool) -> String {
        match self {
            Self::Absent => "absent".to_owned(),
            Self::NotClaimed => "not claimed".to_owned(),
            Self::NotAskedFor => "not run".to_owned(),
            Self::Nothing => "no cases".to_owned(),
            Self::Conforms { packed_only, waived } => {
                let verdict = if complete { "conforms" } else { "all passed" };
                let waived = if waived.any() { format!(" but for {waived} waived") } else { String::new() };
                let layouts = if packed_only { ", packed only" } else { "" };
                format!("{verdict}{waived}{layouts}")
            }
            Self::Partial => "partial".to_owned(),
        }
    }
}
