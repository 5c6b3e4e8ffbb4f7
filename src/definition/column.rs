//! Columns: one value for each lane.
//!
//! A definition is worked out for many places at once. Each of them is a lane, and what an expression gives is a column with a
//! value for each lane, or one value that is the same in all. Values of one kind lie side by side, so that what is done with
//! them is a loop over numbers.

use std::cmp::Ordering;
use std::rc::Rc;

use opcert_backend::DataType;
use smallvec::SmallVec;

use super::Open;
use super::number::{Element, Number};

/// A single value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Integer(i128),
    Boolean(bool),
    /// An enumerator, by its number among all of the operator's.
    Symbol(usize),
    Element(Element),
    List(List),
    Open(Open),
}

/// Some items in a row, a place among other lists.
#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) items: Rc<Data>,
    pub(super) first: usize,
    pub(super) end: usize,
}

/// The numbers of lanes, ascending.
pub(super) type Lanes = Rc<[u32]>;

/// From which to which of some items each list goes.
pub(super) type Ranges = Vec<(usize, usize)>;

/// What an expression gives in every lane.
#[derive(Clone, Debug)]
pub(super) enum Column {
    /// The same in all lanes.
    Same(Value),
    /// As many values as there are lanes.
    Lanes(Rc<Data>),
}

/// Values side by side.
#[derive(Debug)]
pub(super) enum Data {
    Integers(Vec<i64>),
    Booleans(Vec<bool>),
    Elements(DataType, Vec<u64>),
    /// Places of a tensor, by their numbers in row-major order.
    Places(Rc<Shape>, Vec<u64>),
    /// Lists of as many items as there are columns.
    Rows {
        len: usize,
        columns: Vec<Column>,
    },
    /// Lists of any length: from which to which of the items.
    Lists {
        items: Rc<Self>,
        bounds: Ranges,
    },
    /// Whatever else there is, or of several kinds.
    Values(Vec<Value>),
}

/// A number for each dimension.
pub(super) type Dimensions = SmallVec<[u64; 8]>;

/// The sizes of a tensor, and how its places are counted.
#[derive(Debug)]
pub(super) struct Shape {
    /// The tensor's number.
    pub(super) tensor: usize,
    pub(super) sizes: Dimensions,
    /// How many places a step in each dimension passes over.
    pub(super) steps: Dimensions,
    /// How many places there are; [`UNCOUNTED`](Self::UNCOUNTED) if there are more than can be counted. Nothing can be asked of
    /// such ones but their sizes.
    pub(super) count: usize,
}

impl Shape {
    pub(super) const UNCOUNTED: usize = usize::MAX;

    pub(super) fn new(tensor: usize, sizes: &[u64]) -> Self {
        let mut steps = Dimensions::from_elem(1, sizes.len());
        let mut count = Some(1u64);
        for (step, &size) in steps.iter_mut().zip(sizes).rev() {
            *step = count.unwrap_or(u64::MAX);
            count = count.and_then(|count| count.checked_mul(size)).filter(|&count| i64::try_from(count).is_ok());
        }
        let count = count.and_then(|count| usize::try_from(count).ok());
        Self { tensor, sizes: sizes.into(), steps, count: count.unwrap_or(Self::UNCOUNTED) }
    }

    /// Why nothing can be asked of the places, if there are too many.
    pub(super) const fn fault(&self) -> Result<(), &'static str> {
        if self.count == Self::UNCOUNTED { Err("has more elements than can be counted") } else { Ok(()) }
    }

    /// The coordinate of a place in a dimension.
    pub(super) fn coordinate(&self, place: u64, dimension: usize) -> i64 {
        coordinate(place, self.steps[dimension], self.sizes[dimension])
    }

    /// Those of some places.
    fn coordinates_along(&self, places: &[u64], dimension: usize) -> Column {
        let (step, size) = (self.steps[dimension], self.sizes[dimension]);
        let coordinates = places.iter().map(|&place| coordinate(place, step, size)).collect();
        Column::Lanes(Rc::new(Data::Integers(coordinates)))
    }

    fn coordinates(&self, place: u64) -> impl Iterator<Item = i64> + '_ {
        (0..self.sizes.len()).map(move |dimension| self.coordinate(place, dimension))
    }
}

