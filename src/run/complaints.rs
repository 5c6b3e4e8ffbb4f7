//! What a program says on its standard error.

/// So many bytes of the end of what a program says on its standard error are kept.
const KEPT_COMPLAINTS: usize = 4000;

/// The end of what was said on standard error.
#[derive(Debug, Default)]
pub(super) struct Complaints(Vec<u8>);

impl Complaints {
    pub(super) fn keep(&mut self, bytes: &[u8]) {
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
