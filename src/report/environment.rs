//! `environment.json`: when and where a run was made, and how long it took. Nothing in it bears on the verdict.

use serde::{Deserialize, Serialize};

use crate::json;

/// The version of the format.
pub const ENVIRONMENT_FORMAT: u32 = 1;

/// When and where a run was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// The version of this format.
    pub format: u32,
    /// When the run began: date and time in UTC, as RFC 3339 has them.
    pub started: String,
    /// How long it took.
    pub milliseconds: u64,
    /// The command, word by word.
    pub command: Vec<String>,
    /// The operating system.
    pub system: String,
    /// The processor's architecture.
    pub architecture: String,
    /// The processor, where the system says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// How many threads the system runs at a time for this process.
    pub cores: usize,
}

/// The file: the environment, and a digest by which damage shows. It does not keep anybody from changing both.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvironmentFile {
    environment: Environment,
    blake3: String,
}

/// Why the text of an environment is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// It is no such JSON.
    #[error("cannot be read: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It has another version.
    #[error("has format {0}, this is format {ENVIRONMENT_FORMAT}")]
    Format(u32),
    /// It began at no time.
    #[error("began at `{0}`, which is no date and time of RFC 3339 in UTC")]
    Started(String),
    /// It is not what was written.
    #[error("is damaged: it does not have the digest that stands in it")]
    Damaged,
}

impl Environment {
    /// The text of the file.
    ///
    /// # Errors
    ///
    /// When it cannot be JSON.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        let file = EnvironmentFile { environment: self.clone(), blake3: self.digest()? };
        json::text(&file)
    }

    /// Reads the text of the file.
    ///
    /// # Errors
    ///
    /// When it is not what [`Environment::text`] wrote.
    pub fn read(text: &str) -> Result<Self, EnvironmentError> {
        let file: EnvironmentFile = serde_json::from_str(text)?;
        let environment = file.environment;
        if environment.format != ENVIRONMENT_FORMAT {
            return Err(EnvironmentError::Format(environment.format));
        }
        if environment.text()? != text {
            return Err(EnvironmentError::Damaged);
        }
        let started = chrono::DateTime::parse_from_rfc3339(&environment.started);
        if !started.is_ok_and(|started| started.offset().local_minus_utc() == 0) {
            return Err(EnvironmentError::Started(environment.started));
        }
        Ok(environment)
    }

    fn digest(&self) -> Result<String, serde_json::Error> {
        Ok(blake3::hash(&serde_json::to_vec(self)?).to_hex().to_string())
    }
}
