//! What was measured, as data: `opcert bench --format json`. Everything else is rendered from it.

use opcert_backend::{DataType, ForeignText};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::timing::Timing;
use crate::json;
use crate::report::Machine;

/// The version of the format.
pub const BENCH_FORMAT: u32 = 1;

/// What was measured of a backend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BenchReport {
    /// The version of this format.
    pub format: u32,
    /// Where it was measured.
    pub machine: Machine,
    /// What was measured.
    pub backend: MeasuredBackend,
    /// How many rounds each row has.
    pub rounds: usize,
    /// The measurements, in the order in which they were made.
    pub rows: Vec<Row>,
}

/// A backend that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasuredBackend {
    /// Its name.
    pub name: ForeignText,
    /// The version of the implementation.
    pub version: ForeignText,
    /// What it runs on, where there is a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<ForeignText>,
    /// Whether it ran in a process of its own: then every time includes the way of all tensors there and back.
    pub isolated: bool,
}

/// A workload of one data type and size, on so many threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The operator's id.
    pub operator: ForeignText,
    /// The workload's name.
    pub workload: ForeignText,
    /// The data type of the tensor that is searched, reduced or made.
    pub data_type: DataType,
    /// That tensor's sizes, and what else tells the workload from others.
    pub tensor: ForeignText,
    /// That tensor's elements.
    pub elements: u64,
    /// How many threads the backend was given; absent where it cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was measured.
    Measured(Box<Measured>),
    /// It was not, and this is why.
    Unsupported(ForeignText),
    /// A wrong answer or none came, and no time was taken.
    Failed(FailedRow),
}

/// A workload that came out wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailedRow {
    /// What came instead of the answer.
    pub reason: ForeignText,
    /// How many elements the tensor had with which it came: the workload is tried on small tensors first.
    pub elements: u64,
}

/// The measurement of a row. Times are in seconds; a gigabyte is 10^9 bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// The bytes of all inputs.
    pub bytes_read: u64,
    /// The bytes that the operator has to write.
    pub bytes_written: u64,
    /// How many dispatches there were in a round.
    pub repetitions: u32,
    /// One dispatch.
    pub dispatch: Timing,
    /// Dispatches in a second: the reciprocal of the median.
    pub dispatches_per_second: f64,
    /// Bytes read and written in a second, by the median.
    pub gigabytes_per_second: f64,
    /// The copy of memory that took turns with it.
    pub memcpy: Memcpy,
    /// The bandwidth of a dispatch divided by that of the copy, in each round; their median.
    pub share_of_memcpy: f64,
    /// A call of an operator that does nothing, with the same arguments; it took turns too.
    pub empty_call: Timing,
    /// The time of a dispatch divided by that of an empty call, in each round; their median.
    pub times_empty_call: f64,
    /// The time of a dispatch divided by that of one with half as many elements, which took turns too; their median.
    /// Absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times_half: Option<f64>,
}

/// A copy of memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Memcpy {
    /// How many threads copied.
    pub threads: usize,
    /// The bytes that one copy reads and writes, together.
    pub bytes_moved: u64,
    /// One copy.
    pub copy: Timing,
    /// Bytes read and written in a second, by the median.
    pub gigabytes_per_second: f64,
}

/// Why a text is no report.
#[derive(Debug, thiserror::Error)]
pub enum BenchReportError {
    /// It is no such JSON.
    #[error("cannot be read: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It has another version.
    #[error("has format {0}, this is format {BENCH_FORMAT}")]
    Format(u32),
}

impl BenchReport {
    /// The report as JSON.
    ///
    /// # Errors
    ///
    /// When it cannot be JSON.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        json::text(self)
    }

    /// Reads what [`BenchReport::json`] wrote.
    ///
    /// # Errors
    ///
    /// When it is no report, or one of another version.
    pub fn read(text: &str) -> Result<Self, BenchReportError> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let version: Version = serde_json::from_str(text)?;
        if version.format != BENCH_FORMAT {
            return Err(BenchReportError::Format(version.format));
        }
        Ok(serde_json::from_str(text)?)
    }
}

impl Row {
    /// The measurement, if it was measured.
    #[must_use]
    pub fn measured(&self) -> Option<&Measured> {
        match &self.outcome {
            Outcome::Measured(measured) => Some(measured),
            _ => None,
        }
    }

    /// Whether another row differs from this one in size alone.
    #[must_use]
    pub fn is_of_series(&self, other: &Self) -> bool {
        let key = |row: &Self| (row.operator.clone(), row.workload.clone(), row.data_type, row.threads);
        key(self) == key(other)
    }
}

impl Measured {
    /// The bytes that the operator reads and writes.
    #[must_use]
    pub const fn bytes_moved(&self) -> u64 {
        self.bytes_read + self.bytes_written
    }
}