/// The coordinate of a place in a dimension of some size, a step in which passes over so many places.
const fn coordinate(place: u64, step: u64, size: u64) -> i64 {
    // A division takes longer than all else.
    let along = if step == 1 { place } else { place / step };
    (if along < size { along } else { along % size }) as i64
}

impl Data {
    /// Whether both are the same, value for value.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Integers(one), Self::Integers(other)) => one == other,
            (Self::Booleans(one), Self::Booleans(other)) => one == other,
            (Self::Elements(of, one), Self::Elements(of_other, other)) => of == of_other && one == other,
            (one, other) => one.len() == other.len() && (0..one.len()).all(|at| one.get(at).is_same(&other.get(at))),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Integers(values) => values.len(),
            Self::Booleans(values) => values.len(),
            Self::Elements(_, bits) => bits.len(),
            Self::Places(_, places) => places.len(),
            Self::Rows { len, .. } => *len,
            Self::Lists { bounds, .. } => bounds.len(),
            Self::Values(values) => values.len(),
        }
    }

    pub(super) fn get(&self, at: usize) -> Value {
        match self {
            Self::Integers(values) => Value::Integer(values[at].into()),
            Self::Booleans(values) => Value::Boolean(values[at]),
            Self::Elements(data_type, bits) => Value::Element(Element { bits: bits[at], data_type: *data_type }),
            Self::Places(shape, places) => Value::integers(shape.coordinates(places[at])),
            Self::Rows { columns, .. } => {
                Value::List(List::of(Self::of(columns.iter().map(|column| column.get(at)).collect())))
            }
            Self::Lists { items, bounds } => {
                let (first, end) = bounds[at];
                Value::List(List { items: Rc::clone(items), first, end })
            }
            Self::Values(values) => values[at].clone(),
        }
    }

    /// Values as close together as their kinds allow.
    pub(super) fn of(values: Vec<Value>) -> Self {
        match values.first() {
            Some(Value::Integer(_)) => {
                let narrow = |value: &Value| match value {
                    Value::Integer(value) => i64::try_from(*value).ok(),
                    _ => None,
                };
                values.iter().map(narrow).collect::<Option<_>>().map_or(Self::Values(values), Self::Integers)
            }
            Some(Value::Boolean(_)) => {
                let truth = |value: &Value| if let Value::Boolean(value) = value { Some(*value) } else { None };
                values.iter().map(truth).collect::<Option<_>>().map_or(Self::Values(values), Self::Booleans)
            }
            Some(Value::Element(Element { data_type, .. })) => {
                let data_type = *data_type;
                let bits = |value: &Value| match value {
                    Value::Element(element) if element.data_type == data_type => Some(element.bits),
                    _ => None,
                };
                let bits = values.iter().map(bits).collect::<Option<_>>();
                bits.map_or(Self::Values(values), |bits| Self::Elements(data_type, bits))
            }
            _ => Self::Values(values),
        }
    }

    /// One value again and again.
    pub(super) fn repeated(value: &Value, len: usize) -> Self {
        match value {
            Value::Integer(integer) if i64::try_from(*integer).is_ok() => Self::Integers(vec![*integer as i64; len]),
            Value::Boolean(value) => Self::Booleans(vec![*value; len]),
            Value::Element(Element { bits, data_type }) => Self::Elements(*data_type, vec![*bits; len]),
            Value::List(List { items, first, end }) => {
                Self::Lists { items: Rc::clone(items), bounds: vec![(*first, *end); len] }
            }
            other => Self::Values(vec![other.clone(); len]),
        }
    }

    /// The values at these positions.
    pub(super) fn gather(&self, at: impl ExactSizeIterator<Item = usize> + Clone) -> Self {
        match self {
            Self::Integers(values) => Self::Integers(at.map(|at| values[at]).collect()),
            Self::Booleans(values) => Self::Booleans(at.map(|at| values[at]).collect()),
            Self::Elements(data_type, bits) => Self::Elements(*data_type, at.map(|at| bits[at]).collect()),
            Self::Places(shape, places) => Self::Places(Rc::clone(shape), at.map(|at| places[at]).collect()),
            Self::Rows { columns, .. } => {
                let len = at.len();
                Self::Rows { len, columns: columns.iter().map(|column| column.gather(at.clone())).collect() }
            }
            Self::Lists { items, bounds } => {
                Self::Lists { items: Rc::clone(items), bounds: at.map(|at| bounds[at]).collect() }
            }
            // Some of several kinds may be of one.
            Self::Values(values) => Self::of(at.map(|at| values[at].clone()).collect()),
        }
    }

    /// The items of lists side by side, and where each list has its own. `None` where a value is no list.
    pub(super) fn lists(self: &Rc<Self>) -> Option<(Rc<Self>, Ranges)> {
        let even = |width: usize, len: usize| (0..len).map(|at| (at * width, (at + 1) * width)).collect();
        Some(match &**self {
            Self::Lists { items, bounds } => (Rc::clone(items), bounds.clone()),
            Self::Places(shape, places) => {
                let coordinates = places.iter().flat_map(|&place| shape.coordinates(place)).collect();
                (Rc::new(Self::Integers(coordinates)), even(shape.sizes.len(), places.len()))
            }
            Self::Rows { len, columns } => {
                let items = (0..*len).flat_map(|at| columns.iter().map(move |column| column.get(at))).collect();
                (Rc::new(Self::of(items)), even(columns.len(), *len))
            }
            Self::Values(values) => {
                let (mut items, mut bounds) = (Vec::new(), Vec::with_capacity(values.len()));
                for value in values {
                    let Value::List(list) = value else { return None };
                    bounds.push((items.len(), items.len() + list.len()));
                    items.extend(list.iter());
                }
                (Rc::new(Self::of(items)), bounds)
            }
            Self::Integers(_) | Self::Booleans(_) | Self::Elements(..) => return None,
        })
    }
}

