//! The cells of the matrix: how many cases there are, and what became of them.

use super::{Standing, Waived};
use crate::judge::{CaseEvent, Outcome, Waiver};

/// How many cases apply, ran and passed. Never merged into one figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Cases that count here, whatever the backend did with them.
    pub applicable: usize,
    /// Those that ran.
    pub run: usize,
    /// Those that passed.
    pub passed: usize,
    /// Those that failed, as is known and explained. Shown nowhere as passed.
    pub waived: usize,
    /// Those that the backend says it does not do: it does not support them, or does not claim strided tensors. What is
    /// merely missing is not among them.
    pub left_out: usize,
    /// Cases beside those that apply: they put an open question, and went wrong in a way that no answer to it allows.
    pub open_wrong: usize,
    /// The same, where that is known and explained.
    pub open_waived: usize,
    /// Cases beside those that apply: they put an open question, and nothing came back.
    pub open_missing: usize,
}

/// The cells of an operator at a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Valid descriptors, packed tensors.
    pub packed: Cell,
    /// Valid descriptors, strided tensors.
    pub strided: Cell,
    /// Invalid descriptors, packed tensors.
    pub refusals_packed: Cell,
    /// Invalid descriptors, strided tensors.
    pub refusals_strided: Cell,
}

impl Counts {
    pub(super) fn add(&mut self, event: &CaseEvent, strided_claimed: bool) {
        let cell = match (event.refused_until.is_some(), event.strided) {
            (false, false) => &mut self.packed,
            (false, true) => &mut self.strided,
            (true, false) => &mut self.refusals_packed,
            (true, true) => &mut self.refusals_strided,
        };
        cell.add(event, strided_claimed);
    }

    pub(super) fn standing(&self) -> Standing {
        let packed = self.packed.and(self.refusals_packed);
        let strided = self.strided.and(self.refusals_strided);
        match packed.standing() {
            Standing::Conforms { waived, .. } if strided.is_left_out() => {
                Standing::Conforms { packed_only: true, waived }
            }
            _ => packed.and(strided).standing(),
        }
    }
}

impl Cell {
    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            applicable: self.applicable + other.applicable,
            run: self.run + other.run,
            passed: self.passed + other.passed,
            waived: self.waived + other.waived,
            left_out: self.left_out + other.left_out,
            open_wrong: self.open_wrong + other.open_wrong,
            open_waived: self.open_waived + other.open_waived,
            open_missing: self.open_missing + other.open_missing,
        }
    }

    /// Adds a case that is not of the large tier. How many apply depends on the case alone, so that it is the same for
    /// every backend with the same claims.
    pub(super) fn add(&mut self, event: &CaseEvent, strided_claimed: bool) {
        let waived = event.outcome == Outcome::ExpectedFailure;
        let explained = waived && event.waiver.as_ref().is_some_and(Waiver::is_explained);
        if event.gates {
            self.applicable += 1;
            self.run += usize::from(event.outcome.ran());
            self.passed += usize::from(event.outcome == Outcome::Pass);
            self.waived += usize::from(explained);
            let unclaimed = event.strided && !strided_claimed && event.outcome == Outcome::NotRun;
            self.left_out += usize::from(event.outcome == Outcome::Unsupported || unclaimed);
        } else {
            self.open_wrong += usize::from(event.outcome.is_bad() || waived && !explained);
            self.open_waived += usize::from(explained);
            self.open_missing += usize::from(event.outcome == Outcome::Missing);
        }
    }

    /// Whether there is nothing to show.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.applicable == 0 && self.open() == 0
    }

    /// Cases that put an open question, and went wrong whatever the answer, or have none.
    #[must_use]
    pub const fn open(&self) -> usize {
        self.open_wrong + self.open_waived + self.open_missing
    }

    /// Whether the backend says of everything that it does not do it, and nothing went wrong all the same.
    const fn is_left_out(&self) -> bool {
        self.applicable > 0 && self.left_out == self.applicable && self.open() == 0
    }

    /// Whether something went wrong that is not let pass.
    #[must_use]
    pub const fn is_wrong(&self) -> bool {
        self.run > self.passed + self.waived || self.open_wrong > 0
    }

    /// What is let pass.
    #[must_use]
    pub const fn waivers(&self) -> Waived {
        Waived { count: self.waived, of: self.applicable, open: self.open_waived }
    }

    /// What the cell comes to.
    #[must_use]
    pub const fn standing(&self) -> Standing {
        if self.is_empty() {
            Standing::Nothing
        } else if self.applicable == self.passed + self.waived && self.open_wrong + self.open_missing == 0 {
            let waived = if self.waivers().any() { self.waivers() } else { Waived::NOTHING };
            Standing::Conforms { packed_only: false, waived }
        } else {
            Standing::Partial
        }
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let open = if self.open() > 0 { format!(" + {} open", self.open()) } else { String::new() };
        formatter.pad(&format!("{} / {} / {}{open}", self.applicable, self.run, self.passed))
    }
}
