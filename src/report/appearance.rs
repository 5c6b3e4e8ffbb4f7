//! The signs that stand beside words, so that nothing is told by colour alone, and the classes that colour them.

use super::{Cell, Standing};
use crate::judge::Outcome;

/// How a verdict or an outcome looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appearance {
    /// One character.
    pub sign: char,
    /// The class that the style sheets of the page and the picture know.
    pub class: &'static str,
}

/// How a verdict looks. Where the suite was not run as a whole, nothing looks like conforming; where all that is
/// missing did not run, it looks like a part and not like a failure.
#[must_use]
pub const fn of_standing(standing: Standing, total: Cell, complete: bool) -> Appearance {
    let (sign, class) = match standing {
        Standing::Conforms
        | Standing::ConformsPacked
        | Standing::ConformsWithWaivers
        | Standing::ConformsPackedWithWaivers
            if !complete =>
        {
            ('○', "open")
        }
        Standing::Conforms => ('✓', "good"),
        Standing::ConformsPacked => ('✓', "good-in-part"),
        Standing::ConformsWithWaivers | Standing::ConformsPackedWithWaivers => ('≈', "waived"),
        Standing::Partial if total.run == total.passed + total.waived => ('◐', "part"),
        Standing::Partial => ('✕', "bad"),
        Standing::Absent => ('·', "absent"),
        Standing::NotClaimed | Standing::NotAskedFor | Standing::Nothing => ('–', "none"),
    };
    Appearance { sign, class }
}

/// How an outcome looks.
#[must_use]
pub const fn of_outcome(outcome: Outcome) -> Appearance {
    let (sign, class) = match outcome {
        Outcome::Pass => ('✓', "good"),
        Outcome::Observed => ('○', "open"),
        Outcome::ExpectedFailure => ('≈', "waived"),
        Outcome::Unsupported | Outcome::NotRun | Outcome::Missing => ('–', "none"),
        _ => ('✕', "bad"),
    };
    Appearance { sign, class }
}
