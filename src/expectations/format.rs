//! `expectations.yaml`, key by key.

use crate::judge::Outcome;
use crate::yaml::{choice, record};

record! {
    /// An `expectations.yaml`: the known failures of a backend.
    pub struct ExpectationsFormat {
        /// The known failures, sorted by `case`, then `device`, then `version`.
        "expectations" => expectations: Vec<ExpectationFormat>,
    }
}

record! {
    /// Cases that are known to fail, all for one reason.
    pub struct ExpectationFormat {
        /// A case's id, or a glob over ids: `*` stands for any characters, slashes included, `?` for one, and `[a-c]`
        /// for one of several.
        "case" => case: String,
        /// What comes out of each of them. Another outcome is not let pass.
        "outcome" => outcome: ExpectedOutcome,
        /// Why they fail.
        "reason" => reason: String,
        /// Where that is tracked, as a URL.
        "link" => link: Option<String>,
        /// A part of the name of the device; on another device nothing is expected.
        "device" => device: Option<String>,
        /// The backend's version, or its beginning; of another version nothing is expected.
        "version" => version: Option<String>,
    }
}

choice! {
    /// How a case may be expected to fail.
    pub enum ExpectedOutcome {
        /// The outputs differ from what is expected.
        "fail" => Fail,
        /// A valid descriptor is refused.
        "refused-wrongly" => RefusedWrongly,
        /// An invalid descriptor is accepted.
        "accepted-wrongly" => AcceptedWrongly,
        /// An invalid descriptor is refused for a requirement that it does not break.
        "wrong-requirement" => WrongRequirement,
        /// The backend reports an error.
        "error" => Error,
        /// The backend panics, or its process dies.
        "crash" => Crash,
        /// No answer comes in time.
        "hang" => Hang,
        /// Memory runs out.
        "out-of-memory" => OutOfMemory,
        /// The device is lost.
        "device-lost" => DeviceLost,
        /// Something is written outside the outputs.
        "guard-violation" => GuardViolation,
        /// The same input gives different outputs.
        "nondeterministic" => Nondeterministic,
        /// The backend's process does not follow the protocol.
        "protocol-error" => ProtocolError,
    }
}

impl From<&ExpectedOutcome> for Outcome {
    fn from(expected: &ExpectedOutcome) -> Self {
        match expected {
            ExpectedOutcome::Fail => Self::Fail,
            ExpectedOutcome::RefusedWrongly => Self::RefusedWrongly,
            ExpectedOutcome::AcceptedWrongly => Self::AcceptedWrongly,
            ExpectedOutcome::WrongRequirement => Self::WrongRequirement,
            ExpectedOutcome::Error => Self::Error,
            ExpectedOutcome::Crash => Self::Crash,
            ExpectedOutcome::Hang => Self::Hang,
            ExpectedOutcome::OutOfMemory => Self::OutOfMemory,
            ExpectedOutcome::DeviceLost => Self::DeviceLost,
            ExpectedOutcome::GuardViolation => Self::GuardViolation,
            ExpectedOutcome::Nondeterministic => Self::Nondeterministic,
            ExpectedOutcome::ProtocolError => Self::ProtocolError,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::{FromNode, Problems, parse};

    #[test]
    fn everything_that_is_wrong_can_be_expected_and_nothing_else() {
        for &outcome in Outcome::ALL {
            let node = parse(&format!("{{case: a/b, outcome: {outcome}, reason: x}}")).unwrap();
            let entry = ExpectationFormat::from_node(node, &mut Problems::default());
            let found = entry.map(|entry| Outcome::from(&entry.outcome));
            let wrong = outcome.is_bad() && outcome != Outcome::UnexpectedPass;
            assert_eq!(found, wrong.then_some(outcome));
        }
    }
}
