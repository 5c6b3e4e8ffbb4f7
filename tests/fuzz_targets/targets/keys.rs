//! Keys: a private one, and a list of those that are trusted.
#![no_main]

use libfuzzer_sys::fuzz_target;
use opcert::signature::{Signer, Signers};

fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = Signer::parse(bytes) {
        assert!(!error.to_string().is_empty());
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Err(error) = Signers::parse(text)
    {
        assert!(!error.to_string().is_empty());
    }
});
