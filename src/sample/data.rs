//! The data of an input by what a definition does with it: compares its elements with each other, compares them with
//! numbers, lets them choose places, or copies them.

use opcert_backend::{DataType, NamedTensor};

use super::choices::Choices;
use super::draw::{Draw, input_data};
use super::values;
use crate::check::InputData;
use crate::definition::{Landmarks, Use};
use crate::element;

/// What there may be in data that often leaves an answer open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Odd {
    Nan,
    Subnormal,
    Negative,
    /// Equal elements where one comes first, or indices that name the same.
    Tie,
    /// An index that names no element.
    Beyond,
}

/// What in the data of a tensor leaves the answer open, so that it is rare.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Doubtful {
    pub(crate) nan: bool,
    pub(crate) subnormal: bool,
    pub(crate) negative: bool,
    pub(crate) tie: bool,
    pub(crate) beyond: bool,
}

impl Doubtful {
    pub(crate) const fn set(&mut self, odd: Odd, is: bool) {
        match odd {
            Odd::Nan => self.nan = is,
            Odd::Subnormal => self.subnormal = is,
            Odd::Negative => self.negative = is,
            Odd::Tie => self.tie = is,
            Odd::Beyond => self.beyond = is,
        }
    }

    /// What is left of it where something odd is wanted.
    const fn but(mut self, wanted: Option<Odd>) -> Self {
        if let Some(odd) = wanted {
            self.set(odd, false);
        }
        self
    }

    /// Whether an index into a sequence of some size leaves nothing open.
    pub(super) fn allows_index(self, index: i128, size: u64) -> bool {
        (!self.negative || index >= 0) && (!self.beyond || (-i128::from(size)..size.into()).contains(&index))
    }

    /// The element, or the zero in its place where it is doubtful.
    pub(super) fn settled(self, bits: u64, data_type: DataType) -> u64 {
        let doubtful = self.nan && values::is_nan(bits, data_type)
            || self.subnormal && values::is_subnormal(bits, data_type)
            || self.negative && values::is_negative(bits, data_type);
        if doubtful { element::from_integer(0, data_type) } else { bits }
    }
}

/// The most values that the elements of an input are chosen from, where they are few.
const MOST_VALUES: u64 = 4;

/// How the elements of an input that are compared with each other are chosen.
#[derive(Clone, Copy)]
enum Elements {
    /// From a few values, so that there are ties.
    Few,
    /// All different, upwards or downwards.
    Ramp(i64),
    /// Each by itself.
    Any,
}

const ELEMENTS: [(u64, Elements); 4] =
    [(12, Elements::Few), (1, Elements::Ramp(1)), (1, Elements::Ramp(-1)), (2, Elements::Any)];

/// How many elements are what they are compared with to how many others.
const DENSITIES: [(u64, (u64, u64)); 5] = [(4, (1, 1)), (2, (7, 1)), (2, (1, 7)), (1, (1, 0)), (2, (0, 1))];

/// Whether the elements are values that are returned, whatever else is asked of them, or that nothing is asked of.
pub(crate) const fn is_copied(used: &Use) -> bool {
    !used.chooses && (used.copied || !used.compared && !used.has_landmarks())
}

/// Whether the data depends on the numbers that the elements are compared with.
pub(super) const fn is_told_from_landmarks(used: &Use) -> bool {
    is_index(used) || !used.compared && used.has_landmarks() && !is_copied(used)
}

/// Whether the elements are indices.
pub(crate) const fn is_index(used: &Use) -> bool {
    used.chooses
}

/// The one element of a tensor that is part of the descriptor.
pub(crate) fn constant(entry: &NamedTensor, value: i64) -> InputData {
    let count = entry.tensor.element_count().unwrap_or(0) as usize;
    input_data(entry, (0..count).map(|_| element::from_integer(value, entry.tensor.data_type)))
}

