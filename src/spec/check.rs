//! The closed vocabulary of checks and invariants.
//!
//! A check is data: what there is to know of each kind beyond its form stands in `kind`. All tensors and attributes are named as in the
//! specification; `dimension` counts from the last one, which is 1.

use opcert_backend::{AttributeValue, Float32};

use super::range::DimensionRange;
use crate::element;
use crate::yaml::{Entries, FromNode, Node, Problems, choice};

choice! {
    /// What is checked of a descriptor.
    pub enum Check {
        /// The feature level is not below the one that introduced the operator.
        "introduced" => Introduced,
        /// Every tensor has a dimension count and a data type that the support table has for the level.
        "tensor_support" => TensorSupport,
        /// The attribute is given.
        "attribute_present" => AttributePresent {
            /// The attribute.
            attribute: String,
        },
        /// The attribute is left out, because the operator has none of this name.
        "attribute_absent" => AttributeAbsent {
            /// The attribute.
            attribute: String,
        },
        /// The tensors are given.
        "tensors_present" => TensorsPresent {
            /// The tensors.
            tensors: Vec<String>,
        },
        /// The tensors have one dimension count.
        "same_dimension_count" => SameDimensionCount {
            /// The tensors.
            tensors: Vec<String>,
        },
        /// The tensors have one data type.
        "same_type" => SameType {
            /// The tensors.
            tensors: Vec<String>,
        },
        /// Each tensor has one of the data types.
        "data_types" => DataTypes {
            /// The tensors.
            tensors: Vec<String>,
            /// The types, in the family's spelling.
            types: Vec<String>,
        },
        /// The data type of the tensor is the one that an attribute names, in the family's spelling.
        "type_named" => TypeNamed {
            /// The tensor.
            tensor: String,
            /// The attribute: a name or a text.
            attribute: String,
        },
        /// Each tensor has this many dimensions.
        "dimension_count" => DimensionCount {
            /// The tensors.
            tensors: Vec<String>,
            /// The dimension count, or a range of them.
            count: DimensionRange,
        },
        /// The axis, or each axis of a list, names a dimension.
        "axis_in_range" => AxisInRange {
            /// The attribute: a number or a list.
            attribute: String,
            /// The tensor whose dimensions are meant.
            tensor: String,
            /// Whether the axis is that of a dimension to be inserted, so that one more is legal.
            inserted: Option<bool>,
            /// Whether negative numbers count from the end.
            from_end: Option<bool>,
        },
        /// The attribute counts some dimensions of the tensor: from the least number of them to all, or to all that it may.
        "dimensions_counted" => DimensionsCounted {
            /// The attribute.
            attribute: String,
            /// The tensor whose dimensions are counted.
            tensor: String,
            /// The least number; 0 when left out.
            least: Option<u64>,
            /// How many of the dimensions are left that are not counted; 0 when left out.
            left: Option<u64>,
        },
        /// The attribute is one of these values.
        "one_of" => OneOf {
            /// The attribute.
            attribute: String,
            /// The values: numbers, truth values or texts.
            values: Vec<Literal>,
        },
        /// The list has one number for each dimension of the tensor.
        "one_per_dimension" => OnePerDimension {
            /// The list.
            list: String,
            /// The tensor.
            tensor: String,
        },
        /// The number, or each number of a list, is at least this one.
        "numbers_at_least" => NumbersAtLeast {
            /// The attribute: a number or a list.
            attribute: String,
            /// The least number.
            least: i64,
        },
        /// The number, or each number of a list, is not 0.
        "numbers_not_zero" => NumbersNotZero {
            /// The attribute: a number or a list.
            attribute: String,
        },
        /// The list has no element twice.
        "distinct" => Distinct {
            /// The list.
            list: String,
        },
        /// The list has an element.
        "not_empty" => NotEmpty {
            /// The list.
            list: String,
        },
        /// The tensor has the size along the axis.
        "size_at_axis" => SizeAtAxis {
            /// The tensor.
            tensor: String,
            /// The attribute that holds the axis.
            axis: String,
            /// The size.
            size: u64,
        },
        /// The tensors have the same sizes.
        "same_sizes" => SameSizes {
            /// The tensors.
            tensors: Vec<String>,
        },
        /// Two tensors have equal sizes but along the axis.
        "sizes_equal_except_axis" => SizesEqualExceptAxis {
            /// One tensor.
            tensor: String,
            /// The other one.
            other: String,
            /// The attribute that holds the axis.
            axis: String,
        },
        /// The output has the input's sizes, and in the reduced dimensions 1, or no dimension at all.
        "sizes_reduced" => SizesReduced {
            /// The input.
            input: String,
            /// The output.
            output: String,
            /// The attribute that names the reduced dimensions: a number or a list. A negative one counts from the end.
            axes: String,
            /// The attribute that says whether the reduced dimensions are kept with the size 1: a truth value, or a number that
            /// is not 0. They are kept if there is none.
            kept_if: Option<String>,
            /// Whether they are always dropped.
            dropped: Option<bool>,
        },
        /// The output has the input's sizes with one more dimension at the axis.
        "size_inserted" => SizeInserted {
            /// The input.
            input: String,
            /// The output.
            output: String,
            /// The attribute that holds the axis; negative counts from the end of the output's dimensions.
            axis: String,
            /// The constant tensor whose value is the size of the new dimension.
            size: String,
        },
        /// All sizes are 1.
        "all_sizes_one" => AllSizesOne {
            /// The tensor.
            tensor: String,
        },
        /// All sizes but the last ones are 1.
        "leading_sizes_one" => LeadingSizesOne {
            /// The tensor.
            tensor: String,
            /// How many of the last sizes are free: a number, or the attribute that counts them.
            free: Free,
        },
        /// The tensor has the sizes that the definition gives. They follow from the descriptor, without any data.
        "sizes_defined" => SizesDefined {
            /// The tensor. The sizes of an input may follow from those it has: what fits of them.
            tensor: String,
            /// The name at the top of the definition that lists them.
            by: String,
        },
        /// The tensor has at least so many elements.
        "element_count_at_least" => ElementCountAtLeast {
            /// The tensor.
            tensor: String,
            /// The least number.
            count: u64,
        },
        /// The tensor has just so many elements.
        "element_count" => ElementCount {
            /// The tensor.
            tensor: String,
            /// The number.
            count: u64,
        },
        /// A size equals the number of elements of another tensor.
        "size_is_element_count" => SizeIsElementCount {
            /// The tensor.
            tensor: String,
            /// Its dimension, from the end.
            dimension: u64,
            /// The tensor whose elements are counted.
            of: String,
        },
        /// A size is not below the effective rank of another tensor and not above its dimension count.
        "size_within_rank" => SizeWithinRank {
            /// The tensor.
            tensor: String,
            /// Its dimension, from the end.
            dimension: u64,
            /// The other tensor. Its effective rank leaves out leading dimensions of size 1.
            of: String,
        },
        /// A size is not below a number.
        "size_at_least" => SizeAtLeast {
            /// The tensor.
            tensor: String,
            /// Its dimension, from the end.
            dimension: u64,
            /// The least size.
            size: u64,
        },
        /// The value of a constant tensor is not below a number.
        "constant_at_least" => ConstantAtLeast {
            /// The tensor.
            tensor: String,
            /// The least value.
            value: i64,
        },
        /// Every size is positive.
        "sizes_positive" => SizesPositive {
            /// The tensors; all of them when left out.
            tensors: Option<Vec<String>>,
        },
        /// No size is greater.
        "sizes_at_most" => SizesAtMost {
            /// The greatest size.
            size: u64,
        },
        /// Every tensor has a dimension count that the family has from a level on.
        "dimension_count_by_level" => DimensionCountByLevel {
            /// The range from each level on.
            from: Entries<DimensionRange>,
        },
        /// No tensor has more elements.
        "element_count_at_most" => ElementCountAtMost {
            /// The greatest number.
            count: u64,
            /// What an element is.
            counted: Counted,
        },
        /// A stated size in bytes is not below what sizes and strides imply.
        "total_size" => TotalSize,
        /// A promised alignment is 0, or a power of two not below the element size.
        "alignment" => Alignment,
        /// A flag stands on inputs only.
        "flag_on_inputs_only" => FlagOnInputsOnly {
            /// The flag.
            flag: String,
        },
        /// No two elements of an output share a place in memory. Where that takes too long to find out it holds.
        "outputs_do_not_overlap" => OutputsDoNotOverlap,
        /// The strides of each output nest: sorted by length, each one is longer than all that the shorter ones reach.
        "output_strides_nest" => OutputStridesNest,
    }
}

