//! How a check is solved: what is drawn so that it holds.

use std::fmt;
use std::ops::RangeInclusive;

use opcert_backend::{AttributeValue, DataType};

use crate::spec::{Level, Operator};

/// No tensor that is drawn has more dimensions.
pub(crate) const MOST_DIMENSIONS: usize = 8;

/// Where what is free comes from.
pub(crate) trait Drawing {
    /// A number below this one; 0 of a bound of 0.
    fn below(&mut self, bound: u64) -> u64;

    /// The sizes of a small tensor of so many dimensions.
    fn sizes(&mut self, count: usize) -> Vec<u64>;

    /// The sizes that a name of the definition lists; nothing where it can list none.
    fn defined(&self, solved: &Solved, by: &str) -> Option<Vec<u64>>;
}

/// The parts of a descriptor that checks speak of, in the order of the specification.
#[derive(Debug, Default)]
pub(crate) struct Solved {
    pub(crate) types: Vec<DataType>,
    pub(crate) sizes: Vec<Vec<u64>>,
    pub(crate) attributes: Vec<AttributeValue>,
    /// The values of tensors that are part of the descriptor.
    pub(crate) constants: Vec<Option<i64>>,
    /// For each tensor whether it is there, and not left out.
    pub(crate) present: Vec<bool>,
}

/// What a solution may know: the operator, by the numbers of its tensors and attributes.
pub(crate) struct Known<'a> {
    pub(crate) operator: &'a Operator,
    pub(crate) level: Level,
    /// For each tensor whether its sizes are those of the subject or given by a check before.
    pub(crate) given: &'a [bool],
}

impl Known<'_> {
    pub(crate) fn tensor(&self, name: &str) -> Option<usize> {
        self.operator.tensors.iter().position(|tensor| tensor.name == name)
    }

    pub(crate) fn tensors(&self, names: &[String]) -> Vec<usize> {
        names.iter().filter_map(|name| self.tensor(name)).collect()
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<usize> {
        self.operator.attributes.iter().position(|attribute| attribute.name == name)
    }
}

/// How a check is solved.
#[derive(Debug)]
pub(crate) enum Solution {
    /// Whatever is drawn, it holds.
    Drawn,
    /// The tensors have one dimension count.
    OneDimensionCount(Vec<usize>),
    /// Each tensor has one of the dimension counts.
    DimensionCounts { tensors: Vec<usize>, counts: RangeInclusive<usize> },
    /// The tensors have one data type.
    OneType(Vec<usize>),
    /// The tensors have one of the data types.
    Types { tensors: Vec<usize>, types: Vec<DataType> },
    /// The attribute names dimensions of the tensor, and so many more; negative ones count from the end or not.
    Axes { attribute: usize, tensor: usize, more: usize, from_end: bool },
    /// The attribute counts dimensions of the tensor: no fewer than the least number, and not those that are left.
    Counted { attribute: usize, tensor: usize, least: usize, left: usize },
    /// The attribute has one number for each dimension of the tensor.
    OnePerDimension { attribute: usize, tensor: usize },
    /// No number of the attribute is below the least one.
    NumbersAtLeast { attribute: usize, least: i64 },
    /// No number of the attribute is 0; it may be negative.
    NumbersNotZero { attribute: usize },
    /// The attribute is left out.
    Absent { attribute: usize },
    /// The attribute names the data type of the tensor.
    TypeNamed { tensor: usize, attribute: usize },
    /// Sizes or constants are set.
    Sizes(Sizes),
}

/// Whether what was drawn before can be met at all.
type Solve = dyn Fn(&mut dyn Drawing, &mut Solved) -> bool + Send + Sync;
type Count = dyn Fn(&mut [usize]) + Send + Sync;

/// Sizes, or the value of a constant, that are set when all that they depend on is there.
pub(crate) struct Sizes {
    /// The tensors that get all their sizes so.
    pub(crate) gives: Vec<usize>,
    pub(crate) turn: Turn,
    count: Option<Box<Count>>,
    solve: Box<Solve>,
}

/// When sizes are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Before sizes are carried over to other tensors.
    First,
    /// In the order of the checks.
    Usual,
    /// In the order of the checks, and once more behind all others.
    Again,
}

impl Sizes {
    fn new(gives: Vec<usize>, solve: impl Fn(&mut dyn Drawing, &mut Solved) + Send + Sync + 'static) -> Self {
        let always = move |draw: &mut dyn Drawing, solved: &mut Solved| {
            solve(draw, solved);
            true
        };
        Self { gives, turn: Turn::Usual, count: None, solve: Box::new(always) }
    }

    /// All sizes of a tensor, or some of one that has others before, where the attributes that were drawn leave it any.
    pub(crate) fn if_any(
        gives: Option<usize>,
        solve: impl Fn(&mut dyn Drawing, &mut Solved) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { gives: gives.into_iter().collect(), turn: Turn::Usual, count: None, solve: Box::new(solve) }
    }

    /// Some sizes of a tensor.
    pub(crate) fn within(solve: impl Fn(&mut dyn Drawing, &mut Solved) + Send + Sync + 'static) -> Self {
        Self::new(Vec::new(), solve)
    }

    /// All sizes of a tensor.
    pub(crate) fn of(tensor: usize, solve: impl Fn(&mut dyn Drawing, &mut Solved) + Send + Sync + 'static) -> Self {
        Self::new(vec![tensor], solve)
    }

    /// All sizes of several tensors.
    pub(crate) fn of_all(
        tensors: &[usize],
        solve: impl Fn(&mut dyn Drawing, &mut Solved) + Send + Sync + 'static,
    ) -> Self {
        Self::new(tensors.to_vec(), solve)
    }

    /// Gives dimension counts as well, out of those drawn before.
    pub(crate) fn counting(self, count: impl Fn(&mut [usize]) + Send + Sync + 'static) -> Self {
        Self { count: Some(Box::new(count)), ..self }
    }

    pub(crate) fn first(self) -> Self {
        Self { turn: Turn::First, ..self }
    }

    pub(crate) fn again(self) -> Self {
        Self { turn: Turn::Again, ..self }
    }

    pub(crate) fn count(&self, counts: &mut [usize]) {
        if let Some(count) = &self.count {
            count(counts);
        }
    }

    /// Whether there are such sizes.
    pub(crate) fn solve(&self, draw: &mut dyn Drawing, solved: &mut Solved) -> bool {
        (self.solve)(draw, solved)
    }
}

impl fmt::Debug for Sizes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sizes").field("gives", &self.gives).field("turn", &self.turn).finish_non_exhaustive()
    }
}
