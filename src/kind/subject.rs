//! What a check looks at, and what it finds.

use opcert_backend::{AttributeValue, Descriptor, TensorDescriptor};

use crate::definition::Definition;
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
    /// What says which sizes there are: the definition of the operator, or another one that a wrong backend has.
    pub(crate) definition: &'a Definition,
    pub(crate) descriptor: &'a Descriptor,
    pub(crate) level: Level,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(operator: &'a Operator, descriptor: &'a Descriptor, level: Level) -> Self {
        Self { operator, definition: &operator.definition, descriptor, level }
    }

    /// The tensor of this name, unless the descriptor lacks it.
    pub(crate) fn tensor(&self, name: &str) -> Option<&'a TensorDescriptor> {
        self.descriptor.tensor(name)
    }

    /// The value of an attribute, or its default.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'a AttributeValue> {
        self.operator.value_of(self.descriptor, name)
    }

    /// The number in an attribute.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        match self.attribute(name)? {
            AttributeValue::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// The numbers in an attribute: one, or a list.
    pub(crate) fn numbers(&self, name: &str) -> Option<Vec<i64>> {
        match self.attribute(name)? {
            AttributeValue::Integer(number) => Some(vec![*number]),
            AttributeValue::Integers(numbers) => Some(numbers.clone()),
            _ => None,
        }
    }
}
