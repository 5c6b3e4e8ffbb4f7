//! Keys: a private one, and a list of those that are trusted. What is signed with a key that is taken holds, and of nothing else.
#![no_main]

use libfuzzer_sys::fuzz_target;
use opcert::signature::{Signer, Signers, check};

const MESSAGE: &[u8] = b"a certificate";

fuzz_target!(|bytes: &[u8]| {
    match Signer::parse(bytes) {
        Ok(signer) => {
            let signature = signer.sign(MESSAGE).expect("a key that is taken signs");
            let key = check(signature.as_bytes(), MESSAGE).expect("what is signed holds");
            assert!(check(signature.as_bytes(), b"another").is_err());
            let listed = format!("me {}", key.to_openssh().expect("a key is written"));
            let signers = Signers::parse(&listed).expect("a key that is written is read");
            assert_eq!(signers.find(&key), Some(Some("me")));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Err(error) = Signers::parse(text)
    {
        assert!(!error.to_string().is_empty());
    }
    // A signature that is not ours holds of nothing that we say.
    assert!(check(bytes, MESSAGE).is_err());
});