impl Column {
    /// Whether the value is the same in each of so many lanes, bit for bit.
    pub(super) fn is_same(&self, other: &Self, lanes: usize) -> bool {
        match (self, other) {
            (Self::Same(one), Self::Same(other)) => one.is_same(other),
            (Self::Lanes(one), Self::Lanes(other)) => one.is_same(other),
            (one, other) => (0..lanes).all(|lane| one.get(lane).is_same(&other.get(lane))),
        }
    }

    pub(super) fn of(values: Vec<Value>) -> Self {
        Self::Lanes(Rc::new(Data::of(values)))
    }

    pub(super) fn get(&self, lane: usize) -> Value {
        match self {
            Self::Same(value) => value.clone(),
            Self::Lanes(data) => data.get(lane),
        }
    }

    pub(super) fn gather(&self, at: impl ExactSizeIterator<Item = usize> + Clone) -> Self {
        match self {
            Self::Same(value) => Self::Same(value.clone()),
            Self::Lanes(data) => Self::Lanes(Rc::new(data.gather(at))),
        }
    }

    /// The values of some lanes.
    pub(super) fn of_lanes(&self, lanes: &Lanes) -> Self {
        self.gather(lanes.iter().map(|&lane| lane as usize))
    }

    /// With a value for each of so many lanes.
    pub(super) fn spread(self, lanes: usize) -> Rc<Data> {
        match self {
            Self::Same(value) => Rc::new(Data::repeated(&value, lanes)),
            Self::Lanes(data) => data,
        }
    }

