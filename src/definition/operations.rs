//! What is done with columns: each builtin and each operator of the language, over all lanes at once.

use std::cmp::Ordering;
use std::rc::Rc;

use opcert_backend::DataType;
use smallvec::SmallVec;

use super::Fault;
use super::builtins::Builtin;
use super::column::{Column, Data, List, Ranges, Value};
use super::number::{Element, Number, calculate};
use super::numbers::{Narrow, Numbers};
use super::syntax::{Arithmetic, Comparison};
use crate::diagnostic::Position;

pub(super) type Evaluated<T> = Result<T, Fault>;

/// A list that is written out may have so many items, and so many lanes may be worked out at once.
pub(super) const MOST_ITEMS: usize = 1 << 26;

pub(super) fn fault(position: Position, message: impl Into<String>) -> Fault {
    Fault { position, message: message.into(), other_sizes: None }
}

/// A truth value in every lane.
#[derive(Clone, Debug)]
pub(super) enum Truth {
    Same(bool),
    Lanes(Vec<bool>),
}

impl Truth {
    pub(super) fn of(column: Column, position: Position) -> Evaluated<Self> {
        let kind = match column {
            Column::Same(Value::Boolean(value)) => return Ok(Self::Same(value)),
            Column::Same(other) => other.kind(),
            Column::Lanes(data) => match Rc::try_unwrap(data) {
                Ok(Data::Booleans(values)) => return Ok(Self::Lanes(values)),
                Ok(other) => {
                    let odd =
                        (0..other.len()).map(|at| other.get(at)).find(|value| !matches!(value, Value::Boolean(_)));
                    odd.map_or("a truth value", |value| value.kind())
                }
                Err(shared) => match &*shared {
                    Data::Booleans(values) => return Ok(Self::Lanes(values.clone())),
                    other => other.get(0).kind(),
                },
            },
        };
        Err(fault(position, format!("{kind} where a truth value is needed")))
    }

    /// One truth value where there is the same in all lanes.
    pub(super) fn settled(self) -> Self {
        match &self {
            Self::Lanes(values) => match values.split_first() {
                Some((first, others)) if others.iter().all(|other| other == first) => Self::Same(*first),
                _ => self,
            },
            Self::Same(_) => self,
        }
    }

    pub(super) fn column(self) -> Column {
        match self {
            Self::Same(value) => Column::Same(Value::Boolean(value)),
            Self::Lanes(values) => Column::Lanes(Rc::new(Data::Booleans(values))),
        }
    }

    pub(super) fn not(self) -> Self {
        match self {
            Self::Same(value) => Self::Same(!value),
            Self::Lanes(mut values) => {
                values.iter_mut().for_each(|value| *value = !*value);
                Self::Lanes(values)
            }
        }
    }
}

/// The kind of the first value for which something holds, in words.
fn kind_of(column: &Column, lanes: usize, odd: impl Fn(&Value) -> bool) -> &'static str {
    let mut values = (0..lanes).map(|lane| column.get(lane));
    values.find(|value| odd(value)).map_or("nothing", |value| value.kind())
}

/// What an operation on single values gives in every lane.
fn each(columns: &[&Column], lanes: usize, with: impl Fn(&[Value]) -> Evaluated<Value>) -> Evaluated<Column> {
    let row = |lane| with(&columns.iter().map(|column| column.get(lane)).collect::<SmallVec<[Value; 4]>>());
    if columns.iter().all(|column| matches!(column, Column::Same(_))) {
        return Ok(Column::Same(row(0)?));
    }
    Ok(Column::of((0..lanes).map(row).collect::<Evaluated<_>>()?))
}

fn integer_of(value: &Value, position: Position) -> Evaluated<i128> {
    value.integer().ok_or_else(|| fault(position, format!("{} where an integer is needed", value.kind())))
}

/// A column of integers, in every lane a number that fits 64 bits.
fn narrow<'a>(numbers: &'a Option<Numbers<'_>>) -> Option<Narrow<'a>> {
    numbers.as_ref().and_then(Numbers::narrow)
}

pub(super) fn arithmetic(
    operation: Arithmetic,
    (left, left_position): (&Column, Position),
    (right, right_position): (&Column, Position),
    lanes: usize,
    position: Position,
) -> Evaluated<Column> {
    if !matches!((left, right), (Column::Same(_), Column::Same(_))) {
        let (one, other) = (Numbers::of(left), Numbers::of(right));
        if let (Some(one), Some(other)) = (narrow(&one), narrow(&other)) {
            let narrow = |lane| calculate_narrow(operation, one.at(lane), other.at(lane));
            if let Some(values) = (0..lanes).map(narrow).collect::<Option<_>>() {
                return Ok(Column::Lanes(Rc::new(Data::Integers(values))));
            }
        }
    }
    each(&[left, right], lanes, |values| {
        let (one, other) = (integer_of(&values[0], left_position)?, integer_of(&values[1], right_position)?);
        let value = calculate(operation, one, other);
        value
            .map(Value::Integer)
            .ok_or_else(|| fault(position, "a division by zero, a shift by less than 0, or more than 128 bits"))
    })
}

