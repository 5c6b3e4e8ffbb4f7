//! What a check looks at, and what it finds.

use opcert_backend::{Descriptor, TensorDescriptor};

use crate::spec::{Level, Operator};

/// What is wrong, and with which part of the descriptor.
pub(super) struct Finding {
    pub(super) message: String,
    pub(super) part: Vec<String>,
}

impl Finding {
    pub(super) fn new(part: &[&str], message: String) -> Self {
        Self { message, part: part.iter().map(|&step| step.to_owned()).collect() }
    }
}

/// What a check looks at.
pub(super) struct Subject<'a> {
    pub(super) operator: &'a Operator,
    pub(super) descriptor: &'a Descriptor,
    pub(super) level: Level,
}

impl<'a> Subject<'a> {
    /// The tensor of this name, unless the descriptor lacks it.
    pub(super) fn tensor(&self, name: &str) -> Option<&'a TensorDescriptor> {
        self.descriptor.tensor(name)
    }

    /// The numbers in an attribute: one, or a list.
    pub(super) fn numbers(&self, name: &str) -> Option<Vec<i64>> {
        let one = self.descriptor.integer(name).map(|number| vec![number]);
        one.or_else(|| self.descriptor.integers(name).map(<[i64]>::to_vec))
    }
}
