//! DirectML's feature levels.

use opcert_backend::{CompileError, Descriptor};

use crate::rejection::{broken, malformed};

/// A feature level, ordered; each includes all earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    L1_0,
    L2_0,
    L2_1,
    L3_0,
    L3_1,
    L4_0,
    L4_1,
    L5_0,
    L5_1,
    L5_2,
    L6_0,
    L6_1,
    L6_2,
    L6_3,
    L6_4,
}

const NAMES: [(&str, Level); 15] = [
    ("1_0", Level::L1_0),
    ("2_0", Level::L2_0),
    ("2_1", Level::L2_1),
    ("3_0", Level::L3_0),
    ("3_1", Level::L3_1),
    ("4_0", Level::L4_0),
    ("4_1", Level::L4_1),
    ("5_0", Level::L5_0),
    ("5_1", Level::L5_1),
    ("5_2", Level::L5_2),
    ("6_0", Level::L6_0),
    ("6_1", Level::L6_1),
    ("6_2", Level::L6_2),
    ("6_3", Level::L6_3),
    ("6_4", Level::L6_4),
];

impl Level {
    /// The level that the descriptor asks for, provided the operator exists there.
    ///
    /// # Errors
    ///
    /// A refusal when the level is unknown, or earlier than `first`; the latter breaks `requirement`.
    pub(crate) fn of(descriptor: &Descriptor, first: (&str, Self), requirement: &str) -> Result<Self, CompileError> {
        let Descriptor { operator, level: name, .. } = descriptor;
        let (first_name, first) = first;
        match NAMES.iter().find(|(known, _)| known == name) {
            None => Err(malformed(format!("`{name}` is no feature level of DirectML"))),
            Some((_, level)) if *level < first => {
                Err(broken(requirement, format!("`{operator}` is asked for at {name}, expected {first_name} or later")))
            }
            Some((_, level)) => Ok(*level),
        }
    }
}
