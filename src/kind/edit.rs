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
    /// The requirements of which the first that is broken is broken on purpose; the validator says which are.
    pub(crate) intended: Vec<String>,
    pub(crate) level: Option<Level>,
    pub(crate) changes: Vec<Change>,
}

impl Edit {
    pub(crate) fn new(name: impl Into<String>, title: impl Into<String>, twin: &str) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            twin: twin.to_owned(),
            intended: Vec::new(),
            level: None,
            changes: Vec::new(),
        }
    }

    /// A requirement that the edit breaks on purpose unless it breaks one that was named before, by the last part of its id or
    /// more.
    pub(crate) fn breaks(mut self, reference: &str) -> Self {
        self.intended.push(reference.to_owned());
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
        self.case(move |case| case.set_attribute(&name, value))
    }
}