/// `None` where the result has more than 64 bits, too.
fn calculate_narrow(operation: Arithmetic, one: i64, other: i64) -> Option<i64> {
    match operation {
        Arithmetic::Add => one.checked_add(other),
        Arithmetic::Subtract => one.checked_sub(other),
        Arithmetic::Multiply => one.checked_mul(other),
        Arithmetic::Divide if other > 0 => Some(one.div_euclid(other)),
        Arithmetic::Remainder if other > 0 => Some(one.rem_euclid(other)),
        Arithmetic::And => Some(one & other),
        Arithmetic::Or => Some(one | other),
        Arithmetic::Xor => Some(one ^ other),
        Arithmetic::ShiftRight if other >= 0 => Some(one >> other.min(63)),
        Arithmetic::Divide | Arithmetic::Remainder | Arithmetic::ShiftLeft | Arithmetic::ShiftRight => None,
    }
}

pub(super) fn negative(column: &Column, lanes: usize, position: Position, of: Position) -> Evaluated<Column> {
    each(&[column], lanes, |values| {
        let value = integer_of(&values[0], of)?.checked_neg();
        value.map(Value::Integer).ok_or_else(|| fault(position, "more than 128 bits"))
    })
}

pub(super) fn compare(
    comparison: Comparison,
    left: &Column,
    right: &Column,
    lanes: usize,
    position: Position,
) -> Evaluated<Truth> {
    let single = |left: &Value, right: &Value| compare_values(comparison, left, right, position);
    if let (Column::Same(left), Column::Same(right)) = (left, right) {
        return Ok(Truth::Same(single(left, right)?));
    }
    if !matches!(comparison, Comparison::In | Comparison::NotIn)
        && let (Some(one), Some(other)) = (Numbers::of(left), Numbers::of(right))
    {
        use Ordering::{Equal, Greater, Less};
        return Ok(Truth::Lanes(match comparison {
            Comparison::Equal => ordered(&one, &other, lanes, |order| order == Some(Equal)),
            Comparison::Unequal => ordered(&one, &other, lanes, |order| order != Some(Equal)),
            Comparison::Less => ordered(&one, &other, lanes, |order| order == Some(Less)),
            Comparison::LessOrEqual => ordered(&one, &other, lanes, |order| matches!(order, Some(Less | Equal))),
            Comparison::Greater => ordered(&one, &other, lanes, |order| order == Some(Greater)),
            _ => ordered(&one, &other, lanes, |order| matches!(order, Some(Greater | Equal))),
        }));
    }
    let each = (0..lanes).map(|lane| single(&left.get(lane), &right.get(lane)));
    Ok(Truth::Lanes(each.collect::<Evaluated<_>>()?))
}

fn ordered(one: &Numbers<'_>, other: &Numbers<'_>, lanes: usize, test: impl Fn(Option<Ordering>) -> bool) -> Vec<bool> {
    /// Up to here every integer is a float.
    const EXACT: i128 = 1 << 53;
    let exact = |number: &Number| match number {
        Number::Float(value) => Some(*value),
        Number::Integer(value) => (-EXACT..=EXACT).contains(value).then_some(*value as f64),
    };
    match (one, other) {
        (Numbers::Floats(one), Numbers::Floats(other)) => {
            return std::iter::zip(one, other).map(|(one, other)| test(one.partial_cmp(other))).collect();
        }
        (Numbers::Floats(one), Numbers::Same(other)) => {
            if let Some(other) = exact(other) {
                return one.iter().map(|one| test(one.partial_cmp(&other))).collect();
            }
        }
        _ => {}
    }
    match (one.narrow(), other.narrow()) {
        (Some(Narrow::Lanes(one)), Some(Narrow::Lanes(other))) => {
            std::iter::zip(one, other).map(|(one, other)| test(Some(one.cmp(other)))).collect()
        }
        (Some(Narrow::Lanes(one)), Some(Narrow::Same(other))) => {
            one.iter().map(|one| test(Some(one.cmp(&other)))).collect()
        }
        (Some(Narrow::Same(one)), Some(Narrow::Lanes(other))) => {
            other.iter().map(|other| test(Some(one.cmp(other)))).collect()
        }
        _ => (0..lanes).map(|lane| test(one.at(lane).compare(other.at(lane)))).collect(),
    }
}

fn compare_values(comparison: Comparison, left: &Value, right: &Value, position: Position) -> Evaluated<bool> {
    let kinds = || fault(position, format!("{} and {} cannot be compared", left.kind(), right.kind()));
    let equal = || left.equals(right).ok_or_else(kinds);
    let order = || left.order(right).ok_or_else(kinds);
    Ok(match comparison {
        Comparison::Equal => equal()?,
        Comparison::Unequal => !equal()?,
        Comparison::Less => order()? == Some(Ordering::Less),
        Comparison::LessOrEqual => matches!(order()?, Some(Ordering::Less | Ordering::Equal)),
        Comparison::Greater => order()? == Some(Ordering::Greater),
        Comparison::GreaterOrEqual => matches!(order()?, Some(Ordering::Greater | Ordering::Equal)),
        Comparison::In | Comparison::NotIn => {
            let Value::List(list) = right else {
                return Err(fault(position, format!("{} where a list is needed", right.kind())));
            };
            let mut found = false;
            if let (Some(wanted), Data::Integers(items)) = (left.number(), &*list.items) {
                let wanted = wanted.whole().and_then(|wanted| i64::try_from(wanted).ok());
                return Ok(wanted.is_some_and(|wanted| items[list.first..list.end].contains(&wanted))
                    == (comparison == Comparison::In));
            }
            for item in list.iter() {
                found |= left.equals(&item).ok_or_else(kinds)?;
            }
            found == (comparison == Comparison::In)
        }
    })
}

