//! A descriptor that is broken on purpose, as an edit of a valid case.

use opcert_backend::{AttributeValue, TensorDescriptor};

use crate::case::Case;
use crate::spec::Level;

type Change = Box<dyn FnOnce(&mut Case) + Send>;

/// A refused case: an edit of a valid one.
pub(crate) struct Edit {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) twin: String,
    /// The requirement that is broken on purpose; the validator says what else is.
    pub(crate) intended: String,
    pub(crate) level: Option<Level>,
    pub(crate) changes: Vec<Change>,
}

impl Edit {
    pub(crate) fn new(name: impl Into<String>, title: impl Into<String>, twin: &str) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            twin: twin.to_owned(),
            intended: String::new(),
            level: None,
            changes: Vec::new(),
        }
    }

    /// The requirement that the edit breaks on purpose, by the last part of its id or more.
    pub(crate) fn breaks(mut self, reference: &str) -> Self {
        reference.clone_into(&mut self.intended);
        self
    }

    /// Asks at another level than the twin's.
    pub(crate) fn at(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// Edits a tensor's descriptor.
    pub(crate) fn tensor(self, name: &str, change: impl FnOnce(&mut TensorDescriptor) + Send + 'static) -> Self {
        let name = name.to_owned();
        self.case(move |case| {
            if let Some(tensor) = case.tensors.iter_mut().find(|tensor| tensor.name == name) {
                change(&mut tensor.descriptor);
            }
        })
    }

    pub(crate) fn case(mut self, change: impl FnOnce(&mut Case) + Send + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }

    pub(crate) fn attribute(self, name: &str, value: AttributeValue) -> Self {
        let name = name.to_owned();
        self.case(move |case| {
            if let Some(attribute) = case.attributes.iter_mut().find(|attribute| attribute.name == name) {
                attribute.value = value;
            }
        })
    }
}
