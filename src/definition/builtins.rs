//! The builtins: their names, what they take, and what a person is told of them.

/// What is asked of a tensor, whose name is the first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfTensor {
    Sizes,
    Strides,
    Rank,
    Dimensions,
    Places,
    Origin,
    Subset,
    Fits,
    FromBits,
    HasValue,
    FromValue,
    Nearest,
    BitWidth,
    IsGiven,
}

/// What is asked of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    Len,
    Sum,
    Accumulate,
    Product,
    Min,
    Max,
    Any,
    All,
    Range,
    Enumerate,
    Zip,
    Sorted,
    Replaced,
    Inserted,
    Removed,
    IsNan,
    IsInfinite,
    IsSubnormal,
    Flushed,
    Bits,
    IsInteger,
    Truncated,
}

/// How a builtin is called and what it does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<T> {
    pub(super) name: &'static str,
    pub(super) builtin: T,
    /// The names of its arguments; behind a `…` there may be more.
    pub(super) arguments: &'static [&'static str],
    /// How many of them have to be there.
    pub(super) least: usize,
}

const fn entry<T>(name: &'static str, builtin: T, least: usize, arguments: &'static [&'static str]) -> Entry<T> {
    Entry { name, builtin, arguments, least }
}

pub(super) const OF_TENSORS: [Entry<OfTensor>; 14] = [
    entry("sizes", OfTensor::Sizes, 1, &["tensor"]),
    entry("strides", OfTensor::Strides, 1, &["tensor"]),
    entry("rank", OfTensor::Rank, 1, &["tensor"]),
    entry("dimensions", OfTensor::Dimensions, 1, &["tensor"]),
    entry("places", OfTensor::Places, 1, &["tensor"]),
    entry("origin", OfTensor::Origin, 1, &["tensor"]),
    entry("subset", OfTensor::Subset, 3, &["tensor", "place", "dimensions"]),
    entry("fits", OfTensor::Fits, 2, &["tensor", "integer"]),
    entry("bit_width", OfTensor::BitWidth, 1, &["tensor"]),
    entry("from_bits", OfTensor::FromBits, 2, &["tensor", "integer"]),
    entry("has_value", OfTensor::HasValue, 2, &["tensor", "number"]),
    entry("from_value", OfTensor::FromValue, 2, &["tensor", "number"]),
    entry("nearest", OfTensor::Nearest, 2, &["tensor", "element"]),
    entry("is_given", OfTensor::IsGiven, 1, &["tensor"]),
];

pub(super) const BUILTINS: [Entry<Builtin>; 22] = [
    entry("len", Builtin::Len, 1, &["list"]),
    entry("sum", Builtin::Sum, 1, &["list"]),
    entry("accumulate", Builtin::Accumulate, 1, &["list"]),
    entry("product", Builtin::Product, 1, &["list"]),
    entry("min", Builtin::Min, 1, &["list"]),
    entry("max", Builtin::Max, 1, &["list"]),
    entry("any", Builtin::Any, 1, &["list"]),
    entry("all", Builtin::All, 1, &["list"]),
    entry("range", Builtin::Range, 1, &["first", "end", "step"]),
    entry("enumerate", Builtin::Enumerate, 1, &["list"]),
    entry("zip", Builtin::Zip, 2, &["list", "other"]),
    entry("sorted", Builtin::Sorted, 1, &["list"]),
    entry("replaced", Builtin::Replaced, 3, &["place", "dimension", "coordinate"]),
    entry("inserted", Builtin::Inserted, 3, &["place", "dimension", "coordinate"]),
    entry("removed", Builtin::Removed, 2, &["place", "dimension"]),
    entry("is_nan", Builtin::IsNan, 1, &["element"]),
    entry("is_infinite", Builtin::IsInfinite, 1, &["element"]),
    entry("is_subnormal", Builtin::IsSubnormal, 1, &["element"]),
    entry("flushed", Builtin::Flushed, 1, &["element"]),
    entry("bits", Builtin::Bits, 1, &["element"]),
    entry("is_integer", Builtin::IsInteger, 1, &["element"]),
    entry("truncated", Builtin::Truncated, 1, &["element"]),
];

/// Whether the level asked for is the one in quotes, or above it.
pub(super) const SINCE: &str = "since";

/// All names that are taken.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    OF_TENSORS.iter().map(|entry| entry.name).chain(BUILTINS.iter().map(|entry| entry.name)).chain([SINCE])
}