/// Each lane's list: from which to which of some items.
pub(super) struct Lists {
    pub(super) items: Rc<Data>,
    pub(super) bounds: Bounds,
}

pub(super) enum Bounds {
    Same(usize, usize),
    Lanes(Ranges),
}

impl Lists {
    pub(super) fn of(column: &Column, position: Position) -> Evaluated<Self> {
        let no_list = |kind| fault(position, format!("{kind} where a list is needed"));
        match column {
            Column::Same(Value::List(list)) => {
                Ok(Self { items: Rc::clone(&list.items), bounds: Bounds::Same(list.first, list.end) })
            }
            Column::Same(other) => Err(no_list(other.kind())),
            Column::Lanes(data) => match data.lists() {
                Some((items, bounds)) => Ok(Self { items, bounds: Bounds::Lanes(bounds) }),
                None => Err(no_list(kind_of(column, data.len(), |value| !matches!(value, Value::List(_))))),
            },
        }
    }

    /// What comes of each list: the first and the end of its items go in.
    fn each<T>(&self, mut with: impl FnMut(usize, usize) -> T) -> Each<T> {
        match &self.bounds {
            Bounds::Same(first, end) => Each::Same(with(*first, *end)),
            Bounds::Lanes(bounds) => Each::Lanes(bounds.iter().map(|&(first, end)| with(first, end)).collect()),
        }
    }

    /// The range of items that are in any list.
    fn range(&self) -> (usize, usize) {
        match &self.bounds {
            Bounds::Same(first, end) => (*first, *end),
            Bounds::Lanes(bounds) => {
                let first =
                    bounds.iter().filter(|(first, end)| first < end).map(|(first, _)| *first).min().unwrap_or(0);
                (first, bounds.iter().map(|(_, end)| *end).max().unwrap_or(0).max(first))
            }
        }
    }

    /// The same with the lists one behind the other, and no item in two of them.
    fn apart(self) -> Self {
        let bounds = match &self.bounds {
            Bounds::Same(first, end) => {
                let items = slice(&self.items, *first, *end);
                return Self { bounds: Bounds::Same(0, end - first), items };
            }
            Bounds::Lanes(bounds) => bounds,
        };
        if one_behind_the_other(bounds, self.items.len()) {
            return self;
        }
        let at: Vec<usize> = bounds.iter().flat_map(|(first, end)| *first..*end).collect();
        let items = Rc::new(self.items.gather(at.into_iter()));
        let mut begin = 0;
        let bounds = bounds.iter().map(|(first, end)| {
            let first_of_it = begin;
            begin += end - first;
            (first_of_it, begin)
        });
        Self { items, bounds: Bounds::Lanes(bounds.collect()) }
    }

    fn column(self) -> Column {
        let Self { items, bounds } = self;
        match bounds {
            Bounds::Same(first, end) => Column::Same(Value::List(List { items, first, end })),
            Bounds::Lanes(bounds) => Column::Lanes(Rc::new(Data::Lists { items, bounds })),
        }
    }
}

pub(super) fn one_behind_the_other(bounds: &[(usize, usize)], count: usize) -> bool {
    let mut begin = 0;
    for (first, end) in bounds {
        if *first != begin {
            return false;
        }
        begin = *end;
    }
    begin == count
}

/// Some of the items.
pub(super) fn slice(items: &Rc<Data>, first: usize, end: usize) -> Rc<Data> {
    if (first, end) == (0, items.len()) { Rc::clone(items) } else { Rc::new(items.gather(first..end)) }
}

enum Each<T> {
    Same(T),
    Lanes(Vec<T>),
}

impl<T> Each<Evaluated<T>> {
    fn right(self) -> Evaluated<Each<T>> {
        Ok(match self {
            Self::Same(value) => Each::Same(value?),
            Self::Lanes(values) => Each::Lanes(values.into_iter().collect::<Evaluated<_>>()?),
        })
    }
}

pub(super) fn len(list: &Column, lanes: usize, position: Position) -> Evaluated<Column> {
    let integer = |len: usize| Value::Integer(len as i128);
    if let Some(width) = list.width() {
        return Ok(Column::Same(integer(width)));
    }
    if let Column::Lanes(data) = list
        && let Data::Lists { bounds, .. } = &**data
    {
        let lens = bounds.iter().map(|(first, end)| (end - first) as i64).collect();
        return Ok(Column::Lanes(Rc::new(Data::Integers(lens))));
    }
    each(&[list], lanes, |values| match &values[0] {
        Value::List(list) => Ok(integer(list.len())),
        other => Err(fault(position, format!("{} where a list is needed", other.kind()))),
    })
}

