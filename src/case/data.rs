//! The data of an input: elements that are written out, or a formula for them.

use std::borrow::Cow;

use opcert_backend::DataType;

use super::elements;
use super::pattern::{self, Pattern};
use crate::yaml::{Content, Node, Problems};

/// The data of an input.
#[derive(Clone, Debug)]
pub enum Data {
    /// The elements, packed, little-endian, in logical order.
    Elements(Vec<u8>),
    /// A formula for them.
    Pattern(Pattern),
}

impl Data {
    /// All elements, packed, little-endian, in logical order.
    #[must_use]
    pub fn elements(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Elements(bytes) => Cow::Borrowed(bytes),
            Self::Pattern(pattern) => {
                let mut bytes = vec![0; pattern.bytes()];
                pattern.fill(&mut bytes);
                Cow::Owned(bytes)
            }
        }
    }

    /// Writes all elements, packed, to the beginning of `memory`.
    ///
    /// # Panics
    ///
    /// When `memory` is too short.
    pub fn fill(&self, memory: &mut [u8]) {
        match self {
            Self::Elements(bytes) => memory[..bytes.len()].copy_from_slice(bytes),
            Self::Pattern(pattern) => pattern.fill(memory),
        }
    }
}

/// Decodes the data of an input: elements, or a pattern.
pub(super) fn decode_input(node: &Node, data_type: DataType, sizes: &[u64], problems: &mut Problems) -> Option<Data> {
    if matches!(node.content(), Content::Mapping(_)) && node.get("bits").is_none() {
        return pattern::decode(node, data_type, sizes, problems).map(Data::Pattern);
    }
    elements::decode(node, data_type, sizes, false, problems).map(|elements| Data::Elements(elements.bytes))
}