choice! {
    /// What counts as an element: one of those that the sizes make, or a place in memory, of which strides of 0 need
    /// fewer and gaps need more.
    #[derive(Copy, PartialEq, Eq)]
    pub enum Counted {
        /// More elements are too many only where both counts exceed the greatest number.
        "both_ways" => BothWays,
        /// Either count may be too many; that of places includes those that a stated size in bytes has room for.
        "either_way" => EitherWay,
    }
}

/// How many sizes are free.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Free {
    /// So many.
    Number(u64),
    /// As many as an attribute says.
    Attribute(String),
}

impl FromNode for Free {
    const MOST: usize = 1 << 16;

    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        match node.plain().and_then(|text| text.parse().ok()) {
            Some(number) => Some(Self::Number(number)),
            None => String::from_node(node, problems).map(Self::Attribute),
        }
    }
}

/// A value that stands in a specification for one of an attribute.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Literal {
    /// `true` or `false`.
    Boolean(bool),
    /// A number.
    Integer(i64),
    /// A name or a text: everything else, and whatever stands in quotes.
    Text(String),
}

impl FromNode for Literal {
    const MOST: usize = 1 << 16;

    fn from_node(node: Node, problems: &mut Problems) -> Option<Self> {
        let plain = match node.plain() {
            Some("true") => Some(Self::Boolean(true)),
            Some("false") => Some(Self::Boolean(false)),
            Some(text) => text.parse().ok().map(Self::Integer),
            None => None,
        };
        plain.or_else(|| String::from_node(node, problems).map(Self::Text))
    }
}