/// The data of an input, which is the `number`th tensor of its operator. `landmarks` are what its elements are compared with.
pub(crate) fn draw(
    draw: &mut Draw<'_, '_>,
    entry: &NamedTensor,
    number: usize,
    (used, landmarks): (&Use, &Landmarks),
    (doubtful, odd): (Doubtful, Option<Odd>),
) -> InputData {
    let data_type = entry.tensor.data_type;
    let (odd, doubtful) = (odd.filter(|_| draw.data), doubtful.but(odd.filter(|_| draw.data)));
    let Landmarks { numbers: landmarks, items } = landmarks;
    if is_index(used) {
        let is_beside_items = !items.is_empty() && entry.tensor.sizes.last() == Some(&(items.len() as u64));
        return draw.data(entry, |choices, index| match choices.once_in(24) {
            true if !data_type.is_float() && !doubtful.beyond => {
                doubtful.settled(values::extreme(choices, data_type), data_type)
            }
            _ if is_beside_items => around_one(choices, &[items[index % items.len()]], data_type, doubtful),
            _ => around_one(choices, landmarks, data_type, doubtful),
        });
    }
    if used.added {
        return draw.data(entry, |choices, _| doubtful.settled(summand(choices, data_type), data_type));
    }
    if used.compared && !is_copied(used) {
        return ordered(draw, entry, doubtful, odd);
    }
    if used.has_landmarks() && !is_copied(used) {
        return around(draw, entry, landmarks, doubtful, odd);
    }
    draw.data(entry, |choices, index| {
        doubtful.settled(values::value(choices, data_type, (number + index) as i64), data_type)
    })
}

/// A number that is added to others: mostly a small one, whose sums every type has, and seldom one that narrower floats lack or that is
/// as great as one may be.
fn summand(choices: &mut Choices<'_>, data_type: DataType) -> u64 {
    let (kind, detail) = (choices.below(32), values::value(choices, data_type, 1));
    match kind {
        0..16 => element::from_integer(1 + (kind % 5) as i64, data_type),
        16..28 => values::negative(element::from_integer((kind % 4) as i64, data_type), data_type),
        28..31 if !data_type.is_float() => values::beyond_floats(data_type),
        28..30 => element::from_integer(257, data_type),
        30 => element::from_integer(values::least_and_most(data_type).1 as i64, data_type),
        _ => detail,
    }
}

/// An element, or something odd in its place.
fn or_odd(choices: &mut Choices<'_>, odd: Option<Odd>, data_type: DataType, bits: u64) -> u64 {
    let Some(odd) = odd.filter(|odd| !matches!(odd, Odd::Tie | Odd::Beyond) && choices.once_in(4)) else { return bits };
    match odd {
        Odd::Nan if data_type.is_float() => values::nan(choices, data_type),
        Odd::Subnormal if data_type.is_float() => 1,
        Odd::Negative => values::negative(bits, data_type),
        _ => bits,
    }
}

/// Elements that are compared with each other: ties of every kind, extremes, values that are easily confused.
fn ordered(draw: &mut Draw<'_, '_>, entry: &NamedTensor, doubtful: Doubtful, odd: Option<Odd>) -> InputData {
    let data_type = entry.tensor.data_type;
    if doubtful.tie {
        return distinct(draw, entry, doubtful, odd);
    }
    let few = match if draw.data { draw.choices.weighted(&ELEMENTS) } else { Elements::Any } {
        Elements::Few => few_values(draw, data_type),
        Elements::Ramp(step) => {
            let count = entry.tensor.element_count().unwrap_or(0) as usize;
            let ramp = (0..count).map(|index| element::from_integer(step * index as i64, data_type));
            return input_data(entry, ramp.map(|bits| doubtful.settled(bits, data_type)));
        }
        Elements::Any => Vec::new(),
    };
    draw.data(entry, |choices, _| {
        let bits = if few.is_empty() { values::value(choices, data_type, 0) } else { *choices.pick(&few) };
        doubtful.settled(or_odd(choices, odd, data_type, bits), data_type)
    })
}

