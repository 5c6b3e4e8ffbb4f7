//! What is said of a case of which nothing came back.

use std::fmt;

use opcert_backend::{Descriptor, NamedTensor, Role};

use super::ANSWER_FILE;
use crate::check::{CheckedCase, ValidCase};
use crate::export::{Format, OUTPUTS, OUTPUTS_AGAIN, OutputForm, Written};
use crate::mapping::Mappings;
use crate::spec::Level;

/// A file that should be there.
pub(super) enum Absent {
    /// The answer of a case through which no data run.
    Answer,
    /// The first output, where there is no answer that says why.
    Output(String),
    /// The first output of the second run.
    OutputAgain(String),
}

impl fmt::Display for Absent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer => write!(formatter, "there is no `{ANSWER_FILE}`"),
            Self::Output(file) => write!(formatter, "there is no `{OUTPUTS}/{file}`, nor an `{ANSWER_FILE}`"),
            Self::OutputAgain(file) => write!(formatter, "there is no `{OUTPUTS_AGAIN}/{file}`, of the second run"),
        }
    }
}

/// Whether these words say which file of a case did not come back that was asked for at a level.
pub(crate) fn is_absence(said: &str, case: &CheckedCase, level: Level, carried: (Format, &Mappings)) -> bool {
    let can_be = match case {
        CheckedCase::Valid(case) if case.is_dispatched() => {
            let file = first_output(case, &at_level(case, level), carried);
            vec![Absent::Output(file.clone()), Absent::OutputAgain(file)]
        }
        _ => vec![Absent::Answer],
    };
    can_be.iter().any(|absent| said == absent.to_string())
}

/// The descriptor of a case at the level at which it is asked for.
pub(super) fn at_level(case: &ValidCase, level: Level) -> Descriptor {
    let mut descriptor = case.descriptor.clone();
    case.about.operator.family.level_name(level).clone_into(&mut descriptor.level);
    descriptor
}

/// The name of the file in which a case's first output comes back.
pub(super) fn first_output(
    case: &ValidCase,
    descriptor: &Descriptor,
    (format, mappings): (Format, &Mappings),
) -> String {
    let is_output = |entry: &&NamedTensor| entry.role == Role::Output;
    match format.form() {
        OutputForm::Each(_) => {
            let first = descriptor.tensors.iter().find(is_output);
            first.map_or_else(String::new, |entry| format!("{}.npy", entry.name))
        }
        OutputForm::Written { family, file } => {
            let written = Written::of(case, descriptor, (mappings, family)).ok();
            let first = written.as_ref().and_then(|written| written.outputs().next());
            first.map_or_else(String::new, |entry| file(0, &entry.name))
        }
    }
}