pub(super) fn sum(list: &Column, position: Position) -> Evaluated<Column> {
    folded(list, position, 0, i128::checked_add)
}

pub(super) fn product(list: &Column, position: Position) -> Evaluated<Column> {
    folded(list, position, 1, i128::checked_mul)
}

/// For each item of each list the sum of all up to it.
pub(super) fn accumulate(list: &Column, position: Position) -> Evaluated<Column> {
    let Lists { items, bounds } = Lists::of(list, position)?.apart();
    let odd = || fault(position, "what is no integer, or more than 128 bits");
    let numbers = Numbers::of_data(&items, 0, items.len()).ok_or_else(odd)?;
    let mut tallies: Vec<i128> = Vec::with_capacity(items.len());
    let mut add = |first: usize, end: usize| {
        let mut tally = 0i128;
        for at in first..end {
            let Number::Integer(value) = numbers.at(at) else { return Err(odd()) };
            tally = tally.checked_add(value).ok_or_else(odd)?;
            tallies.push(tally);
        }
        Ok(())
    };
    match &bounds {
        Bounds::Same(first, end) => add(*first, *end)?,
        Bounds::Lanes(bounds) => bounds.iter().try_for_each(|(first, end)| add(*first, *end))?,
    }
    let narrow: Option<_> = tallies.iter().map(|&tally| i64::try_from(tally).ok()).collect();
    let wide = || Data::Values(tallies.into_iter().map(Value::Integer).collect());
    let items = Rc::new(narrow.map_or_else(wide, Data::Integers));
    Ok(Lists { items, bounds }.column())
}

fn folded(
    list: &Column,
    position: Position,
    initial: i128,
    join: impl Fn(i128, i128) -> Option<i128>,
) -> Evaluated<Column> {
    let lists = Lists::of(list, position)?;
    let (begin, beyond) = lists.range();
    let odd = || fault(position, "what is no integer, or more than 128 bits");
    let numbers = Numbers::of_data(&lists.items, begin, beyond);
    let fold = |first: usize, end: usize| {
        let mut folded = initial;
        for at in first..end {
            let number = numbers.as_ref().map(|numbers| numbers.at(at - begin));
            let Some(Number::Integer(value)) = number else { return Err(odd()) };
            folded = join(folded, value).ok_or_else(odd)?;
        }
        Ok(Value::Integer(folded))
    };
    Ok(match lists.each(fold).right()? {
        Each::Same(value) => Column::Same(value),
        Each::Lanes(values) => Column::of(values),
    })
}

/// Whether a truth value is in a list.
pub(super) fn meets(list: &Column, wanted: bool, position: Position) -> Evaluated<Truth> {
    let lists = Lists::of(list, position)?;
    if let Data::Booleans(values) = &*lists.items {
        return Ok(match lists.each(|first, end| values[first..end].contains(&wanted)) {
            Each::Same(value) => Truth::Same(value),
            Each::Lanes(values) => Truth::Lanes(values),
        });
    }
    let found = lists.each(|first, end| {
        let mut found = false;
        for at in first..end {
            match lists.items.get(at) {
                Value::Boolean(value) => found |= value == wanted,
                other => return Err(fault(position, format!("{} where a truth value is needed", other.kind()))),
            }
        }
        Ok(found)
    });
    Ok(match found.right()? {
        Each::Same(value) => Truth::Same(value),
        Each::Lanes(values) => Truth::Lanes(values),
    })
}

fn no_order(one: &Value, other: &Value, position: Position) -> Fault {
    fault(position, format!("{} and {} have no order", one.kind(), other.kind()))
}

/// The first of the least or of the greatest of each list.
pub(super) fn extreme(list: &Column, wanted: Ordering, position: Position) -> Evaluated<Column> {
    let lists = Lists::of(list, position)?;
    let (begin, beyond) = lists.range();
    let numbers = Numbers::of_data(&lists.items, begin, beyond);
    let empty = || fault(position, "the list is empty, so that nothing in it is greatest or least");
    let found = lists.each(|first, end| {
        if first == end {
            return Err(empty());
        }
        match &numbers {
            Some(Numbers::Floats(values)) => Ok(best(first, end, |one, other| {
                values[one - begin].partial_cmp(&values[other - begin]) == Some(wanted)
            })),
            Some(numbers) => match numbers.narrow() {
                Some(Narrow::Lanes(values)) => {
                    Ok(best(first, end, |one, other| values[one - begin].cmp(&values[other - begin]) == wanted))
                }
                _ => Ok(best(first, end, |one, other| {
                    numbers.at(one - begin).compare(numbers.at(other - begin)) == Some(wanted)
                })),
            },
            None => {
                let mut best = first;
                for at in first + 1..end {
                    let (one, other) = (lists.items.get(at), lists.items.get(best));
                    if one.order(&other).ok_or_else(|| no_order(&one, &other, position))? == Some(wanted) {
                        best = at;
                    }
                }
                Ok(best)
            }
        }
    });
    Ok(match found.right()? {
        Each::Same(at) => Column::Same(lists.items.get(at)),
        Each::Lanes(at) => Column::Lanes(Rc::new(lists.items.gather(at.into_iter()))),
    })
}

