//! The event log. What is read is written and read again, and rendered in every form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use opcert::report::{self, Log, RENDERINGS, UnfinishedLog};

fuzz_target!(|bytes: &[u8]| {
    _ = UnfinishedLog::read(bytes);
    let log = match Log::read(bytes) {
        Ok(log) => log,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    for (_, render) in RENDERINGS {
        _ = render(&log);
    }
    _ = report::svg(std::slice::from_ref(&log));
    for width in [0, 40, 80, 200] {
        _ = report::summary(&log, width);
    }
});
