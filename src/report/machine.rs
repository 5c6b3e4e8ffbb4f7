//! The machine that something runs on.

use std::fs;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a machine is, as far as the system tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The operating system.
    pub system: String,
    /// The processor's architecture.
    pub architecture: String,
    /// The processor, where the system says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// How many threads the system runs at a time for this process.
    pub cores: usize,
    /// Bytes of memory, where the system says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
}

impl Machine {
    /// The machine that this process runs on.
    #[must_use]
    pub fn here() -> Self {
        Self {
            system: system(),
            architecture: std::env::consts::ARCH.to_owned(),
            processor: processor(),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            memory: memory("MemTotal:"),
        }
    }
}

/// The bytes of memory that a process can still get, where the system says so.
#[must_use]
pub fn available_memory() -> Option<u64> {
    memory("MemAvailable:")
}

/// What the kernel says in a file; nothing where there is no such kernel, whatever is found at that path.
fn said_by_kernel(path: &str) -> Option<String> {
    if cfg!(windows) { None } else { fs::read_to_string(path).ok() }
}

/// The name of the operating system, with that of the distribution where there is one.
fn system() -> String {
    let release = said_by_kernel("/etc/os-release").unwrap_or_default();
    let named = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let system = std::env::consts::OS;
    named.map_or_else(|| system.to_owned(), |name| format!("{system} ({})", name.trim_matches('"')))
}

/// The processor's name, where the kernel tells it in a file, or Windows in a variable.
fn processor() -> Option<String> {
    if cfg!(windows) {
        return std::env::var("PROCESSOR_IDENTIFIER").ok();
    }
    let described = said_by_kernel("/proc/cpuinfo")?;
    let named = described.lines().find(|line| line.starts_with("model name"))?;
    named.split_once(':').map(|(_, name)| name.trim().to_owned())
}

/// A figure that the kernel tells in kibibytes.
fn memory(key: &str) -> Option<u64> {
    let described = said_by_kernel("/proc/meminfo")?;
    let figure = described.lines().find_map(|line| line.strip_prefix(key))?;
    figure.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
}
