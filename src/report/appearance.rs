//! What verdicts and outcomes look like: one table, which the terminal, the page and the picture all take their colours
//! and signs from. A sign and words stand beside each colour, so that nothing is told by colour alone.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::{Cell, Standing};
use crate::judge::Outcome;

/// How something looks, and what that means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Appearance {
    /// One character.
    pub(crate) sign: char,
    /// The class by which the page and the picture know it.
    pub(crate) class: &'static str,
    /// The colour on a terminal.
    pub(crate) style: Style,
    /// The colours behind the words, on light and on dark paper.
    ground: [&'static str; 2],
    /// The colours of the words.
    ink: [&'static str; 2],
    /// Whether it has a frame.
    framed: bool,
    /// The colour of a badge.
    pub(crate) badge: &'static str,
    /// What it is called in the legend, and what that means.
    pub(crate) legend: [&'static str; 2],
}

pub(crate) const GOOD: Appearance = Appearance {
    sign: '✓',
    class: "good",
    style: AnsiColor::Green.on_default(),
    ground: ["#d3ece5", "#12463a"],
    ink: ["#0a4f3e", "#b9ecdc"],
    framed: false,
    badge: "brightgreen",
    legend: ["conforms", "everything that counts ran and passed"],
};
const GOOD_IN_PART: Appearance = Appearance {
    class: "good-in-part",
    ground: ["#e7f5f1", "#163530"],
    framed: true,
    badge: "green",
    legend: ["conforms, packed only", "and strided tensors are not claimed, or not supported"],
    ..GOOD
};
pub(crate) const WAIVED: Appearance = Appearance {
    sign: '≈',
    class: "waived",
    style: AnsiColor::Magenta.on_default(),
    ground: ["#e8e1f6", "#352a55"],
    ink: ["#44287a", "#dccffa"],
    framed: false,
    badge: "blueviolet",
    legend: ["conforms but for …", "so many cases did not pass; each is a known failure, named with its reason"],
};
const PART: Appearance = Appearance {
    sign: '◐',
    class: "part",
    style: AnsiColor::Yellow.on_default(),
    ground: ["#f7edca", "#463a10"],
    ink: ["#5d4800", "#f5e4aa"],
    framed: false,
    badge: "yellow",
    legend: ["partial", "what ran passed; something did not run"],
};
const PART_WAIVED: Appearance = Appearance {
    sign: '◔',
    class: "part-waived",
    ground: ["#f5f1fb", "#281f40"],
    framed: true,
    legend: ["partial", "what ran passed but for known failures; something did not run"],
    ..WAIVED
};
pub(crate) const BAD: Appearance = Appearance {
    sign: '✕',
    class: "bad",
    style: AnsiColor::Red.on_default(),
    ground: ["#fadbc8", "#602809"],
    ink: ["#762c00", "#ffd6bd"],
    framed: false,
    badge: "red",
    legend: ["partial", "something went wrong that nobody has explained"],
};
const OPEN: Appearance = Appearance {
    sign: '○',
    class: "open",
    style: AnsiColor::BrightBlue.on_default(),
    ground: ["#deeaf7", "#1a3654"],
    ink: ["#174a7c", "#d0e4fa"],
    framed: false,
    badge: "lightgrey",
    legend: ["all passed", "of what was picked, which is no verdict"],
};
const OPEN_WAIVED: Appearance = Appearance {
    sign: '◎',
    class: "open-waived",
    legend: ["all passed but for …", "the same, and so many are known failures"],
    ..WAIVED
};
pub(crate) const NONE: Appearance = Appearance {
    sign: '–',
    class: "none",
    style: AnsiColor::BrightBlack.on_default(),
    ground: ["#eceeee", "#262d30"],
    ink: ["#566266", "#9ba9ad"],
    framed: false,
    badge: "lightgrey",
    legend: ["not claimed, not run", "nothing is said about the level"],
};
const ABSENT: Appearance = Appearance {
    sign: '·',
    class: "absent",
    ground: ["transparent"; 2],
    legend: ["absent", "the operator does not exist there; figures count refusals"],
    ..NONE
};

/// Everything that there is to see, in the order of the legend.
pub(crate) const ALL: [Appearance; 10] =
    [GOOD, GOOD_IN_PART, WAIVED, PART, PART_WAIVED, BAD, OPEN, OPEN_WAIVED, NONE, ABSENT];

/// What verdicts look like, the worst first.
pub(crate) const WORST_FIRST: [Appearance; 8] = [BAD, PART_WAIVED, PART, WAIVED, GOOD_IN_PART, GOOD, OPEN_WAIVED, OPEN];

/// How a verdict looks. Where the suite was not run as a whole, nothing looks like conforming; where all that is
/// missing did not run, it looks like a part and not like a failure.
#[must_use]
pub(crate) const fn of_standing(standing: Standing, total: Cell, complete: bool) -> Appearance {
    match standing {
        Standing::Conforms { waived, .. } if !complete => {
            if waived.any() {
                OPEN_WAIVED
            } else {
                OPEN
            }
        }
        Standing::Conforms { waived, .. } if waived.any() => WAIVED,
        Standing::Conforms { packed_only: true, .. } => GOOD_IN_PART,
        Standing::Conforms { .. } => GOOD,
        Standing::Partial if total.is_wrong() => BAD,
        Standing::Partial if total.waivers().any() => PART_WAIVED,
        Standing::Partial => PART,
        Standing::Absent => ABSENT,
        Standing::NotClaimed | Standing::NotAskedFor | Standing::Nothing => NONE,
    }
}

/// How an outcome looks.
#[must_use]
pub(crate) const fn of_outcome(outcome: Outcome) -> Appearance {
    match outcome {
        Outcome::Pass => GOOD,
        Outcome::Observed => OPEN,
        Outcome::ExpectedFailure => WAIVED,
        Outcome::Unsupported | Outcome::NotRun | Outcome::Missing => NONE,
        _ => BAD,
    }
}

/// The part of the page's style sheet that has the colours.
pub(crate) fn page_style() -> String {
    let mut style = String::new();
    for Appearance { class, ground, ink, framed, .. } in ALL {
        let [[ground, dark_ground], [ink, dark_ink]] = [ground, ink];
        let frame =
            if framed { " box-shadow: inset 0 0 0 1px color-mix(in srgb, currentColor 35%, transparent);" } else { "" };
        let _ = writeln!(
            style,
            ":root {{ --{class}: light-dark({ground}, {dark_ground}); --{class}-ink: light-dark({ink}, {dark_ink}); }}\n\
             .{class} {{ background: var(--{class}); color: var(--{class}-ink);{frame} }}"
        );
    }
    style
}

/// The part of the picture's style sheet that has the colours.
pub(crate) fn picture_style() -> String {
    let rules = |paper: usize| {
        let rules = ALL.map(|Appearance { class, ground, ink, framed, .. }| {
            let (ground, ink) = (ground[paper], ink[paper]);
            let frame = if framed {
                format!(" stroke: {ink}; stroke-opacity: .5; stroke-dasharray: 3 2;")
            } else {
                String::new()
            };
            format!(".{class} rect {{ fill: {ground};{frame} }} .{class} text {{ fill: {ink}; }}\n")
        });
        rules.concat()
    };
    format!("{}@media (prefers-color-scheme: dark) {{\n{}}}\n", rules(0), rules(1))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn what_means_another_thing_looks_otherwise() {
        let looks: BTreeSet<(char, &str, bool)> =
            ALL.iter().map(|look| (look.sign, look.ground[0], look.framed)).collect();
        let (classes, meanings): (BTreeSet<&str>, BTreeSet<[&str; 2]>) =
            ALL.iter().map(|look| (look.class, look.legend)).unzip();
        assert_eq!((looks.len(), classes.len(), meanings.len()), (ALL.len(), ALL.len(), ALL.len()));
        // What is let pass has neither the sign nor the colour of what passed, on paper or terminal.
        for known in [WAIVED, PART_WAIVED, OPEN_WAIVED] {
            for passed in [GOOD, GOOD_IN_PART, PART, OPEN] {
                assert!(known.sign != passed.sign && known.style != passed.style, "{known:?} {passed:?}");
                assert!((0..2).all(|paper| known.ground[paper] != passed.ground[paper]), "{known:?} {passed:?}");
            }
        }
    }
}