impl Literal {
    /// Whether it stands for a value.
    #[must_use]
    pub fn is(&self, value: &AttributeValue) -> bool {
        match (self, value) {
            (Self::Boolean(one), AttributeValue::Boolean(other)) => one == other,
            (Self::Integer(one), AttributeValue::Integer(other)) => one == other,
            (Self::Text(one), AttributeValue::Enumerator(other) | AttributeValue::String(other)) => one == other,
            (_, AttributeValue::Float32(other)) => self.float32().is_ok_and(|one| one == *other),
            _ => false,
        }
    }

    /// The number in floating point that it stands for, or what is expected instead.
    pub(crate) fn float32(&self) -> Result<Float32, String> {
        element::parse_float32(&self.to_string()).map_err(|_| "a number of 32 bits in floating point".to_owned())
    }
}

impl std::fmt::Display for Literal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Boolean(value) => write!(formatter, "{value}"),
            Self::Integer(value) => write!(formatter, "{value}"),
            Self::Text(text) => write!(formatter, "{text}"),
        }
    }
}

choice! {
    /// What holds of outputs whatever the answer to an open question is.
    pub enum Invariant {
        /// Each element is an index into what was reduced.
        "index_below_reduced_count" => IndexBelowReducedCount {
            /// The tensor of indices.
            output: String,
            /// The reduced tensor.
            input: String,
            /// The attribute that lists the reduced dimensions.
            axes: String,
        },
        /// The one element is at most the number of elements of another tensor.
        "count_at_most_elements" => CountAtMostElements {
            /// The tensor that holds the count.
            count: String,
            /// The other tensor.
            of: String,
        },
        /// Each row before the count is a position in another tensor.
        "rows_are_coordinates" => RowsAreCoordinates {
            /// The tensor of rows, its last dimension being a row.
            rows: String,
            /// The tensor that holds the number of rows.
            count: String,
            /// The other tensor; a row holds the last of its coordinates.
            of: String,
        },
        /// The outputs are those of another operator of the family for the same tensors, where a backend supports both.
        "equals_operator" => EqualsOperator {
            /// The other operator.
            operator: String,
            /// Where it holds: attributes that have these values. The other operator has none of these names.
            when: Option<Entries<Literal>>,
            /// What the other operator is told beside the attributes that both have.
            with: Option<Entries<Literal>>,
        },
    }
}

/// As it stands in a file, without what was left out.
impl std::fmt::Display for Check {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = serde_json::to_value(self).map_err(|_| std::fmt::Error)?;
        let text = flow(&value);
        formatter.write_str(text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(&text))
    }
}

fn flow(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        serde_json::Value::Object(entries) => {
            let given = entries.iter().filter(|(_, value)| !value.is_null());
            let given: Vec<String> = given.map(|(name, value)| format!("{name}: {}", flow(value))).collect();
            format!("{{{}}}", given.join(", "))
        }
        other => other.to_string(),
    }
}

/// What a check names. All of it is resolved on loading: what nobody resolves would hold of nothing, and nobody would know.
#[derive(Debug, Default)]
pub(crate) struct Names<'c> {
    pub(crate) tensors: Vec<&'c str>,
    /// Each with what the check makes of it.
    pub(crate) attributes: Vec<(&'c str, Taken<'c>)>,
    /// Whether a case may leave these out, since it is there to refuse that.
    pub(crate) may_be_missing: bool,
    /// What it names of the family, each under a key of its own.
    pub(crate) of_family: Vec<OfFamily<'c>>,
}

/// What a check makes of an attribute. One of another type would break no rule whatever its value, and nobody would know.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Taken<'c> {
    /// Whether it is given.
    Presence,
    /// A number.
    Number,
    /// A list of numbers.
    List,
    /// A number or a list of them.
    Numbers,
    /// A truth value, or a number that stands for one.
    Truth,
    /// The name of a data type.
    TypeName,
    /// One of these values.
    OneOf(&'c [Literal]),
}

