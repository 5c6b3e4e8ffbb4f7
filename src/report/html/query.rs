//! Links to a part of the page with some of it picked.

use opcert_backend::foreign::printable;

/// `key=value&…`, each value as the page shows it; the script's `URLSearchParams` reads that.
pub(super) fn query(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().map(|(key, value)| format!("{key}={}", percent_encoded(&printable(value))));
    pairs.collect::<Vec<_>>().join("&")
}

fn percent_encoded(text: &str) -> String {
    let bytes = text.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    });
    bytes.collect()
}