fn best(first: usize, end: usize, better: impl Fn(usize, usize) -> bool) -> usize {
    (first + 1..end).fold(first, |best, at| if better(at, best) { at } else { best })
}

/// The first of the least or of the greatest of several columns, lane by lane.
pub(super) fn extreme_of(columns: &[Column], wanted: Ordering, lanes: usize, position: Position) -> Evaluated<Column> {
    each(&columns.iter().collect::<Vec<_>>(), lanes, |values| {
        let mut best = &values[0];
        for value in &values[1..] {
            if value.order(best).ok_or_else(|| no_order(value, best, position))? == Some(wanted) {
                best = value;
            }
        }
        Ok(best.clone())
    })
}

/// The position that an index means, which counts from the end where it is negative.
pub(super) fn place_of(index: i128, len: usize) -> Option<usize> {
    let at = if index < 0 { index.checked_add(len as i128)? } else { index };
    usize::try_from(at).ok().filter(|&at| at < len)
}

pub(super) fn index(of: &Column, at: (&Column, Position), lanes: usize, position: Position) -> Evaluated<Column> {
    let (at, at_position) = at;
    let nothing = |index: i128, len: usize| fault(position, format!("there is no item {index} in a list of {len}"));
    if let (Some(width), Column::Same(index)) = (of.width(), at) {
        let index = integer_of(index, at_position)?;
        let item = place_of(index, width).ok_or_else(|| nothing(index, width))?;
        return Ok(match of {
            Column::Same(Value::List(list)) => Column::Same(list.get(item)),
            other => other.coordinate(item).ok_or_else(|| nothing(index, width))?,
        });
    }
    let numbers = Numbers::of(at);
    let narrow = narrow(&numbers);
    let in_list = |lane: usize, len: usize| {
        if let Some(narrow) = narrow {
            let index = narrow.at(lane);
            let at = if index < 0 { index + len as i64 } else { index };
            let at = usize::try_from(at).ok().filter(|&at| at < len);
            return at.ok_or_else(|| nothing(index.into(), len));
        }
        let Some(numbers) = &numbers else {
            let kind = kind_of(at, lanes, |value| value.integer().is_none());
            return Err(fault(at_position, format!("{kind} where an integer is needed")));
        };
        let Number::Integer(index) = numbers.at(lane) else {
            return Err(fault(at_position, "an element where an integer is needed"));
        };
        place_of(index, len).ok_or_else(|| nothing(index, len))
    };
    if let Column::Lanes(data) = of
        && let Data::Places(shape, places) = &**data
    {
        // One coordinate of each place: the others need not be worked out.
        let coordinate = |lane: usize| Ok(shape.coordinate(places[lane], in_list(lane, shape.sizes.len())?));
        let coordinates = (0..lanes).map(coordinate).collect::<Evaluated<_>>()?;
        return Ok(Column::Lanes(Rc::new(Data::Integers(coordinates))));
    }
    let lists = Lists::of(of, position)?;
    let item = |lane: usize| {
        let (first, end) = match &lists.bounds {
            Bounds::Same(first, end) => (*first, *end),
            Bounds::Lanes(bounds) => bounds[lane],
        };
        Ok(first + in_list(lane, end - first)?)
    };
    let items: Vec<usize> = (0..lanes).map(item).collect::<Evaluated<_>>()?;
    Ok(Column::Lanes(Rc::new(lists.items.gather(items.into_iter()))))
}

/// Where a part of a list begins or ends, and where that is said.
pub(super) type Bound = Option<(Column, Position)>;

/// Some items of each list. Bounds that are left out are the list's own.
pub(super) fn part(of: &Column, (first, end): (Bound, Bound), lanes: usize, position: Position) -> Evaluated<Column> {
    let bound = |bound: &Bound, lane: usize, len: usize, otherwise: usize| {
        let Some((column, position)) = bound else { return Ok(otherwise) };
        let at = integer_of(&column.get(lane), *position)?;
        let at = if at < 0 { at.saturating_add(len as i128) } else { at };
        Ok(at.clamp(0, len as i128) as usize)
    };
    let range = |lane: usize, len: usize| {
        let from = bound(&first, lane, len, 0)?;
        Ok((from, bound(&end, lane, len, len)?.max(from)))
    };
    let same = [&first, &end].into_iter().flatten().all(|(column, _)| matches!(column, Column::Same(_)));
    if let (true, Some(width)) = (same, of.width()) {
        let (from, to) = range(0, width)?;
        if let Column::Same(Value::List(List { items, first, .. })) = of {
            let (first, end) = (first + from, first + to);
            return Ok(Column::Same(Value::List(List { items: Rc::clone(items), first, end })));
        }
        if let Some(columns) = of.rows() {
            let columns = columns[from..to].to_vec();
            return Ok(Column::Lanes(Rc::new(Data::Rows { len: lanes, columns })));
        }
    }
    let Lists { items, bounds } = Lists::of(of, position)?;
    let bounds = (0..lanes).map(|lane| {
        let (first, end) = match &bounds {
            Bounds::Same(first, end) => (*first, *end),
            Bounds::Lanes(bounds) => bounds[lane],
        };
        let (from, to) = range(lane, end - first)?;
        Ok((first + from, first + to))
    });
    let bounds = bounds.collect::<Evaluated<_>>()?;
    Ok(Column::Lanes(Rc::new(Data::Lists { items, bounds })))
}

