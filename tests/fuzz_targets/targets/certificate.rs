//! Certificates and their signatures. The input is both, with a NUL between them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use opcert::report::Certificate;
use opcert::signature;

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(2, |&byte| byte == 0);
    let text = parts.next().unwrap_or_default();
    if let Some(signed) = parts.next()
        && let Ok(key) = signature::check(signed, text)
    {
        assert!(signature::fingerprint(&key).starts_with("SHA256:"));
    }
    let Ok(certificate) = serde_json::from_slice::<Certificate>(text) else { return };
    let written = certificate.text().expect("a certificate is JSON");
    let again: Certificate = serde_json::from_str(&written).expect("it is read again");
    assert_eq!(again, certificate);
});
