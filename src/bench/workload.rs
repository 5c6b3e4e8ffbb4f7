//! What is measured, as data.

use opcert_backend::{DataType, Descriptor, Role, TensorDescriptor};

use super::values::Fill;

/// An operator on tensors of one form.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// The operator's id.
    pub operator: &'static str,
    /// The name, unique within the operator.
    pub name: &'static str,
    /// How large it is.
    pub scale: Scale,
    /// The data types it is measured in when none is asked for: those that the operator has, of f32, u8, f16 and i64; for
    /// a small one, whose type makes no difference, f32.
    pub types: &'static [DataType],
    /// Whether it is the one of its operator that is measured when a range of sizes is asked for.
    pub grows: bool,
    pub(super) describe: fn(DataType, u64) -> Work,
}

/// How large a workload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// As large as one likes; so many elements when nothing is said.
    Elements(u64),
    /// Always the same, and small.
    Small,
}

/// A workload of one data type and size.
#[derive(Clone, Debug)]
pub struct Work {
    /// The descriptor, packed, without a level.
    pub descriptor: Descriptor,
    /// What is in each input, in the descriptor's order.
    pub inputs: Vec<Fill>,
    /// The sizes and what else tells it from others, for people.
    pub caption: String,
    /// The elements of the tensor that is searched, reduced or made, whichever it is.
    pub elements: u64,
    /// Which bytes of the outputs are written.
    pub written: Written,
}

/// Which bytes of the outputs an operator writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// All of them.
    All,
    /// Of this output only a row for each element that is found, and all of the others.
    FoundRows(&'static str),
}

impl Workload {
    /// One that has a size, and is not the one that stands for its operator.
    pub(super) const fn sized(
        operator: &'static str,
        name: &'static str,
        elements: u64,
        types: &'static [DataType],
        describe: fn(DataType, u64) -> Work,
    ) -> Self {
        Self { operator, name, scale: Scale::Elements(elements), types, grows: false, describe }
    }

    /// One that is always the same.
    pub(super) const fn small(operator: &'static str, name: &'static str, describe: fn(DataType, u64) -> Work) -> Self {
        Self { operator, name, scale: Scale::Small, types: &[DataType::F32], grows: false, describe }
    }

    /// The workload for a data type and about so many elements: as many as the form takes, and exactly as many where
    /// it is a power of two. A small one is always the same.
    #[must_use]
    pub fn work(&self, data_type: DataType, elements: u64) -> Work {
        (self.describe)(data_type, elements)
    }
}

impl Work {
    /// The bytes of all inputs: each of them has to be read once.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.bytes(Role::Input, bytes_of)
    }

    /// The bytes that have to be written where so many elements are found.
    #[must_use]
    pub fn bytes_written(&self, found: u64) -> u64 {
        let rows = match self.written {
            Written::All => return self.bytes(Role::Output, bytes_of),
            Written::FoundRows(name) => self.descriptor.tensor(name),
        };
        let row = rows.and_then(|rows| Some(rows.sizes.last()? * rows.data_type.bytes() as u64)).unwrap_or(0);
        self.bytes(Role::Output, |tensor| if rows == Some(tensor) { found * row } else { bytes_of(tensor) })
    }

    /// The bytes of memory for all tensors.
    #[must_use]
    pub fn bytes_in_memory(&self) -> u64 {
        self.bytes(Role::Input, bytes_of) + self.bytes(Role::Output, bytes_of)
    }

    fn bytes(&self, role: Role, of: impl Fn(&TensorDescriptor) -> u64) -> u64 {
        let tensors = self.descriptor.tensors.iter().filter(|entry| entry.role == role);
        tensors.map(|entry| of(&entry.tensor)).sum()
    }
}

fn bytes_of(tensor: &TensorDescriptor) -> u64 {
    tensor.span_bytes().unwrap_or(0)
}