/// As Python's `range` of one to three numbers.
pub(super) fn range(bounds: &[(Column, Position)], lanes: usize, position: Position) -> Evaluated<Column> {
    let mut items = Vec::new();
    let mut one = |lane: usize| {
        let bounds: Evaluated<Vec<i128>> =
            bounds.iter().map(|(column, position)| integer_of(&column.get(lane), *position)).collect();
        let begin = items.len();
        add_range(&bounds?, &mut items, position)?;
        Ok((begin, items.len()))
    };
    if bounds.iter().all(|(column, _)| matches!(column, Column::Same(_))) {
        one(0)?;
        return Ok(Column::Same(Value::List(List::of(Data::Integers(items)))));
    }
    let bounds = (0..lanes).map(one).collect::<Evaluated<_>>()?;
    Ok(Column::Lanes(Rc::new(Data::Lists { items: Rc::new(Data::Integers(items)), bounds })))
}

fn add_range(bounds: &[i128], items: &mut Vec<i64>, position: Position) -> Evaluated<()> {
    let (first, end, step) = match *bounds {
        [end] => (0, end, 1),
        [first, end] => (first, end, 1),
        [first, end, step] => (first, end, step),
        _ => return Err(fault(position, "called with other arguments than it takes")),
    };
    if step == 0 {
        return Err(fault(position, "a range whose step is 0 never ends"));
    }
    let beyond = || fault(position, format!("a list of more than {MOST_ITEMS} items, or of more than 64 bits"));
    let count = match (end.checked_sub(first), step) {
        (Some(length), 1..) => length.max(0).checked_add(step - 1).map(|length| length / step),
        (Some(length), _) => length.min(0).checked_add(step + 1).map(|length| length / step),
        (None, _) => None,
    };
    // Known before anything is listed.
    let room = (MOST_ITEMS - items.len()) as i128;
    if count.is_none_or(|count| count > room) {
        return Err(beyond());
    }
    if let (1, Ok(first), Ok(end)) = (step, i64::try_from(first), i64::try_from(end)) {
        items.extend(first..end);
        return Ok(());
    }
    let mut at = first;
    while if step > 0 { at < end } else { at > end } {
        if items.len() >= MOST_ITEMS {
            return Err(beyond());
        }
        items.push(i64::try_from(at).map_err(|_| beyond())?);
        at = at.checked_add(step).ok_or_else(beyond)?;
    }
    Ok(())
}

/// Lists of pairs: the number of an item in its list, and the item.
pub(super) fn enumerate(list: &Column, position: Position) -> Evaluated<Column> {
    let Lists { items, bounds } = Lists::of(list, position)?.apart();
    let mut numbers = Vec::with_capacity(items.len());
    match &bounds {
        Bounds::Same(first, end) => numbers.extend(0..(end - first) as i64),
        Bounds::Lanes(bounds) => bounds.iter().for_each(|(first, end)| numbers.extend(0..(end - first) as i64)),
    }
    let columns = vec![Column::Lanes(Rc::new(Data::Integers(numbers))), Column::Lanes(Rc::clone(&items))];
    let items = Rc::new(Data::Rows { len: items.len(), columns });
    Ok(Lists { items, bounds }.column())
}

/// Lists of rows: the items of several lists side by side, as far as the shortest goes.
pub(super) fn zip(lists: &[Column], lanes: usize, position: Position) -> Evaluated<Column> {
    let same = lists.iter().all(|list| matches!(list, Column::Same(_)));
    let lists: Vec<Lists> = lists.iter().map(|list| Lists::of(list, position)).collect::<Evaluated<_>>()?;
    let count = if same { 1 } else { lanes };
    let bounds_of = |list: &Lists, lane: usize| match &list.bounds {
        Bounds::Same(first, end) => (*first, *end),
        Bounds::Lanes(bounds) => bounds[lane],
    };
    let shortest = |lane| {
        let lens = lists.iter().map(|list| bounds_of(list, lane));
        lens.map(|(first, end)| end - first).min().unwrap_or(0)
    };
    let lens: Vec<usize> = (0..count).map(shortest).collect();
    let total = lens.iter().sum();
    let columns = lists.iter().map(|list| {
        let at = lens.iter().enumerate().flat_map(|(lane, len)| {
            let (first, _) = bounds_of(list, lane);
            first..first + len
        });
        let at: Vec<usize> = at.collect();
        Column::Lanes(Rc::new(list.items.gather(at.into_iter())))
    });
    let items = Rc::new(Data::Rows { len: total, columns: columns.collect() });
    let mut begin = 0;
    let bounds = lens.iter().map(|len| {
        let first = begin;
        begin += len;
        (first, begin)
    });
    let bounds = if same { Bounds::Same(0, total) } else { Bounds::Lanes(bounds.collect()) };
    Ok(Lists { items, bounds }.column())
}

