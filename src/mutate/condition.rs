//! Where a backend is wrong: what an implementation may have a path of its own for.

use std::fmt::{self, Display, Formatter};

use opcert_backend::{AttributeValue, DataType, Descriptor, NamedTensor, Role, TensorDescriptor};

/// A condition on a descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// No condition.
    Always,
    /// Some tensor has at least so many elements.
    Elements(u64),
    /// At least so many elements of an input come to one of the first output.
    Reduced(u64),
    /// The elements of the first output are no multiple of this.
    Tail(u64),
    /// Some tensor has this many dimensions.
    Dimensions(usize),
    /// Some tensor has more dimensions.
    DimensionsAbove(usize),
    /// Some tensor has strides that are not those of a packed one.
    Strided,
    /// Some tensor has a stride of 0 along a dimension with several elements.
    Broadcast,
    /// This tensor is stridden.
    StridesOf(String),
    /// This tensor has one of these types.
    Type(String, Vec<DataType>),
    /// One of these levels is asked for.
    Levels(Vec<String>),
    /// An attribute has this value.
    Attribute(String, AttributeValue),
    /// An attribute is left out.
    LeftOut(String),
    /// Some tensor has a flag.
    Flags,
    /// Some tensor promises an alignment.
    Alignment,
    /// Some tensor has more memory than its elements need.
    Room,
    /// Both hold.
    Both(Box<Condition>, Box<Condition>),
}

impl Condition {
    /// Whether it holds.
    #[must_use]
    pub fn holds(&self, descriptor: &Descriptor) -> bool {
        let any =
            |holds: &dyn Fn(&TensorDescriptor) -> bool| descriptor.tensors.iter().any(|entry| holds(&entry.tensor));
        let count = |entry: &NamedTensor| entry.tensor.element_count().unwrap_or(u64::MAX);
        let of = |role: Role| descriptor.tensors.iter().filter(move |entry| entry.role == role);
        match self {
            Self::Always => true,
            Self::Elements(least) => descriptor.tensors.iter().any(|entry| count(entry) >= *least),
            Self::Reduced(least) => {
                let most = of(Role::Input).map(count).max().unwrap_or(0);
                of(Role::Output).next().is_some_and(|output| most / count(output).max(1) >= *least)
            }
            Self::Tail(block) => of(Role::Output).next().is_some_and(|output| count(output) % block != 0),
            Self::Dimensions(wanted) => any(&|tensor| tensor.dimension_count() == *wanted),
            Self::DimensionsAbove(most) => any(&|tensor| tensor.dimension_count() > *most),
            Self::Strided => any(&|tensor| !tensor.is_packed()),
            Self::Broadcast => any(&|tensor| {
                let strides = tensor.effective_strides().unwrap_or_default();
                std::iter::zip(&tensor.sizes, strides).any(|(&size, stride)| size > 1 && stride == 0)
            }),
            Self::StridesOf(name) => descriptor.tensor(name).is_some_and(|tensor| !tensor.is_packed()),
            Self::Type(name, types) => descriptor.tensor(name).is_some_and(|tensor| types.contains(&tensor.data_type)),
            Self::Levels(levels) => levels.contains(&descriptor.level),
            Self::Attribute(name, value) => descriptor.attribute(name) == Some(value),
            Self::LeftOut(name) => descriptor.attribute(name).is_none(),
            Self::Flags => any(&|tensor| !tensor.flags.is_empty()),
            Self::Alignment => any(&|tensor| tensor.alignment > 0),
            Self::Room => any(&|tensor| {
                let needed = tensor.span_bytes().and_then(|bytes| bytes.checked_next_multiple_of(4));
                tensor.total_bytes.is_some_and(|bytes| Some(bytes) > needed)
            }),
            Self::Both(one, other) => one.holds(descriptor) && other.holds(descriptor),
        }
    }

    /// A part of a name: letters, digits and hyphens.
    #[must_use]
    pub fn name(&self) -> String {
        let said = self.to_string().replace(" -", " minus ");
        let words = said.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
    }
}

/// As the end of a sentence.
impl Display for Condition {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always => write!(formatter, "everywhere"),
            Self::Elements(least) => write!(formatter, "where a tensor has {least} elements or more"),
            Self::Reduced(least) => write!(formatter, "where {least} elements or more come to one"),
            Self::Tail(block) => write!(formatter, "where the elements are no multiple of {block}"),
            Self::Dimensions(count) => write!(formatter, "where a tensor has {count} dimensions"),
            Self::DimensionsAbove(most) => write!(formatter, "where a tensor has more than {most} dimensions"),
            Self::Strided => write!(formatter, "where a tensor is not packed"),
            Self::Broadcast => write!(formatter, "where a stride is 0"),
            Self::StridesOf(name) => write!(formatter, "where `{name}` is not packed"),
            Self::Type(name, types) => {
                let types = types.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
                write!(formatter, "where `{name}` is {types}")
            }
            Self::Levels(levels) => write!(formatter, "at level {}", levels.join(" or ")),
            Self::Attribute(name, AttributeValue::Integers(values)) => {
                write!(formatter, "where `{name}` is {values:?}")
            }
            Self::Attribute(name, AttributeValue::String(text)) => write!(formatter, "where `{name}` is {text}"),
            Self::Attribute(name, value) => {
                write!(formatter, "where `{name}` is {}", crate::render::attribute_value(value))
            }
            Self::LeftOut(name) => write!(formatter, "where `{name}` is left out"),
            Self::Flags => write!(formatter, "where a tensor has a flag"),
            Self::Alignment => write!(formatter, "where a tensor promises an alignment"),
            Self::Room => write!(formatter, "where a tensor has more memory than it needs"),
            Self::Both(one, other) if **one == Self::Always => write!(formatter, "{other}"),
            Self::Both(one, other) => write!(formatter, "{one} and {other}"),
        }
    }
}