/// Elements of which no two are equal, as far as the type has so many: whole numbers in some order, one of them an extreme
/// of the type.
fn distinct(draw: &mut Draw<'_, '_>, entry: &NamedTensor, doubtful: Doubtful, odd: Option<Odd>) -> InputData {
    let data_type = entry.tensor.data_type;
    let count = entry.tensor.element_count().unwrap_or(0);
    let (step, first, place) = (draw.choices.below(8), draw.choices.below(count), draw.choices.below(count));
    let extreme = values::extreme(draw.choices, data_type);
    let is_there = draw.choices.once_in(2);
    // A step that shares no factor with their number comes by all of them.
    let step = [1, 3, 5, 7, 11, 13, 17, 19][step as usize];
    let step = if count.is_multiple_of(step) { 1 } else { step };
    let element = |index: u64| (index.wrapping_mul(step).wrapping_add(first) % count.max(1)) as i64;
    let all = (0..count).map(|index| match is_there && index == place {
        true => doubtful.settled(extreme, data_type),
        false => element::from_integer(1 + element(index), data_type),
    });
    let all: Vec<u64> = all.collect();
    let choices = &mut *draw.choices;
    let all = all.into_iter().map(|bits| doubtful.settled(or_odd(choices, odd, data_type, bits), data_type));
    input_data(entry, all.collect::<Vec<_>>().into_iter())
}

/// A few values, of which each is likely to be close to the one before it.
fn few_values(draw: &mut Draw<'_, '_>, data_type: DataType) -> Vec<u64> {
    let count = 1 + draw.choices.below(MOST_VALUES) as usize;
    let mut few: Vec<u64> = Vec::with_capacity(MOST_VALUES as usize);
    for number in 0..MOST_VALUES as i64 {
        let near = draw.choices.once_in(2);
        let value = match few.last() {
            Some(&before) if near => values::neighbour(draw.choices, before, data_type),
            _ => values::value(draw.choices, data_type, number),
        };
        few.push(value);
    }
    few.truncate(count);
    few
}

/// Elements that are compared with numbers: those numbers in any density, and a few others between them.
fn around(
    draw: &mut Draw<'_, '_>,
    entry: &NamedTensor,
    landmarks: &[i128],
    doubtful: Doubtful,
    odd: Option<Odd>,
) -> InputData {
    let data_type = entry.tensor.data_type;
    let landmark = |number: u64| {
        from_landmark(landmarks.get(number as usize % landmarks.len().max(1)).copied().unwrap_or(0), data_type)
    };
    let zero = values::negative_zero(data_type);
    let (hits, others) = draw.choices.weighted(&DENSITIES);
    let different = 1 + draw.choices.below(MOST_VALUES) as usize;
    let few: [u64; MOST_VALUES as usize] = std::array::from_fn(|_| {
        let (near, plain) = (draw.choices.once_in(4), draw.choices.below(landmarks.len() as u64));
        let value = values::value(draw.choices, data_type, 1);
        let value = if near { values::neighbour(draw.choices, landmark(plain), data_type) } else { value };
        let value = doubtful.settled(value, data_type);
        let hit = (0..landmarks.len() as u64).map(landmark).any(|hit| hit == value || hit == 0 && zero == value);
        if hit { element::from_integer(1, data_type) } else { value }
    });
    draw.data(entry, |choices, _| {
        let number = choices.below((hits + others) * 4);
        let bits = match number.checked_sub(hits * 4) {
            None if number % 4 == 3 && landmark(number / 4) == 0 => zero,
            None => landmark(number / 4),
            Some(number) => few[number as usize % different],
        };
        doubtful.settled(or_odd(choices, odd, data_type, bits), data_type)
    })
}

/// An index around one of the numbers that it is compared with.
fn around_one(choices: &mut Choices<'_>, landmarks: &[i128], data_type: DataType, doubtful: Doubtful) -> u64 {
    let landmark = landmarks.get(choices.below(landmarks.len() as u64) as usize);
    let size = landmark.map_or(1, |landmark| u64::try_from(landmark.unsigned_abs()).unwrap_or(u64::MAX)).max(1);
    values::index(choices, data_type, size, |index| doubtful.allows_index(index, size))
}

/// The element of a number that others are compared with.
pub(super) fn from_landmark(landmark: i128, data_type: DataType) -> u64 {
    element::from_integer(landmark.clamp(i64::MIN.into(), i64::MAX.into()) as i64, data_type)
}