/// Each list in the order of keys, one for each of its items; items with equal keys stay as they are. Both have the same bounds.
pub(super) fn sorted(list: &Column, keys: &Column, position: Position) -> Evaluated<Column> {
    let (list, keys) = (Lists::of(list, position)?.apart(), Lists::of(keys, position)?.apart());
    let numbers = Numbers::of_data(&keys.items, 0, keys.items.len());
    let mut order: Vec<usize> = (0..list.items.len()).collect();
    let mut odd = None;
    let mut sort = |first: usize, end: usize| {
        order[first..end].sort_by(|&one, &other| {
            let found = match &numbers {
                Some(numbers) => Some(numbers.at(one).compare(numbers.at(other))),
                None => keys.items.get(one).order(&keys.items.get(other)),
            };
            found.flatten().unwrap_or_else(|| {
                odd.get_or_insert((one, other));
                Ordering::Equal
            })
        });
    };
    match &list.bounds {
        Bounds::Same(first, end) => sort(*first, *end),
        Bounds::Lanes(bounds) => bounds.iter().for_each(|(first, end)| sort(*first, *end)),
    }
    if let Some((one, other)) = odd {
        let (one, other) = (keys.items.get(one).kind(), keys.items.get(other).kind());
        return Err(fault(position, format!("{one} and {other} have no order here")));
    }
    Ok(Lists { items: Rc::new(list.items.gather(order.into_iter())), bounds: list.bounds }.column())
}

/// A place with one coordinate replaced, inserted or removed.
pub(super) fn moved(
    builtin: Builtin,
    arguments: &[(Column, Position)],
    lanes: usize,
    position: Position,
) -> Evaluated<Column> {
    let [(place, _), (dimension, of_dimension), rest @ ..] = arguments else {
        return Err(fault(position, "called with other arguments than it takes"));
    };
    // One more dimension has one more place to stand.
    let more = usize::from(builtin == Builtin::Inserted);
    let at = |dimension: &Value, len: usize| {
        let dimension = integer_of(dimension, *of_dimension)?;
        let no_dimension = || fault(position, format!("there is no dimension {dimension} of {}", len + more));
        place_of(dimension, len + more).ok_or_else(no_dimension)
    };
    let coordinate = |value: &Value, position: Position| {
        let value = integer_of(value, position)?;
        i64::try_from(value).map_err(|_| fault(position, format!("{value} is no coordinate")))
    };
    let all_same = arguments.iter().all(|(column, _)| matches!(column, Column::Same(_)));
    if let (false, Column::Same(dimension), Some(mut columns)) = (all_same, dimension, place.rows()) {
        let at = at(dimension, columns.len())?;
        match (builtin, rest) {
            (Builtin::Removed, _) => {
                columns.remove(at);
            }
            (_, [(column, position), ..]) => {
                for lane in 0..if matches!(column, Column::Same(_)) { 1 } else { lanes } {
                    let _: i64 = coordinate(&column.get(lane), *position)?;
                }
                if builtin == Builtin::Replaced {
                    columns[at] = column.clone();
                } else {
                    columns.insert(at, column.clone());
                }
            }
            _ => {}
        }
        return Ok(Column::Lanes(Rc::new(Data::Rows { len: lanes, columns })));
    }
    each(&arguments.iter().map(|(column, _)| column).collect::<Vec<_>>(), lanes, |values| {
        let Value::List(place) = &values[0] else {
            return Err(fault(position, format!("{} where a list is needed", values[0].kind())));
        };
        let at = at(&values[1], place.len())?;
        let mut items: Vec<Value> = place.iter().collect();
        match (builtin, rest) {
            (Builtin::Removed, _) => {
                items.remove(at);
            }
            (_, [(_, position), ..]) => {
                let coordinate = Value::Integer(coordinate(&values[2], *position)?.into());
                if builtin == Builtin::Replaced {
                    items[at] = coordinate;
                } else {
                    items.insert(at, coordinate);
                }
            }
            _ => {}
        }
        Ok(Value::List(List::of(Data::of(items))))
    })
}

/// The elements of a type that have some patterns of bits.
pub(super) fn from_bits(column: &Column, data_type: DataType, lanes: usize, position: Position) -> Evaluated<Column> {
    elements(column, data_type, lanes, |value| {
        let integer = integer_of(value, position)?;
        let bits =
            u64::try_from(integer).ok().filter(|bits| data_type.bytes() == 8 || bits >> (8 * data_type.bytes()) == 0);
        let bits = bits.ok_or_else(|| fault(position, format!("{data_type} has no pattern of bits {integer}")))?;
        Ok(Element { bits, data_type })
    })
}