/// Names that a family gives a meaning, and the key of the check under which they stand.
#[derive(Debug)]
pub(crate) enum OfFamily<'c> {
    Types(&'static str, Vec<&'c str>),
    Flag(&'static str, &'c str),
    /// Levels from each of which on something holds. The lowest has to be among them.
    From(&'static str, Vec<&'c str>),
}

impl<'c> OfFamily<'c> {
    /// The levels among them: at each the answer of a check may change.
    pub(crate) fn levels(self) -> Vec<&'c str> {
        match self {
            Self::From(_, levels) => levels,
            Self::Types(..) | Self::Flag(..) => Vec::new(),
        }
    }
}

impl<'c> Names<'c> {
    pub(crate) fn of<const TENSORS: usize, const ATTRIBUTES: usize>(
        tensors: [&'c String; TENSORS],
        attributes: [(&'c String, Taken<'c>); ATTRIBUTES],
    ) -> Self {
        let tensors = tensors.iter().map(|name| name.as_str()).collect();
        let attributes = attributes.iter().map(|(name, taken)| (name.as_str(), *taken)).collect();
        Self { tensors, attributes, ..Self::default() }
    }

    pub(crate) fn listed(tensors: &'c [String]) -> Self {
        Self { tensors: tensors.iter().map(String::as_str).collect(), ..Self::default() }
    }

    pub(crate) fn and_of_family(mut self, names: OfFamily<'c>) -> Self {
        self.of_family.push(names);
        self
    }

    /// The same where it is refused that they are left out.
    pub(crate) fn that_may_be_missing(self) -> Self {
        Self { may_be_missing: true, ..self }
    }
}

impl Check {
    /// Names all tensors of a list where it names the list; those that are always there where it asks for presence. What tells
    /// them has the list's name, and whether only these are meant.
    pub(super) fn spread(&mut self, of_list: impl Fn(&str, bool) -> Vec<String>) {
        let spread = |names: &mut Vec<String>, is_presence: bool| {
            // Whoever names a tensor that there is not is told so elsewhere.
            let each = names.drain(..).flat_map(|name| match of_list(&name, is_presence) {
                found if found.is_empty() => vec![name],
                found => found,
            });
            *names = each.collect();
        };
        let all = |names: &mut Vec<String>| spread(names, false);
        match self {
            Self::TensorsPresent(check) => spread(&mut check.tensors, true),
            Self::SameDimensionCount(check) => all(&mut check.tensors),
            Self::SameType(check) => all(&mut check.tensors),
            Self::DataTypes(check) => all(&mut check.tensors),
            Self::DimensionCount(check) => all(&mut check.tensors),
            Self::SameSizes(check) => all(&mut check.tensors),
            Self::SizesPositive(check) => check.tensors.iter_mut().for_each(all),
            _ => {}
        }
    }

    /// Whether all tensors of a list may stand under a name that the check has, where [`Self::spread`] has left it.
    pub(super) fn takes_list(&self, name: &str) -> bool {
        matches!(self, Self::SizesEqualExceptAxis(check) if check.tensor == name && check.other != name)
    }

    pub(crate) fn names(&self) -> Names<'_> {
        self.kind().names()
    }

    /// The tensors that the check names.
    #[must_use]
    pub fn tensors(&self) -> Vec<&str> {
        self.names().tensors
    }
}

impl Invariant {
    /// The tensors that the invariant names.
    #[must_use]
    pub fn tensors(&self) -> Vec<&str> {
        match self {
            Self::IndexBelowReducedCount(IndexBelowReducedCount { output, input, .. }) => vec![output, input],
            Self::CountAtMostElements(CountAtMostElements { count, of }) => vec![count, of],
            Self::RowsAreCoordinates(RowsAreCoordinates { rows, count, of }) => vec![rows, count, of],
            Self::EqualsOperator(_) => Vec::new(),
        }
    }

    /// The attributes that the invariant names, each with what it makes of it.
    pub(crate) fn attributes(&self) -> Vec<(&str, Taken<'_>)> {
        match self {
            Self::IndexBelowReducedCount(IndexBelowReducedCount { axes, .. }) => vec![(axes, Taken::Numbers)],
            Self::EqualsOperator(EqualsOperator { when, .. }) => {
                let conditions = when.iter().flat_map(|conditions| &conditions.0);
                conditions.map(|(name, value)| (name.as_str(), Taken::OneOf(std::slice::from_ref(value)))).collect()
            }
            Self::CountAtMostElements(_) | Self::RowsAreCoordinates(_) => Vec::new(),
        }
    }
}
