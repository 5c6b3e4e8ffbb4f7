//! The messages of the protocol, read by both ends. The first byte says by which.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use opcert_backend::protocol::{MessageError, Request, Response, line, read_message};
use opcert_backend::{Backend, CompileError, Descriptor, Identity, Operator, Support, memory_bytes, serve};

/// A backend that does nothing, so that reading is all that takes time.
struct Nothing;

impl Backend for Nothing {
    fn identity(&self) -> Identity {
        Identity {
            name: "nothing".into(),
            version: "1".into(),
            device: None,
            claims: BTreeMap::new(),
            strided: false,
            refuses_invalid: false,
        }
    }

    fn supports(&self, _: &Descriptor) -> Support {
        Support::Yes
    }

    fn compile(&self, _: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        Err(CompileError::Unsupported { reason: "it does nothing".to_owned() })
    }
}

/// A `run` reserves what its descriptor says. What is larger is for other tests.
const MOST_BYTES: usize = 1 << 16;

fn is_small(descriptor: &Descriptor) -> bool {
    descriptor.tensors.iter().all(|entry| memory_bytes(&entry.tensor).is_ok_and(|bytes| bytes <= MOST_BYTES))
}

/// Reads messages to the end of the stream. Each is written and read again.
fn messages<M>(mut stream: &[u8], mut each: impl FnMut(M))
where
    M: serde::de::DeserializeOwned + serde::Serialize + PartialEq + std::fmt::Debug,
{
    loop {
        match read_message::<M>(&mut stream) {
            Ok(message) => {
                let written = line(&message).expect("messages are JSON");
                assert_eq!(read_message::<M>(&mut &*written).expect("it is read again"), message);
                each(message);
            }
            Err(MessageError::Ended) => return,
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, stream)) = bytes.split_first() else { return };
    if first % 2 == 0 {
        return messages::<Response>(stream, |_| {});
    }
    let mut is_harmless = true;
    messages::<Request>(stream, |request| {
        is_harmless &= match request {
            Request::Run { descriptor, .. } => is_small(&descriptor),
            _ => true,
        };
    });
    if is_harmless {
        let mut answers = Vec::new();
        _ = serve(&Nothing, stream, &mut answers);
        messages::<Response>(&answers, |_| {});
    }
});
