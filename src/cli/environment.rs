//! When and where a run is made.

use std::time::Instant;

use chrono::{DateTime, SecondsFormat, Utc};

use crate::report::{ENVIRONMENT_FORMAT, Environment, Machine};

/// The moment at which a run begins.
pub(super) struct Start {
    time: DateTime<Utc>,
    clock: Instant,
}

impl Start {
    pub(super) fn now() -> Self {
        Self { time: Utc::now(), clock: Instant::now() }
    }

    /// The environment of a run that ends now.
    pub(super) fn finish(&self) -> Environment {
        let machine = Machine::here();
        Environment {
            format: ENVIRONMENT_FORMAT,
            started: self.time.to_rfc3339_opts(SecondsFormat::Secs, true),
            milliseconds: u64::try_from(self.clock.elapsed().as_millis()).unwrap_or(u64::MAX),
            command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            system: machine.system,
            architecture: machine.architecture,
            processor: machine.processor,
            cores: machine.cores,
        }
    }
}