    /// The items of each lane's list as columns of their own, where all lists have one length.
    pub(super) fn rows(&self) -> Option<Vec<Self>> {
        match self {
            Self::Same(Value::List(list)) => Some(list.iter().map(Self::Same).collect()),
            Self::Same(_) => None,
            Self::Lanes(data) => match &**data {
                Data::Rows { columns, .. } => Some(columns.clone()),
                Data::Places(shape, places) => {
                    Some((0..shape.sizes.len()).map(|dimension| shape.coordinates_along(places, dimension)).collect())
                }
                _ => {
                    let (items, bounds) = data.lists()?;
                    let (first, end) = *bounds.first()?;
                    let width = end - first;
                    if bounds.iter().any(|(first, end)| end - first != width) {
                        return None;
                    }
                    let column = |at| Self::Lanes(Rc::new(items.gather(bounds.iter().map(|(first, _)| first + at))));
                    Some((0..width).map(column).collect())
                }
            },
        }
    }

    /// The coordinate in a dimension, of places alone.
    pub(super) fn coordinate(&self, dimension: usize) -> Option<Self> {
        let Self::Lanes(data) = self else { return None };
        match &**data {
            Data::Rows { columns, .. } => Some(columns[dimension].clone()),
            Data::Places(shape, places) => Some(shape.coordinates_along(places, dimension)),
            _ => None,
        }
    }

    /// How many items every lane's list has, where that is known without looking at each.
    pub(super) fn width(&self) -> Option<usize> {
        match self {
            Self::Same(Value::List(list)) => Some(list.len()),
            Self::Same(_) => None,
            Self::Lanes(data) => match &**data {
                Data::Rows { columns, .. } => Some(columns.len()),
                Data::Places(shape, _) => Some(shape.sizes.len()),
                _ => None,
            },
        }
    }

    /// One column out of several, each of which has the values of some lanes of so many.
    pub(super) fn merged(parts: &[(Lanes, Self)], len: usize) -> Self {
        fn scattered<T: Copy>(
            parts: &[(Lanes, Column)],
            len: usize,
            empty: T,
            each: impl Fn(&Column) -> Part<'_, T>,
        ) -> Vec<T> {
            let mut all = vec![empty; len];
            for (lanes, column) in parts {
                match each(column) {
                    Part::Same(value) => lanes.iter().for_each(|&lane| all[lane as usize] = value),
                    Part::Lanes(values) => {
                        std::iter::zip(lanes.iter(), values).for_each(|(&lane, &value)| all[lane as usize] = value);
                    }
                }
            }
            all
        }
        let kind = |column: &Self| match column {
            Self::Same(Value::Integer(value)) if i64::try_from(*value).is_ok() => Some(Kind::Integers),
            Self::Same(Value::Boolean(_)) => Some(Kind::Booleans),
            Self::Same(Value::Element(element)) => Some(Kind::Elements(element.data_type)),
            Self::Same(_) => None,
            Self::Lanes(data) => match &**data {
                Data::Integers(_) => Some(Kind::Integers),
                Data::Booleans(_) => Some(Kind::Booleans),
                Data::Elements(data_type, _) => Some(Kind::Elements(*data_type)),
                _ => None,
            },
        };
        let mut kinds = parts.iter().map(|(_, column)| kind(column));
        let first = kinds.next().flatten();
        let data = match first.filter(|_| kinds.all(|other| other == first)) {
            Some(Kind::Integers) => Data::Integers(scattered(parts, len, 0, |column| match column {
                Self::Same(value) => Part::Same(value.integer().map_or(0, |value| value as i64)),
                Self::Lanes(data) => Part::Lanes(if let Data::Integers(values) = &**data { values } else { &[] }),
            })),
            Some(Kind::Booleans) => Data::Booleans(scattered(parts, len, false, |column| match column {
                Self::Same(value) => Part::Same(matches!(value, Value::Boolean(true))),
                Self::Lanes(data) => Part::Lanes(if let Data::Booleans(values) = &**data { values } else { &[] }),
            })),
            Some(Kind::Elements(data_type)) => Data::Elements(
                data_type,
                scattered(parts, len, 0, |column| match column {
                    Self::Same(value) => Part::Same(if let Value::Element(element) = value { element.bits } else { 0 }),
                    Self::Lanes(data) => Part::Lanes(if let Data::Elements(_, bits) = &**data { bits } else { &[] }),
                }),
            ),
            None => {
                let mut all = vec![Value::Boolean(false); len];
                for (lanes, column) in parts {
                    lanes.iter().enumerate().for_each(|(at, &lane)| all[lane as usize] = column.get(at));
                }
                Data::of(all)
            }
        };
        Self::Lanes(Rc::new(data))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integers,
    Booleans,
    Elements(DataType),
}

enum Part<'a, T> {
    Same(T),
    Lanes(&'a [T]),
}

impl List {
    /// All of some items.
    pub(super) fn of(items: Data) -> Self {
        let end = items.len();
        Self { items: Rc::new(items), first: 0, end }
    }

