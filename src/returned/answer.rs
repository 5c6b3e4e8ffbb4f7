//! What came back of a case, where it is not outputs.

use opcert_backend::{CompileError, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of the file in a case's folder.
pub const ANSWER_FILE: &str = "answer.json";

/// What became of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// The descriptor was taken.
    Compiled,
    /// The descriptor was refused as invalid.
    Rejected {
        /// The id of the broken requirement, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        requirement: Option<String>,
        /// Why, in words.
        reason: String,
    },
    /// The implementation cannot do this.
    Unsupported {
        /// What is missing.
        reason: String,
    },
    /// It broke.
    Fault(Fault),
}

impl From<Answer> for Result<(), CompileError> {
    fn from(answer: Answer) -> Self {
        Err(match answer {
            Answer::Compiled => return Ok(()),
            Answer::Rejected { requirement, reason } => CompileError::Rejected { requirement, reason },
            Answer::Unsupported { reason } => CompileError::Unsupported { reason },
            Answer::Fault(fault) => CompileError::Fault(fault),
        })
    }
}
