//! What a program says on its standard error.

use std::io::{ErrorKind, Read};
use std::process::ChildStderr;

/// So many bytes of the end of what a program says on its standard error are kept.
const KEPT_COMPLAINTS: usize = 4000;

/// The end of what was said on standard error.
#[derive(Debug, Default)]
pub(super) struct Complaints(Vec<u8>);

impl Complaints {
    /// Keeps what is there to be heard; a stream that has ended is let go.
    pub(super) fn hear(&mut self, stderr: &mut Option<ChildStderr>) {
        let mut bytes = [0; 4096];
        // A flood is heard in turns, so that the clock is looked at between them.
        for _ in 0..16 {
            match stderr.as_mut().map(|stderr| stderr.read(&mut bytes)) {
                Some(Ok(length @ 1..)) => self.keep(&bytes[..length]),
                Some(Err(error)) if error.kind() == ErrorKind::WouldBlock => return,
                _ => return *stderr = None,
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        let surplus = self.0.len().saturating_sub(KEPT_COMPLAINTS);
        self.0.drain(..surplus);
    }

    /// A sentence with what was said behind it.
    pub(super) fn behind(&self, sentence: String) -> String {
        let said = String::from_utf8_lossy(&self.0);
        let said = said.trim();
        if said.is_empty() { sentence } else { format!("{sentence}: {said}") }
    }
}