/// Whether a type has the values of some numbers, integers or elements of any type.
pub(super) fn has_value(column: &Column, data_type: DataType, lanes: usize, position: Position) -> Evaluated<Column> {
    each(&[column], lanes, |values| {
        let number = number_of(&values[0], position)?;
        Ok(Value::Boolean(Element::from_value(number, data_type).is_some()))
    })
}

/// The elements of a type that have the values of some numbers.
pub(super) fn from_value(column: &Column, data_type: DataType, lanes: usize, position: Position) -> Evaluated<Column> {
    elements(column, data_type, lanes, |value| {
        let number = number_of(value, position)?;
        Element::from_value(number, data_type).ok_or_else(|| match number {
            Number::Integer(value) => fault(position, format!("{data_type} does not have the value {value}")),
            Number::Float(value) => fault(position, format!("{data_type} does not have the value {value:?}")),
        })
    })
}

/// The elements of a float type that are nearest to those of another one.
pub(super) fn nearest(column: &Column, data_type: DataType, lanes: usize, position: Position) -> Evaluated<Column> {
    elements(column, data_type, lanes, |value| match (value, number_of(value, position)?) {
        _ if !data_type.is_float() => Err(fault(position, format!("{data_type} is no float type"))),
        (Value::Element(_), Number::Float(value)) if !value.is_nan() => Ok(Element::nearest(value, data_type)),
        _ => Err(fault(position, format!("{} where a float is needed that is no NaN", value.kind()))),
    })
}

/// An element of one type for each value.
fn elements(
    column: &Column,
    data_type: DataType,
    lanes: usize,
    element: impl Fn(&Value) -> Evaluated<Element>,
) -> Evaluated<Column> {
    if let Column::Same(value) = column {
        return Ok(Column::Same(Value::Element(element(value)?)));
    }
    let bits = (0..lanes).map(|lane| Ok(element(&column.get(lane))?.bits));
    Ok(Column::Lanes(Rc::new(Data::Elements(data_type, bits.collect::<Evaluated<_>>()?))))
}

fn number_of(value: &Value, position: Position) -> Evaluated<Number> {
    value.number().ok_or_else(|| fault(position, format!("{} where a number is needed", value.kind())))
}

/// What is asked of an element.
pub(super) fn of_element(builtin: Builtin, column: &Column, lanes: usize, position: Position) -> Evaluated<Column> {
    if let Column::Lanes(data) = column
        && let Data::Elements(data_type, bits) = &**data
    {
        let elements = bits.iter().map(|&bits| Element { bits, data_type: *data_type });
        let known = !data_type.is_float();
        return Ok(match builtin {
            Builtin::IsNan | Builtin::IsInfinite | Builtin::IsSubnormal if known => Column::Same(Value::Boolean(false)),
            Builtin::IsNan => Truth::Lanes(elements.map(Element::is_nan).collect()).column(),
            Builtin::IsInfinite => Truth::Lanes(elements.map(Element::is_infinite).collect()).column(),
            Builtin::IsSubnormal => Truth::Lanes(elements.map(Element::is_subnormal).collect()).column(),
            Builtin::Flushed if known => column.clone(),
            Builtin::Flushed => {
                let flushed = elements.map(|element| element.flushed().bits).collect();
                Column::Lanes(Rc::new(Data::Elements(*data_type, flushed)))
            }
            Builtin::IsInteger if known => Column::Same(Value::Boolean(true)),
            Builtin::IsInteger => Truth::Lanes(elements.map(|each| each.number().whole().is_some()).collect()).column(),
            Builtin::Truncated => Column::of(
                elements.map(|each| truncated(each, position).map(Value::Integer)).collect::<Evaluated<_>>()?,
            ),
            _ => match bits.iter().map(|&bits| i64::try_from(bits).ok()).collect() {
                Some(bits) => Column::Lanes(Rc::new(Data::Integers(bits))),
                None => Column::of(bits.iter().map(|&bits| Value::Integer(bits.into())).collect()),
            },
        });
    }
    each(&[column], lanes, |values| {
        let Value::Element(element) = &values[0] else {
            return Err(fault(position, format!("{} where an element is needed", values[0].kind())));
        };
        Ok(match builtin {
            Builtin::IsNan => Value::Boolean(element.is_nan()),
            Builtin::IsInfinite => Value::Boolean(element.is_infinite()),
            Builtin::IsSubnormal => Value::Boolean(element.is_subnormal()),
            Builtin::Flushed => Value::Element(element.flushed()),
            Builtin::IsInteger => Value::Boolean(element.number().whole().is_some()),
            Builtin::Truncated => Value::Integer(truncated(*element, position)?),
            _ => Value::Integer(element.bits.into()),
        })
    })
}

/// The integer that an element is but for its fraction.
fn truncated(element: Element, position: Position) -> Evaluated<i128> {
    let whole = match element.number() {
        Number::Float(value) => Number::Float(value.trunc()).whole(),
        Number::Integer(value) => Some(value),
    };
    whole.ok_or_else(|| fault(position, "no number, or one of more than 128 bits"))
}
