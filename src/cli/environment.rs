//! When and where a run is made.

use std::fs;
use std::time::Instant;

use chrono::{DateTime, SecondsFormat, Utc};

use crate::report::{ENVIRONMENT_FORMAT, Environment};

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
        Environment {
            format: ENVIRONMENT_FORMAT,
            started: self.time.to_rfc3339_opts(SecondsFormat::Secs, true),
            milliseconds: u64::try_from(self.clock.elapsed().as_millis()).unwrap_or(u64::MAX),
            command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            system: system(),
            architecture: std::env::consts::ARCH.to_owned(),
            processor: processor(),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        }
    }
}

/// The name of the operating system, with that of the distribution where there is one.
fn system() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let named = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let system = std::env::consts::OS;
    named.map_or_else(|| system.to_owned(), |name| format!("{system} ({})", name.trim_matches('"')))
}

/// The processor's name, where the kernel tells it in a file.
fn processor() -> Option<String> {
    let described = fs::read_to_string("/proc/cpuinfo").ok()?;
    let named = described.lines().find(|line| line.starts_with("model name"))?;
    named.split_once(':').map(|(_, name)| name.trim().to_owned())
}
