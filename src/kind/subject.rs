//! What a check looks at, and what it finds.

use opcert_backend::{Descriptor, TensorDescriptor};

use crate::spec::{Level, Operator};

/// What is wrong, and with which part of the descriptor.
pub(crate) struct Finding {
    pub(crate) message: String,
    pub(crate) part: Vec<String>,
}

impl Finding {
    pub(crate) fn new(part: &[&str], message: String) -> Self {
        Self { message, part: part.iter().map(|&step| step.to_owned()).collect() }
    }
}

/// What a check looks at.
pub(crate) struct Subject<'a> {
    pub(crate) operator: &'a Operator,
    pub(crate) descriptor: &'a Descriptor,
    pub(crate) level: Level,
}

impl<'a> Subject<'a> {
    /// The tensor of this name, unless the descriptor lacks it.
    pub(crate) fn tensor(&self, name: &str) -> Option<&'a TensorDescriptor> {
        self.descriptor.tensor(name)
    }

    /// The numbers in an attribute: one, or a list.
    pub(crate) fn numbers(&self, name: &str) -> Option<Vec<i64>> {
        let one = self.descriptor.integer(name).map(|number| vec![number]);
        one.or_else(|| self.descriptor.integers(name).map(<[i64]>::to_vec))
    }
}
