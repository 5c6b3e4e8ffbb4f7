//! What came back of a case, where it is not outputs.

use opcert_backend::{CompileError, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of the file in a case's folder.
pub const ANSWER_FILE: &str = "answer.json";

/// What became of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AnswerFile {
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

impl From<AnswerFile> for Result<(), CompileError> {
    fn from(answer: AnswerFile) -> Self {
        Err(match answer {
            AnswerFile::Compiled => return Ok(()),
            AnswerFile::Rejected { requirement, reason } => CompileError::Rejected { requirement, reason },
            AnswerFile::Unsupported { reason } => CompileError::Unsupported { reason },
            AnswerFile::Fault(fault) => CompileError::Fault(fault),
        })
    }
}