    pub(super) const fn len(&self) -> usize {
        self.end - self.first
    }

    /// The item at a position that there is.
    pub(super) fn get(&self, at: usize) -> Value {
        self.items.get(self.first + at)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        (self.first..self.end).map(|at| self.items.get(at))
    }
}

impl Value {
    /// Whether both are the same, bit for bit, and of one kind.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => one == other,
            (Self::Boolean(one), Self::Boolean(other)) => one == other,
            (Self::Symbol(one), Self::Symbol(other)) => one == other,
            (Self::Element(one), Self::Element(other)) => one == other,
            (Self::Open(one), Self::Open(other)) => one == other,
            (Self::List(one), Self::List(other)) => {
                one.len() == other.len()
                    && std::iter::zip(one.iter(), other.iter()).all(|(one, other)| one.is_same(&other))
            }
            _ => false,
        }
    }

    pub(super) fn integers(values: impl Iterator<Item = i64>) -> Self {
        Self::List(List::of(Data::Integers(values.collect())))
    }

    /// What a value is, in words.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Integer(_) => "an integer",
            Self::Boolean(_) => "a truth value",
            Self::Symbol(_) => "an enumerator",
            Self::Element(_) => "an element",
            Self::List(_) => "a list",
            Self::Open(Open::Undefined) => "`undefined`",
            Self::Open(Open::Unspecified) => "`unspecified`",
        }
    }

    /// The whole number that it is, an element of an integer type among them.
    pub(super) fn integer(&self) -> Option<i128> {
        match self {
            Self::Integer(value) => Some(*value),
            Self::Element(element) => element.integer(),
            _ => None,
        }
    }

    /// Whether two values are the same. `None` for values of different kinds.
    pub(super) fn equals(&self, other: &Self) -> Option<bool> {
        Some(match (self, other) {
            (Self::Boolean(one), Self::Boolean(other)) => one == other,
            (Self::Symbol(one), Self::Symbol(other)) => one == other,
            (Self::List(one), Self::List(other)) => {
                if one.len() != other.len() {
                    return Some(false);
                }
                for (one, other) in std::iter::zip(one.iter(), other.iter()) {
                    if !one.equals(&other)? {
                        return Some(false);
                    }
                }
                true
            }
            _ => self.number()?.compare(other.number()?) == Some(Ordering::Equal),
        })
    }

    /// The order of two numbers, or of two lists by the first items that differ. The outer `None` is for values that have no
    /// order, the inner one for NaN.
    pub(super) fn order(&self, other: &Self) -> Option<Option<Ordering>> {
        if let (Self::List(one), Self::List(other)) = (self, other) {
            for (one, other) in std::iter::zip(one.iter(), other.iter()) {
                match one.order(&other)? {
                    Some(Ordering::Equal) => {}
                    decided => return Some(decided),
                }
            }
            return Some(Some(one.len().cmp(&other.len())));
        }
        Some(self.number()?.compare(other.number()?))
    }

    pub(super) fn number(&self) -> Option<Number> {
        match self {
            Self::Integer(value) => Some(Number::Integer(*value)),
            Self::Element(element) => Some(element.number()),
            _ => None,
        }
    }
}
